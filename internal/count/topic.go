package count

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/lazyregexp"
)

var markerLine = lazyregexp.New(`(?is)^\s*(?:[-*]\s+)?(?:\[.\]\s+)?(?:task-\S+\s+)?(?:existing\s+)?\[?(add|preserved?|` +
	`no[ _-]changes?|modify|fix|remove)\]?(?:\s+|\s*:\s*|$)(.*)$`)

// ParseRequirement parses a requirement such as "ADD 2 nighttime flavors to the flavors list".
// Without a marker the error has belay.CodeUsage.
func ParseRequirement(text string) (belay.Requirement, error) {
	m := markerLine.FindStringSubmatch(text)
	if m == nil {
		return belay.Requirement{}, belay.Refuse(belay.CodeUsage,
			`begin it with ADD, PRESERVED, NO CHANGES, MODIFY, FIX or REMOVE: "ADD 2 flavors to the flavors list"`,
			"the requirement does not say what to do: %q", text)
	}
	r := belay.Requirement{Marker: belay.Marker(strings.ToUpper(m[1])), Text: strings.TrimSpace(m[2])}
	switch {
	case strings.HasPrefix(string(r.Marker), "NO"):
		r.Marker = belay.MarkNoChanges
	case r.Marker == "PRESERVE":
		r.Marker = belay.MarkPreserved
	}
	if n := leadingNumber(r.Text); n > 0 && (r.Marker == belay.MarkAdd || r.Marker == belay.MarkRemove) {
		r.Count = &n
	}
	return r, nil
}

var beforeNumber = lazyregexp.Of("exactly another just only the new more additional extra of these " +
	"those at least up to about next last first")

// leadingNumber returns the number at the start of a text: "2 flavors", "another two flavors".
func leadingNumber(text string) int {
	words := strings.Fields(strings.ToLower(text))
	for i := 0; i < len(words) && i < 4; i++ {
		w := strings.Trim(words[i], "+:,.()x×")
		if n, err := strconv.Atoi(w); err == nil && n > 0 && n < 1_000_000 {
			return n
		}
		if n := numberWords[w]; n > 0 {
			return n
		}
		if !beforeNumber.Has(w) {
			break
		}
	}
	return 0
}

// Topic has the words of a requirement with weights.
type Topic struct {
	Weight map[string]float64 // by stem
	Names  map[string]bool    // names as written in code
	Counts map[int]bool       // numbers that may be counts of existing items
	Noun   string             // noun of the counted things: flavors
}

var (
	clauseEnd   = lazyregexp.New(`[;,(]|\s[-–—]+\s|\b(?:keep|keeping|but|while|without|leave|leaving|everything|everyone|all|stays?)\b`)
	targetStart = lazyregexp.New(`(?i)\b(?:to|into|in|of|from|under|inside|within)\s+(?:the\s+|our\s+|its\s+)?`)
	nounEnd     = lazyregexp.New(`(?i)\s(?:to|into|in|of|from|for|under|on|inside|within|stay|that)\b|[:'’]`)
	digits      = lazyregexp.New(`\d+`)
	inQuotes    = lazyregexp.New("[`'\"<\\[]+([\\w.:#$@ -]+)[`'\"/>\\]]+")
)

// NewTopic weighs the words of a requirement: most if they name the list, least in subordinate
// clauses.
func NewTopic(r belay.Requirement) Topic {
	w := Topic{Weight: map[string]float64{}, Names: map[string]bool{}, Counts: map[int]bool{}}
	main, loose := r.Text, strings.ToLower(r.Text)
	if at := clauseEnd.FindStringIndex(main); at != nil && at[0] > 0 {
		main = main[:at[0]]
	}
	w.addWords(r.Text, 0.5)
	w.addWords(main, 1)
	if at := targetStart.FindStringIndex(main); at != nil {
		w.addWords(main[at[1]:], 1.3)
	}
	for _, m := range inQuotes.FindAllStringSubmatch(r.Text, -1) {
		w.Names[strings.TrimSpace(m[1])] = true
	}
	for _, id := range topicWord.FindAllString(r.Text, -1) {
		if isCodeName(id) {
			w.Names[id] = true
		}
	}
	for _, d := range digits.FindAllString(r.Text, -1) {
		if n, err := strconv.Atoi(d); err == nil && n > 1 && n < 100_000 && n != r.Many() {
			w.Counts[n] = true
		}
	}
	for word, n := range numberWords {
		if n > 1 && n != r.Many() && regexp.MustCompile(`\b`+word+`\b`).MatchString(loose) {
			w.Counts[n] = true
		}
	}
	w.Noun = countedNoun(main)
	w.addWords(w.Noun, 1.2)
	return w
}

func (w *Topic) addWords(text string, weight float64) {
	for _, s := range Stems(text) {
		if _, err := strconv.Atoi(s); err == nil || IsStopWord.Has(s) || len(s) < 2 {
			continue
		}
		w.Weight[s] = max(w.Weight[s], weight)
	}
}

// isCodeName reports whether a word is a name in code: CamelCase, snake_case, UPPER, :root.
func isCodeName(id string) bool {
	if strings.ContainsAny(id, "_$:#@") || strings.HasPrefix(id, "--") || strings.HasPrefix(id, ".") {
		return len(id) > 2
	}
	upper := 0
	for i, c := range id {
		if c >= 'A' && c <= 'Z' {
			upper++
			if i > 0 && len(id) > 2 {
				return true
			}
		}
	}
	return upper == 1 && len(id) > 2
}

// countedNoun returns the noun of the counted things: the last one before a preposition.
func countedNoun(main string) string {
	if at := nounEnd.FindStringIndex(main); at != nil && at[0] > 0 {
		main = main[:at[0]]
	}
	words := strings.FieldsFunc(main, func(r rune) bool { return r == ' ' || r == ',' || r == '.' || r == ';' })
	for i := len(words) - 1; i >= 0; i-- {
		w := strings.Trim(words[i], "()[]`\"'")
		if _, err := strconv.Atoi(w); err != nil && w != "" && !IsStopWord.Has(strings.ToLower(w)) {
			return strings.ToLower(w)
		}
	}
	return "items"
}
