package prompt

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/belay-dev/belay/internal/belay"

	"github.com/belay-dev/belay/internal/loop"
)

// Summary describes a task as aligned plain text without colour: a status line, then one row for
// each attempt with its reason below. checks are those of the last check run, if known; paused is
// the next step of a task that no process works on.
func Summary(t belay.Task, s loop.State, checks []belay.CheckResult, paused string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s  %s\n%s\n", belay.VisibleLine(string(t.ID)), belay.VisibleLine(t.Title), statusLine(s, checks, paused))
	if paused != "" {
		fmt.Fprintf(&b, "continue with: belay run --resume %s\n", t.ID)
	}
	if len(s.Attempts) == 0 {
		return b.String()
	}
	if len(s.Attempts) > 1 || s.Outcome != loop.OutcomePassed { // otherwise the status line is enough
		writeAttempts(&b, s.Attempts)
	}
	b.WriteString(reviewsLine(t.Policy, s))
	for _, a := range s.Attempts {
		if a.Ended == loop.EndedStalled && a.Snapshot != "" {
			fmt.Fprintf(&b, "attempt %d: stopped, repeating the same tool calls; its work is snapshot %s\n", a.N, a.Snapshot.Short())
		}
	}
	return b.String()
}

// writeAttempts writes attempts as a table of at most 80 columns, with each reason on a separate
// line.
func writeAttempts(b *strings.Builder, list []loop.Attempt) {
	rows := [][]string{{"attempt", "start", "ended", "time", "cost", "tokens", "verdict", "then"}}
	for _, a := range list {
		rows = append(rows, attemptRow(a))
	}
	var table strings.Builder
	writeTable(&table, rows)
	b.WriteString("\n")
	i := -1
	for line := range strings.Lines(table.String()) {
		b.WriteString(line)
		if i >= 0 {
			if text := shortReason(list[i]); text != "" {
				b.WriteString("  " + text + "\n")
			}
		}
		i++
	}
}

// reviewsLine returns the number of reviews and the limit; "" without reviewers.
func reviewsLine(p belay.Policy, s loop.State) string {
	if !p.Review || p.Reviews == 0 {
		return ""
	}
	refused, passed := s.Reviews()
	text := fmt.Sprintf("reviews: %d rejected, %d passed", refused, passed)
	if passed == 0 {
		text += fmt.Sprintf("; after %d, a person decides", p.Reviews)
	}
	if mode := belay.ModeOf(p.Reviews); mode != "" {
		text += " (mode " + mode + ")"
	}
	return text + "\n"
}

func attemptRow(a loop.Attempt) []string {
	dash := func(s string) string {
		if s == "" {
			return "-"
		}
		return belay.VisibleLine(s)
	}
	word := string(a.Verdict)
	if a.OnlyAsks() {
		word = "asks"
	}
	cells := []string{fmt.Sprint(a.N), dash(string(a.Prompt)), EndText(a), "-", "-", "-", dash(word), dash(a.Then)}
	if a.Elapsed > 0 {
		cells[3] = Duration(a.Elapsed)
	}
	if a.Ended != "" {
		cells[4], cells[5] = a.CostText(), a.TokensText()
	}
	return cells
}

// shortReason returns on one line why an attempt did not pass.
func shortReason(a loop.Attempt) string {
	if text := shortReasons(a.Reasons()); text != "" {
		return text
	}
	if a.Verdict == belay.VerdictPass {
		return ""
	}
	text, _ := Cut(belay.VisibleLine(a.Note), 1, 200)
	return text
}

// UseText returns cost and tokens in a few words.
func UseText(u belay.Use) string {
	switch {
	case !u.CostKnown() && u.Cost == 0 && u.Tokens == nil:
		return "cost unknown"
	case !u.CostKnown() && u.Cost == 0:
		return "cost unknown, " + u.TokensText() + " tokens"
	case u.Tokens == nil:
		return u.CostText()
	}
	return u.CostText() + ", " + u.TokensText() + " tokens"
}

