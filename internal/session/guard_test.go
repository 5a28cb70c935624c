package session

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/git"
	"github.com/belay-dev/belay/internal/journal"

	"github.com/belay-dev/belay/internal/loop"
	"github.com/belay-dev/belay/internal/restore"
	"github.com/belay-dev/belay/internal/snapshot"
)

// scene is a task in its first attempt, in a separate repository.
type scene struct {
	*Session
	t    *testing.T
	rec  *Record
	path string // of the record
}

func newScene(t *testing.T) *scene {
	t.Helper()
	base := t.TempDir()
	for key, value := range map[string]string{"HOME": base, "BELAY_STATE_HOME": filepath.Join(base, "state"), "GIT_CONFIG_NOSYSTEM": "1"} {
		t.Setenv(key, value)
	}
	s := &scene{t: t}
	root := filepath.Join(base, "repo")
	run(t, base, "git", "init", "-q", "repo")
	s.must(os.WriteFile(filepath.Join(root, "a.txt"), []byte("one\n"), 0o644))
	s.Session = s.open(root)
	s.path = filepath.Join(s.Repo.Common, "belay", "tasks", "t1.jsonl")
	s.must(s.Create(t.Context(), belay.Task{ID: "T1", Title: "a task", Policy: belay.Policy{Retries: 1}}))
	var err error
	s.rec, err = s.Load("T1")
	s.must(err)
	s.apply(loop.Event{Kind: loop.EvStarted})
	info, err := s.Snaps.Take(t.Context(), snapshot.Meta{Kind: belay.KindBefore, Task: "T1", Command: s.rec.State.Pending.ID, Journal: s.rec.Log.Head.Hash})
	s.must(err)
	s.rec.AddTaken(info)
	s.must(s.AddSecondRefs(t.Context(), s.rec))
	s.apply(loop.Event{Kind: loop.EvSnapshot, Command: s.rec.State.Pending.ID, Snapshot: info.ID})
	if c := s.rec.State.Pending; c == nil || c.Kind != loop.CmdAttempt {
		t.Fatalf("no attempt is under way: %+v", s.rec.State)
	}
	t.Cleanup(s.StartDriving("T1"))
	return s
}

// open returns another belay in the same working tree.
func (s *scene) open(root string) *Session {
	s.t.Helper()
	repo, err := git.Open(s.t.Context(), root, true)
	s.must(err)
	sess := &Session{Repo: repo, Journal: journal.Open(filepath.Join(repo.Common, "belay")), Registry: &snapshot.Registry{}, Memory: NewMemory(),
		Anchors: OpenAnchors(repo.Common, repo.Root)}
	sess.Restores, err = restore.Open(s.t.Context(), repo, snapshot.Options{Registry: sess.Registry})
	s.must(err)
	sess.Snaps = sess.Restores.Snapshots
	return sess
}

