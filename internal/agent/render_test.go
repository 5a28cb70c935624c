package agent

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/iotest"
)

func rendered(t *testing.T, chunk int, text string) string {
	t.Helper()
	var b strings.Builder
	r := NewRenderer(&b, "/work/shop")
	for len(text) > 0 {
		n := min(chunk, len(text))
		if _, err := r.Write([]byte(text[:n])); err != nil {
			t.Fatal(err)
		}
		text = text[n:]
	}
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestRenderRecorded renders what seven real agents printed for one script: a read, edits that
// fail, a last message. No event is printed raw, and the result does not depend on the sizes of the
// writes.
func TestRenderRecorded(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"claude", "codex", "gemini", "opencode", "qwen", "pi", "copilot"} {
		for _, script := range []string{"edit_cannot_be_applied", "edit_and_test"} {
			text, err := os.ReadFile(filepath.Join("testdata/stall/real", script+"."+name+".jsonl"))
			if err != nil {
				t.Fatal(err)
			}
			got := rendered(t, 1<<20, string(text))
			if strings.Contains(got, "{\"") || !strings.HasSuffix(got, "That is all.\n") || !strings.Contains(got, "src/price.js\n") {
				t.Errorf("%s, %s:\n%s", name, script, got)
			}
			if name != "codex" && script == "edit_cannot_be_applied" && !strings.Contains(got, "✗ ") {
				t.Errorf("%s, %s: no failure is shown:\n%s", name, script, got)
			}
			if small := rendered(t, 7, string(text)); small != got {
				t.Errorf("%s, %s: cut into small reads it is another text:\n%s", name, script, small)
			}
			if final, ok := FinalMessage(iotest.OneByteReader(strings.NewReader(string(text)))); !ok || final != "That is all." {
				t.Errorf("%s, %s: final message %q %v", name, script, final, ok)
			}
		}
	}
}

func TestRender(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct{ in, want string }{
		"plain text": {"one\ntwo", "one\ntwo"},
		"asks its model again": {`{"type":"system","subtype":"api_retry","attempt":2,"max_retries":10,"retry_delay_ms":1049.7,` +
			`"error_status":429,"error":"rate_limit","session_id":"s"}` + "\n", "✗ 429 rate limit: retry 2 of 10 in 1s\n"},
		"an object of its own":   {"{\"level\":\"info\"}\n{\"type\":\"message\"}\n{no\n", "{\"level\":\"info\"}\n{\"type\":\"message\"}\n{no\n"},
		"between other lines":    {"start\n{\"type\":\"turn.started\"}\nend\n", "start\nend\n"},
		"in the middle of one":   {"it says {\"type\":\"turn.started\"}\n", "it says {\"type\":\"turn.started\"}\n"},
		"parts of a message":     {geminiSays("Hel") + geminiSays("lo") + `{"type":"tool_use","tool_name":"read","tool_id":"1","parameters":{"path":"a"}}` + "\n", "Hello\n→ read a\n"},
		"a result that repeats":  {claudeSays("Done.") + `{"type":"result","session_id":"s","result":"Done."}` + "\n", "Done.\n"},
		"a result of its own":    {claudeSays("Let me see.") + `{"type":"result","session_id":"s","result":"Done."}` + "\n", "Let me see.\nDone.\n"},
		"an error":               {`{"type":"turn.failed","error":{"message":"{\"error\":{\"message\":\"no quota\"}}"}}` + "\n", "✗ no quota\n"},
		"an error, said twice":   {`{"type":"error","message":"no quota","timestamp":1}` + "\n" + `{"type":"turn.failed","error":{"message":"no quota"}}` + "\n", "✗ no quota\n"},
		"a command in a shell":   {`{"type":"item.started","item":{"id":"1","type":"command_execution","command":"/bin/bash -lc 'npm test'"}}` + "\n", "→ shell npm test\n"},
		"edits of several files": {`{"type":"item.started","item":{"id":"1","type":"file_change","changes":[{"path":"/work/shop/a"},{"path":"/etc/b"}]}}` + "\n", "→ edit a, /etc/b\n"},
		"of a sub-agent":         {`{"type":"assistant","parent_tool_use_id":"t","message":{"content":[{"type":"tool_use","id":"1","name":"Read","input":{"file_path":"/work/shop/a"}}]}}` + "\n", "  → Read a\n"},
		"a thought":              {`{"type":"assistant","message":{"content":[{"type":"thinking","thinking":"hm"}]}}` + "\n", ""},
		"of Copilot": {`{"type":"session.tools_updated","data":{},"timestamp":"t"}` + "\n" +
			`{"type":"assistant.message","data":{"content":"","toolRequests":[{"toolCallId":"1"}]},"timestamp":"t"}` + "\n" +
			`{"type":"tool.execution_start","data":{"toolCallId":"1","toolName":"view","arguments":{"path":"/work/shop/a"}},"timestamp":"t"}` + "\n" +
			`{"type":"tool.execution_complete","data":{"toolCallId":"1","success":false,"error":{"message":"no file"}},"timestamp":"t"}` + "\n" +
			`{"type":"session.error","data":{"message":"429 no quota"},"timestamp":"t"}` + "\n", "→ view a\n  ✗ no file\n✗ 429 no quota\n"},
		"of Copilot that is ended": {`{"type":"agent.interrupted","data":{"activity":"tool_call","turn":1},"timestamp":"t"}` + "\n" +
			`{"type":"abort","data":{"reason":"user_initiated"},"timestamp":"t"}` + "\n", ""},
		"of another program": {`{"type":"session.error","data":{"message":"x"}}` + "\n", `{"type":"session.error","data":{"message":"x"}}` + "\n"},
		"cut at its end":     {claudeSays("one")[:20], claudeSays("one")[:20]},
	} {
		if got := rendered(t, 1<<20, tt.in); got != tt.want {
			t.Errorf("%s:\n got %q\nwant %q", name, got, tt.want)
		}
	}
}

