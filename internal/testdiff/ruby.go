package testdiff

import (
	"strings"

	"github.com/belay-dev/belay/internal/syntax"
)

var (
	rubyTests = map[string]bool{"it": true, "specify": true, "example": true, "scenario": true, "test": true, "its": true,
		"xit": true, "xspecify": true, "xexample": true, "xscenario": true, "fit": true, "fspecify": true, "fexample": true, "should": true}
	rubyGroups = map[string]bool{"describe": true, "context": true, "feature": true, "class": true, "module": true,
		"xdescribe": true, "xcontext": true, "xfeature": true, "fdescribe": true, "fcontext": true}
)

// readRubyTests returns the examples of RSpec and the tests of minitest. A block is delimited by
// its braces or, between do and end, by the column of its first word, which is also the column of
// its end.
func (s *source) readRubyTests() []Test {
	var list []Test
	var around scopes
	for i, t := range s.Tokens {
		word := t.Text
		start := i
		if s.At(i-1).Is(".") && s.At(i-2).Is("RSpec") {
			start = i - 2
		}
		def := t.Is("def") && strings.HasPrefix(s.At(i+1).Text, "test_")
		if t.Kind != syntax.Word || !s.At(start).First || !def && !rubyTests[word] && !rubyGroups[word] {
			continue
		}
		if s.Is(i+1, "=") || s.Is(i+1, ".") && word != "test" {
			continue
		}
		body, end, ok := s.rubyBody(start, i)
		if !ok && !rubyTests[word] {
			continue
		}
		groups := around.popTo(i)
		u := Test{Line: t.Line, Group: rubyGroups[word], ShortName: s.rubyName(i, def, body)}
		u.Name = groupPrefix(groups, u.ShortName)
		s.readRubyMarks(&u, i, body)
		if !ok { // it "does something": planned, not a test yet
			u.Skips = append(u.Skips, Mark{Line: t.Line, Text: word + " without a block"})
		}
		if !u.Group && ok {
			u.Body = s.Tokens[body:end]
			u.Skips = append(u.Skips, rubySkips(u.Body)...)
		}
		if u.Group {
			around.push(end, u.ShortName)
		}
		list = append(list, u)
	}
	return list
}

// rubyBody returns the start and end of the block of the statement that begins at start.
func (s *source) rubyBody(start, i int) (body, end int, ok bool) {
	k := i + 1
	for ; k < len(s.Tokens); k++ {
		t := s.Tokens[k]
		if t.Is("(") {
			k = min(s.End(k), len(s.Tokens)-1)
			continue
		}
		if t.Is("{") && s.Open[k] == s.Open[i] {
			return k + 1, max(s.End(k), k+1), true
		}
		if t.Is("do") {
			k++
			break
		}
		if t.First && !s.At(k-1).Is(",") {
			if w := s.At(i).Text; w != "def" && w != "class" && w != "module" {
				return 0, 0, false
			}
			break
		}
	}
	if s.Is(k, "|") { // do |x|
		for k++; k < len(s.Tokens) && !s.Is(k, "|"); k++ {
		}
		k++
	}
	k = min(k, len(s.Tokens))
	col := s.At(start).Col
	for end = k; end < len(s.Tokens); end++ {
		if t := s.Tokens[end]; t.First && t.Col <= col && t.Kind == syntax.Word {
			break
		}
	}
	return k, end, true
}

func (s *source) rubyName(i int, def bool, body int) string {
	name := s.At(i + 1)
	if name.Is("(") {
		name = s.At(i + 2)
	}
	if def || name.Kind == syntax.Text {
		return name.Value()
	}
	if end := i + 1; !name.Is("{") && !name.Is("do") {
		for end < len(s.Tokens) && s.At(end).Line == s.At(i).Line && !s.IsOneOf(end, "do", "{", ",", "<") {
			end++
		}
		return JoinTokens(s.Tokens[i+1 : end])
	}
	end := body
	for end < len(s.Tokens) && s.At(end).Line == s.At(body).Line && !s.Is(end, "}") {
		end++
	}
	return JoinTokens(s.Tokens[min(body, end):end]) // it { is_expected.to … }
}

// readRubyMarks reads xit, fit and metadata: skip: true, :focus.
func (s *source) readRubyMarks(u *Test, i, body int) {
	t := s.At(i)
	switch {
	case rubyTests[t.Text] && t.Text[0] == 'x', rubyGroups[t.Text] && t.Text[0] == 'x':
		u.Skips = append(u.Skips, Mark{Line: t.Line, Text: t.Text})
	case rubyTests[t.Text] && t.Text[0] == 'f', rubyGroups[t.Text] && t.Text[0] == 'f' && t.Text != "feature":
		u.Focuses = append(u.Focuses, Mark{Line: t.Line, Text: t.Text})
	}
	for k := i + 1; k < body; k++ {
		t := s.Tokens[k]
		symbol := s.At(k-1).Is(":") || s.Is(k+1, ":") && !s.Is(k+2, "false") && !s.Is(k+2, "nil")
		switch {
		case (t.Is("skip") || t.Is("pending")) && symbol:
			u.Skips = append(u.Skips, Mark{Line: t.Line, Text: t.Text, Unsure: s.hasRubyCondition(k)})
		case t.Is("focus") && symbol:
			u.Focuses = append(u.Focuses, Mark{Line: t.Line, Text: t.Text})
		}
	}
}

// hasRubyCondition reports whether the value of the key at k is not a literal: skip: !supported?,
// :skip => !supported?.
func (s *source) hasRubyCondition(k int) bool {
	v := k + 1
	for s.Is(v, ":") || s.Is(v, "=") || s.Is(v, ">") || s.Is(v, "=>") {
		v++
	}
	if t := s.At(v); v == k+1 || t.Kind == syntax.Text || t.Is("true") {
		return false
	}
	return true
}

// rubySkips looks for skip and pending as statements.
func rubySkips(body []syntax.Token) []Mark {
	var marks []Mark
	for i, t := range body {
		statement := t.First || i == 0
		if !statement || !t.Is("skip") && !t.Is("pending") && !t.Is("omit") {
			continue
		}
		m := Mark{Line: t.Line, Text: t.Text, Unsure: t.First && body[0].First && t.Col > body[0].Col}
		for _, x := range body[i:] {
			if x.Line != t.Line {
				break
			}
			m.Unsure = m.Unsure || x.Is("if") || x.Is("unless")
		}
		marks = append(marks, m)
	}
	return marks
}
