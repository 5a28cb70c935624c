package count

import (
	"slices"
	"strconv"
	"strings"

	"github.com/belay-dev/belay/internal/lazyregexp"
	"github.com/belay-dev/belay/internal/syntax"
)

// arguments returns the ranges of a bracket's arguments, without an empty one behind a trailing
// comma.
func (s *Reader) arguments(open int) [][2]int {
	args := s.Split(open+1, s.CloseOf(open), ",")
	if last := args[len(args)-1]; last[0] >= last[1] {
		args = args[:len(args)-1]
	}
	return args
}

// readCall reads a function call that can return a list. It knows which of the usual functions keep
// the number of items; any other one with a literal as its first argument (useState, defineConfig,
// Object.freeze) is assumed to return that.
func (s *Reader) readCall(lo, open int, name string, c *Scope, depth int) (Value, bool) {
	args := s.arguments(open)
	full := s.Range(lo, open)
	switch {
	case slices.Contains([]string{"Object.assign", "slices.Concat", "_.concat"}, full) || name == "chain":
		return s.joinArguments(args, c, depth)
	case name == "of" && isListOf(full) || full == "Arrays.asList":
		return s.groupArguments(args, c, Array, 1), true
	case s.Lang == syntax.Kotlin && kotlinLists.Has(name):
		return s.groupArguments(args, c, Array, 1), true
	case s.Lang == syntax.Kotlin && kotlinMaps.Has(name):
		return s.readPairs(args, c), true
	case full == "Map.of":
		return s.groupArguments(args, c, Object, 2), true
	case full == "Map.ofEntries":
		return s.groupArguments(args, c, Object, 1), true
	case full == "Array.from":
		if n, ok := s.length(args); ok {
			return s.repeatItem(n, lo, c, args), true
		}
	case full == "Array" || full == "range":
		return s.readSized(lo, args, c)
	case s.Lang == syntax.Python && full == "dict" && len(args) > 0 && s.Is(args[0][0]+1, "="):
		return s.readKeywords(args, c), true
	case s.Lang == syntax.Python && (name == "set" || name == "frozenset"):
		v, ok := s.readFirst(args, c, depth)
		for i := range v.Items {
			v.Items[i].IsKey = true
		}
		return v, ok
	}
	return s.readWrapped(name, args, c, depth)
}

// readWrapped reads a call that returns the list in its first argument.
func (s *Reader) readWrapped(name string, args [][2]int, c *Scope, depth int) (Value, bool) {
	v, ok := s.readFirst(args, c, depth)
	if !ok || !v.IsLiteral && !wrapperFuncs.Has(name) {
		return Value{}, false
	}
	for _, a := range args[1:] {
		s.addArgument(a[0], a[1], c, &v)
	}
	return v, true
}

// readKeywords reads dict(a=1, b=2).
func (s *Reader) readKeywords(args [][2]int, c *Scope) Value {
	v := s.groupArguments(args, c, Object, 1)
	for i, a := range args {
		v.Items[i].Label, v.Items[i].IsKey = s.At(a[0]), true
	}
	return v
}

// isListOf reports whether a qualified name ending in of is a list constructor: List.of, Stream.of.
func isListOf(full string) bool {
	return slices.ContainsFunc([]string{"List", "Set", "Array", "Stream"}, func(kind string) bool { return strings.HasPrefix(full, kind) })
}

// readSized reads Array(3) and range(3): that many items, labelled by number.
func (s *Reader) readSized(lo int, args [][2]int, c *Scope) (Value, bool) {
	if len(args) != 1 {
		return Value{}, false
	}
	n, err := strconv.Atoi(s.Range(args[0][0], args[0][1]))
	if err != nil || n > 10_000 {
		return Value{}, false
	}
	return s.repeatItem(n, lo, c, nil), true
}

// readFirst returns the value of the first argument; for () => […] it is the returned one.
func (s *Reader) readFirst(args [][2]int, c *Scope, depth int) (Value, bool) {
	if len(args) == 0 {
		return Value{Kind: Array}, false
	}
	lo, hi := args[0][0], args[0][1]
	if a := s.Find(lo, hi, "=>"); a > 0 && !s.IsOpen(a+1, "{") {
		lo = a + 1
	}
	return s.ReadValue(lo, hi, c, depth+1)
}

func (s *Reader) joinArguments(args [][2]int, c *Scope, depth int) (Value, bool) {
	var all Value
	any := false
	for _, a := range args {
		v, ok := s.ReadValue(a[0], a[1], c, depth+1)
		any = any || ok
		all.join(v)
	}
	return all, any
}

