package restore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/fsroot"
	"github.com/belay-dev/belay/internal/git"
	"github.com/belay-dev/belay/internal/snapshot"
)

// gitPlan is what a restore does to git's own state.
type gitPlan struct {
	target     snapshot.Info
	index      bool // the index is not what it was
	indexFiles map[string][]byte
	indexMtime int64
	indexPerm  uint16
	noIndex    bool // there was none

	adminFiles, stateFiles, logFiles []gitWrite
	admin, operation, logs           bool
	refs                             []RefMove
	kept                             []Kept
	broken                           []Kept    // what cannot be restored, see brokenGit
	stay                             []Kept    // of what the task did, what cannot be taken back here
	alternates                       []byte    // as they are now; nil when there are none
	left                             []string  // of git's own files, because somebody else changed them
	head                             *git.Head // nil: as it is
	headNow                          git.Head
	headLost                         bool              // HEAD names a branch that names nothing
	unnamed                          []git.BrokenRef   // in the place of a ref that comes back
	seen                             map[string]string // where every ref stood when the present was held
}

// Why a ref, or a file of git's own, is not restored from a snapshot.
const (
	lostRef  = "the object it named is missing or damaged"
	lostFile = "the snapshot's copy is missing or damaged"
	byOthers = "changed by somebody else"
)

// gitWrite puts one file of a git folder back, or takes it away.
type gitWrite struct {
	dir, name string
	data      []byte
	perm      uint16
	link      bool // data is its target
	gone      bool
}

// held is git's state as a snapshot holds it.
type held struct {
	refs  snapshot.HeldRefs
	files map[string][]byte // below meta/, pieces joined
	lost  map[string]bool   // of those, and of groups of them, what cannot be read
	later bool              // it holds git.Later, as far as they were there
	trees []byte            // which other working trees there were; nil when that is not known
	index string            // the tree of meta/index
}

// heldState reads it. The bytes of the index, which may be many megabytes, are left out where its tree is the given one.
func (s *Store) heldState(ctx context.Context, i snapshot.Info, indexNow string) (held, error) {
	h := held{files: map[string][]byte{}, lost: map[string]bool{}}
	var err error
	if h.refs, err = s.Snapshots.RefsOf(ctx, i); err != nil {
		if ctx.Err() != nil {
			return h, err
		}
		h.lost["refs"] = true
	}
	rd, err := s.Snapshots.Repo.Reader(ctx)
	if err != nil {
		return h, err
	}
	r := heldReader{s: s, ctx: ctx, rd: rd, h: &h}
	defer func() { _ = r.rd.Close() }()
	meta, err := rd.Folder(i.Commit + ":meta")
	if err != nil {
		return h, fmt.Errorf("read snapshot %s: %w", i.ID, err)
	}
	for _, f := range meta {
		if f.Path == treesFile {
			if err := r.trees(f.OID); err != nil {
				return h, fmt.Errorf("read snapshot %s: %w", i.ID, err)
			}
		}
		if f.Type != "tree" {
			continue
		}
		if f.Path == "index" {
			if h.index = f.OID; f.OID == indexNow {
				continue
			}
		}
		if slices.Contains([]string{"state", "admin", "own", "links", "logs", "index", "broken"}, f.Path) {
			if err := r.read(f.Path, f.OID); err != nil {
				return h, fmt.Errorf("read snapshot %s: %w", i.ID, err)
			}
		}
	}
	return h, nil
}

// heldReader reads what a snapshot holds of git's state. What cannot be read is noted as
// lost, and the rest is read.
type heldReader struct {
	s   *Store
	ctx context.Context
	rd  *git.Reader
	h   *held
}

// read reads a folder of meta/. Pieces of one file are in a folder of its name.
func (r *heldReader) read(name, tree string) error {
	entries, err := r.rd.Walk(tree)
	if err != nil {
		return r.lost(name, err)
	}
	for _, e := range entries {
		path := name + "/" + e.Path
		if name == "logs" || name == "index" {
			path = path[:strings.LastIndexByte(path, '/')] // the pieces come in order
		}
		o, err := r.rd.Read(e.OID)
		if err != nil {
			if err := r.lost(path, err); err != nil {
				return err
			}
			continue
		}
		r.h.files[path] = append(r.h.files[path], o.Data...)
	}
	for path := range r.h.lost {
		delete(r.h.files, path) // some of its pieces may have come
	}
	return nil
}

