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

// File is a path to add to a tree. OID is raw bytes.
type File struct {
	Path string
	Mode uint32 // 0100644, 0100755 or 0120000; 040000 with the oid of a tree
	OID  string
}

// Tree builds the tree objects for a list of files. It returns the top one's name, in hex, and all
// of them. Files may be in any order; a path that is both a file and a folder is an error.
func (r *Repo) Tree(files []File) (string, []NewObject, error) {
	byPath := func(a, b File) int { return strings.Compare(a.Path, b.Path) }
	if !slices.IsSortedFunc(files, byPath) {
		slices.SortFunc(files, byPath)
	}
	return r.TreeOf(len(files), func(i int) File { return files[i] }, func(string) bool { return false })
}

// TreeOf is Tree for n files returned by at, sorted by path. A tree has no Data if has returns true
// for its hex name. Both functions are called by several goroutines.
func (r *Repo) TreeOf(n int, at func(int) File, has func(oid string) bool) (string, []NewObject, error) {
	top := subtree{to: n}
	top.build(&treeBuilder{repo: r, at: at, has: has}, 0)
	return hex.EncodeToString([]byte(top.oid)), top.trees, top.err
}

const (
	modeTree         = 0o40000
	modeFile         = 0o100644
	minParallelFiles = 512 // so many files get a goroutine of their own
)

// treeItem is a name in a tree: a file or a folder.
type treeItem struct {
	name   string
	mode   uint32
	oid    string // of a file
	folder *subtree
}

// subtree is a folder with the files from from up to, not including, to, and its result.
type subtree struct {
	from, to int
	oid      string
	trees    []NewObject
	err      error
}

// treeBuilder is the state of one goroutine that builds trees. Its memory is reused for each
// folder: most trees of a large repository are known, and only their names are needed.
type treeBuilder struct {
	repo  *Repo
	at    func(int) File
	has   func(oid string) bool
	items []treeItem // of the current folder, after those of its parents
	data  []byte
}

// build makes the trees of a folder; the paths of its files have the first skip bytes in common.
// Its subfolders are built in parallel, several small ones by one goroutine.
func (t *subtree) build(b *treeBuilder, skip int) {
	above := len(b.items)
	defer func() { b.items = b.items[:above] }()
	if t.err = b.splitFolder(t, skip); t.err != nil {
		return
	}
	items := b.items[above:]
	var all sync.WaitGroup
	for from, files, i := 0, 0, 0; i < len(items); i++ {
		if f := items[i].folder; f != nil {
			files += f.to - f.from
		}
		last := i == len(items)-1
		if files < minParallelFiles && !last {
			continue
		}
		some := items[from : i+1]
		if last {
			b.buildEach(some, skip)
		} else {
			all.Go(func() { (&treeBuilder{repo: b.repo, at: b.at, has: b.has}).buildEach(some, skip) })
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
	if b.data, t.err = encode(b.data[:0], items); t.err != nil {
		return
	}
	oid := b.repo.HashObject("tree", b.data)
	tree := NewObject{OID: oid, Type: "tree"}
	if !b.has(oid) {
		tree.Data = bytes.Clone(b.data)
	}
	t.trees = append(t.trees, tree)
	t.oid, t.err = unhex(oid)
}

func (b *treeBuilder) buildEach(items []treeItem, skip int) {
	for _, it := range items {
		if it.folder != nil {
			it.folder.build(b, skip+len(it.name)+1)
		}
	}
}

// splitFolder appends the entries of a folder to b.items, each subfolder with its files.
func (b *treeBuilder) splitFolder(t *subtree, skip int) error {
	for i := t.from; i < t.to; {
		f := b.at(i)
		name, rest, deep := strings.Cut(f.Path[skip:], "/")
		if name == "" || deep && rest == "" {
			return fmt.Errorf("build a tree: %q is not a path", f.Path)
		}
		if !deep {
			b.items = append(b.items, treeItem{name: name, mode: f.Mode, oid: f.OID})
			i++
			continue
		}
		prefix := f.Path[:skip+len(name)+1]
		folder := &subtree{from: i}
		for i++; i < t.to && strings.HasPrefix(b.at(i).Path, prefix); i++ {
		}
		folder.to = i
		b.items = append(b.items, treeItem{name: name, mode: modeTree, folder: folder})
	}
	return nil
}

// encode appends the bytes of a tree object. git sorts a folder as if its name ended in a slash, so
// a file of the same name may not be next to it: x, x.txt, x/y.
func encode(data []byte, items []treeItem) ([]byte, error) {
	if !slices.IsSortedFunc(items, compareTreeItems) {
		slices.SortFunc(items, compareTreeItems)
	}
	folders := map[string]bool{}
	for _, it := range items {
		if it.folder != nil {
			folders[it.name] = true
		}
	}
	for i, it := range items {
		if i > 0 && items[i-1].name == it.name || it.mode != modeTree && folders[it.name] {
			return data, fmt.Errorf("build a tree: %q is there twice", it.name)
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

func compareTreeItems(a, b treeItem) int {
	n := min(len(a.name), len(b.name))
	if c := strings.Compare(a.name[:n], b.name[:n]); c != 0 {
		return c
	}
	return cmp.Compare(a.sortByte(n), b.sortByte(n))
}

// sortByte returns the byte at i of a name in git's sort order: a folder's name ends in a slash.
func (t *treeItem) sortByte(i int) int {
	if i < len(t.name) {
		return int(t.name[i])
	} else if t.mode == modeTree {
		return '/'
	}
	return -1
}

var errTree = errors.New("it is not a tree")

// ParseTree parses the bytes of a tree object: mode, name, NUL and the name of an object,
// repeated. Paths are single names.
func ParseTree(data []byte, hashSize int) ([]TreeEntry, error) {
	var list []TreeEntry
	err := EachInTree(string(data), hashSize, func(mode uint32, name, raw string) {
		e := TreeEntry{Path: name, Mode: mode, OID: hex.EncodeToString([]byte(raw)), Type: "blob"}
		switch mode {
		case modeTree:
			e.Type = "tree"
		case 0o160000:
			e.Type = "commit"
		}
		list = append(list, e)
	})
	return list, err
}

// EachInTree calls f for each entry of a tree object, with its raw name; name and raw share data.
// If data is damaged, the entries before the damage are passed on.
func EachInTree(data string, hashSize int, f func(mode uint32, name, raw string)) error {
	for len(data) > 0 {
		head, rest, ok := strings.Cut(data, "\x00")
		mode, name, named := strings.Cut(head, " ")
		if !ok || !named || name == "" || len(rest) < hashSize {
			return errTree
		}
		bits, err := strconv.ParseUint(mode, 8, 32)
		if err != nil {
			return errTree
		}
		f(uint32(bits), name, rest[:hashSize])
		data = rest[hashSize:]
	}
	return nil
}
