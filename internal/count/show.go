package count

import (
	"io/fs"
	"path"

	"github.com/belay-dev/belay/internal/belay"
)

// CountedList is a list with its items, with references resolved, and its count.
type CountedList struct {
	List  *List
	Items []Item
	Count Count
}

// CountLists returns the lists of one file of a tree, with counts. Its error has belay.CodeNotFound
// for a missing file, and belay.CodeCannot for an unsupported language.
func CountLists(t Tree, p string) ([]CountedList, error) {
	w, err := newWorld(t)
	if err != nil {
		return nil, err
	}
	f := w.load(p)
	if !f.exists {
		return nil, belay.Refuse(belay.CodeNotFound, "check its path and permissions", "there is no file %s", p)
	}
	lists, imports, ok := ScanFile(p, f.src)
	if !ok {
		return nil, belay.Refuse(belay.CodeCannot, "check its syntax; docs/counting.md lists the languages that are counted",
			"the lists of %s cannot be counted", p)
	}
	f.lists, f.imports, f.isCounted = lists, imports, true
	out := make([]CountedList, 0, len(lists))
	for _, l := range lists {
		c := CountedList{List: l}
		c.Items, c.Count = w.expand(l)
		out = append(out, c)
	}
	return out, nil
}

// Folder returns a Tree of the files directly in one folder.
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

// SingleFile returns a Tree of one file.
func SingleFile(p string, text []byte) Tree { return singleFile{path.Clean(p), text} }

type singleFile struct {
	path string
	text []byte
}

func (t singleFile) Paths() ([]string, error) { return []string{t.path}, nil }

func (t singleFile) Read(string) ([]byte, error) { return t.text, nil }
