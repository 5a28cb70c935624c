package snapshot

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/worktree"
)

// RestoreOptions says what of a snapshot is put back. The zero value means everything.
type RestoreOptions struct {
	Paths     []string               // only these paths and what is below them; files alone
	Preserve  []string               // doublestar globs that are left alone
	Only      func(path string) bool // false: left alone and named in Kept
	OnlyRef   func(name string) bool // which refs a task touched; nil: moved ones go back, new ones stay
	DryRun    bool                   // plan, change nothing
	FilesOnly bool                   // leave index, HEAD, refs and git's own files
	Force     bool                   // also when branches would move that the snapshot does not know
	Task      belay.TaskID           // for the rescue's record
	Command   string                 // likewise
	Reason    string                 // likewise
}

// RefMove is a ref that a restore moves. From or To is empty when it is made or
// deleted.
type RefMove struct {
	Ref  string `json:"ref"`
	From string `json:"from,omitempty"`
	To   string `json:"to,omitempty"`
}

// Restored is what a restore did, or would do.
type Restored struct {
	Target    belay.SnapshotID `json:"target"`
	Rescue    belay.SnapshotID `json:"rescue,omitempty"` // the present before it; "" when nothing differed
	Written   []string         `json:"written"`
	Removed   []string         `json:"removed"`
	Kept      []Kept           `json:"kept"`
	Refs      []RefMove        `json:"refs"`
	KeptRefs  []Kept           `json:"kept_refs"`
	Index     bool             `json:"index"`     // the index was put back
	Head      bool             `json:"head"`      // HEAD was
	Operation bool             `json:"operation"` // files of an operation in progress were
	Admin     bool             `json:"admin"`     // config, hooks or info files were
}

func (r *Restored) nothing() bool {
	return len(r.Written)+len(r.Removed)+len(r.Refs) == 0 && !r.Index && !r.Head && !r.Operation && !r.Admin
}

func (s *Store) lockPath() string   { return filepath.Join(s.dir, "restore.lock") }
func (s *Store) intentPath() string { return filepath.Join(s.dir, "intent.json") }

// Interrupted reports whether a restore was cut short.
func (s *Store) Interrupted() bool {
	_, err := os.Lstat(s.intentPath())
	return err == nil
}

// Restore puts a snapshot's state back. Whatever it would overwrite or delete is held
// first, as a rescue; what the rescue does not hold is never destroyed: the restore is
// refused (CodeCannot) before the first byte, with the path that is in the way. Files
// that are right keep their times. Killed anywhere, the next command finishes it.
//
// CodeBusy: another process restores, or holds git's index lock. CodeNotFound: no such
// snapshot.
func (s *Store) Restore(ctx context.Context, id belay.SnapshotID, o RestoreOptions) (Restored, error) {
	unlock, err := s.exclude(ctx)
	if err != nil {
		return Restored{}, err
	}
	defer unlock()
	if _, err := s.recover(ctx); err != nil {
		return Restored{}, err
	}
	out, j, err := s.restore(ctx, id, o)
	if err != nil || o.DryRun || out.Rescue == "" {
		return out, err
	}
	return out, s.done(j, func(h *history) { h.push(j) })
}

// exclude takes the tree for a restore.
func (s *Store) exclude(ctx context.Context) (func(), error) {
	if _, err := s.scratch(); err != nil {
		return nil, err
	}
	lock := flock.New(s.lockPath())
	waiting, stop := context.WithTimeout(ctx, 10*time.Second)
	defer stop()
	if ok, err := lock.TryLockContext(waiting, 20*time.Millisecond); !ok {
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if err == nil || errors.Is(err, context.DeadlineExceeded) {
			return nil, s.busy()
		}
		return nil, fmt.Errorf("lock %s: %w", lock.Path(), err)
	}
	host, _ := os.Hostname()
	note, _ := json.Marshal(map[string]any{"pid": os.Getpid(), "host": host, "since": s.opts.Now().Format(time.RFC3339)})
	_ = os.WriteFile(s.lockPath(), note, 0o600) // for people; the lock itself is what counts
	return func() { _ = lock.Unlock() }, nil
}

