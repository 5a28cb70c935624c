package plan

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"slices"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/count"
)

// Sides are the implementation before and after. Changed are the paths that differ, Paths
// those of both sides, each once; the trees may be asked for all of them.
type Sides struct {
	Before, After  count.Tree
	Changed, Paths []string
}

// Compared makes Sides of two trees by reading both. Paths that hide tells to hide are in
// neither: a plan is not an implementation.
func Compared(before, after count.Tree, hide func(path string) bool) (*Sides, error) {
	b, err := hold(before, hide)
	if err != nil {
		return nil, fmt.Errorf("read the files before: %w", err)
	}
	a, err := hold(after, hide)
	if err != nil {
		return nil, fmt.Errorf("read the files after: %w", err)
	}
	s := &Sides{Before: b, After: a, Paths: slices.Concat(b.paths, a.paths)}
	slices.Sort(s.Paths)
	s.Paths = slices.Compact(s.Paths)
	for _, f := range s.Paths {
		was, there := b.text[f]
		is, still := a.text[f]
		if there != still || !bytes.Equal(was, is) {
			s.Changed = append(s.Changed, f)
		}
	}
	a.changed, b.changed = s.Changed, s.Changed
	return s, nil
}

// held is a tree that was read.
type held struct {
	paths   []string
	text    map[string][]byte
	changed []string
}

func hold(t count.Tree, hide func(string) bool) (*held, error) {
	paths, err := t.Paths()
	if err != nil {
		return nil, err
	}
	h := &held{text: make(map[string][]byte, len(paths))}
	for _, p := range paths {
		if hide(p) {
			continue
		}
		text, err := t.Read(p)
		if err != nil {
			return nil, err
		}
		if count.LanguageOf(p) == "" { // nothing is counted in it: only that it changed is asked for
			sum := sha256.Sum256(text)
			text = sum[:]
		}
		h.paths, h.text[p] = append(h.paths, p), text
	}
	slices.Sort(h.paths)
	return h, nil
}

// Paths returns the paths of the tree, sorted.
func (h *held) Paths() ([]string, error) { return h.paths, nil }

// Read returns a file of the tree.
func (h *held) Read(p string) ([]byte, error) {
	text, there := h.text[p]
	if !there {
		return nil, belay.Refuse(belay.CodeNotFound, "name a file that exists there", "there is no %s", p)
	}
	return text, nil
}

// Changed returns what differs between the two sides.
func (h *held) Changed() []string { return h.changed }
