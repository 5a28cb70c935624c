package count

import (
	"strings"

	"github.com/belay-dev/belay/internal/syntax"
)

// ScanTOML returns the arrays, tables and arrays of tables of a TOML text.
func ScanTOML(src []byte) []*List {
	s := &toml{Reader: NewReader(src, syntax.TOML), byName: map[string]*List{}}
	for i := 0; i < len(s.Tokens); {
		end := i
		for end < len(s.Tokens) && s.Tokens[end].Kind != Newline {
			end = s.Next(end)
		}
		if i < end {
			s.readLine(i, end)
		}
		i = end + 1
	}
	return s.lists
}

type toml struct {
	*Reader
	lists  []*List
	byName map[string]*List
	table  []string
}

func (s *toml) readLine(lo, hi int) {
	if s.Is(lo, "[") && s.Tokens[lo].Kind == OpenBracket {
		inner := lo + 1
		array := s.Is(inner, "[")
		if array {
			inner++
		}
		s.readHeader(inner, array, lo)
		return
	}
	eq := lo
	for eq < hi && !s.Is(eq, "=") {
		eq++
	}
	if eq == lo || eq >= hi {
		return
	}
	key := strings.Trim(s.Range(lo, eq), `"'`)
	of := s.listAt(Object, s.table, lo)
	it := s.NewItem(key, lo)
	it.IsKey = true
	of.Items = append(of.Items, it)
	s.readValue(key, s.table, eq+1, 0)
}

// readHeader reads [a.b] and [[a.b]].
func (s *toml) readHeader(inner int, array bool, at int) {
	end := inner
	for end < len(s.Tokens) && s.Tokens[end].Kind != Close {
		end++
	}
	parts := strings.Split(s.Range(inner, end), ".")
	for i := range parts {
		parts[i] = strings.Trim(strings.TrimSpace(parts[i]), `"'`)
	}
	if len(parts) > 8 {
		parts = parts[len(parts)-8:]
	}
	if array {
		l := s.listAt(Array, parts, at)
		l.Items = append(l.Items, s.NewItem("", at))
		s.table = append(append([]string(nil), parts...), "["+Shorten(parts[len(parts)-1])+strings.Repeat("'", min(len(l.Items), 40))+"]")
		return
	}
	s.table = parts
	if len(parts) > 1 {
		of := s.listAt(Object, parts[:len(parts)-1], at)
		it := s.NewItem(parts[len(parts)-1], at)
		it.IsKey = true
		of.Items = append(of.Items, it)
	}
	s.listAt(Object, parts, at)
}

func (s *toml) listAt(kind ListKind, path []string, at int) *List {
	key := string(kind) + strings.Join(path, "\x00")
	if l := s.byName[key]; l != nil {
		return l
	}
	l := &List{Kind: kind, Line: int(s.Tokens[at].Line), Col: int(s.Tokens[at].Col), Depth: max(0, len(path)-1)}
	if len(path) > 0 {
		l.Name, l.Path = path[len(path)-1], path[:len(path)-1]
	}
	s.byName[key] = l
	s.lists = append(s.lists, l)
	return l
}

// readValue reads an array or an inline table, and its values.
func (s *toml) readValue(name string, path []string, at, depth int) {
	s.nameItem(name, path, at)
	if at >= len(s.Tokens) || s.Tokens[at].Kind != OpenBracket || depth > 20 {
		return
	}
	full := append(append([]string(nil), path...), name)
	kind := Array
	if s.Is(at, "{") {
		kind = Object
	}
	l := &List{Name: name, Path: path, Kind: kind, Line: int(s.Tokens[at].Line), Col: int(s.Tokens[at].Col), Depth: len(path)}
	s.lists = append(s.lists, l)
	end := int(s.Tokens[at].Match)
	for lo := at + 1; lo < end; {
		hi := lo
		for hi < end && !s.Is(hi, ",") {
			hi = s.Next(hi)
		}
		if lo < hi {
			l.Items = append(l.Items, s.NewItem(strings.Trim(s.Range(lo, min(hi, lo+12)), `"'`), lo))
			if s.Tokens[lo].Kind == OpenBracket {
				s.readValue("item", full, lo, depth+1)
			} else if s.Is(lo+1, "=") && lo+2 < hi {
				s.readValue(s.At(lo), full, lo+2, depth+1)
			}
		}
		lo = hi + 1
	}
}

// nameItem labels an item of an array of tables by the value of a naming key, or by its first
// string.
func (s *toml) nameItem(key string, path []string, at int) {
	if len(path) < 2 || at >= len(s.Tokens) || s.Tokens[at].Kind != String {
		return
	}
	if l := s.byName[string(Array)+strings.Join(path[:len(path)-1], "\x00")]; l != nil && len(l.Items) > 0 {
		it := &l.Items[len(l.Items)-1]
		if it.Label == "" || key == "name" || key == "id" {
			it.Label = Shorten(strings.Trim(s.At(at), `"'`))
		}
	}
}
