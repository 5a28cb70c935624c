package mcp

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/jsonschema-go/jsonschema"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/belay-dev/belay/internal/app"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/hook"
	"github.com/belay-dev/belay/internal/loop"
	"github.com/belay-dev/belay/internal/restore"
	"github.com/belay-dev/belay/internal/terminal"
	"github.com/belay-dev/belay/internal/testutil"
)

// versions are the newest protocol, the one before it, which has sessions, and the first one.
var versions = []string{"2026-07-28", "2025-11-25", "2024-11-05"}

func TestMain(m *testing.M) {
	app.Slack = testutil.Patience
	home, err := os.MkdirTemp("", "belay-mcp")
	if err != nil {
		panic(err)
	}
	for name, value := range map[string]string{"HOME": home, "XDG_CONFIG_HOME": home, "XDG_STATE_HOME": home,
		"GIT_CONFIG_NOSYSTEM": "1", "USER": "ana"} {
		os.Setenv(name, value)
	}
	status := m.Run()
	os.RemoveAll(home)
	os.Exit(status)
}

// project creates a repository with one commit.
func project(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	write(t, dir, "a.txt", "one\n")
	write(t, dir, "b.txt", "two\n")
	sh(t, dir, "git init -q -b main && git config user.name a && git config user.email a@b && git add -A && git commit -qm first")
	return dir
}

func write(t *testing.T, dir, name, text string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, dir, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, name))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func sh(t *testing.T, dir, script string) {
	t.Helper()
	c := exec.Command("sh", "-ec", script)
	c.Dir = dir
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", script, err, out)
	}
}

func options(dir string, flags ...app.Flag) Options {
	return Options{Version: "test", Dir: dir, User: "ana", Open: func(ctx context.Context) (*app.Service, error) {
		return app.Open(ctx, app.OpenOptions{Dir: dir, Force: true, Flags: flags})
	}}
}

func service(t *testing.T, o Options) *app.Service {
	t.Helper()
	s, err := o.Open(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// waiting creates a task that waits for a person: its work, a change to a protected file, was
// rejected.
func waiting(t *testing.T, id belay.TaskID) (string, Options) {
	t.Helper()
	dir := project(t)
	o := options(dir, app.Flag{Key: "protect", Value: "b.txt"}, app.Flag{Key: "retries", Value: "0"})
	s := service(t, o)
	w := &progress{}
	if _, err := s.Add(t.Context(), app.NewTask{ID: id, Text: "change a.txt so that it says three"}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Start(t.Context(), id, w); err != nil {
		t.Fatal(err)
	}
	write(t, dir, "b.txt", "changed\n")
	if _, err := s.Capture(t.Context(), id, w); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Check(t.Context(), app.CheckRequest{Task: id, Watch: w}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.TaskAtGate(id); err != nil {
		t.Fatal(err)
	}
	return dir, o
}

// client connects to an in-memory server with a version of the protocol.
func client(t *testing.T, o Options, version string, how *sdk.ClientOptions) *sdk.ClientSession {
	t.Helper()
	return connect(t, New(o), version, how)
}

func connect(t *testing.T, s *sdk.Server, version string, how *sdk.ClientOptions) *sdk.ClientSession {
	t.Helper()
	here, there := sdk.NewInMemoryTransports()
	ss, err := s.Connect(t.Context(), there, nil)
	if err != nil {
		t.Fatal(err)
	}
	c, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, how).Connect(t.Context(), here,
		&sdk.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close(); _ = ss.Wait() })
	return c
}

type args = map[string]any

func callTool(t *testing.T, c *sdk.ClientSession, name string, a args) *sdk.CallToolResult {
	t.Helper()
	r, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: name, Arguments: a})
	if err != nil {
		t.Fatalf("%s %v: %v", name, a, err)
	}
	return r
}

func text(r *sdk.CallToolResult) string {
	var b strings.Builder
	for _, c := range r.Content {
		if c, ok := c.(*sdk.TextContent); ok {
			b.WriteString(c.Text + "\n")
		}
	}
	return b.String()
}

