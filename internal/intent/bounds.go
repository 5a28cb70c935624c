package intent

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/lazyregexp"
)

// The phrases that limit where the work may be. Each has to begin a clause: a description of what a
// program does ("users don't touch config.yml", "a mode that formats without changing go.mod") is
// no bound. The list of paths follows the match.
const (
	clauseStart  = `(?i)(?:^|[.;:!?,(–—]\s*|\b(?:please|but|and|just|so|also|then|you must|you should|you may|you can)\s+)`
	touchVerbs   = `(?:touch|change|modify|edit|alter)`
	touchGerunds = `(?:touching|changing|modifying|editing|altering)`
	deniedVerb   = `(?:do\s+not|don['’]?t|never|must\s+not|may\s+not|should\s+not|shouldn['’]?t|mustn['’]?t)\s+(?:ever\s+)?`
	otherFiles   = `(?:anything|any\s+(?:other\s+)?(?:files?|code)|other\s+files|files)\s+(?:else\s+)?(?:except|but|` +
		`other\s+than|besides|apart\s+from|outside(?:\s+of)?)(?:\s+for)?\s+`
)

var (
	// The forms, and what has to follow the list of paths.
	boundForms = []struct {
		form            *lazyregexp.Regexp
		only, describes bool // describes: part of a description behind the words of describing
		after           *lazyregexp.Regexp
	}{
		{lazyregexp.New(clauseStart + deniedVerb + touchVerbs + `\s+` + otherFiles), true, false, boundEnd},
		{lazyregexp.New(`(?i)\bwithout\s+` + touchGerunds + `\s+` + otherFiles), true, true, boundEnd},
		{lazyregexp.New(clauseStart + `only\s+(?:` + touchVerbs + `|update|work\s+(?:in|on))\s+`), true, false, boundEnd},
		{lazyregexp.New(clauseStart + `(?:` + touchVerbs + `|work\s+(?:in|on))\s+(?:nothing\s+but|only)\s+`), true, false, boundEnd},
		{
			lazyregexp.New(clauseStart + `(?:limit|restrict|confine|keep)\s+(?:yourself|your\s+changes?|the\s+changes?|` +
				`all\s+changes|changes|your\s+work|the\s+work)\s+to\s+`), true, false, boundEnd,
		},
		{lazyregexp.New(clauseStart + deniedVerb + touchVerbs + `\s+`), false, false, boundEnd},
		{lazyregexp.New(`(?i)\bwithout\s+` + touchGerunds + `\s+`), false, true, boundEnd},
		{lazyregexp.New(clauseStart +
			`(?:hands\s+off|keep\s+(?:your\s+)?hands\s+off|stay\s+(?:out\s+of|away\s+from))\s+(?:of\s+)?`), false, false, boundEnd},
		{lazyregexp.New(clauseStart + `(?:leave|keep)\s+`), false, false, leftAlone},
	}
	leftAlone = lazyregexp.New(`(?i)^\s*(?:alone|untouched|unchanged|unmodified|intact|as[\s-]is|` +
		`(?:exactly\s+)?(?:as|the\s+way|like)\s+(?:it|they)\s+(?:is|was|are|were))\b`)
	onlyThat = lazyregexp.New(clauseStart + `(?:` + touchVerbs + `\s+nothing\s+else|` + deniedVerb + touchVerbs +
		`\s+anything\s+else|nothing\s+else\s+(?:may|must|should|is\s+to)\s+(?:be\s+)?change[ds]?)\s*(?:$|[.;:!?,)])`)
	hedgeAfter = lazyregexp.New(`(?i)^\s*,?\s*(?:unless|if|when|whenever|until|till|yet|except|too|more|much|by\s+hand|` +
		`manually|directly|other\s+than|apart|beyond|for\s+(?:any|no)\s+reason\s+other|regenerate|run\b.{1,60}\binstead)\b`)
	boundEnd = lazyregexp.New(`(?i)^\s*(?:$|[.;:!?,)–—]|` +
		`(?:and|but|or|so|while|because|since|as\s+well|at\s+all|either|please|whatsoever|though|for\s+now|in\s+this|` +
		`in\s+any\s+way|here|this\s+time|today)\b)`)
	boundThing = lazyregexp.New(
		"(?i)^\\s*(?:any\\s+of\\s+|all\\s+(?:of\\s+)?)?" +
			"(?:(?:the|our|my|your|these|any|all|existing|current)\\s+)*(?:(?:files?|folders?|director(?:y|ies)|dir)\\s+)?" +
			"(?:(?:in|under|below|within|inside)\\s+)?(?:the\\s+)?`?([^\\s`,;()\"“”]+)`?(?:\\s+(?:files?|folders?|director(?:y|ies)|dir))?")
	boundConjunction = lazyregexp.New(`(?i)^\s*(?:,\s*(?:and|or|nor)?|and|or|nor|&)\s+`)
	boundPath        = lazyregexp.New(`^\.?[\w@+\-./*\[\]{}]*[\w*}/\]]$`)
	knownAreas       = lazyregexp.Of("tests test readme docs documentation")
	stopWords        = lazyregexp.Of(`and or but it this that them anything everything else the any not e.g i.e`)
)

