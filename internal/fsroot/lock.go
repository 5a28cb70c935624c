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

// Lock is an advisory lock (flock) on a file: it ends with its process. Its methods may be
// called from several goroutines.
type Lock struct {
	path string
	flag int

	mu sync.Mutex
	f  *os.File
}

// NewLock returns a lock on the file path, which is created when it is first locked.
func NewLock(path string) *Lock { return &Lock{path: path, flag: os.O_RDWR | os.O_CREATE} }

// NewExistingLock returns a lock on a file that must exist: otherwise locking it is
// fs.ErrNotExist.
func NewExistingLock(path string) *Lock { return &Lock{path: path, flag: os.O_RDWR} }

// Path returns the path of the file.
func (l *Lock) Path() string { return l.path }

// TryLock takes the lock exclusively; false means that another process has it.
func (l *Lock) TryLock() (bool, error) { return l.tryFlock(unix.LOCK_EX | unix.LOCK_NB) }

// TryRLock takes the lock shared.
func (l *Lock) TryRLock() (bool, error) { return l.tryFlock(unix.LOCK_SH | unix.LOCK_NB) }

// TryLockContext tries again after each poll interval until ctx is done, whose error it then
// returns.
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

// Unlock releases the lock. It may be called without one.
func (l *Lock) Unlock() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.f == nil {
		return nil
	}
	// A child that was started in this moment shares the open file until it runs its own
	// program: closing alone would leave the lock with it.
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

// lockTimeout is how long Lock and RLock wait. A process that keeps one of belay's locks for
// longer has stopped, or is not a belay.
const lockTimeout = 30 * time.Second

// Lock waits for the lock, for lockTimeout at most: then the error is a *LockedError.
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

// LockedError says that another process did not release a lock in time.
type LockedError struct{ Path string }

func (e *LockedError) Error() string { return fmt.Sprintf("%q is locked by another process", e.Path) }

// Try returns what a person can do about it.
func (e *LockedError) Try() string { return fmt.Sprintf("find the process: fuser -v %q", e.Path) }
