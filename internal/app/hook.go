package app

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/fsroot"
	"github.com/belay-dev/belay/internal/hook"
	"github.com/belay-dev/belay/internal/journal"
	"github.com/belay-dev/belay/internal/loop"
	"github.com/belay-dev/belay/internal/secret"
	"github.com/belay-dev/belay/internal/session"
	"github.com/belay-dev/belay/internal/snapshot"
	"github.com/belay-dev/belay/internal/watch"
)

// Time limits of a hook call: an agent, and a person, wait for it. A session's end has a second in all.
const (
	hookTime = 20 * time.Second
	hookEnd  = time.Second
	hookWait = 5 * time.Second // for another hook call in the same tree
)

// Slack is added to the limits on what an agent or a person waits for: nothing in the program, a minute in tests, which
// have to pass on a busy machine.
var Slack time.Duration

// Hook is told what happens in an agent's own session, and says what the agent is to be told. It never fails: an agent
// must not break because belay cannot do its part. What went wrong is in belay's log. Only a denial that has been decided
// stays one, whatever fails after it.
func Hook(ctx context.Context, s Setting, ev hook.Event) (ans hook.Answer) {
	reads := ev.Tool.Does == hook.Reads && (ev.Kind == hook.Before || ev.Kind == hook.After)
	if ev.Kind == hook.Other || reads || ev.Kind == hook.Prompt && strings.TrimSpace(ev.Prompt) == "" {
		return hook.Answer{}
	}
	h := &hooks{ev: ev, ans: &ans, began: time.Now()}
	defer func() {
		if p := recover(); p != nil {
			h.log(fmt.Errorf("crashed: %v", p))
		}
	}()
	var err error
	if ev.Dir, err = filepath.Abs(ev.Dir); err != nil {
		return hook.Answer{}
	}
	h.ev.Dir, s.Dir = ev.Dir, ev.Dir
	if h.d, _, err = OpenAnyway(ctx, s); err != nil {
		return withoutRepository(ev) // there is none, or none that belay works in
	}
	h.id = session.SessionTask(ev.Agent, ev.Session, h.d.Session.Repo.Root)
	limit := hookTime + Slack
	if ev.Kind == hook.End {
		limit = hookEnd + Slack
	}
	if ev.Kind == hook.Stop { // its checks have a limit of their own
		limit += h.d.Session.Config.Hooks.Timeout
	}
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	if err := h.handle(limited); err != nil {
		h.log(err)
	}
	return ans
}

// hooks is one hook call.
type hooks struct {
	d   *Service
	ev  hook.Event
	id  belay.TaskID
	sit *session.Sitting
	ans *hook.Answer

	began time.Time
	told  bool // this call has done a step of the event's work
}

func (h *hooks) handle(ctx context.Context) error {
	if by, busy := h.d.Session.Held(); busy && by.Task != "" && by.Task != h.id {
		if h.ev.Kind == hook.Before { // belay runs this agent itself: it takes the snapshots and checks the work
			h.judgeCall(ctx, h.newTask())
		}
		return nil
	}
	switch h.ev.Kind {
	case hook.Start:
		return h.start(ctx)
	case hook.Prompt:
		return h.prompt(ctx)
	case hook.Before:
		return h.before(ctx)
	case hook.After:
		return h.after(ctx)
	case hook.Stop:
		return h.stop(ctx)
	case hook.End:
		return h.end(ctx)
	}
	return nil
}

// locked does one step of the session while no other hook call works in this tree. The session is read, and begun if it
// has no record yet.
func (h *hooks) locked(ctx context.Context, do func() error) error {
	waiting, cancel := context.WithTimeout(ctx, hookWait+Slack)
	defer cancel()
	unlock, err := h.d.Session.HookLock(waiting)
	if err != nil {
		return err
	}
	defer unlock()
	var moved *journal.MovedError
	for range 3 {
		if err = h.open(ctx); err == nil && h.twice() {
			*h.ans = hook.Answer{}
			if h.ev.Kind == hook.Before { // a denial is never left to somebody else
				h.judgeCall(ctx, h.sit.Task)
			}
			return nil
		}
		if err == nil {
			h.told = true
			err = do()
		}
		if !errors.As(err, &moved) {
			return err
		}
	}
	return err
}

