package tasklist

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// masterTask is a task of Task Master, or a part of one; other keys are the tool's own business.
type masterTask struct {
	ID         loose           `json:"id"`
	Title      loose           `json:"title"`
	About      loose           `json:"description"`
	Details    loose           `json:"details"`
	Tests      loose           `json:"testStrategy"`
	Acceptance loose           `json:"acceptanceCriteria"`
	Status     loose           `json:"status"`
	Priority   loose           `json:"priority"`
	Depends    []loose         `json:"dependencies"`
	Parts      json.RawMessage `json:"subtasks"`
}

// loose is a text, or a number as it is written, or a list of them, a line each. Agents write these files, too.
type loose string

func (l *loose) UnmarshalJSON(data []byte) error {
	var text string
	var list []loose
	switch {
	case string(data) == "null":
	case json.Unmarshal(data, &text) == nil:
		*l = loose(strings.TrimSpace(text))
	case json.Unmarshal(data, &list) == nil:
		for i, one := range list {
			if list[i] = "- " + one; i > 0 {
				list[i] = "\n" + list[i]
			}
			*l += list[i]
		}
	default:
		*l = loose(data)
	}
	return nil
}

// masterReader reads the tasks of a file.
type masterReader struct {
	issueReader
	bom int
	out Reading
}

// ReadMaster reads the tasks.json of Task Master: a list of tasks, or one for each tag. The tasks of a tag other than
// the first, which is called master, have its name before their ids. An error says in which line it is not JSON, or that
// it has no tasks.
func ReadMaster(name string, data []byte) (Reading, error) {
	r := masterReader{issueReader: issueReader{name: name, data: bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))},
		out: Reading{Dialect: TaskMaster, Tasks: []Task{}, Notes: []Note{}}}
	r.bom = len(data) - len(r.data)
	var raw json.RawMessage
	if err := json.Unmarshal(r.data, &raw); err != nil {
		var syntax *json.SyntaxError
		line := 1
		if errors.As(err, &syntax) {
			line = r.at(syntax.Offset - 1)
		}
		return Reading{}, fmt.Errorf("%s:%d: not JSON: %w", name, line, err)
	}
	start := past(r.data, 0)
	found, err := r.tagged(raw, start, "")
	for _, tag := range fieldsOf(raw) {
		if found || err != nil {
			break
		}
		prefix := tag.key + "."
		if tag.key == "master" {
			prefix = ""
		}
		_, err = r.tagged(tag.raw, start+tag.at, prefix)
	}
	if err == nil && len(r.out.Tasks) == 0 {
		err = fmt.Errorf("%s: contains no tasks", name)
	}
	r.out.Lines = linesOf(data, " \t[]{},")
	return r.out, err
}

// fieldsOf takes an object apart; nothing else has fields.
func fieldsOf(raw json.RawMessage) []member {
	if len(raw) == 0 || raw[0] != '{' {
		return nil
	}
	list, _ := members(raw) // it is valid
	return list
}

// tagged reads the list of tasks of an object; false where it has none.
func (r *masterReader) tagged(raw json.RawMessage, start int64, prefix string) (bool, error) {
	for _, m := range fieldsOf(raw) {
		if m.key == "tasks" && len(m.raw) > 0 && m.raw[0] == '[' {
			return true, r.list(m.raw, start+m.at, prefix, -1, 0)
		}
	}
	return false, nil
}

// list reads tasks, or the parts of the task whole.
func (r *masterReader) list(raw json.RawMessage, start int64, prefix string, whole, depth int) error {
	entries, err := members(raw)
	if err != nil || depth > deepest {
		return err
	}
	tasks := make([]masterTask, len(entries))
	ids := map[loose]bool{}
	for i, e := range entries {
		if err := json.Unmarshal(e.raw, &tasks[i]); err != nil {
			return fmt.Errorf("%s:%d: not a task: %w", r.name, r.at(start+e.at), err)
		}
		ids[tasks[i].ID] = true
	}
	for i, e := range entries {
		m, at := tasks[i], start+e.at
		t := m.task(prefix)
		t.Line = r.at(at)
		above := prefix
		if whole >= 0 {
			w := &r.out.Tasks[whole]
			w.Parts++
			t.Parent, t.PartOf, t.ID, above = w.ID, w.Line, w.ID+"."+string(m.ID), prefix
		}
		for _, d := range m.Depends {
			id := above + string(d)
			if whole >= 0 && ids[d] { // of the same whole
				id = t.Parent + "." + string(d)
			}
			t.Depends = add(t.Depends, id)
		}
		for _, f := range fieldsOf(e.raw) {
			if f.key == "status" {
				from := int(at+f.at) + r.bom
				t.Status = [2]int{from, from + len(f.raw)}
			}
		}
		if t.State == Unclear {
			r.out.Notes = append(r.out.Notes, Note{Line: t.Line, Text: t.Title,
				Why: "its status is " + string(m.Status) + ": the task is not treated as open"})
		}
		r.out.Tasks = append(r.out.Tasks, t)
		for _, f := range fieldsOf(e.raw) {
			if f.key == "subtasks" && len(f.raw) > 0 && f.raw[0] == '[' {
				if err := r.list(f.raw, at+f.at, prefix, len(r.out.Tasks)-1, depth+1); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// task is what an entry says, without its place.
func (m masterTask) task(prefix string) Task {
	t := Task{ID: prefix + string(m.ID), Title: string(m.Title), State: StateOf(string(m.Status)), Priority: string(m.Priority),
		Files: []string{}, Depends: []string{}}
	if t.Title == "" {
		t.Title = t.ID
	}
	t.Done = t.State == Done
	var words, ask []string
	for _, s := range []loose{loose(t.Title), m.About, m.Details} {
		ask = append(ask, string(s))
	}
	words = slices.Clone(ask)
	for _, one := range []struct {
		name string
		text loose
	}{{"Test strategy", m.Tests}, {"Acceptance criteria", m.Acceptance}} {
		if one.text != "" {
			words = append(words, one.name+": "+string(one.text))
		}
	}
	t.Words, t.Ask = paragraphs(words), paragraphs(ask)
	t.Files = add(t.Files, Files(t.Ask)...)
	if m.Acceptance != "" {
		t.Acceptance = strings.Split(strings.TrimSpace(string(m.Acceptance)), "\n")
	}
	return t
}

// paragraphs joins texts, without those that are empty.
func paragraphs(texts []string) string {
	return strings.Join(slices.DeleteFunc(slices.Clone(texts), func(s string) bool { return strings.TrimSpace(s) == "" }), "\n\n")
}