// good returns the structured result of a successful call.
func good(t *testing.T, r *sdk.CallToolResult) map[string]any {
	t.Helper()
	got, ok := r.StructuredContent.(map[string]any)
	if r.IsError || !ok {
		t.Fatalf("failed: %s", text(r))
	}
	var same map[string]any
	first, _, _ := strings.Cut(text(r), "\n")
	if err := json.Unmarshal([]byte(first), &same); err != nil || cmp.Diff(got, same) != "" {
		t.Fatalf("the text is not the structured result: %v %s", err, cmp.Diff(got, same))
	}
	return got
}

// bad checks that a call failed, and said what happened and what to try.
func bad(t *testing.T, r *sdk.CallToolResult, code belay.Code, words ...string) {
	t.Helper()
	said := text(r)
	if !r.IsError || r.StructuredContent != nil {
		t.Fatalf("no error: %s", said)
	}
	if code != "" && (r.Meta["belay/code"] != string(code) || !strings.Contains(said, "\ntry: ")) {
		t.Errorf("code %v, not %v, or nothing to try: %s", r.Meta["belay/code"], code, said)
	}
	for _, w := range words {
		if !strings.Contains(said, w) {
			t.Errorf("%q is not in: %s", w, said)
		}
	}
}

// printed returns what --json prints as data.
func printed(t *testing.T, data any, err error) map[string]any {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	line, err := terminal.EncodeJSON(data)
	if err != nil {
		t.Fatal(err)
	}
	var out map[string]any
	if err := json.Unmarshal(line, &out); err != nil {
		t.Fatal(err)
	}
	return out
}

// Each tool must say what it changes, and describe its arguments and result without a union with
// null.
func TestToolsAreDescribed(t *testing.T) {
	for _, v := range versions {
		c := client(t, options(t.TempDir()), v, nil)
		list, err := c.ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		var names []string
		for _, tool := range list.Tools {
			names = append(names, tool.Name)
			wire, _ := json.Marshal(tool.Annotations)
			for _, hint := range []string{"readOnlyHint", "destructiveHint", "idempotentHint", "openWorldHint"} {
				if !strings.Contains(string(wire), hint) {
					t.Errorf("%s does not say its %s: %s", tool.Name, hint, wire)
				}
			}
			if a := tool.Annotations; *a.OpenWorldHint || a.ReadOnlyHint && *a.DestructiveHint {
				t.Errorf("%s: %s", tool.Name, wire)
			}
			for _, schema := range []any{tool.InputSchema, tool.OutputSchema} {
				text, _ := json.Marshal(schema)
				if strings.Contains(string(text), `"null"`) || strings.Contains(string(text), "_ns") || strings.Contains(string(text), "millis") {
					t.Errorf("%s: %s", tool.Name, text)
				}
			}
			if tool.Description == "" || tool.Title == "" {
				t.Errorf("%s is not described", tool.Name)
			}
		}
		slices.Sort(names)
		if d := cmp.Diff([]string{"brief", "check", "decide", "diff", "fix_prompt", "snapshot", "status", "timeline", "undo"}, names); d != "" {
			t.Error(d)
		}
		if got := c.InitializeResult().Instructions; !strings.Contains(got, "snapshot") || len(got) > 600 {
			t.Errorf("instructions: %q", got)
		}
	}
}

