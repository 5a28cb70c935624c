package restore

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
)

// SymrefPrefix starts the value of a symbolic ref: "ref: refs/heads/main".
const SymrefPrefix = "ref: "

// RefMove is a ref that a restore moves. From is empty when it creates the ref, To when it deletes
// it.
type RefMove struct {
	Ref  string `json:"ref"`
	From string `json:"from,omitempty"`
	To   string `json:"to,omitempty"`
}

// KeptRef is a ref that a restore left alone although it differs, with the reason.
type KeptRef struct{ Ref, Reason string }

// RefPlan plans the moves from the current refs to those of the target. Values are object names in
// hex, or SymrefPrefix and a name.
type RefPlan struct {
	Now, Then  map[string]string
	Branch     string                 // the branch of HEAD in the target
	CheckedOut map[string]string      // branches that other worktrees have checked out, and where
	Only       func(name string) bool // which refs a task touched; nil: moved ones are restored, new ones stay
	Created    map[string]bool        // refs that the restore to undo created
	Unknown    map[string]bool        // refs that were broken in the target state, so that their value is unknown
	Broken     []string               // refs that are broken now
	IsForeign  func(string) bool      // the refs that are never moved

	Moves []RefMove
	Kept  []KeptRef
}

// Decide fills Moves and Kept, both sorted by name. Refs of other worktrees are left alone, and so
// are moved remote refs: they show the state of the remote. New refs stay, unless the task to roll
// back created them or they are in the way. missing returns which objects do not exist. CodeCannot
// when a ref in the way is checked out elsewhere.
func (p *RefPlan) Decide(missing func(oids []string) ([]string, error)) error {
	for name, value := range p.Then {
		p.decideKnown(name, value)
	}
	for name, value := range p.Now {
		if _, had := p.Then[name]; !had {
			p.decideNew(name, value)
		}
	}
	for _, name := range p.Broken {
		if _, had := p.Then[name]; !had && p.isMovable(name) {
			p.addKept(name, "names nothing, and the snapshot has no value for it")
		}
	}
	if err := p.dropFetchable(missing); err != nil {
		return err
	}
	if err := p.clearTheWay(); err != nil {
		return err
	}
	slices.SortFunc(p.Moves, func(a, b RefMove) int { return strings.Compare(a.Ref, b.Ref) })
	slices.SortFunc(p.Kept, func(a, b KeptRef) int { return strings.Compare(a.Ref, b.Ref) })
	return nil
}

func (p *RefPlan) addKept(name, why string) {
	p.Kept = append(p.Kept, KeptRef{name, why})
}

func (p *RefPlan) addMove(name, from, to string) {
	switch {
	case from == to:
	case p.CheckedOut[name] != "":
		p.addKept(name, "checked out in "+p.CheckedOut[name])
	case p.Only != nil && !p.Only(name):
		p.addKept(name, "moved by somebody else")
	default:
		p.Moves = append(p.Moves, RefMove{name, from, to})
	}
}

// decideKnown decides about a ref that the target has.
func (p *RefPlan) decideKnown(name, value string) {
	now := p.Now[name]
	switch {
	case p.isMovable(name), isRemote(name) && now == "":
		p.addMove(name, now, value)
	case isRemote(name) && now != value:
		p.addKept(name, "a remote branch, fetched or pushed since")
	}
}

// decideNew decides about a ref that the target does not have.
func (p *RefPlan) decideNew(name, value string) {
	if !p.isMovable(name) && !isRemote(name) {
		return
	}
	if p.Unknown[name] {
		p.addKept(name, "named nothing when the snapshot was taken")
		return
	}
	mine := p.Only != nil && p.Only(name) && p.isMovable(name) || p.Created[name]
	operation := strings.HasPrefix(name, "refs/bisect/") || strings.HasPrefix(name, "refs/rewritten/")
	if mine || operation || name == "refs/stash" || name == p.Branch {
		p.addMove(name, value, "")
		return
	}
	p.addKept(name, "new since the snapshot")
}

// dropFetchable removes moves of remote refs to missing objects: a snapshot does not keep what can
// be fetched again.
func (p *RefPlan) dropFetchable(missing func([]string) ([]string, error)) error {
	var oids []string
	for _, m := range p.Moves {
		if isRemote(m.Ref) && m.To != "" && !strings.HasPrefix(m.To, SymrefPrefix) {
			oids = append(oids, m.To)
		}
	}
	lost, err := missing(oids)
	if err != nil {
		return err
	}
	p.Moves = slices.DeleteFunc(p.Moves, func(m RefMove) bool {
		gone := isRemote(m.Ref) && slices.Contains(lost, m.To)
		if gone {
			p.addKept(m.Ref, "its objects are missing: git fetch restores it")
		}
		return gone
	})
	return nil
}

// clearTheWay handles name conflicts: "x/y" cannot exist while "x" does. A new ref in the place of
// a restored one is deleted, because the rescue snapshot contains it. A ref that somebody else
// created stays, and the one it replaced is not restored.
func (p *RefPlan) clearTheWay() error {
	going, blocked := map[string]bool{}, map[string]bool{}
	for _, m := range p.Moves {
		going[m.Ref] = m.To == ""
	}
	var more []RefMove
	for _, m := range p.Moves {
		if m.To == "" || m.From != "" {
			continue
		}
		for name, value := range p.Now {
			if going[name] || !strings.HasPrefix(name, m.Ref+"/") && !strings.HasPrefix(m.Ref, name+"/") {
				continue
			}
			if at := p.CheckedOut[name]; at != "" {
				return belay.Refuse(belay.CodeCannot, "switch to another branch there, or restore with --files-only",
					"%s cannot be restored while %s is checked out in %s", belay.VisibleLine(m.Ref),
					belay.VisibleLine(name), belay.VisibleLine(at))
			}
			if p.Only != nil && !p.Only(name) {
				blocked[m.Ref] = true
				p.addKept(m.Ref, "somebody else's "+name+" is in its place")
				break
			}
			going[name] = true
			more = append(more, RefMove{name, value, ""})
		}
	}
	p.Moves = slices.DeleteFunc(append(p.Moves, more...), func(m RefMove) bool { return blocked[m.Ref] })
	p.Kept = slices.DeleteFunc(p.Kept, func(k KeptRef) bool { return going[k.Ref] })
	return nil
}

// isMovable reports whether a restore may move a ref.
func (p *RefPlan) isMovable(name string) bool {
	return strings.HasPrefix(name, "refs/") && !p.IsForeign(name) &&
		!strings.HasPrefix(name, "refs/worktree/") && !isRemote(name)
}

func isRemote(name string) bool { return strings.HasPrefix(name, "refs/remotes/") }
