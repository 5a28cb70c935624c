package app

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/session"
)

// Timeline is an agent's own session as belay saw it.
type Timeline struct {
	Session belay.TaskID   `json:"session"`
	Agent   string         `json:"agent"`
	Started time.Time      `json:"started"`
	Changed time.Time      `json:"changed"`
	Turns   []TimelineTurn `json:"turns"`
}

// TimelineTurn is a prompt and what followed. Turn 0 is what came before the first one.
type TimelineTurn struct {
	Turn    int              `json:"turn"`
	Prompt  string           `json:"prompt"`
	Time    time.Time        `json:"time"`
	Verdict belay.Verdict    `json:"verdict,omitempty"` // of the checks at its end
	Rejects int              `json:"rejected"`          // how often the checks rejected it
	Undone  bool             `json:"undone"`            // a person went back to before it
	Steps   []TimelineStep   `json:"steps"`
	Begun   belay.SnapshotID `json:"snapshot"` // the state before it
}

// TimelineStep is one happening in a turn.
type TimelineStep struct {
	Kind    session.MarkKind `json:"kind"`           // tool, denied, change (by somebody else), undo, stop, stall
	Tool    int              `json:"tool,omitempty"` // its number, for belay undo --tool
	Name    string           `json:"name,omitempty"`
	Text    string           `json:"text,omitempty"`
	By      string           `json:"by"` // tool, session (another one), person (no agent worked), outside (a person or a process), belay
	Time    time.Time        `json:"time"`
	Changes []belay.Change   `json:"changes"`
	Git     []string         `json:"git,omitempty"` // what changed in git: HEAD, refs, config, hooks
	Before  belay.SnapshotID `json:"before,omitempty"`
	After   belay.SnapshotID `json:"after,omitempty"`
	Undone  bool             `json:"undone,omitempty"`
	Problem string           `json:"problem,omitempty"` // why the changes cannot be told
}

// By whom a change was made.
const (
	byTool    = "tool"
	byOutside = "outside"
	byPerson  = "person"
	bySession = "session"
	byBelay   = "belay"
)

// sessionOf finds an agent's own session in this working tree: the one that is named, or the latest. CodeNotFound otherwise.
func (s *Service) sessionOf(name string) (*session.Record, error) {
	all, err := s.Session.Sessions()
	if err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, belay.Refuse(belay.CodeNotFound, "belay init --agent claude", "belay has seen no agent's session in this working tree")
	}
	if name == "" {
		return all[len(all)-1], nil
	}
	for _, r := range slices.Backward(all) {
		if strings.HasPrefix(r.Task.ID.Key(), strings.ToLower(name)) || r.Task.Session.ID == name {
			return r, nil
		}
	}
	return nil, belay.Refuse(belay.CodeNotFound, "belay timeline shows the latest",
		"there is no session %s in this working tree", belay.VisibleLine(name))
}

// Timeline tells a session turn by turn. A call of a tool that has not returned is shown with what changed since it began,
// which is what an undo would take back. It writes nothing to the record.
func (s *Service) Timeline(ctx context.Context, name string) (Timeline, error) {
	r, err := s.sessionOf(name)
	if err != nil {
		return Timeline{}, err
	}
	why := ""
	if s.showsOpen(r) {
		seen, _, err := s.soFar(ctx, r)
		if err != nil { // the record is shown without them
			why = session.Sentence(err)
		}
		r = seen
	}
	t, err := s.timelineOf(ctx, r)
	if n := len(t.Turns); err == nil && why != "" && n > 0 {
		t.Turns[n-1].unknown(r.Marks[len(r.Marks)-1].Open, why)
	}
	return t, err
}

