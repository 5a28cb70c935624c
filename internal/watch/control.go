package watch

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/snapshot"

	"github.com/belay-dev/belay/internal/fsroot"
)

// DefaultIdle is how long a watch runs without a request.
const DefaultIdle = 30 * time.Minute

// Start starts a watch for a worktree and waits until it is ready. When one is running already it
// returns its status. self is the command that runs Main. It returns CodeCannot when the system has
// no inotify, or the watch cannot start, for example because the kernel's limit is too low.
func Start(ctx context.Context, place *snapshot.Worktree, self []string, idle time.Duration) (Status, error) {
	if !available() {
		return Status{}, belay.Refuse(belay.CodeCannot, "take snapshots without it: they then read every file", "%v", ErrElsewhere)
	}
	if s, err := Ask(ctx, place); err == nil || belay.CodeOf(err) == belay.CodeBusy {
		return s, err
	}
	if _, err := place.MakeScratchDir("watch"); err != nil {
		return Status{}, err
	}
	spec, err := json.Marshal(Spec{Include: place.Include, MaxFile: place.MaxFile, Idle: idle})
	if err != nil {
		return Status{}, err
	}
	r, w, err := os.Pipe()
	if err != nil {
		return Status{}, err
	}
	defer r.Close()
	cmd := exec.Command(self[0], append(self[1:len(self):len(self)], place.Repo.Root, string(spec))...)
	// A session of its own, so that the watch outlives the terminal and Ctrl-C does not reach it.
	cmd.Dir, cmd.Stdout, cmd.SysProcAttr = "/", w, &syscall.SysProcAttr{Setsid: true}
	err = cmd.Start()
	_ = w.Close()
	if err != nil {
		return Status{}, fmt.Errorf("start the watch: %w", err)
	}
	stop := context.AfterFunc(ctx, func() { _ = cmd.Process.Kill() })
	line, err := bufio.NewReader(r).ReadString('\n')
	if !stop() {
		_ = cmd.Wait()
		return Status{}, ctx.Err()
	}
	if err != nil || line != "ready\n" {
		_ = cmd.Wait()
		return Status{}, refusal(strings.TrimSpace(line))
	}
	if err := cmd.Process.Release(); err != nil {
		return Status{}, err
	}
	return Ask(ctx, place)
}

func refusal(why string) error {
	try := "take snapshots without it: they then read every file"
	switch {
	case why == "":
		why = "the watch ended before it was ready"
	case strings.Contains(why, ErrLimit.Error()):
		try = "sudo sysctl fs.inotify.max_user_watches=524288"
	case strings.Contains(why, "already"):
		try = "belay watch --status"
	}
	return belay.Refuse(belay.CodeCannot, try, "%s", belay.VisibleLine(why))
}

// Ask returns the status of the watch. CodeNotFound: there is none. CodeBusy: it does not answer.
func Ask(ctx context.Context, place *snapshot.Worktree) (Status, error) {
	r, err := send(ctx, folder(place), "status")
	if err == nil && r.Status == nil {
		err = errors.New(belay.VisibleLine(r.Why))
	}
	if err != nil {
		return Status{}, missing(err)
	}
	return *r.Status, nil
}

func missing(err error) error {
	if errors.Is(err, errForeign) {
		return belay.Refuse(belay.CodeCannot, "ask its owner", "%v", err)
	}
	for _, none := range []error{fs.ErrNotExist, syscall.ENOTDIR, syscall.ECONNREFUSED} { // a killed watch leaves its socket
		if errors.Is(err, none) {
			return belay.Refuse(belay.CodeNotFound, "belay watch", "no watch runs for this working tree")
		}
	}
	try := "try again"
	if errors.Is(err, errVersion) {
		try = "belay watch --stop"
	}
	return belay.Refuse(belay.CodeBusy, try, "no answer from the watch of this working tree: %v", err)
}

// Stop ends the watch and waits until it has released its lock. CodeNotFound: there is none.
// CodeBusy: it does not answer, or does not end.
func Stop(ctx context.Context, place *snapshot.Worktree) error {
	dir := folder(place)
	if _, err := send(ctx, dir, "stop"); err != nil {
		return missing(err)
	}
	waiting, cancel := context.WithTimeout(ctx, answerTime)
	defer cancel()
	lock := fsroot.NewLock(filepath.Join(dir, "lock"))
	if got, err := lock.TryLockContext(waiting, 5*time.Millisecond); !got {
		if errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		return belay.Refuse(belay.CodeBusy, "try again", "the watch does not stop")
	}
	return lock.Unlock()
}
