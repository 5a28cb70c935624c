package runner

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/belay-dev/belay/internal/agent"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/fence"
	"github.com/belay-dev/belay/internal/fsroot"
	"github.com/belay-dev/belay/internal/loop"
	"github.com/belay-dev/belay/internal/prompt"
	"github.com/belay-dev/belay/internal/session"

	"github.com/belay-dev/belay/internal/restore"
	"github.com/belay-dev/belay/internal/secret"
)

// runAttempt runs the agent, or continues the run that this command started before belay was
// killed: an hour of agent work is never repeated.
func (d *Driver) runAttempt(ctx context.Context, c loop.Command) (loop.Event, error) {
	dir := d.Session.RunDir(d.Record.Task.ID, c.ID)
	run, err := agent.Attach(dir)
	if errors.Is(err, fs.ErrNotExist) {
		run, err = d.startAttempt(ctx, c, dir)
	} else if err == nil {
		d.Observer.Note(fmt.Sprintf("attempt %d: reconnecting to the running agent", c.Attempt))
	}
	if err != nil {
		return loop.Event{}, err
	}
	watch := agent.NewStallWatch(d.Session.Repo.Root, d.Record.Task.Repeats)
	watch.Tree = func() string { return d.currentTree(ctx) }
	end, err := d.awaitAttempt(ctx, run, dir, watch, c.Session)
	if err != nil {
		return loop.Event{}, err
	}
	if d.isSessionMissing(c, run, end) {
		// The renamed folder records that the session is missing, also for a process that resumes
		// this command after a crash.
		if err := fsroot.Rename(dir, dir+missingSessionMark); err != nil {
			return loop.Event{}, fmt.Errorf("start a new session: %w", err)
		}
		d.Observer.Note(fmt.Sprintf("attempt %d: the agent no longer has its session; starting a new one", c.Attempt))
		return d.runAttempt(ctx, c)
	}
	if why := agent.UnwatchedNote(d.Record.Task.Agent); why != "" && d.Record.Task.Repeats > 1 &&
		end.Result.OutputBytes > 0 && !watch.HasEvents() {
		d.Observer.Note(fmt.Sprintf("attempt %d: %s", c.Attempt, why))
	}
	return d.endedEvent(ctx, c, run, end)
}

// missingSessionMark is appended to the name of a run's folder when its agent no longer had
// the session to continue.
const missingSessionMark = "-gone"

// continueArgs returns the arguments with which the agent continues the session of the
// previous attempt. ok is false when a new session is started.
func (d *Driver) continueArgs(c loop.Command, dir string) (words []string, ok bool) {
	if _, err := fsroot.Lstat(dir + missingSessionMark); !errors.Is(err, fs.ErrNotExist) {
		return nil, false
	}
	return agent.ResumeSession(d.Record.Task.Agent, c.Session)
}

// isSessionMissing reports whether an attempt ended because the session to continue no longer
// exists.
func (d *Driver) isSessionMissing(c loop.Command, run *agent.Run, end End) bool {
	if _, ok := d.continueArgs(c, d.Session.RunDir(d.Record.Task.ID, c.ID)); !ok || end.Result.Ended != agent.EndedExit {
		return false
	}
	var out bytes.Buffer
	if size, err := run.Output(&out); err != nil || size.Cut > 0 { // an agent that printed that much has worked
		return false
	}
	return agent.SessionMissing(&out)
}

// currentTree returns the tree ID of the current files, "" when it cannot be read: the agent
// may be writing.
func (d *Driver) currentTree(ctx context.Context) string {
	tree, err := d.Session.Snaps.StoreFilesTree(ctx, d.Session.SnapshotExtent(d.Record))
	if err != nil {
		return ""
	}
	return tree
}

