package comment

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

var (
	stops  = lazyregexp.New("[.!?;。！？；](?:[\"'”’)*`_\\]]*)(?:\\s+|$)|[。！？；]|\\n+")
	abbrev = lazyregexp.New(`(?i)(?:^|[\s(])(?:e\.g|i\.e|cf|vs|approx|etc|ca|l|ll|no|z\.b|bzw|resp)\.\s*$`)
	starts = lazyregexp.New(`(?i)^\s*(?:[*_]{2}|[-•■◆●▪→*+]\s|\d+[.)]\s|L\d+|lines?\s+\d|[PS]\d\b|\p{So}|【|\(?[a-z][.)]\s|\[|[\pL][\w ]{0,24}[:：]\s|must\b|may\b)`)
	ended  = lazyregexp.New(`[.:;!?。：*_|]\s*$`)
)

// sentences cuts a text into sentences, by their offsets. A line break ends one only where
// the next line starts something new; a mark inside of a name or a code span ends none.
func sentences(text string, names []mention) [][2]int {
	var out [][2]int
	from, k := 0, 0
	code := 0
	scanned := 0
	for _, g := range stops.FindAllStringIndex(text, -1) {
		for k < len(names) && names[k].to <= g[0] {
			k++
		}
		code += strings.Count(text[scanned:g[0]], "`")
		scanned = g[0]
		if k < len(names) && names[k].from < g[0] && g[0]+1 < names[k].to || code%2 == 1 || abbrev.MatchString(tail(text[from:g[1]], 12)) {
			continue
		}
		if text[g[0]] == '\n' && !breaks(text, g, names) {
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

// tracked leaves out files that are not tracked.
func tracked(all []mention) []mention {
	return slices.DeleteFunc(all, func(m mention) bool { return m.path == "" })
}

func tail(s string, n int) string { return s[max(len(s)-n, 0):] }

// breaks tells whether a line break ends a sentence.
func breaks(text string, g []int, names []mention) bool {
	rest := text[g[1]:]
	if len(rest) > 200 {
		rest = rest[:200]
	}
	if starts.MatchString(rest) || ended.MatchString(tail(text[:g[0]], 8)) {
		return true
	}
	line, _, _ := strings.Cut(rest, "\n")
	skip := len(line) - len(strings.TrimLeft(line, " \t`*(["))
	for _, m := range names { // a line that starts with a path, after one that ends with none
		if m.from == g[1]+skip {
			return !strings.HasSuffix(strings.TrimSpace(tail(text[:g[0]], 20)), ",") && !hanging.MatchString(tail(text[:g[0]], 20))
		}
	}
	return false
}

var hanging = lazyregexp.New(`(?i)\b(?:in|of|at|and|or|the|to|from|see|by|with|for|on|than|as|like|both|a|an|file|that|is|into|against|per)\s*$`)

// attach gives lines that stand apart to the path they are of: "line 12 of a.go", else the
// last path before them in the sentence, else the first after where none is spoken of.
func attach(text string, own []mention, n lineRef, led bool) bool {
	best := -1
	for i, m := range own {
		if m.from >= n.to && linked.MatchString(text[n.to:m.from]) {
			best = i
			break
		}
		if m.to <= n.from {
			best = i
		}
	}
	if best < 0 && len(own) == 1 && !led {
		best = 0
	}
	if best < 0 {
		return false
	}
	if m := &own[best]; len(m.spans) == 0 || text[m.to:max(m.to, n.from)] != "" && m.apart {
		m.spans, m.apart = append(m.spans, n.spans...), true
	}
	return true
}

// masked is a sentence with its paths replaced.
func masked(text string, from, to int, own []mention) string {
	var b strings.Builder
	at := from
	for _, m := range own {
		if m.from < at {
			continue
		}
		b.WriteString(text[at:m.from])
		b.WriteString("X")
		at = min(m.to, to)
	}
	b.WriteString(text[at:to])
	return b.String()
}

// spoken is a sentence without its paths and code: the words that are cues.
func spoken(text string, from, to int, own []mention) string {
	return spanned.ReplaceAllString(masked(text, from, to, own), "X")
}

var spanned = lazyregexp.New("`[^`\n]*`")

var clauses = lazyregexp.New(`[,;—–]\s|\s(?:and|but|while|whereas|und|aber|y|et|mais)\s`)

var among = lazyregexp.New(`(?i)^\W*(?:in particular|especially|including|namely|e\.g\.|mainly)\b`)

// part is how the part of a sentence that speaks of one of its paths means it. how is what
// the sentence as a whole says.
func part(text string, from, to int, own []mention, i int, how mark) mark {
	start, end := from, to
	if i > 0 {
		start = own[i-1].to
	}
	if at := clauses.FindAllStringIndex(text[start:own[i].from], -1); at != nil {
		start += at[len(at)-1][1]
	} else if i > 0 {
		return how
	}
	if i+1 < len(own) {
		at := clauses.FindAllStringIndex(text[own[i].to:own[i+1].from], -1)
		if at == nil {
			return how
		}
		end = own[i].to + at[len(at)-1][0]
	}
	said := spoken(text, start, end, own[i:i+1])
	if len(words.FindAllString(said, -1)) < 2 || among.MatchString(said) {
		return how
	}
	got := meant(said)
	if got == plain && how == asks {
		return asks
	}
	return got
}

var words = lazyregexp.New(`[\pL]{2,}`)

// bare tells a sentence that is nothing but paths and lines.
func bare(text string, from, to int, own []mention) bool {
	rest := masked(text, from, to, own)
	rest = strings.ReplaceAll(rest, "`X", " ")
	rest = worded.ReplaceAllString(rest, " ")
	n := 0
	for _, w := range words.FindAllString(rest, -1) {
		switch strings.ToLower(w) {
		case "and", "in", "file", "files", "the", "function", "method", "line", "lines", "around", "und", "func", "at", "class":
		default:
			n++
		}
	}
	return n == 0 || n <= 1 && strings.HasSuffix(strings.TrimRight(rest, " *_\n"), ":")
}
