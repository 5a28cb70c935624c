package restore

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/git"
	"github.com/belay-dev/belay/internal/snapshot"
)

const symbolic = SymrefPrefix

func refValue(r git.Ref) string {
	if r.Symref != "" {
		return symbolic + r.Symref
	}
	return r.OID
}

func refValues(refs []git.Ref) map[string]string {
	all := map[string]string{}
	for _, r := range refs {
		all[r.Name] = refValue(r)
	}
	return all
}

// planRefs decides which refs move, and whether HEAD moves.
func (s *Store) planRefs(ctx context.Context, g *gitPlan, h *gitState, c *snapshot.Capture, o Options) error {
	g.seenRefs = refValues(c.Refs)
	then, lost := h.refs, map[string]bool{}
	for path := range h.files {
		if name, ok := strings.CutPrefix(path, "broken/"); ok {
			lost[name] = true
		}
	}
	var broken []string
	for _, b := range c.BrokenRefs {
		broken = append(broken, b.Name)
	}
	elsewhere, err := s.Snapshots.Repo.CheckedOut(ctx)
	if err != nil {
		return err
	}
	p := RefPlan{Now: g.seenRefs, Then: then.Refs, Branch: then.Head.Branch, CheckedOut: elsewhere, Only: o.OnlyRef,
		Created: o.made, Unknown: lost, Broken: broken, IsForeign: snapshot.IsOwnRef}
	if err := p.Decide(func(oids []string) ([]string, error) { return s.Snapshots.Repo.Missing(ctx, oids) }); err != nil {
		return err
	}
	g.refs = p.Moves
	for _, k := range p.Kept {
		g.kept = append(g.kept, Kept{Path: k.Ref, Reason: k.Reason})
	}
	if o.refMoves != nil {
		g.refs = *o.refMoves
	}
	for _, b := range c.BrokenRefs {
		if slices.ContainsFunc(g.refs, func(m RefMove) bool {
			return m.To != "" && (m.Ref == b.Name || strings.HasPrefix(m.Ref, b.Name+"/") || strings.HasPrefix(b.Name, m.Ref+"/"))
		}) {
			g.brokenRefs = append(g.brokenRefs, b)
			g.kept = slices.DeleteFunc(g.kept, func(k Kept) bool { return k.Path == b.Name })
		}
	}
	g.isHeadBroken = slices.Contains(broken, c.Head.Branch)
	switch {
	case !c.Head.DiffersFrom(then.Head):
	case g.leaveOthers("HEAD", o):
		g.kept = append(g.kept, Kept{Path: "HEAD", Reason: reasonByOthers})
	default:
		head := then.Head
		g.newHead = &head
	}
	return nil
}

// moveRefs carries out the moves of the intent, each only if the ref still has the value of the
// rescue snapshot: a later value is in no snapshot. A symbolic ref is deleted first, because git
// would move the ref that it points to.
func (s *Store) moveRefs(ctx context.Context, j *intent, g *gitPlan) error {
	if err := s.removeBrokenRefs(ctx, g); err != nil {
		return err
	}
	// HEAD first, so that its branch is not deleted, and because git refuses to move a branch
	// together with a HEAD that points to it.
	var err error
	switch {
	case g.newHead != nil && g.newHead.Branch != "":
		err = s.setRef(ctx, "HEAD", g.newHead.Branch)
	case g.newHead != nil:
		if g.isHeadBroken { // git does not write a HEAD with an unreadable branch
			err = s.setRef(ctx, "HEAD", "refs/heads/belay-restoring")
		}
		if err != nil {
			break
		}
		err = s.updateRefs(ctx, []git.Update{{Ref: "HEAD", New: g.newHead.OID, Old: g.currentHead.OID}})
	}
	if err = j.noteOrFail("HEAD", err); err != nil {
		return err
	}
	err = s.moveRefList(ctx, j.Refs, g.seenRefs)
	if err == nil || !j.isSkipped(err) {
		return err
	}
	// One of them failed: move the others one by one.
	for _, m := range slices.Clone(j.Refs) {
		if err := j.noteOrFail(m.Ref, s.moveRefList(ctx, []RefMove{m}, g.seenRefs)); err != nil {
			return err
		}
	}
	return nil
}

// removeBrokenRefs deletes broken files in the place of refs that are restored, because git refuses
// to overwrite them. A packed ref of the same name is used again then. The rescue snapshot contains
// the bytes.
func (s *Store) removeBrokenRefs(ctx context.Context, g *gitPlan) error {
	if len(g.brokenRefs) == 0 {
		return nil
	}
	for _, b := range g.brokenRefs {
		if err := snapshot.Fault("unlink", b.Name); err != nil {
			return err
		}
		if err := s.Snapshots.Repo.DeleteBroken(b); err != nil {
			return err
		}
	}
	refs, err := s.Snapshots.Repo.Refs(ctx)
	if err != nil {
		return err
	}
	now := refValues(refs)
	for _, b := range g.brokenRefs {
		g.seenRefs[b.Name] = now[b.Name]
	}
	return nil
}

