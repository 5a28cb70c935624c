package restore_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/restore"
	"github.com/belay-dev/belay/internal/snapshot"
	"github.com/belay-dev/belay/internal/testutil"
)

// unpacked makes every object loose.
func (s *sandbox) unpacked() {
	s.T.Helper()
	packs, err := filepath.Glob(s.Path(".git/objects/pack/*.pack"))
	s.Ok(err)
	for _, pack := range packs {
		away := filepath.Join(s.Up, filepath.Base(pack))
		s.Ok(os.Rename(pack, away))
		text, err := os.ReadFile(away)
		s.Ok(err)
		_, err = s.Try(s.Dir, string(text), "unpack-objects", "-q")
		s.Ok(err)
		rest, err := filepath.Glob(strings.TrimSuffix(pack, ".pack") + ".*")
		s.Ok(err)
		for _, one := range rest {
			s.Ok(os.Remove(one))
		}
	}
}

// damage truncates an object.
func (s *sandbox) damage(name string) {
	s.T.Helper()
	oid := strings.TrimSpace(s.Git("rev-parse", name))
	path := s.Path(".git/objects/" + oid[:2] + "/" + oid[2:])
	text, err := os.ReadFile(path)
	s.Ok(err)
	s.Ok(os.Chmod(path, 0o600))
	s.Ok(os.WriteFile(path, text[:len(text)*2/3], 0o600))
}

// TestDamagedCache changes each byte of what one snapshot passes to the next, and cuts it short
// there. No name in it may be used then, and the next snapshot is complete.
func TestDamagedCache(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	s := newSandbox(t)
	s.Write("dir/a", "staged\n")
	s.Git("add", "-A")
	s.take()
	st := s.store().Snapshots
	path := filepath.Join(st.Worktree.Dir, "stored")
	good, err := os.ReadFile(path)
	s.Ok(err)
	refs, err := st.Repo.Refs(ctx, snapshot.RefPrefix)
	s.Ok(err)
	if m := st.Worktree.ReadCache(refs); !m.Valid {
		t.Fatal("an undamaged cache is invalid")
	}
	for i := range good {
		bad := bytes.Clone(good)
		bad[i] ^= 4
		for _, text := range [][]byte{bad, good[:i]} {
			s.Ok(os.WriteFile(path, text, 0o600))
			if m := st.Worktree.ReadCache(refs); m.Valid {
				t.Fatalf("byte %d of %d: a damaged cache is valid: %s", i, len(good), text)
			}
		}
	}
	at := bytes.Index(good, []byte(`"index_tree":"`)) + len(`"index_tree":"`)
	good[at] ^= 4
	s.Ok(os.WriteFile(path, good, 0o600))
	s.Write("dir/a", "changed\n")
	s.take()
	if problems, err := st.Verify(ctx); err != nil || len(problems) > 0 {
		t.Errorf("the next snapshot is incomplete: %q %v", problems, err)
	}
}

