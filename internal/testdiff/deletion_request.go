package testdiff

import (
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/count"
	"github.com/belay-dev/belay/internal/lazyregexp"
	"github.com/belay-dev/belay/internal/syntax"
)

// DeletionRequest is what a request wants deleted or rewritten; tests of that may be deleted too.
type DeletionRequest struct {
	targets []deletionTarget
	revert  bool // it reverts earlier work, including tests that came with it
	fixes   bool // it asks for a fix, so that a failing test would be in the way
}

// deletionTarget is the object of a verb in a request.
type deletionTarget struct {
	text     string   // its words, unchanged
	words    []string // stems of content words, without words for tests
	tests    bool     // it mentions tests
	replaced bool     // tests are to be merged, moved or rewritten, so that others replace them
	limit    int      // how many tests may be deleted; 0 is any number
	used     int
}

// permission is how clearly a request allows a test to be deleted.
type permission int

const (
	notAsked   permission = iota
	maybeAsked            // what it wants deleted or rewritten may be the test's subject
	asked                 // it asks to delete this test
)

var (
	deletionVerbs = lazyregexp.New(`(?i)\b(?:remov(?:e[sd]?|ing)|delet(?:e[sd]?|ing)|drop(?:s|ped|ping)?|rm|get(?:ting)? rid of|` +
		`strip|prun(?:e[sd]?|ing)|retir(?:e[sd]?|ing)|revert(?:s|ed|ing)?|undo|replac(?:e[sd]?|ing)|instead of|rather than)\s+([^\n]+)`)
	replacementVerbs = lazyregexp.New(`(?i)\b(?:merg(?:e[sd]?|ing)|combin(?:e[sd]?|ing)|consolidat(?:e[sd]?|ing)|dedup\w*|` +
		`extract(?:s|ed|ing)?|mov(?:e[sd]?|ing)|split(?:s|ting)?|port(?:s|ed|ing)?|rewrit(?:e|es|ten|ing)|parametri[sz]\w+|` +
		`convert(?:s|ed|ing)?|simplif(?:y|ies|ied|ying)|collaps\w+|inlin(?:e[sd]?|ing)|renam(?:e[sd]?|ing)|` +
		`rework(?:s|ed|ing)?|refactor(?:s|ed|ing)?|restructur\w+|reorgani[sz]\w+|migrat\w+|tid(?:y|ies|ied)|` +
		`clean(?:s|ed|ing)?[ -]?up|overhaul\w*)\s+([^\n]+)`)

	skipVerbs = lazyregexp.New(`(?i)\b(?:skip(?:s|ping)?|disabl(?:e|es|ing)|quarantin(?:e|es|ing)|ignor(?:e|es|ing)|xfail|` +
		`mark(?:s|ing)?)\s+([^\n]+)`)

	revertSubject = lazyregexp.New(`(?i)^\s*(?:this )?(?:reverts?|undo|back(?:s|ing)? out)\s`)

	// objectEnd matches the end of a verb's object, where its source or reason begins.
	objectEnd = lazyregexp.New(`(?i)\s+(?:from|in|into|of|for|on|at|by|with|because|since|as|when|where|which|that|so|` +
		`but|instead|after|before|if|until|unless|` +
		`(?:and|then)\s+(?:then\s+)?(?:add|fix|update|make|use|change|create|implement|keep|leave|improve|write|run|put|` +
		`let|do|move|rename))\b|[.;:](?:\s|$)|\s[-–—]\s`)
	// abilityNouns match words before a verb for what something new can do.
	abilityNouns = lazyregexp.New(`(?i)\b(?:options?|flags?|methods?|commands?|functions?|helpers?|ways?|ability|support|api|` +
		`endpoint|button)\s+to\s+$`)
	negationBefore = lazyregexp.New(`(?i)\b(?:not|never|without|no|don.?t|doesn.?t|avoid|stop|prevent|` +
		`instead of|rather than)\s+(?:(?:the\s+)?\w+\s+(?:from\s+)?)?$`)
	// clauseStart matches the words before the verb of an order; elsewhere "port" is a noun.
	clauseStart = lazyregexp.New(`(?i)(?:^|[.;:!]\s)\s*(?:[-*•–]\s+|\d{1,2}[.)]\s+)?(?:(?:please|also|and|then)\s+)*$`)

	// Words around a verb that show that it is a noun, or describes what a program, a user or an earlier change does.
	noObject     = lazyregexp.New(`(?i)^(?:in|of|for|on|at|by|with|from|to|into|as|is|was|are|were|when|that|which|during|because|since)\b`)
	determiner   = lazyregexp.New(`(?i)\b(?:the|an?|these|those|its|our|their|my|your|any|each|every|of)\s+(?:\w+ly\s+)?$`)
	asEvent      = lazyregexp.New(`(?i)\b(?:when|while|on|upon|for|from|about|during|support|implement|fix|handle|test|cover|allow)\s+$`)
	otherSubject = lazyregexp.New(`(?i)\b(?:who|which|that|users?|people|they|it|nobody|someone)\s+` +
		`(?:can|could|may|might|will|would|must)?\s*$|` +
		`\b(?:allow|permit|enable|ask)s?\s+(?:\w+\s+){1,3}to\s+$|\blets?\s+(?:the\s+)?(?:\w{3,}|it)\s+$`)
	// nounVerb matches the verbs that are nouns too, before noObject.
	nounVerb = lazyregexp.New(`^(?:drops?|strip|splits?|moves?|merges?|ports?|rewrites?|reworks?|refactors?|clean[ -]?up|` +
		`overhauls?|skips?|marks?|renames?|extracts?|\w+ing)$`)
	// plainOrder and orderOfNoun match the words before a verb, or a noun like "rewrite", that still asks.
	plainOrder = lazyregexp.New(`(?i)(?:^|[.;:!,]\s)\s*(?:please\s+)?(?:(?:open|write|make|create|prepare|send|submit)\s+an?\s+` +
		`(?:pr|mr|pull request|patch|commit|change)\s+(?:that|which)|lets\s+(?:please|just|also|now)|this is about|plan for)\s+$|` +
		`\bask\s+you\s+to\s+$`)
	fromFile    = lazyregexp.New(`^from\s+\S*\w[./]\w`)
	toBe        = lazyregexp.New(`(?i)\b(?:should|must|needs?\s+to|ha(?:s|ve)\s+to|are\s+to)\s+be\s+$`)
	orderOfNoun = lazyregexp.New(`(?i)\b(?:do|need|want)\s+an?\s+$`)
	skipMark    = lazyregexp.New(`(?i)\b(?:add|put|set)\s+(?:an?|the)\s+$`)
	negation    = lazyregexp.New(`(?i)\b(?:not|no|never|without|\w+n['’]t|dont)\b`)
	// reportStart matches the words before a verb that reports what the change does, as in a commit message.
	reportStart = lazyregexp.New(`(?i)(?:^|[.;:!,]\s|\b(?:and|then|also|this|commit|change|patch|pr|mr|we|i)\s)\s*` +
		`(?:[-*•–]\s+|\d{1,2}[.)]\s+|(?:\(\d+\)|\[[\w./-]+\]|#\d+):?\s+)?(?:(?:also|then|have)\s+)*$`)

	testWord = lazyregexp.New(`(?i)^(?:unit|integration|e2e|regression)?[-_]?(?:tests?|specs?|testcases?|test[-_]cases?|` +
		`assertions?|suites?)$`)
	testName     = lazyregexp.New(`\b(?i:tests?|specs?)(?:\b|[_A-Z0-9])|(?:Test|_test|Spec|_spec)s?\b`)
	pluralTests  = lazyregexp.New(`(?i)\b(?:tests|specs|testcases|cases|suites?|coverage)\b`)
	statedNumber = lazyregexp.New(`(?i)\b(\d{1,3}|two|three|four|five|six)\b`)
)

