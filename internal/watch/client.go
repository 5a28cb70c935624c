package watch

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"github.com/belay-dev/belay/internal/fsroot"
	"github.com/belay-dev/belay/internal/snapshot"
)

// How long a client waits for the greeting, which a watch sends at once unless it hangs, and for
// the answer. After that the snapshot scans the tree itself.
const (
	greetTime  = 500 * time.Millisecond
	answerTime = 5 * time.Second
)

// Client asks the watch of a worktree, if there is one. It implements snapshot.Watcher.
type Client struct {
	Place *snapshot.Worktree
}

// folder returns the private folder of the watch.
func folder(place *snapshot.Worktree) string { return filepath.Join(place.Dir, "watch") }

func socket(dir string) string { return filepath.Join(dir, "socket") }

// IsRunning reports whether the socket of a watch exists. The watch itself may have been killed.
func (c *Client) IsRunning() bool {
	info, err := fsroot.Lstat(socket(folder(c.Place)))
	return err == nil && info.Mode().Type() == os.ModeSocket
}

// Query returns the state of the tree as the watch knows it, and what is new since the snapshot
// with this base. It returns nil when there is no watch, or the watch is unsure, too slow or
// another user's, or its answer is invalid.
func (c *Client) Query(ctx context.Context, base string) *snapshot.WatchAnswer {
	conn, in, version, err := dial(ctx, folder(c.Place))
	if err != nil {
		return nil
	}
	defer conn.Close()
	if version != protocol {
		return nil
	}
	q := request{V: protocol, Ask: "changes", Base: base, Include: c.Place.Include, MaxFile: c.Place.MaxFile}
	var r reply
	if writeLine(conn, q) != nil || readLine(in, &r) != nil || r.V != protocol || !r.Sure {
		return nil
	}
	seen, err := decode(r, in, c.Place.Repo)
	if err != nil {
		return nil
	}
	return seen
}

// ReportMismatch tells the watch that its answer did not match, so that it scans everything again.
func (c *Client) ReportMismatch() {
	ctx, stop := context.WithTimeout(context.Background(), greetTime)
	defer stop()
	_, _ = send(ctx, folder(c.Place), "doubt")
}

// send sends a request without further data. Of a watch of another version only "stop" is asked, in
// its version.
func send(ctx context.Context, dir, what string) (reply, error) {
	var r reply
	conn, in, version, err := dial(ctx, dir)
	if err != nil {
		return r, err
	}
	defer conn.Close()
	if version != protocol && what != "stop" {
		return r, fmt.Errorf("%w %d", errVersion, version)
	}
	if err := writeLine(conn, request{V: version, Ask: what}); err != nil {
		return r, err
	}
	return r, readLine(in, &r)
}

// errForeign says that the socket or its folder belongs to another user.
var errForeign = errors.New("the watch belongs to another user")

// errVersion says that a watch of an earlier or later belay runs.
var errVersion = errors.New("it has protocol version")

// dial connects to the watch, checks that it belongs to this user and waits for its greeting, which
// contains the protocol version.
func dial(ctx context.Context, dir string) (_ *net.UnixConn, _ *bufio.Reader, version int, err error) {
	if err := checkPrivate(dir); err != nil {
		return nil, nil, 0, err
	}
	path, done, err := shortPath(dir, "socket")
	if err != nil {
		return nil, nil, 0, err
	}
	defer done()
	conn, err := net.DialUnix("unix", nil, &net.UnixAddr{Name: path, Net: "unix"})
	if err != nil {
		return nil, nil, 0, err
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })
	defer stop()
	defer func() {
		if err != nil {
			_ = conn.Close()
		}
	}()
	if err := checkOwner(conn); err != nil {
		return nil, nil, 0, err
	}
	_ = conn.SetDeadline(time.Now().Add(greetTime))
	in := bufio.NewReader(conn)
	var hello greeting
	if err := readLine(in, &hello); err != nil {
		return nil, nil, 0, fmt.Errorf("no greeting: %w", err)
	}
	return conn, in, hello.V, conn.SetDeadline(time.Now().Add(answerTime))
}

// checkPrivate returns errForeign unless dir is a folder of this user that nobody else has access
// to.
func checkPrivate(dir string) error {
	info, err := fsroot.Lstat(dir)
	if err != nil {
		return err
	}
	st, ok := info.Sys().(*syscall.Stat_t)
	if !info.IsDir() || !ok || int(st.Uid) != os.Geteuid() || info.Mode().Perm()&0o077 != 0 {
		return errForeign
	}
	return nil
}

// checkOwner returns errForeign when another user is at the other end of the connection.
func checkOwner(conn *net.UnixConn) error {
	return rawFD(conn, func(fd int) error {
		uid, err := peer(fd)
		if err == nil && uid != os.Geteuid() {
			err = errForeign
		}
		return err
	})
}

// rawFD calls do with the file descriptor of a connection.
func rawFD(c *net.UnixConn, do func(fd int) error) error {
	raw, err := c.SyscallConn()
	if err != nil {
		return err
	}
	var inner error
	if err := raw.Control(func(fd uintptr) { inner = do(int(fd)) }); err != nil {
		return err
	}
	return inner
}
