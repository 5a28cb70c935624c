package lint

import (
	"io"
	"strconv"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/lazyregexp"
	"github.com/belay-dev/belay/internal/testreport"
)

const maxLine = 8 << 10 // bytes of a line that are read

// A path in a remark: without a space before its last folder unless it is absolute, and not the
// beginning of a URL or of a time.
const pathPattern = `((?:[A-Za-z]:)?[^\s:()"'<>|*?\[\]][^:()"'<>|*?\n]*?)`

var (
	// file(12,3): error TS2322: text; file(12): warning CS0168: text
	parenLine = lazyregexp.New(`^` + pathPattern + `\((\d{1,9})(?:,(\d{1,9}))?(?:,\d+,\d+)?\)\s*:\s*(.+)$`)
	// file:12:3: text; file:12: text; file:12-14: text
	colonLine = lazyregexp.New(`^` + pathPattern + `:(\d{1,9})(?:-(\d{1,9}))?(?::(\d{1,9}))?(?:-\d+)?:\s+(.+)$`)
	// file:[12,3] text, of javac within Maven
	squareLine = lazyregexp.New(`^` + pathPattern + `:\[(\d{1,9}),(\d{1,9})\] (.+)$`)
	// "  12:3  error  text  rule", below a line with the file's name
	stylishLine = lazyregexp.New(`^\s+(\d{1,9}):(\d{1,9})\s+(error|warning|info|warn)\s+(.+?)(?:\s{2,}(\S+))?$`)
	// "error[E0308]: text" and below "  --> file:12:3", of rustc
	rustHead = lazyregexp.New(`^(error|warning|note|help)(?:\[([A-Z]\d+)\])?: (.+)$`)
	rustAt   = lazyregexp.New(`^\s*--> (.+?):(\d{1,9}):(\d{1,9})$`)

	leadWord = lazyregexp.New(`(?i)^(fatal error|error|warning|warn|note|notice|info|information|hint|help|style|` +
		`performance|portability|convention|refactor|remark)(?:\s*\[([^\]\s]{1,60})\]|\s+([A-Za-z][A-Za-z0-9_/-]{0,40}\d))?\s*:\s*(.+)$`)
	// "W: [Correctable] Lint/Void: text", of rubocop
	leadLetter = lazyregexp.New(`^([CREWFI]):\s(?:\[[A-Z][a-z]+\]\s)?(?:([A-Z]\w+(?:/[A-Z]\w+)+):\s)?(.+)$`)
	leadCode   = lazyregexp.New(`^\[?([A-Z][A-Za-z]{0,9}\d{1,5})\]?:?\s+(?:\[\*\]\s+)?(.+)$`)
	tailCode   = lazyregexp.New(`^(.+?)\s+(?:\[([A-Za-z@-][\w@./=+-]{1,80})\]|\(([a-z@][\w@./-]{1,80})\))$`)
	tailPair   = lazyregexp.New(`^(.+?)\s+\[(Error|Warning|Info)(?:/([^\]\s]+))?\]$`)

	command = lazyregexp.New(`^\s*::(error|warning|notice)(?: ([^:]*(?::[^:]+)*?))?::(.*)$`)
	// "[ERROR] file:…", of Maven
	logLevel = lazyregexp.New(`^\[(ERROR|WARNING|INFO)\] (.+)$`)

	numbers = lazyregexp.New(`^[\d.:\s-]+$`)
)

// textReader parses lines, with the context that some formats need.
type textReader struct {
	report     Report
	file       string // file of the stylish lines that follow
	rustRemark *Remark
}

// readText parses lines of text, or only workflow commands.
func readText(from io.Reader, format string) (Report, error) {
	t := textReader{report: Report{Format: format}}
	err := testreport.EachLine(from, func(line []byte) {
		if t.report.isFull() {
			return
		}
		for s := range strings.SplitSeq(strings.TrimRight(testreport.PlainText(string(line)), "\n"), "\n") {
			t.readLine(strings.TrimRight(testreport.Clip(s, maxLine), " \t"), format)
		}
	}, func(err error) { t.report.WarnIncomplete("%s", err) })
	return t.report, err
}

func (t *textReader) readLine(s, format string) {
	switch {
	case s == "":
		t.rustRemark = nil
	case strings.HasPrefix(strings.TrimLeft(s, " "), "::"):
		t.readCommand(s)
	case format == GitHub:
	case t.readRust(s), t.readStylish(s):
	default:
		t.readPlace(s)
	}
}

