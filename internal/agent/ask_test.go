package agent

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/config"
)

func yes(said []byte) error {
	if strings.TrimSpace(string(said)) != "yes" {
		return errors.New("it is no yes")
	}
	return nil
}

func again(wrong, said string) string { return "again: " + wrong + ": " + said }

// TestAskProgram: a program gets the prompt on standard input and in a file, is asked again when
// its answer cannot be parsed, and is killed after the time limit.
func TestAskProgram(t *testing.T) {
	t.Parallel()
	for script, want := range map[string]string{
		"cat >/dev/null; echo yes":                                               "1 ",
		`grep -q "^look$" "$BELAY_PROMPT_FILE" && echo yes`:                      "1 ",
		`if grep -q "^again: it is no yes: no"; then echo yes; else echo no; fi`: "2 ",
		"echo no":                           "2 its answer cannot be read: it is no yes",
		"echo yes; echo broken >&2; exit 3": "1 it ended with exit code 3: broken",
		"yes | head -c 9000000":             "1 its answer is over 1024 KiB",
		"sleep 300":                         "1 it did not answer within 2s",
	} {
		q := Question{May: config.Anything(), Reviewer: belay.Reviewer{Command: []string{"sh", "-c", script}, Timeout: 2 * time.Second}, Prompt: "look\n", CheckAnswer: yes, RetryPrompt: again,
			Dir: t.TempDir(), Env: []string{"PATH=" + os.Getenv("PATH")}}
		if !strings.HasPrefix(script, "sleep") {
			q.Reviewer.Timeout = time.Minute
		}
		r, err := Ask(t.Context(), q)
		got := string(rune('0'+r.Tries)) + " "
		if err != nil {
			got += err.Error()
		}
		if got != want {
			t.Errorf("%s: %q, not %q", script, got, want)
		}
	}
}

// TestAskOnce: without RetryPrompt a question is asked once; with a cancelled context not at all.
func TestAskOnce(t *testing.T) {
	t.Parallel()
	q := Question{May: config.Anything(), Reviewer: belay.Reviewer{Command: []string{"echo", "no"}}, CheckAnswer: yes, Dir: t.TempDir(), Env: os.Environ()}
	if r, err := Ask(t.Context(), q); err == nil || r.Tries != 1 || string(r.Output) != "no\n" {
		t.Errorf("%+v %v", r, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Ask(ctx, q); err == nil {
		t.Error("it was asked")
	}
}

func TestAskModel(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/chat/completions" {
			t.Error(r.URL)
		}
		_, _ = w.Write([]byte(`{"choices":[{"message":{"content":"yes"}}]}`))
	}))
	defer server.Close()
	q := Question{May: config.Anything(), Reviewer: belay.Reviewer{Endpoint: server.URL + "/v1", Model: "m"}, Prompt: "look", CheckAnswer: yes}
	if r, err := Ask(t.Context(), q); err != nil || string(r.Output) != "yes" {
		t.Errorf("%+v %v", r, err)
	}
}