// twice reports whether the last mark is of this very event: hooks of belay's are installed in two places, and the agent
// calls both, most of them at the same time. An event that nothing tells from the one before is the same when its hook was
// called before that one's had done its work, or where nobody could say the same again so soon.
func (h *hooks) twice() bool {
	if h.told {
		return false
	}
	last, ev := h.sit.Last, h.ev
	since := h.began.Sub(h.sit.Time)
	atOnce, soon := since < 20*time.Millisecond, since < 2*time.Second
	switch ev.Kind {
	case hook.Before:
		open := func(c session.OpenCall) bool { return c.Call == ev.Tool.Call }
		if ev.Tool.Call != "" && slices.ContainsFunc(last.Open, open) {
			return true
		}
		if last.Name != ev.Tool.Name {
			return false
		}
		if last.Kind == session.MarkDenied { // calls side by side come at once, too: their ids tell them apart
			return atOnce && (last.Call == "" || last.Call == ev.Tool.Call)
		}
		return last.Kind == session.MarkBefore && ev.Tool.Call == "" && soon && last.Text == toolText(ev.Tool)
	case hook.Prompt:
		return last.Kind == session.MarkPrompt && soon && last.Text == oneLineOf(ev.Prompt)
	case hook.Start:
		return last.Kind == session.MarkStart && last.Text == oneLineOf(ev.Source) && atOnce
	case hook.Stop:
		return last.Kind == session.MarkStop && atOnce
	}
	return false
}

func (h *hooks) open(ctx context.Context) (err error) {
	if h.sit, err = h.d.Session.Sit(h.id); belay.CodeOf(err) == belay.CodeNotFound {
		h.sit, err = h.d.Session.CreateSession(ctx, h.newTask())
	}
	return err
}

// newTask is what the session is recorded as. Its rules are frozen now: an agent that edits the config does not change
// what it is held to.
func (h *hooks) newTask() belay.Task {
	c := h.d.Session.Config
	t := belay.Task{
		ID: h.id, Title: "session with " + h.ev.Agent, Prose: "session with " + h.ev.Agent, Role: h.ev.Agent,
		Scope: belay.Scope{Protect: c.Protect}, Preserve: c.Preserve, Checks: h.d.checks(),
		Policy: belay.Policy{Retries: c.Hooks.Retries, Retry: belay.RetryRepair},
		Session: &belay.OwnSession{Agent: h.ev.Agent, ID: belay.Clip(belay.VisibleLine(h.ev.Session), 200), Root: h.d.Session.Repo.Root,
			Destructive: c.Hooks.Destructive, Check: c.Hooks.Check, Limit: c.Hooks.Timeout, Ignored: !h.large()},
	}
	if globs, err := c.Expand(t.Scope.Protect); err == nil {
		t.Scope.Protect = globs
	}
	t.Checks.Timeout = c.Hooks.Timeout
	t.Checks.Tests, t.Checks.Linters = asEvents(c.Checks.Tests), c.Linters // those that are named, no others: a person waits
	t.Checks.Skip = append(append([]string{}, t.Checks.Skip...), "change", "scope", "contract", "size", "coverage", "style")
	return t
}

// mark derives the next mark from the last one.
func (h *hooks) mark(kind session.MarkKind) session.Mark { return h.sit.Last.Next(kind) }

// takeLimit is how long one snapshot may take: an agent waits for it before and after each tool.
var takeLimit = func(kind session.MarkKind) time.Duration {
	switch kind {
	case session.MarkStart:
		return 20*time.Second + Slack
	case session.MarkPrompt:
		return 10*time.Second + Slack
	}
	return 5*time.Second + Slack
}

