package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// through is what belay run makes of an agent that is started by its name.
type through struct {
	name  string
	play  []Script // one for each attempt
	deny  int      // the status that every request is answered with; 0 for answers
	error string   // the message of that
	flags []string // of belay run
	right func(ran) string
}

// ran is a run that has ended.
type ran struct {
	status    int
	out, errs string
	attempts  []attemptRan
	took      time.Duration
	late      bool // it was ended: it took too long
	asked     []asking
}

type attemptRan struct {
	Verdict string `json:"verdict"`
	Tokens  *struct {
		Input, Output int64
	} `json:"tokens"`
}

// throughs are the runs that each agent is put through.
func throughs() []through {
	outside := Script{Name: "outside", Steps: []Step{{Run: "sed -i s/1.0.0/1.0.1/ package.json"}, price, fixed()}}
	wrong := Script{Name: "wrong", Steps: []Step{price, edit("src/price.js", "return net + TAX;", "return net * TAX;"), tests}}
	good := Script{Name: "right", Steps: []Step{price, edit("src/price.js", "return net * TAX;", "return net + net * TAX;"), tests}}
	return []through{
		{name: "three attempts", play: []Script{outside, wrong, good}, right: threeAttempts},
		{name: "refused key (401)", deny: http.StatusUnauthorized, right: blockedBy("not logged in"),
			error: "invalid x-api-key: Incorrect API key provided"},
		{name: "no quota (429)", deny: http.StatusTooManyRequests, right: blockedBy("quota"),
			error: "You exceeded your current quota, please check your plan and billing details"},
	}
}

// threeAttempts wants an edit outside of the task's files rolled back, a wrong fix of a new session rejected, and the
// right one of the same session accepted, each shown in words, with the tokens of its own requests.
func threeAttempts(r ran) string {
	var verdicts []string
	for _, a := range r.attempts {
		verdicts = append(verdicts, a.Verdict)
		if a.Tokens == nil || a.Tokens.Output == 0 {
			return "no tokens"
		}
	}
	for i, a := range r.asked {
		if a.continued != (i == 2) {
			return fmt.Sprintf("attempt %d: continued %v", i+1, a.continued)
		}
		if i >= len(r.attempts) {
			break // its verdicts are said below
		}
		got, all := r.attempts[i].Tokens.Output, int64(a.requests+a.aside)*usedEach
		if got < int64(a.requests)*usedEach || got > all { // not every agent counts what it asks for a title
			return fmt.Sprintf("attempt %d: %d output tokens, %d were used", i+1, got, all)
		}
	}
	switch {
	case r.status != 0 || strings.Join(verdicts, " ") != "fail fail pass":
		return fmt.Sprintf("status %d, verdicts %v", r.status, verdicts)
	case !strings.Contains(r.errs, "→ ") || !strings.Contains(r.errs, "That is all."):
		return "its work is not shown"
	case strings.Contains(r.errs, `{"`):
		return "raw events are shown"
	}
	return ""
}

// blockedBy wants a person asked after one attempt, with a reason in words.
func blockedBy(words string) func(ran) string {
	return func(r ran) string {
		switch {
		case r.late:
			return "it was still trying after " + longest.String()
		case r.status != 3 || len(r.attempts) != 1:
			return fmt.Sprintf("status %d, %d attempts", r.status, len(r.attempts))
		case !strings.Contains(r.out, words):
			return "the reason is not said"
		}
		return ""
	}
}

// put puts an agent through one run of belay, in a new repository.
func (b bench) put(m *model, a program, t through) (ran, error) {
	home, root, remove, err := a.place(m.URL)
	if err != nil {
		return ran{}, err
	}
	defer remove()
	m.plays(t.play, t.deny, t.error, a.Speak, root)
	args := append([]string{"run", ask, "--task", "A1", "--files", "src/**", "--test", "npm test", "--with", a.Name}, t.flags...)
	var r ran
	if r, err = b.belay(a, m.URL, home, root, append(append(args, "--"), a.Extra...)...); err != nil {
		return r, err
	}
	shown, err := b.belay(a, m.URL, home, root, "show", "A1", "--json")
	if err != nil {
		return r, err
	}
	var told struct {
		Data struct {
			Attempts []attemptRan
		}
	}
	if err := json.Unmarshal([]byte(shown.out), &told); err != nil {
		return r, fmt.Errorf("read %q: %w", shown.out, err)
	}
	r.attempts, r.asked = told.Data.Attempts, m.asks()
	return r, nil
}

// belay runs belay beside an agent. Whatever it started is ended with it.
func (b bench) belay(a program, url, home, root string, args ...string) (ran, error) {
	ctx, stop := context.WithTimeout(context.Background(), longest)
	defer stop()
	cmd := exec.CommandContext(ctx, b.through, args...)
	cmd.Dir = root
	cmd.Env = a.environment(home, url)
	for i, v := range cmd.Env {
		if path, ok := strings.CutPrefix(v, "PATH="); ok {
			v = "PATH=" + filepath.Dir(a.path(b.npm)) + string(os.PathListSeparator) + path
		}
		cmd.Env[i] = v
	}
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(cmd.Process.Pid, syscall.SIGTERM) }
	cmd.WaitDelay = 20 * time.Second
	began := time.Now()
	err := cmd.Run()
	r := ran{status: cmd.ProcessState.ExitCode(), out: out.String(), errs: errs.String(), took: time.Since(began), late: ctx.Err() != nil}
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) && ctx.Err() == nil {
		return r, err
	}
	return r, nil
}

// throughAll puts the agents through belay and prints a table. It reports whether all was right.
func (b bench) throughAll(only, one string) (bool, error) {
	m, err := serve()
	if err != nil {
		return false, err
	}
	defer func() { _ = m.Close() }()
	right := true
	fmt.Println("| agent | version | run | result | seconds |\n|---|---|---|---|---|")
	for _, a := range agents() {
		if !strings.Contains(a.Name, only) {
			continue
		}
		version, err := b.ready(a)
		if err != nil {
			fmt.Printf("| %s | - | - | left out: %v | - |\n", a.Name, err)
			continue
		}
		for _, t := range throughs() {
			if !strings.Contains(t.name, one) {
				continue
			}
			r, err := b.put(m, a, t)
			if err != nil {
				return false, fmt.Errorf("%s, %s: %w", a.Name, t.name, err)
			}
			result := "right"
			if wrong := t.right(r); wrong != "" {
				result, right = "WRONG: "+wrong, false
			}
			fmt.Printf("| %s | %s | %s | %s | %.1f |\n", a.Name, version, t.name, result, r.took.Seconds())
			if b.raw != "" {
				if err := os.MkdirAll(b.raw, 0o755); err != nil {
					return false, err
				}
				file := filepath.Join(b.raw, a.Name+" "+t.name+".txt")
				if err := os.WriteFile(file, []byte(r.errs+"\n--- stdout\n"+r.out), 0o644); err != nil {
					return false, err
				}
			}
		}
	}
	return right, nil
}
