package agent_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/belay-dev/belay/internal/agent"
)

// reports writes what a reader reports, one line each.
func reports(text string) (lines []string) {
	r := agent.StreamReader{OnUsage: func(u agent.Usage) {
		kind := "step " + u.ID
		if u.Total {
			kind = "total"
		}
		line := fmt.Sprintf("%s %s of %q:", u.Agent, kind, u.Counter)
		for _, m := range u.Models {
			t := m.Tokens
			line += fmt.Sprintf(" %s=%d/%d/%d/%d", m.Model, t.Input, t.CacheRead, t.CacheWrite, t.Output)
		}
		if u.Priced {
			line += fmt.Sprintf(" $%g", u.Cost)
		}
		if u.Last {
			line += " last"
		}
		if u.Invalid != "" {
			line += " odd " + u.Invalid
		}
		lines = append(lines, line)
	}}
	_, _ = r.Write([]byte(text))
	r.Close()
	return lines
}

// TestUsage reads what each agent reports as usage, in its documented form. Tokens are input/cache
// read/cache write/output.
func TestUsage(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		text string
		want []string
	}{
		"claude": {`{"type":"system","subtype":"init","session_id":"s1","model":"claude-x","claude_code_version":"2.1"}
{"type":"assistant","session_id":"s1","parent_tool_use_id":null,"message":{"id":"msg_1","model":"claude-x","content":[],"usage":{"input_tokens":3,"cache_creation_input_tokens":200,"cache_read_input_tokens":1000,"output_tokens":1}}}
{"type":"assistant","session_id":"s1","parent_tool_use_id":"toolu_1","message":{"id":"msg_2","model":"claude-y","content":[],"usage":{"input_tokens":5,"output_tokens":9}}}
{"type":"result","subtype":"success","session_id":"s1","total_cost_usd":0.4,"num_turns":2,"usage":{"input_tokens":3,"output_tokens":60},"modelUsage":{"claude-y":{"inputTokens":5,"outputTokens":9,"cacheReadInputTokens":0,"cacheCreationInputTokens":0,"costUSD":0.1},"claude-x":{"inputTokens":3,"outputTokens":60,"cacheReadInputTokens":1000,"cacheCreationInputTokens":200,"costUSD":0.3}}}`,
			[]string{`claude step msg_1 of "s1": claude-x=3/1000/200/1`, `claude step msg_2 of "s1": claude-y=5/0/0/9`,
				`claude total of "s1": claude-x=3/1000/200/60 claude-y=5/0/0/9 $0.4 last`}},
		"claude, the stream of the model": {`{"type":"stream_event","session_id":"s","event":{"type":"message_start","message":{"id":"m","model":"x","usage":{"input_tokens":7,"output_tokens":1}}}}
{"type":"stream_event","session_id":"s","event":{"type":"content_block_delta","delta":{}}}
{"type":"stream_event","session_id":"s","event":{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":50}}}`,
			[]string{`claude step m of "s": x=7/0/0/1`, `claude step m of "s": x=0/0/0/50`}},
		"claude, a cost alone":                   {`{"type":"result","session_id":"s","total_cost_usd":0.4}`, []string{`claude total of "s": $0.4 last`}},
		"claude, nothing for tokens is no price": {`{"type":"result","session_id":"s","total_cost_usd":0,"usage":{"input_tokens":5,"output_tokens":2}}`, []string{`claude total of "s": =5/0/0/2 last`}},
		"claude, a message that it made itself":  {`{"type":"assistant","session_id":"s","message":{"id":"m","model":"<synthetic>","usage":{"input_tokens":0,"output_tokens":0}}}`, []string{`claude step m of "s": <synthetic>=0/0/0/0`}},
		"qwen: what is cached is part of the input, reasoning beside the output": {`{"type":"system","subtype":"init","session_id":"q","model":"qwen3","qwen_code_version":"0.15"}
{"type":"assistant","session_id":"q","message":{"id":"a","model":"qwen3","usage":{"input_tokens":100,"output_tokens":10,"cache_read_input_tokens":40,"total_tokens":115}}}
{"type":"result","subtype":"success","session_id":"q","usage":{"input_tokens":100,"output_tokens":10,"cache_read_input_tokens":40,"total_tokens":115}}`,
			[]string{`qwen step a of "q": qwen3=60/40/0/15`, `qwen total of "q": qwen3=60/40/0/15 last`}},
		"codex: totals of the thread, cached as a part of the input": {`{"type":"thread.started","thread_id":"th"}
{"type":"turn.started"}
{"type":"turn.completed","usage":{"input_tokens":1000,"cached_input_tokens":400,"output_tokens":200,"reasoning_output_tokens":150}}
{"type":"turn.failed","error":{"message":"no"}}`,
			[]string{`codex total of "th": =600/400/0/200 last`}},
		"codex, its log": {`{"type":"session_meta","payload":{"id":"th","cwd":"/w","cli_version":"0.1"}}
{"type":"turn_context","payload":{"model":"gpt-x"}}
{"type":"event_msg","payload":{"type":"token_count","info":null,"rate_limits":{}}}
{"type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":{"input_tokens":50,"cached_input_tokens":20,"output_tokens":5,"reasoning_output_tokens":2,"total_tokens":55},"last_token_usage":{"input_tokens":9,"output_tokens":1}}}}`,
			[]string{`codex total of "th": gpt-x=30/20/0/5`}},
		"codex before 0.44": {`{"id":"0","msg":{"type":"session_configured","session_id":"th","model":"gpt-y"}}
{"id":"0","msg":{"type":"token_count","info":{"total_token_usage":{"input_tokens":50,"cached_input_tokens":0,"output_tokens":5}}}}
{"id":"0","msg":{"type":"token_count","input_tokens":60,"cached_input_tokens":10,"output_tokens":6,"total_tokens":66}}`,
			[]string{`codex total of "th": gpt-y=50/0/0/5`, `codex total of "th": gpt-y=50/10/0/6`}},
		"gemini: reasoning is in the total alone": {`{"type":"init","session_id":"g","model":"auto"}
{"type":"result","status":"success","stats":{"total_tokens":330,"input_tokens":150,"output_tokens":150,"cached":50,"input":100,"duration_ms":1,"tool_calls":2,"models":{"flash":{"total_tokens":30,"input_tokens":20,"output_tokens":10,"cached":0,"input":20},"pro":{"total_tokens":300,"input_tokens":130,"output_tokens":140,"cached":50,"input":80}}}}`,
			[]string{`gemini total of "g": flash=20/0/0/10 pro=80/50/0/170 last`}},
		"gemini without models": {`{"type":"init","session_id":"g","model":"pro"}
{"type":"result","status":"error","stats":{"total_tokens":30,"input_tokens":20,"output_tokens":10,"cached":0}}`, []string{`gemini total of "g": pro=20/0/0/10 last`}},
		"opencode: reasoning beside the output": {`{"type":"step_start","sessionID":"o","part":{"id":"p0"}}
{"type":"step_finish","sessionID":"o","part":{"id":"p1","messageID":"m","sessionID":"o","type":"step-finish","reason":"tool-calls","cost":0.25,"tokens":{"input":10,"output":5,"reasoning":2,"cache":{"read":100,"write":20}}}}
{"type":"step_finish","sessionID":"o","part":{"id":"p2","messageID":"m","sessionID":"o","type":"step-finish","reason":"stop","cost":0,"tokens":{"total":15,"input":10,"output":5}}}`,
			[]string{`opencode step p1 of "o": =10/100/20/7 $0.25`, `opencode step p2 of "o": =10/0/0/5 last`}},
		"pi": {`{"type":"message_end","message":{"role":"user","content":"x"}}
{"type":"message_update","message":{"role":"assistant","usage":{"input":1}}}
{"type":"message_end","message":{"role":"assistant","model":"sonnet","provider":"p","stopReason":"toolUse","usage":{"input":10,"output":5,"cacheRead":3,"cacheWrite":2,"totalTokens":20,"cost":{"input":0.1,"output":0.2,"cacheRead":0,"cacheWrite":0,"total":0.3}}}}
{"type":"turn_end","message":{"role":"assistant","usage":{"input":10,"output":5,"cost":{"total":0.3}}}}
{"type":"message_end","message":{"role":"assistant","model":"own","stopReason":"stop","usage":{"input":10,"output":5,"cacheRead":0,"cacheWrite":0,"cost":{"total":0}}}}
{"type":"agent_end","messages":[]}`,
			[]string{`pi step  of "": sonnet=10/3/2/5 $0.3`, `pi step  of "": own=10/0/0/5 last`}},
		"cursor reports nothing": {`{"type":"result","subtype":"success","duration_ms":5,"result":"done","session_id":"c"}`, nil},
		"not reports":            {"{\"type\":\"result\"}\n{\"msg\":7}\n{\"type\":\"assistant\"}\n{\"type\":\"step_finish\"}\n{\"type\":\"turn.completed\"}\n{\"type\":\"result\",\"stats\":{}}\n{\"type\":\"message_end\"}\n{\"Action\":\"pass\"}", nil},

		"negative":              {`{"type":"turn.completed","usage":{"input_tokens":-5,"output_tokens":2}}`, []string{`codex total of "": =0/0/0/2 last odd input_tokens: -5`}},
		"too much":              {`{"type":"result","total_cost_usd":1e300}`, []string{`claude total of "": last odd total_cost_usd: 1e300`}},
		"infinite":              {`{"type":"result","total_cost_usd":1e999}`, []string{`claude total of "": last odd total_cost_usd: 1e999`}},
		"a text":                {`{"type":"result","total_cost_usd":"NaN"}`, []string{`claude total of "": last odd total_cost_usd: NaN`}},
		"no JSON":               {`{"type":"result","total_cost_usd":NaN}`, nil},
		"null":                  {`{"type":"result","total_cost_usd":null,"usage":{"input_tokens":null,"output_tokens":4}}`, []string{`claude total of "": =0/0/0/4 last`}},
		"fractions":             {`{"type":"turn.completed","usage":{"input_tokens":1e3,"output_tokens":2.0}}`, []string{`codex total of "": =1000/0/0/2 last`}},
		"more cached than read": {`{"type":"turn.completed","usage":{"input_tokens":5,"cached_input_tokens":9,"output_tokens":1}}`, []string{`codex total of "": =0/9/0/1 last`}},
	} {
		if d := cmp.Diff(tt.want, reports(tt.text)); d != "" {
			t.Errorf("%s: %s", name, d)
		}
		if d := cmp.Diff(tt.want, reports(strings.ReplaceAll("plain text\n"+tt.text, "\n", "\r\n")+"\r\n")); d != "" {
			t.Errorf("%s, between other lines: %s", name, d)
		}
	}
}

