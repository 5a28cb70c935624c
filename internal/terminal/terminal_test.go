package terminal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"syscall"
	"testing"
	"unicode/utf8"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/loop"
	"github.com/belay-dev/belay/internal/prompt"
	"github.com/belay-dev/belay/internal/restore"
)

func TestSanitise(t *testing.T) {
	for in, want := range map[string]string{
		"plain\n":                    "plain\n",
		"\x1b[1;31mred\x1b[0m":       "red",
		"50%\r60%\r\n":               "50%\n60%\n",
		"\x1b[2Jcleared":             `\x1b[2Jcleared`,
		"\x1b]0;title\x07":           `\x1b]0;title\x07`,
		"\x1b[38;5;1mx\x1b[Kend":     "xend",
		"\x1b[4:3;38:5:1mx\x1b[0m":   "x",
		"bell\x07 and \u202ereverse": `bell\x07 and \u{202e}reverse`,
	} {
		if got := Sanitise(in); got != want {
			t.Errorf("%q: %q, want %q", in, got, want)
		}
	}
}

// However the agent's output is split into reads, it must contain no byte that can control the
// terminal.
func FuzzScreen(f *testing.F) {
	f.Add([]byte("a\x1b[31mb\xc3\xa9\x1b[0m\x1b]0;t\x07"), 3)
	f.Add([]byte("\xe2\x82"), 1)
	f.Fuzz(func(t *testing.T, text []byte, step int) {
		var out bytes.Buffer
		s := (&Terminal{Out: &out, Err: &out}).Screen(false)
		step = 1 + abs(step)%7
		for rest := text; len(rest) > 0; {
			n := min(step, len(rest))
			if _, err := s.Write(rest[:n]); err != nil {
				t.Fatal(err)
			}
			rest = rest[n:]
		}
		for i, r := range out.String() {
			_, size := utf8.DecodeRuneInString(out.String()[i:])
			if r == utf8.RuneError && size == 1 || r < 0x20 && r != '\n' && r != '\t' || r == 0x7f || r == 0x9b {
				t.Fatalf("%q at %d of %q", r, i, out.String())
			}
		}
	})
}

func abs(n int) int { return max(n, -(n + 1)) }

func TestWriteKeepsWhatIsCut(t *testing.T) {
	var out bytes.Buffer
	s := (&Terminal{Out: &out, Err: &out}).Screen(false)
	for _, part := range []string{"gr", "\xc3", "\xbc", "n \x1b", "[3", "2mok", "\x1b[0m\n"} {
		if _, err := s.Write([]byte(part)); err != nil {
			t.Fatal(err)
		}
	}
	if out.String() != "grün ok\n" {
		t.Errorf("%q", out.String())
	}
}