// waitBeforeAttempt waits for the time in an attempt's command. ErrParked when a person stops
// the wait.
func (d *Driver) waitBeforeAttempt(c loop.Command) error {
	if c.Wait <= 0 {
		return nil
	}
	d.Observer.Note(fmt.Sprintf("the agent failed, perhaps temporarily: waiting %s before attempt %d", c.Wait, c.Attempt))
	select {
	case <-d.Soft.Done():
		return ErrParked
	case <-time.After(c.Wait):
		return nil
	}
}

// startAttempt takes the snapshot that the attempt starts from, writes the prompt and starts
// the agent.
func (d *Driver) startAttempt(ctx context.Context, c loop.Command, dir string) (*agent.Run, error) {
	t := d.Record.Task
	if len(t.Agent) == 0 {
		return nil, belay.Refuse(belay.CodeUsage, fmt.Sprintf("belay run --resume %s -- AGENT ARGS…", t.ID),
			"%s has no agent command", t.ID)
	}
	command, err := d.Session.Gate.Program(t.Agent)
	if err != nil {
		return nil, err
	}
	if words, ok := d.continueArgs(c, dir); ok {
		d.Observer.Note(fmt.Sprintf("attempt %d continues session %s of %s", c.Attempt, c.Session.ID, c.Session.Agent))
		command = command.More(words...)
	} else if words, ok := agent.BeginSession(t.Agent); ok {
		command = command.More(words...)
	}
	if err := d.waitBeforeAttempt(c); err != nil {
		return nil, err
	}
	if err := d.SnapshotStart(ctx, c); err != nil {
		return nil, err
	}
	prompt, err := d.writePrompt(ctx, c)
	if err != nil {
		return nil, err
	}
	say := func(note string) {
		if c.Attempt == 1 {
			d.Observer.Note(note)
		}
	}
	return StartAgent(ctx, d.Session, dir, agent.Spec{
		Command: command, Dir: d.Session.Repo.Root, Prompt: []byte(prompt), Timeout: t.Timeout,
		Label: fmt.Sprintf("%s attempt %d", t.ID, c.Attempt),
		Env: agent.BuildEnviron(os.Environ(), nil, d.contextEnv(d.Session.TreeEnv(map[string]string{
			"BELAY_TASK": string(t.ID), "BELAY_ATTEMPT": strconv.Itoa(c.Attempt),
		}), "")),
	}, FenceRequest{}, say)
}

// SnapshotStart takes the snapshot that an attempt starts from, once. The first attempt starts from
// the before snapshot.
func (d *Driver) SnapshotStart(ctx context.Context, c loop.Command) error {
	if c.Attempt == 1 && d.Record.State.Losts == 0 {
		return nil
	}
	command := c.ID + session.StartMark
	if _, err := d.takeOnce(ctx, d.snapshotMeta(belay.KindBefore, c.Attempt, command, fmt.Sprintf("before attempt %d",
		c.Attempt))); err != nil {
		return err
	}
	return d.Session.RecordTaken(ctx, d.Record, command) // before the agent runs, not after it has ended
}

// awaitAttempt waits for a run and shows its output. If watch is set, repeating the same tool
// calls ends the run.
func (d *Driver) awaitAttempt(ctx context.Context, run *agent.Run, dir string, watch *agent.StallWatch,
	continued belay.AgentSession) (End, error) {
	task := d.Record.Task.ID
	var before belay.Use
	for _, a := range d.Record.State.Attempts {
		if a.Session == continued && a.Session.ID != "" {
			before = before.Plus(a.Use)
		}
	}
	return Run{
		Session: continued.ID, Before: before,
		Agent: run, Dir: dir, Soft: d.Soft, Live: d.Observer.Output(), Stall: watch, Note: d.Observer.Note, Prices: d.Session.Config.Prices,
		Limit: func(used belay.Use) string { return loop.ReachedLimit(d.Record.Task.Policy, d.Record.State, used) },
		Used:  func(used belay.Use) { d.Observer.Used(task, used) },
	}.Await(ctx)
}

