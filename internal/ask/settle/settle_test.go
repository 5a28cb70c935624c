package settle

import (
	"strings"
	"testing"

	"github.com/belay-dev/belay/internal/ask/deed"
	"github.com/belay-dev/belay/internal/belay"
)

// TestPastedIntoSomethingNew holds that a log in a message that asks for something whole is
// material, not a feature: it has no words.
func TestPastedIntoSomethingNew(t *testing.T) {
	text := "Start over. Write me a small service that watches the queue.\n\n```\nTraceback (most recent call last):\n  File \"q.py\", line 3, in <module>\nKeyError: 'q'\n```\n"
	m := Read(text, true, nil)
	if !m.Fresh || len(m.Out) == 0 {
		t.Fatalf("fresh %v, %d requirements", m.Fresh, len(m.Out))
	}
	for _, f := range m.Out {
		if f.Act.Deed == deed.Material || f.Marker != belay.MarkAdd {
			t.Errorf("%s of %v", f.Marker, f.Act.Deed)
		}
	}
}

// TestWhole holds that who reads may say whether something new is asked for as a whole.
func TestWhole(t *testing.T) {
	text := "a page with a list of members, a search, and an export"
	for _, whole := range []bool{true, false} {
		if m := Read(text, true, nil, &whole); m.Fresh != whole || (m.Kind() == belay.Fresh) != whole {
			t.Errorf("whole %v: fresh %v, %s", whole, m.Fresh, m.Kind())
		}
	}
}

func TestActsAreNumbered(t *testing.T) {
	m := Read("rename the flag, drop the banner; and the total is wrong", true, nil, nil)
	for i, a := range m.Acts {
		if a.Nr != i {
			t.Errorf("act %d has number %d", i, a.Nr)
		}
	}
	for i, f := range m.Out {
		if i > 0 && f.Act.Nr <= m.Out[i-1].Act.Nr {
			t.Errorf("requirement %d is not behind the one before", i)
		}
	}
}

func TestBeginning(t *testing.T) {
	for _, c := range []struct{ text, want string }{{"fix it", "fix it"}, {"", ""},
		{" " + strings.Repeat("grüße ", 60), strings.TrimSpace(strings.Repeat("grüße ", 20)) + " …"}, {strings.Repeat("ü", 99), strings.Repeat("ü", 80) + "…"},
	} {
		if got := Beginning(c.text); got != c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}
