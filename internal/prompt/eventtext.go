package prompt

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/belay-dev/belay/internal/belay"

	"github.com/belay-dev/belay/internal/loop"
)

// CommandText describes a running command in a few words.
func CommandText(c loop.Command) string {
	switch c.Kind {
	case loop.CmdSnapshot:
		return "taking a snapshot"
	case loop.CmdBaseline:
		return "running the tests for the baseline"
	case loop.CmdAttempt:
		return fmt.Sprintf("attempt %d (%s)", c.Attempt, belay.VisibleLine(string(c.Prompt)))
	case loop.CmdCapture:
		return fmt.Sprintf("saving the work of attempt %d", c.Attempt)
	case loop.CmdCheck:
		return fmt.Sprintf("checking attempt %d", c.Attempt)
	case loop.CmdReview:
		return fmt.Sprintf("reviewing attempt %d", c.Attempt)
	case loop.CmdRestore:
		if c.Why != "" {
			return "rolling back: " + belay.VisibleLine(c.Why)
		}
		return "rolling back"
	case loop.CmdDebug:
		return fmt.Sprintf("looking for the root cause of attempt %d", c.Attempt)
	case loop.CmdClose:
		return "closing the task"
	}
	return belay.VisibleLine(string(c.Kind))
}

// PlannedText describes a command that is not running yet.
func PlannedText(c loop.Command) string {
	switch c.Kind {
	case loop.CmdSnapshot:
		return "take a snapshot"
	case loop.CmdBaseline:
		return "run the tests for the baseline"
	case loop.CmdCapture:
		return fmt.Sprintf("save the work of attempt %d", c.Attempt)
	case loop.CmdCheck:
		return fmt.Sprintf("check attempt %d", c.Attempt)
	case loop.CmdReview:
		return fmt.Sprintf("review attempt %d", c.Attempt)
	case loop.CmdRestore:
		return "roll back"
	case loop.CmdDebug:
		return fmt.Sprintf("find the root cause of attempt %d", c.Attempt)
	case loop.CmdClose:
		return "close the task"
	}
	return CommandText(c) // an attempt: named, not described
}

// EventText describes an event, given the state that it led to: a line, and one more for each
// reason of a rejection. It is "" for an event that a person need not know of. The text is safe for
// a terminal and has no final newline.
func EventText(s loop.State, e loop.Event) string {
	var a loop.Attempt
	if gone, _ := splitAttempts(s); len(gone) > 0 { // the event may have started the next one
		a = gone[len(gone)-1]
	}
	text := resultEventText(s, a, e)
	if text == "" {
		text = decisionText(s, a, e)
	}
	asks := e.Kind == loop.EvChecked && a.OnlyAsks()
	if list := a.Reasons(); (e.Verdict == belay.VerdictFail || asks) && len(list) > 0 {
		for _, line := range reasonLines(a) {
			text += "\n  - " + line
		}
	}
	return text
}

// resultEventText describes the results with work or a verdict.
func resultEventText(s loop.State, a loop.Attempt, e loop.Event) string {
	switch e.Kind {
	case loop.EvSnapshot:
		return "snapshot " + shortID(e.Snapshot) + " (before)"
	case loop.EvBaseline:
		return withNote("baseline", e.Note)
	case loop.EvAttempted:
		return withNote(fmt.Sprintf("attempt %d ended: %s%s", a.N, EndText(a), usedText(e)), e.Note)
	case loop.EvStalled:
		return withNote(fmt.Sprintf("attempt %d: stopped for repeating the same tool calls%s", a.N, usedText(e)), e.Note)
	case loop.EvLimited:
		return withNote(fmt.Sprintf("attempt %d: stopped at a limit%s", a.N, usedText(e)), e.Note)
	case loop.EvLost:
		return withNote(fmt.Sprintf("attempt %d: lost, its process died%s", a.N, usedText(e)), e.Note)
	case loop.EvChecked:
		return judgedText(a, "checks", "checked", e)
	case loop.EvReviewed:
		return judgedText(a, "review", "reviewed", e)
	case loop.EvRestored:
		text := "rolled back"
		if e.Snapshot != "" {
			text += "; the previous state is kept as snapshot " + shortID(e.Snapshot) + " (belay undo brings it back)"
		}
		for _, k := range e.Kept {
			text += "\n  - not touched: " + belay.VisibleLine(k)
		}
		return text
	case loop.EvDebugged:
		return withNote("root cause", e.Note)
	}
	return ""
}

