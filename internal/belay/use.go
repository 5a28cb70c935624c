package belay

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// Tokens is the number of tokens that a model read and wrote, each counted in one field only.
type Tokens struct {
	Input      int64 `json:"input,omitempty"`       // read, but not from a cache
	CacheRead  int64 `json:"cache_read,omitempty"`  // read from a cache
	CacheWrite int64 `json:"cache_write,omitempty"` // read, and written to a cache
	Output     int64 `json:"output,omitempty"`      // written, including reasoning
	AtLeast    bool  `json:"at_least,omitempty"`    // the real number is higher
}

// Sum returns the sum of all fields. It saturates like Plus.
func (t Tokens) Sum() int64 {
	return more(more(t.Input, t.CacheRead), more(t.CacheWrite, t.Output))
}

// Plus adds tokens. Negative numbers count as 0.
func (t Tokens) Plus(o Tokens) Tokens {
	return Tokens{
		Input: more(t.Input, o.Input), CacheRead: more(t.CacheRead, o.CacheRead), CacheWrite: more(t.CacheWrite, o.CacheWrite),
		Output: more(t.Output, o.Output), AtLeast: t.AtLeast || o.AtLeast,
	}
}

// more adds numbers from other programs, saturating instead of overflowing.
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
	Cost        float64 `json:"cost,omitempty"`         // known part in US dollars
	CostUnknown string  `json:"cost_unknown,omitempty"` // why Cost is incomplete or unknown
	Tokens      *Tokens `json:"tokens,omitempty"`       // nil: unknown; never changed in place
}

// CostKnown reports whether Cost is complete.
func (u Use) CostKnown() bool { return u.CostUnknown == "" && (u.Cost > 0 || u.Tokens != nil) }

// TokenSum returns the sum of all known tokens.
func (u Use) TokenSum() int64 {
	if u.Tokens == nil {
		return 0
	}
	return u.Tokens.Sum()
}

// Plus adds another use. A cost that is negative or not a number counts as 0, and a sum saturates,
// because infinity cannot be written as JSON.
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

// tidy removes rounding errors of binary fractions: 0.4 three times is 1.2, not 1.2000000000000002.
func tidy(c float64) float64 {
	if c > 1e6 {
		return c
	}
	return math.Round(c*1e10) / 1e10
}

// With is Plus for a separate use: if its tokens are unknown, the sum is AtLeast.
func (u Use) With(o Use) Use {
	sum := u.Plus(o)
	if sum.Tokens != nil && (u.Tokens == nil || o.Tokens == nil) {
		less := *sum.Tokens
		less.AtLeast = true
		sum.Tokens = &less
	}
	return sum
}

// CostText formats the cost: "$0.40", "$0.40+" if it is incomplete, "unknown".
func (u Use) CostText() string {
	switch {
	case u.CostKnown():
		return Dollars(u.Cost)
	case u.Cost > 0:
		return Dollars(u.Cost) + "+"
	}
	return "unknown"
}

// TokensText formats the tokens in the same way: "950", "12.3k", "1.2M+", "unknown".
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

// Dollars formats an amount in cents; below a cent with two significant digits.
func Dollars(c float64) string {
	switch {
	case c > 0 && c < 0.01:
		return "$" + strconv.FormatFloat(c, 'f', min(2-int(math.Ceil(math.Log10(c))), 10), 64)
	case c >= 1e9:
		return fmt.Sprintf("$%.2e", c)
	}
	return fmt.Sprintf("$%.2f", c)
}

// Thousands formats a number with at most one decimal and its unit.
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

// NoPrice means that a price is not set. Belay itself knows no prices.
const NoPrice = -1

// Price is the price of the tokens of some models, in US dollars per million.
type Price struct {
	Name   string   `json:"name"`
	Models []string `json:"models,omitempty"` // names of models, in which * matches anything; if empty: Name

	Input      float64 `json:"input"`
	Output     float64 `json:"output"`
	CacheRead  float64 `json:"cache_read"`
	CacheWrite float64 `json:"cache_write"`
}

// For reports whether the price applies to the model.
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

// like reports whether name matches pattern, in which * matches any text.
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

// Cost returns the cost of tokens. missing names a required price that is not set, "" for none; the
// cost is that of the others then.
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

// AgentSession is a conversation with an agent that a later run of the same agent can resume.
type AgentSession struct {
	Agent string `json:"agent"` // the name of its preset
	ID    string `json:"id"`
}
