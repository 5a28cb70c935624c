package restore

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"syscall"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/fsroot"
	"github.com/belay-dev/belay/internal/git"
	"github.com/belay-dev/belay/internal/scan"
)

// Nothing is removed or overwritten that the rescue snapshot does not contain, and no link is
// followed.

// Target is the working tree that files are restored to.
type Target struct {
	Repo *git.Repo    // where the bytes come from
	Root *fsroot.Root // where they go
	Tmp  string       // a folder for temporary files

	// OnFailure, when set, is called for each failure of a single path (see IsSkippable), and the
	// restore continues. When nil, the first failure ends the restore.
	OnFailure func(*Failure)
}

// handleFailure passes a failure of one path to OnFailure, or returns it.
func (s *Target) handleFailure(doing, path string, err error) error {
	f := &Failure{doing, path, err}
	if s.OnFailure == nil || !IsSkippableWrite(err) {
		return f
	}
	s.OnFailure(f)
	return nil
}

// Apply carries out a plan on the working tree. Some steps may have been done already. A path that
// differs from the rescue snapshot was changed since and is left alone; the comparison at the end
// reports it. The error is a *Failure when it is about one path.
func (s *Target) Apply(ctx context.Context, p *Plan, rescued *scan.Result) error {
	for _, r := range p.Remove {
		if free, err := s.isUnchanged(string(r), rescued); err != nil {
			if err := s.handleFailure("look at", string(r), err); err != nil {
				return err
			}
			continue
		} else if !free {
			continue
		}
		err := s.Root.RemoveExpected(string(r), s.expected(string(r), rescued, ""))
		if saved := (*fsroot.SavedError)(nil); errors.As(err, &saved) {
			err = reportSaved(saved)
		}
		// A folder now in the place of the file, or a link in the place of a parent, was made by
		// somebody else. It stays, and the comparison at the end reports it.
		if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, fsroot.ErrNotFolder) && !errors.Is(err, fsroot.ErrFolder) {
			if err := s.handleFailure("remove", string(r), err); err != nil {
				return err
			}
		}
	}
	for _, d := range p.Rmdir {
		err := s.Root.Rmdir(string(d))
		keep := errors.Is(err, syscall.ENOTEMPTY) || errors.Is(err, syscall.EEXIST) || errors.Is(err, fs.ErrNotExist) ||
			errors.Is(err, fsroot.ErrNotFolder)
		if err != nil && !keep {
			if err := s.handleFailure("remove folder", string(d), err); err != nil {
				return err
			}
		}
	}
	for _, d := range p.Mkdir {
		if err := s.Root.Mkdir(string(d.Path), d.Perm|0o700); err != nil {
			if err := s.handleFailure("make folder", string(d.Path), err); err != nil {
				return err
			}
		}
	}
	if err := s.WriteFiles(ctx, p, rescued); err != nil {
		return err
	}
	for _, c := range p.Chmod {
		if err := s.Root.Chmod(string(c.Path), c.Perm); err != nil && !errors.Is(err, fs.ErrNotExist) &&
			!errors.Is(err, fsroot.ErrNotFolder) {
			if err := s.handleFailure("set the mode of", string(c.Path), err); err != nil {
				return err
			}
		}
	}
	return nil
}

// WriteFiles writes a plan's files and links. A file that is already right is not touched and
// keeps its times.
func (s *Target) WriteFiles(ctx context.Context, p *Plan, rescued *scan.Result) error {
	if len(p.Writes) == 0 {
		return nil
	}
	rd, err := s.Repo.Reader(ctx)
	if err != nil {
		return err
	}
	defer func() { _ = rd.Close() }()
	for _, w := range p.Writes {
		if err := ctx.Err(); err != nil {
			return err
		}
		err := s.writeOne(rd, w, rescued)
		if err == nil {
			continue
		}
		if err := s.handleFailure("write", string(w.Path), err); err != nil {
			return err
		}
		_ = rd.Close() // git exits at a damaged object
		if rd, err = s.Repo.Reader(ctx); err != nil {
			return err
		}
	}
	return nil
}

func (s *Target) writeOne(rd *git.Reader, w Write, rescued *scan.Result) error {
	path := string(w.Path)
	if done, err := s.fixModeIfSame(w); done || err != nil {
		return err
	}
	if free, err := s.isUnchanged(path, rescued); !free || err != nil {
		return err
	}
	if err := MakeParents(s.Root, path); err != nil {
		return err
	}
	may := s.expected(path, rescued, w.OID)
	var err error
	if w.Mode == 0o120000 {
		var o git.Object
		if o, err = rd.Read(w.OID); err == nil {
			err = s.Root.ReplaceLink(path, string(o.Data), may)
		}
	} else {
		err = s.Root.ReplaceFile(path, w.Perm, s.Tmp, may, s.contentWriter(rd, w, rescued))
	}
	if saved := (*fsroot.SavedError)(nil); errors.As(err, &saved) {
		return reportSaved(saved)
	}
	if errors.Is(err, errSavedMeanwhile) {
		return nil
	}
	return err
}

