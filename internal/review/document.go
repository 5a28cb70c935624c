package review

import (
	"bytes"
	"fmt"
	"reflect"
	"strings"
	"time"

	"go.yaml.in/yaml/v4"

	"github.com/belay-dev/belay/internal/belay"
)

// A review cycle never overwrites another, and nothing is written outside the given folder.

// Cycle is what the front matter says.
type Cycle struct {
	Task         string     `yaml:"task"`
	Feature      string     `yaml:"feature,omitempty"`
	Number       int        `yaml:"cycle"`
	Reviewer     string     `yaml:"reviewer,omitempty"`
	Time         time.Time  `yaml:"reviewed_at,omitempty"`
	Verdict      string     `yaml:"verdict,omitempty"` // as recorded: approve or reject
	Affected     []Affected `yaml:"affected_files,omitempty"`
	Reproduction string     `yaml:"reproduction_command,omitempty"`
	Override     *Override  `yaml:"override,omitempty"`
	Resolved     time.Time  `yaml:"resolved_at,omitempty"`
}

// Affected is a file with the lines a review is about: "12", "12-20", "30-" (to the end),
// or none.
type Affected struct {
	Path     string `yaml:"path"`
	Lines    string `yaml:"lines,omitempty"`
	Severity string `yaml:"severity,omitempty"`
}

// DraftText is a review that was not recorded yet: the body, with the places that it is about in its front matter.
func DraftText(places []Affected, body string) (string, error) {
	if len(places) == 0 {
		return body, nil
	}
	front, err := yaml.Marshal(struct {
		Affected []Affected `yaml:"affected_files"`
	}{places})
	return "---\n" + string(front) + "---\n\n" + body, err
}

// FormatLines spells lines as Affected has them; 0 is none, and an end before the start is the
// start.
func FormatLines(start, end int) string {
	switch {
	case start <= 0:
		return ""
	case end > start:
		return fmt.Sprintf("%d-%d", start, end)
	}
	return fmt.Sprint(start)
}

// Override says why a rejected task continued anyway.
type Override struct {
	Category  string          `yaml:"category"`
	Rationale string          `yaml:"rationale"`
	By        string          `yaml:"by,omitempty"`
	Time      time.Time       `yaml:"decided_at,omitempty"`
	Answers   map[string]bool `yaml:"answers,omitempty"` // to the arbiter's questions
}

// Document is a file as it stands: front matter and body, each byte kept.
type Document struct {
	bom       string
	eol       string
	openLine  string // the line that opens the front matter; "" when there is none
	head      string // the YAML, with its line ends
	closeLine string // the line that closes it
	body      string
}

// Parse reads a file. One without front matter is all body. It refuses (CodeCannot)
// front matter that is not closed, is not a YAML mapping, names a key twice, or holds the
// marks of a merge conflict. A second block of front matter belongs to the body.
func Parse(data []byte) (*Document, error) {
	d := &Document{eol: "\n"}
	text := string(data)
	if rest, ok := strings.CutPrefix(text, "\ufeff"); ok {
		d.bom, text = "\ufeff", rest
	}
	if i := strings.IndexByte(text, '\n'); i > 0 && text[i-1] == '\r' {
		d.eol = "\r\n"
	}
	first, rest := splitLine(text)
	if strings.HasPrefix(first, "<<<<<<< ") {
		return nil, conflictError()
	}
	if strings.TrimRight(first, "\r\n \t") != "---" || !strings.HasPrefix(first, "---") {
		d.body = text
		return d, nil
	}
	d.openLine = first
	for rest != "" {
		l, more := splitLine(rest)
		if strings.TrimRight(l, "\r\n \t") == "---" {
			d.closeLine, d.body = l, more
			return d, d.check()
		}
		d.head += l
		rest = more
	}
	return nil, belay.Refuse(belay.CodeCannot, "close it with a line of three dashes", "the front matter is not closed")
}

func splitLine(s string) (string, string) {
	i := strings.IndexByte(s, '\n')
	if i < 0 {
		return s, ""
	}
	return s[:i+1], s[i+1:]
}

func conflictError() error {
	return belay.Refuse(belay.CodeCannot, "resolve the merge conflict in the file first",
		"the front matter contains merge conflict markers")
}

// check refuses front matter that cannot be read without a guess.
func (d *Document) check() error {
	for l := range strings.Lines(d.head) {
		if strings.HasPrefix(l, "<<<<<<< ") || strings.HasPrefix(l, ">>>>>>> ") || strings.TrimRight(l, "\r\n") == "=======" {
			return conflictError()
		}
	}
	_, err := d.Cycle()
	return err
}

