package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/fsroot"
)

// Refs lists the references with one of the prefixes, all without prefixes, sorted by name. A
// prefix ends in a slash, or is a full name. If references are stored in files, no process is
// needed, and those with other names are not read.
func (r *Repo) Refs(ctx context.Context, prefixes ...string) ([]Ref, error) {
	if r.UsesReftable {
		return r.askRefs(ctx, prefixes)
	}
	rd := newRefReader(2 * r.HashSize())
	rd.prefixes = prefixes
	refs, err := rd.readRefs(r.Common, r.Dir)
	if errors.Is(err, ErrUnsupportedRefs) {
		return r.askRefs(ctx, prefixes)
	}
	return slices.DeleteFunc(refs, func(ref Ref) bool { return !rd.isWanted(ref.Name) }), err
}

// AllRefs is Refs without prefixes that also returns broken files in the place of references.
func (r *Repo) AllRefs(ctx context.Context) ([]Ref, []BrokenRef, error) {
	return r.RefsUnread(ctx, nil, nil)
}

// RefsUnread is AllRefs that does not read the files of references for which glance returns true:
// it only checks that their size is that of an object name, and leaves OID empty. For those in seen
// it only checks that they exist.
func (r *Repo) RefsUnread(ctx context.Context, glance func(name string) bool, seen []Ref) ([]Ref, []BrokenRef, error) {
	if r.UsesReftable {
		refs, err := r.askRefs(ctx, nil)
		return refs, nil, err
	}
	rd := newRefReader(2 * r.HashSize())
	rd.isGlanced, rd.seen = glance, seen
	refs, err := rd.readRefs(r.Common, r.Dir)
	broken := rd.list
	if errors.Is(err, ErrUnsupportedRefs) {
		refs, err = r.askRefs(ctx, nil)
	}
	return refs, broken, err
}

// DeleteBroken deletes a broken reference, if its file is unchanged since it was read. It takes no
// lock: git refuses to write a reference that it cannot read.
func (r *Repo) DeleteBroken(b BrokenRef) error {
	for _, dir := range []string{r.Dir, r.Common} {
		path := filepath.Join(dir, filepath.FromSlash(b.Name))
		text, err := fsroot.ReadFile(path, fsroot.MaxSmallFile)
		if err == nil && bytes.Equal(text, b.Data) {
			return fsroot.Remove(path)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove the broken reference %s: %w", b.Name, err)
		}
	}
	return nil
}

// LooseRefs returns the names of references below a prefix that are stored in files of their own,
// including broken ones. None with a reftable.
func (r *Repo) LooseRefs(prefix string) ([]string, error) {
	if r.UsesReftable {
		return nil, nil
	}
	return ListLooseRefs(r.Common, prefix)
}

// askRefs lists references with git. It asks for no types: git would open the objects, and fail on
// the complete list because of one broken ref.
func (r *Repo) askRefs(ctx context.Context, prefixes []string) ([]Ref, error) {
	args := append([]string{"for-each-ref", "--format=%(refname)%00%(objectname)%00%(symref)"}, prefixes...)
	out, err := r.Run(ctx, nil, args...)
	if err != nil {
		return nil, err
	}
	var refs []Ref
	for line := range bytes.Lines(out) {
		f := strings.Split(strings.TrimSuffix(string(line), "\n"), "\x00")
		if len(f) != 3 {
			return nil, fmt.Errorf("list references: git printed %q", line)
		}
		refs = append(refs, Ref{Name: f[0], OID: f[1], Symref: f[2]})
	}
	return refs, nil
}

// Head is the value of HEAD.
type Head struct {
	Branch string // the full reference; "" when detached
	OID    string // the commit; "" while the branch has none
}

// DiffersFrom reports whether HEAD names another branch, or another commit when detached.
func (h Head) DiffersFrom(than Head) bool {
	return h.Branch != than.Branch || h.Branch == "" && h.OID != than.OID
}