// A tool's answer must be what --json prints, and match its schema.
func TestAnswersAreThoseOfTheCommandLine(t *testing.T) {
	_, o := waiting(t, "T1")
	s := service(t, o)
	for _, v := range versions {
		c := client(t, o, v, nil)
		list, err := c.ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		call := func(name string, a args) map[string]any {
			t.Helper()
			got := good(t, callTool(t, c, name, a))
			i := slices.IndexFunc(list.Tools, func(one *sdk.Tool) bool { return one.Name == name })
			fits(t, list.Tools[i].OutputSchema, got)
			return got
		}
		st, err := s.Status(t.Context())
		if diff := cmp.Diff(printed(t, st, err), call("status", nil)); diff != "" {
			t.Errorf("status: %s", diff)
		}
		if diff := cmp.Diff(printed(t, s.Brief(t.Context()), nil), call("brief", nil)); diff != "" {
			t.Errorf("brief: %s", diff)
		}
		df, err := s.Diff(t.Context(), "T1", "", nil)
		if diff := cmp.Diff(printed(t, df, err), call("diff", nil)); diff != "" {
			t.Errorf("diff: %s", diff)
		}
		if diff := cmp.Diff(printed(t, df, err), call("diff", args{"from": "T1", "paths": []string{"."}}), ignore("paths")); diff != "" {
			t.Errorf("diff: %s", diff)
		}
		patched := call("diff", args{"patch": true})
		if p, _ := patched["patch"].(string); !strings.Contains(p, "+changed") {
			t.Errorf("no patch: %v", patched)
		}
		fix, err := app.FixPrompt(t.Context(), s, "T1", 0)
		if diff := cmp.Diff(printed(t, fix, err), call("fix_prompt", args{"task": "T1"})); diff != "" {
			t.Errorf("fix_prompt: %s", diff)
		}
		report, err := s.Check(t.Context(), app.CheckRequest{Task: "T1", Watch: &progress{}})
		got := call("check", args{"task": "T1", "timeout_seconds": 60})
		if got["verdict"] != "fail" {
			t.Errorf("check: %v", got["verdict"])
		}
		if diff := cmp.Diff(keys(printed(t, report, err)), keys(got)); diff != "" {
			t.Errorf("check: %s", diff)
		}
		snap := call("snapshot", args{"message": "before lunch", "task": "T1"})
		info, err := s.Session.Snaps.Get(t.Context(), belay.SnapshotID(snap["id"].(string)))
		if diff := cmp.Diff(printed(t, info, err), snap); diff != "" || snap["message"] != "before lunch" {
			t.Errorf("snapshot: %s", diff)
		}
	}
}

func keys(m map[string]any) []string {
	var out []string
	for k := range m {
		out = append(out, k)
	}
	slices.Sort(out)
	return out
}

func ignore(key string) cmp.Option {
	return cmp.FilterPath(func(p cmp.Path) bool { return p.Last().String() == fmt.Sprintf("[%q]", key) }, cmp.Ignore())
}

func fits(t *testing.T, schema any, got map[string]any) {
	t.Helper()
	text, err := json.Marshal(schema)
	if err != nil {
		t.Fatal(err)
	}
	var s jsonschema.Schema
	if err := json.Unmarshal(text, &s); err != nil {
		t.Fatal(err)
	}
	r, err := s.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.Validate(got); err != nil {
		t.Errorf("%v does not match the schema: %v", got, err)
	}
}

// human answers questions.
type human struct {
	action  string
	content args
	between func() // runs while the person thinks
	asked   []*sdk.ElicitParams
}

func (h *human) client() *sdk.ClientOptions {
	return &sdk.ClientOptions{ElicitationHandler: func(_ context.Context, r *sdk.ElicitRequest) (*sdk.ElicitResult, error) {
		h.asked = append(h.asked, r.Params)
		if h.between != nil {
			h.between()
		}
		return &sdk.ElicitResult{Action: h.action, Content: h.content}, nil
	}}
}

// rolledBack creates a task that was rolled back, so that there is something to undo.
func rolledBack(t *testing.T) (string, Options) {
	dir, o := waiting(t, "T1")
	if _, err := service(t, o).Rollback(t.Context(), app.RollbackRequest{Task: "T1", Watch: &progress{}}); err != nil {
		t.Fatal(err)
	}
	if got := read(t, dir, "b.txt"); got != "two\n" {
		t.Fatalf("not rolled back: %q", got)
	}
	return dir, o
}

func TestUndoAsksAPerson(t *testing.T) {
	for _, v := range versions[:2] { // 2024-11-05 has no questions
		t.Run(v, func(t *testing.T) {
			dir, o := rolledBack(t)
			h := &human{action: "accept", content: args{"confirm": true}}
			c := client(t, o, v, h.client())

			plan := good(t, callTool(t, c, "undo", args{"dry_run": true}))
			if len(h.asked) != 0 || read(t, dir, "b.txt") != "two\n" || len(plan["written"].([]any)) != 1 {
				t.Errorf("a plan: %v, asked %d times", plan, len(h.asked))
			}
			got := good(t, callTool(t, c, "undo", nil))
			if read(t, dir, "b.txt") != "changed\n" || got["rescue"] == nil {
				t.Errorf("not undone: %v", got)
			}
			if len(h.asked) != 1 || !strings.Contains(h.asked[0].Message, "write b.txt") {
				t.Errorf("asked: %+v", h.asked)
			}
		})
	}
}

