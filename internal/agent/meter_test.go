package agent_test

import (
	"encoding/json"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/belay-dev/belay/internal/agent"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/loop"
)

// prices are made up so that sums are easy to read: a million tokens of input cost 1, read from a
// cache 0.1, written to one 2, and of output 10.
var prices = []belay.Price{
	{Name: "own", Models: []string{"claude-x*", "qwen3", "codex", "pro", "opencode", "local/*"}, Input: 1, CacheRead: 0.1, CacheWrite: 2, Output: 10},
	{Name: "half", Input: 1, Output: 1, CacheRead: belay.NoPrice, CacheWrite: belay.NoPrice},
}

// read returns the use after each line of a stream.
func read(m *agent.Meter, text string) (after []string) {
	for line := range strings.Lines(text) {
		_, _ = m.Write([]byte(line))
		after = append(after, m.Used().CostText()+" "+m.Used().TokensText())
	}
	m.Close()
	return after
}

// turns are two turns of each agent, in its documented form, that cost 0.4 dollars each.
var turns = map[string]string{
	"claude, priced by message": `{"type":"assistant","session_id":"s","message":{"id":"m1","model":"claude-x-1","usage":{"input_tokens":100000,"cache_read_input_tokens":1000000,"cache_creation_input_tokens":50000,"output_tokens":10000}}}
{"type":"assistant","session_id":"s","message":{"id":"m2","model":"claude-x-1","usage":{"input_tokens":400000,"output_tokens":0}}}`,
	"claude, its own totals": `{"type":"result","session_id":"s","total_cost_usd":0.4,"usage":{"input_tokens":1,"output_tokens":1}}
{"type":"result","session_id":"s","total_cost_usd":0.8,"usage":{"input_tokens":2,"output_tokens":2}}`,
	"codex": `{"type":"turn.completed","usage":{"input_tokens":1100000,"cached_input_tokens":1000000,"output_tokens":20000}}
{"type":"turn.completed","usage":{"input_tokens":2200000,"cached_input_tokens":2000000,"output_tokens":40000}}`,
	"codex, token_count": `{"type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":{"input_tokens":400000,"output_tokens":0},"last_token_usage":{"input_tokens":400000}}}}
{"type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":{"input_tokens":800000,"output_tokens":0},"last_token_usage":{"input_tokens":400000}}}}`,
	"gemini": `{"type":"result","stats":{"total_tokens":210000,"models":{"pro":{"total_tokens":220000,"input_tokens":200000,"output_tokens":10000,"cached":0}}}}
{"type":"result","stats":{"total_tokens":420000,"models":{"pro":{"total_tokens":440000,"input_tokens":400000,"output_tokens":20000,"cached":0}}}}`,
	"opencode, its own cost": `{"type":"step_finish","part":{"id":"p1","reason":"tool-calls","cost":0.4,"tokens":{"input":5,"output":1}}}
{"type":"step_finish","part":{"id":"p2","reason":"stop","cost":0.4,"tokens":{"input":5,"output":1}}}`,
	"opencode, priced": `{"type":"step_finish","part":{"id":"p1","reason":"tool-calls","cost":0,"tokens":{"input":100000,"output":10000,"reasoning":10000,"cache":{"read":1000000,"write":0}}}}
{"type":"step_finish","part":{"id":"p2","reason":"stop","cost":0,"tokens":{"input":200000,"output":0,"cache":{"read":0,"write":100000}}}}`,
	"qwen": `{"type":"system","subtype":"init","qwen_code_version":"1","model":"qwen3"}
{"type":"assistant","message":{"id":"a","model":"qwen3","usage":{"input_tokens":1100000,"cache_read_input_tokens":1000000,"output_tokens":10000,"total_tokens":1120000}}}
{"type":"assistant","message":{"id":"b","model":"qwen3","usage":{"input_tokens":400000,"output_tokens":0}}}`,
	"pi, its own cost": `{"type":"message_end","message":{"role":"assistant","model":"x","usage":{"input":5,"output":1,"cost":{"total":0.4}}}}
{"type":"message_end","message":{"role":"assistant","model":"x","usage":{"input":5,"output":1,"cost":{"total":0.4}}}}`,
	"pi, priced": `{"type":"message_end","message":{"role":"assistant","model":"local/a","usage":{"input":400000,"output":0,"cost":{"total":0}}}}
{"type":"message_end","message":{"role":"assistant","model":"local/b","usage":{"input":0,"output":40000,"cost":{"total":0}}}}`,
}