// Head reads HEAD. refs are the references of the repository: if they are stored in files no
// process is needed. A branch that is itself symbolic is returned unresolved. CodeCannot when HEAD
// is missing: the folder is no repository any more.
func (r *Repo) Head(ctx context.Context, refs []Ref) (Head, error) {
	var h Head
	if r.UsesReftable {
		out, err := r.Run(ctx, nil, "symbolic-ref", "-q", "--no-recurse", "HEAD")
		var f *CommandError
		if err != nil && (!errors.As(err, &f) || f.Exit != 1) {
			return h, err
		}
		if h.Branch = strings.TrimSuffix(string(out), "\n"); h.Branch == "" {
			out, err = r.Run(ctx, nil, "rev-parse", "-q", "--verify", "--end-of-options", "HEAD")
			h.OID = strings.TrimSuffix(string(out), "\n")
			return h, err
		}
	} else {
		text, err := fsroot.ReadFile(filepath.Join(r.Dir, "HEAD"), fsroot.MaxSmallFile)
		var link *fsroot.LinkError
		if errors.As(err, &link) { // to a branch, as early versions of git wrote HEAD
			target, lerr := fsroot.Readlink(filepath.Join(r.Dir, "HEAD"))
			if lerr == nil && strings.HasPrefix(target, "refs/") {
				text, err = []byte("ref: "+target), nil
			}
		}
		if errors.Is(err, fs.ErrNotExist) { // like git's message about a folder without HEAD
			return h, belay.Refuse(belay.CodeCannot,
				"restore the git folder from a copy; the files are unchanged",
				"%s is no longer a git repository: it has no HEAD", belay.VisibleLine(r.Dir))
		}
		if err != nil {
			return h, fmt.Errorf("read HEAD: %w", err)
		}
		line := strings.TrimSpace(string(text))
		branch, symbolic := strings.CutPrefix(line, "ref:")
		if !symbolic {
			if !IsOID(line) {
				return h, fmt.Errorf("read HEAD: %q names nothing", line)
			}
			return Head{OID: line}, nil
		}
		h.Branch = strings.TrimSpace(branch)
	}
	for _, ref := range refs {
		if ref.Name == h.Branch {
			h.OID = ref.OID
		}
	}
	return h, nil
}

// IsOID reports whether a text is an object name in hex.
func IsOID(s string) bool {
	if len(s) != 40 && len(s) != 64 {
		return false
	}
	return strings.Trim(s, "0123456789abcdef") == ""
}

// Update is one change of a reference. An empty New deletes it; an empty Old means that it must not
// exist yet.
type Update struct{ Ref, New, Old string }

// UpdateRefs makes all changes or none, each only if the reference still has the value Old. For
// HEAD it changes HEAD itself, never its branch. It waits for another process's lock and then
// reports it (CodeBusy).
func (r *Repo) UpdateRefs(ctx context.Context, why string, list []Update) error {
	if len(list) == 0 {
		return nil
	}
	var in bytes.Buffer
	for _, u := range list {
		old := u.Old
		if old == "" {
			old = r.Zero()
		}
		if u.Ref == "HEAD" {
			in.WriteString("option no-deref\x00")
		}
		if u.New == "" {
			fmt.Fprintf(&in, "delete %s\x00%s\x00", u.Ref, old)
			continue
		}
		fmt.Fprintf(&in, "update %s\x00%s\x00%s\x00", u.Ref, u.New, old)
	}
	for _, u := range list {
		if err := r.checkRefPaths(u.Ref); err != nil {
			return err
		}
	}
	return retryLocked(ctx, func() error {
		_, err := r.Run(ctx, bytes.NewReader(in.Bytes()), "update-ref", "-m", why, "--stdin", "-z")
		return err
	})
}

// NewRef is a reference to be created. No other process creates one of its name with another value,
// and Create never replaces one: no lock is needed, and no process if references are stored in
// files.
type NewRef struct {
	r                   *Repo
	name, oid, tempPath string
	synced              <-chan error // has one result while a file is being synced
}

// NewRef prepares a reference in the existing folder scratch: disk space is allocated now, and the
// file is synced while its object is stored.
func (r *Repo) NewRef(name, oid, scratch string) (*NewRef, error) {
	n := &NewRef{r: r, name: name, oid: oid}
	if r.UsesReftable {
		return n, nil
	}
	folder := filepath.Dir(n.path())
	if err := makeFolderLikeParent(folder); err != nil {
		return nil, fmt.Errorf("make %s: %w", name, err)
	}
	f, err := fsroot.CreateTemp(scratch, "ref-*")
	if err != nil {
		return nil, fmt.Errorf("make %s: %w", name, err)
	}
	n.tempPath = f.Name()
	_, err = f.WriteString(oid + "\n")
	mode := fs.FileMode(0o644)
	if info, herr := fsroot.Lstat(filepath.Join(r.Dir, "HEAD")); herr == nil {
		mode = info.Mode().Perm() & 0o666 // like the repository, which several users may share
	}
	if err = errors.Join(err, f.Chmod(mode)); err != nil {
		_ = f.Close()
		n.Discard()
		return nil, fmt.Errorf("make %s: %w", name, RefuseIfFull(err))
	}
	synced := make(chan error, 1)
	go func() { synced <- errors.Join(f.Sync(), f.Close()) }()
	n.synced = synced
	return n, nil
}

