package comment

import (
	"path"
	"strconv"
	"strings"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

// lines is a range from start to end; end is 0 for all that follows.
type lines struct{ start, end int }

// mention is a tracked path that stands in a text, with the lines beside it.
type mention struct {
	path     string // "" for a file that is not tracked
	from, to int    // in the text, with the lines
	spans    []lines
	apart    bool // the lines stand apart from the path
	command  bool // an argument of a command
	test     bool // the name of a test in it
}

// lineRef is a number of lines that stands apart from any path.
type lineRef struct {
	from, to int
	spans    []lines
}

const (
	dash  = `\s*(?:-|–|—|〜|~|\.\.\.?|…|to|through|until|bis|a|à|至)\s*`
	count = `#?[~≈]?(\d+)(?::\d+)?(?:` + dash + `[Ll]?(\d+)(?::\d+)?)?`
	more  = `((?:\s*(?:,|and|&|und|y|et|/)\s*(?:and\s+)?[Ll~≈]?\d+(?:\s*[-–—]\s*[Ll]?\d+)?)*)`
	named = `(?:lines?|ll?\.?|regels?|rows?|z\.|zeilen?|líneas?|lignes?|linhas?|rig(?:a|he)|строк[аи]|Ln)`
)

var (
	direct  = lazyregexp.New(`^:(?:line )?[Ll]?(\d+)(?::\d+)?(?:\s?[-–—]\s?[Ll]?(\d+)(?::\d+)?)?((?:,\s?[Ll]?\d+(?:\s?[-–—]\s?[Ll]?\d+)?)*)`)
	anchor2 = lazyregexp.New(`^#(?:lines-|[Lln])?(\d+)(?:C\d+)?(?:[-:][Ll]?(\d+)(?:C\d+)?)?()`)
	braced  = lazyregexp.New(`^:?\s?[(\[](?:around |near |about |~)?[Ll]?(\d+)(?:,\s*\d+)?(?:\)?\s?[-–—]\s?\(?[Ll]?(\d+)(?:,\s*\d+)?)?()[)\]]`)
	worded  = lazyregexp.New(`(?i)(?:^|[^\pL\pN_])` + named + `\s*:?\s*` + count + more + `|(?:^|[^\pL\pN_/.-])L` + count + more + `|(\d+)(?:` + dash + `(\d+))?\s*行目?`)
	naked   = lazyregexp.New(`^\s+(\d+)\s?[-–—]\s?(\d+)()\s*[:,]`)
	onward  = lazyregexp.New(`(?i)^\+|^以降|^起|^\s*(?:on(?:wards?)?\b|and (?:below|on|following|after)|ff\b|ab\b)`)
	since   = lazyregexp.New(`(?i)(?:^|\s)(?:ab|à partir de(?: la)?|desde(?: la)?|a partir d[ae]|从)\s*$`)
	listed  = lazyregexp.New(`(\d+)(?:\s*[-–—]\s*[Ll]?(\d+))?`)
	linked  = lazyregexp.New(`(?i)^["'` + "`" + `)*\]]*\s*(?:of|in|from|at|von|in der datei|de|del|du|en|dans|em|の)\s+(?:the |file |` + "`" + `)*["'` + "`" + `(\[*\s]*$`)
)

const mostLines = 10_000_000

// spansOf makes ranges from what an expression matched: a start, an end, a list of more.
func spansOf(start, end, rest string) []lines {
	var out []lines
	add := func(a, b string) {
		from, err := strconv.Atoi(a)
		if err != nil || from < 1 || from > mostLines {
			return
		}
		to, err := strconv.Atoi(b)
		if err != nil || to < from || to > mostLines {
			to = from
		}
		if len(out) < 50 {
			out = append(out, lines{from, to})
		}
	}
	add(start, end)
	for _, m := range listed.FindAllStringSubmatch(rest, -1) {
		add(m[1], m[2])
	}
	return out
}

// scan finds the tracked paths in a text, in order, each with the lines right behind it.
func (n *names) scan(text string, below []string) []mention {
	var out []mention
	end := 0
	for _, t := range tokens(text) {
		if t.at < end { // inside of what was found
			continue
		}
		before := len(out)
		for _, stop := range ends(t.text) {
			spelled := t.text[:stop]
			p := n.resolve(spelled, t.quoted, below)
			if p == "" {
				continue
			}
			m := mention{path: p, from: t.at, to: t.at + stop, command: t.command, test: strings.HasPrefix(text[t.at+stop:], "::")}
			m.behind(text)
			out = append(out, m)
			end = m.to
			break
		}
		if len(out) == before && n.foreign(t.text) {
			m := mention{from: t.at, to: t.at + len(t.text)}
			out = append(out, m)
			end = m.to
		}
	}
	return out
}

// foreign tells the name of a file that is not tracked: lines beside it are not of others.
func (n *names) foreign(s string) bool {
	s, _, _ = strings.Cut(s, ":")
	return n.index.exts[path.Ext(s)] && !strings.ContainsAny(s, " ()*") && len(path.Ext(s)) < len(s)
}

// behind reads the lines that stand right behind a path.
func (m *mention) behind(text string) {
	rest := text[m.to:]
	skip := 0
	for skip < len(rest) && (rest[skip] == '`' || rest[skip] == '*') {
		skip++
	}
	for _, re := range []*lazyregexp.Regexp{direct, anchor2, braced, naked} {
		for _, from := range []int{0, skip} {
			g := re.FindStringSubmatchIndex(rest[from:])
			if g == nil {
				continue
			}
			part := func(i int) string {
				if g[2*i] < 0 {
					return ""
				}
				return rest[from+g[2*i] : from+g[2*i+1]]
			}
			if m.spans = spansOf(part(1), part(2), part(3)); len(m.spans) > 0 {
				m.to += from + g[1]
				return
			}
		}
	}
}

// refs finds the numbers of lines in a text that stand outside of the mentions.
func refs(text string, mentions []mention) []lineRef {
	var out []lineRef
	for _, g := range worded.FindAllStringSubmatchIndex(text, -1) {
		inside := false
		for _, m := range mentions {
			inside = inside || g[1] > m.from && g[0] < m.to && g[1]-1 < m.to
		}
		if inside {
			continue
		}
		part := func(i int) string {
			if i >= len(g)/2 || g[2*i] < 0 {
				return ""
			}
			return text[g[2*i]:g[2*i+1]]
		}
		at := g[0]
		for _, i := range []int{2, 8, 14} { // where the number is: what stands before may be of the sentence before
			at = max(at, g[i])
		}
		r := lineRef{at, g[1], spansOf(part(1)+part(4)+part(7), part(2)+part(5)+part(8), part(3)+part(6))}
		if len(r.spans) == 0 {
			continue
		}
		if last := &r.spans[len(r.spans)-1]; last.start == last.end && (onward.MatchString(text[g[1]:]) || since.MatchString(tail(text[:g[0]+1], 24))) {
			last.end = 0
		}
		out = append(out, r)
	}
	return out
}