// Bounds returns the files and folders that a request names as the only ones to change, or as not
// to be changed, each with its sentence. A hedged sentence ("unless you have to"), or one about a
// part of a file, is no bound.
func Bounds(text string) []belay.Bound {
	var out []belay.Bound
	for _, b := range Blocks(text) {
		if b.Kind != Para && b.Kind != Item {
			continue // pasted, quoted, or a heading
		}
		for _, s := range splitSentences(b.Text) {
			out = append(out, sentenceBounds(s)...)
		}
	}
	return out
}

// splitSentences cuts a block at the ends of sentences and lines. A dot within a name does not end
// one.
func splitSentences(text string) []string {
	var out []string
	for line := range strings.Lines(text) {
		for _, s := range sentenceEnd.Split(strings.TrimSpace(line), -1) {
			if s = strings.TrimSpace(s); s != "" {
				out = append(out, s)
			}
		}
	}
	return out
}

var sentenceEnd = lazyregexp.New(`[.!?;]\s+`)

// sentenceBounds returns the bounds of a sentence, by their forms.
func sentenceBounds(s string) []belay.Bound {
	var out []belay.Bound
	add := func(only bool, what ...string) {
		for _, w := range what {
			out = append(out, belay.Bound{Only: only, What: w, Words: strings.TrimRight(s, ".!;")})
		}
	}
	if onlyThat.MatchString(s) {
		add(true, "")
	}
	if doubtfulBound.MatchString(s) {
		return out
	}
	described := describing.FindStringIndex(s)
	for _, f := range boundForms {
		for _, at := range f.form.FindAllStringIndex(s, -1) {
			if f.describes && described != nil && described[1] <= at[0] {
				continue
			}
			if what, rest := readPaths(s[at[1]:]); f.after.MatchString(rest) && !hedgeAfter.MatchString(rest) {
				add(f.only, what...)
			}
		}
	}
	return out
}

var (
	doubtfulBound = lazyregexp.New(`(?i)\b(?:unless|if\s+(?:possible|you\s+can|needed|necessary)|where\s+possible|` +
		`ideally|try\s+(?:not\s+)?to|as\s+far\s+as|as\s+little)\b`)
	describing = lazyregexp.New(`(?i)\b(?:that|which|who|mode|flag|option|command|--\w+)\b`)
)

// readPaths reads a list of files and folders, and returns what follows it.
func readPaths(s string) (what []string, rest string) {
	for {
		m := boundThing.FindStringSubmatchIndex(s)
		if m == nil {
			return what, s
		}
		w := strings.TrimRight(s[m[2]:m[3]], ".!?:")
		end := m[1]
		if m[3] == end {
			end = m[2] + len(w)
		}
		if !canNamePath(w) {
			return what, s
		}
		if !slices.Contains(what, w) {
			what = append(what, w)
		}
		s = s[end:]
		j := boundConjunction.FindStringIndex(s)
		if j == nil {
			return what, s
		}
		if next := boundThing.FindStringSubmatch(s[j[1]:]); next == nil || !canNamePath(strings.TrimRight(next[1], ".!?:")) {
			return what, s
		}
		s = s[j[1]:]
	}
}

// canNamePath reports whether a word by itself can name a file or a folder.
func canNamePath(w string) bool {
	low := strings.ToLower(w)
	switch {
	case knownAreas.Has(low):
		return true
	case stopWords.Has(low) || !boundPath.MatchString(w):
		return false
	}
	return strings.ContainsAny(w, "./*") && strings.Trim(w, "./*") != ""
}
