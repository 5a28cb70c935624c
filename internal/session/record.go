package session

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/handoff"
	"github.com/belay-dev/belay/internal/journal"
	"github.com/belay-dev/belay/internal/loop"
	"github.com/belay-dev/belay/internal/review"

	"github.com/belay-dev/belay/internal/restore"
	"github.com/belay-dev/belay/internal/secret"
	"github.com/belay-dev/belay/internal/snapshot"
)

// The types of journal entries that flow writes.
const (
	EntryTask  = "task"  // a belay.Task: the first entry, and again when its agent changes
	EntryEvent = "event" // what happened and the state it led to
	EntryNote  = "note"  // something outside the loop that belongs to the history

	EntryContext = handoff.Entry // what roles hand on to each other
	EntryTaken   = "taken"       // a snapshot that was taken in the middle of a step, and that no event names
)

// EventEntry is the data of an event's journal entry. The state is recorded, never
// derived again: a later version of the rules does not rewrite history.
type EventEntry struct {
	Event    loop.Event       `json:"event"`
	State    loop.State       `json:"state"`
	Override *review.Decision `json:"override,omitempty"` // why refused work was accepted with this event

	// Snapshots are those that were taken for the step that the event ends: the ones it
	// speaks of, and others.
	Snapshots []snapshot.Pin `json:"snapshots,omitempty"`
	Sizes     []Size         `json:"sizes,omitempty"` // of those among them that this process took
}

// Size is what a snapshot added to the repository. It is separate from the pin, which is
// compared.
type Size struct {
	ID    belay.SnapshotID `json:"id"`
	Added int64            `json:"added"` // bytes, as a pack
	Files int              `json:"files"` // that it has, whether they were added or not
}

// unnamedSnapshots are snapshots that no entry names yet.
type unnamedSnapshots struct {
	pins  []snapshot.Pin
	sizes []Size
}

// TakenEntry is the data of an entry that names a snapshot before the end of the step that it
// was taken for.
type TakenEntry struct {
	Command   string         `json:"command"`
	Snapshots []snapshot.Pin `json:"snapshots"`
	Sizes     []Size         `json:"sizes,omitempty"`
}

// Override is a rejection that a person overrode by accepting the work.
type Override struct {
	review.Decision
	By      string    `json:"by,omitempty"`
	Attempt int       `json:"attempt"`
	Time    time.Time `json:"time"`
}

// Note is an event outside the loop, such as a rollback by hand or a torn journal.
type Note struct {
	Kind   string                 `json:"kind"` // rollback, torn, lost (by an older belay), tampered, review, review-resolved
	Text   string                 `json:"text"`
	Target belay.SnapshotID       `json:"target,omitempty"`
	Rescue belay.SnapshotID       `json:"rescue,omitempty"`
	Paths  []string               `json:"paths,omitempty"` // of the kind rollback: those it was of; none means all
	Kept   []string               `json:"kept,omitempty"`
	Review *review.RecordedReview `json:"review,omitempty"` // of the kinds review and review-resolved
	Plan   string                 `json:"plan,omitempty"`   // of the kind plan: its path
	Edit   *restore.Edit          `json:"edit,omitempty"`   // of the kind ticked: the lines that belay wrote

	Archived []belay.SnapshotID `json:"archived,omitempty"` // of the kind snapshots: those that nothing needs any more

	Attempt   int            `json:"attempt,omitempty"`   // of the kind tampered: the attempt that is rejected for it
	Snapshots []snapshot.Pin `json:"snapshots,omitempty"` // those it speaks of

	Commit *Committed `json:"commit,omitempty"` // of the kinds committing and committed

	Mark *Mark `json:"mark,omitempty"` // of the kind session: a happening in an agent's own session
}

// Committed is a commit that belay makes of accepted work, in git's terms. The note of kind
// committing is recorded before the commit, which names that entry; the note of kind committed
// follows and has the commit's ID.
type Committed struct {
	ID     string          `json:"id,omitempty"`
	Parent string          `json:"parent,omitempty"` // "" for the first commit of a branch
	Ref    string          `json:"ref"`              // HEAD when it was detached
	Before string          `json:"before"`           // trees of the files: before the task, or as Follows has them,
	After  string          `json:"after"`            // and as accepted
	Files  []CommittedFile `json:"files"`

	// Of a task that was accepted again after its work had been committed:
	Follows string `json:"follows,omitempty"` // the commit before this one with work of the task
	Base    string `json:"base,omitempty"`    // the parent of the first one
}

// CommittedFile is a file in a commit: its modes and blobs in the parent and in the commit, 0
// and "" where the file does not exist.
type CommittedFile struct {
	Path    string `json:"path"`
	OldMode uint32 `json:"old_mode,omitempty"`
	OldOID  string `json:"old,omitempty"`
	NewMode uint32 `json:"new_mode,omitempty"`
	NewOID  string `json:"new,omitempty"`
}

