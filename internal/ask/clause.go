package ask

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/ask/prose"
	"github.com/belay-dev/belay/internal/ask/words"
)

// clause is a stretch of a sentence that can ask for one thing.
type clause struct {
	t     []prose.Token // without asides
	join  string        // what led to it: "", ",", "and", ";", "->", ":", "if", "because"
	topic string        // the word or two before a colon that it stands under
	block prose.Block
	line  int    // of the block in the message
	sent  int    // of the sentence in the message
	close string // the mark that ended the sentence
	group bool   // one piece of an enumeration after a colon or between commas
	frag  bool   // the sentence has no verb at all
}

func (c clause) low() []string { return lows(c.t) }

func lows(t []prose.Token) []string {
	out := make([]string, len(t))
	for i := range t {
		out[i] = t[i].Low
		if t[i].Form != prose.Word && t[i].Form != prose.Mark {
			out[i] = "\"" // whatever is in quotes or backquotes is a thing, not a word
		}
	}
	return out
}

// clauses cuts a sentence. tail is what a conjunction must lead into to begin a new
// clause: an imperative, somebody doing something, or a thing called new.
func clauses(s prose.Sentence) []clause {
	t := slices.DeleteFunc(slices.Clone(s.Tokens), func(t prose.Token) bool { return t.Form == prose.Aside })
	frag := !hasVerb(lows(t))
	var out []clause
	start, join := 0, ""
	cut := func(end, next int, lead string) {
		if end > start {
			out = append(out, clause{t: t[start:end], join: join, close: s.Close, frag: frag})
		}
		start, join = next, lead
	}
	low := lows(t)
	list := false // in a list of things that are each asked for by name: a page, a section and …
	for i := 0; i < len(t); i++ {
		if i < start {
			continue
		}
		if next, more := listed(low, start, i, list); next > 0 {
			cut(i, next, "and")
			i, list = next-1, more
			continue
		}
		if lead, next := boundary(low, start, i, frag); next > 0 {
			cut(i, next, lead)
			i = next - 1
		}
	}
	cut(len(t), len(t), "")
	for i := 1; i < len(out); i++ {
		if out[i].join == "main" {
			out[i-1].join, out[i].join = "if", ""
		}
	}
	return out
}

// listed reads a list whose things have an article each: "add a page about limits, a
// section with entries and screenshots". Unlike "a page with a title and a text" each is
// asked for by itself.
func listed(low []string, start, i int, list bool) (next int, more bool) {
	if i <= start || low[i] != "," && low[i] != "and" {
		return 0, false
	}
	next = i + 1
	last := low[i] == "and"
	if !last && next < len(low) && low[next] == "and" {
		last, next = true, next+1
	}
	if next >= len(low) || opens(low[next:]) && !articled(low[next]) {
		return 0, false
	}
	left := low[start:i]
	n, s := strip(left)
	if n >= len(left) || slices.Contains(left, "with") || slices.Contains(left, "that") || slices.Contains(left, "between") || slices.Contains(left, ":") || slices.Contains(left, "which") {
		return 0, false
	}
	o := left[n:]
	if k := imperative(o); k > 0 && k < len(o) {
		b, _ := words.Base(o[0], anyVerb)
		if sense, _ := words.Verb(b); sense != words.Add && sense != words.Make && sense != words.Show && b != "" {
			return 0, false
		}
		o = o[k:]
	} else if !s.want && !list {
		return 0, false
	}
	if articled(low[next]) && low[next] != "some" && (articled(o[0]) || s.want || list) || list && last {
		return next, !last
	}
	return 0, false
}

// boundary says whether a clause ends before i: what leads on and where the next one
// starts. next is 0 when none ends.
func boundary(low []string, start, i int, frag bool) (lead string, next int) {
	switch w := low[i]; w {
	case "->", "=>", "→":
		if hasVerb(low[start:i]) || opens(low[i+1:]) {
			return w, i + 1
		}
	case ";", "—", "–", "•":
		return w, i + 1
	case "-", "--":
		return ";", i + 1
	case ":":
		return ":", i + 1
	case "+", "plus", "&":
		if i > start && plusOpens(low, i) {
			return "+", i + 1
		}
	case ",":
		return comma(low, start, i, frag)
	case "and", "but", "then", "or":
		if i > start && opens(low[i+1:]) && !joinsSubjects(low[start:i], low[i+1:]) {
			return w, i + 1
		}
	case "so":
		if i > start && i+1 < len(low) && low[i+1] != "that" && opens(low[i+1:]) {
			return "so", i + 1
		}
		if i+1 < len(low) && low[i+1] == "that" && i > start {
			return "because", i + 2
		}
	case "without":
		if i > start && i+1 < len(low) && gerund(low[i+1]) {
			return "without", i
		}
	default:
		if runsOn(low, start, i) {
			return "then", i
		}
		if i > start && words.Subordinator(w) && !(w == "since" && !opens(low[i+1:])) && !(len(w) > 2 && w[0] == 'w' && (i == start+1 || anyVerb(low[i-1]) || low[i-1] == "see" || low[i-1] == "know")) {
			return "because", i + 1
		}
	}
	return "", 0
}

