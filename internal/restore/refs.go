package restore

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/capture"
	"github.com/belay-dev/belay/internal/git"
	"github.com/belay-dev/belay/internal/putback"
	"github.com/belay-dev/belay/internal/snapshot"
)

// symbolic starts the value of a ref that names another one, in snapshots as well.
const symbolic = "ref: "

func valueOf(r git.Ref) string {
	if r.Symref != "" {
		return symbolic + r.Symref
	}
	return r.OID
}

func values(refs []git.Ref) map[string]string {
	all := map[string]string{}
	for _, r := range refs {
		all[r.Name] = valueOf(r)
	}
	return all
}

// planRefs decides which refs move. Those of other working trees are left, and remote
// ones that moved: they say what the remote has. New ones stay, unless the task that is
// rolled back made them or they lie in the way.
func (s *Store) planRefs(ctx context.Context, g *gitPlan, then snapshot.HeldRefs, c *capture.Capture, o Options) error {
	g.seen = values(c.Refs)
	elsewhere, err := s.Repo.CheckedOut(ctx)
	if err != nil {
		return err
	}
	p := &refPlan{g: g, then: then, o: o, elsewhere: elsewhere}
	for name, value := range then.Refs {
		p.back(name, value)
	}
	for name, value := range g.seen {
		if _, had := then.Refs[name]; !had {
			p.since(name, value)
		}
	}
	if err := p.fetchable(ctx, s.Repo); err != nil {
		return err
	}
	if err := p.inTheWay(); err != nil {
		return err
	}
	if o.decided != nil {
		g.refs = *o.decided
	}
	slices.SortFunc(g.refs, func(a, b RefMove) int { return strings.Compare(a.Ref, b.Ref) })
	slices.SortFunc(g.kept, func(a, b Kept) int { return strings.Compare(a.Path, b.Path) })
	if then.Head.Branch != c.Head.Branch || then.Head.Branch == "" && then.Head.OID != c.Head.OID {
		head := then.Head
		g.head = &head
	}
	return nil
}

// refPlan decides ref by ref.
type refPlan struct {
	g         *gitPlan
	then      snapshot.HeldRefs
	o         Options
	elsewhere map[string]string // branches that other working trees have checked out
}

func (p *refPlan) keep(name, why string) {
	p.g.kept = append(p.g.kept, putback.Kept{Path: name, Why: why})
}

func (p *refPlan) move(name, from, to string) {
	switch {
	case from == to:
	case p.elsewhere[name] != "":
		p.keep(name, "checked out in "+p.elsewhere[name])
	case p.o.OnlyRef != nil && !p.o.OnlyRef(name):
		p.keep(name, "moved by somebody else")
	default:
		p.g.refs = append(p.g.refs, RefMove{name, from, to})
	}
}

// back decides about a ref that the target has.
func (p *refPlan) back(name, value string) {
	now := p.g.seen[name]
	switch {
	case movable(name), remote(name) && now == "":
		p.move(name, now, value)
	case remote(name) && now != value:
		p.keep(name, "a remote's branch, fetched or pushed since")
	}
}

// since decides about a ref that the target does not have.
func (p *refPlan) since(name, value string) {
	if !movable(name) && !remote(name) {
		return
	}
	mine := p.o.OnlyRef != nil && p.o.OnlyRef(name) && movable(name) || p.o.made[name]
	operation := strings.HasPrefix(name, "refs/bisect/") || strings.HasPrefix(name, "refs/rewritten/")
	if mine || operation || name == "refs/stash" || name == p.then.Head.Branch {
		p.move(name, value, "")
		return
	}
	p.keep(name, "new since the snapshot")
}

// fetchable leaves out refs of remotes whose objects are gone: a snapshot does not keep
// what can be fetched again.
func (p *refPlan) fetchable(ctx context.Context, repo *git.Repo) error {
	var oids []string
	for _, m := range p.g.refs {
		if remote(m.Ref) && m.To != "" && !strings.HasPrefix(m.To, symbolic) {
			oids = append(oids, m.To)
		}
	}
	missing, err := repo.Missing(ctx, oids)
	if err != nil {
		return err
	}
	p.g.refs = slices.DeleteFunc(p.g.refs, func(m RefMove) bool {
		gone := remote(m.Ref) && slices.Contains(missing, m.To)
		if gone {
			p.keep(m.Ref, "its objects are gone: git fetch brings it back")
		}
		return gone
	})
	return nil
}

// inTheWay makes room: "x/y" cannot be while there is an "x". What is new and lies in
// the place of what comes back goes, for the rescue holds it; what somebody else made
// stays, and the ref that it replaced is left.
func (p *refPlan) inTheWay() error {
	going, blocked := map[string]bool{}, map[string]bool{}
	for _, m := range p.g.refs {
		going[m.Ref] = m.To == ""
	}
	var more []RefMove
	for _, m := range p.g.refs {
		if m.To == "" || m.From != "" {
			continue
		}
		for name, value := range p.g.seen {
			if going[name] || !strings.HasPrefix(name, m.Ref+"/") && !strings.HasPrefix(m.Ref, name+"/") {
				continue
			}
			if at := p.elsewhere[name]; at != "" {
				return belay.Refuse(belay.CodeCannot, "switch to another branch there, or restore with --files-only",
					"%s cannot come back while %s is checked out in %s", belay.VisibleLine(m.Ref), belay.VisibleLine(name), belay.VisibleLine(at))
			}
			if p.o.OnlyRef != nil && !p.o.OnlyRef(name) {
				blocked[m.Ref] = true
				p.keep(m.Ref, "somebody else's "+name+" is in its place")
				break
			}
			going[name] = true
			more = append(more, RefMove{name, value, ""})
		}
	}
	p.g.refs = slices.DeleteFunc(append(p.g.refs, more...), func(m RefMove) bool { return blocked[m.Ref] })
	p.g.kept = slices.DeleteFunc(p.g.kept, func(k Kept) bool { return going[k.Path] })
	return nil
}