// TestTurns: with 0.4 a turn and a limit of 0.5, each agent reaches the limit with the second
// turn's report and not with the first. Without prices the cost of agents that report none is
// unknown, but the limit on tokens applies.
func TestTurns(t *testing.T) {
	t.Parallel()
	for name, text := range turns {
		p := belay.Policy{Cost: 0.5}
		m := agent.NewMeter(prices)
		var reached []bool
		for line := range strings.Lines(text) {
			_, _ = m.Write([]byte(strings.TrimSuffix(line, "\n") + "\n"))
			if u := m.Used(); u.Tokens != nil {
				reached = append(reached, loop.ReachedLimit(p, loop.State{}, u) != "")
			}
		}
		if u := m.Used(); !cmp.Equal(reached, []bool{false, true}) || !u.CostKnown() || math.Abs(u.Cost-0.8) > 1e-9 {
			t.Errorf("%s: reached %v, %+v", name, reached, u)
		}
		own := strings.Contains(name, "its own")
		m = agent.NewMeter(nil)
		read(m, text)
		if u := m.Used(); u.CostKnown() != own || !own && (u.Cost != 0 || u.CostText() != "unknown") {
			t.Errorf("%s, without prices: %+v", name, u)
		}
		sum := m.Used().TokenSum()
		for _, limit := range []int64{sum, sum + 1} {
			if why := loop.ReachedLimit(belay.Policy{Tokens: limit}, loop.State{}, m.Used()); (why != "") != (limit == sum) {
				t.Errorf("%s: %d of %d tokens: %q", name, sum, limit, why)
			}
		}
	}
}

// TestUsed: each report counts once, even if an agent repeats it, and unknown use is reported as
// unknown.
func TestUsed(t *testing.T) {
	t.Parallel()
	message := func(id string, in int) string {
		return fmt.Sprintf(`{"type":"assistant","session_id":"s","message":{"id":%q,"model":"claude-x","usage":{"input_tokens":%d,"output_tokens":1}}}`+"\n", id, in)
	}
	result := func(session string, cost float64, in int) string {
		return fmt.Sprintf(`{"type":"result","session_id":%q,"total_cost_usd":%g,"usage":{"input_tokens":%d,"output_tokens":1}}`+"\n", session, cost, in)
	}
	const call = `{"type":"tool_execution_start","toolCallId":"1","toolName":"read"}` + "\n"
	codex := func(in int) string {
		return fmt.Sprintf(`{"type":"turn.completed","usage":{"input_tokens":%d,"output_tokens":0}}`+"\n", in)
	}
	many := ""
	for i := range 200 {
		many += message(fmt.Sprint("m", i), 1000)
	}
	for name, tt := range map[string]struct{ text, want, why string }{
		"nothing":                                 {"plain text\n", "unknown unknown", "the agent reports none"},
		"a message for each of its blocks":        {strings.Repeat(message("a", 1000), 3), "$0.0010 1k", ""},
		"sub-agents in turn":                      {message("a", 1000) + message("b", 1000) + message("a", 1000), "$0.0020 2k", ""},
		"more messages than are remembered":       {many, "$0.20 200.2k", ""},
		"a total replaces its messages":           {message("a", 1000) + message("b", 1000) + result("s", 0.5, 2500), "$0.50 2.5k", ""},
		"messages after a total":                  {message("a", 1000) + result("s", 0.5, 1000) + message("b", 1000), "$0.50 2k", ""},
		"messages before the session's name":      {strings.ReplaceAll(message("a", 1000), `"session_id":"s",`, "") + result("s", 0.5, 1000), "$0.50 1k", ""},
		"two sessions":                            {result("s", 0.4, 1000) + result("t", 0.4, 1000), "$0.80 2k", ""},
		"a result twice":                          {result("s", 0.4, 1000) + result("s", 0.4, 1000), "$0.40 1k", ""},
		"as much again, after work":               {result("s", 0.4, 1000) + call + result("s", 0.4, 1000), "$0.80 2k", ""},
		"a counter that began anew":               {result("s", 0.4, 1000) + result("s", 0.1, 300), "$0.50 1.3k", ""},
		"a total that goes on":                    {message("a", 1000) + result("s", 0.4, 1000) + message("b", 2000) + result("s", 0.9, 3000), "$0.90 3k", ""},
		"another process of the same session":     {message("a", 1000) + result("s", 0.4, 1000) + message("b", 2000) + result("s", 0.5, 2000), "$0.90 3k", ""},
		"codex says a total again":                {codex(1000000) + codex(1000000), "$1.00 1M", ""},
		"rate limits of codex, with work between": {strings.Repeat(`{"type":"event_msg","payload":{"type":"token_count","info":{"total_token_usage":{"input_tokens":1000000}}}}`+"\n"+call, 3), "$1.00 1M", ""},

		"no price":                     {strings.ReplaceAll(message("a", 1000), "claude-x", "claude-z"), "unknown 1k", "no price for claude-z"},
		"no price, then a total":       {strings.ReplaceAll(message("a", 1000), "claude-x", "claude-z") + result("s", 0.4, 1000), "$0.40 1k", ""},
		"no price for one of two":      {message("a", 1000000) + strings.ReplaceAll(message("b", 1000), "claude-x", "claude-z"), "$1.00+ 1M", "no price for claude-z"},
		"no price for a kind of token": {`{"type":"assistant","message":{"id":"a","model":"half","usage":{"input_tokens":1000000,"cache_read_input_tokens":1000000}}}`, "$1.00+ 2M", "no price for half: prices.half.cache_read"},
		"a message of no tokens":       {`{"type":"assistant","message":{"id":"a","model":"<synthetic>","usage":{"input_tokens":0,"output_tokens":0}}}`, "$0.00 0", ""},

		"a number that cannot be":               {message("a", -1000000) + message("b", 1000000), "$1.00+ 1M+", "it reports impossible numbers: input_tokens: -1000000"},
		"a number that cannot be, then a total": {message("a", -5) + result("s", 0.4, 1000), "$0.40 1k", ""},
		"a total that cannot be":                {message("a", 1000000) + `{"type":"result","session_id":"s","total_cost_usd":1e300}`, "$1.00+ 1M+", "it reports impossible numbers: total_cost_usd: 1e300"},
		"all that can be believed":              {strings.Repeat(`{"type":"step_finish","part":{"cost":1000000,"tokens":{"input":1e12}}}`+"\n", 3), "$3000000.00 3T", ""},
	} {
		m := agent.NewMeter(prices)
		after := read(m, tt.text+"\n")
		if u := m.Used(); after[len(after)-1] != tt.want || !strings.HasPrefix(u.CostUnknown, tt.why) || (tt.why == "") != (u.CostUnknown == "") {
			t.Errorf("%s: %v, want %s; %q, want %q", name, after[len(after)-1], tt.want, u.CostUnknown, tt.why)
		}
	}
}

