package comment

import (
	"slices"
	"strings"
)

// splitSentences returns the offsets of the sentences in a text. A line break ends one only if the
// next line starts something new; punctuation in a name or a code span ends none.
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

// isSentenceBreak reports whether a line break ends a sentence: before something new, after
// punctuation, and before a path unless the line ends with a word that needs one.
func isSentenceBreak(text string, g []int, names []mention) bool {
	rest, last := text[g[1]:min(g[1]+200, len(text))], tail(text[:g[0]], 20)
	if hasCue("starts", rest) || hasCue("ended", last) {
		return true
	}
	at := g[1] + len(rest) - len(strings.TrimLeft(rest, " \t`*(["))
	return slices.ContainsFunc(names[:min(len(names), 2)], func(m mention) bool { return m.from == at }) && !hasCue("hanging", last)
}

// trackedMentions returns the mentions of tracked files.
func trackedMentions(all []mention) []mention {
	return slices.DeleteFunc(slices.Clone(all), func(m mention) bool { return m.path == "" })
}

// mentionsIn returns the mentions in a sentence.
func mentionsIn(all []mention, s [2]int) []mention {
	return slices.DeleteFunc(slices.Clone(all), func(m mention) bool { return m.from < s[0] || m.from >= s[1] })
}

// attachLines adds lines to the path that they belong to: "line 12 of a.go", or else the last path
// before them in the sentence, or else its only path. It returns false if there is none.
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

// maskPaths returns a part of a text with its paths replaced by X.
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

// cueWords returns a part of a text with its paths and code replaced by X, to match cues.
func cueWords(text string, s [2]int, own []mention) string {
	return cue("spanned").ReplaceAllString(maskPaths(text, s, own), "X")
}

// partStances returns the stance for each path of a sentence: "leave a.go as it is and fix b.go"
// has two. Parts without a clear stance have that of the entire sentence, whole.
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

// isOnlyPaths reports whether a part of a text contains only paths and lines.
func isOnlyPaths(text string, s [2]int, own []mention) bool {
	rest := cue("worded").ReplaceAllString(strings.ReplaceAll(maskPaths(text, s, own), "`X", " "), " ")
	n := len(cue("words").FindAllString(cue("fillers").ReplaceAllString(rest, " "), -1))
	return len(own) > 0 && (n == 0 || n == 1 && hasCue("colonEnd", rest))
}
