package web

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/loop"
	"github.com/belay-dev/belay/internal/restore"
)

// decide answers a task that waits: the command of the terminal does it. What ends the task is asked for twice.
func (q *request) decide() error {
	id, err := belay.ParseTaskID(q.PathValue("task"))
	if err != nil {
		return err
	}
	what, words := loop.Decision(q.PostFormValue("decision")), strings.TrimSpace(q.PostFormValue("message"))
	gate, _ := strconv.Atoi(q.PostFormValue("gate"))
	r, err := q.desk.Load(id)
	if err != nil {
		return err
	}
	if g := r.State.Gate; g == nil || g.Number != gate {
		return answered(id, r.State, gate)
	}
	if (what == loop.DecideAbort || what == loop.DecideSkip) && q.PostFormValue("sure") == "" {
		q.show("sure", fmt.Sprintf("%s %s?", what, id), map[string]any{
			"Task": id, "Title": r.Task.Title, "Gate": gate, "Decision": what, "Message": words,
			"Back": fmt.Sprintf("/r/%d/task/%s", q.n, id),
		})
		return nil
	}
	args := []string{"decide", string(id), string(what), "--quiet"}
	if words != "" {
		args = append(args, "--message="+words)
	}
	if q.s.User != "" {
		args = append(args, "--by="+q.s.User)
	}
	if err := q.s.Act(q.Context(), q.repo.Root, args...); err != nil {
		if now, again := q.desk.Load(id); again == nil && (now.State.Gate == nil || now.State.Gate.Number != gate) {
			return answered(id, now.State, gate)
		}
		return err
	}
	http.Redirect(q.w, q.Request, fmt.Sprintf("/r/%d/task/%s", q.n, id), http.StatusSeeOther)
	return nil
}

// answered says who was faster.
func answered(id belay.TaskID, s loop.State, gate int) error {
	for _, d := range s.Decisions {
		if d.Gate == gate {
			return belay.Refuse(belay.CodeBusy, "the task's page shows where it is now", "%s was answered meanwhile: %s, by %s", id,
				d.Decision, by(d.By))
		}
	}
	return belay.Refuse(belay.CodeBusy, "the task's page shows where it is now", "%s does not wait for this answer any more", id)
}

func by(name string) string {
	if name == "" {
		return "somebody"
	}
	return name
}

// what says which restore is meant: a snapshot, or the last restore taken back or done again.
func (q *request) what() (dry func(restore.Options) (restore.Restored, error), args []string, title string, err error) {
	switch word := q.FormValue("what"); word {
	case "undo":
		return func(o restore.Options) (restore.Restored, error) { return q.desk.Undo(q.Context(), o) }, []string{"undo"},
			"Undo the last restore", nil
	case "redo":
		return func(o restore.Options) (restore.Restored, error) { return q.desk.Redo(q.Context(), o) }, []string{"redo"},
			"Redo the last restore", nil
	default:
		id, err := belay.ParseSnapshotID(word)
		if err == nil {
			id, err = q.desk.Named(q.Context(), id)
		}
		return func(o restore.Options) (restore.Restored, error) { return q.desk.Restore(q.Context(), id, o) },
			[]string{"snapshot", "restore", string(id), "--yes"}, "Restore snapshot " + id.Short(), err
	}
}

// preview says what a restore would change; nothing changes.
func (q *request) preview() error {
	dry, _, title, err := q.what()
	if err != nil {
		return err
	}
	plan, err := dry(restore.Options{DryRun: true})
	if err != nil {
		return err
	}
	q.show("restore", title, struct {
		What string
		Plan restore.Restored
	}{q.FormValue("what"), plan})
	return nil
}

// restore does it, by the command of the terminal: the present is kept as a snapshot, and undo brings it back.
func (q *request) restore() error {
	_, args, _, err := q.what()
	if err != nil {
		return err
	}
	if err := q.s.Act(q.Context(), q.repo.Root, args...); err != nil {
		return err
	}
	http.Redirect(q.w, q.Request, fmt.Sprintf("/r/%d/snapshots?done=1", q.n), http.StatusSeeOther)
	return nil
}
