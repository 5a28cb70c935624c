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

// Time limits of a hook call, because an agent and a person wait for it. hookEndLimit is for the
// end of a session.
const (
	hookLimit     = 20 * time.Second
	hookEndLimit  = time.Second
	hookLockLimit = 5 * time.Second // the wait for another hook call in the same tree
)

// Slack is added to the time limits of hook calls: zero in the program, longer in tests, which must
// pass on a busy machine.
var Slack time.Duration

// Hook handles an event of an agent's own session and returns the answer for the agent. It never
// fails, because a fault of belay must not break an agent: errors go to belay's log. A denial stays
// in force if something fails after it.
func Hook(ctx context.Context, s OpenOptions, ev hook.Event) (ans hook.Answer) {
	reads := ev.Tool.Effect == hook.Reads && (ev.Kind == hook.Before || ev.Kind == hook.After)
	if ev.Kind == hook.Other || reads || ev.Kind == hook.Prompt && strings.TrimSpace(ev.Prompt) == "" {
		return hook.Answer{}
	}
	h := &hookCall{ev: ev, ans: &ans, began: time.Now()}
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
	if h.svc, _, err = OpenAnyway(ctx, s); err != nil {
		return denyWithoutRepository(ev) // no repository, or one that belay cannot open
	}
	h.id = session.SessionTask(ev.Agent, ev.Session, h.svc.Session.Repo.Root)
	limit := hookLimit + Slack
	if ev.Kind == hook.End {
		limit = hookEndLimit + Slack
	}
	if ev.Kind == hook.Stop { // the checks have their own limit
		limit += h.svc.Session.Config.Hooks.Timeout
	}
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	if err := h.handle(limited); err != nil {
		h.log(err)
	}
	return ans
}

// hookCall is one call of a hook.
type hookCall struct {
	svc  *Service
	ev   hook.Event
	id   belay.TaskID
	sess *session.HookSession
	ans  *hook.Answer

	began  time.Time
	marked bool // this call has started to handle its event
}

func (h *hookCall) handle(ctx context.Context) error {
	if by, busy := h.svc.Session.TreeLockHolder(); busy && by.Task != "" && by.Task != h.id {
		if h.ev.Kind == hook.Before { // belay runs this agent itself, takes the snapshots and checks the work
			h.judgeToolCall(ctx, h.newTask())
		}
		return nil
	}
	switch h.ev.Kind {
	case hook.Start:
		return h.onStart(ctx)
	case hook.Prompt:
		return h.onPrompt(ctx)
	case hook.Before:
		return h.onBefore(ctx)
	case hook.After:
		return h.onAfter(ctx)
	case hook.Stop:
		return h.onStop(ctx)
	case hook.End:
		return h.onEnd(ctx)
	}
	return nil
}

// withLock runs one step of the session under the lock that serialises hook calls in this tree. It
// first loads the session, or creates its record.
func (h *hookCall) withLock(ctx context.Context, do func() error) error {
	waiting, cancel := context.WithTimeout(ctx, hookLockLimit+Slack)
	defer cancel()
	unlock, err := h.svc.Session.HookLock(waiting)
	if err != nil {
		return err
	}
	defer unlock()
	var moved *journal.MovedError
	for range 3 {
		if err = h.openSession(ctx); err == nil && h.isDuplicate() {
			*h.ans = hook.Answer{}
			if h.ev.Kind == hook.Before { // every duplicate call must deny as well
				h.judgeToolCall(ctx, h.sess.Task)
			}
			return nil
		}
		if err == nil {
			h.marked = true
			err = do()
		}
		if !errors.As(err, &moved) {
			return err
		}
	}
	return err
}

