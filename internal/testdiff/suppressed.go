package testdiff

import (
	"github.com/belay-dev/belay/internal/syntax"
)

// Suppression is what keeps an assertion from failing its test.
type Suppression struct {
	Unreachable Mark // a condition around it that is never true
	Swallowed   Mark // a handler that catches and ignores its failure
}

// findSuppression returns what keeps the assertion at i from failing its test. A mark without text
// means nothing.
func (s *source) findSuppression(i int) Suppression {
	var d Suppression
	if text := s.impossibleOwnCondition(i); text != "" {
		d.Unreachable = Mark{Line: s.At(i).Line, Text: text}
	}
	around := s.enclosingBlocks(i)
	for n, head := range around {
		if text := s.impossibleCondition(head); text != "" && d.Unreachable.Text == "" {
			d.Unreachable = Mark{Line: s.At(i).Line, Text: text}
		}
		if m := s.findSwallow(head); m.Text != "" && d.Swallowed.Text == "" {
			for _, outer := range around[n+1:] {
				m.Unsure = m.Unsure || s.isLoop(outer) // repeated until it passes
			}
			m.Line = s.At(i).Line
			d.Swallowed = m
		}
	}
	if s.Lang == syntax.Ruby && d.Swallowed.Text == "" && s.trailingWord(i, "rescue") >= 0 {
		d.Swallowed = Mark{Line: s.At(i).Line, Text: "rescue", Unsure: true}
	}
	return d
}

// usesIndentation reports whether blocks of the language are determined by indentation.
func (s *source) usesIndentation() bool { return s.Lang == syntax.Python || s.Lang == syntax.Ruby }

// enclosingBlocks returns the blocks around token i, the innermost first: their opening braces or,
// in languages by indentation, the first tokens of their heads.
func (s *source) enclosingBlocks(i int) []int {
	var list []int
	if !s.usesIndentation() {
		for o := s.Open[i]; o >= 0 && len(list) < maxDepth; o = s.Open[o] {
			if s.Tokens[o].Is("{") {
				list = append(list, o)
			}
		}
		return list
	}
	if s.lines == nil {
		s.readLines()
	}
	line := s.lines[i]
	if k := s.headColon(line); s.Lang == syntax.Python && k >= 0 && k < i {
		list = append(list, line) // if x: assert y
	}
	for line = s.heads[line]; line >= 0 && len(list) < maxDepth; line = s.heads[line] {
		list = append(list, line)
	}
	return list
}

// readLines sets for each token the first one of its statement's line, and for that the line it is
// indented below.
func (s *source) readLines() {
	s.lines, s.heads = make([]int, len(s.Tokens)), make([]int, len(s.Tokens))
	var open []int
	line := 0
	for i, t := range s.Tokens {
		if i == 0 || t.First && s.isStatementStart(i) {
			for len(open) > 0 && s.Tokens[open[len(open)-1]].Col >= t.Col {
				open = open[:len(open)-1]
			}
			line, s.heads[i] = i, -1
			if n := len(open); n > 0 {
				s.heads[i] = open[n-1]
			}
			open = append(open, i)
		}
		s.lines[i] = line
	}
}

// isStatementStart reports whether token i, the first of its line, begins a statement.
func (s *source) isStatementStart(i int) bool {
	o := s.Open[i]
	return o < 0 || s.Close[o] < 0 || s.Lang == syntax.Ruby && s.Tokens[o].Is("{")
}

// headColon returns the colon that ends the head of a Python block, -1 for another line.
func (s *source) headColon(line int) int {
	switch s.At(line).Text {
	case "if", "elif", "else", "while", "for", "with", "try", "except", "finally", "async":
	default:
		return -1
	}
	for k := line; k < len(s.Tokens) && s.lines[k] == line; k++ {
		if s.Is(k, ":") && s.Open[k] == s.Open[line] {
			return k
		}
	}
	return -1
}

// impossibleCondition returns the condition of a block if it is never true.
func (s *source) impossibleCondition(head int) string {
	text, known := s.unreachable[head]
	if !known {
		if s.unreachable == nil {
			s.unreachable = map[int]string{}
		}
		text = s.impossibleHead(head)
		s.unreachable[head] = text
	}
	return text
}

func (s *source) impossibleHead(head int) string {
	from, to := s.conditionRange(head)
	if from < 0 || from+1 >= to {
		return ""
	}
	condition := s.Tokens[from+1 : to]
	for k := len(condition) - 1; k >= 0; k-- { // if x := f(); x != 1 {
		if s.Lang == syntax.Go && condition[k].Is(";") && s.Open[from+1+k] == s.Open[head] {
			condition = condition[k+1:]
			break
		}
	}
	if s.At(from).Is("unless") && isAlwaysTrue(condition) || !s.At(from).Is("unless") && isNeverTrue(condition, 0) {
		return JoinTokens(s.Tokens[from:to])
	}
	return ""
}

// conditionRange returns the keyword and the end of a block's condition, -1 for a block without
// one.
func (s *source) conditionRange(head int) (from, to int) {
	is := func(k int) bool {
		return s.IsOneOf(k, "if", "while", "elif", "unless", "elsif", "elseif")
	}
	switch s.Lang {
	case syntax.Python:
		if is(head) {
			return head, s.headColon(head)
		}
	case syntax.Ruby:
		to = head
		for to < len(s.Tokens) && s.At(to).Line == s.At(head).Line && !s.Is(to, "then") {
			to++
		}
		if is(head) {
			return head, to
		}
	case syntax.Go, syntax.Rust:
		return s.goConditionRange(head)
	default:
		if open := s.openingBracket(head - 1); s.Is(head-1, ")") && open > 0 && is(open-1) {
			return open - 1, head
		}
	}
	return -1, -1
}

