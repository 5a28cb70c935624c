package tasklist

import (
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/belay-dev/belay/internal/config"
)

// yamlFile is a YAML mapping and its problems.
type yamlFile struct {
	name string
	data []byte
	yaml *config.Reader
	root *yaml.Node
	keys map[string]*yaml.Node
}

func readYAML(name string, data []byte) (*yamlFile, error) {
	f := &yamlFile{name: name, data: data, yaml: &config.Reader{Max: MaxTaskYAML, Contents: "a task is a mapping of keys to values"}}
	f.root = f.yaml.Document(data)
	f.keys = f.keysOf(f.root)
	return f, f.problems()
}

func (f *yamlFile) problems() error {
	if len(f.yaml.Problems) == 0 {
		return nil
	}
	return &config.Problems{Name: f.name, List: f.yaml.Problems}
}

func (f *yamlFile) top() *yaml.Node {
	if f.root == nil {
		return &yaml.Node{Line: 1, Column: 1}
	}
	return f.root
}

// keysOf returns the values of a mapping by key; none for other nodes.
func (f *yamlFile) keysOf(n *yaml.Node) map[string]*yaml.Node {
	m := map[string]*yaml.Node{}
	if n == nil || n.Kind != yaml.MappingNode {
		return m
	}
	for k, v := range f.yaml.Pairs(n, "") {
		if f.yaml.Plain(v, k.Value) && !config.IsNull(v) {
			m[k.Value] = v
		}
	}
	return m
}

// below returns the mapping under a key.
func (f *yamlFile) below(key string) *yamlFile {
	return &yamlFile{yaml: f.yaml, keys: f.keysOf(f.keys[key])}
}

// text returns the value of the first of the keys with a scalar value.
func (f *yamlFile) text(keys ...string) string {
	for _, k := range keys {
		if v := f.keys[k]; v != nil && v.Kind == yaml.ScalarNode {
			return strings.TrimSpace(v.Value)
		}
	}
	return ""
}

// list returns the items of lists, and scalar values as items.
func (f *yamlFile) list(keys ...string) []string {
	var list []string
	for _, k := range keys {
		v := f.keys[k]
		switch {
		case v == nil:
		case v.Kind == yaml.ScalarNode:
			list = append(list, strings.TrimSpace(v.Value))
		case v.Kind == yaml.SequenceNode:
			for _, one := range v.Content {
				list = append(list, f.item(one))
			}
		}
	}
	return list
}

// ids returns the items of lists of names. A scalar may be such a list in a string, or a word for
// none.
func (f *yamlFile) ids(keys ...string) []string {
	var ids []string
	for _, one := range f.list(keys...) {
		for id := range strings.SplitSeq(strings.Trim(one, "[] "), ",") {
			id = strings.Trim(strings.TrimSpace(id), `"'`)
			switch strings.ToLower(id) {
			case "", "-", "—", "none", "n/a", "null":
			default:
				ids = appendNew(ids, id)
			}
		}
	}
	return ids
}

// item returns a list item as text. An item "name: value" without quotes is a mapping in YAML.
func (f *yamlFile) item(n *yaml.Node) string {
	switch {
	case !f.yaml.Plain(n, ""):
	case n.Kind == yaml.ScalarNode:
		return strings.TrimSpace(n.Value)
	case n.Kind == yaml.MappingNode:
		var all []string
		for k, v := range f.yaml.Pairs(n, "") {
			if v.Kind == yaml.ScalarNode && f.yaml.Plain(v, k.Value) {
				all = append(all, k.Value+": "+strings.TrimSpace(v.Value))
			}
		}
		return strings.Join(all, ", ")
	}
	return ""
}

// valuesOf returns the value of inner in each mapping of the list under key.
func (f *yamlFile) valuesOf(key, inner string) []string {
	var list []string
	v := f.keys[key]
	if v == nil || v.Kind != yaml.SequenceNode {
		return nil
	}
	for _, one := range v.Content {
		if inside := (&yamlFile{yaml: f.yaml, keys: f.keysOf(one)}).text(inner); inside != "" {
			list = append(list, inside)
		}
	}
	return list
}

// planSteps returns the steps of the plan, one on each line.
func (f *yamlFile) planSteps() string {
	v := f.keys["plan"]
	if v == nil || v.Kind != yaml.SequenceNode {
		return formatList("Plan", f.list("plan"))
	}
	var steps []string
	for _, one := range v.Content {
		if one.Kind != yaml.MappingNode {
			steps = append(steps, f.item(one))
			continue
		}
		step := &yamlFile{yaml: f.yaml, keys: f.keysOf(one)}
		if s := strings.TrimSpace(step.text("title") + ": " + step.text("details", "description")); s != ":" {
			steps = append(steps, strings.TrimSuffix(s, ":"))
		}
	}
	return formatList("Plan", steps)
}

// lane returns the lane of a work package: its own key, or else the last one of its history.
func (f *yamlFile) lane() string {
	if lane := f.text("lane", "status"); lane != "" {
		return lane
	}
	lanes := f.valuesOf("history", "lane")
	if len(lanes) == 0 {
		return ""
	}
	return lanes[len(lanes)-1]
}
