package agent_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/belay-dev/belay/internal/agent"
)

// claudeHarmless writes a call and its result as Claude Code does.
func claudeHarmless(id, tool, args, output string) string {
	out, _ := json.Marshal(output)
	return fmt.Sprintf(`{"type":"assistant","message":{"content":[{"type":"tool_use","id":%q,"name":%q,"input":%s}]},"parent_tool_use_id":null}
{"type":"user","message":{"content":[{"type":"tool_result","tool_use_id":%q,"content":%s}]}}
`, id, tool, args, id, out)
}

func found(repeats int, text string) *agent.Stall {
	w := agent.NewStallWatch(root, repeats)
	_, _ = w.Write([]byte(text))
	w.Close()
	return w.Found()
}

func TestSays(t *testing.T) {
	t.Parallel()
	one := strings.Repeat(claudeHarmless("", "Read", `{"file_path":"/work/shop/src/a.ts"}`, "x"), 3)
	if got := found(3, one); got != nil {
		t.Errorf("calls without an id have no results: %v", got)
	}
	text := ""
	for i := range 3 {
		text += claudeHarmless(fmt.Sprint(i), "Read", `{"file_path":"/work/shop/src/a.ts"}`, "x")
	}
	if got := found(3, text); got == nil || got.String() != "the same call 3 times in a row: Read src/a.ts" || got.At != 3 {
		t.Errorf("%v", got)
	}
	text = ""
	for i := range 6 {
		text += claudeHarmless(fmt.Sprint(i), []string{"Read", "Bash"}[i%2], []string{`{"file_path":"a.ts"}`, `{"command":"npm test"}`}[i%2], "1 failed")
	}
	if got := found(3, text); got == nil || got.String() != "the same 2 calls repeated 3 times: Read a.ts → Bash npm test" {
		t.Errorf("%v", got)
	}
}

// TestRepeatsIsAChoice: 0 and 1 find nothing, any other number is respected.
func TestRepeatsIsAChoice(t *testing.T) {
	t.Parallel()
	text := ""
	for i := range 4 {
		text += claudeHarmless(fmt.Sprint(i), "Read", `{"file_path":"a.ts"}`, "x")
	}
	for repeats, want := range map[int]int{0: 0, 1: 0, 2: 2, 4: 4, 5: 0} {
		got := found(repeats, text)
		if (got == nil) != (want == 0) || got != nil && (got.Times != want || got.At != want) {
			t.Errorf("%d: %+v", repeats, got)
		}
	}
}

// TestAnyCut: neither the sizes of the writes nor plain text between the lines change the result.
func TestAnyCut(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := "warming up\n"
		n := rapid.IntRange(0, 8).Draw(t, "calls")
		for i := range n {
			text += claudeHarmless(fmt.Sprint(i), "Read", `{"file_path":"a.ts"}`, "x") + rapid.SampledFrom([]string{"", "npm warn {\n", "{\"type\":\"assistant\"\n", "\r\n", "[12 bytes not shown]\n"}).Draw(t, "noise")
		}
		w := agent.NewStallWatch(root, 3)
		for rest := text; rest != ""; {
			k := rapid.IntRange(1, len(rest)).Draw(t, "cut")
			_, _ = w.Write([]byte(rest[:k]))
			rest = rest[k:]
		}
		w.Close()
		if got := w.Found(); (got != nil) != (n >= 3) || got != nil && got.At != 3 {
			t.Fatalf("%d calls: %+v", n, got)
		}
	})
}

// TestArgumentsAreCanonical: the order of keys, white space, the form of a path and remarks do not
// make a different call; different arguments do.
func TestArgumentsAreCanonical(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		a, b string
		same bool
	}{
		{`{"a":1,"b":{"c":2,"d":3}}`, `{"b":{"d":3,"c":2},"a":1}`, true},
		{`{"command":"npm  run build"}`, `{"command":" npm run build 2>&1"}`, true},
		{`{"command":"npm run build","description":"one"}`, `{"command":"npm run build","description":"two","timeout":3}`, true},
		{`{"command":"cd /work/shop && npm run build"}`, `{"command":"npm run build"}`, true},
		{`{"command":"bash -lc 'npm run build'"}`, `{"command":"npm run build"}`, true},
		{`{"path":"/work/shop/a.ts"}`, `{"path":"./a.ts"}`, true},
		{`{"path":"/work/shop"}`, `{"path":"."}`, true},
		{`{"command":"x --since 2026-11-20T10:00:00Z"}`, `{"command":"x --since 2026-11-20T10:00:31Z"}`, true},
		{`{"command":"x > /tmp/tmp.a8Zq01Lm"}`, `{"command":"x > /tmp/tmp.b9Yw77Qp"}`, true},
		{`{"session_id":"a","q":1}`, `{"session_id":"b","q":1}`, true},
		{`{"path":"a.ts"}`, `{"path":"b.ts"}`, false},
		{`{"path":"a.ts","offset":1}`, `{"path":"a.ts","offset":200}`, false},
		{`{"command":"npm test a"}`, `{"command":"npm test b"}`, false},
		{`{"path":"/tmp/out1.txt"}`, `{"path":"/tmp/out2.txt"}`, false},
		{`{"new_string":"a b"}`, `{"new_string":"a  b"}`, false},
		{`{"n":1}`, `{"n":1.0}`, false},
		{`{"list":[1,2]}`, `{"list":[2,1]}`, false},
		{`{"a":"{\"x\":1,\"y\":2}"}`, `{"a":"{\"y\":2,\"x\":1}"}`, true},
	} {
		text := claudeHarmless("1", "T", tt.a, "x") + claudeHarmless("2", "T", tt.b, "x")
		if got := found(2, text) != nil; got != tt.same {
			t.Errorf("%s and %s: %v", tt.a, tt.b, got)
		}
	}
}

