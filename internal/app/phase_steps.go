package app

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"time"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/fsroot"
	"github.com/belay-dev/belay/internal/install"
	"github.com/belay-dev/belay/internal/phase"
	"github.com/belay-dev/belay/internal/session"
	"github.com/belay-dev/belay/internal/tasklist"
)

// PhaseChoice is what to do with a phase that was started and not completed.
type PhaseChoice string

// The choices; ChooseNone asks.
const (
	ChooseNone     PhaseChoice = ""
	ChooseContinue PhaseChoice = "continue" // continue with the existing output
	ChooseAfresh   PhaseChoice = "afresh"   // the existing output has to change before the phase is done
	ChooseReview   PhaseChoice = "review"   // review the existing output, as belay phase done does
)

// PhaseRequest asks for a step of a phase.
type PhaseRequest struct {
	Phase         phase.Phase
	Choice        PhaseChoice
	By            string
	Note          string
	Changes       string                           // a person's description of the changes since the last iteration
	WithoutReview bool                             // skip the reviewers
	Confirm       func(warning string) bool        // asks whether to start despite a warning; nil starts
	Choose        func(message string) PhaseChoice // asks what to do with a phase that was started; nil is ChooseNone
}

// PhaseResult is the result of a step.
type PhaseResult struct {
	Feature string      `json:"feature"`
	Phase   phase.Phase `json:"phase"`
	phase.Answer
	State    string           `json:"state"` // started, continued, completed, rejected, waiting or undone
	Round    *phase.Iteration `json:"iteration,omitempty"`
	Limit    int              `json:"limit,omitempty"`
	Verified bool             `json:"verified"`
	Concerns []belay.Finding  `json:"concerns,omitempty"` // findings that were open when it was completed at the limit
	Next     NextStep         `json:"next"`
	Warnings []string         `json:"warnings,omitempty"`
}

// result summarises the state of the feature after a step.
func (s *Stage) result(p phase.Phase, a phase.Answer, state string) PhaseResult {
	s.artefacts = map[phase.Phase]tasklist.Artefact{}
	all, err := s.phaseStates()
	if err != nil {
		s.Notes = append(s.Notes, session.ErrorLine(err))
	}
	g := s.Rec.Feature.Of(p)
	return PhaseResult{Feature: s.Rec.Feature.Name, Phase: p, Answer: a, State: state, Round: g.Last(), Limit: s.Rec.Feature.Limit(),
		Verified: g.Done() && g.Verified, Concerns: g.Concerns, Next: s.nextStep(all), Warnings: s.Notes}
}

// refuseFinish fails for the phase finish, which has its own command.
func (s *Stage) refuseFinish(p phase.Phase) error {
	if p == phase.Finish {
		return belay.Refuse(belay.CodeUsage, "belay feature finish "+belay.VisibleLine(s.Rec.Feature.Name), "finish ends the feature")
	}
	return nil
}

// Start starts a phase. A block is belay.CodeRefused. For a phase that was started and not
// completed, without a choice, it records nothing and returns belay.CodeWaiting.
func (s *Stage) Start(ctx context.Context, q PhaseRequest) (PhaseResult, error) {
	if err := s.refuseFinish(q.Phase); err != nil {
		return PhaseResult{}, err
	}
	s.finishStatusFile(ctx)
	a, err := s.Check(q.Phase)
	if err != nil {
		return PhaseResult{}, err
	}
	if !a.Allowed {
		return s.result(q.Phase, a, "blocked"), belay.Refuse(belay.CodeRefused, s.tryFor(a), "%s", a.Message)
	}
	if a.Begun {
		if q.Choice == ChooseNone && q.Choose != nil {
			q.Choice = q.Choose(a.Message)
		}
		switch q.Choice {
		case ChooseNone:
			return s.result(q.Phase, a, "waiting"), belay.Refuse(belay.CodeWaiting, "add --continue, --afresh or --review", "%s", a.Message)
		case ChooseContinue:
			err := s.addEvent(ctx, phase.Event{Kind: phase.EvContinued, Phase: q.Phase, By: q.By, Note: q.Note})
			return s.result(q.Phase, a, "continued"), err
		case ChooseReview:
			return s.Done(ctx, q)
		case ChooseAfresh:
		}
	} else if a.Type == phase.Warn && q.Confirm != nil && !q.Confirm(a.Message) {
		try := s.tryFor(phase.Answer{Lacks: append(a.Skipped, "")[0]})
		return s.result(q.Phase, a, "waiting"), belay.Refuse(belay.CodeRefused, try, "%s was not started", q.Phase)
	}
	err = s.begin(ctx, q, a)
	return s.result(q.Phase, a, "started"), err
}

