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

// Memory is what this process knows of records without having to read them: which
// entries it wrote itself, and which tasks it drives.
type Memory struct {
	mu      sync.Mutex
	mine    map[string]bool // hashes of entries
	driven  map[string]int
	moved   []belay.TaskID
	secrets map[string]string
	files   map[string]attached
	looked  map[string]bool            // tasks that Guard has looked at since this process drives them
	absent  map[belay.SnapshotID]bool  // snapshots that were gone by then
	ended   map[belay.TaskID][2]string // of History: the stamp of a record, and its line
}

// NewMemory is that of a process that has done nothing yet.
func NewMemory() *Memory {
	return &Memory{mine: map[string]bool{}, driven: map[string]int{}, secrets: map[string]string{}, files: map[string]attached{},
		looked: map[string]bool{}, absent: map[belay.SnapshotID]bool{}, ended: map[belay.TaskID][2]string{}}
}

// line is that of a task that has ended, made by read unless it was before.
func (m *Memory) line(task belay.TaskID, stamp string, read func() string) string {
	if stamp == "" {
		return read()
	}
	m.mu.Lock()
	was := m.ended[task]
	m.mu.Unlock()
	if was[0] == stamp {
		return was[1]
	}
	text := read()
	m.mu.Lock()
	defer m.mu.Unlock()
	m.ended[task] = [2]string{stamp, text}
	return text
}

// attached is an attachment as it was when it was first seen.
type attached struct {
	size int64
	text []byte // nil for one that is too large to be kept
}

func (m *Memory) wrote(hash string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.mine[hash] = true
}

// changed notes that this process moved a task on.
func (m *Memory) changed(task belay.TaskID) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if !slices.Contains(m.moved, task) {
		m.moved = append(m.moved, task)
	}
}

// Moved gives the tasks that this process moved on, merged or rolled back.
func (m *Memory) Moved() []belay.TaskID {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.moved)
}

func (m *Memory) isMine(hash string) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.mine[hash]
}

func (m *Memory) drives(task belay.TaskID) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.driven[task.Key()] > 0
}

// Driving says that this process drives a task, until release is called: the steps of its
// record are nobody else's to write.
func (s *Session) Driving(task belay.TaskID) (release func()) {
	m := s.Memory
	count := func(n int) {
		m.mu.Lock()
		defer m.mu.Unlock()
		m.driven[task.Key()] += n
		delete(m.looked, task.Key())
	}
	count(1)
	return func() { count(-1) }
}

// secret makes the names of the second refs of a task's snapshots.
func (m *Memory) secret(task belay.TaskID) string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails
	fresh := hex.EncodeToString(b[:])
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.secrets[task.Key()] == "" {
		m.secrets[task.Key()] = fresh
	}
	return m.secrets[task.Key()]
}

// Secure gives the snapshots that a record names, and those that its next entry names, a
// second ref each while the task is open.
func (s *Session) Secure(ctx context.Context, r *Record) error {
	if !r.Open() {
		return nil
	}
	return s.Snaps.AddSecondRefs(ctx, s.Memory.secret(r.Task.ID), slices.Concat(r.bound, r.took.bound)...)
}

// Release takes the second refs of a task's snapshots away.
func (s *Session) Release(ctx context.Context, r *Record) error {
	return s.Snaps.DropSecondRefs(ctx, r.names)
}

// TamperedNote is the kind of note that says that somebody changed what belay keeps of a
// task while it was driven.
const TamperedNote = "tampered"

