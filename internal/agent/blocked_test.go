package agent

import (
	"slices"
	"strings"
	"testing"
)

// TestObstacle distinguishes errors that only a person can fix from temporary ones and from those
// that the work may have caused.
func TestObstacle(t *testing.T) {
	t.Parallel()
	for words, want := range map[string]string{
		"API Error: 401 {\"type\":\"error\",\"error\":{\"type\":\"authentication_error\",\"message\":\"invalid x-api-key\"}}": "key",
		"Invalid API key · Please run /login":                                              "key",
		"unexpected status 401 Unauthorized: Incorrect API key provided":                   "key",
		"API key not valid. Please pass a valid API key.":                                  "key",
		"Credit balance is too low":                                                        "quota",
		"429: You exceeded your current quota, please check your plan and billing details": "quota",
		"Not inside a trusted directory and --skip-git-repo-check was not specified.":      "trust",
		"error: unexpected argument '--full-auto' found":                                   "flag",
		"error: unknown option '--nope'":                                                   "flag",
		"API Error: 529 Overloaded":                                                        "",
		"429 Too Many Requests":                                                            "",
		"tests failed":                                                                     "",
		"":                                                                                 "",
	} {
		if got := ObstacleText(words); (got == "") != (want == "") || !strings.Contains(got, want) {
			t.Errorf("%q: %q, want %q", words, got, want)
		}
	}
}

func TestGaveUp(t *testing.T) {
	t.Parallel()
	call := `{"type":"tool_execution_start","toolCallId":"1","toolName":"read","args":{"path":"a"}}` + "\n"
	failed := `{"type":"message_end","message":{"role":"assistant","content":[],"stopReason":"error","errorMessage":"429 no quota"}}` + "\n"
	for stream, want := range map[string]string{
		claudeSays("[API Error: 401 invalid key]"): "API Error: 401 invalid key",
		call + failed:                           "429 no quota",
		failed + call + claudeSays("Done."):     "",
		claudeSays("It said [API Error: 401]."): "",
		"[API Error: 401]\n":                    "",
		"":                                      "",
	} {
		if got := FinalError(strings.NewReader(stream)); got != want {
			t.Errorf("%q: %q, want %q", stream, got, want)
		}
	}
}

func TestDenied(t *testing.T) {
	t.Parallel()
	stream := claudeSays("I need a permission.") + `{"type":"result","session_id":"s","result":"x","permission_denials":[` +
		`{"tool_name":"Write","tool_use_id":"1"},{"tool_name":"Edit"},{"tool_name":"Write"},7]}` + "\n"
	if got := DeniedTools([]byte(stream)); !slices.Equal(got, []string{"Write", "Edit"}) {
		t.Errorf("%q", got)
	}
	if got := DeniedTools([]byte("permission_denials\n{\"type\":\"result\",\"permission_denials\":[]}\n")); got != nil {
		t.Errorf("%q", got)
	}
	for text, want := range map[string]string{
		`{"type":"tool_use","part":{"tool":"invalid","callID":"1","state":{"status":"completed","input":{"tool":"edit"}}}}`:                       "edit",
		`{"type":"tool_use","part":{"tool":"invalid","callID":"1","state":{"status":"completed","input":{"tool":"frob"}}}}`:                       "",
		`{"type":"tool.execution_complete","data":{"success":false,"error":{"code":"denied"},"toolTelemetry":{"properties":{"command":"edit"}}}}`: "edit",
		`{"type":"tool.execution_complete","data":{"success":false,"error":{"code":"denied"}}}`:                                                   "a tool",
		`{"type":"tool.execution_complete","data":{"success":false,"error":{"code":"failure"}}}`:                                                  "",
		"2026-11-24T05:11:39.879263Z ERROR codex_core::tools::router: error=patch rejected: writing is blocked by read-only " +
			"sandbox; rejected by user approval settings\n": "patch",
		`{"type":"item.completed","item":{"type":"agent_message","text":"Z ERROR codex_core::tools::router: error=patch rejected: ` +
			`rejected by user approval settings"}}`: "",
		`{"type":"tool_result","tool_id":"1","status":"error","output":"Tool \"replace\" not found. Did you mean one of: \"read_file\""}`: "replace",
		`{"type":"tool_result","tool_id":"1","status":"error","error":{"message":"Tool \"write_file\" not found."}}`:                      "write_file",
		`{"type":"tool_result","tool_id":"1","status":"error","output":"Tool \"frobnicate\" not found."}`:                                 "",
		`{"type":"tool_result","tool_id":"1","status":"success","output":"Tool \"replace\" not found."}`:                                  "",
	} {
		if got := strings.Join(DeniedTools([]byte(text)), " "); got != want {
			t.Errorf("%s: %q, want %q", text, got, want)
		}
	}
}

// FuzzBlocked: for any output, each tool is named once and on one line, and each note of a retry is
// reported.
func FuzzBlocked(f *testing.F) {
	for _, text := range []string{
		`{"type":"tool_result","tool_id":"1","status":"error","output":"Tool \"replace\" not found."}`,
		"2026Z ERROR codex_core::tools::router: error=patch rejected: rejected by user approval settings",
		`{"type":"result","permission_denials":[{"tool_name":"Write"},{"tool_name":"Write"}]}`,
		`{"type":"system","subtype":"api_retry","attempt":1e300,"error_status":-4,"retry_delay_ms":1e18,"error":"a_b"}`,
		"Session not found",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		tools := DeniedTools([]byte(text))
		for i, tool := range tools {
			if tool == "" || slices.Contains(tools[:i], tool) {
				t.Fatalf("%q", tools)
			}
		}
		_, _ = FinalError(strings.NewReader(text)), SessionMissing(strings.NewReader(text))
		m := NewMeter(nil)
		_, _ = m.Write([]byte(text))
		m.Close()
		if why := m.HopelessReason(); why != "" && ObstacleText(why) == "" {
			t.Fatalf("%q is no obstacle", why)
		}
	})
}