// FuzzReader: for any input in any pieces, the reports are equal and contain no impossible number.
func FuzzReader(f *testing.F) {
	seeds, err := filepath.Glob(filepath.Join("testdata", "stall", "real", "same_read.*.jsonl"))
	if err != nil || len(seeds) == 0 {
		f.Fatal("no recordings", err)
	}
	for _, path := range seeds {
		text, err := os.ReadFile(path)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(text), uint8(7))
	}
	for _, text := range []string{
		`{"type":"result","session_id":"s","total_cost_usd":0.4,"modelUsage":{"m":{"inputTokens":5}},"usage":{"input_tokens":5}}`,
		`{"type":"turn.completed","usage":{"input_tokens":1e12,"cached_input_tokens":-1,"output_tokens":1e300}}`,
		`{"type":"step_finish","part":{"id":"p","cost":0.1,"tokens":{"input":1,"cache":{"read":"x"}}}}`,
		`{"type":"message_end","message":{"role":"assistant","usage":{"input":1,"cost":{"total":-0.0}}}}`,
		`{"type":"result","stats":{"models":{"a":{"total_tokens":9}}}}`,
		`{"msg":{"type":"token_count","info":{"total_token_usage":{"input_tokens":3}}}}`,
		`{"type":"stream_event","event":{"type":"message_delta","usage":{"output_tokens":1}}}`,
	} {
		f.Add(text, uint8(1))
	}
	f.Fuzz(func(t *testing.T, text string, piece uint8) {
		read := func(piece int) (all []agent.Usage, calls []string) {
			var got told
			r := agent.StreamReader{Listener: &got, OnUsage: func(u agent.Usage) { all = append(all, u) }}
			for rest := text; rest != ""; {
				n := min(piece, len(rest))
				_, _ = r.Write([]byte(rest[:n]))
				rest = rest[n:]
			}
			r.Close()
			return all, got.lines
		}
		whole, calls := read(len(text) + 1)
		parts, same := read(int(piece) + 1)
		if d := cmp.Diff(whole, parts); d != "" {
			t.Fatal(d)
		}
		if d := cmp.Diff(calls, same); d != "" {
			t.Fatal(d)
		}
		for _, u := range whole {
			if !(u.Cost >= 0 && u.Cost <= 1e6) || u.Priced && u.Cost == 0 && len(u.Models) > 0 && u.Models[0].Tokens.Sum() > 0 {
				t.Fatalf("cost %+v", u)
			}
			for _, m := range u.Models {
				if k := m.Tokens; min(k.Input, k.CacheRead, k.CacheWrite, k.Output) < 0 || k.Sum() < 0 {
					t.Fatalf("tokens %+v", u)
				}
			}
			if _, err := json.Marshal(u); err != nil {
				t.Fatal(err)
			}
		}
	})
}
