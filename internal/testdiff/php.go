package testdiff

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/lazyregexp"
	"github.com/belay-dev/belay/internal/syntax"
)

// readPHPTests returns the tests of PHPUnit (methods of classes) and of Pest (calls).
func (s *source) readPHPTests(text []byte) []Test {
	docs := phpDocs(text)
	type scope struct {
		end   int
		name  string
		class int // index in the list, -1 for a describe
	}
	var list []Test
	var open []scope
	for i := 0; i < len(s.Tokens); i++ {
		for len(open) > 0 && i >= open[len(open)-1].end {
			open = open[:len(open)-1]
		}
		t := s.Tokens[i]
		if t.Kind != syntax.Word || s.Depth[i] > maxDepth {
			continue
		}
		var groups []string
		for _, o := range open {
			groups = append(groups, o.name)
		}
		switch {
		case t.IsOneOf("class", "trait") && s.At(i+1).Kind == syntax.Word && !s.isMemberAccess(i-1) && !s.Is(i+1, "extends"):
			name, body := s.At(i+1).Text, i+2
			for body < len(s.Tokens) && !s.IsOneOf(body, "{", ";") {
				body++
			}
			list = append(list, Test{Name: groupPrefix(groups, name), ShortName: name, Line: t.Line, Group: true,
				Bases: s.phpBases(i+2, body)})
			open = append(open, scope{s.End(body), name, len(list) - 1})
			i = body
		case t.Is("function") && len(open) > 0 && open[len(open)-1].class >= 0:
			m, ok := s.readPHPMethod(i, docs)
			if !ok {
				continue
			}
			if s.isPHPSetup(m) {
				class := &list[open[len(open)-1].class]
				class.Skips = append(class.Skips, s.phpSkips(m.body)...)
			}
			if s.isPHPTest(m) {
				u := s.readPHPTest(m)
				u.Name = groupPrefix(groups, u.ShortName)
				list = append(list, u)
			}
			i = max(i, min(s.End(m.body), len(s.Tokens)-1))
		case pestCalls[t.Text] && t.First && s.Is(i+1, "("):
			u, end, ok := s.readPestCall(i)
			if !ok {
				continue
			}
			u.Name = groupPrefix(groups, u.ShortName)
			list = append(list, u)
			if u.Group {
				open = append(open, scope{end, u.ShortName, -1})
			} else {
				i = max(i, end)
			}
		}
	}
	return list
}

// phpBases returns the class that a class, with its name before token i, extends, and the traits it
// uses, by the last parts of their names.
func (s *source) phpBases(i, body int) []string {
	var bases []string
	for k := i; k < body; k++ {
		if s.Is(k, "implements") {
			break
		}
		if s.At(k).Kind == syntax.Word && !s.Is(k, "extends") && !s.Is(k+1, "\\") {
			bases = append(bases, s.At(k).Text)
		}
	}
	for k := body + 1; k < s.End(body); k++ {
		if s.Open[k] != body || !s.Is(k, "use") {
			continue
		}
		for ; k < s.End(body) && !s.IsOneOf(k, ";", "{"); k++ {
			if s.At(k).Kind == syntax.Word && !s.Is(k, "use") && !s.Is(k+1, "\\") {
				bases = append(bases, s.At(k).Text)
			}
		}
	}
	for n, b := range bases { // use A\B as C;
		for k := range s.Tokens {
			if s.Is(k, "as", b, ";") && s.Open[k] < 0 {
				bases[n] = s.At(k - 1).Text
			}
		}
	}
	return bases
}

// phpDocs maps the position of each token behind a doc comment to that comment.
func phpDocs(text []byte) map[[2]int]string {
	docs := map[[2]int]string{}
	doc := ""
	for _, t := range syntax.Lex(syntax.PHP, text) {
		if t.Kind == syntax.Comment {
			if strings.HasPrefix(t.Text, "/**") {
				doc = t.Text
			}
			continue
		}
		if doc != "" {
			docs[[2]int{t.Line, t.Col}] = doc
			doc = ""
		}
	}
	return docs
}

// phpMethod is a method with its attributes and doc comment.
type phpMethod struct {
	name, body int // the name, and the body's brace
	hidden     bool
	doc        string
	attrs      []attribute
}

