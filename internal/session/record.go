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

// Size is what a snapshot added to the repository. It is apart from what binds the snapshot, which is compared.
type Size struct {
	ID    belay.SnapshotID `json:"id"`
	Added int64            `json:"added"` // bytes, as a pack
	Files int              `json:"files"` // that it has, whether they were added or not
}

// taken are snapshots that no entry names yet.
type taken struct {
	bound []snapshot.Pin
	sizes []Size
}

// Taken is the data of an entry that names a snapshot before the step it was taken for ends.
type Taken struct {
	Command   string         `json:"command"`
	Snapshots []snapshot.Pin `json:"snapshots"`
	Sizes     []Size         `json:"sizes,omitempty"`
}

// Overruled is a refusal that a person accepted work over.
type Overruled struct {
	review.Decision
	By      string    `json:"by,omitempty"`
	Attempt int       `json:"attempt"`
	Time    time.Time `json:"time"`
}

// Note is a happening outside the loop: a rollback by hand, a torn journal.
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

// Committed is a commit that belay makes of accepted work, in git's names. The note of the kind committing
// comes before the commit, which names that entry; the one of the kind committed follows and has the commit's ID.
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

// CommittedFile is a file in a commit: modes and blobs in the parent and in the commit, 0 and "" where it is not there.
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

// Archive is what was decided about the snapshots of a task that has ended.
type Archive struct {
	Text string             // for a person
	IDs  []belay.SnapshotID // those that nothing needs any more
	Time time.Time
}

// Record is a task as its journal tells it.
type Record struct {
	Task    belay.Task
	State   loop.State
	Created time.Time
	Changed time.Time
	Notes   []Note
	Marks   []Marked        // of an agent's own session
	Context handoff.Context // zero when nothing was handed on
	Over    []Overruled     // the refusals that persons accepted work over
	Log     journal.Log

	Archive *Archive // what becomes of its snapshots; nil while that was not decided since it ended

	archived []belay.SnapshotID // all that were ever archived: they may be gone

	bound  []snapshot.Pin // the snapshots that the record names, in that order
	took   taken          // those that its next entry has to name
	issued int            // the number of the entry that the pending command comes from
}

// SessionKept is how long an agent's own session counts as open after its last mark: so long its snapshots are needed.
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

// PutBack reports whether the task ended with its changes put back.
func (r *Record) PutBack() bool { return !r.Open() && r.State.Outcome != loop.OutcomePassed }

// TreeOf gives git's name of the tree of a snapshot's files, as the record has it; "" when it names no such snapshot.
func (r *Record) TreeOf(id belay.SnapshotID) string {
	for _, b := range r.bound {
		if b.ID == id {
			return b.Tree
		}
	}
	return ""
}

// Phase is where the task stands, in a word.
func (r *Record) Phase() string { return string(cmp.Or(r.State.Phase, loop.PhaseNew)) }

// Load reads a task. CodeNotFound when there is none. CodeCannot when its record is not
// the one that is remembered outside the repository, or not the end of it: LoadAnyway
// gives such a record to whoever only shows it.
func (s *Session) Load(task belay.TaskID) (*Record, error) {
	r, err := s.LoadAnyway(task)
	if err != nil {
		return nil, err
	}
	if err := s.cut(r.Task.ID, r.Log); err != nil {
		return nil, err
	}
	return r, nil
}

// LoadAnyway is Load without a look at what is remembered of the record.
func (s *Session) LoadAnyway(task belay.TaskID) (*Record, error) {
	log, err := s.Journal.Read(task)
	if err != nil {
		return nil, s.gone(task, err)
	}
	if len(log.Entries) == 0 {
		return nil, belay.Refuse(belay.CodeNotFound, fmt.Sprintf("belay run --task %s \"…\" -- AGENT starts it again", task),
			"the record of %s is incomplete in its first line", task)
	}
	return s.read(log)
}

