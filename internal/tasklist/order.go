package tasklist

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

// Known are the ids of the tasks that words may name.
type Known struct {
	ids      map[string]string // by their key
	prefixes map[string]bool   // letters that ids begin with
}

// Knows makes a Known of ids.
func Knows(ids []string) Known {
	k := Known{ids: map[string]string{}, prefixes: map[string]bool{}}
	for _, id := range ids {
		if id == "" {
			continue
		}
		k.ids[Key(id)] = id
		if p := letters(id); p != "" {
			k.prefixes[p] = true
		}
	}
	return k
}

// Key is an id as it is compared: in capitals, without zeros before its number.
func Key(id string) string {
	id = strings.ToUpper(id)
	p := letters(id)
	rest := strings.TrimLeft(id[len(p):], "0")
	if rest == "" || rest[0] < '0' || rest[0] > '9' {
		rest = "0" + rest
	}
	if p == "" {
		return id
	}
	return p + rest
}

func letters(id string) string {
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
	before = 1
	after  = -1
)

// cue is a word that tells an order, and the words of which one has to follow it, "" when
// none has to.
type cue struct {
	order int
	next  string
}

var cues = map[string][]cue{
	"depends": {{after, "on upon : **:"}}, "depends-on": {{after, ""}}, "blocked-by": {{after, ""}},
	"依赖": {{after, ""}}, "依賴": {{after, ""}}, "depend": {{after, "on upon :"}}, "dependent": {{after, "on upon"}},
	"depending":    {{after, "on upon"}},
	"dependencies": {{after, ": on"}}, "dependency": {{after, ": on"}}, "deps": {{after, ":"}}, "dep": {{after, ":"}},
	"blocked": {{after, "by"}}, "wait": {{after, "for on"}}, "waits": {{after, "for on"}},
	"build": {{after, "on upon"}}, "builds": {{after, "on upon"}},
	"require": {{after, ""}}, "requires": {{after, ""}}, "need": {{after, ""}}, "needs": {{after, ""}},
	"after": {{after, ""}}, "follow": {{after, ""}}, "follows": {{after, ""}},
	"prerequisite": {{before, "for of"}, {after, ":"}}, "prerequisites": {{before, "for of"}, {after, ":"}},
	"before": {{before, ""}}, "block": {{before, ""}}, "blocks": {{before, ""}}, "unblocks": {{before, ""}},
	"precede": {{before, ""}}, "precedes": {{before, ""}},
	"required": {{before, "by for"}}, "needed": {{before, "by for"}}, "enable": {{before, ""}},
	"enables": {{before, ""}}, "then": {{before, ""}},
	"->": {{before, ""}}, "→": {{before, ""}}, "=>": {{before, ""}}, "⟶": {{before, ""}}, "<-": {{after, ""}}, "←": {{after, ""}},
}

// others are what numbers are of when they are of no task.
var others = map[string]bool{"phase": true, "phases": true, "story": true, "stories": true, "step": true, "steps": true,
	"section": true, "week": true, "day": true, "sprint": true, "version": true, "requirement": true,
	"requirements": true, "milestone": true}

// Order returns what a text says of which task comes after which. self is the task whose
// text it is, which is meant where no task is named; "" outside a task. Names of tasks
// that are like the known ones and unknown come back as they stand, for the caller to say
// so. Single numbers are names only behind the word "task" or in a list that tells what a
// task depends on.
func (k Known) Order(text, self string) []Pair {
	if !strings.ContainsAny(text, "0123456789") {
		return nil
	}
	s := sentence{known: k, self: self, seen: map[Pair]bool{}, tight: tight.MatchString(text)}
	words := orderWords(text)
	for i, w := range words {
		next := ""
		if i+1 < len(words) {
			next = words[i+1]
		}
		s.take(w, next)
	}
	s.settle()
	return s.pairs
}

// tight is an arrow with names on both sides and no blanks: commas are between chains then.
var tight = lazyregexp.New(`\d[a-z]?(?:→|->|=>)[A-Za-z]{0,10}[-_]?\d`)

// arrows are cues only where a name follows: others lead to a place or to words.
var arrows = map[string]bool{"->": true, "→": true, "=>": true, "⟶": true, "<-": true, "←": true}

// behind are words that follow the names of what comes first.
var behind = []string{"に依存", "에 의존", "에의존"}

// foreign are words that are read as one, of scripts that set no blanks between words.
var foreign = append([]string{"依赖", "依賴"}, behind...)

// pieces cuts a text into words, numbers of tasks, and the signs that matter here.
func orderWords(text string) []string {
	var list []string
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case c == '#' || isWord(c):
			n := i + 1
			for n < len(text) && (isWord(text[n]) || joins(text[i:n], text[n:])) {
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
			w := outside(text[i:])
			list, i = append(list, w), i+len(w)
		}
	}
	return list
}

// joins reports whether the sign that rest begins with belongs to the word before it: that
// of a name with a number, or the dash in write-before-read, which tells no order.
func joins(word, rest string) bool {
	if len(rest) < 2 || strings.IndexByte(".-_", rest[0]) < 0 {
		return false
	}
	if digit(rest[1]) {
		return glued(word, rest[0])
	}
	return rest[0] == '-' && isWord(rest[1]) && strings.IndexFunc(word, func(r rune) bool { return r >= '0' && r <= '9' }) < 0
}

// outside is the word or letter of another script that a text begins with.
func outside(text string) string {
	for _, w := range foreign {
		if strings.HasPrefix(text, w) {
			return w
		}
	}
	_, n := utf8.DecodeRuneInString(text)
	return text[:n]
}

