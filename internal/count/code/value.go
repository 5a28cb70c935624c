package code

import (
	"slices"
	"strconv"
	"strings"

	"github.com/belay-dev/belay/internal/count/lex"
	"github.com/belay-dev/belay/internal/count/list"
)

// value is what an expression comes to when it is a list.
type value struct {
	kind     list.Kind
	items    []list.Item
	children []frame
	literal  bool // it has brackets of its own, not only references
}

// literal makes a list of an expression, and says whether it is one.
func (s *scanner) literal(name string, lo, hi int, c *scope, words []string) *list.List {
	inner := c.below(name)
	v, ok := s.value(lo, hi, inner, 0)
	if !ok {
		return nil
	}
	l := s.list(v.kind, name, c, lo)
	l.Items = v.items
	l.Words = append(slices.Clone(words), c.words...)
	for _, f := range v.children {
		s.push(f)
	}
	return l
}

// identity are methods that keep the number of items.
var identity = words("map sort reverse toSorted toReversed values keys entries iter into_iter to_vec cloned collect freeze copy items stream toList into as_slice with fill toArray ToList ToArray AsReadOnly asList")

// wrappers are functions whose value has as many items as their first argument.
var wrappers = words("freeze keys values entries from list tuple sorted reversed sealed asList unmodifiableList fromEntries isArray enumerate dict")

func words(text string) map[string]bool {
	m := map[string]bool{}
	for _, w := range strings.Fields(text) {
		m[w] = true
	}
	return m
}

func (s *scanner) value(lo, hi int, c *scope, depth int) (value, bool) {
	lo, hi = s.trim(lo, hi)
	if lo >= hi || depth > 60 {
		return value{}, false
	}
	if q := s.find(lo, hi, "?"); q > 0 && s.lang != Python && s.lang != Rust {
		return s.choice(lo, q, hi, c, depth)
	}
	if s.lang == Python {
		if i := s.find(lo, hi, "if"); i > 0 {
			if e := s.find(i, hi, "else"); e > 0 {
				return s.either(lo, i, e+1, hi, s.Range(i+1, e), c, depth)
			}
		}
	}
	if parts := s.split(lo, hi, "+", "|"); len(parts) > 1 && parts[0][0] < parts[0][1] {
		return s.sum(parts, c, depth)
	}
	if parts := s.split(lo, hi, "*"); len(parts) == 2 && parts[0][0] < parts[0][1] {
		return s.times(parts, c, depth)
	}
	return s.chain(lo, hi, c, depth)
}

// trim takes away what does not change a list: new, await, &, parentheses, casts.
func (s *scanner) trim(lo, hi int) (int, int) {
	for lo < hi {
		if end := s.cast(lo, hi); end < hi {
			hi = end
			continue
		}
		switch {
		case s.kind(hi-1) == lex.Newline || s.Is(hi-1, ";") || s.Is(hi-1, "!"):
			hi--
		case s.Is(lo, "await") || s.Is(lo, "&") || s.Is(lo, "mut") || s.Is(lo, "return"):
			lo++
		case s.open(lo, "(") && s.after(lo) == hi-1 && (s.lang != Python || s.comma(lo) < 0) && !(s.lang == Python && lo+1 == hi-1):
			lo, hi = lo+1, hi-1
		default:
			return lo, hi
		}
	}
	return lo, hi
}

func (s *scanner) comma(open int) int { return s.find(open+1, s.after(open), ",") }

// cast gives where `as const`, `as T` or `satisfies T` starts.
func (s *scanner) cast(lo, hi int) int {
	if s.lang == Python || s.lang == JSON {
		return hi
	}
	for i := s.next(lo); i < hi; i = s.next(i) {
		if s.kind(i) == lex.Ident && (s.Is(i, "as") || s.Is(i, "satisfies")) && !s.Is(i-1, ".") {
			return i
		}
	}
	return hi
}

func (s *scanner) choice(lo, q, hi int, c *scope, depth int) (value, bool) {
	level := 0
	for i := s.next(q); i < hi; i = s.next(i) {
		if s.Is(i, "?") {
			level++
		} else if s.Is(i, ":") {
			if level == 0 {
				return s.either(q+1, i, i+1, hi, s.Range(lo, q), c, depth)
			}
			level--
		}
	}
	return value{}, false
}

