package review

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/review/comment"
)

// Check is the name that findings of reviews bear.
const Check = "review"

const (
	longTitle  = 160 // runes
	longDetail = 4 << 10
)

// Findings returns what a review asks for. by names the reviewer, affected are all places
// that are known of it, body is its text, files are the tracked paths. At least one
// finding rejects the work when it is a rejection; those that do not are notes.
func Findings(by string, affected []Affected, body string, files []string, rejection bool) []belay.Finding {
	if by == "" {
		by = "a reviewer"
	}
	if o, err := ParseOpinion([]byte(body)); err == nil {
		_, list := Reviewer{Name: by}.Judge(o)
		return refusing(list, by, body, rejection)
	}
	r := reading{by: by, lines: strings.Split(body, "\n"), quoted: map[int]bool{}}
	r.locate(body, files)
	var out []belay.Finding
	for _, a := range affected {
		out = append(out, r.finding(a))
	}
	if rest := r.rest(); rest != "" && len(out) > 0 {
		out = append(out, belay.Finding{Check: Check, Severity: belay.SeverityNote, Category: belay.CategoryReview,
			Title: "further comments by " + by, Detail: rest})
	}
	return refusing(out, by, body, rejection)
}

// refusing signs the findings, and adds one that refuses when a rejection has none.
func refusing(list []belay.Finding, by, body string, rejection bool) []belay.Finding {
	refuses := slices.ContainsFunc(list, func(f belay.Finding) bool { return f.Severity == belay.SeverityError })
	if rejection && !refuses {
		title, detail := first(body), strings.TrimSpace(body)
		if title == "" {
			title = by + " rejects the work"
		}
		f := belay.Finding{Check: Check, Severity: belay.SeverityError, Category: belay.CategoryReview, Title: title}
		if detail != title {
			f.Detail = clip(detail)
		}
		list = append([]belay.Finding{f}, list...)
	}
	for i := range list {
		list[i] = list[i].Sign()
	}
	return list
}

// reading is a review with the lines at which it names its places.
type reading struct {
	by     string
	lines  []string
	at     map[string]int // from a place to the line that asks for it, from 1
	quoted map[int]bool   // lines that findings quote
}

func key(p string, start, end int) string { return fmt.Sprint(p, "\x00", start, "\x00", end) }

func (r *reading) locate(body string, files []string) {
	r.at = map[string]int{}
	for _, why := range comment.Explain(body, comment.NewIndex(files)) {
		for _, k := range []string{key(why.Path, why.Start, why.End), key(why.Path, 0, 0)} {
			if _, known := r.at[k]; !known && why.Taken && why.Line > 0 && why.Line <= len(r.lines) {
				r.at[k] = why.Line
			}
		}
	}
}

// finding is one place with what the review says there. What a reviewer who refuses the
// work calls minor is to be fixed anyway, a note is not.
func (r *reading) finding(a Affected) belay.Finding {
	f := belay.Finding{Check: Check, Severity: belay.SeverityError, Category: belay.CategoryReview, File: path.Clean(a.Path)}
	if a.Severity == "note" {
		f.Severity = belay.SeverityNote
	}
	f.Line, f.EndLine = span(a.Lines)
	line, found := r.at[key(a.Path, f.Line, max(f.EndLine, f.Line))]
	if !found {
		line, found = r.at[key(a.Path, f.Line, f.EndLine)]
	}
	if !found {
		line, found = r.at[key(a.Path, 0, 0)]
	}
	if f.EndLine == f.Line {
		f.EndLine = 0
	}
	if !found {
		f.Title = r.by + " asks for a change here"
		return f
	}
	from, to := r.paragraph(line)
	f.Title = clean(r.lines[line-1])
	if heading(r.lines[line-1]) { // of a section about the place: what it asks for is below
		from, to = line, r.section(line)
		if below := first(strings.Join(r.lines[from:to], "\n")); below != "" {
			if from, f.Title = from+1, below; strings.HasPrefix(below, "```") {
				f.Title = r.by + " asks for a change here"
			}
		}
		r.quoted[line] = true
	}
	if said := strings.TrimSpace(strings.Join(r.lines[from-1:to], "\n")); clean(said) != f.Title {
		f.Detail = clip(said)
	}
	for i := from; i <= to; i++ {
		r.quoted[i] = true
	}
	return f
}

// span reads "12", "12-20", "30-".
func span(lines string) (start, end int) {
	from, to, ranged := strings.Cut(lines, "-")
	start, _ = strconv.Atoi(strings.TrimSpace(from))
	if !ranged {
		return start, start
	}
	end, _ = strconv.Atoi(strings.TrimSpace(to))
	if start < 1 || end <= start {
		return max(start, 0), max(start, 0)
	}
	return start, end
}

