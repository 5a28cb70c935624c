package app

import (
	"context"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/tasklist"
)

// RecordImport records the open tasks of the files, each once: what an earlier import recorded,
// even a killed one, is not recorded again. q has the settings for all of them: the agent, its
// name, and the feature if the files name none. belay.CodeNotFound: an ID of o.Only is not in the
// files.
func RecordImport(ctx context.Context, s *Service, files []ImportFile, o ImportOptions, q NewTask) (Import, error) {
	unlock, err := s.lockName(ctx, "import.lock")
	if err != nil {
		return Import{}, err
	}
	defer unlock()
	have, err := RecordedTasks(s)
	if err != nil {
		return Import{}, err
	}
	im := PlanImport(files, have, o)
	if err := im.checkAsked(o); err != nil {
		return im, err
	}
	ids, err := s.usedIDs(ctx)
	if err != nil {
		return im, err
	}
	used := map[string]bool{}
	for _, id := range ids {
		used[id.Key()] = true
	}
	for _, i := range im.sortByDependency() {
		l := &im.Tasks[i]
		if len(l.Text) > belay.MaxProse {
			l.Outcome = ImportLeft
			im.addNote(*l, fmt.Sprintf("its text is larger than %d KiB", belay.MaxProse>>10))
			continue
		}
		t := im.newTask(i, o, q)
		t.ID = l.taskID(t.Feature, used)
		r, err := s.Add(ctx, t)
		if err != nil {
			return im, fmt.Errorf("record %s of %s, line %d: %w", l.Title, belay.VisibleLine(l.Source), l.Line, err)
		}
		l.Outcome, l.Belay = ImportAdded, r.Task.ID
		used[r.Task.ID.Key()] = true
	}
	return im, nil
}

// taskID returns the ID for a line's task: the one in its file, prefixed with the feature if that
// is or was used. "" selects the next number, if the name cannot be an ID.
func (l ImportLine) taskID(feature string, used map[string]bool) belay.TaskID {
	for _, name := range []string{l.ID, feature + "." + l.ID} {
		if id, err := belay.ParseNewTaskID(name); err == nil && !used[id.Key()] {
			return id
		}
	}
	return ""
}

// RecordedTasks returns all recorded tasks, for PlanImport.
func RecordedTasks(s *Service) ([]belay.Task, error) {
	records, err := s.Session.Records(nil)
	var have []belay.Task
	for _, r := range records {
		have = append(have, r.Task)
	}
	return have, err
}

// checkAsked fails if a requested ID is not in the files.
func (im *Import) checkAsked(o ImportOptions) error {
	for _, id := range o.Only {
		if !slices.ContainsFunc(im.Tasks, func(l ImportLine) bool { return l.ID == id }) {
			return belay.Refuse(belay.CodeNotFound, "belay task import … --dry-run lists the tasks",
				"no task %s in these files", belay.VisibleLine(id))
		}
	}
	return nil
}

// newTask returns the task to record for a line.
func (im *Import) newTask(i int, o ImportOptions, q NewTask) NewTask {
	l := im.Tasks[i]
	q.Text, q.Instructions, q.Grammar = l.Text, l.Request, true // grammar only: asking a model for many tasks would take too long
	if o.KeepParts && l.Parts > 0 {
		q.Text = im.textWithParts(i)
	}
	if f := tasklist.FeatureOf(l.Source); q.Feature == "" {
		q.Feature = f
	}
	q.After = slices.Clone(q.After)
	for _, j := range l.predecessors {
		if first := im.Tasks[j]; first.Belay != "" && first.Outcome != ImportDone && !slices.Contains(q.After, first.Belay) {
			q.After = append(q.After, first.Belay)
		}
	}
	q.Fill = func(t *belay.Task) {
		im.listedTask(l, t.ID, o).Fill(t)
		if !strings.Contains(q.Text, path.Base(l.Source)) { // the task list contains the task's text, but the task is not about that file
			t.Request.Affected = slices.DeleteFunc(t.Request.Affected, func(f string) bool { return f == l.Source })
		}
	}
	return q
}

// listedTask returns the file's settings for a line that becomes the task id.
func (im *Import) listedTask(l ImportLine, id belay.TaskID, o ImportOptions) belay.Listed {
	out := belay.Listed{Title: belay.TitleOf(l.Title), Origin: l.origin(im.dialectOf(l.Source)), Acceptance: l.Acceptance,
		Exclude: l.Exclude, Priority: l.Priority, Area: l.Area, QA: l.QA, Standards: l.Standards}
	if string(id) != l.ID {
		out.Title = belay.TitleOf(strings.TrimSpace(l.ID + " " + l.Title))
	}
	if out.Limits = (l.FilesDeclared || o.UseMentioned && len(l.Files) > 0) && !o.IgnoreFiles; out.Limits {
		for _, f := range l.Files {
			out.Files = append(out.Files, literalPattern(f))
		}
	}
	return out
}

func (im *Import) dialectOf(source string) tasklist.Dialect {
	for _, f := range im.Files {
		if f.Path == source {
			return f.Dialect
		}
	}
	return ""
}

// textWithParts returns a task's text followed by the texts of its parts.
func (im *Import) textWithParts(i int) string {
	l := im.Tasks[i]
	words := l.Text
	if strings.HasPrefix(l.ID, "#") {
		return words // an issue's text contains its boxes
	}
	for _, p := range im.Tasks {
		if p.isPartOf(l) {
			words += "\n- " + strings.TrimSpace(p.ID+" ") + " " + p.Text
		}
	}
	return words
}

// literalPattern escapes brackets and question marks in a path, so that the pattern matches only
// that path. A path with a star or braces is a pattern already.
func literalPattern(path string) string {
	if strings.ContainsAny(path, "*{") {
		return path
	}
	return strings.NewReplacer(`\`, `\\`, "[", `\[`, "]", `\]`, "?", `\?`).Replace(path)
}