// The kinds of notes about commits.
const (
	CommittingNote = "committing"
	CommittedNote  = "committed"
)

// Archive is the decision about the snapshots of a task that has ended.
type Archive struct {
	Text string             // for a person
	IDs  []belay.SnapshotID // those that nothing needs any more
	Time time.Time
}

// Record is a task, read from its journal.
type Record struct {
	Task      belay.Task
	State     loop.State
	Created   time.Time
	Changed   time.Time
	Notes     []Note
	Marks     []TimedMark     // of an agent's own session
	Context   handoff.Context // zero when nothing was handed on
	Overrides []Override      // the refusals that persons accepted work over
	Log       journal.Log

	Archive *Archive // what becomes of its snapshots; nil while that was not decided since it ended

	archived []belay.SnapshotID // all that were ever archived: they may be gone

	pins    []snapshot.Pin   // the snapshots that the record names, in that order
	unnamed unnamedSnapshots // those that its next entry has to name
	issued  int              // the number of the entry that the pending command comes from
}

// SessionKept is how long an agent's own session counts as open after its last mark. Its
// snapshots are needed that long.
const SessionKept = 7 * 24 * time.Hour

// Open reports whether the task can still change.
func (r *Record) Open() bool {
	if r.Task.Session != nil {
		last := r.Created
		if n := len(r.Marks); n > 0 {
			last = r.Marks[n-1].Time
		}
		return now().Sub(last) < SessionKept
	}
	return r.State.Phase != loop.PhaseClosed
}

// RolledBack reports whether the task ended with its changes rolled back.
func (r *Record) RolledBack() bool { return !r.Open() && r.State.Outcome != loop.OutcomePassed }

// TreeOf returns the git tree ID of a snapshot's files from the record; "" when the record
// does not name the snapshot.
func (r *Record) TreeOf(id belay.SnapshotID) string {
	for _, b := range r.pins {
		if b.ID == id {
			return b.Tree
		}
	}
	return ""
}

// Phase returns the task's phase in a word.
func (r *Record) Phase() string { return string(cmp.Or(r.State.Phase, loop.PhaseNew)) }

// Load reads a task. CodeNotFound when there is none. CodeCannot when its record does not
// continue from its anchor outside the repository; LoadUnchecked reads such a record to show
// it.
func (s *Session) Load(task belay.TaskID) (*Record, error) {
	r, err := s.LoadUnchecked(task)
	if err != nil {
		return nil, err
	}
	if err := s.checkNotCut(r.Task.ID, r.Log); err != nil {
		return nil, err
	}
	return r, nil
}

// LoadUnchecked is Load without the comparison with the anchor.
func (s *Session) LoadUnchecked(task belay.TaskID) (*Record, error) {
	log, err := s.Journal.Read(task)
	if err != nil {
		return nil, s.explainMissing(task, err)
	}
	if len(log.Entries) == 0 {
		return nil, belay.Refuse(belay.CodeNotFound, fmt.Sprintf("belay run --task %s \"…\" -- AGENT starts it again", task),
			"the record of %s is incomplete in its first line", task)
	}
	return s.foldChecked(log)
}

// foldChecked makes a record of a log and registers the snapshots that it names.
func (s *Session) foldChecked(log journal.Log) (*Record, error) {
	r, err := Fold(log)
	if err == nil {
		s.Registry.Add(r.pins...)
	}
	return r, err
}

// Fold makes a record of the entries of a log from any source. The caller checks the log's
// hash chain.
func Fold(log journal.Log) (*Record, error) {
	r := &Record{Log: log}
	for _, e := range log.Entries {
		if err := r.applyEntry(e); err != nil {
			return nil, fmt.Errorf("read entry %d of %s: %w", e.Seq, log.Task, err)
		}
	}
	return r, nil
}