func (s *Store) busy() error {
	note, _ := os.ReadFile(s.lockPath())
	return belay.Refuse(belay.CodeBusy, "wait for it to end", "another belay restores in this working tree %s", belay.VisibleLine(string(note)))
}

// restore does everything but recording it in the history.
func (s *Store) restore(ctx context.Context, id belay.SnapshotID, o RestoreOptions) (Restored, *intent, error) {
	if len(o.Paths) > 0 {
		o.FilesOnly = true
	}
	target, err := s.lookUp(ctx, id)
	if err != nil {
		return Restored{}, nil, err
	}
	if !o.FilesOnly && !o.DryRun {
		if err := s.indexFree(ctx); err != nil {
			return Restored{}, nil, err
		}
	}
	rescue, c, pl, err := s.prepare(ctx, target, o)
	if err != nil {
		return Restored{}, nil, err
	}
	defer pl.root.Close()
	g := &gitPlan{}
	if !o.FilesOnly {
		if g, err = s.planGit(ctx, target, c, o); err != nil {
			return Restored{}, nil, s.giveUp(ctx, rescue, err)
		}
	}
	out := pl.p.report(target.ID, g)
	if o.DryRun {
		return out, nil, pl.p.refusal()
	}
	if out.nothing() && len(pl.p.Chmod)+len(pl.p.Mkdir)+len(pl.p.Rmdir) == 0 {
		return out, nil, s.giveUp(ctx, rescue, nil)
	}
	if err := errors.Join(pl.p.refusal(), s.room(ctx, &pl.p)); err != nil {
		return out, nil, s.giveUp(ctx, rescue, err)
	}
	out.Rescue = rescue.ID
	j := &intent{Target: target.ID, Rescue: rescue.ID, FilesOnly: o.FilesOnly, Plan: pl.p, Refs: g.refs, Partial: o.Only != nil || len(o.Paths) > 0 || len(o.Preserve) > 0}
	if err := s.writeIntent(j); err != nil {
		return out, nil, s.giveUp(ctx, rescue, err)
	}
	return out, j, s.carryOut(ctx, pl.root, j, g)
}

// prepare holds the present and plans. What is ignored today and would be overwritten
// is held as well.
func (s *Store) prepare(ctx context.Context, target Info, o RestoreOptions) (Info, *capture, *planner, error) {
	then, err := s.manifest(ctx, target)
	if err != nil {
		return Info{}, nil, nil, err
	}
	root, err := worktree.OpenRoot(s.repo.Root)
	if err != nil {
		return Info{}, nil, nil, err
	}
	var include []string
	for {
		rescue, c, err := s.present(ctx, target, o, include)
		if err != nil {
			return Info{}, nil, nil, errors.Join(err, root.Close())
		}
		pl := &planner{s: s, opts: o, scan: c.scan, now: sideOf(rescue, c.man), then: sideOf(target, then), root: root,
			goneFolders: map[string]bool{}, comeFolders: map[string]bool{}, wasIgnored: map[string]bool{}, removedPaths: map[string]bool{}}
		if err := pl.files(ctx); err != nil {
			return Info{}, nil, nil, errors.Join(s.giveUp(ctx, rescue, err), root.Close())
		}
		unheld := pl.unheld()
		if len(unheld) == 0 || include != nil {
			return rescue, c, pl, nil
		}
		if err := s.giveUp(ctx, rescue, nil); err != nil {
			return Info{}, nil, nil, errors.Join(err, root.Close())
		}
		include = unheld
	}
}