// read makes of a log what it tells.
func (s *Session) read(log journal.Log) (*Record, error) {
	r, err := Fold(log)
	if err == nil {
		s.Known.Add(r.bound...)
	}
	return r, err
}

// Fold makes a record of the entries of a log, wherever they come from. The log's chain is the caller's to check.
func Fold(log journal.Log) (*Record, error) {
	r := &Record{Log: log}
	for _, e := range log.Entries {
		if err := r.fold(e); err != nil {
			return nil, fmt.Errorf("read entry %d of %s: %w", e.Seq, log.Task, err)
		}
	}
	return r, nil
}

func (r *Record) fold(e journal.Entry) error {
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
		r.bound = append(r.bound, ev.Snapshots...)
		if ev.Override != nil {
			r.Over = append(r.Over, Overruled{Decision: *ev.Override, By: ev.Event.By, Attempt: len(ev.State.Attempts), Time: e.Time})
		}
		if ev.Event.Kind == loop.EvVerdict && ev.Event.Pointer != "" {
			r.Notes = append(r.Notes, reviewNote(ev.Event))
		}
	case EntryNote:
		var n Note
		if err := json.Unmarshal(e.Data, &n); err != nil {
			return err
		}
		if n.Mark != nil {
			r.Marks = append(r.Marks, Marked{Mark: *n.Mark, Time: e.Time})
			r.bound = append(r.bound, n.Snapshots...)
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
		r.bound = append(r.bound, n.Snapshots...)
	case EntryTaken:
		var t Taken
		if err := json.Unmarshal(e.Data, &t); err != nil {
			return err
		}
		r.bound = append(r.bound, t.Snapshots...)
	case EntryContext:
		var err error
		r.Context, err = handoff.Fold(r.Context, e.Time, e.Data)
		return err
	default:
		return belay.Refuse(belay.CodeCannot, "use the version of belay that wrote it", "entry type %q is not known", e.Type)
	}
	return nil
}

// reviewNote is the note of a review that moved the loop: its entry is the event, so that
// no crash leaves a review that is known and was not acted on, or the other way round.
func reviewNote(e loop.Event) Note {
	verdict := "approve"
	if e.Verdict == belay.VerdictFail {
		verdict = "reject"
	}
	p, _ := review.ParsePointer(e.Pointer)
	n, _ := review.CycleNumber(p.Name)
	return Note{Kind: "review", Text: e.Note, Review: &review.RecordedReview{Cycle: n, Verdict: verdict,
		Reviewer: e.By, Pointer: e.Pointer}}
}

// Create begins the record of a task.
func (s *Session) Create(ctx context.Context, t belay.Task) error {
	head, err := s.Journal.Create(ctx, t.ID, EntryTask, t)
	if err == nil {
		s.Memory.wrote(head.Hash)
		s.remember(&Record{Task: t, Log: journal.Log{Task: t.ID, Head: head}})
	}
	return err
}

// Append adds an entry to the record and its file. When somebody else added one
// first, the record is read again and *journal.MovedError is returned. When the file
// vanished (somebody deleted belay's folder), it is written again from what was read,
// and that is recorded, too. While this process drives the task, whatever else became of
// its record is noticed and made good as Guard says.
//
// The entry names the snapshots that were taken since the last one (Took).
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
	driven := s.Memory.drives(r.Task.ID)
	named, takes := r.naming(data)
	head, err := s.Journal.Append(ctx, r.Task.ID, r.Log.Head, typ, named)
	var moved *journal.MovedError
	switch {
	case err == nil:
		s.Memory.wrote(head.Hash)
	case errors.As(err, &moved):
		if driven {
			if bad, gerr := s.Guard(ctx, r); gerr != nil || bad {
				return false, cmp.Or[error](gerr, moved) // r is as it stands now
			}
		}
	default:
		return s.notAppended(ctx, r, typ, driven, err)
	}
	took := r.took
	if note, _ := data.(Note); err == nil && (typ == EntryEvent || note.Kind == MergedNote || note.Kind == RollbackNote) {
		s.Memory.changed(r.Task.ID)
	}
	if err == nil && takes {
		took = taken{}
	}
	fresh, lerr := s.LoadAnyway(r.Task.ID)
	if lerr == nil && moved == nil && (fresh.Log.Head.Seq < head.Seq || fresh.Log.Entries[head.Seq-1].Hash != head.Hash) {
		lerr = belay.Refuse(belay.CodeCannot, "belay log --verify "+string(r.Task.ID),
			"another process changed the record of %s", r.Task.ID)
	}
	if lerr != nil && driven {
		return false, s.guarded(ctx, r, lerr)
	}
	if lerr != nil {
		return false, lerr
	}
	*r = *fresh
	r.took = took
	if err == nil {
		s.remember(r)
	}
	if driven {
		s.keepFiles(r) // what is done next may delete them
	}
	return false, err
}

