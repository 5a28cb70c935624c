package count

import (
	"hash/fnv"
	"io"
	"iter"
	"slices"
	"strings"
)

// ListKind is the kind of a list's items.
type ListKind string

// The kinds of lists.
const (
	Array        ListKind = "array"        // array, slice, tuple and set literals, JSON and YAML sequences
	Object       ListKind = "object"       // entries of object, map and dict literals, of JSON and YAML maps
	Elements     ListKind = "elements"     // JSX or HTML siblings with the same tag
	Rows         ListKind = "rows"         // table rows: HTML, Markdown, SQL values
	Columns      ListKind = "columns"      // columns of a table
	Enum         ListKind = "enum"         // members of an enum, of a block of constants, of a union of literals
	Cases        ListKind = "cases"        // cases of a switch or match
	Functions    ListKind = "functions"    // functions of a file
	Methods      ListKind = "methods"      // methods of a class, type or interface
	Fields       ListKind = "fields"       // fields of a struct, class or interface
	Calls        ListKind = "calls"        // statements of one block that call the same function
	Tests        ListKind = "tests"        // tests: functions or calls
	Rules        ListKind = "rules"        // CSS rules of one block
	Declarations ListKind = "declarations" // CSS declarations of one rule
	Properties   ListKind = "properties"   // CSS custom properties of one rule
	Bullets      ListKind = "bullets"      // items of one Markdown list
	Headings     ListKind = "headings"     // Markdown headings one level below another
	Types        ListKind = "types"        // classes, structs and other types of a file
)

// Item is an entry of a list. One with a Ref stands for all items of another list, an Unknown one
// for an unknown number of items.
type Item struct {
	Label   string `json:"label"`
	Line    int    `json:"line"`
	Col     int    `json:"col"`
	Ref     string `json:"ref,omitempty"`     // name of the list to insert here
	Unknown bool   `json:"unknown,omitempty"` // stands for an unknown number of items
	IsKey   bool   `json:"-"`                 // a later item with the same label replaces this one
	Sum     uint64 `json:"-"`                 // checksum of its tokens, without layout; 0 if not computed
}

// List is one list of a file.
type List struct {
	Name  string   // name in the code: a variable, key, heading, element, type
	Path  []string // names of what contains it, the outermost first; without Name
	Words []string // other words that identify it: types, ids, classes
	Kind  ListKind
	File  string
	Line  int
	Col   int
	Depth int // how many lists contain it
	Block int // block of its definition: two of the same name in one block are one
	Items []Item
}

// FullName returns the path and the name: EXERCISES.evening.
func (l *List) FullName() string {
	if len(l.Path) == 0 {
		return l.Name
	}
	return strings.Join(l.Path, ".") + "." + l.Name
}

// Count is the number of items of a list. Unknown are the labels of parts that could not be
// counted; counts with the same unknown parts can still be compared.
type Count struct {
	N       int      `json:"n"`
	Unknown []string `json:"unknown,omitempty"`
}

// IsKnown reports whether the number is complete.
func (c Count) IsKnown() bool { return len(c.Unknown) == 0 }

// Minus returns how many more items c has than from, and whether that is known.
func (c Count) Minus(from Count) (int, bool) {
	return c.N - from.N, slices.Equal(c.Unknown, from.Unknown)
}

// FindList returns the list that a name refers to within another list; nil for none.
type FindList func(name string, from *List) *List

// maxItems bounds the expansion of references: lists can refer to each other so that their length
// doubles at every step.
const maxItems = 200_000

// Expand returns the items of a list with references resolved, and its count. Entries with the same
// key count once.
func Expand(l *List, find FindList) ([]Item, Count) {
	e := expansion{find: find, active: map[*List]bool{}, done: map[*List][]Item{}}
	items := e.items(l)
	var c Count
	for _, it := range items {
		if it.Unknown {
			c.Unknown = append(c.Unknown, it.Label)
		} else {
			c.N++
		}
	}
	slices.Sort(c.Unknown)
	return items, c
}

type expansion struct {
	find   FindList
	active map[*List]bool
	done   map[*List][]Item
}

func (e *expansion) items(l *List) []Item {
	if items, ok := e.done[l]; ok {
		return items
	}
	e.active[l] = true
	defer delete(e.active, l)
	var out []Item
	for _, it := range l.Items {
		if it.Ref == "" {
			out = append(out, it)
			continue
		}
		out = append(out, e.resolve(it, l)...)
		if len(out) > maxItems {
			out = append(out[:maxItems], Item{Label: "too many to follow", Unknown: true})
			break
		}
	}
	out = uniqueItems(out)
	e.done[l] = out
	return out
}

func (e *expansion) resolve(it Item, from *List) []Item {
	unknown := []Item{{Label: it.Ref, Line: it.Line, Col: it.Col, Unknown: true}}
	if e.find == nil || len(e.active) > 100 {
		return unknown
	}
	l := e.find(it.Ref, from)
	if l == nil || e.active[l] {
		return unknown
	}
	return e.items(l)
}

func uniqueItems(items []Item) []Item {
	if !slices.ContainsFunc(items, func(it Item) bool { return it.IsKey }) {
		return items
	}
	seen, out := map[string]bool{}, items[:0:0]
	for _, it := range items {
		if it.IsKey && !it.Unknown {
			if seen[it.Label] {
				continue
			}
			seen[it.Label] = true
		}
		out = append(out, it)
	}
	return out
}

// Sum returns the checksum of an item's words or tokens.
func Sum(words iter.Seq[string]) uint64 {
	h := fnv.New64a()
	for w := range words {
		io.WriteString(h, w)
		h.Write([]byte{0})
	}
	return h.Sum64()
}

// Shorten returns source text as a label: white space collapsed, at most 60 bytes.
func Shorten(s string) string {
	if len(s) > 400 {
		s = s[:400]
	}
	s = strings.Join(strings.Fields(strings.ToValidUTF8(s, "")), " ")
	if len(s) > 60 {
		s = strings.ToValidUTF8(s[:57], "") + "..."
	}
	return s
}
