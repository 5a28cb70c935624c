package journal

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/testutil"
)

func edit(t *testing.T, path string, change func([]byte) []byte) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, change(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func lines(text []byte) [][]byte {
	return bytes.SplitAfter(bytes.TrimSuffix(text, []byte("\n")), []byte("\n"))
}

func TestDamage(t *testing.T) {
	t.Parallel()
	swap := func(old, new string) func([]byte) []byte {
		return func(b []byte) []byte { return bytes.Replace(b, []byte(old), []byte(new), 1) }
	}
	tests := map[string]struct {
		change func([]byte) []byte
		whole  int
		why    string
	}{
		"a value in the middle":   {swap(`{"n":2}`, `{"n":9}`), 1, "line 2"},
		"a value of the last":     {swap(`{"n":4}`, `{"n":9}`), 3, "line 4"},
		"a line gone":             {func(b []byte) []byte { l := lines(b); return bytes.Join([][]byte{l[0], l[2], l[3], []byte("\n")}, nil) }, 1, "number is 3"},
		"a line twice":            {func(b []byte) []byte { l := lines(b); return bytes.Join([][]byte{l[0], l[0], l[1]}, nil) }, 1, "number is 1"},
		"garbage in the middle":   {func(b []byte) []byte { l := lines(b); l[1] = []byte("#\n"); return bytes.Join(l, nil) }, 1, "is not an entry"},
		"a space":                 {swap(`"seq":3`, `"seq": 3`), 2, "is not an entry"},
		"a key more":              {swap(`{"n":3}`, `{"n":3},"x":1`), 2, "is not an entry"},
		"a key twice":             {swap(`"seq":3`, `"seq":3,"seq":3`), 2, "is not an entry"},
		"a later version":         {swap(`{"v":1,"seq":4`, `{"v":2,"seq":4`), 3, "version 2"},
		"a carriage return":       {func(b []byte) []byte { return bytes.ReplaceAll(b, []byte("\n"), []byte("\r\n")) }, 0, "is not an entry"},
		"a byte order mark":       {func(b []byte) []byte { return append([]byte("\xef\xbb\xbf"), b...) }, 0, "line 1"},
		"another task's name":     {func(b []byte) []byte { return bytes.ReplaceAll(b, []byte(`"T7"`), []byte(`"T8"`)) }, 0, "line 1"},
		"the start of it cut off": {func(b []byte) []byte { return bytes.Join(lines(b)[1:], nil) }, 0, "number is 2"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := Open(fastDir(t))
			fill(t, s, 4)
			edit(t, s.taskFile("T7"), tt.change)
			damagedText, _ := os.ReadFile(s.taskFile("T7"))
			l, err := s.Read("T7")
			wantCode(t, err, belay.CodeCannot, s.taskFile("T7"), tt.why)
			if len(l.Entries) != tt.whole {
				t.Errorf("%d whole entries, want %d", len(l.Entries), tt.whole)
			}
			if v, err := s.Verify("T7", nil); err != nil || v.OK || !strings.Contains(strings.Join(v.Problems, "; "), tt.why) {
				t.Errorf("%+v %v", v, err)
			}
			for _, head := range []Head{l.Head, {Seq: 4, Hash: strings.Repeat("a", 64)}} {
				if _, err := s.Append(t.Context(), "T7", head, "noted", nil); err == nil {
					t.Error("appended to a damaged record")
				}
			}
			if _, err := s.Create(t.Context(), "T7", "created", nil); err == nil {
				t.Error("created over a damaged record")
			}
			if now, _ := os.ReadFile(s.taskFile("T7")); !bytes.Equal(now, damagedText) {
				t.Error("a damaged record was changed")
			}
		})
	}
}

