package session

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/fsroot"
	"github.com/belay-dev/belay/internal/handoff"
	"github.com/belay-dev/belay/internal/journal"
	"github.com/belay-dev/belay/internal/loop"
	"github.com/belay-dev/belay/internal/snapshot"
)

// Memory is what this process knows without reading records: the entries that it wrote itself, and
// the tasks that it drives.
type Memory struct {
	mu               sync.Mutex
	ownEntries       map[string]bool // by hash
	drivenTasks      map[string]int
	changedTasks     []belay.TaskID
	refSecrets       map[string]string
	attachments      map[string]attachment
	guardedTasks     map[string]bool            // tasks that Guard has checked since this process drives them
	missingSnapshots map[belay.SnapshotID]bool  // snapshots that were missing then
	historyLines     map[belay.TaskID][2]string // for History: the stamp of a record, and its line
}

// NewMemory returns the memory of a new process.
func NewMemory() *Memory {
	return &Memory{ownEntries: map[string]bool{}, drivenTasks: map[string]int{}, refSecrets: map[string]string{},
		attachments:  map[string]attachment{},
		guardedTasks: map[string]bool{}, missingSnapshots: map[belay.SnapshotID]bool{}, historyLines: map[belay.TaskID][2]string{}}
}

// historyLine returns the history line of a task that has ended. It calls read only if the stamp of
// the record has changed.
func (m *Memory) historyLine(task belay.TaskID, stamp string, read func() string) string {
	if stamp == "" {
		return read()
	}
	m.mu.Lock()
	was := m.historyLines[task]
	m.mu.Unlock()
	if was[0] == stamp {
		return was[1]
	}
	text := read()
	m.mu.Lock()
	defer m.mu.Unlock()
	m.historyLines[task] = [2]string{stamp, text}
	return text
}

// attachment is an attachment as this process first read it.
type attachment struct {
	size int64
	text []byte // nil if it is too large to keep
}

func (m *Memory) addOwnEntry(hash string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.ownEntries[hash] = true
}

// addChangedTask records that this process changed a task.
func (m *Memory) addChangedTask(task belay.TaskID) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !slices.Contains(m.changedTasks, task) {
		m.changedTasks = append(m.changedTasks, task)
	}
}

// ChangedTasks returns the tasks that this process advanced, merged or rolled back.
func (m *Memory) ChangedTasks() []belay.TaskID {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.changedTasks)
}

func (m *Memory) isOwnEntry(hash string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.ownEntries[hash]
}

func (m *Memory) isDriving(task belay.TaskID) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.drivenTasks[task.Key()] > 0
}

// StartDriving marks a task as driven by this process until release is called: no other process may
// record its steps.
func (s *Session) StartDriving(task belay.TaskID) (release func()) {
	m := s.Memory
	count := func(n int) {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.drivenTasks[task.Key()] += n
		delete(m.guardedTasks, task.Key())
	}
	count(1)
	return func() { count(-1) }
}

// refSecret returns the random part of the names of a task's second refs.
func (m *Memory) refSecret(task belay.TaskID) string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	fresh := hex.EncodeToString(b[:])
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.refSecrets[task.Key()] == "" {
		m.refSecrets[task.Key()] = fresh
	}
	return m.refSecrets[task.Key()]
}

// AddSecondRefs creates a second ref, while the task is open, for each snapshot that the
// record or its next entry names.
func (s *Session) AddSecondRefs(ctx context.Context, r *Record) error {
	if !r.Open() {
		return nil
	}
	return s.Snaps.AddSecondRefs(ctx, s.Memory.refSecret(r.Task.ID), slices.Concat(r.pins, r.unnamed.pins)...)
}

// RemoveSecondRefs removes the second refs of a task's snapshots.
func (s *Session) RemoveSecondRefs(ctx context.Context, r *Record) error {
	return s.Snaps.DropSecondRefs(ctx, r.namesSnapshot)
}

// TamperedNote is the kind of note about changes to belay's data of a task while it was driven.
const TamperedNote = "tampered"

// TamperFinding returns the finding for an attempt during which another process changed belay's
// data; nil if none did, or during a person's recheck.
func (r *Record) TamperFinding() *belay.Finding {
	if r.State.Rechecking {
		return nil
	}
	var said []string
	for _, n := range r.Notes {
		if n.Kind == TamperedNote && n.Attempt == len(r.State.Attempts) {
			said = append(said, n.Text)
		}
	}
	if said == nil {
		return nil
	}
	f := belay.Finding{
		Check: "record", Severity: belay.SeverityError, Category: belay.CategoryRecord, Title: "belay's record was changed: " + said[0],
		Detail:         strings.Join(said, "\n"),
		Recommendation: "do not change .git/belay and snapshot refs; only belay commands may",
	}.Sign()
	return &f
}

