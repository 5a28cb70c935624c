package count

import (
	"strings"

	"github.com/belay-dev/belay/internal/lazyregexp"
	"github.com/belay-dev/belay/internal/syntax"
)

// addingMethods are methods that add their arguments to their receiver.
var addingMethods = lazyregexp.Of("push append add unshift add_all extend addAll insert push_back")

// readCallStatement reads f(…) and a.b(…).c(…) at the start of a statement.
func (s *scanner) readCallStatement(i int, b *body) int {
	if i != b.start && !(i == b.start+1 && s.Is(b.start, "await")) {
		return 0
	}
	j, owner := i, ""
	for s.Kind(j) == Ident && s.Is(j+1, ".") && s.Kind(j+2) == Ident {
		owner = s.At(j)
		j += 2
	}
	name := s.At(j)
	if s.Is(j+1, "!") && s.Lang == syntax.Rust {
		j++
	}
	if s.Kind(j+1) == String && s.Lang == syntax.Ruby {
		s.addCall(name, owner, Unquote(s.At(j+1)), i, b)
		return j + 1
	}
	if !s.IsOpen(j+1, "(") || controlWords.Has(name) {
		return 0
	}
	if b.mode == classBody {
		return 0
	}
	if addingMethods.Has(name) && owner != "" && s.addToList(owner, name, j+1, b) {
		return s.Next(j + 1)
	}
	s.addChainCalls(j, owner, b)
	return s.afterChain(j+1, b)
}

// addChainCalls adds each call of a chain, and reads its arguments.
func (s *scanner) addChainCalls(j int, owner string, b *body) {
	for n := 0; s.IsOpen(j+1, "("); n++ {
		label := s.Range(j+2, min(s.CloseOf(j+1), j+20))
		if s.Kind(j+2) == String {
			label = Unquote(s.At(j + 2))
		}
		s.addCall(s.At(j), owner, label, j, b)
		s.scanArguments(j+1, b.scope.In(label))
		next := s.CloseOf(j+1) + 1
		if !s.Is(next, ".") || s.Kind(next+1) != Ident || next >= b.hi {
			return
		}
		j = next + 1
	}
}

func (s *scanner) afterChain(open int, b *body) int {
	i := s.Next(open)
	for i+2 < b.hi && s.Is(i, ".") && s.IsOpen(i+2, "(") {
		i = s.Next(i + 2)
	}
	return i
}

// addAssignedCall adds the call in x = parser.add(…) to the others of its block.
func (s *scanner) addAssignedCall(lo, hi int, b *body) {
	j, owner := lo, ""
	for j+2 < hi && s.Kind(j) == Ident && s.Is(j+1, ".") && s.Kind(j+2) == Ident {
		owner = s.At(j)
		j += 2
	}
	if owner == "" || !s.IsOpen(j+1, "(") || s.Kind(j+2) != String {
		return
	}
	s.addCall(s.At(j), owner, Unquote(s.At(j+2)), j, b)
}

var httpVerbs = lazyregexp.Of("get post put patch delete all use options head")

// isTestCall reports whether a call defines a test: it(…), test.each(…)(…).
func isTestCall(name, base string) bool {
	switch name {
	case "it", "test", "specify":
		return true
	case "only", "skip", "each":
		return base == "it" || base == "test"
	}
	return false
}

// addCall adds a call to the others of its block.
func (s *scanner) addCall(name, owner, label string, at int, b *body) {
	kind, key := Calls, owner+"."+name
	base, _, _ := strings.Cut(owner, ".")
	switch {
	case isTestCall(name, base):
		kind, key, name = Tests, "it", "it"
	case httpVerbs.Has(name) && owner != "":
		label, key, name = name+" "+label, owner+" routes", owner
	}
	l := b.calls[key]
	if l == nil {
		l = s.addList(kind, name, b.scope, at)
		l.Words = append(l.Words, owner)
		if strings.HasSuffix(key, " routes") {
			l.Words = append(l.Words, "route", "endpoint")
		}
		b.calls[key] = l
	}
	l.Items = append(l.Items, s.NewItem(label, at))
}

// addToList reads X.push(a, b) if X is defined in the same block.
func (s *scanner) addToList(owner, name string, open int, b *body) bool {
	to := place{b.scope.Block, owner}
	if s.definitions[to] == nil {
		return false
	}
	a := addition{to: to}
	args := s.Split(open+1, s.CloseOf(open), ",")
	for n, r := range args {
		if r[0] >= r[1] {
			continue
		}
		if name == "insert" && n == 0 && len(args) == 2 {
			continue
		}
		if v, ok := s.ReadSpread(r[0], r[1], b.scope); ok {
			a.items = append(a.items, v.Items...)
		} else if name == "extend" || name == "addAll" {
			v, ok := s.ReadValue(r[0], r[1], b.scope.Below(owner), 0)
			if !ok {
				v.Items = []Item{s.unknownItem(r[0], r[1])}
			}
			a.items = append(a.items, v.Items...)
		} else {
			a.items = append(a.items, s.LabelItem(r[0], r[1]))
		}
		s.push(frame{r[0], r[1], expression, b.scope.In(owner)})
	}
	s.additions = append(s.additions, a)
	return true
}
