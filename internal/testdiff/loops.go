package testdiff

import (
	"github.com/belay-dev/belay/internal/syntax"
)

// findLoops adds a table for each loop over a literal list.
func (s *source) findLoops() {
	for i, t := range s.Tokens {
		if t.Kind != syntax.Word || s.Depth[i] > maxDepth {
			continue
		}
		var loop table
		switch {
		case t.Is("foreach") && s.Lang == syntax.PHP:
			loop = s.readPHPLoop(i)
		case (t.Is("for") || t.Is("foreach")) && s.Lang != syntax.Ruby && s.Lang != syntax.PHP:
			loop = s.readForLoop(i)
		case s.Is(i-1, ".") && (s.Lang == syntax.Ruby && t.IsOneOf("each", "each_with_index", "each_pair") ||
			isScript(s.Lang) && t.Is("forEach")):
			loop = s.readEachLoop(i)
		}
		if loop.to > loop.from {
			s.tables = append(s.tables, loop)
		}
	}
}

// loopListWord is the word before a loop's list.
var loopListWord = map[syntax.Language]string{syntax.Go: "range", syntax.Python: "in", syntax.JavaScript: "of",
	syntax.TypeScript: "of", syntax.Rust: "in", syntax.CSharp: "in", syntax.Java: ":"}

// readForLoop reads the loop at i; the table is empty if it has no list.
func (s *source) readForLoop(i int) (loop table) {
	k, end := i+1, min(i+24, len(s.Tokens))
	if s.Is(k, "await") {
		k++
	}
	paren := -1
	if s.Is(k, "(") && s.Lang != syntax.Go && s.Lang != syntax.Rust && s.Lang != syntax.Python {
		paren, end = k, min(end, s.End(k))
		k++
	}
	for k < end && !s.Is(k, loopListWord[s.Lang]) && !s.Is(k, "{") {
		k++
	}
	if k >= end || !s.Is(k, loopListWord[s.Lang]) {
		return loop
	}
	list := k + 1
	switch {
	case s.Lang == syntax.Python:
		if k = s.nextMark(list, ":"); k < len(s.Tokens) {
			loop.from, loop.to = k+1, s.blockEnd(k+1, i)
		}
	case paren >= 0:
		if k = s.End(paren); s.Is(k+1, "{") {
			loop.from, loop.to = k+2, s.End(k+1)
		}
	default:
		if k = s.nextMark(s.skipGoType(list), "{"); k < len(s.Tokens) {
			loop.from, loop.to = k+1, s.End(k)
		}
	}
	if loop.to > loop.from {
		loop.rows, loop.values = s.countList(list, k, true)
	}
	return loop
}

// readPHPLoop reads foreach (list as …) { … }.
func (s *source) readPHPLoop(i int) (loop table) {
	as := s.nextMark(i+2, "as")
	if end := s.End(i + 1); s.Is(i+1, "(") && as < end && s.Is(end+1, "{") {
		loop.from, loop.to = end+2, s.End(end+1)
		loop.rows, loop.values = s.countList(i+2, as, true)
	}
	return loop
}

// maxHeadTokens bounds how many tokens of a loop's head are read, not counting those in brackets.
const maxHeadTokens = 100

// nextMark returns the next such mark from token k, outside of brackets that begin at or behind k,
// or len(s.Tokens).
func (s *source) nextMark(k int, mark string) int {
	for most := k + maxHeadTokens; k < len(s.Tokens) && k < most && !s.Is(k, mark) && !s.Is(k, ";"); k++ {
		if s.Is(k, "(") || s.Is(k, "[") || s.Is(k, "{") {
			most += s.End(k) - k
			k = s.End(k)
		}
	}
	if !s.Is(k, mark) {
		return len(s.Tokens)
	}
	return k
}

// skipGoType skips a []T{…} at k, if there is one.
func (s *source) skipGoType(k int) int {
	if s.Lang != syntax.Go || !s.Is(k, "[") && !s.Is(k, "map") {
		return k
	}
	for s.Is(k, "[") || s.Is(k, "map") || s.Is(k, "*") {
		if s.Is(k, "[") {
			k = s.End(k)
		}
		k++
	}
	if k++; s.Is(k-1, "struct", "{") {
		k = s.End(k) + 1
	}
	for s.Is(k, ".") {
		k += 2
	}
	if s.Is(k, "{") {
		k = s.End(k) + 1
	}
	return k
}

// blockEnd returns the first line from k that is not indented further than token i.
func (s *source) blockEnd(k, i int) int {
	for k < len(s.Tokens) && !(s.Tokens[k].First && s.Tokens[k].Col <= s.At(i).Col && s.isOutsideBrackets(k)) {
		k++
	}
	return k
}

// readEachLoop reads list.forEach(x => { … }) and list.each do |x| … end.
func (s *source) readEachLoop(i int) (loop table) {
	start := i - 2 // of the list
	for ; start >= 0; start -= 2 {
		if s.Is(start, ")") || s.Is(start, "]") || s.Is(start, "}") {
			if start = s.openingBracket(start); s.At(start-1).Kind == syntax.Word && !s.At(start).First {
				start--
			}
		}
		if !s.Is(start-1, ".") {
			break
		}
	}
	if start < 0 {
		return loop
	}
	loop.rows, loop.values = s.countList(start, i, true)
	if s.Lang == syntax.Ruby {
		line := i
		for line > 0 && !s.Tokens[line].First {
			line--
		}
		if line < start {
			start = line
		}
		body, end, ok := s.rubyBody(start, i)
		if ok && end > body {
			loop.from, loop.to = body, end
		}
		return loop
	}
	if s.Is(i+1, "(") {
		loop.from, loop.to = i+2, s.End(i+1)
	}
	return loop
}

func isScript(l syntax.Language) bool { return l == syntax.JavaScript || l == syntax.TypeScript }