// either is one of two lists: known when both have the same number of items.
func (s *scanner) either(aLo, aHi, bLo, bHi int, cond string, c *scope, depth int) (value, bool) {
	a, okA := s.value(aLo, aHi, c, depth+1)
	b, okB := s.value(bLo, bHi, c, depth+1)
	if !okA && !okB {
		return value{}, false
	}
	plain := func(items []list.Item) bool {
		return !slices.ContainsFunc(items, func(it list.Item) bool { return it.Open || it.Ref != "" })
	}
	if okA && okB && len(a.items) == len(b.items) && plain(a.items) && plain(b.items) {
		a.children = append(a.children, b.children...)
		return a, true
	}
	kind := a.kind
	if kind == "" {
		kind = b.kind
	}
	it := s.item("if "+cond, aLo)
	it.Open = true
	// What may or may not be there is unknown, but it is still told apart from another.
	it.Label = list.Shorten(it.Label + ": " + strconv.Itoa(len(a.items)) + " or " + strconv.Itoa(len(b.items)))
	return value{kind: kind, items: []list.Item{it}, children: append(a.children, b.children...), literal: true}, true
}

func (s *scanner) sum(parts [][2]int, c *scope, depth int) (value, bool) {
	var all value
	any := false
	for _, p := range parts {
		v, ok := s.value(p[0], p[1], c, depth+1)
		if !ok {
			it := s.item(s.Range(p[0], p[1]), p[0])
			it.Open = true
			v = value{items: []list.Item{it}}
		}
		any = any || ok && v.literal
		all.join(v)
	}
	// Two names joined by + may be numbers or strings: only brackets make them lists.
	if !any && !upperNames(s, parts) {
		return value{}, false
	}
	all.literal = true
	return all, true
}

func upperNames(s *scanner, parts [][2]int) bool {
	for _, p := range parts {
		if p[1]-p[0] != 1 || s.kind(p[0]) != lex.Ident {
			return false
		}
	}
	return s.lang == Python || s.lang == Ruby
}

func (v *value) join(w value) {
	if v.kind == "" {
		v.kind = w.kind
	}
	v.items = append(v.items, w.items...)
	v.children = append(v.children, w.children...)
	v.literal = v.literal || w.literal
}

func (s *scanner) times(parts [][2]int, c *scope, depth int) (value, bool) {
	v, ok := s.value(parts[0][0], parts[0][1], c, depth+1)
	n, err := strconv.Atoi(s.Range(parts[1][0], parts[1][1]))
	if !ok || !v.literal {
		return value{}, false
	}
	if err != nil || n < 0 || n*len(v.items) > 10_000 {
		it := s.item(s.Range(parts[0][0], parts[1][1]), parts[0][0])
		it.Open = true
		v.items = []list.Item{it}
		return v, true
	}
	once := v.items
	v.items = nil
	for range n {
		v.items = append(v.items, once...)
	}
	return v, true
}

// chain reads a base and the methods called on it.
func (s *scanner) chain(lo, hi int, c *scope, depth int) (value, bool) {
	v, i, ok := s.base(lo, hi, c, depth)
	if !ok {
		return value{}, false
	}
	for i < hi {
		if !(s.Is(i, ".") || s.Is(i, "?.")) || s.kind(i+1) != lex.Ident {
			return value{}, false
		}
		name := s.At(i + 1)
		i += 2
		if s.Is(i, "::") { // collect::<Vec<_>>()
			for i < hi && !s.open(i, "(") {
				i = s.next(i)
			}
		}
		if !s.open(i, "(") {
			if identity[name] && s.lang == Ruby {
				continue
			}
			return value{}, false
		}
		if !s.method(&v, name, i, c, depth) {
			return value{}, false
		}
		i = s.next(i)
	}
	return v, true
}

// method applies one method to a list.
func (s *scanner) method(v *value, name string, args int, c *scope, depth int) bool {
	lo, hi := args+1, s.after(args)
	unknown := func() {
		it := s.item("."+name+s.Range(args, hi+1), args)
		label := it.Label
		if len(v.items) > 0 {
			label = v.items[0].Label + label
		}
		it.Label, it.Open = list.Shorten(label), true
		v.items, v.literal = []list.Item{it}, true
	}
	switch {
	case name == "concat" || name == "union":
		for _, a := range s.split(lo, hi, ",") {
			w, ok := s.value(a[0], a[1], c, depth+1)
			if !ok && a[0] < a[1] {
				w = value{items: []list.Item{s.label(a[0], a[1])}}
			}
			v.join(w)
		}
		v.literal = true
	case name == "slice":
		return s.slice(v, lo, hi, unknown)
	case identity[name]:
		s.argument(lo, hi, c, v)
	case name == "filter" || name == "flatMap" || name == "flat" || name == "splice" || name == "flat_map":
		s.argument(lo, hi, c, v)
		unknown()
	default:
		return false
	}
	return true
}

func (s *scanner) argument(lo, hi int, c *scope, v *value) {
	v.children = append(v.children, frame{lo, hi, expression, c})
}

