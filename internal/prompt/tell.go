package prompt

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/belay-dev/belay/internal/belay"

	"github.com/belay-dev/belay/internal/loop"
)

// Doing says in a few words what a command is about, while it is under way.
func Doing(c loop.Command) string {
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

// Ahead says what a command will do, while nothing does it.
func Ahead(c loop.Command) string {
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
	return Doing(c) // an attempt has a name of its own
}

// Happened says what an event did, given the state it led to: a line, and one more
// for each reason of a refusal. It is "" for what a person need not be told. The
// text is fit for a terminal and has no newline at its end.
func Happened(s loop.State, e loop.Event) string {
	var a loop.Attempt
	if gone, _ := split(s); len(gone) > 0 { // the event may have started the next one
		a = gone[len(gone)-1]
	}
	text := outcome(s, a, e)
	if text == "" {
		text = word(s, a, e)
	}
	asks := e.Kind == loop.EvChecked && a.Asks()
	if list := a.Reasons(); (e.Verdict == belay.VerdictFail || asks) && len(list) > 0 {
		for _, line := range lines(a) {
			text += "\n  - " + line
		}
	}
	return text
}

// outcome tells of the results that carry work or a verdict.
func outcome(s loop.State, a loop.Attempt, e loop.Event) string {
	switch e.Kind {
	case loop.EvSnapshot:
		return "snapshot " + short(e.Snapshot) + " (before)"
	case loop.EvBaseline:
		return noted("baseline", e.Note)
	case loop.EvAttempted:
		return noted(fmt.Sprintf("attempt %d ended: %s%s", a.N, How(a), spent(e)), e.Note)
	case loop.EvStalled:
		return noted(fmt.Sprintf("attempt %d: stopped for repeating the same tool calls%s", a.N, spent(e)), e.Note)
	case loop.EvLimited:
		return noted(fmt.Sprintf("attempt %d: stopped at a limit%s", a.N, spent(e)), e.Note)
	case loop.EvLost:
		return noted(fmt.Sprintf("attempt %d: lost, its process died%s", a.N, spent(e)), e.Note)
	case loop.EvChecked:
		return verdict(a, "checks", "checked", e)
	case loop.EvReviewed:
		return verdict(a, "review", "reviewed", e)
	case loop.EvRestored:
		text := "rolled back"
		if e.Snapshot != "" {
			text += "; the previous state is kept as snapshot " + short(e.Snapshot) + " (belay undo brings it back)"
		}
		for _, k := range e.Kept {
			text += "\n  - not touched: " + belay.VisibleLine(k)
		}
		return text
	case loop.EvDebugged:
		return noted("root cause", e.Note)
	}
	return ""
}

// word tells of what people and the record did.
func word(s loop.State, a loop.Attempt, e loop.Event) string {
	switch e.Kind {
	case loop.EvStarted:
		return "started"
	case loop.EvCaptured:
		return fmt.Sprintf("snapshot %s (after attempt %d)", short(e.Snapshot), a.N)
	case loop.EvBroken:
		if s.Gate != nil { // its reason holds the note
			return belay.VisibleLine(s.Gate.Why)
		}
		return noted("a step failed", e.Note)
	case loop.EvCancelled:
		return "stopped" + by(e)
	case loop.EvResumed:
		return "resumed" + by(e)
	case loop.EvDecided:
		return noted("decided"+by(e)+": "+belay.VisibleLine(string(e.Decision)), e.Note)
	case loop.EvVerdict:
		if e.Note != "" { // it names the review, who gave it and the verdict
			return belay.VisibleLine(e.Note)
		}
		return "reviewed" + by(e) + ": " + belay.VisibleLine(string(e.Verdict))
	case loop.EvSubmitted:
		return "submitted for review" + by(e)
	case loop.EvRetested:
		return noted("baseline of the new test command", e.Note)
	case loop.EvOverruled:
		return noted("review overruled"+by(e), e.Note)
	case loop.EvClosed:
		return "closed: " + Outcome(s.Outcome)
	}
	return belay.VisibleLine(string(e.Kind))
}

func verdict(a loop.Attempt, by, done string, e loop.Event) string {
	what := fmt.Sprintf("attempt %d: ", a.N)
	switch e.Verdict {
	case belay.VerdictPass:
		return noted(what+"passed the "+by, e.Note)
	case belay.VerdictFail:
		return noted(what+"rejected by the "+by+" ("+belay.CountOf(len(a.Reasons()), "finding")+")", e.Note)
	}
	if a.Asks() {
		what += belay.CountOf(len(a.Reasons()), "question") + " for a person to decide"
		if a.Then == loop.ThenRepair {
			what += "; the agent may take it back first"
		}
		return what
	}
	return noted(what+"could not be "+done, e.Note)
}

func noted(what, note string) string {
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

func spent(e loop.Event) string {
	text := ""
	if e.Elapsed > 0 {
		text += " after " + Duration(e.Elapsed)
	}
	if e.Cost > 0 || e.Tokens != nil {
		text += ", " + Used(e.Use)
	}
	return text
}

func by(e loop.Event) string {
	if e.By == "" {
		return ""
	}
	return " by " + belay.VisibleLine(e.By)
}

func short(id belay.SnapshotID) string { return belay.VisibleLine(id.Short()) }

// Entry is one entry of a task's record on one line: its number, its time in UTC,
// and what it tells. data is the entry's JSON; what cannot be read is named by type.
func Entry(seq int, at time.Time, typ string, data []byte) string {
	return fmt.Sprintf("%4d  %s  %s", seq, at.UTC().Format("2006-01-02 15:04:05Z"), belay.VisibleLine(told(typ, data)))
}

func told(typ string, data []byte) string {
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
			text := strings.ReplaceAll(Happened(ev.State, ev.Event), "\n  - ", "; ")
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
