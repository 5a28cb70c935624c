package intent

import (
	"path"
	"strings"
)

// prefixSet has the first three letters of words, in lower case. bits is a sieve that is tested for
// every letter of every path; all is looked up only for what passes it.
type prefixSet struct {
	bits [1 << 15]bool
	all  map[[3]byte]bool
}

// nextIndex shifts a letter into the sieve's index: five bits of each of three letters, so that no
// two words of ASCII letters share an index, and others seldom do.
func nextIndex(at uint, c byte) uint { return (at<<5 | uint(c&31)) & (1<<15 - 1) }

func firstLetters(s string) [3]byte { return [3]byte{s[0] | 0x20, s[1] | 0x20, s[2] | 0x20} }

func (s *prefixSet) add(w string) {
	for _, part := range append(splitName(w), w) {
		if len(part) > 2 {
			s.bits[nextIndex(nextIndex(nextIndex(0, part[0]), part[1]), part[2])] = true
			s.all[firstLetters(part)] = true
		}
	}
}

// mayMatch is a fast test of whether the message can name a path: three letters in a row of its
// last three parts begin a word of the message. Most paths of a large repository fail it.
func (s *prefixSet) mayMatch(file string) bool {
	from := strings.LastIndexByte(file, '/')
	for up := 0; up < 2 && from > 0; up++ {
		from = strings.LastIndexByte(file[:from], '/')
	}
	name := file[from+1:]
	at := uint(0)
	for i := 0; i < len(name); i++ {
		if at = nextIndex(at, name[i]); i > 1 && s.bits[at] && s.all[firstLetters(name[i-2:])] {
			return true
		}
	}
	return len(name) < 4
}

// fillPrefixes records the prefixes that mayMatch looks up.
func (n *nouns) fillPrefixes() {
	n.prefixes = &prefixSet{all: map[[3]byte]bool{}}
	n.endings = map[string]bool{}
	for w := range n.literals {
		n.endings[path.Ext(w)] = true
		if strings.ContainsAny(w, "/:*") {
			n.literalPaths = append(n.literalPaths, w)
		}
		n.prefixes.add(w)
	}
	for w := range n.wordStems {
		n.prefixes.add(w)
	}
	for w := range strings.FieldsSeq(n.pasted) {
		n.prefixes.add(w)
	}
	for part, twin := range synonyms {
		if n.wordStems[Stem(twin)] {
			n.prefixes.add(part)
		}
	}
	for a, long := range shortForms {
		for w := range n.wordStems {
			if strings.HasPrefix(w, long) || strings.HasSuffix(w, long) {
				n.prefixes.add(a)
			}
		}
	}
}