func (s *Stage) begin(ctx context.Context, q PhaseRequest, a phase.Answer) error {
	e := phase.Event{Kind: phase.EvBegun, Phase: q.Phase, By: q.By, Note: q.Note, Warned: a.Message, Skipped: a.Skipped}
	art, err := s.Artefact(q.Phase)
	if err != nil {
		return err
	}
	e.SHA, e.Afresh = art.SHA, q.Choice == ChooseAfresh
	if q.Phase == phase.Implement && s.Rec.Feature.Of(phase.Implement).From == "" {
		info, err := s.Service.Session.Snaps.Take(ctx, session.ManualMeta(nil, "before implement of "+s.Rec.Feature.Name))
		if err != nil {
			return err
		}
		e.From = string(info.ID)
	} else if q.Phase == phase.Implement {
		e.From = s.Rec.Feature.Of(phase.Implement).From // the reviewers compare with the state before the first start
	}
	if err := s.addEvent(ctx, e); err != nil {
		return err
	}
	s.updateStatusFile(ctx, q.Phase)
	return nil
}

// Undo reverts the last event of the feature. It also restores the layout's file to its content
// before that event, unless someone changed the file since.
func (s *Stage) Undo(ctx context.Context, by string) (phase.Numbered, error) {
	s.finishStatusFile(ctx)
	last, ok := s.Rec.Feature.Last()
	if !ok {
		return last, belay.Refuse(belay.CodeNotFound, "belay feature show "+belay.VisibleLine(s.Rec.Feature.Name),
			"there is nothing to undo")
	}
	if err := s.addEvent(ctx, phase.Event{Kind: phase.EvUndone, Phase: last.Phase, Undoes: last.Seq, By: by}); err != nil {
		return last, err
	}
	s.restoreStatusFile(false)
	return last, nil
}

// The layout's own file: the new content is recorded before it is written, with the bytes that it
// replaces, so that the next command completes a write after a kill, and an undo restores the exact
// bytes.

// MaxStatusFile is the largest size of a layout's own file, in bytes.
const MaxStatusFile = 256 << 10

// updateStatusFile writes the feature's phase into the layout's own file, if it has one. A failure
// is only noted.
func (s *Stage) updateStatusFile(ctx context.Context, p phase.Phase) {
	if s.Layout.Status == "" {
		return
	}
	name := s.Rec.Feature.Folder + "/" + s.Layout.Status
	root, err := s.openRoot()
	if err != nil {
		return
	}
	defer root.Close()
	if _, err := root.Lstat(name); err != nil {
		return // belay does not create the file: the record is enough
	}
	e := phase.Event{Kind: phase.EvStatus, Phase: p}
	e.Status, err = s.planStatusFile(root, name, p)
	if err != nil {
		e.Note = fmt.Sprintf("%s is left unchanged: %s", name, session.ErrorLine(err))
		s.Notes = append(s.Notes, belay.VisibleLine(e.Note))
	}
	if err := s.addEvent(ctx, e); err != nil {
		s.Notes = append(s.Notes, session.ErrorLine(err))
		return
	}
	if e.Status != nil {
		s.replaceStatusFile(name, e.Status.Was, e.Status.Is, false)
	}
}

// planStatusFile reads the layout's file and stores it, with its next content, as attachments.
func (s *Stage) planStatusFile(root *fsroot.Root, name string, p phase.Phase) (*phase.Written, error) {
	var is []byte
	was, _, err := s.Service.Session.ReplaceText(root, name, func(text []byte) ([]byte, error) {
		if len(text) > MaxStatusFile {
			return nil, belay.Refuse(belay.CodeCannot, "", "it is larger than %d KiB", MaxStatusFile>>10)
		}
		var err error
		is, err = statusFileText(s.Layout, s.Rec.Feature, p, text)
		return text, err
	})
	if err != nil {
		return nil, err
	}
	w := &phase.Written{Path: name}
	if w.Was, _, err = s.Service.Session.Journal.Attach(bytes.NewReader(was)); err == nil {
		w.Is, _, err = s.Service.Session.Journal.Attach(bytes.NewReader(is))
	}
	return w, err
}

