package session

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/belay-dev/belay/internal/snapshot"
)

func open(t *testing.T) (*AnchorStore, string) {
	t.Helper()
	base := t.TempDir()
	t.Setenv("BELAY_STATE_HOME", filepath.Join(base, "state"))
	repo := filepath.Join(base, "repo", ".git")
	if err := os.MkdirAll(repo, 0o755); err != nil {
		t.Fatal(err)
	}
	return OpenAnchors(repo, filepath.Dir(repo)), repo
}

func TestWriteAndRead(t *testing.T) {
	s, repo := open(t)
	if _, known := s.Read("T1"); known {
		t.Fatal("something is known of nothing")
	}
	if _, err := os.Stat(filepath.Dir(filepath.Dir(s.Location()))); err == nil {
		t.Fatal("reading made a folder")
	}
	want := Anchor{Task: "T1", Open: true, Seq: 3, Hash: "abc", Before: &snapshot.Pin{ID: "01", Commit: "c", Tree: "t"}}
	for range 2 { // with and without the folder
		if err := s.Write(want); err != nil {
			t.Fatal(err)
		}
	}
	got, known := OpenAnchors(repo).Read("t1") // case is ignored
	if !known || got.Seq != 3 || got.Hash != "abc" || !got.Open || got.Before == nil || *got.Before != *want.Before || got.Repo != repo {
		t.Fatalf("%+v %v", got, known)
	}
	info, err := os.Stat(s.path("T1"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info.Mode(), err)
	}
	if err := os.WriteFile(filepath.Join(s.dir, tempPrefix+"x"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	old := time.Now().Add(-2 * time.Hour)
	if err := os.Chtimes(filepath.Join(s.dir, tempPrefix+"x"), old, old); err != nil {
		t.Fatal(err)
	}
	if all, err := s.List(); err != nil || len(all) != 1 || all[0].Task != "T1" {
		t.Errorf("%+v %v", all, err)
	}
	if left, _ := os.ReadDir(s.dir); len(left) != 1 {
		t.Errorf("what a kill left is still there: %v", left)
	}
	if err := s.Forget("T1"); err != nil {
		t.Fatal(err)
	}
	if _, known := s.Read("T1"); known || s.Forget("T1") != nil {
		t.Error("it is not forgotten")
	}
}

// TestSpoiled: an anchor that a power cut damaged, or of another version, is ignored.
func TestSpoiled(t *testing.T) {
	s, _ := open(t)
	if err := s.Write(Anchor{Task: "T1", Seq: 1, Hash: "abc"}); err != nil {
		t.Fatal(err)
	}
	whole, _ := os.ReadFile(s.path("T1"))
	for n := range whole[:len(whole)-1] {
		if err := os.WriteFile(s.path("T1"), whole[:n], 0o600); err != nil {
			t.Fatal(err)
		}
		if st, known := s.Read("T1"); known {
			t.Fatalf("%d bytes are %+v", n, st)
		}
	}
	for _, text := range []string{strings.Replace(string(whole), `"v":1`, `"v":2`, 1), strings.Replace(string(whole), `"T1"`, `"T2"`, 1)} {
		if err := os.WriteFile(s.path("T1"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if st, known := s.Read("T1"); known {
			t.Fatalf("%s is %+v", text, st)
		}
	}
}

// TestTornEnd: after a torn last line the previous anchor counts.
func TestTornEnd(t *testing.T) {
	s, _ := open(t)
	for n := 1; n <= 2; n++ {
		if err := s.Write(Anchor{Task: "T1", Seq: n, Hash: strings.Repeat("a", n)}); err != nil {
			t.Fatal(err)
		}
	}
	whole, _ := os.ReadFile(s.path("T1"))
	first := strings.IndexByte(string(whole), '\n') + 1
	for n := first; n < len(whole); n++ {
		for _, rest := range []int{0, len(whole) - n} {
			if err := os.WriteFile(s.path("T1"), append(whole[:n:n], make([]byte, rest)...), 0o600); err != nil {
				t.Fatal(err)
			}
			if st, known := s.Read("T1"); !known || st.Seq != 1 {
				t.Fatalf("%d of %d bytes are %+v", n, len(whole), st)
			}
		}
	}
}

// TestGrown: a file that has grown is rewritten, and the last line counts, even with a smaller
// number.
func TestGrown(t *testing.T) {
	s, _ := open(t)
	for n := range 1000 {
		if err := s.Write(Anchor{Task: "T1", Seq: 1000 - n, Hash: strings.Repeat("a", 64)}); err != nil {
			t.Fatal(err)
		}
		if st, known := s.Read("T1"); !known || st.Seq != 1000-n {
			t.Fatalf("%+v after %d", st, 1000-n)
		}
	}
	if info, err := os.Stat(s.path("T1")); err != nil || info.Size() > 2*rewriteSize || info.Mode().Perm() != 0o600 {
		t.Errorf("%v %v", info, err)
	}
}

// TestIdentity: another repository at the same path is different, and so is one that was moved.
func TestIdentity(t *testing.T) {
	s, repo := open(t)
	if err := s.Write(Anchor{Task: "T1", Seq: 1, Hash: "abc"}); err != nil {
		t.Fatal(err)
	}
	moved := filepath.Join(filepath.Dir(repo), "moved")
	if err := os.Rename(repo, moved); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(repo, 0o755); err != nil { // while the first one exists its inode number cannot be reused
		t.Fatal(err)
	}
	for _, at := range []string{repo, moved} {
		if _, known := OpenAnchors(at).Read("T1"); known {
			t.Errorf("%s is taken for the repository", at)
		}
	}
}

func TestNowhere(t *testing.T) {
	base := t.TempDir()
	for name, env := range map[string][3]string{
		"no home":          {"", "", ""},
		"a home not there": {"", "", filepath.Join(base, "none")},
		"in the tree":      {filepath.Join(base, "repo", "state"), "", base},
		"relative":         {"state", "state", ""},
	} {
		t.Run(name, func(t *testing.T) {
			for i, key := range []string{"BELAY_STATE_HOME", "XDG_STATE_HOME", "HOME"} {
				t.Setenv(key, env[i])
			}
			if err := os.MkdirAll(filepath.Join(base, "repo", ".git"), 0o755); err != nil {
				t.Fatal(err)
			}
			s := OpenAnchors(filepath.Join(base, "repo", ".git"), filepath.Join(base, "repo"))
			if s.Problem() == nil || s.Write(Anchor{Task: "T1", Seq: 1}) == nil {
				t.Errorf("it is remembered in %s", s.Location())
			}
			if _, known := s.Read("T1"); known || s.Forget("T1") != nil {
				t.Error("something is known")
			}
			if all, err := s.List(); err != nil || len(all) > 0 {
				t.Errorf("%v %v", all, err)
			}
		})
	}
}

func BenchmarkWrite(b *testing.B) {
	base := b.TempDir()
	b.Setenv("BELAY_STATE_HOME", filepath.Join(base, "state"))
	s := OpenAnchors(base)
	s.dir, s.err = filepath.Join(base, "state"), nil
	for n := 1; b.Loop(); n++ {
		if err := s.Write(Anchor{Task: "T1", Seq: n, Hash: strings.Repeat("a", 64)}); err != nil {
			b.Fatal(err)
		}
	}
}
