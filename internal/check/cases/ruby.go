package cases

import (
	"strings"

	"github.com/belay-dev/belay/internal/check/lang"
)

var (
	rubyTests = map[string]bool{"it": true, "specify": true, "example": true, "scenario": true, "test": true, "its": true,
		"xit": true, "xspecify": true, "xexample": true, "xscenario": true, "fit": true, "fspecify": true, "fexample": true, "should": true}
	rubyGroups = map[string]bool{"describe": true, "context": true, "feature": true, "class": true, "module": true,
		"xdescribe": true, "xcontext": true, "xfeature": true, "fdescribe": true, "fcontext": true}
)

// rubyUnits gives the examples of RSpec and the tests of minitest. What belongs to one
// is told by its braces or, between do and end, by the column of its first word, where
// its end stands as well.
func (s *source) rubyUnits() []Test {
	type scope struct {
		end  int
		name string
	}
	var list []Test
	var open []scope
	for i, t := range s.tokens {
		for len(open) > 0 && i >= open[len(open)-1].end {
			open = open[:len(open)-1]
		}
		word := t.Text
		start := i
		if s.at(i-1).Is(".") && s.at(i-2).Is("RSpec") {
			start = i - 2
		}
		def := t.Is("def") && strings.HasPrefix(s.at(i+1).Text, "test_")
		if t.Kind != lang.Word || !s.at(start).First || !def && !rubyTests[word] && !rubyGroups[word] || s.is(i+1, "=") || s.is(i+1, ".") && word != "test" {
			continue
		}
		body, end, ok := s.rubyBody(start, i)
		if !ok && !rubyTests[word] {
			continue
		}
		var groups []string
		for _, o := range open {
			groups = append(groups, o.name)
		}
		u := Test{Line: t.Line, Group: rubyGroups[word], Leaf: s.rubyName(i, def, body)}
		u.Name = within(groups, u.Leaf)
		s.rubyMarks(&u, i, body)
		if !ok { // it "does something": a plan, not a test
			u.Skips = append(u.Skips, Mark{Line: t.Line, Text: word + " without a block"})
		}
		if !u.Group && ok {
			u.Body = s.tokens[body:end]
			u.Skips = append(u.Skips, rubySkips(u.Body)...)
		}
		if u.Group {
			open = append(open, scope{end, u.Leaf})
		}
		list = append(list, u)
	}
	return list
}

// rubyBody gives where the block of the statement that begins at start begins and ends.
func (s *source) rubyBody(start, i int) (body, end int, ok bool) {
	k := i + 1
	for ; k < len(s.tokens); k++ {
		t := s.tokens[k]
		if t.Is("(") {
			k = min(s.end(k), len(s.tokens)-1)
			continue
		}
		if t.Is("{") && s.open[k] == s.open[i] {
			return k + 1, max(s.end(k), k+1), true
		}
		if t.Is("do") {
			k++
			break
		}
		if t.First && !s.at(k-1).Is(",") {
			if w := s.at(i).Text; w != "def" && w != "class" && w != "module" {
				return 0, 0, false
			}
			break
		}
	}
	if s.is(k, "|") { // do |x|
		for k++; k < len(s.tokens) && !s.is(k, "|"); k++ {
		}
		k++
	}
	k = min(k, len(s.tokens))
	col := s.at(start).Col
	for end = k; end < len(s.tokens); end++ {
		if t := s.tokens[end]; t.First && t.Col <= col && t.Kind == lang.Word {
			break
		}
	}
	return k, end, true
}

func (s *source) rubyName(i int, def bool, body int) string {
	name := s.at(i + 1)
	if name.Is("(") {
		name = s.at(i + 2)
	}
	if def || name.Kind == lang.Text {
		return name.Value()
	}
	if end := i + 1; !name.Is("{") && !name.Is("do") {
		for end < len(s.tokens) && s.at(end).Line == s.at(i).Line && !s.is(end, "do") && !s.is(end, "{") && !s.is(end, ",") && !s.is(end, "<") {
			end++
		}
		return text(s.tokens[i+1 : end])
	}
	end := body
	for end < len(s.tokens) && s.at(end).Line == s.at(body).Line && !s.is(end, "}") {
		end++
	}
	return text(s.tokens[min(body, end):end]) // it { is_expected.to … }
}

// rubyMarks reads xit, fit and metadata: skip: true, :focus.
func (s *source) rubyMarks(u *Test, i, body int) {
	t := s.at(i)
	switch {
	case rubyTests[t.Text] && t.Text[0] == 'x', rubyGroups[t.Text] && t.Text[0] == 'x':
		u.Skips = append(u.Skips, Mark{Line: t.Line, Text: t.Text})
	case rubyTests[t.Text] && t.Text[0] == 'f', rubyGroups[t.Text] && t.Text[0] == 'f' && t.Text != "feature":
		u.Only = append(u.Only, Mark{Line: t.Line, Text: t.Text})
	}
	for k := i + 1; k < body; k++ {
		t := s.tokens[k]
		symbol := s.at(k-1).Is(":") || s.is(k+1, ":") && !s.is(k+2, "false") && !s.is(k+2, "nil")
		switch {
		case (t.Is("skip") || t.Is("pending")) && symbol:
			u.Skips = append(u.Skips, Mark{Line: t.Line, Text: t.Text})
		case t.Is("focus") && symbol:
			u.Only = append(u.Only, Mark{Line: t.Line, Text: t.Text})
		}
	}
}

// rubySkips looks for skip and pending as statements.
func rubySkips(body []lang.Token) []Mark {
	var marks []Mark
	for i, t := range body {
		statement := t.First || i == 0
		if !statement || !t.Is("skip") && !t.Is("pending") && !t.Is("omit") {
			continue
		}
		m := Mark{Line: t.Line, Text: t.Text, Maybe: t.First && body[0].First && t.Col > body[0].Col}
		for _, x := range body[i:] {
			if x.Line != t.Line {
				break
			}
			m.Maybe = m.Maybe || x.Is("if") || x.Is("unless")
		}
		marks = append(marks, m)
	}
	return marks
}