// The session of an agent with belay's hooks must be shown turn by turn, and a person must be able
// to undo a turn.
func TestTurns(t *testing.T) {
	dir := project(t)
	o := options(dir)
	event := func(text string) {
		ev := hook.Read("claude", strings.NewReader(strings.ReplaceAll(text, "DIR", dir)))
		app.Hook(t.Context(), app.OpenOptions{Dir: dir, Force: true}, ev)
	}
	const common = `"session_id":"s1","cwd":"DIR",`
	event(`{` + common + `"hook_event_name":"UserPromptSubmit","prompt":"change b"}`)
	call := common + `"tool_name":"Write","tool_use_id":"1","tool_input":{"file_path":"DIR/b.txt","content":"x"}}`
	event(`{"hook_event_name":"PreToolUse",` + call)
	write(t, dir, "b.txt", "changed\n")
	event(`{"hook_event_name":"PostToolUse","tool_response":{},` + call)
	s := service(t, o)
	for _, v := range versions[:2] {
		h := &human{action: "accept", content: args{"confirm": true}}
		c := client(t, o, v, h.client())
		list, err := c.ListTools(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		want, err := s.Timeline(t.Context(), "")
		got := good(t, callTool(t, c, "timeline", nil))
		if diff := cmp.Diff(printed(t, want, err), got); diff != "" {
			t.Errorf("timeline: %s", diff)
		}
		i := slices.IndexFunc(list.Tools, func(one *sdk.Tool) bool { return one.Name == "timeline" })
		fits(t, list.Tools[i].OutputSchema, got)

		good(t, callTool(t, c, "undo", args{"what": "turn", "dry_run": true}))
		if read(t, dir, "b.txt") != "changed\n" || len(h.asked) != 0 {
			t.Error("a plan changed something or asked a question")
		}
		good(t, callTool(t, c, "undo", args{"what": "turn", "number": 1}))
		if read(t, dir, "b.txt") != "two\n" || len(h.asked) != 1 || !strings.Contains(h.asked[0].Message, "undo turn 1: ") {
			t.Errorf("not undone, or not asked: %+v", h.asked)
		}
		if _, err := s.Redo(t.Context(), restore.Options{}); err != nil || read(t, dir, "b.txt") != "changed\n" {
			t.Fatalf("redo: %v", err)
		}
	}
	c := client(t, o, versions[0], nil)
	bad(t, callTool(t, c, "undo", args{"what": "tool", "number": 1, "session": "s1"}), belay.CodeWaiting, "run: belay undo --tool 1 --session s1")
}

// Only a person's yes may count: not a no, a closed question or an unconfirmed form, nor a yes
// after what was asked about has changed.
func TestUndoWithoutAYes(t *testing.T) {
	for name, h := range map[string]*human{
		"decline": {action: "decline"}, "cancel": {action: "cancel"},
		"not confirmed": {action: "accept", content: args{"confirm": false}},
	} {
		for _, v := range versions[:2] {
			t.Run(name+" "+v, func(t *testing.T) {
				dir, o := rolledBack(t)
				h := *h
				bad(t, callTool(t, client(t, o, v, h.client()), "undo", nil), belay.CodeRefused, "the person", "nothing was changed")
				if read(t, dir, "b.txt") != "two\n" || len(h.asked) != 1 {
					t.Error("it was undone, or nobody was asked")
				}
			})
		}
	}
	dir, o := rolledBack(t)
	h := &human{action: "accept", content: args{"confirm": true}}
	h.between = func() {
		if _, err := service(t, o).Rollback(t.Context(), app.RollbackRequest{Task: "T1", Hard: true, Watch: &progress{}}); err != nil {
			t.Error(err)
		}
		write(t, dir, "a.txt", "mine\n")
		if _, err := service(t, o).Rollback(t.Context(), app.RollbackRequest{Task: "T1", Hard: true, Watch: &progress{}}); err != nil {
			t.Error(err)
		}
	}
	bad(t, callTool(t, client(t, o, versions[0], h.client()), "undo", nil), belay.CodeDrift, "changed while")
	if read(t, dir, "b.txt") != "two\n" {
		t.Error("undone although the plan had changed")
	}
}

// A client that cannot ask must get the command for the person, and nothing may change. An agent
// must not be able to answer for the person, neither with arguments nor with an answer to no
// question.
func TestWhoCannotAskIsRefused(t *testing.T) {
	dir, o := waiting(t, "T1")
	if _, err := service(t, o).Rollback(t.Context(), app.RollbackRequest{Task: "T1", Watch: &progress{}}); err != nil {
		t.Fatal(err)
	}
	same := func() {
		t.Helper()
		if r, err := service(t, o).TaskAtGate("T1"); err != nil || len(r.State.Decisions) != 0 || read(t, dir, "b.txt") != "two\n" {
			t.Errorf("something was decided or undone: %v", err)
		}
	}
	urlOnly := &sdk.ClientOptions{Capabilities: &sdk.ClientCapabilities{Elicitation: &sdk.ElicitationCapabilities{URL: &sdk.URLElicitationCapabilities{}}}}
	for _, v := range versions {
		for _, how := range []*sdk.ClientOptions{nil, urlOnly} {
			c := client(t, o, v, how)
			bad(t, callTool(t, c, "undo", nil), belay.CodeWaiting, "try: ask the person to run: belay undo")
			bad(t, callTool(t, c, "decide", args{"decision": "guide", "message": "m"}), belay.CodeWaiting, "belay decide T1")
			bad(t, callTool(t, c, "undo", args{"confirm": true}), "", "confirm")
			same()
		}
	}
	// A client that answers without being asked.
	h := &human{action: "accept", content: args{"confirm": true}}
	how := h.client()
	how.MultiRoundTrip = &sdk.MultiRoundTripOptions{Disabled: true}
	c := client(t, o, versions[0], how)
	yes := sdk.InputResponseMap{questionName: &sdk.ElicitResult{Action: "accept", Content: args{"confirm": true, "decision": "skip"}}}
	for _, tool := range []string{"undo", "decide"} {
		r, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: tool, InputResponses: yes})
		if err != nil || !r.NeedsInput() {
			t.Errorf("%s: an answer before the question counts: %v %v", tool, err, r)
		}
		r, err = c.CallTool(t.Context(), &sdk.CallToolParams{Name: tool, InputResponses: yes, RequestState: "made up"})
		if err != nil {
			t.Fatal(err)
		}
		bad(t, r, belay.CodeUsage, "no question")
		same()
	}
	// An answer counts once, and only for its own question.
	asked, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: "decide"})
	if err != nil || !asked.NeedsInput() {
		t.Fatal(err)
	}
	r, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: "undo", InputResponses: yes, RequestState: asked.RequestState})
	if err != nil {
		t.Fatal(err)
	}
	bad(t, r, belay.CodeDrift)
	r, err = c.CallTool(t.Context(), &sdk.CallToolParams{Name: "decide", InputResponses: yes, RequestState: asked.RequestState})
	if err != nil {
		t.Fatal(err)
	}
	bad(t, r, belay.CodeUsage, "no question")
	same()
}

