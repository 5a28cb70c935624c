package code

import (
	"strconv"
	"strings"

	"github.com/belay-dev/belay/internal/count/lex"
	"github.com/belay-dev/belay/internal/count/list"
)

// call reads a function call that may give a list. Which functions keep the number of
// items is known for the usual ones; any other that is given a literal as its first
// argument (useState, defineConfig, Object.freeze) is taken to hold it.
func (s *scanner) call(lo, open int, name string, c *scope, depth int) (value, bool) {
	args := s.split(open+1, s.after(open), ",")
	if len(args) > 0 && args[len(args)-1][0] >= args[len(args)-1][1] {
		args = args[:len(args)-1]
	}
	full := s.Range(lo, open)
	switch {
	case full == "Object.assign" || name == "chain" || full == "slices.Concat" || full == "_.concat":
		return s.join(args, c, depth)
	case name == "of" && (strings.HasPrefix(full, "List") || strings.HasPrefix(full, "Set") || strings.HasPrefix(full, "Array") || strings.HasPrefix(full, "Stream")) || full == "Arrays.asList":
		return s.group(args, c, list.Array, 1), true
	case full == "Map.of":
		return s.group(args, c, list.Object, 2), true
	case full == "Map.ofEntries":
		return s.group(args, c, list.Object, 1), true
	case full == "Array.from":
		if n, ok := s.length(args); ok {
			return s.repeated(n, lo, c, args), true
		}
	case full == "Array" || full == "range":
		if len(args) == 1 {
			if n, err := strconv.Atoi(s.Range(args[0][0], args[0][1])); err == nil && n <= 10_000 {
				return s.repeated(n, lo, c, nil), true
			}
		}
		return value{}, false
	case s.lang == Python && full == "dict" && len(args) > 0 && s.Is(args[0][0]+1, "="):
		v := s.group(args, c, list.Object, 1)
		for i, a := range args {
			v.items[i].Label, v.items[i].Key = s.At(a[0]), true
		}
		return v, true
	case s.lang == Python && (name == "set" || name == "frozenset"):
		v, ok := s.first(args, c, depth)
		for i := range v.items {
			v.items[i].Key = true
		}
		return v, ok
	}
	v, ok := s.first(args, c, depth)
	if !ok || !v.literal && !wrappers[name] {
		return value{}, false
	}
	for _, a := range args[1:] {
		s.argument(a[0], a[1], c, &v)
	}
	return v, true
}

// first gives the value of the first argument; one of () => […] is what it returns.
func (s *scanner) first(args [][2]int, c *scope, depth int) (value, bool) {
	if len(args) == 0 {
		return value{kind: list.Array}, false
	}
	lo, hi := args[0][0], args[0][1]
	if a := s.find(lo, hi, "=>"); a > 0 && !s.open(a+1, "{") {
		lo = a + 1
	}
	return s.value(lo, hi, c, depth+1)
}

func (s *scanner) join(args [][2]int, c *scope, depth int) (value, bool) {
	var all value
	any := false
	for _, a := range args {
		v, ok := s.value(a[0], a[1], c, depth+1)
		any = any || ok
		all.join(v)
	}
	return all, any
}

// group makes items of arguments, so many to one item.
func (s *scanner) group(args [][2]int, c *scope, kind list.Kind, each int) value {
	v := value{kind: kind, literal: true}
	for i := 0; i < len(args); i += each {
		v.items = append(v.items, s.label(args[i][0], args[i][1]))
		s.argument(args[i][0], args[i][1], c, &v)
	}
	return v
}

func (s *scanner) length(args [][2]int) (int, bool) {
	if len(args) == 0 || !s.open(args[0][0], "{") || !s.Is(args[0][0]+1, "length") {
		return 0, false
	}
	n, err := strconv.Atoi(s.At(args[0][0] + 3))
	return n, err == nil && n >= 0 && n <= 10_000 && s.after(args[0][0]) <= args[0][0]+5
}

func (s *scanner) repeated(n, at int, c *scope, args [][2]int) value {
	v := value{kind: list.Array, literal: true}
	for i := range n {
		v.items = append(v.items, s.item("#"+strconv.Itoa(i+1), at))
	}
	for _, a := range args {
		s.argument(a[0], a[1], c, &v)
	}
	return v
}

// newObject reads new Set([…]), new Map([…]), new String[] {…}, new() {…}.
func (s *scanner) newObject(lo, hi int, c *scope, depth int) (value, int, bool) {
	i := lo + 1
	for i < hi && (s.kind(i) == lex.Ident || s.Is(i, ".") || s.Is(i, "<") || s.Is(i, ">") || s.Is(i, ",") || s.Is(i, "?")) {
		i++
	}
	name := s.At(lo + 1)
	for i < hi && s.open(i, "[") { // new T[] {…}
		i = s.next(i)
	}
	args := -1
	if s.open(i, "(") {
		args = i
		i = s.next(i)
	}
	if i < hi && s.open(i, "{") && (s.lang == Java || s.lang == CSharp) {
		return s.array(i, c), s.next(i), true
	}
	if args < 0 {
		return value{}, i, false
	}
	inner := s.split(args+1, s.after(args), ",")
	v, ok := s.first(inner, c, depth)
	if !ok || !v.literal && name != "Set" && name != "Map" && name != "ArrayList" {
		return value{}, i, false
	}
	if strings.HasSuffix(name, "Set") {
		for k := range v.items {
			v.items[k].Key = true
		}
	}
	return v, i, true
}

