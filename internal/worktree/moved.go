package worktree

// moved decides a path that one side renamed while the other changed it. The change is made at the
// new path. When that is ambiguous, it is a conflict.
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

// bothMoved decides a path that both sides renamed. If they chose the same name, the two are merged
// there; otherwise it is a conflict.
func (p *planner) bothMoved(path, here, away string) error {
	p.done[path] = true
	if here != away {
		if !p.conflict(path, KindRenamed, "renamed to "+here+" in yours, to "+away+" in the task's", Entry{}) {
			p.done[away] = true // an open conflict changes nothing, and neither does choosing ours
			return nil
		}
		p.done[here] = true
		p.put(here, Entry{}, HowChosen)
		return nil
	}
	p.done[here] = true
	return p.path(here, p.in.Base[path])
}

// wentElsewhere decides a path that one side renamed and the other deleted.
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

// follow merges two entries at the new path of a renamed file.
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
		return nil // a conflict, reported for the new path: the file is not moved
	}
	p.put(path, Entry{}, HowTaken)
	p.followed[path] = to
	return nil
}

// unfollow puts files back at their old path in ours when their new path turned out to be taken. It
// reports whether there were any.
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