func (r *Record) applyEntry(e journal.Entry) error {
	if r.Created.IsZero() {
		r.Created = e.Time
	}
	r.Changed = e.Time
	switch e.Type {
	case EntryTask:
		var task belay.Task
		if err := json.Unmarshal(e.Data, &task); err != nil {
			return err
		}
		r.Task, r.Context.Task = task, task.ID
	case EntryEvent:
		var ev EventEntry
		if err := json.Unmarshal(e.Data, &ev); err != nil {
			return err
		}
		if p := ev.State.Pending; p != nil && (r.State.Pending == nil || r.State.Pending.ID != p.ID) {
			r.issued = e.Seq
		}
		r.State, r.Archive = ev.State, nil
		r.pins = append(r.pins, ev.Snapshots...)
		if ev.Override != nil {
			r.Overrides = append(r.Overrides, Override{Decision: *ev.Override, By: ev.Event.By, Attempt: len(ev.State.Attempts),
				Time: e.Time})
		}
		if ev.Event.Kind == loop.EvVerdict && ev.Event.Pointer != "" {
			r.Notes = append(r.Notes, newReviewNote(ev.Event))
		}
	case EntryNote:
		var n Note
		if err := json.Unmarshal(e.Data, &n); err != nil {
			return err
		}
		if n.Mark != nil {
			r.Marks = append(r.Marks, TimedMark{Mark: *n.Mark, Time: e.Time})
			r.pins = append(r.pins, n.Snapshots...)
			return nil
		}
		switch n.Kind {
		case ArchivedNote: // the latest counts, and is no event of the task's history
			r.Archive = &Archive{Text: n.Text, IDs: n.Archived, Time: e.Time}
			r.archived = append(r.archived, n.Archived...)
			return nil
		case MergedNote, RollbackNote:
			r.Archive = nil
		}
		r.Notes = append(r.Notes, n)
		r.pins = append(r.pins, n.Snapshots...)
	case EntryTaken:
		var t TakenEntry
		if err := json.Unmarshal(e.Data, &t); err != nil {
			return err
		}
		r.pins = append(r.pins, t.Snapshots...)
	case EntryContext:
		var err error
		r.Context, err = handoff.Fold(r.Context, e.Time, e.Data)
		return err
	default:
		return belay.Refuse(belay.CodeCannot, "use the version of belay that wrote it", "entry type %q is not known", e.Type)
	}
	return nil
}

// newReviewNote makes the note of a review that changed the loop's state. Its entry is the
// event, so that no crash leaves a recorded review without its effect, or the reverse.
func newReviewNote(e loop.Event) Note {
	verdict := "approve"
	if e.Verdict == belay.VerdictFail {
		verdict = "reject"
	}
	p, _ := review.ParsePointer(e.Pointer)
	n, _ := review.CycleNumber(p.Name)
	return Note{Kind: "review", Text: e.Note, Review: &review.RecordedReview{Cycle: n, Verdict: verdict,
		Reviewer: e.By, Pointer: e.Pointer}}
}

// Create starts the record of a task.
func (s *Session) Create(ctx context.Context, t belay.Task) error {
	head, err := s.Journal.Create(ctx, t.ID, EntryTask, t)
	if err == nil {
		s.Memory.addOwnEntry(head.Hash)
		s.writeAnchor(&Record{Task: t, Log: journal.Log{Task: t.ID, Head: head}})
	}
	return err
}

// Append adds an entry to the record and its file. If another process added one first, it
// reads the record again and returns *journal.MovedError. If the file is missing (somebody
// deleted belay's folder), it writes the file again from memory and records that. While this
// process drives the task, other damage to the record is noticed and repaired as Guard does.
//
// The entry names the snapshots that were taken since the last one (AddTaken).
func (s *Session) Append(ctx context.Context, r *Record, typ string, data any) error {
	for range 3 {
		again, err := s.append(ctx, r, typ, data)
		if !again {
			return err
		}
	}
	return belay.Refuse(belay.CodeCannot, "stop what writes there, then belay run --resume "+string(r.Task.ID),
		"another process keeps changing the record of %s", r.Task.ID)
}

func (s *Session) append(ctx context.Context, r *Record, typ string, data any) (again bool, err error) {
	driven := s.Memory.isDriving(r.Task.ID)
	named, takes := r.withSnapshots(data)
	head, err := s.Journal.Append(ctx, r.Task.ID, r.Log.Head, typ, named)
	var moved *journal.MovedError
	switch {
	case err == nil:
		s.Memory.addOwnEntry(head.Hash)
	case errors.As(err, &moved):
		if driven {
			if bad, gerr := s.Guard(ctx, r); gerr != nil || bad {
				return false, cmp.Or[error](gerr, moved) // r is as it stands now
			}
		}
	default:
		return s.handleAppendError(ctx, r, typ, driven, err)
	}
	took := r.unnamed
	if note, _ := data.(Note); err == nil && (typ == EntryEvent || note.Kind == MergedNote || note.Kind == RollbackNote) {
		s.Memory.addChangedTask(r.Task.ID)
	}
	if err == nil && takes {
		took = unnamedSnapshots{}
	}
	fresh, lerr := s.LoadUnchecked(r.Task.ID)
	if lerr == nil && moved == nil && (fresh.Log.Head.Seq < head.Seq || fresh.Log.Entries[head.Seq-1].Hash != head.Hash) {
		lerr = belay.Refuse(belay.CodeCannot, "belay log --verify "+string(r.Task.ID),
			"another process changed the record of %s", r.Task.ID)
	}
	if lerr != nil && driven {
		return false, s.guardError(ctx, r, lerr)
	}
	if lerr != nil {
		return false, lerr
	}
	*r = *fresh
	r.unnamed = took
	if err == nil {
		s.writeAnchor(r)
	}
	if driven {
		s.readAttachments(r) // what is done next may delete them
	}
	return false, err
}