// showsOpen reports whether what changed by now is told of a session's open call. Not of an earlier session, whose agent
// may have died days ago: everybody's work since would seem to be its. Not after an undo, which took the call back. And
// not where a restore was interrupted: taking a snapshot would finish it, and a timeline only looks.
func (s *Service) showsOpen(r *session.Record) bool {
	n := len(r.Marks)
	if n == 0 || !underWay(r.Marks[n-1].Mark) || s.Session.Restores.Interrupted() {
		return false
	}
	latest, err := s.sessionOf("")
	return err == nil && latest.Task.ID == r.Task.ID
}

// unknown says of the newest call under way why its changes cannot be told.
func (t *TimelineTurn) unknown(open []session.OpenCall, why string) {
	for i := range t.Steps {
		if s := &t.Steps[i]; s.Kind == "tool" && s.Tool == open[len(open)-1].Tool {
			s.Problem = why
		}
	}
}

// timelineOf is the timeline of a session that was read.
func (s *Service) timelineOf(ctx context.Context, r *session.Record) (Timeline, error) {
	t := Timeline{Session: r.Task.ID, Agent: r.Task.Session.Agent, Started: r.Created, Changed: r.Changed, Turns: []TimelineTurn{}}
	back, err := s.Session.Restores.UndoneRestores()
	if err != nil {
		back = func(belay.SnapshotID) bool { return false }
	}
	b := &timeliner{d: s, ctx: ctx, t: &t, called: map[int]int{}}
	if b.all, err = s.Session.Sessions(); err != nil {
		return t, err
	}
	for _, m := range r.Marks {
		b.add(m)
	}
	b.undone(r.Marks, back)
	return t, nil
}

// timeliner makes steps of marks.
type timeliner struct {
	d      *Service
	ctx    context.Context
	t      *Timeline
	last   belay.SnapshotID
	at     time.Time         // of the mark before
	all    []*session.Record // the sessions in this working tree
	called map[int]int       // the step of each call under way, in the turn that is the last
	open   []session.OpenCall
}

func (b *timeliner) turn(m session.Marked) *TimelineTurn {
	if n := len(b.t.Turns); n > 0 && b.t.Turns[n-1].Turn == m.Turn {
		return &b.t.Turns[n-1]
	}
	b.called = map[int]int{}
	b.t.Turns = append(b.t.Turns, TimelineTurn{Turn: m.Turn, Time: m.Time, Steps: []TimelineStep{}, Begun: m.Begun})
	return &b.t.Turns[len(b.t.Turns)-1]
}

// changes compares two snapshots; why says what keeps it from doing so.
func (b *timeliner) changes(from, to belay.SnapshotID) (list []belay.Change, why string) {
	if from == "" || from == to {
		return []belay.Change{}, ""
	}
	list, err := b.d.Session.Snaps.Changes(b.ctx, from, to)
	if err != nil {
		return []belay.Change{}, session.Sentence(err)
	}
	if list == nil {
		list = []belay.Change{}
	}
	return list, ""
}

