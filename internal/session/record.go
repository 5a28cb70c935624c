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

// Types of entries in a task's journal.
const (
	EntryTask  = "task"  // a belay.Task: the first entry, and again when it is edited
	EntryEvent = "event" // an event and the resulting state
	EntryNote  = "note"  // an event outside the loop

	EntryContext = handoff.Entry // what roles hand over to each other
	EntryTaken   = "taken"       // a snapshot taken during a step, which no event names
)

// EventEntry is the data of an event's journal entry. The state is recorded and never computed
// again, so that a later version of the rules does not rewrite history.
type EventEntry struct {
	Event    loop.Event       `json:"event"`
	State    loop.State       `json:"state"`
	Override *review.Decision `json:"override,omitempty"` // why rejected work was accepted by this event

	// Snapshots are those taken for the step that the event ends, including those in the event.
	Snapshots []snapshot.Pin `json:"snapshots,omitempty"`
	Sizes     []Size         `json:"sizes,omitempty"` // of those that this process took
}

// Size is what a snapshot added to the repository. It is separate from the pin, which is
// compared.
type Size struct {
	ID    belay.SnapshotID `json:"id"`
	Added int64            `json:"added"` // size of its new objects in bytes, packed
	Files int              `json:"files"` // number of files in it
}

// unnamedSnapshots are snapshots that are not in any entry yet.
type unnamedSnapshots struct {
	pins  []snapshot.Pin
	sizes []Size
}

// TakenEntry is the data of an entry that names a snapshot before the end of its step.
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
	Paths  []string               `json:"paths,omitempty"` // for rollback: the paths; none means all
	Kept   []string               `json:"kept,omitempty"`
	Review *review.RecordedReview `json:"review,omitempty"` // for review and review-resolved
	Plan   string                 `json:"plan,omitempty"`   // for plan: its path
	Edit   *restore.Edit          `json:"edit,omitempty"`   // for ticked: the lines that belay wrote

	Archived []belay.SnapshotID `json:"archived,omitempty"` // for snapshots: those that are no longer needed

	Attempt   int            `json:"attempt,omitempty"`   // for tampered: the attempt that is rejected for it
	Snapshots []snapshot.Pin `json:"snapshots,omitempty"` // the snapshots in the note

	Commit *Committed `json:"commit,omitempty"` // for committing and committed

	Mark *Mark `json:"mark,omitempty"` // for session: an event in an agent's own session
}

// Committed is a commit that belay makes of accepted work, in git's terms. The note of kind
// committing is recorded before the commit, and the commit names that entry; the note of kind
// committed follows and has the commit's ID.
type Committed struct {
	ID     string          `json:"id,omitempty"`
	Parent string          `json:"parent,omitempty"` // "" for the first commit of a branch
	Ref    string          `json:"ref"`              // HEAD if it was detached
	Before string          `json:"before"`           // tree of the files before the task, or after the commit in Follows
	After  string          `json:"after"`            // tree of the accepted files
	Files  []CommittedFile `json:"files"`

	// For a task that was accepted again after its work had been committed:
	Follows string `json:"follows,omitempty"` // the previous commit with work of the task
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
	Text string             // for people
	IDs  []belay.SnapshotID // snapshots that are no longer needed
	Time time.Time
}

// Record is a task as read from its journal.
type Record struct {
	Task      belay.Task
	State     loop.State
	Created   time.Time
	Changed   time.Time
	Notes     []Note
	Marks     []TimedMark     // for an agent's own session
	Context   handoff.Context // zero if nothing was handed over
	Overrides []Override      // rejections that persons overrode
	Log       journal.Log

	Archive *Archive // the decision about its snapshots; nil if none was made since it ended

	archived []belay.SnapshotID // all that were ever archived: they may be missing

	pins    []snapshot.Pin   // the snapshots in the record, in order
	unnamed unnamedSnapshots // those that the next entry must name
	issued  int              // the number of the entry that issued the pending command
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

// TreeOf returns the git tree ID of a snapshot's files from the record; "" if the record does not
// name the snapshot.
func (r *Record) TreeOf(id belay.SnapshotID) string {
	for _, b := range r.pins {
		if b.ID == id {
			return b.Tree
		}
	}
	return ""
}

// Phase returns the name of the task's phase.
func (r *Record) Phase() string { return string(cmp.Or(r.State.Phase, loop.PhaseNew)) }

// Load reads a task. CodeNotFound if there is none. CodeCannot if its record does not continue from
// its anchor outside the repository; LoadUnchecked reads such a record for display.
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

// Fold makes a record from the entries of any log. The caller has verified the log's hash chain.
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
		case ArchivedNote: // the latest counts, and is not part of the task's history
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

// newReviewNote makes the note of a review that changed the loop's state. It is derived from the
// event, so that no crash can record one without the other.
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

// Append adds an entry to the record and its file. If another process added one first, it reads the
// record again and returns *journal.MovedError. If the file is missing (because belay's folder was
// deleted), it rewrites the file from memory and records that. While this process drives the task,
// other damage to the record is noticed and repaired as by Guard.
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
				return false, cmp.Or[error](gerr, moved) // r is the current record
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
		s.readAttachments(r) // the next step may delete them
	}
	return false, err
}

// handleAppendError handles an entry that could not be added because the record is damaged or
// missing. again means that the record was repaired, without the entry.
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

// guardError returns the error for a driven record that cannot be read or written: a MovedError if
// Guard repaired the record, so that the caller decides again with what Guard noticed; else cause.
func (s *Session) guardError(ctx context.Context, r *Record, cause error) error {
	after := r.Log.Head
	if bad, err := s.Guard(ctx, r); err != nil || !bad {
		return cmp.Or(err, cause)
	}
	return &journal.MovedError{Task: r.Task.ID, After: after, Head: r.Log.Head}
}

// withSnapshots returns the data of an entry with the snapshots that it must name. takes is false
// for data that names none.
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

// AddNote records an event outside the loop, and retries while other processes write.
func (s *Session) AddNote(ctx context.Context, r *Record, n Note) error {
	for {
		err := s.Append(ctx, r, EntryNote, n)
		var moved *journal.MovedError
		if !errors.As(err, &moved) {
			return err
		}
	}
}

// Apply applies an event to the loop and records the event and the new state. If another process
// recorded something first, the event is applied to the new state. An event that accepts rejected
// work has its reason in the form of review.Decision.
func (s *Session) Apply(ctx context.Context, r *Record, ev loop.Event) error {
	if ev.Kind == loop.EvDecided || ev.Kind == loop.EvOverruled {
		ev.Note = secret.Mask(ev.Note) // it becomes part of prompts, and of files that are committed
	}
	var why *review.Decision
	if ev.Kind == loop.EvOverruled || ev.Kind == loop.EvDecided && ev.Decision == loop.DecideApprove {
		if d, ok := review.ParseDecision(ev.Note); ok {
			why = &d
		}
	}
	for {
		if ev.Verdict == belay.VerdictPass && (ev.Kind == loop.EvChecked || ev.Kind == loop.EvReviewed) {
			if f := r.TamperFinding(); f != nil { // noticed since the verdict
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
