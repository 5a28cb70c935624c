// Package notation writes what the checks found in the forms that other programs read:
// SARIF 2.1.0, GitHub's workflow commands, rdjson.
//
// It decides nothing and writes no file.
package notation

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/url"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
)

// The forms.
const (
	SARIF  = "sarif"
	GitHub = "github"
	RDJSON = "rdjson"
)

// Forms are the names that Write takes.
func Forms() []string { return []string{SARIF, GitHub, RDJSON} }

// Write writes the report in the form; its error is w's, or says that there is no such
// form. What is skipped is left out; a check that could not tell is written as a
// notification (SARIF), a warning (GitHub) or a diagnostic without a place (rdjson), so
// that its silence is not taken for a pass.
func Write(w io.Writer, form string, report belay.Report) error {
	switch form {
	case SARIF:
		return encode(w, newSARIF(report))
	case RDJSON:
		return encode(w, newRDJSON(report))
	case GitHub:
		return writeCommands(w, report)
	}
	return belay.Refuse(belay.CodeUsage, "use one of "+strings.Join(Forms(), ", "), "%q is no form of a report", form)
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

// text is a finding in full: title, detail, what to do.
func text(f belay.Finding) string {
	parts := []string{f.Title}
	for _, more := range []string{f.Detail, f.Recommendation} {
		if more != "" {
			parts = append(parts, more)
		}
	}
	return strings.ToValidUTF8(strings.Join(parts, "\n"), "\ufffd")
}

// unanswered gives the checks that could not tell.
func unanswered(report belay.Report) (list []belay.CheckResult) {
	for _, c := range report.Checks {
		if !c.Skipped && c.Verdict == belay.VerdictUnknown {
			list = append(list, c)
		}
	}
	return list
}

func couldNotTell(c belay.CheckResult) string {
	return strings.ToValidUTF8(fmt.Sprintf("the check %s could not tell: %s", c.Check, c.Why), "\ufffd")
}

// The parts of SARIF that belay writes.
type (
	sarifLog struct {
		Schema  string     `json:"$schema"`
		Version string     `json:"version"`
		Runs    []sarifRun `json:"runs"`
	}
	sarifRun struct {
		Tool        sarifTool           `json:"tool"`
		Invocations []sarifInvocation   `json:"invocations"`
		Bases       map[string]sarifURI `json:"originalUriBaseIds"`
		Columns     string              `json:"columnKind"`
		Results     []sarifResult       `json:"results"`
		Properties  map[string]string   `json:"properties"`
	}
	sarifTool struct {
		Driver struct {
			Name  string      `json:"name"`
			Rules []sarifRule `json:"rules"`
		} `json:"driver"`
	}
	sarifRule struct {
		ID               string    `json:"id"`
		ShortDescription sarifText `json:"shortDescription"`
	}
	sarifText struct {
		Text string `json:"text"`
	}
	sarifURI struct {
		Description sarifText `json:"description"`
	}
	sarifInvocation struct {
		Successful    bool                `json:"executionSuccessful"`
		Notifications []sarifNotification `json:"toolExecutionNotifications,omitempty"`
	}
	sarifNotification struct {
		Level   string    `json:"level"`
		Message sarifText `json:"message"`
	}
	sarifResult struct {
		RuleID       string            `json:"ruleId"`
		RuleIndex    int               `json:"ruleIndex"`
		Level        string            `json:"level"`
		Message      sarifText         `json:"message"`
		Locations    []sarifLocation   `json:"locations,omitempty"`
		Fingerprints map[string]string `json:"partialFingerprints"`
	}
	sarifLocation struct {
		Physical struct {
			Artifact struct {
				URI  string `json:"uri"`
				Base string `json:"uriBaseId"`
			} `json:"artifactLocation"`
			Region *sarifRegion `json:"region,omitempty"`
		} `json:"physicalLocation"`
	}
	sarifRegion struct {
		StartLine int `json:"startLine"`
		EndLine   int `json:"endLine,omitempty"`
	}
)

// root is the name for the folder that paths begin at.
const root = "%SRCROOT%"

// newSARIF has a rule for each check: the rules that linters name are in the titles.
func newSARIF(report belay.Report) sarifLog {
	run := sarifRun{
		Bases: map[string]sarifURI{root: {sarifText{"the root of the repository"}}}, Columns: "utf16CodeUnits",
		Results: []sarifResult{}, Properties: map[string]string{"verdict": string(report.Verdict)},
	}
	run.Tool.Driver.Name = "belay"
	run.Tool.Driver.Rules = []sarifRule{}
	call := sarifInvocation{Successful: true}
	for _, c := range unanswered(report) {
		call.Successful = false
		call.Notifications = append(call.Notifications, sarifNotification{"error", sarifText{couldNotTell(c)}})
	}
	run.Invocations = []sarifInvocation{call}
	for _, c := range report.Checks {
		if c.Skipped {
			continue
		}
		index := len(run.Tool.Driver.Rules)
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{c.Check, sarifText{"belay's check " + c.Check}})
		for _, f := range c.Findings {
			run.Results = append(run.Results, newResult(c.Check, index, f))
		}
	}
	return sarifLog{"https://json.schemastore.org/sarif-2.1.0.json", "2.1.0", []sarifRun{run}}
}

func newResult(check string, index int, f belay.Finding) sarifResult {
	r := sarifResult{
		RuleID: check, RuleIndex: index, Level: string(f.Severity), Message: sarifText{text(f)},
		Fingerprints: map[string]string{"belay/v1": f.Signature},
	}
	if f.File == "" {
		return r
	}
	var at sarifLocation
	at.Physical.Artifact.URI, at.Physical.Artifact.Base = (&url.URL{Path: f.File}).String(), root
	if f.Line > 0 {
		at.Physical.Region = &sarifRegion{StartLine: f.Line}
		if f.EndLine > f.Line {
			at.Physical.Region.EndLine = f.EndLine
		}
	}
	r.Locations = []sarifLocation{at}
	return r
}
