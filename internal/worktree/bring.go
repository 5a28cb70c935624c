package worktree

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/git"
	"github.com/belay-dev/belay/internal/snapshot"

	"github.com/belay-dev/belay/internal/restore"

	"github.com/belay-dev/belay/internal/fsroot"
)

// Request asks to merge a task's changes, from snapshot Before to After, into a worktree. Ours and
// Theirs are paths or folders whose conflicts are decided for the worktree's version or the task's.
type Request struct {
	Task          belay.TaskID
	Before, After belay.SnapshotID
	Ours, Theirs  []string
	Markers       bool // write texts that conflict with conflict markers
	DryRun        bool
	SkipBroken    bool           // skip, and report, what cannot be written
	Edits         []restore.Edit // lines that belay itself writes in the same step, so that one undo removes them too
}

// Brought is the result of a merge, or of a dry run.
type Brought struct {
	Task      belay.TaskID     `json:"task"`
	Before    belay.SnapshotID `json:"before"`
	After     belay.SnapshotID `json:"after"`
	Changes   []Written        `json:"changes"`
	Agreed    []string         `json:"agreed"`            // paths changed the same way by both
	Own       int              `json:"own"`               // paths changed only here, which stay
	Conflicts []Conflict       `json:"conflicts"`         // marked ones are written; any other means that nothing is
	Left      []restore.Kept   `json:"left"`              // paths kept because the task's snapshot does not cover them
	Skipped   []restore.Kept   `json:"skipped,omitempty"` // could not be written, and SkipBroken was set
	Merge     belay.SnapshotID `json:"merge,omitempty"`
	Rescue    belay.SnapshotID `json:"rescue,omitempty"` // the tree before; "" when nothing was written
	Unedited  []restore.Kept   `json:"-"`                // files in which lines of Edits could not be written
}

// Written is a path that is written or removed.
type Written struct {
	Path    string `json:"path"`
	How     How    `json:"how"`
	Removed bool   `json:"removed,omitempty"`
}

// Open counts the conflicts because of which nothing is written.
func (b Brought) Open() int {
	n := 0
	for _, c := range b.Conflicts {
		if !c.Marked {
			n++
		}
	}
	return n
}

// tries is how often a merge is planned when files keep changing.
const tries = 3

// errMoved says that files changed after the merge was planned.
var errMoved = errors.New("the working tree changed while the merge was planned")

// Bring does a three-way merge of a task's changes into the worktree. Unless all conflicts are
// decided or marked, it writes nothing. It takes a rescue snapshot first, so that undo works, and
// does not change the index, HEAD or refs. After a kill the next command finishes it. It returns
// CodeDrift when the files keep changing.
func Bring(ctx context.Context, to *restore.Store, q Request) (Brought, error) {
	if _, err := to.Recover(ctx); err != nil {
		return Brought{}, err
	}
	for range tries {
		b, err := bring(ctx, to, q)
		if !errors.Is(err, errMoved) {
			return b, err
		}
	}
	return Brought{}, belay.Refuse(belay.CodeDrift, "stop the program that writes there, then merge again",
		"files changed while %s was merged", q.Task)
}

func bring(ctx context.Context, to *restore.Store, q Request) (Brought, error) {
	m := merger{to: to, q: q, out: Brought{Task: q.Task, Before: q.Before, After: q.After, Changes: []Written{},
		Agreed: []string{}, Conflicts: []Conflict{}, Left: []restore.Kept{}}}
	composed, still, err := m.prepare(ctx)
	if err != nil || composed.ID == "" {
		return m.out, err
	}
	return m.out, m.write(ctx, composed.ID, still)
}

// prepare plans the merge and creates the snapshot of its result. The snapshot has no ID when there
// is nothing to write. still can check later whether the worktree has changed since.
func (m *merger) prepare(ctx context.Context) (snapshot.Info, still, error) {
	unlock, err := m.to.Snapshots.LockShared(ctx)
	if err != nil {
		return snapshot.Info{}, still{}, err
	}
	defer unlock()
	c, err := m.to.Snapshots.CaptureLocked(ctx, snapshot.CaptureOptions{})
	if err != nil {
		return snapshot.Info{}, still{}, err
	}
	plan, err := m.plan(ctx, c)
	if err != nil || m.q.DryRun || m.out.Open() > 0 || len(plan.Changes) == 0 {
		return snapshot.Info{}, still{}, err
	}
	entries, folders, changed := m.composed(c, plan)
	info, err := m.to.Snapshots.Compose(ctx, c, entries, folders,
		snapshot.Meta{Kind: belay.KindMerge, Task: m.q.Task, Message: "the work of " + string(m.q.Task) + " with what is here"})
	return info, still{m, c, changed}, err
}