// take takes a snapshot for a mark, or uses the last one where nothing changed since. Where that takes too long, none is
// taken until the next prompt: a slow belay is worse than none.
func (h *hooks) take(ctx context.Context, m *session.Mark, agents bool, what string) ([]snapshot.Pin, error) {
	kind, command := belay.KindBefore, fmt.Sprintf("turn-%d-%s-%d%s", m.Turn, m.Kind, m.Tools, session.StartMark)
	if agents {
		kind, command = belay.KindAfter, strings.TrimSuffix(command, session.StartMark)
	}
	waits := m.Kind == session.MarkStart || m.Kind == session.MarkPrompt
	if m.Slow && !waits {
		m.Snapshot, m.Whole, m.Begun = "", "", ""
		return nil, nil
	}
	limited, cancel := context.WithTimeout(ctx, takeLimit(m.Kind))
	defer cancel()
	info, err := h.d.Session.Snaps.TakeWith(limited, snapshot.Meta{Kind: kind, Task: h.id, Attempt: m.Turn, Command: command, Message: what,
		Agent: h.ev.Agent, SkipIfTree: m.Whole}, h.d.Session.Extent(&session.Record{Task: h.sit.Task}))
	m.Slow = err != nil && limited.Err() != nil
	switch {
	case errors.Is(err, snapshot.ErrSame):
		return nil, nil
	case m.Slow:
		m.Snapshot, m.Whole, m.Begun = "", "", ""
		if waits {
			h.ans.Note = "belay: a snapshot takes too long here, so this turn cannot be undone; belay watch makes snapshots faster"
		}
		return nil, fmt.Errorf("take a snapshot: not done within %s", takeLimit(m.Kind))
	case err != nil:
		return nil, fmt.Errorf("take a snapshot: %w", err)
	}
	m.Snapshot, m.Whole, m.Between = info.ID, info.SnapshotTree, !agents
	return []snapshot.Pin{info.Pin()}, nil
}

func (h *hooks) start(ctx context.Context) error {
	b := h.d.Brief(ctx)
	if _, err := h.d.Session.Sit(h.id); err == nil {
		b.Folder = "" // the session was told of it when it began
	}
	if text := b.Text(); text != "" {
		h.ans.Context = text
	}
	h.watch(ctx)
	err := h.locked(ctx, func() error {
		m := h.mark(session.MarkStart)
		m.Text, m.Open, m.Behind = oneLineOf(h.ev.Source), nil, false
		taken, err := h.take(ctx, &m, false, "session start")
		return errors.Join(err, h.d.Session.AddMark(ctx, h.sit, m, taken...))
	})
	return errors.Join(err, h.d.RetainSessions(ctx))
}

// From this size of the index on (about 20,000 files) a watch makes snapshots faster; it is waited for no longer than this.
const (
	watchFrom = 2 << 20
	watchWait = 3 * time.Second
)

// large reports whether the repository is one in which reading every file takes longer than a person likes to wait.
func (h *hooks) large() bool {
	info, err := fsroot.Lstat(filepath.Join(h.d.Session.Repo.Dir, "index"))
	return err == nil && info.Size() >= watchFrom
}

// watch starts a watch where it makes the session's snapshots faster. Without one they are as right.
func (h *hooks) watch(ctx context.Context) {
	if !h.large() || !h.d.Session.Config.Hooks.Watch {
		return
	}
	limited, cancel := context.WithTimeout(ctx, watchWait+Slack)
	defer cancel()
	if _, err := h.d.Watch(limited, watch.DefaultIdle); err != nil {
		h.log(err)
	}
}

func (h *hooks) prompt(ctx context.Context) error {
	again := strings.Contains(h.ev.Prompt, rejectedFirst) // the agent was told to fix its work: no person said anything
	return h.locked(ctx, func() error {
		m := h.mark(session.MarkPrompt)
		if !again {
			m.Turn++
			m.Rejects, m.Open = 0, nil
		}
		m.Text = oneLineOf(h.ev.Prompt)
		m.Prompt = secret.Mask(h.ev.Prompt)
		taken, err := h.take(ctx, &m, false, "before turn "+fmt.Sprint(m.Turn))
		if !again {
			m.Begun = m.Snapshot
		}
		h.ans.Context, m.Undone = m.Undone, ""
		h.forgetCalls(false)
		return errors.Join(err, h.d.Session.AddMark(ctx, h.sit, m, taken...))
	})
}

