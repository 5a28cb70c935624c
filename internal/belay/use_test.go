package belay

import (
	"math"
	"testing"
)

// TestUseText: unknown is never shown as 0, and an incomplete number is marked.
func TestUseText(t *testing.T) {
	t.Parallel()
	for want, u := range map[string]Use{
		"unknown unknown": {}, "unknown 5": {CostUnknown: "why", Tokens: &Tokens{Input: 5}}, "$0.40 unknown": {Cost: 0.4},
		"$0.40+ 1.5k+": {Cost: 0.4, CostUnknown: "why", Tokens: &Tokens{Input: 1000, Output: 500, AtLeast: true}},
		"$0.00 0":      {Tokens: &Tokens{}}, "$0.0099 2M": {Cost: 0.0099, Tokens: &Tokens{CacheRead: 2e6}},
		"$1.80e+308 9223372T": {Cost: math.MaxFloat64, Tokens: &Tokens{Input: math.MaxInt64, Output: 1}},
	} {
		if got := u.CostText() + " " + u.TokensText(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

// TestWith: a sum with an unknown part is incomplete.
func TestWith(t *testing.T) {
	t.Parallel()
	known := Use{Cost: 0.1, Tokens: &Tokens{Input: 5}}
	sum := Use{}.Plus(known).Plus(known).Plus(known)
	if sum.Cost != 0.3 || sum.TokenSum() != 15 || !sum.CostKnown() {
		t.Errorf("%+v", sum)
	}
	for _, less := range []Use{known.With(Use{CostUnknown: "why"}), Use{CostUnknown: "why"}.With(known)} {
		if less.CostText() != "$0.10+" || less.TokensText() != "5+" || known.Tokens.AtLeast {
			t.Errorf("%+v, of %+v", less, known)
		}
	}
}

// TestPriceFor: a star matches any text, a plain name only itself.
func TestPriceFor(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		pattern, model string
		want           bool
	}{
		{"a", "a", true}, {"a", "ab", false}, {"a*", "ab", true}, {"a*", "a", true}, {"*", "", true}, {"*/a-*-x", "p/a-1-x", true}, {"*/a-*-x", "p/a-x", false},
		{"a*a", "a", false}, {"a*b*c", "abc", true}, {"a*b*c", "acb", false},
	} {
		if (Price{Name: "n", Models: []string{c.pattern}}).For(c.model) != c.want {
			t.Errorf("%s for %s: not %v", c.pattern, c.model, c.want)
		}
	}
	if !(Price{Name: "n"}).For("n") || (Price{Name: "n"}).For("m") {
		t.Error("a price without models is that of its name")
	}
}