// gitChanges names what differs in git between two snapshots: HEAD, refs, settings and hooks. What cannot be compared is
// left out; the step has a problem then.
func (s *Service) gitChanges(ctx context.Context, from, to belay.SnapshotID) []string {
	if from == "" || to == "" || from == to {
		return nil
	}
	names, err := s.Session.Snaps.RefChanges(ctx, from, to)
	if err != nil {
		return nil
	}
	touched, err := s.Session.Snaps.ChangedGitFiles(ctx, from, to)
	if err != nil {
		return names
	}
	for _, n := range touched {
		switch {
		case n == "logs/HEAD":
			names = append(names, "HEAD")
		case n != "index" && n != "worktrees" && !strings.HasPrefix(n, "logs/"):
			names = append(names, n)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func (b *timeliner) add(m session.Marked) {
	if m.Between && b.last != "" { // before the turn that the mark begins
		list, why := b.changes(b.last, m.Snapshot)
		if len(list) == 0 && why == "" {
			b.last = m.Snapshot // nothing but the index
		}
		turn := b.turn(m)
		if n := len(b.t.Turns); m.Kind == session.MarkPrompt && n > 1 && len(turn.Steps) == 0 && turn.Prompt == "" {
			turn = &b.t.Turns[n-2]
		}
		if b.last != m.Snapshot {
			by, text := b.whose(m)
			turn.Steps = append(turn.Steps, TimelineStep{Kind: "change", By: by, Text: text, Time: m.Time, Changes: list,
				Before: b.last, After: m.Snapshot, Problem: why})
		}
	}
	turn := b.turn(m)
	if n := len(b.open); n > 0 && !m.Between && m.Snapshot != b.last && m.Kind != session.MarkUndo {
		b.changedBy(turn, b.open[n-1].Tool, m.Snapshot) // nobody may ever say that it has returned
	}
	b.open = m.Open
	step := TimelineStep{Tool: m.Tool, Name: m.Name, Text: m.Text, By: byTool, Time: m.Time, Changes: []belay.Change{}, Before: m.Snapshot}
	switch m.Kind {
	case session.MarkPrompt:
		if turn.Prompt == "" {
			turn.Prompt, turn.Time, turn.Begun = m.Text, m.Time, m.Begun
		}
	case session.MarkBefore:
		step.Kind = "tool"
		b.called[m.Tool] = len(turn.Steps)
		turn.Steps = append(turn.Steps, step)
	case session.MarkAfter:
		b.changedBy(turn, m.Tool, m.Snapshot)
	case session.MarkDenied:
		step.Kind = m.Kind
		turn.Steps = append(turn.Steps, step)
	case markStall:
		step.Kind, step.By = m.Kind, byBelay
		turn.Steps = append(turn.Steps, step)
	case session.MarkUndo:
		step.Kind, step.By, step.Before, step.After = m.Kind, byBelay, m.Rescue, m.Target
		turn.Steps = append(turn.Steps, step)
	case session.MarkStop:
		turn.Verdict, turn.Rejects = m.Verdict, max(turn.Rejects, m.Rejects)
		if m.Verdict == belay.VerdictFail {
			step.Kind, step.By = m.Kind, byBelay
			turn.Steps = append(turn.Steps, step)
		}
	}
	if m.Snapshot != "" {
		b.last = m.Snapshot
	}
	b.at = m.Time
}

// changedBy says what a call of a tool had changed by a snapshot.
func (b *timeliner) changedBy(turn *TimelineTurn, tool int, by belay.SnapshotID) {
	if i, ok := b.called[tool]; ok && i < len(turn.Steps) {
		s := &turn.Steps[i]
		s.After = by
		s.Changes, s.Problem = b.changes(s.Before, by)
		s.Git = b.d.gitChanges(b.ctx, s.Before, by)
	}
}

// whose says who changed what no tool of this session did, as far as that is known.
func (b *timeliner) whose(m session.Marked) (by, text string) {
	for _, r := range b.all {
		for _, o := range r.Marks {
			if r.Task.ID != b.t.Session && o.Kind == session.MarkAfter && o.Time.After(b.at) && o.Time.Before(m.Time) {
				return bySession, string(r.Task.ID)
			}
		}
	}
	if m.Kind == session.MarkPrompt || m.Kind == session.MarkStart {
		return byPerson, ""
	}
	return byOutside, ""
}

// undone marks what a person took back, and did not redo.
func (b *timeliner) undone(marks []session.Marked, redone func(belay.SnapshotID) bool) {
	for _, m := range marks {
		if m.Kind != session.MarkUndo || redone(m.Rescue) {
			continue
		}
		for i := range b.t.Turns {
			t := &b.t.Turns[i]
			if m.From > 0 && t.Turn >= m.From && t.Turn <= m.Turn && !t.Time.After(m.Time) {
				t.Undone = true
			}
			for k := range t.Steps {
				s := &t.Steps[k]
				if s.Tool > 0 && !s.Time.After(m.Time) && (t.Undone || m.FromTool > 0 && s.Tool >= m.FromTool) {
					s.Undone = true
				}
			}
		}
	}
}