// trees reads which working trees there were. Nothing is written because of it: where it
// cannot be read, those that were added are not named, and nothing else is amiss.
func (r *heldReader) trees(oid string) error {
	r.h.later = true
	o, err := r.rd.Read(oid)
	if err != nil {
		defer delete(r.h.lost, treesFile)
		return r.lost(treesFile, err)
	}
	r.h.trees = append([]byte{}, o.Data...)
	return nil
}

// treesFile of meta/ says which working trees there were.
const treesFile = "worktrees"

// lost notes what cannot be read, and reads on with another process: git ends at an object
// that is damaged.
func (r *heldReader) lost(path string, err error) error {
	if r.ctx.Err() != nil {
		return err
	}
	r.h.lost[path] = true
	_ = r.rd.Close()
	r.rd, err = r.s.Snapshots.Repo.Reader(r.ctx)
	return err
}

// without reports whether a file of a group, or the whole group, cannot be read.
func (h *held) without(group, name string) bool {
	return h.lost[strings.TrimSuffix(group, "/")] || h.lost["links"] || h.lost[group+name] || h.lost["links/"+group+name]
}

// planGit compares git's state now with the target's.
func (s *Store) planGit(ctx context.Context, target snapshot.Info, c *snapshot.Capture, o Options) (*gitPlan, error) {
	then, err := s.Snapshots.Manifest(ctx, target)
	if err != nil {
		return nil, err
	}
	sameIndex := "" // of which only the bytes may be the same: its time has to be restored with them
	if then.Index == c.Index.Facts {
		sameIndex = c.Index.Tree
	}
	h, err := s.heldState(ctx, target, sameIndex)
	if err != nil {
		return nil, err
	}
	g := &gitPlan{target: target, headNow: c.Head}
	for path := range h.lost {
		name := path
		if _, file, ok := strings.Cut(path, "/"); ok && !strings.HasPrefix(path, "logs/") && !strings.HasPrefix(path, "index/") {
			name = strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(file, "state/"), "admin/"), "own/")
		}
		g.broken = append(g.broken, Kept{Path: gitName(name), Why: lostFile})
	}
	slices.SortFunc(g.broken, func(a, b Kept) int { return strings.Compare(a.Path, b.Path) })
	g.noIndex = !then.Index.Exists
	// The time alone matters too: with a newer one git would believe entries that it has
	// to look at twice.
	g.index = h.index != c.Index.Tree || then.Index != c.Index.Facts
	for path := range h.lost {
		if path == "index" || strings.HasPrefix(path, "index/") {
			g.index = false
		}
	}
	g.indexMtime, g.indexPerm, g.indexFiles = then.Index.Mtime, then.Index.Perm, map[string][]byte{}
	if g.index && o.OnlyGit != nil && !o.OnlyGit("index") {
		g.index, g.left = false, append(g.left, "index")
		g.kept = append(g.kept, Kept{Path: "index", Why: "the task did not change it"})
	}
	for path, data := range h.files {
		if name, ok := strings.CutPrefix(path, "index/"); ok {
			g.indexFiles[name] = data
		}
	}
	if o.Plant {
		return g, nil
	}
	g.stateFiles = slices.DeleteFunc(s.gitWrites("state/", &h, then.Links, c.State), func(w gitWrite) bool { return g.others(w.name, o) })
	if slices.ContainsFunc(g.left, func(name string) bool { return name != "index" && name != "ORIG_HEAD" }) {
		g.kept = append(g.kept, Kept{Path: "the operation in progress", Why: "begun or ended by somebody else"})
	}
	g.operation = len(g.stateFiles) > 0
	g.adminFiles = s.gitWrites("own/", &h, then.Links, c.Own)
	shared := s.gitWrites("admin/", &h, then.Links, c.Admin)
	if s.Snapshots.Repo.Linked() {
		for _, w := range shared {
			k := Kept{Path: w.name, Why: "shared by all worktrees, and has changed"}
			if g.kept = append(g.kept, k); o.OnlyGit != nil && o.OnlyGit(w.name) {
				g.stay = append(g.stay, k)
			}
		}
	} else {
		g.adminFiles = append(g.adminFiles, shared...)
	}
	g.adminFiles = slices.DeleteFunc(g.adminFiles, func(w gitWrite) bool {
		others := g.others(w.name, o)
		if others {
			g.kept = append(g.kept, Kept{Path: w.name, Why: byOthers})
		}
		return others
	})
	s.leaveLater(g, h, c, o)
	g.admin = len(g.adminFiles) > 0
	g.newTrees(h, c, o)
	if h.lost["refs"] {
		g.seen = values(c.Refs)
		if o.decided != nil {
			g.refs = *o.decided
		}
		return g, nil
	}
	if err := s.planRefs(ctx, g, &h, c, o); err != nil {
		return nil, err
	}
	return g, s.planLogs(ctx, g, h, then.Links, c, o)
}

