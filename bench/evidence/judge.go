package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/belay-dev/belay/bench/evidence/project"
)

type bench struct {
	belay string
	store project.Store
	place string
	out   io.Writer
	log   *progress
	rows  []row
	left  []string // skipped projects, with reasons
}

// row is the result of one trial.
type row struct {
	project project.Project
	name    string
	said    string
	wrong   string // how it differs from the expected result
}

// report is the part of belay's --json output that is used.
type report struct {
	Success bool
	Data    struct {
		Verdict string
		Millis  int64
		Checks  []struct {
			Check, Verdict, Summary string
			Millis                  int64
			Findings                []struct{ Severity, File, Title string }
		}
	}
	Error *struct{ Message string }
}

// project creates the repository and runs the trials. A trial that cannot be judged counts as
// wrong; the others still run.
func (b *bench) project(p project.Project, only string) ([]row, error) {
	dir := filepath.Join(b.place, p.Name)
	home := filepath.Join(b.place, "home")
	if err := os.MkdirAll(home, 0o755); err != nil {
		return nil, err
	}
	env := append(p.Env(b.store), alone(home)...)
	if err := p.Begin(b.store, dir, env); err != nil {
		return nil, err
	}
	if err := project.Command(dir, env, b.belay, "trust", "--yes"); err != nil {
		return nil, err
	}
	var rows []row
	for _, t := range p.Named(only) {
		start := time.Now()
		r, err := b.try(p, t, dir, env)
		if err != nil {
			r.wrong = "could not be judged: " + err.Error()
		}
		rows = append(rows, r)
		b.log.ended(r, time.Since(start))
	}
	return rows, nil
}

// alone hides the user's settings from git and belay.
func alone(home string) []string {
	return []string{"HOME=" + home, "XDG_CONFIG_HOME=" + home, "GIT_CONFIG_NOSYSTEM=1", "NO_COLOR=1"}
}

// try makes one change and checks it.
func (b *bench) try(p project.Project, t project.Trial, dir string, env []string) (row, error) {
	r := row{project: p, name: t.Name}
	for _, args := range [][]string{{"reset", "-q", "--hard"}, {"clean", "-qfd"}} {
		if err := project.Command(dir, env, "git", args...); err != nil {
			return r, err
		}
	}
	if t.Task != nil {
		return b.asTask(p, t, dir, env)
	}
	if err := t.Make(dir); err != nil {
		return r, err
	}
	args := []string{"check", "--before", "HEAD", "--json", "--timeout", "120s", "--test", p.Test}
	if !slices.Contains(t.Flags, "--files") {
		args = append(args, "--files", p.Files)
	}
	out, code := b.ask(dir, env, append(args, t.Flags...)...)
	var got report
	if err := json.Unmarshal(out, &got); err != nil {
		return r, fmt.Errorf("belay check printed %q: %w", out, err)
	}
	if got.Data.Checks == nil {
		return r, fmt.Errorf("belay check: %s", out)
	}
	r.said, r.wrong = compare(got, code, t)
	return r, nil
}

func (b *bench) ask(dir string, env []string, args ...string) ([]byte, int) {
	c := exec.Command(b.belay, args...)
	c.Dir, c.Env = dir, append(os.Environ(), env...)
	out, err := c.Output()
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return out, exit.ExitCode()
	}
	return out, c.ProcessState.ExitCode()
}

