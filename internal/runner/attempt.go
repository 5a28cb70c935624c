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

// attempt runs the agent, or takes up the run that this command started before
// belay was killed: an hour of agent work is never done twice.
func (d *Driver) attempt(ctx context.Context, c loop.Command) (loop.Event, error) {
	dir := d.Session.RunDir(d.Rec.Task.ID, c.ID)
	run, err := agent.Attach(dir)
	if errors.Is(err, fs.ErrNotExist) {
		run, err = d.launch(ctx, c, dir)
	} else if err == nil {
		d.Watch.Note(fmt.Sprintf("attempt %d: reconnecting to the running agent", c.Attempt))
	}
	if err != nil {
		return loop.Event{}, err
	}
	watch := agent.NewStallWatch(d.Session.Repo.Root, d.Rec.Task.Repeats)
	watch.Tree = func() string { return d.treeNow(ctx) }
	end, err := d.await(ctx, run, dir, watch, c.Session)
	if err != nil {
		return loop.Event{}, err
	}
	if d.gone(c, run, end) {
		// Renamed, it says that the session is gone, also to whoever takes up this command after a crash.
		if err := fsroot.Rename(dir, dir+goneMark); err != nil {
			return loop.Event{}, fmt.Errorf("start a new session: %w", err)
		}
		d.Watch.Note(fmt.Sprintf("attempt %d: the agent no longer has its session; starting a new one", c.Attempt))
		return d.attempt(ctx, c)
	}
	if why := agent.UnwatchedNote(d.Rec.Task.Agent); why != "" && d.Rec.Task.Repeats > 1 &&
		end.Result.OutputBytes > 0 && !watch.HasEvents() {
		d.Watch.Note(fmt.Sprintf("attempt %d: %s", c.Attempt, why))
	}
	return d.ended(c, run, end)
}

// goneMark is what the folder of a run is renamed with whose agent no longer had the session it was to continue.
const goneMark = "-gone"

// continued gives the words with which the agent continues the session of the attempt before; ok is false where a new
// session is started.
func (d *Driver) continued(c loop.Command, dir string) (words []string, ok bool) {
	if _, err := fsroot.Lstat(dir + goneMark); !errors.Is(err, fs.ErrNotExist) {
		return nil, false
	}
	return agent.ResumeSession(d.Rec.Task.Agent, c.Session)
}

// gone reports whether an attempt ended because the session that it was to continue is no longer there.
func (d *Driver) gone(c loop.Command, run *agent.Run, end End) bool {
	if _, ok := d.continued(c, d.Session.RunDir(d.Rec.Task.ID, c.ID)); !ok || end.Result.Ended != agent.EndedExit {
		return false
	}
	var out bytes.Buffer
	if size, err := run.Output(&out); err != nil || size.Cut > 0 { // who prints that much has worked
		return false
	}
	return agent.SessionMissing(&out)
}

// treeNow names the state of the files, "" when it cannot be read: the agent may be writing.
func (d *Driver) treeNow(ctx context.Context) string {
	tree, err := d.Session.Snaps.StoreFilesTree(ctx, d.Session.Extent(d.Rec))
	if err != nil {
		return ""
	}
	return tree
}

// waits lets the time pass that an attempt is to wait. ErrParked when a person stops that.
func (d *Driver) waits(c loop.Command) error {
	if c.Wait <= 0 {
		return nil
	}
	d.Watch.Note(fmt.Sprintf("the agent failed, perhaps temporarily: waiting %s before attempt %d", c.Wait, c.Attempt))
	select {
	case <-d.Soft.Done():
		return ErrParked
	case <-time.After(c.Wait):
		return nil
	}
}