// TestDamagedSnapshot damages each part of a snapshot. A restore fails before the first write, and
// on request restores everything else: then only what it reports differs. Undo is exact.
func TestDamagedSnapshot(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	for name, c := range map[string]struct {
		object string // below the snapshot's commit
		named  string
		of     []string // what may differ afterwards
	}{
		"a file":         {":tree/b", "b", []string{"b"}},
		"the index":      {":meta/index/main/000000", ".git/index/main", []string{"index", "staged"}},
		"a file of ours": {":meta/admin/config", ".git/config", []string{"config"}},
		"an operation":   {":meta/state/MERGE_MSG", ".git/MERGE_MSG", []string{"MERGE_MSG"}},
		"the refs":       {":meta/refs", ".git/refs", []string{"ref", "HEAD", "logs", "ORIG_HEAD"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSandbox(t)
			testutil.Conflicted(s.Sandbox)
			s.Write("a", "of the snapshot\n")
			s.Write("b", strings.Repeat("b of the snapshot\n", 100))
			s.Git("config", "user.nickname", strings.Repeat("snapshot ", 20))
			s.Write(".git/MERGE_MSG", strings.Repeat("the message of the snapshot\n", 20))
			i := s.take()
			good := s.Fingerprint()
			s.Write("a", "bad")
			s.Write("b", "bad")
			s.Git("config", "user.nickname", "bad")
			s.Write(".git/MERGE_MSG", "bad\n")
			s.Git("add", "a", "b")
			s.Git("branch", "later")
			s.unpacked()
			s.damage("refs/belay/" + string(i.ID) + c.object)
			bad := s.Fingerprint()
			var broken *restore.BrokenError
			_, err := s.store().Restore(ctx, i.ID, restore.Options{})
			if !errors.As(err, &broken) || len(broken.Paths) != 1 || broken.Paths[0].Path != c.named || belay.CodeOf(err) != belay.CodeCannot {
				t.Fatalf("%v", err)
			}
			s.Same("refused, but", bad, s.Fingerprint())
			out, err := s.store().Restore(ctx, i.ID, restore.Options{SkipBroken: true})
			s.Ok(err)
			if !out.Partial || len(out.Skipped) != 1 || out.Skipped[0].Path != c.named {
				t.Errorf("skipped %+v", out.Skipped)
			}
			s.Same("skipped, but", but(good, c.of), but(s.Fingerprint(), c.of))
			_, err = s.store().Undo(ctx, restore.Options{})
			s.Ok(err)
			s.Same("undone, but", bad, s.Fingerprint())
		})
	}
}

// but removes from a state what may differ, and what git derives from it.
func but(f testutil.State, of []string) testutil.State {
	g := testutil.State{}
	for k, v := range f {
		skip := strings.Contains(k, "status") || strings.Contains(k, "later")
		for _, o := range of {
			skip = skip || k == o || strings.HasSuffix(k, " "+o) || strings.Contains(k, o) && len(o) > 1
		}
		if !skip {
			g[k] = v
		}
	}
	return g
}

// TestImmutable checks that an immutable file is found before the first write, and skipped on
// request.
func TestImmutable(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	s := dirty(t)
	s.Write("fixed", "of the snapshot")
	s.Write("free", "of the snapshot")
	i := s.take()
	s.Write("fixed", "bad")
	s.Write("free", "bad")
	s.Write("added", "new")
	for _, p := range []string{"fixed", "added"} {
		if err := exec.Command("chattr", "+i", s.Path(p)).Run(); err != nil {
			t.Skip("no file can be made immutable here")
		}
		t.Cleanup(func() { _ = exec.Command("chattr", "-i", s.Path(p)).Run() })
	}
	bad := s.Fingerprint()
	_, err := s.store().Restore(ctx, i.ID, restore.Options{})
	var broken *restore.BrokenError
	if !errors.As(err, &broken) || len(broken.Paths) != 2 || broken.Paths[1].Reason != "immutable" {
		t.Fatal(err)
	}
	s.Same("refused, but", bad, s.Fingerprint())
	out, err := s.store().Restore(ctx, i.ID, restore.Options{SkipBroken: true})
	s.Ok(err)
	if text, _ := os.ReadFile(s.Path("free")); string(text) != "of the snapshot" || len(out.Skipped) != 2 {
		t.Errorf("%q, %+v", text, out.Skipped)
	}
	_, err = s.store().Undo(ctx, restore.Options{})
	s.Ok(err)
	s.Same("undone, but", bad, s.Fingerprint())
}

// TestIntentOfNobody makes an intent unreadable although the last restore was recorded as done: it
// belongs to no restore, is set aside and reported, and blocks nothing.
func TestIntentOfNobody(t *testing.T) {
	t.Parallel()
	s := dirty(t)
	i := s.take()
	s.Write("more", "x")
	s.restore(i.ID)
	s.Write(".git/belay/intent.json", "rubbish")
	st := s.store()
	var said []string
	st.Report = func(text string) { said = append(said, text) }
	_, err := st.Snapshots.Take(context.Background(), snapshot.Meta{Kind: belay.KindManual})
	s.Ok(err)
	if st.Interrupted() || len(said) != 1 || !strings.Contains(said[0], "no restore is unfinished") {
		t.Errorf("%t, %q", st.Interrupted(), said)
	}
	out, err := st.Undo(context.Background(), restore.Options{})
	if err != nil || out.Reversed {
		t.Errorf("%+v, %v", out, err)
	}
}
