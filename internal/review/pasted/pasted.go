// Package pasted holds pasted output that waits for what the prose says of it: which of
// its places were taken or left, which lines it gives for a file, which place "the
// second" or "Totals" means. It decides nothing by itself and touches no file.
package pasted

import (
	"path"
	"strings"

	"github.com/belay-dev/belay/internal/review/names"
	"github.com/belay-dev/belay/internal/review/output"
	"github.com/belay-dev/belay/internal/review/spot"
	"github.com/belay-dev/belay/internal/review/talk"
)

// Place is a place in pasted output, with the tracked file it means, or "".
type Place struct {
	output.Place
	Tracked string
}

// Span is the lines of a place.
func (p Place) Span() spot.Span { return spot.Span{Start: p.Start, End: p.End} }

// complains tells a place that something is said to be wrong at.
func (p Place) complains() bool {
	return p.Tracked != "" && (p.Kind == output.Diagnostic || p.Kind == output.Panic)
}

// Block is one pasted block.
type Block struct {
	Unit     int
	Places   []Place
	Severity talk.Severity  // what was said before it
	settled  map[int]string // by place: why it is left, "" for taken
}

// New makes a block of a unit of the review.
func New(unit int, places []Place) *Block {
	return &Block{Unit: unit, Places: places, settled: map[int]string{}}
}

// Has tells whether a block names a tracked file in a role.
func (b *Block) Has(kind output.Kind) bool {
	for _, p := range b.Places {
		if p.Kind == kind && p.Tracked != "" {
			return true
		}
	}
	return false
}

// Spoken tells whether anything was said of a block.
func (b *Block) Spoken() bool { return len(b.settled) > 0 }

// Open tells whether nothing was said yet of the place at k.
func (b *Block) Open(k int) bool {
	_, settled := b.settled[k]
	return !settled
}

// Settle keeps why the place at k is left, or "" when it is taken.
func (b *Block) Settle(k int, why string) { b.settled[k] = why }

// Leave keeps why everything is left that nothing was said of.
func (b *Block) Leave(why string) {
	for n := range b.Places {
		if b.Open(n) {
			b.settled[n] = why
		}
	}
}

// Complaints are the open places that something is said to be wrong at.
func (b *Block) Complaints() []int { return b.where(Place.complains) }

// Hunks are the open hunks of a diff.
func (b *Block) Hunks() []int {
	return b.where(func(p Place) bool { return p.Kind == output.Hunk && p.Tracked != "" })
}

func (b *Block) where(fits func(Place) bool) []int {
	var out []int
	for k, p := range b.Places {
		if b.Open(k) && fits(p) {
			out = append(out, k)
		}
	}
	return out
}

// Deepest is the innermost frame of a trace that is in the repository and no test, or -1.
func (b *Block) Deepest() int {
	at := -1
	for k, p := range b.Places {
		if p.Kind == output.Frame && p.Tracked != "" && !names.IsTest(p.Tracked) && (at < 0 || p.Last) {
			at = k
		}
	}
	return at
}

// At is a place in one of several blocks.
type At struct {
	*Block
	K int
}

// Picked are the open complaints that some of the words tell from the others: "the
// warning", "the unused import". It is false when the words tell none from the rest.
func Picked(blocks []*Block, words []string) (picked []At, ok bool) {
	var all []At
	for _, b := range blocks {
		for k, p := range b.Places {
			if p.complains() {
				all = append(all, At{b, k})
			}
		}
	}
	if len(all) < 2 || len(all) > 200 {
		return nil, false
	}
	best := 0
	counts := make([]int, len(all))
	for _, w := range words {
		var with []int
		for n, a := range all {
			if contains(a.Places[a.K].Text, w) {
				with = append(with, n)
			}
		}
		if len(with) == len(all) {
			continue
		}
		for _, n := range with {
			counts[n]++
			best = max(best, counts[n])
		}
	}
	for n, a := range all {
		if best > 0 && counts[n] == best && a.Open(a.K) {
			picked = append(picked, a)
		}
	}
	return picked, best > 0
}

// contains tells a whole word in a line, whatever its case; an error may be told by its
// first letter, and a plural stands for one.
func contains(line, word string) bool {
	line = strings.ToLower(apart(line))
	word = strings.TrimSuffix(word, "s")
	for at := 0; word != ""; {
		i := strings.Index(line[at:], word)
		if i < 0 {
			break
		}
		i += at
		before := i == 0 || !letter(line[i-1])
		rest := strings.TrimPrefix(line[i+len(word):], "s")
		after := rest == "" || !letter(rest[0])
		if before && after {
			return true
		}
		at = i + len(word)
	}
	if word == "error" || word == "warning" {
		start := strings.TrimLeft(line, " [")
		return strings.HasPrefix(start, word[:1]+":") || strings.HasPrefix(start, word[:1]+" ") || strings.HasPrefix(start, word[:4]+"]")
	}
	return false
}

// apart sets the words of DeadStores apart: tools name their rules so.
func apart(line string) string {
	var out strings.Builder
	for i := 0; i < len(line); i++ {
		if i > 0 && line[i] >= 'A' && line[i] <= 'Z' && line[i-1] >= 'a' && line[i-1] <= 'z' {
			out.WriteByte(' ')
		}
		out.WriteByte(line[i])
	}
	return out.String()
}

func letter(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || c == '_' || c >= 0x80
}

// Nth finds the complaint that a number counts, -1 for the last; false when there is none.
func Nth(blocks []*Block, which int) (At, bool) {
	var all []At
	for _, b := range blocks {
		for k, p := range b.Places {
			if p.complains() {
				all = append(all, At{b, k})
			}
		}
	}
	if which < 0 {
		which = len(all)
	}
	if which > len(all) || which == 0 {
		return At{}, false
	}
	return all[which-1], true
}

// Stem finds the place whose file is named like a word: "Totals" is Totals.php. A rule
// named in passing is none.
func Stem(blocks []*Block, word string) (Place, bool) {
	for _, b := range blocks {
		for _, p := range b.Places {
			if p.Tracked != "" && p.Kind != output.Aside && strings.ToLower(names.Stem(path.Base(p.Tracked))) == word {
				return p, true
			}
		}
	}
	return Place{}, false
}

// Lines takes the lines that waiting output gives for a file the prose names: the
// innermost frame of the last trace with it, else every complaint and hunk there.
func Lines(blocks []*Block, p string) []spot.Span {
	for n := len(blocks) - 1; n >= 0; n-- {
		b := blocks[n]
		var spans []spot.Span
		for k, place := range b.Places {
			if !b.Open(k) || place.Tracked != p || place.Start == 0 {
				continue
			}
			if place.Kind == output.Frame || place.Kind == output.Panic {
				if place.Last {
					spans = []spot.Span{place.Span()}
					continue
				}
				return []spot.Span{place.Span()}
			}
			if place.Kind == output.Diagnostic || place.Kind == output.Hunk {
				b.settled[k] = ""
				spans = append(spans, place.Span())
			}
		}
		if len(spans) > 0 {
			return spans
		}
	}
	return nil
}

// Waiting keeps the blocks that nothing was said of yet.
func Waiting(blocks []*Block) []*Block {
	keep := blocks[:0]
	for _, b := range blocks {
		if !b.Spoken() {
			keep = append(keep, b)
		}
	}
	return keep
}
