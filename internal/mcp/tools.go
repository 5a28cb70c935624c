package mcp

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/belay-dev/belay/internal/app"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/check"
	"github.com/belay-dev/belay/internal/loop"
	"github.com/belay-dev/belay/internal/prompt"
	"github.com/belay-dev/belay/internal/restore"
	"github.com/belay-dev/belay/internal/runner"
	"github.com/belay-dev/belay/internal/session"
	"github.com/belay-dev/belay/internal/snapshot"
	"github.com/belay-dev/belay/internal/terminal"
)

// call is one call of a tool, with the repository opened for it.
type call struct {
	*sdk.CallToolRequest
	svc *app.Service
}

// toolKind is what a tool may change. No tool reaches beyond this machine.
type toolKind int

const (
	toolReads    toolKind = iota // changes nothing
	toolAdds                     // adds to belay's records
	toolDestroys                 // changes files or a task
)

// addTool adds a tool with the arguments In and the result Out.
func addTool[In, Out any](s *server, to *sdk.Server, k toolKind, name, title, description string,
	do func(context.Context, call, In) (*sdk.CallToolResult, error)) {
	no, destroys := false, k == toolDestroys
	t := &sdk.Tool{Name: name, Title: title, Description: description, InputSchema: inputSchema[In](), OutputSchema: outputSchema[Out](),
		Annotations: &sdk.ToolAnnotations{Title: title, ReadOnlyHint: k == toolReads, DestructiveHint: &destroys,
			IdempotentHint: k == toolReads,
			OpenWorldHint:  &no}}
	sdk.AddTool(to, t, func(ctx context.Context, req *sdk.CallToolRequest, in In) (*sdk.CallToolResult, any, error) {
		svc, err := s.Open(ctx)
		if err == nil {
			var r *sdk.CallToolResult
			if r, err = do(ctx, call{req, svc}, in); err == nil {
				return r, nil, nil
			}
		}
		return errorResult(err), nil, nil
	})
}

func (s *server) addTools(to *sdk.Server) {
	addTool[struct{}, app.Status](s, to, toolReads, "status", "Show tasks, snapshots and problems",
		"Show the open tasks of this repository, which of them wait for a person, snapshots and problems.", s.status)
	addTool[snapshotArgs, snapshot.Info](s, to, toolAdds, "snapshot", "Take a snapshot",
		"Take a snapshot of the whole working tree: all files (also untracked ones), the index, HEAD and refs. Changes no file, "+
			"branch or index. Call it before a risky change; a person can restore it with belay snapshot restore ID.", s.snapshot)
	addTool[diffArgs, diffResult](s, to, toolReads, "diff", "Compare snapshots, a task or the working tree",
		"List what changed: what the last attempt of a task changed, or between a snapshot and another one or the working tree.", s.diff)
	addTool[checkArgs, belay.Report](s, to, toolAdds, "check", "Check the working tree",
		"Check the change since a task started, or since a commit or snapshot: files in scope, protected paths, secrets, weakened "+
			"tests, linters, tests. verdict is pass, fail or unknown. Findings with severity error must be fixed.", s.check)
	addTool[fixArgs, prompt.Fix](s, to, toolReads, "fix_prompt", "Explain the last rejection",
		"Give a complete prompt to fix the last rejected attempt of a task: findings, the code they are about, how to reproduce.",
		s.fixPrompt)
	addTool[struct{}, app.Brief](s, to, toolReads, "brief", "Show what is open, in a few lines",
		"Show which features and tasks are open, which wait for a person, and what to do next. Shorter than status.", s.brief)
	addTool[timelineArgs, app.Timeline](s, to, toolReads, "timeline", "Show what happened in a session",
		"Show the prompts and tool calls of an agent's session, what each changed, and who: a tool, or a person or another process. "+
			"Needs belay's hooks in the agent.", s.timeline)
	addTool[undoArgs, restore.Restored](s, to, toolDestroys, "undo", "Undo a restore, a turn or a tool call",
		"Undo the last restore or rollback, or what the tools of a session changed since a turn or a tool call began. The person at the "+
			"client is asked first. dry_run shows what it would do.", s.undo)
	addTool[decideArgs, app.DecisionResult](s, to, toolDestroys, "decide", "Have the person answer a waiting task",
		"Have the person at the client answer a task that waits for a decision. You may propose an answer; the person chooses.", s.decide)
}

func (s *server) status(ctx context.Context, c call, _ struct{}) (*sdk.CallToolResult, error) {
	st, err := c.svc.Status(ctx)
	if err != nil {
		return nil, err
	}
	return toolResult(st)
}

type snapshotArgs struct {
	Message string `json:"message,omitempty" jsonschema:"what it is for, one line"`
	Task    string `json:"task,omitempty" jsonschema:"the ID of the task it belongs to"`
}

