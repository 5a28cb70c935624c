package config

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v4"

	"github.com/belay-dev/belay/internal/belay"
)

// Parse parses a config; name is its path in messages. No data is the defaults. The error
// (belay.CodeUsage) wraps *Problems with all problems: unknown keys with the nearest right one,
// values of a wrong kind, duplicate keys, and what is not YAML, not UTF-8 or beyond MaxSize.
// Anchors, aliases, tags and merge keys are errors: people read a config, and should find a value
// at its key.
func Parse(name string, data []byte) (Config, error) {
	if name == "" {
		name = File
	}
	p := &parser{name: name, config: defaults(), at: map[string]*yaml.Node{}}
	p.doc.Max, p.doc.Contents = MaxSize, "a config consists of keys, like retries: 3"
	if root := p.doc.Document(data); root != nil && len(p.doc.Problems) == 0 {
		p.mapping(root, "")
		p.together()
	}
	if len(p.doc.Problems) == 0 {
		p.config.block = commandBlock(p.config)
		return p.config, nil
	}
	slices.SortStableFunc(p.doc.Problems, func(a, b Problem) int { return a.Line - b.Line })
	what := "the config is wrong"
	if n := len(p.doc.Problems); n > 1 {
		what = fmt.Sprintf("the config is wrong in %d places", n)
	}
	return Config{}, &belay.Error{Code: belay.CodeUsage, What: what, Try: "fix " + name + " and try again",
		Err: &Problems{Name: name, List: p.doc.Problems}}
}

type parser struct {
	doc    Reader
	name   string
	config Config
	at     map[string]*yaml.Node // the keys that are set
}

// mapping parses the keys of a group; prefix is "" or ends in a dot.
func (p *parser) mapping(n *yaml.Node, prefix string) {
	for k, v := range p.doc.Pairs(n, prefix) {
		p.value(k, v, prefix+k.Value, prefix)
	}
}

func (p *parser) value(k, v *yaml.Node, name, prefix string) {
	leaf, isLeaf := findKey(name)
	_, isGroup := groups[pattern(name)]
	_, ofNames := named[strings.TrimSuffix(prefix, ".")]
	switch {
	case ofNames && !nameRule.MatchString(k.Value):
		p.doc.Complain(k, name, "%s", nameSays)
	case !isLeaf && !isGroup, strings.Contains(k.Value, "."):
		p.doc.Complain(k, name, "no such key").Nearest = nearest(k.Value, prefix)
	case !p.doc.Plain(v, name), IsNull(v): // a key without a value is not set
	case isGroup && v.Kind != yaml.MappingNode:
		p.doc.Complain(v, name, "it holds %s", contentsOf(name))
	case isGroup:
		p.mapping(v, name+".")
	default:
		p.leaf(leaf, k, v)
	}
}

// contentsOf describes what may be in a group.
func contentsOf(group string) string {
	list := children(group + ".")
	if len(list) == 1 && list[0] == anyName {
		return "names of your choice, each with the keys: " + strings.Join(children(group+"."+anyName+"."), ", ")
	}
	return "keys: " + strings.Join(list, ", ")
}

func (p *parser) leaf(leaf key, k, v *yaml.Node) {
	if v.Kind == yaml.SequenceNode {
		for _, item := range v.Content {
			if !p.doc.Plain(item, leaf.name) {
				return
			}
		}
	}
	got, err := leaf.rule().FromNode(v)
	if err != nil {
		text := err.Error()
		if says := leaf.rule().Says(); !strings.Contains(text, says) {
			text += "; give " + says
		}
		p.doc.Complain(v, leaf.name, "%s", text)
		return
	}
	if leaf.within && !p.checkInsideRepository(leaf.name, v, got) {
		return
	}
	p.at[leaf.name] = k
	p.config.put(leaf, got, Source(fmt.Sprintf("%s:%d", p.name, k.Line)))
	if leaf.name == testsCommand {
		p.config.Checks.Tests.From = "config"
	}
}

// checkInsideRepository reports a path that leads out of the repository: the author of a config
// must not decide which other files of the machine are read or written. A path given as a flag may
// lead out.
func (p *parser) checkInsideRepository(name string, v *yaml.Node, got any) bool {
	list, _ := got.([]string)
	if one, is := got.(string); is {
		list = []string{one}
	}
	for _, path := range list {
		if Outside(strings.TrimPrefix(path, "!")) {
			p.doc.Complain(v, name, "%s is outside the repository; use a path inside it", strconv.Quote(path))
			return false
		}
	}
	return true
}

// guideline reports contradictory keys of a guideline, and duplicates.
func (p *parser) guideline(key string) {
	for _, twice := range [][2]string{{"instruction", "action"}, {"agents", "condition"}, {"actions", "condition"}} {
		flat, nested := key+"."+twice[0], key+"."+twice[1]+"."+twice[0]
		if at := p.at[nested]; at != nil && p.at[flat] != nil {
			p.doc.Complain(at, nested, "%s sets the same: remove one of them", flat)
		}
	}
	review := key + ".action.require_review"
	if at := p.at[review]; at != nil {
		for _, g := range p.config.Guidelines {
			if "guidelines."+g.ID == key && g.RequireReview && g.Type == belay.GuidelineAdvice {
				p.doc.Complain(at, review, "advice cannot require a review: remove it, or make it a constraint")
			}
		}
	}
}

