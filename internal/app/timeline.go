package app

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/session"
)

// Timeline is the history of an agent's own session.
type Timeline struct {
	Session belay.TaskID   `json:"session"`
	Agent   string         `json:"agent"`
	Started time.Time      `json:"started"`
	Changed time.Time      `json:"changed"`
	Turns   []TimelineTurn `json:"turns"`
}

// TimelineTurn is a prompt and what followed it. Turn 0 is the time before the first prompt.
type TimelineTurn struct {
	Turn       int              `json:"turn"`
	Prompt     string           `json:"prompt"`
	Time       time.Time        `json:"time"`
	Verdict    belay.Verdict    `json:"verdict,omitempty"` // of the checks at its end
	Rejections int              `json:"rejected"`          // number of rejections by the checks
	Undone     bool             `json:"undone"`            // reverted by a person
	Steps      []TimelineStep   `json:"steps"`
	Before     belay.SnapshotID `json:"snapshot"` // the state before the turn
}

// TimelineStep is one event in a turn.
type TimelineStep struct {
	Kind    session.MarkKind `json:"kind"`           // tool, denied, change (by someone else), undo, stop, stall
	Tool    int              `json:"tool,omitempty"` // the call's number, for belay undo --tool
	Name    string           `json:"name,omitempty"`
	Text    string           `json:"text,omitempty"`
	By      string           `json:"by"` // tool, session (another one), person (no agent worked), outside (person or process), belay
	Time    time.Time        `json:"time"`
	Changes []belay.Change   `json:"changes"`
	Git     []string         `json:"git,omitempty"` // what changed in git: HEAD, refs, config, hooks
	Before  belay.SnapshotID `json:"before,omitempty"`
	After   belay.SnapshotID `json:"after,omitempty"`
	Undone  bool             `json:"undone,omitempty"`
	Problem string           `json:"problem,omitempty"` // why the changes are unknown
}

// Values of TimelineStep.By.
const (
	byTool    = "tool"
	byOutside = "outside"
	byPerson  = "person"
	bySession = "session"
	byBelay   = "belay"
)

// sessionOf finds an agent's own session in this working tree: the named one, or the latest.
// CodeNotFound otherwise.
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

// Timeline lists a session turn by turn. A tool call that has not returned is listed with the
// changes since it started, which an undo would revert. It writes nothing to the record.
func (s *Service) Timeline(ctx context.Context, name string) (Timeline, error) {
	r, err := s.sessionOf(name)
	if err != nil {
		return Timeline{}, err
	}
	why := ""
	if s.showsOpenCall(r) {
		seen, _, err := s.withInterrupted(ctx, r)
		if err != nil { // then the record is shown without these changes
			why = session.ErrorLine(err)
		}
		r = seen
	}
	t, err := s.timelineOf(ctx, r)
	if n := len(t.Turns); err == nil && why != "" && n > 0 {
		t.Turns[n-1].markUnknown(r.Marks[len(r.Marks)-1].Open, why)
	}
	return t, err
}

// showsOpenCall reports whether the changes since the last snapshot are attributed to a session's
// open call. Not for an earlier session: its agent may have ended days ago, and all later work
// would be attributed to it. Not after an undo, which reverted the call. And not after an
// interrupted restore, because taking a snapshot would complete it, and a timeline only reads.
func (s *Service) showsOpenCall(r *session.Record) bool {
	n := len(r.Marks)
	if n == 0 || !hasOpenCall(r.Marks[n-1].Mark) || s.Session.Restores.Interrupted() {
		return false
	}
	latest, err := s.sessionOf("")
	return err == nil && latest.Task.ID == r.Task.ID
}

// markUnknown sets the problem of the newest open call.
func (t *TimelineTurn) markUnknown(open []session.OpenCall, why string) {
	for i := range t.Steps {
		if s := &t.Steps[i]; s.Kind == "tool" && s.Tool == open[len(open)-1].Tool {
			s.Problem = why
		}
	}
}

// timelineOf returns the timeline of a session record.
func (s *Service) timelineOf(ctx context.Context, r *session.Record) (Timeline, error) {
	t := Timeline{Session: r.Task.ID, Agent: r.Task.Session.Agent, Started: r.Created, Changed: r.Changed, Turns: []TimelineTurn{}}
	back, err := s.Session.Restores.UndoneRestores()
	if err != nil {
		back = func(belay.SnapshotID) bool { return false }
	}
	b := &timelineBuilder{svc: s, ctx: ctx, timeline: &t, stepOfCall: map[int]int{}}
	if b.sessions, err = s.Session.Sessions(); err != nil {
		return t, err
	}
	for _, m := range r.Marks {
		b.addMark(m)
	}
	b.markUndone(r.Marks, back)
	return t, nil
}

// timelineBuilder turns marks into steps.
type timelineBuilder struct {
	svc          *Service
	ctx          context.Context
	timeline     *Timeline
	lastSnapshot belay.SnapshotID
	lastTime     time.Time         // of the previous mark
	sessions     []*session.Record // the sessions in this working tree
	stepOfCall   map[int]int       // step numbers of the open calls, in the last turn
	open         []session.OpenCall
}