// readPHPMethod reads the method with the keyword function at token i.
func (s *source) readPHPMethod(i int, docs map[[2]int]string) (m phpMethod, ok bool) {
	m.name = i + 1
	if s.Is(m.name, "&") {
		m.name++
	}
	if s.At(m.name).Kind != syntax.Word || !s.Is(m.name+1, "(") {
		return m, false
	}
	k := i
	for ; k > 0; k-- {
		switch {
		case s.IsOneOf(k-1, "public", "static", "final", "abstract"):
			continue
		case s.IsOneOf(k-1, "private", "protected"):
			m.hidden = true
			continue
		case s.Is(k-1, "]"):
			if open := s.openingBracket(k - 1); open > 0 && s.Is(open-1, "#") {
				m.attrs = append(m.attrs, s.readPHPAttributes(open)...)
				m.doc += docs[[2]int{s.At(k).Line, s.At(k).Col}]
				k = open
				continue
			}
		}
		break
	}
	for n := k; n <= i; n++ {
		m.doc += docs[[2]int{s.At(n).Line, s.At(n).Col}]
	}
	m.body = s.End(m.name+1) + 1
	for m.body < len(s.Tokens) && !s.IsOneOf(m.body, "{", ";") {
		m.body++
	}
	return m, s.Is(m.body, "{")
}

// readPHPAttributes returns the attributes in the brackets at open, each by the last part of its
// name.
func (s *source) readPHPAttributes(open int) []attribute {
	var list []attribute
	for k := open + 1; k < s.End(open); k++ {
		if s.Open[k] != open || s.At(k).Kind != syntax.Word || s.Is(k+1, "\\") {
			continue
		}
		a := attribute{name: s.At(k).Text, line: s.At(k).Line}
		if s.Is(k+1, "(") {
			a.args = s.Inside(k + 1)
		}
		list = append(list, a)
	}
	return list
}

var (
	phpTestDoc    = lazyregexp.New(`\*\s*@test\b`)
	phpBeforeDoc  = lazyregexp.New(`\*\s*@before(?:Class)?\b`)
	phpExpectsDoc = lazyregexp.New(`\*\s*@expectedException\b`)
	phpNeedsDoc   = lazyregexp.New(`\*\s*(@requires\s+[^\s*]+)`)
)

func (m phpMethod) hasAttribute(names ...string) bool {
	return slices.ContainsFunc(m.attrs, func(a attribute) bool { return slices.Contains(names, a.name) })
}

// methodName returns the name of a method.
func (s *source) methodName(m phpMethod) string { return s.At(m.name).Text }

// isPHPTest reports whether PHPUnit runs a method: a public one, named or marked as a test.
func (s *source) isPHPTest(m phpMethod) bool {
	return !m.hidden && (strings.HasPrefix(s.methodName(m), "test") || m.hasAttribute("Test") || phpTestDoc.MatchString(m.doc))
}

// isPHPSetup reports whether a method runs before the tests of its class, so that a skip in it
// skips all of them.
func (s *source) isPHPSetup(m phpMethod) bool {
	name := strings.ToLower(s.methodName(m))
	return name == "setup" || name == "setupbeforeclass" || m.hasAttribute("Before", "BeforeClass") || phpBeforeDoc.MatchString(m.doc)
}

func (s *source) readPHPTest(m phpMethod) Test {
	u := Test{ShortName: s.methodName(m), Line: s.At(m.name).Line, Body: s.Inside(m.body)}
	for _, a := range m.attrs {
		if strings.HasPrefix(a.name, "Requires") {
			u.Skips = append(u.Skips, Mark{Line: a.line, Text: a.name, Unsure: true})
		}
	}
	if need := phpNeedsDoc.FindStringSubmatch(m.doc); need != nil {
		u.Skips = append(u.Skips, Mark{Line: u.Line, Text: strings.Join(strings.Fields(need[1]), " "), Unsure: true})
	}
	if phpExpectsDoc.MatchString(m.doc) {
		u.Asserts++
	}
	u.Skips = append(u.Skips, s.phpSkips(m.body)...)
	s.addProviderRows(&u, m)
	return u
}

// phpSkips returns the calls in the block at body that end a test without a failure.
func (s *source) phpSkips(body int) []Mark {
	var marks []Mark
	for i := body + 1; i < s.End(body); i++ {
		t := s.Tokens[i]
		if t.Kind != syntax.Word || !s.Is(i+1, "(") {
			continue
		}
		first := i
		for s.isMemberAccess(first-1) || s.Is(first-1, "\\") {
			first -= 2
		}
		switch t.Text {
		case "markTestSkipped", "markTestIncomplete":
			if first == i { // the project's own function
				continue
			}
		case "SkippedTestError", "SkippedWithMessageException", "IncompleteTestError":
			for s.Is(first-1, "new") || s.Is(first-1, "\\") {
				first--
			}
			if !s.Is(first-1, "throw") {
				continue
			}
			first--
		default:
			continue
		}
		marks = append(marks, Mark{Line: t.Line, Text: t.Text,
			Unsure: s.isConditional(i, body) || s.isGuarded(first) || s.isInClosure(i, body)})
	}
	return marks
}

