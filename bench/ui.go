package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	agents "github.com/belay-dev/belay/internal/agent"
	"github.com/belay-dev/belay/internal/app"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/session"
)

// Sizes of the measured data.
const (
	uiTasks     = 5_000
	uiEntries   = 50_000  // in one task's record
	uiLines     = 300_000 // in one diff
	uiOutput    = 200_000_000
	uiFollowers = 200
)

// pages measures belay ui in a large repository: the time of its pages, its memory, and its cost
// with many followers of a task.
func (b *bench) pages() error {
	dir := filepath.Join(b.place, "pages")
	s, err := b.crowded(dir)
	if err != nil {
		return err
	}
	server := exec.Command(b.belay, "-C", dir, "ui", "--port", "0")
	server.Env = environ()
	out, err := server.StdoutPipe()
	if err != nil {
		return err
	}
	if err := server.Start(); err != nil {
		return err
	}
	defer func() { _ = server.Process.Signal(os.Interrupt); _ = server.Wait() }()
	link, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return err
	}
	jar, _ := cookiejar.New(nil)
	client := &http.Client{Jar: jar, Transport: &http.Transport{MaxConnsPerHost: 0}}
	at, err := url.Parse(strings.TrimSpace(link))
	if err != nil {
		return err
	}
	if _, err := fetched(client, at.String()); err != nil {
		return err
	}
	fmt.Fprintf(b.out, "\n### Pages: %d tasks, a record of %d entries, a diff of %d lines, an output of %d MB\n\n",
		uiTasks, uiEntries, uiLines, uiOutput/1_000_000)
	fmt.Fprint(b.out, "| page | median | bytes | memory, the most so far |\n|---|---|---|---|\n")
	for _, p := range []struct{ name, path string }{
		{"tasks", "/r/1/"}, {"tasks, a search", "/r/1/?q=number+4711"},
		{"the task with the long record", "/r/1/task/T1"}, {"its record", "/r/1/task/T1/record"},
		{"its record, the last page", "/r/1/task/T1/record?page=250"}, {"its diff", "/r/1/diff?from=T1"},
		{"its diff, in the middle", "/r/1/diff?from=T1&path=big.txt&skip=150000"},
		{"the task with the long output", "/r/1/task/T2"}, {"its output", "/r/1/task/T2/output?attempt=1"},
		{"its output, the end", fmt.Sprintf("/r/1/task/T2/output?attempt=1&from=%d", uiOutput/agents.MaxStep-10)}, // offset in steps
		{"snapshots", "/r/1/snapshots"},
		{"figures", "/r/1/figures"},
	} {
		var times []time.Duration
		size := 0
		for range b.rounds {
			began := time.Now()
			if size, err = fetched(client, "http://"+at.Host+p.path); err != nil {
				return err
			}
			times = append(times, time.Since(began))
		}
		fmt.Fprintf(b.out, "| %-32s | %8.1f ms | %8d | %4d MB |\n", p.name, float64(median(times))/1e6, size, peak(server.Process.Pid)>>20)
	}
	return b.followed(s, client, at.Host, server.Process.Pid)
}

// followed makes many browsers follow a task.
func (b *bench) followed(s *app.Service, client *http.Client, host string, pid int) error {
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	heard := make(chan error, uiFollowers)
	var ready sync.WaitGroup
	ready.Add(uiFollowers)
	for range uiFollowers {
		go func() {
			heard <- follow(ctx, client, "http://"+host+"/r/1/events?task=T3", ready.Done)
		}()
	}
	ready.Wait()
	time.Sleep(2 * time.Second)
	idle, from := worked(pid), time.Now()
	time.Sleep(5 * time.Second)
	idle = (worked(pid) - idle) * 100 / time.Since(from)
	r, err := s.Session.Load("T3")
	if err != nil {
		return err
	}
	began := time.Now()
	if err := s.Session.AddNote(ctx, r, session.Note{Kind: "bench", Text: "something happens"}); err != nil {
		return err
	}
	for range uiFollowers {
		if err := <-heard; err != nil {
			return err
		}
	}
	fmt.Fprintf(b.out, "\n%d browsers follow one task: each hears of a change within %.0f ms; "+
		"while nothing happens the server uses %d %% of a processor; %d MB at most.\n",
		uiFollowers, float64(time.Since(began))/1e6, idle, peak(pid)>>20)
	return nil
}

