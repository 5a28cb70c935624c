package tasklist

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// masterTask is a task or subtask of Task Master; other keys are ignored.
type masterTask struct {
	ID         looseText       `json:"id"`
	Title      looseText       `json:"title"`
	About      looseText       `json:"description"`
	Details    looseText       `json:"details"`
	Tests      looseText       `json:"testStrategy"`
	Acceptance looseText       `json:"acceptanceCriteria"`
	Status     looseText       `json:"status"`
	Priority   looseText       `json:"priority"`
	Depends    []looseText     `json:"dependencies"`
	Parts      json.RawMessage `json:"subtasks"`
}

// looseText is a string, a number, or a list of them with one line each: agents write these files
// too.
type looseText string

func (l *looseText) UnmarshalJSON(data []byte) error {
	var text string
	var list []looseText
	switch {
	case string(data) == "null":
	case json.Unmarshal(data, &text) == nil:
		*l = looseText(strings.TrimSpace(text))
	case json.Unmarshal(data, &list) == nil:
		for i, one := range list {
			if list[i] = "- " + one; i > 0 {
				list[i] = "\n" + list[i]
			}
			*l += list[i]
		}
	default:
		*l = looseText(data)
	}
	return nil
}

// masterReader reads the tasks of a tasks.json.
type masterReader struct {
	issueReader
	bom int
	out Reading
}

// ReadMaster reads the tasks.json of Task Master: a list of tasks, or one for each tag. Except for
// the default tag, master, the tag precedes the ids of its tasks. Errors: it is not JSON (with the
// line), or contains no tasks.
func ReadMaster(name string, data []byte) (Reading, error) {
	r := masterReader{issueReader: issueReader{name: name, data: bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))},
		out: Reading{Dialect: TaskMaster, Tasks: []Task{}, Notes: []Note{}}}
	r.bom = len(data) - len(r.data)
	var raw json.RawMessage
	if err := json.Unmarshal(r.data, &raw); err != nil {
		var syntax *json.SyntaxError
		line := 1
		if errors.As(err, &syntax) {
			line = r.lineAt(syntax.Offset - 1)
		}
		return Reading{}, fmt.Errorf("%s:%d: not JSON: %w", name, line, err)
	}
	start := nextValue(r.data, 0)
	found, err := r.readTagged(raw, start, "")
	for _, tag := range objectFields(raw) {
		if found || err != nil {
			break
		}
		prefix := tag.key + "."
		if tag.key == "master" {
			prefix = ""
		}
		_, err = r.readTagged(tag.raw, start+tag.at, prefix)
	}
	if err == nil && len(r.out.Tasks) == 0 {
		err = fmt.Errorf("%s: contains no tasks", name)
	}
	r.out.Lines = countFileLines(data, " \t[]{},")
	return r.out, err
}

// objectFields returns the fields of an object; none for other values.
func objectFields(raw json.RawMessage) []member {
	if len(raw) == 0 || raw[0] != '{' {
		return nil
	}
	list, _ := splitMembers(raw) // it is valid
	return list
}

// readTagged reads the list of tasks in an object; false if it has none.
func (r *masterReader) readTagged(raw json.RawMessage, start int64, prefix string) (bool, error) {
	for _, m := range objectFields(raw) {
		if m.key == "tasks" && len(m.raw) > 0 && m.raw[0] == '[' {
			return true, r.readList(m.raw, start+m.at, prefix, -1, 0)
		}
	}
	return false, nil
}

// readList reads tasks, or the subtasks of the task with index whole; -1 for none.
func (r *masterReader) readList(raw json.RawMessage, start int64, prefix string, whole, depth int) error {
	entries, err := splitMembers(raw)
	if err != nil || depth > maxDepth {
		return err
	}
	tasks := make([]masterTask, len(entries))
	ids := map[looseText]bool{}
	for i, e := range entries {
		if err := json.Unmarshal(e.raw, &tasks[i]); err != nil {
			return fmt.Errorf("%s:%d: not a task: %w", r.name, r.lineAt(start+e.at), err)
		}
		ids[tasks[i].ID] = true
	}
	for i, e := range entries {
		m, at := tasks[i], start+e.at
		t := m.newTask(prefix)
		t.Line = r.lineAt(at)
		above := prefix
		if whole >= 0 {
			w := &r.out.Tasks[whole]
			w.Parts++
			t.Parent, t.PartOf, t.ID, above = w.ID, w.Line, w.ID+"."+string(m.ID), prefix
		}
		for _, d := range m.Depends {
			id := above + string(d)
			if whole >= 0 && ids[d] { // a subtask of the same task
				id = t.Parent + "." + string(d)
			}
			t.Depends = appendNew(t.Depends, id)
		}
		for _, f := range objectFields(e.raw) {
			if f.key == "status" {
				from := int(at+f.at) + r.bom
				t.StatusRange = [2]int{from, from + len(f.raw)}
			}
		}
		if t.State == Unclear {
			r.out.Notes = append(r.out.Notes, Note{Line: t.Line, Text: t.Title,
				Why: "its status is " + string(m.Status) + ": the task is not treated as open"})
		}
		r.out.Tasks = append(r.out.Tasks, t)
		for _, f := range objectFields(e.raw) {
			if f.key == "subtasks" && len(f.raw) > 0 && f.raw[0] == '[' {
				if err := r.readList(f.raw, at+f.at, prefix, len(r.out.Tasks)-1, depth+1); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// newTask returns an entry as a task, without its line.
func (m masterTask) newTask(prefix string) Task {
	t := Task{ID: prefix + string(m.ID), Title: string(m.Title), State: StateOf(string(m.Status)), Priority: string(m.Priority),
		Files: []string{}, Depends: []string{}}
	if t.Title == "" {
		t.Title = t.ID
	}
	t.Done = t.State == Done
	var words, ask []string
	for _, s := range []looseText{looseText(t.Title), m.About, m.Details} {
		ask = append(ask, string(s))
	}
	words = slices.Clone(ask)
	for _, one := range []struct {
		name string
		text looseText
	}{{"Test strategy", m.Tests}, {"Acceptance criteria", m.Acceptance}} {
		if one.text != "" {
			words = append(words, one.name+": "+string(one.text))
		}
	}
	t.Text, t.Request = joinParagraphs(words), joinParagraphs(ask)
	t.Files = appendNew(t.Files, Files(t.Request)...)
	if m.Acceptance != "" {
		t.Acceptance = strings.Split(strings.TrimSpace(string(m.Acceptance)), "\n")
	}
	return t
}

// joinParagraphs joins the texts that are not blank.
func joinParagraphs(texts []string) string {
	return strings.Join(slices.DeleteFunc(slices.Clone(texts), func(s string) bool { return strings.TrimSpace(s) == "" }), "\n\n")
}
