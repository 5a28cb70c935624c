package mention

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
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
		rest = id
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
	"depends": {{after, "on upon : **:"}}, "depend": {{after, "on upon :"}}, "dependent": {{after, "on upon"}}, "depending": {{after, "on upon"}},
	"dependencies": {{after, ": on"}}, "dependency": {{after, ": on"}}, "deps": {{after, ":"}}, "dep": {{after, ":"}},
	"blocked": {{after, "by"}}, "wait": {{after, "for on"}}, "waits": {{after, "for on"}}, "build": {{after, "on upon"}}, "builds": {{after, "on upon"}},
	"require": {{after, ""}}, "requires": {{after, ""}}, "need": {{after, ""}}, "needs": {{after, ""}}, "after": {{after, ""}}, "follow": {{after, ""}}, "follows": {{after, ""}},
	"prerequisite": {{before, "for of"}, {after, ":"}}, "prerequisites": {{before, "for of"}, {after, ":"}},
	"before": {{before, ""}}, "block": {{before, ""}}, "blocks": {{before, ""}}, "unblocks": {{before, ""}}, "precede": {{before, ""}}, "precedes": {{before, ""}},
	"required": {{before, "by for"}}, "needed": {{before, "by for"}}, "enable": {{before, ""}}, "enables": {{before, ""}}, "then": {{before, ""}},
	"->": {{before, ""}}, "→": {{before, ""}}, "=>": {{before, ""}}, "⟶": {{before, ""}}, "<-": {{after, ""}}, "←": {{after, ""}},
}

// others are what numbers are of when they are of no task.
var others = map[string]bool{"phase": true, "phases": true, "story": true, "stories": true, "step": true, "steps": true, "section": true, "week": true, "day": true, "sprint": true, "version": true, "requirement": true, "requirements": true, "milestone": true}

// Order gives what a text says of which task comes after which. self is the task whose
// text it is, which is meant where no task is named; "" outside of a task. Names of tasks
// that are like the known ones and unknown come back as they stand, for the caller to say
// so. Single numbers are names only behind the word "task" or in a list that tells what a
// task depends on.
func (k Known) Order(text, self string) []Pair {
	if !strings.ContainsAny(text, "0123456789") {
		return nil
	}
	s := sentence{known: k, self: self, seen: map[Pair]bool{}}
	words := pieces(text)
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

// pieces cuts a text into words, numbers of tasks, and the signs that matter here.
func pieces(text string) []string {
	var list []string
	for i := 0; i < len(text); {
		c := text[i]
		switch {
		case c == '#' || isWord(c):
			n := i + 1
			for n < len(text) && (isWord(text[n]) || (text[n] == '.' || text[n] == '-' || text[n] == '_') && n+1 < len(text) && digit(text[n+1]) && glued(text[i:n], text[n])) {
				n++
			}
			list, i = append(list, text[i:n]), n
		case c == ' ' || c == '*' || c == '`' || c == '\t' || c == '(' || c == ')' || c == '"':
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
			_, n := utf8.DecodeRuneInString(text[i:])
			list, i = append(list, text[i:i+n]), i+n
		}
	}
	return list
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
	list        bool // what follows is a list of tasks: single numbers name some
	task, other bool // the word before says what a number is of
	span        bool // from the name before to the next
	named       bool // the word before is a name
	pairs       []Pair
	seen        map[Pair]bool
}

func (s *sentence) take(w, next string) {
	low := strings.ToLower(w)
	for _, c := range cues[low] {
		if c.next == "" || slices.Contains(strings.Fields(c.next), strings.ToLower(next)) {
			s.turn(c.order)
			s.list = strings.HasPrefix(low, "dep") || low == "blocked" || strings.HasPrefix(low, "prereq")
			return
		}
	}
	named := s.named
	s.named = false
	switch {
	case w == ";" || w == "." && (next == "" || strings.ToUpper(next[:1]) == next[:1] && !digit(next[0])):
		s.settle()
		s.left, s.right, s.order, s.list = nil, nil, 0, false
	case named && (low == "-" || low == "–" || low == "—" || low == "to" || low == "through" || strings.HasPrefix(low, "..")):
		s.span = true
		return
	case low == "," || low == "and" || low == "&" || low == "+" || low == "/" || low == ":":
		return
	case digit(w[len(w)-1]) || len(w) > 1 && digit(w[len(w)-2]):
		s.name(w)
		return
	}
	s.span = false
	s.task, s.other = low == "task" || low == "tasks", others[low]
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

// most bounds how many names one side of an order has: more is no sentence.
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
	}
	s.span, s.named = false, true
}

// between gives the ids from one to another, both left out, when both end in a number.
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