// array reads the items between brackets.
func (s *scanner) array(open int, c *scope) value {
	lo, hi := open+1, s.after(open)
	v := value{kind: list.Array, literal: true}
	if s.lang == Python {
		if f := s.find(lo, hi, "for"); f > 0 {
			return s.comprehension(lo, f, hi, c)
		}
	}
	if s.lang == Rust {
		if semi := s.find(lo, hi, ";"); semi > 0 {
			if n, err := strconv.Atoi(s.Range(semi+1, hi)); err == nil && n <= 10_000 {
				return s.repeated(n, lo, c, nil)
			}
		}
	}
	for n, a := range s.split(lo, hi, ",") {
		for s.attribute(a[0], a[1]) {
			a[0] = s.next(a[0] + 1)
		}
		if a[0] >= a[1] {
			continue
		}
		if more, ok := s.spread(a[0], a[1], c); ok {
			v.join(more)
			continue
		}
		v.items = append(v.items, s.label(a[0], a[1]))
		s.child(strconv.Itoa(n), a[0], a[1], c, &v)
	}
	v.kind = list.Array
	return v
}

// attribute tells whether #[…] stands at lo.
func (s *scanner) attribute(lo, hi int) bool {
	return s.lang == Rust && lo+1 < hi && s.Is(lo, "#") && s.open(lo+1, "[")
}

// child notes what is in an item, to be looked at when the list is known to be one.
func (s *scanner) child(name string, lo, hi int, c *scope, v *value) {
	if s.kind(lo) == lex.Open && !s.Tokens[lo].Elem && s.after(lo) == hi-1 && s.Is(lo, "{") && s.lang != Rust {
		// The keys of an item are no list worth a name; what is in them may be.
		v.children = append(v.children, frame{lo, hi, expression, c.in("[" + name + "]")})
		return
	}
	v.children = append(v.children, frame{lo, hi, expression, c.in("[" + name + "]")})
}

// spread reads ...x, *x and **x.
func (s *scanner) spread(lo, hi int, c *scope) (value, bool) {
	from := lo + 1
	switch {
	case s.Is(lo, "...") || s.Is(lo, "..") && s.lang == CSharp:
	case (s.lang == Python || s.lang == Ruby) && (s.Is(lo, "*") || s.Is(lo, "**")):
	default:
		return value{}, false
	}
	v, ok := s.value(from, hi, c, 1)
	if !ok {
		it := s.item(s.Range(from, hi), lo)
		it.Open = true
		v = value{items: []list.Item{it}}
	}
	v.literal = true
	return v, true
}

// comprehension is as long as what it goes over, when nothing is filtered.
func (s *scanner) comprehension(lo, f, hi int, c *scope) value {
	v := value{kind: list.Array, literal: true}
	if s.find(lo, f, ":") > 0 {
		v.kind = list.Object
	}
	in := s.find(f, hi, "in")
	simple := in > 0 && s.find(in, hi, "for") < 0 && s.find(in, hi, "if") < 0
	if simple {
		if w, ok := s.value(in+1, hi, c, 1); ok {
			v.items = w.items
			v.children = append(v.children, w.children...)
			return v
		}
	}
	it := s.item(s.Range(lo, hi), lo)
	it.Open = true
	v.items = []list.Item{it}
	return v
}

// object reads the entries between braces. A Python set has no keys.
func (s *scanner) object(open int, c *scope) value {
	lo, hi := open+1, s.after(open)
	v := value{kind: list.Object, literal: true}
	if s.lang == Python {
		if f := s.find(lo, hi, "for"); f > 0 {
			return s.comprehension(lo, f, hi, c)
		}
	}
	for _, a := range s.split(lo, hi, ",") {
		if a[0] >= a[1] {
			continue
		}
		if more, ok := s.spread(a[0], a[1], c); ok {
			for i := range more.items {
				more.items[i].Key = true
			}
			v.join(more)
			continue
		}
		s.entry(a[0], a[1], c, &v)
	}
	return v
}

// entry reads key: value, "key" => value, key() {…}, key.
func (s *scanner) entry(lo, hi int, c *scope, v *value) {
	colon := s.find(lo, hi, ":")
	if arrow := s.find(lo, hi, "=>"); s.lang == Ruby && colon < 0 {
		colon = arrow
	}
	if colon < 0 { // a shorthand, a method, or the item of a set
		it := s.label(lo, hi)
		if s.lang == Python {
			v.kind = list.Array
		} else {
			it = s.item(s.methodName(lo, hi), lo)
		}
		it.Key = true
		v.items = append(v.items, it)
		v.children = append(v.children, frame{lo, hi, expression, c.in(it.Label)})
		return
	}
	key := strings.Trim(unquote(s.Range(lo, colon)), "[]")
	if len(key) > 200 {
		key = key[:200]
	}
	it := s.item(key, lo)
	it.Key = s.kind(lo) != lex.Open || s.after(lo) == colon-1
	v.items = append(v.items, it)
	v.children = append(v.children, frame{lo, hi, expression, c})
}

func (s *scanner) methodName(lo, hi int) string {
	for i := lo; i+1 < hi; i = s.next(i) {
		if s.open(i+1, "(") {
			return s.At(i)
		}
	}
	return unquote(s.Range(lo, hi))
}
