package comment

import (
	"slices"
	"strings"
)

// splitSentences cuts a text into sentences, by their offsets. A line break ends one only where
// the next line starts something new; a mark inside a name or a code span ends none.
func splitSentences(text string, names []mention) [][2]int {
	var out [][2]int
	from, k, ticks, scanned := 0, 0, 0, 0
	for _, g := range cue("stops").FindAllStringIndex(text, -1) {
		for k < len(names) && names[k].to <= g[0] {
			k++
		}
		ticks += strings.Count(text[scanned:g[0]], "`")
		scanned = g[0]
		inside := k < len(names) && names[k].from < g[0] && g[0]+1 < names[k].to || ticks%2 == 1
		if inside || hasCue("abbrev", tail(text[from:g[1]], 12)) || text[g[0]] == '\n' && !isSentenceBreak(text, g, names[k:]) {
			continue
		}
		out = append(out, [2]int{from, g[1]})
		from = g[1]
	}
	if strings.TrimSpace(text[from:]) != "" {
		out = append(out, [2]int{from, len(text)})
	}
	return out
}

func tail(s string, n int) string { return s[max(len(s)-n, 0):] }

// isSentenceBreak reports whether a line break ends a sentence: before something new, after a mark,
// before a path unless a word before it asks for one.
func isSentenceBreak(text string, g []int, names []mention) bool {
	rest, last := text[g[1]:min(g[1]+200, len(text))], tail(text[:g[0]], 20)
	if hasCue("starts", rest) || hasCue("ended", last) {
		return true
	}
	at := g[1] + len(rest) - len(strings.TrimLeft(rest, " \t`*(["))
	return slices.ContainsFunc(names[:min(len(names), 2)], func(m mention) bool { return m.from == at }) && !hasCue("hanging", last)
}

// trackedMentions leaves out files that are not tracked.
func trackedMentions(all []mention) []mention {
	return slices.DeleteFunc(slices.Clone(all), func(m mention) bool { return m.path == "" })
}

// mentionsIn returns the mentions in a sentence.
func mentionsIn(all []mention, s [2]int) []mention {
	return slices.DeleteFunc(slices.Clone(all), func(m mention) bool { return m.from < s[0] || m.from >= s[1] })
}

// attachLines returns lines that stand apart to the path they are of: "line 12 of a.go", else the
// last path before them in the sentence, else the first after where none is spoken of.
func attachLines(text string, own []mention, n mention) bool {
	best := -1
	for i, m := range own {
		if m.to <= n.from || m.from >= n.to && hasCue("linked", text[n.to:m.from]) {
			best = i
		}
	}
	if best < 0 && len(own) == 1 {
		best = 0
	} else if best < 0 {
		return false
	}
	if m := &own[best]; len(m.spans) == 0 || m.separate {
		m.spans, m.separate = append(m.spans, n.spans...), true
	}
	return true
}

// maskPaths returns a part of a text with its paths replaced.
func maskPaths(text string, s [2]int, own []mention) string {
	var b strings.Builder
	at := s[0]
	for _, m := range own {
		if m.from >= at {
			b.WriteString(text[at:m.from] + "X")
			at = min(m.to, s[1])
		}
	}
	return b.String() + text[at:s[1]]
}

// cueWords returns a part of a text without its paths and code: the words that are cues.
func cueWords(text string, s [2]int, own []mention) string {
	return cue("spanned").ReplaceAllString(maskPaths(text, s, own), "X")
}

// partStances returns how a sentence of several paths means each of them, where the words around it say so: "leave a.go as it is
// and fix b.go". Words that say nothing are about what the whole sentence is about, whole.
func partStances(text string, s [2]int, own []mention, whole stance) []stance {
	out := slices.Repeat([]stance{whole}, len(own))
	from, first := s[0], 0
	if at := cue("apart").FindAllStringIndex(text[from:max(own[0].from, from)], -1); at != nil && whole == stanceSettles {
		part := [2]int{from + at[len(at)-1][1], own[0].to}
		if sentenceStance(cueWords(text, part, mentionsIn(own, part))) == stanceAsks {
			from = part[0]
		}
	}
	for i := 1; i <= len(own); i++ {
		cut, next := s[1], s[1]
		if i < len(own) {
			at := cue("apart").FindAllStringIndex(text[own[i-1].to:max(own[i].from, own[i-1].to)], -1)
			if at == nil || hasCue("joins", text[own[i-1].to:own[i].from]) {
				continue
			}
			last := at[len(at)-1]
			cut, next = own[i-1].to+last[0], own[i-1].to+last[1]
		}
		part := [2]int{from, cut}
		if how := sentenceStance(cueWords(text, part, mentionsIn(own, part))); from > s[0] || cut < s[1] {
			for k := first; k < i && (how == stanceSettles || how == stancePraises || how == stanceAsks); k++ {
				out[k] = how
			}
		}
		from, first = next, i
	}
	return out
}

// isOnlyPaths recognises a part of a text that is nothing but paths and lines.
func isOnlyPaths(text string, s [2]int, own []mention) bool {
	rest := cue("worded").ReplaceAllString(strings.ReplaceAll(maskPaths(text, s, own), "`X", " "), " ")
	n := len(cue("words").FindAllString(cue("fillers").ReplaceAllString(rest, " "), -1))
	return len(own) > 0 && (n == 0 || n == 1 && hasCue("colonEnd", rest))
}