// isDuplicate reports whether the last mark is of the same event: if belay's hooks are installed in
// two places, the agent calls both, mostly at the same time. An event that looks like the previous
// one is the same if its hook was called before the first call finished, or sooner than a person or
// agent could repeat it.
func (h *hookCall) isDuplicate() bool {
	if h.marked {
		return false
	}
	last, ev := h.sess.Last, h.ev
	since := h.began.Sub(h.sess.Time)
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
		if last.Kind == session.MarkDenied { // parallel calls also arrive together, but with different IDs
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

func (h *hookCall) openSession(ctx context.Context) (err error) {
	if h.sess, err = h.svc.Session.LoadHookSession(h.id); belay.CodeOf(err) == belay.CodeNotFound {
		h.sess, err = h.svc.Session.CreateHookSession(ctx, h.newTask())
	}
	return err
}

// newTask returns the task for the session's record. Its rules are frozen, so that an agent cannot
// change its own rules by editing the config.
func (h *hookCall) newTask() belay.Task {
	c := h.svc.Session.Config
	t := belay.Task{
		ID: h.id, Title: "session with " + h.ev.Agent, Prose: "session with " + h.ev.Agent, Role: h.ev.Agent,
		Scope: belay.Scope{Protect: c.Protect}, Preserve: c.Preserve, Checks: h.svc.configuredChecks(),
		Policy: belay.Policy{Retries: c.Hooks.Retries, Retry: belay.RetryRepair},
		Session: &belay.OwnSession{Agent: h.ev.Agent, ID: belay.Clip(belay.VisibleLine(h.ev.Session), 200), Root: h.svc.Session.Repo.Root,
			Destructive: c.Hooks.Destructive, Check: c.Hooks.Check, Limit: c.Hooks.Timeout, Ignored: !h.isLargeRepo()},
	}
	if globs, err := c.Expand(t.Scope.Protect); err == nil {
		t.Scope.Protect = globs
	}
	t.Checks.Timeout = c.Hooks.Timeout
	t.Checks.Tests, t.Checks.Linters = withEventStream(c.Checks.Tests), c.Linters // only configured ones: a person waits
	t.Checks.Skip = append(append([]string{}, t.Checks.Skip...), "change", "scope", "contract", "size", "coverage", "style")
	return t
}

// nextMark derives the next mark from the last one.
func (h *hookCall) nextMark(kind session.MarkKind) session.Mark { return h.sess.Last.Next(kind) }

// snapshotLimit is how long one snapshot may take: an agent waits for it before and after each tool.
var snapshotLimit = func(kind session.MarkKind) time.Duration {
	switch kind {
	case session.MarkStart:
		return 20*time.Second + Slack
	case session.MarkPrompt:
		return 10*time.Second + Slack
	}
	return 5*time.Second + Slack
}

// takeSnapshot takes a snapshot for a mark, or reuses the last one if nothing changed. If it takes
// too long, no more are taken until the next prompt, because a slow hook is worse than a missing
// snapshot.
func (h *hookCall) takeSnapshot(ctx context.Context, m *session.Mark, agents bool, what string) ([]snapshot.Pin, error) {
	kind, command := belay.KindBefore, fmt.Sprintf("turn-%d-%s-%d%s", m.Turn, m.Kind, m.Tools, session.StartMark)
	if agents {
		kind, command = belay.KindAfter, strings.TrimSuffix(command, session.StartMark)
	}
	waits := m.Kind == session.MarkStart || m.Kind == session.MarkPrompt
	if m.Slow && !waits {
		m.Snapshot, m.SnapshotDigest, m.TurnStart = "", "", ""
		return nil, nil
	}
	limited, cancel := context.WithTimeout(ctx, snapshotLimit(m.Kind))
	defer cancel()
	info, err := h.svc.Session.Snaps.TakeWith(limited, snapshot.Meta{Kind: kind, Task: h.id, Attempt: m.Turn, Command: command,
		Message: what, Agent: h.ev.Agent, SkipIfTree: m.SnapshotDigest}, h.svc.Session.SnapshotExtent(&session.Record{Task: h.sess.Task}))
	m.Slow = err != nil && limited.Err() != nil
	switch {
	case errors.Is(err, snapshot.ErrSame):
		return nil, nil
	case m.Slow:
		m.Snapshot, m.SnapshotDigest, m.TurnStart = "", "", ""
		if waits {
			h.ans.Note = "belay: a snapshot takes too long here, so this turn cannot be undone; belay watch makes snapshots faster"
		}
		return nil, fmt.Errorf("take a snapshot: not done within %s", snapshotLimit(m.Kind))
	case err != nil:
		return nil, fmt.Errorf("take a snapshot: %w", err)
	}
	m.Snapshot, m.SnapshotDigest, m.Between = info.ID, info.SnapshotTree, !agents
	return []snapshot.Pin{info.Pin()}, nil
}

func (h *hookCall) onStart(ctx context.Context) error {
	b := h.svc.Brief(ctx)
	if _, err := h.svc.Session.LoadHookSession(h.id); err == nil {
		b.Folder = "" // the session got it at its first start
	}
	if text := b.Text(); text != "" {
		h.ans.Context = text
	}
	h.startWatch(ctx)
	err := h.withLock(ctx, func() error {
		m := h.nextMark(session.MarkStart)
		m.Text, m.Open, m.Background = oneLineOf(h.ev.Source), nil, false
		taken, err := h.takeSnapshot(ctx, &m, false, "session start")
		return errors.Join(err, h.svc.Session.AddMark(ctx, h.sess, m, taken...))
	})
	return errors.Join(err, h.svc.RetainSessions(ctx))
}

// watchIndexSize is the size of the index from which a watcher is worthwhile (about 20,000 files);
// watchStartLimit is the time limit for its start.
const (
	watchIndexSize  = 2 << 20
	watchStartLimit = 3 * time.Second
)

// isLargeRepo reports whether reading all files of the repository takes so long that a person
// notices.
func (h *hookCall) isLargeRepo() bool {
	info, err := fsroot.Lstat(filepath.Join(h.svc.Session.Repo.Dir, "index"))
	return err == nil && info.Size() >= watchIndexSize
}

// startWatch starts a watcher if it makes the session's snapshots faster. Snapshots are also
// correct without one.
func (h *hookCall) startWatch(ctx context.Context) {
	if !h.isLargeRepo() || !h.svc.Session.Config.Hooks.Watch {
		return
	}
	limited, cancel := context.WithTimeout(ctx, watchStartLimit+Slack)
	defer cancel()
	if _, err := h.svc.Watch(limited, watch.DefaultIdle); err != nil {
		h.log(err)
	}
}

func (h *hookCall) onPrompt(ctx context.Context) error {
	again := strings.Contains(h.ev.Prompt, rejectionPrefix) // belay's own message, not a person's prompt
	return h.withLock(ctx, func() error {
		m := h.nextMark(session.MarkPrompt)
		if !again {
			m.Turn++
			m.Rejects, m.Open = 0, nil
		}
		m.Text = oneLineOf(h.ev.Prompt)
		m.Prompt = secret.Mask(h.ev.Prompt)
		taken, err := h.takeSnapshot(ctx, &m, false, "before turn "+fmt.Sprint(m.Turn))
		if !again {
			m.TurnStart = m.Snapshot
		}
		h.ans.Context, m.Undone = m.Undone, ""
		h.resetStall(false)
		return errors.Join(err, h.svc.Session.AddMark(ctx, h.sess, m, taken...))
	})
}

func (h *hookCall) onBefore(ctx context.Context) error {
	err := h.withLock(ctx, func() error {
		if h.judgeToolCall(ctx, h.sess.Task); h.ans.Deny != "" {
			m := h.nextMark(session.MarkDenied)
			m.Tools++
			m.Tool, m.Name, m.Call = m.Tools, h.ev.Tool.Name, h.ev.Tool.Call
			m.Text = oneLineOf(strings.TrimPrefix(h.ans.Deny, denialPrefix))
			return h.svc.Session.AddMark(context.WithoutCancel(ctx), h.sess, m)
		}
		m := h.nextMark(session.MarkBefore)
		m.Tools++
		m.Tool, m.Name, m.Text = m.Tools, h.ev.Tool.Name, toolText(h.ev.Tool)
		agents := len(m.Open) > 0 || m.Background
		taken, err := h.takeSnapshot(ctx, &m, agents, fmt.Sprintf("before tool call %d", m.Tool))
		m.Open = append(m.Open[:len(m.Open):len(m.Open)], session.OpenCall{Call: h.ev.Tool.Call, Tool: m.Tool})
		m.Background = m.Background || h.ev.Tool.Background
		if m.TurnStart == "" { // no prompt event was received
			m.TurnStart = m.Snapshot
		}
		return errors.Join(err, h.svc.Session.AddMark(ctx, h.sess, m, taken...))
	})
	if err != nil && h.sess == nil { // the record cannot be used; still deny destructive commands
		h.judgeToolCall(ctx, h.newTask())
	}
	return err
}

func (h *hookCall) onAfter(ctx context.Context) error {
	return h.withLock(ctx, func() error {
		m := h.nextMark(session.MarkAfter)
		m.Name = h.ev.Tool.Name
		at := slices.IndexFunc(m.Open, func(c session.OpenCall) bool { return c.Call == h.ev.Tool.Call && c.Call != "" })
		if n := len(m.Open) - 1; at < 0 && n >= 0 && (m.Open[n].Call == "" || h.ev.Tool.Call == "") {
			at = n // agents that send no IDs
		}
		if at < 0 {
			return nil // it started before the session's first event, or was denied
		}
		m.Tool = m.Open[at].Tool
		m.Open = append(append([]session.OpenCall{}, m.Open[:at]...), m.Open[at+1:]...)
		taken, err := h.takeSnapshot(ctx, &m, true, fmt.Sprintf("after tool call %d", m.Tool))
		if err != nil && !m.Slow {
			return err // the call stays open, so that the next snapshot attributes its changes to a tool
		}
		if err := errors.Join(err, h.svc.Session.AddMark(ctx, h.sess, m, taken...)); err != nil {
			return err
		}
		return h.checkStall(ctx, m)
	})
}

func (h *hookCall) onEnd(ctx context.Context) error {
	return h.withLock(ctx, func() error {
		m := h.nextMark(session.MarkEnd)
		m.Text, m.Open, m.Background = h.ev.Source, nil, false
		h.resetStall(true)
		return h.svc.Session.AddMark(ctx, h.sess, m)
	})
}

// onStop checks the turn's work. If it is rejected, the agent is kept from stopping.
func (h *hookCall) onStop(ctx context.Context) error {
	var taken []snapshot.Pin
	var m session.Mark
	err := h.withLock(ctx, func() (err error) {
		m = h.nextMark(session.MarkStop)
		agents := len(m.Open) > 0 || m.Background
		m.Open = nil
		if taken, err = h.takeSnapshot(ctx, &m, agents, fmt.Sprintf("end of turn %d", m.Turn)); err != nil {
			return err
		}
		return h.svc.Session.AddMark(ctx, h.sess, m, taken...)
	})
	if err != nil || !h.sess.Task.Session.Check || m.TurnStart == "" || m.TurnStart == m.Snapshot {
		return err
	}
	return h.checkTurn(ctx, m)
}

// checkTurn checks the turn's work and reports the loop's decision to the agent or the person.
func (h *hookCall) checkTurn(ctx context.Context, m session.Mark) error {
	r, err := h.judgeTurn(ctx, m)
	if err != nil || r == nil {
		return err
	}
	st := r.State
	a := lastJudged(st)
	if a == nil {
		return nil
	}
	switch {
	case st.Pending != nil && st.Pending.Kind == loop.CmdAttempt:
		h.ans.Block = rejection(*a, st.Retries, r.Task.Policy.Retries)
	case st.Gate != nil && a.Verdict == belay.VerdictFail:
		h.ans.Note = fmt.Sprintf("belay: still rejected after %s: %s. belay undo --turn reverses the turn; details: belay show %s",
			belay.CountOf(st.Retries, "correction"), oneLineOf(strings.Join(reasonTitles(*a), "; ")), h.id)
	case st.Gate != nil:
		h.ans.Note = fmt.Sprintf("belay: not checked: %s. Details: belay show %s", st.Gate.Why, h.id)
	}
	return h.withLock(ctx, func() error {
		next := h.nextMark(session.MarkStop)
		next.Verdict, next.Text = a.Verdict, oneLineOf(strings.Join(reasonTitles(*a), "; "))
		if h.ans.Block != "" {
			next.Rejects++
		}
		return h.svc.Session.AddMark(ctx, h.sess, next)
	})
}

// log appends an error to the hook log, which shows why a hook did nothing.
func (h *hookCall) log(err error) {
	if h.svc == nil || err == nil {
		return
	}
	const most = 128 << 10
	path := h.svc.Session.Scratch("hooks.log")
	flags := os.O_WRONLY | os.O_CREATE | os.O_APPEND
	if info, serr := fsroot.Lstat(path); serr == nil && info.Size() > most {
		flags = os.O_WRONLY | os.O_CREATE | os.O_TRUNC
	}
	if merr := fsroot.MkdirAll(filepath.Dir(path), 0o700); merr != nil {
		return
	}
	f, ferr := fsroot.OpenFile(path, flags, 0o600)
	if ferr != nil {
		return // the git folder is not writable, so the error cannot be reported
	}
	defer f.Close()
	fmt.Fprintln(f, HookError{Time: time.Now().UTC(), Agent: h.ev.Agent, Event: belay.VisibleLine(h.ev.Name), Session: h.id,
		Error: belay.VisibleLine(secret.Mask(session.ErrorLine(err)))})
}

// HookError is an error of a hook call that was not reported to the agent.
type HookError struct {
	Time    time.Time    `json:"time"`
	Agent   string       `json:"agent"`
	Event   string       `json:"event"` // the agent's name for it
	Session belay.TaskID `json:"session,omitempty"`
	Error   string       `json:"error"`
}

func (e HookError) String() string {
	return fmt.Sprintf("%s %s %s %s: %s", e.Time.Format(time.RFC3339), e.Agent, e.Event, e.Session, e.Error)
}

// HookErrors returns the errors of hook calls, oldest first, of one session or of all for "". The
// log is truncated when it grows too large.
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
			continue // a truncated line
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

// oneLineOf returns the beginning of a text on one line, with secrets masked.
func oneLineOf(text string) string {
	return belay.Clip(secret.Mask(strings.Join(strings.Fields(belay.Visible(text)), " ")), 160)
}

func toolText(t hook.Tool) string {
	if t.Command != "" {
		return oneLineOf(t.Command)
	}
	return oneLineOf(strings.Join(t.Paths, " "))
}
