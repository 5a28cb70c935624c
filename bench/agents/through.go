package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// givesUp is the time limit of a run: Qwen Code repeats a request for more than five minutes.
const givesUp = 12 * time.Minute

// through is a run of belay with an agent started by its name.
type through struct {
	name  string
	play  []Script // one for each attempt
	deny  denial
	flags []string // of belay run
	right func(ran) string
	limit time.Duration // time limit of an attempt: at least the time of the run with three attempts on this machine

	test      string // the test command; "" for npm test
	denied    bool   // the agent may not edit
	untrusted bool   // the agent does not trust the folder
}

// has reports whether an agent supports the run.
func (t through) has(a program) bool {
	return (!t.denied || len(a.Denied) > 0) && (!t.untrusted || a.Trusts != "")
}

// ran is an ended run.
type ran struct {
	status    int
	out, errs string
	attempts  []attemptRan
	took      time.Duration
	late      bool // stopped because it took too long
	asked     []asking
	agent     program
}

type attemptRan struct {
	Verdict string `json:"verdict"`
	Ended   string `json:"ended"`
	Tokens  *struct {
		Input, Output int64
	} `json:"tokens"`
}

// throughs are the runs of each agent.
func throughs() []through {
	outside := Script{Name: "outside", Steps: []Step{{Run: "sed -i s/1.0.0/1.0.1/ package.json"}, price, fixed()}}
	wrong := Script{Name: "wrong", Steps: []Step{price, edit("src/price.js", "return net + TAX;", "return net * TAX;"), tests}}
	good := Script{Name: "right", Steps: []Step{price, edit("src/price.js", "return net * TAX;", "return net + net * TAX;"), tests}}
	work := Script{Name: "work", Steps: []Step{price, fixed(), tests}}
	again := Script{Name: "again", Steps: []Step{{Run: "git status --short"}, price, fixed(), tests}}
	stuck := Script{Name: "stuck", Steps: []Step{price}}
	for i := range 9 { // Codex continues after ten seconds, while the command runs
		stuck.Steps = append(stuck.Steps, Step{Run: fmt.Sprintf("echo waiting; sh -c 'sleep %d; :' && true", 600+i)})
	}
	return []through{
		{name: "three attempts", play: []Script{outside, wrong, good}, right: threeAttempts},
		{name: "refused key (401)", right: blockedBy("not logged in"),
			deny: denial{status: 401, kind: "authentication_error", message: "invalid x-api-key: Incorrect API key provided"}},
		{name: "session gone", play: []Script{wrong, good}, right: sessionGone, test: "npm test || { " + forget + "; exit 1; }"},
		{name: "stopped at its time limit", play: []Script{stuck, again}, right: stopped, limit: 40 * time.Second},
		{name: "tool denied", play: []Script{{Name: "edit", Steps: []Step{price, fixed()}}}, denied: true,
			right: blockedBy("not allowed to use")},
		{name: "untrusted folder", play: []Script{work}, right: blockedBy("does not trust this folder"), untrusted: true},
		{name: "no quota (429)", right: blockedBy("quota"), deny: denial{status: 429, kind: "insufficient_quota",
			message: "You exceeded your current quota, please check your plan and billing details"}},
		{name: "too fast (429)", play: []Script{work}, right: waited, flags: []string{"--retries", "0"}, deny: denial{status: 429,
			kind: "rate_limit_error", message: "Rate limit reached, please try again later", lasts: 20 * time.Second}},
	}
}

