package prompt

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/loop"
)

// Result is the outcome of a task, shown at the end of a run.
type Result struct {
	Checks  []belay.CheckResult `json:"checks"`  // of the last check run
	Changes []belay.Change      `json:"changes"` // from the before snapshot to the end of the last attempt
	Commits []Commit            `json:"commits"` // new since the before snapshot, oldest first
	Took    time.Duration       `json:"took_ns"` // from the start, without waiting for persons
	Agents  time.Duration       `json:"agents_ns"`
	Next    []Step              `json:"next"`
}

// Step is a possible next command and its purpose.
type Step struct {
	Command string `json:"command"`
	For     string `json:"for"`
}

// Commit is a commit of the user's repository.
type Commit struct {
	OID     string `json:"oid"`
	Subject string `json:"subject"`
}

// Limits of the lists at the end of a run; belay diff and git log list all.
const (
	maxChanges = 10
	maxCommits = 10
)

// Text returns the result for a terminal: a line for each check, the changed files, new commits,
// time and next commands.
func (r Result) Text() string {
	var b strings.Builder
	if len(r.Checks) > 0 {
		b.WriteString("\nchecks:\n" + Checks(r.Checks))
		report := belay.Report{Checks: r.Checks}
		b.WriteString(Findings(slices.DeleteFunc(report.Findings(), func(f belay.Finding) bool {
			return f.Severity == belay.SeverityError || f.Severity == belay.SeverityNote // errors are among the attempt's reasons
		})))
	}
	r.writeChanges(&b)
	if n := len(r.Commits); n > 0 {
		fmt.Fprintf(&b, "commits: %d new\n", n)
		for _, c := range r.Commits[:min(n, maxCommits)] {
			fmt.Fprintf(&b, "  %s %s\n", shortID(belay.SnapshotID(c.OID)), belay.Clip(belay.VisibleLine(c.Subject), 64))
		}
		if n > maxCommits {
			fmt.Fprintf(&b, "  and %d more (git log)\n", n-maxCommits)
		}
	}
	if r.Took > 0 {
		b.WriteString("time: " + Duration(r.Took))
		if r.Agents > 0 { // roles of a pipeline are not timed
			b.WriteString(", of which agents " + Duration(r.Agents))
		}
		b.WriteString("\n")
	}
	return b.String() + Steps(r.Next)
}

// Steps lists possible next commands, one on each line; "" for none.
func Steps(next []Step) string {
	var b strings.Builder
	rows := [][]string{}
	for i, n := range next {
		rows = append(rows, []string{[]string{"next: ", "      "}[min(i, 1)] + n.Command, n.For})
	}
	if len(rows) > 0 {
		writeTable(&b, rows)
	}
	return b.String()
}

func (r Result) writeChanges(b *strings.Builder) {
	n := len(r.Changes)
	if n == 0 {
		return
	}
	sum := belay.Change{}
	rows := [][]string{}
	for i, c := range r.Changes {
		sum.Added += c.Added
		sum.Deleted += c.Deleted
		lines := fmt.Sprintf("+%d -%d", c.Added, c.Deleted)
		if c.Binary {
			lines = "binary"
		}
		if i < maxChanges {
			rows = append(rows, []string{"  " + c.Status + " " + belay.VisibleLine(c.Path), lines})
		}
	}
	fmt.Fprintf(b, "changes: %s, +%d -%d\n", belay.CountOf(n, "file"), sum.Added, sum.Deleted)
	writeTable(b, rows)
	if n > maxChanges {
		fmt.Fprintf(b, "  and %d more (belay diff --name-only)\n", n-maxChanges)
	}
}

// CheckMark returns a check's result in a word: its verdict, warn if it passed with a warning, asks
// if a person must decide, skipped if it did not run.
func CheckMark(r belay.CheckResult) string {
	warned := slices.ContainsFunc(r.Findings, func(f belay.Finding) bool { return f.Severity == belay.SeverityWarning })
	switch {
	case r.Skipped:
		return "skipped"
	case r.Asks:
		return "asks"
	case r.Verdict == belay.VerdictPass && warned:
		return "warn"
	}
	return string(r.Verdict)
}

// Checks lists the checks that ran, one on each line, and names the others.
func Checks(list []belay.CheckResult) string {
	var b strings.Builder
	rows := [][]string{}
	var skipped []string
	for _, r := range list {
		if r.Skipped {
			skipped = append(skipped, belay.VisibleLine(r.Check))
			continue
		}
		text := r.Summary
		if r.Why != "" {
			text = r.Why
		}
		rows = append(rows, []string{"  " + belay.VisibleLine(r.Check), CheckMark(r), belay.Clip(belay.VisibleLine(text), 200)})
	}
	if len(rows) > 0 {
		writeTable(&b, rows)
	}
	if len(skipped) > 0 {
		fmt.Fprintf(&b, "  not run: %s\n", strings.Join(skipped, ", "))
	}
	return b.String()
}

// Outcome returns the outcome of a task in a word. It is "accepted" rather than "passed", because
// work may be accepted without tests.
func Outcome(o loop.Outcome) string {
	if o == loop.OutcomePassed {
		return "accepted"
	}
	return belay.VisibleLine(string(o))
}

// acceptedText describes by what the work was accepted; it is "passed" only if tests passed.
func acceptedText(s loop.State, checks []belay.CheckResult) string {
	if a := s.Current(); a != nil && a.OnlyAsks() {
		return "accepted, approved by a person"
	} else if a != nil && a.Verdict != belay.VerdictPass {
		return "accepted despite a rejection"
	}
	i := slices.IndexFunc(checks, func(c belay.CheckResult) bool { return c.Check == "tests" })
	switch {
	case i < 0:
		return "accepted"
	case !checks[i].Skipped:
		return "passed"
	case strings.Contains(checks[i].Summary+checks[i].Why, "no test"):
		return "accepted, no tests found"
	}
	return "accepted, tests were skipped"
}