func (b *timelineBuilder) turnOf(m session.TimedMark) *TimelineTurn {
	if n := len(b.timeline.Turns); n > 0 && b.timeline.Turns[n-1].Turn == m.Turn {
		return &b.timeline.Turns[n-1]
	}
	b.stepOfCall = map[int]int{}
	b.timeline.Turns = append(b.timeline.Turns, TimelineTurn{Turn: m.Turn, Time: m.Time, Steps: []TimelineStep{}, Before: m.TurnStart})
	return &b.timeline.Turns[len(b.timeline.Turns)-1]
}

// compare compares two snapshots. why is set if that was not possible.
func (b *timelineBuilder) compare(from, to belay.SnapshotID) (list []belay.Change, why string) {
	if from == "" || from == to {
		return []belay.Change{}, ""
	}
	list, err := b.svc.Session.Snaps.Changes(b.ctx, from, to)
	if err != nil {
		return []belay.Change{}, session.ErrorLine(err)
	}
	if list == nil {
		list = []belay.Change{}
	}
	return list, ""
}

// gitChanges returns the names of what differs in git between two snapshots: HEAD, refs, settings
// and hooks. Parts that cannot be compared are left out; then the step has a problem.
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

func (b *timelineBuilder) addMark(m session.TimedMark) {
	if m.Between && b.lastSnapshot != "" { // a change before the mark's turn
		list, why := b.compare(b.lastSnapshot, m.Snapshot)
		if len(list) == 0 && why == "" {
			b.lastSnapshot = m.Snapshot // only the index differs
		}
		turn := b.turnOf(m)
		if n := len(b.timeline.Turns); m.Kind == session.MarkPrompt && n > 1 && len(turn.Steps) == 0 && turn.Prompt == "" {
			turn = &b.timeline.Turns[n-2]
		}
		if b.lastSnapshot != m.Snapshot {
			by, text := b.author(m)
			turn.Steps = append(turn.Steps, TimelineStep{Kind: "change", By: by, Text: text, Time: m.Time, Changes: list,
				Before: b.lastSnapshot, After: m.Snapshot, Problem: why})
		}
	}
	turn := b.turnOf(m)
	if n := len(b.open); n > 0 && !m.Between && m.Snapshot != b.lastSnapshot && m.Kind != session.MarkUndo {
		b.setChanges(turn, b.open[n-1].Tool, m.Snapshot) // the call may never be reported as returned
	}
	b.open = m.Open
	step := TimelineStep{Tool: m.Tool, Name: m.Name, Text: m.Text, By: byTool, Time: m.Time, Changes: []belay.Change{}, Before: m.Snapshot}
	switch m.Kind {
	case session.MarkPrompt:
		if turn.Prompt == "" {
			turn.Prompt, turn.Time, turn.Before = m.Text, m.Time, m.TurnStart
		}
	case session.MarkBefore:
		step.Kind = "tool"
		b.stepOfCall[m.Tool] = len(turn.Steps)
		turn.Steps = append(turn.Steps, step)
	case session.MarkAfter:
		b.setChanges(turn, m.Tool, m.Snapshot)
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
		turn.Verdict, turn.Rejections = m.Verdict, max(turn.Rejections, m.Rejects)
		if m.Verdict == belay.VerdictFail {
			step.Kind, step.By = m.Kind, byBelay
			turn.Steps = append(turn.Steps, step)
		}
	}
	if m.Snapshot != "" {
		b.lastSnapshot = m.Snapshot
	}
	b.lastTime = m.Time
}

// setChanges sets a tool call's changes, up to the snapshot by.
func (b *timelineBuilder) setChanges(turn *TimelineTurn, tool int, by belay.SnapshotID) {
	if i, ok := b.stepOfCall[tool]; ok && i < len(turn.Steps) {
		s := &turn.Steps[i]
		s.After = by
		s.Changes, s.Problem = b.compare(s.Before, by)
		s.Git = b.svc.gitChanges(b.ctx, s.Before, by)
	}
}

// author returns who made a change that no tool of this session made, as far as known.
func (b *timelineBuilder) author(m session.TimedMark) (by, text string) {
	for _, r := range b.sessions {
		for _, o := range r.Marks {
			if r.Task.ID != b.timeline.Session && o.Kind == session.MarkAfter && o.Time.After(b.lastTime) && o.Time.Before(m.Time) {
				return bySession, string(r.Task.ID)
			}
		}
	}
	if m.Kind == session.MarkPrompt || m.Kind == session.MarkStart {
		return byPerson, ""
	}
	return byOutside, ""
}

// markUndone marks the steps that were undone and not redone.
func (b *timelineBuilder) markUndone(marks []session.TimedMark, redone func(belay.SnapshotID) bool) {
	for _, m := range marks {
		if m.Kind != session.MarkUndo || redone(m.Rescue) {
			continue
		}
		for i := range b.timeline.Turns {
			t := &b.timeline.Turns[i]
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
