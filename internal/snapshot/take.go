package snapshot

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/belay-dev/belay/internal/belay"

	"github.com/belay-dev/belay/internal/fsroot"
	"github.com/belay-dev/belay/internal/git"
)

// Take holds the current state and changes nothing else: not the index, no ref outside
// of refs/belay/, no file. It starts no program that the repository names. What could
// not be captured is in the Info's Gaps, and Partial says so.
//
// One that m calls passing has no ref.
//
// CodeBusy when another process restores in this working tree.
func (s *Store) Take(ctx context.Context, m Meta) (Info, error) {
	return s.TakeWith(ctx, m, Extent{})
}

// TakeWith is Take with more than git would show.
func (s *Store) TakeWith(ctx context.Context, m Meta, e Extent) (Info, error) {
	if s.Before != nil {
		if err := s.Before(ctx); err != nil {
			return Info{}, err
		}
	}
	return s.TakeUnfinished(ctx, m, e)
}

// TakeUnfinished is TakeWith without Before: an interrupted restore is part of the state.
func (s *Store) TakeUnfinished(ctx context.Context, m Meta, e Extent) (Info, error) {
	unlock, err := s.Share(ctx)
	if err != nil {
		return Info{}, err
	}
	defer unlock()
	w, done, err := s.wanted(ctx, e)
	if err != nil {
		return Info{}, err
	}
	defer done()
	w.Brief = true
	if m.Passing {
		return s.pass(ctx, m, w)
	}
	info, _, err := s.Hold(ctx, m, w)
	return info, err
}

// pass is Hold without a ref: nothing is left that anybody could list, whatever becomes of
// this process. Until the next gc everything can be read; a gc with --prune=now in the very
// moment makes the command fail, and it can be given again. Nor do later takes rest on it.
func (s *Store) pass(ctx context.Context, m Meta, w Wanted) (Info, error) {
	if _, err := s.Place.Scratch("tmp"); err != nil {
		return Info{}, err
	}
	var info Info
	_, _, err := s.look(ctx, w, func(c *Capture) ([]git.NewObject, error) {
		if m.Unless != "" && c.Whole == m.Unless {
			return nil, ErrSame
		}
		var tag git.NewObject
		info, tag = s.seal(c, m)
		return []git.NewObject{tag}, nil
	})
	if err != nil {
		return Info{}, err
	}
	s.opts.Known.pass(info)
	_ = s.objects.Packs.Settle(false)
	return info, nil
}

// Share keeps restores of this tree away, and the sweeping of temporary files, until it is
// given back. CodeBusy when one is under way.
func (s *Store) Share(ctx context.Context) (func(), error) {
	if _, err := s.Place.Scratch(); err != nil {
		return nil, err
	}
	lock := fsroot.NewLock(s.LockPath())
	waiting, stop := context.WithTimeout(ctx, 10*time.Second)
	defer stop()
	if ok, err := lock.TryRLockContext(waiting, 20*time.Millisecond); !ok {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err == nil || errors.Is(err, context.DeadlineExceeded) {
			return nil, s.Busy()
		}
		return nil, fmt.Errorf("lock %s: %w", lock.Path(), err)
	}
	return func() { _ = lock.Unlock() }, nil
}

// tries is how often a tree that changes under the take is read again.
const tries = 3

// Hold reads, stores, writes the ref, and only then verifies that everything is there
// and that what was found named is named still. What it stores no gc takes away, at
// whatever moment it looked at the refs.
func (s *Store) Hold(ctx context.Context, m Meta, w Wanted) (Info, *Capture, error) {
	if _, err := s.Place.Scratch("tmp"); err != nil {
		return Info{}, nil, err
	}
	for try := 1; ; try++ {
		info, c, err := s.holdOnce(ctx, m, w)
		if err == nil {
			// The snapshot exists. That the next take has to look at everything again is no
			// reason to call it failed: whoever asked would take a second one.
			_ = s.learn(ctx, c, info.ID)
			_ = s.objects.Packs.Settle(false)
			return info, c, nil
		}
		if !errors.Is(err, ErrMoved) || try == 3*tries {
			if w.Inner != nil {
				err = errors.Join(err, w.Inner.Drop(ctx))
			}
			return Info{}, nil, err
		}
	}
}

func (s *Store) holdOnce(ctx context.Context, m Meta, w Wanted) (Info, *Capture, error) {
	unlock, err := s.objects.Packs.Guard()
	if err != nil {
		return Info{}, nil, err
	}
	defer unlock()
	var info Info
	var ref *git.NewRef
	var used *uses
	drop := func() {
		ref.Drop()
		used.drop()
	}
	defer func() { drop() }()
	c, st, err := s.look(ctx, w, func(c *Capture) ([]git.NewObject, error) {
		drop()
		if m.Unless != "" && c.Whole == m.Unless {
			return nil, ErrSame
		}
		var tag git.NewObject
		var err error
		tmp := filepath.Join(s.Place.Dir, "tmp")
		info, tag = s.seal(c, m)
		if used, err = s.prepare(c.Refs, c.Next.uses(s.Repo), tmp); err == nil {
			ref, err = s.Repo.NewRef(info.ref(), tag.OID, tmp)
		}
		return []git.NewObject{tag}, err
	})
	if err != nil {
		return Info{}, nil, err
	}
	if st.pack != "" {
		if at, err := fsroot.Lstat(st.pack + ".pack"); err == nil {
			info.Added = at.Size()
		}
	}
	if err = used.make(ctx, c); err == nil {
		err = Fault("ref", info.ref())
	}
	if err == nil {
		err = ref.Make(ctx, "belay: snapshot")
	}
	if err == nil {
		if err = Fault("verify", info.ref()); err == nil {
			err = s.objects.Verify(ctx, c, st)
		}
	}
	if err != nil {
		return Info{}, nil, errors.Join(err, s.withdraw(ctx, info), used.withdraw(ctx))
	}
	return info, c, nil
}

