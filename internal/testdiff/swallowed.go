package testdiff

import (
	"strings"

	"github.com/belay-dev/belay/internal/syntax"
)

// findSwallow returns the handler that ignores failed assertions of a block: in a try, one that
// does nothing. Unsure is one that only prints, or that may not catch what an assertion throws.
func (s *source) findSwallow(head int) Mark {
	if m, known := s.swallowed[head]; known {
		return m
	}
	var m Mark
	switch s.Lang {
	case syntax.Python:
		m = s.findPythonSwallow(head)
	case syntax.Ruby:
		m = s.findRubySwallow(head)
	case syntax.JavaScript, syntax.TypeScript, syntax.Java, syntax.CSharp, syntax.PHP:
		m = s.findBraceSwallow(head)
	}
	if s.swallowed == nil {
		s.swallowed = map[int]Mark{}
	}
	s.swallowed[head] = m
	return m
}

// findBraceSwallow checks try { … } catch (…) { … }.
func (s *source) findBraceSwallow(head int) Mark {
	try := s.Is(head-1, "try")
	if open := s.openingBracket(head - 1); s.Is(head-1, ")") && open > 0 { // resources
		try = s.Is(open-1, "try")
	}
	if !try || s.Close[head] < 0 {
		return Mark{}
	}
	for k := s.Close[head] + 1; s.Is(k, "catch"); k = s.End(k) + 1 {
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
		if !s.catchesAssertion(what) {
			continue
		}
		if quiet, maybe := isSilent(s.Inside(k)); quiet {
			return Mark{Text: JoinTokens(s.Tokens[from:k]), Unsure: maybe}
		}
		return Mark{}
	}
	return Mark{}
}

// catchesAssertion reports whether a handler of these types catches a failed assertion.
func (s *source) catchesAssertion(what []syntax.Token) bool {
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
			if t.IsOneOf("Throwable", "Exception", "AssertionFailedError", "ExpectationFailedException") {
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

// findPythonSwallow checks try with its excepts, and with suppress(…).
func (s *source) findPythonSwallow(head int) Mark {
	if s.Is(head, "with") {
		for k := head; k < len(s.Tokens) && s.lines[k] == head; k++ {
			if s.Is(k, "suppress", "(") && s.catchesAssertion(s.Inside(k+1)) {
				return Mark{Text: JoinTokens(s.Tokens[k : s.End(k+1)+1])}
			}
			if s.Is(k, ":") && s.Open[k] == s.Open[head] {
				break
			}
		}
	}
	if !s.Is(head, "try") {
		return Mark{}
	}
	for k := s.nextLineInColumn(head); k >= 0; k = s.nextLineInColumn(k) {
		if s.Is(k, "else") || s.Is(k, "finally") || !s.Is(k, "except") {
			return Mark{}
		}
		colon := s.headColon(k)
		if colon < 0 {
			return Mark{}
		}
		if colon > k+1 && !s.catchesAssertion(s.Tokens[k+1:colon]) {
			continue
		}
		to := s.nextLineInColumn(k)
		if to < 0 {
			to = s.nextLineOutdented(k)
		}
		if quiet, maybe := isSilent(s.Tokens[colon+1 : to]); quiet {
			return Mark{Text: JoinTokens(s.Tokens[k:colon]), Unsure: maybe}
		}
		return Mark{}
	}
	return Mark{}
}

// findRubySwallow checks begin … rescue … end. A rescue without a class catches the failures of
// some frameworks only.
func (s *source) findRubySwallow(head int) Mark {
	if !s.Is(head, "begin") {
		return Mark{}
	}
	for k := s.nextLineInColumn(head); k >= 0 && s.Is(k, "rescue"); k = s.nextLineInColumn(k) {
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
		to := s.nextLineInColumn(k)
		if to < 0 {
			to = s.nextLineOutdented(k)
		}
		if quiet, maybe := isSilent(s.Tokens[end:max(to, end)]); quiet {
			return Mark{Text: JoinTokens(s.Tokens[k:end]), Unsure: maybe || !sure}
		}
		return Mark{}
	}
	return Mark{}
}

// nextLineInColumn returns the next line that begins in the column of the line at k, -1 if one
// further left comes first.
func (s *source) nextLineInColumn(k int) int {
	to := s.nextLineOutdented(k)
	if to < len(s.Tokens) && s.At(to).Col == s.At(k).Col {
		return to
	}
	return -1
}

// nextLineOutdented returns the next line that is not indented further than the line at k.
func (s *source) nextLineOutdented(k int) int {
	for to := k + 1; to < len(s.Tokens); to++ {
		if s.lines[to] == to && s.At(to).Col <= s.At(k).Col {
			return to
		}
	}
	return len(s.Tokens)
}

// isLoop reports whether a block is the body of a loop.
func (s *source) isLoop(head int) bool {
	if s.usesIndentation() {
		for k := head; k < len(s.Tokens) && s.lines[k] == head; k++ {
			switch t := s.At(k); {
			case k == head && t.IsOneOf("for", "while", "until", "loop", "async"):
				return true
			case s.Lang == syntax.Ruby && s.Is(k-1, ".") && (t.Is("times") || t.Is("each") || t.Is("upto")):
				return true
			}
		}
		return false
	}
	if open := s.openingBracket(head - 1); s.Is(head-1, ")") && open > 0 {
		return s.Is(open-1, "for") || s.Is(open-1, "while") || s.Is(open-1, "foreach") || s.Is(open-1, "await")
	}
	return s.Is(head-1, "do")
}

var (
	idleWords  = set(`pass continue break return next nil null undefined None true false end ensure`)
	printNames = set(`print println printf puts p pp console log logger logging warn warnings System Console Debug Trace sys e err error ex
		echo var_dump error_log`)
	failNames = set(`raise throw rethrow fail flunk assert expect exit abort done reject pytest addFailure
		markTestSkipped markTestIncomplete`)
)

// canFollowName reports whether a token can follow the name of a called function or receiver.
func canFollowName(t syntax.Token) bool {
	return t.IsOneOf("(", ".") || t.Kind == syntax.Text || t.Kind == syntax.Word
}

// isSilent reports whether a handler does nothing; maybe means that it only prints.
func isSilent(body []syntax.Token) (quiet, maybe bool) {
	depth, start := 0, true
	for i, t := range body {
		switch {
		case t.Is("(") || t.Is("{") || t.Is("["):
			depth++
		case t.Is(")") || t.Is("}") || t.Is("]"):
			depth--
		}
		if t.Kind == syntax.Word && (failNames[t.Text] || strings.HasPrefix(strings.ToLower(t.Text), "assert")) {
			return false, false
		}
		start = start || t.First && depth == 0 || i == 0
		switch {
		case t.Is(";"):
			start = true
		case idleWords[t.Text] && t.Kind == syntax.Word, t.Is("."), !start, t.Kind == syntax.Text && start: // pass, …, a docstring
		case t.Kind == syntax.Word && printNames[t.Text] && i+1 < len(body) && canFollowName(body[i+1]):
			maybe, start = true, false
		default:
			return false, false
		}
	}
	return true, maybe
}
