package review

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/fsroot"
)

func TestReadingWhatOthersWrote(t *testing.T) {
	for name, c := range map[string]struct {
		text, task string
		number     int
		refused    string
	}{
		"plain":            {text: "---\ntask: T1\ncycle: 2\n---\nbody\n", task: "T1", number: 2},
		"no front matter":  {text: "# only text\n---\n"},
		"empty":            {text: ""},
		"CRLF":             {text: "---\r\ntask: T1\r\ncycle: 3\r\n---\r\nbody\r\n", task: "T1", number: 3},
		"BOM":              {text: "\ufeff---\ntask: T1\n---\n", task: "T1"},
		"unknown keys":     {text: "---\ntask: T1\nmood: {good: [1, 2]}\n---\n", task: "T1"},
		"two blocks":       {text: "---\ntask: T1\n---\n---\ntask: T2\n---\n", task: "T1"},
		"conflict in body": {text: "---\ntask: T1\n---\n<<<<<<< ours\n=======\n>>>>>>> theirs\n", task: "T1"},
		"conflict above":   {text: "<<<<<<< ours\n---\ntask: T1\n---\n=======\n>>>>>>> theirs\n", refused: "merge conflict"},
		"conflict":         {text: "---\n<<<<<<< ours\ntask: T1\n=======\ntask: T2\n>>>>>>> theirs\n---\n", refused: "merge conflict"},
		"twice":            {text: "---\ntask: T1\ntask: T2\n---\n", refused: "front matter"},
		"not closed":       {text: "---\ntask: T1\n", refused: "not closed"},
		"list":             {text: "---\n- a\n---\n", refused: "not a mapping"},
		"number as text":   {text: "---\ncycle: many\n---\n", refused: "cannot be read"},
	} {
		t.Run(name, func(t *testing.T) {
			d, err := Parse([]byte(c.text))
			if c.refused != "" {
				if err == nil || !strings.Contains(err.Error(), c.refused) || belay.CodeOf(err) != belay.CodeCannot {
					t.Fatalf("got %v, want a refusal about %q", err, c.refused)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			got, err := d.Cycle()
			if err != nil || got.Task != c.task || got.Number != c.number || string(d.Bytes()) != c.text {
				t.Errorf("%+v %v %q", got, err, d.Bytes())
			}
		})
	}
}

func TestSetKeepsTheRest(t *testing.T) {
	const before = "---\r\n# mine\r\ntask: 'T1'  # quoted\r\nverdict: reject\r\nx-mood: [a,   b]\r\naffected_files:\r\n- path: a.go\r\n  lines: 1-2\r\n---\r\nbody  \r\n"
	d, err := Parse([]byte(before))
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Set("verdict", "approve"); err != nil {
		t.Fatal(err)
	}
	if want := strings.Replace(before, "verdict: reject", "verdict: approve", 1); string(d.Bytes()) != want {
		t.Errorf("got %q", d.Bytes())
	}
	if err := d.Set("resolved_at", "2026-01-02T03:04:05Z"); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(d.Bytes()), "lines: 1-2\r\nresolved_at: ") || !strings.HasSuffix(string(d.Bytes()), "\r\n---\r\nbody  \r\n") {
		t.Errorf("got %q", d.Bytes())
	}
}

func TestWrittenIsRead(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringMatching(`[\pL\pN .:#'"-]{0,20}`)
		c := Cycle{Task: rapid.StringMatching(`T[0-9]{1,3}`).Draw(t, "task"), Feature: word.Draw(t, "feature"), Number: rapid.IntRange(1, 999).Draw(t, "n"), Reviewer: word.Draw(t, "who"),
			Time: time.Unix(rapid.Int64Range(0, 4e9).Draw(t, "time"), 0).UTC(), Verdict: rapid.SampledFrom([]string{"approve", "reject"}).Draw(t, "verdict"),
			Reproduction: rapid.StringMatching(`[a-z :|&\n]{0,30}`).Draw(t, "command")}
		for range rapid.IntRange(0, 3).Draw(t, "files") {
			c.Affected = append(c.Affected, Affected{Path: rapid.StringMatching(`[a-zäß/: ]{1,20}`).Draw(t, "path"), Lines: rapid.SampledFrom([]string{"", "12", "3-4", "7-"}).Draw(t, "lines")})
		}
		d, err := New(c, word.Draw(t, "body"))
		if err != nil {
			t.Fatal(err)
		}
		again, err := Parse(d.Bytes())
		if err != nil {
			t.Fatalf("%v\n%s", err, d.Bytes())
		}
		got, err := again.Cycle()
		if err != nil || !reflect.DeepEqual(got, c) || !bytes.Equal(again.Bytes(), d.Bytes()) {
			t.Fatalf("%v\n%+v\n%+v\n%s", err, got, c, d.Bytes())
		}
	})
}

func FuzzParse(f *testing.F) {
	for _, s := range []string{"---\ntask: T1\n---\nx", "---\n", "\ufeff---\r\na: &x [*x]\r\n---\r\n", "---\n? a\n: b\n---\n", "---\naffected_files: [{path: a}]\n---\n", "---\n\"task\": T1\n...\n---\n"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		d, err := Parse(data)
		if err != nil {
			return
		}
		if !bytes.Equal(d.Bytes(), data) {
			t.Fatalf("%q became %q", data, d.Bytes())
		}
		body := d.Body()
		if d.Set("verdict", "approve") != nil {
			return
		}
		again, err := Parse(d.Bytes())
		if err != nil {
			t.Fatalf("%v: %q", err, d.Bytes())
		}
		if c, err := again.Cycle(); err != nil || c.Verdict != "approve" || again.Body() != body {
			t.Fatalf("%+v %v %q", c, err, d.Bytes())
		}
	})
}