// launch holds the state the attempt starts from, writes the prompt and starts.
func (d *Driver) launch(ctx context.Context, c loop.Command, dir string) (*agent.Run, error) {
	t := d.Rec.Task
	if len(t.Agent) == 0 {
		return nil, belay.Refuse(belay.CodeUsage, fmt.Sprintf("belay run --resume %s -- AGENT ARGS…", t.ID),
			"%s has no agent command", t.ID)
	}
	command, err := d.Session.May.Program(t.Agent)
	if err != nil {
		return nil, err
	}
	if words, ok := d.continued(c, dir); ok {
		d.Watch.Note(fmt.Sprintf("attempt %d continues session %s of %s", c.Attempt, c.Session.ID, c.Session.Agent))
		command = command.More(words...)
	} else if words, ok := agent.BeginSession(t.Agent); ok {
		command = command.More(words...)
	}
	if err := d.waits(c); err != nil {
		return nil, err
	}
	if err := d.Starts(ctx, c); err != nil {
		return nil, err
	}
	prompt, err := d.prompt(ctx, c)
	if err != nil {
		return nil, err
	}
	say := func(note string) {
		if c.Attempt == 1 {
			d.Watch.Note(note)
		}
	}
	return Start(ctx, d.Session, dir, agent.Spec{
		Command: command, Dir: d.Session.Repo.Root, Prompt: []byte(prompt), Timeout: t.Timeout,
		Label: fmt.Sprintf("%s attempt %d", t.ID, c.Attempt),
		Env: agent.BuildEnviron(os.Environ(), nil, d.contextEnv(d.Session.TreeEnv(map[string]string{
			"BELAY_TASK": string(t.ID), "BELAY_ATTEMPT": strconv.Itoa(c.Attempt),
		}), "")),
	}, Enclosed{}, say)
}

// Starts holds the state that an attempt starts from, once; the first one starts from the
// state before the task.
func (d *Driver) Starts(ctx context.Context, c loop.Command) error {
	if c.Attempt == 1 && d.Rec.State.Losts == 0 {
		return nil
	}
	command := c.ID + session.StartMark
	if _, err := d.once(ctx, d.meta(belay.KindBefore, c.Attempt, command, fmt.Sprintf("before attempt %d", c.Attempt))); err != nil {
		return err
	}
	return d.Session.NameTaken(ctx, d.Rec, command) // before the agent runs, not when it has ended
}

// await waits for a run, shown as it goes. Calls that go round in circles end it, when the
// attempt is watched for them.
func (d *Driver) await(ctx context.Context, run *agent.Run, dir string, watch *agent.StallWatch,
	continued belay.AgentSession) (End, error) {
	task := d.Rec.Task.ID
	var before belay.Use
	for _, a := range d.Rec.State.Attempts {
		if a.Session == continued && a.Session.ID != "" {
			before = before.Plus(a.Use)
		}
	}
	return Run{
		Session: continued.ID, Before: before,
		Agent: run, Dir: dir, Soft: d.Soft, Live: d.Watch.Output(), Stall: watch, Note: d.Watch.Note, Prices: d.Session.Config.Prices,
		Limit: func(used belay.Use) string { return loop.Reached(d.Rec.Task.Policy, d.Rec.State, used) },
		Used:  func(used belay.Use) { d.Watch.Used(task, used) },
	}.Await(ctx)
}

// ended turns how a run ended into the event the loop understands.
func (d *Driver) ended(c loop.Command, run *agent.Run, res End) (loop.Event, error) {
	d.denied(c, res.Result.Denied)
	ev := loop.Event{Kind: loop.EvAttempted, Command: c.ID, Exit: res.Result.Exit, Elapsed: res.Result.Elapsed,
		Note: res.Result.Error, Use: res.Use, Session: agent.SessionOf(d.Rec.Task.Agent, cmp.Or(res.Session, run.Session()))}
	if _, ok := d.continued(c, d.Session.RunDir(d.Rec.Task.ID, c.ID)); ok && ev.Session.ID == "" { // it ended before it named it
		ev.Session = c.Session
	}
	for _, text := range Unlimited(d.Rec.Task.Policy, d.Rec.State.Attempts, res.Use) {
		d.Watch.Note(text)
	}
	ev.Log = d.Session.KeepOutput(run, d.Rec.Task, d.Watch.Note)
	ev.Sent = d.Session.KeepPrompt(run, d.Rec.Task, d.Watch.Note)
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
		words, ev.Transient, ev.Blocked = lastWords(run, ev.Exit)
		if ev.Note == "" || words == "" {
			ev.Note += words
		} else {
			ev.Note += ": " + words
		}
	}
	return ev, nil
}

