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

// Spec is the configuration of the watch process. It is passed as JSON.
type Spec struct {
	Include []string      `json:"include,omitempty"`
	MaxFile int64         `json:"max_file"`
	Idle    time.Duration `json:"idle_ns"`
}

// checkEvery is how often the process checks whether it is still needed.
const checkEvery = 5 * time.Second

// Main runs the watch process. args are the root of the worktree and the Spec as JSON. It writes
// one line to standard output: "ready", or why there is no watch. The process ends when it is told
// to, has had no request for long, the worktree or belay's folder is gone, or belay was updated.
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

// Serve runs the watch until it is stopped or no longer needed. It writes one line to ready once
// the first view is built.
func Serve(root string, spec Spec, ready io.WriteCloser) error {
	debug.SetGCPercent(50) // it mostly waits, so little memory matters more than speed
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	defer stop()
	repo, err := git.Open(ctx, root, true)
	if err != nil {
		return err
	}
	place := &snapshot.Worktree{Repo: repo, Dir: filepath.Join(repo.Dir, "belay"), Include: spec.Include, MaxFile: spec.MaxFile}
	dir, err := place.MakeScratchDir("watch")
	if err != nil {
		return err
	}
	if err := checkPrivate(dir); err != nil {
		return err
	}
	lock := fsroot.NewLock(filepath.Join(dir, "lock"))
	if got, err := lock.TryLock(); err != nil || !got {
		return belay.Refuse(belay.CodeBusy, "belay watch --status", "this working tree is already watched")
	}
	defer func() { _ = lock.Unlock() }()
	sweep(dir)
	p := &process{build: ownProgram(), stop: stop, views: &viewManager{
		place: place, dir: dir, log: &eventLog{path: filepath.Join(dir, "log"), limit: logLimit}, ctx: ctx,
		wait: shortWait, last: time.Now(),
		status: Status{PID: os.Getpid(), Root: repo.Root, Since: time.Now().UTC().Truncate(time.Second), Idle: spec.Idle.String()},
	}}
	if err := p.views.first(ctx); err != nil {
		return err
	}
	return p.serve(ctx, spec.Idle, ready)
}

// sweep removes the socket and cookies that a killed watch left. The caller holds the lock.
func sweep(dir string) {
	left, _ := fsroot.Glob(dir, CookiePrefix+"*")
	for _, path := range append(left, socket(dir)) {
		_ = fsroot.Remove(path)
	}
}

type process struct {
	views  *viewManager
	stop   func()
	build  programFile
	socket os.FileInfo // of the socket as created, to notice when it is replaced
}

func (p *process) serve(ctx context.Context, idle time.Duration, ready io.WriteCloser) error {
	dir := p.views.dir
	path, done, err := shortPath(dir, "socket")
	if err != nil {
		return err
	}
	defer done()

	l, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err == nil { // the folder is 0700, so nobody else can have connected before
		err = fsroot.Chmod(socket(dir), 0o600)
	}
	if err != nil {
		return fmt.Errorf("open the socket of the watch: %w", err)
	}
	l.SetUnlinkOnClose(false)
	defer func() {
		if p.ownsSocket() {
			_ = fsroot.Remove(socket(dir))
		}
	}()
	defer l.Close()
	if p.socket, err = fsroot.Lstat(socket(dir)); err != nil {
		return err
	}
	fmt.Fprintln(ready, "ready")
	if err := ready.Close(); err != nil {
		return err
	}
	go p.stopWhenUseless(ctx, idle)
	go func() {
		<-ctx.Done()
		_ = l.Close()
	}()
	for {
		conn, err := l.AcceptUnix()
		if err != nil {
			p.views.log.note("the watch ends")
			return nil
		}
		go p.serveOne(ctx, conn)
	}
}

// serveOne answers one request, if it comes from the same user.
func (p *process) serveOne(ctx context.Context, conn *net.UnixConn) {
	defer conn.Close()
	if checkOwner(conn) != nil {
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
		seen, err := p.views.answer(ctx, q)
		if err != nil {
			r.Why = err.Error()
		} else {
			r, body = encode(seen)
		}
	case q.Ask == "status":
		s := p.views.report()
		r.Why, r.Status = "", &s
	case q.Ask == "doubt":
		p.views.doubt()
		r.Why = ""
	case q.Ask == "stop":
		defer p.stop()
		r.Why = ""
	}
	if writeLine(conn, r) == nil {
		_, _ = conn.Write(body)
	}
}

// stopWhenUseless stops the watch once endReason gives a reason.
func (p *process) stopWhenUseless(ctx context.Context, idle time.Duration) {
	tick := time.NewTicker(min(checkEvery, max(idle/4, 10*time.Millisecond)))
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		if why := p.endReason(idle); why != "" {
			p.views.log.note("the watch ends: %s", why)
			p.stop()
			return
		}
	}
}

// ownsSocket reports whether the socket is still the one that this watch created.
func (p *process) ownsSocket() bool {
	now, err := fsroot.Lstat(socket(p.views.dir))
	return err == nil && p.socket != nil && fsroot.SameFile(now, p.socket) && now.ModTime().Equal(p.socket.ModTime())
}

func (p *process) endReason(idle time.Duration) string {
	switch {
	case !p.ownsSocket():
		return "belay's folder is gone or has another owner"
	case p.views.idle() > idle:
		return fmt.Sprintf("no request for %v", idle)
	case p.build != ownProgram():
		return "belay was updated"
	}
	if _, err := fsroot.Lstat(p.views.place.Repo.Root); err != nil {
		return "the working tree is gone"
	}
	return ""
}

// programFile identifies the executable file, so that an update of belay is noticed.
type programFile struct {
	size  int64
	mtime time.Time
	ino   uint64
}

func ownProgram() programFile {
	self, err := os.Executable()
	if err != nil {
		return programFile{}
	}
	info, err := os.Lstat(self)
	if err != nil {
		return programFile{}
	}
	p := programFile{size: info.Size(), mtime: info.ModTime()}
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		p.ino = st.Ino
	}
	return p
}
