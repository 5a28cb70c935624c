package phase

import (
	"fmt"
	"slices"
	"time"

	"github.com/belay-dev/belay/internal/belay"
)

// EventKind is the kind of an event of a feature.
type EventKind string

// The events, which are entries of its record.
const (
	EvFeature   EventKind = "feature"   // first entry: the feature began
	EvMode      EventKind = "mode"      // its mode changed
	EvRenamed   EventKind = "renamed"   // its folder was renamed
	EvBegun     EventKind = "begun"     // a phase began, or restarted
	EvContinued EventKind = "continued" // an open phase continued
	EvReviewed  EventKind = "reviewed"  // reviewers evaluated the artefact of a phase
	EvCompleted EventKind = "completed" // a phase was completed
	EvUndone    EventKind = "undone"    // the event with that number was undone
	EvFinished  EventKind = "finished"  // the feature ended, with Outcome
	EvAccepted  EventKind = "accepted"  // a person accepted a damaged record; Note states how it was damaged
	EvStatus    EventKind = "status"    // the layout's status file was written, after the event before it
)

// Event is an event as it is recorded. Which fields are used depends on Kind.
type Event struct {
	Kind    EventKind `json:"kind"`
	Phase   Phase     `json:"phase,omitempty"`
	By      string    `json:"by,omitempty"`
	Note    string    `json:"note,omitempty"`
	Name    string    `json:"name,omitempty"`     // feature, renamed
	Folder  string    `json:"folder,omitempty"`   // feature, renamed: relative to the root, with slashes
	Layout  string    `json:"layout,omitempty"`   // feature
	Mode    string    `json:"mode,omitempty"`     // feature, mode
	Tree    string    `json:"worktree,omitempty"` // feature: its working tree, relative to the main one
	Warned  string    `json:"warned,omitempty"`   // begun: the message of Check
	Skipped []Phase   `json:"skipped,omitempty"`  // begun: phases that were not completed
	Afresh  bool      `json:"afresh,omitempty"`   // begun: existing artefacts are out of date
	From    string    `json:"from,omitempty"`     // begun: snapshot taken
	SHA     string    `json:"sha256,omitempty"`   // begun, reviewed, completed: hash of the artefact, "" without one
	Undoes  int       `json:"undoes,omitempty"`   // undone: number of the entry
	Outcome string    `json:"outcome,omitempty"`  // finished: finished or abandoned

	Review *Iteration `json:"review,omitempty"` // reviewed
	Status *Written   `json:"status,omitempty"` // status
}

// The outcomes of a feature.
const (
	Finished  = "finished"
	Abandoned = "abandoned"
)

// Written is the layout's status file before and after, as hashes of attachments. Was is "" if
// there was none.
type Written struct {
	Path string `json:"path"`
	Was  string `json:"was"`
	Is   string `json:"is"`
}

// Iteration is one review of a phase's artefact.
type Iteration struct {
	N        int             `json:"n"`
	Time     time.Time       `json:"time,omitzero"`
	Sits     Sits            `json:"reviewer"`
	Verdict  belay.Verdict   `json:"verdict"`
	By       []string        `json:"by,omitempty"`    // reviewers who answered
	Waits    []string        `json:"waits,omitempty"` // people who have not answered yet
	Summary  string          `json:"summary,omitempty"`
	Findings []belay.Finding `json:"findings,omitempty"`
	Changes  string          `json:"changes,omitempty"` // what changed since the previous iteration
	Text     string          `json:"text,omitempty"`    // attachment: the reviewed artefact, with secrets masked
	Report   string          `json:"report,omitempty"`  // attachment: the reviewers' complete answers
	Snapshot string          `json:"snapshot,omitempty"`
	SHA      string          `json:"sha256,omitempty"`
}

