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

// gitPlan contains the changes that a restore makes to git's own state.
type gitPlan struct {
	target       snapshot.Info
	changesIndex bool // the index differs from the target's
	indexFiles   map[string][]byte
	indexMtime   int64
	indexPerm    uint16
	deletesIndex bool // the target had no index

	adminFiles, stateFiles, logFiles []gitWrite
	changesAdmin, operation, logs    bool
	refs                             []RefMove
	kept                             []Kept
	broken                           []Kept    // what cannot be restored, see findBrokenGit
	notReverted                      []Kept    // changes of the task that cannot be reverted here
	alternates                       []byte    // the current bytes; nil when there are none
	leftFiles                        []string  // git's own files that stay because somebody else changed them
	newHead                          *git.Head // nil: unchanged
	currentHead                      git.Head
	isHeadBroken                     bool              // the ref of HEAD's branch is broken
	brokenRefs                       []git.BrokenRef   // files in the place of a ref that is restored
	seenRefs                         map[string]string // the value of every ref when the rescue snapshot was taken
}

// Reasons why a ref, or a file of git's own, is not restored.
const (
	reasonLostRef  = "the object it named is missing or damaged"
	reasonLostFile = "the snapshot's copy is missing or damaged"
	reasonByOthers = "changed by somebody else"
)

// gitWrite writes one file of a git folder, or deletes it.
type gitWrite struct {
	dir, name string
	data      []byte
	perm      uint16
	isLink    bool // data is its target
	delete    bool
}

// gitState is git's state in a snapshot.
type gitState struct {
	refs       snapshot.RefState
	files      map[string][]byte // below meta/, with pieces joined
	unreadable map[string]bool   // files, and groups of files, that cannot be read
	hasLater   bool              // it contains the files of git.IsAddedLater, if there were any
	worktrees  []byte            // the other worktrees; nil when unknown
	indexTree  string            // the tree of meta/index
}

// readGitState reads git's state in a snapshot. The bytes of the index, which may be many
// megabytes, are left out when its tree is indexNow.
func (s *Store) readGitState(ctx context.Context, i snapshot.Info, indexNow string) (gitState, error) {
	h := gitState{files: map[string][]byte{}, unreadable: map[string]bool{}}
	var err error
	if h.refs, err = s.Snapshots.ReadRefs(ctx, i); err != nil {
		if ctx.Err() != nil {
			return h, err
		}
		h.unreadable["refs"] = true
	}
	rd, err := s.Snapshots.Repo.Reader(ctx)
	if err != nil {
		return h, err
	}
	r := gitStateReader{store: s, ctx: ctx, rd: rd, state: &h}
	defer func() { _ = r.rd.Close() }()
	meta, err := rd.Folder(i.Commit + ":meta")
	if err != nil {
		return h, fmt.Errorf("read snapshot %s: %w", i.ID, err)
	}
	for _, f := range meta {
		if f.Path == worktreesFile {
			if err := r.readWorktrees(f.OID); err != nil {
				return h, fmt.Errorf("read snapshot %s: %w", i.ID, err)
			}
		}
		if f.Type != "tree" {
			continue
		}
		if f.Path == "index" {
			if h.indexTree = f.OID; f.OID == indexNow {
				continue
			}
		}
		if slices.Contains([]string{"state", "admin", "own", "links", "logs", "index", "broken"}, f.Path) {
			if err := r.readFolder(f.Path, f.OID); err != nil {
				return h, fmt.Errorf("read snapshot %s: %w", i.ID, err)
			}
		}
	}
	return h, nil
}

// gitStateReader reads git's state in a snapshot. It marks what cannot be read as unreadable, and
// reads the rest.
type gitStateReader struct {
	store *Store
	ctx   context.Context
	rd    *git.Reader
	state *gitState
}

