package belay

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Tokens is how many tokens a model read and wrote, each counted in one place only.
type Tokens struct {
	Input      int64 `json:"input,omitempty"`       // read, and not from a cache
	CacheRead  int64 `json:"cache_read,omitempty"`  // read from a cache
	CacheWrite int64 `json:"cache_write,omitempty"` // read, and written to a cache
	Output     int64 `json:"output,omitempty"`      // written, reasoning included
	AtLeast    bool  `json:"at_least,omitempty"`    // more was used than is known
}

// Sum is all of them. It stops at the largest number, like Plus.
func (t Tokens) Sum() int64 {
	return more(more(t.Input, t.CacheRead), more(t.CacheWrite, t.Output))
}

// Plus adds. What is negative adds nothing.
func (t Tokens) Plus(o Tokens) Tokens {
	return Tokens{
		Input: more(t.Input, o.Input), CacheRead: more(t.CacheRead, o.CacheRead), CacheWrite: more(t.CacheWrite, o.CacheWrite),
		Output: more(t.Output, o.Output), AtLeast: t.AtLeast || o.AtLeast,
	}
}

// more adds what other programs count: a sum never wraps.
func more(sum, add int64) int64 {
	switch {
	case add <= 0:
		return sum
	case sum > math.MaxInt64-add:
		return math.MaxInt64
	}
	return sum + add
}

// Use is what agents used, as far as they report it. The zero value is nothing reported.
type Use struct {
	Cost        float64 `json:"cost,omitempty"`         // US dollars, as far as it is known
	CostUnknown string  `json:"cost_unknown,omitempty"` // why Cost is not all of it, or not known at all
	Tokens      *Tokens `json:"tokens,omitempty"`       // nil: unknown. Never changed in place
}

// CostKnown reports whether Cost is all of it.
func (u Use) CostKnown() bool { return u.CostUnknown == "" && (u.Cost > 0 || u.Tokens != nil) }

// TokenSum is all tokens that are known of.
func (u Use) TokenSum() int64 {
	if u.Tokens == nil {
		return 0
	}
	return u.Tokens.Sum()
}

// Plus adds what somebody else used. A cost that is negative or no number adds nothing, and
// a sum stops at the largest number: an infinite one could not be written down.
func (u Use) Plus(o Use) Use {
	if o.Cost > 0 {
		u.Cost = tidy(min(u.Cost+o.Cost, math.MaxFloat64))
	}
	if u.CostUnknown == "" {
		u.CostUnknown = o.CostUnknown
	}
	switch {
	case o.Tokens == nil:
	case u.Tokens == nil:
		sum := Tokens{}.Plus(*o.Tokens)
		u.Tokens = &sum
	default:
		sum := u.Tokens.Plus(*o.Tokens)
		u.Tokens = &sum
	}
	return u
}

// tidy drops what binary fractions add: 0.4 three times is 1.2, and not 1.2000000000000002.
func tidy(c float64) float64 {
	if c > 1e6 {
		return c
	}
	return math.Round(c*1e10) / 1e10
}

// With is Plus of one that is whole by itself, so that what is not known of its tokens makes
// the sum less than all.
func (u Use) With(o Use) Use {
	sum := u.Plus(o)
	if sum.Tokens != nil && (u.Tokens == nil || o.Tokens == nil) {
		less := *sum.Tokens
		less.AtLeast = true
		sum.Tokens = &less
	}
	return sum
}

// CostText says the cost: "$0.40", "$0.40+" when more was spent than is known, "unknown".
func (u Use) CostText() string {
	switch {
	case u.CostKnown():
		return Dollars(u.Cost)
	case u.Cost > 0:
		return Dollars(u.Cost) + "+"
	}
	return "unknown"
}

// TokensText says the tokens as CostText does the cost: "950", "12.3k", "1.2M+", "unknown".
func (u Use) TokensText() string {
	if u.Tokens == nil {
		return "unknown"
	}
	text := Thousands(u.Tokens.Sum())
	if u.Tokens.AtLeast {
		text += "+"
	}
	return text
}

// Dollars writes an amount in cents; one below a cent keeps two digits that count.
func Dollars(c float64) string {
	switch {
	case c > 0 && c < 0.01:
		return "$" + strconv.FormatFloat(c, 'f', min(2-int(math.Ceil(math.Log10(c))), 10), 64)
	case c >= 1e9:
		return fmt.Sprintf("$%.2e", c)
	}
	return fmt.Sprintf("$%.2f", c)
}

// Thousands writes a count with at most one decimal and its unit.
func Thousands(n int64) string {
	for _, unit := range []struct {
		size int64
		name string
	}{{1e12, "T"}, {1e9, "G"}, {1e6, "M"}, {1e3, "k"}} {
		if n >= unit.size {
			return strings.TrimSuffix(fmt.Sprintf("%.1f", float64(n)/float64(unit.size)), ".0") + unit.name
		}
	}
	return strconv.FormatInt(n, 10)
}

// NoPrice stands for a price that is not set. There is no price that belay knows by itself.
const NoPrice = -1

// Price is what the tokens of some models cost, in US dollars for a million of them.
type Price struct {
	Name   string   `json:"name"`
	Models []string `json:"models,omitempty"` // names of models, in which * stands for anything; none: Name

	Input      float64 `json:"input"`
	Output     float64 `json:"output"`
	CacheRead  float64 `json:"cache_read"`
	CacheWrite float64 `json:"cache_write"`
}

// For reports whether the price is one of the model.
func (p Price) For(model string) bool {
	if len(p.Models) == 0 {
		return p.Name == model
	}
	for _, m := range p.Models {
		if like(m, model) {
			return true
		}
	}
	return false
}

// like reports whether name is what pattern describes, in which * stands for any text.
func like(pattern, name string) bool {
	parts := strings.Split(pattern, "*")
	if len(parts) == 1 {
		return pattern == name
	}
	rest, ok := strings.CutPrefix(name, parts[0])
	if !ok {
		return false
	}
	for _, part := range parts[1 : len(parts)-1] {
		_, after, found := strings.Cut(rest, part)
		if !found {
			return false
		}
		rest = after
	}
	return strings.HasSuffix(rest, parts[len(parts)-1])
}

// Cost is what tokens cost. missing names a price that it takes and that is not set, ""
// for none; the cost is that of the others then.
func (p Price) Cost(t Tokens) (cost float64, missing string) {
	for _, part := range []struct {
		n     int64
		price float64
		name  string
	}{{t.Input, p.Input, "input"}, {t.CacheRead, p.CacheRead, "cache_read"},
		{t.CacheWrite, p.CacheWrite, "cache_write"}, {t.Output, p.Output, "output"}} {
		switch {
		case part.n <= 0:
		case part.price < 0:
			missing = part.name
		default:
			cost = min(cost+float64(part.n)*part.price/1e6, math.MaxFloat64)
		}
	}
	return cost, missing
}

// AgentSession is a conversation with an agent that a later run of the same agent can continue.
type AgentSession struct {
	Agent string `json:"agent"` // by the name of its preset
	ID    string `json:"id"`
}
