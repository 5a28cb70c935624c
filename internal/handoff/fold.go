package handoff

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/belay-dev/belay/internal/belay"
)

// Fold takes an entry's data into a context and gives the new one; the old one stays as it
// was. Error: belay.CodeCannot for an entry of a kind that is not known, which a later
// version wrote.
func Fold(c Context, at time.Time, data json.RawMessage) (Context, error) {
	var e Event
	if err := json.Unmarshal(data, &e); err != nil {
		return c, fmt.Errorf("read an entry of the context: %w", err)
	}
	return Apply(c, at, e)
}

// Apply is Fold for an event that was read.
func Apply(c Context, at time.Time, e Event) (Context, error) {
	if !e.complete() {
		return c, belay.Refuse(belay.CodeCannot, "belay log --verify "+string(c.Task),
			"a context entry of kind %q has no subject", e.Kind)
	}
	c.Roles = slices.Clone(c.Roles)
	c.Changed, c.Actor = at, e.By
	c.Updates++
	c.Forced += len(e.Secrets)
	switch e.Kind {
	case Began:
		c = begin(c, at, e)
	case Rebuilt:
		c.History = append(slices.Clip(c.History), PastBlock{BlockRef: c.Block, Until: at, By: e.By})
		block := *e.Block
		block.Base = c.Block.Base
		c.Block = block
		c.Roles = statesOf(e.Block.Roles, c.Roles)
		c.Exports = nil
	case Exported:
		exports, earlier := maps.Clone(c.Exports), maps.Clone(c.Earlier)
		if exports == nil {
			exports = map[string]ExportRef{}
		}
		if earlier == nil {
			earlier = map[string]ExportRef{}
		}
		for _, x := range e.Exports {
			if old, given := exports[x.Role]; given {
				earlier[x.Role] = old
			}
			exports[x.Role] = x
		}
		c.Exports, c.Earlier = exports, earlier
	case Attached:
		c.Proof = append(slices.Clip(c.Proof), *e.Evidence)
	case Purged:
		c.Deleted, c.Exports = true, nil
	case Resolved:
		c.resolve(e)
	default:
		return c.ofRole(at, e)
	}
	return c, nil
}

// complete reports whether an event has what its kind is about.
func (e Event) complete() bool {
	switch e.Kind {
	case Began, Rebuilt:
		return e.Block != nil
	case Handed:
		return e.Handed != nil
	case Updated:
		return e.Set != nil
	case Proved:
		return e.Proof != nil
	case Attached:
		return e.Evidence != nil
	case Drifted:
		return e.Drift != nil
	case Ran:
		return e.Run != nil
	case Sent:
		return e.Back != nil && e.Note != ""
	}
	return true
}

func begin(c Context, at time.Time, e Event) Context {
	fresh := Context{Task: c.Task, Block: *e.Block, Created: at, By: e.By, Roles: statesOf(e.Block.Roles, nil),
		History: c.History, Changed: at, Actor: e.By, Updates: c.Updates, Forced: c.Forced}
	if c.Block.Block != "" { // purged before
		fresh.History = append(slices.Clip(c.History), PastBlock{BlockRef: c.Block, Until: at, By: e.By})
	}
	return fresh
}

// statesOf returns the states of roles, of those that were there before as they are.
func statesOf(roles []Role, before []State) []State {
	var out []State
	for _, r := range roles {
		s := State{Role: r, Status: Pending, Blocking: []string{}}
		for _, b := range before {
			if b.Name == r.Name {
				s = b
				s.Role = r
			}
		}
		out = append(out, s)
	}
	return out
}

func (c *Context) resolve(e Event) {
	for i := range c.Roles {
		c.Roles[i].Drift = 0
	}
	c.Drifts = slices.Clone(c.Drifts)
	for i := range c.Drifts {
		if c.Drifts[i].Resolved == "" {
			c.Drifts[i].Resolved = e.Note
		}
	}
	if e.Handed != nil {
		c.Last = e.Handed
	}
}

// ofRole folds what a single role did.
func (c Context) ofRole(at time.Time, e Event) (Context, error) {
	r, err := c.Of(e.Role)
	if err != nil {
		return c, err
	}
	r.Blocking = slices.Clone(r.Blocking)
	switch e.Kind {
	case Started:
		r.Status, r.Completed, c.At = InProgress, time.Time{}, r.Name
		if e.Handed != nil { // the first one: the work begins from here
			c.Block.Base = e.Handed.Snapshot
		}
	case Handed:
		r.Snapshot, c.Last, c.LastBy = e.Handed, e.Handed, r.Name
		r.Rounds++
		r.SentBackFor = ""
		r.Order = c.Updates
		if r.Status != Blocked {
			r.Status, r.Completed = Done, at
		}
		if c.At == r.Name {
			c.At = ""
		}
	case Updated:
		c.set(r, at, *e.Set)
	case Found:
		r.Blocking = append(r.Blocking, e.Note)
		r.Status = Blocked
	case Cleared:
		r.Blocking = []string{}
		if r.Status == Blocked {
			r.Status = Pending
		}
	case Proved:
		c.Proofs = append(slices.Clip(c.Proofs), ProofOf{Role: r.Name, Time: at, Proof: *e.Proof})
		r.QALog = e.Proof.Path
	case Ran:
		r.Run = e.Run
		c.Used = c.Used.Plus(e.Run.Use)
	case Sent:
		c.sent(r, e)
	case Drifted:
		r.Drift++
		c.Drifts = append(slices.Clip(c.Drifts), DriftOf{Role: r.Name, Time: at, Drift: *e.Drift})
	default:
		return c, belay.Refuse(belay.CodeCannot, "use the version of belay that wrote it",
			"unknown kind of context entry: %q", e.Kind)
	}
	return c, nil
}

// sent folds work that came back after the last role. What they handed over stays in the
// record; where the before state was restored it is no longer what anybody begins from.
func (c *Context) sent(r *State, e Event) {
	c.Attempt, c.Used = e.Back.Attempt, belay.Use{}
	if e.Back.Anew {
		c.Last, c.LastBy, c.At = nil, "", ""
		for i := range c.Roles {
			s := &c.Roles[i]
			s.Snapshot, s.Status, s.Completed, s.Blocking, s.SentBackFor = nil, Pending, time.Time{}, []string{}, ""
		}
	}
	r.Status, r.Completed, r.SentBackFor = Pending, time.Time{}, e.Note
}

func (c *Context) set(r *State, at time.Time, s Set) {
	if s.Status != "" {
		r.Status, r.Completed = s.Status, time.Time{}
		if s.Status == Done {
			r.Completed = at
		}
		if s.Status != InProgress && c.At == r.Name {
			c.At = ""
		}
	}
	if s.Session != "" {
		r.Session = s.Session
	}
	if s.QALog != "" {
		r.QALog = s.QALog
	}
}
