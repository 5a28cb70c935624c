package handoff

import (
	"fmt"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
)

// CheckExists returns an error (belay.CodeNotFound) if there is no context.
func (c *Context) CheckExists() error {
	if c.IsSet() {
		return nil
	}
	what := "%s has no context"
	if c.Deleted {
		what = "the context of %s was purged"
	}
	return belay.Refuse(belay.CodeNotFound, fmt.Sprintf("belay context init %s", c.Task), what, c.Task)
}

// CheckMayBegin returns an error (belay.CodeUsage) if there is a context already.
func (c *Context) CheckMayBegin() error {
	if !c.IsSet() {
		return nil
	}
	return belay.Refuse(belay.CodeUsage,
		fmt.Sprintf("belay context get %s, or belay context rebuild %s when its sources changed", c.Task, c.Task),
		"%s already has a context, created %s", c.Task, c.Created.Format("2006-01-02 15:04:05 MST"))
}

// CheckNoDrift returns an error (belay.CodeDrift) while a failed verification is unresolved.
func (c *Context) CheckNoDrift() error {
	n := c.DriftCount()
	if n == 0 {
		return nil
	}
	last := c.Drifts[len(c.Drifts)-1]
	return belay.Refuse(belay.CodeDrift,
		fmt.Sprintf(
			`belay context diff %s --drift shows it; belay context resolve-drift %s --note "…" accepts what is there now`, c.Task, c.Task),
		"%s has unresolved drift: %s of the handover by %s failed (%s)",
		c.Task, belay.Count(n, "verification", "verifications"), last.Role, last.Report.Summary())
}

// CheckMayStart returns an error unless role may start: no other role is working, the previous role
// has handed over, no earlier role blocks, and no drift is unresolved. The caller verifies the
// tree. Errors: belay.CodeUsage (no such role), CodeBusy, CodeNotFound (nothing was handed over),
// CodeRefused (blocked), CodeDrift.
func (c *Context) CheckMayStart(role string) error {
	r, err := c.RoleState(role)
	if err != nil {
		return err
	}
	if err := c.CheckNoDrift(); err != nil {
		return err
	}
	if c.ActiveRole != "" && c.ActiveRole != r.Name {
		return c.busyError(c.ActiveRole)
	}
	if before := c.RoleBefore(r.Name); before != "" {
		b, _ := c.RoleState(before)
		if b.Snapshot == nil {
			return belay.Refuse(belay.CodeNotFound, fmt.Sprintf("belay context snapshot %s --role %s", c.Task, before),
				"%s has not handed over to %s: there is no snapshot of its work", before, r.Name)
		}
	}
	for _, s := range c.Roles {
		if s.Name == r.Name {
			break
		}
		if len(s.Blocking) > 0 {
			return belay.Refuse(belay.CodeRefused,
				fmt.Sprintf("answer them, then belay context update %s --role %s --clear-findings", c.Task, s.Name),
				"%s blocks %s: %s", s.Name, r.Name, strings.Join(s.Blocking, "; "))
		}
	}
	return nil
}

func (c *Context) busyError(at string) error {
	return belay.Refuse(belay.CodeBusy,
		fmt.Sprintf("wait for its belay context snapshot %s --role %s, or say that it has stopped: belay context update "+
			"%s --role %s --status pending", c.Task, at, c.Task, at),
		"%s is working on %s", at, c.Task)
}

// CheckMayHandOver returns an error unless role may hand over: no other role is working, and no
// drift is unresolved. Errors: belay.CodeUsage (no such role), CodeBusy, CodeDrift.
func (c *Context) CheckMayHandOver(role string) error {
	r, err := c.RoleState(role)
	if err != nil {
		return err
	}
	if c.ActiveRole != "" && c.ActiveRole != r.Name {
		return c.busyError(c.ActiveRole)
	}
	return c.CheckNoDrift()
}
