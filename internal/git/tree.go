package git

import (
	"bytes"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
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
	b := treeBuilder{r: r}
	oid, err := b.folder(files, 0)
	return hex.EncodeToString([]byte(oid)), b.out, err
}

type treeBuilder struct {
	r   *Repo
	out []NewObject
}

// folder builds the tree of files that share their first skip bytes of path.
func (b *treeBuilder) folder(files []File, skip int) (string, error) {
	type item struct {
		name string
		mode uint32
		oid  string
	}
	var items []item
	folders := map[string]bool{} // a file of the same name may stand elsewhere: x, x.txt, x/y
	for i := 0; i < len(files); {
		name, rest, deep := strings.Cut(files[i].Path[skip:], "/")
		if name == "" || deep && rest == "" {
			return "", fmt.Errorf("build a tree: %q is no path", files[i].Path)
		}
		if !deep {
			items = append(items, item{name, files[i].Mode, files[i].OID})
			i++
			continue
		}
		prefix := files[i].Path[:skip+len(name)+1]
		j := i
		for j < len(files) && strings.HasPrefix(files[j].Path, prefix) {
			j++
		}
		oid, err := b.folder(files[i:j], len(prefix))
		if err != nil {
			return "", err
		}
		items = append(items, item{name, 0o40000, oid})
		folders[name] = true
		i = j
	}
	// git sorts a folder as if its name ended in a slash.
	key := func(it item) string {
		if it.mode == 0o40000 {
			return it.name + "/"
		}
		return it.name
	}
	slices.SortFunc(items, func(a, b item) int { return strings.Compare(key(a), key(b)) })
	data := make([]byte, 0, 64*len(items))
	for i, it := range items {
		if i > 0 && items[i-1].name == it.name || it.mode != 0o40000 && folders[it.name] {
			return "", fmt.Errorf("build a tree: %q is there twice", it.name)
		}
		data = strconv.AppendUint(data, uint64(it.mode), 8)
		data = append(append(append(append(data, ' '), it.name...), 0), it.oid...)
	}
	oid := b.r.Name("tree", data)
	b.out = append(b.out, NewObject{OID: oid, Type: "tree", Data: data})
	return unhex(oid)
}

var errTree = errors.New("it is no tree")

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
