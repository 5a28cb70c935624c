// Package issue reads GitHub issues as JSON: what gh issue view and gh issue list print, and
// what the REST API answers, one issue or many. The boxes in an issue's text are tasks that
// are parts of it, but for those that tell when it is done.
//
// It asks no server.
package issue

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/intake"
	"github.com/belay-dev/belay/internal/intake/checklist"
	"github.com/belay-dev/belay/internal/intake/mention"
	"github.com/belay-dev/belay/internal/intake/page"
	"github.com/belay-dev/belay/internal/lazyregexp"
)

// issue is one of them, in either form; unknown keys are the forge's own business.
type issue struct {
	Number int             `json:"number"`
	Title  string          `json:"title"`
	Body   *string         `json:"body"`
	State  string          `json:"state"` // open, OPEN, closed, CLOSED
	Pull   json.RawMessage `json:"pull_request"`
	Reason string          `json:"state_reason"`
	line   int
}

// Read reads a file. An error says in which line it is no JSON, or that it holds no issues.
func Read(name string, data []byte) (intake.Reading, error) {
	r := reader{name: name, data: bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))}
	list, err := r.issues()
	if err != nil {
		return intake.Reading{}, err
	}
	out := intake.Reading{Dialect: intake.Issue, Tasks: []intake.Task{}, Notes: []intake.Note{}}
	var ids []string
	for _, is := range list {
		ids = append(ids, fmt.Sprintf("#%d", is.Number))
	}
	known := mention.Knows(ids)
	for _, is := range list {
		if len(is.Pull) > 0 && string(is.Pull) != "null" {
			out.Notes = append(out.Notes, intake.Note{Line: is.line, Text: is.Title, Why: fmt.Sprintf("#%d is a pull request, no issue", is.Number)})
			continue
		}
		is.tasks(&out, known)
	}
	for _, l := range page.Read(data) {
		out.Lines.Total++
		if strings.Trim(l.Raw(data), " \t[]{},") == "" {
			out.Lines.Structure++
		} else {
			out.Lines.Tasks++
		}
	}
	return out, nil
}

// reader finds the issues in a file, with their lines.
type reader struct {
	name string
	data []byte
}

func (r reader) at(offset int64) int {
	return 1 + bytes.Count(r.data[:min(int(offset), len(r.data))], []byte{'\n'})
}

// issues reads one, a list, a page of a list ("items"), or several one after the other.
func (r reader) issues() ([]issue, error) {
	var list []issue
	dec := json.NewDecoder(bytes.NewReader(r.data))
	for {
		start := dec.InputOffset()
		for int(start) < len(r.data) && strings.IndexByte(" \t\r\n", r.data[start]) >= 0 {
			start++
		}
		var raw json.RawMessage
		err := dec.Decode(&raw)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			var syntax *json.SyntaxError
			if errors.As(err, &syntax) {
				start = syntax.Offset - 1
			}
			return nil, fmt.Errorf("%s:%d: it is no JSON: %w", r.name, r.at(max(0, start)), err)
		}
		more, err := r.from(raw, start)
		if err != nil {
			return nil, err
		}
		list = append(list, more...)
	}
	if len(list) == 0 {
		return nil, fmt.Errorf("%s: it holds no issue", r.name)
	}
	return list, nil
}

// from reads the issues of one value that begins at an offset of the file.
func (r reader) from(raw json.RawMessage, start int64) ([]issue, error) {
	if len(raw) > 0 && raw[0] == '[' {
		return r.each(raw, start)
	}
	var page struct {
		Items json.RawMessage `json:"items"`
	}
	if err := json.Unmarshal(raw, &page); err == nil && len(page.Items) > 0 && page.Items[0] == '[' {
		return r.each(page.Items, start+int64(bytes.Index(raw, page.Items)))
	}
	var is issue
	err := json.Unmarshal(raw, &is)
	if is.line = r.at(start); err != nil {
		return nil, fmt.Errorf("%s:%d: it is no issue: %w", r.name, is.line, err)
	}
	if is.Number <= 0 && strings.TrimSpace(is.Title) == "" {
		return nil, fmt.Errorf("%s:%d: it is no issue: it has neither a number nor a title", r.name, is.line)
	}
	return []issue{is}, nil
}

