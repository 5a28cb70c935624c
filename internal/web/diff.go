package web

import (
	"bufio"
	"bytes"
	"io"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/belay-dev/belay/internal/app"
	"github.com/belay-dev/belay/internal/belay"
)

// Limits on the lines that one page of a diff shows, so that its first screen is there at once; the
// rest is loaded when scrolled to. A longer file is shown alone, in parts. An exported task shows
// as many as a file may have.
const (
	fileLines   = 80
	pageLines   = 1000
	partLines   = 400
	exportLines = 4000
)

// diff compares two states: from and to are snapshots or a task; an empty to is the current files.
func (q *request) diff() error {
	from, to, path := q.FormValue("from"), q.FormValue("to"), q.FormValue("path")
	if from == "" {
		return belay.Refuse(belay.CodeUsage, "choose two states on a task's page, or a snapshot", "nothing to compare was chosen")
	}
	var only []string
	if path != "" {
		only = []string{path}
	}
	if err := q.refuseFilesNow(from, to); err != nil {
		return err
	}
	d, err := q.svc.Diff(q.Context(), from, to, only)
	if err != nil {
		return err
	}
	skip, _ := strconv.Atoi(q.FormValue("skip"))
	data := struct {
		app.Diff
		Given          [2]string
		Path           string
		Split          bool
		Files          []*fileDiff
		Left           int // changed files that are not shown
		Skip, Next     int
		Skipped        int // files shown on previous pages
		Added, Deleted int
		Task           string
		diffComments
	}{Diff: d, Given: [2]string{from, to}, Path: path, Split: q.FormValue("view") == "split", Skip: max(0, skip)}
	for _, c := range d.Changes {
		data.Added += c.Added
		data.Deleted += c.Deleted
	}
	if data.Task = q.FormValue("task"); data.Task == "" {
		if _, err := belay.ParseSnapshotID(from); err != nil {
			data.Task = from
		}
	}
	if data.diffComments, err = q.remarks(data.Task, d); err != nil {
		return err
	}
	files, _ := strconv.Atoi(q.FormValue("files"))
	data.Skipped = min(max(0, files), len(d.Changes))
	b := budget{file: fileLines, page: pageLines, files: data.Skipped}
	if q.capture != nil {
		b = budget{file: exportLines, page: exportLines}
	}
	part := partLines
	if data.Skip == 0 {
		part = fileLines
	}
	if path != "" {
		b = budget{file: part, page: part, skip: data.Skip}
	}
	r, w := io.Pipe()
	go func() { _ = w.CloseWithError(q.svc.Patch(q.Context(), d, w)) }()
	data.Files, err = readPatch(r, b)
	_ = r.Close() // stops the rest of the patch
	if err != nil {
		return err
	}
	for i, f := range data.Files {
		f.N = data.Skipped + i + 1
	}
	if err := q.paint(q.Context(), data.Files); err != nil {
		return err
	}
	data.Left = len(d.Changes) - data.Skipped - len(data.Files)
	if n := len(data.Files); path != "" && n == 1 && data.Files[0].Cut > 0 {
		data.Next = data.Skip + part
	}
	return q.show("diff", "Changes", data)
}

// fileDiff is the patch of one file.
type fileDiff struct {
	N              int // number among the changed files, from 1
	Path           string
	Old            string // previous name, if renamed
	Notes          []string
	Binary         bool
	Hunks          []hunk
	Added, Deleted int // lines shown
	Cut            int // lines not shown
	blobs          [2]string
	Images         []string // object IDs of the two sides of a binary file, if browsers can show them; "" for a missing side
}

type hunk struct {
	Head string
	Rows []row
}

// row is a line of one side or of both, or a removed line beside the added line that replaces it.
type row struct {
	Kind     string // " ", "-", "+", or "!" for a replaced line
	Old, New int    // line numbers; 0 for none
	Left     []span
	Right    []span
}

// span is a part of a line. Changed means that the other side does not have it.
type span struct {
	Text    string
	Changed bool
	class   string // of its colour
}

// budget limits the lines read, of a file and of the page, and has the numbers of lines and files
// to skip first.
type budget struct{ file, page, skip, files int }

