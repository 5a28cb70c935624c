package fsroot

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"golang.org/x/sys/unix"
)

// Lock is an advisory lock (flock) on a file, released when its process ends. Its methods may be
// called from several goroutines.
type Lock struct {
	path string
	flag int

	mu sync.Mutex
	f  *os.File
}

// NewLock returns a lock on the file path. The first lock creates the file.
func NewLock(path string) *Lock { return &Lock{path: path, flag: os.O_RDWR | os.O_CREATE} }

// NewExistingLock returns a lock on an existing file; otherwise its methods return fs.ErrNotExist.
func NewExistingLock(path string) *Lock { return &Lock{path: path, flag: os.O_RDWR} }

// Path returns the path of the file.
func (l *Lock) Path() string { return l.path }

// TryLock takes the lock exclusively; false means that another process has it.
func (l *Lock) TryLock() (bool, error) { return l.tryFlock(unix.LOCK_EX | unix.LOCK_NB) }

// TryRLock takes the lock shared.
func (l *Lock) TryRLock() (bool, error) { return l.tryFlock(unix.LOCK_SH | unix.LOCK_NB) }

// TryLockContext tries again after each poll interval until ctx is done, and then returns its
// error.
func (l *Lock) TryLockContext(ctx context.Context, poll time.Duration) (bool, error) {
	return retryLock(ctx, poll, l.TryLock)
}

// TryRLockContext is TryLockContext for a shared lock.
func (l *Lock) TryRLockContext(ctx context.Context, poll time.Duration) (bool, error) {
	return retryLock(ctx, poll, l.TryRLock)
}

func retryLock(ctx context.Context, poll time.Duration, try func() (bool, error)) (bool, error) {
	for {
		if err := ctx.Err(); err != nil {
			return false, err
		}
		if ok, err := try(); ok || err != nil {
			return ok, err
		}
		select {
		case <-ctx.Done():
			return false, ctx.Err()
		case <-time.After(poll):
		}
	}
}

// Unlock releases the lock, if there is one.
func (l *Lock) Unlock() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.f == nil {
		return nil
	}
	// A child that is being started shares the open file until it executes its own program, so
	// closing alone would not release the lock.
	err := errors.Join(unix.Flock(int(l.f.Fd()), unix.LOCK_UN), l.f.Close())
	l.f = nil
	return err
}

func (l *Lock) tryFlock(how int) (bool, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	f := l.f
	if f == nil {
		var err error
		if f, err = OpenFile(l.path, l.flag, 0o600); err != nil {
			return false, err
		}
	}
	for {
		err := unix.Flock(int(f.Fd()), how)
		switch err {
		case unix.EINTR:
			continue
		case nil:
			l.f = f
			return true, nil
		}
		if l.f == nil {
			_ = f.Close()
		}
		if err == unix.EWOULDBLOCK {
			return false, nil
		}
		return false, &os.PathError{Op: "lock", Path: l.path, Err: err}
	}
}

// lockTimeout is the time that Lock and RLock wait. A process that keeps one of belay's locks for
// longer is stopped, or is no belay.
const lockTimeout = 30 * time.Second

// Lock waits for the lock, at most for lockTimeout. Then the error is a *LockedError.
func (l *Lock) Lock() error { return l.waitFor(l.TryLockContext) }

// RLock is Lock for a shared lock.
func (l *Lock) RLock() error { return l.waitFor(l.TryRLockContext) }

func (l *Lock) waitFor(try func(context.Context, time.Duration) (bool, error)) error {
	ctx, cancel := context.WithTimeout(context.Background(), lockTimeout)
	defer cancel()
	_, err := try(ctx, 5*time.Millisecond)
	if errors.Is(err, context.DeadlineExceeded) {
		return &LockedError{Path: l.path}
	}
	return err
}

// LockedError reports that another process did not release a lock in time.
type LockedError struct{ Path string }

func (e *LockedError) Error() string { return fmt.Sprintf("%q is locked by another process", e.Path) }

// Try returns advice for a person.
func (e *LockedError) Try() string { return fmt.Sprintf("find the process: fuser -v %q", e.Path) }
