package tasklist

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

// KnownIDs are the ids of the tasks that words may name.
type KnownIDs struct {
	ids      map[string]string // by their key
	prefixes map[string]bool   // letters that ids begin with
}

// NewKnownIDs makes a Known of ids.
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

// IDKey is an id as it is compared: in capitals, without zeros before its number.
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

// Pair says that one task comes after another.
type Pair struct{ Task, After string }

// The orders that words tell: what stands left comes before or after what stands right.
const (
	orderBefore = 1
	orderAfter  = -1
)

// orderCue is a word that tells an order, and the words of which one has to follow it, "" when
// none has to.
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

// otherNouns are what numbers are of when they are of no task.
var otherNouns = map[string]bool{"phase": true, "phases": true, "story": true, "stories": true, "step": true, "steps": true,
	"section": true, "week": true, "day": true, "sprint": true, "version": true, "requirement": true,
	"requirements": true, "milestone": true}

// FindOrder returns what a text says of which task comes after which. self is the task whose
// text it is, which is meant where no task is named; "" outside a task. Names of tasks
// that are like the known ones and unknown come back as they stand, for the caller to say
// so. Single numbers are names only behind the word "task" or in a list that tells what a
// task depends on.
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

// tightArrow is an arrow with names on both sides and no blanks: commas are between chains then.
var tightArrow = lazyregexp.New(`\d[a-z]?(?:→|->|=>)[A-Za-z]{0,10}[-_]?\d`)

// arrows are cues only where a name follows: others lead to a place or to words.
var arrows = map[string]bool{"->": true, "→": true, "=>": true, "⟶": true, "<-": true, "←": true}

// trailingCues are words that follow the names of what comes first.
var trailingCues = []string{"に依存", "에 의존", "에의존"}

// unspacedCues are words that are read as one, of scripts that set no blanks between words.
var unspacedCues = append([]string{"依赖", "依賴"}, trailingCues...)

// pieces cuts a text into words, numbers of tasks, and the signs that matter here.
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

// signJoins reports whether the sign that rest begins with belongs to the word before it: that
// of a name with a number, or the dash in write-before-read, which tells no order.
func signJoins(word, rest string) bool {
	if len(rest) < 2 || strings.IndexByte(".-_", rest[0]) < 0 {
		return false
	}
	if isDigit(rest[1]) {
		return isGlued(word, rest[0])
	}
	return rest[0] == '-' && isWord(rest[1]) && strings.IndexFunc(word, func(r rune) bool { return r >= '0' && r <= '9' }) < 0
}

// unspacedWord is the word or letter of another script that a text begins with.
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

// isGlued reports whether a sign between what was read and a number belongs to a name: the
// dot of 1.2, the dash of TASK-7; not the dash of T4-7.
func isGlued(read string, sign byte) bool {
	number := strings.ContainsAny(read, "0123456789")
	return number == (sign == '.')
}

// orderParser is a text being read from left to right.
type orderParser struct {
	known                         KnownIDs
	self                          string
	left, right                   []string
	order                         int
	inList                        bool     // what follows is a list of tasks: single numbers name some
	afterTaskNoun, afterOtherNoun bool     // the word before says what a number is of
	inRange                       bool     // from the name before to the next
	afterName                     bool     // the word before is a name
	lastNames                     []string // the names just before
	tightArrow                    bool
	arrowOrder                    bool // an arrow told the order
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

// readCue takes a word that tells an order.
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

// addLettered adds the names from the last one to that with another letter: T012a–c.
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

// startOrder settles what was said and begins what a word for an order says.
func (s *orderParser) startOrder(order int) {
	s.finishOrder()
	switch {
	case s.right == nil:
	case s.left == nil && s.self != "": // "depends on A, blocked by B" says both of the same task
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

// maxSideNames bounds how many names one side of an order has: more is not a sentence.
const maxSideNames = 300

func (s *orderParser) addName(w string) {
	id, ok := s.known.ids[IDKey(w)]
	bare := idLetters(w) == ""
	switch {
	case s.afterOtherNoun, bare && !strings.Contains(w, ".") && !s.afterTaskNoun && !s.inList:
		return // a number in passing
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

// idsBetween returns the ids from one to another, both left out, when both end in a number.
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
