package testdiff

import (
	"strings"

	"github.com/belay-dev/belay/internal/syntax"
)

// swallows reports whether a block is one whose failed assertions are caught without
// another failure: a try with a handler that does nothing. Maybe tells a handler that says
// something, and one that may not catch what an assertion throws.
func (s *source) swallows(head int) Mark {
	if m, known := s.caught[head]; known {
		return m
	}
	var m Mark
	switch s.Lang {
	case syntax.Python:
		m = s.pythonSwallows(head)
	case syntax.Ruby:
		m = s.rubySwallows(head)
	case syntax.JavaScript, syntax.TypeScript, syntax.Java, syntax.CSharp, syntax.PHP:
		m = s.braceSwallows(head)
	}
	if s.caught == nil {
		s.caught = map[int]Mark{}
	}
	s.caught[head] = m
	return m
}

// braceSwallows reads try { … } catch (…) { … }.
func (s *source) braceSwallows(head int) Mark {
	try := s.Is(head-1, "try")
	if open := s.Opener(head - 1); s.Is(head-1, ")") && open > 0 { // resources
		try = s.Is(open-1, "try")
	}
	if !try || s.Pair[head] < 0 {
		return Mark{}
	}
	for k := s.Pair[head] + 1; s.Is(k, "catch"); k = s.End(k) + 1 {
		from := k
		var what []syntax.Token
		for k++; s.Is(k, "(") || s.Is(k, "when"); k++ {
			if s.Is(k, "(") {
				what = append(what, s.Inside(k)...)
				k = s.End(k)
			}
		}
		if !s.Is(k, "{") {
			return Mark{}
		}
		if !s.catches(what) {
			continue
		}
		if quiet, maybe := silent(s.Inside(k)); quiet {
			return Mark{Text: Text(s.Tokens[from:k]), Maybe: maybe}
		}
		return Mark{}
	}
	return Mark{}
}

// catches reports whether a handler of these types catches what a failed assertion throws.
func (s *source) catches(what []syntax.Token) bool {
	if s.Lang == syntax.JavaScript || s.Lang == syntax.TypeScript || s.Lang == syntax.CSharp && len(what) == 0 {
		return true
	}
	for _, t := range what {
		if t.Kind != syntax.Word {
			continue
		}
		low := strings.ToLower(t.Text)
		switch s.Lang {
		case syntax.Java:
			if t.Is("Throwable") || t.Is("Error") || strings.HasPrefix(t.Text, "Assertion") || t.Is("ComparisonFailure") {
				return true
			}
		case syntax.CSharp:
			if t.Is("Exception") || strings.HasPrefix(low, "assert") || strings.HasPrefix(low, "xunit") {
				return true
			}
		case syntax.PHP:
			if t.Among("Throwable", "Exception", "AssertionFailedError", "ExpectationFailedException") {
				return true
			}
		case syntax.Python:
			if t.Is("AssertionError") || t.Is("Exception") || t.Is("BaseException") {
				return true
			}
		}
	}
	return false
}

// pythonSwallows reads try with its excepts, and with suppress(…).
func (s *source) pythonSwallows(head int) Mark {
	if s.Is(head, "with") {
		for k := head; k < len(s.Tokens) && s.lines[k] == head; k++ {
			if s.Is(k, "suppress", "(") && s.catches(s.Inside(k+1)) {
				return Mark{Text: Text(s.Tokens[k : s.End(k+1)+1])}
			}
			if s.Is(k, ":") && s.Open[k] == s.Open[head] {
				break
			}
		}
	}
	if !s.Is(head, "try") {
		return Mark{}
	}
	for k := s.nextLine(head); k >= 0; k = s.nextLine(k) {
		if s.Is(k, "else") || s.Is(k, "finally") || !s.Is(k, "except") {
			return Mark{}
		}
		colon := s.colon(k)
		if colon < 0 {
			return Mark{}
		}
		if colon > k+1 && !s.catches(s.Tokens[k+1:colon]) {
			continue
		}
		to := s.nextLine(k)
		if to < 0 {
			to = s.lineAfter(k)
		}
		if quiet, maybe := silent(s.Tokens[colon+1 : to]); quiet {
			return Mark{Text: Text(s.Tokens[k:colon]), Maybe: maybe}
		}
		return Mark{}
	}
	return Mark{}
}

