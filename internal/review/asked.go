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

// CheckName is the check's name in findings of reviews.
const CheckName = "review"

const (
	maxTitle  = 160 // runes
	maxDetail = 4 << 10
)

// Findings returns the findings of a review. by is the reviewer, affected are all known places,
// body is the review's text, files are the tracked paths. If rejection is set, at least one finding
// rejects the work.
func Findings(by string, affected []Affected, body string, files []string, rejection bool) []belay.Finding {
	if by == "" {
		by = "a reviewer"
	}
	if o, err := ParseOpinion([]byte(body)); err == nil {
		_, list := Reviewer{Name: by}.Judge(o)
		return signFindings(list, by, body, rejection)
	}
	r := parsedReview{by: by, lines: strings.Split(body, "\n"), quotedLines: map[int]bool{}}
	r.locate(body, files)
	var out []belay.Finding
	for _, a := range affected {
		out = append(out, r.newFinding(a))
	}
	if rest := r.unquoted(); rest != "" && len(out) > 0 {
		out = append(out, belay.Finding{Check: CheckName, Severity: belay.SeverityNote, Category: belay.CategoryReview,
			Title: "further comments by " + by, Detail: rest})
	}
	return signFindings(out, by, body, rejection)
}

// signFindings signs the findings, and adds one that rejects if a rejection has none.
func signFindings(list []belay.Finding, by, body string, rejection bool) []belay.Finding {
	refuses := slices.ContainsFunc(list, func(f belay.Finding) bool { return f.Severity == belay.SeverityError })
	if rejection && !refuses {
		title, detail := firstSentence(body), strings.TrimSpace(body)
		if title == "" {
			title = by + " rejects the work"
		}
		f := belay.Finding{Check: CheckName, Severity: belay.SeverityError, Category: belay.CategoryReview, Title: title}
		if detail != title {
			f.Detail = clipText(detail)
		}
		list = append([]belay.Finding{f}, list...)
	}
	for i := range list {
		list[i] = list[i].Sign()
	}
	return list
}

// parsedReview is a review with the lines that name its places.
type parsedReview struct {
	by          string
	lines       []string
	lineOfPlace map[string]int // by place: the line, from 1, that asks for a change there
	quotedLines map[int]bool   // lines quoted in findings
}

func placeKey(p string, start, end int) string { return fmt.Sprint(p, "\x00", start, "\x00", end) }

func (r *parsedReview) locate(body string, files []string) {
	r.lineOfPlace = map[string]int{}
	for _, why := range comment.Explain(body, comment.NewIndex(files)) {
		for _, k := range []string{placeKey(why.Path, why.Start, why.End), placeKey(why.Path, 0, 0)} {
			if _, known := r.lineOfPlace[k]; !known && why.Taken && why.Line > 0 && why.Line <= len(r.lines) {
				r.lineOfPlace[k] = why.Line
			}
		}
	}
}

// newFinding returns the finding for a place, with the review's text about it. Even a minor one
// rejects, because a reviewer who rejects wants it fixed; a note does not.
func (r *parsedReview) newFinding(a Affected) belay.Finding {
	f := belay.Finding{Check: CheckName, Severity: belay.SeverityError, Category: belay.CategoryReview, File: path.Clean(a.Path)}
	if a.Severity == "note" {
		f.Severity = belay.SeverityNote
	}
	f.Line, f.EndLine = parseLines(a.Lines)
	line, found := r.lineOfPlace[placeKey(a.Path, f.Line, max(f.EndLine, f.Line))]
	if !found {
		line, found = r.lineOfPlace[placeKey(a.Path, f.Line, f.EndLine)]
	}
	if !found {
		line, found = r.lineOfPlace[placeKey(a.Path, 0, 0)]
	}
	if f.EndLine == f.Line {
		f.EndLine = 0
	}
	if !found {
		f.Title = r.by + " asks for a change here"
		return f
	}
	from, to := r.paragraph(line)
	f.Title = cleanTitle(r.lines[line-1])
	if isHeading(r.lines[line-1]) { // a section about the place: the request is below
		from, to = line, r.section(line)
		if below := firstSentence(strings.Join(r.lines[from:to], "\n")); below != "" {
			if from, f.Title = from+1, below; strings.HasPrefix(below, "```") {
				f.Title = r.by + " asks for a change here"
			}
		}
		r.quotedLines[line] = true
	}
	if said := strings.TrimSpace(strings.Join(r.lines[from-1:to], "\n")); cleanTitle(said) != f.Title {
		f.Detail = clipText(said)
	}
	for i := from; i <= to; i++ {
		r.quotedLines[i] = true
	}
	return f
}

