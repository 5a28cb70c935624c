package prompt

import (
	"fmt"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
)

// Findings formats findings as plain text for a terminal or a fence: one line each ("error:
// src/a.go:3: title (category)"), with details and recommendation indented below. Every line ends
// with a newline; no findings give "".
func Findings(list []belay.Finding) string {
	var b strings.Builder
	for _, f := range withoutRepeatedCommands(list) {
		writeFinding(&b, f, "", maxDetailLines)
	}
	return b.String()
}

// AllFindings formats findings with all their details, for a file.
func AllFindings(list []belay.Finding) string {
	var b strings.Builder
	for _, f := range list {
		detail := f.Detail
		f.Detail, f.Recommendation, f.Reproduce = "", "", ""
		writeFinding(&b, f, "", 0)
		writeIndented(&b, MaskVisible(detail))
	}
	return b.String()
}

// withoutRepeatedCommands removes a command that an earlier finding has: if single tests cannot be
// run, it is the same for all.
func withoutRepeatedCommands(list []belay.Finding) []belay.Finding {
	seen, out := map[string]bool{}, slices.Clone(list)
	for i := range out {
		if seen[out[i].Reproduce] {
			out[i].Reproduce = ""
		}
		seen[out[i].Reproduce] = true
	}
	return out
}

// Limits of a finding's detail; the report contains all of it.
const (
	maxDetailLines = 40
	maxDetailBytes = 4 << 10
)

// writeFinding writes one finding with at most details lines of its detail.
func writeFinding(b *strings.Builder, f belay.Finding, mark string, details int) {
	severity := f.Severity
	if severity == "" {
		severity = belay.SeverityError
	}
	fmt.Fprintf(b, "%s: %s%s\n", belay.VisibleLine(string(severity)), Reason(f), mark)
	if detail := strings.TrimSpace(f.Detail); details > 0 && detail != "" && !repeatsTitle(f.Title, detail) {
		kept, left := Cut(MaskVisible(detail), details, maxDetailBytes)
		if left != "" {
			kept += "\n(cut: " + left + ")"
		}
		writeIndented(b, kept)
	}
	if try := strings.TrimSpace(f.Recommendation); try != "" {
		writeIndented(b, "try: "+MaskVisible(try))
	}
	if f.Reproduce != "" {
		writeIndented(b, "run: "+MaskVisible(f.Reproduce))
	}
}

// repeatsTitle reports whether a detail of one line only repeats the end of the title: "not
// shown: X" and "asked for: ADD: X".
func repeatsTitle(title, detail string) bool {
	_, said, ok := strings.Cut(title, ": ")
	label, found := strings.CutSuffix(detail, ": "+said)
	return ok && found && !strings.Contains(label, "\n")
}

func writeIndented(b *strings.Builder, text string) {
	for line := range strings.Lines(text) {
		b.WriteString("    " + strings.TrimRight(line, " \t\n") + "\n")
	}
}

// Reason formats a finding on one line: place, title and category.
func Reason(f belay.Finding) string {
	text := belay.VisibleLine(f.Title)
	if p := location(f); p != "" && !strings.HasPrefix(f.Title, f.File) && !strings.HasSuffix(f.Title, ": "+p) {
		text = p + ": " + text
	}
	if f.Category != "" {
		text += " (" + belay.VisibleLine(string(f.Category)) + ")"
	}
	return text
}

// location returns file:line or file:line-end, "" for a finding without a file.
func location(f belay.Finding) string {
	switch {
	case f.File == "":
		return ""
	case f.Line > 0 && f.EndLine > f.Line:
		return fmt.Sprintf("%s:%d-%d", belay.VisibleLine(f.File), f.Line, f.EndLine)
	}
	return belay.VisibleLine(belay.At(f.File, f.Line))
}

// maxListed limits the findings of one attempt in a prompt; more do not help.
const maxListed = 40

// fitFindings formats an attempt's reasons with as many details as fit into a prompt. All reasons
// are more important than all details of one.
func fitFindings(list, again []belay.Finding, detailed bool) string {
	if detailed {
		for _, lines := range []int{maxDetailLines, 10, 3} {
			text := listFindings(list, again, lines)
			if _, left := Cut(text, MaxLines, MaxBytes); left == "" {
				return text
			}
		}
	}
	return listFindings(list, again, 0)
}

// listFindings formats an attempt's reasons and marks the repeated ones.
func listFindings(list, again []belay.Finding, details int) string {
	came := map[string]bool{}
	for _, f := range again {
		came[f.Sign().Signature] = true
	}
	var b strings.Builder
	for i, f := range withoutRepeatedCommands(list) {
		if i == maxListed {
			fmt.Fprintf(&b, "and %d more\n", len(list)-i)
			break
		}
		mark := ""
		if came[f.Sign().Signature] {
			mark = repeatedMark
		}
		writeFinding(&b, f, mark, details)
	}
	return b.String()
}

// shortReasons returns the first reason and the number of others on one line, for tables and gates.
func shortReasons(list []belay.Finding) string {
	if len(list) == 0 {
		return ""
	}
	text := belay.Clip(Reason(list[0]), 200)
	if n := len(list) - 1; n > 0 {
		text += fmt.Sprintf(" (+%d more)", n)
	}
	return text
}