// decisionText describes decisions of people and changes of the record.
func decisionText(s loop.State, a loop.Attempt, e loop.Event) string {
	switch e.Kind {
	case loop.EvStarted:
		return "started"
	case loop.EvCaptured:
		return fmt.Sprintf("snapshot %s (after attempt %d)", shortID(e.Snapshot), a.N)
	case loop.EvBroken:
		if s.Gate != nil { // its reason includes the note
			return belay.VisibleLine(s.Gate.Why)
		}
		return withNote("a step failed", e.Note)
	case loop.EvCancelled:
		return "stopped" + byText(e)
	case loop.EvResumed:
		return "resumed" + byText(e)
	case loop.EvDecided:
		return withNote("decided"+byText(e)+": "+belay.VisibleLine(string(e.Decision)), e.Note)
	case loop.EvVerdict:
		if e.Note != "" { // it contains the review, its author and the verdict
			return belay.VisibleLine(e.Note)
		}
		return "reviewed" + byText(e) + ": " + belay.VisibleLine(string(e.Verdict))
	case loop.EvSubmitted:
		return "submitted for review" + byText(e)
	case loop.EvRetested:
		return withNote("baseline of the new test command", e.Note)
	case loop.EvOverruled:
		return withNote("review overruled"+byText(e), e.Note)
	case loop.EvClosed:
		return "closed: " + Outcome(s.Outcome)
	}
	return belay.VisibleLine(string(e.Kind))
}

func judgedText(a loop.Attempt, by, done string, e loop.Event) string {
	what := fmt.Sprintf("attempt %d: ", a.N)
	switch e.Verdict {
	case belay.VerdictPass:
		return withNote(what+"passed the "+by, e.Note)
	case belay.VerdictFail:
		return withNote(what+"rejected by the "+by+" ("+belay.CountOf(len(a.Reasons()), "finding")+")", e.Note)
	}
	if a.OnlyAsks() {
		what += belay.CountOf(len(a.Reasons()), "question") + " for a person to decide"
		if a.Then == loop.ThenRepair {
			what += "; the agent may take it back first"
		}
		return what
	}
	return withNote(what+"could not be "+done, e.Note)
}

func withNote(what, note string) string {
	note = strings.TrimSpace(note)
	if note == "" {
		return what
	}
	text, left := Cut(belay.VisibleLine(note), 1, 300)
	if left != "" {
		text += " …"
	}
	return what + ": " + text
}

func usedText(e loop.Event) string {
	text := ""
	if e.Elapsed > 0 {
		text += " after " + Duration(e.Elapsed)
	}
	if e.Cost > 0 || e.Tokens != nil {
		text += ", " + UseText(e.Use)
	}
	return text
}

func byText(e loop.Event) string {
	if e.By == "" {
		return ""
	}
	return " by " + belay.VisibleLine(e.By)
}

func shortID(id belay.SnapshotID) string { return belay.VisibleLine(id.Short()) }

// EntryLine returns one entry of a task's record on one line: its number, its time in UTC, and
// what it records. data is the entry's JSON; an entry that cannot be read is named by its
// type.
func EntryLine(seq int, at time.Time, typ string, data []byte) string {
	return fmt.Sprintf("%4d  %s  %s", seq, at.UTC().Format("2006-01-02 15:04:05Z"), belay.VisibleLine(entryText(typ, data)))
}

func entryText(typ string, data []byte) string {
	switch typ {
	case "task":
		var t belay.Task
		if json.Unmarshal(data, &t) == nil && t.Title != "" {
			return "task: " + t.Title
		}
	case "event":
		var ev struct {
			Event loop.Event `json:"event"`
			State loop.State `json:"state"`
		}
		if json.Unmarshal(data, &ev) == nil && ev.Event.Kind != "" {
			text := strings.ReplaceAll(EventText(ev.State, ev.Event), "\n  - ", "; ")
			if g := ev.State.Gate; g != nil && ev.Event.Kind != loop.EvCancelled && ev.Event.Kind != loop.EvBroken {
				text += fmt.Sprintf("; gate %d opened: %s", g.Number, g.Why)
			}
			return text
		}
	case "note":
		var n struct{ Kind, Text string }
		if json.Unmarshal(data, &n) == nil && n.Kind != "" {
			return n.Kind + ": " + n.Text
		}
	case "taken":
		var t struct {
			Command   string
			Snapshots []struct{ ID belay.SnapshotID }
		}
		if json.Unmarshal(data, &t) == nil && len(t.Snapshots) > 0 {
			text := "snapshot " + t.Snapshots[0].ID.Short()
			if strings.HasSuffix(t.Command, "-attempt:start") {
				text += " (before the next attempt)"
			}
			return text
		}
	case "context":
		var c struct{ Kind, Role, By, Note string }
		if json.Unmarshal(data, &c) == nil && c.Kind != "" {
			text := "context: " + strings.TrimSpace(c.Role+" "+c.Kind)
			if c.By != "" {
				text += " by " + c.By
			}
			if c.Note != "" {
				text += ": " + c.Note
			}
			return text
		}
	}
	return typ
}
