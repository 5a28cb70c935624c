package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/creack/pty"
)

// ending is a way to end a run of belay while its agent works.
type ending struct {
	name  string
	limit time.Duration // time limit of the attempt: at least twice the time of a normal run on this machine
	tty   bool          // belay has a terminal
	says  string        // expected output
	end   func(k *killing) error
}

// within returns flags of belay run.
func (e ending) within() []string {
	if e.limit == 0 {
		return nil
	}
	return []string{"--timeout", e.limit.String()}
}

// killing is a run that will be ended.
type killing struct {
	cmd  *exec.Cmd
	tty  *os.File
	said *locked
	read chan struct{} // closed when the terminal is no longer read
}

func (k *killing) signal(list ...syscall.Signal) error {
	for _, s := range list {
		if err := k.cmd.Process.Signal(s); err != nil {
			return err
		}
	}
	return nil
}

// hangUp closes the terminal, and waits until it is closed: a pending read keeps it open.
func (k *killing) hangUp() error {
	if err := k.tty.Close(); err != nil {
		return err
	}
	select {
	case <-k.read:
		return nil
	case <-time.After(dies):
		return errors.New("the terminal stays open: it is still read from")
	}
}

// endings are the ways to end a run; no process of the agent may survive any of them. The first run
// ends by itself, with background processes.
func endings() []ending {
	return []ending{
		{name: "normal end"},
		{name: "--timeout", limit: 45 * time.Second, says: "timeout"},
		{name: "^C", tty: true, end: func(k *killing) error { _, err := k.tty.Write([]byte{3}); return err }},
		{name: "two TERMs", end: func(k *killing) error { return k.signal(syscall.SIGTERM, syscall.SIGTERM) }},
		{name: "HUP", end: func(k *killing) error { return k.signal(syscall.SIGHUP) }},
		{name: "terminal closed", tty: true, end: (*killing).hangUp},
	}
}

// Time limits for an agent to start working, for belay to end, and for the agent's processes to
// die.
const (
	getsToWork = 5 * time.Minute // on a busy machine
	getsToEnd  = 5 * time.Minute
	dies       = 12 * time.Second
)

// busy is the agent's script: a command that waits, and one in the background. Both have the mark
// in their arguments, because an agent may clear the environment of its commands.
func busy(e ending, mark string) Script {
	waits := fmt.Sprintf("sh -c 'sleep 600; : %s'", mark)
	left := "(setsid " + waits + " >/dev/null 2>&1 &) ; (" + waits + " >/dev/null 2>&1 &) ; touch src/started"
	if e.name == "normal end" {
		return Script{Name: e.name, Steps: []Step{price, fixed(), {Run: left}}}
	}
	steps := []Step{price, {Run: left + "; " + waits}}
	for i := range 9 { // Codex continues after ten seconds, while the command runs
		steps = append(steps, Step{Run: fmt.Sprintf("sleep %d", 600+i)})
	}
	return Script{Name: e.name, Steps: steps}
}

// kill ends one run of belay and returns the surviving processes.
func (b bench) kill(m *model, a program, e ending) (left []string, err error) {
	home, root, remove, err := a.place(m.URL)
	if err != nil {
		return nil, err
	}
	defer remove()
	mark := fmt.Sprintf("belay-mark-%d", time.Now().UnixNano())
	m.play(busy(e, mark), a.Speak, root)
	args := append([]string{"run", ask, "--task", "A1", "--files", "src/**", "--retries", "0", "--test", "true",
		"--with", a.Name}, e.within()...)
	k := &killing{cmd: b.command(a, m.URL, home, root, append(append(args, "--"), a.Extra...)...), said: &locked{}}
	k.cmd.Env = append(k.cmd.Env, "BELAY_MARK="+mark)
	if err := k.start(e); err != nil {
		return nil, err
	}
	ended := make(chan error, 1)
	go func() { ended <- k.cmd.Wait() }()
	started := filepath.Join(root, "src", "started")
	for until := time.Now().Add(getsToWork); ; time.Sleep(100 * time.Millisecond) {
		if _, err := os.Stat(started); err == nil {
			break
		}
		if time.Now().After(until) {
			_ = k.cmd.Process.Kill()
			return nil, fmt.Errorf("%s does not get to work:\n%s", a.Name, k.said)
		}
	}
	if len(marked(mark)) == 0 {
		return nil, fmt.Errorf("%s: nothing is marked", a.Name)
	}
	if e.end != nil {
		if err := e.end(k); err != nil {
			return nil, err
		}
	}
	select {
	case <-ended:
	case <-time.After(getsToEnd):
		_ = k.cmd.Process.Kill()
		return nil, fmt.Errorf("belay does not end:\n%s", k.said)
	}
	if !strings.Contains(k.said.String(), e.says) {
		return nil, fmt.Errorf("it does not say %q:\n%s", e.says, k.said)
	}
	if r, err := b.belay(a, m.URL, home, root, "log", "A1", "--verify"); err != nil || r.status != 0 {
		return nil, fmt.Errorf("the record is not intact: %v\n%s%s", err, r.out, r.errs)
	}
	for until := time.Now().Add(dies); ; time.Sleep(100 * time.Millisecond) {
		if left = marked(mark); len(left) == 0 || time.Now().After(until) {
			return left, nil
		}
	}
}

