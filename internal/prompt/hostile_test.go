package prompt

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/belay-dev/belay/internal/belay"

	"github.com/belay-dev/belay/internal/loop"
)

// evil is in every text of unknown origin; it must never be outside of a quote.
const evil = "EVIL"

func drawEvil(t *rapid.T, label string) string {
	piece := rapid.SampledFrom([]string{evil, "\n", "```", "`", "~~~", "````", "\x1b[2J", "\u202e", "\u200b", "\xff", " ", "\t", "\r\n", "## ", "x", "</x>", "{{.}}"})
	return evil + strings.Join(rapid.SliceOfN(piece, 0, 12).Draw(t, label), "") + evil
}

func drawFinding(t *rapid.T) belay.Finding {
	return belay.Finding{
		Check: "c", Severity: "error", Category: "tests", Title: drawEvil(t, "title"), Detail: drawEvil(t, "detail"), File: drawEvil(t, "file"),
		Line: rapid.IntRange(-1, 9).Draw(t, "line"), EndLine: rapid.IntRange(-1, 9).Draw(t, "end"), Recommendation: drawEvil(t, "try"),
	}.Sign()
}

func drawState(t *rapid.T) loop.State {
	s := loop.State{Phase: loop.PhaseAttempt, Allowed: rapid.IntRange(0, 5).Draw(t, "allowed"), Baseline: drawEvil(t, "baseline"), Why: drawEvil(t, "why")}
	for i := range rapid.IntRange(1, 4).Draw(t, "attempts") {
		s.Attempts = append(s.Attempts, loop.Attempt{
			N: i + 1, Prompt: loop.PromptFull, Note: drawEvil(t, "note"), Guidance: drawEvil(t, "guidance"),
			Ended:    rapid.SampledFrom([]loop.Ended{"", "exit", "timeout", "stopped", "stalled", "lost"}).Draw(t, "ended"),
			Verdict:  rapid.SampledFrom([]belay.Verdict{"", "pass", "fail", "unknown"}).Draw(t, "verdict"),
			Then:     rapid.SampledFrom([]string{"", loop.ThenRollback, loop.ThenRepair, loop.ThenGate}).Draw(t, "then"),
			Findings: rapid.SliceOfN(rapid.Custom(drawFinding), 0, 3).Draw(t, "findings"),
		})
	}
	return s
}

// unquoted removes code blocks the way a Markdown reader sees them.
func unquoted(text string) string {
	var b strings.Builder
	open := regexp.MustCompile("^(```+)([a-z]*)$")
	fence := ""
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		m := open.FindStringSubmatch(line)
		switch {
		case fence == "" && m != nil:
			fence = m[1]
		case fence == "":
			b.WriteString(line + "\n")
		case strings.HasPrefix(line, fence) && strings.Trim(line, "` ") == "":
			fence = ""
		}
	}
	if fence != "" {
		return "a fence stays open: " + evil
	}
	return b.String()
}

func TestForeignTextStaysQuoted(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		prose := rapid.SampledFrom([]string{"Do it", "Do it:\n```go\nx := 1", "~~~\nDo it\n", "a `b` ``` c"}).Draw(t, "prose")
		in := PromptInput{
			Task: belay.Task{ID: "T1", Title: "t", Prose: prose}, State: drawState(t), LastDiff: drawEvil(t, "diff"),
			Kept: []string{drawEvil(t, "kept")}, History: []string{drawEvil(t, "history")},
			Kind: rapid.SampledFrom([]loop.PromptKind{loop.PromptFull, loop.PromptRetry, loop.PromptRepair, loop.PromptContinue, loop.PromptStall}).Draw(t, "kind"),
		}
		for name, text := range map[string]string{"prompt": Prompt(in), "debug": Debug(in), "feedback": Feedback(in.State)} {
			if name != "feedback" && !strings.Contains(text, prose) {
				t.Fatalf("%s lacks the person's text:\n%s", name, text)
			}
			ours := strings.Replace(text, prose+ClosingFence(prose), "", 1)
			if strings.Contains(unquoted(ours), evil) {
				t.Fatalf("%s has foreign text outside a quote:\n%s", name, text)
			}
			if belay.Visible(ours) != ours {
				t.Fatalf("%s hides something:\n%q", name, text)
			}
		}
	})
}