// endedEvent turns the end of a run into an event for the loop.
func (d *Driver) endedEvent(ctx context.Context, c loop.Command, run *agent.Run, res End) (loop.Event, error) {
	d.reportDenials(ctx, c, res.Result.Denied)
	ev := loop.Event{Kind: loop.EvAttempted, Command: c.ID, Exit: res.Result.Exit, Elapsed: res.Result.Elapsed,
		Note: res.Result.Error, Use: res.Use, Session: agent.SessionOf(d.Record.Task.Agent, cmp.Or(res.Session, run.Session()))}
	if _, ok := d.continueArgs(c, d.Session.RunDir(d.Record.Task.ID, c.ID)); ok && ev.Session.ID == "" { // it ended too early
		ev.Session = c.Session
	}
	for _, text := range UnknownLimits(d.Record.Task.Policy, d.Record.State.Attempts, res.Use) {
		d.Observer.Note(text)
	}
	ev.Log = d.Session.KeepOutput(run, d.Record.Task, d.Observer.Note)
	ev.Sent = d.Session.KeepPrompt(run, d.Record.Task, d.Observer.Note)
	switch res.Result.Ended {
	case "stopped":
		ev.Kind, ev.Ended, ev.By = loop.EvCancelled, loop.EndedStopped, "terminal"
		switch {
		case res.Stall != "":
			ev.Kind, ev.Ended, ev.By, ev.Note = loop.EvStalled, loop.EndedStalled, "", res.Stall
		case res.Limit != "":
			ev.Kind, ev.Ended, ev.By, ev.Note = loop.EvLimited, loop.EndedLimit, "", res.Limit
		case res.Blocked != "":
			ev.Kind, ev.Ended, ev.By, ev.Blocked = loop.EvAttempted, loop.EndedExit, "", res.Blocked
			return ev, nil
		case !res.Stopped:
			ev.By = "belay cancel"
		}
	case "lost":
		ev.Kind, ev.Ended = loop.EvLost, loop.EndedLost
	case "timeout", "quiet":
		ev.Ended = loop.EndedTimeout
	default:
		ev.Ended = loop.EndedExit
	}
	if res.Result.Signal != "" && ev.Note == "" {
		ev.Note = "ended by signal " + res.Result.Signal
	}
	if ev.Ended == loop.EndedExit {
		words := ""
		words, ev.Transient, ev.Blocked = lastMessage(run, ev.Exit)
		if ev.Note == "" || words == "" {
			ev.Note += words
		} else {
			ev.Note += ": " + words
		}
	}
	return ev, nil
}

// reportDenials reports and records what the agent's fence denied, also after a person stopped it.
func (d *Driver) reportDenials(ctx context.Context, c loop.Command, list []fence.Denial) {
	_ = fsroot.RemoveAll(tempFolder(d.Session.RunDir(d.Record.Task.ID, c.ID)))
	text := DenialsLine(list)
	if text == "" {
		return
	}
	text = fmt.Sprintf("attempt %d: %s", c.Attempt, text)
	d.Observer.Note(text)
	note := session.Note{Kind: "fence", Text: text}
	for _, one := range list {
		note.Paths = append(note.Paths, one.Path)
	}
	if slices.ContainsFunc(d.Record.Notes, func(n session.Note) bool { return n.Kind == note.Kind && n.Text == text }) {
		return // recorded before belay was killed
	}
	if err := d.Session.AddNote(ctx, d.Record, note); err != nil {
		d.Observer.Note(err.Error())
	}
}

// writePrompt writes the agent's prompt, and the files for agents that read files.
func (d *Driver) writePrompt(ctx context.Context, c loop.Command) (string, error) {
	t, st := d.Record.Task, d.Record.State
	for name, text := range map[string]string{"task.md": prompt.TaskFile(t), "feedback.md": prompt.Feedback(st)} {
		if err := d.Session.WriteNow(name, text); err != nil {
			d.Observer.Note(err.Error())
		}
	}
	if err := d.writeFullFiles(ctx); err != nil {
		return "", err
	}
	if a, ok := prompt.LastReviewed(st); ok && c.Prompt == loop.PromptRepair {
		return d.fixPrompt(ctx, a)
	}
	return d.PromptText(ctx, c.Prompt)
}

