package journal

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/belay-dev/belay/internal/belay"
)

// fastDir returns a folder in memory if the system has one: tests with thousands of writes need the
// order of steps, not the disk.
func fastDir(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "belay-journal-*")
	if err != nil {
		return t.TempDir()
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	return dir
}

type note struct {
	N    int    `json:"n"`
	Text string `json:"text,omitempty"`
}

// fill creates the task T7 with n entries and returns its head.
func fill(t *testing.T, s *Store, n int) Head {
	t.Helper()
	head, err := s.Create(t.Context(), "T7", "created", note{N: 1})
	if err != nil {
		t.Fatal(err)
	}
	for i := 2; i <= n; i++ {
		if head, err = s.Append(t.Context(), "T7", head, "noted", note{N: i}); err != nil {
			t.Fatal(err)
		}
	}
	return head
}

func mustRead(t *testing.T, s *Store, task belay.TaskID) Log {
	t.Helper()
	l, err := s.Read(task)
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func wantCode(t *testing.T, err error, code belay.Code, words ...string) {
	t.Helper()
	if belay.CodeOf(err) != code {
		t.Fatalf("got %q (%v), want code %q", belay.CodeOf(err), err, code)
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("%q does not say %q", err, w)
		}
	}
}

func TestCreateAppendRead(t *testing.T) {
	t.Parallel()
	at := time.Date(2031, 5, 6, 7, 8, 9, 123456789, time.FixedZone("x", 3600))
	s := Open(filepath.Join(t.TempDir(), "a", "belay"))
	s.Now = func() time.Time { return at }
	head, err := s.Create(t.Context(), "Fix-Login", "created", map[string]any{"who": "Ann & <Bob>", "z": nil})
	if err != nil {
		t.Fatal(err)
	}
	at = at.Add(time.Second)
	head2, err := s.Append(t.Context(), "fix-login", head, "noted", json.RawMessage("{\n \"a\": [1, 2]\n}"))
	if err != nil {
		t.Fatal(err)
	}
	l := mustRead(t, s, "FIX-LOGIN")
	want := Log{Task: "Fix-Login", Head: head2, Entries: []Entry{
		{Seq: 1, Time: at.Add(-time.Second).UTC(), Type: "created", Data: json.RawMessage(`{"who":"Ann & <Bob>","z":null}`), Prev: First, Hash: head.Hash},
		{Seq: 2, Time: at.UTC(), Type: "noted", Data: json.RawMessage(`{"a":[1,2]}`), Prev: head.Hash, Hash: head2.Hash},
	}}
	if d := cmp.Diff(want, l); d != "" {
		t.Error(d)
	}
	for path, mode := range map[string]os.FileMode{"": 0o700, "tasks": 0o700, "tasks/fix-login.jsonl": 0o600, "tasks/fix-login.lock": 0o600} {
		info, err := os.Stat(filepath.Join(s.dir, path))
		if err != nil || info.Mode().Perm() != mode {
			t.Errorf("%q: %v %v, want mode %v", path, info, err, mode)
		}
	}
	if left, _ := os.ReadDir(s.tasksDir()); len(left) != 2 {
		t.Errorf("left behind: %v", left)
	}
}

func TestRefusals(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	s := Open(filepath.Join(dir, "store"))
	_, err := s.Read("T1")
	wantCode(t, err, belay.CodeNotFound, "T1")
	_, err = s.Append(t.Context(), "T1", Head{}, "x", nil)
	wantCode(t, err, belay.CodeNotFound)
	if tasks, err := s.Tasks(); err != nil || len(tasks) != 0 {
		t.Error(tasks, err)
	}
	for _, id := range []belay.TaskID{"", "../x", "a/b", "nul", "x.lock", "-x", "ä"} {
		_, err := s.Create(t.Context(), id, "created", nil)
		wantCode(t, err, belay.CodeUsage)
		_, err = s.Read(id)
		wantCode(t, err, belay.CodeNotFound)
	}
	for _, typ := range []string{"", "Created", "a b", `a"b`, "é"} {
		_, err := s.Create(t.Context(), "T1", typ, nil)
		wantCode(t, err, belay.CodeUsage)
	}
	_, err = s.Create(t.Context(), "T1", "created", json.RawMessage(`{"a":{"b":1,"c":[{"b":2}],"b":3}}`))
	if err == nil || !strings.Contains(err.Error(), `"b" twice`) {
		t.Error(err)
	}
	_, err = s.Create(t.Context(), "T1", "created", make(chan int))
	if err == nil {
		t.Error("a channel was recorded")
	}
	_, err = s.Create(t.Context(), "T1", "created", strings.Repeat("x", MaxLine))
	wantCode(t, err, belay.CodeUsage, "too long")
	if _, err := os.Lstat(s.dir); !errors.Is(err, os.ErrNotExist) {
		t.Error("a refused entry left a trace:", err)
	}
	fill(t, s, 1)
	_, err = s.Create(t.Context(), "T7", "created", nil)
	wantCode(t, err, belay.CodeUsage, "T7 exists already")
	_, err = s.Create(t.Context(), "t7", "created", nil)
	wantCode(t, err, belay.CodeUsage, "t7 exists already, as T7")
}