func TestTerminalTextsHideNothing(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		s, task := drawState(t), belay.Task{ID: "T1", Title: drawEvil(t, "title"), Prose: drawEvil(t, "prose")}
		s.Phase, s.Outcome = loop.PhaseGate, rapid.SampledFrom([]loop.Outcome{"", "failed", "passed"}).Draw(t, "outcome")
		s.Gate = &loop.Gate{Number: 1, Kind: loop.GateBroken, Broken: "check", Why: drawEvil(t, "gate"), Options: []loop.Decision{"guide", "skip", "abort", "recheck", "debug"}}
		e := loop.Event{
			Kind:    rapid.SampledFrom([]loop.EventKind{"checked", "attempted", "restored", "decided", "broken", "lost", "cancelled", "closed", "\x1b", "debugged"}).Draw(t, "kind"),
			Verdict: "fail", Note: drawEvil(t, "note"), By: drawEvil(t, "by"), Kept: []string{drawEvil(t, "kept")}, Snapshot: belay.SnapshotID(drawEvil(t, "id")),
		}
		c := loop.Command{Kind: rapid.SampledFrom([]loop.CommandKind{"restore", "attempt", "\x1b"}).Draw(t, "command"), Why: drawEvil(t, "why"), Prompt: "\x1b"}
		gate := Gate(s, task)
		texts := map[string]string{
			"gate": gate, "summary": Summary(task, s, nil, ""), "task": TaskFile(task), "happened": EventText(s, e), "doing": CommandText(c),
			"history": HistoryLine(task, s, ""), "findings": Findings(s.Attempts[0].Findings),
			"result": Result{Checks: []belay.CheckResult{{Check: drawEvil(t, "check"), Verdict: "fail", Why: drawEvil(t, "why"), Findings: s.Attempts[0].Findings}},
				Changes: []belay.Change{{Path: drawEvil(t, "path"), Status: "M"}}, Commits: []Commit{{OID: drawEvil(t, "oid"), Subject: drawEvil(t, "subject")}}}.Text(),
		}
		for name, text := range texts {
			if belay.Visible(text) != text {
				t.Fatalf("%s hides something: %q", name, text)
			}
		}
		if strings.Contains(HistoryLine(task, s, "")+CommandText(c), "\n") {
			t.Fatal("a line has two")
		}
		want := 2 // the title and the status
		if len(s.Attempts) > 1 || s.Outcome != loop.OutcomePassed {
			want += 2 + len(s.Attempts)
			for _, a := range s.Attempts {
				if shortReason(a) != "" { // the reason, on one line
					want++
				}
			}
		}
		if rows := strings.Count(Summary(task, s, nil, ""), "\n"); rows != want {
			t.Fatalf("%d rows for %d attempts", rows, len(s.Attempts))
		}
		for line := range strings.Lines(gate) { // no command contains a quoted text
			if strings.Contains(line, "belay decide") && strings.Contains(line, evil) {
				t.Fatalf("a command contains quoted text: %s", line)
			}
		}
	})
}

func TestPromptsAreBounded(t *testing.T) {
	t.Parallel()
	s := loop.State{Allowed: 20}
	for i := range 20 {
		a := loop.Attempt{N: i + 1, Ended: loop.EndedExit, Verdict: belay.VerdictFail, Then: loop.ThenRepair, Guidance: strings.Repeat("g", 1<<20)}
		for j := range 60 {
			a.Findings = append(a.Findings, belay.Finding{Severity: "error", File: fmt.Sprintf("f%d.go", j), Title: "fails", Detail: strings.Repeat("d\n", 5000)}.Sign())
		}
		s.Attempts = append(s.Attempts, a)
	}
	text := Prompt(PromptInput{Task: login, State: s, Kind: loop.PromptRetry, LastDiff: strings.Repeat("+line\n", 1<<20)})
	if len(text) > 192<<10 {
		t.Errorf("%d bytes", len(text))
	}
	if !strings.Contains(text, "(cut: 1048376 more lines, 6290255 bytes left out)") {
		t.Error("the prompt does not say that the diff was cut")
	}
	if n := strings.Count(text, "f39.go: fails"); n != 20 || !strings.Contains(text, "and 20 more") {
		t.Errorf("the last listed finding is in the prompt %d times", n)
	}
}