// isInClosure reports whether the token at i is in a closure within the block at body, which may
// not be called.
func (s *source) isInClosure(i, body int) bool {
	for o := s.Open[i]; o >= 0 && o != body; o = s.Open[o] {
		if !s.Tokens[o].Is("{") {
			continue
		}
		for k := o - 1; k > body && !s.IsOneOf(k, ";", "{", "}"); k-- {
			if s.Is(k, "function") {
				return true
			}
		}
	}
	return false
}

var (
	phpProviderDoc = lazyregexp.New(`\*\s*@dataProvider\s+([^\s*(]+)`)
	phpRowsDoc     = lazyregexp.New(`\*\s*@testWith\b`)
)

// addProviderRows adds the rows of a test's data providers, which are other methods of the text,
// and of its attributes.
func (s *source) addProviderRows(u *Test, m phpMethod) {
	sum := 0
	add := func(rows int, values []syntax.Token) {
		u.Table = append(u.Table, values...)
		if sum += rows; rows < 0 || sum < 0 {
			sum = UnknownRows
		}
	}
	provided := func(name string) { add(s.countProviderRows(name)) }
	for _, a := range m.attrs {
		switch {
		case a.name == "TestWith" || a.name == "TestWithJson":
			add(1, a.args)
		case a.name == "DataProvider" && len(a.args) == 1 && a.args[0].Kind == syntax.Text:
			provided(a.args[0].Value())
		case strings.HasPrefix(a.name, "DataProvider"):
			add(UnknownRows, nil)
		}
	}
	for _, doc := range phpProviderDoc.FindAllStringSubmatch(m.doc, -1) {
		provided(doc[1])
	}
	if phpRowsDoc.MatchString(m.doc) {
		add(UnknownRows, nil)
	}
	u.Rows = sum
}

// countProviderRows counts the rows that a method returns as a list or yields.
func (s *source) countProviderRows(name string) (rows int, values []syntax.Token) {
	body := s.phpBodies()[name]
	if body == 0 {
		return UnknownRows, nil
	}
	values = s.Inside(body)
	for k := body + 1; k < s.End(body); k++ {
		switch {
		case s.Is(k, "yield"):
			if s.Open[k] != body || s.Is(k+1, "from") || rows < 0 {
				return UnknownRows, values
			}
			rows++
		case s.Is(k, "return"):
			if s.Open[k] != body || rows != 0 {
				return UnknownRows, values
			}
			if rows, _ = s.countList(k+1, s.End(body), true); rows <= 0 {
				return UnknownRows, values
			}
			return rows, values
		}
	}
	if rows == 0 {
		rows = UnknownRows
	}
	return rows, values
}

// phpBodies maps the names of functions to their bodies' braces.
func (s *source) phpBodies() map[string]int {
	if s.bodies != nil {
		return s.bodies
	}
	s.bodies = map[string]int{}
	for i, t := range s.Tokens {
		if !t.Is("function") || s.At(i+1).Kind != syntax.Word || !s.Is(i+2, "(") {
			continue
		}
		body := s.End(i+2) + 1
		for body < len(s.Tokens) && !s.IsOneOf(body, "{", ";") {
			body++
		}
		if s.Is(body, "{") {
			s.bodies[s.At(i+1).Text] = body
		}
	}
	return s.bodies
}

// pestCalls are functions that define tests and groups of Pest.
var pestCalls = map[string]bool{"test": true, "it": true, "todo": true, "arch": true, "describe": true}

// pestModifiers are methods that describe a test and do not change its body.
var pestModifiers = set(`group covers coversClass coversFunction coversNothing depends repeat issue ticket pr note assignee done wip
	with throws skip only todo before after beforeEach afterEach uses`)