// TestGap: a gap is reported until a total includes it.
func TestGap(t *testing.T) {
	t.Parallel()
	m := agent.NewMeter(prices)
	_, _ = m.Write([]byte(`{"type":"result","session_id":"s","total_co`))
	m.NoteGap()
	_, _ = m.Write([]byte(`st_usd":5}` + "\n" + `{"type":"step_finish","part":{"id":"p","cost":1,"tokens":{"input":5}}}` + "\n"))
	if got := m.Used(); got.CostText() != "$1.00+" || got.TokensText() != "5+" {
		t.Errorf("%+v", got)
	}
	read(m, `{"type":"result","session_id":"s","total_cost_usd":2,"usage":{"input_tokens":7}}`+"\n")
	if got := m.Used(); got.CostText() != "$3.00" || got.TokensText() != "12" {
		t.Errorf("%+v", got)
	}
}

// TestTurnsOver: a turn is over until there is new activity.
func TestTurnsOver(t *testing.T) {
	t.Parallel()
	m := agent.NewMeter(nil)
	over := ""
	for _, line := range []string{
		`{"type":"step_finish","part":{"id":"p","cost":1,"reason":"tool-calls"}}`, `{"type":"step_finish","part":{"id":"q","cost":1,"reason":"stop"}}`, `words`,
		`{"type":"tool_execution_start","toolCallId":"1","toolName":"read"}`, `{"type":"result","total_cost_usd":1}`,
	} {
		_, _ = m.Write([]byte(line + "\n"))
		n, yes := m.Turns()
		over += fmt.Sprint(n, yes, " ")
	}
	if over != "0 false 1 true 1 true 1 false 2 true " {
		t.Error(over)
	}
}

