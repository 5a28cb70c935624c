package tasklist

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

// issue is an issue in any of the forms that forges return; other keys are ignored. gh and GraphQL
// write states in capitals.
type issue struct {
	Number        int             `json:"number"`
	Title         string          `json:"title"`
	Body          *string         `json:"body"`
	State         string          `json:"state"` // open, closed
	Closed        bool            `json:"closed"`
	Reason        string          `json:"state_reason"` // completed, not_planned, duplicate, reopened
	ReasonGraphQL string          `json:"stateReason"`
	Pull          json.RawMessage `json:"pull_request"`
	Kind          string          `json:"__typename"` // Issue, PullRequest, DraftIssue
	Type          json.RawMessage `json:"type"`       // the same for a project item; an object in the REST API
	URL           string          `json:"url"`
	line          int
}

// taskID returns the name by which other issues refer to it; "" for a draft.
func (is issue) taskID() string {
	if is.Number <= 0 {
		return ""
	}
	return fmt.Sprintf("#%d", is.Number)
}

// isPullRequest reports whether it is a pull request; the REST API lists them among the issues.
func (is issue) isPullRequest() bool {
	return len(is.Pull) > 0 && string(is.Pull) != "null" || is.Kind == "PullRequest" || string(is.Type) == `"PullRequest"` ||
		strings.Contains(is.URL, "/pull/")
}

// taskState returns the state. An issue closed as not planned or as a duplicate is Unclear, not
// Done.
func (is issue) taskState() State {
	switch {
	case !is.Closed && !strings.EqualFold(is.State, "closed"):
		return Open
	case slices.ContainsFunc([]string{is.Reason, is.ReasonGraphQL}, func(why string) bool {
		return strings.EqualFold(why, "not_planned") || strings.EqualFold(why, "duplicate")
	}):
		return Unclear
	}
	return Done
}

// ReadIssues reads a JSON file of issues. Errors: it is not JSON (with the line), or contains no
// issues.
func ReadIssues(name string, data []byte) (Reading, error) {
	r := issueReader{name: name, data: bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))}
	list, err := r.readAll()
	if err != nil {
		return Reading{}, err
	}
	out := Reading{Dialect: Issue, Tasks: []Task{}, Notes: []Note{}}
	var ids []string
	for _, is := range list {
		ids = append(ids, is.taskID())
	}
	known := NewKnownIDs(ids)
	for _, is := range list {
		if is.isPullRequest() {
			out.Notes = append(out.Notes, Note{Line: is.line, Text: is.Title,
				Why: fmt.Sprintf("#%d is a pull request, not an issue", is.Number)})
			continue
		}
		is.addTasks(&out, known)
	}
	out.Lines = countFileLines(data, " \t[]{},")
	return out, nil
}

var (
	reference = lazyregexp.New(`^(?:[\w.-]+/[\w.-]+)?#\d+$`)
	criteria  = lazyregexp.New(`(?i)accept|criteria|definition of done|checklist|before submitting|\bdod\b`)
)

// addTasks adds an issue and the boxes in its body.
func (is issue) addTasks(out *Reading, known KnownIDs) {
	body := ""
	if is.Body != nil {
		body = strings.ReplaceAll(*is.Body, "\r\n", "\n")
	}
	title := strings.TrimSpace(is.Title)
	t := Task{ID: is.taskID(), Title: title, Line: is.line, State: is.taskState(), Files: []string{}, Depends: []string{}}
	if t.Title == "" {
		t.Title = t.ID
	}
	if t.Done = t.State == Done; t.State == Unclear {
		out.Notes = append(out.Notes, Note{Line: is.line, Text: t.Title, Why: "it was closed as not done: the task is not treated as open"})
	}
	t.Text = strings.TrimSpace(t.Title + "\n\n" + strings.TrimSpace(body))
	for _, l := range ReadPage([]byte(body)) {
		if l.Kind == Fence || l.Kind == Comment {
			continue
		}
		t.Files = appendNew(t.Files, Files(l.Text)...)
		for _, p := range known.FindOrder(l.Text, t.ID) {
			if p.Task == t.ID {
				t.Depends = appendNew(t.Depends, p.After)
			}
		}
	}
	at := len(out.Tasks)
	out.Tasks = append(out.Tasks, t)
	is.addBoxes(out, at, body)
}

// addBoxes adds the boxes in an issue's body: as parts, as criteria, or as notes if they refer to
// other issues.
func (is issue) addBoxes(out *Reading, at int, body string) {
	inner := ReadChecklist([]byte(body), Checklist)
	n := 0
	for _, b := range inner.Tasks {
		parent := &out.Tasks[at]
		switch {
		case criteria.MatchString(b.Section):
			parent.Acceptance = append(parent.Acceptance, b.Title)
			continue
		case reference.MatchString(b.Title):
			out.Notes = append(out.Notes, Note{Line: is.line, Text: b.Title, Why: "a box of " + parent.ID + " that is another issue"})
			continue
		}
		n++
		if b.ID == "" && parent.ID != "" {
			b.ID = fmt.Sprintf("%s.%d", parent.ID, n)
		} else if parent.ID != "" {
			b.ID = parent.ID + "/" + b.ID
			for i, d := range b.Depends {
				b.Depends[i] = parent.ID + "/" + d
			}
		}
		b.Line, b.Parent, b.PartOf, b.BoxLines = is.line, parent.ID, is.line, nil
		if parent.State != Open && !b.Done {
			b.State, b.Done = parent.State, parent.Done
		}
		parent.Parts++
		out.Tasks = append(out.Tasks, b)
	}
	for _, note := range inner.Notes {
		if strings.HasPrefix(note.Why, "the box") {
			out.Notes = append(out.Notes, Note{Line: is.line, Text: note.Text, Why: note.Why})
		}
	}
}
