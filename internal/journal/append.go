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

// Create begins the record of task with one entry and gives its head. The entry is on
// the disk, synced, when Create returns, and the record comes into being as a whole.
//
// Errors: belay.CodeUsage for an id or a type that is none, or when the task exists,
// under this id or one that differs by case; belay.CodeBusy when another process holds
// the record for ten seconds; belay.CodeInterrupted when ctx ends while waiting (pass
// context.WithoutCancel where a step must be recorded). A file that a crash left
// without one whole entry is set aside, and the task created.
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

// setAside moves away what is in the place of a new record, unless it is one.
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

// writeFirst puts the first line where the record belongs, as a whole file. The
// temporary name is fixed, for the lock is held: what a crash left is replaced.
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

// Append adds an entry when the record's head is after, and gives the new head. The
// entry is on the disk, synced, when Append returns. Its time is the clock's, or the
// last entry's when the clock has gone back.
//
// When the record has grown since after was read the error is a *MovedError and nothing
// is written. Bytes at the end that are no whole entry are kept in a file beside the
// record and cut off first. After any other error the record is as it was, unless the
// disk refused even to take back what was written: then half an entry is cut off by the
// next append, and a whole one makes the next append with the same after a *MovedError.
// Errors otherwise: belay.CodeNotFound without a record, and those of Create.
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

// extend writes text after the whole entries of f, and takes it back when that fails.
func (s *Store) extend(f *os.File, end recordEnd, text []byte) error {
	if end.torn > 0 {
		if err := s.cutTorn(f, end); err != nil {
			return err
		}
	}
	if end.last.Seq == 1 { // whoever created the record may have died before this
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

// cutTorn keeps the torn bytes in a file of their own, synced, before it cuts them off.
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