// joinsSubjects reports two things that do one thing together: "the account page and
// the order history are …".
func joinsSubjects(left, right []string) bool {
	n, _ := strip(right)
	return !hasVerb(left) && n < len(right) && imperative(right[n:]) == 0 && finite(right[n:]) && len(left) < 6
}

// runsOn reports a new clause that nothing announces, as in chats: "it feels floaty make
// it snappier", "bar is broken please fix".
func runsOn(low []string, start, i int) bool {
	if i-start < 2 || i+1 >= len(low) || words.Auxiliary(low[i-1]) || words.Subject(low[i-1]) || words.Preposition(low[i-1]) || low[i-1] == "and" || low[i-1] == "," || low[i-1] == "not" {
		return false
	}
	if low[i] == "please" && i+1 < len(low) {
		return imperative(low[i+1:]) > 0 || low[i+1] == "to" || low[i+1] == "don't"
	}
	if _, end := words.Base(low[i], anyVerb); end != "" || !anyVerb(low[i]) || !finite(low[start:i]) {
		return false
	}
	next := low[i+1]
	return (next == "it" || next == "them" || next == "this") && low[i] != "have" && !strings.HasPrefix(low[i-1], "help")
}

// comma decides at a comma: it ends a condition that stands in front, leads to a new
// clause, or is one of a list.
func comma(low []string, start, i int, frag bool) (string, int) {
	rest := low[i+1:]
	if i == start {
		return ",", i + 1
	}
	if conditional(low[start]) && !hasVerb(low[:start]) && len(rest) > 0 && !words.Preposition(rest[0]) {
		return "main", i + 1
	}
	if len(rest) > 0 && (rest[0] == "and" || rest[0] == "but" || rest[0] == "or" || rest[0] == "then") {
		if opens(rest[1:]) || frag && !appositive(low[start:i]) {
			return rest[0], i + 2
		}
		return "", 0
	}
	if frag && appositive(low[start:i]) && slices.Contains(rest, "and") && !slices.Contains(rest, ",") {
		return "", 0 // "two environments, staging and prod"
	}
	if opens(rest) || frag {
		return ",", i + 1
	}
	return "", 0
}

// appositive reports a number of things whose names follow.
func appositive(low []string) bool {
	n, ok := words.Number(low[0])
	return ok && n > 1 && !slices.Contains(low, "more")
}

func conditional(w string) bool {
	switch w {
	case "when", "if", "whenever", "once", "while", "after", "before", "until", "since", "because", "as", "although", "wherever", "unless":
		return true
	}
	return false
}

// plusOpens tells "make it rounder + dark mode" from "s3 + cloudfront + acm": one plus,
// with a whole request on one of its sides.
func plusOpens(low []string, i int) bool {
	if i+1 < len(low) && words.Tool(low[i+1]) {
		return false
	}
	if opens(low[i+1:]) {
		return true
	}
	n := 0
	for _, w := range low {
		if w == "+" || w == "plus" || w == "&" {
			n++
		}
	}
	return n == 1 && (hasVerb(low[:i]) || low[i] == "plus" || slices.ContainsFunc(low[:i], words.Comparative))
}

// opens reports whether words that follow a comma or a conjunction begin a clause.
func opens(low []string) bool {
	n, said := strip(low)
	if n >= len(low) {
		return false
	}
	rest := low[n:]
	if said.opener || said.also || imperative(rest) > 0 || negated(rest) || finite(rest) {
		return true
	}
	switch rest[0] {
	case "keep", "leave", "without", "no", "new", "another", "same":
		return true
	case "a", "an", "the":
		return len(rest) > 1 && rest[1] == "new"
	case "not":
		return false
	}
	if strings.HasPrefix(rest[0], "-") && len(rest) > 1 {
		return true
	}
	if _, ok := words.Number(rest[0]); ok {
		return len(rest) > 1 && (rest[1] == "more" || rest[1] == "new")
	}
	piece := rest
	if i := slices.Index(rest, ","); i > 0 {
		piece = rest[:i]
	}
	if _, ok := keptSubject(piece); ok || len(piece) < 6 && valued(piece) && !words.Preposition(piece[0]) && !words.Subordinator(piece[0]) {
		return true
	}
	return words.Comparative(rest[0]) && len(rest) > 1
}