func TestMoved(t *testing.T) {
	t.Parallel()
	s := Open(fastDir(t))
	head := fill(t, s, 3)
	old := Head{Seq: 2, Hash: mustRead(t, s, "T7").Entries[1].Hash}
	for _, after := range []Head{{}, old, {Seq: 3, Hash: old.Hash}, {Seq: 4, Hash: head.Hash}} {
		_, err := s.Append(t.Context(), "T7", after, "noted", nil)
		var moved *MovedError
		if !errors.As(err, &moved) || moved.Head != head || moved.After != after {
			t.Errorf("after %v: %v", after, err)
		}
		wantCode(t, err, belay.CodeBusy, "T7")
	}
	if got := mustRead(t, s, "T7").Head; got != head {
		t.Error("a refused append was written")
	}
}

func TestClockGoesBack(t *testing.T) {
	t.Parallel()
	s := Open(fastDir(t))
	clock := time.Date(2036, 1, 1, 0, 0, 0, 0, time.UTC)
	s.Now = func() time.Time { clock = clock.Add(-time.Hour); return clock }
	fill(t, s, 3)
	l := mustRead(t, s, "T7")
	if l.Entries[2].Time != l.Entries[0].Time {
		t.Errorf("times: %v, %v", l.Entries[0].Time, l.Entries[2].Time)
	}
	if v, err := s.Verify("T7", nil); err != nil || !v.OK {
		t.Error(v, err)
	}
}

