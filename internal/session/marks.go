package session

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/fsroot"
	"github.com/belay-dev/belay/internal/journal"
	"github.com/belay-dev/belay/internal/snapshot"
)

// MarkKind says what happened in an agent's own session.
type MarkKind string

// The kinds of marks.
const (
	MarkStart  MarkKind = "start"
	MarkPrompt MarkKind = "prompt"
	MarkBefore MarkKind = "before" // a tool is called
	MarkAfter  MarkKind = "after"  // it was
	MarkDenied MarkKind = "denied" // it was not let
	MarkStop   MarkKind = "stop"   // the agent is done with a prompt: Verdict
	MarkUndo   MarkKind = "undo"   // a person went back: Target, Rescue
	MarkEnd    MarkKind = "end"
)

// Mark is one happening in an agent's own session, with where the session is after it: the last mark is all that the
// next one needs to know.
type Mark struct {
	Kind  MarkKind `json:"kind"`
	Turn  int      `json:"turn"`            // counts prompts
	Tool  int      `json:"tool,omitempty"`  // counts calls of tools that may write; of before, after and denied: this one
	Tools int      `json:"tools,omitempty"` // how many there were
	Name  string   `json:"name,omitempty"`  // the tool's
	Call  string   `json:"call,omitempty"`  // of denied: the agent's id of the call; of others that are under way, Open has it
	Text  string   `json:"text,omitempty"`  // one line: the prompt, the command or the files, why it was denied

	Snapshot belay.SnapshotID `json:"snapshot,omitempty"` // the state now
	Whole    string           `json:"whole,omitempty"`    // names everything in that snapshot
	Begun    belay.SnapshotID `json:"begun,omitempty"`    // the state at the beginning of the turn
	Between  bool             `json:"between,omitempty"`  // what changed since the mark before was not changed by a tool of this session

	Open    []OpenCall    `json:"open,omitempty"`    // calls of tools under way
	Behind  bool          `json:"behind,omitempty"`  // a tool of this session may still run in the background
	Slow    bool          `json:"slow,omitempty"`    // snapshots take too long here: none is taken before the next prompt
	Rejects int           `json:"rejects,omitempty"` // in a row, since a person last said something
	Verdict belay.Verdict `json:"verdict,omitempty"`
	Prompt  string        `json:"prompt,omitempty"` // of prompt: its text, without secrets
	Undone  string        `json:"undone,omitempty"` // what the agent has to be told of an undo

	Target   belay.SnapshotID `json:"target,omitempty"`
	Rescue   belay.SnapshotID `json:"rescue,omitempty"`
	From     int              `json:"from,omitempty"`      // of undo: the first turn that was taken back
	FromTool int              `json:"from_tool,omitempty"` // or the first tool call
}

// Next begins the mark after this one: where the session is, without what happened.
func (m Mark) Next(kind MarkKind) Mark {
	return Mark{Kind: kind, Turn: m.Turn, Tools: m.Tools, Snapshot: m.Snapshot, Whole: m.Whole, Begun: m.Begun, Open: m.Open,
		Behind: m.Behind, Rejects: m.Rejects, Undone: m.Undone, Slow: m.Slow}
}

// OpenCall is a call of a tool that has not returned.
type OpenCall struct {
	Call string `json:"call,omitempty"`
	Tool int    `json:"tool"`
}

// Marked is a mark in the record.
type Marked struct {
	Mark
	Time time.Time `json:"time"`
}

// SessionTask names the task that an agent's own session in one working tree is recorded as. The same session always has
// the same name, so that no list of them is needed.
func SessionTask(agent, id, root string) belay.TaskID {
	sum := sha256.Sum256([]byte(agent + "\x00" + id + "\x00" + root))
	return belay.TaskID(agent + "-" + hex.EncodeToString(sum[:5]))
}

// Sitting is an agent's own session, read as far as a mark needs: its task, and the last mark.
type Sitting struct {
	Task belay.Task // its ID, Scope.Protect and Session alone
	Last Mark
	Time time.Time // of the last mark
	head journal.Head
}