func geminiSays(text string) string {
	return `{"type":"message","role":"assistant","content":"` + text + `","delta":true}` + "\n"
}

func claudeSays(text string) string {
	return `{"type":"assistant","message":{"content":[{"type":"text","text":"` + text + `"}]}}` + "\n"
}

// TestRenderMissed: the rest of an event without its start is not printed as text.
func TestRenderMissed(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	r := NewRenderer(&b, "/")
	whole := `{"type":"tool_execution_start","toolCallId":"1","toolName":"read","args":{"path":"a"}}` + "\n"
	_, _ = io.WriteString(r, whole+whole[:20])
	r.BytesMissed(100)
	_, _ = io.WriteString(r, whole[60:]+strings.Replace(whole, `"1"`, `"2"`, 1))
	if want := "→ read a\n\n[100 bytes not shown]\n→ read a\n"; b.String() != want {
		t.Errorf("got %q, want %q", b.String(), want)
	}
}

type nobody struct{}

func (nobody) Write([]byte) (int, error) { return 0, errors.New("nobody looks") }

func TestRenderFails(t *testing.T) {
	t.Parallel()
	r := NewRenderer(nobody{}, "/")
	if _, err := io.WriteString(r, "one\n"); err == nil {
		t.Error("no error")
	}
}

func FuzzRender(f *testing.F) {
	f.Add("{\"type\":\"assistant\",\"message\":{\"content\":[{\"type\":\"text\",\"text\":\"x\"}]}}\nplain\n", 3)
	f.Add(geminiSays("a")+"{\n}", 1)
	f.Fuzz(func(t *testing.T, text string, chunk int) {
		if chunk < 1 || chunk > 1<<16 {
			return
		}
		if a, b := rendered(t, chunk, text), rendered(t, 1<<20, text); a != b {
			t.Errorf("cut into %d: %q, else %q", chunk, a, b)
		}
		_, _ = FinalMessage(strings.NewReader(text))
	})
}