// plainWords describe a test without naming its subject.
var plainWords = lazyregexp.Of(plainWordList)

const plainWordList = `test tests spec specs case cases suite suites unit integration regression e2e duplicate
	duplicated dead old obsolete outdated unused redundant flaky empty stale legacy broken failing
	unnecessary useless superfluous skipped temporary trivial slow needless useful more some several all any every now
	longer file files one last first second third whole entire old new use uses usage`

// isPlainWord reports one of plainWords, also with a letter wrongly doubled or single:
// "unneccessary".
func isPlainWord(word string) bool {
	return plainWords.Has(word) || plainSingle()[withoutDoubles(word)]
}

var plainSingle = sync.OnceValue(func() map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(plainWordList) {
		set[withoutDoubles(w)] = true
	}
	return set
})

// withoutDoubles returns a word with each doubled letter once.
func withoutDoubles(word string) string { return string(slices.Compact([]byte(word))) }

var numbers = map[string]int{"two": 2, "three": 3, "four": 4, "five": 5, "six": 6}

// orderStart matches the start of a line or list item, before an order.
var orderStart = lazyregexp.New(`^\s*(?:[-*•–]\s+|\d{1,2}[.)]\s+)?(?:please\s+|also\s+|and\s+)?`)

// ReadDeletionRequest returns what a request wants deleted: by its requirements, and by lines of
// its prose that begin with a verb. Without requirements, the first line of the prose is read with
// the verb in any position.
func ReadDeletionRequest(r belay.Request, prose string) *DeletionRequest {
	w := &DeletionRequest{}
	var texts []string
	for _, q := range r.Requirements {
		texts = append(texts, q.Text)
		w.fixes = w.fixes || q.Marker == belay.MarkFix
	}
	if len(texts) == 0 {
		first, _, _ := strings.Cut(strings.TrimSpace(prose), "\n")
		texts = append(texts, first)
	}
	for i, text := range texts {
		w.revert = w.revert || revertSubject.MatchString(text)
		known := len(w.targets)
		w.addTargets(text, deletionVerbs, false)
		w.addTargets(text, replacementVerbs, true)
		if i < len(r.Requirements) && r.Requirements[i].Marker == belay.MarkRemove && len(w.targets) == known &&
			!negation.MatchString(text) {
			w.addTargets("remove "+text, deletionVerbs, false)
		}
	}
	for line := range strings.Lines(prose) {
		line = strings.TrimSpace(line[len(orderStart.FindString(line)):])
		if slices.ContainsFunc(texts, func(t string) bool { return strings.Contains(t, line) || strings.Contains(line, t) }) {
			continue
		}
		for _, verbs := range []*lazyregexp.Regexp{deletionVerbs, replacementVerbs} {
			if at := verbs.FindStringIndex(line); at != nil && at[0] == 0 {
				w.addTargets(line, verbs, verbs == replacementVerbs)
			}
		}
	}
	return w
}