// compare describes belay's result, and how it differs from the expected one: every expected error
// and warning must be there, and no other.
func compare(got report, code int, t project.Trial) (said, wrong string) {
	var parts, open []string
	want, notes := slices.Clone(t.Says), slices.Clone(t.Notes)
	refused, asked := false, false
	for _, c := range got.Data.Checks {
		asks := slices.ContainsFunc(t.Says, func(s string) bool { return strings.TrimSuffix(s, "…") == "question "+c.Check })
		if c.Verdict == "unknown" && c.Summary != "skipped" && !asks {
			open = append(open, c.Check+" could not tell: "+c.Summary)
		}
		for _, f := range c.Findings {
			what := f.Severity + " " + c.Check
			switch {
			case f.Severity == "note":
				notes = slices.DeleteFunc(notes, func(n string) bool { return strings.HasPrefix(f.Title, n) })
				continue
			case slices.Contains(t.Says, what+"…"): // one or more
				want = slices.DeleteFunc(want, func(w string) bool { return w == what+"…" })
			case slices.Contains(want, what):
				i := slices.Index(want, what)
				want = slices.Delete(want, i, i+1)
			default:
				open = append(open, "unexpected "+what+": "+f.Title+" "+f.File)
			}
			parts = append(parts, f.Severity+" "+c.Check+": "+f.Title)
		}
	}
	for _, s := range t.Says {
		refused = refused || strings.HasPrefix(s, "error ")
		asked = asked || strings.HasPrefix(s, "question ")
	}
	for _, w := range append(want, notes...) {
		open = append(open, "missing "+w)
	}
	expected := 0
	switch {
	case refused:
		expected = 1
	case asked: // a person has to decide
		expected = 3
	}
	if code != expected {
		open = append(open, fmt.Sprintf("exit %d", code))
	}
	verdict := map[int]string{0: "passed", 1: "refused", 2: "could not tell", 3: "asked"}[code]
	if len(parts) > 0 {
		verdict += ": " + brief(parts)
	}
	return verdict, strings.Join(open, "; ")
}

// brief lists equal parts once, with their number.
func brief(parts []string) string {
	var out []string
	count := map[string]int{}
	for _, p := range parts {
		if count[p]++; count[p] == 1 {
			out = append(out, p)
		}
	}
	for i, p := range out {
		if count[p] > 1 {
			out[i] = fmt.Sprintf("%s (%d)", p, count[p])
		}
	}
	return strings.Join(out, "; ")
}

// asTask runs a task with a first attempt outside the scope and a good second one: the first must
// be rejected and rolled back, the second accepted.
func (b *bench) asTask(p project.Project, t project.Trial, dir string, env []string) (row, error) {
	r := row{project: p, name: t.Name}
	attempts := map[string]project.Edit{"1": project.Edits(t.Make, project.Write("elsewhere.txt", "more\n")), "2": t.Task}
	for n, e := range attempts {
		if err := overlay(dir, env, filepath.Join(b.place, p.Name+"-"+n), e); err != nil {
			return r, err
		}
	}
	script := filepath.Join(b.place, p.Name+".sh")
	text := fmt.Sprintf("cp -R %q-$BELAY_ATTEMPT/. .\n", filepath.Join(b.place, p.Name))
	if err := os.WriteFile(script, []byte(text), 0o644); err != nil {
		return r, err
	}
	out, code := b.ask(dir, env, "run", "make the change", "--as-it-is", "--task", "evidence", "--files", p.Files,
		"--test", p.Test, "--check-timeout", "120s", "-q", "--", "sh", script)
	record, _ := b.ask(dir, env, "show", "evidence", "--json")
	refused := strings.Count(string(record), `"scope"`) > 0
	r.said = map[int]string{0: "accepted at the second attempt", 1: "refused"}[code]
	switch {
	case code != 0:
		r.wrong = fmt.Sprintf("exit %d: %s", code, out)
	case !refused:
		r.wrong = "the first attempt was not rejected"
	case project.There(filepath.Join(dir, "elsewhere.txt")):
		r.wrong = "the rejected attempt left changes"
	}
	return r, nil
}

// overlay writes the files that an edit changes to a folder, and resets the tree.
func overlay(dir string, env []string, to string, e project.Edit) error {
	if err := e(dir); err != nil {
		return err
	}
	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	for _, args := range [][]string{{"add", "-A"}, {"diff", "--cached", "--name-only"}} {
		if err := project.Command(dir, env, "git", args...); err != nil {
			return err
		}
	}
	c := exec.Command("sh", "-c", `git diff --cached --name-only -z | xargs -0 cp --parents -t "$1" && git reset -q --hard`, "sh", to)
	c.Dir, c.Env = dir, append(os.Environ(), env...)
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("copy what changed: %w\n%s", err, out)
	}
	return nil
}
