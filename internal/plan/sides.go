package plan

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"slices"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/count"
)

// Implementation is the code before and after a task. Changed are the paths that differ, Paths
// those of both trees, each once. Both trees are in memory.
type Implementation struct {
	Before, After  count.Tree
	Changed, Paths []string
}

// ReadImplementation reads two trees. It leaves out paths for which hide returns true: a plan is
// not an implementation.
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

// loadedTree is a count.Tree in memory.
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
		if count.LanguageOf(p) == "" { // nothing is counted in such a file: a hash is enough to find changes
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

// Read returns a file of the tree. A missing one is an error (CodeNotFound).
func (h *loadedTree) Read(p string) ([]byte, error) {
	text, there := h.text[p]
	if !there {
		return nil, belay.Refuse(belay.CodeNotFound, "name a file that exists there", "there is no %s", p)
	}
	return text, nil
}

// Changed returns the paths that differ between the two trees.
func (h *loadedTree) Changed() []string { return h.changed }