// ReadSkipRequest returns the tests that a request wants skipped.
func ReadSkipRequest(requirements []belay.Requirement) *DeletionRequest {
	w := &DeletionRequest{}
	for _, q := range requirements {
		from := len(w.targets)
		w.addTargets(q.Text, skipVerbs, false)
		for i := range w.targets[from:] {
			w.targets[from+i].text = q.Text // "add a skip mark to TestX"
		}
	}
	return w
}

// Severity returns the severity of the loss of a test that is only known by the names in a report: a note if the request
// asks for it, a warning if it may require it, and an error otherwise. The file may be unknown.
func (w *DeletionRequest) Severity(name, shortName, file string) belay.Severity {
	test := fileTest{Test: Test{Name: name, ShortName: shortName}, file: &syntax.File{Path: file}}
	return map[permission]belay.Severity{notAsked: belay.SeverityError, maybeAsked: belay.SeverityWarning,
		asked: belay.SeverityNote}[w.coversTest(test)]
}

// MentionsTests reports whether a request means tests at all.
func (w *DeletionRequest) MentionsTests() bool {
	return slices.ContainsFunc(w.targets, func(o deletionTarget) bool { return o.tests || testName.MatchString(o.text) })
}

// addTargets adds the objects of verbs. "Instead of X" is read as "replace X".
func (w *DeletionRequest) addTargets(text string, verbs *lazyregexp.Regexp, anew bool) {
	for from := 0; from < len(text); {
		m := verbs.FindStringSubmatchIndex(text[from:])
		if m == nil {
			return
		}
		verb, rest := text[from+m[0]:from+m[2]], text[from+m[2]:from+m[3]]
		before := text[:from+m[0]]
		from += m[2]
		isPort := strings.TrimSuffix(strings.ToLower(strings.TrimSpace(verb)), "s") == "port"
		if abilityNouns.MatchString(before) || isPort && !clauseStart.MatchString(before) || isDescribed(before, verb, rest) {
			continue
		}
		if negationBefore.MatchString(before) && !strings.HasPrefix(strings.ToLower(verb), "instead") &&
			!strings.HasPrefix(strings.ToLower(verb), "rather") {
			continue
		}
		if end := objectEnd.FindStringIndex(rest); end != nil {
			rest = rest[:end[0]]
		}
		if anew { // "move the tests to lexer_test.go"
			rest, _, _ = strings.Cut(rest, " to ")
		}
		o := deletionTarget{text: rest, replaced: anew}
		for _, word := range strings.Fields(rest) {
			o.tests = o.tests || testWord.MatchString(strings.Trim(word, "`'\"(),"))
		}
		for _, s := range count.TopicWords(documentName.ReplaceAllString(rest, "")) {
			if !isPlainWord(s) && len(s) > 2 {
				o.words = append(o.words, s)
			}
		}
		if o.tests && !pluralTests.MatchString(rest) {
			o.limit = 1
		}
		if n := statedNumber.FindString(rest); o.tests && n != "" {
			if o.limit = numbers[strings.ToLower(n)]; o.limit == 0 {
				o.limit, _ = strconv.Atoi(n)
			}
		}
		w.targets = append(w.targets, o)
	}
}