// Guard compares the task's record, the refs of its snapshots and the attachments that it needs
// with what this process knows. It repairs foreign changes and records them, so that the attempt is
// rejected; then bad is true, and r is the repaired record. Entries that other belay commands may
// add are accepted.
func (s *Session) Guard(ctx context.Context, r *Record) (bad bool, err error) {
	said, err := s.guardLog(ctx, r)
	if err != nil {
		return false, err
	}
	for _, look := range []func(context.Context, *Record) ([]string, error){s.guardRefs, s.guardAttachments} {
		more, err := look(ctx, r)
		if err != nil {
			return false, err
		}
		said = append(said, more...)
	}
	if len(said) == 0 {
		return false, nil
	}
	text := strings.Join(said, "; ")
	if n := len(r.State.Attempts); n > 0 {
		text = fmt.Sprintf("during attempt %d: %s", n, text)
	}
	return true, s.AddNote(ctx, r, Note{Kind: TamperedNote, Attempt: len(r.State.Attempts), Text: text})
}

// guardLog compares the record with what this process has read, and rewrites it if it was changed.
func (s *Session) guardLog(ctx context.Context, r *Record) ([]string, error) {
	now, err := s.Journal.Read(r.Task.ID)
	what := ""
	switch code := belay.CodeOf(err); {
	case err == nil:
	case code == belay.CodeNotFound:
		what = "its record was deleted"
		if !fsroot.IsFolder(filepath.Join(s.Repo.Common, "belay", "tasks")) {
			what += ", and so were the records of all other tasks"
		}
	case code == belay.CodeCannot:
		what = "its record was damaged"
	default:
		return nil, err
	}
	known := r.Log.Entries
	n := 0
	for n < len(known) && n < len(now.Entries) && known[n].Hash == now.Entries[n].Hash {
		n++
	}
	truth := *r
	truth.Notes, truth.Overrides = slices.Clone(r.Notes), slices.Clone(r.Overrides)
	truth.Log.Entries = slices.Clone(known)
	switch {
	case n == len(known): // only new entries follow
		for _, e := range now.Entries[n:] {
			if why := s.entryProblem(truth, e); why != "" {
				what = why
				break
			}
			if err := truth.applyEntry(e); err != nil {
				what = "its record has an entry that cannot be read"
				break
			}
			truth.Log.Entries = append(truth.Log.Entries, e)
		}
	case what != "":
	case n == len(now.Entries):
		what = fmt.Sprintf("its record was truncated: %d entries are known, %d were found", len(known), n)
	default:
		what = fmt.Sprintf("its record was changed from entry %d on", n+1)
	}
	if what == "" {
		return nil, nil
	}
	if _, err := fsroot.Lstat(filepath.Join(s.Repo.Dir, "HEAD")); errors.Is(err, fs.ErrNotExist) {
		// Create no file in the place of a git folder that may come back, with its record.
		return nil, belay.Refuse(belay.CodeCannot,
			"restore the git folder from a copy; the files are unchanged",
			"%s is no longer a git repository: it has no HEAD", belay.VisibleLine(s.Repo.Dir))
	}
	whole := journal.Log{Task: r.Log.Task, Entries: truth.Log.Entries}
	if err := s.Journal.Replace(ctx, whole); err != nil {
		return nil, err
	}
	took := r.unnamed
	fresh, err := s.LoadUnchecked(r.Task.ID)
	if err != nil {
		return nil, err
	}
	*r = *fresh
	r.unnamed = took
	return []string{what}, nil
}

// entryProblem returns why no other belay process can have added an entry to the record of a task
// that this process drives; "" if one can.
func (s *Session) entryProblem(r Record, e journal.Entry) string {
	if s.Memory.isOwnEntry(e.Hash) {
		return ""
	}
	switch e.Type {
	case EntryTask:
		if r.State.Pending != nil { // the command that edits a task refuses this, too
			return "its task was changed in the record during a step"
		}
		return ""
	case EntryTaken:
		return "its record got an entry that names a snapshot"
	case EntryNote:
		var n Note
		if json.Unmarshal(e.Data, &n) == nil && len(n.Snapshots) > 0 &&
			slices.ContainsFunc(n.Snapshots, func(b snapshot.Pin) bool { return !s.pinMatchesRef(b) }) {
			return "its record got a note with an invalid snapshot"
		}
		return ""
	case EntryContext:
		if _, err := handoff.Fold(r.Context, e.Time, e.Data); err != nil {
			return "its record got an invalid context entry"
		}
		return ""
	case EntryEvent:
		return eventProblem(r, e)
	}
	return "its record got an entry of an unknown kind"
}

// pinMatchesRef reports whether the ref of a snapshot in a note names the commit in the note.
func (s *Session) pinMatchesRef(b snapshot.Pin) bool {
	moved, missing, err := s.Snaps.CheckRefs(context.Background(), []snapshot.Pin{b})
	return err == nil && len(moved)+len(missing) == 0
}

