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

// Cycle is the front matter of a review cycle.
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

// Affected is a file with the lines that a review is about: "12", "12-20", "30-" (to the end), or
// "" for none.
type Affected struct {
	Path     string `yaml:"path"`
	Lines    string `yaml:"lines,omitempty"`
	Severity string `yaml:"severity,omitempty"`
}

// DraftText returns an unrecorded review: the body, with the places that it is about in the front
// matter.
func DraftText(places []Affected, body string) (string, error) {
	if len(places) == 0 {
		return body, nil
	}
	front, err := yaml.Marshal(struct {
		Affected []Affected `yaml:"affected_files"`
	}{places})
	return "---\n" + string(front) + "---\n\n" + body, err
}

// FormatLines formats lines for Affected. A start of 0 gives "", an end before the start is
// ignored.
func FormatLines(start, end int) string {
	switch {
	case start <= 0:
		return ""
	case end > start:
		return fmt.Sprintf("%d-%d", start, end)
	}
	return fmt.Sprint(start)
}

// Override is the reason for which a rejected task was accepted.
type Override struct {
	Category  string          `yaml:"category"`
	Rationale string          `yaml:"rationale"`
	By        string          `yaml:"by,omitempty"`
	Time      time.Time       `yaml:"decided_at,omitempty"`
	Answers   map[string]bool `yaml:"answers,omitempty"` // to the arbiter's questions
}

// Document is a parsed file with front matter and body. It keeps every byte.
type Document struct {
	bom       string
	eol       string
	openLine  string // the line that opens the front matter; "" for none
	head      string // the YAML with its line ends
	closeLine string // the line that closes it
	body      string
}

// Parse parses a file. Without front matter, everything is the body. Errors (CodeCannot): the front
// matter is not closed, is not a YAML mapping, has a key twice, or contains merge conflict markers.
// A second block of front matter belongs to the body.
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

// check returns an error for front matter that is ambiguous or invalid.
func (d *Document) check() error {
	for l := range strings.Lines(d.head) {
		if strings.HasPrefix(l, "<<<<<<< ") || strings.HasPrefix(l, ">>>>>>> ") || strings.TrimRight(l, "\r\n") == "=======" {
			return conflictError()
		}
	}
	_, err := d.Cycle()
	return err
}

// Cycle decodes the front matter; unknown keys are ignored.
func (d *Document) Cycle() (c Cycle, err error) {
	defer func() {
		if r := recover(); r != nil { // the library panics on some malformed input
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

// Body returns the Markdown below the front matter, unchanged.
func (d *Document) Body() string { return d.body }

// Bytes returns the file, unchanged except for keys that were set.
func (d *Document) Bytes() []byte {
	return []byte(d.bom + d.openLine + d.head + d.closeLine + d.body)
}

// New returns a document with this front matter and body.
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

// Set sets a top-level key to a string, a time or a mapping. Every other byte stays unchanged.
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
	if !there || !reflect.DeepEqual(was, is) { // for example an anchor, an end of a document, a quoted value over several lines
		return belay.Refuse(belay.CodeCannot, "write it by hand", "%q cannot be set without changing other keys", key)
	}
	*d = next
	return nil
}

// values returns all keys with their decoded values.
func (d *Document) values() map[string]any {
	all := map[string]any{}
	if err := yaml.Unmarshal([]byte(d.head), &all); err != nil || all == nil {
		return map[string]any{}
	}
	return all
}

// find returns the byte range of a top-level key and its value in the YAML; from is -1 if it is
// missing.
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
