package count

import (
	"bytes"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"
)

// ScanYAML returns the sequences and maps of a YAML text, with aliases and merge keys resolved. If the
// text is not YAML, it returns false, and the lists of the documents before the error.
func ScanYAML(src []byte) ([]*List, bool) {
	y := &yamlScanner{}
	dec := yaml.NewDecoder(bytes.NewReader(src))
	for {
		var doc yaml.Node
		if err := dec.Decode(&doc); err != nil {
			setEditorLines(src, y.lists)
			return y.lists, err.Error() == "EOF"
		}
		for _, n := range doc.Content {
			y.readNode(n, "", nil, 0)
		}
	}
}

// setEditorLines converts the lines of the lists to those that editors and git count. YAML also
// ends a line at a lone carriage return and at three Unicode characters.
func setEditorLines(src []byte, lists []*List) {
	const other = "\r\u0085\u2028\u2029"
	if !bytes.ContainsAny(src, other) {
		return
	}
	line, lines := 1, []int{1, 1} // lines[n] is the line of YAML's line n
	for i, r := range string(src) {
		switch {
		case r == '\n':
			line++
		case r == '\r' && i+1 < len(src) && src[i+1] == '\n', !strings.ContainsRune(other, r):
			continue
		}
		lines = append(lines, line)
	}
	at := func(n int) int { return lines[min(max(n, 0), len(lines)-1)] }
	for _, l := range lists {
		l.Line = at(l.Line)
		for i := range l.Items {
			l.Items[i].Line = at(l.Items[i].Line)
		}
	}
}

type yamlScanner struct{ lists []*List }

func (y *yamlScanner) readNode(n *yaml.Node, name string, path []string, depth int) {
	if depth > 40 || len(y.lists) > 500_000 {
		return
	}
	inner := path
	if name != "" {
		inner = append(append([]string(nil), path...), name)
	}
	switch n.Kind {
	case yaml.SequenceNode:
		l := y.addList(Array, name, path, n, depth)
		for i, c := range n.Content {
			l.Items = append(l.Items, Item{Label: Shorten(yamlLabel(c)), Line: c.Line, Col: c.Column})
			y.readNode(c, "["+strconv.Itoa(i)+"]", inner, depth+1)
		}
	case yaml.MappingNode:
		l := y.addList(Object, name, path, n, depth)
		for i := 0; i+1 < len(n.Content); i += 2 {
			key, value := n.Content[i], n.Content[i+1]
			if key.Value == "<<" && mergedNode(value) != nil {
				l.Items = append(l.Items, mergedItems(value)...)
				continue
			}
			l.Items = append(l.Items, Item{Label: Shorten(key.Value), Line: key.Line, Col: key.Column, IsKey: true})
			y.readNode(value, key.Value, inner, depth+1)
		}
	case yaml.AliasNode:
		if n.Alias != nil && name != "" && (n.Alias.Kind == yaml.SequenceNode || n.Alias.Kind == yaml.MappingNode) {
			l := y.addList(Array, name, path, n, depth)
			l.Items = aliasItems(n.Alias)
		}
	}
}

func (y *yamlScanner) addList(kind ListKind, name string, path []string, n *yaml.Node, depth int) *List {
	l := &List{Name: name, Path: path, Kind: kind, Line: n.Line, Col: n.Column, Depth: depth}
	y.lists = append(y.lists, l)
	return l
}

func mergedNode(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	if n == nil || n.Kind != yaml.MappingNode {
		return nil
	}
	return n
}

func mergedItems(n *yaml.Node) []Item {
	m := mergedNode(n)
	var out []Item
	for i := 0; m != nil && i+1 < len(m.Content); i += 2 {
		out = append(out, Item{Label: Shorten(m.Content[i].Value), Line: n.Line, Col: n.Column, IsKey: true})
	}
	return out
}

func aliasItems(n *yaml.Node) []Item {
	if n.Kind == yaml.MappingNode {
		return mergedItems(n)
	}
	var out []Item
	for _, c := range n.Content {
		out = append(out, Item{Label: Shorten(yamlLabel(c)), Line: c.Line, Col: c.Column})
	}
	return out
}

var yamlNaming = map[string]bool{"id": true, "name": true, "title": true, "slug": true, "key": true, "label": true, "q": true}

// yamlLabel returns the label of an item: its text, the value of a naming key, or its first value.
func yamlLabel(n *yaml.Node) string {
	for range 5 {
		switch n.Kind {
		case yaml.ScalarNode:
			return n.Value
		case yaml.AliasNode:
			return "*" + n.Value
		case yaml.MappingNode:
			for i := 0; i+1 < len(n.Content); i += 2 {
				if yamlNaming[n.Content[i].Value] && n.Content[i+1].Kind == yaml.ScalarNode {
					return n.Content[i+1].Value
				}
			}
			if len(n.Content) < 2 {
				return ""
			}
			n = n.Content[1]
		case yaml.SequenceNode:
			if len(n.Content) == 0 {
				return ""
			}
			n = n.Content[0]
		default:
			return ""
		}
	}
	return ""
}