// promptInput returns the input of every prompt.
func (d *Driver) promptInput(kind loop.PromptKind) prompt.PromptInput {
	in := prompt.PromptInput{Task: d.Record.Task, State: d.Record.State, Kind: kind, History: d.historyLines(),
		Now: d.Session.NowFiles(), FullFiles: d.fullFiles()}
	in.Plan.Path, in.Plan.Lines = d.Session.PlanMarks(d.Record)
	return in
}

// writeFullFiles writes the full text of what a prompt quotes of the last attempt, because the
// prompt may cut it.
func (d *Driver) writeFullFiles(ctx context.Context) error {
	diff, err := d.lastDiff(ctx)
	if err != nil {
		return err
	}
	var findings string
	if a := prompt.LastRefused(d.Record.State); a != nil {
		findings = prompt.AllFindings(a.Reasons())
	}
	for name, text := range map[string]string{"last.diff": secret.Mask(diff), "findings.md": findings} {
		if err := d.Session.WriteNow(name, text); err != nil {
			d.Observer.Note(err.Error()) // not fatal: the prompt contains the most important parts
		}
	}
	return nil
}

// fullFiles returns the paths of these files.
func (d *Driver) fullFiles() (w prompt.FullFiles) {
	now := d.Session.NowFiles()
	if now.Diff {
		w.Diff = ".belay/now/last.diff"
	}
	if now.Findings {
		w.Findings = ".belay/now/findings.md"
	}
	return w
}

// PromptText returns the prompt of a kind for the next attempt.
func (d *Driver) PromptText(ctx context.Context, kind loop.PromptKind) (string, error) {
	st, in := d.Record.State, d.promptInput(kind)
	if kind == loop.PromptRetry || kind == loop.PromptRepair {
		diff, err := d.lastDiff(ctx)
		if err != nil {
			return "", err
		}
		in.LastDiff = diff
	}
	if a := previousAttempt(st); a != nil && kind == loop.PromptStall {
		in.Stuck.Requirement, in.Stuck.Section = FindStuck(d.Record.Task, a.Note, session.FileReader(d.Session.Repo.Root, maxDiff))
	}
	if n := len(st.Attempts); n > 1 {
		in.Kept = st.Attempts[n-2].Kept
	}
	return prompt.Prompt(in), nil
}

// previousAttempt returns the attempt before the one that starts, nil for none.
func previousAttempt(s loop.State) *loop.Attempt {
	if n := len(s.Attempts); n > 1 {
		return &s.Attempts[n-2]
	}
	return nil
}

// maxDiff limits the diff that is read for a prompt; package prompt cuts it further.
const maxDiff = 256 << 10

// lastDiff returns what the last checked attempt changed since the before snapshot.
func (d *Driver) lastDiff(ctx context.Context) (string, error) {
	st := d.Record.State
	for i := len(st.Attempts) - 1; i >= 0; i-- {
		if st.Attempts[i].Snapshot == "" || st.Before == "" {
			continue
		}
		if d.cachedDiff.of == st.Attempts[i].Snapshot {
			return d.cachedDiff.text, nil
		}
		var b limitedBuffer
		err := d.Session.Snaps.PatchForModels(ctx, st.Before, st.Attempts[i].Snapshot, &b)
		if err != nil && !b.full {
			return "", err
		}
		d.cachedDiff.of, d.cachedDiff.text = st.Attempts[i].Snapshot, b.String()
		return d.cachedDiff.text, nil
	}
	return "", nil
}

// limitedBuffer keeps the first maxDiff bytes written to it and discards the rest.
type limitedBuffer struct {
	bytes.Buffer
	full bool
}

func (l *limitedBuffer) Write(p []byte) (int, error) {
	if room := maxDiff - l.Len(); len(p) > room {
		l.full = true
		l.Buffer.Write(p[:max(0, room)])
		return len(p), nil
	}
	return l.Buffer.Write(p)
}

