package count

import (
	"slices"
	"strconv"
	"strings"

	"github.com/belay-dev/belay/internal/lazyregexp"
	"github.com/belay-dev/belay/internal/syntax"
)

// Value is an expression read as a list.
type Value struct {
	Kind      ListKind
	Items     []Item
	Children  []Child
	IsLiteral bool // contains a literal, not only references
}

// lengthKeepingMethods are methods that keep the number of items.
var lengthKeepingMethods = lazyregexp.Of("map sort reverse toSorted toReversed values keys entries iter into_iter to_vec cloned collect " +
	"freeze copy items stream toList into as_slice with fill toArray ToList ToArray AsReadOnly asList")

// wrapperFuncs are functions that return as many items as their first argument has.
var wrapperFuncs = lazyregexp.Of("freeze keys values entries from list tuple sorted reversed sealed asList unmodifiableList " +
	"fromEntries isArray enumerate dict")

func (s *Reader) ReadValue(lo, hi int, c *Scope, depth int) (Value, bool) {
	lo, hi = s.trim(lo, hi)
	if lo >= hi || depth > 60 {
		return Value{}, false
	}
	if q := s.Find(lo, hi, "?"); q > 0 && s.Lang != syntax.Python && s.Lang != syntax.Rust {
		return s.readChoice(lo, q, hi, c, depth)
	}
	if s.Lang == syntax.Python {
		if i := s.Find(lo, hi, "if"); i > 0 {
			if e := s.Find(i, hi, "else"); e > 0 {
				return s.mergeChoice(lo, i, e+1, hi, s.Range(i+1, e), c, depth)
			}
		}
	}
	if parts := s.Split(lo, hi, "+", "|"); len(parts) > 1 && parts[0][0] < parts[0][1] {
		return s.readSum(parts, c, depth)
	}
	if parts := s.Split(lo, hi, "*"); len(parts) == 2 && parts[0][0] < parts[0][1] {
		v, ok := s.ReadValue(parts[0][0], parts[0][1], c, depth+1)
		v.Items = []Item{s.unknownItem(lo, hi)}
		return v, ok && v.IsLiteral
	}
	return s.readChain(lo, hi, c, depth)
}

// isTuple reports whether parentheses are a tuple of Python: empty, or with a comma.
func (s *Reader) isTuple(lo, hi int) bool {
	return s.Lang == syntax.Python && (s.firstComma(lo) >= 0 || lo+1 == hi-1)
}

// trim removes what does not change a list: await, &, parentheses, casts.
func (s *Reader) trim(lo, hi int) (int, int) {
	for lo < hi {
		if end := s.castStart(lo, hi); end < hi {
			hi = end
			continue
		}
		switch {
		case s.Kind(hi-1) == Newline || s.IsOneOf(hi-1, ";", "!"):
			hi--
		case s.IsOneOf(lo, "await", "&", "mut", "return"):
			lo++
		case s.IsOpen(lo, "(") && s.CloseOf(lo) == hi-1 && !s.isTuple(lo, hi):
			lo, hi = lo+1, hi-1
		default:
			return lo, hi
		}
	}
	return lo, hi
}

func (s *Reader) firstComma(open int) int { return s.Find(open+1, s.CloseOf(open), ",") }

// castStart returns the start of `as const`, `as T` or `satisfies T`, hi without one.
func (s *Reader) castStart(lo, hi int) int {
	if s.Lang == syntax.Python || s.Lang == syntax.JSON {
		return hi
	}
	for i := s.Next(lo); i < hi; i = s.Next(i) {
		if s.Kind(i) == Ident && (s.Is(i, "as") || s.Is(i, "satisfies")) && !s.Is(i-1, ".") {
			return i
		}
	}
	return hi
}

func (s *Reader) readChoice(lo, q, hi int, c *Scope, depth int) (Value, bool) {
	level := 0
	for i := s.Next(q); i < hi; i = s.Next(i) {
		if s.Is(i, "?") {
			level++
		} else if s.Is(i, ":") {
			if level == 0 {
				return s.mergeChoice(q+1, i, i+1, hi, s.Range(lo, q), c, depth)
			}
			level--
		}
	}
	return Value{}, false
}

