package intent

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

var blockKinds = map[BlockKind]string{Para: "para", Item: "item", Heading: "heading", Fence: "fence", Log: "log", Trace: "trace", Quote: "quote", Signature: "sign"}

func TestBlocks(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want []string
	}{
		"lines of a chat":  {"fix it\nand that", []string{"para fix it", "para and that"}},
		"wrapped lines":    {"this is a line of a mail that was wrapped by a program at\nsome column and goes on here", []string{"para this is a line of a mail that was wrapped by a program at some column and goes on here"}},
		"bullets":          {"todo:\n- one\n* two\n1. three\n  more of it\n- [ ] four", []string{"heading todo:", "item one", "item two", "item three more of it", "item four"}},
		"inline numbers":   {"audit: (1) first thing; (2) second", []string{"heading audit:", "item first thing", "item second"}},
		"one number":       {"see (1) for more", []string{"para see (1) for more"}},
		"ticket":           {"**Actual**: it dies\n**Expected**\nit lives", []string{"para it dies", "heading **Expected**", "para it lives"}},
		"commit prefixes":  {"feat: one\nfix(ui): two", []string{"item one", "item two"}},
		"credits":          {"add a flag\n\nSigned-off-by: A B <a@b.example>\nClaude <c@d.example>\nCo-authored-by: C <c@d.example>", []string{"para add a flag", "log Signed-off-by: A B <a@b.example> Claude <c@d.example> Co-authored-by: C <c@d.example>"}},
		"fence":            {"see\n```go\nx := 1\n```\nthanks", []string{"para see", "fence x := 1", "para thanks"}},
		"trace in a fence": {"```\nTraceback (most recent call last):\n  File \"a.py\", line 1, in f\n```", []string{"trace Traceback (most recent call last): File \"a.py\", line 1, in f"}},
		"log":              {"it dies\n\n2024-05-02 11:20:09 ERROR no\n  at x\n\nplease fix", []string{"para it dies", "log 2024-05-02 11:20:09 ERROR no at x", "para please fix"}},
		"go panic":         {"panic: boom\n\ngoroutine 1 [running]:\nmain.f(0x1)\n\t/a/b.go:12 +0x1", []string{"trace panic: boom goroutine 1 [running]: main.f(0x1) /a/b.go:12 +0x1"}},
		"quote":            {"On Tue, Mar 4, Bo wrote:\n> hi\n\nno", []string{"quote On Tue, Mar 4, Bo wrote: > hi", "para no"}},
		"signature":        {"do it\n\nBest regards,\nIngrid\nfix nothing", []string{"para do it", "sign Best regards, Ingrid fix nothing"}},
		"a farewell first": {"Thanks\n\ndo it", []string{"para Thanks", "para do it"}},
		"urgent, no log":   {"[urgent] please look at the login", []string{"para [urgent] please look at the login"}},
		"a time, no log":   {"12:30 is when we should meet", []string{"para 12:30 is when we should meet"}},
	} {
		t.Run(name, func(t *testing.T) {
			var got []string
			for _, b := range Blocks(c.text) {
				got = append(got, blockKinds[b.Kind]+" "+strings.Join(strings.Fields(b.Text), " "))
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("got  %q\nwant %q", got, c.want)
			}
		})
	}
}

func TestSections(t *testing.T) {
	for label, want := range map[string]Section{"Steps to reproduce": Circumstances, "Expected behaviour": Expected, "ACTUAL": Problem, "Not in scope": OutOfScope, "Summary": Title, "Anything": Open} {
		if got := (Block{Label: NormalizeLabel(label)}).Section(); got != want {
			t.Errorf("%s: %d, want %d", label, got, want)
		}
	}
}

func TestSentences(t *testing.T) {
	for text, want := range map[string]string{
		"Fix a.go. Bump to 1.2.3! Why?":             "fix a.go | bump to 1.2.3 | why",
		"e.g. this one, i.e. that. Next":            "e.g this one , i.e that | next",
		"whenever ?status= is empty":                "whenever ? status = is empty",
		"use `x. y` and \"Stop. Now.\" too":         "use `x. y` and \"stop. now.\" too",
		"dont touch it (it works. really) pls":      "don't touch it (it works. really) please",
		"--flag, /path/x.go:12 and it’s 30% a/b ok": "--flag , /path/x.go:12 and it's 30% a/b ok",
		"de\u200blete it":                           "delete it",
	} {
		var got []string
		for _, s := range (Block{Text: text}).Sentences() {
			var low []string
			for _, w := range s.Tokens {
				low = append(low, w.Lower)
			}
			got = append(got, strings.Join(low, " "))
		}
		if g := strings.Join(got, " | "); g != want {
			t.Errorf("%q\ngot  %s\nwant %s", text, g, want)
		}
	}
}

// FuzzBlocks: blocks and tokens are parts of the message, in order, with its own bytes.
func FuzzBlocks(f *testing.F) {
	f.Add("a\n- b\n```\nc\n> d\n**e**: f (1) g (2) h\npanic: x\n--\ni")
	f.Fuzz(func(t *testing.T, text string) {
		end := 0
		for _, b := range Blocks(text) {
			if b.At < end || b.At+len(b.Text) > len(text) || text[b.At:b.At+len(b.Text)] != b.Text {
				t.Fatal(fmt.Sprintf("block %+v is not behind %d in %q", b, end, text))
			}
			at := b.At
			for _, w := range Tokenize(b.Text, b.At) {
				if w.At < at || w.End <= w.At || w.End > b.At+len(b.Text) {
					t.Fatalf("token %+v is not behind %d in %q", w, at, b.Text)
				}
				at = w.End
			}
			end = b.At + len(b.Text)
		}
	})
}