func eventProblem(r Record, e journal.Entry) string {
	var ev EventEntry
	if err := json.Unmarshal(e.Data, &ev); err != nil {
		return "its record got an event that cannot be read"
	}
	others := []loop.EventKind{loop.EvDecided, loop.EvVerdict, loop.EvSubmitted, loop.EvOverruled}
	if r.State.Before == "" { // no attempt has started
		others = append(others, loop.EvStarted, loop.EvUnclear)
	}
	if !slices.Contains(others, ev.Event.Kind) || len(ev.Snapshots) > 0 {
		return fmt.Sprintf("its record got an event of the kind %q, which only the run writes", ev.Event.Kind)
	}
	next, _, err := loop.Step(r.Task.Policy, r.State, ev.Event)
	if err != nil {
		return fmt.Sprintf("its record got an event of the kind %q, which cannot happen there", ev.Event.Kind)
	}
	want, err := json.Marshal(next)
	got, err2 := json.Marshal(ev.State)
	if errors.Join(err, err2) != nil || !bytes.Equal(want, got) {
		return fmt.Sprintf("its record got an event of the kind %q with a state that does not follow", ev.Event.Kind)
	}
	return ""
}

// isFirstGuard reports whether Guard checks a task for the first time since this process drives it.
func (m *Memory) isFirstGuard(task belay.TaskID) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.drivenTasks[task.Key()] == 0 {
		return true
	}
	was := m.guardedTasks[task.Key()]
	m.guardedTasks[task.Key()] = true
	return !was
}

// guardRefs compares the refs of the snapshots that the record names and restores them. A ref
// that is missing when this process starts is not tampering: the task may have been closed and
// its snapshots pruned before a review opened it again.
func (s *Session) guardRefs(ctx context.Context, r *Record) ([]string, error) {
	list := slices.Concat(r.pins, r.unnamed.pins)
	moved, missing, err := s.Snaps.CheckRefs(ctx, list)
	if err != nil {
		return nil, err
	}
	if s.Memory.isFirstGuard(r.Task.ID) {
		gone, err := s.Snaps.RestoreRefs(ctx, missing)
		if err != nil {
			return nil, err
		}
		s.Memory.addMissing(gone)
	} else {
		moved = append(moved, slices.DeleteFunc(missing, s.Memory.isMissing)...)
	}
	if len(moved) == 0 {
		return nil, nil
	}
	gone, err := s.Snaps.RestoreRefs(ctx, moved)
	if err != nil {
		return nil, err
	}
	var said []string
	for _, b := range moved {
		text := fmt.Sprintf("the ref of snapshot %s was moved or deleted", b.ID.Short())
		if slices.Contains(gone, b) {
			text += ", and its bytes are gone from the repository"
		}
		said = append(said, text)
	}
	return said, s.AddSecondRefs(ctx, r)
}

func (m *Memory) addMissing(list []snapshot.Pin) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, b := range list {
		m.missingSnapshots[b.ID] = true
	}
}

func (m *Memory) isMissing(b snapshot.Pin) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.missingSnapshots[b.ID]
}

// maxKeptAttachment is the size up to which attachments are kept in memory.
const maxKeptAttachment = 1 << 20

// attachments returns the names of the attachments that the state needs.
func (r *Record) attachments() []string {
	names := []string{r.State.BaselineReport}
	for _, a := range r.State.Attempts {
		names = append(names, a.Log, a.Report, a.Review)
	}
	return slices.DeleteFunc(names, func(sha string) bool { return sha == "" })
}

// readAttachments reads the attachments of a record that this process has not read yet, because a
// later step may delete them.
func (s *Session) readAttachments(r *Record) {
	m := s.Memory
	for _, sha := range r.attachments() {
		if _, seen := m.attachment(sha); seen {
			continue
		}
		if is, ok := s.readAttachment(sha); ok {
			m.mu.Lock()
			m.attachments[sha] = is
			m.mu.Unlock()
		}
	}
}

func (m *Memory) attachment(sha string) (a attachment, seen bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	a, seen = m.attachments[sha]
	return a, seen
}

// guardAttachments checks the attachments in the state. Reports and the baseline are read, and
// restored if they were changed; of logs only the size is compared.
func (s *Session) guardAttachments(_ context.Context, r *Record) (said []string, err error) {
	m := s.Memory
	s.readAttachments(r)
	for _, sha := range r.attachments() {
		was, seen := m.attachment(sha)
		is, ok := s.readAttachment(sha)
		switch {
		case !seen || ok && is.size == was.size:
		case was.text == nil:
			said = append(said, "the attachment "+sha[:12]+" was changed or deleted, and is lost")
			m.mu.Lock()
			delete(m.attachments, sha) // report it once
			m.mu.Unlock()
		default:
			if _, _, err := s.Journal.Attach(bytes.NewReader(was.text)); err != nil {
				return said, err
			}
			said = append(said, "the attachment "+sha[:12]+" was changed or deleted")
		}
	}
	return said, nil
}

// readAttachment reads an attachment. ok is false if it is missing or, unless it is too large to
// read, does not match its hash.
func (s *Session) readAttachment(sha string) (a attachment, ok bool) {
	size, err := s.Journal.AttachmentSize(sha)
	if err != nil {
		return a, false
	}
	if size > maxKeptAttachment {
		return attachment{size: size}, true
	}
	f, err := s.Journal.OpenAttachment(sha)
	if err != nil {
		return a, false
	}
	text, err := io.ReadAll(f)
	return attachment{size: size, text: text}, errors.Join(err, f.Close()) == nil
}
