package restore

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"
	"syscall"

	"github.com/belay-dev/belay/internal/fsroot"
	"github.com/belay-dev/belay/internal/git"
)

// Failure is a failed step of a plan, and its path.
type Failure struct {
	Op   string // "write", "remove"…
	Path string
	Err  error
}

// Error returns the message.
func (f *Failure) Error() string { return fmt.Sprintf("%s %q: %v", f.Op, f.Path, f.Err) }

// Unwrap returns the cause.
func (f *Failure) Unwrap() error { return f.Err }

// AsKept returns the path and the cause, without the names of system calls.
func (f *Failure) AsKept() Kept {
	var path *fs.PathError
	if errors.As(f.Err, &path) {
		return Kept{f.Path, fmt.Sprintf("cannot %s it: %v", f.Op, path.Err)}
	}
	return Kept{f.Path, fmt.Sprintf("cannot %s it: %v", f.Op, f.Err)}
}

// IsSkippableWrite reports whether an error concerns only one path, so that others can still be
// restored. A full disk, too many open files or a cancelled context affect all paths.
func IsSkippableWrite(err error) bool {
	for _, all := range []error{context.Canceled, context.DeadlineExceeded, syscall.ENOSPC, syscall.EDQUOT,
		syscall.EMFILE, syscall.ENFILE, syscall.ENOMEM} {
		if errors.Is(err, all) {
			return false
		}
	}
	return true
}

// FindBroken returns the paths of a plan that cannot be restored, with reasons: objects that cannot
// be read, and names that this process cannot change. It reads every object completely, because git
// notices damage only then. A path that is already as planned is not broken. Nothing is changed.
func (s *Target) FindBroken(ctx context.Context, p *Plan) ([]Kept, error) {
	found, err := s.findUnreadable(ctx, p)
	if err != nil {
		return nil, err
	}
	above := map[string]bool{} // folders that contain something that cannot be removed
	for _, r := range slices.Concat(p.Remove, p.Rmdir) {
		why, err := s.Root.UnchangeableReason(string(r))
		if err != nil {
			return nil, &Failure{"look at", string(r), err}
		}
		if why == "" || s.isMissing(string(r)) {
			continue
		}
		found = append(found, Kept{string(r), why})
		for d := Parent(string(r)); d != ""; d = Parent(d) {
			above[d] = true
		}
	}
	for _, w := range p.Writes {
		path := string(w.Path)
		why, err := s.Root.UnchangeableReason(path)
		if err != nil {
			return nil, &Failure{"look at", path, err}
		}
		if why == "" && above[path] {
			why = "a folder is in its place, and its contents cannot be removed"
		}
		if why != "" && !s.isDone(w) {
			found = append(found, Kept{path, why})
		}
	}
	for _, d := range p.Mkdir {
		why, err := s.Root.UnchangeableReason(string(d.Path))
		if info, lerr := s.Root.Lstat(string(d.Path)); err == nil && why != "" && (lerr != nil || info.Kind != fsroot.Folder) {
			found = append(found, Kept{string(d.Path), why})
		}
		if err != nil {
			return nil, &Failure{"look at", string(d.Path), err}
		}
	}
	for _, d := range p.Chmod {
		why, err := s.Root.UnchangeableReason(string(d.Path))
		if info, lerr := s.Root.Lstat(string(d.Path)); err == nil &&
			(why == fsroot.Immutable || why == fsroot.AppendOnly) && lerr == nil && info.Perm != d.Perm {
			found = append(found, Kept{string(d.Path), why})
		}
		if err != nil {
			return nil, &Failure{"look at", string(d.Path), err}
		}
	}
	slices.SortStableFunc(found, func(a, b Kept) int { return strings.Compare(a.Path, b.Path) })
	return slices.CompactFunc(found, func(a, b Kept) bool { return a.Path == b.Path }), nil
}

// findUnreadable returns the writes whose bytes cannot be read.
func (s *Target) findUnreadable(ctx context.Context, p *Plan) (found []Kept, err error) {
	if len(p.Writes) == 0 {
		return nil, nil
	}
	rd, err := s.Repo.Reader(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { _ = rd.Close() }()
	said := map[string]string{}
	for _, w := range p.Writes {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		why, known := said[w.OID]
		if !known {
			if err := rd.Verify(w.OID); err != nil {
				why = unreadableReason(err)
				_ = rd.Close() // git exits at a truncated object
				if rd, err = s.Repo.Reader(ctx); err != nil {
					return nil, err
				}
			}
			said[w.OID] = why
		}
		if why != "" && !s.hasBytes(w) {
			found = append(found, Kept{string(w.Path), why})
		}
	}
	return found, nil
}

func unreadableReason(err error) string {
	if errors.Is(err, git.ErrNoObject) {
		return ReasonMissing
	}
	return ReasonDamaged
}

// Reasons why the content of a path cannot be restored.
const (
	ReasonMissing = "its content is missing from the repository"
	ReasonDamaged = "its content in the repository is damaged"
)

// hasBytes reports whether a file or link already has the right bytes, so that at most its mode has
// to be set.
func (s *Target) hasBytes(w Write) bool {
	oid, err := s.Root.Bytes(string(w.Path), s.Repo.NewHash)
	info, lerr := s.Root.Lstat(string(w.Path))
	link := w.Mode == 0o120000
	return err == nil && lerr == nil && oid.String() == w.OID && link == (info.Kind == fsroot.SymbolicLink)
}

func (s *Target) isDone(w Write) bool {
	info, err := s.Root.Lstat(string(w.Path))
	return err == nil && s.hasBytes(w) && (info.Kind == fsroot.SymbolicLink || info.Perm == w.Perm)
}

func (s *Target) isMissing(path string) bool {
	_, err := s.Root.Lstat(path)
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, fsroot.ErrNotFolder)
}

// Drop removes paths from a plan.
func (p *Plan) Drop(skipped []Kept) {
	out := map[string]bool{}
	for _, k := range skipped {
		out[k.Path] = true
	}
	raw := func(r RawPath) bool { return out[string(r)] }
	folder := func(f Folder) bool { return out[string(f.Path)] }
	p.Remove, p.Rmdir = slices.DeleteFunc(p.Remove, raw), slices.DeleteFunc(p.Rmdir, raw)
	p.Mkdir, p.Chmod = slices.DeleteFunc(p.Mkdir, folder), slices.DeleteFunc(p.Chmod, folder)
	p.Writes = slices.DeleteFunc(p.Writes, func(w Write) bool { return out[string(w.Path)] })
}

// SkipBlocked returns the paths of the plan that have to be skipped because of Blocked, each with
// the reason.
func (p *Plan) SkipBlocked() (skipped []Kept) {
	for _, b := range p.Blocked {
		at := strings.TrimSuffix(b.Path, "/")
		for _, w := range p.Writes {
			path := string(w.Path)
			if path == at || strings.HasPrefix(at, path+"/") || strings.HasPrefix(path, at+"/") {
				why := b.Reason
				if path != at {
					why = b.Path + ": " + why
				}
				skipped = append(skipped, Kept{path, why})
			}
		}
	}
	slices.SortStableFunc(skipped, func(a, b Kept) int { return strings.Compare(a.Path, b.Path) })
	return slices.CompactFunc(skipped, func(a, b Kept) bool { return a.Path == b.Path })
}
