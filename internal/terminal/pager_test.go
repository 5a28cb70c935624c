package terminal

import (
	"strings"
	"testing"
	"unicode/utf8"
)

func TestWrap(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"short":                                  "short",
		"one two three four five six":            "one two three four\n  five six",
		"  - one two three four five six":        "  - one two three\n    four five six",
		"a\n\none two three four five six":       "a\n\none two three four\n  five six",
		"aaaaaaaaaaaaaaaaaaaaaaaaaaaaa b":        "aaaaaaaaaaaaaaaaaaaaaaaaaaaaa b", // a path is not broken
		"exactly twenty wide.":                   "exactly twenty wide.",
		"exactly twenty wide. more":              "exactly twenty\n  wide. more",
		"übergroße größen öfter":                 "übergroße größen\n  öfter",
		"                    x y":                "                    x y",
		"\x1b[31mone two three\x1b[0m four":      "\x1b[31mone two three\x1b[0m four", // a colour has no width
		"\x1b[31mone two three four\x1b[0m five": "\x1b[31mone two three four\x1b[0m\n  five",
		"  belay decide T1 guide --message x":    "  belay decide T1 guide --message x", // a command gets copied
		"try: belay run --resume T1 --trust":     "try: belay run --resume T1 --trust",
	} {
		if got := wrap(in, 20); got != want {
			t.Errorf("%q:\n got %q\nwant %q", in, got, want)
		}
	}
	if got := wrap("one two three", 0); got != "one two three" {
		t.Errorf("not at a terminal: %q", got)
	}
}

// Wrapping must keep all words and their order.
func FuzzWrap(f *testing.F) {
	f.Add("  - one two three four five six", 20)
	f.Add("a\n\n b", 40)
	f.Fuzz(func(t *testing.T, text string, width int) {
		if !utf8.ValidString(text) {
			return
		}
		got := wrap(text, width)
		if strings.Join(strings.Fields(got), " ") != strings.Join(strings.Fields(text), " ") {
			t.Fatalf("%q became %q", text, got)
		}
	})
}