func TestDecideAsksAPerson(t *testing.T) {
	for _, v := range versions[:2] {
		t.Run(v, func(t *testing.T) {
			_, o := waiting(t, "T1")
			h := &human{action: "decline"}
			c := client(t, o, v, h.client())
			bad(t, callTool(t, c, "decide", args{"decision": "skip"}), belay.CodeRefused, "declined")
			bad(t, callTool(t, c, "decide", args{"decision": "approve"}), belay.CodeUsage, "approve") // it requires a reason
			h.action, h.content = "accept", args{"decision": "approve", "message": "it is fine"}
			if r, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: "decide"}); err == nil && !r.IsError {
				t.Error("rejected work was approved without a reason")
			}
			h.content = args{"decision": "guide", "message": "leave b.txt alone"}
			got := good(t, callTool(t, c, "decide", args{"task": "T1", "decision": "skip", "message": "the agent's words"}))
			if got["decision"] != "guide" || got["task"] != "T1" {
				t.Errorf("%v", got)
			}
			last := h.asked[len(h.asked)-1]
			if !strings.Contains(last.Message, "The agent proposes: skip the agent's words") || !strings.Contains(last.Message, "T1 waits for you") {
				t.Errorf("asked: %s", last.Message)
			}
			r, err := service(t, o).Session.Load("T1")
			if err != nil || len(r.State.Decisions) != 1 {
				t.Fatalf("%v: %+v", err, r.State.Decisions)
			}
			one := r.State.Decisions[0]
			if one.Decision != loop.DecideGuide || one.Note != "leave b.txt alone" || one.By != "ana (over MCP)" {
				t.Errorf("recorded: %+v", one)
			}
			bad(t, callTool(t, c, "decide", args{"task": "T1"}), belay.CodeUsage, "not waiting")
		})
	}
}