func isWord(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || digit(c) }
func digit(c byte) bool  { return c >= '0' && c <= '9' }

// glued reports whether a sign between what was read and a number belongs to a name: the
// dot of 1.2, the dash of TASK-7; not the dash of T4-7.
func glued(read string, sign byte) bool {
	number := strings.ContainsAny(read, "0123456789")
	return number == (sign == '.')
}

// sentence is a text being read from left to right.
type sentence struct {
	known       Known
	self        string
	left, right []string
	order       int
	list        bool     // what follows is a list of tasks: single numbers name some
	task, other bool     // the word before says what a number is of
	span        bool     // from the name before to the next
	named       bool     // the word before is a name
	run         []string // the names just before
	tight       bool
	chain       bool // an arrow told the order
	pairs       []Pair
	seen        map[Pair]bool
}

func (s *sentence) take(w, next string) {
	low := strings.ToLower(w)
	if s.cue(low, next) {
		return
	}
	named := s.named
	s.named = false
	switch {
	case s.tight && s.chain && w == ",":
		s.settle()
		s.left, s.right, s.order, s.chain = nil, nil, 0, false
		return
	case slices.Contains(behind, w) && s.order == 0 && s.self != "":
		s.left, s.right, s.order = nil, s.run, after
		s.settle()
		s.left, s.right, s.order, s.run = nil, nil, 0, nil
		return
	case s.span && len(w) == 1 && w[0] >= 'a' && w[0] <= 'z':
		s.lettered(w[0])
		return
	case w == ";" || w == "." && (next == "" || strings.ToUpper(next[:1]) == next[:1] && !digit(next[0])):
		s.settle()
		s.left, s.right, s.order, s.list = nil, nil, 0, false
	case named && (slices.Contains([]string{"-", "–", "—", "to", "through"}, low) || strings.HasPrefix(low, "..")):
		s.span = true
		return
	case slices.Contains([]string{",", "and", "&", "+", "/", ":"}, low):
		return
	case digit(w[len(w)-1]) || len(w) > 1 && digit(w[len(w)-2]):
		s.name(w)
		return
	}
	s.span, s.run = false, nil
	s.task, s.other = low == "task" || low == "tasks", others[low]
}

// cue takes a word that tells an order.
func (s *sentence) cue(low, next string) bool {
	if arrows[low] && !strings.ContainsAny(next, "0123456789[{") && !strings.HasPrefix(strings.ToLower(next), "task") {
		return false
	}
	for _, c := range cues[low] {
		if c.next == "" || slices.Contains(strings.Fields(c.next), strings.ToLower(next)) {
			s.turn(c.order)
			s.list = strings.HasPrefix(low, "dep") || strings.HasPrefix(low, "blocked") ||
				strings.HasPrefix(low, "prereq") || strings.HasPrefix(low, "依")
			s.chain = arrows[low]
			return true
		}
	}
	return false
}

// lettered adds the names from the last one to that with another letter: T012a–c.
func (s *sentence) lettered(to byte) {
	side := &s.left
	if s.order != 0 {
		side = &s.right
	}
	s.span = false
	if len(*side) == 0 {
		return
	}
	last := (*side)[len(*side)-1]
	end := len(last) - 1
	for c := last[end] + 1; last[end] >= 'a' && c <= to; c++ {
		if id, ok := s.known.ids[Key(last[:end]+string(c))]; ok && len(*side) < most {
			*side = append(*side, id)
		}
	}
}

// turn settles what was said and begins what a word for an order says.
func (s *sentence) turn(order int) {
	s.settle()
	switch {
	case s.right == nil:
	case s.left == nil && s.self != "": // "depends on A, blocked by B" says both of the same task
		s.right = nil
	default:
		s.left, s.right = s.right, nil
	}
	s.order, s.span, s.named, s.task, s.other = order, false, false, false, false
}

func (s *sentence) settle() {
	left := s.left
	if len(left) == 0 && s.self != "" {
		left = []string{s.self}
	}
	for _, l := range left {
		for _, r := range s.right {
			p := Pair{Task: l, After: r}
			if s.order == before {
				p = Pair{Task: r, After: l}
			}
			if Key(l) != Key(r) && !s.seen[p] {
				s.seen[p] = true
				s.pairs = append(s.pairs, p)
			}
		}
	}
}

// most bounds how many names one side of an order has: more is not a sentence.
const most = 300

func (s *sentence) name(w string) {
	id, ok := s.known.ids[Key(w)]
	bare := letters(w) == ""
	switch {
	case s.other, bare && !strings.Contains(w, ".") && !s.task && !s.list:
		return // a number in passing
	case ok:
	case bare || !s.known.prefixes[letters(w)]:
		return
	default:
		id = w
	}
	side := &s.left
	if s.order != 0 {
		side = &s.right
	}
	if n := len(*side); s.span && n > 0 {
		*side = append(*side, s.known.between((*side)[n-1], id)...)
	}
	if len(*side) < most {
		*side = append(*side, id)
		s.run = append(s.run, id)
	}
	s.span, s.named = false, true
}

// between returns the ids from one to another, both left out, when both end in a number.
func (k Known) between(from, to string) []string {
	p := letters(from)
	a, err := strconv.Atoi(from[len(p):])
	b, berr := strconv.Atoi(to[len(letters(to)):])
	if err != nil || berr != nil || p != letters(to) || b-a > most {
		return nil
	}
	var list []string
	for n := a + 1; n < b; n++ {
		if id, ok := k.ids[Key(p+strconv.Itoa(n))]; ok {
			list = append(list, id)
		}
	}
	return list
}
