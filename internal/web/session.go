package web

import (
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/belay-dev/belay/internal/app"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/restore"
)

// sessions lists the agents' own sessions in the working tree, newest first.
func (q *request) sessions() error {
	all, err := q.svc.Session.Sessions()
	if err != nil {
		return err
	}
	type line struct {
		ID               belay.TaskID
		Agent            string
		Turns, Tools     int
		Last             string // the last prompt
		Started, Changed time.Time
	}
	slices.Reverse(all)
	records, where := pageOf(q, all)
	list := make([]line, 0, len(records))
	for _, r := range records {
		l := line{ID: r.Task.ID, Agent: r.Task.Session.Agent, Started: r.Created, Changed: r.Changed}
		for _, m := range r.Marks {
			l.Turns, l.Tools = max(l.Turns, m.Turn), max(l.Tools, m.Tools)
			if m.Prompt != "" {
				l.Last = m.Text
			}
		}
		list = append(list, l)
	}
	return q.show("sessions", "Sessions", struct {
		List   []line
		Paging paging
	}{list, where})
}

// turnsPerPage is how many turns of a session a page shows. Each may have changed many files.
const turnsPerPage = 50

// session shows a session turn by turn, newest first.
func (q *request) session() error {
	t, err := q.svc.Timeline(q.Context(), q.PathValue("session"))
	if err != nil {
		return err
	}
	slices.Reverse(t.Turns)
	turns, where := pageOfSize(q, t.Turns, turnsPerPage)
	done, back := q.restoredText()
	return q.show("session", "Session "+string(t.Session), struct {
		app.Timeline
		Shown      []app.TimelineTurn
		Paging     paging
		Done, Back string
	}{t, turns, where, done, back})
}

// stepMark returns the mark of a step in a session.
func stepMark(s app.TimelineStep) mark {
	switch s.Kind {
	case "tool":
		return mark{"plain", "▸", "tool call " + strconv.Itoa(s.Tool)}
	case "denied":
		return mark{"bad", "✗", "denied"}
	case "undo":
		return mark{"ended", "↶", "undone by a person"}
	case "stop":
		return mark{"waits", "!", "rejected by the checks"}
	case "stall":
		return mark{"waits", "!", "stalled"}
	}
	return mark{"ended", "–", changedBy[s.By]}
}

var changedBy = map[string]string{"outside": "changed by a person or another process", "person": "changed by a person",
	"session": "changed by another session", "belay": "belay", "tool": "changed by a tool"}

// parseUndo parses a form's "turn SESSION N" or "tool SESSION N".
func (q *request) parseUndo(word string) (a restoreRequest, ok bool) {
	part := strings.Fields(word)
	if len(part) != 3 || part[0] != "turn" && part[0] != "tool" {
		return a, false
	}
	n, err := strconv.Atoi(part[2])
	if err != nil || n < 1 || strings.HasPrefix(part[1], "-") {
		return a, false
	}
	a.plan = func(o restore.Options) (restore.Restored, error) {
		out, _, err := q.svc.UndoTurn(q.Context(), app.UndoTurnRequest{Session: part[1], ToolCall: part[0] == "tool", Number: n,
			Options: o})
		return out, err
	}
	a.args = []string{"undo", "--session=" + part[1], fmt.Sprintf("--%s=%d", part[0], n)}
	a.title = "Undo " + map[bool]string{true: "tool call ", false: "turn "}[part[0] == "tool"] + part[2]
	a.undoCommand, a.session, a.nextPage = "redo", part[1], fmt.Sprintf("session/%s?done=%s", url.PathEscape(part[1]), part[0])
	return a, true
}