// mergeChoice returns the value of a choice between two lists: known if both have the same number
// of items.
func (s *Reader) mergeChoice(aLo, aHi, bLo, bHi int, cond string, c *Scope, depth int) (Value, bool) {
	a, okA := s.ReadValue(aLo, aHi, c, depth+1)
	b, okB := s.ReadValue(bLo, bHi, c, depth+1)
	if !okA && !okB {
		return Value{}, false
	}
	plain := func(items []Item) bool {
		return !slices.ContainsFunc(items, func(it Item) bool { return it.Unknown || it.Ref != "" })
	}
	if okA && okB && len(a.Items) == len(b.Items) && plain(a.Items) && plain(b.Items) {
		a.Children = append(a.Children, b.Children...)
		return a, true
	}
	kind := a.Kind
	if kind == "" {
		kind = b.Kind
	}
	it := s.NewItem("if "+cond, aLo)
	it.Unknown = true
	// The items are unknown, but the label distinguishes this choice from another.
	it.Label = Shorten(it.Label + ": " + strconv.Itoa(len(a.Items)) + " or " + strconv.Itoa(len(b.Items)))
	return Value{Kind: kind, Items: []Item{it}, Children: append(a.Children, b.Children...), IsLiteral: true}, true
}

func (s *Reader) readSum(parts [][2]int, c *Scope, depth int) (Value, bool) {
	var all Value
	any := false
	for _, p := range parts {
		v, ok := s.ReadValue(p[0], p[1], c, depth+1)
		if !ok {
			v = Value{Items: []Item{s.unknownItem(p[0], p[1])}}
		}
		any = any || ok && v.IsLiteral
		all.join(v)
	}
	// Two names joined by + may be numbers or strings: only brackets make them lists.
	if !any && !areUpperNames(s, parts) {
		return Value{}, false
	}
	all.IsLiteral = true
	return all, true
}

func areUpperNames(s *Reader, parts [][2]int) bool {
	for _, p := range parts {
		if p[1]-p[0] != 1 || s.Kind(p[0]) != Ident {
			return false
		}
	}
	return s.Lang == syntax.Python || s.Lang == syntax.Ruby
}

func (v *Value) join(w Value) {
	if v.Kind == "" {
		v.Kind = w.Kind
	}
	v.Items = append(v.Items, w.Items...)
	v.Children = append(v.Children, w.Children...)
	v.IsLiteral = v.IsLiteral || w.IsLiteral
}

// readChain reads a base and its method calls.
func (s *Reader) readChain(lo, hi int, c *Scope, depth int) (Value, bool) {
	v, i, ok := s.readBase(lo, hi, c, depth)
	if !ok {
		return Value{}, false
	}
	for i < hi {
		if !(s.Is(i, ".") || s.Is(i, "?.")) || s.Kind(i+1) != Ident {
			return Value{}, false
		}
		name := s.At(i + 1)
		i += 2
		if s.Is(i, "::") { // collect::<Vec<_>>()
			for i < hi && !s.IsOpen(i, "(") {
				i = s.Next(i)
			}
		}
		if !s.IsOpen(i, "(") {
			if lengthKeepingMethods.Has(name) && s.Lang == syntax.Ruby {
				continue
			}
			return Value{}, false
		}
		if !s.applyMethod(&v, name, i, c, depth) {
			return Value{}, false
		}
		i = s.Next(i)
	}
	return v, true
}

// applyMethod applies one method to a list.
func (s *Reader) applyMethod(v *Value, name string, args int, c *Scope, depth int) bool {
	lo, hi := args+1, s.CloseOf(args)
	unknown := func() {
		it := s.NewItem("."+name+s.Range(args, hi+1), args)
		label := it.Label
		if len(v.Items) > 0 {
			label = v.Items[0].Label + label
		}
		it.Label, it.Unknown = Shorten(label), true
		v.Items, v.IsLiteral = []Item{it}, true
	}
	switch {
	case name == "concat" || name == "union":
		for _, a := range s.Split(lo, hi, ",") {
			w, ok := s.ReadValue(a[0], a[1], c, depth+1)
			if !ok && a[0] < a[1] {
				w = Value{Items: []Item{s.LabelItem(a[0], a[1])}}
			}
			v.join(w)
		}
		v.IsLiteral = true
	case lengthKeepingMethods.Has(name):
		s.addArgument(lo, hi, c, v)
	case uncountableMethods.Has(name):
		s.addArgument(lo, hi, c, v)
		unknown()
	default:
		return false
	}
	return true
}

func (s *Reader) addArgument(lo, hi int, c *Scope, v *Value) {
	v.Children = append(v.Children, Child{lo, hi, c})
}

