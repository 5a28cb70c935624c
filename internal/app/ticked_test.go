package app

import "testing"

func TestSpanOfTickedTask(t *testing.T) {
	versions := func(done ...map[string]bool) (list []fileVersion) { // newest first: the working tree, then 1, 2 …
		for i, d := range done {
			v := fileVersion{done: d}
			if i > 0 {
				v.commit = string(rune('0' + i))
			}
			list = append(list, v)
		}
		return list
	}
	open, one, both := map[string]bool{"a": false, "b": false}, map[string]bool{"a": true, "b": false}, map[string]bool{"a": true, "b": true}
	for _, test := range []struct {
		name                 string
		versions             []fileVersion
		key                  string
		before, after, added string
		known                bool
	}{
		{"ticked and not committed", versions(one, open), "a", "1", "", "1", true},
		{"its own commit", versions(one, one, open), "a", "2", "1", "2", true},
		{"since another was ticked", versions(both, both, one, one, open), "b", "3", "1", "4", true},
		{"both at once", versions(both, both, open), "b", "2", "1", "2", true},
		{"since it was written down", versions(both, both, one, map[string]bool{"a": true}, map[string]bool{"a": false}), "b", "2", "1", "2", true},
		{"unticked in between", versions(one, one, open, one, open), "a", "3", "1", "4", true},
		{"never open", versions(one, one), "a", "", "", "", false},
		{"no history", versions(one), "a", "", "", "", false},
	} {
		before, after, added, why := commitSpan(test.versions, test.key)
		if before != test.before || after != test.after || added != test.added || (why == "") != test.known {
			t.Errorf("%s: %q to %q, added %q (%s)", test.name, before, after, added, why)
		}
	}
}