// FuzzWatch: any output can be read, with the same result each time.
func FuzzWatch(f *testing.F) {
	f.Add([]byte(claudeHarmless("1", "Read", `{"a":1}`, "x")))
	f.Add([]byte(`{"type":"item.completed","item":{"type":"command_execution","command":["a",1],"exit_code":"x"}}` + "\n"))
	f.Add([]byte(`{"type":"tool_use","part":{"state":7,"tool":"x"}}` + "\n"))
	f.Add([]byte(`{"type":"tool_call","tool_call":{"a":{"args":[{}]}}}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		once, twice := agent.NewStallWatch(root, 2), agent.NewStallWatch(root, 2)
		_, _ = once.Write(text)
		once.Close()
		for _, b := range text {
			_, _ = twice.Write([]byte{b})
		}
		twice.Close()
		a, b := once.Found(), twice.Found()
		if (a == nil) != (b == nil) || a != nil && a.String() != b.String() {
			t.Errorf("%v %v", a, b)
		}
	})
}

// BenchmarkWatch reads a long recording, measured in bytes a second.
func BenchmarkWatch(b *testing.B) {
	var text strings.Builder
	for i := range 2000 {
		text.WriteString(claudeHarmless(fmt.Sprint(i), "Read", fmt.Sprintf(`{"file_path":"/work/shop/src/%d.ts"}`, rand.IntN(1e9)), strings.Repeat("a line of the file\n", 40)))
	}
	b.SetBytes(int64(text.Len()))
	for b.Loop() {
		if found(3, text.String()) != nil {
			b.Fatal("found")
		}
	}
}

// TestWhatTestsPrint: durations in any form are not progress, and a summary with no failures means
// that the tests passed, which may be run again to be sure.
func TestWhatTestsPrint(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		output string
		rounds int // the number of rounds when the stall is found
	}{
		"TAP, failing":    {"not ok 2 - a price\n  duration_ms: 1%d.5\n# fail 1\n# duration_ms 60%d.2", 3},
		"TAP, passing":    {"ok 2 - a price\n  duration_ms: 1%d.5\n# fail 0\n# duration_ms 60%d.2", 6},
		"JSON, failing":   {`{"failures": 2, "duration": 0.%d, "elapsed": %d}`, 3},
		"JSON, passing":   {`{"failures": 0, "duration": 0.%d, "elapsed": %d}`, 6},
		"words, failing":  {"1 failed, 0 failures expected, took %d%d", 3},
		"words, passing":  {"12 passed, 0 failed in %d.%ds", 6},
		"another failure": {"expected %d, got %d: FAIL", 0},
	} {
		text, want := "", tt.rounds
		for i := range 7 {
			text += claudeHarmless(fmt.Sprint(i), "Bash", `{"command":"npm test"}`, fmt.Sprintf(tt.output, i, i+1))
		}
		got := found(3, text)
		if want == 0 && got != nil || want > 0 && (got == nil || got.At != want) {
			t.Errorf("%s: found %v, want %d rounds", name, got, want)
		}
	}
}

// TestUnchangedFile: the message that a file is unchanged counts as the content of that file.
func TestUnchangedFile(t *testing.T) {
	t.Parallel()
	read := func(i int, output string) string {
		return claudeHarmless(fmt.Sprint(i), "Read", `{"file_path":"/work/shop/src/a.ts"}`, output)
	}
	same := "The file is unchanged since your last read; look there."
	if got := found(3, read(1, "export")+read(2, same)+read(3, same)); got == nil || got.At != 3 {
		t.Errorf("found %v", got)
	}
	if got := found(3, read(1, "export")+read(2, "export more")+read(3, same)); got != nil {
		t.Errorf("the file was another one: %v", got)
	}
}
