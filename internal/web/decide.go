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

// decide answers a task at a gate, by running the terminal's command. It asks for confirmation if
// that ends the task.
func (q *request) decide(id belay.TaskID) error {
	a := q.gateAnswer()
	if a.Decision == loop.DecideGuide && a.Words == "" {
		return belay.Refuse(belay.CodeUsage, "", "guide needs instructions for the agent: write them above the buttons")
	}
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
		args = []string{"task", "move", string(id), "--to=approved", "--force", args[4],
			"--category=" + string(a.Category), "--note=" + words}
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
	// The record decides, not the exit status: the run that the command continued may have been
	// rejected, or wait again.
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

// gateAnswer returns the answer in a gate's form.
func (q *request) gateAnswer() Answer {
	gate, _ := strconv.Atoi(q.PostFormValue("gate"))
	return Answer{Gate: gate, Decision: loop.Decision(q.PostFormValue("decision")), By: q.s.User,
		Category: review.Category(q.PostFormValue("category")), Words: strings.TrimSpace(q.PostFormValue("message"))}
}

// confirmation is a request for confirmation.
type confirmation struct {
	Of, Title string
	Then      string // the consequence
}

const endsTask = "This ends the task and rolls its files back; what the agent left is kept as a snapshot."

// confirm asks for confirmation of what cannot be undone.
func (q *request) confirm(s confirmation, a Answer) error {
	return q.show("sure", fmt.Sprintf("%s %s?", a.Decision, s.Of), struct {
		confirmation
		Answer
		To, Back string
	}{s, a, q.URL.Path, strings.TrimSuffix(q.URL.Path, "/decide")})
}

// requestedRestore returns the requested restore: of a snapshot, an undo or redo of the last
// restore, or an undo of a session's turn or tool call.
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

// restoreRequest is a restore requested by a page.
type restoreRequest struct {
	plan        func(restore.Options) (restore.Restored, error) // called with DryRun
	args        []string                                        // the command that performs it
	title       string
	undoCommand string // the command that reverses it
	session     string // the session of the turn or tool call; "" for another restore
	nextPage    string // the next page, relative to the repository's
}

// preview shows what a restore would change.
func (q *request) preview() error { return q.showPreview("") }

// showPreview shows the preview, with a remark if seen, the mark of an earlier one, is set.
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

// previewMark returns a hash of a restore's plan and of the current state of the files that it
// would replace.
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

// restore runs the command for the restore, which takes a snapshot first and can be undone. If the
// working tree differs from the preview, it shows a new preview instead.
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