// readFolder reads a folder of meta/. A file in pieces is a folder of its name.
func (r *gitStateReader) readFolder(name, tree string) error {
	entries, err := r.rd.Walk(tree)
	if err != nil {
		return r.markUnreadable(name, err)
	}
	for _, e := range entries {
		path := name + "/" + e.Path
		if name == "logs" || name == "index" {
			path = path[:strings.LastIndexByte(path, '/')] // the pieces are in order
		}
		o, err := r.rd.Read(e.OID)
		if err != nil {
			if err := r.markUnreadable(path, err); err != nil {
				return err
			}
			continue
		}
		r.state.files[path] = append(r.state.files[path], o.Data...)
	}
	for path := range r.state.unreadable {
		delete(r.state.files, path) // some of its pieces may have been read
	}
	return nil
}

// readWorktrees reads the list of worktrees. No write depends on it: if it cannot be read, added
// worktrees are not reported.
func (r *gitStateReader) readWorktrees(oid string) error {
	r.state.hasLater = true
	o, err := r.rd.Read(oid)
	if err != nil {
		defer delete(r.state.unreadable, worktreesFile)
		return r.markUnreadable(worktreesFile, err)
	}
	r.state.worktrees = append([]byte{}, o.Data...)
	return nil
}

// worktreesFile is the file of meta/ that lists the worktrees.
const worktreesFile = "worktrees"

// markUnreadable marks a path as unreadable, and starts a new git process: git exits at a damaged
// object.
func (r *gitStateReader) markUnreadable(path string, err error) error {
	if r.ctx.Err() != nil {
		return err
	}
	r.state.unreadable[path] = true
	_ = r.rd.Close()
	r.rd, err = r.store.Snapshots.Repo.Reader(r.ctx)
	return err
}

// isUnreadable reports whether a file of a group, or the complete group, cannot be read.
func (h *gitState) isUnreadable(group, name string) bool {
	return h.unreadable[strings.TrimSuffix(group, "/")] || h.unreadable["links"] || h.unreadable[group+name] ||
		h.unreadable["links/"+group+name]
}