func (s *server) snapshot(ctx context.Context, c call, in snapshotArgs) (*sdk.CallToolResult, error) {
	m := snapshot.Meta{Kind: belay.KindManual, Message: in.Message}
	if in.Task != "" {
		id, err := belay.ParseTaskID(in.Task)
		if err != nil {
			return nil, err
		}
		m.Task = id
	}
	info, err := c.svc.Session.Snaps.Take(ctx, m)
	if err != nil {
		return nil, err
	}
	return toolResult(info)
}

type diffArgs struct {
	From  string   `json:"from,omitempty" jsonschema:"a task or snapshot ID; default: the latest task"`
	To    string   `json:"to,omitempty" jsonschema:"a snapshot ID; default: what the task left, or the working tree"`
	Paths []string `json:"paths,omitempty" jsonschema:"only these files and folders"`
	Patch bool     `json:"patch,omitempty" jsonschema:"also give the changes as a patch, cut at 100,000 bytes"`
}

// diffResult is a diff with its patch.
type diffResult struct {
	app.Diff
	Patch string `json:"patch,omitempty"`
	Cut   bool   `json:"patch_cut,omitempty"` // the patch is incomplete
}

// maxPatch is the size limit for a patch in bytes, because it goes into a model's context.
const maxPatch = 100_000

func (s *server) diff(ctx context.Context, c call, in diffArgs) (*sdk.CallToolResult, error) {
	if in.From == "" {
		id, err := taskOrLatest(c.svc, "")
		if err != nil {
			return nil, err
		}
		in.From = string(id)
	}
	paths, err := c.svc.RepoPaths(s.Dir, in.Paths)
	if err != nil {
		return nil, err
	}
	d, err := c.svc.Diff(ctx, in.From, in.To, paths)
	if err != nil {
		return nil, err
	}
	out := diffResult{Diff: d}
	if in.Patch {
		var b bytes.Buffer
		if err := c.svc.Patch(ctx, d, &b); err != nil {
			return nil, err
		}
		text := b.Bytes()
		if out.Cut = len(text) > maxPatch; out.Cut {
			text = text[:1+bytes.LastIndexByte(text[:maxPatch], '\n')]
		}
		out.Patch = belay.Visible(string(text))
	}
	return toolResult(out)
}

type checkArgs struct {
	Task    string  `json:"task,omitempty" jsonschema:"the task's ID; default: the latest task, unless before is given"`
	Before  string  `json:"before,omitempty" jsonschema:"instead of a task: the commit (like HEAD) or snapshot to compare with"`
	Seconds float64 `json:"timeout_seconds,omitempty" jsonschema:"time limit for all checks together; default 30"`
}

func (s *server) check(ctx context.Context, c call, in checkArgs) (*sdk.CallToolResult, error) {
	q := app.CheckRequest{Before: in.Before, Timeout: time.Duration(in.Seconds * float64(time.Second))}
	var err error
	switch {
	case in.Task != "" && in.Before != "":
		err = belay.Refuse(belay.CodeUsage, "give one of them", "task and before cannot be combined")
	case in.Seconds < 0 || in.Seconds > (24*time.Hour).Seconds():
		err = belay.Refuse(belay.CodeUsage, "timeout_seconds: 30", "timeout_seconds cannot be %v", in.Seconds)
	case in.Task != "":
		q.Task, err = belay.ParseTaskID(in.Task)
	case in.Before != "":
		q.Adhoc, err = c.svc.AdhocTask()
	default:
		q.Task, err = c.svc.Latest()
		if belay.CodeOf(err) == belay.CodeNotFound {
			err = belay.Refuse(belay.CodeUsage, "before: HEAD compares with the last commit", "there is no task to compare with")
		}
	}
	if err != nil {
		return nil, err
	}
	w := newProgress(ctx, c.CallToolRequest)
	q.Watch = w
	report, err := c.svc.Check(ctx, q)
	if err != nil {
		return nil, err
	}
	return toolResult(report, w.notes...)
}

type fixArgs struct {
	Task   string `json:"task,omitempty" jsonschema:"the task's ID; default: the latest task"`
	Tokens int    `json:"max_tokens,omitempty" jsonschema:"the most tokens that the prompt may have; default: no limit"`
}

func (s *server) fixPrompt(ctx context.Context, c call, in fixArgs) (*sdk.CallToolResult, error) {
	if in.Tokens < 0 {
		return nil, belay.Refuse(belay.CodeUsage, "give a number of tokens, like 2000", "max_tokens cannot be %d", in.Tokens)
	}
	id, err := taskOrLatest(c.svc, in.Task)
	if err != nil {
		return nil, err
	}
	fix, err := app.FixPrompt(ctx, c.svc, id, in.Tokens)
	if err != nil {
		return nil, err
	}
	return toolResult(fix)
}