// others reports a file of git's own that the task did not change, which stays.
func (g *gitPlan) others(name string, o Options) bool {
	if o.OnlyGit == nil || o.OnlyGit(name) {
		return false
	}
	g.left = append(g.left, name)
	return true
}

// leaveLater takes out of the plan what must not be taken away: files that the snapshot
// says nothing of, those of a submodule that was made since, whose repository would be
// broken without its config, and alternates that nobody is known to have added: without
// them objects may be missing.
func (s *Store) leaveLater(g *gitPlan, h held, c *snapshot.Capture, o Options) {
	g.adminFiles = slices.DeleteFunc(g.adminFiles, func(w gitWrite) bool {
		why := ""
		if module := git.ModuleOf(w.name); module != "" && w.gone {
			config := "admin/" + module + "/config"
			if _, had := h.files[config]; !had && !h.lost[config] {
				why = "belongs to a submodule added since"
			}
		}
		switch {
		case !h.later && git.Later(w.name):
			why = "the snapshot was taken by an older belay that did not capture it"
		case w.name == git.Alternates && o.OnlyGit == nil && o.step == "" && o.decided == nil:
			why = "git may need the objects it points to"
		}
		if why != "" {
			g.left = append(g.left, w.name)
			g.kept = append(g.kept, Kept{Path: w.name, Why: why})
		}
		if w.name == git.Alternates && why == "" {
			if at := slices.IndexFunc(c.Admin, func(f git.StateFile) bool { return f.Name == w.name && !f.Link }); at >= 0 {
				g.alternates = c.Admin[at].Data
			}
		}
		return why != ""
	})
}

// newTrees names the working trees that the task added: what is in them is held nowhere,
// so they stay.
func (g *gitPlan) newTrees(h held, c *snapshot.Capture, o Options) {
	if h.trees == nil || o.OnlyGit == nil || !o.OnlyGit(treesFile) {
		return
	}
	for line := range bytes.Lines(c.Trees) {
		if _, folder, ok := strings.Cut(strings.TrimSuffix(string(line), "\n"), "\t"); ok && !bytes.Contains(h.trees, line) {
			g.stay = append(g.stay, Kept{Path: folder, Why: "an added worktree; remove it with git worktree remove --force"})
		}
	}
}

// gitWrites returns what has to change so that the files of a group are those held.
func (s *Store) gitWrites(group string, held *held, modes []snapshot.Mode, now []git.StateFile) []gitWrite {
	var list []gitWrite
	here, stays := map[string]git.StateFile{}, map[string]bool{}
	for _, f := range now {
		here[f.Name] = f
	}
	for path, data := range held.files {
		linked, link := strings.CutPrefix(path, "links/")
		name, ok := strings.CutPrefix(linked, group)
		if !ok {
			continue
		}
		want := git.StateFile{Name: name, Data: data, Link: link}
		if !link {
			want.Perm = permOf(modes, path)
		}
		stays[name] = true
		f, there := here[name]
		if !there || !bytes.Equal(f.Data, want.Data) || f.Perm != want.Perm || f.Link != want.Link {
			list = append(list, gitWrite{dir: s.dirOf(group), name: name, data: data, perm: want.Perm, link: link})
		}
	}
	for _, f := range now {
		if !stays[f.Name] && !held.without(group, f.Name) {
			list = append(list, gitWrite{dir: s.dirOf(group), name: f.Name, gone: true})
		}
	}
	// What goes first makes room for a file where a folder was.
	slices.SortFunc(list, func(a, b gitWrite) int {
		if a.gone != b.gone {
			return map[bool]int{true: -1, false: 1}[a.gone]
		}
		return strings.Compare(a.name, b.name)
	})
	return list
}