func TestTellPrintsOneObject(t *testing.T) {
	var out, errs bytes.Buffer
	term := &Terminal{Out: &out, Err: &errs, JSON: true}
	err := term.PrintResult(map[string]int{"n": 1}, belay.Refuse(belay.CodeBusy, "wait", "held"), nil)
	if belay.CodeOf(err) != belay.CodeBusy || errs.Len() > 0 || strings.Count(out.String(), "\n") != 1 {
		t.Fatalf("%v %q %q", err, errs.String(), out.String())
	}
	var got struct {
		Success bool
		Data    map[string]int
		Error   struct{ Code, What, Try string }
	}
	if err := json.Unmarshal(out.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	if got.Success || got.Data["n"] != 1 || got.Error.Code != "busy" || got.Error.What != "held" || got.Error.Try != "wait" {
		t.Errorf("%+v", got)
	}
	term.JSON = false
	_ = term.PrintResult(nil, errors.New("a \x1b[2J name"))
	if want := "belay: a \\x1b[2J name\n"; errs.String() != want {
		t.Errorf("%q, want %q", errs.String(), want)
	}
	errs.Reset()
	_ = term.PrintResult(nil, fmt.Errorf("read the index: %w", &fs.PathError{Op: "open", Path: "x", Err: syscall.EACCES}))
	if !strings.Contains(errs.String(), "try: check its owner and permissions") {
		t.Errorf("no advice about permissions: %q", errs.String())
	}
}

// Each decision must have its own key, a letter of its name.
func TestKeys(t *testing.T) {
	all := []loop.Decision{loop.DecideDebug, loop.DecideGuide, loop.DecideRetry, loop.DecideSkip, loop.DecideAbort, loop.DecideRecheck,
		loop.DecideAsItIs, loop.DecideApprove}
	seen := map[string]loop.Decision{"v": "view"}
	for _, d := range all {
		key := prompt.Key(d)
		if len(key) != 1 || seen[key] != "" {
			t.Errorf("%s: key %q, already used by %q", d, key, seen[key])
		}
		if d != loop.DecideAbort && !strings.Contains(string(d), key) { // x stands for abort
			t.Errorf("%s: key %q is not in the name", d, key)
		}
		seen[key] = d
	}
}

func TestTableLinesUp(t *testing.T) {
	var b bytes.Buffer
	PrintTable(&b, [][]string{{"a", "ü", "x"}, {"long", "b", "\x1b[2J"}})
	if want := "a     ü  x\nlong  b  \\x1b[2J\n"; b.String() != want {
		t.Errorf("%q, want %q", b.String(), want)
	}
}

// The output must also name what was restored besides files, and the next command.
func TestRestoredSaysAllOfIt(t *testing.T) {
	r := restore.Restored{Rescue: "01jd6y3k8mzq4v5w9x2c7r0tna", Written: []string{"a\x1b"}, Index: true, Head: true,
		Missing: []restore.Kept{{Path: "pipe", Reason: "gone"}}}
	for step, next := range map[string]string{"": "belay undo", "redo": "belay undo", "undo": "belay redo"} {
		var out bytes.Buffer
		term := &Terminal{Out: &out}
		tell := func() error { return term.PrintUndone(r, false, step) }
		if step == "" {
			tell = func() error { return term.PrintRestored(r, false) }
		}
		if err := tell(); err != nil {
			t.Fatal(err)
		}
		want := "wrote a\\x1b\ncannot restore pipe: gone\n1 path written, 0 removed, 0 kept; also the index, HEAD\n" +
			"the previous state is snapshot 01jd6y3k8m; undo with: " + next + "\n"
		if out.String() != want {
			t.Errorf("%q:\n%s\nwant:\n%s", step, out.String(), want)
		}
	}
	if got, want := PlanText(r), "1 path to write, 0 to remove, 0 to keep; also the index, HEAD"; got != want {
		t.Errorf("the plan is %q, want %q", got, want)
	}
}

// The progress line must show what an attempt uses, until the next step starts.
func TestUsedIsShownLive(t *testing.T) {
	var out bytes.Buffer
	term := &Terminal{Out: &out, Err: &out}
	s := term.Screen(false)
	s.live = true
	s.SetProgress("T1 attempt 1")
	s.Used("T1", belay.Use{Cost: 0.4, Tokens: &belay.Tokens{Input: 1500}})
	s.SetProgress("judging")
	b := term.Board(false)
	b.live = true
	w := b.Watcher("T2").(*boardLine)
	w.setProgress("T2  attempt 1")
	w.Used("T2", belay.Use{CostUnknown: "why", Tokens: &belay.Tokens{Input: 7}})
	for _, want := range []string{"… T1 attempt 1  0s  $0.40, 1.5k tokens", "… T2  attempt 1  0s  cost unknown, 7 tokens"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q has no %q", out.String(), want)
		}
	}
	if _, last, _ := strings.Cut(out.String(), "judging"); strings.Contains(last, "$0.40") {
		t.Errorf("still shown: %q", last)
	}
}