func TestTornEnds(t *testing.T) {
	t.Parallel()
	for name, tail := range map[string]string{
		"half a line": `{"v":1,"seq":5`, "zeros": strings.Repeat("\x00", 300), "zeros in a line": "{\"v\":1,\x00\x00\x00}\n",
		"text": "hello\nworld\n", "no end": "{}", "blank lines": "\n\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := Open(fastDir(t))
			head := fill(t, s, 4)
			edit(t, s.taskFile("T7"), func(b []byte) []byte { return append(b, tail...) })
			if l := mustRead(t, s, "T7"); l.Torn != int64(len(tail)) || l.Head != head {
				t.Errorf("torn %d, want %d", l.Torn, len(tail))
			}
			if v, err := s.Verify("T7", nil); err != nil || v.OK || v.Head != head {
				t.Errorf("%+v %v", v, err)
			}
			if _, err := s.Append(t.Context(), "T7", head, "noted", nil); err != nil {
				t.Error(err)
			}
			if kept, _ := os.ReadFile(tornName(s.taskFile("T7"), 1)); string(kept) != tail {
				t.Errorf("kept %q", kept)
			}
		})
	}
}

func TestVerifyGoesOn(t *testing.T) {
	t.Parallel()
	s := Open(fastDir(t))
	fill(t, s, 6)
	edit(t, s.taskFile("T7"), func(b []byte) []byte {
		b = bytes.Replace(b, []byte(`{"n":2}`), []byte(`{"n":9}`), 1)
		return bytes.Replace(b, []byte(`{"n":5}`), []byte(`{"n":9}`), 1)
	})
	v, err := s.Verify("t7", nil)
	if err != nil || len(v.Problems) != 2 || v.Entries != 6 || v.Head.Seq != 1 || v.Task != "T7" {
		t.Errorf("%+v %v", v, err)
	}
	edit(t, s.taskFile("T7"), func(b []byte) []byte { return append(b, strings.Repeat("{}\n", 500)...) })
	if v, _ = s.Verify("T7", nil); len(v.Problems) != maxProblems+1 || v.Problems[maxProblems] != "and 402 more" {
		t.Errorf("%d problems, the last: %s", len(v.Problems), v.Problems[len(v.Problems)-1])
	}
}

func TestAttachments(t *testing.T) {
	t.Parallel()
	s := Open(t.TempDir())
	sha, size, err := s.Attach(strings.NewReader("hello"))
	if err != nil || size != 5 || sha != "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824" {
		t.Fatal(sha, size, err)
	}
	if again, _, err := s.Attach(strings.NewReader("hello")); err != nil || again != sha {
		t.Fatal(again, err)
	}
	read := func() (string, error) {
		r, err := s.OpenAttachment(sha)
		if err != nil {
			return "", err
		}
		defer r.Close()
		text, err := io.ReadAll(r)
		return string(text), err
	}
	if text, err := read(); err != nil || text != "hello" {
		t.Error(text, err)
	}
	if _, err := s.OpenAttachment("../tasks/t7.jsonl"); belay.CodeOf(err) != belay.CodeUsage {
		t.Error(err)
	}
	if _, err := s.OpenAttachment(First); belay.CodeOf(err) != belay.CodeNotFound {
		t.Error(err)
	}
	if _, err := s.Create(t.Context(), "T7", "created", map[string]string{"log": sha, "diff": First}); err != nil {
		t.Fatal(err)
	}
	named := func(json.RawMessage) []string { return []string{sha, First, sha} }
	v, err := s.Verify("T7", named)
	if err != nil || len(v.Problems) != 1 || !strings.Contains(v.Problems[0], "is missing") {
		t.Error(v, err)
	}
	path := filepath.Join(s.filesDir(), sha)
	edit(t, path, func([]byte) []byte { return []byte("hellO") })
	_, err = read()
	wantCode(t, err, belay.CodeCannot, "damaged")
	if v, err := s.Verify("T7", named); err != nil || len(v.Problems) != 2 {
		t.Error(v, err)
	}
	if _, _, err := s.Attach(strings.NewReader("hello")); err != nil {
		t.Fatal(err)
	}
	if text, err := read(); err != nil || text != "hello" {
		t.Error("not made good:", text, err)
	}
}

type broken struct{ n int }

func (b *broken) Read(p []byte) (int, error) {
	if b.n++; b.n > 3 {
		return 0, errors.New("the pipe broke")
	}
	return copy(p, "some bytes"), nil
}

func TestAttachmentThatBreaks(t *testing.T) {
	t.Parallel()
	s := Open(t.TempDir())
	if _, _, err := s.Attach(&broken{}); err == nil || !strings.Contains(err.Error(), "the pipe broke") {
		t.Error(err)
	}
	for _, dir := range []string{s.filesDir(), s.newFiles()} {
		left, err := os.ReadDir(dir)
		for _, e := range left {
			if e.Name() != ".new" {
				t.Error("left:", dir, e.Name(), err)
			}
		}
	}
}