func permOf(modes []snapshot.Mode, path string) uint16 {
	for _, m := range modes {
		if m.Path == path {
			return m.Perm
		}
	}
	return git.UsualPerm
}

func (s *Store) dirOf(group string) string {
	if group == "admin/" {
		return s.Snapshots.Repo.Common
	}
	return s.Snapshots.Repo.Dir
}

// replaces reports whether a ref is taken away and recreated, which costs it its log.
func (g *gitPlan) replaces(ref string) bool {
	return slices.ContainsFunc(g.refs, func(m RefMove) bool {
		return m.Ref == ref && (strings.HasPrefix(m.From, symbolic) || strings.HasPrefix(m.To, symbolic))
	})
}

// writeGit does the writes. The folders are git's, but what is in them may have been
// swapped for links, so the same careful writer is used.
func (s *Store) writeGit(j *intent, list []gitWrite) error {
	for _, w := range list {
		root, err := fsroot.OpenRoot(w.dir)
		if err != nil {
			return err
		}
		err = s.writeGitOne(root, w)
		if err = j.may(gitName(w.name), errors.Join(err, root.Close())); err != nil {
			return fmt.Errorf("restore %s: %w", gitName(w.name), err)
		}
	}
	return nil
}

// writeAdmin does the writes of what steers git. Alternates that were added may lead to
// objects that were moved there: when the target needs them, they stay.
func (s *Store) writeAdmin(ctx context.Context, j *intent, g *gitPlan) error {
	if err := s.writeGit(j, g.adminFiles); err != nil || g.alternates == nil {
		return err
	}
	var ask strings.Builder
	fmt.Fprintf(&ask, "%s\n%s\n", g.target.Commit, g.target.Tree)
	for _, m := range g.refs {
		if git.IsOID(m.To) {
			fmt.Fprintln(&ask, m.To)
		}
	}
	if g.target.Head != "" {
		fmt.Fprintf(&ask, "%s^{tree}\n", g.target.Head)
	}
	// A process of its own: one that has been reading objects still knows the alternates.
	out, err := s.Snapshots.Repo.Run(ctx, strings.NewReader(ask.String()), "cat-file", "--batch-check")
	if err == nil && !bytes.Contains(out, []byte(" missing\n")) {
		return nil
	}
	if ctx.Err() == nil { // git may even refuse to start without them
		g.stay, err = append(g.stay, Kept{Path: git.Alternates, Why: "it contains the only copy of objects that the repository needs"}), nil
	}
	write := gitWrite{dir: s.Snapshots.Repo.Common, name: git.Alternates, data: g.alternates, perm: git.UsualPerm}
	return errors.Join(err, s.writeGit(j, []gitWrite{write}))
}

func (s *Store) writeGitOne(root *fsroot.Root, w gitWrite) error {
	if w.gone {
		err := root.Remove(w.name)
		if err == nil || errors.Is(err, fs.ErrNotExist) || errors.Is(err, fsroot.ErrNotFolder) {
			if dir := Parent(w.name); strings.HasPrefix(dir, "rebase-") || strings.HasPrefix(dir, "sequencer") {
				_ = root.Rmdir(dir) // git takes the folder itself for an operation
			}
			return nil
		}
		return err
	}
	info, err := root.Lstat(w.name)
	if err == nil && !w.link && info.Kind != fsroot.SymbolicLink {
		if now, err := fsroot.ReadFile(filepath.Join(w.dir, filepath.FromSlash(w.name)), fsroot.Usual); err == nil &&
			bytes.Equal(now, w.data) {
			if info.Perm == w.perm {
				return nil
			}
			return root.Chmod(w.name, w.perm)
		}
	}
	if err == nil && info.Kind == fsroot.Folder {
		if err := root.Rmdir(w.name); err != nil {
			return fmt.Errorf("a folder is in its place: %w", err)
		}
	}
	if err := Parents(root, w.name); err != nil {
		return err
	}
	if w.link {
		return root.Symlink(w.name, string(w.data))
	}
	return writeBytes(root, w.name, w.perm, filepath.Join(s.Snapshots.Place.Dir, "tmp"), w.data)
}

