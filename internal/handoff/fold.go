package handoff

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/belay-dev/belay/internal/belay"
)

// Fold applies an entry's data to a context and returns the new one; c is unchanged. Errors
// (belay.CodeCannot): an unknown kind of entry, which a later version wrote, or an incomplete one.
func Fold(c Context, at time.Time, data json.RawMessage) (Context, error) {
	var e Event
	if err := json.Unmarshal(data, &e); err != nil {
		return c, fmt.Errorf("read an entry of the context: %w", err)
	}
	return Apply(c, at, e)
}

// Apply is Fold for a parsed event.
func Apply(c Context, at time.Time, e Event) (Context, error) {
	if !e.isComplete() {
		return c, belay.Refuse(belay.CodeCannot, "belay log --verify "+string(c.Task),
			"a context entry of kind %q has no subject", e.Kind)
	}
	c.Roles = slices.Clone(c.Roles)
	c.UpdatedAt, c.UpdatedBy = at, e.By
	c.Updates++
	c.ForcedSecrets += len(e.ForcedSecrets)
	switch e.Kind {
	case EventInit:
		c = foldInit(c, at, e)
	case EventRebuilt:
		c.History = append(slices.Clip(c.History), PastBlock{BlockRef: c.Block, Until: at, By: e.By})
		block := *e.Block
		block.Base = c.Block.Base
		c.Block = block
		c.Roles = statesOf(e.Block.Roles, c.Roles)
		c.Exports = nil
	case EventExported:
		exports, earlier := maps.Clone(c.Exports), maps.Clone(c.EarlierExports)
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
		c.Exports, c.EarlierExports = exports, earlier
	case EventAttached:
		c.Evidence = append(slices.Clip(c.Evidence), *e.Evidence)
	case EventPurged:
		c.Deleted, c.Exports = true, nil
	case EventResolved:
		c.foldResolved(e)
	default:
		return c.foldRole(at, e)
	}
	return c, nil
}

// isComplete reports whether an event has the fields that its kind requires.
func (e Event) isComplete() bool {
	switch e.Kind {
	case EventInit, EventRebuilt:
		return e.Block != nil
	case EventHandedOver:
		return e.Handoff != nil
	case EventUpdated:
		return e.Update != nil
	case EventTested:
		return e.Proof != nil
	case EventAttached:
		return e.Evidence != nil
	case EventDrifted:
		return e.Drift != nil
	case EventRan:
		return e.Run != nil
	case EventSentBack:
		return e.SentBack != nil && e.Note != ""
	}
	return true
}

func foldInit(c Context, at time.Time, e Event) Context {
	fresh := Context{Task: c.Task, Block: *e.Block, Created: at, By: e.By, Roles: statesOf(e.Block.Roles, nil),
		History: c.History, UpdatedAt: at, UpdatedBy: e.By, Updates: c.Updates, ForcedSecrets: c.ForcedSecrets}
	if c.Block.Block != "" { // after a purge
		fresh.History = append(slices.Clip(c.History), PastBlock{BlockRef: c.Block, Until: at, By: e.By})
	}
	return fresh
}

// statesOf returns the states of roles: of earlier roles unchanged, of new ones pending.
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

func (c *Context) foldResolved(e Event) {
	for i := range c.Roles {
		c.Roles[i].Drift = 0
	}
	c.Drifts = slices.Clone(c.Drifts)
	for i := range c.Drifts {
		if c.Drifts[i].Resolved == "" {
			c.Drifts[i].Resolved = e.Note
		}
	}
	if e.Handoff != nil {
		c.LastHandoff = e.Handoff
	}
}

// foldRole applies an event of a single role.
func (c Context) foldRole(at time.Time, e Event) (Context, error) {
	r, err := c.RoleState(e.Role)
	if err != nil {
		return c, err
	}
	r.Blocking = slices.Clone(r.Blocking)
	switch e.Kind {
	case EventStarted:
		r.Status, r.Completed, c.ActiveRole = InProgress, time.Time{}, r.Name
		if e.Handoff != nil { // first start: the base of the work
			c.Block.Base = e.Handoff.Snapshot
		}
	case EventHandedOver:
		r.Snapshot, c.LastHandoff, c.LastHandoffBy = e.Handoff, e.Handoff, r.Name
		r.Rounds++
		r.SentBackFor = ""
		r.Order = c.Updates
		if r.Status != Blocked {
			r.Status, r.Completed = Done, at
		}
		if c.ActiveRole == r.Name {
			c.ActiveRole = ""
		}
	case EventUpdated:
		c.foldUpdate(r, at, *e.Update)
	case EventBlocked:
		r.Blocking = append(r.Blocking, e.Note)
		r.Status = Blocked
	case EventCleared:
		r.Blocking = []string{}
		if r.Status == Blocked {
			r.Status = Pending
		}
	case EventTested:
		c.Proofs = append(slices.Clip(c.Proofs), ProofOf{Role: r.Name, Time: at, Proof: *e.Proof})
		r.QALog = e.Proof.Path
	case EventRan:
		r.Run = e.Run
		c.Used = c.Used.Plus(e.Run.Use)
	case EventSentBack:
		c.foldSentBack(r, e)
	case EventDrifted:
		r.Drift++
		c.Drifts = append(slices.Clip(c.Drifts), DriftOf{Role: r.Name, Time: at, Drift: *e.Drift})
	default:
		return c, belay.Refuse(belay.CodeCannot, "use the version of belay that wrote it",
			"unknown kind of context entry: %q", e.Kind)
	}
	return c, nil
}

// foldSentBack applies that the work was sent back to a role. Earlier handovers stay in the record;
// if the before state was restored, nobody continues from them.
func (c *Context) foldSentBack(r *State, e Event) {
	c.Attempt, c.Used = e.SentBack.Attempt, belay.Use{}
	if e.SentBack.FromStart {
		c.LastHandoff, c.LastHandoffBy, c.ActiveRole = nil, "", ""
		for i := range c.Roles {
			s := &c.Roles[i]
			s.Snapshot, s.Status, s.Completed, s.Blocking, s.SentBackFor = nil, Pending, time.Time{}, []string{}, ""
		}
	}
	r.Status, r.Completed, r.SentBackFor = Pending, time.Time{}, e.Note
}

func (c *Context) foldUpdate(r *State, at time.Time, s StateUpdate) {
	if s.Status != "" {
		r.Status, r.Completed = s.Status, time.Time{}
		if s.Status == Done {
			r.Completed = at
		}
		if s.Status != InProgress && c.ActiveRole == r.Name {
			c.ActiveRole = ""
		}
	}
	if s.Session != "" {
		r.Session = s.Session
	}
	if s.QALog != "" {
		r.QALog = s.QALog
	}
}