// handleAppendError handles an entry that could not be added because the record is damaged or
// missing. again reports that the record was repaired, without the entry.
func (s *Session) handleAppendError(ctx context.Context, r *Record, typ string, driven bool, cause error) (again bool, err error) {
	gone := belay.CodeOf(cause) == belay.CodeNotFound
	switch {
	case driven && (gone || belay.CodeOf(cause) == belay.CodeCannot):
		return false, s.guardError(ctx, r, cause)
	case !gone || len(r.Log.Entries) == 0:
		return false, cause
	}
	if err := s.Journal.Rewrite(ctx, r.Log); err != nil {
		return false, err
	}
	if typ != EntryNote {
		if err := s.AddNote(ctx, r, Note{Kind: TamperedNote, Attempt: len(r.State.Attempts), Text: lostRecordText}); err != nil {
			return false, err
		}
	}
	return true, nil
}

// guardError returns the error for a record of this run that cannot be read or written: one
// that makes the caller decide again if Guard repaired the record, as what Guard noticed
// counts; else cause.
func (s *Session) guardError(ctx context.Context, r *Record, cause error) error {
	after := r.Log.Head
	if bad, err := s.Guard(ctx, r); err != nil || !bad {
		return cmp.Or(err, cause)
	}
	return &journal.MovedError{Task: r.Task.ID, After: after, Head: r.Log.Head}
}

// withSnapshots returns the data of an entry with the snapshots that it has to name. takes is
// false for data that names none.
func (r *Record) withSnapshots(data any) (named any, takes bool) {
	switch e := data.(type) {
	case EventEntry:
		e.Snapshots, e.Sizes = append(slices.Clone(e.Snapshots), r.unnamed.pins...), append(slices.Clone(e.Sizes), r.unnamed.sizes...)
		return e, true
	case Note:
		if e.Rescue == "" {
			return e, false
		}
		e.Snapshots = append(slices.Clone(e.Snapshots), r.unnamed.pins...)
		return e, true
	case TakenEntry:
		e.Snapshots, e.Sizes = append(slices.Clone(e.Snapshots), r.unnamed.pins...), append(slices.Clone(e.Sizes), r.unnamed.sizes...)
		return e, true
	}
	return data, false
}

// AddNote records something outside the loop, and retries if other processes write meanwhile.
func (s *Session) AddNote(ctx context.Context, r *Record, n Note) error {
	for {
		err := s.Append(ctx, r, EntryNote, n)
		var moved *journal.MovedError
		if !errors.As(err, &moved) {
			return err
		}
	}
}

// Apply applies an event to the loop and records the event and the new state. If another
// process recorded something first, the event is applied to the new state. An event that
// accepts rejected work has its reason in the form that arbiter.Decision writes.
func (s *Session) Apply(ctx context.Context, r *Record, ev loop.Event) error {
	if ev.Kind == loop.EvDecided || ev.Kind == loop.EvOverruled {
		ev.Note = secret.Mask(ev.Note) // it goes into prompts, and into files that are committed
	}
	var why *review.Decision
	if ev.Kind == loop.EvOverruled || ev.Kind == loop.EvDecided && ev.Decision == loop.DecideApprove {
		if d, ok := review.ParseDecision(ev.Note); ok {
			why = &d
		}
	}
	for {
		if ev.Verdict == belay.VerdictPass && (ev.Kind == loop.EvChecked || ev.Kind == loop.EvReviewed) {
			if f := r.TamperFinding(); f != nil { // since it was judged
				ev.Verdict, ev.Findings, ev.Note = belay.VerdictFail, append(slices.Clone(ev.Findings), *f), f.Title
			}
		}
		next, _, err := loop.Step(r.Task.Policy, r.State, ev)
		if err != nil {
			return err
		}
		err = s.Append(ctx, r, EntryEvent, EventEntry{Event: ev, State: next, Override: why})
		var moved *journal.MovedError
		if !errors.As(err, &moved) {
			return err
		}
	}
}

// Records reads every task, in order of creation. A task that cannot be read is passed to bad
// and left out.
func (s *Session) Records(bad func(belay.TaskID, error)) ([]*Record, error) {
	ids, err := s.Journal.Tasks()
	if err != nil {
		return nil, err
	}
	var all []*Record
	for _, id := range ids {
		r, err := s.Load(id)
		if err != nil {
			if bad != nil {
				bad(id, err)
			}
			continue
		}
		all = append(all, r)
	}
	return all, nil
}

const lostRecordText = "belay's folder in the git folder was deleted while the task ran; this record was written again, " +
	"records of other tasks and kept output are gone"