// readPlace parses lines that contain their position.
func (t *textReader) readPlace(s string) {
	var m Remark
	if g := logLevel.FindStringSubmatch(s); g != nil {
		m.Severity, s = parseSeverity(g[1]), g[2]
	}
	var rest string
	if g := colonLine.FindStringSubmatch(s); g != nil {
		m.File, m.Line, m.EndLine, m.Column, rest = g[1], parseNumber(g[2]), parseNumber(g[3]), parseNumber(g[4]), g[5]
	} else if g := parenLine.FindStringSubmatch(s); g != nil {
		m.File, m.Line, m.Column, rest = g[1], parseNumber(g[2]), parseNumber(g[3]), g[4]
	} else if g := squareLine.FindStringSubmatch(s); g != nil {
		m.File, m.Line, m.Column, rest = g[1], parseNumber(g[2]), parseNumber(g[3]), g[4]
	} else {
		if isFileName(s) {
			t.file = s
		}
		return
	}
	if !isFileName(m.File) || m.Line == 0 {
		return
	}
	m.splitMessage(rest)
	t.report.add(m)
}

// isFileName distinguishes a path from prose, times and addresses.
func isFileName(s string) bool {
	if s == "" || len(s) > 1000 || strings.Contains(s, "://") || numbers.MatchString(s) || strings.HasSuffix(s, ".") {
		return false
	}
	base := s[strings.LastIndexAny(s, `/\`)+1:]
	named := strings.ContainsRune(base, '.') || strings.HasSuffix(base, "file") // Makefile, Dockerfile
	return named && (!strings.Contains(s, "  ") && (!strings.Contains(base, " ") || strings.ContainsAny(s, `/\`)))
}

// severityLetters are rubocop's and pylint's severities: convention, refactoring, information,
// warning, error, fatal.
var severityLetters = map[string]belay.Severity{"C": belay.SeverityNote, "R": belay.SeverityNote, "I": belay.SeverityNote,
	"W": belay.SeverityWarning, "E": belay.SeverityError, "F": belay.SeverityError}

// splitMessage splits severity and rule off a message, in the positions that tools use.
func (m *Remark) splitMessage(s string) {
	m.Message = strings.TrimSpace(s)
	if g := tailPair.FindStringSubmatch(m.Message); g != nil { // eslint unix
		m.Message, m.Severity, m.Rule = g[1], parseSeverity(g[2]), g[3]
		return
	}
	if g := leadLetter.FindStringSubmatch(m.Message); g != nil {
		m.Severity, m.Rule, m.Message = severityLetters[g[1]], g[2], g[3]
	} else if g := leadWord.FindStringSubmatch(m.Message); g != nil {
		m.Severity, m.Rule, m.Message = parseSeverity(g[1]), g[2]+g[3], g[4]
	}
	if m.Rule != "" {
		return
	}
	if g := leadCode.FindStringSubmatch(m.Message); g != nil { // flake8, ruff, pylint
		m.Rule, m.Message = g[1], g[2]
		return
	}
	if g := tailCode.FindStringSubmatch(m.Message); g != nil { // gcc, mypy; golangci-lint
		m.Message, m.Rule = g[1], g[2]+g[3]
	}
}

func (t *textReader) readStylish(s string) bool {
	g := stylishLine.FindStringSubmatch(s)
	if g == nil || t.file == "" {
		return false
	}
	t.report.add(Remark{File: t.file, Line: parseNumber(g[1]), Column: parseNumber(g[2]),
		Severity: parseSeverity(g[3]), Message: g[4], Rule: g[5]})
	return true
}

// readRust parses rustc's own format, with the position on the next line.
func (t *textReader) readRust(s string) bool {
	if g := rustHead.FindStringSubmatch(s); g != nil {
		t.rustRemark = &Remark{Severity: parseSeverity(g[1]), Rule: g[2], Message: g[3], Tool: "rustc"}
		return true
	}
	g := rustAt.FindStringSubmatch(s)
	if g == nil {
		return false
	}
	if t.rustRemark != nil {
		m := *t.rustRemark
		t.rustRemark = nil
		m.File, m.Line, m.Column = g[1], parseNumber(g[2]), parseNumber(g[3])
		t.report.add(m)
	}
	return true
}

// readCommand parses GitHub's workflow commands: ::error file=a,line=1,title=b::text.
func (t *textReader) readCommand(s string) {
	g := command.FindStringSubmatch(s)
	if g == nil {
		return
	}
	m := Remark{Severity: map[string]belay.Severity{"error": belay.SeverityError, "warning": belay.SeverityWarning,
		"notice": belay.SeverityNote}[g[1]]}
	m.Message = unescape(g[3])
	for property := range strings.SplitSeq(g[2], ",") {
		key, value, _ := strings.Cut(strings.TrimSpace(property), "=")
		value = unescape(value)
		switch key {
		case "file":
			m.File = value
		case "line":
			m.Line = parseNumber(value)
		case "endLine":
			m.EndLine = parseNumber(value)
		case "col":
			m.Column = parseNumber(value)
		case "endColumn":
			m.EndColumn = parseNumber(value)
		case "title":
			m.Rule = value
		}
	}
	t.report.add(m)
}

var escapes = strings.NewReplacer("%25", "%", "%0D", "\r", "%0A", "\n", "%3A", ":", "%2C", ",")

func unescape(s string) string { return escapes.Replace(s) }

func parseNumber(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		return 0
	}
	return n
}
