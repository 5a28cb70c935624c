package testdiff

import (
	"github.com/belay-dev/belay/internal/syntax"
	"slices"
)

// The functions of JavaScript's test frameworks for tests and groups, with the prefixes that skip
// or focus them.
var (
	scriptTests  = map[string]bool{"it": true, "test": true, "specify": true, "xit": true, "xtest": true, "xspecify": true, "fit": true}
	scriptGroups = map[string]bool{"describe": true, "context": true, "suite": true, "xdescribe": true, "xcontext": true, "fdescribe": true}
)

// readScriptTests returns calls of it, test, describe and the like, with their modifiers:
// it.skip("…"), describe.only.each(…)("…").
func (s *source) readScriptTests() []Test {
	var list []Test
	type scope struct {
		call, end int
		name      string
	}
	var open []scope
	var at []int // indexes in list of the tests around the token
	for i, t := range s.Tokens {
		for len(open) > 0 && i >= open[len(open)-1].end {
			open = open[:len(open)-1]
			at = at[:len(at)-1]
		}
		if n := len(at) - 1; n >= 0 && !list[at[n]].Group && i > open[n].call {
			s.addScriptSkip(&list[at[n]], i)
		}
		if t.Kind != syntax.Word || s.Depth[i] > maxDepth || !scriptTests[t.Text] && !scriptGroups[t.Text] {
			continue
		}
		ofOther := s.At(i-1).Is(".") && !s.At(i-2).Is("Deno") && !s.isSubtest(i)
		if ofOther || s.At(i-1).Is("function") {
			continue
		}
		var groups []string
		for _, o := range open {
			groups = append(groups, o.name)
		}
		u, call, ok := s.readScriptCall(i)
		if !ok {
			continue
		}
		u.Name = groupPrefix(groups, u.ShortName)
		open = append(open, scope{call, s.End(call), u.ShortName})
		at = append(at, len(list))
		list = append(list, u)
	}
	return list
}

// isSubtest distinguishes t.test("…", function …) from other methods of that name, as of a
// regular expression.
func (s *source) isSubtest(i int) bool {
	if !s.Tokens[i].Is("test") || !scriptHandles[s.At(i-2).Text] {
		return false
	}
	return s.hasFunction(i+1, i+2)
}

// hasFunction reports whether an argument of the call at open, from token i on, is a function.
func (s *source) hasFunction(open, i int) bool {
	for ; i < s.End(open); i++ {
		if s.Open[i] == open && (s.Is(i, "function") || s.Is(i, "=", ">")) {
			return true
		}
	}
	return false
}

