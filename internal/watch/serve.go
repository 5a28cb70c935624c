package watch

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"path/filepath"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/snapshot"

	"github.com/belay-dev/belay/internal/fsroot"
	"github.com/belay-dev/belay/internal/git"
)

// Spec is what the process is started with.
type Spec struct {
	Include []string      `json:"include,omitempty"`
	MaxFile int64         `json:"max_file"`
	Idle    time.Duration `json:"idle_ns"`
}

// look is how often the watch asks whether it is still of use.
const look = 5 * time.Second

// Main is the process of a watch: args are the root of the working tree and the Spec as
// JSON. It writes "ready", or why there is no watch, to standard output, and then
// nothing. It ends by itself: told to, unused for long, the tree or belay's folder
// gone, or its own program replaced.
func Main(args []string, stdout *os.File) int {
	var spec Spec
	err := errors.New("invalid arguments for the watch")
	if len(args) == 2 && json.Unmarshal([]byte(args[1]), &spec) == nil {
		err = Serve(args[0], spec, stdout)
	}
	if err != nil {
		fmt.Fprintf(stdout, "%v\n", err)
		return 2
	}
	return 0
}

// Serve watches until it is of no more use. ready gets one line.
func Serve(root string, spec Spec, ready io.WriteCloser) error {
	debug.SetGCPercent(50) // it waits most of the time: small rather than fast
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	defer stop()
	repo, err := git.Open(ctx, root, true)
	if err != nil {
		return err
	}
	place := &snapshot.Place{Repo: repo, Dir: filepath.Join(repo.Dir, "belay"), Include: spec.Include, MaxFile: spec.MaxFile}
	dir, err := place.Scratch("watch")
	if err != nil {
		return err
	}
	if err := private(dir); err != nil {
		return err
	}
	lock := fsroot.NewLock(filepath.Join(dir, "lock"))
	if got, err := lock.TryLock(); err != nil || !got {
		return belay.Refuse(belay.CodeBusy, "belay watch --status", "this working tree is already watched")
	}
	defer func() { _ = lock.Unlock() }()
	sweep(dir)
	p := &process{own: programNow(), stop: stop, sentry: &sentry{
		place: place, dir: dir, log: &diary{path: filepath.Join(dir, "log"), limit: diaryLimit}, life: ctx,
		wait: shortWait, last: time.Now(),
		status: Status{PID: os.Getpid(), Root: repo.Root, Since: time.Now().UTC().Truncate(time.Second), Idle: spec.Idle.String()},
	}}
	if err := p.sentry.first(ctx); err != nil {
		return err
	}
	return p.serve(ctx, spec.Idle, ready)
}

// sweep removes what a killed watch left: its socket and cookies. The lock is held.
func sweep(dir string) {
	left, _ := filepath.Glob(filepath.Join(globSafe(dir), CookiePrefix+"*"))
	for _, path := range append(left, socket(dir)) {
		_ = fsroot.Remove(path)
	}
}

type process struct {
	sentry *sentry
	stop   func()
	own    program
	at     os.FileInfo // the socket
}

func (p *process) serve(ctx context.Context, idle time.Duration, ready io.WriteCloser) error {
	dir := p.sentry.dir
	path, done, err := shortPath(dir, "socket")
	if err != nil {
		return err
	}
	defer done()

	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err == nil { // the folder is 0700: nobody else came in before
		err = fsroot.Chmod(socket(dir), 0o600)
	}
	if err != nil {
		return fmt.Errorf("open the socket of the watch: %w", err)
	}
	l.SetUnlinkOnClose(false)
	defer fsroot.Remove(socket(dir))
	defer l.Close()
	if p.at, err = fsroot.Lstat(socket(dir)); err != nil {
		return err
	}
	fmt.Fprintln(ready, "ready")
	if err := ready.Close(); err != nil {
		return err
	}
	go p.attend(ctx, idle)
	go func() {
		<-ctx.Done()
		_ = l.Close()
	}()
	for {
		conn, err := l.AcceptUnix()
		if err != nil {
			p.sentry.log.note("the watch ends")
			return nil
		}
		go p.serveOne(ctx, conn)
	}
}

// serveOne answers one question of the user's own.
func (p *process) serveOne(ctx context.Context, conn *net.UnixConn) {
	defer conn.Close()
	if ours(conn) != nil {
		return
	}
	_ = conn.SetDeadline(time.Now().Add(2 * answerTime))
	var q request
	if writeLine(conn, greeting{V: protocol, PID: os.Getpid()}) != nil || readLine(bufio.NewReader(conn), &q) != nil {
		return
	}
	r, body := reply{V: protocol, Why: "unknown request"}, []byte(nil)
	switch {
	case q.V != protocol:
	case q.Ask == "changes":
		seen, err := p.sentry.answer(ctx, q)
		if err != nil {
			r.Why = err.Error()
		} else {
			r, body = encode(seen)
		}
	case q.Ask == "status":
		s := p.sentry.report()
		r.Why, r.Status = "", &s
	case q.Ask == "doubt":
		p.sentry.doubt()
		r.Why = ""
	case q.Ask == "stop":
		defer p.stop()
		r.Why = ""
	}
	if writeLine(conn, r) == nil {
		_, _ = conn.Write(body)
	}
}

// attend ends the watch when it is of no more use.
func (p *process) attend(ctx context.Context, idle time.Duration) {
	tick := time.NewTicker(min(look, max(idle/4, 10*time.Millisecond)))
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if why := p.useless(idle); why != "" {
			p.sentry.log.note("the watch ends: %s", why)
			p.stop()
			return
		}
	}
}

func (p *process) useless(idle time.Duration) string {
	now, err := fsroot.Lstat(socket(p.sentry.dir))
	switch {
	case err != nil || !fsroot.SameFile(now, p.at):
		return "belay's folder is gone or has another owner"
	case p.sentry.idle() > idle:
		return fmt.Sprintf("no request for %v", idle)
	case p.own != programNow():
		return "belay was updated"
	}
	if _, err := fsroot.Lstat(p.sentry.place.Repo.Root); err != nil {
		return "the working tree is gone"
	}
	return ""
}

// program tells one build of belay from another, as far as its file does.
type program struct {
	size  int64
	mtime time.Time
	ino   uint64
}

func programNow() program {
	self, err := os.Executable()
	if err != nil {
		return program{}
	}
	info, err := os.Lstat(self)
	if err != nil {
		return program{}
	}
	p := program{size: info.Size(), mtime: info.ModTime()}
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		p.ino = st.Ino
	}
	return p
}