// Progress is the progress of one phase.
type Progress struct {
	Begun      time.Time       `json:"started,omitzero"`
	Completed  time.Time       `json:"completed,omitzero"`
	Verified   bool            `json:"verified"` // reviewers approved it
	Iterations []Iteration     `json:"iterations,omitempty"`
	Concerns   []belay.Finding `json:"concerns,omitempty"` // findings that were open when it was completed at the limit
	SHA        string          `json:"sha256,omitempty"`   // hash of the completed artefact
	Stale      string          `json:"stale,omitempty"`    // hash of the artefact when the phase restarted
	From       string          `json:"from,omitempty"`     // snapshot at its start
	Skipped    []Phase         `json:"skipped,omitempty"`
	Note       string          `json:"note,omitempty"`
}

// Done reports whether the phase is completed.
func (p Progress) Done() bool { return !p.Completed.IsZero() }

// Open reports whether the phase was started and is not completed.
func (p Progress) Open() bool { return !p.Begun.IsZero() && !p.Done() }

// Rounds returns the number of the last iteration, 0 for none.
func (p Progress) Rounds() int {
	if last := p.Last(); last != nil {
		return last.N
	}
	return 0
}

// Last returns the newest iteration, nil for none.
func (p Progress) Last() *Iteration {
	if len(p.Iterations) == 0 {
		return nil
	}
	return &p.Iterations[len(p.Iterations)-1]
}

// Feature is the state of a feature, folded from the entries of its record.
type Feature struct {
	ID      belay.TaskID        `json:"id"` // of its record
	Name    string              `json:"feature"`
	Folder  string              `json:"folder"`
	Layout  string              `json:"layout"`
	Mode    string              `json:"mode"`
	Tree    string              `json:"worktree,omitempty"`
	Started time.Time           `json:"started"`
	Changed time.Time           `json:"changed"`
	Ended   time.Time           `json:"ended,omitzero"`
	Outcome string              `json:"outcome,omitempty"`
	Phases  map[Phase]*Progress `json:"phases"`

	All      []Numbered `json:"-"` // as recorded
	Events   []Numbered `json:"-"` // without undone ones
	Statuses []Numbered `json:"-"` // writes of the layout's status file
	Undone   int        `json:"-"` // number of the entry that was undone last
}

// Numbered is an event with the number and the time of its entry.
type Numbered struct {
	Event
	Seq    int
	Time   time.Time
	Undone bool
}

// Active reports whether the feature has not ended.
func (f *Feature) Active() bool { return f.Ended.IsZero() }

// Limit returns how often reviewers may reject in its mode.
func (f *Feature) Limit() int { return belay.Modes[f.Mode] }

// Of returns the progress of a phase.
func (f *Feature) Of(p Phase) Progress {
	if g := f.Phases[p]; g != nil {
		return *g
	}
	return Progress{}
}

// Current returns the open phase, or else the last completed one; "" before the first.
func (f *Feature) Current() Phase {
	last := Phase("")
	for _, p := range All {
		g := f.Of(p)
		if g.Open() {
			return p
		}
		if g.Done() {
			last = p
		}
	}
	return last
}

// Fold returns the state after the events of a record, ignoring undone ones. Errors:
// belay.CodeCannot for events that this version does not know.
func Fold(events []Numbered) (*Feature, error) {
	f := &Feature{Phases: map[Phase]*Progress{}}
	undone := map[int]bool{}
	for _, e := range events {
		if e.Kind == EvUndone {
			undone[e.Undoes] = true
			f.Undone = e.Undoes
		}
	}
	for _, e := range events {
		f.Changed, e.Undone = e.Time, undone[e.Seq]
		f.All = append(f.All, e)
		switch {
		case e.Kind == EvUndone || e.Kind == EvAccepted || e.Undone:
			continue
		case e.Kind == EvStatus:
			f.Statuses = append(f.Statuses, e)
			continue
		}
		f.Events = append(f.Events, e)
		if err := f.apply(e); err != nil {
			return nil, err
		}
	}
	return f, nil
}