// said is what was passed over in front of a clause.
type said struct {
	opener bool // "could you", "we need": somebody asks
	want   bool // what is asked for is a thing, not a deed
	also   bool // it is one more
	please bool
}

// strip counts the words in front of a clause that say nothing of what is asked.
func strip(low []string) (n int, s said) {
	for n < len(low) {
		if k, verb := words.Opener(low[n:]); k > 0 && n+k <= len(low) {
			if n+k < len(low) && low[n+k] == "rid" {
				k, verb = k-1, true // "could we get" would take the verb of "get rid of"
			}
			if low[n] == "to" && (n+1 >= len(low) || imperative(low[n+1:]) == 0) {
				return n, s
			}
			s.opener = s.opener || low[n] != "to" && low[n] != "i think" && low[n] != "i guess"
			s.want = !verb && k > 1 && !sureness(low[n:n+k])
			n += k
			continue
		}
		w := low[n]
		if !words.Filler(w) && w != "," && w != "*" && w != "!" && w != "\ufe0f" {
			return n, s
		}
		s.also = s.also || w == "also" || w == "plus" || w == "besides" || w == "additionally" || w == "furthermore"
		s.please = s.please || w == "please" || w == "kindly"
		n++
	}
	return n, s
}

func sureness(low []string) bool {
	w := low[len(low)-1]
	return w == "sure" || w == "that" || w == "think" || w == "guess" || w == "if" || w == "believe" || w == "suppose" || low[0] == "ensure" || low[0] == "dear" || low[0] == "hope"
}

func gerund(w string) bool {
	_, end := words.Base(w, anyVerb)
	return end == "ing" || len(w) > 5 && w[len(w)-3:] == "ing"
}

func anyVerb(b string) bool { _, ok := words.Verb(b); return ok || b == "touch" || b == "break" }

// negated reports a prohibition at the start: "don't …", "do not …", "never …".
func negated(low []string) bool {
	return len(low) > 1 && (low[0] == "don't" || low[0] == "never" || low[0] == "do" && low[1] == "not" || low[0] == "not" && low[1] == "to")
}

// imperative counts the words of the verb that a clause begins with, 0 when it does
// not begin with one.
func imperative(low []string) int {
	if len(low) == 0 {
		return 0
	}
	if _, n := words.Phrase(low); n > 0 {
		return n
	}
	w := low[0]
	if _, i := apart(w, low); i > 0 || unknownVerb(low) {
		return 1
	}
	if i := strings.LastIndexByte(w, '-'); i > 0 && i < len(w)-2 && anyVerb(w[i+1:]) && len(low) > 1 && !words.Auxiliary(low[1]) && low[1] != "," {
		return 1 // right-align, auto-save
	}
	if b, end := words.Base(w, anyVerb); b == "" || end != "" {
		if b != "" {
			return 0
		}
		if fixed, ok := words.Spelled(w); !ok || len(low) < 2 || finite(low) || nounish[fixed] || words.Auxiliary(low[1]) || words.Wrong(w) {
			return 0
		}
		return 1
	}
	if len(low) == 1 {
		if nounish[w] {
			return 0
		}
		return 1
	}
	if !nounish[w] {
		if words.Auxiliary(low[1]) {
			return 0
		}
		return 1
	}
	return nounishVerb(low)
}

// unknownVerb reports a word that is no verb of the lists but stands where one does: in
// front of "it", "the …" or a thing in quotes, with nothing done by anybody behind it.
// Endings that only verbs have need no such place.
func unknownVerb(low []string) bool {
	w := low[0]
	if len(low) < 2 || len(w) < 4 || anyVerb(w) || words.Filler(w) || words.Preposition(w) || words.Determiner(w) || words.Auxiliary(w) || words.Negative(w) ||
		words.Subject(w) || conditional(w) || words.Subordinator(w) || words.Comparative(w) || adverb(w) || noVerb[w] || strings.HasSuffix(w, "ing") || strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "ss") || strings.ContainsAny(w, "./_\"") {
		return false
	}
	if _, ok := words.Number(w); ok {
		return false
	}
	if strings.HasSuffix(w, "ise") || strings.HasSuffix(w, "ize") || strings.HasSuffix(w, "ify") {
		return !words.Auxiliary(low[1])
	}
	switch low[1] {
	case "it", "them", "the", "all", "every", "each", "both", "our", "my", "its", "their", "these", "those":
		return !finite(low)
	}
	return false
}