// start starts belay, with or without a terminal.
func (k *killing) start(e ending) error {
	if !e.tty {
		k.cmd.Stdout, k.cmd.Stderr = k.said, k.said
		return k.cmd.Start()
	}
	var err error
	if k.tty, err = pty.Start(k.cmd); err != nil {
		return err
	}
	if err := nonblocking(k.tty); err != nil {
		return err
	}
	k.read = make(chan struct{})
	go func() {
		defer close(k.read)
		_, _ = io.Copy(k.said, k.tty)
	}()
	return nil
}

// nonblocking makes Close end a pending read. The terminal is opened in blocking mode, in which it
// stays open after Close until its program prints something: for ever, if the agent is silent while
// its command runs.
func nonblocking(tty *os.File) error {
	raw, err := tty.SyscallConn()
	if err != nil {
		return err
	}
	var set error
	err = raw.Control(func(fd uintptr) { set = syscall.SetNonblock(int(fd), true) })
	return errors.Join(err, set)
}

// locked is a buffer for concurrent reads and writes.
type locked struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (l *locked) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.Write(p)
}

func (l *locked) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// marked finds processes with a mark in their environment or arguments.
func marked(mark string) (found []string) {
	all, _ := filepath.Glob("/proc/[0-9]*")
	for _, dir := range all {
		env, _ := os.ReadFile(dir + "/environ")
		line, _ := os.ReadFile(dir + "/cmdline")
		if bytes.Contains(env, []byte(mark)) || bytes.Contains(line, []byte(mark)) {
			found = append(found, filepath.Base(dir)+" "+string(bytes.ReplaceAll(line, []byte{0}, []byte(" "))))
		}
	}
	return found
}

// killAll ends runs of each agent in each way, and prints a table of the survivors. It reports
// whether there were none.
func (b bench) killAll(only, one string) (bool, error) {
	m, err := serve()
	if err != nil {
		return false, err
	}
	defer func() { _ = m.Close() }()
	right, runs, survivors := true, 0, 0
	fmt.Print("| agent | version |")
	rule := "|---|---|"
	for _, e := range endings() {
		fmt.Printf(" %s |", e.name)
		rule += "---|"
	}
	fmt.Printf("\n%s\n", rule)
	for _, a := range agents() {
		if !wanted(a.Name, only) {
			continue
		}
		version, err := b.ready(a)
		if err != nil {
			fmt.Printf("| %s | left out: %v |\n", a.Name, err)
			right = right && !b.named
			continue
		}
		fmt.Printf("| %s | %s |", a.Name, version)
		var wrong []string
		var usual time.Duration
		for _, e := range endings() {
			if !strings.Contains(e.name, one) {
				fmt.Print(" - |")
				continue
			}
			if e.limit > 0 {
				e.limit = max(e.limit, 2*usual.Round(time.Second))
			}
			began := time.Now()
			left, err := b.kill(m, a, e)
			if usual == 0 { // the normal end
				usual = time.Since(began)
			}
			if err != nil {
				wrong = append(wrong, fmt.Sprintf("%s, %s: %v", a.Name, e.name, err))
				fmt.Print(" ? |")
				continue
			}
			runs, survivors = runs+1, survivors+len(left)
			fmt.Printf(" %d |", len(left))
			for _, line := range left {
				wrong = append(wrong, fmt.Sprintf("%s, %s: %s", a.Name, e.name, line))
			}
		}
		fmt.Println()
		for _, line := range wrong {
			fmt.Fprintln(os.Stderr, line)
		}
		right = right && len(wrong) == 0
	}
	fmt.Printf("\n%d runs, %d survivors\n", runs, survivors)
	return right, nil
}
