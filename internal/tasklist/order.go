package tasklist

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

// KnownIDs are the ids of the tasks that a text may name.
type KnownIDs struct {
	ids      map[string]string // by IDKey
	prefixes map[string]bool   // the letters that ids begin with
}

// NewKnownIDs returns the KnownIDs for ids; it skips empty ones.
func NewKnownIDs(ids []string) KnownIDs {
	k := KnownIDs{ids: map[string]string{}, prefixes: map[string]bool{}}
	for _, id := range ids {
		if id == "" {
			continue
		}
		k.ids[IDKey(id)] = id
		if p := idLetters(id); p != "" {
			k.prefixes[p] = true
		}
	}
	return k
}

// IDKey returns an id in the form for comparison: in capitals, without zeros before its number.
func IDKey(id string) string {
	id = strings.ToUpper(id)
	p := idLetters(id)
	rest := strings.TrimLeft(id[len(p):], "0")
	if rest == "" || rest[0] < '0' || rest[0] > '9' {
		rest = "0" + rest
	}
	if p == "" {
		return id
	}
	return p + rest
}

func idLetters(id string) string {
	n := 0
	for n < len(id) && (id[n] < '0' || id[n] > '9') {
		n++
	}
	return strings.ToUpper(id[:n])
}

// Pair is two tasks of which Task comes after After.
type Pair struct{ Task, After string }

// The orders: the tasks left of a cue come before or after those right of it.
const (
	orderBefore = 1
	orderAfter  = -1
)

// orderCue is the meaning of a word that states an order. next lists words of which one must
// follow; "" if none must.
type orderCue struct {
	order int
	next  string
}

var orderCues = map[string][]orderCue{
	"depends": {{orderAfter, "on upon : **:"}}, "depends-on": {{orderAfter, ""}}, "blocked-by": {{orderAfter, ""}},
	"依赖": {{orderAfter, ""}}, "依賴": {{orderAfter, ""}}, "depend": {{orderAfter, "on upon :"}}, "dependent": {{orderAfter, "on upon"}},
	"depending":    {{orderAfter, "on upon"}},
	"dependencies": {{orderAfter, ": on"}}, "dependency": {{orderAfter, ": on"}}, "deps": {{orderAfter, ":"}}, "dep": {{orderAfter, ":"}},
	"blocked": {{orderAfter, "by"}}, "wait": {{orderAfter, "for on"}}, "waits": {{orderAfter, "for on"}},
	"build": {{orderAfter, "on upon"}}, "builds": {{orderAfter, "on upon"}},
	"require": {{orderAfter, ""}}, "requires": {{orderAfter, ""}}, "need": {{orderAfter, ""}}, "needs": {{orderAfter, ""}},
	"after": {{orderAfter, ""}}, "follow": {{orderAfter, ""}}, "follows": {{orderAfter, ""}},
	"prerequisite": {{orderBefore, "for of"}, {orderAfter, ":"}}, "prerequisites": {{orderBefore, "for of"}, {orderAfter, ":"}},
	"before": {{orderBefore, ""}}, "block": {{orderBefore, ""}}, "blocks": {{orderBefore, ""}}, "unblocks": {{orderBefore, ""}},
	"precede": {{orderBefore, ""}}, "precedes": {{orderBefore, ""}},
	"required": {{orderBefore, "by for"}}, "needed": {{orderBefore, "by for"}}, "enable": {{orderBefore, ""}},
	"enables": {{orderBefore, ""}}, "then": {{orderBefore, ""}},
	"->": {{orderBefore, ""}}, "→": {{orderBefore, ""}}, "=>": {{orderBefore, ""}}, "⟶": {{orderBefore, ""}},
	"<-": {{orderAfter, ""}}, "←": {{orderAfter, ""}},
}

// otherNouns are nouns before a number that is not a task's.
var otherNouns = map[string]bool{"phase": true, "phases": true, "story": true, "stories": true, "step": true, "steps": true,
	"section": true, "week": true, "day": true, "sprint": true, "version": true, "requirement": true,
	"requirements": true, "milestone": true}

// FindOrder returns the pairs of tasks that a text orders. self is the task that the text belongs
// to, and is used where no task is named; "" outside a task. Unknown ids with a known prefix are
// returned as written, so that the caller can report them. A bare number is a task only after the
// word "task" or in a list of dependencies.
func (k KnownIDs) FindOrder(text, self string) []Pair {
	if !strings.ContainsAny(text, "0123456789") {
		return nil
	}
	s := orderParser{known: k, self: self, seen: map[Pair]bool{}, tightArrow: tightArrow.MatchString(text)}
	words := orderWords(text)
	for i, w := range words {
		next := ""
		if i+1 < len(words) {
			next = words[i+1]
		}
		s.readWord(w, next)
	}
	s.finishOrder()
	return s.pairs
}