// readPestCall reads the call at i; end is the end of its statement, or of its group.
func (s *source) readPestCall(i int) (u Test, end int, ok bool) {
	t, open := s.Tokens[i], i+1
	if s.Close[open] < 0 || s.At(open+1).Kind != syntax.Text && !(t.Is("arch") && s.Is(open+1, ")")) {
		return u, 0, false
	}
	u = Test{Line: t.Line, ShortName: s.At(open + 1).Value(), Group: t.Is("describe")}
	if u.ShortName == ")" {
		u.ShortName = t.Text
	}
	body, has := s.readPestBody(open)
	chain := s.End(open) + 1
	end, does := s.readPestChain(&u, chain)
	if !has && does { // it("…")->expect(…)->toBe(…)
		body, has = s.Tokens[chain:end], true
	}
	switch {
	case u.Group:
		return u, s.End(open), true
	case t.Is("todo"), !has:
		u.Skips = append(u.Skips, Mark{Line: t.Line, Text: t.Text + " without a body"})
	}
	u.Body = body
	if has && len(body) > 0 && s.tokenIndex(body[0]) < chain {
		u.Skips = append(u.Skips, s.phpSkips(s.Open[s.tokenIndex(body[0])])...)
	}
	return u, end, true
}

// readPestBody returns the body of the function in the parentheses at open.
func (s *source) readPestBody(open int) (body []syntax.Token, ok bool) {
	end := s.End(open)
	for k := open + 1; k < end; k++ {
		switch {
		case s.Open[k] != open:
		case s.Is(k, "{"):
			return s.Inside(k), true
		case s.Is(k, "=", ">") && s.Is(s.openingBracket(k-1)-1, "fn"):
			return s.Tokens[min(k+2, end):end], true
		}
	}
	return nil, false
}

// readPestChain reads the methods that are chained to a test, from token k, and returns their end.
// does means that some of them are the test's body.
func (s *source) readPestChain(u *Test, k int) (end int, does bool) {
	for s.Is(k, "->") && s.At(k+1).Kind == syntax.Word {
		mod := s.At(k + 1)
		m := Mark{Line: mod.Line, Text: mod.Text}
		var args []syntax.Token
		call := k + 2
		if k = call; s.Is(call, "(") {
			args = s.Inside(call)
			k = s.End(call) + 1
		}
		switch name := mod.Text; {
		case name == "todo", name == "fails":
			u.Skips = append(u.Skips, m)
		case name == "skip":
			if len(args) > 0 && args[0].Is("false") {
				continue
			}
			m.Unsure = len(args) > 0 && args[0].Kind != syntax.Text && !isConstantTrue(tokensUntil(args, ","))
			u.Skips = append(u.Skips, m)
		case strings.HasPrefix(name, "skip"), strings.HasPrefix(name, "onlyOn"):
			m.Unsure = true
			u.Skips = append(u.Skips, m)
		case name == "only":
			u.Focuses = append(u.Focuses, m)
		case name == "throws", name == "throwsIf", name == "throwsUnless":
			u.Asserts++
		case name == "with" && s.Is(call, "("):
			rows, values := s.countList(call+1, s.End(call), true)
			u.Rows, u.Table = multiplyRows(u.Rows, rows), append(u.Table, values...)
		default:
			does = does || !pestModifiers[name]
		}
	}
	return min(k, len(s.Tokens)), does
}

// isPHPAssertion finds assertions of PHPUnit, called on the test, its class, or as functions;
// expectations of mocks; and Pest's expect(…).
func (s *source) isPHPAssertion(i int) bool {
	if !s.Is(i+1, "(") || s.IsOneOf(i-1, "function", "new", "&") && !s.Is(i-2, "&") {
		return false
	}
	low, dotted := strings.ToLower(s.Tokens[i].Text), s.isMemberAccess(i-1)
	switch {
	case strings.HasPrefix(low, "assert"):
		return true
	case low == "expects":
		return dotted && !slices.ContainsFunc(s.Inside(i+1), func(t syntax.Token) bool { return t.Is("any") })
	case low == "expect":
		return !dotted || i == 1 // it("…")->expect(…)
	case strings.HasPrefix(low, "expect"):
		return dotted && s.IsOneOf(i-2, "$this", "self", "static") && low != "expectnottoperformassertions"
	case low == "fail", low == "setexpectedexception":
		return dotted
	}
	return dotted && startsWith(low, "shouldreceive", "shouldnotreceive", "shouldhave", "shouldbe", "shouldnotbe", "shouldnothave")
}

// isMemberAccess reports whether the token at i is the operator before a member.
func (s *source) isMemberAccess(i int) bool {
	if s.Lang == syntax.PHP {
		return s.IsOneOf(i, "->", "::")
	}
	return s.Is(i, ".")
}
