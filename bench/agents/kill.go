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

// ending is a way in which a run of belay ends while its agent works.
type ending struct {
	name  string
	limit time.Duration // of the attempt; one that ends by itself must have taken less than half of it on this machine
	tty   bool          // belay has a terminal
	says  string        // what it prints then
	end   func(k *killing) error
}

// within are the flags of belay run.
func (e ending) within() []string {
	if e.limit == 0 {
		return nil
	}
	return []string{"--timeout", e.limit.String()}
}

// killing is a run that is ended.
type killing struct {
	cmd  *exec.Cmd
	tty  *os.File
	said *locked
	read chan struct{} // closed when the terminal is read no more
}

func (k *killing) signal(list ...syscall.Signal) error {
	for _, s := range list {
		if err := k.cmd.Process.Signal(s); err != nil {
			return err
		}
	}
	return nil
}

// hangUp closes the terminal, and returns when it is closed: while somebody reads from it, it is open.
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

// endings are those that every agent must survive none of. The first ends by itself: what its agent left in the
// background is ended with it.
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

// How long an agent may take to get to work, belay to end, and what is left of the agent to die.
const (
	getsToWork = 5 * time.Minute // on a machine with much other work
	getsToEnd  = 5 * time.Minute
	dies       = 12 * time.Second
)

// busy is what the agent is at: a command that waits, and one that it left in the background. Each has the mark in
// its arguments, because an agent may empty the environment of what it starts.
func busy(e ending, mark string) Script {
	waits := fmt.Sprintf("sh -c 'sleep 600; : %s'", mark)
	left := "(setsid " + waits + " >/dev/null 2>&1 &) ; (" + waits + " >/dev/null 2>&1 &) ; touch src/started"
	if e.name == "normal end" {
		return Script{Name: e.name, Steps: []Step{price, fixed(), {Run: left}}}
	}
	steps := []Step{price, {Run: left + "; " + waits}}
	for i := range 9 { // Codex goes on after ten seconds, while the command runs
		steps = append(steps, Step{Run: fmt.Sprintf("sleep %d", 600+i)})
	}
	return Script{Name: e.name, Steps: steps}
}

// kill ends one run of belay and gives what is still alive of it.
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

// start starts belay, at a terminal of its own or not.
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

// nonblocking makes Close end a read that waits. The terminal comes blocking, and then stays open after Close until
// its program prints something: with an agent that is quiet while its command runs, for ever.
func nonblocking(tty *os.File) error {
	raw, err := tty.SyscallConn()
	if err != nil {
		return err
	}
	var set error
	err = raw.Control(func(fd uintptr) { set = syscall.SetNonblock(int(fd), true) })
	return errors.Join(err, set)
}

// locked is a buffer that is read while somebody writes to it.
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

// marked finds the processes with a mark in their environment or their arguments.
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

// killAll ends each agent in each way, and prints a table of what was left. It reports whether nothing was.
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
			if usual == 0 { // it ended by itself
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
