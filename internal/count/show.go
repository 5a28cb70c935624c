package count

import (
	"io/fs"
	"path"

	"github.com/belay-dev/belay/internal/belay"
)

// Counted is a list with its items, references followed, and its count.
type Counted struct {
	List  *List
	Items []Item
	Count Count
}

// Show returns the lists of one file of a tree, counted. It refuses with
// belay.CodeNotFound a file that is not there, and with belay.CodeCannot one in a
// language that is not counted.
func Show(t Tree, p string) ([]Counted, error) {
	w, err := newWorld(t)
	if err != nil {
		return nil, err
	}
	f := w.raw(p)
	if !f.exists {
		return nil, belay.Refuse(belay.CodeNotFound, "check its path and permissions", "there is no file %s", p)
	}
	lists, imports, ok := Lists(p, f.src)
	if !ok {
		return nil, belay.Refuse(belay.CodeCannot, "docs/counting.md lists the languages that are counted",
			"the lists of %s cannot be counted", p)
	}
	f.lists, f.imports, f.counted = lists, imports, true
	out := make([]Counted, 0, len(lists))
	for _, l := range lists {
		c := Counted{List: l}
		c.Items, c.Count = w.expand(l)
		out = append(out, c)
	}
	return out, nil
}

// Folder makes a Tree of the files of one folder, without those in folders below it.
func Folder(files fs.FS) Tree { return folder{fsTree{files}} }

type folder struct{ fsTree }

func (t folder) Paths() ([]string, error) {
	entries, err := fs.ReadDir(t.files, ".")
	var out []string
	for _, e := range entries {
		if e.Type().IsRegular() {
			out = append(out, e.Name())
		}
	}
	return out, err
}

// One makes a Tree of one file.
func One(p string, text []byte) Tree { return one{path.Clean(p), text} }

type one struct {
	path string
	text []byte
}

func (t one) Paths() ([]string, error) { return []string{t.path}, nil }

func (t one) Read(string) ([]byte, error) { return t.text, nil }