// readBase reads the start of a chain, and returns its end.
func (s *Reader) readBase(lo, hi int, c *Scope, depth int) (Value, int, bool) {
	switch {
	case s.IsOpen(lo, "["):
		v := s.readArray(lo, c)
		return v, s.Next(lo), true
	case s.IsOpen(lo, "{") && s.Lang != syntax.Rust && s.Lang != syntax.Java && s.Lang != syntax.Kotlin && s.Lang != syntax.CSharp:
		return s.readObject(lo, c), s.Next(lo), true
	case s.IsOpen(lo, "{") && s.Lang == syntax.Kotlin: // a function
		return Value{}, lo, false
	case s.IsOpen(lo, "{"):
		return s.readArray(lo, c), s.Next(lo), true
	case s.IsOpen(lo, "(") && s.Lang == syntax.Python:
		if s.firstComma(lo) < 0 && lo+1 != s.CloseOf(lo) {
			v, ok := s.ReadValue(lo+1, s.CloseOf(lo), c, depth+1)
			return v, s.Next(lo), ok
		}
		return s.readArray(lo, c), s.Next(lo), true
	case s.IsOpen(lo, "("):
		v, ok := s.ReadValue(lo+1, s.CloseOf(lo), c, depth+1)
		return v, s.Next(lo), ok
	case s.Kind(lo) == String && s.Lang == syntax.Ruby && len(s.At(lo)) > 3 && (s.At(lo)[:2] == "%w" || s.At(lo)[:2] == "%i"):
		return s.readPercent(lo), lo + 1, true
	case s.Is(lo, "new"):
		return s.readNew(lo, hi, c, depth)
	case s.Kind(lo) == Ident:
		return s.readReference(lo, hi, c, depth)
	}
	return Value{}, lo, false
}

// readPercent reads %w[small large].
func (s *Reader) readPercent(tok int) Value {
	v := Value{Kind: Array, IsLiteral: true}
	text, at := s.At(tok), lineCounter{}
	for _, word := range notSpace.FindAllStringIndex(text[:len(text)-1], -1) {
		from := max(word[0], len("%w["))
		if from >= word[1] {
			continue
		}
		it := s.NewItem(text[from:word[1]], tok)
		line, col := at.position([]byte(text), from)
		if it.Line += line - 1; line > 1 {
			it.Col = col
		} else {
			it.Col += col - 1
		}
		v.Items = append(v.Items, it)
	}
	return v
}

var notSpace = lazyregexp.New(`\S+`)

// readReference reads a name or a call: FLAVORS, data.FLAVORS, Object.freeze([…]).
func (s *Reader) readReference(lo, hi int, c *Scope, depth int) (Value, int, bool) {
	i := lo + 1
	for i+1 < hi && s.IsOneOf(i, ".", "::", "?.") && s.Kind(i+1) == Ident {
		if s.IsOpen(i+2, "(") && s.isMethod(i+1) {
			break
		}
		i += 2
	}
	name := s.At(i - 1)
	if s.Lang == syntax.Rust && s.Is(i, "!") && name == "vec" && s.Kind(i+1) == OpenBracket {
		return s.readArray(i+1, c), s.Next(i + 1), true
	}
	if s.Is(i, "<") && s.Lang != syntax.Python { // a call with type arguments
		if p := s.AfterGenerics(i, hi); p > 0 {
			i = p
		}
	}
	if s.IsOpen(i, "[") && s.Kind(i+1) == String && s.CloseOf(i) == i+2 {
		name += "." + Unquote(s.At(i+1))
		i = s.Next(i)
	}
	if !s.IsOpen(i, "(") {
		if s.Lang == syntax.Java || s.Lang == syntax.Kotlin || s.Lang == syntax.JSON || reservedWords.Has(name) {
			return Value{}, i, false
		}
		it := s.NewItem(name, lo)
		it.Ref = strings.ReplaceAll(s.Range(lo, i), "?.", ".")
		if strings.HasSuffix(name, ".") || strings.Contains(name, ".") {
			it.Ref = name
		}
		return Value{Kind: Array, Items: []Item{it}}, i, true
	}
	v, ok := s.readCall(lo, i, name, c, depth)
	return v, s.Next(i), ok
}

var reservedWords = lazyregexp.Of(
	"true false null nil None undefined True False function class async this self super yield lambda not typeof void")

func (s *Reader) isMethod(i int) bool {
	name := s.At(i)
	if s.IsOneOf(i-2, "Object", "Array", "List", "Arrays", "Map", "Set") {
		return false
	}
	return lengthKeepingMethods.Has(name) || listMethods.Has(name)
}

// listMethods are methods of a list that return a list, other than lengthKeepingMethods.
var listMethods = lazyregexp.Of("concat union slice filter flatMap flat splice")

// uncountableMethods are methods that return an unknown number of items.
var uncountableMethods = lazyregexp.Of("slice filter flatMap flat splice flat_map")

// AfterGenerics returns the parenthesis behind <…>, or -1.
func (s *Reader) AfterGenerics(i, hi int) int {
	for depth := 0; i < hi; i = s.Next(i) {
		switch {
		case s.Is(i, "<"):
			depth++
		case s.Is(i, ">"):
			if depth--; depth == 0 {
				if s.IsOpen(i+1, "(") || s.IsOpen(i+1, "{") {
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