// tightArrow is an arrow between ids without blanks: then commas separate chains.
var tightArrow = lazyregexp.New(`\d[a-z]?(?:→|->|=>)[A-Za-z]{0,10}[-_]?\d`)

// arrows are cues only if an id follows: others point to a place or to text.
var arrows = map[string]bool{"->": true, "→": true, "=>": true, "⟶": true, "<-": true, "←": true}

// trailingCues are words after the ids of the tasks that come first.
var trailingCues = []string{"に依存", "에 의존", "에의존"}

// unspacedCues are cues in scripts without blanks between words; each is read as one word.
var unspacedCues = append([]string{"依赖", "依賴"}, trailingCues...)

// orderWords splits a text into words, ids, and punctuation.
func orderWords(text string) []string {
	var list []string
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case c == '#' || isWord(c):
			n := i + 1
			for n < len(text) && (isWord(text[n]) || signJoins(text[i:n], text[n:])) {
				n++
			}
			list, i = append(list, text[i:n]), n
		case strings.IndexByte(" *`\t()\"", c) >= 0:
			i++
		case strings.HasPrefix(text[i:], "->") || strings.HasPrefix(text[i:], "=>") || strings.HasPrefix(text[i:], "<-"):
			list, i = append(list, text[i:i+2]), i+2
		case c < 0x80:
			n := i + 1
			for n < len(text) && text[n] == c {
				n++
			}
			list, i = append(list, text[i:n]), n
		default:
			w := unspacedWord(text[i:])
			list, i = append(list, w), i+len(w)
		}
	}
	return list
}

// signJoins reports whether the sign that rest begins with is part of word: in an id with a number,
// or the dash in write-before-read, which states no order.
func signJoins(word, rest string) bool {
	if len(rest) < 2 || strings.IndexByte(".-_", rest[0]) < 0 {
		return false
	}
	if isDigit(rest[1]) {
		return isGlued(word, rest[0])
	}
	return rest[0] == '-' && isWord(rest[1]) && strings.IndexFunc(word, func(r rune) bool { return r >= '0' && r <= '9' }) < 0
}

// unspacedWord returns the cue or the character that a text begins with.
func unspacedWord(text string) string {
	for _, w := range unspacedCues {
		if strings.HasPrefix(text, w) {
			return w
		}
	}
	_, n := utf8.DecodeRuneInString(text)
	return text[:n]
}

func isWord(c byte) bool  { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || isDigit(c) }
func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// isGlued reports whether a sign before a number is part of an id: the dot of 1.2 and the dash of
// TASK-7 are, the dash of T4-7 is not.
func isGlued(read string, sign byte) bool {
	number := strings.ContainsAny(read, "0123456789")
	return number == (sign == '.')
}

// orderParser reads a text from left to right.
type orderParser struct {
	known                         KnownIDs
	self                          string
	left, right                   []string
	order                         int
	inList                        bool     // a list of tasks follows: bare numbers are ids
	afterTaskNoun, afterOtherNoun bool     // the kind of noun before a number
	inRange                       bool     // between the ids of a range
	afterName                     bool     // the previous word is an id
	lastNames                     []string // the ids directly before
	tightArrow                    bool
	arrowOrder                    bool // the current order is from an arrow
	pairs                         []Pair
	seen                          map[Pair]bool
}

func (s *orderParser) readWord(w, next string) {
	low := strings.ToLower(w)
	if s.readCue(low, next) {
		return
	}
	named := s.afterName
	s.afterName = false
	switch {
	case s.tightArrow && s.arrowOrder && w == ",":
		s.finishOrder()
		s.left, s.right, s.order, s.arrowOrder = nil, nil, 0, false
		return
	case slices.Contains(trailingCues, w) && s.order == 0 && s.self != "":
		s.left, s.right, s.order = nil, s.lastNames, orderAfter
		s.finishOrder()
		s.left, s.right, s.order, s.lastNames = nil, nil, 0, nil
		return
	case s.inRange && len(w) == 1 && w[0] >= 'a' && w[0] <= 'z':
		s.addLettered(w[0])
		return
	case w == ";" || w == "." && (next == "" || strings.ToUpper(next[:1]) == next[:1] && !isDigit(next[0])):
		s.finishOrder()
		s.left, s.right, s.order, s.inList = nil, nil, 0, false
	case named && (slices.Contains([]string{"-", "–", "—", "to", "through"}, low) || strings.HasPrefix(low, "..")):
		s.inRange = true
		return
	case slices.Contains([]string{",", "and", "&", "+", "/", ":"}, low):
		return
	case isDigit(w[len(w)-1]) || len(w) > 1 && isDigit(w[len(w)-2]):
		s.addName(w)
		return
	}
	s.inRange, s.lastNames = false, nil
	s.afterTaskNoun, s.afterOtherNoun = low == "task" || low == "tasks", otherNouns[low]
}

