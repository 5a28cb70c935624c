package journal

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/fsroot"
)

// Create creates the record of task with one entry and returns its head. The entry is synced to the
// disk when Create returns, and the record never appears incomplete.
//
// Errors: belay.CodeUsage for an invalid ID or type, or if the task exists, under this ID or one
// that differs by case; belay.CodeBusy if another process locks the record for ten seconds;
// belay.CodeInterrupted if ctx ends while waiting (pass context.WithoutCancel if a step must be
// recorded). A file that a crash left without a complete entry is moved aside, and the task
// created.
func (s *Store) Create(ctx context.Context, task belay.TaskID, typ string, data any) (Head, error) {
	task, err := belay.ParseNewTaskID(string(task))
	if err != nil {
		return Head{}, err
	}
	raw, err := Encode(data)
	if err != nil {
		return Head{}, fmt.Errorf("record %s of %s: %w", typ, task, err)
	}
	l := Line{Entry: Entry{Seq: 1, Time: s.now(), Type: typ, Data: raw}, Task: task}
	text, err := Make(&l)
	if err != nil {
		return Head{}, err
	}
	if err := s.makeDirs(s.tasksDir()); err != nil {
		return Head{}, err
	}
	unlock, err := s.lock(ctx, task)
	if err != nil {
		return Head{}, err
	}
	defer unlock()
	if err := s.setAside(task); err != nil {
		return Head{}, err
	}
	if err := s.writeFirst(task, text); err != nil {
		return Head{}, err
	}
	return l.Head(), nil
}

// setAside moves away the file in the place of a new record, unless it is a record.
func (s *Store) setAside(task belay.TaskID) error {
	path := s.taskFile(task)
	if _, err := fsroot.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	l, exists, err := firstLine(path, task)
	switch {
	case err != nil:
		return fmt.Errorf("create %s: %w", task, err)
	case exists && l.Task != task:
		return belay.Refuse(belay.CodeUsage, "choose another id: ids that differ only by case are one file on some systems",
			"%s exists already, as %s", task, l.Task)
	case exists:
		return belay.Refuse(belay.CodeUsage, "belay status "+string(task)+", or choose another id", "%s exists already", task)
	}
	for n := 1; ; n++ {
		if err := s.moveNew(path, tornName(path, n)); !errors.Is(err, fs.ErrExist) {
			return err
		}
	}
}

func tornName(path string, n int) string { return fmt.Sprintf("%s.torn-%d", path, n) }

// writeFirst writes the first lines of a record as a complete file. The temporary name is fixed,
// because the lock is held: what a crash left is replaced.
func (s *Store) writeFirst(task belay.TaskID, text []byte) error {
	path := s.taskFile(task)
	temp := filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".new")
	if _, err := fsroot.Lstat(temp); err == nil {
		if err := s.remove(temp); err != nil {
			return err
		}
	}
	if err := s.writeNew(temp, bytes.NewReader(text)); err != nil {
		return err
	}
	if err := s.moveNew(temp, path); err != nil {
		fsroot.Remove(temp)
		return err
	}
	return nil
}

// Append adds an entry if the record's head is after, and returns the new head. The entry is synced
// to the disk when Append returns. Its time is the clock's, or the last entry's if the clock has
// gone back.
//
// If the record has grown since after was read, the error is a *MovedError and nothing is written.
// An incomplete entry at the end is first moved to a file beside the record. After any other error
// the record is unchanged, unless the disk also failed to remove what was written: the next append
// then removes an incomplete entry, and returns a *MovedError after a complete one. Other errors:
// belay.CodeNotFound without a record, and those of Create.
func (s *Store) Append(ctx context.Context, task belay.TaskID, after Head, typ string, data any) (Head, error) {
	raw, err := Encode(data)
	if err != nil {
		return Head{}, fmt.Errorf("record %s of %s: %w", typ, task, err)
	}
	path := s.taskFile(task)
	if _, err := fsroot.Lstat(path); errors.Is(err, fs.ErrNotExist) {
		return Head{}, notFound(task)
	}
	unlock, err := s.lock(ctx, task)
	if err != nil {
		return Head{}, err
	}
	defer unlock()
	f, err := openRecord(path, os.O_RDWR)
	if err != nil {
		return Head{}, couldNot("write", path, err)
	}
	defer f.Close()
	end, err := findEnd(f, task)
	if err != nil {
		return Head{}, err
	}
	if end.last.Head() != after {
		return Head{}, &MovedError{Task: end.last.Task, After: after, Head: end.last.Head()}
	}
	l := Line{Entry: Entry{Seq: after.Seq + 1, Time: later(s.now(), end.last.Time), Type: typ, Data: raw,
		Prev: after.Hash}, Task: end.last.Task}
	text, err := Make(&l)
	if err != nil {
		return Head{}, err
	}
	if err := s.extend(f, end, text); err != nil {
		return Head{}, err
	}
	return l.Head(), nil
}

func later(a, b time.Time) time.Time {
	if a.Before(b) {
		return b
	}
	return a
}

// extend writes text after the complete entries of f, and removes it again if that fails.
func (s *Store) extend(f *os.File, end recordEnd, text []byte) error {
	if end.torn > 0 {
		if err := s.cutTorn(f, end); err != nil {
			return err
		}
	}
	if end.last.Seq == 1 { // the creator of the record may have died before syncing its folder
		if err := s.syncDir(filepath.Dir(f.Name())); err != nil {
			return err
		}
	}
	err := s.step("write", f.Name())
	if err == nil {
		_, err = f.WriteAt(text, end.complete)
	}
	if err != nil {
		err = couldNot("write", f.Name(), err)
	} else if err = s.sync(f); err == nil {
		return nil
	}
	return errors.Join(err, s.truncate(f, end.complete))
}

func (s *Store) truncate(f *os.File, size int64) error {
	err := s.step("truncate", f.Name())
	if err == nil {
		err = f.Truncate(size)
	}
	if err != nil {
		return couldNot("cut", f.Name(), err)
	}
	return nil
}

// cutTorn copies the torn bytes to a separate file, synced, before it removes them.
func (s *Store) cutTorn(f *os.File, end recordEnd) error {
	for n := 1; ; n++ {
		err := s.writeNew(tornName(f.Name(), n), io.NewSectionReader(f, end.complete, end.torn))
		if errors.Is(err, fs.ErrExist) {
			continue
		}
		if err != nil {
			return err
		}
		break
	}
	if err := s.syncDir(filepath.Dir(f.Name())); err != nil {
		return err
	}
	return s.truncate(f, end.complete)
}