func TestTasksInOrderOfCreation(t *testing.T) {
	t.Parallel()
	s := Open(fastDir(t))
	at := time.Date(2030, 1, 1, 0, 0, 0, 0, time.UTC)
	s.Now = func() time.Time { at = at.Add(time.Second); return at }
	for _, id := range []belay.TaskID{"T10", "T9", "a.jsonl", "Zed", "b"} {
		if _, err := s.Create(t.Context(), id, "created", nil); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{"torn.jsonl": `{"v":1,"seq":1,`, "empty.jsonl": "", "broken.jsonl": "{\"v\":2,\"n\":1}\n", "UP.jsonl": "{}\n", "x.jsonl.torn-1": "{}\n", "note.txt": ""} {
		if err := os.WriteFile(filepath.Join(s.tasksDir(), name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	got, err := s.Tasks()
	if d := cmp.Diff([]belay.TaskID{"T10", "T9", "a.jsonl", "Zed", "b", "broken"}, got); err != nil || d != "" {
		t.Error(err, d)
	}
	_, err = s.Read("broken")
	wantCode(t, err, belay.CodeCannot, "line 1", "version 2")
}

// TestReadGivesWhatWasAppended: Read returns exactly what was appended, for any data.
func TestReadGivesWhatWasAppended(t *testing.T) {
	t.Parallel()
	dir := fastDir(t)
	n := 0
	rapid.Check(t, func(rt *rapid.T) {
		n++
		s := Open(filepath.Join(dir, fmt.Sprint(n)))
		texts := rapid.SliceOfN(rapid.String(), 1, 8).Draw(rt, "texts")
		head, err := s.Create(t.Context(), "T1", "created", note{1, texts[0]})
		for i, text := range texts[1:] {
			if err == nil {
				head, err = s.Append(t.Context(), "T1", head, "noted", note{i + 2, text})
			}
		}
		if err != nil {
			rt.Fatal(err)
		}
		l, err := s.Read("T1")
		if err != nil || len(l.Entries) != len(texts) || l.Head != head || l.Torn != 0 {
			rt.Fatal(err, l)
		}
		for i, e := range l.Entries {
			var got note
			if err := json.Unmarshal(e.Data, &got); err != nil || got != (note{i + 1, strings.ToValidUTF8(texts[i], "\uFFFD")}) {
				rt.Fatalf("%d: %q became %q: %v", i, texts[i], got.Text, err)
			}
		}
		if v, err := s.Verify("T1", nil); err != nil || !v.OK || v.Entries != len(texts) {
			rt.Fatal(v, err)
		}
	})
}

// TestHashesWithStandardTools: hashes can be checked with the tools of every system, as
// docs/formats.md shows.
func TestHashesWithStandardTools(t *testing.T) {
	t.Parallel()
	s := Open(t.TempDir())
	head := fill(t, s, 3)
	script := `sed -n '3{s/,"hash":"[0-9a-f]*"}$//;p;}' "$1" | tr -d '\n' | { sha256sum 2>/dev/null || shasum -a 256; }`
	out, err := exec.Command("sh", "-c", script, "sh", s.taskFile("T7")).Output()
	if err != nil || !strings.HasPrefix(string(out), head.Hash+" ") {
		t.Errorf("%s %v, want %s", out, err, head.Hash)
	}
}

func TestLongLine(t *testing.T) {
	t.Parallel()
	s := Open(fastDir(t))
	head := fill(t, s, 1)
	long := strings.Repeat("0123456789abcdef", 5<<20/16)
	head, err := s.Append(t.Context(), "T7", head, "noted", long)
	if err != nil {
		t.Fatal(err)
	}
	if _, err = s.Append(t.Context(), "T7", head, "noted", 3); err != nil {
		t.Fatal(err)
	}
	l := mustRead(t, s, "T7")
	if len(l.Entries) != 3 || len(l.Entries[1].Data) != len(long)+2 {
		t.Errorf("%d entries", len(l.Entries))
	}
	// A line longer than MaxLine is no entry, and is not kept in memory.
	f, err := os.OpenFile(s.taskFile("T7"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	f.Write(bytes.Repeat([]byte("{"), MaxLine+10))
	f.Close()
	if l = mustRead(t, s, "T7"); l.Torn != MaxLine+10 || len(l.Entries) != 3 {
		t.Errorf("torn %d, entries %d", l.Torn, len(l.Entries))
	}
	if _, err = s.Append(t.Context(), "T7", l.Head, "noted", 4); err != nil {
		t.Fatal(err)
	}
}

func TestLockedByAnother(t *testing.T) {
	t.Parallel()
	s := Open(t.TempDir())
	s.wait = 20 * time.Millisecond
	head := fill(t, s, 1)
	unlock, err := s.lock(t.Context(), "T7")
	if err != nil {
		t.Fatal(err)
	}
	_, err = s.Append(t.Context(), "T7", head, "noted", nil)
	host, _ := os.Hostname()
	wantCode(t, err, belay.CodeBusy, fmt.Sprintf("process %d on %s", os.Getpid(), host))
	if err := os.WriteFile(s.lockFile("T7"), []byte("\x1b[31m{not json"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = s.Append(t.Context(), "T7", head, "noted", nil)
	wantCode(t, err, belay.CodeBusy, "another process")
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = s.Append(ctx, "T7", head, "noted", nil)
	wantCode(t, err, belay.CodeInterrupted)
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	unlock()
	if _, err = s.Append(t.Context(), "T7", head, "noted", nil); err != nil {
		t.Fatal(err)
	}
}

func TestNoRegularFile(t *testing.T) {
	t.Parallel()
	s := Open(t.TempDir())
	fill(t, s, 2)
	real := filepath.Join(t.TempDir(), "elsewhere")
	if err := os.Rename(s.taskFile("T7"), real); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(real, s.taskFile("T7")); err != nil {
		t.Fatal(err)
	}
	_, err := s.Read("T7")
	wantCode(t, err, belay.CodeCannot, "not a regular file")
	_, err = s.Append(t.Context(), "T7", Head{}, "noted", nil)
	wantCode(t, err, belay.CodeCannot, "not a regular file")
	_, err = s.Create(t.Context(), "T7", "created", nil)
	wantCode(t, err, belay.CodeCannot, "not a regular file")
}

func BenchmarkAppend(b *testing.B) {
	for _, entries := range []int{1, 1000} {
		b.Run(fmt.Sprint(entries), func(b *testing.B) {
			s := Open(b.TempDir())
			head, err := s.Create(b.Context(), "T7", "created", note{N: 1})
			for i := 1; err == nil && i < entries; i++ {
				head, err = s.Append(b.Context(), "T7", head, "noted", note{N: i, Text: strings.Repeat("x", 500)})
			}
			for b.Loop() {
				if err == nil {
					head, err = s.Append(b.Context(), "T7", head, "noted", note{Text: strings.Repeat("x", 500)})
				}
			}
			if err != nil {
				b.Fatal(err)
			}
		})
	}
}

func BenchmarkRead(b *testing.B) {
	s := Open(b.TempDir())
	head, err := s.Create(b.Context(), "T7", "created", note{N: 1})
	for i := 1; err == nil && i < 200; i++ {
		head, err = s.Append(b.Context(), "T7", head, "noted", note{N: i, Text: strings.Repeat("x", 4000)})
	}
	for b.Loop() {
		if _, rerr := s.Read("T7"); err != nil || rerr != nil {
			b.Fatal(err, rerr)
		}
	}
}