// first returns the node of the first key set below prefix.
func (p *parser) first(prefix string) *yaml.Node {
	at := &yaml.Node{}
	for name, n := range p.at {
		if strings.HasPrefix(name, prefix) && (at.Line == 0 || n.Line < at.Line) {
			at = n
		}
	}
	return at
}

// together checks conditions between keys.
func (p *parser) together() {
	tests := p.config.Checks.Tests
	inFiles := slices.Contains(formats[:fileFormats], tests.Format)
	lone := func(key, text string) {
		if k := p.at[key]; k != nil {
			p.doc.Complain(k, key, "%s", text)
		}
	}
	switch {
	case len(p.doc.Problems) > 0:
	case !tests.Set():
		lone(testsFormat, "it says how the result of "+testsCommand+" is read, which is not set")
		lone(testsReport, "it belongs to "+testsCommand+", which is not set")
	case inFiles && tests.Report == "":
		lone(testsFormat, tests.Format+" needs "+testsReport+", a glob of the files that the tests write")
	case !inFiles:
		lone(testsReport, "it is read only when "+testsFormat+" is "+strings.Join(formats[:fileFormats], ", "))
	}
	for _, g := range p.config.Guidelines {
		p.guideline("guidelines." + g.ID)
		if g.Instruction == "" && len(p.doc.Problems) == 0 {
			p.doc.Complain(p.first("guidelines."+g.ID+"."), "guidelines."+g.ID, "give its instruction")
		}
	}
	for _, l := range p.config.Linters {
		if key := "linters." + l.Name; len(p.doc.Problems) == 0 && !l.Set() {
			p.doc.Complain(p.first(key+"."), key, "give its command")
		}
	}
	for _, s := range p.config.Standards {
		if key := "standards." + s.Name; len(p.doc.Problems) == 0 && p.at[key+".files"] == nil {
			p.doc.Complain(p.first(key+"."), key, "give its files")
		}
	}
	for _, one := range p.config.Prices {
		if key := "prices." + one.Name; len(p.doc.Problems) == 0 && (one.Input < 0 || one.Output < 0) {
			p.doc.Complain(p.first(key+"."), key, "give its input and output, in US dollars for a million tokens")
		}
	}
	p.checkParser(lone)
	p.reviewers(lone)
}

// reviewers checks the keys of each reviewer together.
func (p *parser) reviewers(lone func(name, why string)) {
	for _, r := range p.config.Reviewers {
		key := "reviewers." + r.Name + "."
		switch {
		case len(p.doc.Problems) > 0:
		case r.Kind == belay.Person && (len(r.Command) > 0 || r.Endpoint != ""):
			lone(key+"kind", "a person has neither a command nor an endpoint")
		case r.Kind == "program" && len(r.Command) == 0, r.Kind == "model" && r.Endpoint == "":
			lone(key+"kind", map[string]string{"program": "give its command", "model": "give its endpoint"}[r.Kind])
		case r.Kind == belay.Person:
		case len(r.Command) > 0 && r.Endpoint != "":
			lone(key+"endpoint", "it is a command or a model: remove one")
		case len(r.Command) == 0 && r.Endpoint == "":
			p.doc.Complain(p.first(key), strings.TrimSuffix(key, "."), "give its command, or the endpoint of a model")
		case r.Endpoint != "" && r.Model == "":
			lone(key+"endpoint", "it needs "+key+"model")
		}
	}
}

// checkParser checks that the parser is exactly one thing, and complete.
func (p *parser) checkParser(lone func(key, text string)) {
	c, named := p.config.Parser, false
	for _, r := range p.config.Reviewers {
		named = named || r.Name == c.Name
	}
	switch {
	case len(p.doc.Problems) > 0:
	case c.Name != "" && (len(c.Command) > 0 || c.Endpoint != ""):
		lone("parser.agent", "it is a name, a command or a model: remove the others")
	case c.Name == "agent" && len(p.config.Agent.Command) == 0:
		lone("parser.agent", "it needs agent.command")
	case c.Name != "" && c.Name != "agent" && !named:
		lone("parser.agent", "it is neither agent nor one of reviewers")
	case len(c.Command) > 0 && c.Endpoint != "":
		lone("parser.endpoint", "it is a command or a model: remove one")
	case c.Endpoint != "" && c.Model == "":
		lone("parser.endpoint", "it needs parser.model")
	case c.Endpoint == "":
		lone("parser.model", "it belongs to parser.endpoint, which is not set")
		lone("parser.key_env", "it belongs to parser.endpoint, which is not set")
	}
}
