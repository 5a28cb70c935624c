package restore_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/belay-dev/belay/internal/restore"
)

// TestFidelity builds every state a repository can be in and holds belay to its
// promises in each: a take leaves no trace; restoring what is there writes nothing;
// after a violent agent a restore brings everything back, twice as well as once; undo
// brings the agent's state back; redo the state before.
func TestFidelity(t *testing.T) {
	t.Parallel()
	var ran, exact atomic.Int64
	t.Cleanup(func() {
		t.Logf("%d states: %d exact, %d not", ran.Load(), exact.Load(), ran.Load()-exact.Load())
	})
	for _, c := range repositories {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			ran.Add(1)
			s := newSandbox(t, c.init...)
			c.build(s)
			fidelity(s, c)
			if !t.Failed() {
				exact.Add(1)
				t.Log("exact")
			}
		})
	}
}

func fidelity(s *sandbox, c repository) {
	s.t.Helper()
	before, stamps := s.fingerprint(), s.stamps()
	id := s.take().ID
	s.same("a take changed something", before, s.fingerprint())
	s.same("a take wrote something", stamps, s.stamps())

	out := s.restore(id)
	if out.Rescue != "" || len(out.Written)+len(out.Removed)+len(out.Refs) > 0 || out.Index || out.Head || out.Operation || out.Admin {
		s.t.Errorf("restoring what is there did something: %+v", out)
	}
	s.same("restoring what is there wrote something", stamps, s.stamps())

	agent := c.agent
	if agent == nil {
		agent = violence
	}
	agent(s)
	after := s.fingerprint()
	out = s.restore(id)
	s.settled()
	restored := s.fingerprint()
	s.same("the restored state", before, without(restored, out))
	stamps = s.stamps()
	if again := s.restore(id); again.Rescue != "" {
		s.t.Errorf("restoring twice did something: %+v", again)
	}
	s.same("restoring twice wrote something", stamps, s.stamps())

	ctx := context.Background()
	_, err := s.store().Undo(ctx, restore.Options{})
	s.ok(err)
	s.settled()
	s.same("undo", after, s.fingerprint())
	_, err = s.store().Redo(ctx, restore.Options{})
	s.ok(err)
	s.settled()
	s.same("redo", restored, s.fingerprint())
	if !c.ill {
		s.fsck()
	}
}

// without takes out of a state what a restore said it left: refs made since.
func without(f state, out restore.Restored) state {
	g := state{}
	for k, v := range f {
		g[k] = v
	}
	for _, k := range out.KeptRefs {
		delete(g, "ref "+k.Path)
		delete(g, "git logs/"+k.Path)
	}
	for _, k := range out.Kept {
		delete(g, "file "+k.Path)
	}
	return g
}

// settled checks what holds after every restore: nothing of ours or of git's is left
// lying about, nothing outside was touched, and no program was started.
func (s *sandbox) settled() {
	s.t.Helper()
	err := filepath.WalkDir(s.up, func(p string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel := strings.TrimPrefix(p, s.up+"/")
		for _, bad := range []string{".belay-tmp", ".belay-swap", "index.lock", "HEAD.lock", "tmp_pack", "tmp_obj", "tmp_idx"} {
			if strings.Contains(d.Name(), bad) {
				s.t.Errorf("left behind: %s", rel)
			}
		}
		if strings.Contains(p, "/belay/tmp/") {
			s.t.Errorf("left behind: %s", rel)
		}
		return nil
	})
	s.ok(err)
	if text, err := os.ReadFile(s.up + "/outside/a.txt"); err != nil || string(text) != "sentinel" {
		s.t.Errorf("a file outside of the tree: %q, %v", text, err)
	}
	if _, err := os.Stat(s.watched); err == nil {
		s.t.Error("a program that the repository names was run")
		os.Remove(s.watched)
	}
}

// fsck lets git judge the store, with belay's refs in it.
func (s *sandbox) fsck() {
	s.t.Helper()
	cmd := exec.Command("git", "-c", "core.fsmonitor=false", "fsck", "--full", "--no-dangling", "--no-progress")
	cmd.Dir = s.dir
	if out, err := cmd.CombinedOutput(); err != nil {
		s.t.Errorf("git fsck: %v: %s", err, out)
	}
	if out := s.git("count-objects", "-v"); !strings.Contains(out, "\ngarbage: 0\n") {
		s.t.Errorf("git finds garbage in its store: %s", out)
	}
}
