package hook

import (
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"strings"
	"testing"
	"time"
)

// TestRead reads events of each kind, as the agents send them.
func TestRead(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		agent, in string
		want      Event
	}{
		{"claude", `{"session_id":"s","transcript_path":"/t","cwd":"/w","hook_event_name":"SessionStart","source":"resume"}`,
			Event{Kind: Start, Name: "SessionStart", Session: "s", Dir: "/w", Source: "resume"}},
		{"claude", `{"session_id":"s","cwd":"/w","hook_event_name":"UserPromptSubmit","prompt":"do \"it\"\nnow"}`,
			Event{Kind: Prompt, Name: "UserPromptSubmit", Session: "s", Dir: "/w", Prompt: "do \"it\"\nnow"}},
		{"claude", `{"session_id":"s","cwd":"/w","hook_event_name":"PreToolUse","tool_name":"Bash","tool_use_id":"u","tool_input":{"command":"git status","description":"x","run_in_background":true}}`,
			Event{Kind: Before, Name: "PreToolUse", Session: "s", Dir: "/w", Tool: Tool{Name: "Bash", Call: "u", Effect: Runs, Command: "git status", Background: true}}},
		{"claude", `{"session_id":"s","cwd":"/w","hook_event_name":"PreToolUse","tool_name":"Edit","tool_use_id":"u","tool_input":{"file_path":"/w/a.go","old_string":"x","new_string":"rm -rf src"}}`,
			Event{Kind: Before, Name: "PreToolUse", Session: "s", Dir: "/w", Tool: Tool{Name: "Edit", Call: "u", Effect: Writes, Paths: []string{"/w/a.go"}}}},
		{"claude", `{"session_id":"s","cwd":"/w","hook_event_name":"PreToolUse","tool_name":"Read","tool_use_id":"u","tool_input":{"file_path":"/w/a.go"}}`,
			Event{Kind: Before, Name: "PreToolUse", Session: "s", Dir: "/w", Tool: Tool{Name: "Read", Call: "u", Effect: Reads}}},
		{"claude", `{"session_id":"s","cwd":"/w","hook_event_name":"PostToolUse","tool_name":"mcp__x__y","tool_use_id":"u","tool_input":{},"tool_response":{"a":[1,2,{"b":null}]}}`,
			Event{Kind: After, Name: "PostToolUse", Session: "s", Dir: "/w", Tool: Tool{Name: "mcp__x__y", Call: "u", Effect: Writes, Output: "1\n2\nnull\n"}}},
		{"claude", `{"session_id":"s","cwd":"/w","hook_event_name":"Stop","stop_hook_active":true}`,
			Event{Kind: Stop, Name: "Stop", Session: "s", Dir: "/w"}},
		{"claude", `{"session_id":"s","cwd":"/w","hook_event_name":"Notification","message":"hi"}`,
			Event{Kind: Other, Name: "Notification", Session: "s", Dir: "/w"}},
		{"codex", `{"session_id":"s","turn_id":"1","cwd":"/w","hook_event_name":"PreToolUse","tool_name":"apply_patch","tool_use_id":"u","tool_input":{"command":"*** Begin Patch\n*** Update File: a.go\n@@\n-x\n+y\n*** Add File: b c.txt\n+z\n*** End Patch"}}`,
			Event{Kind: Before, Name: "PreToolUse", Session: "s", Dir: "/w", Tool: Tool{Name: "apply_patch", Call: "u", Effect: Writes, Paths: []string{"a.go", "b c.txt"}}}},
		{"codex", `{"session_id":"s","cwd":"/w","hook_event_name":"PreToolUse","tool_name":"Bash","tool_use_id":"u","tool_input":{"command":["bash","-lc","git reset --hard"],"workdir":"/w/sub"}}`,
			Event{Kind: Before, Name: "PreToolUse", Session: "s", Dir: "/w", Tool: Tool{Name: "Bash", Call: "u", Effect: Runs, Command: "git reset --hard", Dir: "/w/sub"}}},
		{"gemini", `{"session_id":"s","cwd":"/w","hook_event_name":"BeforeTool","timestamp":"t","tool_name":"run_shell_command","tool_input":{"command":"ls","dir_path":"src"}}`,
			Event{Kind: Before, Name: "BeforeTool", Session: "s", Dir: "/w", Tool: Tool{Name: "run_shell_command", Effect: Runs, Command: "ls", Dir: "src"}}},
		{"gemini", `{"session_id":"s","cwd":"/w","hook_event_name":"AfterAgent","prompt":"p","prompt_response":"r","stop_hook_active":false}`,
			Event{Kind: Stop, Name: "AfterAgent", Session: "s", Dir: "/w", Prompt: "p"}},
		{"gemini", `{"session_id":"s","cwd":"/w","hook_event_name":"BeforeAgent","prompt":"p"}`,
			Event{Kind: Prompt, Name: "BeforeAgent", Session: "s", Dir: "/w", Prompt: "p"}},
		{"gemini", `{"session_id":"s","cwd":"/w","hook_event_name":"BeforeModel","llm_request":{}}`,
			Event{Kind: Other, Name: "BeforeModel", Session: "s", Dir: "/w"}},
		{"opencode", `{"hook_event_name":"PreToolUse","session_id":"s","cwd":"/w","tool_name":"write","tool_use_id":"u","tool_input":{"filePath":"a.txt","content":"x"}}`,
			Event{Kind: Before, Name: "PreToolUse", Session: "s", Dir: "/w", Tool: Tool{Name: "write", Call: "u", Effect: Writes, Paths: []string{"a.txt"}}}},
		{"cursor", `{"conversation_id":"s","hook_event_name":"beforeShellExecution","workspace_roots":["/w"],"command":"ls","cwd":"/w"}`,
			Event{Kind: Before, Name: "beforeShellExecution", Session: "s", Dir: "/w", Tool: Tool{Name: "Shell", Effect: Runs, Command: "ls"}}},
		{"cursor", `{"conversation_id":"s","hook_event_name":"afterFileEdit","workspace_roots":["/w"],"file_path":"/w/a","edits":[{"old_string":"a","new_string":"b"}]}`,
			Event{Kind: After, Name: "afterFileEdit", Session: "s", Dir: "/w", Tool: Tool{Name: "Edit", Effect: Writes, Paths: []string{"/w/a"}}}},
		{"copilot", `{"sessionId":"s","timestamp":1,"cwd":"/w","toolName":"bash","toolArgs":"{\"command\":\"git reset --hard\"}"}`,
			Event{Kind: Before, Name: "preToolUse", Session: "s", Dir: "/w", Tool: Tool{Name: "bash", Effect: Runs, Command: "git reset --hard"}, camelCase: true}},
		{"copilot", `{"session_id":"s","cwd":"/w","hook_event_name":"Stop"}`, Event{Kind: Stop, Name: "Stop", Session: "s", Dir: "/w"}},
	} {
		c.want.Agent = c.agent
		if got := Read(c.agent, strings.NewReader(c.in)); fmt.Sprintf("%+v", got) != fmt.Sprintf("%+v", c.want) {
			t.Errorf("%s: %s\n got %+v\nwant %+v", c.agent, c.in, got, c.want)
		}
	}
}