// planGit compares git's state now with the target's.
func (s *Store) planGit(ctx context.Context, target snapshot.Info, c *snapshot.Capture, o Options) (*gitPlan, error) {
	then, err := s.Snapshots.Manifest(ctx, target)
	if err != nil {
		return nil, err
	}
	sameIndex := "" // even with equal bytes the index may have to be restored, because of its time
	if then.Index == c.Index.Attributes {
		sameIndex = c.Index.MetaTree
	}
	h, err := s.readGitState(ctx, target, sameIndex)
	if err != nil {
		return nil, err
	}
	g := &gitPlan{target: target, currentHead: c.Head}
	for path := range h.unreadable {
		name := path
		if _, file, ok := strings.Cut(path, "/"); ok && !strings.HasPrefix(path, "logs/") && !strings.HasPrefix(path, "index/") {
			name = strings.TrimPrefix(strings.TrimPrefix(strings.TrimPrefix(file, "state/"), "admin/"), "own/")
		}
		g.broken = append(g.broken, Kept{Path: displayGitName(name), Reason: reasonLostFile})
	}
	slices.SortFunc(g.broken, func(a, b Kept) int { return strings.Compare(a.Path, b.Path) })
	g.deletesIndex = !then.Index.Exists
	// A different time is enough: with a newer one git would trust entries that it has to check
	// again.
	g.changesIndex = h.indexTree != c.Index.MetaTree || then.Index != c.Index.Attributes
	for path := range h.unreadable {
		if path == "index" || strings.HasPrefix(path, "index/") {
			g.changesIndex = false
		}
	}
	g.indexMtime, g.indexPerm, g.indexFiles = then.Index.Mtime, then.Index.Perm, map[string][]byte{}
	if g.changesIndex && o.OnlyGit != nil && !o.OnlyGit("index") {
		g.changesIndex, g.leftFiles = false, append(g.leftFiles, "index")
		g.kept = append(g.kept, Kept{Path: "index", Reason: "the task did not change it"})
	}
	for path, data := range h.files {
		if name, ok := strings.CutPrefix(path, "index/"); ok {
			g.indexFiles[name] = data
		}
	}
	if o.NewWorktree {
		return g, nil
	}
	g.stateFiles = slices.DeleteFunc(s.gitWrites("state/", &h, then.AdminModes, c.OperationFiles),
		func(w gitWrite) bool { return g.leaveOthers(w.name, o) })
	if slices.ContainsFunc(g.leftFiles, func(name string) bool { return name != "index" && name != "ORIG_HEAD" }) {
		g.kept = append(g.kept, Kept{Path: "the operation in progress", Reason: "begun or ended by somebody else"})
	}
	g.operation = len(g.stateFiles) > 0
	g.adminFiles = s.gitWrites("own/", &h, then.AdminModes, c.WorktreeFiles)
	shared := s.gitWrites("admin/", &h, then.AdminModes, c.SharedFiles)
	if s.Snapshots.Repo.Linked() {
		for _, w := range shared {
			k := Kept{Path: w.name, Reason: "shared by all worktrees, and has changed"}
			if g.kept = append(g.kept, k); o.OnlyGit != nil && o.OnlyGit(w.name) {
				g.notReverted = append(g.notReverted, k)
			}
		}
	} else {
		g.adminFiles = append(g.adminFiles, shared...)
	}
	g.adminFiles = slices.DeleteFunc(g.adminFiles, func(w gitWrite) bool {
		others := g.leaveOthers(w.name, o)
		if others {
			g.kept = append(g.kept, Kept{Path: w.name, Reason: reasonByOthers})
		}
		return others
	})
	s.leaveLater(g, h, c, o)
	g.changesAdmin = len(g.adminFiles) > 0
	g.leaveNewWorktrees(h, c, o)
	if h.unreadable["refs"] {
		g.seenRefs = refValues(c.Refs)
		if o.refMoves != nil {
			g.refs = *o.refMoves
		}
		return g, nil
	}
	if err := s.planRefs(ctx, g, &h, c, o); err != nil {
		return nil, err
	}
	return g, s.planReflogs(ctx, g, h, then.AdminModes, c, o)
}

// leaveOthers reports whether a file of git's own is left alone because the task did not change it,
// and records that.
func (g *gitPlan) leaveOthers(name string, o Options) bool {
	if o.OnlyGit == nil || o.OnlyGit(name) {
		return false
	}
	g.leftFiles = append(g.leftFiles, name)
	return true
}

// leaveLater removes from the plan what must not be deleted: files that the snapshot has no
// information about; files of a submodule that was added since, because its repository would be
// broken without its config; and alternates that the task is not known to have added, because
// objects may be missing without them.
func (s *Store) leaveLater(g *gitPlan, h gitState, c *snapshot.Capture, o Options) {
	g.adminFiles = slices.DeleteFunc(g.adminFiles, func(w gitWrite) bool {
		why := ""
		if module := git.ModuleDir(w.name); module != "" && w.delete {
			config := "admin/" + module + "/config"
			if _, had := h.files[config]; !had && !h.unreadable[config] {
				why = "belongs to a submodule added since"
			}
		}
		switch {
		case !h.hasLater && git.IsAddedLater(w.name):
			why = "the snapshot was taken by an older belay that did not capture it"
		case w.name == git.AlternatesFile && o.OnlyGit == nil && o.step == "" && o.refMoves == nil:
			why = "git may need the objects it points to"
		}
		if why != "" {
			g.leftFiles = append(g.leftFiles, w.name)
			g.kept = append(g.kept, Kept{Path: w.name, Reason: why})
		}
		if w.name == git.AlternatesFile && why == "" {
			if at := slices.IndexFunc(c.SharedFiles, func(f git.StateFile) bool { return f.Name == w.name && !f.Link }); at >= 0 {
				g.alternates = c.SharedFiles[at].Data
			}
		}
		return why != ""
	})
}