func TestBadArguments(t *testing.T) {
	c := client(t, options(project(t)), versions[0], nil)
	for _, one := range []struct {
		tool string
		args args
		code belay.Code
		word string
	}{
		{"status", args{"x": 1}, "", "x"},
		{"snapshot", args{"message": 1}, "", "message"},
		{"snapshot", args{"task": "../x"}, belay.CodeUsage, "not a task id"},
		{"diff", nil, belay.CodeNotFound, "no task"},
		{"diff", args{"from": "T9"}, belay.CodeNotFound, "T9"},
		{"diff", args{"from": "T9", "paths": []string{"/etc/passwd"}}, belay.CodeUsage, "outside the repository"},
		{"diff", args{"paths": "a"}, "", "paths"},
		{"check", nil, belay.CodeUsage, "HEAD"},
		{"check", args{"task": "T9"}, belay.CodeNotFound, "T9"},
		{"check", args{"task": "T1", "before": "HEAD"}, belay.CodeUsage, "combined"},
		{"check", args{"before": "no such"}, "", "no such"},
		{"check", args{"before": "HEAD", "timeout_seconds": -1}, belay.CodeUsage, "timeout_seconds"},
		{"check", args{"before": "HEAD", "timeout_seconds": 1e300}, belay.CodeUsage, "timeout_seconds"},
		{"fix_prompt", args{"max_tokens": -1}, belay.CodeUsage, "max_tokens"},
		{"fix_prompt", args{"task": "T9"}, belay.CodeNotFound, "T9"},
		{"undo", nil, belay.CodeCannot, "nothing to undo"},
		{"undo", args{"what": "everything"}, belay.CodeUsage, "what: restore"},
		{"undo", args{"number": 1}, belay.CodeUsage, "what: turn"},
		{"undo", args{"what": "turn", "number": -1}, belay.CodeUsage, "number"},
		{"undo", args{"what": "turn"}, belay.CodeNotFound, "session"},
		{"timeline", args{"session": "x"}, belay.CodeNotFound, "session"},
		{"decide", args{"task": "T9"}, belay.CodeNotFound, "T9"},
	} {
		r := callTool(t, c, one.tool, one.args)
		if !r.IsError {
			t.Errorf("%s %v: %s", one.tool, one.args, text(r))
			continue
		}
		bad(t, r, one.code, one.word)
	}
	if _, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: "no such tool"}); err == nil {
		t.Error("an unknown tool was called")
	}
}

func TestOutsideOfARepository(t *testing.T) {
	c := client(t, options(t.TempDir()), versions[0], nil)
	for _, tool := range []string{"status", "snapshot", "diff", "check", "fix_prompt", "undo", "decide", "brief", "timeline"} {
		bad(t, callTool(t, c, tool, nil), belay.CodeCannot, "repository")
	}
	list, err := c.ListResources(t.Context(), nil)
	if err != nil || len(list.Resources) != 0 {
		t.Errorf("%v %v", list, err)
	}
	if _, err := c.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "task://T1"}); err == nil || !strings.Contains(err.Error(), "repository") {
		t.Errorf("%v", err)
	}
}