// The answers must have the form that agents accept: Codex ignores a denial with an additional key.
func TestWrite(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		agent, name string
		kind        Kind
		a           Answer
		out         string
		exit        int
	}{
		{"claude", "PreToolUse", Before, Answer{Deny: "no <a>"}, `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no <a>"}}`, 2},
		{"codex", "PreToolUse", Before, Answer{Deny: "no"}, `{"hookSpecificOutput":{"hookEventName":"PreToolUse","permissionDecision":"deny","permissionDecisionReason":"no"}}`, 2},
		{"claude", "Stop", Stop, Answer{Block: "fix"}, `{"decision":"block","reason":"fix"}`, 2},
		{"claude", "Stop", Stop, Answer{Note: "n", Context: "c"}, `{"systemMessage":"n"}`, 0},
		{"claude", "SessionStart", Start, Answer{Context: "c"}, `{"hookSpecificOutput":{"additionalContext":"c","hookEventName":"SessionStart"}}`, 0},
		{"gemini", "BeforeTool", Before, Answer{Deny: "no"}, `{"decision":"deny","reason":"no"}`, 0},
		{"gemini", "AfterAgent", Stop, Answer{Block: "fix"}, `{"decision":"deny","reason":"fix"}`, 0},
		{"qwen", "Stop", Stop, Answer{Block: "fix"}, `{"decision":"block","reason":"fix"}`, 2},
		{"opencode", "PreToolUse", Before, Answer{Deny: "no"}, `{"decision":"deny","reason":"no"}`, 2},
		{"opencode", "SessionStart", Start, Answer{Context: "c", Note: "n"}, `{"context":"c"}`, 0},
		{"opencode", "Stop", Stop, Answer{Note: "n"}, ``, 0},
		{"cursor", "preToolUse", Before, Answer{Deny: "no"}, `{"agent_message":"no","permission":"deny","user_message":"no"}`, 2},
		{"cursor", "stop", Stop, Answer{Block: "fix"}, `{"followup_message":"fix"}`, 0},
		{"cursor", "sessionStart", Start, Answer{Context: "c"}, ``, 0},
		{"copilot", "preToolUse", Before, Answer{Deny: "no"}, `{"permissionDecision":"deny","permissionDecisionReason":"no"}`, 2},
		{"copilot", "agentStop", Stop, Answer{Block: "fix"}, `{"decision":"block","reason":"fix"}`, 0},
		{"claude", "PostToolUse", After, Answer{}, ``, 0},
		{"claude", "Notification", Other, Answer{Deny: "no", Context: "c"}, ``, 0},
		{"nobody", "PreToolUse", Before, Answer{Deny: "no"}, ``, 0},
	} {
		got := Encode(Event{Agent: c.agent, Name: c.name, Kind: c.kind}, c.a)
		if strings.TrimSuffix(got.Stdout, "\n") != c.out || got.Exit != c.exit || (got.Exit == 2) != (got.Stderr != "") {
			t.Errorf("%s %s %+v: %+v", c.agent, c.name, c.a, got)
		}
	}
}