// FuzzWrittenDown: a meter that is saved between any two lines and restored by another process
// continues without a difference.
func FuzzWrittenDown(f *testing.F) {
	for _, text := range turns {
		f.Add(text, uint8(1))
	}
	f.Add(`{"type":"assistant","message":{"id":"a","usage":{"input_tokens":-1}}}`+"\n"+`{"type":"result","total_cost_usd":1e300}`+"\nnull\n", uint8(2))
	f.Fuzz(func(t *testing.T, text string, at uint8) {
		lines := strings.SplitAfter(text, "\n")
		one := agent.NewMeter(prices)
		read(one, text)
		two := agent.NewMeter(prices)
		for i, line := range lines {
			if i == int(at) {
				data, err := json.Marshal(two)
				if err != nil {
					t.Fatal(err)
				}
				two = agent.NewMeter(prices)
				if err := json.Unmarshal(data, two); err != nil {
					t.Fatalf("%s: %v", data, err)
				}
			}
			_, _ = two.Write([]byte(line))
		}
		two.Close()
		a, b := one.Used(), two.Used()
		if math.Abs(a.Cost-b.Cost) > 1e-9*a.Cost || a.CostUnknown != b.CostUnknown || a.TokensText() != b.TokensText() {
			t.Fatalf("%+v, written down %+v", a, b)
		}
		if !(a.Cost >= 0) || math.IsInf(a.Cost, 0) || a.TokenSum() < 0 {
			t.Fatalf("%+v", a)
		}
	})
}

// TestContinues: Codex and Qwen Code report the total of a session, so earlier use is subtracted;
// it is not subtracted for an agent that counts each run, for another session, or for a counter
// that restarts.
func TestContinues(t *testing.T) {
	t.Parallel()
	before := belay.Use{Tokens: &belay.Tokens{Input: 1000, CacheRead: 500, Output: 100}}
	for text, want := range map[string]string{
		`{"type":"thread.started","thread_id":"s"}` + "\n" +
			`{"type":"turn.completed","usage":{"input_tokens":2100,"cached_input_tokens":900,"output_tokens":130}}`: "630",
		`{"type":"thread.started","thread_id":"t"}` + "\n" +
			`{"type":"turn.completed","usage":{"input_tokens":2100,"cached_input_tokens":900,"output_tokens":130}}`: "2.2k",
		`{"type":"thread.started","thread_id":"s"}` + "\n" +
			`{"type":"turn.completed","usage":{"input_tokens":90,"cached_input_tokens":9,"output_tokens":13}}`: "103",
		`{"type":"system","subtype":"init","session_id":"s","qwen_code_version":"1"}` + "\n" +
			`{"type":"result","session_id":"s","usage":{"input_tokens":2000,"cache_read_input_tokens":600,"output_tokens":130}}`: "530",
		`{"type":"result","session_id":"s","usage":{"input_tokens":2000,"output_tokens":130}}`: "2.1k",
	} {
		m := agent.NewMeter(nil)
		m.ContinueSession("s", before)
		read(m, text)
		if got := m.Used().TokensText(); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}

// TestSessionNamed: the session that each agent names, in recorded events.
func TestSessionNamed(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`{"type":"system","subtype":"init","session_id":"a1"}`:                                      "a1",
		`{"type":"thread.started","thread_id":"a2"}`:                                                "a2",
		`{"type":"init","session_id":"a3","model":"m"}`:                                             "a3",
		`{"type":"step_start","sessionID":"a4"}` + "\n" + `{"type":"step_start","sessionID":"sub"}`: "a4",
		`{"type":"session","version":3,"id":"a5","cwd":"/"}`:                                        "a5",
		"hello": "",
	} {
		m := agent.NewMeter(nil)
		read(m, text)
		if got := m.Session(); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

// TestHopeless: a key that is rejected repeatedly will not be accepted; a rate limit is temporary,
// and so may be the first rejections, of an expired token.
func TestHopeless(t *testing.T) {
	t.Parallel()
	retry := func(n, status int, why string) string {
		return fmt.Sprintf(`{"type":"system","subtype":"api_retry","attempt":%d,"max_retries":10,"retry_delay_ms":518.2,`+
			`"error_status":%d,"error":%q,"session_id":"s"}`+"\n", n, status, why)
	}
	for text, want := range map[string]string{
		retry(1, 401, "authentication_failed") + retry(2, 401, "authentication_failed"): "",
		retry(3, 401, "authentication_failed"):                                          "its key is refused: 401 authentication failed",
		retry(9, 429, "rate_limit"):                                                     "",
		retry(9, 529, "overloaded"):                                                     "",
		`{"type":"system","subtype":"api_retry","attempt":-3,"error_status":"401"}`:     "",
	} {
		m := agent.NewMeter(nil)
		read(m, text)
		if got := m.HopelessReason(); (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}