// notAppended deals with an entry that could not be added to a record that is damaged or gone: again says that it is
// there again, without the entry.
func (s *Session) notAppended(ctx context.Context, r *Record, typ string, driven bool, cause error) (again bool, err error) {
	gone := belay.CodeOf(cause) == belay.CodeNotFound
	switch {
	case driven && (gone || belay.CodeOf(cause) == belay.CodeCannot):
		return false, s.guarded(ctx, r, cause)
	case !gone || len(r.Log.Entries) == 0:
		return false, cause
	}
	if err := s.Journal.Rewrite(ctx, r.Log); err != nil {
		return false, err
	}
	if typ != EntryNote {
		if err := s.AddNote(ctx, r, Note{Kind: TamperedNote, Attempt: len(r.State.Attempts), Text: lostText}); err != nil {
			return false, err
		}
	}
	return true, nil
}

// guarded is the error for a record of this run's own that cannot be read or written: when Guard repaired it, one that
// has the caller decide again, as what Guard noticed counts; else the cause.
func (s *Session) guarded(ctx context.Context, r *Record, cause error) error {
	after := r.Log.Head
	if bad, err := s.Guard(ctx, r); err != nil || !bad {
		return cmp.Or(err, cause)
	}
	return &journal.MovedError{Task: r.Task.ID, After: after, Head: r.Log.Head}
}

// naming gives the data of an entry with the snapshots that it has to name; takes is false
// for one that names none.
func (r *Record) naming(data any) (named any, takes bool) {
	switch e := data.(type) {
	case EventEntry:
		e.Snapshots, e.Sizes = append(slices.Clone(e.Snapshots), r.took.bound...), append(slices.Clone(e.Sizes), r.took.sizes...)
		return e, true
	case Note:
		if e.Rescue == "" {
			return e, false
		}
		e.Snapshots = append(slices.Clone(e.Snapshots), r.took.bound...)
		return e, true
	case Taken:
		e.Snapshots, e.Sizes = append(slices.Clone(e.Snapshots), r.took.bound...), append(slices.Clone(e.Sizes), r.took.sizes...)
		return e, true
	}
	return data, false
}

// AddNote records something outside the loop, whoever else writes meanwhile.
func (s *Session) AddNote(ctx context.Context, r *Record, n Note) error {
	for {
		err := s.Append(ctx, r, EntryNote, n)
		var moved *journal.MovedError
		if !errors.As(err, &moved) {
			return err
		}
	}
}

// Apply lets the loop decide on an event and records both. When somebody else
// recorded something first, the event is judged again against what is true now. An event
// that accepts refused work has its reason as arbiter.Decision writes it.
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
			if f := r.Tampering(); f != nil { // since it was judged
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

// Records reads every task, in order of creation. A task that cannot be read is
// reported through bad and left out.
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

const lostText = "belay's folder in the git folder was deleted while the task ran; this record was written again, " +
	"records of other tasks and kept output are gone"
