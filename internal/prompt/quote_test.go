package prompt

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/belay-dev/belay/internal/belay"
)

func TestCut(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text         string
		lines, bytes int
		kept, left   string
	}{
		{"", 2, 9, "", ""},
		{"a\nb", 2, 9, "a\nb", ""},
		{"a\nb\n", 2, 9, "a\nb\n", ""},
		{"a\nb\nc", 2, 9, "a\nb", "1 more line, 1 bytes left out"},
		{"a\nb\nc\nd\n", 2, 9, "a\nb", "2 more lines, 4 bytes left out"},
		{"aaa\nbbb\n", 9, 5, "aaa", "1 more line, 4 bytes left out"},
		{"aaéé", 9, 3, "aa", "1 more line, 4 bytes left out"},
	} {
		if kept, left := Cut(c.text, c.lines, c.bytes); kept != c.kept || left != c.left {
			t.Errorf("cut(%q, %d, %d) = %q, %q", c.text, c.lines, c.bytes, kept, left)
		}
	}
}

func TestCodeSpans(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{"a/b": "`a/b`", "a`b": "``a`b``", "`": "`` ` ``", "a\n\x1b": "`a\\n\\x1b`"} {
		if got := Code(in); got != want {
			t.Errorf("%q becomes %s", in, got)
		}
	}
}

func TestClosing(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"": "", "plain\n": "", "```\nx\n```": "", "```go\nx": "\n```", "````\n```\n": "````", "~~~ `x`\nx\n```\n": "~~~",
		"``` a ` b": "", "    ```\n": "", "   ```\r\nx\r\n": "```", "```\n``` x\n": "```", "``\n": "", "~~~\n~~~~\n": "",
	} {
		if got := ClosingFence(in); got != want {
			t.Errorf("%q is closed with %q, want %q", in, got, want)
		}
	}
}

func FuzzBlock(f *testing.F) {
	for _, s := range []string{"", "a", "```", "a\n````\nb", "\xff\x1b", strings.Repeat("x\n", 300), strings.Repeat("é", 20000)} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		block := Block("text", s)
		if block == "" {
			if strings.Trim(MaskVisible(s), "\n") != "" {
				t.Fatalf("%q is missing", s)
			}
			return
		}
		if !utf8.ValidString(block) || belay.Visible(block) != block || len(block) > MaxBytes*2 {
			t.Fatalf("%q", block)
		}
		ticks := block[:len(block)-len(strings.TrimLeft(block, "`"))]
		body, rest, closed := strings.Cut(strings.TrimPrefix(block, ticks+"text\n"), "\n"+ticks)
		if !closed || len(ticks) < 3 || strings.Contains(body, ticks) || rest != "" && !strings.HasPrefix(rest, "\n(cut: ") {
			t.Fatalf("%q breaks out as %q", s, rest)
		}
		if c := ClosingFence(s); c != "" && ClosingFence(s+c+"\n") != "" {
			t.Fatalf("%q is not closed by %q", s, c)
		}
	})
}
