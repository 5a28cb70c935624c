package plan

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/lazyregexp"
)

// TaskLabel returns a task's name in markers: 3 for T3; for other IDs, the ID.
func TaskLabel(task belay.TaskID) string {
	if rest, ok := strings.CutPrefix(task.Key(), "t"); ok && isNumber(rest) {
		return rest
	}
	return string(task)
}

// OtherIDWithLabel returns the other ID with the same label, such as 3 for T3; "" for none.
func OtherIDWithLabel(task belay.TaskID) belay.TaskID {
	switch label := TaskLabel(task); {
	case label != string(task):
		return belay.TaskID(label)
	case isNumber(label):
		return belay.TaskID("T" + label)
	}
	return ""
}

func isNumber(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// NamesTask reports whether a marker names this task.
func (m Marker) NamesTask(task belay.TaskID) bool {
	return m.Task != "" && strings.EqualFold(m.Task, TaskLabel(task))
}

// preservedSuffix ends every PRESERVED marker.
const preservedSuffix = "— do not remove or convert"

// String returns the marker without comment delimiters.
func (m Marker) String() string {
	of := ""
	if m.Task != "" {
		of = " for task-" + m.Task
	}
	switch {
	case m.Kind == belay.MarkNoChanges:
		return "NO CHANGES" + of
	case m.Kind == belay.MarkPreserved && m.Text == "":
		return "PRESERVED" + of + " " + preservedSuffix
	case m.Kind == belay.MarkPreserved:
		return "PRESERVED" + of + ": " + m.Text + " " + preservedSuffix
	}
	count := ""
	if m.Count != nil {
		count = fmt.Sprintf("(%d) ", *m.Count)
	}
	return strings.TrimSpace(fmt.Sprintf("TASK-%s [%s]: %s%s", m.Task, m.Kind, count, m.Text))
}

// IsChange reports whether the marker asks for a change.
func (m Marker) IsChange() bool {
	return m.Kind != belay.MarkNoChanges && m.Kind != belay.MarkPreserved
}

var (
	changePattern = lazyregexp.New(`^(?i:TASK-([\w.-]+?)[ ]?\[(ADD|MODIFY|FIX|` +
		`REMOVE)(?:[ ](\d+))?\])[ ]?(?:\((\d+)\)[ ]?)?:[ ]?(?:\((\d+)\)[ ]?)?(.*)$`)
	noChangesPattern = lazyregexp.New(`^NO CHANGES(?: for (?i:task)-([\w.-]+))?(?:[ ]?[:—–].*|[ ]-.*)?$`)
	preservedPattern = lazyregexp.New(
		`^(?:(?i:TASK-([\w.-]+))[ ]?:?[ ])?(?:EXISTING[ ](.+)[ ])?PRESERVED(?: for (?i:task)-([\w.-]+))?(?:(?:[ ]?[:—–]|[ ]-)[ ]?(.*))?$`)
	almostMarker = lazyregexp.New(`^(?:(?i:TASK[-_ ]?\w[\w.-]*)[ ]?(?:[\[(]|:?[ ]?(?:ADD|MODIFY|FIX|REMOVE)\b)|` +
		`\[(?:ADD|MODIFY|FIX|REMOVE)\b|NO[ _-]CHANGES?\b|PRESERVED?\b|EXISTING .*PRESERVED?\b)`)
	preservedTail = lazyregexp.New(`[ ]?(?:[—–-]+[ ]?)?do not remove(?: or convert)?\.?$`)
)

// ParseMarker reads a comment. ok is false if it is not a marker; a malformed marker has a Problem.
func ParseMarker(comment string) (m Marker, ok bool) {
	s := foldComment(comment)
	if c := changePattern.FindStringSubmatch(s); c != nil {
		m = Marker{Task: c[1], Kind: belay.Marker(strings.ToUpper(c[2])), Text: c[6]}
		for _, n := range c[3:6] {
			if v, err := strconv.Atoi(n); err == nil {
				m.Count = &v
			}
		}
		if m.Text == "" {
			m.Problem = "the text after the colon is missing"
		}
		return m, true
	}
	if c := noChangesPattern.FindStringSubmatch(s); c != nil {
		return Marker{Kind: belay.MarkNoChanges, Task: strings.TrimRight(c[1], ".")}, true
	}
	if c := preservedPattern.FindStringSubmatch(s); c != nil {
		m = Marker{Kind: belay.MarkPreserved, Task: strings.TrimRight(c[1]+c[3], ".:"), Text: preservedTail.ReplaceAllString(c[4], "")}
		if c[2] != "" {
			m.Text = strings.TrimSpace("existing " + c[2] + " " + m.Text)
		}
		return m, true
	}
	if almostMarker.MatchString(s) {
		return Marker{Text: s, Problem: "write TASK-N [ADD|MODIFY|FIX|REMOVE]: …, NO CHANGES for task-N, or " +
			"PRESERVED for task-N: …"}, true
	}
	return Marker{}, false
}

// foldComment joins the lines of a comment, without the stars at their starts.
func foldComment(s string) string {
	ls := strings.FieldsFunc(s, func(r rune) bool { return r == '\n' || r == '\r' })
	for i, l := range ls {
		ls[i] = strings.TrimSpace(strings.TrimLeft(strings.TrimSpace(l), "*"))
	}
	return strings.Join(strings.Fields(strings.Join(ls, " ")), " ")
}

// maxMarkerText limits the text of a requirement in a marker, in characters.
const maxMarkerText = 240

// CommentText makes a text safe for a one-line comment in either format: it cannot end the comment.
func CommentText(s string) string {
	s = strings.Join(strings.Fields(strings.NewReplacer("\u2028", " ", "\u2029", " ").Replace(s)), " ")
	s = belay.VisibleLine(s)
	for _, end := range []string{"*/", "-->", "--!>"} {
		for strings.Contains(s, end) {
			s = strings.ReplaceAll(s, end, end[:len(end)-1]+" "+end[len(end)-1:])
		}
	}
	if r := []rune(s); len(r) > maxMarkerText {
		s = strings.TrimSpace(string(r[:maxMarkerText-1])) + "…"
	}
	return s
}
