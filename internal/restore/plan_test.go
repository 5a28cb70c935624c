package restore

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/belay-dev/belay/internal/belay"
)

func TestDecide(t *testing.T) {
	t.Parallel()
	type refs = map[string]string
	mine := func(names ...string) func(string) bool {
		return func(n string) bool { return slices.Contains(names, n) }
	}
	for name, c := range map[string]struct {
		plan  RefPlan
		moves []RefMove
		kept  []string
		code  belay.Code
	}{
		"same":               {RefPlan{Then: refs{"refs/heads/a": "1"}, Now: refs{"refs/heads/a": "1"}}, nil, nil, ""},
		"moved":              {RefPlan{Then: refs{"refs/heads/a": "1"}, Now: refs{"refs/heads/a": "2"}}, []RefMove{{"refs/heads/a", "2", "1"}}, nil, ""},
		"moved by another":   {RefPlan{Then: refs{"refs/heads/a": "1"}, Now: refs{"refs/heads/a": "2"}, Only: mine()}, nil, []string{"refs/heads/a"}, ""},
		"deleted":            {RefPlan{Then: refs{"refs/tags/a": "1"}}, []RefMove{{"refs/tags/a", "", "1"}}, nil, ""},
		"new":                {RefPlan{Now: refs{"refs/heads/a": "1"}}, nil, []string{"refs/heads/a"}, ""},
		"new, of the task":   {RefPlan{Now: refs{"refs/heads/a": "1"}, Only: mine("refs/heads/a")}, []RefMove{{"refs/heads/a", "1", ""}}, nil, ""},
		"new, undone":        {RefPlan{Now: refs{"refs/heads/a": "1"}, Created: map[string]bool{"refs/heads/a": true}}, []RefMove{{"refs/heads/a", "1", ""}}, nil, ""},
		"a stash":            {RefPlan{Now: refs{"refs/stash": "1"}}, []RefMove{{"refs/stash", "1", ""}}, nil, ""},
		"unborn then":        {RefPlan{Now: refs{"refs/heads/m": "1"}, Branch: "refs/heads/m"}, []RefMove{{"refs/heads/m", "1", ""}}, nil, ""},
		"symbolic":           {RefPlan{Then: refs{"refs/heads/a": SymrefPrefix + "x"}, Now: refs{"refs/heads/a": "1"}}, []RefMove{{"refs/heads/a", "1", SymrefPrefix + "x"}}, nil, ""},
		"foreign":            {RefPlan{Then: refs{"refs/own/a": "1"}, Now: refs{"refs/own/b": "1", "refs/worktree/x": "2"}}, nil, nil, ""},
		"checked out":        {RefPlan{Then: refs{"refs/heads/a": "1"}, Now: refs{"refs/heads/a": "2"}, CheckedOut: refs{"refs/heads/a": "/w"}}, nil, []string{"refs/heads/a"}, ""},
		"fetched":            {RefPlan{Then: refs{"refs/remotes/o/a": "1"}, Now: refs{"refs/remotes/o/a": "2"}}, nil, []string{"refs/remotes/o/a"}, ""},
		"remote gone":        {RefPlan{Then: refs{"refs/remotes/o/a": "1"}}, []RefMove{{"refs/remotes/o/a", "", "1"}}, nil, ""},
		"remote lost":        {RefPlan{Then: refs{"refs/remotes/o/a": "lost"}}, nil, []string{"refs/remotes/o/a"}, ""},
		"in the way":         {RefPlan{Then: refs{"refs/heads/a": "1"}, Now: refs{"refs/heads/a/b": "2"}}, []RefMove{{"refs/heads/a", "", "1"}, {"refs/heads/a/b", "2", ""}}, nil, ""},
		"in the way, others": {RefPlan{Then: refs{"refs/heads/a": "1"}, Now: refs{"refs/heads/a/b": "2"}, Only: mine("refs/heads/a")}, nil, []string{"refs/heads/a", "refs/heads/a/b"}, ""},
		"in the way, in use": {RefPlan{Then: refs{"refs/heads/a": "1"}, Now: refs{"refs/heads/a/b": "2"}, CheckedOut: refs{"refs/heads/a/b": "/w"}}, nil, nil, belay.CodeCannot},
	} {
		p := c.plan
		if p.IsForeign == nil {
			p.IsForeign = func(name string) bool { return strings.HasPrefix(name, "refs/own/") }
		}
		err := p.Decide(func(oids []string) (lost []string, err error) {
			if slices.Contains(oids, "lost") {
				lost = []string{"lost"}
			}
			return lost, nil
		})
		if belay.CodeOf(err) != c.code {
			t.Errorf("%s: %v, want %q", name, err, c.code)
		}
		if err != nil {
			continue
		}
		var kept []string
		for _, k := range p.Kept {
			kept = append(kept, k.Ref)
		}
		if d := cmp.Diff(c.moves, p.Moves, cmpopts.EquateEmpty()) + cmp.Diff(c.kept, kept, cmpopts.EquateEmpty()); d != "" {
			t.Errorf("%s: %s", name, d)
		}
	}
}
