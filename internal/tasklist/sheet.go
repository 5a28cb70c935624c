package tasklist

import (
	"bytes"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

// Notes about a task's state.
const (
	NoLane  = "no lane or status says whether it is done: it is treated as open"
	GivenUp = "it is abandoned: the task is not treated as open"
)

// MaxTaskYAML is the maximum size of a task's YAML, in bytes.
const MaxTaskYAML = 1 << 20

// ReadTaskYAML reads a *.task.yaml. Problems of the YAML are returned as *config.Problems, and so
// is a file without id and title.
func ReadTaskYAML(name string, data []byte) (Reading, error) {
	f, err := readYAML(name, data)
	if err != nil {
		return Reading{}, err
	}
	t := Task{ID: f.text("id"), Title: f.text("title"), Priority: f.text("priority"), Area: f.text("area"),
		State: StateOf(f.text("status"))}
	scope := f.below("scope")
	in, out := append(scope.list("in"), f.list("scope_in")...), append(scope.list("out"), f.list("scope_out")...)
	t.Exclude = out
	for _, one := range slices.Concat(in, f.list("files"), f.below("context").list("repo_paths")) {
		t.Files = appendNew(t.Files, pathsOf(one)...)
	}
	t.FilesDeclared = len(t.Files) > 0
	t.Depends = f.ids("blocked_by", "depends_on", "depends", "dependencies")
	must := f.below("acceptance_criteria")
	t.Acceptance = slices.Concat(f.list("acceptance_criteria", "acceptance"), must.list("must"), must.list("quality_gates"))
	t.QA = slices.Concat(f.list("qa"), f.below("qa").list("commands"), f.below("validation").list("commands"),
		f.below("validation").valuesOf("pipeline", "command"))
	t.Standards = f.list("standards")
	var words []string
	for _, s := range []string{t.Title, f.text("description"), f.text("outcome"), formatList("In scope", in),
		formatList("Not in scope", out), f.planSteps(), formatList("Acceptance criteria", t.Acceptance)} {
		if s = strings.TrimSpace(s); s != "" {
			words = append(words, s)
		}
	}
	t.Text = strings.Join(words, "\n\n")
	t.Request = strings.TrimSpace(t.Title + "\n\n" + f.text("description"))
	return f.singleTask(t, TaskYAML)
}

// ReadWorkPackage reads a work package: YAML front matter, then Markdown.
func ReadWorkPackage(name string, data []byte) (Reading, error) {
	f, body, err := readFrontMatter(name, data)
	if err != nil {
		return Reading{}, err
	}
	t := Task{ID: f.text("work_package_id", "wp_code"), Title: f.text("title"), Section: f.text("phase"), State: StateOf(f.lane())}
	for _, one := range f.list("owned_files", "files") {
		t.Files = appendNew(t.Files, pathsOf(one)...)
	}
	t.FilesDeclared = len(t.Files) > 0
	t.Depends = f.ids("dependencies", "depends_on")
	t.Requirements = f.ids("requirement_refs", "requirements")
	t.Request = t.Title
	text := f.addBody(&t, body)
	t.Text = strings.TrimSpace(t.Title + "\n\n" + strings.TrimSpace(text))
	r, err := f.singleTask(t, SpecKitty)
	if err == nil && f.lane() == "" {
		r.Notes = append(r.Notes, Note{Line: 1, Text: r.Tasks[0].Title, Why: NoLane})
	}
	return r, err
}

// readFrontMatter parses the YAML front matter and returns it with the lines after it.
func readFrontMatter(name string, data []byte) (f *yamlFile, body []Line, err error) {
	lines := ReadPage(data)
	n := 0
	for i, l := range lines {
		if l.Kind == Front {
			n = i + 1
		}
	}
	var front []byte
	if n > 0 { // a blank line instead of the ---: line numbers of problems stay right
		front = append([]byte("\n"), data[lines[1].Start:lines[n-1].Start]...)
	}
	for _, at := range peopleLines.FindAllStringIndex(string(front), -1) {
		copy(front[at[0]:], bytes.ReplaceAll(front[at[0]:at[1]], []byte("@"), []byte("_")))
	}
	if f, err = readYAML(name, front); err == nil {
		f.data = data
	}
	return f, lines[n:], err
}

// peopleLines name somebody as @name, which tools write without the quotes that YAML requires.
var peopleLines = lazyregexp.New(`(?m)^(?:(?:assignee|reporter):|[ \t]*- @).*$`)

// ReadBacklog reads a task of Backlog.md: YAML front matter, then sections of Markdown. Ids are
// upper-cased, because the tool ignores their case.
func ReadBacklog(name string, data []byte) (Reading, error) {
	f, body, err := readFrontMatter(name, data)
	if err != nil {
		return Reading{}, err
	}
	t := Task{ID: strings.ToUpper(f.text("id")), Title: f.text("title"), State: StateOf(f.text("status")),
		Priority: f.text("priority"), Parent: strings.ToUpper(f.text("parent_task_id"))}
	for _, id := range f.ids("dependencies") {
		t.Depends = appendNew(t.Depends, strings.ToUpper(id))
	}
	var words, ask []string
	section := ""
	for _, l := range body {
		raw := l.Raw(data)
		if l.Kind == Heading && l.Level <= 2 {
			section = strings.ToLower(l.Text)
		}
		switch {
		case l.Kind == Comment || resultSections[section]: // the tool's markers, and what was written after the work
			continue
		case l.Box.State != NoBox:
			said := strings.TrimSpace(criterionNumber.ReplaceAllString(l.Text, ""))
			t.Steps = append(t.Steps, Step{Text: said, Done: l.Box.State == Done, Line: l.N})
			t.Acceptance = append(t.Acceptance, said)
		case section == "description" && l.Kind != Heading:
			ask = append(ask, raw)
		}
		words = append(words, raw)
	}
	t.Text = joinParagraphs([]string{t.Title, strings.TrimSpace(strings.Join(words, "\n"))})
	about := strings.TrimSpace(strings.Join(ask, "\n"))
	// If there are criteria, the description only gives the reasons.
	if t.Files, t.Request = appendNew(t.Files, Files(t.Title+"\n"+about)...), t.Title; len(t.Acceptance) == 0 {
		t.Request = joinParagraphs([]string{t.Title, about})
	}
	return f.singleTask(t, Backlog)
}

var (
	criterionNumber = lazyregexp.New(`^#\d+\s+`)
	resultSections  = map[string]bool{"implementation notes": true, "comments": true, "final summary": true}
)

var (
	partHeading = lazyregexp.New(`^(?:Subtask\s+)?T-?\d+\s*[:–—-]+\s*(\S.*)$`)
	ownedFiles  = lazyregexp.New(`(?i)^(?:\*\*)?(?:owned )?files(?: to (?:create|modify|change|touch|edit)(?:/\w+)?)?(?:\*\*)?:?(?:\*\*)?`)
)

// addBody reads the Markdown of a work package into the task, and returns its text.
func (f *yamlFile) addBody(t *Task, lines []Line) string {
	var text strings.Builder
	var owned []string
	files := "" // the heading above in lower case, if it announces a list of files
	for _, l := range lines {
		text.WriteString(l.Raw(f.data) + "\n")
		at := ownedFiles.FindStringIndex(l.Text)
		switch {
		case l.Kind == Heading:
			if files = ""; at != nil && at[1] == len(l.Text) {
				files = strings.ToLower(l.Text)
			}
			if m := partHeading.FindStringSubmatch(l.Text); m != nil {
				t.Request += "\n- " + m[1]
			}
		case l.Box.State != NoBox:
			t.Steps = append(t.Steps, Step{Text: l.Text, Done: l.Box.State == Done, Line: l.N})
			t.Acceptance = append(t.Acceptance, l.Text)
		case t.FilesDeclared:
		case strings.HasPrefix(files, "owned") && l.Kind == Item:
			owned = appendNew(owned, Files(l.Text)...)
		case files != "" && l.Kind == Item:
			t.Files = appendNew(t.Files, Files(l.Text)...)
		case at != nil && strings.HasSuffix(strings.TrimRight(l.Text[:at[1]], "*"), ":"):
			t.Files = appendNew(t.Files, Files(l.Text[at[1]:])...)
		}
	}
	if len(owned) > 0 {
		t.Files, t.FilesDeclared = owned, true
	}
	return text.String()
}

// StateOf returns the state for a status or a lane.
func StateOf(word string) State {
	switch strings.ToLower(word) {
	case "done", "completed", "complete", "closed", "approved", "merged", "finished":
		return Done
	case "doing", "in_progress", "in-progress", "in progress", "claimed", "for_review", "in_review", "review", "active":
		return Doing
	case "cancelled", "canceled", "rejected", "obsolete", "archived", "wontfix", "deferred":
		return Unclear
	}
	return Open
}

// singleTask returns the reading of a file with one task.
func (f *yamlFile) singleTask(t Task, d Dialect) (Reading, error) {
	if t.ID == "" && t.Title == "" {
		f.yaml.Complain(f.top(), "", "not a task: no id and no title")
	}
	if err := f.problems(); err != nil {
		return Reading{}, err
	}
	if t.Title == "" {
		t.Title, t.Text = t.ID, strings.TrimSpace(t.ID+"\n\n"+t.Text)
	}
	t.Line, t.Done = 1, t.State == Done
	if t.Files == nil {
		t.Files = []string{}
	}
	if t.Depends == nil {
		t.Depends = []string{}
	}
	r := Reading{Dialect: d, Tasks: []Task{t}, Notes: []Note{}, Lines: countFileLines(f.data, "")}
	if t.State == Unclear {
		r.Notes = append(r.Notes, Note{Line: 1, Text: t.Title, Why: GivenUp})
	}
	return r, nil
}

// countFileLines counts lines as lines of tasks, or as structure if they consist of the given
// signs.
func countFileLines(data []byte, signs string) (n Lines) {
	for _, l := range ReadPage(data) {
		n.Total++
		if strings.Trim(strings.TrimSpace(l.Raw(data)), signs) == "" {
			n.Structure++
		}
	}
	n.Tasks = n.Total - n.Structure
	return n
}

func appendNew(list []string, more ...string) []string {
	for _, s := range more {
		if s != "" && !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return list
}

// pathsOf returns the paths that a list item names; an item without blanks is a path as if in
// backticks.
func pathsOf(item string) []string {
	if !strings.ContainsAny(item, " \t\n`") {
		item = "`" + item + "`"
	}
	return Files(item)
}

func formatList(title string, list []string) string {
	if len(list) == 0 {
		return ""
	}
	return title + ":\n- " + strings.Join(list, "\n- ")
}