// paragraph returns the lines around one that belong to it: its item of a list, or what
// is between blank lines.
func (r *reading) paragraph(line int) (from, to int) {
	from, to = line, line
	for from > 1 && !begins(r.lines[from-1]) && strings.TrimSpace(r.lines[from-2]) != "" && !heading(r.lines[from-2]) {
		from--
	}
	for to < len(r.lines) && strings.TrimSpace(r.lines[to]) != "" && !begins(r.lines[to]) && !heading(r.lines[to]) {
		to++
	}
	return from, to
}

// section returns the last line below a heading before another heading, or before a line that names another place.
func (r *reading) section(line int) int {
	places, code := map[int]bool{}, false
	for _, at := range r.at {
		places[at] = true
	}
	to := line
	for to < len(r.lines) && !places[to+1] {
		next := strings.TrimSpace(r.lines[to])
		if code = code != strings.HasPrefix(next, "```"); !code && heading(next) {
			break
		}
		to++
	}
	return to
}

func heading(l string) bool { return strings.HasPrefix(strings.TrimSpace(l), "#") }

// begins tells the first line of an item of a list.
func begins(l string) bool {
	l = strings.TrimSpace(l)
	for _, mark := range []string{"- ", "* ", "+ ", "|"} {
		if strings.HasPrefix(l, mark) {
			return true
		}
	}
	digits := strings.TrimLeft(l, "0123456789")
	return digits != l && (strings.HasPrefix(digits, ". ") || strings.HasPrefix(digits, ") "))
}

// rest is what no finding quotes, without headings that are left with nothing.
func (r *reading) rest() string {
	var kept []string
	words := false
	for i, l := range r.lines {
		if r.quoted[i+1] {
			continue
		}
		kept = append(kept, strings.TrimRight(l, " \t\r"))
		words = words || strings.TrimSpace(l) != "" && !heading(l)
	}
	if !words {
		return ""
	}
	var out []string
	for i, l := range kept {
		if l == "" && (len(out) == 0 || out[len(out)-1] == "") {
			continue
		}
		if heading(l) && !hasText(kept[i+1:]) {
			continue
		}
		out = append(out, l)
	}
	return clip(strings.TrimSpace(strings.Join(out, "\n")))
}

// hasText reports whether words follow before the next heading.
func hasText(lines []string) bool {
	for _, l := range lines {
		if heading(l) {
			return false
		}
		if strings.TrimSpace(l) != "" {
			return true
		}
	}
	return false
}

// first is the first line of a text that is neither blank nor a heading.
func first(body string) string {
	for l := range strings.Lines(body) {
		if !heading(l) {
			if t := clean(l); t != "" {
				return t
			}
		}
	}
	return ""
}

// clean is a line of Markdown as a title: without marks of lists and boxes, on one line.
func clean(l string) string {
	l = strings.Join(strings.Fields(strings.TrimPrefix(l, "\ufeff")), " ")
	for {
		was := l
		for _, mark := range []string{"- ", "* ", "+ ", "> ", "[ ] ", "[x] ", "# ", "## ", "### "} {
			l = strings.TrimPrefix(l, mark)
		}
		if digits := strings.TrimLeft(l, "0123456789"); digits != l {
			for _, mark := range []string{". ", ") "} {
				if rest, ok := strings.CutPrefix(digits, mark); ok {
					l = rest
				}
			}
		}
		if l == was {
			break
		}
	}
	if r := []rune(l); len(r) > longTitle {
		l = strings.TrimSpace(string(r[:longTitle-1])) + "…"
	}
	return strings.ToValidUTF8(l, "\ufffd")
}

// clip bounds a text of a reviewer's.
func clip(s string) string {
	if len(s) > longDetail {
		return strings.ToValidUTF8(s[:longDetail], "") + "…"
	}
	return strings.ToValidUTF8(s, "\ufffd")
}

// Located returns findings that name no file the place that their words do, where they name
// one and no other. It signs them again.
func Located(list []belay.Finding, files []string) []belay.Finding {
	out := slices.Clone(list)
	x := comment.NewIndex(files)
	for i, f := range out {
		if f.File != "" || f.Check != Check {
			continue
		}
		places := comment.FindPlaces(strings.Join([]string{f.Title, f.Detail, f.Recommendation}, "\n\n"), x)
		if len(places) == 0 || slices.ContainsFunc(places, func(p comment.Place) bool { return p.Path != places[0].Path }) {
			continue
		}
		f.File, f.Line, f.EndLine = places[0].Path, places[0].Start, places[0].End
		if f.EndLine == f.Line {
			f.EndLine = 0
		}
		out[i] = f.Sign()
	}
	return out
}
