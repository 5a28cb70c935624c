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

// Record records what is open in the files as tasks, each once: what was recorded before,
// also by an import that was killed, is not recorded again. q is what holds for all of
// them: the agent, its name, the feature when the files tell none. belay.CodeNotFound: an
// id of o.Only is not in the files.
func Record(ctx context.Context, s *Service, files []ImportFile, o Options, q NewTask) (Import, error) {
	unlock, err := s.lock(ctx, "import.lock")
	if err != nil {
		return Import{}, err
	}
	defer unlock()
	have, err := Have(s)
	if err != nil {
		return Import{}, err
	}
	im := Plan(files, have, o)
	if err := im.asked(o); err != nil {
		return im, err
	}
	ids, err := s.used(ctx)
	if err != nil {
		return im, err
	}
	used := map[string]bool{}
	for _, id := range ids {
		used[id.Key()] = true
	}
	for _, i := range im.sequence() {
		l := &im.Tasks[i]
		if len(l.Text) > belay.MaxProse {
			l.Outcome = Left
			im.note(*l, fmt.Sprintf("its text is larger than %d KiB", belay.MaxProse>>10))
			continue
		}
		t := im.task(i, o, q)
		t.ID = l.taskID(t.Feature, used)
		r, err := s.Add(ctx, t)
		if err != nil {
			return im, fmt.Errorf("record %s of %s, line %d: %w", l.Title, belay.VisibleLine(l.Source), l.Line, err)
		}
		l.Outcome, l.Belay = Added, r.Task.ID
		used[r.Task.ID.Key()] = true
	}
	return im, nil
}

// taskID is the id that a line's task gets: the one that its file gives it, with the feature before it where another task
// has or had that; "" is the next number, for a name that no id can be.
func (l ImportLine) taskID(feature string, used map[string]bool) belay.TaskID {
	for _, name := range []string{l.ID, feature + "." + l.ID} {
		if id, err := belay.ParseNewTaskID(name); err == nil && !used[id.Key()] {
			return id
		}
	}
	return ""
}

// Have gives the tasks that belay has, for a Plan.
func Have(s *Service) ([]belay.Task, error) {
	records, err := s.Session.Records(nil)
	var have []belay.Task
	for _, r := range records {
		have = append(have, r.Task)
	}
	return have, err
}

// asked refuses ids that are not in the files.
func (im *Import) asked(o Options) error {
	for _, id := range o.Only {
		if !slices.ContainsFunc(im.Tasks, func(l ImportLine) bool { return l.ID == id }) {
			return belay.Refuse(belay.CodeNotFound, "belay task import … --dry-run lists the tasks",
				"no task %s in these files", belay.VisibleLine(id))
		}
	}
	return nil
}

// task is what is recorded of a line.
func (im *Import) task(i int, o Options, q NewTask) NewTask {
	l := im.Tasks[i]
	q.Prose, q.Ask, q.Grammar = l.Text, l.Request, true // many at once: no model is waited for
	if o.Whole && l.Parts > 0 {
		q.Prose = im.withParts(i)
	}
	if f := tasklist.FeatureOf(l.Source); q.Feature == "" {
		q.Feature = f
	}
	q.After = slices.Clone(q.After)
	for _, j := range l.after {
		if first := im.Tasks[j]; first.Belay != "" && first.Outcome != Done && !slices.Contains(q.After, first.Belay) {
			q.After = append(q.After, first.Belay)
		}
	}
	q.Fill = func(t *belay.Task) {
		im.listed(l, t.ID, o).Fill(t)
		if !strings.Contains(q.Prose, path.Base(l.Source)) { // its list has the words of the task, and is not what they are about
			t.Request.Affected = slices.DeleteFunc(t.Request.Affected, func(f string) bool { return f == l.Source })
		}
	}
	return q
}

// listed is what its file says of a line that becomes the task with this id.
func (im *Import) listed(l ImportLine, id belay.TaskID, o Options) belay.Listed {
	out := belay.Listed{Title: belay.TitleOf(l.Title), Origin: l.origin(im.dialect(l.Source)), Acceptance: l.Acceptance,
		Exclude: l.Exclude, Priority: l.Priority, Area: l.Area, QA: l.QA, Standards: l.Standards}
	if string(id) != l.ID {
		out.Title = belay.TitleOf(strings.TrimSpace(l.ID + " " + l.Title))
	}
	if out.Limits = (l.FilesDeclared || o.Mention && len(l.Files) > 0) && !o.Free; out.Limits {
		for _, f := range l.Files {
			out.Files = append(out.Files, pattern(f))
		}
	}
	return out
}

func (im *Import) dialect(source string) tasklist.Dialect {
	for _, f := range im.Files {
		if f.Path == source {
			return f.Dialect
		}
	}
	return ""
}

// withParts is a task's words with those of its parts below them.
func (im *Import) withParts(i int) string {
	l := im.Tasks[i]
	words := l.Text
	if strings.HasPrefix(l.ID, "#") {
		return words // an issue's words hold its boxes
	}
	for _, p := range im.Tasks {
		if p.partOf(l) {
			words += "\n- " + strings.TrimSpace(p.ID+" ") + " " + p.Text
		}
	}
	return words
}

// pattern is a path as a pattern that means it: brackets and question marks are part of
// names there. What has a star or braces is a pattern already.
func pattern(path string) string {
	if strings.ContainsAny(path, "*{") {
		return path
	}
	return strings.NewReplacer(`\`, `\\`, "[", `\[`, "]", `\]`, "?", `\?`).Replace(path)
}
