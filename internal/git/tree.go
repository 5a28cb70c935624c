package git

import (
	"bytes"
	"cmp"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// File is a path to be put into a tree. OID is raw bytes.
type File struct {
	Path string
	Mode uint32 // 0100644, 0100755 or 0120000; 040000 with the oid of a tree
	OID  string
}

// Tree builds the tree objects for a list of files and gives the top one's name, in
// hex, and all of them. Files may come in any order; a path that is a file and a folder at
// once is an error.
func (r *Repo) Tree(files []File) (string, []NewObject, error) {
	byPath := func(a, b File) int { return strings.Compare(a.Path, b.Path) }
	if !slices.IsSortedFunc(files, byPath) {
		slices.SortFunc(files, byPath)
	}
	top := subtree{files: files}
	top.build(r, 0)
	return hex.EncodeToString([]byte(top.oid)), top.trees, top.err
}

const (
	modeTree = 0o40000
	modeFile = 0o100644
	apart    = 512 // files are worth a goroutine of their own
)

// treeItem is a name in a tree: a file, or what a folder comes to.
type treeItem struct {
	name   string
	mode   uint32
	oid    string // of a file
	folder *subtree
}

// subtree is a folder with the files below it, and what is built for it.
type subtree struct {
	files []File
	oid   string
	trees []NewObject
	err   error
}

// build makes the trees of a folder whose files share their first skip bytes of path.
// The folders in it are built side by side, small ones several by one goroutine.
func (t *subtree) build(r *Repo, skip int) {
	items, err := split(t.files, skip)
	if err != nil {
		t.err = err
		return
	}
	var all sync.WaitGroup
	for from, files, i := 0, 0, 0; i < len(items); i++ {
		if f := items[i].folder; f != nil {
			files += len(f.files)
		}
		last := i == len(items)-1
		if files < apart && !last {
			continue
		}
		some := items[from : i+1]
		if last {
			buildEach(r, some, skip)
		} else {
			all.Go(func() { buildEach(r, some, skip) })
		}
		from, files = i+1, 0
	}
	all.Wait()
	for i := range items {
		f := items[i].folder
		if f == nil {
			continue
		}
		if f.err != nil {
			t.err = f.err
			return
		}
		t.trees, items[i].oid = append(t.trees, f.trees...), f.oid
	}
	data, err := encode(items)
	if err != nil {
		t.err = err
		return
	}
	oid := r.Name("tree", data)
	t.trees = append(t.trees, NewObject{OID: oid, Type: "tree", Data: data})
	t.oid, t.err = unhex(oid)
}

func buildEach(r *Repo, items []treeItem, skip int) {
	for _, it := range items {
		if it.folder != nil {
			it.folder.build(r, skip+len(it.name)+1)
		}
	}
}

// split returns what is in a folder, each folder in it with its files.
func split(files []File, skip int) ([]treeItem, error) {
	items := make([]treeItem, 0, min(len(files), 256))
	for i := 0; i < len(files); {
		name, rest, deep := strings.Cut(files[i].Path[skip:], "/")
		if name == "" || deep && rest == "" {
			return nil, fmt.Errorf("build a tree: %q is not a path", files[i].Path)
		}
		if !deep {
			items = append(items, treeItem{name: name, mode: files[i].Mode, oid: files[i].OID})
			i++
			continue
		}
		prefix := files[i].Path[:skip+len(name)+1]
		j := i
		for j < len(files) && strings.HasPrefix(files[j].Path, prefix) {
			j++
		}
		items = append(items, treeItem{name: name, mode: modeTree, folder: &subtree{files: files[i:j]}})
		i = j
	}
	return items, nil
}

// encode returns the bytes of a tree object. git sorts a folder as if its name ended in a
// slash, so that a file of the same name may stand elsewhere: x, x.txt, x/y.
func encode(items []treeItem) ([]byte, error) {
	if !slices.IsSortedFunc(items, asGitSorts) {
		slices.SortFunc(items, asGitSorts)
	}
	folders, size := map[string]bool{}, 0
	for _, it := range items {
		size += len("100644 \x00") + len(it.name) + len(it.oid)
		if it.folder != nil {
			folders[it.name] = true
		}
	}
	data := make([]byte, 0, size)
	for i, it := range items {
		if i > 0 && items[i-1].name == it.name || it.mode != modeTree && folders[it.name] {
			return nil, fmt.Errorf("build a tree: %q is there twice", it.name)
		}
		if it.mode == modeFile {
			data = append(data, "100644"...)
		} else {
			data = strconv.AppendUint(data, uint64(it.mode), 8)
		}
		data = append(append(append(append(data, ' '), it.name...), 0), it.oid...)
	}
	return data, nil
}

func asGitSorts(a, b treeItem) int {
	n := min(len(a.name), len(b.name))
	if c := strings.Compare(a.name[:n], b.name[:n]); c != 0 {
		return c
	}
	return cmp.Compare(a.sign(n), b.sign(n))
}

// sign returns the byte of a name at i as git sorts it: a slash ends a folder's.
func (t *treeItem) sign(i int) int {
	if i < len(t.name) {
		return int(t.name[i])
	} else if t.mode == modeTree {
		return '/'
	}
	return -1
}

var errTree = errors.New("it is not a tree")

// ParseTree reads the bytes of a tree object: mode, name, NUL and the name of an object,
// again and again. Paths are single names.
func ParseTree(data []byte, hashSize int) ([]TreeEntry, error) {
	var list []TreeEntry
	for len(data) > 0 {
		head, rest, ok := bytes.Cut(data, []byte{0})
		mode, name, named := strings.Cut(string(head), " ")
		if !ok || !named || name == "" || len(rest) < hashSize {
			return nil, errTree
		}
		bits, err := strconv.ParseUint(mode, 8, 32)
		if err != nil {
			return nil, errTree
		}
		e := TreeEntry{Path: name, Mode: uint32(bits), OID: hex.EncodeToString(rest[:hashSize]), Type: "blob"}
		switch e.Mode {
		case 0o40000:
			e.Type = "tree"
		case 0o160000:
			e.Type = "commit"
		}
		list, data = append(list, e), rest[hashSize:]
	}
	return list, nil
}
