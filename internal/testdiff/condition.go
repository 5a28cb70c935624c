package testdiff

import (
	"slices"

	"github.com/belay-dev/belay/internal/syntax"
)

// readConditions reads a condition, each part joined by and or or separately. not means that the
// test fails if it is true.
func (s *source) readConditions(tokens []syntax.Token, not bool) {
	if tokens = unwrapBrackets(tokens); len(tokens) > 400 {
		return
	}
	from, depth := 0, 0
	for i := 0; i <= len(tokens); i++ {
		end := i == len(tokens)
		if i < from {
			continue // the second token of && or ||, which may precede a third
		}
		if !end {
			t := tokens[i]
			switch {
			case t.Is("(") || t.Is("[") || t.Is("{"):
				depth++
			case isClosing(t):
				depth--
			}
			both := i+1 < len(tokens) && (t.Is("&") && tokens[i+1].Is("&") || t.Is("|") && tokens[i+1].Is("|"))
			if depth > 0 || !both && !t.Is("and") && !t.Is("or") {
				continue
			}
		}
		s.readCondition(tokens[from:i], not)
		from = i + 1
		if !end && tokens[i].Kind == syntax.Mark {
			from++
		}
	}
}

// unwrapBrackets removes parentheses around the entire expression: not those of (a) == (b).
func unwrapBrackets(tokens []syntax.Token) []syntax.Token {
	for {
		inner, ok := unwrapOnce(tokens)
		if !ok {
			return tokens
		}
		tokens = inner
	}
}

// readCondition reads one comparison or boolean expression. not means that the test fails if it is
// true.
func (s *source) readCondition(tokens []syntax.Token, not bool) {
	for len(tokens) > 0 && (tokens[0].Is("!") && !(len(tokens) > 1 && tokens[1].Is("=")) || tokens[0].Is("not")) {
		tokens, not = tokens[1:], !not
	}
	if len(tokens) == 0 {
		return
	}
	at, width, op := s.findComparator(tokens)
	if at < 0 {
		if !s.readComparingCall(tokens, not) && !isLiteral(s.Lang, tokens) {
			s.addValue(Value{Subject: tokenKey(tokens), Op: effectiveOp("true", not)}, tokens[0])
		}
		return
	}
	a, b := tokens[:at], tokens[at+width:]
	s.addComparison(effectiveOp(op, not), a, b, op != "eq" && op != "ne")
}

// addComparison records a comparison with a literal on one side. With turns, an ordering is
// reversed if the literal is on the left: 3 < x is x > 3.
func (s *source) addComparison(op string, a, b []syntax.Token, turns bool) {
	if len(a) == 0 || len(b) == 0 {
		return
	}
	la, lb := isLiteral(s.Lang, a), isLiteral(s.Lang, b)
	switch {
	case la && lb, !la && !lb:
	case lb:
		s.addValue(Value{Subject: tokenKey(a), Op: op, Text: tokenText(b)}, b[0])
	default:
		if t, ok := flippedOps[op]; ok && turns {
			op = t
		}
		s.addValue(Value{Subject: tokenKey(b), Op: op, Text: tokenText(a)}, a[0])
	}
}

var (
	flippedOps  = map[string]string{"<": ">", ">": "<", "<=": ">=", ">=": "<="}
	oppositeOps = map[string]string{"eq": "ne", "ne": "eq", "true": "false", "false": "true", "<": ">=", ">": "<=", "<=": ">", ">=": "<",
		"in": "not in", "not in": "in", "contains": "not contains", "not contains": "contains"}
)

func effectiveOp(op string, not bool) string {
	if !not {
		return op
	}
	if o, ok := oppositeOps[op]; ok {
		return o
	}
	return "not " + op
}