// denied says and records what the agent's fence refused.
func (d *Driver) denied(c loop.Command, list []fence.Denial) {
	_ = fsroot.RemoveAll(tempOf(d.Session.RunDir(d.Rec.Task.ID, c.ID)))
	text := Refused(list)
	if text == "" {
		return
	}
	text = fmt.Sprintf("attempt %d: %s", c.Attempt, text)
	d.Watch.Note(text)
	note := session.Note{Kind: "fence", Text: text}
	for _, one := range list {
		note.Paths = append(note.Paths, one.Path)
	}
	if slices.ContainsFunc(d.Rec.Notes, func(n session.Note) bool { return n.Kind == note.Kind && n.Text == text }) {
		return // belay was killed right after it
	}
	if err := d.Session.AddNote(d.Soft, d.Rec, note); err != nil {
		d.Watch.Note(err.Error())
	}
}

// prompt writes what the agent is told, and the files for agents that read files.
func (d *Driver) prompt(ctx context.Context, c loop.Command) (string, error) {
	t, st := d.Rec.Task, d.Rec.State
	for name, text := range map[string]string{"task.md": prompt.TaskFile(t), "feedback.md": prompt.Feedback(st)} {
		if err := d.Session.WriteNow(name, text); err != nil {
			d.Watch.Note(err.Error())
		}
	}
	if err := d.writeWhole(ctx); err != nil {
		return "", err
	}
	if a, ok := prompt.Reviewed(st); ok && c.Prompt == loop.PromptRepair {
		return d.fixWords(ctx, a)
	}
	return d.Words(ctx, c.Prompt)
}

// told is what every prompt is made from.
func (d *Driver) told(kind loop.PromptKind) prompt.PromptInput {
	in := prompt.PromptInput{Task: d.Rec.Task, State: d.Rec.State, Kind: kind, History: d.history(),
		Now: d.Session.NowFiles(), Whole: d.whole()}
	in.Plan.Path, in.Plan.Lines = d.Session.PlanMarks(d.Rec)
	return in
}

// writeWhole writes in full what a prompt quotes of the last attempt and may have to cut.
func (d *Driver) writeWhole(ctx context.Context) error {
	diff, err := d.lastDiff(ctx)
	if err != nil {
		return err
	}
	var findings string
	if a := prompt.Refused(d.Rec.State); a != nil {
		findings = prompt.AllFindings(a.Reasons())
	}
	for name, text := range map[string]string{"last.diff": secret.Mask(diff), "findings.md": findings} {
		if err := d.Session.WriteNow(name, text); err != nil {
			d.Watch.Note(err.Error()) // the prompt has what matters most of it
		}
	}
	return nil
}

// whole says where that is.
func (d *Driver) whole() (w prompt.Whole) {
	now := d.Session.NowFiles()
	if now.Diff {
		w.Diff = ".belay/now/last.diff"
	}
	if now.Findings {
		w.Findings = ".belay/now/findings.md"
	}
	return w
}

// Words is the prompt of a kind for the next attempt.
func (d *Driver) Words(ctx context.Context, kind loop.PromptKind) (string, error) {
	st, in := d.Rec.State, d.told(kind)
	if kind == loop.PromptRetry || kind == loop.PromptRepair {
		diff, err := d.lastDiff(ctx)
		if err != nil {
			return "", err
		}
		in.LastDiff = diff
	}
	if a := before(st); a != nil && kind == loop.PromptStall {
		in.Stuck.On, in.Stuck.Section = Stuck(d.Rec.Task, a.Note, session.Reader(d.Session.Repo.Root, maxDiff))
	}
	if n := len(st.Attempts); n > 1 {
		in.Kept = st.Attempts[n-2].Kept
	}
	return prompt.Prompt(in), nil
}

// before is the attempt before the one that starts, nil for none.
func before(s loop.State) *loop.Attempt {
	if n := len(s.Attempts); n > 1 {
		return &s.Attempts[n-2]
	}
	return nil
}