// taskOrLatest returns the named task, or the latest one.
func taskOrLatest(svc *app.Service, named string) (belay.TaskID, error) {
	if named != "" {
		return belay.ParseTaskID(named)
	}
	return svc.Latest()
}

func (s *server) brief(ctx context.Context, c call, _ struct{}) (*sdk.CallToolResult, error) {
	return toolResult(c.svc.Brief(ctx))
}

type timelineArgs struct {
	Session string `json:"session,omitempty" jsonschema:"the session; default: the latest in this working tree"`
}

func (s *server) timeline(ctx context.Context, c call, in timelineArgs) (*sdk.CallToolResult, error) {
	t, err := c.svc.Timeline(ctx, in.Session)
	if err != nil {
		return nil, err
	}
	return toolResult(t)
}

type undoArgs struct {
	What    string `json:"what,omitempty" jsonschema:"restore (the default), turn or tool"`
	Number  int    `json:"number,omitempty" jsonschema:"of the turn or tool call, as in timeline; default: the last that changed something"`
	Session string `json:"session,omitempty" jsonschema:"of the turn or tool call; default: the latest in this working tree"`
	DryRun  bool   `json:"dry_run,omitempty" jsonschema:"show what it would do, ask nobody and change nothing"`
}

// run undoes or, if dry, plans it. what names what is undone.
func (in undoArgs) run(ctx context.Context, svc *app.Service, dry bool) (out restore.Restored, what string, err error) {
	o := restore.Options{DryRun: dry}
	if in.What != "turn" && in.What != "tool" {
		out, err = svc.Undo(ctx, o)
		return out, "the last restore", err
	}
	return svc.UndoTurn(ctx, app.UndoTurnRequest{Session: in.Session, ToolCall: in.What == "tool", Number: in.Number, Options: o})
}

// validate checks the arguments.
func (in undoArgs) validate() error {
	switch in.What {
	case "turn", "tool":
		if in.Number < 0 {
			return belay.Refuse(belay.CodeUsage, "timeline shows the numbers", "number cannot be %d", in.Number)
		}
	case "", "restore":
		if in.Number != 0 || in.Session != "" {
			return belay.Refuse(belay.CodeUsage, "what: turn, or what: tool", "number and session are of a turn or a tool call")
		}
	default:
		return belay.Refuse(belay.CodeUsage, "what: restore, turn or tool", "%s cannot be undone", belay.VisibleLine(in.What))
	}
	return nil
}

// commandLine returns the command that a person runs for it.
func (in undoArgs) commandLine() string {
	command := "belay undo"
	if in.What == "turn" || in.What == "tool" {
		command += " --" + in.What
		if in.Number > 0 {
			command += fmt.Sprintf(" %d", in.Number)
		}
		if in.Session != "" {
			command += " --session " + belay.VisibleLine(in.Session)
		}
	}
	return command
}

func (s *server) undo(ctx context.Context, c call, in undoArgs) (*sdk.CallToolResult, error) {
	if err := in.validate(); err != nil {
		return nil, err
	}
	plan, what, err := in.run(ctx, c.svc, true)
	if err != nil {
		return nil, err
	}
	if in.DryRun {
		return toolResult(plan)
	}
	about, err := terminal.EncodeJSON(plan)
	if err != nil {
		return nil, err
	}
	given, ask, err := s.askPerson(c.CallToolRequest, form{
		about:   "undo " + what + " " + string(about),
		message: "An agent asks to undo " + what + ": " + terminal.PlanText(plan) + ".\n" + firstPaths(plan),
		command: in.commandLine(),
		schema: map[string]any{"type": "object", "required": []string{"confirm"}, "properties": map[string]any{"confirm": map[string]any{
			"type": "boolean", "title": "Undo it", "description": "A snapshot is taken first; belay redo reverses it."}}},
	})
	if err != nil || ask != nil {
		return ask, err
	}
	if yes, _ := given["confirm"].(bool); !yes {
		return nil, actionError("decline")
	}
	out, _, err := in.run(ctx, c.svc, false)
	if err != nil {
		return nil, err
	}
	return toolResult(out)
}

// firstPaths lists the first paths that a restore would change.
func firstPaths(r restore.Restored) string {
	var lines []string
	for _, p := range r.Written {
		lines = append(lines, "write "+belay.VisibleLine(p))
	}
	for _, p := range r.Removed {
		lines = append(lines, "remove "+belay.VisibleLine(p))
	}
	const most = 12
	if n := len(lines) - most; n > 1 {
		lines = append(lines[:most], fmt.Sprintf("and %d more (belay undo --dry-run)", n))
	}
	return strings.Join(lines, "\n")
}