// movable are the refs that a restore may move.
func movable(name string) bool {
	return strings.HasPrefix(name, "refs/") && !strings.HasPrefix(name, snapshot.Prefix) &&
		!strings.HasPrefix(name, "refs/worktree/") && !remote(name)
}

func remote(name string) bool { return strings.HasPrefix(name, "refs/remotes/") }

// moveRefs moves what the intent says, each ref only from where it was when the present
// was held: one that somebody moved meanwhile is not in the rescue. A symbolic ref is
// taken away before anything else, because git would move what it names.
func (s *Store) moveRefs(ctx context.Context, j *intent, g *gitPlan) error {
	// First HEAD, so that no branch is deleted under it; and git refuses to move a branch
	// together with a HEAD that names it.
	var err error
	switch {
	case g.head != nil && g.head.Branch != "":
		err = s.point(ctx, "HEAD", g.head.Branch)
	case g.head != nil:
		err = s.updateRefs(ctx, []git.Update{{Ref: "HEAD", New: g.head.OID, Old: g.headNow.OID}})
	}
	if err != nil {
		return err
	}
	now, err := s.unmoved(ctx, j.Refs, g.seen)
	if err != nil {
		return err
	}
	var updates []git.Update
	for _, m := range j.Refs {
		if strings.HasPrefix(now[m.Ref], symbolic) && now[m.Ref] != m.To {
			if err := capture.Fault("ref", m.Ref); err != nil {
				return err
			}
			if err := s.Repo.DropSymref(ctx, m.Ref); err != nil {
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
	for _, m := range j.Refs {
		if target, ok := strings.CutPrefix(m.To, symbolic); ok && now[m.Ref] != m.To {
			if err := s.point(ctx, m.Ref, target); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *Store) point(ctx context.Context, ref, target string) error {
	if err := capture.Fault("ref", ref); err != nil {
		return err
	}
	return s.Repo.SetSymref(ctx, "belay: restore", ref, target)
}

// unmoved gives where refs stand, and refuses when one that is to move stands neither
// where it was seen nor where it is to go.
func (s *Store) unmoved(ctx context.Context, moves []RefMove, seen map[string]string) (map[string]string, error) {
	if len(moves) == 0 {
		return nil, nil
	}
	refs, err := s.Repo.Refs(ctx)
	if err != nil {
		return nil, err
	}
	now := values(refs)
	for _, m := range moves {
		if now[m.Ref] != m.To && now[m.Ref] != seen[m.Ref] {
			return nil, belay.Refuse(belay.CodeCannot, "stop what moves it, then run the restore again", "%s was moved while it was restored", belay.VisibleLine(m.Ref))
		}
	}
	return now, nil
}

func (s *Store) updateRefs(ctx context.Context, list []git.Update) error {
	// A folder in the place of a ref: deletions go first, in a transaction of their own.
	slices.SortStableFunc(list, func(a, b git.Update) int { return len(a.New) - len(b.New) })
	deletions := 0
	for deletions < len(list) && list[deletions].New == "" {
		deletions++
	}
	for _, part := range [][]git.Update{list[:deletions], list[deletions:]} {
		if len(part) == 0 {
			continue
		}
		if err := capture.Fault("ref", part[0].Ref); err != nil {
			return err
		}
		if err := s.Repo.UpdateRefs(ctx, "belay: restore", part); err != nil {
			return err
		}
	}
	return nil
}

// remakeTags stores annotated tag objects from a snapshot once more, in case they were
// pruned after their tags were deleted. They are kept until release is called.
func (s *Store) remakeTags(ctx context.Context, i snapshot.Info, moves []RefMove) (release func(), err error) {
	release = func() {}
	var want []string
	for _, m := range moves {
		if m.To != "" && !strings.HasPrefix(m.To, symbolic) {
			want = append(want, m.To)
		}
	}
	missing, err := s.Repo.Missing(ctx, want)
	if err != nil || len(missing) == 0 {
		return release, err
	}
	rd, err := s.Repo.Reader(ctx)
	if err != nil {
		return release, err
	}
	defer rd.Close()
	var objects []git.NewObject
	for _, oid := range missing {
		o, err := rd.Read(i.Commit + ":meta/tags/" + oid)
		if err != nil {
			return release, fmt.Errorf("make tag %s again: %w", oid, err)
		}
		objects = append(objects, git.NewObject{OID: oid, Type: "tag", Data: o.Data})
	}
	return s.Keep(ctx, objects)
}