var noVerb = map[string]bool{"half": true, "what": true, "where": true, "when": true, "which": true, "whole": true, "same": true, "only": true, "even": true, "also": true, "like": true, "once": true, "else": true, "more": true, "most": true, "less": true, "than": true, "such": true,
	"given": true, "behind": true, "want": true, "know": true, "think": true, "hope": true, "love": true, "hate": true, "need": true, "exercise": true, "enterprise": true, "otherwise": true, "promise": true, "size": true, "noise": true, "rise": true, "wise": true, "premise": true, "prize": true, "precise": true, "concise": true, "see": true, "plus": true, "because": true, "guess": true, "thank": true, "here": true, "there": true, "today": true, "error": true, "regarding": true, "despite": true, "while": true, "till": true, "expected": true, "hello": true, "dear": true, "find": true, "please": true, "believe": true, "fail": true, "mind": true, "meet": true, "note": true, "remains": true, "attach": true, "attached": true, "besides": true, "except": true, "versus": true, "throughout": true, "quite": true, "rather": true, "just": true, "maybe": true, "across": true, "beyond": true}

// nounish are verbs that are as often nouns; what follows decides.
var nounish = func() map[string]bool {
	out := map[string]bool{}
	for _, w := range []string{"support", "log", "list", "report", "show", "display", "design", "change", "fix", "cut", "drop", "update",
		"limit", "cache", "search", "filter", "link", "export", "import", "download", "upload", "print", "count", "order", "sort", "sync", "release", "tag",
		"watch", "play", "load", "record", "preview", "schedule", "document", "benchmark", "prefix", "gate", "monitor", "retry", "backup", "mail", "email",
		"post", "answer", "port", "place", "set", "cap", "scale", "poll", "alert", "start", "use", "look", "review", "check", "run", "point", "call",
		"mock", "hook", "offer", "supply", "split", "return", "register", "measure", "patch", "address", "group", "shift", "speed", "transfer", "exchange",
		"border", "center", "centre", "color", "colour", "bold", "underline", "default", "stop", "lint", "shuffle", "balance", "cover", "trash", "retire", "open",
		"clear", "store", "render", "ping", "track", "cross", "clean", "draft", "trigger", "ask", "rank", "author", "transform", "require", "mark", "describe", "merge", "attempt", "read", "apply", "double", "standup", "build", "extract", "light", "highlight", "format", "process"} {
		out[w] = true
	}
	return out
}()

func nounishVerb(low []string) int {
	next := low[1]
	switch {
	case next == "of" || next == "for" || next == "in" || next == "on" || next == "at" || next == "from" || next == "and" || next == "," || next == "or" || next == "no" || next == ":" || next == "is" || next == "+":
		return 0
	case words.Auxiliary(next) || words.Negative(next):
		return 0
	case words.Determiner(next) || words.Pronoun(next) || next == "\"" || words.Preposition(next) || next == "how" || next == "what" || next == "whether":
		return 1
	case finite(low):
		return 0
	}
	return 1
}

// finite reports whether a clause has a subject and something it does: an auxiliary
// behind the first word, or a verb's third person.
func finite(low []string) bool {
	_, ok := predicate(low)
	return ok
}

// predicate is where the finite verb of a clause stands.
func predicate(low []string) (int, bool) {
	for i, w := range low {
		switch {
		case i > 1 && (w == "when" || w == "if" || w == "while" || w == "once" || w == "whenever") && !conditional(low[0]):
			return 0, false
		case i > 0 && (w == "," || w == ";" || w == ":" || words.Subordinator(w) || w == "that" && i > 1):
			return 0, false
		case i > 0 && words.Auxiliary(w) && !asked(low, i):
			return i, true
		case i == 0 && (w == "it's" || w == "that's" || w == "there's" || w == "they're" || w == "we're" || w == "you're" || w == "i'm" || w == "i've" || w == "we've"):
			return 0, true
		case i > 0 && thirdPerson(low, i):
			return i, true
		case i > 0 && plainVerb(low, i):
			return i, true
		}
	}
	return 0, false
}