type merger struct {
	to         *restore.Store
	q          Request
	out        Brought
	ours       State              // nil: read from the worktree
	task       *snapshot.Manifest // of the task's last snapshot
	obstructed map[string]bool    // paths with something on disk that ours does not contain
}

// side reads a snapshot.
func (m *merger) side(ctx context.Context, id belay.SnapshotID) (State, *snapshot.Manifest, string, error) {
	info, err := m.to.Snapshots.LookUp(ctx, id)
	if err != nil {
		return nil, nil, "", err
	}
	man, err := m.to.Snapshots.Manifest(ctx, info)
	if err != nil {
		return nil, nil, "", err
	}
	s, err := m.state(ctx, info.Tree, man)
	return s, man, info.Tree, err
}

func (m *merger) state(ctx context.Context, tree string, man *snapshot.Manifest) (State, error) {
	entries, err := m.to.Snapshots.Entries(ctx, tree, man)
	s := make(State, len(entries))
	for _, e := range entries {
		s[e.Path] = Entry{Mode: e.Mode, OID: e.OID, Perm: e.Perm}
	}
	return s, err
}

// plan merges the three states without writing to the worktree. Unless conflicts are open, or it is
// a dry run, it stores merged texts.
func (m *merger) plan(ctx context.Context, c *snapshot.Capture) (Plan, error) {
	base, _, first, err := m.side(ctx, m.q.Before)
	if err != nil {
		return Plan{}, err
	}
	theirs, man, last, err := m.side(ctx, m.q.After)
	if err != nil {
		return Plan{}, err
	}
	m.task = man
	present := m.ours == nil
	if present {
		if m.ours, err = m.state(ctx, c.FilesTree, c.Manifest); err != nil {
			return Plan{}, err
		}
	}
	m.keepUncaptured(base, theirs)
	root, err := fsroot.OpenRoot(m.to.Snapshots.Repo.Root)
	if err != nil {
		return Plan{}, err
	}
	defer root.Close()
	j, err := m.newTextMerger(ctx)
	if err != nil {
		return Plan{}, err
	}
	defer j.close()
	m.obstructed = map[string]bool{}
	for p := range theirs {
		if _, held := m.ours[p]; !held && hidden(root, c.Manifest, p) {
			m.obstructed[p] = true
		}
	}
	in := Input{Base: base, Ours: m.ours, Theirs: theirs, Choose: m.choose, WriteMarkers: m.q.Markers, Join: j.join,
		OursHidden: func(p string) bool { return m.obstructed[p] }}
	if present {
		if in.OursMoved, err = renames(ctx, m.to.Snapshots.Repo, first, c.FilesTree, base, m.ours); err != nil {
			return Plan{}, err
		}
	}
	if in.TheirsMoved, err = renames(ctx, m.to.Snapshots.Repo, first, last, base, theirs); err != nil {
		return Plan{}, err
	}
	p, err := Of(in)
	if err != nil {
		return p, err
	}
	for _, ch := range p.Changes {
		m.out.Changes = append(m.out.Changes, Written{Path: ch.Path, How: ch.How, Removed: ch.Now.Mode == 0})
	}
	m.out.Agreed, m.out.Own = append(m.out.Agreed, p.Agreed...), p.Own
	m.out.Conflicts = append(m.out.Conflicts, p.Conflicts...)
	if !m.q.DryRun && m.out.Open() == 0 {
		err = j.store()
	}
	return p, err
}

// keepUncaptured adds files to theirs that the task's last snapshot lacks only because they could
// not be captured or had become ignored. The task did not delete them.
func (m *merger) keepUncaptured(base, theirs State) {
	for _, path := range slices.Sorted(maps.Keys(base)) {
		if _, there := theirs[path]; there {
			continue
		}
		why := ""
		for _, g := range m.task.Gaps {
			if g.Path == path || strings.HasPrefix(path, g.Path+"/") {
				why = "the task left it in a form that could not be captured: " + g.Reason
			}
		}
		for _, n := range m.task.Nested {
			if n.Path == path || strings.HasPrefix(path, n.Path+"/") {
				why = "the task created a nested repository there"
			}
		}
		if m.task.WasIgnored(path) {
			why = "the task's ignore rules exclude it"
		}
		if why != "" {
			theirs[path] = base[path]
			m.out.Left = append(m.out.Left, restore.Kept{Path: path, Reason: why})
		}
	}
}

// hidden reports whether path has something that the worktree's snapshot does not contain: an
// ignored file, or anything in a nested repository.
func hidden(root *fsroot.Root, man *snapshot.Manifest, path string) bool {
	for _, n := range man.Nested {
		if n.Path == path || strings.HasPrefix(path, n.Path+"/") {
			return true
		}
	}
	info, err := root.Lstat(path)
	return err == nil && info.Kind != fsroot.Folder
}