func (r reader) each(raw json.RawMessage, start int64) ([]issue, error) {
	dec := json.NewDecoder(bytes.NewReader(raw))
	if _, err := dec.Token(); err != nil {
		return nil, fmt.Errorf("%s:%d: %w", r.name, r.at(start), err)
	}
	var list []issue
	for dec.More() {
		at := dec.InputOffset()
		for int(at) < len(raw) && strings.IndexByte(" \t\r\n,", raw[at]) >= 0 {
			at++
		}
		var one json.RawMessage
		if err := dec.Decode(&one); err != nil {
			return nil, fmt.Errorf("%s:%d: %w", r.name, r.at(start+at), err)
		}
		if len(one) > 0 && one[0] == '[' {
			return nil, fmt.Errorf("%s:%d: it is no issue: it is a list in a list", r.name, r.at(start+at))
		}
		got, err := r.from(one, start+at)
		if err != nil {
			return nil, err
		}
		list = append(list, got...)
	}
	return list, nil
}

var (
	reference = lazyregexp.New(`^(?:[\w.-]+/[\w.-]+)?#\d+$`)
	criteria  = lazyregexp.New(`(?i)accept|criteria|definition of done|checklist|before submitting|\bdod\b`)
)

// tasks adds an issue and the boxes of its text.
func (is issue) tasks(out *intake.Reading, known mention.Known) {
	body := ""
	if is.Body != nil {
		body = strings.ReplaceAll(*is.Body, "\r\n", "\n")
	}
	title := strings.TrimSpace(is.Title)
	t := intake.Task{ID: fmt.Sprintf("#%d", is.Number), Title: title, Line: is.line, State: page.Open, Files: []string{}, Depends: []string{}}
	if t.Title == "" {
		t.Title = t.ID
	}
	if strings.EqualFold(is.State, "closed") {
		t.State, t.Done = page.Done, true
	}
	t.Words = strings.TrimSpace(t.Title + "\n\n" + strings.TrimSpace(body))
	for _, l := range page.Read([]byte(body)) {
		if l.Kind == page.Fence || l.Kind == page.Comment {
			continue
		}
		for _, f := range mention.Files(l.Words) {
			if !slices.Contains(t.Files, f) {
				t.Files = append(t.Files, f)
			}
		}
		for _, p := range known.Order(l.Words, t.ID) {
			if p.Task == t.ID && !slices.Contains(t.Depends, p.After) {
				t.Depends = append(t.Depends, p.After)
			}
		}
	}
	at := len(out.Tasks)
	out.Tasks = append(out.Tasks, t)
	is.boxes(out, at, body)
}

// boxes adds the boxes of an issue's text: parts of it, criteria, or other issues.
func (is issue) boxes(out *intake.Reading, at int, body string) {
	inner := checklist.Read([]byte(body), intake.Checklist)
	n := 0
	for _, b := range inner.Tasks {
		parent := &out.Tasks[at]
		switch {
		case criteria.MatchString(b.Section):
			parent.Acceptance = append(parent.Acceptance, b.Title)
			continue
		case reference.MatchString(b.Title):
			out.Notes = append(out.Notes, intake.Note{Line: is.line, Text: b.Title, Why: "a box of " + parent.ID + " that is another issue"})
			continue
		}
		n++
		if b.ID == "" {
			b.ID = fmt.Sprintf("%s.%d", parent.ID, n)
		} else {
			b.ID = parent.ID + "/" + b.ID
		}
		for i, d := range b.Depends {
			b.Depends[i] = parent.ID + "/" + d
		}
		b.Line, b.Parent, b.PartOf, b.Marks = is.line, parent.ID, is.line, nil
		if parent.Done && !b.Done {
			b.State, b.Done = page.Done, true
		}
		parent.Parts++
		out.Tasks = append(out.Tasks, b)
	}
	for _, note := range inner.Notes {
		if strings.HasPrefix(note.Why, "the box") {
			out.Notes = append(out.Notes, intake.Note{Line: is.line, Text: note.Text, Why: note.Why})
		}
	}
}
