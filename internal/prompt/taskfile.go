package prompt

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/belay-dev/belay/internal/belay"
)

// The headings, the last of each of which in a file counts: words may hold them, too.
const (
	askedHeading = "## What is asked for"
	allowed      = "## What it may change"
)

// Write gives the file of a task.
func Write(t belay.Task) string {
	var b strings.Builder
	fmt.Fprintf(&b, "# %s: %s\n\n%s\n\n%s\n\n%s\n\n%s\n\n", t.ID, belay.VisibleLine(t.Title), t.Prose, askedHeading,
		Request(t.Request), allowed)
	for _, l := range lists(&t.Scope) {
		for _, g := range *l.list {
			fmt.Fprintf(&b, "- %s: %s\n", l.name, g)
		}
	}
	return strings.TrimRight(b.String(), "\n") + "\n"
}

type list struct {
	name string
	list *[]string
}

func lists(s *belay.Scope) []list {
	return []list{{"FILES", &s.Files}, {"PROTECT", &s.Protect}, {"EXPECT", &s.Expect}}
}

// Edited is what a file says.
type Edited struct {
	Prose   string
	Request belay.Request
	Scope   belay.Scope
}

// Problem is what is wrong with a line of a file, counted from 1; 0 is the file as a whole.
type Problem struct {
	Line int    `json:"line"`
	Text string `json:"text"`
}

// Problems is everything that is wrong with a file.
type Problems []Problem

// Error gives a line for each.
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

// Read reads the file of a task back. The error is Problems.
func ReadEditedTask(id belay.TaskID, text string) (Edited, error) {
	text = strings.TrimPrefix(text, "\ufeff")
	r := reader{lines: strings.Split(text, "\n")}
	r.readable(text)
	from, at, may := r.parts(id)
	if len(r.bad) > 0 {
		return Edited{}, r.bad
	}
	var e Edited
	e.Prose = strings.Join(r.lines[from:at], "\n")
	if e.Prose = strings.TrimSuffix(e.Prose, "\n"); strings.TrimSpace(e.Prose) == "" {
		r.complain(from+1, "the task text is empty")
	}
	if len(e.Prose) > belay.MaxProse {
		r.complain(0, "the text is larger than %d KiB", belay.MaxProse>>10)
	}
	e.Request = r.request(at+1, may)
	r.scope(&e.Scope, may+1)
	if len(r.bad) > 0 {
		slices.SortStableFunc(r.bad, func(a, b Problem) int { return a.Line - b.Line })
		return e, r.bad
	}
	return e, nil
}

type reader struct {
	lines []string
	bad   Problems
}

func (r *reader) complain(line int, format string, args ...any) {
	r.bad = append(r.bad, Problem{Line: line, Text: fmt.Sprintf(format, args...)})
}

func (r *reader) readable(text string) {
	if utf8.ValidString(text) && !strings.ContainsRune(text, 0) {
		return
	}
	for i, l := range r.lines {
		if !utf8.ValidString(l) || strings.ContainsRune(l, 0) {
			r.complain(i+1, "the text is not UTF-8")
		}
	}
}

// parts finds where the words begin and end and where what may change begins, by line.
func (r *reader) parts(id belay.TaskID) (from, at, may int) {
	head := "# " + string(id) + ":"
	for from < len(r.lines) && strings.TrimSpace(r.lines[from]) == "" {
		from++
	}
	if from == len(r.lines) || !strings.HasPrefix(r.lines[from], head) {
		r.complain(from+1, "the first line must be %q and a title", head)
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
		case allowed:
			may = i
		}
	}
	if at < from {
		r.complain(0, "the heading %q is missing", askedHeading)
	}
	if may < at || may < 0 {
		r.complain(0, "the heading %q is missing below %q", allowed, askedHeading)
	}
	return from, at, may
}

// request reads the lines between two, naming each that cannot be read.
func (r *reader) request(from, to int) belay.Request {
	lines := slices.Clone(r.lines[from:to])
	for range len(lines) + 1 {
		req, err := ReadRequest(strings.Join(lines, "\n"))
		if err == nil {
			switch req.Type {
			case belay.Fresh, belay.Mutation, belay.Bugfix, belay.Unclear:
			default:
				r.complain(from, "the type is %q; use fresh, mutation, bugfix or needs-clarification", string(req.Type))
			}
			return req
		}
		n := 0
		if _, serr := fmt.Sscanf(err.Error(), "read line %d of the request", &n); serr != nil || n < 1 || n > len(lines) {
			r.complain(from+1, "%v", err)
			return req
		}
		if inner := errors.Unwrap(err); inner != nil {
			err = inner
		}
		r.complain(from+n, "%v", err)
		lines[n-1] = ""
	}
	return belay.Request{}
}

// scope reads what the task may change.
func (r *reader) scope(s *belay.Scope, from int) {
	for i := from; i < len(r.lines); i++ {
		l := strings.TrimRight(r.lines[i], " \t\r")
		if strings.TrimSpace(l) == "" {
			continue
		}
		known := false
		for _, one := range lists(s) {
			g, ok := strings.CutPrefix(l, "- "+one.name+": ")
			if !ok {
				continue
			}
			known = true
			if err := belay.Valid(g); err != nil {
				r.complain(i+1, "%v", err)
			}
			*one.list = append(*one.list, g)
		}
		if !known {
			r.complain(i+1, "it is no FILES, PROTECT or EXPECT")
		}
	}
}