// writeIndex puts the index back through a file of our own that becomes index.lock by
// a link: if a kill leaves that lock behind, its inode says that it is ours. The old
// modification time is set, because git tells from it which entries to look at twice.
func (s *Store) writeIndex(ctx context.Context, j *intent, g *gitPlan) error {
	index, lock := filepath.Join(s.Snapshots.Repo.Dir, "index"), filepath.Join(s.Snapshots.Repo.Dir, "index.lock")
	for name, data := range g.indexFiles {
		if name == "main" {
			continue
		}
		path := filepath.Join(s.Snapshots.Repo.Dir, name)
		if now, err := fsroot.ReadFile(path, fsroot.Usual); err != nil || !bytes.Equal(now, data) {
			if err := snapshot.WriteWhole(path, data, true); err != nil {
				return err
			}
		}
	}
	tmp, err := s.Snapshots.Place.Scratch("tmp")
	if err != nil {
		return err
	}
	f, err := fsroot.CreateTemp(tmp, "index-")
	if err != nil {
		return fmt.Errorf("restore the index: %w", err)
	}
	defer fsroot.Remove(f.Name())
	_, err = f.Write(g.indexFiles["main"])
	if err = errors.Join(err, f.Chmod(fs.FileMode(g.indexPerm)), f.Sync()); err != nil {
		f.Close()
		return fmt.Errorf("restore the index: %w", err)
	}
	info, err := f.Stat()
	if err = errors.Join(err, f.Close()); err != nil {
		return err
	}
	then := time.Unix(0, g.indexMtime)
	if err := fsroot.Chtimes(f.Name(), then, then); err != nil {
		return err
	}
	j.IndexInode = inode(info)
	if err := s.writeIntent(j); err != nil {
		return err
	}
	return s.swapIndex(ctx, f.Name(), index, lock, g.noIndex)
}

func (s *Store) swapIndex(ctx context.Context, tmp, index, lock string, gone bool) error {
	if err := s.indexFree(ctx); err != nil {
		return err
	}
	if err := snapshot.Fault("link", lock); err != nil {
		return err
	}
	if err := fsroot.Link(tmp, lock); err != nil {
		return fmt.Errorf("lock the index: %w", err)
	}
	if err := snapshot.Fault("rename", index); err != nil {
		return errors.Join(err, fsroot.Remove(lock))
	}
	if gone {
		err := fsroot.Remove(index)
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		return errors.Join(err, fsroot.Remove(lock))
	}
	if err := fsroot.Rename(lock, index); err != nil {
		return errors.Join(fmt.Errorf("restore the index: %w", err), fsroot.Remove(lock))
	}
	return nil
}

// indexFree waits a moment for git's index lock to go; it is never removed.
func (s *Store) indexFree(ctx context.Context) error {
	return s.lockFree(ctx, filepath.Join(s.Snapshots.Repo.Dir, "index.lock"))
}

// lockFree waits a moment for a lock of git's, and refuses then (CodeBusy).
func (s *Store) lockFree(ctx context.Context, path string) error {
	for deadline := time.Now().Add(2 * time.Second); ; {
		if _, err := fsroot.Lstat(path); err != nil { // not there; or its folder is something else
			return nil
		}
		if time.Now().After(deadline) {
			return belay.Refuse(belay.CodeBusy, "wait for it; if no git runs, remove that file",
				"%s is locked by another git process", belay.VisibleLine(path))
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
}