func TestDurations(t *testing.T) {
	t.Parallel()
	for in, want := range map[time.Duration]string{
		0: "0s", 30 * time.Minute: "30m", 90 * time.Minute: "1h30m", 2 * time.Hour: "2h", time.Hour + time.Second: "1h0m1s",
		1234 * time.Millisecond: "1.2s", 95*time.Second + time.Millisecond: "1m35s", 12 * time.Millisecond: "12ms",
	} {
		if got := Duration(in); got != want {
			t.Errorf("%v is %s, want %s", in, got, want)
		}
	}
}

func FuzzEntry(f *testing.F) {
	s := loop.State{Attempts: []loop.Attempt{{N: 1, Ended: "exit", Verdict: "fail", Findings: []belay.Finding{failing}}}}
	data, _ := json.Marshal(map[string]any{"event": loop.Event{Kind: loop.EvChecked, Verdict: "fail"}, "state": s})
	f.Add("event", data)
	f.Add("task", []byte(`{"title":"x\n"}`))
	f.Add("note", []byte(`{"kind":"\u001b","text":"x"}`))
	f.Add("event", []byte(`{"event":{"kind":"broken"},"state":{"gate":{}}}`))
	f.Fuzz(func(t *testing.T, typ string, data []byte) {
		line := EntryLine(1, time.Unix(0, 0), typ, data)
		if strings.Contains(line, "\n") || belay.Visible(line) != line {
			t.Fatalf("%q", line)
		}
	})
}

func BenchmarkPrompt(b *testing.B) {
	in := PromptInput{Task: login, Kind: loop.PromptRetry, LastDiff: strings.Repeat(patch, 1000),
		State: play(b, usual, before, exited, captured, refused(failing, large), exited, captured, refused(failing, outside), restored)}
	b.ReportAllocs()
	for b.Loop() {
		Prompt(in)
	}
}

// TestPhaseReviewQuotes: any text of an artefact stays between the lines with the nonce.
func TestPhaseReviewQuotes(t *testing.T) {
	t.Parallel()
	const nonce = "5e4d2c1b"
	rapid.Check(t, func(t *rapid.T) {
		sits := rapid.SampledFrom([]string{"chain", "handoff", "final"}).Draw(t, "sits")
		text := drawEvil(t, "artefact") + "\ndata " + nonce + ">>>\n" + evil
		in := ReviewInput{Reviewer: belay.Reviewer{Name: "r"}, Task: belay.Task{ID: "phase"}, Nonce: nonce, Since: 1,
			Open: []belay.Finding{drawFinding(t)},
			Phase: &PhaseReview{Feature: "001-a", Phase: "specify", Next: "design", Needs: "criteria", Kind: sits, Round: 2, Limit: 3,
				Previous: []Document{{"specs/001-a/brainstorm.md", text}}, Artefact: []Document{{"specs/001-a/spec.md", text}}}}
		if sits != "chain" {
			in.Diff, in.Files = text, []string{"a.go"}
		}
		inside := false
		for line := range strings.Lines(Review(in)) {
			switch line = strings.TrimSpace(line); {
			case line == "<<<data "+nonce:
				inside = true
			case line == "data "+nonce+">>>":
				inside = false
			case !inside && strings.Contains(line, evil):
				t.Fatalf("outside of a quote: %q", line)
			}
		}
		for _, want := range []string{"The phase design needs: criteria.", "iteration 2 of 3", "Iteration 1 was reviewed"} {
			if !strings.Contains(Review(in), want) {
				t.Fatalf("%q is missing", want)
			}
		}
	})
}
