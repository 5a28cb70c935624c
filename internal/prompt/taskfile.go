package prompt

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/belay-dev/belay/internal/belay"
)

// The headings. The last one in a file counts, because the task's text may contain them too.
const (
	askedHeading = "## What is asked for"
	scopeHeading = "## What it may change"
)

// EditableTask returns the file for editing a task.
func EditableTask(t belay.Task) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s: %s\n\n%s\n\n%s\n\n%s\n\n%s\n\n", t.ID, belay.VisibleLine(t.Title), t.Prose, askedHeading,
		RequestText(t.Request), scopeHeading)
	for _, l := range pathLists(&t.Scope) {
		for _, g := range *l.list {
			fmt.Fprintf(&b, "- %s: %s\n", l.name, g)
		}
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}

type pathList struct {
	name string
	list *[]string
}

func pathLists(s *belay.Scope) []pathList {
	return []pathList{{"FILES", &s.Files}, {"PROTECT", &s.Protect}, {"EXPECT", &s.Expect}}
}

// EditedTask is the content of an edited file.
type EditedTask struct {
	Prose   string
	Request belay.Request
	Scope   belay.Scope
}

// Problem is an error in a line of a file, counted from 1; 0 is for the entire file.
type Problem struct {
	Line int    `json:"line"`
	Text string `json:"text"`
}

// Problems are all errors in a file.
type Problems []Problem

// Error returns a line for each problem.
func (p Problems) Error() string {
	var all []string
	for _, one := range p {
		if one.Line == 0 {
			all = append(all, belay.VisibleLine(one.Text))
		} else {
			all = append(all, fmt.Sprintf("line %d: %s", one.Line, belay.VisibleLine(one.Text)))
		}
	}
	return strings.Join(all, "\n")
}

// ReadEditedTask reads the file of EditableTask back. The error is of type Problems.
func ReadEditedTask(id belay.TaskID, text string) (EditedTask, error) {
	text = strings.TrimPrefix(text, "\ufeff")
	r := taskReader{lines: strings.Split(text, "\n")}
	r.checkReadable(text)
	from, at, may := r.findParts(id)
	if len(r.bad) > 0 {
		return EditedTask{}, r.bad
	}
	var e EditedTask
	e.Prose = strings.Join(r.lines[from:at], "\n")
	if e.Prose = strings.TrimSuffix(e.Prose, "\n"); strings.TrimSpace(e.Prose) == "" {
		r.addProblem(from+1, "the task text is empty")
	}
	if len(e.Prose) > belay.MaxProse {
		r.addProblem(0, "the text is larger than %d KiB", belay.MaxProse>>10)
	}
	e.Request = r.readRequest(at+1, may)
	r.readScope(&e.Scope, may+1)
	if len(r.bad) > 0 {
		slices.SortStableFunc(r.bad, func(a, b Problem) int { return a.Line - b.Line })
		return e, r.bad
	}
	return e, nil
}

type taskReader struct {
	lines []string
	bad   Problems
}

func (r *taskReader) addProblem(line int, format string, args ...any) {
	r.bad = append(r.bad, Problem{Line: line, Text: fmt.Sprintf(format, args...)})
}

func (r *taskReader) checkReadable(text string) {
	if utf8.ValidString(text) && !strings.ContainsRune(text, 0) {
		return
	}
	for i, l := range r.lines {
		if !utf8.ValidString(l) || strings.ContainsRune(l, 0) {
			r.addProblem(i+1, "the text is not UTF-8")
		}
	}
}

// findParts returns the lines where the task's text starts, where the request starts (and the text
// ends), and where the scope starts.
func (r *taskReader) findParts(id belay.TaskID) (from, at, may int) {
	head := "# " + string(id) + ":"
	for from < len(r.lines) && strings.TrimSpace(r.lines[from]) == "" {
		from++
	}
	if from == len(r.lines) || !strings.HasPrefix(r.lines[from], head) {
		r.addProblem(from+1, "the first line must be %q and a title", head)
		return 0, 0, 0
	}
	from++
	if from < len(r.lines) && strings.TrimSpace(r.lines[from]) == "" {
		from++
	}
	at, may = -1, -1
	for i, l := range r.lines {
		switch strings.TrimRight(l, " \t\r") {
		case askedHeading:
			at = i
		case scopeHeading:
			may = i
		}
	}
	if at < from {
		r.addProblem(0, "the heading %q is missing", askedHeading)
	}
	if may < at || may < 0 {
		r.addProblem(0, "the heading %q is missing below %q", scopeHeading, askedHeading)
	}
	return from, at, may
}

// readRequest reads the lines from to to, and reports each that cannot be read.
func (r *taskReader) readRequest(from, to int) belay.Request {
	lines := slices.Clone(r.lines[from:to])
	for range len(lines) + 1 {
		req, err := ReadRequest(strings.Join(lines, "\n"))
		if err == nil {
			switch req.Type {
			case belay.Fresh, belay.Mutation, belay.Bugfix, belay.Unclear:
			default:
				r.addProblem(from, "the type is %q; use fresh, mutation, bugfix or needs-clarification", string(req.Type))
			}
			return req
		}
		n := 0
		if _, serr := fmt.Sscanf(err.Error(), "read line %d of the request", &n); serr != nil || n < 1 || n > len(lines) {
			r.addProblem(from+1, "%v", err)
			return req
		}
		if inner := errors.Unwrap(err); inner != nil {
			err = inner
		}
		r.addProblem(from+n, "%v", err)
		lines[n-1] = ""
	}
	return belay.Request{}
}

// readScope reads the paths that the task may change, must not change, and should change.
func (r *taskReader) readScope(s *belay.Scope, from int) {
	for i := from; i < len(r.lines); i++ {
		l := strings.TrimRight(r.lines[i], " \t\r")
		if strings.TrimSpace(l) == "" {
			continue
		}
		known := false
		for _, one := range pathLists(s) {
			g, ok := strings.CutPrefix(l, "- "+one.name+": ")
			if !ok {
				continue
			}
			known = true
			if err := belay.Valid(g); err != nil {
				r.addProblem(i+1, "%v", err)
			}
			*one.list = append(*one.list, g)
		}
		if !known {
			r.addProblem(i+1, "it is no FILES, PROTECT or EXPECT")
		}
	}
}
