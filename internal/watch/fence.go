package watch

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/belay-dev/belay/internal/fsroot"
)

// Patience is how long Fence waits for the event of its cookie.
const Patience = 2 * time.Second

// Cookies makes dir the folder in which Fence creates its files. The same inotify instance watches
// it as the tree, because events are ordered only within one instance.
func (t *Tracker) Cookies(dir string) error {
	folder, err := fsroot.OpenDir(dir)
	if err != nil {
		return fmt.Errorf("watch the working tree: %w", err)
	}
	defer folder.Close()
	fd := int(folder.Fd())
	if err := t.checkDevice(fd); err != nil {
		return fmt.Errorf("watch %s: %w", dir, err)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.cookies = dir
	t.cookie, err = t.q.add(fd)
	return err
}

// Fence creates a file, the cookie, and waits for its event. After that every change made before
// the call has been handled, because events arrive in order.
func (t *Tracker) Fence(ctx context.Context) error {
	var b [8]byte
	_, _ = rand.Read(b[:]) // never fails
	name := CookiePrefix + hex.EncodeToString(b[:])
	heard := make(chan struct{})
	t.mu.Lock()
	if t.lost != "" {
		t.mu.Unlock()
		return nil // TakeDirty returns the reason
	}
	t.waits[name] = heard
	path := filepath.Join(t.cookies, name)
	t.mu.Unlock()
	f, err := fsroot.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("create a marker file: %w", err)
	}
	_ = f.Close()
	defer fsroot.Remove(path)
	ctx, stop := context.WithTimeout(ctx, Patience)
	defer stop()
	select {
	case <-heard:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("no event for the marker file: %w", ctx.Err())
	}
}

// CookiePrefix is the start of each cookie's name.
const CookiePrefix = "cookie-"
