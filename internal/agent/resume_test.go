package agent

import (
	"slices"
	"strings"
	"testing"

	"github.com/belay-dev/belay/internal/belay"
)

func TestResume(t *testing.T) {
	t.Parallel()
	const id = "0199a0b0-0000-7000-8000-0123456789ab"
	for line, want := range map[string]string{
		"claude -p":                     "--resume " + id,
		"npx @openai/codex exec --json": "resume " + id + " -",
		"gemini -y":                     "--resume " + id,
		"env A=1 opencode run":          "--session " + id,
		"qwen -y":                       "--resume " + id,
		"pi -p":                         "--session " + id,
		"claude -p --continue":          "",
		"claude -p --session-id=x":      "",
		"claude -p -- and":              "",
		"codex exec resume --last":      "",
		"codex exec --ephemeral":        "",
		"opencode run -s ses_1":         "",
		"cursor-agent -p --force":       "",
		"copilot --allow-all-tools":     "--resume=" + id,
		"copilot --name mine --yolo":    "",
		"copilot --resume":              "",
		"my-agent":                      "",
	} {
		argv := strings.Fields(line)
		p, _, _ := Recognise(argv)
		got, ok := ResumeSession(argv, belay.AgentSession{Agent: p.Name, ID: id})
		if strings.Join(got, " ") != want || ok != (want != "") {
			t.Errorf("%s: %v %v, want %q", line, got, ok, want)
		}
	}
	if _, ok := ResumeSession([]string{"claude", "-p"}, belay.AgentSession{Agent: "codex", ID: id}); ok {
		t.Error("a session of another agent is continued")
	}
}

// TestBegin: an agent that names its session only at its end gets an ID at the start, and
// Run.Session returns it.
func TestBegin(t *testing.T) {
	t.Parallel()
	argv := strings.Fields("npx @github/copilot --allow-all-tools")
	words, ok := BeginSession(argv)
	other, _ := BeginSession(argv)
	if !ok || len(words) != 1 || slices.Equal(words, other) {
		t.Fatalf("words %q, then %q", words, other)
	}
	r := &Run{}
	for _, word := range append(argv, words...) {
		r.spec.Argv = append(r.spec.Argv, []byte(word))
	}
	s := SessionOf(argv, r.Session())
	if resumed, ok := ResumeSession(argv, s); !ok || "--session-id="+s.ID != words[0] || resumed[0] != "--resume="+s.ID {
		t.Errorf("begun with %q, the run says %q, continued with %q", words, r.Session(), resumed)
	}
	for _, line := range []string{"copilot --resume=0199a0b0 --yolo", "copilot --name mine", "claude -p", "my-agent"} {
		if words, ok := BeginSession(strings.Fields(line)); ok {
			t.Errorf("%s gets %q", line, words)
		}
	}
	if r := (&Run{spec: specFile{Argv: [][]byte{[]byte("copilot"), []byte("--yolo")}}}); r.Session() != "" {
		t.Errorf("a run without the words has session %q", r.Session())
	}
}

// TestSessionGone has what seven real agents printed for an unknown session.
func TestSessionGone(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"No conversation found with session ID: 0199a0b0\n" + `{"type":"result","is_error":true,"session_id":"0199a0b0"}`:       true,
		"Error: thread/resume: thread/resume failed: no rollout found for thread id 0199a0b0 (code -32600)\n\nStack backtrace:": true,
		"Error resuming session: No previous sessions found for this project.":                                                  true,
		"\x1b[91m\x1b[1mError: \x1b[0mSession not found":                                                                        true,
		`No saved session found with title "0199a0b0".`:                                                                         true,
		"No session found matching '0199a0b0'":                                                                                  true,
		"Error: No session, task, or name matched '0199a0b0'.\n\nTo resume by name:                copilot --resume=<name>":     true,
		"error: unexpected argument '--session' found":                                                                          true,
		"invalid x-api-key": false,
		"":                  false,
		`{"type":"tool_use","tool_id":"1","tool_name":"read_file"}` + "\nSession not found":       false,
		`{"type":"result","is_error":true,"result":"API Error: 429 rate limit","session_id":"s"}`: false,
	} {
		if got := SessionMissing(strings.NewReader(text)); got != want {
			t.Errorf("%q: %v, want %v", text, got, want)
		}
	}
}

// FuzzSession: for any session ID in a stream, the words added to the command are the preset's
// words and an ID that is no flag and has no space.
func FuzzSession(f *testing.F) {
	for _, id := range []string{"0199a0b0-0000-7000-8000-0123456789ab", "ses_0a1B2c3D4e5F", "--yolo", "a b", "", "x\x00y", "-", "\n--force"} {
		f.Add(id)
	}
	f.Fuzz(func(t *testing.T, id string) {
		for _, p := range presets {
			argv := []string{p.Programs[0], "exec"}
			s := SessionOf(argv, id)
			got, ok := ResumeSession(argv, s)
			if ok != (s.ID != "") || ok && s != (belay.AgentSession{Agent: p.Name, ID: id}) {
				t.Fatalf("%q: %+v %v", id, s, ok)
			}
			for _, word := range got {
				word, glued := strings.CutPrefix(word, "--resume=")
				if !glued && slices.Contains(p.ResumeWords, word) {
					continue
				}
				if word != id || strings.HasPrefix(word, "-") || strings.ContainsAny(word, " \n\x00") {
					t.Fatalf("%q: %q", id, got)
				}
			}
		}
	})
}
