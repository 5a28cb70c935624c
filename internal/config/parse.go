package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"go.yaml.in/yaml/v4"

	"github.com/belay-dev/belay/internal/belay"
)

// Problem is one thing that is wrong with a config. Line and Column count from 1, and
// are 0 for the file as a whole. Key is dotted, "" when the problem is about none.
type Problem struct {
	Line    int    `json:"line,omitempty"`
	Column  int    `json:"column,omitempty"`
	Key     string `json:"key,omitempty"`
	Text    string `json:"text"`
	Nearest string `json:"nearest,omitempty"` // the key that was probably meant
}

// Problems is everything that is wrong with a config, in the order of the file.
type Problems struct {
	Name string // of the file
	List []Problem
}

// Error gives each problem on a line of its own: path:line:column, key, what and what
// was probably meant.
func (p *Problems) Error() string {
	var all strings.Builder
	for _, one := range p.List {
		if len(p.List) > 1 {
			all.WriteString("\n  ")
		}
		all.WriteString(one.sentence(p.Name))
	}
	return all.String()
}

func (p Problem) sentence(name string) string {
	s := name
	if p.Line > 0 {
		s = fmt.Sprintf("%s:%d:%d", name, p.Line, p.Column)
	}
	if p.Key != "" {
		s += ": " + cut(p.Key)
	}
	s += ": " + belay.VisibleLine(p.Text)
	if p.Nearest != "" {
		s += " (did you mean " + p.Nearest + "?)"
	}
	return s
}

// Parse reads a config; name is its path as people know it. No data is the defaults.
// The error (belay.CodeUsage) wraps *Problems with all that is wrong: unknown keys with
// the nearest right one, values of a wrong kind, keys that are set twice, and what is
// not YAML, not UTF-8 or beyond MaxSize. Anchors, aliases, tags and merge keys are
// refused: a config is read by people, who should find a value where its key is.
func Parse(name string, data []byte) (Config, error) {
	if name == "" {
		name = File
	}
	p := &parser{name: name, config: defaults(), at: map[string]*yaml.Node{}}
	if root := p.document(data); root != nil && len(p.problems) == 0 {
		p.mapping(root, "")
		p.together()
	}
	if len(p.problems) == 0 {
		p.config.block = commandBlock(p.config)
		return p.config, nil
	}
	slices.SortStableFunc(p.problems, func(a, b Problem) int { return a.Line - b.Line })
	what := "the config is wrong"
	if n := len(p.problems); n > 1 {
		what = fmt.Sprintf("the config is wrong in %d places", n)
	}
	return Config{}, &belay.Error{Code: belay.CodeUsage, What: what, Try: "mend " + name + " and do it again",
		Err: &Problems{Name: name, List: p.problems}}
}

type parser struct {
	name     string
	config   Config
	problems []Problem
	at       map[string]*yaml.Node // the keys that are set
}

func (p *parser) complain(n *yaml.Node, key, format string, args ...any) *Problem {
	p.problems = append(p.problems, Problem{Line: n.Line, Column: n.Column, Key: key, Text: fmt.Sprintf(format, args...)})
	return &p.problems[len(p.problems)-1]
}