type decideArgs struct {
	Task     string `json:"task,omitempty" jsonschema:"the ID of the task that waits; default: the latest task"`
	Decision string `json:"decision,omitempty" jsonschema:"the answer that you propose; the person chooses"`
	Message  string `json:"message,omitempty" jsonschema:"what you propose as the message that goes with it"`
}

func (s *server) decide(ctx context.Context, c call, in decideArgs) (*sdk.CallToolResult, error) {
	id, err := taskOrLatest(c.svc, in.Task)
	if err != nil {
		return nil, err
	}
	r, err := c.svc.TaskAtGate(id)
	if err != nil {
		return nil, err
	}
	gate := *r.State.Gate
	// Accepting rejected work requires a category and a reason, which only the command line asks
	// for.
	open := slices.DeleteFunc(slices.Clone(gate.Options), func(d loop.Decision) bool { return d == loop.DecideApprove && gate.Overrides() })
	if in.Decision != "" && !slices.Contains(open, loop.Decision(in.Decision)) {
		return nil, belay.Refuse(belay.CodeUsage, "one of: "+terminal.OptionsText(open), "%s is not an answer that is open now",
			belay.VisibleLine(in.Decision))
	}
	message := map[string]any{"type": "string", "title": "Message", "description": "what to do differently, or why"}
	asks := belay.Visible(fmt.Sprintf("%s waits for you: %s\n%s", id, gate.Why, r.Task.Title))
	if in.Decision != "" || in.Message != "" {
		asks += "\nThe agent proposes: " + belay.Visible(strings.TrimSpace(in.Decision+" "+in.Message))
	}
	given, ask, err := s.askPerson(c.CallToolRequest, form{
		about: fmt.Sprintf("decide %s %d %q", id, gate.Number, in), message: asks,
		command: fmt.Sprintf("belay decide %s %s", id, strings.Join(strings.Split(terminal.OptionsText(gate.Options), ", "), "|")),
		schema: map[string]any{"type": "object", "required": []string{"decision"}, "properties": map[string]any{
			"decision": map[string]any{"type": "string", "title": "Decision", "enum": open}, "message": message}},
	})
	if err != nil || ask != nil {
		return ask, err
	}
	what, _ := given["decision"].(string)
	words, _ := given["message"].(string)
	if !slices.Contains(open, loop.Decision(what)) {
		return nil, belay.Refuse(belay.CodeUsage, "one of: "+terminal.OptionsText(open), "the person gave no answer that is open now")
	}
	if r, err = c.svc.Decide(ctx, id, gate.Number, loop.Decision(what), words, s.decidedBy()); err != nil {
		return nil, err
	}
	line := app.DecisionResult{Task: id, Decision: loop.Decision(what), Phase: r.State.Phase}
	if r.State.Pending == nil {
		return toolResult(line)
	}
	return toolResult(line, fmt.Sprintf("the waiting run continues; otherwise the person continues it with belay run --resume %s", id))
}

// decidedBy returns who decides, for the record.
func (s *server) decidedBy() string { return strings.TrimSpace(s.User + " (over MCP)") }

// progress reports when checks start and finish, and collects notes.
type progress struct {
	report func(n float64, text string) // nil: do not report

	mu    sync.Mutex
	n     float64
	notes []string
}

// newProgress reports to the calling client, if it has asked for progress.
func newProgress(ctx context.Context, req *sdk.CallToolRequest) *progress {
	token := req.Params.GetProgressToken()
	if token == nil {
		return &progress{}
	}
	return &progress{report: func(n float64, text string) {
		// If the client has gone, the call ends anyway.
		_ = req.Session.NotifyProgress(ctx, &sdk.ProgressNotificationParams{ProgressToken: token, Progress: n, Message: text})
	}}
}

// Checking implements runner.Observer.
func (p *progress) Checking(c check.Progress) {
	if p.report == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.n++ // must increase each time
	text := c.Check + ": started"
	if c.Result != nil {
		text = c.Check + ": " + string(c.Result.Verdict)
	}
	p.report(p.n, text)
}

// Note implements runner.Observer.
func (p *progress) Note(text string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.notes = append(p.notes, text)
}

// The other methods of runner.Observer are about runs.

func (*progress) Begins(*session.Record, loop.Command) {}
func (*progress) Happened(*session.Record, loop.Event) {}
func (*progress) Used(belay.TaskID, belay.Use)         {}
func (*progress) Output() io.Writer                    { return nil }
func (*progress) Ask(context.Context, *session.Record) (loop.Decision, string, bool, error) {
	return "", "", false, nil
}

var _ runner.Observer = (*progress)(nil)