func (f *Feature) apply(e Numbered) error {
	switch e.Kind {
	case EvFeature:
		f.Name, f.Folder, f.Layout, f.Mode, f.Tree, f.Started = e.Name, e.Folder, e.Layout, e.Mode, e.Tree, e.Time
	case EvMode:
		f.Mode = e.Mode
	case EvRenamed:
		f.Name, f.Folder = e.Name, e.Folder
	case EvFinished:
		f.Ended, f.Outcome = e.Time, e.Outcome
	case EvBegun, EvContinued, EvReviewed, EvCompleted:
		f.step(e)
	default:
		return belay.Refuse(belay.CodeCannot, "use the version of belay that wrote it", "entry type %q is not known", e.Kind)
	}
	return nil
}

// step applies an event to its phase.
func (f *Feature) step(e Numbered) {
	g := f.Phases[e.Phase]
	if g == nil || e.Kind == EvBegun {
		g = &Progress{Begun: e.Time}
		f.Phases[e.Phase] = g
	}
	switch e.Kind {
	case EvBegun:
		g.Skipped, g.From = e.Skipped, e.From
		if e.Afresh {
			g.Stale = e.SHA
		}
	case EvReviewed:
		it := *e.Review
		it.Time = e.Time
		if n := len(g.Iterations); n > 0 && g.Iterations[n-1].N == it.N { // a person's answer completes the iteration
			g.Iterations[n-1] = it
		} else {
			g.Iterations = append(g.Iterations, it)
		}
	case EvCompleted:
		g.Completed, g.SHA, g.Note = e.Time, e.SHA, e.Note
		if last := g.Last(); last != nil {
			g.Verified = last.Verdict == belay.VerdictPass
			if !g.Verified {
				g.Concerns = slices.DeleteFunc(slices.Clone(last.Findings),
					func(f belay.Finding) bool { return f.Severity == belay.SeverityNote })
			}
		}
	}
}

// States returns the states of the phases, for Check. artefact returns the state of a phase's files
// and the hash of their content.
func (f *Feature) States(artefact func(Phase) (State, string)) map[Phase]PhaseState {
	out := map[Phase]PhaseState{}
	for _, p := range All {
		g := f.Of(p)
		s := PhaseState{Begun: !g.Begun.IsZero(), Done: g.Done(), Concerns: len(g.Concerns)}
		state, sha := artefact(p)
		switch {
		case !before(p, Implement):
			if s.Artefact = Missing; s.Done {
				s.Artefact = Present
			}
			if s.Done && g.Verified {
				s.Artefact = Reviewed
			}
		case state == Present && g.Verified && sha == g.SHA:
			s.Artefact = Reviewed
		default:
			s.Artefact = state
		}
		out[p] = s
	}
	return out
}

// Last returns the newest event that can be undone; ok is false for none. The first event, which
// creates the feature, cannot be undone.
func (f *Feature) Last() (e Numbered, ok bool) {
	if len(f.Events) < 2 {
		return Numbered{}, false
	}
	return f.Events[len(f.Events)-1], true
}

// Says formats the event as a line for people.
func (e Event) Says() string {
	text := string(e.Kind)
	switch e.Kind {
	case EvFeature:
		text = fmt.Sprintf("feature %s started in %s (%s, mode %s)", e.Name, e.Folder, e.Layout, e.Mode)
	case EvMode:
		text = "mode " + e.Mode
	case EvRenamed:
		text = "renamed to " + e.Folder
	case EvBegun:
		text = string(e.Phase) + " started"
		if e.Afresh {
			text += " afresh"
		}
		if e.Warned != "" {
			text += " (" + e.Warned + ")"
		}
	case EvContinued:
		text = string(e.Phase) + " continued"
	case EvReviewed:
		text = fmt.Sprintf("%s reviewed, iteration %d: %s", e.Phase, e.Review.N, e.Review.Verdict)
	case EvCompleted:
		text = string(e.Phase) + " completed"
	case EvStatus:
		if text = "nothing written"; e.Status != nil {
			text = "wrote " + e.Status.Path
		}
	case EvAccepted:
		text = "record accepted"
	case EvUndone:
		text = fmt.Sprintf("entry %d undone", e.Undoes)
	case EvFinished:
		text = "feature " + e.Outcome
	}
	if e.Note != "" {
		text += ": " + e.Note
	}
	return text
}
