package lint

import (
	"fmt"
	"io"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
)

// Escapes of GitHub's workflow commands: data is the text behind the second ::, properties are
// before it. Without them a title could begin another command.
var (
	dataEscapes     = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A")
	propertyEscapes = strings.NewReplacer("%", "%25", "\r", "%0D", "\n", "%0A", ":", "%3A", ",", "%2C")
)

var commandNames = map[belay.Severity]string{belay.SeverityError: "error", belay.SeverityQuestion: "warning",
	belay.SeverityWarning: "warning", belay.SeverityNote: "notice"}

func writeCommands(w io.Writer, report belay.Report) error {
	var b strings.Builder
	for _, f := range report.Findings() {
		command := commandNames[f.Severity]
		if command == "" {
			command = "error" // an unknown severity must not be overlooked
		}
		fmt.Fprintf(&b, "::%s ", command)
		if f.File != "" {
			fmt.Fprintf(&b, "file=%s,", escapeProperty(f.File))
			if f.Line > 0 {
				fmt.Fprintf(&b, "line=%d,", f.Line)
			}
			if f.Line > 0 && f.EndLine > f.Line {
				fmt.Fprintf(&b, "endLine=%d,", f.EndLine)
			}
		}
		fmt.Fprintf(&b, "title=%s::%s\n", escapeProperty("belay "+f.Check), escapeData(findingText(f)))
	}
	for _, c := range unansweredChecks(report) {
		fmt.Fprintf(&b, "::warning title=%s::%s\n", escapeProperty("belay "+c.Check), escapeData(unknownReason(c)))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func escapeProperty(s string) string { return propertyEscapes.Replace(belay.VisibleLine(s)) }

func escapeData(s string) string { return dataEscapes.Replace(belay.Visible(s)) }

// rdReport is a report in the Reviewdog Diagnostic Format.
type rdReport struct {
	Source      rdSource       `json:"source"`
	Severity    string         `json:"severity"`
	Diagnostics []rdDiagnostic `json:"diagnostics"`
}

var rdSeverities = map[belay.Severity]string{belay.SeverityError: "ERROR", belay.SeverityQuestion: "WARNING",
	belay.SeverityWarning: "WARNING", belay.SeverityNote: "INFO"}

var rdVerdicts = map[belay.Verdict]string{belay.VerdictFail: "ERROR", belay.VerdictUnknown: "WARNING", belay.VerdictPass: "INFO"}

func newRDJSON(report belay.Report) rdReport {
	r := rdReport{Source: rdSource{"belay"}, Severity: rdVerdicts[report.Verdict], Diagnostics: []rdDiagnostic{}}
	for _, f := range report.Findings() {
		d := rdDiagnostic{Message: findingText(f), Severity: rdSeverities[f.Severity], Code: rdCode{f.Check}}
		d.Location.Path = strings.ToValidUTF8(f.File, "\ufffd")
		if f.Line > 0 {
			d.Location.Range.Start.Line = f.Line
			if f.EndLine > f.Line {
				d.Location.Range.End.Line = f.EndLine
			}
		}
		r.Diagnostics = append(r.Diagnostics, d)
	}
	for _, c := range unansweredChecks(report) {
		r.Diagnostics = append(r.Diagnostics, rdDiagnostic{Message: unknownReason(c), Severity: "WARNING", Code: rdCode{c.Check}})
	}
	return r
}
