package runner

import (
	"fmt"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/loop"
)

// UnknownLimits names the limits that cannot be checked for the newest attempt and its use, a line
// each, unless an earlier attempt reported the same.
func UnknownLimits(p belay.Policy, attempts []loop.Attempt, used belay.Use) (lines []string) {
	saidCost, saidTokens := false, false
	for _, a := range attempts[:max(0, len(attempts)-1)] {
		saidCost = saidCost || a.CostUnknown != ""
		saidTokens = saidTokens || a.Ended != "" && a.Tokens == nil
	}
	if p.Cost > 0 && used.CostUnknown != "" && !saidCost {
		lines = append(lines, fmt.Sprintf("cost: %s (%s): limits.cost cannot be enforced", used.CostText(), used.CostUnknown))
	}
	if p.Tokens > 0 && used.Tokens == nil && !saidTokens {
		lines = append(lines, "tokens: unknown (the agent reports none): limits.tokens cannot be enforced")
	}
	return lines
}
