package restore

import (
	"strings"
	"testing"
)

// TestEdit checks that lines are replaced at their number or elsewhere, whatever was written around
// them, and that a line that was changed or occurs twice is left alone.
func TestEdit(t *testing.T) {
	t.Parallel()
	before, after := "# T\r\n- [ ] a\r\n- [ ] b\n- [ ] c", "# T\r\n- [x] a\r\n- [ ] b\n- [x] c"
	e := NewEdit("tasks.md", []byte(before), []byte(after))
	if e == nil || len(e.Lines) != 2 || e.Lines[0].N != 2 || string(e.Lines[1].After) != "- [x] c" {
		t.Fatalf("%+v", e)
	}
	for _, c := range []struct {
		name, text, want string
		ok               bool
	}{
		{"as it was", after, before, true},
		{"undone already", before, before, true},
		{"half done", strings.Replace(after, "[x] a", "[ ] a", 1), before, true},
		{"lines added", "new\n" + after + "\n- [ ] d\n", "new\n" + before + "\n- [ ] d\n", true},
		{"other line ends", "# T\n- [x] a\n- [x] b\n- [x] c\n", "# T\n- [ ] a\n- [x] b\n- [ ] c\n", true},
		{"changed", "# T\n- [x] A\n- [ ] b\n- [x] c\n", "# T\n- [x] A\n- [ ] b\n- [x] c\n", false},
		{"twice, one in place", "# T\n- [x] a\n- [x] a\n- [x] c", "# T\n- [ ] a\n- [x] a\n- [ ] c", true},
		{"twice elsewhere", "# T\n\n- [x] a\n- [x] a\n- [x] c", "# T\n\n- [x] a\n- [x] a\n- [x] c", false},
		{"empty", "", "", false},
	} {
		out, ok := e.Inverse().Apply([]byte(c.text))
		if string(out) != c.want || ok != c.ok {
			t.Errorf("%s: %q %v", c.name, out, ok)
		}
	}
	for _, other := range []string{before, before + "\nmore", strings.Replace(before, "\r\n", "\n", 1)} {
		if e := NewEdit("tasks.md", []byte(before), []byte(other)); e != nil {
			t.Errorf("%q: %+v", other, e)
		}
	}
}

// FuzzEdit checks that an edit turns one text into the other, and its inverse reverts it.
func FuzzEdit(f *testing.F) {
	f.Add("a\nb\r\n", "a\nc\r\n")
	f.Fuzz(func(t *testing.T, a, b string) {
		e := NewEdit("f", []byte(a), []byte(b))
		if e == nil {
			return
		}
		if out, ok := e.Apply([]byte(a)); !ok || string(out) != b {
			t.Errorf("there: %q %v", out, ok)
		}
		if out, ok := e.Inverse().Apply([]byte(b)); !ok || string(out) != a {
			t.Errorf("back: %q %v", out, ok)
		}
	})
}