// readPatch reads git's unified diff until its budget is used up.
func readPatch(r io.Reader, b budget) ([]*fileDiff, error) {
	in := bufio.NewReaderSize(r, 64<<10)
	var files []*fileDiff
	p := patchReader{budget: b}
	for {
		line, err := readBoundedLine(in)
		if err == io.EOF && line == nil {
			break
		}
		if err != nil && err != io.EOF {
			return nil, err
		}
		if bytes.HasPrefix(line, []byte("diff --git ")) && p.remaining() == 0 {
			p.endHunk()
			if p.files > 0 {
				p.files--
				continue
			}
			if p.page <= 0 {
				break
			}
			p.file = &fileDiff{Path: namesIn(string(line))}
			files = append(files, p.file)
			p.linesShown, p.linesSkipped = 0, 0
			continue
		}
		if p.file != nil {
			p.readLine(string(line))
		}
	}
	p.endHunk()
	return files, nil
}

// maxLine is how many bytes of a line are shown.
const maxLine = 4 << 10

// readBoundedLine reads a line without its newline, cut to maxLine bytes.
func readBoundedLine(in *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := in.ReadSlice('\n')
		if room := maxLine - len(line); room > 0 {
			line = append(line, part[:min(len(part), room)]...)
		}
		if err == bufio.ErrBufferFull {
			continue
		}
		if err != nil && len(line) == 0 {
			return nil, err
		}
		return bytes.TrimSuffix(line, []byte("\n")), nil
	}
}

type patchReader struct {
	budget
	file                     *fileDiff
	hunk                     *hunk
	oldAt, newAt             int
	oldEnd                   int // remaining lines of the hunk
	newEnd                   int
	removed                  []string
	removedAt                int
	linesShown, linesSkipped int
}

func (p *patchReader) remaining() int { return p.oldEnd + p.newEnd }