// replaceStatusFile replaces the content of one attachment by that of another in the layout's file.
// If the file has changed since, it is left alone, with a note unless quiet.
func (s *Stage) replaceStatusFile(name, from, to string, quiet bool) {
	was, err := s.Service.Session.Journal.Attachment(from)
	is, err2 := s.Service.Session.Journal.Attachment(to)
	root, err3 := s.openRoot()
	if err = cmp.Or(err, err2, err3); err == nil {
		defer root.Close()
		_, _, err = s.Service.Session.ReplaceText(root, name, func(text []byte) ([]byte, error) {
			switch {
			case bytes.Equal(text, was) || bytes.Equal(text, is):
				return is, nil
			case quiet:
				return text, nil
			}
			return nil, belay.Refuse(belay.CodeCannot, "", "somebody else changed it")
		})
	}
	if err != nil && !quiet {
		s.Notes = append(s.Notes, belay.VisibleLine(fmt.Sprintf("%s is left unchanged: %s", name, session.ErrorLine(err))))
	}
}

// restoreStatusFile restores the layout's file to its content before the last undone event.
func (s *Stage) restoreStatusFile(quiet bool) {
	for _, n := range s.Rec.Feature.Statuses {
		if n.Seq > s.Rec.Feature.Undone && n.Status != nil {
			s.replaceStatusFile(n.Status.Path, n.Status.Is, n.Status.Was, quiet)
			return
		}
	}
}

// finishStatusFile completes a step of a killed command that was recorded but not written to the
// layout's file.
func (s *Stage) finishStatusFile(ctx context.Context) {
	entries := s.Rec.Log.Entries
	switch phase.EventKind(entries[len(entries)-1].Type) {
	case phase.EvBegun, phase.EvCompleted:
		s.updateStatusFile(ctx, s.Rec.Feature.Events[len(s.Rec.Feature.Events)-1].Phase)
	case phase.EvFinished:
		s.updateStatusFile(ctx, phase.Finish)
	case phase.EvUndone:
		s.restoreStatusFile(true)
	case phase.EvStatus:
		if w := s.Rec.Feature.Statuses[len(s.Rec.Feature.Statuses)-1].Status; w != nil {
			s.replaceStatusFile(w.Path, w.Was, w.Is, true)
		}
	}
}

// jsonSetting is a member of a JSON file and its value.
type jsonSetting struct {
	value any
	keys  []string
}

// statusFileText returns the layout's file with the progress of a phase; every other byte stays
// unchanged.
func statusFileText(l tasklist.Layout, f *phase.Feature, p phase.Phase, text []byte) ([]byte, error) {
	set := metaSettings(f, p)
	if l.Dialect == tasklist.Kiro {
		set = kiroSettings(l, f, p)
	}
	if len(bytes.TrimSpace(text)) == 0 {
		return nil, belay.Refuse(belay.CodeCannot, "", "it is empty")
	}
	var err error
	for _, one := range set {
		if text, err = install.SetMember(text, one.value, one.keys...); err != nil {
			return nil, belay.Refuse(belay.CodeCannot, "", "it cannot be read as JSON: %v", err)
		}
	}
	return text, nil
}