func (h *hooks) before(ctx context.Context) error {
	err := h.locked(ctx, func() error {
		if h.judgeCall(ctx, h.sit.Task); h.ans.Deny != "" {
			m := h.mark(session.MarkDenied)
			m.Tools++
			m.Tool, m.Name, m.Call = m.Tools, h.ev.Tool.Name, h.ev.Tool.Call
			m.Text = oneLineOf(strings.TrimPrefix(h.ans.Deny, deniedFirst))
			return h.d.Session.AddMark(context.WithoutCancel(ctx), h.sit, m)
		}
		m := h.mark(session.MarkBefore)
		m.Tools++
		m.Tool, m.Name, m.Text = m.Tools, h.ev.Tool.Name, toolText(h.ev.Tool)
		agents := len(m.Open) > 0 || m.Behind
		taken, err := h.take(ctx, &m, agents, fmt.Sprintf("before tool call %d", m.Tool))
		m.Open = append(m.Open[:len(m.Open):len(m.Open)], session.OpenCall{Call: h.ev.Tool.Call, Tool: m.Tool})
		m.Behind = m.Behind || h.ev.Tool.Behind
		if m.Begun == "" { // no prompt was seen
			m.Begun = m.Snapshot
		}
		return errors.Join(err, h.d.Session.AddMark(ctx, h.sit, m, taken...))
	})
	if err != nil && h.sit == nil { // the record cannot be used; a destructive command is denied anyway
		h.judgeCall(ctx, h.newTask())
	}
	return err
}

func (h *hooks) after(ctx context.Context) error {
	return h.locked(ctx, func() error {
		m := h.mark(session.MarkAfter)
		m.Name = h.ev.Tool.Name
		at := slices.IndexFunc(m.Open, func(c session.OpenCall) bool { return c.Call == h.ev.Tool.Call && c.Call != "" })
		if n := len(m.Open) - 1; at < 0 && n >= 0 && (m.Open[n].Call == "" || h.ev.Tool.Call == "") {
			at = n // agents that give no IDs
		}
		if at < 0 {
			return nil // it began before belay was told of this session, or was denied
		}
		m.Tool = m.Open[at].Tool
		m.Open = append(append([]session.OpenCall{}, m.Open[:at]...), m.Open[at+1:]...)
		taken, err := h.take(ctx, &m, true, fmt.Sprintf("after tool call %d", m.Tool))
		if err != nil && !m.Slow {
			return err // the call stays open: what it changed is in the next snapshot, and counts as a tool's there
		}
		if err := errors.Join(err, h.d.Session.AddMark(ctx, h.sit, m, taken...)); err != nil {
			return err
		}
		return h.stalled(ctx, m)
	})
}

func (h *hooks) end(ctx context.Context) error {
	return h.locked(ctx, func() error {
		m := h.mark(session.MarkEnd)
		m.Text, m.Open, m.Behind = h.ev.Source, nil, false
		h.forgetCalls(true)
		return h.d.Session.AddMark(ctx, h.sit, m)
	})
}

// stop has the turn's work checked, and keeps the agent from stopping when it is rejected.
func (h *hooks) stop(ctx context.Context) error {
	var taken []snapshot.Pin
	var m session.Mark
	err := h.locked(ctx, func() (err error) {
		m = h.mark(session.MarkStop)
		agents := len(m.Open) > 0 || m.Behind
		m.Open = nil
		if taken, err = h.take(ctx, &m, agents, fmt.Sprintf("end of turn %d", m.Turn)); err != nil {
			return err
		}
		return h.d.Session.AddMark(ctx, h.sit, m, taken...)
	})
	if err != nil || !h.sit.Task.Session.Check || m.Begun == "" || m.Begun == m.Snapshot {
		return err
	}
	return h.check(ctx, m)
}