// StatusLine returns the status of a task and its effort on one line.
func StatusLine(s loop.State, checks []belay.CheckResult) string { return statusLine(s, checks, "") }

func statusLine(s loop.State, checks []belay.CheckResult, paused string) string {
	text := ""
	switch {
	case paused != "":
		text = "paused; next step: " + paused
	case s.Outcome == loop.OutcomePassed:
		text = acceptedText(s, checks)
	case s.Outcome != loop.OutcomeNone:
		text = belay.VisibleLine(string(s.Outcome))
		switch why := belay.VisibleLine(s.Why); {
		case why == "":
		case strings.HasPrefix(why, text): // as in "aborted at gate 2 …"
			text = why
		default:
			text += ": " + why
		}
	case s.Gate != nil:
		text = fmt.Sprintf("waits at gate %d: %s", s.Gate.Number, belay.VisibleLine(s.Gate.Why))
	case s.Pending != nil:
		text = "open: " + CommandText(*s.Pending)
	default:
		text = "not started"
	}
	if took := effortText(s); took != "" {
		text += " (" + took + ")"
	}
	return text
}

// effortText returns attempts, rollbacks, time and cost of a task, without zeros.
func effortText(s loop.State) string {
	var parts []string
	if n := len(s.Attempts); n > 0 {
		parts = append(parts, belay.CountOf(n, "attempt"))
	}
	if s.Rollbacks > 0 {
		parts = append(parts, belay.CountOf(s.Rollbacks, "rollback"))
	}
	if s.Elapsed > 0 {
		parts = append(parts, Duration(s.Elapsed))
	}
	if total, any := TotalUse(s); any {
		parts = append(parts, UseText(total))
	}
	return strings.Join(parts, ", ")
}

// TotalUse returns the total use of a task. any is false until one of its agents has ended.
// Attempts with unknown use, such as manual ones, are missing from the sum.
func TotalUse(s loop.State) (total belay.Use, any bool) {
	total = s.Use
	for _, a := range s.Attempts {
		if a.Ended == "" {
			continue
		}
		any = true
		if !a.CostKnown() && total.CostUnknown == "" {
			total.CostUnknown = "not all attempts report it"
		}
		if a.Tokens == nil && total.Tokens != nil {
			t := *total.Tokens
			t.AtLeast = true
			total.Tokens = &t
		}
	}
	return total, any || total.Cost > 0 || total.Tokens != nil
}

// writeTable aligns columns by characters. The last column is not padded, so free text belongs
// there.
func writeTable(b *strings.Builder, rows [][]string) {
	widths := make([]int, len(rows[0]))
	for _, r := range rows {
		for i, c := range r {
			widths[i] = max(widths[i], utf8.RuneCountInString(c))
		}
	}
	for _, r := range rows {
		line := ""
		for i, c := range r {
			line += c + strings.Repeat(" ", widths[i]-utf8.RuneCountInString(c)+2)
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
}

// HistoryLine describes a task for the prompts of later tasks: one line, no newline. said is its
// agent's summary (SummaryLine), quoted if the work was accepted.
func HistoryLine(t belay.Task, s loop.State, said string) string {
	status := "open"
	if s.Outcome != loop.OutcomeNone {
		status = Outcome(s.Outcome)
	}
	if n := len(s.Attempts); n > 0 {
		status += " after " + belay.CountOf(n, "attempt")
	}
	if s.Outcome == loop.OutcomeSkipped {
		status += " (a known issue)"
	}
	text := fmt.Sprintf("%s %s: %s", t.ID, status, t.Title)
	if last := s.Current(); last != nil && s.Outcome != loop.OutcomeNone && s.Outcome != loop.OutcomePassed {
		if r := shortReason(*last); r != "" {
			text += " [" + r + "]"
		}
	}
	if said != "" && s.Outcome == loop.OutcomePassed {
		text += fmt.Sprintf(` (its agent: "%s")`, said)
	}
	return belay.VisibleLine(text)
}
