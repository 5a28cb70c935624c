package agent

import (
	"slices"
	"strings"
	"testing"
)

// TestObstacle: what only a person can change is told from what passes and from what may be the work's fault.
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
		if got := Obstacle(words); (got == "") != (want == "") || !strings.Contains(got, want) {
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
		if got := GaveUp(strings.NewReader(stream)); got != want {
			t.Errorf("%q: %q, want %q", stream, got, want)
		}
	}
}

func TestDenied(t *testing.T) {
	t.Parallel()
	stream := claudeSays("I need a permission.") + `{"type":"result","session_id":"s","result":"x","permission_denials":[` +
		`{"tool_name":"Write","tool_use_id":"1"},{"tool_name":"Edit"},{"tool_name":"Write"},7]}` + "\n"
	if got := Denied(strings.NewReader(stream)); !slices.Equal(got, []string{"Write", "Edit"}) {
		t.Errorf("%q", got)
	}
	if got := Denied(strings.NewReader("permission_denials\n{\"type\":\"result\",\"permission_denials\":[]}\n")); got != nil {
		t.Errorf("%q", got)
	}
}