func (m *merger) choose(path string) Side {
	switch {
	case covers(m.q.Theirs, path):
		return Theirs
	case covers(m.q.Ours, path):
		return Ours
	}
	return ""
}

func covers(paths []string, path string) bool {
	return slices.ContainsFunc(paths, func(p string) bool {
		p = strings.TrimSuffix(p, "/")
		return p == "." || p == path || strings.HasPrefix(path, p+"/")
	})
}

// renames returns which missing files git finds under another name, by their content.
func renames(ctx context.Context, r *git.Repo, from, to string, base, side State) (map[string]string, error) {
	moved := map[string]string{}
	if from == to {
		return moved, nil
	}
	out, err := r.Run(ctx, nil, "diff-tree", "-r", "-z", "--raw", "-M50%", "-l1000", "--diff-filter=R", "--no-ext-diff",
		"--no-textconv", "--no-abbrev", from, to)
	if err != nil {
		return nil, err
	}
	fields := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00")
	for i := 0; i+2 < len(fields); i += 3 {
		was, now := fields[i+1], fields[i+2]
		if _, still := side[was]; still {
			continue
		}
		if _, had := base[now]; !had {
			moved[was] = now
		}
	}
	return moved, nil
}

// write carries out the merge by restoring the snapshot of its result.
func (m *merger) write(ctx context.Context, id belay.SnapshotID, now still) error {
	out, err := m.to.Restore(ctx, id, restore.Options{FilesOnly: true, Task: m.q.Task, Reason: "to merge " + string(m.q.Task),
		SkipBroken: m.q.SkipBroken, Edits: m.q.Edits, CommandText: "belay merge " + string(m.q.Task),
		Only:    func(p string) bool { return now.changed[p] },
		Approve: func(tree string, man *snapshot.Manifest) error { return now.agree(ctx, tree, man) }})
	if err != nil {
		if !m.to.Interrupted() { // otherwise finishing the restore needs it
			err = errors.Join(err, m.to.Drop(ctx, id))
		}
		return err
	}
	m.out.Merge, m.out.Rescue, m.out.Skipped = id, out.Rescue, out.Skipped
	for _, k := range out.Kept {
		if slices.ContainsFunc(m.q.Edits, func(e restore.Edit) bool { return string(e.Path) == k.Path }) {
			m.out.Unedited = append(m.out.Unedited, k)
		}
	}
	return nil
}

// composed returns the files after the merge, the modes of new folders, and the paths that differ
// from ours.
func (m *merger) composed(c *snapshot.Capture, plan Plan) (entries []snapshot.Entry, folders map[string]uint16, changed map[string]bool) {
	final := maps.Clone(m.ours)
	folders, changed = map[string]uint16{}, map[string]bool{}
	there := map[string]bool{}
	for _, d := range c.Scan.Dirs {
		there[d.Path] = true
	}
	for _, ch := range plan.Changes {
		changed[ch.Path] = true
		if ch.Now.Mode == 0 {
			delete(final, ch.Path)
			continue
		}
		final[ch.Path] = ch.Now
		for i := strings.LastIndexByte(ch.Path, '/'); i > 0; i = strings.LastIndexByte(ch.Path[:i], '/') {
			if p := ch.Path[:i]; !there[p] {
				folders[p] = m.task.FolderPerm(p)
			}
		}
	}
	for path, e := range final {
		entries = append(entries, snapshot.Entry{Path: path, Mode: e.Mode, OID: e.OID, Perm: e.Perm})
	}
	slices.SortFunc(entries, func(a, b snapshot.Entry) int { return strings.Compare(a.Path, b.Path) })
	return entries, folders, changed
}

// still is the state of the worktree when the merge was planned.
type still struct {
	m       *merger
	c       *snapshot.Capture
	changed map[string]bool
}

// agree returns errMoved when a path of the plan has changed since.
func (s still) agree(ctx context.Context, tree string, man *snapshot.Manifest) error {
	if tree == s.c.FilesTree && slices.Equal(man.Odd, s.c.Manifest.Odd) && slices.Equal(man.Modes, s.c.Manifest.Modes) {
		return nil
	}
	now, err := s.m.state(ctx, tree, man)
	if err != nil {
		return fmt.Errorf("check the working tree again: %w", err)
	}
	for p := range s.changed {
		if now[p] != s.m.ours[p] && !s.m.obstructed[p] { // what was there is in the rescue snapshot by now
			return errMoved
		}
	}
	return nil
}

// Text reports whether a conflict can be written with markers.
func Text(c Conflict) bool { return c.Kind == KindContent || c.Kind == KindAdded }