// withdraw takes back the ref of a snapshot that was not finished, if it stands. The pack
// stays for gc: it may hold by now what git had before and deleted as being there twice.
func (s *Store) withdraw(ctx context.Context, info Info) error {
	ctx = context.WithoutCancel(ctx)
	refs, err := s.Repo.Refs(ctx, Prefix)
	if err != nil {
		return err
	}
	for _, r := range refs {
		if r.Name == info.ref() {
			return s.Repo.UpdateRefs(ctx, "belay: drop", []git.Update{{Ref: r.Name, Old: info.Commit}})
		}
	}
	return nil
}

// seal makes the tag that names the snapshot of what was captured.
func (s *Store) seal(c *Capture, m Meta) (Info, git.NewObject) {
	now := s.opts.Now()
	info := Info{ID: newID(now, s.newest(c.Refs, now)), Meta: m, Time: now.UTC(), Head: c.Head.OID, Branch: c.Head.Branch,
		Operation: git.Operation(c.State), Tree: c.Tree, Files: c.Count, Partial: len(c.Man.Gaps)+len(c.Man.Lost) > 0,
		Moving: c.Moving, Whole: c.Whole, odd: len(c.Man.Odd), inner: len(c.Man.Inner)}
	if s.Repo.Linked() {
		info.Worktree = filepath.Base(s.Repo.Dir)
	}
	info.Gaps, info.Nested = gapsOf(c.Man)
	for _, b := range c.Broken {
		info.BrokenRefs = append(info.BrokenRefs, b.Name)
	}
	tag := tagObject(s.Repo, c.Whole, string(info.ID), now, info.message())
	info.Commit = tag.OID
	return info, tag
}

// look captures the present and stores its objects, with those that seal adds. When
// files change meanwhile it is done again, and in the end what was read is what is
// held, marked as moving.
func (s *Store) look(ctx context.Context, w Wanted, seal Sealer) (*Capture, Stored, error) {
	for try := 1; ; try++ {
		c, err := s.read(ctx, w, try == 1)
		if errors.Is(err, git.ErrChanged) && try < tries {
			continue
		}
		if err != nil {
			return nil, Stored{}, err
		}
		if c.Moving && try < tries {
			continue
		}
		more, err := seal(c)
		if err != nil {
			return nil, Stored{}, err
		}
		st, err := s.objects.Store(ctx, c, more)
		if err == nil {
			return c, st, nil
		}
		changed := errors.Is(err, git.ErrChanged) || errors.Is(err, fs.ErrNotExist)
		if !changed || try > 2*tries {
			return nil, Stored{}, err
		}
		if try >= tries { // it changes faster than it can be read: hold copies
			if st, err := s.objects.Freeze(ctx, c, seal); err == nil {
				return c, st, nil
			}
		}
	}
}

// read reads the present, once with the help of a watch when there is one.
func (s *Store) read(ctx context.Context, w Wanted, first bool) (*Capture, error) {
	if first {
		if c := s.watched(ctx, w); c != nil {
			return c, nil
		}
	}
	return s.Place.Read(ctx, w)
}

// Present reads the present, with the help of a watch when there is one, and stores
// nothing: it can be compared with a snapshot, but its trees cannot be read. CodeBusy when
// another process restores in this working tree.
func (s *Store) Present(ctx context.Context, e Extent) (*Capture, error) {
	unlock, err := s.Share(ctx)
	if err != nil {
		return nil, err
	}
	defer unlock()
	w, done, err := s.wanted(ctx, e)
	if err != nil {
		return nil, err
	}
	defer done()
	w.Brief, w.Inner = true, nil
	for try := 1; ; try++ {
		c, err := s.read(ctx, w, try == 1)
		again := errors.Is(err, git.ErrChanged) || err == nil && c.Moving
		if !again || try == tries {
			return c, err
		}
	}
}

// nothingMore is for what is read without becoming a snapshot.
func nothingMore(*Capture) ([]git.NewObject, error) { return nil, nil }

// Peek reads the present and stores it without a ref: the tree of its files can be
// compared with a snapshot's until the next gc.
func (s *Store) Peek(ctx context.Context, e Extent) (tree string, err error) {
	unlock, err := s.Share(ctx)
	if err != nil {
		return "", err
	}
	defer unlock()
	w, done, err := s.wanted(ctx, e)
	if err != nil {
		return "", err
	}
	defer done()
	w.Brief, w.Inner = true, nil
	c, _, err := s.look(ctx, w, nothingMore)
	if err != nil {
		return "", err
	}
	return c.Tree, nil
}

// Look is Peek with everything that was read, and with what w wants besides. The caller
// keeps restores away.
func (s *Store) Look(ctx context.Context, w Wanted) (*Capture, error) {
	c, _, err := s.look(ctx, w, nothingMore)
	return c, err
}

// LockPath is the file whose lock keeps takes and restores of this tree apart.
func (s *Store) LockPath() string { return filepath.Join(s.Place.Dir, "restore.lock") }

// Busy is the refusal when that lock is held.
func (s *Store) Busy() error {
	var by struct {
		PID         int
		Host, Since string
	}
	what := "another belay is restoring this working tree"
	if note, err := fsroot.ReadFile(s.LockPath(), fsroot.Usual); err == nil && json.Unmarshal(note, &by) == nil && by.PID > 0 {
		what += fmt.Sprintf(": process %d on %s, since %s", by.PID, belay.VisibleLine(by.Host), belay.VisibleLine(by.Since))
	}
	return belay.Refuse(belay.CodeBusy, "wait for it to finish", "%s", what)
}
