package web

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/loop"
	"github.com/belay-dev/belay/internal/restore"
	"github.com/belay-dev/belay/internal/review"
)

// decide answers a task that waits: the command of the terminal does it. What ends the task is asked for twice.
func (q *request) decide(id belay.TaskID) error {
	a := q.gateAnswer()
	if q.repo.Fleet != nil {
		return q.answer(id, a)
	}
	gate, what, words := a.Gate, a.Decision, a.Words
	r, err := q.svc.TaskAtNumberedGate(id, max(1, gate))
	if err != nil {
		return err
	}
	if endsTaskBy(what) && q.PostFormValue("sure") == "" {
		return q.confirm(confirmation{Of: string(id), Title: r.Task.Title, Then: endsTask}, a)
	}
	args := []string{"decide", string(id), string(what), "--quiet", fmt.Sprintf("--gate=%d", gate)}
	switch {
	case what == loop.DecideApprove && r.State.Gate.Overrides():
		args = []string{"task", "move", string(id), "--to=approved", "--force", "--category=" + string(a.Category), "--note=" + words}
	case words != "":
		args = append(args, "--message="+words)
	}
	if q.s.User != "" {
		args = append(args, "--by="+q.s.User)
	}
	waits := func() bool {
		_, err := q.svc.TaskAtNumberedGate(id, gate)
		return err == nil
	}
	err = q.s.Act(q.Context(), q.repo.Root, func() bool { return !waits() }, args...)
	now, again := q.svc.Session.Load(id)
	if again != nil {
		return again
	}
	// The record decides, and not how the command ended: a run that it continued may be rejected, or wait again, by now.
	i := slices.IndexFunc(now.State.Decisions, func(d loop.Decided) bool { return d.Gate == gate })
	if i < 0 {
		if err == nil {
			err = belay.Refuse(belay.CodeCannot, "belay status", "the answer is not in the record of %s yet", id)
		}
		return err
	}
	d := now.State.Decisions[i]
	if d.Decision != what || d.By != cmp.Or(q.s.User, d.By) || what == loop.DecideGuide && strings.TrimSpace(d.Note) != words {
		_, err := q.svc.TaskAtNumberedGate(id, gate)
		return err
	}
	return q.redirect(q.address("task/%s", id))
}

// gateAnswer is what the form of a gate says.
func (q *request) gateAnswer() Answer {
	gate, _ := strconv.Atoi(q.PostFormValue("gate"))
	return Answer{Gate: gate, Decision: loop.Decision(q.PostFormValue("decision")), By: q.s.User,
		Category: review.Category(q.PostFormValue("category")), Words: strings.TrimSpace(q.PostFormValue("message"))}
}

// confirmation is what is asked for twice.
type confirmation struct {
	Of, Title string
	Then      string // what it leads to
}

const endsTask = "This ends the task and rolls its files back; what the agent left is kept as a snapshot."

// confirm asks once more for what cannot be taken back.
func (q *request) confirm(s confirmation, a Answer) error {
	return q.show("sure", fmt.Sprintf("%s %s?", a.Decision, s.Of), struct {
		confirmation
		Answer
		To, Back string
	}{s, a, q.URL.Path, strings.TrimSuffix(q.URL.Path, "/decide")})
}

// requestedRestore says which restore is meant: a snapshot, the last restore taken back or done again, or a turn or a tool call of a
// session taken back.
func (q *request) requestedRestore() (restoreRequest, error) {
	if a, ok := q.parseUndo(q.FormValue("what")); ok {
		return a, nil
	}
	switch word := q.FormValue("what"); word {
	case "undo":
		return restoreRequest{plan: func(o restore.Options) (restore.Restored, error) { return q.svc.Undo(q.Context(), o) },
			args: []string{"undo"}, title: "Undo the last restore", undoCommand: "redo", nextPage: "snapshots?done=undo"}, nil
	case "redo":
		return restoreRequest{plan: func(o restore.Options) (restore.Restored, error) { return q.svc.Redo(q.Context(), o) },
			args: []string{"redo"}, title: "Redo the last restore", undoCommand: "undo", nextPage: "snapshots?done=redo"}, nil
	default:
		id, err := belay.ParseSnapshotID(word)
		if err == nil {
			id, err = q.svc.Session.ResolveSnapshot(q.Context(), id)
		}
		return restoreRequest{plan: func(o restore.Options) (restore.Restored, error) { return q.svc.Restore(q.Context(), id, o) },
			args: []string{"snapshot", "restore", string(id), "--yes"}, title: "Restore snapshot " + id.Short(), undoCommand: "undo",
			nextPage: "snapshots?done=snapshot"}, err
	}
}

// restoreRequest is a restore that a page is asked for.
type restoreRequest struct {
	plan        func(restore.Options) (restore.Restored, error) // with DryRun
	args        []string                                        // the command that does it
	title       string
	undoCommand string // the command that brings back what is there now
	session     string // whose turn or tool call is taken back; "" for another restore
	nextPage    string // the page that is shown afterwards, below the repository's
}

// preview says what a restore would change; nothing changes.
func (q *request) preview() error { return q.showPreview("") }

// showPreview shows the preview, and says so when it is no longer the one that was seen before.
func (q *request) showPreview(seen string) error {
	a, err := q.requestedRestore()
	if err != nil {
		return err
	}
	plan, err := a.plan(restore.Options{DryRun: true})
	if err != nil {
		return err
	}
	status := http.StatusOK
	if seen != "" {
		status = http.StatusConflict
	}
	return q.write(status, "restore", a.title, struct {
		What, Seen    string
		Changed       bool
		Plan          restore.Restored
		Back, Session string
	}{q.FormValue("what"), q.previewMark(plan), seen != "", plan, a.undoCommand, a.session})
}

// previewMark is the mark of a preview: of what a restore would do, and of the files that it would replace as they are now.
func (q *request) previewMark(plan restore.Restored) string {
	sum := sha256.New()
	_ = json.NewEncoder(sum).Encode(plan)
	for _, path := range slices.Concat(plan.Written, plan.Removed) {
		if at, err := os.Lstat(filepath.Join(q.repo.Root, path)); err == nil {
			fmt.Fprintln(sum, path, at.Mode(), at.Size(), at.ModTime().UnixNano())
		}
	}
	return hex.EncodeToString(sum.Sum(nil)[:16])
}

// restore does it, by the command of the terminal: the present is kept as a snapshot, and undo brings it back. When the
// working tree is not what the preview showed, it shows another one.
func (q *request) restore() error {
	a, err := q.requestedRestore()
	if err != nil {
		return err
	}
	plan, err := a.plan(restore.Options{DryRun: true})
	if err != nil {
		return err
	}
	if seen := q.PostFormValue("seen"); seen != q.previewMark(plan) {
		return q.showPreview(cmp.Or(seen, "nothing"))
	}
	if err := q.s.Act(q.Context(), q.repo.Root, nil, a.args...); err != nil {
		return err
	}
	return q.redirect(q.address("%s", a.nextPage))
}