// findComparator returns the position of the first comparison outside of brackets, its number of
// tokens and its operator; -1 if there is none.
func (s *source) findComparator(tokens []syntax.Token) (at, width int, op string) {
	depth := 0
	is := func(i int, s string) bool { return i < len(tokens) && tokens[i].Is(s) }
	for i, t := range tokens {
		switch {
		case t.Is("(") || t.Is("[") || t.Is("{"):
			depth++
		case isClosing(t):
			depth--
		case depth > 0:
		case t.Is("="), t.Is("!"):
			if !is(i+1, "=") {
				continue
			}
			width, op = 2, map[string]string{"=": "eq", "!": "ne"}[t.Text]
			if is(i+2, "=") {
				width = 3
			}
			return i, width, op
		case (t.Is("<") || t.Is(">")) && i > 0 && !is(i-1, "=") && s.hasOrderOperators():
			if is(i+1, "=") {
				return i, 2, t.Text + "="
			}
			return i, 1, t.Text
		case s.Lang == syntax.Python && t.Is("is"):
			if is(i+1, "not") {
				return i, 2, "ne"
			}
			return i, 1, "eq"
		case s.Lang == syntax.Python && (t.Is("in") || t.Is("not") && is(i+1, "in")):
			if t.Is("not") {
				return i, 2, "not in"
			}
			return i, 1, "in"
		}
	}
	return -1, 0, ""
}

// hasOrderOperators reports whether < and > are always comparisons, and never brackets of types, in
// the language.
func (s *source) hasOrderOperators() bool {
	return slices.Contains([]syntax.Language{syntax.Go, syntax.Python, syntax.JavaScript, syntax.Ruby}, s.Lang)
}

var comparingFuncs = map[string]string{"DeepEqual": "eq", "Equal": "eq", "EqualFold": "eq", "Diff": "eq", "equals": "eq",
	"Equals": "eq", "SequenceEqual": "eq",
	"Contains": "contains", "contains": "contains", "includes": "contains", "HasPrefix": "prefix",
	"HasSuffix": "suffix", "startswith": "prefix", "endswith": "suffix",
	"starts_with": "prefix", "ends_with": "suffix", "startsWith": "prefix", "endsWith": "suffix", "include?": "contains"}

// readComparingCall reads a call that compares: slices.Equal(got, want), text.contains("x").
func (s *source) readComparingCall(tokens []syntax.Token, not bool) bool {
	open := slices.IndexFunc(tokens, func(t syntax.Token) bool { return t.Is("(") })
	if open < 1 || !tokens[len(tokens)-1].Is(")") {
		return false
	}
	for i := open; i < len(tokens); i++ { // the last call of a chain
		if tokens[i].Is("(") && tokens[i-1].Kind == syntax.Word && comparingFuncs[tokens[i-1].Text] != "" {
			open = i
		}
	}
	op, known := comparingFuncs[tokens[open-1].Text]
	args := splitArguments(tokens[open+1 : len(tokens)-1])
	switch {
	case !known:
		return false
	case len(args) == 1 && open > 2:
		args = [][]syntax.Token{tokens[:open-2], args[0]}
	case len(args) < 2:
		return false
	}
	s.addComparison(effectiveOp(op, not), args[0], args[1], false)
	return true
}

// readGoIf reads the condition of an if that fails the test.
func (s *source) readGoIf(i int) {
	body := i + 1
	for body < len(s.Tokens) && !(s.Is(body, "{") && s.Open[body] == s.Open[i] && !s.isCompositeLiteral(body)) {
		if s.Tokens[body].First && s.Tokens[body].Line > s.Tokens[i].Line+20 {
			return
		}
		body++
	}
	if body >= len(s.Tokens) || !s.blockFails(body) {
		return
	}
	from := i + 1
	for k := from; k < body; k++ {
		if s.Is(k, ";") && s.Open[k] == s.Open[i] {
			from = k + 1
		}
	}
	head := ""
	if from > i+1 { // if got := f(1); got != 2
		head = tokenKey(s.Tokens[i+1:from]) + " "
	}
	n := len(s.expected)
	s.readConditions(s.Tokens[from:body], true)
	for k := n; k < len(s.expected); k++ {
		s.expected[k].Subject = head + s.expected[k].Subject
	}
}

// isCompositeLiteral distinguishes the brace of a literal from a block's: the condition continues
// behind its end.
func (s *source) isCompositeLiteral(open int) bool {
	end := s.End(open)
	return end+1 < len(s.Tokens) && !s.Tokens[end+1].First && s.IsOneOf(end+1, "{", ")", "&", "|", "=")
}

var goFailMethods = set(`Error Errorf Fatal Fatalf Fail FailNow`)

// blockFails reports whether the block at open fails the test, not counting nested blocks.
func (s *source) blockFails(open int) bool {
	for i := open + 1; i < s.End(open); i++ {
		if goFailMethods[s.At(i).Text] && s.Is(i-1, ".") && s.Is(i+1, "(") && goHandles[s.At(i-2).Text] && s.Open[i] == open {
			return true
		}
	}
	return false
}