// parseLines parses "12", "12-20", "30-".
func parseLines(lines string) (start, end int) {
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

// paragraph returns the first and last line of the list item or paragraph that contains a line.
func (r *parsedReview) paragraph(line int) (from, to int) {
	from, to = line, line
	for from > 1 && !beginsItem(r.lines[from-1]) && strings.TrimSpace(r.lines[from-2]) != "" && !isHeading(r.lines[from-2]) {
		from--
	}
	for to < len(r.lines) && strings.TrimSpace(r.lines[to]) != "" && !beginsItem(r.lines[to]) && !isHeading(r.lines[to]) {
		to++
	}
	return from, to
}

// section returns the last line below a heading before the next heading, or before a line that
// names another place.
func (r *parsedReview) section(line int) int {
	places, code := map[int]bool{}, false
	for _, at := range r.lineOfPlace {
		places[at] = true
	}
	to := line
	for to < len(r.lines) && !places[to+1] {
		next := strings.TrimSpace(r.lines[to])
		if code = code != strings.HasPrefix(next, "```"); !code && isHeading(next) {
			break
		}
		to++
	}
	return to
}

func isHeading(l string) bool { return strings.HasPrefix(strings.TrimSpace(l), "#") }

// beginsItem reports whether a line begins a list item or is a table row.
func beginsItem(l string) bool {
	l = strings.TrimSpace(l)
	for _, mark := range []string{"- ", "* ", "+ ", "|"} {
		if strings.HasPrefix(l, mark) {
			return true
		}
	}
	digits := strings.TrimLeft(l, "0123456789")
	return digits != l && (strings.HasPrefix(digits, ". ") || strings.HasPrefix(digits, ") "))
}

// unquoted returns the lines that no finding quotes, without headings that have no text left.
func (r *parsedReview) unquoted() string {
	var kept []string
	words := false
	for i, l := range r.lines {
		if r.quotedLines[i+1] {
			continue
		}
		kept = append(kept, strings.TrimRight(l, " \t\r"))
		words = words || strings.TrimSpace(l) != "" && !isHeading(l)
	}
	if !words {
		return ""
	}
	var out []string
	for i, l := range kept {
		if l == "" && (len(out) == 0 || out[len(out)-1] == "") {
			continue
		}
		if isHeading(l) && !hasText(kept[i+1:]) {
			continue
		}
		out = append(out, l)
	}
	return clipText(strings.TrimSpace(strings.Join(out, "\n")))
}

// hasText reports whether there is text before the next heading.
func hasText(lines []string) bool {
	for _, l := range lines {
		if isHeading(l) {
			return false
		}
		if strings.TrimSpace(l) != "" {
			return true
		}
	}
	return false
}

// firstSentence returns the first line of a text that is neither blank nor a heading.
func firstSentence(body string) string {
	for l := range strings.Lines(body) {
		if !isHeading(l) {
			if t := cleanTitle(l); t != "" {
				return t
			}
		}
	}
	return ""
}

// cleanTitle returns a line of Markdown as a title, without marks of lists, quotations, headings
// and boxes.
func cleanTitle(l string) string {
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
	if r := []rune(l); len(r) > maxTitle {
		l = strings.TrimSpace(string(r[:maxTitle-1])) + "…"
	}
	return strings.ToValidUTF8(l, "\ufffd")
}

// clipText truncates a reviewer's text to maxDetail.
func clipText(s string) string {
	if len(s) > maxDetail {
		return strings.ToValidUTF8(s[:maxDetail], "") + "…"
	}
	return strings.ToValidUTF8(s, "\ufffd")
}

// WithPlaces adds to findings without a file the place that their text names, if it names
// exactly one file, and signs them again.
func WithPlaces(list []belay.Finding, files []string) []belay.Finding {
	out := slices.Clone(list)
	x := comment.NewIndex(files)
	for i, f := range out {
		if f.File != "" || f.Check != CheckName {
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