func TestPointers(t *testing.T) {
	for _, good := range []string{"review-cycle://f1/T1/review-cycle-3.md", "feedback://066-loop/WP01/20260406T120000Z-ab12.md"} {
		p, err := ParsePointer(good)
		if err != nil || p.String() != good {
			t.Errorf("%s: %v %v", good, p, err)
		}
	}
	for _, bad := range []string{"", "x", "review-cycle://a/b", "review-cycle://a/b/c.md", "review-cycle://../b/review-cycle-1.md", "review-cycle://a/../review-cycle-1.md", "feedback://a/b/..", "feedback://a/b/../../x",
		"feedback://a/b\\..\\c/x", "feedback://a/%2e%2e/x", "feedback:///b/x", "feedback://a/b/x\x00", "file://a/b/review-cycle-1.md", "review-cycle://a/b/review-cycle-0.md", "review-cycle://a/b/review-cycle-01.md",
		"review-cycle://.git/b/review-cycle-1.md"} {
		if p, err := ParsePointer(bad); belay.CodeOf(err) != belay.CodeUsage {
			t.Errorf("%q was parsed as %+v", bad, p)
		}
	}
}

func shelf(t *testing.T) (*CycleFolder, string) {
	t.Helper()
	top := t.TempDir()
	s, err := OpenCycleFolder(top, "f", "T1")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s, filepath.Join(top, CyclesDir, "f", "T1")
}

func small(n int) (*Document, error) { return New(Cycle{Task: "T1", Number: n}, "x") }

func TestNextNumber(t *testing.T) {
	s, dir := shelf(t)
	if n, err := s.Add(small); n != 1 || err != nil {
		t.Fatal(n, err)
	}
	if err := os.WriteFile(filepath.Join(dir, "review-cycle-7.md"), []byte("no front matter"), 0o666); err != nil {
		t.Fatal(err)
	}
	if n, err := s.Add(small); n != 8 || err != nil {
		t.Fatal(n, err)
	}
	left, err := filepath.Glob(filepath.Join(dir, ".*"))
	if err != nil || len(left) > 0 {
		t.Error("left behind", left, err)
	}
}

func TestUnreadableSiblingIsRefused(t *testing.T) {
	s, dir := shelf(t)
	if _, err := s.Add(small); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "review-cycle-1.md")
	if err := os.WriteFile(file, []byte("---\nnot closed\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Add(small); belay.CodeOf(err) != belay.CodeCannot {
		t.Fatal(err)
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != "---\nnot closed\n" {
		t.Error("it was changed", err)
	}
	if _, err := os.Lstat(filepath.Join(dir, "review-cycle-2.md")); !errors.Is(err, fs.ErrNotExist) {
		t.Error("something was written beside it", err)
	}
}

func TestManyCyclesAtOnce(t *testing.T) {
	s, _ := shelf(t)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if _, err := s.Add(small); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	list, err := s.List()
	if err != nil || len(list) != 8 {
		t.Fatalf("%d cycles, %v", len(list), err)
	}
	for i, e := range list {
		if e.Err != nil || e.Cycle.Number != e.Number || e.Number != i+1 {
			t.Errorf("%+v", e)
		}
	}
}

func TestLinksLeadNowhere(t *testing.T) {
	top, out := t.TempDir(), t.TempDir()
	if err := os.MkdirAll(filepath.Join(top, ".belay"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(out, filepath.Join(top, CyclesDir)); err != nil {
		t.Skip(err)
	}
	s, err := OpenCycleFolder(top, "f", "T1")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = s.Close() }()
	if _, err := s.Add(small); err == nil {
		t.Error("it wrote through a link out of the repository")
	}
	if names, _ := os.ReadDir(out); len(names) > 0 {
		t.Error("files outside of the folder", names)
	}
}

// TestReplaceSavedMeanwhile: what somebody saves while a cycle is replaced stays.
func TestReplaceSavedMeanwhile(t *testing.T) {
	s, dir := shelf(t)
	n, err := s.Add(small)
	if err != nil {
		t.Fatal(err)
	}
	e, file := s.Read(n), filepath.Join(dir, CycleName(n))
	was := e.Document.Bytes()
	mine := string(was) + "mine\n"
	fsroot.Fault = func(op, path string) error {
		if op == "rename" {
			return os.WriteFile(file, []byte(mine), 0o666)
		}
		return nil
	}
	defer func() { fsroot.Fault = nil }()
	if err := e.Document.Set("verdict", "approve"); err != nil {
		t.Fatal(err)
	}
	if err := s.Replace(n, was, e.Document); belay.CodeOf(err) != belay.CodeBusy {
		t.Error(err)
	}
	if got, err := os.ReadFile(file); string(got) != mine {
		t.Errorf("%q %v", got, err)
	}
	if names, _ := os.ReadDir(dir); len(names) != 1 {
		t.Error(names)
	}
}

func TestReplaceSeesWhatChanged(t *testing.T) {
	s, _ := shelf(t)
	n, err := s.Add(small)
	if err != nil {
		t.Fatal(err)
	}
	e := s.Read(n)
	was := e.Document.Bytes()
	if err := e.Document.Set("verdict", "approve"); err != nil {
		t.Fatal(err)
	}
	if err := s.Replace(n, was, e.Document); err != nil {
		t.Fatal(err)
	}
	if err := s.Replace(n, was, e.Document); belay.CodeOf(err) != belay.CodeBusy {
		t.Error(err)
	}
	if got := s.Read(n); got.Cycle.Verdict != "approve" {
		t.Errorf("%+v", got)
	}
}
