package count

import (
	"iter"
	"slices"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

// namingKeys are keys with a value that names an item, the best first.
var namingKeys = []string{"id", "slug", "key", "name", "title", "label", "path", "q", "question", "href", "url", "text", "value", "code"}

// LabelItem returns the item of a range, labelled by the value of one of namingKeys, by its first
// string, or by its text.
func (s *Reader) LabelItem(lo, hi int) Item {
	best, rank := "", len(namingKeys)
	first := ""
	end := min(hi, lo+400)
	for i := lo; i < end; i++ {
		switch s.Kind(i) {
		case String:
			if first == "" && !s.Is(i+1, ":") && !s.Is(i+1, "=>") {
				first = Unquote(s.At(i))
			}
		case OpenBracket:
			if i > lo && s.Tokens[i].Elem || i > lo+1 && !s.Is(i, "(") {
				i = s.CloseOf(i)
			}
			continue
		}
		if s.Is(i+1, ":") || s.Is(i+1, "=") {
			if r := slices.Index(namingKeys, Unquote(s.At(i))); r >= 0 && r < rank && i+2 < end && s.Kind(i+2) != OpenBracket {
				best, rank = Unquote(s.At(i+2)), r
			}
		}
	}
	switch {
	case best != "":
	case first != "":
		best = first
	default:
		best = s.Range(lo, min(hi, lo+60))
	}
	if best == "" {
		best = s.Range(lo, hi)
	}
	it := s.NewItem(best, lo)
	it.Sum = Sum(s.rangeWords(lo, hi))
	return it
}

// rangeWords returns the tokens of a range without a trailing comma.
func (s *Reader) rangeWords(lo, hi int) iter.Seq[string] {
	return func(yield func(string) bool) {
		for i := lo; i < hi; i++ {
			if trailing := s.Is(i, ",") && (i+1 == hi || s.Kind(i+1) == Close); !trailing && !yield(s.At(i)) {
				return
			}
		}
	}
}

// Identifiers returns the names in a range, without keywords.
func (s *Reader) Identifiers(lo, hi int) []string {
	var out []string
	for i := lo; i < hi && len(out) < 12; i++ {
		if w := s.At(i); s.Kind(i) == Ident && !Modifiers.Has(w) {
			out = append(out, w)
		}
	}
	return out
}

var Modifiers = lazyregexp.Of("const let var static readonly public private protected internal export default final declare " +
	"abstract async override pub mut type val def get set string number boolean unknown any Array ReadonlyArray Record " +
	"Readonly List Map Set Vec str")
