package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/belay-dev/belay/internal/agent"
)

// longest is the time limit of a run.
const longest = 5 * time.Minute

// result is a run of an agent and what the stall detection found.
type result struct {
	text   []byte // the recording
	calls  int    // by the stall detection
	shown  int    // printed by the agent
	stall  int    // the call that completes the third repetition, 0 for none
	found  *agent.Stall
	exit   string
	strays []string
}

// right reports whether the stall detection agrees with the script, and read every call.
func (r result) right() bool {
	if r.stall == 0 {
		return r.found == nil && r.calls == r.shown
	}
	return r.found != nil && r.found.At == r.stall
}

func (r result) String() string {
	says := "let be"
	if r.found != nil {
		says = fmt.Sprintf("stall at call %d: %s", r.found.At, r.found)
	}
	judged := "right"
	if !r.right() {
		judged = "WRONG"
	}
	line := fmt.Sprintf("%s  %d calls of %d, %s", judged, r.calls, r.shown, says)
	if r.exit != "" {
		line += "  (" + r.exit + ")"
	}
	if len(r.strays) > 0 {
		line += "  unanswered: " + strings.Join(r.strays, ", ")
	}
	return line
}

// record runs an agent with a script in a new repository.
func (b bench) record(m *model, a program, s Script) (result, error) {
	home, root, remove, err := a.place(m.URL)
	if err != nil {
		return result{}, err
	}
	defer remove()
	m.play(s, a.Speak, root)
	var r result
	r.shown, r.stall = a.shows(s)
	said, err := b.run(a, m.URL, home, root)
	if err != nil {
		r.exit = err.Error()
	}
	asked, strays := m.played()
	r.strays = strays
	if asked == 0 {
		return r, fmt.Errorf("the agent asked the model nothing (%s)\n%s", r.exit, said)
	}
	if b.raw != "" {
		if err := os.MkdirAll(b.raw, 0o755); err != nil {
			return r, err
		}
		if err := os.WriteFile(filepath.Join(b.raw, s.Name+"."+a.Name+".jsonl"), said, 0o644); err != nil {
			return r, err
		}
	}
	r.text = neutral(said, root, home)
	w := agent.NewStallWatch(neutralRoot, agent.Repeats)
	for line := range bytes.Lines(r.text) {
		_, _ = w.Write(line) // never fails
	}
	w.Close()
	r.calls, r.found = w.Calls(), w.Found()
	return r, nil
}

// run runs an agent and returns its output. It ends the agent's child processes too.
func (b bench) run(a program, url, home, root string) ([]byte, error) {
	ctx, stop := context.WithTimeout(context.Background(), longest)
	defer stop()
	program, err := filepath.Abs(a.path(b.npm))
	if err != nil {
		return nil, err
	}
	cmd := exec.CommandContext(ctx, program, append(append([]string{}, a.Args...), ask)...)
	cmd.Dir = root
	cmd.Env = a.environment(home, url)
	var out, complaint bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &complaint
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 5 * time.Second
	err = cmd.Run()
	if cmd.Process != nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	}
	switch {
	case ctx.Err() != nil:
		err = fmt.Errorf("ended after %s", longest)
	case errors.Is(err, exec.ErrWaitDelay):
		err = nil // a child process kept its output open
	case err != nil:
		err = fmt.Errorf("%w: %s", err, last(complaint.String()))
	}
	return out.Bytes(), err
}

// last returns the end of a text, in one line.
func last(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	return s[max(0, len(s)-300):]
}

// installed reads a package's version.
func installed(file string) (string, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	var p struct{ Version string }
	if err := json.Unmarshal(text, &p); err != nil {
		return "", fmt.Errorf("read %s: %w", file, err)
	}
	return p.Version, nil
}
