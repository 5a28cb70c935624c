package drive

import (
	"fmt"

	"github.com/belay-dev/belay/internal/belay"
)

// unlimited says of an attempt that it is not known whether a limit was kept, once in a task
// for each limit.
func (d *Driver) unlimited(used belay.Use) {
	p, before := d.Rec.Task.Policy, d.Rec.State.Attempts
	saidCost, saidTokens := false, false
	for _, a := range before[:max(0, len(before)-1)] {
		saidCost = saidCost || a.CostUnknown != ""
		saidTokens = saidTokens || a.Ended != "" && a.Tokens == nil
	}
	if p.Cost > 0 && used.CostUnknown != "" && !saidCost {
		d.Watch.Note(fmt.Sprintf("cost: %s (%s): whether limits.cost is kept is not known", used.CostText(), used.CostUnknown))
	}
	if p.Tokens > 0 && used.Tokens == nil && !saidTokens {
		d.Watch.Note("tokens: unknown (the agent reports none): whether limits.tokens is kept is not known")
	}
}