// TestSweepSparesTheLiving: a sweep removes the files of dead writers only.
func TestSweepSparesTheLiving(t *testing.T) {
	t.Parallel()
	s := Open(fastDir(t))
	if _, _, err := s.Attach(strings.NewReader("first")); err != nil {
		t.Fatal(err)
	}
	dead := filepath.Join(s.newFiles(), "dead")
	if err := os.WriteFile(dead, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	r, w := io.Pipe()
	result := make(chan error)
	go func() { _, _, err := s.Attach(r); result <- err }()
	w.Write([]byte("half")) // returns when the other side has read it
	if _, _, err := s.Attach(strings.NewReader("second")); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Lstat(dead); err == nil {
		t.Error("what the dead left is still there")
	}
	w.Close()
	if err := <-result; err != nil {
		t.Error("a living writer was swept:", err)
	}
}

func TestFollow(t *testing.T) {
	t.Parallel()
	s := Open(fastDir(t))
	s.poll = time.Millisecond
	head := fill(t, s, 3)
	ctx, cancel := context.WithTimeout(t.Context(), testutil.Patience)
	defer cancel()
	want := 2
	for e, err := range s.Follow(ctx, "t7", 1) {
		if err != nil || e.Seq != want {
			t.Fatal(e, err)
		}
		switch want++; e.Seq {
		case 3, 5:
			if head, err = s.Append(ctx, "T7", head, "noted", nil); err != nil {
				t.Fatal(err)
			}
		case 4: // Follow waits for a torn entry and does not yield it
			edit(t, s.taskFile("T7"), func(b []byte) []byte { return append(b, "{\"v\":1,\x00"...) })
			head, err = s.Append(ctx, "T7", head, "noted", nil)
			if err != nil {
				t.Fatal(err)
			}
		case 6:
			cancel()
		}
	}
	if want != 7 {
		t.Errorf("followed up to %d", want-1)
	}
}

func TestFollowErrors(t *testing.T) {
	t.Parallel()
	s := Open(fastDir(t))
	s.poll = time.Millisecond
	for _, err := range s.Follow(t.Context(), "T7", 0) {
		wantCode(t, err, belay.CodeNotFound)
	}
	fill(t, s, 3)
	var last error
	for e, err := range s.Follow(t.Context(), "T7", 0) {
		if last = err; e.Seq == 3 {
			edit(t, s.taskFile("T7"), func(b []byte) []byte { return append(b, "{}\n"...) })
		}
	}
	wantCode(t, last, belay.CodeCannot, "line 4")
	s = Open(fastDir(t))
	s.poll = time.Millisecond
	fill(t, s, 3)
	for e, err := range s.Follow(t.Context(), "T7", 0) {
		if last = err; e.Seq == 3 {
			edit(t, s.taskFile("T7"), func(b []byte) []byte { return lines(b)[0] })
		}
	}
	wantCode(t, last, belay.CodeCannot, "was truncated")
}

// TestVerifyTorn: a last line without its end is reported as torn; one that was edited, or an
// earlier one, is not.
func TestVerifyTorn(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		change func([]byte) []byte
		torn   bool
	}{
		"half a line":     {func(b []byte) []byte { return append(b, `{"seq":9,"ty`...) }, true},
		"zeros":           {func(b []byte) []byte { return append(b, make([]byte, 40)...) }, true},
		"no newline":      {func(b []byte) []byte { return b[:len(b)-1] }, true},
		"an edited line":  {func(b []byte) []byte { return bytes.Replace(b, []byte("T7"), []byte("T8"), 1) }, false},
		"a line too many": {func(b []byte) []byte { return append(b, "{}\n"...) }, false},
	} {
		s := Open(fastDir(t))
		fill(t, s, 3)
		edit(t, s.taskFile("T7"), c.change)
		v, err := s.Verify("T7", nil)
		if err != nil || v.OK || (v.Torn != "") != c.torn || c.torn && (len(v.Problems) != 1 || v.Problems[0] != v.Torn) {
			t.Errorf("%s: %+v, %v", name, v, err)
		}
	}
}
