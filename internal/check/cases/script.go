package cases

import (
	"github.com/belay-dev/belay/internal/check/lang"
)

// What test frameworks of JavaScript call tests and groups, and what goes before them
// to leave others or themselves out.
var (
	scriptTests  = map[string]bool{"it": true, "test": true, "specify": true, "xit": true, "xtest": true, "xspecify": true, "fit": true}
	scriptGroups = map[string]bool{"describe": true, "context": true, "suite": true, "xdescribe": true, "xcontext": true, "fdescribe": true}
)

// scriptUnits gives calls of it, test, describe and their kind, with what is chained to
// them: it.skip("…"), describe.only.each(…)("…").
func (s *source) scriptUnits() []Test {
	var list []Test
	type scope struct {
		call, end int
		name      string
	}
	var open []scope
	var at []int // index into list of the tests around the token
	for i, t := range s.tokens {
		for len(open) > 0 && i >= open[len(open)-1].end {
			open = open[:len(open)-1]
			at = at[:len(at)-1]
		}
		if n := len(at) - 1; n >= 0 && !list[at[n]].Group && i > open[n].call {
			s.scriptSkip(&list[at[n]], i)
		}
		if t.Kind != lang.Word || s.depth[i] > deepest || !scriptTests[t.Text] && !scriptGroups[t.Text] || s.at(i-1).Is(".") && !s.at(i-2).Is("Deno") && !s.subtest(i) || s.at(i-1).Is("function") {
			continue
		}
		var groups []string
		for _, o := range open {
			groups = append(groups, o.name)
		}
		u, call, ok := s.scriptCall(i)
		if !ok {
			continue
		}
		u.Name = within(groups, u.Leaf)
		open = append(open, scope{call, s.end(call), u.Leaf})
		at = append(at, len(list))
		list = append(list, u)
	}
	return list
}

// subtest tells t.test("…", function …) from other methods of that name: a regular
// expression has one.
func (s *source) subtest(i int) bool {
	if !s.tokens[i].Is("test") || !scriptHandles[s.at(i-2).Text] {
		return false
	}
	for k := i + 2; k < s.end(i+1); k++ {
		if s.open[k] == i+1 && (s.is(k, "function") || s.is(k, "=", ">")) {
			return true
		}
	}
	return false
}

// scriptCall reads the call that begins at i; call is its parenthesis.
func (s *source) scriptCall(i int) (u Test, call int, ok bool) {
	t := s.tokens[i]
	u = Test{Line: t.Line, Group: scriptGroups[t.Text]}
	switch t.Text {
	case "xit", "xtest", "xspecify", "xdescribe", "xcontext":
		u.Skips = append(u.Skips, Mark{Line: t.Line, Text: t.Text})
	case "fit", "fdescribe":
		u.Only = append(u.Only, Mark{Line: t.Line, Text: t.Text})
	}
	k := i + 1
	for s.is(k, ".") && s.at(k+1).Kind == lang.Word {
		mod := s.at(k + 1)
		m := Mark{Line: mod.Line, Text: t.Text + "." + mod.Text}
		switch mod.Text {
		case "skip", "todo", "failing", "fails", "fixme":
			u.Skips = append(u.Skips, m)
		case "skipIf", "runIf":
			m.Maybe = true
			u.Skips = append(u.Skips, m)
		case "only":
			u.Only = append(u.Only, m)
		case "describe":
			u.Group = true
		case "each", "for", "concurrent", "sequential", "serial", "parallel", "extend", "configure", "step":
		default:
			return u, 0, false // test.beforeEach, it.name
		}
		k += 2
		if (mod.Text == "each" || mod.Text == "for" || mod.Text == "skipIf" || mod.Text == "runIf") && s.is(k, "(") {
			k = s.end(k) + 1
		} else if s.at(k).Kind == lang.Text {
			k++ // a table in a template
		}
	}
	name := s.at(k + 1)
	if !s.is(k, "(") || name.Is(")") {
		return u, 0, false
	}
	u.Leaf = name.Value()
	comma := k + 2
	if name.Kind != lang.Text {
		for comma < s.end(k) && !(s.is(comma, ",") && s.open[comma] == k) {
			comma++
		}
		u.Leaf = text(s.tokens[k+1 : min(comma, len(s.tokens))])
	}
	if name.Kind != lang.Text && (!s.is(comma, ",") || len(u.Skips) > 0) || u.Leaf == "" {
		return u, 0, false // test.skip(condition, "why") is about the test around it
	}
	u.Body = s.scriptBody(k, comma, &u)
	return u, k, true
}

// scriptBody gives what the function in a call's arguments does, and reads options.
func (s *source) scriptBody(call, from int, u *Test) []lang.Token {
	end := s.end(call)
	for i := from; i < end; i++ {
		t := s.tokens[i]
		if s.open[i] == call && t.Is("{") && !s.at(i-1).Is(">") && !s.at(i-1).Is(")") {
			s.scriptOptions(i, u)
		}
		if s.open[i] != call {
			continue
		}
		switch {
		case t.Is("{") && (s.at(i-1).Is(">") || s.at(i-1).Is(")")):
			return s.inside(i)
		case t.Is("=") && s.is(i+1, ">") && !s.is(i+2, "{"):
			return s.tokens[min(i+2, end):end]
		}
	}
	return s.tokens[min(from, end):end]
}

// scriptOptions reads { skip: true }, as node's runner has it.
func (s *source) scriptOptions(open int, u *Test) {
	for i := open + 1; i < s.end(open); i++ {
		t := s.tokens[i]
		if s.open[i] != open || !s.is(i+1, ":") || s.is(i+2, "false") {
			continue
		}
		switch m := (Mark{Line: t.Line, Text: t.Text + ": " + s.at(i+2).Text, Maybe: !s.is(i+2, "true") && s.at(i+2).Kind != lang.Text}); t.Text {
		case "skip", "todo":
			u.Skips = append(u.Skips, m)
		case "only":
			u.Only = append(u.Only, m)
		}
	}
}

// scriptSkip looks for a skip of the test that the token at i stands in: this.skip(),
// ctx.skip(), test.skip(condition).
func (s *source) scriptSkip(u *Test, i int) {
	t := s.tokens[i]
	if !t.Is("skip") && !t.Is("fixme") || !s.at(i-1).Is(".") || !s.is(i+1, "(") || s.at(i+2).Kind == lang.Text && s.at(i-2).Is("test") {
		return
	}
	switch s.at(i - 2).Text {
	case "this", "test", "t", "ctx", "context", "it":
		maybe := !s.is(i+2, ")") && s.at(i+2).Kind != lang.Text && !s.is(i+2, "true")
		body := s.open[i]
		for body >= 0 && !s.tokens[body].Is("(") {
			body = s.open[body]
		}
		u.Skips = append(u.Skips, Mark{Line: t.Line, Text: s.at(i-2).Text + "." + t.Text, Maybe: maybe || s.conditional(i, body) || s.guarded(i-2)})
	}
}