// TestBad reads input that is truncated, is not JSON, is nested too deeply, or repeats keys.
func TestBad(t *testing.T) {
	t.Parallel()
	whole := `{"hook_event_name":"PreToolUse","session_id":"s","tool_name":"Bash","tool_input":{"command":"git reset --hard"}}`
	for i := range len(whole) {
		if ev := Read("claude", strings.NewReader(whole[:i])); !ev.Incomplete {
			t.Errorf("%q: not reported as incomplete", whole[:i])
		}
	}
	for _, in := range []string{"", "null", "[]", "[1,2]", "{", "}", `"x"`, "\xff\xfe", `{"a"}`, `{"a":}`, `{a:1}`, "{]", "[}", `{"a":1,}`,
		strings.Repeat("[", 1_000_000), strings.Repeat(`{"a":`, 300_000), `{"hook_event_name":7}`, `{"hook_event_name":["Stop"]}`} {
		_ = Read("claude", strings.NewReader(in)) // it must return
	}
	if ev := Read("claude", strings.NewReader(`{"session_id":"a","session_id":"b","hook_event_name":"Stop"}`)); ev.Session != "b" {
		t.Errorf("a repeated key: %+v", ev)
	}
	if ev := Read("claude", io.MultiReader(strings.NewReader(whole), never{})); ev.Tool.Command == "" || ev.Incomplete {
		t.Errorf("unclosed input: %+v", ev)
	}
}

// never blocks like a pipe that nobody writes to.
type never struct{}

func (never) Read([]byte) (int, error) { time.Sleep(time.Hour); return 0, io.EOF }

// A tool input of 50 MB must be read without holding it in memory.
func TestHuge(t *testing.T) {
	size := 50 << 20
	in := io.MultiReader(strings.NewReader(`{"hook_event_name":"PreToolUse","tool_name":"Write","tool_input":{"content":"`),
		io.LimitReader(letters{}, int64(size)), strings.NewReader(`","file_path":"a.txt"},"session_id":"s"}`))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	ev := Read("claude", in)
	runtime.ReadMemStats(&after)
	if ev.Session != "s" || ev.Incomplete || len(ev.Tool.Paths) != 1 {
		t.Errorf("%+v", ev)
	}
	if held := after.TotalAlloc - before.TotalAlloc; held > 1<<20 {
		t.Errorf("%d bytes were allocated", held)
	}
	in = io.MultiReader(strings.NewReader(`{"hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"`),
		io.LimitReader(letters{}, int64(size)), strings.NewReader(`"},"session_id":"s"}`))
	if ev := Read("claude", in); !ev.Incomplete || !ev.Tool.TooLong || ev.Session != "s" || len(ev.Tool.Command) > maxCommand+16 {
		t.Errorf("a command that is too long: incomplete %v, %d bytes", ev.Incomplete, len(ev.Tool.Command))
	}
}

