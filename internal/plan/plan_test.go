package plan

import "testing"

// TestMarkers: variants that people write are read, and malformed markers are found.
func TestMarkers(t *testing.T) {
	for _, c := range []struct {
		comment string
		want    Marker
		ok, bad bool
	}{
		{" TASK-3 [ADD]: 2 nighttime drink flavors (Moonlit Calm) ", Marker{Kind: "ADD", Task: "3", Text: "2 nighttime drink flavors (Moonlit Calm)"}, true, false},
		{"TASK-3 [ADD]: (2) flavors", Marker{Kind: "ADD", Task: "3", Count: two(2), Text: "flavors"}, true, false},
		{"TASK-3 [ADD] (2): flavors", Marker{Kind: "ADD", Task: "3", Count: two(2), Text: "flavors"}, true, false},
		{"task-fix-login [fix]: the\n   * crash", Marker{Kind: "FIX", Task: "fix-login", Text: "the crash"}, true, false},
		{"NO CHANGES for task-3 — preserve as-is", Marker{Kind: "NO CHANGES", Task: "3"}, true, false},
		{"NO CHANGES for task-a-", Marker{Kind: "NO CHANGES", Task: "a-"}, true, false},
		{"EXISTING 8 flavors PRESERVED — do not remove or convert", Marker{Kind: "PRESERVED", Text: "existing 8 flavors"}, true, false},
		{"PRESERVED — do not remove or convert", Marker{Kind: "PRESERVED"}, true, false},
		{"PRESERVED for task-3 — do not remove or convert", Marker{Kind: "PRESERVED", Task: "3"}, true, false},
		{"PRESERVED for task-T.x_1: the store, do not remove — do not remove or convert", Marker{Kind: "PRESERVED", Task: "T.x_1", Text: "the store, do not remove"}, true, false},
		{"Preserved order of items", Marker{}, false, false},
		{"no changes here for now", Marker{}, false, false},
		{"TASK-3 notes: talk to Ana", Marker{}, false, false},
		{"TASK-3 [ADDD]: x", Marker{}, true, true},
		{"TASK-3 [ADD] x", Marker{}, true, true},
		{"TASK-3 ADD: x", Marker{}, true, true},
		{"TASK-3 [ADD]:", Marker{}, true, true},
		{"[MODIFY]: x", Marker{}, true, true},
		{"NO CHANGE for task-3", Marker{}, true, true},
	} {
		m, ok := ParseMarker(c.comment)
		if ok != c.ok || (m.Problem != "") != c.bad {
			t.Errorf("%q: ok %v, bad %q", c.comment, ok, m.Problem)
			continue
		}
		if c.ok && !c.bad {
			same := m.Kind == c.want.Kind && m.Task == c.want.Task && m.Text == c.want.Text && (m.Count == nil) == (c.want.Count == nil) && (m.Count == nil || *m.Count == *c.want.Count)
			if !same {
				t.Errorf("%q is %+v, want %+v", c.comment, m, c.want)
			}
		}
	}
}

func two(n int) *int { return &n }
