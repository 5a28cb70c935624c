package intent

import (
	"strings"
	"testing"

	"github.com/belay-dev/belay/internal/belay"
)

// TestPastedIntoSomethingNew: a log in a message that asks for something new and complete is
// material, not a feature.
func TestPastedIntoSomethingNew(t *testing.T) {
	text := "Start over. Write me a small service that watches the queue.\n\n```\nTraceback (most recent call last):\n  File \"q.py\", line 3, in <module>\nKeyError: 'q'\n```\n"
	m := readMessage(Input{Text: text, PlanExists: true})
	if !m.Fresh || len(m.Requirements) == 0 {
		t.Fatalf("fresh %v, %d requirements", m.Fresh, len(m.Requirements))
	}
	for _, f := range m.Requirements {
		if f.Act.Kind == Material || f.Marker != belay.MarkAdd {
			t.Errorf("%s of %v", f.Marker, f.Act.Kind)
		}
	}
}

func TestActsAreNumbered(t *testing.T) {
	m := readMessage(Input{Text: "rename the flag, drop the banner; and the total is wrong", PlanExists: true})
	for i, a := range m.Acts {
		if a.Index != i {
			t.Errorf("act %d has number %d", i, a.Index)
		}
	}
	for i, f := range m.Requirements {
		if i > 0 && f.Act.Index <= m.Requirements[i-1].Act.Index {
			t.Errorf("requirement %d is not behind the one before", i)
		}
	}
}

func TestBeginning(t *testing.T) {
	for _, c := range []struct{ text, want string }{{"fix it", "fix it"}, {"", ""},
		{" " + strings.Repeat("grüße ", 60), strings.TrimSpace(strings.Repeat("grüße ", 20)) + " …"}, {strings.Repeat("ü", 99), strings.Repeat("ü", 80) + "…"},
	} {
		if got := messageStart(c.text); got != c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}

// TestCommitType: the type of a commit decides the marker of its subject, whatever the verb.
// Removals, counted things, further orders in the subject, and the text below it keep their own
// marker.
func TestCommitType(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"fix: allow underscores in formula names":                     "bugfix FIX",
		"fix: prevent a second listener on reconnect":                 "bugfix FIX",
		"fix(css,html): combine both caches":                          "bugfix FIX",
		"fix!: use spawn instead of exec for git log":                 "bugfix FIX",
		"fix(`merge`): add the missing tags to the release":           "bugfix FIX",
		"fix: remove the unused constant maxWidth":                    "mutation REMOVE",
		"fix: add three missing entries to the menu":                  "mutation ADD",
		"fix: hide the cursor after a restore, add an example":        "mutation FIX ADD",
		"fix: hide the cursor after a restore\n\n- add a test for it": "mutation FIX ADD",
		"feat: allow underscores in formula names":                    "mutation ADD",
	} {
		req, _ := Parse(Input{text, true, nil})
		got := string(req.Type)
		for _, r := range req.Requirements {
			got += " " + string(r.Marker)
		}
		if got != want {
			t.Errorf("%s: %s, not %s", text, got, want)
		}
	}
}