// leaveNewWorktrees reports the worktrees that the task added. They stay: no snapshot contains
// their files.
func (g *gitPlan) leaveNewWorktrees(h gitState, c *snapshot.Capture, o Options) {
	if h.worktrees == nil || o.OnlyGit == nil || !o.OnlyGit(worktreesFile) {
		return
	}
	for line := range bytes.Lines(c.Worktrees) {
		if _, folder, ok := strings.Cut(strings.TrimSuffix(string(line), "\n"), "\t"); ok && !bytes.Contains(h.worktrees, line) {
			g.notReverted = append(g.notReverted, Kept{Path: folder,
				Reason: "an added worktree; remove it with git worktree remove --force"})
		}
	}
}

// gitWrites returns the writes that make a group of files equal to the snapshot's.
func (s *Store) gitWrites(group string, state *gitState, modes []snapshot.Mode, now []git.StateFile) []gitWrite {
	var list []gitWrite
	here, stays := map[string]git.StateFile{}, map[string]bool{}
	for _, f := range now {
		here[f.Name] = f
	}
	for path, data := range state.files {
		linked, link := strings.CutPrefix(path, "links/")
		name, ok := strings.CutPrefix(linked, group)
		if !ok {
			continue
		}
		want := git.StateFile{Name: name, Data: data, Link: link}
		if !link {
			want.Perm = modeOf(modes, path)
		}
		stays[name] = true
		f, there := here[name]
		if !there || !bytes.Equal(f.Data, want.Data) || f.Perm != want.Perm || f.Link != want.Link {
			list = append(list, gitWrite{dir: s.groupDir(group), name: name, data: data, perm: want.Perm, isLink: link})
		}
	}
	for _, f := range now {
		if !stays[f.Name] && !state.isUnreadable(group, f.Name) {
			list = append(list, gitWrite{dir: s.groupDir(group), name: f.Name, delete: true})
		}
	}
	// Deletions come first: a file may replace a folder.
	slices.SortFunc(list, func(a, b gitWrite) int {
		if a.delete != b.delete {
			return map[bool]int{true: -1, false: 1}[a.delete]
		}
		return strings.Compare(a.name, b.name)
	})
	return list
}

func modeOf(modes []snapshot.Mode, path string) uint16 {
	for _, m := range modes {
		if m.Path == path {
			return m.Perm
		}
	}
	return git.DefaultPerm
}

func (s *Store) groupDir(group string) string {
	if group == "admin/" {
		return s.Snapshots.Repo.Common
	}
	return s.Snapshots.Repo.Dir
}

// replacesRef reports whether a ref is deleted and recreated, which deletes its log.
func (g *gitPlan) replacesRef(ref string) bool {
	return slices.ContainsFunc(g.refs, func(m RefMove) bool {
		return m.Ref == ref && (strings.HasPrefix(m.From, symbolic) || strings.HasPrefix(m.To, symbolic))
	})
}

// writeGit carries out the writes. The folders are git's, but an agent may have replaced their
// content by links, so it uses the writer that follows none.
func (s *Store) writeGit(j *intent, list []gitWrite) error {
	for _, w := range list {
		root, err := fsroot.OpenRoot(w.dir)
		if err != nil {
			return err
		}
		err = s.writeGitOne(root, w)
		if err = j.noteOrFail(displayGitName(w.name), errors.Join(err, root.Close())); err != nil {
			return fmt.Errorf("restore %s: %w", displayGitName(w.name), err)
		}
	}
	return nil
}

