package prompt

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/belay-dev/belay/internal/belay"
)

// Prefixes of the lines for bounds.
const (
	changeOnlyPrefix = "- CHANGE ONLY: "
	doNotTouchPrefix = "- DO NOT TOUCH: "
)

// RequestText formats a request as lines that ReadRequest can read: the type, a line for each
// requirement with its marker and stated number, and lines for what must stay, affected files,
// bounds and doubts. A phrase that would be ambiguous or has invisible characters is quoted in Go
// syntax.
func RequestText(r belay.Request) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Type: %s\n\n", r.Type)
	for _, q := range r.Requirements {
		count := ""
		if q.Count != nil {
			count = fmt.Sprintf("(%d) ", *q.Count)
		}
		fmt.Fprintf(&b, "- [%s] %s%s\n", q.Marker, count, quotePhrase(q.Text))
	}
	for _, s := range r.Preserve {
		fmt.Fprintf(&b, "- PRESERVE: %s\n", quotePhrase(s))
	}
	for _, s := range r.Affected {
		fmt.Fprintf(&b, "- AFFECTED: %s\n", quotePhrase(s))
	}
	for _, bound := range r.Bounds {
		fmt.Fprintf(&b, "%s%s\n  - because: %s\n", map[bool]string{true: changeOnlyPrefix, false: doNotTouchPrefix}[bound.Only],
			quotePhrase(bound.What), quotePhrase(bound.Words))
	}
	for _, d := range r.Doubts {
		fmt.Fprintf(&b, "- IN DOUBT: %s\n", strconv.QuoteToASCII(d.Words))
		for _, s := range d.Readings {
			fmt.Fprintf(&b, "  - or: %s\n", quotePhrase(s))
		}
	}
	return strings.TrimRight(b.String(), "\n")
}

// RequirementsText formats a line for each requirement: shown with the evidence, contradicted, or
// not shown.
func RequirementsText(met []belay.Met) string {
	var b strings.Builder
	for _, m := range met {
		fmt.Fprintf(&b, "- %s: [%s] %s", m.Verdict, m.Marker, belay.VisibleLine(m.Text))
		list := m.Evidence
		if m.Verdict != belay.MetYes {
			list = m.Missing
		}
		if len(list) > 0 {
			fmt.Fprintf(&b, " (%s)", belay.VisibleLine(strings.Join(list, "; ")))
		}
		b.WriteByte('\n')
	}
	return b.String()
}

// DoubtsText formats ambiguities for a person: a line for the phrase and one for each reading, with
// the number that selects it.
func DoubtsText(doubts []belay.Doubt) string {
	var b strings.Builder
	for _, d := range doubts {
		fmt.Fprintf(&b, "  “%s”\n", belay.VisibleLine(strings.Join(strings.Fields(d.Words), " ")))
		for i, s := range d.Readings {
			fmt.Fprintf(&b, "    %d) %s\n", i+1, belay.VisibleLine(s))
		}
	}
	return b.String()
}

// doubtLines formats doubts as a list in Markdown.
func doubtLines(doubts []belay.Doubt) string {
	_, lines, _ := strings.Cut(RequestText(belay.Request{Doubts: doubts}), "\n\n")
	return lines
}

// ReadingText describes which reading of its text a task uses if a model was asked to read it too,
// with a line for each difference; "" otherwise.
func ReadingText(t belay.Task) string {
	r := t.Reading
	if r == nil {
		return ""
	}
	text := "read by: " + belay.VisibleLine(r.By) + "\n"
	for _, d := range r.Differs {
		text += "  " + belay.VisibleLine(d) + "\n"
	}
	if r.Note != "" {
		text += "  " + belay.VisibleLine(r.Note) + "\n"
	}
	return text
}

// quotePhrase returns a phrase unchanged, or quoted if it would not be read back unchanged.
func quotePhrase(s string) string {
	oneLine := s != "" && strings.TrimSpace(s) == s && !strings.ContainsAny(s, "\n\r\t")
	spans := strings.Count(s, "`")%2 == 0 && !strings.Contains(s, "``") // a code span is closed, and none is a fence
	if oneLine && spans && utf8.ValidString(s) && belay.Visible(s) == s && s[0] != '"' && s[0] != '(' {
		return s
	}
	return strconv.QuoteToASCII(s)
}

func unquotePhrase(s string) (string, error) {
	if strings.HasPrefix(s, `"`) {
		return strconv.Unquote(s)
	}
	return s, nil
}

// ReadRequest reads the lines of RequestText. An unknown line is an error that names the line:
// somebody may have edited it, and nothing may be lost silently.
func ReadRequest(text string) (belay.Request, error) {
	var r belay.Request
	n := 0
	for l := range strings.Lines(text) {
		n++
		l = strings.TrimRight(l, "\r\n")
		if strings.TrimSpace(l) == "" {
			continue
		}
		if err := readLine(&r, l); err != nil {
			return r, fmt.Errorf("read line %d of the request %q: %w", n, l, err)
		}
	}
	return r, nil
}

func readLine(r *belay.Request, l string) error {
	if t, ok := strings.CutPrefix(l, "Type: "); ok {
		r.Type = belay.RequestType(t)
		return nil
	}
	if s, ok := strings.CutPrefix(l, "  - or: "); ok && len(r.Doubts) > 0 {
		s, err := unquotePhrase(s)
		last := &r.Doubts[len(r.Doubts)-1]
		last.Readings = append(last.Readings, s)
		return err
	}
	if s, ok := strings.CutPrefix(l, "  - because: "); ok && len(r.Bounds) > 0 {
		s, err := unquotePhrase(s)
		r.Bounds[len(r.Bounds)-1].Words = s
		return err
	}
	for _, prefix := range []string{changeOnlyPrefix, doNotTouchPrefix} {
		if s, ok := strings.CutPrefix(l, prefix); ok {
			s, err := unquotePhrase(s)
			r.Bounds = append(r.Bounds, belay.Bound{Only: prefix == changeOnlyPrefix, What: s})
			return err
		}
	}
	for prefix, list := range map[string]*[]string{"- PRESERVE: ": &r.Preserve, "- AFFECTED: ": &r.Affected} {
		if s, ok := strings.CutPrefix(l, prefix); ok {
			s, err := unquotePhrase(s)
			*list = append(*list, s)
			return err
		}
	}
	if s, ok := strings.CutPrefix(l, "- IN DOUBT: "); ok {
		s, err := unquotePhrase(s)
		r.Doubts = append(r.Doubts, belay.Doubt{Words: s})
		return err
	}
	return readRequirement(r, l)
}

func readRequirement(r *belay.Request, l string) error {
	l, ok := strings.CutPrefix(l, "- [")
	marker, rest, closed := strings.Cut(l, "] ")
	if !ok || !closed {
		return errors.New("expected a requirement, PRESERVE, AFFECTED, CHANGE ONLY, DO NOT TOUCH or IN DOUBT")
	}
	q := belay.Requirement{Marker: belay.Marker(marker)}
	switch q.Marker {
	case belay.MarkAdd, belay.MarkModify, belay.MarkFix, belay.MarkRemove:
	default:
		return fmt.Errorf("%s is not a marker", marker)
	}
	if counted, ok := strings.CutPrefix(rest, "("); ok {
		number, after, ok := strings.Cut(counted, ") ")
		n, err := strconv.Atoi(number)
		if !ok || err != nil {
			return errors.New("its number cannot be read")
		}
		q.Count, rest = &n, after
	}
	var err error
	q.Text, err = unquotePhrase(rest)
	r.Requirements = append(r.Requirements, q)
	return err
}
