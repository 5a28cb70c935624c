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
	SARIF      = "sarif"      // 2.1.0 and 2.0.0, and what 1.0.0 has in common with them
	Checkstyle = "checkstyle" // its XML
	RDJSON     = "rdjson"     // one object with diagnostics
	RDJSONL    = "rdjsonl"    // a diagnostic on each line
	GitHub     = "github"     // workflow commands: ::error file=…::…
	Text       = "text"       // file:line:column: text and its relatives
)

// Formats returns the formats that Read accepts.
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

// Remark is a linter's message about a position.
type Remark struct {
	File      string         `json:"file,omitempty"` // as the tool prints it, with slashes
	Line      int            `json:"line,omitempty"` // from 1; 0 for the entire file
	Column    int            `json:"column,omitempty"`
	EndLine   int            `json:"end_line,omitempty"`
	EndColumn int            `json:"end_column,omitempty"`
	Severity  belay.Severity `json:"severity,omitempty"` // "" if the tool states none
	Rule      string         `json:"rule,omitempty"`
	Message   string         `json:"message"`
	Tool      string         `json:"tool,omitempty"`
}

// Report is the report of a linter.
type Report struct {
	Format     string   `json:"format"`
	Remarks    []Remark `json:"remarks,omitempty"`
	Suppressed int      `json:"suppressed,omitempty"` // remarks that the project has suppressed
	Warnings   []string `json:"warnings,omitempty"`
	// Incomplete means that a part is missing, so that the absence of a remark proves nothing.
	// Warnings states what is missing.
	Incomplete bool `json:"incomplete,omitempty"`
}

// WarnIncomplete marks the report incomplete, with a warning about what is missing.
func (r *Report) WarnIncomplete(format string, args ...any) {
	r.Incomplete = true
	s := fmt.Sprintf(format, args...)
	if len(r.Warnings) < maxWarnings && !slices.Contains(r.Warnings, s) {
		r.Warnings = append(r.Warnings, s)
	}
}

// isFull reports whether a remark was dropped because there are too many; reading more is useless.
func (r *Report) isFull() bool { return len(r.Remarks) >= maxRemarks && r.Incomplete }

// add adds a remark without control characters, up to maxRemarks.
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

// plainWord returns a name without control characters, on one line.
func plainWord(s string) string {
	return testreport.Clip(strings.TrimSpace(strings.ReplaceAll(testreport.PlainText(s), "\n", " ")), 1000)
}

// parseSeverity parses a tool's severity; "" for an unknown one.
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

// Read parses a report; format is one of Formats, or "" to detect it. A report that is truncated,
// broken, or states that the tool failed is Incomplete. Other lines of text are skipped.
//
// The error is a *belay.Error: CodeUsage for an unknown format, CodeCannot if the report is not of
// the format; or r's own.
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

// utf8JSON returns JSON as UTF-8, limited to maxJSON.
func utf8JSON(r io.Reader) *io.LimitedReader {
	return &io.LimitedReader{R: testreport.NewUTF8Reader(r), N: maxJSON}
}

// Detect returns the format of a report by its beginning: Text if no other matches.
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

// isOneObject reports whether the first line is a complete object.
func isOneObject(s string) bool {
	line, _, _ := strings.Cut(s, "\n")
	return json.Valid([]byte(line)) && !strings.Contains(line, `"runs"`)
}

// readError returns the result for JSON that cannot be read any further; the part before counts.
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
