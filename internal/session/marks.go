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

// MarkKind is the kind of an event in an agent's own session.
type MarkKind string

// Kinds of marks.
const (
	MarkStart  MarkKind = "start"
	MarkPrompt MarkKind = "prompt"
	MarkBefore MarkKind = "before" // before a tool call
	MarkAfter  MarkKind = "after"  // after a tool call
	MarkDenied MarkKind = "denied" // a tool call was denied
	MarkStop   MarkKind = "stop"   // the agent has finished a prompt: Verdict
	MarkUndo   MarkKind = "undo"   // a person returned to an earlier state: Target, Rescue
	MarkEnd    MarkKind = "end"
)

// Mark is one event in an agent's own session, with the state of the session after it, so that the
// next mark only needs the last one.
type Mark struct {
	Kind  MarkKind `json:"kind"`
	Turn  int      `json:"turn"`            // number of the prompt
	Tool  int      `json:"tool,omitempty"`  // number of the call of a tool that may write: for before, after and denied
	Tools int      `json:"tools,omitempty"` // number of such calls so far
	Name  string   `json:"name,omitempty"`  // the tool's name
	Call  string   `json:"call,omitempty"`  // for denied: the agent's ID of the call; other open calls are in Open
	Text  string   `json:"text,omitempty"`  // one line: the prompt, the command or the files, or why it was denied

	Snapshot       belay.SnapshotID `json:"snapshot,omitempty"` // the current state
	SnapshotDigest string           `json:"whole,omitempty"`    // digest of everything in that snapshot
	TurnStart      belay.SnapshotID `json:"begun,omitempty"`    // the state at the start of the turn
	// no tool of this session made the changes since the previous mark
	Between bool `json:"between,omitempty"`

	Open       []OpenCall    `json:"open,omitempty"`    // running tool calls
	Background bool          `json:"behind,omitempty"`  // a tool of this session may still run in the background
	Slow       bool          `json:"slow,omitempty"`    // snapshots take too long here: none until the next prompt
	Rejects    int           `json:"rejects,omitempty"` // consecutive rejections since a person's last prompt
	Verdict    belay.Verdict `json:"verdict,omitempty"`
	Prompt     string        `json:"prompt,omitempty"` // for prompt: its text, without secrets
	Undone     string        `json:"undone,omitempty"` // the message to the agent about an undo

	Target   belay.SnapshotID `json:"target,omitempty"`
	Rescue   belay.SnapshotID `json:"rescue,omitempty"`
	From     int              `json:"from,omitempty"`      // for undo: the first turn that was reverted
	FromTool int              `json:"from_tool,omitempty"` // or the first tool call
}

// Next returns a copy of the session's state for the next mark, without the event.
func (m Mark) Next(kind MarkKind) Mark {
	return Mark{Kind: kind, Turn: m.Turn, Tools: m.Tools, Snapshot: m.Snapshot, SnapshotDigest: m.SnapshotDigest,
		TurnStart: m.TurnStart, Open: m.Open,
		Background: m.Background, Rejects: m.Rejects, Undone: m.Undone, Slow: m.Slow}
}

// OpenCall is a tool call that has not returned.
type OpenCall struct {
	Call string `json:"call,omitempty"`
	Tool int    `json:"tool"`
}

// TimedMark is a mark in the record, with its time.
type TimedMark struct {
	Mark
	Time time.Time `json:"time"`
}

// SessionTask returns the task ID under which an agent's own session in one worktree is
// recorded. It depends only on the arguments, so no list of sessions is needed.
func SessionTask(agent, id, root string) belay.TaskID {
	sum := sha256.Sum256([]byte(agent + "\x00" + id + "\x00" + root))
	return belay.TaskID(agent + "-" + hex.EncodeToString(sum[:5]))
}

// HookSession is an agent's own session, as far as a hook needs it: its task and the last mark.
type HookSession struct {
	Task belay.Task // only its ID, Scope.Protect and Session
	Last Mark
	Time time.Time // of the last mark
	head journal.Head
}

// LoadHookSession reads an agent's own session. CodeNotFound when it has no record.
func (sess *Session) LoadHookSession(task belay.TaskID) (*HookSession, error) {
	for most := 2; ; most *= 64 {
		first, last, err := sess.Journal.Ends(task, most)
		if err != nil {
			return nil, err
		}
		s := &HookSession{}
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
			if m, ok := readMark(last[i]); ok {
				s.Last, s.Time = m.Mark, m.Time
				return s, nil
			}
		}
		if len(last) < most || last[0].Seq == 1 {
			return s, nil // just created, or the end is damaged
		}
	}
}

// read parses the fields of a task that hooks need, because decoding the complete task is slower
// than reading it.
func (s *HookSession) read(data []byte) error {
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

// readMark decodes the mark in an entry.
func readMark(e journal.Entry) (TimedMark, bool) {
	if e.Type != EntryNote {
		return TimedMark{}, false
	}
	var n Note
	if err := json.Unmarshal(e.Data, &n); err != nil || n.Mark == nil {
		return TimedMark{}, false
	}
	return TimedMark{Mark: *n.Mark, Time: e.Time}, true
}

// CreateHookSession creates the record of an agent's own session. It is no error if the record
// exists.
func (s *Session) CreateHookSession(ctx context.Context, t belay.Task) (*HookSession, error) {
	if err := s.Create(ctx, t); err != nil && belay.CodeOf(err) != belay.CodeUsage {
		return nil, err
	}
	return s.LoadHookSession(t.ID)
}

// AddMark records a mark derived from s.Last, and the snapshot taken for it. *journal.MovedError if
// the record has grown since s was read: derive the mark again.
func (sess *Session) AddMark(ctx context.Context, s *HookSession, m Mark, taken ...snapshot.Pin) error {
	head, err := sess.Journal.Append(ctx, s.Task.ID, s.head, EntryNote,
		Note{Kind: "session", Text: string(m.Kind), Mark: &m, Snapshots: taken})
	if err != nil {
		return err
	}
	s.Last, s.head = m, head
	return nil
}

// HookLock locks the worktree for one hook call. CodeBusy when another process has the lock
// for longer than ctx allows.
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

// Sessions returns the agents' own sessions in this worktree; the one with the newest mark is
// last.
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
		r, err := s.LoadUnchecked(id)
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