// unheld gives, as globs, ignored files of today that lie where the plan writes.
func (pl *planner) unheld() []string {
	var globs []string
	for _, w := range pl.p.Writes {
		path := string(w.Path)
		info, err := pl.root.Lstat(path)
		if err == nil && info.Kind != worktree.Folder && info.Kind != worktree.Other && !pl.held(path) && pl.now.man.WasIgnored(path) {
			globs = append(globs, quoteGlob(path))
		}
	}
	return globs
}

func quoteGlob(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`, `]`, `\]`, `{`, `\{`, `}`, `\}`).Replace(path)
}

// present holds the present as a rescue; a dry run only reads it.
func (s *Store) present(ctx context.Context, target Info, o RestoreOptions, include []string) (Info, *capture, error) {
	if !o.DryRun {
		return s.take(ctx, Meta{Kind: belay.KindRescue, Task: o.Task, Command: o.Command,
			Message: strings.TrimSpace("before restoring " + target.ID.Short() + " " + o.Reason)}, include)
	}
	c, err := s.read(ctx, include, nothingMore)
	if err != nil {
		return Info{}, nil, err
	}
	return Info{Tree: c.tree}, c, nil
}

// giveUp drops a rescue that nothing was destroyed after, and passes the error on.
func (s *Store) giveUp(ctx context.Context, rescue Info, err error) error {
	if rescue.commit == "" {
		return err
	}
	return errors.Join(err, s.drop(ctx, []Info{rescue}))
}

func (p *plan) report(target belay.SnapshotID, g *gitPlan) Restored {
	out := Restored{Target: target, Written: []string{}, Removed: []string{}, Kept: p.Kept, Refs: g.refs, KeptRefs: g.kept,
		Index: g.index, Head: g.head != nil, Operation: g.operation, Admin: g.admin}
	for _, w := range p.Writes {
		out.Written = append(out.Written, string(w.Path))
	}
	for _, r := range slices.Backward(p.Remove) {
		out.Removed = append(out.Removed, string(r))
	}
	return out
}

// indexFree waits a moment for git's index lock to go; it is never removed.
func (s *Store) indexFree(ctx context.Context) error {
	path := filepath.Join(s.repo.Dir, "index.lock")
	for deadline := time.Now().Add(2 * time.Second); ; {
		if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		if time.Now().After(deadline) {
			return belay.Refuse(belay.CodeBusy, "wait for it; if no git runs, remove that file", "another git process holds %s", belay.VisibleLine(path))
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// room refuses a restore that the disk has no place for, before the first write.
func (s *Store) room(ctx context.Context, p *plan) error {
	var oids []string
	for _, w := range p.Writes {
		oids = append(oids, w.OID)
	}
	sizes, err := s.repo.Sizes(ctx, oids)
	if err != nil {
		return err
	}
	var need int64 = 1 << 20
	for i, n := range sizes {
		if n < 0 {
			return belay.Refuse(belay.CodeCannot, "belay doctor", "the bytes of %s are gone from the repository", belay.VisibleLine(string(p.Writes[i].Path)))
		}
		need += n
	}
	free, known := freeSpace(s.repo.Root)
	if known && free < need {
		return belay.Refuse(belay.CodeCannot, "free some space and try again", "the restore needs %d MiB and %d are free", need>>20, free>>20)
	}
	return nil
}

// carryOut does what the intent says, in an order in which every step can be done
// again: what steers git first, so that git sees a sane config, then the files, then
// index, operation, refs and reflogs, then everything is synced and looked at once more.
func (s *Store) carryOut(ctx context.Context, root *worktree.Root, j *intent, g *gitPlan) error {
	if err := s.writeGit(g.adminFiles); err != nil {
		return err
	}
	if err := s.applyFiles(ctx, root, &j.Plan); err != nil {
		return err
	}
	if g.index {
		if err := s.writeIndex(ctx, j, g); err != nil {
			return err
		}
	}
	if err := s.writeGit(g.stateFiles); err != nil {
		return err
	}
	if err := s.remakeTags(ctx, g.target, j.Refs); err != nil {
		return err
	}
	if err := s.moveRefs(ctx, j, g); err != nil {
		return err
	}
	if err := s.writeGit(g.logFiles); err != nil {
		return err
	}
	if err := root.Sync(); err != nil {
		return err
	}
	return s.compare(ctx, &j.Plan)
}

// compare scans once more and says what is not as planned: a restore never claims what
// it did not reach.
func (s *Store) compare(ctx context.Context, p *plan) error {
	c := &capture{blobs: map[string]*source{}}
	if err := s.readGitState(ctx, c); err != nil {
		return err
	}
	var include []string
	for _, w := range p.Writes {
		include = append(include, quoteGlob(string(w.Path)))
	}
	if len(include) > 1000 {
		include = nil // too many to match one by one; ignored ones are then not looked at
	}
	scan, err := s.scan(ctx, c, include, false)
	if err != nil {
		return err
	}
	find := func(path string) (worktree.Entry, bool) {
		i, ok := slices.BinarySearchFunc(scan.Entries, path, func(e worktree.Entry, p string) int { return strings.Compare(e.Path, p) })
		if !ok {
			return worktree.Entry{}, false
		}
		return scan.Entries[i], true
	}
	var wrong []string
	for _, w := range p.Writes {
		e, there := find(string(w.Path))
		same := there && e.OID.String() == w.OID && modeOf(e.Kind) == w.Mode && (e.Kind == worktree.Link || e.Perm == w.Perm)
		if !same && (there || include != nil) {
			wrong = append(wrong, string(w.Path))
		}
	}
	for _, r := range p.Remove {
		if _, there := find(string(r)); there {
			wrong = append(wrong, string(r))
		}
	}
	if len(wrong) > 0 {
		return belay.Refuse(belay.CodeCannot, "stop what writes there, then run the restore again", "%s changed while it was restored (%d path(s))", belay.VisibleLine(wrong[0]), len(wrong))
	}
	return nil
}

// ignoredThen asks git about paths by the rules of a snapshot's time: in a scratch
// folder that holds just those rules.
func (s *Store) ignoredThen(ctx context.Context, then side, paths []string) ([]bool, error) {
	if len(paths) == 0 {
		return nil, nil
	}
	dir, err := s.scratch("tmp")
	if err != nil {
		return nil, err
	}
	if dir, err = os.MkdirTemp(dir, "rules-"); err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	gitDir, tree := filepath.Join(dir, "git"), filepath.Join(dir, "tree")
	for _, d := range []string{filepath.Join(gitDir, "objects"), filepath.Join(gitDir, "refs"), filepath.Join(gitDir, "info"), tree} {
		if err := os.MkdirAll(d, 0o700); err != nil {
			return nil, err
		}
	}
	global := filepath.Join(dir, "global")
	files := map[string][]byte{filepath.Join(gitDir, "HEAD"): []byte("ref: refs/heads/main\n"), global: nil}
	rd, err := s.repo.Reader(ctx)
	if err != nil {
		return nil, err
	}
	defer rd.Close()
	for _, r := range then.man.Rules {
		o, err := rd.Read(r.OID)
		if err != nil {
			return nil, fmt.Errorf("read the rules of snapshot %s: %w", then.info.ID, err)
		}
		switch {
		case r.Outer && r.Path == "global":
			files[global] = o.Data
		case r.Outer:
			files[filepath.Join(gitDir, "info", "exclude")] = o.Data
		default:
			files[filepath.Join(tree, filepath.FromSlash(r.Path))] = o.Data
		}
	}
	for path, data := range files {
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return nil, err
		}
		if err := os.WriteFile(path, data, 0o600); err != nil {
			return nil, err
		}
	}
	ask := s.repo.Ignorer(ctx, "core.excludesFile="+global).In(gitDir, tree)
	defer ask.Close()
	return ask.Ask(ctx, paths)
}