// TestTooLong: a command counts as too long if its end was not kept, also inside JSON in a string;
// other long texts, and input that ends early, do not.
func TestTooLong(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("echo x;", maxCommand/7+1)
	list := `["sh"` + strings.Repeat(`,"`+strings.Repeat("a", maxCommand/2)+`"`, 9) + `]`
	for in, want := range map[string]bool{
		`"tool_name":"Bash","tool_input":{"command":"` + long + `"}`:      true,
		`"tool_name":"Bash","tool_input":{"command":` + list + `}`:        true,
		`"tool_name":"bash","toolArgs":"{\"command\":\"` + long + `\"}"`:  true,
		`"tool_name":"bash","toolArgs":"{\"command\":\"ls\"}"`:            false,
		`"tool_name":"mcp__run","tool_input":{"command":"` + long + `"}`:  true,
		`"tool_name":"Write","tool_input":{"content":"` + long + `"}`:     false,
		`"tool_name":"apply_patch","tool_input":{"patch":"` + long + `"}`: false,
		`"tool_name":"Read","tool_input":{"command":"` + long + `"}`:      false,
		`"tool_name":"Bash","tool_input":{"command":"ls","n":NaN}`:        false,
	} {
		in = `{"hook_event_name":"PreToolUse",` + in + `}`
		if ev := Read("copilot", strings.NewReader(in)); ev.Tool.TooLong != want {
			t.Errorf("%.80s: %v", in, ev.Tool.TooLong)
		}
	}
}

// TestManyValues: what a call is judged by is kept behind any number of other values.
func TestManyValues(t *testing.T) {
	t.Parallel()
	few := `"tool_name":"Bash","tool_input":{"command":"git push -f"},"hook_event_name":"PreToolUse","session_id":"s"`
	for name, junk := range map[string]string{
		"a list": `["a"` + strings.Repeat(`,"a"`, 5000) + `]`, "long texts": `["a"` + strings.Repeat(`,"`+strings.Repeat("b", 4000)+`"`, 1100) + `]`,
	} {
		inner := strings.Replace(few, `{"command"`, `{"junk":`+junk+`,"command"`, 1)
		for _, in := range []string{`{"junk":` + junk + `,` + few + `}`, `{` + inner + `}`} {
			if ev := Read("claude", strings.NewReader(in)); ev.Tool.Command != "git push -f" || ev.Kind != Before || ev.Session != "s" {
				t.Errorf("%s: %q, %+v", name, ev.Tool.Command, ev.Kind)
			}
		}
		in := `{"tool_name":"Write","tool_input":{"junk":` + junk + `,"file_path":"go.mod"},"hook_event_name":"PreToolUse"}`
		if ev := Read("claude", strings.NewReader(in)); len(ev.Tool.Paths) != 1 {
			t.Errorf("%s: %q", name, ev.Tool.Paths)
		}
	}
}

type letters struct{}

func (letters) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'a'
	}
	return len(p), nil
}

// FuzzRead compares the reader with encoding/json: it must accept the same input and return the
// same texts.
func FuzzRead(f *testing.F) {
	f.Add(`{"hook_event_name":"PreToolUse","session_id":"s","tool_name":"Bash","tool_input":{"command":"a\u00e9\n\"b\" \\"}}`)
	f.Add(`{"a":[1,2.5e-3,true,false,null,{"b":[]},[{}],""]}`)
	f.Add(`[{"x":"` + strings.Repeat(`\"`, 3000) + `"}]`)
	f.Fuzz(func(t *testing.T, text string) {
		for _, agent := range Agents() {
			Read(agent, strings.NewReader(text))
		}
		got := readFields(strings.NewReader(text))
		var v any
		if json.Unmarshal([]byte(text), &v) != nil {
			return
		}
		if o, ok := v.(map[string]any); ok {
			for _, key := range []string{"session_id", "hook_event_name", "cwd", "a"} {
				s, ok := o[key].(string)
				if ok && len(s) < 1000 && len(o) == 1 && !got.incomplete && len(got.get(key)) == 1 && got.get(key)[0] != s {
					t.Errorf("%q: %s is %q, not %q", text, key, got.get(key), s)
				}
			}
		}
		if got.incomplete && len(text) < 2000 && strings.Count(text, "[") < 50 {
			t.Errorf("%q: not accepted as JSON", text)
		}
	})
}
