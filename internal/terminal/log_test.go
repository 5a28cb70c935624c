package terminal

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/loop"
	"github.com/belay-dev/belay/internal/session"
)

func TestLogIsJSON(t *testing.T) {
	var out, result bytes.Buffer
	term := &Terminal{Out: &result, Err: &out, In: os.Stdin}
	if term.ParseLogFlag("yaml") == nil {
		t.Error("yaml is accepted")
	}
	if err := term.ParseLogFlag("json"); err != nil {
		t.Fatal(err)
	}
	s := term.Screen(false)
	r := &session.Record{Task: belay.Task{ID: "T1"}}
	s.Begins(r, loop.Command{Kind: loop.CmdAttempt, Attempt: 2, Why: "attempt 2"})
	if s.Output() != nil {
		t.Error("the agent's output is shown")
	}
	r.State.Attempts = []loop.Attempt{{N: 1}, {N: 2}}
	s.Happened(r, loop.Event{Kind: loop.EvChecked, Verdict: belay.VerdictFail, Findings: []belay.Finding{{Check: "scope", Title: "outside"}}})
	s.Note("a note \x1b[1m")
	s.Stop()
	fmt.Fprint(term.Err, "belay: another ")
	fmt.Fprint(term.Err, "line\n")
	_ = term.PrintResult(nil, belay.Refuse(belay.CodeBusy, "try again", "in use"))
	var list []map[string]any
	for line := range strings.Lines(out.String()) {
		var one map[string]any
		if err := json.Unmarshal([]byte(line), &one); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		list = append(list, one)
	}
	want := []string{"INFO attempt 2", "WARN", "WARN a note", "WARN another line", "ERROR in use"}
	if len(list) != len(want) {
		t.Fatalf("%d lines:\n%s", len(list), &out)
	}
	for i, w := range want {
		level, _, _ := strings.Cut(w, " ")
		if list[i]["level"] != level || list[i]["time"] == nil {
			t.Errorf("%d: %v", i, list[i])
		}
	}
	if list[0]["task"] != "T1" || list[0]["attempt"] != 2.0 || list[0]["step"] != "attempt" ||
		list[1]["verdict"] != "fail" || list[1]["findings"] != 1.0 || list[3]["msg"] != "another line" ||
		list[4]["code"] != string(belay.CodeBusy) || list[4]["try"] != "try again" {
		t.Errorf("%v", list)
	}
}