// crowded creates the repository.
func (b *bench) crowded(dir string) (*app.Service, error) {
	var before, after strings.Builder
	for i := range uiLines / 2 {
		fmt.Fprintf(&before, "line %d of the old text\n", i)
		fmt.Fprintf(&after, "line %d of the new text\n", i)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return nil, err
	}
	big := filepath.Join(dir, "big.txt")
	if err := os.WriteFile(big, []byte(before.String()), 0o644); err != nil {
		return nil, err
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"},
		{"-c", "user.name=b", "-c", "user.email=b@b", "commit", "-qm", "first"}} {
		if out, err := exec.Command("git", append([]string{"-C", dir}, args...)...).CombinedOutput(); err != nil {
			return nil, fmt.Errorf("git %v: %w\n%s", args, err, out)
		}
	}
	next := filepath.Join(b.place, "after.txt")
	if err := os.WriteFile(next, []byte(after.String()), 0o644); err != nil {
		return nil, err
	}
	prints := fmt.Sprintf("head -c %d /dev/zero | tr '\\0' x | fold -w 99; echo done >> note.txt", uiOutput)
	for _, script := range []string{"cp ../after.txt big.txt", prints} {
		c := exec.Command(b.belay, "-C", dir, "run", "change the text", "--as-it-is", "--test", "true", "--quiet", "--", "sh", "-c", script)
		c.Env = environ()
		if out, err := c.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("belay run: %w\n%s", err, out)
		}
	}
	s, err := app.Open(context.Background(), app.OpenOptions{Dir: dir, Force: true})
	if err != nil {
		return nil, err
	}
	for i := 3; i <= uiTasks; i++ {
		task := app.NewTask{ID: belay.TaskID(fmt.Sprintf("T%d", i)), Text: fmt.Sprintf("change the text, number %d", i), AsItIs: true}
		if _, err := s.Add(context.Background(), task); err != nil {
			return nil, err
		}
	}
	r, err := s.Session.Load("T1")
	if err != nil {
		return nil, err
	}
	head := r.Log.Head
	for i := range uiEntries { // directly in the journal: a session would read the state again for each
		note := session.Note{Kind: "bench", Text: "note " + strconv.Itoa(i)}
		if head, err = s.Session.Journal.Append(context.Background(), "T1", head, session.EntryNote, note); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// fetched requests a page and returns its size in bytes.
func fetched(client *http.Client, address string) (int, error) {
	answer, err := client.Get(address)
	if err != nil {
		return 0, err
	}
	defer answer.Body.Close()
	n, err := io.Copy(io.Discard, answer.Body)
	if err == nil && answer.StatusCode != http.StatusOK {
		err = fmt.Errorf("%s: %s", address, answer.Status)
	}
	return int(n), err
}

// follow reads events until the first change after the initial one.
func follow(ctx context.Context, client *http.Client, address string, ready func()) error {
	q, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return err
	}
	answer, err := client.Do(q)
	if err != nil {
		return err
	}
	defer answer.Body.Close()
	lines := bufio.NewScanner(answer.Body)
	said := false
	for lines.Scan() {
		switch text := lines.Text(); {
		case strings.HasPrefix(text, "event: change") && said:
			return nil
		case strings.HasPrefix(text, "event: "): // the greeting, and one initial change, because there is no mark
			if text == "event: change" {
				said = true
				ready()
			}
		}
	}
	return fmt.Errorf("the events ended: %w", lines.Err())
}

// peak is the maximum memory of a process, in bytes.
func peak(pid int) int64 {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	for line := range strings.Lines(string(text)) {
		if rest, found := strings.CutPrefix(line, "VmHWM:"); found {
			n, _ := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			return n << 10
		}
	}
	return 0
}

// worked is the processor time of a process.
func worked(pid int) time.Duration {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, rest, _ := strings.Cut(string(text), ") ")
	fields := strings.Fields(rest)
	if len(fields) < 13 {
		return 0
	}
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return time.Duration(user+system) * 10 * time.Millisecond
}