// rubySwallows reads begin … rescue … end. A rescue of no class catches only some
// frameworks' failures.
func (s *source) rubySwallows(head int) Mark {
	if !s.Is(head, "begin") {
		return Mark{}
	}
	for k := s.nextLine(head); k >= 0 && s.Is(k, "rescue"); k = s.nextLine(k) {
		bare, catches, sure := true, false, false
		end := k + 1
		for ; end < len(s.Tokens) && s.At(end).Line == s.At(k).Line && !s.Is(end, "then") && !s.Is(end, ";"); end++ {
			if s.Is(end, "=", ">") {
				end += 2
				continue
			}
			t := s.At(end)
			bare = bare && t.Kind != syntax.Word
			sure = sure || t.Is("Exception") || strings.HasPrefix(t.Text, "Assertion") || t.Is("ExpectationNotMetError")
			catches = catches || sure || t.Is("StandardError")
		}
		end = min(end, len(s.Tokens))
		if !bare && !catches {
			continue
		}
		to := s.nextLine(k)
		if to < 0 {
			to = s.lineAfter(k)
		}
		if quiet, maybe := silent(s.Tokens[end:max(to, end)]); quiet {
			return Mark{Text: Text(s.Tokens[k:end]), Maybe: maybe || !sure}
		}
		return Mark{}
	}
	return Mark{}
}

// nextLine returns the next line that begins in the column of the line at k, -1 when one
// further left comes first.
func (s *source) nextLine(k int) int {
	to := s.lineAfter(k)
	if to < len(s.Tokens) && s.At(to).Col == s.At(k).Col {
		return to
	}
	return -1
}

// lineAfter returns the next line that begins no further right than the line at k.
func (s *source) lineAfter(k int) int {
	for to := k + 1; to < len(s.Tokens); to++ {
		if s.lines[to] == to && s.At(to).Col <= s.At(k).Col {
			return to
		}
	}
	return len(s.Tokens)
}

// loops reports whether a block is gone through again and again.
func (s *source) loops(head int) bool {
	if s.byColumns() {
		for k := head; k < len(s.Tokens) && s.lines[k] == head; k++ {
			switch t := s.At(k); {
			case k == head && t.Among("for", "while", "until", "loop", "async"):
				return true
			case s.Lang == syntax.Ruby && s.Is(k-1, ".") && (t.Is("times") || t.Is("each") || t.Is("upto")):
				return true
			}
		}
		return false
	}
	if open := s.Opener(head - 1); s.Is(head-1, ")") && open > 0 {
		return s.Is(open-1, "for") || s.Is(open-1, "while") || s.Is(open-1, "foreach") || s.Is(open-1, "await")
	}
	return s.Is(head-1, "do")
}

var (
	idle    = set(`pass continue break return next nil null undefined None true false end ensure`)
	tellers = set(`print println printf puts p pp console log logger logging warn warnings System Console Debug Trace sys e err error ex
		echo var_dump error_log`)
	fails = set(`raise throw rethrow fail flunk assert expect exit abort done reject pytest addFailure
		markTestSkipped markTestIncomplete`)
)

// goesOn tells whether a token can follow the name of what is called or asked.
func goesOn(t syntax.Token) bool {
	return t.Among("(", ".") || t.Kind == syntax.Text || t.Kind == syntax.Word
}

// silent tells whether a handler does nothing; maybe tells one that only says something.
func silent(body []syntax.Token) (quiet, maybe bool) {
	depth, start := 0, true
	for i, t := range body {
		switch {
		case t.Is("(") || t.Is("{") || t.Is("["):
			depth++
		case t.Is(")") || t.Is("}") || t.Is("]"):
			depth--
		}
		if t.Kind == syntax.Word && (fails[t.Text] || strings.HasPrefix(strings.ToLower(t.Text), "assert")) {
			return false, false
		}
		start = start || t.First && depth == 0 || i == 0
		switch {
		case t.Is(";"):
			start = true
		case idle[t.Text] && t.Kind == syntax.Word, t.Is("."), !start, t.Kind == syntax.Text && start: // pass, …, a docstring
		case t.Kind == syntax.Word && tellers[t.Text] && i+1 < len(body) && goesOn(body[i+1]):
			maybe, start = true, false
		default:
			return false, false
		}
	}
	return true, maybe
}
