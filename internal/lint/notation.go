package lint

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
)

// The output formats.
const (
	FormatSARIF  = "sarif"
	FormatGitHub = "github"
	FormatRDJSON = "rdjson"

	FormatMarkdown = "markdown" // for people: a step summary, a comment
	FormatJUnit    = "junit"    // each check is a test
)

// OutputFormats returns the names that Write accepts.
func OutputFormats() []string {
	return []string{FormatSARIF, FormatGitHub, FormatRDJSON, FormatMarkdown, FormatJUnit}
}

// Write writes the report in a format. The error is w's, or reports an unknown format. Skipped
// checks are left out. A check without a result is written as a notification (SARIF), a warning
// (GitHub), a diagnostic without a position (rdjson) or an error (JUnit), so that it does not look
// like a pass.
func Write(w io.Writer, form string, report belay.Report) error {
	switch form {
	case FormatSARIF:
		return encode(w, newSARIF(report))
	case FormatRDJSON:
		return encode(w, newRDJSON(report))
	case FormatGitHub:
		return writeCommands(w, report)
	case FormatMarkdown:
		return writeMarkdown(w, report)
	case FormatJUnit:
		return writeJUnit(w, report)
	}
	return belay.Refuse(belay.CodeUsage, "use one of "+strings.Join(OutputFormats(), ", "), "%q is not a report format", form)
}

func encode(w io.Writer, v any) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(v); err != nil {
		return err
	}
	_, err := w.Write(belay.VisibleJSON(b.Bytes()))
	return err
}

// findingText returns a finding in full: title, detail, recommendation.
func findingText(f belay.Finding) string {
	parts := []string{f.Title}
	for _, more := range []string{f.Detail, f.Recommendation} {
		if more != "" {
			parts = append(parts, more)
		}
	}
	return strings.ToValidUTF8(strings.Join(parts, "\n"), "\ufffd")
}

// unansweredChecks returns the checks without a result.
func unansweredChecks(report belay.Report) (list []belay.CheckResult) {
	for _, c := range report.Checks {
		if !c.Skipped && c.Verdict == belay.VerdictUnknown {
			list = append(list, c)
		}
	}
	return list
}

func unknownReason(c belay.CheckResult) string {
	return strings.ToValidUTF8(fmt.Sprintf("check %s could not run: %s", c.Check, c.Why), "\ufffd")
}

// The parts of SARIF that belay writes.
type (
	sarifLog struct {
		Schema  string   `json:"$schema"`
		Version string   `json:"version"`
		Runs    []outRun `json:"runs"`
	}
	outRun struct {
		Tool        outTool             `json:"tool"`
		Invocations []outInvocation     `json:"invocations"`
		Bases       map[string]sarifURI `json:"originalUriBaseIds"`
		Columns     string              `json:"columnKind"`
		Results     []outResult         `json:"results"`
		Properties  map[string]string   `json:"properties"`
	}
	outTool struct {
		Driver struct {
			Name  string    `json:"name"`
			Rules []outRule `json:"rules"`
		} `json:"driver"`
	}
	outRule struct {
		ID               string  `json:"id"`
		ShortDescription outText `json:"shortDescription"`
	}
	outText struct {
		Text string `json:"text"`
	}
	sarifURI struct {
		Description outText `json:"description"`
	}
	outInvocation struct {
		Successful    bool              `json:"executionSuccessful"`
		Notifications []outNotification `json:"toolExecutionNotifications,omitempty"`
	}
	outNotification struct {
		Level   string  `json:"level"`
		Message outText `json:"message"`
	}
	outResult struct {
		RuleID       string            `json:"ruleId"`
		RuleIndex    int               `json:"ruleIndex"`
		Level        string            `json:"level"`
		Message      outText           `json:"message"`
		Locations    []outLocation     `json:"locations,omitempty"`
		Fingerprints map[string]string `json:"partialFingerprints"`
	}
	outLocation struct {
		Physical struct {
			Artifact struct {
				URI  string `json:"uri"`
				Base string `json:"uriBaseId"`
			} `json:"artifactLocation"`
			Region *outRegion `json:"region,omitempty"`
		} `json:"physicalLocation"`
	}
	outRegion struct {
		StartLine int `json:"startLine"`
		EndLine   int `json:"endLine,omitempty"`
	}
)

// sourceRoot is the URI base ID of the repository's root.
const sourceRoot = "%SRCROOT%"

// newSARIF returns a log with a rule for each check; the rules of linters are part of the titles.
func newSARIF(report belay.Report) sarifLog {
	run := outRun{
		Bases: map[string]sarifURI{sourceRoot: {outText{"the root of the repository"}}}, Columns: "utf16CodeUnits",
		Results: []outResult{}, Properties: map[string]string{"verdict": string(report.Verdict)},
	}
	run.Tool.Driver.Name = "belay"
	run.Tool.Driver.Rules = []outRule{}
	call := outInvocation{Successful: true}
	for _, c := range unansweredChecks(report) {
		call.Successful = false
		call.Notifications = append(call.Notifications, outNotification{"error", outText{unknownReason(c)}})
	}
	run.Invocations = []outInvocation{call}
	for _, c := range report.Checks {
		if c.Skipped {
			continue
		}
		index := len(run.Tool.Driver.Rules)
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, outRule{c.Check, outText{"belay's check " + c.Check}})
		for _, f := range c.Findings {
			run.Results = append(run.Results, newResult(c.Check, index, f))
		}
	}
	return sarifLog{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []outRun{run}}
}

func newResult(check string, index int, f belay.Finding) outResult {
	r := outResult{
		RuleID: check, RuleIndex: index, Level: string(f.Severity), Message: outText{findingText(f)},
		Fingerprints: map[string]string{"belay/v1": f.Signature},
	}
	if f.File == "" {
		return r
	}
	var at outLocation
	at.Physical.Artifact.URI, at.Physical.Artifact.Base = (&url.URL{Path: f.File}).String(), sourceRoot
	if f.Line > 0 {
		at.Physical.Region = &outRegion{StartLine: f.Line}
		if f.EndLine > f.Line {
			at.Physical.Region.EndLine = f.EndLine
		}
	}
	r.Locations = []outLocation{at}
	return r
}