func (p *patchReader) readLine(line string) {
	if p.remaining() > 0 && line != "" {
		p.readBodyLine(line)
		return
	}
	head, rest, _ := strings.Cut(line, " ")
	switch {
	case strings.HasPrefix(line, "@@ -"):
		p.endHunk()
		p.beginHunk(line)
	case strings.HasPrefix(line, "Binary files "), strings.HasPrefix(line, "GIT binary patch"):
		p.file.Binary = true
	case head == "---" || head == "+++":
		if name := unquoteName(strings.TrimSuffix(rest, "\t")); name != "/dev/null" {
			p.file.Path = strings.TrimPrefix(strings.TrimPrefix(name, "a/"), "b/")
		}
	case strings.HasPrefix(line, "rename from "):
		p.file.Old = unquoteName(strings.TrimPrefix(line, "rename from "))
	case strings.HasPrefix(line, "rename to "):
		p.file.Path = unquoteName(strings.TrimPrefix(line, "rename to "))
	case head == "index":
		names, _, _ := strings.Cut(rest, " ")
		before, after, _ := strings.Cut(names, "..")
		if isObjectName(before) && isObjectName(after) {
			p.file.blobs = [2]string{before, after}
		}
	case head == "old" || head == "new" || head == "deleted" || head == "similarity":
		p.file.Notes = append(p.file.Notes, line)
	case strings.HasPrefix(line, `\ `) && p.hunk != nil && len(p.hunk.Rows) > 0:
		p.flushRemoved()
		p.hunk.Rows = append(p.hunk.Rows, row{Kind: `\`, Left: []span{{Text: line}}, Right: []span{{Text: line}}})
	}
}

// isObjectName reports whether s is an object ID, perhaps abbreviated, and not another kind of
// revision.
func isObjectName(s string) bool { return len(s) >= 4 && strings.Trim(s, "0123456789abcdef") == "" }

// beginHunk parses "@@ -1,2 +3,4 @@ in func f".
func (p *patchReader) beginHunk(line string) {
	fields := strings.SplitN(line, " ", 5)
	if len(fields) < 4 {
		return
	}
	p.oldAt, p.oldEnd = parseRange(fields[1])
	p.newAt, p.newEnd = parseRange(fields[2])
	p.hunk = &hunk{Head: line}
}

func parseRange(s string) (from, n int) {
	first, count, two := strings.Cut(strings.TrimLeft(s, "-+"), ",")
	from, _ = strconv.Atoi(first)
	if n = 1; two {
		n, _ = strconv.Atoi(count)
	}
	return max(0, from), max(0, n)
}

func (p *patchReader) readBodyLine(line string) {
	kind, text := line[0], line[1:]
	switch kind {
	case '-':
		if len(p.removed) == 0 {
			p.removedAt = p.oldAt
		}
		p.oldAt++
		p.oldEnd--
		p.removed = append(p.removed, text)
	case '+':
		if n := len(p.removed); n > 0 && p.pairWithRemoved(text) {
			p.newAt++
			p.newEnd--
			return
		}
		p.add(row{Kind: "+", New: p.newAt, Right: []span{{Text: text}}})
		p.newAt++
		p.newEnd--
	case '\\':
	default:
		p.flushRemoved()
		p.add(row{Kind: " ", Old: p.oldAt, New: p.newAt, Left: []span{{Text: text}}, Right: []span{{Text: text}}})
		p.oldAt++
		p.newAt++
		p.oldEnd--
		p.newEnd--
	}
}

// pairWithRemoved shows an added line beside the first removed line without a partner.
func (p *patchReader) pairWithRemoved(text string) bool {
	left, right := markDifferences(p.removed[0], text)
	p.add(row{Kind: "!", Old: p.removedAt, New: p.newAt, Left: left, Right: right})
	p.removed, p.removedAt = p.removed[1:], p.removedAt+1
	return true
}

// flushRemoved shows removed lines without a partner.
func (p *patchReader) flushRemoved() {
	for i, text := range p.removed {
		p.add(row{Kind: "-", Old: p.removedAt + i, Left: []span{{Text: text}}})
	}
	p.removed = nil
}

func (p *patchReader) endHunk() {
	if p.hunk == nil {
		return
	}
	p.flushRemoved()
	if len(p.hunk.Rows) > 0 {
		p.file.Hunks = append(p.file.Hunks, *p.hunk)
	}
	p.hunk, p.oldEnd, p.newEnd = nil, 0, 0
}

func (p *patchReader) add(r row) {
	if p.linesSkipped < p.skip {
		p.linesSkipped++
		return
	}
	if p.linesShown >= p.budget.file || p.page <= 0 {
		p.file.Cut++
		return
	}
	p.linesShown++
	p.page--
	if r.Kind == "-" || r.Kind == "!" {
		p.file.Deleted++
	}
	if r.Kind == "+" || r.Kind == "!" {
		p.file.Added++
	}
	p.hunk.Rows = append(p.hunk.Rows, r)
}

// markDifferences marks the differences of two lines: everything between their common first words
// and their common last words.
func markDifferences(a, b string) (left, right []span) {
	x, y := split(a), split(b)
	from := 0
	for from < len(x) && from < len(y) && x[from] == y[from] {
		from++
	}
	end := 0
	for end < len(x)-from && end < len(y)-from && x[len(x)-1-end] == y[len(y)-1-end] {
		end++
	}
	return spans(x, from, end), spans(y, from, end)
}

func spans(parts []string, from, end int) []span {
	var out []span
	for i, text := range []string{strings.Join(parts[:from], ""), strings.Join(parts[from:len(parts)-end], ""),
		strings.Join(parts[len(parts)-end:], "")} {
		if text != "" {
			// A line with nothing in common is not marked: its colour is enough.
			out = append(out, span{Text: text, Changed: i == 1 && from+end > 0})
		}
	}
	return out
}

// split splits a line into words, runs of spaces, and single other characters.
func split(s string) []string {
	kind := func(r rune) int {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r) || r == '_':
			return 1
		case unicode.IsSpace(r):
			return 2
		}
		return 0
	}
	var out []string
	last := 0
	for i := 0; i < len(s); {
		r, size := utf8.DecodeRuneInString(s[i:])
		k := kind(r)
		if n := len(out); n > 0 && k != 0 && k == last {
			out[n-1] += s[i : i+size]
		} else {
			out = append(out, s[i:i+size])
		}
		last, i = k, i+size
	}
	return out
}

// namesIn returns the name in "diff --git a/x b/x", until a better line follows. It is exact if the
// file was not renamed.
func namesIn(line string) string {
	rest := strings.TrimPrefix(line, "diff --git ")
	if strings.HasPrefix(rest, `"`) {
		if name, err := strconv.QuotedPrefix(rest); err == nil {
			return strings.TrimPrefix(unquoteName(name), "a/")
		}
	}
	return strings.TrimPrefix(rest[:len(rest)/2], "a/")
}

// unquoteName parses a name that git prints, quoted if it has unusual bytes.
func unquoteName(name string) string {
	if text, err := strconv.Unquote(name); err == nil && strings.HasPrefix(name, `"`) {
		return text
	}
	return name
}

// Unified returns a hunk's rows with one side each: removed lines before added ones.
func (h hunk) Unified() []row {
	var out, added []row
	flush := func() {
		out = append(out, added...)
		added = nil
	}
	for _, r := range h.Rows {
		switch r.Kind {
		case "!":
			out = append(out, row{Kind: "-", Old: r.Old, Left: r.Left})
			added = append(added, row{Kind: "+", New: r.New, Right: r.Right})
		case "+":
			added = append(added, r)
		case "-":
			out = append(out, r)
		default:
			flush()
			out = append(out, r)
		}
	}
	flush()
	return slices.Clip(out)
}
