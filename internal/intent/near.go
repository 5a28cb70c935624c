package intent

import (
	"path"
	"strings"
)

// starts are the first three letters of words, in lower case. The sieve is asked for every letter of
// every path; only what falls through it is looked up.
type starts struct {
	sieve [1 << 15]bool
	all   map[[3]byte]bool
}

// slide moves the sieve's place on by a letter: five bits of each of three, so that no two words of
// ASCII letters share one, and marks and digits seldom do.
func slide(at uint, c byte) uint { return (at<<5 | uint(c&31)) & (1<<15 - 1) }

func firstLetters(s string) [3]byte { return [3]byte{s[0] | 0x20, s[1] | 0x20, s[2] | 0x20} }

func (s *starts) note(w string) {
	for _, part := range append(nameParts(w), w) {
		if len(part) > 2 {
			s.sieve[slide(slide(slide(0, part[0]), part[1]), part[2])] = true
			s.all[firstLetters(part)] = true
		}
	}
}

// near reports quickly that a path may be named at all: three letters in a row of its
// last three parts begin a word of the message. Most of a large repository is not.
func (s *starts) near(file string) bool {
	from := strings.LastIndexByte(file, '/')
	for up := 0; up < 2 && from > 0; up++ {
		from = strings.LastIndexByte(file[:from], '/')
	}
	name := file[from+1:]
	at := uint(0)
	for i := 0; i < len(name); i++ {
		if at = slide(at, name[i]); i > 1 && s.sieve[at] && s.all[firstLetters(name[i-2:])] {
			return true
		}
	}
	return len(name) < 4
}

// starting notes how the words begin that near looks for.
func (n *nouns) starting() {
	n.starts = &starts{all: map[[3]byte]bool{}}
	n.endings = map[string]bool{}
	for w := range n.literal {
		n.endings[path.Ext(w)] = true
		if strings.ContainsAny(w, "/:*") {
			n.placed = append(n.placed, w)
		}
		n.starts.note(w)
	}
	for w := range n.word {
		n.starts.note(w)
	}
	for w := range strings.FieldsSeq(n.pasted) {
		n.starts.note(w)
	}
	for part, twin := range twins {
		if n.word[Stem(twin)] {
			n.starts.note(part)
		}
	}
	for a, long := range shortForms {
		for w := range n.word {
			if strings.HasPrefix(w, long) || strings.HasSuffix(w, long) {
				n.starts.note(a)
			}
		}
	}
}