func rfc3339(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// metaSettings returns the settings of .meta.json: the phases with their times, and the current one.
func metaSettings(f *phase.Feature, p phase.Phase) (set []jsonSetting) {
	if p == phase.Finish {
		status := map[string]string{phase.Finished: "completed", phase.Abandoned: "abandoned", "": "active"}[f.Outcome]
		return []jsonSetting{{status, []string{"status"}}}
	}
	g := f.Of(p)
	set = append(set, jsonSetting{rfc3339(g.Begun), []string{"phases", string(p), "started"}})
	if !g.Done() {
		return append(set, jsonSetting{nil, []string{"phases", string(p), "completed"}})
	}
	notes := []string{}
	for _, c := range g.Concerns {
		notes = append(notes, c.Title)
	}
	return append(set, jsonSetting{rfc3339(g.Completed), []string{"phases", string(p), "completed"}},
		jsonSetting{g.Verified, []string{"phases", string(p), "verified"}},
		jsonSetting{len(g.Iterations), []string{"phases", string(p), "iterations"}},
		jsonSetting{notes, []string{"phases", string(p), "reviewerNotes"}},
		jsonSetting{string(p), []string{"currentPhase"}})
}

// kiroSettings returns the settings of spec.json: which documents were generated, and which approved.
func kiroSettings(l tasklist.Layout, f *phase.Feature, p phase.Phase) []jsonSetting {
	name := map[phase.Phase]string{phase.Specify: "requirements", phase.Design: "design", phase.CreateTasks: "tasks"}[p]
	if name == "" || l.Files[p] == "" {
		return nil
	}
	g := f.Of(p)
	if !g.Done() {
		return []jsonSetting{{false, []string{"approvals", name, "approved"}}}
	}
	approved := len(g.Concerns) == 0
	set := []jsonSetting{{true, []string{"approvals", name, "generated"}}, {approved, []string{"approvals", name, "approved"}},
		{name + "-generated", []string{"phase"}}, {rfc3339(g.Completed), []string{"updated_at"}}}
	if p == phase.CreateTasks {
		set = append(set, jsonSetting{approved, []string{"ready_for_implementation"}})
	}
	return set
}

// Done completes a phase, when reviewers approve its output or have rejected it as often as the mode allows.
func (s *Stage) Done(ctx context.Context, q PhaseRequest) (PhaseResult, error) {
	if err := s.refuseFinish(q.Phase); err != nil {
		return PhaseResult{}, err
	}
	s.finishStatusFile(ctx)
	a, art, err := s.checkComplete(q.Phase)
	if err != nil {
		return s.result(q.Phase, a, "blocked"), err
	}
	g := s.Rec.Feature.Of(q.Phase)
	if !g.Open() { // the phase was done without belay
		if err := s.begin(ctx, q, a); err != nil {
			return PhaseResult{}, err
		}
		g = s.Rec.Feature.Of(q.Phase)
	}
	if last := g.Last(); last == nil || last.Verdict != belay.VerdictPass || last.SHA != art.SHA {
		if state, err := s.reviewArtefact(ctx, q, art); state != "" {
			return s.result(q.Phase, a, state), err
		}
	}
	return s.recordCompletion(ctx, q, a, art)
}

// recordCompletion records that a phase is done.
func (s *Stage) recordCompletion(ctx context.Context, q PhaseRequest, a phase.Answer, art tasklist.Artefact) (PhaseResult, error) {
	if err := s.addEvent(ctx, phase.Event{Kind: phase.EvCompleted, Phase: q.Phase, SHA: art.SHA, By: q.By, Note: q.Note}); err != nil {
		return PhaseResult{}, err
	}
	s.updateStatusFile(ctx, q.Phase)
	return s.result(q.Phase, a, "completed"), nil
}

// checkComplete fails for a phase that cannot be completed: its input or output is missing or
// empty, or unchanged since it was started afresh or rejected.
func (s *Stage) checkComplete(p phase.Phase) (phase.Answer, tasklist.Artefact, error) {
	a, err := s.checkPhase(p, true)
	if err != nil {
		return a, tasklist.Artefact{}, err
	}
	if !a.Allowed {
		return a, tasklist.Artefact{}, belay.Refuse(belay.CodeRefused, s.tryFor(a), "%s", a.Message)
	}
	art, err := s.Artefact(p)
	if err != nil {
		return a, art, err
	}
	g, at := s.Rec.Feature.Of(p), belay.VisibleLine(s.Layout.ArtefactPath(s.Rec.Feature.Folder, p))
	again := "belay phase done " + string(p)
	refuse := func(format string, args ...any) (phase.Answer, tasklist.Artefact, error) {
		return a, art, belay.Refuse(belay.CodeRefused, "write it, then "+again, format, args...)
	}
	switch {
	case g.Done() && !g.Open():
		return a, art, belay.Refuse(belay.CodeUsage, "belay phase start "+string(p)+" begins it again", "%s is completed already", p)
	case art.State == phase.Missing:
		return refuse("%s is missing", at)
	case art.State == phase.Empty:
		return refuse("%s is empty", at)
	case art.TooLarge != "":
		return a, art, belay.Refuse(belay.CodeCannot, "split it", "%s is larger than %d MiB", belay.VisibleLine(art.TooLarge),
			tasklist.MaxArtefact>>20)
	case g.Stale != "" && g.Stale == art.SHA:
		return refuse("%s is unchanged since %s was started afresh", at, p)
	}
	last := g.Last()
	rejected := last != nil && last.Verdict == belay.VerdictFail && last.N < s.Rec.Feature.Limit()
	if rejected && art.SHA != "" && last.SHA == art.SHA {
		return refuse("%s is unchanged since iteration %d rejected it", at, last.N)
	}
	return a, art, nil
}