// Sit reads an agent's own session. CodeNotFound when it has no record.
func (sess *Session) Sit(task belay.TaskID) (*Sitting, error) {
	for most := 2; ; most *= 64 {
		first, last, err := sess.Journal.Ends(task, most)
		if err != nil {
			return nil, err
		}
		s := &Sitting{}
		if err := s.read(first.Data); err != nil {
			return nil, fmt.Errorf("read the first entry of %s: %w", task, err)
		}
		if s.Task.Session == nil {
			return nil, belay.Refuse(belay.CodeUsage, "belay timeline", "%s is not an agent's own session", task)
		}
		if n := len(last); n > 0 {
			s.head = journal.Head{Seq: last[n-1].Seq, Hash: last[n-1].Hash}
		}
		for i := len(last) - 1; i >= 0; i-- {
			if m, ok := markOf(last[i]); ok {
				s.Last, s.Time = m.Mark, m.Time
				return s, nil
			}
		}
		if len(last) < most || last[0].Seq == 1 {
			return s, nil // just created, or what is before is damaged
		}
	}
}

// read takes what hooks need of a task: the types of all of it cost more to look up than to read.
func (s *Sitting) read(data []byte) error {
	var t struct {
		ID    belay.TaskID `json:"id"`
		Scope struct {
			Protect []string `json:"protect"`
		} `json:"scope"`
		Session *belay.OwnSession `json:"session"`
	}
	if err := json.Unmarshal(data, &t); err != nil {
		return err
	}
	s.Task = belay.Task{ID: t.ID, Scope: belay.Scope{Protect: t.Scope.Protect}, Session: t.Session}
	return nil
}

// markOf reads the mark that an entry is.
func markOf(e journal.Entry) (Marked, bool) {
	if e.Type != EntryNote {
		return Marked{}, false
	}
	var n Note
	if err := json.Unmarshal(e.Data, &n); err != nil || n.Mark == nil {
		return Marked{}, false
	}
	return Marked{Mark: *n.Mark, Time: e.Time}, true
}

// CreateSession begins the record of an agent's own session. One that is there already is no error.
func (s *Session) CreateSession(ctx context.Context, t belay.Task) (*Sitting, error) {
	if err := s.Create(ctx, t); err != nil && belay.CodeOf(err) != belay.CodeUsage {
		return nil, err
	}
	return s.Sit(t.ID)
}

// Add records a mark that was derived from s.Last, and the snapshot that was taken for it. *journal.MovedError when the
// record has grown since s was read: then it has to be derived again.
func (sess *Session) AddMark(ctx context.Context, s *Sitting, m Mark, taken ...snapshot.Pin) error {
	head, err := sess.Journal.Append(ctx, s.Task.ID, s.head, EntryNote,
		Note{Kind: "session", Text: string(m.Kind), Mark: &m, Snapshots: taken})
	if err != nil {
		return err
	}
	s.Last, s.head = m, head
	return nil
}

// HookLock takes the working tree for one hook call. CodeBusy when another has it for longer than ctx allows.
func (s *Session) HookLock(ctx context.Context) (func(), error) {
	if _, err := s.Snaps.Worktree.MakeScratchDir(); err != nil {
		return nil, err
	}
	lock := fsroot.NewLock(s.Scratch("hook.lock"))
	if ok, err := lock.TryLockContext(ctx, 5*time.Millisecond); !ok {
		return nil, errors.Join(errBusyHook, err)
	}
	return func() { _ = lock.Unlock() }, nil
}

// Sessions gives the agents' own sessions in this working tree, the one with the newest mark last.
func (s *Session) Sessions() ([]*Record, error) {
	ids, err := s.Journal.Tasks()
	if err != nil {
		return nil, err
	}
	var all []*Record
	for _, id := range ids {
		first, _, err := s.Journal.Ends(id, 1)
		var t belay.Task
		if err != nil || json.Unmarshal(first.Data, &t) != nil || t.Session == nil || t.Session.Root != s.Repo.Root {
			continue
		}
		r, err := s.LoadAnyway(id)
		if err != nil {
			return nil, err
		}
		at := len(all)
		for at > 0 && all[at-1].Changed.After(r.Changed) {
			at--
		}
		all = append(all[:at], append([]*Record{r}, all[at:]...)...)
	}
	return all, nil
}

var errBusyHook = errors.New("another hook call is using this working tree")
