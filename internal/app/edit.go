package app

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/journal"
	"github.com/belay-dev/belay/internal/loop"
	"github.com/belay-dev/belay/internal/prompt"
	"github.com/belay-dev/belay/internal/session"
)

// EditNote is the kind of the note that lists what an edit changed in a task.
const EditNote = "edited"

// EditResult is an edited task and the names of what changed: words, request, scope.
type EditResult struct {
	Task    belay.Task `json:"task"`
	Changed []string   `json:"changed"`
}

// LoadEditable loads a task that may be edited now. CodeUsage when it has ended or a step of it is running;
// CodeNotFound when it does not exist.
func LoadEditable(s *Service, id belay.TaskID) (*session.Record, error) {
	r, err := s.Session.Load(id)
	if err != nil {
		return nil, err
	}
	switch c := r.State.Pending; {
	case !r.Open():
		return nil, endedError(r, `belay task add "…" records another`)
	case c != nil && c.Kind == loop.CmdBaseline && !isRunning(s):
	case c != nil:
		return nil, belay.Refuse(belay.CodeUsage,
			fmt.Sprintf("belay cancel %s, or wait for it; then belay task edit %s", id, id), "the %s of %s is running", c.Kind.Noun(), id)
	}
	return r, nil
}

// isRunning reports whether a task is running in this tree. A pending baseline does not show that,
// because one that could not be taken is pending until the next run.
func isRunning(s *Service) bool {
	_, busy := s.Session.TreeLockHolder()
	return busy
}

// SetTestCommand sets the test command of a task to the one given on the command line and records
// that a person typed it. Errors are those of Adjust.
func SetTestCommand(ctx context.Context, s *Service, r *session.Record) (EditResult, error) {
	out := EditResult{Changed: []string{}}
	changed, err := s.Adjust(ctx, r, s.Session.Config, NewTask{})
	if err == nil {
		err = s.Session.Gate.Keep()
	}
	out.Task, out.Changed = r.Task, append(out.Changed, changed...)
	return out, err
}

// EditTask applies the edited text of a task's file. A changed request text is parsed again, unless
// the parsed request was edited too. Nothing is recorded when nothing changed. Errors besides
// LoadEditable's: CodeUsage for an invalid text, CodeBusy when the task changed in the meantime.
func EditTask(ctx context.Context, s *Service, id belay.TaskID, text, by string) (EditResult, error) {
	r, err := LoadEditable(s, id)
	if err != nil {
		return EditResult{}, err
	}
	e, err := prompt.ReadEditedTask(r.Task.ID, text)
	if err != nil {
		return EditResult{}, &belay.Error{Code: belay.CodeUsage, What: "the text is not valid",
			Try: fmt.Sprintf("fix the errors above, then belay task edit %s --file FILE", id), Err: err}
	}
	out := EditResult{Task: r.Task, Changed: []string{}}
	out.apply(ctx, s, e)
	if len(out.Changed) == 0 {
		return out, nil
	}
	err = s.Session.Append(ctx, r, session.EntryTask, out.Task)
	var moved *journal.MovedError
	if errors.As(err, &moved) {
		return out, belay.Refuse(belay.CodeBusy, fmt.Sprintf("belay show %s, then edit it again", id),
			"%s was changed by someone else in the meantime", id)
	}
	if err != nil {
		return out, err
	}
	what := strings.Join(out.Changed, ", ")
	if by != "" {
		what += " (" + by + ")"
	}
	return out, s.Session.AddNote(ctx, r, session.Note{Kind: EditNote, Text: what})
}

// apply copies the edited parts into the task.
func (out *EditResult) apply(ctx context.Context, s *Service, e prompt.EditedTask) {
	t := &out.Task
	asked := prompt.RequestText(e.Request) != prompt.RequestText(t.Request)
	if e.Prose != t.Prose {
		out.Changed = append(out.Changed, "words")
		t.Prose, t.Title, t.Ask, t.Answer = e.Prose, belay.TitleOf(e.Prose), "", ""
		if !asked {
			t.Request, t.Reading = s.ParseRequestAssisted(ctx, t.Prose)
		}
	}
	if asked {
		out.Changed = append(out.Changed, "request")
		t.Request, t.Reading = e.Request, nil
	}
	same := slices.Equal(e.Scope.Files, t.Scope.Files) && slices.Equal(e.Scope.Protect, t.Scope.Protect) &&
		slices.Equal(e.Scope.Expect, t.Scope.Expect)
	if !same {
		out.Changed = append(out.Changed, "scope")
		t.Scope = e.Scope
	}
}