func TestResources(t *testing.T) {
	_, o := waiting(t, "T1")
	s := service(t, o)
	if _, err := app.RecordReview(t.Context(), s, app.NewReview{Task: "T1", Verdict: app.Reject, Text: "Fix a.txt:1.\n", Reviewer: "ana",
		Watch: &progress{}}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Add(t.Context(), app.NewTask{ID: "T2", Text: "another one"}); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Start(t.Context(), "T2", &progress{}); err != nil {
		t.Fatal(err)
	}
	if _, err := app.InitContext(t.Context(), s.Session, app.InitRequest{ContextRequest: app.ContextRequest{Task: "T2"},
		WithoutStandards: true}); err != nil {
		t.Fatal(err)
	}
	for _, v := range versions {
		c := client(t, o, v, nil)
		list, err := c.ListResources(t.Context(), nil)
		if err != nil {
			t.Fatal(err)
		}
		var uris []string
		for _, r := range list.Resources {
			uris = append(uris, r.URI)
			got, err := c.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: r.URI})
			if err != nil || len(got.Contents) != 1 || got.Contents[0].MIMEType != r.MIMEType || got.Contents[0].Text == "" {
				t.Errorf("%s: %v %+v", r.URI, err, got)
			}
		}
		slices.Sort(uris)
		want := []string{"context://T2", "review-cycle://_/T1/review-cycle-1.md", "reviews://T1", "task://T1", "task://T2"}
		if d := cmp.Diff(want, uris); d != "" {
			t.Error(d)
		}
		shown, _, err := s.Show("T1")
		got, rerr := c.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: "task://T1"})
		if rerr != nil {
			t.Fatal(rerr)
		}
		var data map[string]any
		if jerr := json.Unmarshal([]byte(got.Contents[0].Text), &data); jerr != nil || cmp.Diff(printed(t, shown, err), data) != "" {
			t.Errorf("%v %s", jerr, cmp.Diff(printed(t, shown, err), data))
		}
		templates, err := c.ListResourceTemplates(t.Context(), nil)
		if err != nil || len(templates.ResourceTemplates) != 4 {
			t.Errorf("%v %v", templates, err)
		}
		for _, uri := range []string{"task://T9", "task://..", "context://T1", "reviews://T9", "task://T1/x",
			"review-cycle://_/T1/review-cycle-9.md", "review-cycle://../../x", "file:///etc/passwd"} {
			if got, err := c.ReadResource(t.Context(), &sdk.ReadResourceParams{URI: uri}); err == nil {
				t.Errorf("%s: %+v", uri, got.Contents[0])
			}
		}
	}
}

func TestPrompt(t *testing.T) {
	_, o := waiting(t, "T1")
	fix, err := app.FixPrompt(t.Context(), service(t, o), "T1", 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range versions {
		c := client(t, o, v, nil)
		list, err := c.ListPrompts(t.Context(), nil)
		if err != nil || len(list.Prompts) != 1 || list.Prompts[0].Name != "fix" {
			t.Fatalf("%v %v", list, err)
		}
		for _, a := range []map[string]string{nil, {"task": "T1"}} {
			got, err := c.GetPrompt(t.Context(), &sdk.GetPromptParams{Name: "fix", Arguments: a})
			if err != nil || len(got.Messages) != 1 || got.Messages[0].Content.(*sdk.TextContent).Text != fix.Text {
				t.Errorf("%v %v", got, err)
			}
		}
		if _, err := c.GetPrompt(t.Context(), &sdk.GetPromptParams{Name: "fix", Arguments: map[string]string{"task": "T9"}}); err == nil ||
			!strings.Contains(err.Error(), "no task T9; try: ") {
			t.Errorf("%v", err)
		}
	}
}

// Cancelling a call must stop what it started, such as a project's tests.
func TestCancel(t *testing.T) {
	for _, v := range versions {
		t.Run(v, func(t *testing.T) {
			dir, at := project(t), filepath.Join(t.TempDir(), "pid")
			o := options(dir, app.Flag{Key: "checks.tests.command", Value: "echo $$ > " + at + "; exec sleep 600"})
			c := client(t, o, v, nil)
			ctx, cancel := context.WithCancel(t.Context())
			done := make(chan error, 1)
			go func() {
				_, err := c.CallTool(ctx, &sdk.CallToolParams{Name: "check", Arguments: args{"before": "HEAD", "timeout_seconds": 500}})
				done <- err
			}()
			pid := appears(t, at)
			cancel()
			if err := <-done; err == nil {
				t.Error("a call that was cancelled succeeded")
			}
			gone(t, pid)
			good(t, callTool(t, c, "status", nil)) // the server still answers
		})
	}
}

// appears waits for a line in a file.
func appears(t *testing.T, file string) string {
	t.Helper()
	for end := time.Now().Add(testutil.Patience); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if text, err := os.ReadFile(file); err == nil && strings.HasSuffix(string(text), "\n") {
			return strings.TrimSpace(string(text))
		}
	}
	t.Fatalf("%s was not written", file)
	return ""
}