// threeAttempts expects that an edit outside the task's files is rolled back, a wrong fix in a new
// session rejected, and the right one in the same session accepted, with readable output and the
// tokens of each attempt's own requests.
func threeAttempts(r ran) string {
	var verdicts []string
	for _, a := range r.attempts {
		verdicts = append(verdicts, a.Verdict)
		if (a.Tokens == nil || a.Tokens.Output == 0) != r.agent.Uncount {
			return "no tokens, or unexpected ones"
		}
	}
	for i, a := range r.asked {
		if a.continued != (i == 2) {
			return fmt.Sprintf("attempt %d: continued %v", i+1, a.continued)
		}
		if i >= len(r.attempts) || r.agent.Uncount {
			continue // wrong verdicts are reported below
		}
		got, all := r.attempts[i].Tokens.Output, int64(a.requests+a.aside)*usedEach
		if got < int64(a.requests)*usedEach || got > all { // not every agent counts its request for a title
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

// forget deletes the sessions of all agents.
const forget = "cd && rm -rf .claude/projects .codex/sessions .codex/*.sqlite* .gemini/tmp .local/share/opencode " +
	".qwen/projects .pi/agent/sessions .copilot/session-state .copilot/*.db*"

// sessionGone expects that the attempt after a rejected one runs in a new session, without another
// attempt being counted.
func sessionGone(r ran) string {
	switch {
	case r.status != 0 || len(r.attempts) != 2:
		return fmt.Sprintf("status %d, %d attempts", r.status, len(r.attempts))
	case !strings.Contains(r.errs, "no longer has its session"):
		return "it is not said that the session is gone"
	case len(r.asked) != 2 || r.asked[1].continued:
		return "the session was continued"
	}
	return ""
}

// stopped expects that an attempt that reached its time limit during a tool call is continued in
// its session.
func stopped(r ran) string {
	switch {
	case r.status != 0 || len(r.attempts) != 2 || r.attempts[0].Ended != "timeout":
		return fmt.Sprintf("status %d, attempts %v", r.status, r.attempts)
	case len(r.asked) != 2 || !r.asked[1].continued:
		return "the session is not continued"
	case r.asked[1].open:
		return "a call without a result is sent"
	}
	return ""
}

// waited expects that the agent or belay waits for a rate limit, without a retry.
func waited(r ran) string {
	switch {
	case r.late:
		return "it was still trying after " + givesUp.String()
	case r.status != 0:
		return fmt.Sprintf("status %d, %d attempts", r.status, len(r.attempts))
	case len(r.attempts) > 1 && !strings.Contains(r.errs, "perhaps temporarily: waiting"):
		return "it does not say that it waits"
	}
	return ""
}

// blockedBy expects that a person is asked after one attempt, with a reason.
func blockedBy(words string) func(ran) string {
	return func(r ran) string {
		switch {
		case r.late:
			return "it was still trying after " + givesUp.String()
		case r.status != 3 || len(r.attempts) != 1:
			return fmt.Sprintf("status %d, %d attempts", r.status, len(r.attempts))
		case !strings.Contains(r.out, words):
			return "the reason is not said"
		}
		return ""
	}
}

// put runs belay with an agent in a new repository.
func (b bench) put(m *model, a program, t through) (ran, error) {
	home, root, remove, err := a.place(m.URL)
	if err != nil {
		return ran{}, err
	}
	defer remove()
	m.plays(t.play, t.deny, a.Speak, root)
	args := append([]string{"run", ask, "--task", "A1", "--files", "src/**", "--test", cmp.Or(t.test, "npm test")}, t.flags...)
	if t.limit > 0 {
		args = append(args, "--timeout", t.limit.String())
	}
	if t.denied {
		args = append(append(args, "--"), a.Denied...)
	} else {
		args = append(append(args, "--with", a.Name, "--"), a.Extra...)
	}
	if t.untrusted {
		env := a.Env
		a.Env = func(url string) []string {
			return slices.DeleteFunc(env(url), func(v string) bool { return strings.HasPrefix(v, a.Trusts+"=") })
		}
	}
	var r ran
	if r, err = b.belay(a, m.URL, home, root, args...); err != nil {
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
	r.attempts, r.asked, r.agent = told.Data.Attempts, m.asks(), a
	return r, nil
}

// belay runs belay with an agent, and stops it after givesUp.
func (b bench) belay(a program, url, home, root string, args ...string) (ran, error) {
	ctx, stop := context.WithTimeout(context.Background(), givesUp)
	defer stop()
	cmd := b.command(a, url, home, root, args...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.WaitDelay = 20 * time.Second
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return ran{}, err
	}
	defer context.AfterFunc(ctx, func() { _ = cmd.Process.Signal(syscall.SIGTERM) })()
	err := cmd.Wait()
	r := ran{status: cmd.ProcessState.ExitCode(), out: out.String(), errs: errs.String(), took: time.Since(began), late: ctx.Err() != nil}
	var ended *exec.ExitError
	if err != nil && !errors.As(err, &ended) && ctx.Err() == nil {
		return r, err
	}
	return r, nil
}

// command returns a command of belay with an agent.
func (b bench) command(a program, url, home, root string, args ...string) *exec.Cmd {
	cmd := exec.Command(b.through, args...)
	cmd.Dir = root
	cmd.Env = a.environment(home, url)
	for i, v := range cmd.Env {
		if path, ok := strings.CutPrefix(v, "PATH="); ok {
			v = "PATH=" + filepath.Dir(a.path(b.npm)) + string(os.PathListSeparator) + path
		}
		cmd.Env[i] = v
	}
	return cmd
}

// throughAll runs belay with the agents and prints a table. It reports whether all results were
// right.
func (b bench) throughAll(only, one string) (bool, error) {
	for part := range strings.SplitSeq(one, ",") {
		if !slices.ContainsFunc(throughs(), func(t through) bool { return strings.Contains(t.name, part) }) {
			return false, fmt.Errorf("no run matches %q", part)
		}
	}
	m, err := serve()
	if err != nil {
		return false, err
	}
	defer func() { _ = m.Close() }()
	right := true
	fmt.Println("| agent | version | run | result | attempts | seconds |\n|---|---|---|---|---|---|")
	for _, a := range agents() {
		if !wanted(a.Name, only) {
			continue
		}
		version, err := b.ready(a)
		if err != nil {
			fmt.Printf("| %s | - | - | left out: %v | - | - |\n", a.Name, err)
			right = right && !b.named
			continue
		}
		var usual time.Duration
		for _, t := range throughs() {
			if !matches(t.name, one) || !t.has(a) {
				continue
			}
			if t.limit > 0 {
				t.limit = max(t.limit, usual.Round(time.Second))
			}
			r, err := b.put(m, a, t)
			if err != nil {
				return false, fmt.Errorf("%s, %s: %w", a.Name, t.name, err)
			}
			if usual == 0 { // the run with three attempts
				usual = r.took
			}
			result := "right"
			if wrong := t.right(r); wrong != "" {
				result, right = "WRONG: "+wrong, false
			}
			fmt.Printf("| %s | %s | %s | %s | %d | %.1f |\n", a.Name, version, t.name, result, len(r.attempts), r.took.Seconds())
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