// groupArguments makes an item of every each arguments.
func (s *Reader) groupArguments(args [][2]int, c *Scope, kind ListKind, each int) Value {
	v := Value{Kind: kind, IsLiteral: true}
	for i := 0; i < len(args); i += each {
		v.Items = append(v.Items, s.LabelItem(args[i][0], args[i][1]))
		s.addArgument(args[i][0], args[i][1], c, &v)
	}
	return v
}

var (
	kotlinLists = lazyregexp.Of("listOf listOfNotNull mutableListOf arrayListOf arrayOf intArrayOf longArrayOf doubleArrayOf " +
		"charArrayOf booleanArrayOf setOf mutableSetOf hashSetOf linkedSetOf sortedSetOf persistentListOf sequenceOf")
	kotlinMaps = lazyregexp.Of("mapOf mutableMapOf hashMapOf linkedMapOf sortedMapOf persistentMapOf")
)

// readPairs reads arguments such as "a" to 1 as entries.
func (s *Reader) readPairs(args [][2]int, c *Scope) Value {
	v := s.groupArguments(args, c, Object, 1)
	for i, a := range args {
		if to := s.Find(a[0], a[1], "to"); to > a[0] {
			v.Items[i].Label, v.Items[i].IsKey = Shorten(Unquote(s.Range(a[0], to))), true
		}
	}
	return v
}

func (s *Reader) length(args [][2]int) (int, bool) {
	if len(args) == 0 || !s.IsOpen(args[0][0], "{") || !s.Is(args[0][0]+1, "length") {
		return 0, false
	}
	n, err := strconv.Atoi(s.At(args[0][0] + 3))
	return n, err == nil && n >= 0 && n <= 10_000 && s.CloseOf(args[0][0]) <= args[0][0]+5
}

func (s *Reader) repeatItem(n, at int, c *Scope, args [][2]int) Value {
	v := Value{Kind: Array, IsLiteral: true}
	for i := range n {
		v.Items = append(v.Items, s.NewItem("#"+strconv.Itoa(i+1), at))
	}
	for _, a := range args {
		s.addArgument(a[0], a[1], c, &v)
	}
	return v
}

// readNew reads new Set([…]), new Map([…]), new String[] {…}, new() {…}.
func (s *Reader) readNew(lo, hi int, c *Scope, depth int) (Value, int, bool) {
	i := lo + 1
	for i < hi && (s.Kind(i) == Ident || s.IsOneOf(i, ".", "<", ">", ",", "?")) {
		i++
	}
	name := s.At(lo + 1)
	for i < hi && s.IsOpen(i, "[") { // new T[] {…}
		i = s.Next(i)
	}
	args := -1
	if s.IsOpen(i, "(") {
		args = i
		i = s.Next(i)
	}
	if i < hi && s.IsOpen(i, "{") && (s.Lang == syntax.Java || s.Lang == syntax.CSharp) {
		return s.readArray(i, c), s.Next(i), true
	}
	if args < 0 {
		return Value{}, i, false
	}
	inner := s.Split(args+1, s.CloseOf(args), ",")
	v, ok := s.readFirst(inner, c, depth)
	if !ok || !v.IsLiteral && name != "Set" && name != "Map" && name != "ArrayList" {
		return Value{}, i, false
	}
	if strings.HasSuffix(name, "Set") {
		for k := range v.Items {
			v.Items[k].IsKey = true
		}
	}
	return v, i, true
}

// readArray reads the items in a bracket.
func (s *Reader) readArray(open int, c *Scope) Value {
	lo, hi := open+1, s.CloseOf(open)
	v := Value{Kind: Array, IsLiteral: true}
	if s.Lang == syntax.Python {
		if f := s.Find(lo, hi, "for"); f > 0 {
			return s.readComprehension(lo, f, hi, c)
		}
	}
	if s.Lang == syntax.Rust {
		if semi := s.Find(lo, hi, ";"); semi > 0 {
			if n, err := strconv.Atoi(s.Range(semi+1, hi)); err == nil && n <= 10_000 {
				return s.repeatItem(n, lo, c, nil)
			}
		}
	}
	for n, a := range s.Split(lo, hi, ",") {
		for s.IsAttribute(a[0], a[1]) {
			a[0] = s.Next(a[0] + 1)
		}
		if a[0] >= a[1] {
			continue
		}
		if more, ok := s.ReadSpread(a[0], a[1], c); ok {
			v.join(more)
			continue
		}
		v.Items = append(v.Items, s.LabelItem(a[0], a[1]))
		s.addChild(strconv.Itoa(n), a[0], a[1], c, &v)
	}
	v.Kind = Array
	return v
}