// readScriptCall reads the call at i; call is its parenthesis.
func (s *source) readScriptCall(i int) (u Test, call int, ok bool) {
	t := s.Tokens[i]
	u = Test{Line: t.Line, Group: scriptGroups[t.Text]}
	switch t.Text {
	case "xit", "xtest", "xspecify", "xdescribe", "xcontext":
		u.Skips = append(u.Skips, Mark{Line: t.Line, Text: t.Text})
	case "fit", "fdescribe":
		u.Focuses = append(u.Focuses, Mark{Line: t.Line, Text: t.Text})
	}
	k := i + 1
	var each []table
	for s.Is(k, ".") && s.At(k+1).Kind == syntax.Word {
		mod := s.At(k + 1)
		m := Mark{Line: mod.Line, Text: t.Text + "." + mod.Text}
		switch mod.Text {
		case "skip", "todo", "failing", "fails", "fixme":
			u.Skips = append(u.Skips, m)
		case "skipIf", "runIf":
			m.Unsure = true
			u.Skips = append(u.Skips, m)
		case "only":
			u.Focuses = append(u.Focuses, m)
		case "describe":
			u.Group = true
		case "each", "for", "concurrent", "sequential", "serial", "parallel", "extend", "configure", "step":
		default:
			return u, 0, false // test.beforeEach, it.name
		}
		k += 2
		if slices.Contains([]string{"each", "for", "skipIf", "runIf"}, mod.Text) && s.Is(k, "(") {
			if slices.Contains([]string{"each", "for"}, mod.Text) {
				each = append(each, s.countFirstArgument(k))
			}
			k = s.End(k) + 1
		} else if s.At(k).Kind == syntax.Text {
			each = append(each, table{rows: countTextLines(s.At(k)) - 1, values: s.Tokens[k : k+1]})
			k++ // a table in a template literal
		}
	}
	name := s.At(k + 1)
	if !s.Is(k, "(") || name.Is(")") {
		return u, 0, false
	}
	u.ShortName = name.Value()
	comma := k + 2
	if name.Kind != syntax.Text {
		for comma < s.End(k) && !(s.Is(comma, ",") && s.Open[comma] == k) {
			comma++
		}
		u.ShortName = JoinTokens(s.Tokens[k+1 : min(comma, len(s.Tokens))])
	}
	if name.Kind != syntax.Text && (!s.Is(comma, ",") || len(u.Skips) > 0 && !s.hasFunction(k, comma)) || u.ShortName == "" {
		return u, 0, false // test.skip(condition, "why") skips the test around it
	}
	for _, t := range each {
		t.from, t.to = k, s.End(k)
		s.tables = append(s.tables, t)
	}
	u.Body = s.readScriptBody(k, comma, &u)
	return u, k, true
}

// readScriptBody returns the body of the function in a call's arguments, and reads options.
func (s *source) readScriptBody(call, from int, u *Test) []syntax.Token {
	end := s.End(call)
	for i := from; i < end; i++ {
		t := s.Tokens[i]
		if s.Open[i] == call && t.Is("{") && !s.At(i-1).Is(">") && !s.At(i-1).Is(")") {
			s.readScriptOptions(i, u)
		}
		if s.Open[i] != call {
			continue
		}
		switch {
		case t.Is("{") && (s.At(i-1).Is(">") || s.At(i-1).Is(")")):
			return s.Inside(i)
		case t.Is("=") && s.Is(i+1, ">") && !s.Is(i+2, "{"):
			return s.Tokens[min(i+2, end):end]
		}
	}
	return s.Tokens[min(from, end):end]
}

// readScriptOptions reads { skip: true }, an option of node's runner.
func (s *source) readScriptOptions(open int, u *Test) {
	for i := open + 1; i < s.End(open); i++ {
		t := s.Tokens[i]
		if s.Open[i] != open || !s.Is(i+1, ":") || s.Is(i+2, "false") {
			continue
		}
		switch m := (Mark{Line: t.Line, Text: t.Text + ": " + s.At(i+2).Text,
			Unsure: !s.Is(i+2, "true") && s.At(i+2).Kind != syntax.Text}); t.Text {
		case "skip", "todo":
			u.Skips = append(u.Skips, m)
		case "only":
			u.Focuses = append(u.Focuses, m)
		}
	}
}

// addScriptSkip adds a skip at token i to its test: this.skip(), ctx.skip(), test.skip(condition).
func (s *source) addScriptSkip(u *Test, i int) {
	t := s.Tokens[i]
	if !t.IsOneOf("skip", "fixme") || !s.At(i-1).Is(".") || !s.Is(i+1, "(") || s.At(i+2).Kind == syntax.Text && s.At(i-2).Is("test") {
		return
	}
	switch s.At(i - 2).Text {
	case "this", "test", "t", "ctx", "context", "it":
		maybe := !s.Is(i+2, ")") && s.At(i+2).Kind != syntax.Text && !s.Is(i+2, "true")
		body := s.Open[i]
		for body >= 0 && !s.Tokens[body].Is("(") {
			body = s.Open[body]
		}
		u.Skips = append(u.Skips, Mark{Line: t.Line, Text: s.At(i-2).Text + "." + t.Text,
			Unsure: maybe || s.isConditional(i, body) || s.isGuarded(i-2)})
	}
}