// asked reports an auxiliary that belongs to a smaller clause: "how it is", "to be".
func asked(low []string, i int) bool {
	if low[i-1] == "to" || low[i] == "be" && !words.Modal(low[i-1]) {
		return true
	}
	for j := max(0, i-4); j < i; j++ {
		switch low[j] {
		case "when", "if", "how", "what", "while", "once", "why", "before", "after":
			return j > 0 || low[j] == "how" || low[j] == "what"
		}
	}
	return false
}

// thirdPerson reports a verb in -s that follows something that can be its subject.
func thirdPerson(low []string, i int) bool {
	w, prev := low[i], low[i-1]
	if words.Determiner(prev) && !words.Pronoun(prev) || words.Preposition(prev) || prev == "and" || prev == "," || prev == "\"" && i == 1 && false {
		return false
	}
	if _, ok := words.Number(prev); ok {
		return false
	}
	if end, ok := words.Fails(w); ok && (end == "s" || end == "ed") {
		return i+1 >= len(low) || !words.Auxiliary(low[i+1])
	}
	if states[w] {
		return true
	}
	b, end := words.Base(w, anyVerb)
	if b == "" || end != "s" || i+1 < len(low) && (words.Auxiliary(low[i+1]) || low[i+1] == "of") {
		return false
	}
	return !plural[b] || words.Subject(prev) || i+1 < len(low) && (words.Determiner(low[i+1]) || words.Pronoun(low[i+1]))
}

// plural are verbs whose -s is as often a noun in the plural.
var plural = map[string]bool{"list": true, "link": true, "test": true, "log": true, "report": true, "update": true, "alert": true,
	"filter": true, "upload": true, "download": true, "export": true, "import": true, "order": true, "tag": true, "post": true, "email": true, "mail": true,
	"backup": true, "benchmark": true, "mock": true, "hook": true, "change": true, "fix": true, "port": true, "point": true, "check": true,
	"record": true, "answer": true, "search": true, "limit": true, "cache": true, "register": true, "support": true, "release": true, "document": true,
	"design": true, "color": true, "colour": true, "group": true, "call": true, "build": true, "patch": true, "review": true, "retry": true, "scale": true, "set": true, "use": true, "load": true, "run": true, "print": true, "store": true, "view": true}

// states are other finite verbs that a description of how things are is made of.
var states = func() map[string]bool {
	out := map[string]bool{}
	for _, w := range []string{"says", "keeps", "goes", "comes", "stays", "remains", "happens", "takes", "gets", "needs", "lives", "works",
		"belongs", "contains", "arrives", "appears", "seems", "feels", "warns", "climbs", "overlaps", "becomes", "asks", "jumps", "exists", "knows",
		"finds", "sits", "stands", "tells", "claims", "thinks", "wants", "likes", "matters", "means", "makes", "helps", "hurts", "costs", "depends", "applies", "follows", "covers", "serves", "fits", "suits", "opens", "expects", "returns", "shows", "ignores", "sees", "respawn", "shows"} {
		out[w] = true
	}
	return out
}()

// plainVerb reports the verb of a plural subject that no ending betrays: "members get
// …", "runs come …", "jobs fail".
func plainVerb(low []string, i int) bool {
	prev, w := low[i-1], low[i]
	many := words.Subject(prev) && prev != "it" && prev != "that" && prev != "this" && prev != "there" || len(prev) > 3 && prev[len(prev)-1] == 's' && prev[len(prev)-2] != 's'
	if !many || i > 9 {
		return false
	}
	switch w {
	case "get", "come", "go", "keep", "need", "look", "appear", "show", "end", "arrive", "start", "become", "respawn", "feel", "disappear", "want", "find", "belong", "accept":
		return imperative(low) == 0 || i > 2
	}
	end, ok := words.Fails(w)
	return ok && (end == "" || end == "ed") && i+1 <= len(low)
}

// hasVerb reports whether a sentence has any verb in a place where one counts.
func hasVerb(low []string) bool {
	n, s := strip(low)
	if s.opener || n < len(low) && (imperative(low[n:]) > 0 || negated(low[n:])) {
		return true
	}
	for i, w := range low {
		if words.Auxiliary(w) || i > 0 && (thirdPerson(low, i) || plainVerb(low, i)) {
			return true
		}
		if (w == "," || w == "and") && i+1 < len(low) && imperative(low[i+1:]) > 0 && !nounish[low[i+1]] {
			return true
		}
	}
	return false
}