// IsAttribute reports whether #[…] is at lo.
func (s *Reader) IsAttribute(lo, hi int) bool {
	return s.Lang == syntax.Rust && lo+1 < hi && s.Is(lo, "#") && s.IsOpen(lo+1, "[")
}

// addChild records a range in an item, to be searched for lists once its list is read.
func (s *Reader) addChild(name string, lo, hi int, c *Scope, v *Value) {
	v.Children = append(v.Children, Child{lo, hi, c.In("[" + name + "]")})
}

// ReadSpread reads ...x, *x and **x.
func (s *Reader) ReadSpread(lo, hi int, c *Scope) (Value, bool) {
	from := lo + 1
	switch {
	case s.Is(lo, "...") || s.Is(lo, "..") && s.Lang == syntax.CSharp:
	case (s.Lang == syntax.Python || s.Lang == syntax.Ruby) && (s.Is(lo, "*") || s.Is(lo, "**")):
	default:
		return Value{}, false
	}
	v, ok := s.ReadValue(from, hi, c, 1)
	if !ok {
		v = Value{Items: []Item{s.unknownItem(from, hi)}}
	}
	v.IsLiteral = true
	return v, true
}

// readComprehension returns as many items as the list it iterates over, unless that is filtered.
func (s *Reader) readComprehension(lo, f, hi int, c *Scope) Value {
	v := Value{Kind: Array, IsLiteral: true}
	if s.Find(lo, f, ":") > 0 {
		v.Kind = Object
	}
	in := s.Find(f, hi, "in")
	if in > 0 && s.Find(in, hi, "for") < 0 && s.Find(in, hi, "if") < 0 {
		if w, ok := s.ReadValue(in+1, hi, c, 1); ok {
			v.Items = w.Items
			v.Children = append(v.Children, w.Children...)
			return v
		}
	}
	v.Items = []Item{s.unknownItem(lo, hi)}
	return v
}

// readObject reads the entries in braces. A Python set has no keys.
func (s *Reader) readObject(open int, c *Scope) Value {
	lo, hi := open+1, s.CloseOf(open)
	v := Value{Kind: Object, IsLiteral: true}
	if s.Lang == syntax.Python {
		if f := s.Find(lo, hi, "for"); f > 0 {
			return s.readComprehension(lo, f, hi, c)
		}
	}
	for _, a := range s.Split(lo, hi, ",") {
		if a[0] >= a[1] {
			continue
		}
		if more, ok := s.ReadSpread(a[0], a[1], c); ok {
			for i := range more.Items {
				more.Items[i].IsKey = true
			}
			v.join(more)
			continue
		}
		s.readEntry(a[0], a[1], c, &v)
	}
	return v
}

// readEntry reads key: value, "key" => value, key() {…}, key.
func (s *Reader) readEntry(lo, hi int, c *Scope, v *Value) {
	colon := s.Find(lo, hi, ":")
	if arrow := s.Find(lo, hi, "=>"); s.Lang == syntax.Ruby && colon < 0 {
		colon = arrow
	}
	if colon < 0 { // a shorthand, a method, or the item of a set
		it := s.LabelItem(lo, hi)
		if s.Lang == syntax.Python {
			v.Kind = Array
		} else {
			it = s.NewItem(s.methodName(lo, hi), lo)
		}
		it.IsKey = true
		v.Items = append(v.Items, it)
		v.Children = append(v.Children, Child{lo, hi, c.In(it.Label)})
		return
	}
	key := strings.Trim(Unquote(s.Range(lo, colon)), "[]")
	if len(key) > 200 {
		key = key[:200]
	}
	it := s.NewItem(key, lo)
	it.IsKey = s.Kind(lo) != OpenBracket || s.CloseOf(lo) == colon-1
	v.Items = append(v.Items, it)
	v.Children = append(v.Children, Child{lo, hi, c})
}

func (s *Reader) methodName(lo, hi int) string {
	for i := lo; i+1 < hi; i = s.Next(i) {
		if s.IsOpen(i+1, "(") {
			return s.At(i)
		}
	}
	return Unquote(s.Range(lo, hi))
}
