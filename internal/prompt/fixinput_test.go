package prompt

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/loop"
)

var (
	wrong  = belay.Finding{Check: "suite", Category: belay.CategoryTests, Severity: belay.SeverityError, Title: "TestSum fails", File: "sum.go", Line: 3}.Sign()
	asked  = belay.Finding{Check: "review", Severity: belay.SeverityError, Title: "name it", File: "name.go"}.Sign()
	remark = belay.Finding{Check: "review", Severity: belay.SeverityWarning, Title: "could be shorter"}
)

func refusedAttempt(n int, findings ...belay.Finding) loop.Attempt {
	return loop.Attempt{N: n, Verdict: belay.VerdictFail, Findings: findings}
}

func TestRefused(t *testing.T) {
	t.Parallel()
	passed := loop.Attempt{Verdict: belay.VerdictPass, Findings: []belay.Finding{wrong}}
	for name, c := range map[string]struct {
		attempts []loop.Attempt
		want     int
	}{
		"no attempt":              {nil, -1},
		"none was refused":        {[]loop.Attempt{passed}, -1},
		"the newest":              {[]loop.Attempt{refusedAttempt(0, wrong), refusedAttempt(1, asked)}, 1},
		"one before it was lost":  {[]loop.Attempt{refusedAttempt(0, wrong), {N: 1}}, 0},
		"without a reason":        {[]loop.Attempt{refusedAttempt(0, wrong), refusedAttempt(1, remark)}, 0},
		"accepted in the end too": {[]loop.Attempt{refusedAttempt(0, wrong), passed}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			s := loop.State{Attempts: c.attempts}
			got := LastRefused(s)
			if c.want < 0 {
				if got != nil {
					t.Errorf("%+v was refused", got)
				}
				return
			}
			if got != &s.Attempts[c.want] {
				t.Errorf("got %+v, want attempt %d", got, c.want)
			}
		})
	}
}

func TestInput(t *testing.T) {
	t.Parallel()
	task := belay.Task{ID: "T1"}
	task.Checks.Tests = belay.TestCommand{Args: []string{"go", "test"}}
	s := loop.State{Attempts: []loop.Attempt{refusedAttempt(1, wrong), refusedAttempt(2, wrong, remark), refusedAttempt(3, asked, remark)}}
	s.Attempts[2].Reviewer = "ana"

	in := NewFixInput(task, s, s.Attempts[1])
	if in.Attempt != 2 || in.By != "" || !reflect.DeepEqual(in.Findings, []belay.Finding{wrong}) {
		t.Errorf("findings of the second attempt: %+v", in)
	}
	if !reflect.DeepEqual(in.Repeated, []belay.Finding{wrong}) {
		t.Errorf("repeated findings: %v", in.Repeated)
	}
	if in.Reproduce != task.Checks.Tests.String() || in.Reproduce == "" {
		t.Errorf("the tests failed; the command that shows it is %q", in.Reproduce)
	}
	if len(in.OtherFindings) > 0 {
		t.Errorf("findings of a reviewer without a review: %v", in.OtherFindings)
	}

	in = NewFixInput(task, s, s.Attempts[2])
	if in.By != "ana" || !reflect.DeepEqual(in.Findings, []belay.Finding{asked}) || !reflect.DeepEqual(in.OtherFindings, []belay.Finding{remark}) {
		t.Errorf("findings of a person: %+v", in)
	}
	if in.Reproduce != "" || len(in.Repeated) > 0 {
		t.Errorf("no test failed and no finding is repeated: %q, %v", in.Reproduce, in.Repeated)
	}
}

func TestReviewed(t *testing.T) {
	t.Parallel()
	next := loop.Attempt{N: 2} // the next attempt, which is to fix it
	person := refusedAttempt(1, wrong)
	person.Reviewer = "ana"
	reviewers := refusedAttempt(1, asked)
	reviewers.Review = "report"
	both := refusedAttempt(1, asked, wrong)
	both.Review = "report"
	for name, c := range map[string]struct {
		attempts []loop.Attempt
		want     bool
	}{
		"nobody refused it":           {[]loop.Attempt{{N: 1, Verdict: belay.VerdictPass}, next}, false},
		"a check did":                 {[]loop.Attempt{refusedAttempt(1, wrong), next}, false},
		"a person rejected it":        {[]loop.Attempt{person, next}, true},
		"reviewers alone":             {[]loop.Attempt{reviewers, next}, true},
		"reviewers and a check":       {[]loop.Attempt{both, next}, false},
		"reviewers, but not the last": {[]loop.Attempt{reviewers, {N: 2}, {N: 3}}, false},
	} {
		t.Run(name, func(t *testing.T) {
			if _, got := LastReviewed(loop.State{Attempts: c.attempts}); got != c.want {
				t.Errorf("got %v", got)
			}
		})
	}
}

func TestFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	token := "ghp_" + "x9Kd83nTq2LmVb7R" + "zY4wPc6HsJf1Ga5EuN0o"
	for name, text := range map[string]string{"sum.go": "package sum\n\nfunc Sum() int { return 1 }\n\nconst key = \"" + token + "\"\n", "logo.png": "\x89PNG\x00\x00\x01"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(filepath.Join(dir, "..", "outside"), filepath.Join(dir, "link.go")); err != nil {
		t.Fatal(err)
	}
	at := func(path string, line int) belay.Finding { return belay.Finding{File: path, Line: line} }
	got, err := ReadFixFiles(dir, []belay.Finding{at("sum.go", 3), at("gone.go", 1), {Title: "of no file"}, at("sum.go", 5), at("logo.png", 1), at("link.go", 1)})
	if err != nil {
		t.Fatal(err)
	}
	var order []string
	for _, f := range got {
		order = append(order, f.Path)
	}
	if want := []string{"sum.go", "gone.go", "logo.png", "link.go"}; !reflect.DeepEqual(order, want) {
		t.Fatalf("files %v, want each once, in the order of the findings: %v", order, want)
	}
	code := strings.Join(got[0].Code, "\n")
	if !strings.Contains(code, "func Sum() int") || got[0].Missing != "" || len(got[0].Short) == 0 {
		t.Errorf("the place in sum.go: %+v", got[0])
	}
	if strings.Contains(code, token) || strings.Contains(strings.Join(got[0].Short, ""), token) {
		t.Errorf("a secret is repeated: %s", code)
	}
	for i, why := range map[int]string{1: "does not exist", 2: "binary", 3: "cannot be read"} {
		if !strings.Contains(got[i].Missing, why) || len(got[i].Code) > 0 {
			t.Errorf("%s: %+v, want %q", got[i].Path, got[i], why)
		}
	}
	if _, err := ReadFixFiles(filepath.Join(dir, "no-such"), nil); err == nil {
		t.Error("a folder that is not there has no files")
	}
}
