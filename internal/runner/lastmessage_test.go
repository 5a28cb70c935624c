package runner

import "testing"

func TestLastLine(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                                 "",
		"working\n\nfatal: no network\n\n": "fatal: no network",
		`{"type":"assistant"}` + "\n" + `{"type":"result","subtype":"error_during_execution","is_error":true,"result":"API Error: 529 Overloaded"}`: "API Error: 529 Overloaded",
		`{"type":"turn.failed","error":{"message":"stream disconnected: 429 Too Many Requests"}}` + "\n":                                            "stream disconnected: 429 Too Many Requests",
		`{"type":"error","data":{"error":{"message":"model not found"}}}`:                                                                           "model not found",
		"line\n{broken": "{broken",
		`{"type":"x"}`:  "",
	} {
		if got := lastLine(text); got != want {
			t.Errorf("%q: %q, not %q", text, got, want)
		}
	}
	for words, want := range map[string]bool{
		"API Error: 529 Overloaded": true, "429 Too Many Requests": true, "rate_limit exceeded, retry later": true, "connection reset by peer": true,
		"invalid API key (401)": false, "429: you exceeded your current quota, check your plan and billing": false, "permission denied": false, "compiled 4290 files": false,
		"You exceeded your current quota, please check your plan and billing details. Please retry in 35.2s.": true,
		"You have hit your usage limit (billing). Try again in 3 days 4 hours.":                               false,
	} {
		if got := retryHints.MatchString(words) || transientErrors.MatchString(words) && !permanentErrors.MatchString(words); got != want {
			t.Errorf("%q passes: %v", words, got)
		}
	}
}