// readCue reads a word that states an order, and reports whether it is one.
func (s *orderParser) readCue(low, next string) bool {
	if arrows[low] && !strings.ContainsAny(next, "0123456789[{") && !strings.HasPrefix(strings.ToLower(next), "task") {
		return false
	}
	for _, c := range orderCues[low] {
		if c.next == "" || slices.Contains(strings.Fields(c.next), strings.ToLower(next)) {
			s.startOrder(c.order)
			s.inList = strings.HasPrefix(low, "dep") || strings.HasPrefix(low, "blocked") ||
				strings.HasPrefix(low, "prereq") || strings.HasPrefix(low, "依")
			s.arrowOrder = arrows[low]
			return true
		}
	}
	return false
}

// addLettered completes a range of letters after the last id: T012a–c.
func (s *orderParser) addLettered(to byte) {
	side := &s.left
	if s.order != 0 {
		side = &s.right
	}
	s.inRange = false
	if len(*side) == 0 {
		return
	}
	last := (*side)[len(*side)-1]
	end := len(last) - 1
	for c := last[end] + 1; last[end] >= 'a' && c <= to; c++ {
		if id, ok := s.known.ids[IDKey(last[:end]+string(c))]; ok && len(*side) < maxSideNames {
			*side = append(*side, id)
		}
	}
}

// startOrder adds the pairs of the previous order and starts the next one.
func (s *orderParser) startOrder(order int) {
	s.finishOrder()
	switch {
	case s.right == nil:
	case s.left == nil && s.self != "": // "depends on A, blocked by B": both are about self
		s.right = nil
	default:
		s.left, s.right = s.right, nil
	}
	s.order, s.inRange, s.afterName, s.afterTaskNoun, s.afterOtherNoun = order, false, false, false, false
}

func (s *orderParser) finishOrder() {
	left := s.left
	if len(left) == 0 && s.self != "" {
		left = []string{s.self}
	}
	for _, l := range left {
		for _, r := range s.right {
			p := Pair{Task: l, After: r}
			if s.order == orderBefore {
				p = Pair{Task: r, After: l}
			}
			if IDKey(l) != IDKey(r) && !s.seen[p] {
				s.seen[p] = true
				s.pairs = append(s.pairs, p)
			}
		}
	}
}

// maxSideNames limits the ids on one side of an order: more are not a sentence.
const maxSideNames = 300

func (s *orderParser) addName(w string) {
	id, ok := s.known.ids[IDKey(w)]
	bare := idLetters(w) == ""
	switch {
	case s.afterOtherNoun, bare && !strings.Contains(w, ".") && !s.afterTaskNoun && !s.inList:
		return // not an id
	case ok:
	case bare || !s.known.prefixes[idLetters(w)]:
		return
	default:
		id = w
	}
	side := &s.left
	if s.order != 0 {
		side = &s.right
	}
	if n := len(*side); s.inRange && n > 0 {
		*side = append(*side, s.known.idsBetween((*side)[n-1], id)...)
	}
	if len(*side) < maxSideNames {
		*side = append(*side, id)
		s.lastNames = append(s.lastNames, id)
	}
	s.inRange, s.afterName = false, true
}

// idsBetween returns the known ids between two ids that end in numbers.
func (k KnownIDs) idsBetween(from, to string) []string {
	p := idLetters(from)
	a, err := strconv.Atoi(from[len(p):])
	b, berr := strconv.Atoi(to[len(idLetters(to)):])
	if err != nil || berr != nil || p != idLetters(to) || b-a > maxSideNames {
		return nil
	}
	var list []string
	for n := a + 1; n < b; n++ {
		if id, ok := k.ids[IDKey(p+strconv.Itoa(n))]; ok {
			list = append(list, id)
		}
	}
	return list
}
