package tasklist

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

// TickDone returns the file with the task of that origin done, and the changed lines; none if it is
// done already. It finds the task at its line, or else by id and title. Errors (belay.CodeCannot):
// the task is missing, ambiguous or changed, or has no box or status.
func TickDone(data []byte, o belay.Origin) (out []byte, lines []int, err error) {
	r, err := ReadTasks(o.File, data)
	if err != nil {
		return nil, nil, err
	}
	at, err := findTask(r, o)
	if err != nil {
		return nil, nil, err
	}
	if r.Tasks[at].Done {
		return data, nil, nil
	}
	switch t := r.Tasks[at]; {
	case r.Dialect == TaskYAML, r.Dialect == Backlog, r.Dialect == SpecKitty && len(t.BoxLines) == 0:
		out, lines = tickStatus(data, r.Dialect)
	case r.Dialect == TaskMaster && t.StatusRange[1] > 0:
		out = slices.Concat(data[:t.StatusRange[0]], []byte(`"done"`), data[t.StatusRange[1]:])
		lines = []int{1 + bytes.Count(data[:t.StatusRange[0]], []byte{'\n'})}
	default:
		out, lines = tickBoxes(data, t.BoxLines)
	}
	if len(lines) == 0 {
		return nil, nil, belay.Refuse(belay.CodeCannot, "mark it by hand", "%s has no box or status of its own in %s",
			originName(o), belay.VisibleLine(o.File))
	}
	if err := verifyTick(r, at, out, o); err != nil {
		return nil, nil, err
	}
	return out, lines, nil
}

func originName(o belay.Origin) string {
	if o.ID != "" {
		return belay.VisibleLine(o.ID)
	}
	return "“" + belay.VisibleLine(belay.TitleOf(o.Title)) + "”"
}

// findTask returns the index of the task of an origin.
func findTask(r Reading, o belay.Origin) (int, error) {
	var same, near []int
	for i, t := range r.Tasks {
		switch {
		case t.ID == o.ID && t.Title == o.Title:
			if t.Line == o.Line {
				return i, nil
			}
			same = append(same, i)
		case t.ID == o.ID && o.ID != "":
			near = append(near, i)
		}
	}
	file := belay.VisibleLine(o.File)
	switch {
	case len(same) == 1:
		return same[0], nil
	case len(same) > 1:
		return 0, belay.Refuse(belay.CodeCannot, "mark it by hand", "%s appears %d times in %s", originName(o), len(same), file)
	case len(near) > 0:
		return 0, belay.Refuse(belay.CodeCannot, "mark it by hand", "the text of %s in %s has changed (line %d)", originName(o),
			file, r.Tasks[near[0]].Line)
	}
	return 0, belay.Refuse(belay.CodeCannot, "mark it by hand", "%s is no longer in %s", originName(o), file)
}

// tickBoxes ticks the boxes on the lines marks.
func tickBoxes(data []byte, marks []int) (out []byte, lines []int) {
	read := ReadPage(data)
	end := 0
	for _, n := range marks {
		l := read[n-1]
		b := l.Box
		if l.Kind == Heading {
			b = boxInHeading(data, l)
		}
		if b.State == NoBox || b.State == Done {
			continue
		}
		out = append(append(out, data[end:b.Start]...), tickedSign(b)...)
		end = b.End
		lines = append(lines, n)
	}
	return append(out, data[end:]...), lines
}

// tickedSign returns the replacement for an open box's character or content.
func tickedSign(b Box) string {
	switch {
	case strings.HasPrefix(b.Sign, "⬜"):
		return "✅"
	case b.Sign[0] != '[' && b.Sign[0] != '(':
		return "☑"
	}
	return "x"
}

// boxInHeading returns the last open box in a heading.
func boxInHeading(data []byte, l Line) Box {
	for at := l.End - 1; at >= l.Start; at-- {
		if !bytes.ContainsRune([]byte("[(☐⬜"), rune(data[at])) && data[at] < 0x80 {
			continue
		}
		got := ReadPage(append([]byte("- "), data[at:l.End]...))
		if len(got) == 1 && got[0].Box.State == Open {
			b := got[0].Box
			b.Start, b.End = b.Start-2+at, b.End-2+at
			return b
		}
	}
	return Box{}
}

var statusPattern = lazyregexp.New(`^(lane|status):[ \t]+(?:"([^"\\]*)"|'([^']*)'|([A-Za-z0-9_-]+(?: [A-Za-z0-9_-]+)*))[ \t]*(?:#.*)?\r?$`)

var lanePattern = lazyregexp.New(`(?m)^lane:`)

// tickStatus replaces a task's status. It keeps quotes and a comment after the value.
func tickStatus(data []byte, d Dialect) (out []byte, lines []int) {
	key := "status"
	if d == SpecKitty && lanePattern.Match(data) {
		key = "lane"
	}
	for _, l := range ReadPage(data) {
		if d != TaskYAML && l.Kind != Front {
			break
		}
		m := statusPattern.FindStringSubmatchIndex(string(data[l.Start:l.End]))
		if m == nil || string(data[l.Start+m[2]:l.Start+m[3]]) != key {
			continue
		}
		for g := 4; g < 10; g += 2 {
			if m[g] < 0 {
				continue
			}
			from, to := l.Start+m[g], l.Start+m[g+1]
			out = append(out, data[:from]...)
			out = append(out, doneWord(d, string(data[from:to]))...)
			return append(out, data[to:]...), []int{l.N}
		}
	}
	return nil, nil
}

// doneWord returns the status for done in the vocabulary of the current one.
func doneWord(d Dialect, now string) string {
	if d == Backlog {
		return "Done"
	}
	switch strings.ToLower(now) {
	case "todo", "draft", "in_progress", "blocked":
		return "completed"
	}
	if d == TaskYAML && now == "" {
		return "completed"
	}
	return "done"
}

// verifyTick reads the new bytes and fails if a task has another id, title, line or state, except
// for the state of the ticked task.
func verifyTick(before Reading, at int, data []byte, o belay.Origin) error {
	after, err := ReadTasks(o.File, data)
	if err != nil {
		return err
	}
	same := len(after.Tasks) == len(before.Tasks) && after.Lines == before.Lines
	for i := range before.Tasks {
		if !same {
			break
		}
		a, b := after.Tasks[i], before.Tasks[i]
		box := a.State == b.State || b.Parts > 0
		if i == at {
			box = a.Done
		}
		same = box && a.ID == b.ID && a.Title == b.Title && a.Line == b.Line
	}
	if !same {
		return belay.Refuse(belay.CodeCannot, "mark it by hand",
			"%s cannot be ticked in %s without a change to another task", originName(o), belay.VisibleLine(o.File))
	}
	return nil
}

// ComparableText returns a task's text for comparison: without the state of boxes, which belay and
// agents change, and without blanks at line ends.
func ComparableText(s string) string {
	data := []byte(s)
	var b strings.Builder
	for _, l := range ReadPage(data) {
		text := l.Raw(data)
		if l.Box.State != NoBox {
			text = fmt.Sprint(l.Indent, "[]", l.Text)
		}
		b.WriteString(strings.TrimRight(text, " \t\r") + "\n")
	}
	return strings.TrimSpace(b.String())
}