func gone(t *testing.T, pid string) {
	t.Helper()
	for end := time.Now().Add(testutil.Patience); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if exec.Command("kill", "-0", pid).Run() != nil {
			return
		}
	}
	t.Errorf("process %s still exists", pid)
}

func TestProgress(t *testing.T) {
	dir := project(t)
	write(t, dir, "a.txt", "three\n")
	var mu sync.Mutex
	var got []*sdk.ProgressNotificationParams
	c := client(t, options(dir), versions[1], &sdk.ClientOptions{ProgressNotificationHandler: func(_ context.Context, r *sdk.ProgressNotificationClientRequest) {
		mu.Lock()
		defer mu.Unlock()
		got = append(got, r.Params)
	}})
	p := &sdk.CallToolParams{Name: "check", Arguments: args{"before": "HEAD"}}
	p.SetProgressToken("p1")
	r, err := c.CallTool(t.Context(), p)
	if err != nil {
		t.Fatal(err)
	}
	good(t, r)
	// The client delivers notifications separately: the last ones may arrive after the answer.
	all := func() (texts string) {
		mu.Lock()
		defer mu.Unlock()
		for _, one := range got {
			texts += one.Message + "\n"
		}
		return texts
	}
	for end := time.Now().Add(testutil.Patience); !strings.Contains(all(), "secrets: pass") && time.Now().Before(end); {
		time.Sleep(10 * time.Millisecond)
	}
	if texts := all(); !strings.Contains(texts, "secrets: started") || !strings.Contains(texts, "secrets: pass") {
		t.Errorf("progress: %s", texts)
	}
	mu.Lock()
	defer mu.Unlock()
	last := 0.0
	for _, one := range got {
		if one.Progress <= last || one.ProgressToken != "p1" {
			t.Errorf("%+v after %v", one, last)
		}
		last = one.Progress
	}
}

// Many simultaneous calls from two clients of one server must all succeed.
func TestTwoClientsAtOnce(t *testing.T) {
	dir, o := waiting(t, "T1")
	s := New(o)
	var wg sync.WaitGroup
	for i, v := range versions[:2] {
		c := connect(t, s, v, nil)
		for n := range 4 {
			wg.Add(1)
			go func() {
				defer wg.Done()
				for _, tool := range []string{"snapshot", "status", "diff"} {
					r, err := c.CallTool(t.Context(), &sdk.CallToolParams{Name: tool})
					if err != nil || r.IsError {
						t.Errorf("client %d, call %d, %s: %v %+v", i, n, tool, err, r)
					}
				}
			}()
		}
	}
	wg.Wait()
	all, err := service(t, o).Session.Snaps.List(t.Context())
	if err != nil || len(all) < 2 {
		t.Errorf("%d snapshots: %v", len(all), err)
	}
	if read(t, dir, "b.txt") != "changed\n" {
		t.Error("the tree was changed")
	}
}
