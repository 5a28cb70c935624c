package count

import (
	"hash/fnv"
	"io"
	"iter"
	"slices"
	"strings"
)

// Kind says what a list is made of.
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

// Item is one entry of a list. One with a Ref stands for all items of another list,
// one that is Unknown for a number of items that the source does not tell.
type Item struct {
	Label   string `json:"label"`
	Line    int    `json:"line"`
	Col     int    `json:"col"`
	Ref     string `json:"ref,omitempty"`     // the name of the list whose items belong here
	Unknown bool   `json:"unknown,omitempty"` // how many items this is cannot be told
	IsKey   bool   `json:"-"`                 // a later item with the same label replaces this one
	Sum     uint64 `json:"-"`                 // a sum of what it says, whatever its layout; 0 where nobody made one
}

// List is one list of a file.
type List struct {
	Name  string   // how the code names it: a variable, key, heading, element, type
	Path  []string // what it is in, from the outside; without Name
	Words []string // further words that tell which list it is: types, ids, classes
	Kind  ListKind
	File  string
	Line  int
	Col   int
	Depth int // how many lists it is in
	Block int // where it was defined: two of the same name in one block are one
	Items []Item
}

// FullName returns the path and the name as one: EXERCISES.evening.
func (l *List) FullName() string {
	if len(l.Path) == 0 {
		return l.Name
	}
	return strings.Join(l.Path, ".") + "." + l.Name
}

// Count is how many items a list comes to. Unknown holds what could not be counted; two
// counts with the same unknown parts can still be compared.
type Count struct {
	N       int      `json:"n"`
	Unknown []string `json:"unknown,omitempty"`
}

// IsKnown reports whether the number is all there is.
func (c Count) IsKnown() bool { return len(c.Unknown) == 0 }

// Minus returns how many more items c has than from, and whether that can be told.
func (c Count) Minus(from Count) (int, bool) {
	return c.N - from.N, slices.Equal(c.Unknown, from.Unknown)
}

// FindList gives the list that a name means, seen from another list; nil for none.
type FindList func(name string, from *List) *List

// maxItems bounds what references can come to: lists can refer to each other in ways
// that double at every step.
const maxItems = 200_000

// Expand returns the items of a list with references followed, and its count. Entries
// with the same key count once.
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

// Sum makes an item's Says of its words, tokens or fields of source text.
func Sum(words iter.Seq[string]) uint64 {
	h := fnv.New64a()
	for w := range words {
		io.WriteString(h, w)
		h.Write([]byte{0})
	}
	return h.Sum64()
}

// Shorten makes a label of source text: white space folded, at most 60 bytes.
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