// makeFolderLikeParent creates a folder with the mode and the group of its parent.
func makeFolderLikeParent(folder string) error {
	if err := fsroot.Mkdir(folder, 0o700); err != nil {
		if errors.Is(err, fs.ErrExist) {
			return nil
		}
		return RefuseIfFull(err)
	}
	info, err := fsroot.Lstat(filepath.Dir(folder))
	if err != nil {
		return err
	}
	return fsroot.Chmod(folder, info.Mode().Perm()|info.Mode()&fs.ModeSetgid)
}

func (n *NewRef) path() string { return filepath.Join(n.r.Common, filepath.FromSlash(n.name)) }

// Create creates the reference in one step, synced. The object must exist.
func (n *NewRef) Create(ctx context.Context, why string) error {
	if err := n.wait(); err != nil {
		return fmt.Errorf("make %s: %w", n.name, RefuseIfFull(err))
	}
	err := errors.ErrUnsupported
	if !n.r.UsesReftable {
		err = fsroot.Link(n.tempPath, n.path())
	}
	switch {
	case err == nil:
		return fsroot.SyncDir(filepath.Dir(n.path()))
	case errors.Is(err, fs.ErrExist), errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return fmt.Errorf("make %s: %w", n.name, RefuseIfFull(err))
	}
	// A reftable, a file system without hard links, or a folder that git deleted as empty.
	return n.r.UpdateRefs(ctx, why, []Update{{Ref: n.name, New: n.oid}})
}

// Discard removes the prepared file. It may be called after Create as well.
func (n *NewRef) Discard() {
	if n != nil && n.tempPath != "" {
		_ = n.wait()
		_ = fsroot.Remove(n.tempPath)
	}
}

// wait returns when the prepared file is synced.
func (n *NewRef) wait() error {
	if n.synced == nil {
		return nil
	}
	err := <-n.synced
	n.synced = nil
	return err
}

// SetSymref makes a reference, such as HEAD, point to another. It replaces the reference itself,
// never its target.
func (r *Repo) SetSymref(ctx context.Context, why, name, target string) error {
	if err := r.checkRefPaths(name); err != nil {
		return err
	}
	return retryLocked(ctx, func() error {
		_, err := r.Run(ctx, nil, "symbolic-ref", "-m", why, name, target)
		return err
	})
}

// DeleteSymref deletes a symbolic reference and leaves its target unchanged.
func (r *Repo) DeleteSymref(ctx context.Context, name string) error {
	return retryLocked(ctx, func() error {
		_, err := r.Run(ctx, nil, "symbolic-ref", "--delete", name)
		return err
	})
}

// Zero returns the null object name.
func (r *Repo) Zero() string { return strings.Repeat("0", 2*r.HashSize()) }

// CheckedOut returns the branches that other worktrees of this repository have checked out, with
// the folder of each.
func (r *Repo) CheckedOut(ctx context.Context) (map[string]string, error) {
	if _, err := fsroot.Lstat(filepath.Join(r.Common, "worktrees")); errors.Is(err, fs.ErrNotExist) && !r.Linked() {
		return nil, nil // there are no others
	}
	out, err := r.Run(ctx, nil, "worktree", "list", "--porcelain", "-z")
	if err != nil {
		return nil, err
	}
	held := map[string]string{}
	at, n := "", 0
	for f := range strings.SplitSeq(string(out), "\x00") {
		if path, ok := strings.CutPrefix(f, "worktree "); ok {
			at = path
			n++
		}
		// The main worktree is the first in the list. With a separate git dir git prints that
		// instead of the worktree's path, so only the position identifies it.
		own := at == r.Root || n == 1 && !r.Linked()
		if branch, ok := strings.CutPrefix(f, "branch "); ok && !own {
			held[branch] = at
		}
	}
	return held, nil
}
