package lint

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/prompt"
)

// maxListed is how many findings a summary lists: GitHub limits it to 1 MiB, and nobody reads as
// many.
const maxListed = 200

// writeMarkdown writes a report for people: a comment, or the summary of a CI run, such as GitHub's
// step summary.
func writeMarkdown(w io.Writer, report belay.Report) error {
	var b strings.Builder
	fmt.Fprintf(&b, "### belay: %s\n\n| Check | Result | Found |\n|---|---|---|\n", verdictText(report))
	for _, c := range report.Checks {
		fmt.Fprintf(&b, "| %s | %s | %s |\n", prompt.Inline(c.Check), prompt.CheckMark(c), prompt.Inline(belay.Clip(cmp.Or(c.Why,
			c.Summary), 300)))
	}
	findings := report.Findings()
	if len(findings) > 0 {
		b.WriteString("\n| | Place | Finding |\n|---|---|---|\n")
	}
	for _, f := range findings[:min(len(findings), maxListed)] {
		at := ""
		if f.File != "" {
			at = prompt.Path(f.File)
			if f.Line > 0 {
				at += fmt.Sprintf(":%d", f.Line)
			}
		}
		text := prompt.Inline(f.Title)
		if f.Recommendation != "" {
			text += "<br>" + prompt.Inline(f.Recommendation)
		}
		fmt.Fprintf(&b, "| %s | %s | %s |\n", f.Severity, at, text)
	}
	if n := len(findings) - maxListed; n > 0 {
		fmt.Fprintf(&b, "\nand %s, in `belay check --json`\n", belay.CountOf(n, "more finding"))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// verdictText returns the verdict in a few words.
func verdictText(report belay.Report) string {
	switch {
	case report.Asks():
		return "a person has to decide"
	case report.Verdict == belay.VerdictFail:
		return "fail, " + belay.CountOf(len(report.Errors()), "blocking finding")
	case report.Verdict == belay.VerdictUnknown:
		return "could not be checked"
	}
	return "pass"
}

// The parts of JUnit's XML that CI systems read.
type (
	junitSuite struct {
		XMLName  xml.Name    `xml:"testsuite"`
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Errors   int         `xml:"errors,attr"`
		Skipped  int         `xml:"skipped,attr"`
		Time     string      `xml:"time,attr"`
		Cases    []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Class   string     `xml:"classname,attr"`
		Name    string     `xml:"name,attr"`
		Time    string     `xml:"time,attr"`
		Failure *junitText `xml:"failure"`
		Error   *junitText `xml:"error"`
		Skipped *junitText `xml:"skipped"`
		Out     string     `xml:"system-out,omitempty"`
	}
	junitText struct {
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
)

// writeJUnit writes each check as a test: a failed check as a failure, one that could not run as an
// error, and warnings as its output.
func writeJUnit(w io.Writer, report belay.Report) error {
	seconds := func(millis int64) string { return fmt.Sprintf("%.3f", float64(millis)/1000) }
	suite := junitSuite{Name: "belay", Tests: len(report.Checks), Time: seconds(report.Millis)}
	for _, c := range report.Checks {
		one := junitCase{Class: "belay", Name: c.Check, Time: seconds(c.Millis)}
		var lines []string
		for _, f := range c.Findings {
			lines = append(lines, belay.Visible(fmt.Sprintf("%s: %s", f.Severity, strings.TrimSpace(prompt.Reason(f)+"\n"+f.Detail))))
		}
		said := junitText{Message: belay.VisibleLine(cmp.Or(c.Why, c.Summary)), Text: strings.Join(lines, "\n")}
		switch {
		case c.Skipped:
			one.Skipped = &said
			suite.Skipped++
		case c.Verdict == belay.VerdictFail:
			one.Failure = &said
			suite.Failures++
		case c.Verdict == belay.VerdictUnknown:
			one.Error = &said
			suite.Errors++
		default:
			one.Out = said.Text
		}
		suite.Cases = append(suite.Cases, one)
	}
	text, err := xml.MarshalIndent(suite, "", "  ")
	if err == nil {
		_, err = fmt.Fprintf(w, "%s%s\n", xml.Header, text)
	}
	return err
}