// copyObject returns a function that writes a file's bytes from the repository.
func copyObject(rd *git.Reader, w Write) func(io.Writer) error {
	return func(out io.Writer) error {
		o, err := rd.Copy(w.OID, out)
		if err == nil && o.OID != w.OID {
			err = fmt.Errorf("git gave object %s for %s", o.OID, w.OID)
		}
		return err
	}
}

// contentWriter is copyObject, with a check that the path is still unchanged.
func (s *Target) contentWriter(rd *git.Reader, w Write, rescued *scan.Result) func(io.Writer) error {
	copied := copyObject(rd, w)
	return func(out io.Writer) error {
		if err := copied(out); err != nil {
			return err
		}
		// Writing took time: check again before the swap.
		free, err := s.isUnchanged(string(w.Path), rescued)
		if err == nil && !free {
			err = errSavedMeanwhile
		}
		return err
	}
}

// expected returns what the rescue snapshot contains at a path, and what replaces it.
func (s *Target) expected(path string, rescued *scan.Result, oid string) fsroot.Expected {
	h := fsroot.Expected{NewHash: s.Repo.NewHash}
	if e, ok := FindEntry(rescued, path); ok {
		h.OID = e.OID
	}
	if raw, err := hex.DecodeString(oid); err == nil {
		h.New = fsroot.OID(raw)
	}
	return h
}

// reportSaved returns nil when a file that somebody saved during the restore is at its own path:
// the comparison at the end reports it. Otherwise the error names the file's place.
func reportSaved(saved *fsroot.SavedError) error {
	if saved.SetAsideAt == "" {
		return nil
	}
	return belay.Refuse(belay.CodeCannot, "compare both versions, then run the restore again", "%s", saved.Error())
}

// errSavedMeanwhile reports that somebody saved a file while its older content was restored. The
// saved file stays; the comparison at the end reports it.
var errSavedMeanwhile = errors.New("it was saved by another program during the restore")

// isUnchanged reports whether a path may be overwritten: nothing is there, or the rescue snapshot
// contains what is.
func (s *Target) isUnchanged(path string, rescued *scan.Result) (bool, error) {
	info, err := s.Root.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, fsroot.ErrNotFolder):
		return true, nil
	case err != nil:
		return false, err
	case info.Kind == fsroot.Folder:
		return true, nil // a folder is safe: writing over it or removing it fails
	}
	e, ok := FindEntry(rescued, path)
	if !ok {
		return false, nil
	}
	return s.Root.Matches(path, info.Kind, info.Perm, e.OID, s.Repo.NewHash)
}

// FindEntry returns the captured entry of a path.
func FindEntry(r *scan.Result, path string) (scan.Entry, bool) {
	i, ok := slices.BinarySearchFunc(r.Entries, path, func(e scan.Entry, p string) int { return strings.Compare(e.Path, p) })
	if !ok {
		return scan.Entry{}, false
	}
	return r.Entries[i], true
}

// fixModeIfSame reports whether a path already has the right bytes, and sets the mode if only
// that is wrong.
func (s *Target) fixModeIfSame(w Write) (bool, error) {
	path := string(w.Path)
	raw, err := hex.DecodeString(w.OID)
	if err != nil {
		return false, fmt.Errorf("%q is not an object name", w.OID)
	}
	oid := fsroot.OID(raw)
	if w.Mode == 0o120000 {
		return s.Root.Matches(path, fsroot.SymbolicLink, 0, oid, s.Repo.NewHash)
	}
	info, err := s.Root.Lstat(path)
	if err != nil || info.Kind != fsroot.File && info.Kind != fsroot.Exec {
		return false, nil // the write reports the problem
	}
	same, err := s.Root.Matches(path, info.Kind, info.Perm, oid, s.Repo.NewHash)
	if err != nil || !same {
		return false, err
	}
	return true, s.Root.Chmod(path, w.Perm)
}

// MakeParents creates the parent folders of a path; their modes are set at the end.
func MakeParents(root *fsroot.Root, path string) error {
	dir := Parent(path)
	if dir == "" {
		return nil
	}
	if info, err := root.Lstat(dir); err == nil && info.Kind == fsroot.Folder {
		return nil
	}
	if err := MakeParents(root, dir); err != nil {
		return err
	}
	return root.Mkdir(dir, 0o755)
}