// runDebugger asks the debugger, or the agent itself if none is set, for the root cause. It
// works in a copy of what the last attempt left, so nothing it does can reach the user's tree.
// Its answer becomes guidance for the next attempt.
func (d *Driver) runDebugger(ctx context.Context, c loop.Command) (loop.Event, error) {
	t, st := d.Record.Task, d.Record.State
	argv := t.Debugger
	if len(argv) == 0 {
		argv = t.Agent
	}
	dir := d.Session.RunDir(t.ID, c.ID)
	run, err := agent.Attach(dir)
	if errors.Is(err, fs.ErrNotExist) {
		command, refused := d.Session.Gate.Program(argv)
		if refused != nil {
			return loop.Event{}, refused
		}
		copied := dir + "-tree"
		if err := d.exportLast(ctx, copied); err != nil {
			return loop.Event{}, err
		}
		run, err = StartAgent(ctx, d.Session, dir, agent.Spec{
			Command: command, Dir: copied, Timeout: t.Timeout, Label: string(t.ID) + " debugger",
			Prompt: []byte(prompt.Debug(d.promptInput(loop.PromptFull))),
			Env: agent.BuildEnviron(os.Environ(), nil, map[string]string{
				"BELAY_TASK": string(t.ID), "BELAY_ATTEMPT": strconv.Itoa(len(st.Attempts)), "BELAY_ROLE": "debugger",
			}),
		}, FenceRequest{Dir: copied}, func(string) {})
	}
	if err != nil {
		return loop.Event{}, err
	}
	end, err := d.awaitAttempt(ctx, run, dir, nil, belay.AgentSession{})
	if err != nil {
		return loop.Event{}, err
	}
	if end.Stopped {
		return loop.Event{}, ErrParked
	}
	ev, err := d.debuggedEvent(run, end.Result)
	if err != nil { // count what it used anyway
		ev = loop.Event{Kind: loop.EvBroken, Note: session.ErrorLine(err)}
		if why := cmp.Or(end.Limit, end.Blocked); why != "" {
			ev.Note = why
		}
	}
	ev.Use = end.Use
	return ev, nil
}

func (d *Driver) debuggedEvent(run *agent.Run, res agent.Result) (loop.Event, error) {
	var said bytes.Buffer
	if _, err := run.Output(&said); err != nil {
		return loop.Event{}, fmt.Errorf("read the diagnosis: %w", err)
	}
	if res.Ended != "exit" || res.Exit != 0 || len(bytes.TrimSpace(said.Bytes())) == 0 {
		return loop.Event{}, belay.Refuse(belay.CodeCannot, "choose guide and write instructions yourself",
			"the diagnosis agent gave no answer (%s, exit %d, %d bytes)", res.Ended, res.Exit, said.Len())
	}
	text := said.String()
	if final, ok := agent.FinalMessage(strings.NewReader(text)); ok && final != "" {
		text = final
	}
	text = secret.Mask(text)
	if const16k := 16 << 10; len(text) > const16k { // keep the end, with its conclusion
		text = text[len(text)-const16k:]
	}
	return loop.Event{Kind: loop.EvDebugged, Note: text, Elapsed: res.Elapsed,
		Log: d.Session.KeepOutput(run, d.Record.Task, d.Observer.Note)}, nil
}

// exportLast copies the result of the last attempt (or the before snapshot) to a folder.
func (d *Driver) exportLast(ctx context.Context, dir string) error {
	id := d.Record.State.Before
	for _, a := range d.Record.State.Attempts {
		if a.Snapshot != "" {
			id = a.Snapshot
		}
	}
	if err := fsroot.RemoveAll(dir); err != nil {
		return fmt.Errorf("empty %s: %w", dir, err)
	}
	if err := fsroot.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		return fmt.Errorf("make %s: %w", dir, err)
	}
	return restore.Export(ctx, d.Session.Snaps, id, dir)
}