// goConditionRange looks back from a brace for its if, across lines that continue.
func (s *source) goConditionRange(head int) (from, to int) {
	for k := head - 1; k >= 0 && head-k < 400; k-- {
		if s.Open[k] != s.Open[head] {
			if k = s.Open[k]; k < 0 || s.Open[k] != s.Open[head] {
				return -1, -1
			}
		}
		t := s.Tokens[k]
		if t.Is("if") || t.Is("while") || t.Is("for") && s.Lang == syntax.Go && k == head-2 {
			return k, head
		}
		goesOn := t.Kind == syntax.Mark || s.At(k-1).Kind == syntax.Mark && !s.Is(k-1, ")") && !s.Is(k-1, "]")
		if t.Is("{") || t.Is("}") || t.First && !goesOn {
			return -1, -1
		}
	}
	return -1, -1
}

// openingBracket returns the bracket that the one at i closes, -1 for none.
func (s *source) openingBracket(i int) int {
	switch {
	case i < 1:
		return -1
	case s.Close[i-1] == i:
		return i - 1
	case s.Open[i-1] == s.Open[i]:
		return -1
	}
	return s.Open[i-1]
}

// impossibleOwnCondition returns the condition of a single statement, the assertion at i, if it is
// never true: if (false) expect(x); false && expect(x); expect(x) if false.
func (s *source) impossibleOwnCondition(i int) string {
	if s.Lang == syntax.Ruby {
		if k := s.trailingWord(i, "if"); k >= 0 && isNeverTrue(s.tokensToLineEnd(k+1), 0) {
			return JoinTokens(s.Tokens[k : k+1+len(s.tokensToLineEnd(k+1))])
		}
		if k := s.trailingWord(i, "unless"); k >= 0 && isAlwaysTrue(s.tokensToLineEnd(k+1)) {
			return JoinTokens(s.Tokens[k : k+1+len(s.tokensToLineEnd(k+1))])
		}
	}
	if s.usesIndentation() || s.Lang == syntax.Go || s.Lang == syntax.Rust {
		return ""
	}
	k := i
	for s.isMemberAccess(k-1) && s.At(k-2).Kind == syntax.Word {
		k -= 2
	}
	for s.Is(k-1, "await") || s.Is(k-1, "return") {
		k--
	}
	if open := s.openingBracket(k - 1); s.Is(k-1, ")") && open > 0 && (s.Is(open-1, "if") || s.Is(open-1, "while")) &&
		isNeverTrue(s.Tokens[open:k], 0) {
		return JoinTokens(s.Tokens[open-1 : k])
	}
	if s.Is(k-3, "false", "&", "&") && (s.At(k-3).First || s.IsOneOf(k-4, ";", "{", ">") || k == 3) {
		return "false &&"
	}
	return ""
}

// trailingWord returns the position of a word of Ruby behind the statement with token i, on the
// same line, -1 without one.
func (s *source) trailingWord(i int, word string) int {
	depth := s.Open[i]
	for k := i + 1; k < len(s.Tokens) && s.At(k).Line <= s.At(i).Line; k++ {
		if s.Open[k] == depth && (s.Is(k, ";") || s.Is(k, "do")) {
			return -1
		}
		if s.Is(k, word) && s.Open[k] == depth && !s.Is(k-1, ".") && !s.Is(k-1, ":") && !s.At(k).First {
			return k
		}
	}
	return -1
}

func (s *source) tokensToLineEnd(from int) []syntax.Token {
	to := from
	for to < len(s.Tokens) && !s.At(to).First && s.Open[to] == s.Open[from] && !s.Is(to, ";") && !s.Is(to, "}") {
		to++
	}
	return s.Tokens[min(from, to):to]
}

// isNeverTrue reports whether a condition is always false: each alternative has a part that is a
// false literal.
func isNeverTrue(tokens []syntax.Token, depth int) bool {
	tokens = unwrapBrackets(tokens)
	if len(tokens) == 0 || depth > 8 {
		return false
	}
	for _, alternative := range splitCondition(tokens, "|", "or") {
		fails := false
		for _, one := range splitCondition(alternative, "&", "and") {
			fails = fails || isFalseLiteral(one)
			if inner, ok := unwrapOnce(one); ok && !fails {
				fails = isNeverTrue(inner, depth+1)
			}
		}
		if !fails {
			return false
		}
	}
	return true
}

// isFalseLiteral reports whether an expression is a literal that is false.
func isFalseLiteral(tokens []syntax.Token) bool {
	tokens = unwrapBrackets(tokens)
	switch len(tokens) {
	case 1:
		t := tokens[0]
		return t.IsOneOf("false", "False", "nil", "None", "null") || t.Kind == syntax.Number && t.Text == "0"
	case 2:
		return (tokens[0].Is("!") || tokens[0].Is("not")) && (tokens[1].Is("true") || tokens[1].Is("True"))
	}
	return false
}

// splitCondition splits a condition at a doubled sign, or a word, outside of brackets.
func splitCondition(tokens []syntax.Token, sign, word string) [][]syntax.Token {
	var out [][]syntax.Token
	depth, from := 0, 0
	for i := 0; i < len(tokens); i++ {
		switch t := tokens[i]; {
		case t.Is("(") || t.Is("[") || t.Is("{"):
			depth++
		case t.Is(")") || t.Is("]") || t.Is("}"):
			depth--
		case depth == 0 && t.Is(word):
			out, from = append(out, tokens[from:i]), i+1
		case depth == 0 && t.Is(sign) && i+1 < len(tokens) && tokens[i+1].Is(sign):
			out, from = append(out, tokens[from:i]), i+2
			i++
		}
	}
	return append(out, tokens[min(from, len(tokens)):])
}
