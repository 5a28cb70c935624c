package lint

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/testreport"
)

// The formats of a Report.
const (
	SARIF      = "sarif"      // 2.1.0 and 2.0.0, and what of 1.0.0 is alike
	Checkstyle = "checkstyle" // its XML
	RDJSON     = "rdjson"     // one object with diagnostics
	RDJSONL    = "rdjsonl"    // a diagnostic on each line
	GitHub     = "github"     // workflow commands: ::error file=…::…
	Text       = "text"       // file:line:column: text and its relatives
)

// Formats are the formats that Read knows.
func Formats() []string { return []string{SARIF, Checkstyle, RDJSON, RDJSONL, GitHub, Text} }

// Bounds on one report.
const (
	maxRemarks   = 100_000
	maxJSON      = 128 << 20 // bytes of SARIF or rdjson
	maxMessage   = 8 << 10
	maxWarnings  = 20
	headSize     = 64 << 10
	formatAdvice = "use SARIF, checkstyle, rdjson or lines of file:line:column: text"
)

// Remark is one thing said of one place.
type Remark struct {
	File      string         `json:"file,omitempty"` // as the tool has it, with slashes
	Line      int            `json:"line,omitempty"` // from 1, 0 for the file as a whole
	Column    int            `json:"column,omitempty"`
	EndLine   int            `json:"end_line,omitempty"`
	EndColumn int            `json:"end_column,omitempty"`
	Severity  belay.Severity `json:"severity,omitempty"` // "" when the tool does not say
	Rule      string         `json:"rule,omitempty"`
	Message   string         `json:"message"`
	Tool      string         `json:"tool,omitempty"`
}

// Report is everything a linter said.
type Report struct {
	Format     string   `json:"format"`
	Remarks    []Remark `json:"remarks,omitempty"`
	Suppressed int      `json:"suppressed,omitempty"` // remarks that the project has silenced
	Warnings   []string `json:"warnings,omitempty"`
	// Incomplete is set when something is missing: the absence of a remark then
	// proves nothing. Warnings says what.
	Incomplete bool `json:"incomplete,omitempty"`
}

// WarnIncomplete keeps a sentence about something that is missing.
func (r *Report) WarnIncomplete(format string, args ...any) {
	r.Incomplete = true
	s := fmt.Sprintf(format, args...)
	if len(r.Warnings) < maxWarnings && !slices.Contains(r.Warnings, s) {
		r.Warnings = append(r.Warnings, s)
	}
}

// isFull reports whether a remark was left out for want of room: reading on is of no use.
func (r *Report) isFull() bool { return len(r.Remarks) >= maxRemarks && r.Incomplete }

// add keeps a remark, made plain, while there is room.
func (r *Report) add(m Remark) {
	if len(r.Remarks) >= maxRemarks {
		r.WarnIncomplete("more than %d remarks; the rest were not read", maxRemarks)
		return
	}
	m.Message = strings.TrimSpace(testreport.Clip(testreport.PlainText(m.Message), maxMessage))
	m.File, m.Rule, m.Tool = plainWord(m.File), plainWord(m.Rule), plainWord(m.Tool)
	m.File = strings.ReplaceAll(m.File, `\`, "/")
	if m.Message == "" {
		m.Message = "no message"
	}
	m.Line, m.Column = max(0, m.Line), max(0, m.Column)
	if m.Line == 0 || m.EndLine < m.Line {
		m.EndLine, m.EndColumn = 0, 0
	}
	m.EndColumn = max(0, m.EndColumn)
	r.Remarks = append(r.Remarks, m)
}

// plainWord makes a name plain and keeps it on one line.
func plainWord(s string) string {
	return testreport.Clip(strings.TrimSpace(strings.ReplaceAll(testreport.PlainText(s), "\n", " ")), 1000)
}

// parseSeverity reads a tool's word for how bad it is; "" for one that is not known.
func parseSeverity(word string) belay.Severity {
	switch strings.ToLower(word) {
	case "error", "fatal", "fatal error", "err", "critical", "blocker", "e", "f", "failure", "severe":
		return belay.SeverityError
	case "warning", "warn", "w", "style", "performance", "portability", "convention", "refactor", "major", "minor":
		return belay.SeverityWarning
	case "note", "notice", "info", "information", "informational", "hint", "help", "remark", "i", "suggestion", "message":
		return belay.SeverityNote
	}
	return ""
}

// Read reads a report; format is one of Formats, or "" to tell it by its content. A
// report that is cut off, broken, or whose tool says that it failed is Incomplete.
// Lines of text that are no remark are passed over.
//
// The error is a *belay.Error: CodeUsage for an unknown format, CodeCannot for what is
// not of the format; or r's own.
func Read(r io.Reader, format string) (Report, error) {
	in := bufio.NewReaderSize(r, headSize)
	if format == "" {
		head, _ := in.Peek(headSize)
		format = Detect(head)
	}
	switch format {
	case SARIF:
		return readSARIF(utf8JSON(in))
	case Checkstyle:
		return readCheckstyle(in)
	case RDJSON:
		return readRDJSON(utf8JSON(in))
	case RDJSONL:
		return readRDJSONL(in)
	case GitHub, Text:
		return readText(in, format)
	}
	return Report{}, belay.Refuse(belay.CodeUsage, "use one of "+strings.Join(Formats(), ", "),
		"%q is not a linter report format", format)
}

// utf8JSON returns JSON as UTF-8, within the bound.
func utf8JSON(r io.Reader) *io.LimitedReader {
	return &io.LimitedReader{R: testreport.NewUTF8Reader(r), N: maxJSON}
}

// Detect tells the format from the beginning of a report: Text when it is none of the
// others.
func Detect(head []byte) string {
	all := new(strings.Builder)
	io.Copy(all, testreport.NewUTF8Reader(bytes.NewReader(head))) // strings.Builder never fails
	s := strings.TrimSpace(all.String())
	switch {
	case strings.HasPrefix(s, "<") && strings.Contains(s, "<checkstyle"):
		return Checkstyle
	case strings.HasPrefix(s, "{") && strings.Contains(s, `"diagnostics"`) && !strings.Contains(s, `"runs"`):
		return RDJSON
	case strings.HasPrefix(s, "{") && strings.Contains(s, `"location"`) && strings.Contains(s, `"path"`) && isOneObject(s):
		return RDJSONL
	case strings.HasPrefix(s, "{"):
		return SARIF
	case strings.HasPrefix(s, "::") || strings.Contains(s, "\n::error ") || strings.Contains(s, "\n::warning ") ||
		strings.Contains(s, "\n::notice "):
		return GitHub
	}
	return Text
}

// isOneObject reports whether the first line is a whole object.
func isOneObject(s string) bool {
	line, _, _ := strings.Cut(s, "\n")
	return json.Valid([]byte(line)) && !strings.Contains(line, `"runs"`)
}

// readError is the answer to JSON that cannot be read any further: what came before counts.
func (r *Report) readError(in *io.LimitedReader, err error, begun bool) (Report, error) {
	switch {
	case in.N <= 0:
		r.WarnIncomplete("the report is over %d MiB; the rest was not read", maxJSON>>20)
	case !begun:
		return *r, belay.Refuse(belay.CodeCannot, formatAdvice, "the file is not a %s report", r.Format)
	case err == io.EOF || err == io.ErrUnexpectedEOF:
		r.WarnIncomplete("the report stops in the middle")
	default:
		r.WarnIncomplete("the report is broken: %s", testreport.Clip(err.Error(), 200))
	}
	return *r, nil
}
