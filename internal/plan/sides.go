package plan

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"slices"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/count"
)

// Implementation are the implementation before and after. Changed are the paths that differ, Paths
// those of both sides, each once; the trees may be asked for all of them.
type Implementation struct {
	Before, After  count.Tree
	Changed, Paths []string
}

// ReadImplementation makes Sides of two trees by reading both. Paths that hide tells to hide are in
// neither: a plan is not an implementation.
func ReadImplementation(before, after count.Tree, hide func(path string) bool) (*Implementation, error) {
	b, err := loadTree(before, hide)
	if err != nil {
		return nil, fmt.Errorf("read the files before: %w", err)
	}
	a, err := loadTree(after, hide)
	if err != nil {
		return nil, fmt.Errorf("read the files after: %w", err)
	}
	s := &Implementation{Before: b, After: a, Paths: slices.Concat(b.paths, a.paths)}
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

// loadedTree is a tree that was read.
type loadedTree struct {
	paths   []string
	text    map[string][]byte
	changed []string
}

func loadTree(t count.Tree, hide func(string) bool) (*loadedTree, error) {
	paths, err := t.Paths()
	if err != nil {
		return nil, err
	}
	h := &loadedTree{text: make(map[string][]byte, len(paths))}
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
func (h *loadedTree) Paths() ([]string, error) { return h.paths, nil }

// Read returns a file of the tree.
func (h *loadedTree) Read(p string) ([]byte, error) {
	text, there := h.text[p]
	if !there {
		return nil, belay.Refuse(belay.CodeNotFound, "name a file that exists there", "there is no %s", p)
	}
	return text, nil
}

// Changed returns what differs between the two sides.
func (h *loadedTree) Changed() []string { return h.changed }