// isDescribed reports whether a verb with the words around it asks for nothing: "the memory drop in the tests", "users
// who delete tests", "restore the deleted tests".
func isDescribed(before, verb, rest string) bool {
	verb = strings.ToLower(strings.TrimSpace(verb))
	switch {
	case strings.Contains(verb, " "): // instead of, get rid of
		return false
	case verb == "skip" && skipMark.MatchString(before), plainOrder.MatchString(before):
		return false
	case strings.HasPrefix(rest, "from ") && !fromFile.MatchString(rest):
		return true
	case toBe.MatchString(before) && fromFile.MatchString(rest): // "should be removed from m_test.go"
		return false
	case orderOfNoun.MatchString(before) && strings.HasPrefix(rest, "of ") && nounVerb.MatchString(verb):
		return negation.MatchString(before)
	case noObject.MatchString(rest) && (nounVerb.MatchString(verb) || strings.HasPrefix(rest, "of ")),
		determiner.MatchString(before) || otherSubject.MatchString(before):
		return true
	case strings.HasSuffix(verb, "ing"):
		return asEvent.MatchString(before)
	case strings.HasSuffix(verb, "s"), strings.HasSuffix(verb, "ed"), strings.HasSuffix(verb, "ten"):
		return !reportStart.MatchString(before)
	}
	return false
}

// documentName matches names of documents, which are no subject of tests even if they share words
// with one.
var documentName = lazyregexp.New(`[\w./-]+\.(?:md|rst|adoc|txt)\b`)

// coversFile reports whether a request names a file as one to delete. An unknown file is not named.
func (w *DeletionRequest) coversFile(p string) permission {
	for _, o := range w.targets {
		if p != "" && !o.replaced && o.namesFile(p) {
			return asked
		}
	}
	return notAsked
}

// namesFile reports whether an object names a file by its path, its name or its folder.
func (o deletionTarget) namesFile(p string) bool {
	for _, word := range strings.Fields(o.text) {
		word = strings.TrimPrefix(strings.Trim(word, "`'\"(),;:"), "./")
		tail := strings.Contains(word, "/") && strings.HasSuffix(p, "/"+word)
		folder := strings.HasSuffix(word, "/") && strings.Contains("/"+p, "/"+word)
		if word == p || word == path.Base(p) || tail || folder {
			return true
		}
	}
	return false
}

// coversTest returns how clearly the request allows a test to be deleted.
func (w *DeletionRequest) coversTest(g fileTest) permission {
	if w == nil {
		return notAsked
	}
	if p := w.coversFile(g.file.Path); p == asked {
		return asked
	}
	about := count.TopicWords(g.Name + " " + strings.TrimSuffix(g.file.Path, path.Ext(g.file.Path)))
	for i := range w.targets {
		o := &w.targets[i]
		named := len(g.ShortName) > 4 && syntax.ContainsWord(strings.ToLower(o.text), strings.ToLower(g.ShortName))
		alike := o.isAbout(about, g)
		switch {
		case named && o.replaced:
			return maybeAsked
		case named:
			return asked
		case o.tests && (len(o.words) == 0 || alike):
			if o.used++; o.limit > 0 && o.used > o.limit {
				continue
			}
			if o.replaced {
				return maybeAsked
			}
			return asked
		case o.replaced:
		case alike && !o.tests:
			return maybeAsked
		}
	}
	if w.revert {
		return maybeAsked
	}
	return notAsked
}

// isAbout reports whether at least half of an object's words match a test's name and path or, if
// tests are to be deleted, also its body.
func (o deletionTarget) isAbout(about []string, g fileTest) bool {
	if len(o.words) == 0 {
		return false
	}
	if o.tests && !o.replaced {
		for _, t := range g.Body {
			about = append(about, count.TopicWords(t.Text)...)
		}
	}
	if countAlike(o.words, about)*2 >= len(o.words) {
		return true
	}
	// a name has no word boundary in webrick, a request no camel case in WEBrick
	name := strings.ToLower(g.Name)
	for word := range strings.FieldsSeq(strings.ToLower(o.text)) {
		if word = strings.Trim(word, "`'\"(),;:"); len(word) > 4 && !isPlainWord(word) && len(o.words) <= 2 &&
			strings.Contains(name, word) {
			return true
		}
	}
	return false
}

// isFixture reports whether a file is test data and not a test of the project.
func isFixture(p string) bool {
	for part := range strings.SplitSeq(path.Dir(p), "/") {
		switch strings.ToLower(part) {
		case "fixtures", "fixture", "__fixtures__", "test_fixtures", "test-fixtures", "testdata", "test_data",
			"test-data", "examples", "example":
			return true
		}
	}
	return false
}

// keepsTestsInCode reports whether a file can contain both tests and the code they test.
func keepsTestsInCode(f string) bool {
	return syntax.LanguageOf(f) == syntax.Rust && !syntax.IsForTests(f)
}