// writeAdmin writes git's configuration files. Objects may have been moved to where added
// alternates point: if the target needs them, the alternates stay.
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
	// Use a new process: one that has read objects has cached the alternates.
	out, err := s.Snapshots.Repo.Run(ctx, strings.NewReader(ask.String()), "cat-file", "--batch-check")
	if err == nil && !bytes.Contains(out, []byte(" missing\n")) {
		return nil
	}
	if ctx.Err() == nil { // without alternates git may even fail to start
		g.notReverted, err = append(g.notReverted, Kept{Path: git.AlternatesFile,
			Reason: "it contains the only copy of objects that the repository needs"}), nil
	}
	write := gitWrite{dir: s.Snapshots.Repo.Common, name: git.AlternatesFile, data: g.alternates, perm: git.DefaultPerm}
	return errors.Join(err, s.writeGit(j, []gitWrite{write}))
}

func (s *Store) writeGitOne(root *fsroot.Root, w gitWrite) error {
	if w.delete {
		err := root.Remove(w.name)
		if err == nil || errors.Is(err, fs.ErrNotExist) || errors.Is(err, fsroot.ErrNotFolder) {
			if dir := Parent(w.name); strings.HasPrefix(dir, "rebase-") || strings.HasPrefix(dir, "sequencer") {
				_ = root.Rmdir(dir) // for git the folder alone is an operation in progress
			}
			return nil
		}
		return err
	}
	info, err := root.Lstat(w.name)
	if err == nil && !w.isLink && info.Kind != fsroot.SymbolicLink {
		if now, err := fsroot.ReadFile(filepath.Join(w.dir, filepath.FromSlash(w.name)), fsroot.MaxSmallFile); err == nil &&
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
	if err := MakeParents(root, w.name); err != nil {
		return err
	}
	if w.isLink {
		return root.Symlink(w.name, string(w.data))
	}
	return writeBytes(root, w.name, w.perm, filepath.Join(s.Snapshots.Worktree.Dir, "tmp"), w.data)
}

// writeIndex restores the index through a temporary file that becomes index.lock by a hard link: if
// a kill leaves that lock, its inode and time show that it is belay's. The old modification time is set,
// because git uses it to decide which entries to check again.
func (s *Store) writeIndex(ctx context.Context, j *intent, g *gitPlan) error {
	index, lock := filepath.Join(s.Snapshots.Repo.Dir, "index"), filepath.Join(s.Snapshots.Repo.Dir, "index.lock")
	for name, data := range g.indexFiles {
		if name == "main" {
			continue
		}
		path := filepath.Join(s.Snapshots.Repo.Dir, name)
		if now, err := fsroot.ReadFile(path, fsroot.MaxSmallFile); err != nil || !bytes.Equal(now, data) {
			if err := snapshot.WriteAtomic(path, data, true); err != nil {
				return err
			}
		}
	}
	tmp, err := s.Snapshots.Worktree.MakeScratchDir("tmp")
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
	if err := f.Close(); err != nil {
		return err
	}
	then := time.Unix(0, g.indexMtime)
	if err := fsroot.Chtimes(f.Name(), then, then); err != nil {
		return err
	}
	info, err := fsroot.Lstat(f.Name())
	if err != nil {
		return err
	}
	j.IndexInode, j.IndexMtime = inodeOf(info), info.ModTime().UnixNano()
	if err := s.writeIntent(j); err != nil {
		return err
	}
	return s.swapIndex(ctx, f.Name(), index, lock, g.deletesIndex)
}

func (s *Store) swapIndex(ctx context.Context, tmp, index, lock string, gone bool) error {
	if err := s.waitForIndexLock(ctx); err != nil {
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

// waitForIndexLock waits a moment for git to release its index lock, and never removes it.
func (s *Store) waitForIndexLock(ctx context.Context) error {
	return s.waitForLock(ctx, filepath.Join(s.Snapshots.Repo.Dir, "index.lock"))
}

// waitForLock waits a moment for a lock of git's, and then fails with CodeBusy.
func (s *Store) waitForLock(ctx context.Context, path string) error {
	for deadline := time.Now().Add(2 * time.Second); ; {
		if _, err := fsroot.Lstat(path); err != nil { // missing, or its parent is not a folder
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
