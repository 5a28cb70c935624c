package review

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/belay-dev/belay/internal/belay"

	"github.com/belay-dev/belay/internal/config"
)

const answer = `{"score": 80, "alignment": {"logic_fidelity": {"passed": true}}, "findings": [], "recommendation": "approve"}`

func mend(wrong, said string) string { return "again: " + wrong + ": " + said }

func question(t *testing.T, script string) ReviewerQuestion {
	return ReviewerQuestion{May: config.Anything(),
		Reviewer: belay.Reviewer{Name: "r", Command: []string{"sh", "-c", script}, Timeout: time.Minute},
		Prompt:   "look at this", RetryPrompt: mend, Dir: t.TempDir(), Env: []string{"PATH=" + os.Getenv("PATH"), "ANSWER=" + answer},
	}
}

func TestPrograms(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		script string
		tries  int
		says   string
	}{
		"answers":            {`echo "$ANSWER"`, 1, ""},
		"reads its prompt":   {`grep -q 'look at this' && echo "$ANSWER"`, 1, ""},
		"reads the file":     {`grep -q 'look at this' "$BELAY_PROMPT_FILE" && echo "$ANSWER"`, 1, ""},
		"mends its answer":   {`if grep -q '^again: .*LGTM'; then echo "$ANSWER"; else echo LGTM; fi`, 2, ""},
		"prose, twice":       {`echo LGTM`, 2, "its answer cannot be read: the answer contains no JSON object"},
		"other JSON":         {`echo '{"ok":true}'`, 2, "score is missing"},
		"says nothing":       {`:`, 2, "its answer cannot be read"},
		"fails":              {`echo "$ANSWER"; echo no quota >&2; exit 3`, 1, "it ended with exit code 3: no quota"},
		"is not there":       {`exec /no/such/reviewer`, 1, "it ended with exit code 127"},
		"floods":             {`yes "$ANSWER" | head -c 20000000`, 1, "its answer is over 1024 KiB"},
		"kills itself":       {`kill -KILL $$`, 1, "was ended by signal 9"},
		"waits for a person": {`read x; read y; read z; echo "$ANSWER"`, 1, ""},
	} {
		q := question(t, "echo >>tries\n"+tt.script)
		r, err := Ask(t.Context(), q)
		tries, _ := os.ReadFile(filepath.Join(q.Dir, "tries"))
		if (err == nil) != (tt.says == "") || err != nil && !strings.Contains(err.Error(), tt.says) || len(tries) != tt.tries {
			t.Errorf("%s: %d tries, %v", name, len(tries), err)
		}
		if tt.says == "" && r.Opinion.Score != 80 {
			t.Errorf("%s: %+v", name, r.Opinion)
		}
	}
}

// TestTimeIsUp: a program that never answers is ended with all its processes.
func TestTimeIsUp(t *testing.T) {
	t.Parallel()
	q := question(t, "trap '' TERM; sleep 300 & while :; do sleep 1; done")
	q.Reviewer.Timeout = 300 * time.Millisecond
	if _, err := Ask(t.Context(), q); err == nil || !strings.Contains(err.Error(), "did not answer within 300ms") {
		t.Errorf("%v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Ask(ctx, question(t, "sleep 300")); err == nil {
		t.Error("an answer after the context was cancelled")
	}
}

func reply(text string) string {
	words, _ := json.Marshal(text)
	return `{"choices": [{"message": {"role": "assistant", "content": ` + string(words) + `}}]}`
}

// TestModels asks a local endpoint.
func TestModels(t *testing.T) {
	t.Setenv("BELAY_TEST_KEY", "sk-very-secret")
	for name, tt := range map[string]struct {
		answers []string // one for each request: status, space, body
		says    string
	}{
		"answers":          {[]string{"200 " + reply(answer)}, ""},
		"mends":            {[]string{"200 " + reply("LGTM"), "200 " + reply(answer)}, ""},
		"busy, then not":   {[]string{"429 wait", "503 wait", "200 " + reply(answer)}, ""},
		"busy":             {[]string{"429 a", "429 b", "429 over quota"}, "429 Too Many Requests: over quota"},
		"refuses the key":  {[]string{"401 bad key"}, "401 Unauthorized"},
		"another protocol": {[]string{"200 <html>"}, "does not follow the protocol"},
		"no words":         {[]string{`200 {"choices": []}`}, "has no text"},
		"redirects":        {[]string{"307 elsewhere"}, "307"},
		"too long":         {[]string{"200 " + strings.Repeat("x", 10<<20+1)}, "longer than"},
	} {
		asked := 0
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			body, _ := io.ReadAll(r.Body)
			if r.URL.Path != "/v1/chat/completions" || r.Header.Get("Authorization") != "Bearer sk-very-secret" || !strings.Contains(string(body), `"model":"m"`) {
				t.Errorf("%s: %s %v %s", name, r.URL.Path, r.Header, body)
			}
			status, text, _ := strings.Cut(tt.answers[min(asked, len(tt.answers)-1)], " ")
			asked++
			code := 0
			fmt.Sscan(status, &code)
			w.Header().Set("Retry-After", "0")
			w.Header().Set("Location", "http://127.0.0.1:1/")
			w.WriteHeader(code)
			io.WriteString(w, text)
		}))
		q := ReviewerQuestion{May: config.Anything(), Reviewer: belay.Reviewer{Name: "r", Endpoint: server.URL + "/v1/", Model: "m", KeyEnv: "BELAY_TEST_KEY", Timeout: time.Minute}, Prompt: "look", RetryPrompt: mend}
		r, err := Ask(t.Context(), q)
		server.Close()
		if (err == nil) != (tt.says == "") || err != nil && (!strings.Contains(err.Error(), tt.says) || strings.Contains(err.Error(), "secret")) {
			t.Errorf("%s: %v", name, err)
		}
		if asked != len(tt.answers) || err == nil && r.Opinion.Recommendation != Approve {
			t.Errorf("%s: asked %d times, %+v", name, asked, r.Opinion)
		}
	}
	q := ReviewerQuestion{May: config.Anything(), Reviewer: belay.Reviewer{Endpoint: "http://127.0.0.1:1/v1", Model: "m", KeyEnv: "BELAY_TEST_NO_KEY", Timeout: time.Second}}
	if _, err := Ask(t.Context(), q); err == nil || !strings.Contains(err.Error(), "BELAY_TEST_NO_KEY with its key is not set") {
		t.Errorf("%v", err)
	}
	q.Reviewer.Endpoint, q.Reviewer.KeyEnv = "file:///etc/passwd", ""
	if _, err := Ask(t.Context(), q); err == nil || !strings.Contains(err.Error(), "is not a model's address") {
		t.Errorf("%v", err)
	}
}