func (s *scene) must(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

func (s *scene) apply(e loop.Event) { s.t.Helper(); s.must(s.Apply(s.t.Context(), s.rec, e)) }

func run(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	c := exec.Command(name, args...)
	c.Dir = dir
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %v: %v\n%s", name, args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// forge appends an entry with a valid hash.
func (s *scene) forge(typ, data string) {
	s.t.Helper()
	head := s.rec.Log.Entries[len(s.rec.Log.Entries)-1]
	l := journal.Line{Entry: journal.Entry{Seq: head.Seq + 1, Time: head.Time, Type: typ, Data: []byte(data), Prev: head.Hash}, Task: "T1"}
	text, err := journal.Make(&l)
	s.must(err)
	f, err := os.OpenFile(s.path, os.O_APPEND|os.O_WRONLY, 0)
	s.must(err)
	_, err = f.Write(text)
	s.must(err)
	s.must(f.Close())
}

// TestGuard changes a record in every possible way. Each change is noticed, the record is restored,
// and the attempt is rejected.
func TestGuard(t *testing.T) {
	type change struct {
		name, says string
		do         func(s *scene)
	}
	write := func(text func(lines [][]byte) [][]byte) func(*scene) {
		return func(s *scene) {
			raw, err := os.ReadFile(s.path)
			s.must(err)
			s.must(os.WriteFile(s.path, bytes.Join(text(bytes.SplitAfter(raw, []byte("\n"))), nil), 0o600))
		}
	}
	all := []change{
		{"deleted", "deleted", func(s *scene) { s.must(os.Remove(s.path)) }},
		{"emptied", "deleted", func(s *scene) { s.must(os.WriteFile(s.path, nil, 0o600)) }},
		{"half a line", "was truncated", write(func(l [][]byte) [][]byte { return append(l[:1:1], l[1][:len(l[1])/2]) })},
		{"an entry nobody knows", "unknown kind", func(s *scene) { s.forge("odd", "1") }},
		{"a task", "task was changed", func(s *scene) { s.forge(EntryTask, `{"id":"T1"}`) }},
		{"a snapshot", "names a snapshot", func(s *scene) { s.forge(EntryTaken, `{"command":"x","snapshots":[]}`) }},
		{"a result", "attempted", func(s *scene) { s.forge(EntryEvent, `{"event":{"kind":"attempted"},"state":{}}`) }},
		{"a decision", "decided", func(s *scene) {
			s.forge(EntryEvent, `{"event":{"kind":"decided","gate":1,"decision":"approve"},"state":{}}`)
		}},
		{"rubbish for an event", "cannot be read", func(s *scene) { s.forge(EntryEvent, `[]`) }},
		{"rubbish for a context", "context", func(s *scene) { s.forge(EntryContext, `{"kind":"x"}`) }},
		{"a moved ref", "was moved or deleted", func(s *scene) {
			b := s.rec.Pins()[0]
			tree := run(s.t, s.Repo.Root, "git", "rev-parse", b.Commit+"^{tree}")
			other := run(s.t, s.Repo.Root, "git", "-c", "user.name=x", "-c", "user.email=x@x", "commit-tree", "-m", "x", tree)
			run(s.t, s.Repo.Root, "git", "update-ref", snapshot.RefPrefix+string(b.ID), other)
		}},
		{"deleted refs and gc", "was moved or deleted", func(s *scene) {
			s.must(os.RemoveAll(filepath.Join(s.Repo.Common, "refs", "belay")))
			keeps, _ := filepath.Glob(filepath.Join(s.Repo.Common, "objects", "pack", "*.keep"))
			for _, k := range keeps {
				s.must(os.Remove(k))
			}
			run(s.t, s.Repo.Root, "git", "gc", "-q", "--prune=now")
		}},
	}
	for n := range 3 { // of three entries
		all = append(all,
			change{fmt.Sprint("flipped in ", n), "its record was", write(func(l [][]byte) [][]byte {
				i := bytes.Index(l[n], []byte(`"hash":"`)) + 8
				l[n][i] ^= 1
				return l
			})},
			change{fmt.Sprint("without ", n), "its record was", write(func(l [][]byte) [][]byte { return append(l[:n:n], l[n+1:]...) })})
		if n > 0 {
			all = append(all, change{fmt.Sprint("cut after ", n), fmt.Sprintf("was truncated: 3 entries are known, %d were found", n), write(func(l [][]byte) [][]byte { return l[:n] })})
		}
	}
	for _, c := range all {
		t.Run(c.name, func(t *testing.T) {
			s := newScene(t)
			want, err := os.ReadFile(s.path)
			s.must(err)
			if bad, err := s.Guard(t.Context(), s.rec); err != nil || bad {
				t.Fatalf("nothing happened yet: %v %v", bad, err)
			}
			c.do(s)
			bad, err := s.Guard(t.Context(), s.rec)
			if err != nil || !bad {
				t.Fatalf("%v %v", bad, err)
			}
			got, err := os.ReadFile(s.path)
			s.must(err)
			if !bytes.HasPrefix(got, want) || bytes.Count(got, []byte("\n")) != 4 {
				t.Errorf("the record is\n%s\nand was\n%s", got, want)
			}
			note := s.rec.Notes[len(s.rec.Notes)-1]
			f := s.rec.TamperFinding()
			if note.Kind != TamperedNote || note.Attempt != 1 || !strings.Contains(note.Text, c.says) || f == nil || f.Category != belay.CategoryRecord {
				t.Errorf("it says %+v, %+v", note, f)
			}
			if _, err := s.Snaps.LookUp(t.Context(), s.rec.State.Before); err != nil {
				t.Error(err)
			}
			if bad, err := s.Guard(t.Context(), s.rec); err != nil || bad {
				t.Errorf("it is noticed twice: %v %v", bad, err)
			}
			if _, err := s.open(s.Repo.Root).Load("T1"); err != nil {
				t.Errorf("what is remembered does not fit: %v", err)
			}
		})
	}
}

// TestGoneBefore: snapshots that were pruned before this process started are not tampering, and
// their refs are restored if the objects exist.
func TestGoneBefore(t *testing.T) {
	s := newScene(t)
	id := s.rec.State.Before
	s.must(os.RemoveAll(filepath.Join(s.Repo.Common, "refs", "belay")))
	if bad, err := s.Guard(t.Context(), s.rec); err != nil || bad {
		t.Fatalf("%v %v", bad, err)
	}
	if _, err := s.Snaps.LookUp(t.Context(), id); err != nil {
		t.Error(err)
	}
	s.must(os.RemoveAll(filepath.Join(s.Repo.Common, "refs", "belay")))
	if bad, err := s.Guard(t.Context(), s.rec); err != nil || !bad {
		t.Fatalf("it is not noticed afterwards: %v %v", bad, err)
	}
}

// TestGitFolderIsAway: while the git folder is away nothing is created in its place: entries
// written there would be missing from the record when the folder comes back.
func TestGitFolderIsAway(t *testing.T) {
	s := newScene(t)
	away := s.Repo.Common + ".away"
	n := len(s.rec.Log.Entries)
	s.must(os.Rename(s.Repo.Common, away))
	if bad, err := s.Guard(t.Context(), s.rec); bad || belay.CodeOf(err) != belay.CodeCannot || !strings.Contains(err.Error(), "no longer a git repository") {
		t.Errorf("guard: %v %v", bad, err)
	}
	if err := s.AddNote(t.Context(), s.rec, Note{Text: "a note"}); err == nil {
		t.Error("a note was added")
	}
	if _, err := os.Lstat(s.path); err == nil {
		t.Error("a record was made in its place")
	}
	s.must(os.RemoveAll(s.Repo.Common))
	s.must(os.Rename(away, s.Repo.Common))
	if bad, err := s.Guard(t.Context(), s.rec); bad || err != nil {
		t.Errorf("guard: %v %v", bad, err)
	}
	if fresh, err := s.Load("T1"); err != nil || len(fresh.Log.Entries) != n {
		t.Errorf("the record: %v", err)
	}
}

// TestTamperingIsNeverAPass: not even if it is noticed between the verdict and its entry.
func TestTamperingIsNeverAPass(t *testing.T) {
	s := newScene(t)
	s.apply(loop.Event{Kind: loop.EvAttempted, Command: s.rec.State.Pending.ID, Ended: loop.EndedExit})
	s.apply(loop.Event{Kind: loop.EvCaptured, Command: s.rec.State.Pending.ID, Snapshot: s.rec.State.Before})
	s.must(os.WriteFile(s.path, nil, 0o600))
	s.apply(loop.Event{Kind: loop.EvChecked, Command: s.rec.State.Pending.ID, Verdict: belay.VerdictPass})
	if a := s.rec.State.Attempts[0]; a.Verdict != belay.VerdictFail || a.Then != loop.ThenRollback {
		t.Errorf("%+v", a)
	}
	if log, err := s.Journal.Verify("T1", nil); err != nil || !log.OK {
		t.Errorf("%+v %v", log, err)
	}
}

// TestOthersMayAdd: entries of other belay commands are accepted.
func TestOthersMayAdd(t *testing.T) {
	s := newScene(t)
	other := s.open(s.Repo.Root)
	r, err := other.Load("T1")
	s.must(err)
	s.must(other.AddNote(context.Background(), r, Note{Kind: "hello", Text: "from elsewhere"}))
	if bad, err := s.Guard(t.Context(), s.rec); err != nil || bad {
		t.Fatalf("%v %v", bad, err)
	}
	s.apply(loop.Event{Kind: loop.EvAttempted, Command: s.rec.State.Pending.ID, Ended: loop.EndedExit})
	if len(s.rec.Notes) != 1 || s.rec.TamperFinding() != nil || len(s.rec.Log.Entries) != 5 {
		t.Errorf("%+v", s.rec)
	}
}

// TestCutBetweenRuns cuts a record after each entry while no belay process runs.
func TestCutBetweenRuns(t *testing.T) {
	for n := 1; n < 3; n++ {
		s := newScene(t)
		raw, err := os.ReadFile(s.path)
		s.must(err)
		lines := bytes.SplitAfter(raw, []byte("\n"))
		s.must(os.WriteFile(s.path, bytes.Join(lines[:n], nil), 0o600))
		later := s.open(s.Repo.Root)
		_, err = later.Load("T1")
		if belay.CodeOf(err) != belay.CodeCannot || !strings.Contains(fmt.Sprint(err), fmt.Sprintf("was truncated: 3 entries known, %d found", n)) {
			t.Errorf("%v", err)
		}
		if _, err := later.LoadUnchecked("T1"); err != nil {
			t.Error(err)
		}
		if _, err := later.AcceptRecord(t.Context(), "T1"); err != nil {
			t.Error(err)
		}
		r, err := later.Load("T1")
		if err != nil || len(r.Log.Entries) != n+1 {
			t.Errorf("%v", err)
		}
		if _, err := later.AcceptRecord(t.Context(), "T1"); belay.CodeOf(err) != belay.CodeUsage {
			t.Errorf("%v", err)
		}
	}
}

// BenchmarkAppend measures an entry, and how much of that is its anchor.
func BenchmarkAppend(b *testing.B) {
	for _, anchored := range []bool{false, true} {
		b.Run(fmt.Sprintf("anchored=%v", anchored), func(b *testing.B) {
			dir := b.TempDir()
			b.Setenv("BELAY_STATE_HOME", filepath.Join(dir, "state"))
			s := &Session{Journal: journal.Open(filepath.Join(dir, "belay")), Memory: NewMemory()}
			if err := os.Mkdir(filepath.Join(dir, "git"), 0o700); err != nil {
				b.Fatal(err)
			}
			if anchored {
				s.Anchors = OpenAnchors(filepath.Join(dir, "git"))
			}
			if err := s.Create(b.Context(), belay.Task{ID: "T1"}); err != nil {
				b.Fatal(err)
			}
			for b.Loop() {
				r, err := s.LoadUnchecked("T1")
				if err == nil && len(r.Log.Entries) > 100 {
					b.StopTimer()
					err = os.RemoveAll(filepath.Join(dir, "belay"))
					if err == nil {
						err = s.Create(b.Context(), belay.Task{ID: "T1"})
					}
					b.StartTimer()
					r, _ = s.LoadUnchecked("T1")
				}
				if err == nil {
					err = s.AddNote(b.Context(), r, Note{Kind: "x", Text: "x"})
				}
				if err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