func (s *Store) moveRefList(ctx context.Context, moves []RefMove, seen map[string]string) error {
	now, err := s.checkUnmoved(ctx, moves, seen)
	if err != nil {
		return err
	}
	var updates []git.Update
	for _, m := range moves {
		if strings.HasPrefix(now[m.Ref], symbolic) && now[m.Ref] != m.To {
			if err := snapshot.Fault("ref", m.Ref); err != nil {
				return err
			}
			if err := s.Snapshots.Repo.DeleteSymref(ctx, m.Ref); err != nil {
				return err
			}
			now[m.Ref] = ""
		}
		to := m.To
		if strings.HasPrefix(to, symbolic) && now[m.Ref] != to {
			to = ""
		}
		if now[m.Ref] != to {
			updates = append(updates, git.Update{Ref: m.Ref, New: to, Old: now[m.Ref]})
		}
	}
	if err := s.updateRefs(ctx, updates); err != nil {
		return err
	}
	for _, m := range moves {
		if target, ok := strings.CutPrefix(m.To, symbolic); ok && now[m.Ref] != m.To {
			if err := s.setRef(ctx, m.Ref, target); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *Store) setRef(ctx context.Context, ref, target string) error {
	if err := snapshot.Fault("ref", ref); err != nil {
		return err
	}
	return s.Snapshots.Repo.SetSymref(ctx, "belay: restore", ref, target)
}

// checkUnmoved returns the current values of refs, and fails when one that is to move has neither
// its old nor its new value.
func (s *Store) checkUnmoved(ctx context.Context, moves []RefMove, seen map[string]string) (map[string]string, error) {
	if len(moves) == 0 {
		return nil, nil
	}
	refs, err := s.Snapshots.Repo.Refs(ctx)
	if err != nil {
		return nil, err
	}
	now := refValues(refs)
	for _, m := range moves {
		if now[m.Ref] != m.To && now[m.Ref] != seen[m.Ref] {
			return nil, belay.Refuse(belay.CodeCannot, "stop what moves it, then run the restore again",
				"%s was moved during the restore", belay.VisibleLine(m.Ref))
		}
	}
	return now, nil
}

func (s *Store) updateRefs(ctx context.Context, list []git.Update) error {
	// A ref may be in the place of another one's folder: deletions first, in a transaction of their
	// own.
	slices.SortStableFunc(list, func(a, b git.Update) int { return len(a.New) - len(b.New) })
	deletions := 0
	for deletions < len(list) && list[deletions].New == "" {
		deletions++
	}
	for _, part := range [][]git.Update{list[:deletions], list[deletions:]} {
		if len(part) == 0 {
			continue
		}
		if err := snapshot.Fault("ref", part[0].Ref); err != nil {
			return err
		}
		if err := s.Snapshots.Repo.UpdateRefs(ctx, "belay: restore", part); err != nil {
			return err
		}
	}
	return nil
}

// recreateTags stores annotated tag objects of a snapshot again, and the tags that they point to, if
// they were pruned after their refs were deleted. They are kept until release is called.
func (s *Store) recreateTags(ctx context.Context, i snapshot.Info, moves []RefMove) (release func(), err error) {
	release = func() {}
	var want []string
	for _, m := range moves {
		if m.To != "" && !strings.HasPrefix(m.To, symbolic) {
			want = append(want, m.To)
		}
	}
	missing, err := s.Snapshots.Repo.Missing(ctx, want)
	if err != nil || len(missing) == 0 {
		return release, err
	}
	rd, err := s.Snapshots.Repo.Reader(ctx)
	if err != nil {
		return release, err
	}
	defer rd.Close()
	var objects []git.NewObject
	for below := false; len(missing) > 0; below = true {
		want = nil
		for _, oid := range missing {
			o, err := rd.Read(i.Commit + ":meta/tags/" + oid)
			if below && errors.Is(err, git.ErrNoObject) {
				continue // it was missing at the snapshot
			}
			if err != nil {
				return release, fmt.Errorf("recreate tag %s: %w", oid, err)
			}
			objects = append(objects, git.NewObject{OID: oid, Type: "tag", Data: o.Data})
			if target, typ := snapshot.ParseTag(o.Data); typ == "tag" {
				want = append(want, target)
			}
		}
		if missing, err = s.Snapshots.Repo.Missing(ctx, want); err != nil {
			return release, err
		}
	}
	return s.Snapshots.KeepUntilReleased(ctx, objects)
}

// planReflogs plans to restore the bytes of reflogs of which the ref has its old value after the
// restore: every move in between added lines. The rescue snapshot contains the removed lines. A log
// that names a pruned object is not restored, except in an undo and for the stash, of which the log
// is the content.
func (s *Store) planReflogs(ctx context.Context, g *gitPlan, h gitState, modes []snapshot.Mode, c *snapshot.Capture, o Options) error {
	now := map[string]git.StateFile{}
	for _, f := range c.Reflogs {
		now[f.Name] = f
	}
	ends, moved := g.finalRefs(c), g.isHeadMoved(h, c)
	for path, data := range h.files {
		ref, ok := strings.CutPrefix(path, "logs/")
		if !ok || strings.HasPrefix(ref, "refs/") && ends[ref] != h.refs.Refs[ref] || ref == "HEAD" && moved {
			continue // the log of another history
		}
		f, there := now[path]
		// A ref may have its old value and still a changed log: the stash is only a log. Logs of
		// refs are shared by all working trees.
		touched := o.OnlyRef == nil || o.OnlyRef(ref) || !s.Snapshots.Repo.Linked() && o.OnlyGit != nil && o.OnlyGit(path)
		if ref == "HEAD" {
			touched = o.OnlyGit == nil || o.OnlyGit(path)
		}
		if (strings.HasPrefix(ref, "refs/") || ref == "HEAD") && !touched && hasMoreLines(f.Data, data) {
			g.leftFiles = append(g.leftFiles, path)
			continue // somebody else's lines
		}
		if there && !bytes.HasPrefix(f.Data, data) && ref != "refs/stash" && o.step == "" && !g.replacesRef(ref) {
			missing, err := s.Snapshots.Repo.Missing(ctx, objectsInReflog(data))
			if err != nil {
				return err
			}
			if len(missing) > 0 {
				continue
			}
		}
		g.logs = g.logs || !there || !bytes.Equal(f.Data, data) || f.Perm != modeOf(modes, path)
		g.logFiles = append(g.logFiles, gitWrite{dir: s.reflogDir(path), name: path, data: data, perm: modeOf(modes, path)})
	}
	s.planReflogDeletes(g, h, now, moved, c, o)
	slices.SortFunc(g.logFiles, func(a, b gitWrite) int { return strings.Compare(a.name, b.name) })
	return nil
}

// planReflogDeletes deletes the logs that the snapshot does not contain, if HEAD has its old value.
// The log of a remaining stash stays.
func (s *Store) planReflogDeletes(g *gitPlan, h gitState, now map[string]git.StateFile, moved bool, c *snapshot.Capture, o Options) {
	gone := []string{"logs/ORIG_HEAD"}
	if !moved {
		gone = append(gone, "logs/HEAD")
	}
	if g.finalRefs(c)["refs/stash"] == "" {
		gone = append(gone, "logs/refs/stash")
	}
	for _, path := range append(gone, newReflogs(now, h, o)...) {
		if _, had := h.files[path]; !had && !h.unreadable[path] && !h.unreadable["logs"] {
			_, there := now[path]
			g.logs = g.logs || there
			g.logFiles = append(g.logFiles, gitWrite{dir: s.reflogDir(path), name: path, delete: true})
		}
	}
}

// hasMoreLines reports whether a log has lines that another lacks. If not, it was only shortened,
// and restoring the other loses nothing.
func hasMoreLines(now, then []byte) bool {
	had := map[string]bool{}
	for line := range bytes.Lines(then) {
		had[string(line)] = true
	}
	for line := range bytes.Lines(now) {
		if !had[string(line)] {
			return true
		}
	}
	return false
}

// objectsInReflog returns the new values in a reflog's lines: "<old> <new> <who> …".
func objectsInReflog(log []byte) (oids []string) {
	for line := range bytes.Lines(log) {
		if f := strings.SplitN(string(line), " ", 3); len(f) == 3 && strings.Trim(f[1], "0") != "" {
			oids = append(oids, f[1])
		}
	}
	slices.Sort(oids)
	return slices.Compact(oids)
}

// newReflogs returns the logs of branches that had none in the snapshot, which contains all that
// existed.
func newReflogs(now map[string]git.StateFile, h gitState, o Options) (names []string) {
	for path := range now {
		ref := strings.TrimPrefix(path, "logs/")
		_, was := h.refs.Refs[ref]
		if was && strings.HasPrefix(ref, "refs/heads/") && (o.OnlyRef == nil || o.OnlyRef(ref)) {
			names = append(names, path)
		}
	}
	return names
}

// finalRefs returns the value of every ref after the plan.
func (g *gitPlan) finalRefs(c *snapshot.Capture) map[string]string {
	ends := map[string]string{}
	for _, r := range c.Refs {
		ends[r.Name] = refValue(r)
	}
	for _, m := range g.refs {
		ends[m.Ref] = m.To
	}
	return ends
}

// isHeadMoved reports whether HEAD will differ from the snapshot's after the plan: somebody else
// moved it, or its branch.
func (g *gitPlan) isHeadMoved(h gitState, c *snapshot.Capture) bool {
	head := c.Head
	if g.newHead != nil {
		head = *g.newHead
	}
	then := h.refs.Head
	return head.DiffersFrom(then) || head.Branch != "" && g.finalRefs(c)[head.Branch] != h.refs.Refs[head.Branch]
}

func (s *Store) reflogDir(path string) string {
	if !strings.HasPrefix(path, "logs/refs/") {
		return s.Snapshots.Repo.Dir
	}
	return s.Snapshots.Repo.Common
}