// Tampering is the finding of an attempt during which somebody changed what belay keeps;
// nil when nobody did, or a person has the work judged again.
func (r *Record) Tampering() *belay.Finding {
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

// Guard compares the task's record, the refs of the snapshots that it names and the
// attachments that it needs with what this process knows of them. What others changed is
// made good and noted, so that the attempt is rejected; bad then is true, and r is as the
// record stands now. What other belay commands may add meanwhile is left alone.
func (s *Session) Guard(ctx context.Context, r *Record) (bad bool, err error) {
	said, err := s.guardLog(ctx, r)
	if err != nil {
		return false, err
	}
	for _, look := range []func(context.Context, *Record) ([]string, error){s.guardRefs, s.guardFiles} {
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

// guardLog compares the record with what was read of it, and writes it again when somebody
// changed it.
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
	truth.Notes, truth.Over = slices.Clone(r.Notes), slices.Clone(r.Over)
	truth.Log.Entries = slices.Clone(known)
	switch {
	case n == len(known): // what follows is new
		for _, e := range now.Entries[n:] {
			if why := s.unfit(truth, e); why != "" {
				what = why
				break
			}
			if err := truth.fold(e); err != nil {
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
		// Nothing is made in the place of a git folder that may come back, with its record.
		return nil, belay.Refuse(belay.CodeCannot,
			"restore the git folder from a copy; the files are unchanged",
			"%s is no longer a git repository: it has no HEAD", belay.VisibleLine(s.Repo.Dir))
	}
	whole := journal.Log{Task: r.Log.Task, Entries: truth.Log.Entries}
	if err := s.Journal.Replace(ctx, whole); err != nil {
		return nil, err
	}
	took := r.took
	fresh, err := s.LoadAnyway(r.Task.ID)
	if err != nil {
		return nil, err
	}
	*r = *fresh
	r.took = took
	return []string{what}, nil
}

// unfit says why no other belay can have added an entry to the record of a task that this
// process drives; "" when one can.
func (s *Session) unfit(r Record, e journal.Entry) string {
	if s.Memory.isMine(e.Hash) {
		return ""
	}
	switch e.Type {
	case EntryTask:
		if r.State.Pending != nil { // as the command that edits a task has it
			return "its task was changed in the record during a step"
		}
		return ""
	case EntryTaken:
		return "its record got an entry that names a snapshot"
	case EntryNote:
		var n Note
		if json.Unmarshal(e.Data, &n) == nil && len(n.Snapshots) > 0 &&
			slices.ContainsFunc(n.Snapshots, func(b snapshot.Pin) bool { return !s.stands(b) }) {
			return "its record got a note with an invalid snapshot"
		}
		return ""
	case EntryContext:
		if _, err := handoff.Fold(r.Context, e.Time, e.Data); err != nil {
			return "its record got an invalid context entry"
		}
		return ""
	case EntryEvent:
		return unfitEvent(r, e)
	}
	return "its record got an entry of an unknown kind"
}

// stands reports whether a snapshot that a note names is what its ref says.
func (s *Session) stands(b snapshot.Pin) bool {
	moved, missing, err := s.Snaps.CheckRefs(context.Background(), []snapshot.Pin{b})
	return err == nil && len(moved)+len(missing) == 0
}

func unfitEvent(r Record, e journal.Entry) string {
	var ev EventEntry
	if err := json.Unmarshal(e.Data, &ev); err != nil {
		return "its record got an event that cannot be read"
	}
	others := []loop.EventKind{loop.EvDecided, loop.EvVerdict, loop.EvSubmitted, loop.EvOverruled}
	if r.State.Before == "" { // nobody has worked yet
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

// first reports whether Guard looks at a task for the first time since this process
// drives it.
func (m *Memory) first(task belay.TaskID) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.driven[task.Key()] == 0 {
		return true
	}
	was := m.looked[task.Key()]
	m.looked[task.Key()] = true
	return !was
}

// guardRefs compares the refs of the snapshots that the record names, and makes them again.
// That one is gone is nobody's fault when this process begins: the task may have been
// closed, and its snapshots pruned, before a review opened it again.
func (s *Session) guardRefs(ctx context.Context, r *Record) ([]string, error) {
	list := slices.Concat(r.bound, r.took.bound)
	moved, missing, err := s.Snaps.CheckRefs(ctx, list)
	if err != nil {
		return nil, err
	}
	if s.Memory.first(r.Task.ID) {
		gone, err := s.Snaps.RestoreRefs(ctx, missing)
		if err != nil {
			return nil, err
		}
		s.Memory.miss(gone)
	} else {
		moved = append(moved, slices.DeleteFunc(missing, s.Memory.misses)...)
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
	return said, s.Secure(ctx, r)
}

func (m *Memory) miss(list []snapshot.Pin) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, b := range list {
		m.absent[b.ID] = true
	}
}

func (m *Memory) misses(b snapshot.Pin) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.absent[b.ID]
}

// keptSize is up to which size attachments are kept in memory.
const keptSize = 1 << 20

// attachments gives the names of the attachments that the state needs.
func (r *Record) attachments() []string {
	names := []string{r.State.BaselineReport}
	for _, a := range r.State.Attempts {
		names = append(names, a.Log, a.Report, a.Review)
	}
	return slices.DeleteFunc(names, func(sha string) bool { return sha == "" })
}

// keepFiles reads the attachments that a record names and that this process has not seen
// yet: what comes next may delete them.
func (s *Session) keepFiles(r *Record) {
	m := s.Memory
	for _, sha := range r.attachments() {
		if _, seen := m.file(sha); seen {
			continue
		}
		if is, ok := s.attached(sha); ok {
			m.mu.Lock()
			m.files[sha] = is
			m.mu.Unlock()
		}
	}
}

func (m *Memory) file(sha string) (a attached, seen bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	a, seen = m.files[sha]
	return a, seen
}

// guardFiles looks at the attachments that the state names: reports and the baseline are
// read and written again when they were changed, of logs the size alone is compared.
func (s *Session) guardFiles(_ context.Context, r *Record) (said []string, err error) {
	m := s.Memory
	s.keepFiles(r)
	for _, sha := range r.attachments() {
		was, seen := m.file(sha)
		is, ok := s.attached(sha)
		switch {
		case !seen || ok && is.size == was.size:
		case was.text == nil:
			said = append(said, "the attachment "+sha[:12]+" was changed or deleted, and is lost")
			m.mu.Lock()
			delete(m.files, sha) // said once
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

// attached looks at an attachment; ok is false when it is not there or not what its name
// says, as far as is read.
func (s *Session) attached(sha string) (a attached, ok bool) {
	size, err := s.Journal.AttachmentSize(sha)
	if err != nil {
		return a, false
	}
	if size > keptSize {
		return attached{size: size}, true
	}
	f, err := s.Journal.OpenAttachment(sha)
	if err != nil {
		return a, false
	}
	text, err := io.ReadAll(f)
	return attached{size: size, text: text}, errors.Join(err, f.Close()) == nil
}