func (s *scanner) slice(v *value, lo, hi int, unknown func()) bool {
	from, to := 0, 0
	for n, a := range s.split(lo, hi, ",") {
		x, err := strconv.Atoi(s.Range(a[0], a[1]))
		if a[0] == a[1] && n == 0 {
			continue
		}
		if err != nil || n > 1 || n == 1 && x == 0 {
			unknown()
			return true
		}
		if n == 0 {
			from = x
		} else {
			to = x
		}
	}
	switch {
	case from == 0 && to == 0:
	case len(v.items) == 1 && v.items[0].Ref != "":
		v.items[0].From, v.items[0].To = from, to
	case !slices.ContainsFunc(v.items, func(it list.Item) bool { return it.Ref != "" || it.Open }):
		end := len(v.items)
		if to != 0 {
			end = bound(to, len(v.items))
		}
		v.items = v.items[min(bound(from, len(v.items)), end):end]
	default:
		unknown()
	}
	return true
}

func bound(i, n int) int {
	if i < 0 {
		i += n
	}
	return max(0, min(i, n))
}

// base reads what a chain starts with, and gives where it ends.
func (s *scanner) base(lo, hi int, c *scope, depth int) (value, int, bool) {
	switch {
	case s.open(lo, "["):
		v := s.array(lo, c)
		return v, s.next(lo), true
	case s.open(lo, "{") && s.lang != Rust && s.lang != Java && s.lang != CSharp:
		return s.object(lo, c), s.next(lo), true
	case s.open(lo, "{"):
		return s.array(lo, c), s.next(lo), true
	case s.open(lo, "(") && s.lang == Python:
		if s.comma(lo) < 0 && lo+1 != s.after(lo) {
			v, ok := s.value(lo+1, s.after(lo), c, depth+1)
			return v, s.next(lo), ok
		}
		return s.array(lo, c), s.next(lo), true
	case s.open(lo, "("):
		v, ok := s.value(lo+1, s.after(lo), c, depth+1)
		return v, s.next(lo), ok
	case s.Is(lo, "%") && s.lang == Ruby && s.open(lo+2, "[") && (s.Is(lo+1, "w") || s.Is(lo+1, "i")):
		var v value
		for i := lo + 3; i < s.after(lo+2); i++ {
			v.items = append(v.items, s.item(s.At(i), i))
		}
		v.kind, v.literal = list.Array, true
		return v, s.next(lo + 2), true
	case s.Is(lo, "new"):
		return s.newObject(lo, hi, c, depth)
	case s.kind(lo) == lex.Ident:
		return s.reference(lo, hi, c, depth)
	}
	return value{}, lo, false
}

// reference reads a name or a call: FLAVORS, data.FLAVORS, Object.freeze([…]).
func (s *scanner) reference(lo, hi int, c *scope, depth int) (value, int, bool) {
	i := lo + 1
	for i+1 < hi && (s.Is(i, ".") || s.Is(i, "::") || s.Is(i, "?.")) && s.kind(i+1) == lex.Ident && !(s.open(i+2, "(") && s.isMethod(i+1)) {
		i += 2
	}
	name := s.At(i - 1)
	if s.lang == Rust && s.Is(i, "!") && name == "vec" && s.kind(i+1) == lex.Open {
		return s.array(i+1, c), s.next(i + 1), true
	}
	if s.Is(i, "<") && s.lang != Python { // a call with type arguments
		if p := s.generic(i, hi); p > 0 {
			i = p
		}
	}
	if s.open(i, "[") && s.kind(i+1) == lex.String && s.after(i) == i+2 {
		name += "." + unquote(s.At(i+1))
		i = s.next(i)
	}
	if !s.open(i, "(") {
		if s.lang == Java || s.lang == JSON || reserved[name] {
			return value{}, i, false
		}
		it := s.item(name, lo)
		it.Ref = strings.ReplaceAll(s.Range(lo, i), "?.", ".")
		if strings.HasSuffix(name, ".") || strings.Contains(name, ".") {
			it.Ref = name
		}
		return value{kind: list.Array, items: []list.Item{it}}, i, true
	}
	v, ok := s.call(lo, i, name, c, depth)
	return v, s.next(i), ok
}

var reserved = words("true false null nil None undefined True False function class async this self super yield lambda not typeof void")

func (s *scanner) isMethod(i int) bool {
	name := s.At(i)
	if s.Is(i-2, "Object") || s.Is(i-2, "Array") || s.Is(i-2, "List") || s.Is(i-2, "Arrays") || s.Is(i-2, "Map") || s.Is(i-2, "Set") {
		return false
	}
	return identity[name] || name == "concat" || name == "slice" || name == "filter" || name == "flatMap" || name == "flat" || name == "union" || name == "splice"
}

// generic gives the parenthesis after <…>, or -1.
func (s *scanner) generic(i, hi int) int {
	for depth := 0; i < hi; i = s.next(i) {
		switch {
		case s.Is(i, "<"):
			depth++
		case s.Is(i, ">"):
			if depth--; depth == 0 {
				if s.open(i+1, "(") || s.open(i+1, "{") {
					return i + 1
				}
				return -1
			}
		case s.Is(i, ";"):
			return -1
		}
	}
	return -1
}