// document gives the mapping at the top, nil when there is none.
func (p *parser) document(data []byte) *yaml.Node {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if !p.readable(data) {
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
		p.complain(top(&second), "", "a second document begins here: a config is one")
	case !errors.Is(err, io.EOF):
		p.syntax(data, err)
		return nil
	}
	root := top(&first)
	switch {
	case root.Kind == 0, isNull(root):
		return nil
	case !p.plain(root, ""):
		return nil
	case root.Kind != yaml.MappingNode:
		p.complain(root, "", "a config holds keys, like retries: 3")
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

// readable finds what the parser would refuse without saying where.
func (p *parser) readable(data []byte) bool {
	if len(data) > MaxSize {
		p.complain(&yaml.Node{}, "", "it is larger than %d KiB", MaxSize>>10)
		return false
	}
	line, start := 1, 0
	for i := 0; i < len(data); {
		r, n := utf8.DecodeRune(data[i:])
		bad := ""
		switch {
		case r == utf8.RuneError && n == 1:
			bad = "this is not UTF-8"
		case r < ' ' && r != '\t' && r != '\n' && r != '\r', r >= 0x7f && r < 0xa0:
			bad = "this is a control character"
		}
		if bad != "" {
			p.complain(&yaml.Node{Line: line, Column: utf8.RuneCount(data[start:i]) + 1}, "", "%s", bad)
			return false
		}
		if i += n; r == '\n' {
			line, start = line+1, i
		}
	}
	return true
}

// syntax turns an error of the YAML parser into a problem with its place.
func (p *parser) syntax(data []byte, err error) {
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
	p.complain(at, "", "%s", text)
}

func isNull(n *yaml.Node) bool { return n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null" }

// plain refuses what would put a value elsewhere than where it is read.
func (p *parser) plain(n *yaml.Node, key string) bool {
	switch {
	case n.Kind == yaml.AliasNode:
		p.complain(n, key, "aliases are not read: write the value here")
	case n.Anchor != "":
		p.complain(n, key, "anchors are not read: leave &%s out", n.Anchor)
	case n.Style&yaml.TaggedStyle != 0:
		p.complain(n, key, "tags are not read: leave %s out", n.Tag)
	default:
		return true
	}
	return false
}

// mapping reads the keys of a group; prefix is "" or ends in a dot.
func (p *parser) mapping(n *yaml.Node, prefix string) {
	first := map[string]int{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		k, v := n.Content[i], n.Content[i+1]
		if !p.plain(k, prefix+k.Value) {
			continue
		}
		if k.Kind != yaml.ScalarNode {
			p.complain(k, "", "a key is a word")
			continue
		}
		name := prefix + k.Value
		if line, twice := first[name]; twice {
			p.complain(k, name, "it is set twice, first in line %d", line)
			continue
		}
		first[name] = k.Line
		p.value(k, v, name, prefix)
	}
}

func (p *parser) value(k, v *yaml.Node, name, prefix string) {
	leaf, isLeaf := findKey(name)
	_, isGroup := groups[pattern(name)]
	_, ofNames := named[strings.TrimSuffix(prefix, ".")]
	switch {
	case ofNames && !nameRule.MatchString(k.Value):
		p.complain(k, name, "%s", nameSays)
	case !isLeaf && !isGroup, strings.Contains(k.Value, "."):
		p.complain(k, name, "there is no such key").Nearest = nearest(k.Value, prefix)
	case !p.plain(v, name), isNull(v): // a key without a value is not set
	case isGroup && v.Kind != yaml.MappingNode:
		p.complain(v, name, "it holds %s", holds(name))
	case isGroup:
		p.mapping(v, name+".")
	default:
		p.leaf(leaf, k, v)
	}
}

// holds says what may stand in a group.
func holds(group string) string {
	list := children(group + ".")
	if len(list) == 1 && list[0] == anyName {
		return "names of your choice, and below each keys: " + strings.Join(children(group+"."+anyName+"."), ", ")
	}
	return "keys: " + strings.Join(list, ", ")
}

func (p *parser) leaf(leaf key, k, v *yaml.Node) {
	if v.Kind == yaml.SequenceNode {
		for _, item := range v.Content {
			if !p.plain(item, leaf.name) {
				return
			}
		}
	}
	got, err := leaf.fromNode(v)
	if err != nil {
		text := err.Error()
		if says := leaf.kind.says(leaf); !strings.Contains(text, says) {
			text += "; give " + says
		}
		p.complain(v, leaf.name, "%s", text)
		return
	}
	p.at[leaf.name] = k
	p.config.put(leaf, got, Source(fmt.Sprintf("%s:%d", p.name, k.Line)))
	if leaf.name == testsCommand {
		p.config.Checks.Tests.From = "config"
	}
}

// first gives the place of the first key set below prefix.
func (p *parser) first(prefix string) *yaml.Node {
	at := &yaml.Node{}
	for name, n := range p.at {
		if strings.HasPrefix(name, prefix) && (at.Line == 0 || n.Line < at.Line) {
			at = n
		}
	}
	return at
}

// together checks what no key can tell alone.
func (p *parser) together() {
	tests := p.config.Checks.Tests
	inFiles := slices.Contains(formats[:fileFormats], tests.Format)
	lone := func(key, text string) {
		if k := p.at[key]; k != nil {
			p.complain(k, key, "%s", text)
		}
	}
	switch {
	case len(p.problems) > 0:
	case !tests.Set():
		lone(testsFormat, "it says how the result of "+testsCommand+" is read, which is not set")
		lone(testsReport, "it belongs to "+testsCommand+", which is not set")
	case inFiles && tests.Report == "":
		lone(testsFormat, tests.Format+" needs "+testsReport+", a glob of the files that the tests write")
	case !inFiles:
		lone(testsReport, "it is read only when "+testsFormat+" is "+strings.Join(formats[:fileFormats], ", "))
	}
	for _, g := range p.config.Guidelines {
		if g.Instruction == "" && len(p.problems) == 0 {
			p.complain(p.first("guidelines."+g.ID+"."), "guidelines."+g.ID, "give its instruction")
		}
	}
	for _, l := range p.config.Linters {
		if key := "linters." + l.Name; len(p.problems) == 0 && !l.Set() {
			p.complain(p.first(key+"."), key, "give its command")
		}
	}
	for _, r := range p.config.Reviewers {
		key := "reviewers." + r.Name + "."
		switch {
		case len(p.problems) > 0:
		case len(r.Command) > 0 && r.Endpoint != "":
			lone(key+"endpoint", "it is a command or a model: leave one out")
		case len(r.Command) == 0 && r.Endpoint == "":
			p.complain(p.first(key), strings.TrimSuffix(key, "."), "give its command, or the endpoint of a model")
		case r.Endpoint != "" && r.Model == "":
			lone(key+"endpoint", "it needs "+key+"model")
		}
	}
}