// Cycle is what the front matter says; keys it does not know are left alone.
func (d *Document) Cycle() (c Cycle, err error) {
	defer func() {
		if r := recover(); r != nil { // the library gives up this way on some malformed input
			err = belay.Refuse(belay.CodeCannot, "fix its YAML", "the front matter cannot be read: %v", r)
		}
	}()
	if strings.TrimSpace(d.head) == "" {
		return Cycle{}, nil
	}
	var top yaml.Node
	if err := yaml.Unmarshal([]byte(d.head), &top); err != nil {
		return Cycle{}, &belay.Error{Code: belay.CodeCannot, What: "the front matter cannot be read", Try: "fix its YAML", Err: err}
	}
	if len(top.Content) == 0 {
		return Cycle{}, nil
	}
	if top.Content[0].Kind != yaml.MappingNode {
		return Cycle{}, belay.Refuse(belay.CodeCannot, "write it as key: value", "the front matter is not a mapping")
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(top.Content[0].Content); i += 2 {
		k := top.Content[0].Content[i].Value
		if seen[k] {
			return Cycle{}, belay.Refuse(belay.CodeCannot, "keep one of the two", "the front matter has %q twice", k)
		}
		seen[k] = true
	}
	if err := top.Decode(&c); err != nil {
		return Cycle{}, &belay.Error{Code: belay.CodeCannot, What: "the front matter cannot be read", Try: "fix its YAML", Err: err}
	}
	return c, nil
}

// Body is the Markdown below the front matter, as it stands.
func (d *Document) Body() string { return d.body }

// Bytes is the file, each byte as it was unless a key was set.
func (d *Document) Bytes() []byte {
	return []byte(d.bom + d.openLine + d.head + d.closeLine + d.body)
}

// New makes a file from what it says and a body.
func New(c Cycle, body string) (*Document, error) {
	head, err := encode(c)
	if err != nil {
		return nil, err
	}
	if !strings.HasPrefix(body, "\n") {
		body = "\n" + body
	}
	if !strings.HasSuffix(body, "\n") {
		body += "\n"
	}
	d := &Document{eol: "\n", openLine: "---\n", head: head, closeLine: "---\n", body: body}
	return d, d.check()
}

func encode(v any) (string, error) {
	var out bytes.Buffer
	e := yaml.NewEncoder(&out)
	e.SetIndent(2)
	if err := e.Encode(v); err != nil {
		return "", fmt.Errorf("write the front matter: %w", err)
	}
	if err := e.Close(); err != nil {
		return "", fmt.Errorf("write the front matter: %w", err)
	}
	return out.String(), nil
}

// Set gives one top-level key a new value, a string, a time or a mapping. Every other
// byte stays as it was.
func (d *Document) Set(key string, value any) error {
	text, err := encode(map[string]any{key: value})
	if err != nil {
		return err
	}
	text = strings.ReplaceAll(text, "\n", d.eol)
	next := *d
	if next.openLine == "" {
		next.openLine, next.closeLine = "---"+d.eol, "---"+d.eol
	}
	from, to := d.find(key)
	if from < 0 {
		if next.head != "" && !strings.HasSuffix(next.head, "\n") {
			next.head += d.eol
		}
		next.head += text
	} else {
		next.head = d.head[:from] + text + d.head[to:]
	}
	if err := next.check(); err != nil {
		return err
	}
	was, is := d.values(), next.values()
	_, there := is[key]
	delete(was, key)
	delete(is, key)
	if !there || !reflect.DeepEqual(was, is) { // an anchor, a document's end, a quote over several lines
		return belay.Refuse(belay.CodeCannot, "write it by hand", "%q cannot be set without changing other keys", key)
	}
	*d = next
	return nil
}

// values are all keys with what they mean.
func (d *Document) values() map[string]any {
	all := map[string]any{}
	if err := yaml.Unmarshal([]byte(d.head), &all); err != nil || all == nil {
		return map[string]any{}
	}
	return all
}

// find is where a top-level key and its value stand in the YAML, or -1.
func (d *Document) find(key string) (from, to int) {
	from, at := -1, 0
	for l := range strings.Lines(d.head) {
		top := l[0] != ' ' && l[0] != '\t' && l[0] != '#' && l[0] != '-' && strings.TrimSpace(l) != ""
		if from >= 0 && top {
			return from, at
		}
		if name, _, ok := strings.Cut(l, ":"); top && ok && strings.Trim(name, `"' `) == key {
			from = at
		}
		at += len(l)
	}
	return from, len(d.head)
}
