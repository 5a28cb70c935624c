package worktree

// moved decides about a path that one side renamed while the other changed it: the
// change follows the file to its new place. Where that cannot be said for certain, it is
// a conflict.
func (p *planner) moved(path string) error {
	base, ours, theirs := p.in.Base[path], p.in.Ours[path], p.in.Theirs[path]
	here, away := p.in.OursMoved[path], p.in.TheirsMoved[path]
	switch {
	case !base.there() || here == "" && away == "" || ours.there() && theirs.there():
		return nil
	case here != "" && away != "":
		return p.bothMoved(path, here, away)
	case away != "" && !ours.there():
		p.wentElsewhere(path, away, "renamed to "+away+" in the task's, deleted in yours")
	case here != "" && !theirs.there():
		p.wentElsewhere(path, here, "renamed to "+here+" in yours, deleted in the task's")
	case away != "" && ours != base:
		return p.follow(path, away, base, ours, p.in.Theirs[away])
	case here != "" && theirs != base:
		return p.follow(path, here, base, p.in.Ours[here], theirs)
	}
	return nil
}

// bothMoved: to one place, the two are brought together there; to two, somebody has to
// say which.
func (p *planner) bothMoved(path, here, away string) error {
	p.done[path] = true
	if here != away {
		if !p.conflict(path, KindRenamed, "renamed to "+here+" in yours, to "+away+" in the task's", Entry{}) {
			p.done[away] = true // what stays a conflict is not half done; ours was chosen otherwise
			return nil
		}
		p.done[here] = true
		p.put(here, Entry{}, HowChosen)
		return nil
	}
	p.done[here] = true
	return p.path(here, p.in.Base[path])
}

// wentElsewhere: one side renamed what the other deleted.
func (p *planner) wentElsewhere(path, to, says string) {
	p.done[path], p.done[to] = true, true
	switch p.chosen(path) {
	case Theirs:
		p.put(to, p.in.Theirs[to], HowChosen)
	case Ours:
	default:
		p.plan.Conflicts = append(p.plan.Conflicts, Conflict{Path: path, Kind: KindRenamed, Says: says})
	}
}

// follow brings two entries together at the new place of a path.
func (p *planner) follow(path, to string, base, ours, theirs Entry) error {
	p.done[path] = true
	free := !p.in.Base[to].there() &&
		(p.in.TheirsMoved[path] == to && !p.in.Ours[to].there() || p.in.OursMoved[path] == to && !p.in.Theirs[to].there())
	if !free {
		p.conflict(path, KindRenamed, "renamed to "+to+" by one side and changed by the other, and "+to+
			" is there on both", p.in.Theirs[path])
		return nil
	}
	p.done[to] = true
	if err := p.both(to, base, ours, theirs); err != nil {
		return err
	}
	if _, placed := p.how[to]; !placed {
		return nil // a conflict, named by its new place: nothing of it moves
	}
	p.put(path, Entry{}, HowTaken)
	p.followed[path] = to
	return nil
}

// unfollow leaves a file where it is here when its new place turned out not to be free,
// and reports whether there was one.
func (p *planner) unfollow() (any bool) {
	for path, to := range p.followed {
		if !p.final[to].there() {
			p.put(path, p.in.Ours[path], "")
			delete(p.followed, path)
			any = true
		}
	}
	return any
}
