package check

import (
	"context"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/belay-dev/belay/internal/ask"
	"github.com/belay-dev/belay/internal/belay"
)

// commits gives the texts of a commit's change.
type commits struct {
	t    *testing.T
	root string
	one  string
}

func (c commits) git(args ...string) string {
	cmd := exec.Command("git", append([]string{"-C", c.root}, args...)...)
	out, err := cmd.Output()
	if err != nil {
		return ""
	}
	return string(out)
}

func (c commits) Each(_ context.Context, paths []string, _ int64, take func(string, []byte, []byte, bool) error) error {
	for _, p := range paths {
		var texts [2][]byte
		for i, rev := range []string{c.one + "^", c.one} {
			if c.git("cat-file", "-t", rev+":"+p) == "blob\n" {
				texts[i] = append([]byte{}, c.git("show", rev+":"+p)...)
			}
		}
		if err := take(p, texts[0], texts[1], false); err != nil {
			return err
		}
	}
	return nil
}

func (c commits) Paths(context.Context) ([]string, error) {
	return strings.Split(c.git("ls-tree", "-r", "--name-only", c.one), "\n"), nil
}

func (c commits) Beside(context.Context) (func(string, int64) ([]byte, bool), func(), error) {
	return func(path string, most int64) ([]byte, bool) {
		text := c.git("show", c.one+":"+path)
		return []byte(text), int64(len(text)) <= most
	}, func() {}, nil
}

// TestHistory asks the checks of texts about every commit of the repository that
// BELAY_HISTORY names, and prints what they find in work that people accepted.
func TestHistory(t *testing.T) {
	root := os.Getenv("BELAY_HISTORY")
	if root == "" {
		t.Skip("BELAY_HISTORY names no repository")
	}
	c := commits{t: t, root: root}
	counts := map[string]int{}
	refused := 0
	all := strings.Fields(c.git("log", "--no-merges", "--format=%H", "-n", "500"))
	for _, one := range all {
		c.one = one
		var changes []belay.Change
		for _, line := range strings.Split(strings.TrimSpace(c.git("diff-tree", "--no-commit-id", "-r", "--name-status", one)), "\n") {
			if status, p, ok := strings.Cut(line, "\t"); ok {
				changes = append(changes, belay.Change{Path: p, Status: status})
			}
		}
		words := c.git("log", "-1", "--format=%B", one)
		asked, _ := ask.Parse(ask.Input{Text: words, PlanExists: true, Files: strings.Fields(c.git("ls-tree", "-r", "--name-only", one+"^"))})
		report := Run(t.Context(), Input{Changes: changes, Attempt: changes, Texts: c, Request: asked, Words: words,
			Only: []string{nameScope, nameAsked, nameSecrets, nameIntegrity, nameCoverage, nameStyle}}, nil)
		bad := false
		for _, f := range report.Findings() {
			counts[f.Check+" "+string(f.Severity)]++
			bad = bad || f.Severity == belay.SeverityError
			if f.Check != nameStyle && f.Check != nameCoverage {
				t.Logf("%.8s %s %s:%d %s", one, f.Severity, f.File, f.Line, f.Title)
			}
		}
		if bad {
			refused++
		}
	}
	t.Logf("%d commits, %d would be refused; findings: %v", len(all), refused, counts)
}