// maxDiff bounds the diff that is read for a prompt; brief cuts it further.
const maxDiff = 256 << 10

// lastDiff is what the last judged attempt had changed against the state before.
func (d *Driver) lastDiff(ctx context.Context) (string, error) {
	st := d.Rec.State
	for i := len(st.Attempts) - 1; i >= 0; i-- {
		if st.Attempts[i].Snapshot == "" || st.Before == "" {
			continue
		}
		if d.diffed.of == st.Attempts[i].Snapshot {
			return d.diffed.text, nil
		}
		var b limited
		err := d.Session.Snaps.PatchForModels(ctx, st.Before, st.Attempts[i].Snapshot, &b)
		if err != nil && !b.full {
			return "", err
		}
		d.diffed.of, d.diffed.text = st.Attempts[i].Snapshot, b.String()
		return d.diffed.text, nil
	}
	return "", nil
}

// limited keeps the first maxDiff bytes written to it and swallows the rest.
type limited struct {
	bytes.Buffer
	full bool
}

func (l *limited) Write(p []byte) (int, error) {
	if room := maxDiff - l.Len(); len(p) > room {
		l.full = true
		l.Buffer.Write(p[:max(0, room)])
		return len(p), nil
	}
	return l.Buffer.Write(p)
}

// debug asks the debugger, or the agent itself where none is set, for the root
// cause. It works in a copy of what the last attempt left, so nothing it does can
// reach the user's tree; what it says becomes guidance for the next attempt.
func (d *Driver) debug(ctx context.Context, c loop.Command) (loop.Event, error) {
	t, st := d.Rec.Task, d.Rec.State
	argv := t.Debugger
	if len(argv) == 0 {
		argv = t.Agent
	}
	dir := d.Session.RunDir(t.ID, c.ID)
	run, err := agent.Attach(dir)
	if errors.Is(err, fs.ErrNotExist) {
		command, refused := d.Session.May.Program(argv)
		if refused != nil {
			return loop.Event{}, refused
		}
		copied := dir + "-tree"
		if err := d.exportLast(ctx, copied); err != nil {
			return loop.Event{}, err
		}
		run, err = Start(ctx, d.Session, dir, agent.Spec{
			Command: command, Dir: copied, Timeout: t.Timeout, Label: string(t.ID) + " debugger",
			Prompt: []byte(prompt.Debug(d.told(loop.PromptFull))),
			Env: agent.BuildEnviron(os.Environ(), nil, map[string]string{
				"BELAY_TASK": string(t.ID), "BELAY_ATTEMPT": strconv.Itoa(len(st.Attempts)), "BELAY_ROLE": "debugger",
			}),
		}, Enclosed{Dir: copied}, func(string) {})
	}
	if err != nil {
		return loop.Event{}, err
	}
	end, err := d.await(ctx, run, dir, nil, belay.AgentSession{})
	if err != nil {
		return loop.Event{}, err
	}
	if end.Stopped {
		return loop.Event{}, ErrParked
	}
	ev, err := d.debugged(run, end.Result)
	if err != nil { // what it used counts all the same
		ev = loop.Event{Kind: loop.EvBroken, Note: session.Sentence(err)}
		if why := cmp.Or(end.Limit, end.Blocked); why != "" {
			ev.Note = why
		}
	}
	ev.Use = end.Use
	return ev, nil
}

func (d *Driver) debugged(run *agent.Run, res agent.Result) (loop.Event, error) {
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
	if const16k := 16 << 10; len(text) > const16k { // its conclusion stands at the end
		text = text[len(text)-const16k:]
	}
	return loop.Event{Kind: loop.EvDebugged, Note: text, Elapsed: res.Elapsed,
		Log: d.Session.KeepOutput(run, d.Rec.Task, d.Watch.Note)}, nil
}

// exportLast copies what the last attempt left (or the state before) to a folder.
func (d *Driver) exportLast(ctx context.Context, dir string) error {
	id := d.Rec.State.Before
	for _, a := range d.Rec.State.Attempts {
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
