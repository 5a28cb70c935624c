package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"
)

// Reader parses one file and collects its problems.
type Reader struct {
	Max      int    // maximum size of the file in bytes; a multiple of 1024
	Contents string // the message if the top of the file is not a mapping
	Problems []Problem
}

// Complain adds a problem at the place of n and returns it, so that the caller can complete it.
func (r *Reader) Complain(n *yaml.Node, key, format string, args ...any) *Problem {
	r.Problems = append(r.Problems, Problem{Line: n.Line, Column: n.Column, Key: key, Text: fmt.Sprintf(format, args...)})
	return &r.Problems[len(r.Problems)-1]
}

// Document returns the mapping at the top of data, nil if there is none or if it has a problem.
func (r *Reader) Document(data []byte) *yaml.Node {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if !r.readable(data) {
		return nil
	}
	var first, second yaml.Node
	loader, err := yaml.NewLoader(bytes.NewReader(data))
	if err == nil {
		err = loader.Load(&first)
	}
	if err == nil {
		err = loader.Load(&second)
	}
	switch {
	case err == nil:
		r.Complain(top(&second), "", "a second YAML document begins here: only one is allowed")
	case !errors.Is(err, io.EOF):
		r.syntax(data, err)
		return nil
	}
	root := top(&first)
	switch {
	case root.Kind == 0, IsNull(root):
		return nil
	case !r.Plain(root, ""):
		return nil
	case root.Kind != yaml.MappingNode:
		r.Complain(root, "", "%s", r.Contents)
		return nil
	}
	return root
}

func top(doc *yaml.Node) *yaml.Node {
	if doc.Kind == yaml.DocumentNode && len(doc.Content) > 0 {
		return doc.Content[0]
	}
	return doc
}

// readable reports what the YAML parser would reject without a position.
func (r *Reader) readable(data []byte) bool {
	if len(data) > r.Max {
		r.Complain(&yaml.Node{}, "", "it is larger than %d KiB", r.Max>>10)
		return false
	}
	line, start := 1, 0
	for i := 0; i < len(data); {
		c, n := utf8.DecodeRune(data[i:])
		bad := ""
		switch {
		case c == utf8.RuneError && n == 1:
			bad = "this is not UTF-8"
		case c < ' ' && c != '\t' && c != '\n' && c != '\r', c >= 0x7f && c < 0xa0:
			bad = "this is a control character"
		}
		if bad != "" {
			r.Complain(&yaml.Node{Line: line, Column: utf8.RuneCount(data[start:i]) + 1}, "", "%s", bad)
			return false
		}
		if i += n; c == '\n' {
			line, start = line+1, i
		}
	}
	return true
}

// syntax converts an error of the YAML parser to a problem with a position.
func (r *Reader) syntax(data []byte, err error) {
	at, text := &yaml.Node{}, err.Error()
	var load *yaml.LoadError
	if errors.As(err, &load) {
		at.Line, at.Column, text = load.Mark.Line, load.Mark.Column, load.Message
		if load.ContextMsg != "" {
			text = load.ContextMsg + ", " + text
		}
	}
	lines := strings.Split(string(data), "\n")
	for _, n := range []int{at.Line, at.Line - 1} {
		if n < 1 || n > len(lines) {
			continue
		}
		l := lines[n-1]
		if indent := l[:len(l)-len(strings.TrimLeft(l, " \t"))]; strings.Contains(indent, "\t") {
			at.Line, at.Column, text = n, strings.Index(l, "\t")+1, "YAML is indented with spaces, and this is a tab"
			break
		}
	}
	r.Complain(at, "", "%s", text)
}

// IsNull reports whether a key has no value.
func IsNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" }

// Plain reports anchors, aliases and tags, which would put a value elsewhere than at its key.
func (r *Reader) Plain(n *yaml.Node, key string) bool {
	switch {
	case n.Kind == yaml.AliasNode:
		r.Complain(n, key, "aliases are not supported: write the value here")
	case n.Anchor != "":
		r.Complain(n, key, "anchors are not supported: remove &%s", n.Anchor)
	case n.Style&yaml.TaggedStyle != 0:
		r.Complain(n, key, "tags are not supported: remove %s", n.Tag)
	default:
		return true
	}
	return false
}

// Pairs returns the keys of a mapping with their values, in the order of the file; prefix is put
// before their names in problems. A key that is not a plain word, or a duplicate, is a problem and
// left out.
func (r *Reader) Pairs(n *yaml.Node, prefix string) iter.Seq2[*yaml.Node, *yaml.Node] {
	return func(yield func(k, v *yaml.Node) bool) {
		first := map[string]int{}
		for i := 0; i+1 < len(n.Content); i += 2 {
			k, v := n.Content[i], n.Content[i+1]
			name := prefix + k.Value
			if !r.Plain(k, name) {
				continue
			}
			if k.Kind != yaml.ScalarNode {
				r.Complain(k, "", "a key must be a plain word")
				continue
			}
			if line, twice := first[name]; twice {
				r.Complain(k, name, "it is set twice, first in line %d", line)
				continue
			}
			first[name] = k.Line
			if !yield(k, v) {
				return
			}
		}
	}
}
