package check

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/belay-dev/belay/internal/belay"

	"github.com/belay-dev/belay/internal/testutil"
)

func changed(paths ...string) []belay.Change {
	var out []belay.Change
	for _, p := range paths {
		out = append(out, belay.Change{Path: p, Status: "M", Added: 1, Deleted: 1})
	}
	return out
}

func TestQuestions(t *testing.T) {
	t.Parallel()
	add := func(path string) belay.Change { return belay.Change{Path: path, Status: "A", Added: 2} }
	for name, tt := range map[string]struct {
		ask  string
		in   Input
		want string
	}{
		"nothing changed":              {"change", Input{Changes: changed("a")}, "fail\nerror empty : the attempt changed nothing"},
		"nothing changed, and no task": {"change", Input{NoTask: true}, "fail\nerror empty : nothing changed, so there is nothing to check"},
		"only belay's own files": {"change", Input{
			Changes: changed("a"), Attempt: changed(".belay/now/task.md", ".belay/reviews/f/t/review-cycle-1.md")},
			"fail\nerror empty : the attempt changed nothing"},
		"all taken back": {"change", Input{Attempt: changed("a")}, "fail\nerror empty : none of the task's changes are left"},
		"something":      {"change", Input{Changes: changed("a"), Attempt: changed("a")}, "pass"},

		"no scope":           {"scope", Input{Changes: changed("a")}, "skipped: no file scope was given"},
		"in scope":           {"scope", Input{Changes: changed("src/a.go", "src/b/c.go"), Scope: belay.Scope{Files: []string{"src"}}}, "pass"},
		"scope and no work":  {"scope", Input{Scope: belay.Scope{Files: []string{"src"}}}, "pass"},
		"belay's own exempt": {"scope", Input{Changes: changed("src/a", ".belay/now/task.md", ".belay/reviews/x"), Scope: belay.Scope{Files: []string{"src"}}}, "pass"},
		"belay's config not": {"scope", Input{Changes: changed(".belay/config.yaml", ".belay/nowhere"), Scope: belay.Scope{Files: []string{"src"}}},
			"fail\nerror scope .belay/config.yaml: outside the task's files\nerror scope .belay/nowhere: outside the task's files"},
		"outside": {"scope", Input{Changes: changed("src/a", "SRC/a", "lib/b", "a"), Scope: belay.Scope{Files: []string{"src/", "a*"}}},
			"fail\nerror scope SRC/a: outside the task's files\nerror scope lib/b: outside the task's files"},
		"expected": {"scope", Input{Changes: changed("src/a.go", "docs/x.md"), Scope: belay.Scope{Expect: []string{"src/a.go", "docs/*.md"}}}, "pass"},
		"missing": {"scope", Input{Changes: changed("src/a.go"), Scope: belay.Scope{Files: []string{"src"}, Expect: []string{"src/a.go", "src/b.go", "docs/", "*.md"}}},
			"fail\nerror scope src/b.go: expected to change but did not: src/b.go\nerror scope : expected to change but did not: docs/\nerror scope : expected to change but did not: *.md"},
		"bad glob": {"scope", Input{Changes: changed("a"), Scope: belay.Scope{Files: []string{"a["}}},
			`unknown: "a[" is not a usable glob: its brackets or braces are not closed`},
		"bad expected glob": {"scope", Input{Changes: changed("a"), Scope: belay.Scope{Files: []string{"a"}, Expect: []string{"../b"}}},
			`unknown: "../b" is not a usable glob: it has a .. part`},

		"nothing protected":  {"protect", Input{Changes: changed("a")}, "skipped: no path is protected"},
		"protected kept":     {"protect", Input{Changes: changed("a"), Scope: belay.Scope{Protect: []string{"b/"}}}, "pass"},
		"protected changed":  {"protect", Input{Changes: changed("a", "b/c"), Scope: belay.Scope{Files: []string{"**"}, Protect: []string{"b/"}}}, "fail\nerror protected b/c: a protected path changed"},
		"folder became file": {"protect", Input{Changes: []belay.Change{add("b")}, Scope: belay.Scope{Protect: []string{"b/"}}}, "fail\nerror protected b: a protected path changed"},
		"all but belay's":    {"protect", Input{Changes: changed(".belay/now/task.md", "y"), Scope: belay.Scope{Protect: []string{"**"}}}, "fail\nerror protected y: a protected path changed"},
		"belay's own named":  {"protect", Input{Changes: changed(".belay/reviews/x"), Scope: belay.Scope{Protect: []string{".belay/reviews"}}}, "fail\nerror protected .belay/reviews/x: a protected path changed"},
		"bad protected glob": {"protect", Input{Changes: changed("a"), Scope: belay.Scope{Protect: []string{"{a"}}}, `unknown: "{a" is not a usable glob: its brackets or braces are not closed`},

		"rules kept": {"rules", Input{Changes: changed("src/claude.go", "docs/agents.md.txt", ".github/FUNDING.yml")}, "pass"},
		"rules changed": {"rules", Input{Changes: changed("CLAUDE.md", "sub/agents.md", ".claude/settings.json", "web/.cursor/rules/a.mdc", ".github/workflows/ci.yml", ".belay/config.yaml")},
			"fail\n" + strings.Join([]string{
				"question rules CLAUDE.md: agent instructions or automation changed",
				"question rules sub/agents.md: agent instructions or automation changed",
				"error rules .claude/settings.json: agent instructions or automation changed",
				"question rules web/.cursor/rules/a.mdc: agent instructions or automation changed",
				"question rules .github/workflows/ci.yml: agent instructions or automation changed",
				"error rules .belay/config.yaml: agent instructions or automation changed",
			}, "\n")},
		"rules named":      {"rules", Input{Changes: changed("CLAUDE.md", ".github/workflows/ci.yml", ".claude/x"), Scope: belay.Scope{Files: []string{"claude.md", "CLAUDE.md", ".github/**", ".claude"}}}, "pass"},
		"rules swept up":   {"rules", Input{Changes: changed("src/AGENTS.md", "AGENTS.md"), Scope: belay.Scope{Files: []string{"src/**", "**", "*.md"}}}, "unknown\nquestion rules src/AGENTS.md: agent instructions or automation changed\nquestion rules AGENTS.md: agent instructions or automation changed"},
		"rules, bad glob":  {"rules", Input{Changes: changed("AGENTS.md"), Scope: belay.Scope{Files: []string{""}}}, `unknown: "" is not a usable glob: it is empty`},
		"belay's own only": {"rules", Input{Changes: changed(".belay/now/task.md", ".belay/reviews/CLAUDE.md")}, "pass"},

		"small":     {"size", Input{Changes: []belay.Change{{Path: "a", Status: "M", Added: 200, Deleted: 100}}}, "pass"},
		"large":     {"size", Input{Changes: []belay.Change{{Path: "a", Status: "M", Added: 200, Deleted: 101}}}, "pass\nwarning size : the change is large"},
		"own limit": {"size", Input{Changes: []belay.Change{{Path: "a", Status: "M", Added: 11}}, Checks: belay.Checks{MaxDiff: 10}}, "pass\nwarning size : the change is large"},
		"not counted": {"size", Input{Changes: []belay.Change{
			{Path: "go.sum", Status: "M", Added: 5000}, {Path: "web/dist/app.js", Status: "M", Added: 9000}, {Path: "logo.png", Status: "A", Binary: true}, {Path: "a.go", Status: "M", Added: 1}}},
			"pass\nnote size go.sum: a generated file changed\nnote size web/dist/app.js: a generated file changed\nnote size logo.png: a binary file changed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			tt.in.Only = []string{tt.ask}
			for _, r := range Run(t.Context(), tt.in, nil).Checks {
				if r.Check != tt.ask {
					continue
				}
				testutil.WellFormed(t, r, Names()...)
				if d := cmp.Diff(tt.want, testutil.Told(r)); d != "" {
					t.Error(d)
				}
			}
		})
	}
}

// TestFloodOfFiles: fifty thousand findings become a report of a hundred and one, with their
// number.
func TestFloodOfFiles(t *testing.T) {
	t.Parallel()
	var paths []string
	for i := range 50_000 {
		paths = append(paths, fmt.Sprintf("out/%d/CLAUDE.md", i))
	}
	in := Input{Changes: changed(paths...), Attempt: changed(paths...), Scope: belay.Scope{Files: []string{"src"}, Protect: []string{"out"}}}
	report := Run(t.Context(), in, nil)
	for _, name := range []string{"scope", "protect", "rules"} {
		for _, r := range report.Checks {
			if r.Check != name {
				continue
			}
			testutil.WellFormed(t, r, Names()...)
			last := r.Findings[len(r.Findings)-1]
			if len(r.Findings) != belay.Most+1 || !strings.Contains(last.Detail, "49900 more") {
				t.Errorf("%s: %d findings, the last %+v", name, len(r.Findings), last)
			}
		}
	}
}
