package agent_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/belay-dev/belay/internal/agent"
)

// told records what a reader reports.
type told struct{ lines []string }

func (t *told) CallBegan(c agent.Call) {
	args, _ := json.Marshal(c.Args)
	t.lines = append(t.lines, strings.TrimSpace(fmt.Sprintf("began %s %s %s %s opaque=%v", c.ID, c.Thread, c.Tool, args, c.Opaque)))
}

func (t *told) CallEnded(e agent.CallResult) {
	t.lines = append(t.lines, fmt.Sprintf("ended %s %q told=%v failed=%v", e.ID, e.Output, e.HasOutput, e.Failed))
}

// TestForms reads one call and its result in each agent's form.
func TestForms(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		text string
		want []string
	}{
		"claude": {`{"type":"assistant","message":{"content":[{"type":"text","text":"I look"},{"type":"tool_use","id":"a","name":"Read","input":{"n":1}}]},"parent_tool_use_id":"p"}
{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":"a","is_error":true,"content":[{"type":"text","text":"no"},{"type":"text","text":" file"}]}]}}`,
			[]string{`began a p Read {"n":1} opaque=false`, `ended a "no file" told=true failed=true`}},
		"claude, a message twice": {strings.Repeat(`{"type":"assistant","message":{"content":[{"type":"tool_use","id":"a","name":"Read","input":{}}]}}`+"\n", 2),
			[]string{`began a  Read {} opaque=false`}},
		"codex": {`{"type":"item.started","item":{"id":"i1","type":"command_execution","command":"bash -lc ls","aggregated_output":"","status":"in_progress"}}
{"type":"item.completed","item":{"id":"i1","type":"command_execution","command":"bash -lc ls","aggregated_output":"a.go\n","exit_code":2,"status":"failed"}}
{"type":"item.completed","item":{"id":"i2","type":"file_change","changes":[{"path":"a.go","kind":"update"}],"status":"completed"}}
{"type":"item.completed","item":{"id":"i3","type":"mcp_tool_call","server":"s","tool":"t","arguments":{"q":1},"result":{"content":[]},"status":"completed"}}
{"type":"item.completed","item":{"id":"i4","type":"reasoning","text":"hm"}}`,
			[]string{`began i1  shell {"command":"bash -lc ls"} opaque=false`, `ended i1 "a.go\n" told=true failed=true`,
				`began i2  file_change {"changes":[{"kind":"update","path":"a.go"}]} opaque=true`, `ended i2 "" told=false failed=false`,
				`began i3  s.t {"q":1} opaque=false`, `ended i3 "{\"content\":[]}" told=true failed=false`}},
		"gemini": {`{"type":"tool_use","tool_name":"read_file","tool_id":"r","parameters":{"path":"a"}}
{"type":"tool_result","tool_id":"r","status":"error","error":{"type":"x"}}`,
			[]string{`began r  read_file {"path":"a"} opaque=false`, `ended r "{\"type\":\"x\"}" told=true failed=true`}},
		"opencode": {`{"type":"tool_use","part":{"tool":"bash","callID":"c","state":{"status":"completed","input":{"command":"ls"},"output":"a"}}}`,
			[]string{`began c  bash {"command":"ls"} opaque=false`, `ended c "a" told=true failed=false`}},
		"pi": {`{"type":"tool_execution_start","toolCallId":"c","toolName":"read","args":{"path":"a"}}
{"type":"tool_execution_end","toolCallId":"c","result":"x","isError":true}`,
			[]string{`began c  read {"path":"a"} opaque=false`, `ended c "x" told=true failed=true`}},
		"cursor": {`{"type":"tool_call","subtype":"started","call_id":"c","tool_call":{"readToolCall":{"args":{"path":"a"}}}}
{"type":"tool_call","subtype":"completed","call_id":"c","tool_call":{"readToolCall":{"args":{"path":"a"},"result":{"error":{}}}}}`,
			[]string{`began c  readToolCall {"path":"a"} opaque=false`, `ended c "{\"error\":{}}" told=true failed=true`}},
		"copilot": {`{"type":"tool.execution_start","data":{"toolCallId":"c","toolName":"bash","arguments":{"command":"ls"}}}
{"type":"tool.execution_complete","data":{"toolCallId":"c","shellExecution":{"exitCode":1},"success":true,"result":{"content":"a","detailedContent":"b"}}}
{"type":"tool.execution_start","data":{"toolCallId":"d","toolName":"edit","arguments":{"path":"a"}}}
{"type":"tool.execution_complete","data":{"toolCallId":"d","success":false,"error":{"message":"no match","code":"failure"}}}`,
			[]string{`began c  bash {"command":"ls"} opaque=false`, `ended c "a" told=true failed=true`,
				`began d  edit {"path":"a"} opaque=false`, `ended d "no match" told=true failed=true`}},
		"nothing of the kind": {"npm warn\n{\"type\":\"assistant\"\n{}\n[1]\n{\"type\":7}\n{\"type\":\"tool_use\"}\n", nil},
	} {
		for _, end := range []string{"", "\n", "\r\n"} {
			var got told
			r := agent.StreamReader{Listener: &got}
			_, _ = r.Write([]byte(strings.ReplaceAll(tt.text, "\n", "\r\n") + end))
			r.Close()
			if d := cmp.Diff(tt.want, got.lines); d != "" {
				t.Errorf("%s: %s", name, d)
			}
			if r.HasCalls != (tt.want != nil) {
				t.Errorf("%s: any %v", name, r.HasCalls)
			}
		}
	}
}

// TestBounds: a line that is too long is skipped, and the next one is read; a long output is cut.
func TestBounds(t *testing.T) {
	t.Parallel()
	var got told
	r := agent.StreamReader{Listener: &got}
	line := func(id, out string) string {
		return fmt.Sprintf(`{"type":"tool_execution_end","toolCallId":%q,"result":%q}`+"\n", id, out)
	}
	_, _ = r.Write([]byte(line("long", strings.Repeat("x", agent.MaxLine))))
	_, _ = r.Write([]byte(line("cut", strings.Repeat("y", agent.MaxOutput+1))))
	if len(got.lines) != 1 || !strings.HasPrefix(got.lines[0], "ended cut") || strings.Count(got.lines[0], "y") != agent.MaxOutput {
		t.Errorf("%d lines", len(got.lines))
	}
}