// check lets the loop decide about the turn's work.
func (h *hooks) check(ctx context.Context, m session.Mark) error {
	r, err := h.judgeTurn(ctx, m)
	if err != nil || r == nil {
		return err
	}
	st := r.State
	a := judgedLast(st)
	if a == nil {
		return nil
	}
	switch {
	case st.Pending != nil && st.Pending.Kind == loop.CmdAttempt:
		h.ans.Block = rejection(*a, st.Retries, r.Task.Policy.Retries)
	case st.Gate != nil && a.Verdict == belay.VerdictFail:
		h.ans.Note = fmt.Sprintf("belay: still rejected after %s: %s. belay undo --turn reverses the turn; details: belay show %s",
			belay.CountOf(st.Retries, "correction"), oneLineOf(strings.Join(titles(*a), "; ")), h.id)
	case st.Gate != nil:
		h.ans.Note = fmt.Sprintf("belay: not checked: %s. Details: belay show %s", st.Gate.Why, h.id)
	}
	return h.locked(ctx, func() error {
		next := h.mark(session.MarkStop)
		next.Verdict, next.Text = a.Verdict, oneLineOf(strings.Join(titles(*a), "; "))
		if h.ans.Block != "" {
			next.Rejects++
		}
		return h.d.Session.AddMark(ctx, h.sit, next)
	})
}

// log writes a line for people who wonder what became of a hook call.
func (h *hooks) log(err error) {
	if h.d == nil || err == nil {
		return
	}
	const most = 128 << 10
	path := h.d.Session.Scratch("hooks.log")
	flags := os.O_WRONLY | os.O_CREATE | os.O_APPEND
	if info, serr := fsroot.Lstat(path); serr == nil && info.Size() > most {
		flags = os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	}
	if merr := fsroot.MkdirAll(filepath.Dir(path), 0o700); merr != nil {
		return
	}
	f, ferr := fsroot.OpenFile(path, flags, 0o600)
	if ferr != nil {
		return // a git folder that cannot be written to: there is nowhere to say it
	}
	defer f.Close()
	fmt.Fprintln(f, HookError{Time: time.Now().UTC(), Agent: h.ev.Agent, Event: belay.VisibleLine(h.ev.Name), Session: h.id,
		Error: belay.VisibleLine(secret.Mask(session.Sentence(err)))})
}

// HookError is what went wrong in a call of a hook, whose agent was not told.
type HookError struct {
	Time    time.Time    `json:"time"`
	Agent   string       `json:"agent"`
	Event   string       `json:"event"` // as the agent names it
	Session belay.TaskID `json:"session,omitempty"`
	Error   string       `json:"error"`
}

func (e HookError) String() string {
	return fmt.Sprintf("%s %s %s %s: %s", e.Time.Format(time.RFC3339), e.Agent, e.Event, e.Session, e.Error)
}

// HookErrors gives what went wrong in hooks, oldest first: of one session, or of all for "". Old ones are deleted.
func (s *Service) HookErrors(of belay.TaskID) ([]HookError, error) {
	text, err := fsroot.ReadFile(s.Session.Scratch("hooks.log"), fsroot.MaxSmallFile)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	list := []HookError{}
	for line := range strings.Lines(string(text)) {
		head, said, ok := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		words := strings.Split(head, " ")
		if !ok || len(words) < 4 {
			continue // a line that was cut
		}
		at, err := time.Parse(time.RFC3339, words[0])
		session := belay.TaskID(words[len(words)-1])
		if err == nil && (of == "" || of == session) {
			event := strings.Join(words[2:len(words)-1], " ")
			list = append(list, HookError{Time: at, Agent: words[1], Event: event, Session: session, Error: said})
		}
	}
	return list, nil
}

// oneLineOf is the beginning of a text, on one line and without secrets.
func oneLineOf(text string) string {
	return belay.Clip(secret.Mask(strings.Join(strings.Fields(belay.Visible(text)), " ")), 160)
}

func toolText(t hook.Tool) string {
	if t.Command != "" {
		return oneLineOf(t.Command)
	}
	return oneLineOf(strings.Join(t.Paths, " "))
}
