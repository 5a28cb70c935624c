package restore_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/restore"
	"github.com/belay-dev/belay/internal/testutil"
)

// mutation is a change to a repository between a snapshot and a restore.
type mutation struct {
	name string
	do   func(*sandbox)
	logs bool // it rewrites or expires reflogs, which are not restored then
}

// mutations are tried one by one on every state, each after the restore of the previous one, which
// has to leave the state itself.
var mutations = []mutation{
	{name: "edit", do: func(s *sandbox) {
		s.onFiles(func(i int, p string) {
			if i%3 == 0 {
				s.spoil(p, "edited\n")
			} else {
				s.spoil(p, "")
			}
		})
	}},
	{name: "delete", do: func(s *sandbox) { s.onFiles(func(_ int, p string) { s.Ok(os.Remove(p)) }) }},
	{name: "chmod", do: func(s *sandbox) {
		s.onFiles(func(i int, p string) {
			if st, err := os.Lstat(p); err == nil && st.Mode().IsRegular() {
				s.Ok(os.Chmod(p, st.Mode().Perm()^0o111^[]os.FileMode{0, 0o044, 0o600}[i%3]))
			}
		})
	}},
	{name: "add", do: func(s *sandbox) {
		for _, f := range []string{"made/by/agent", "a.new", "-x", "new\nline"} {
			s.Write(f, "new")
		}
		s.Mkdir("made/empty/too")
		s.Link("made", "made link")
		s.agent("add", "-A")
	}},
	{name: "swap", do: func(s *sandbox) {
		for i, f := range s.Reachable() {
			testutil.Maul(s.Sandbox, i+2, f)
		}
		s.SwapFolder()
	}},
	{name: "stage and unstage", do: func(s *sandbox) {
		s.agent("rm", "-r", "-q", "--cached", ".")
		s.Write("staged now", "x")
		s.agent("add", "staged now")
		s.agent("update-index", "--index-version", "4")
	}},
	{name: "reset --hard", do: func(s *sandbox) { s.agent("reset", "-q", "--hard", "HEAD~"); s.agent("reset", "-q", "--hard") }},
	{name: "stash", do: func(s *sandbox) { s.agent("stash", "push", "-q", "-u"); s.agent("stash", "push", "-q") }},
	{name: "commit", do: func(s *sandbox) {
		s.agent("add", "-A")
		s.agent("commit", "-q", "-m", "agent")
		s.agent("commit", "-q", "--amend", "-m", "agent, amended")
	}},
	{name: "switch branch", do: func(s *sandbox) {
		s.agent("checkout", "-q", "-f", "other")
		s.agent("checkout", "-q", "-f", "-B", "agent/other")
		s.agent("branch", "-q", "-D", "main")
		s.agent("checkout", "-q", "--orphan", "agent/fresh")
	}},
	{name: "abort", do: func(s *sandbox) {
		for _, op := range []string{"merge", "rebase", "cherry-pick", "revert", "am"} {
			s.agent(op, "--abort")
		}
		s.agent("bisect", "reset")
		s.agent("notes", "merge", "--abort")
	}},
	{name: "go on", do: func(s *sandbox) {
		s.agent("add", "-A")
		for _, op := range []string{"merge", "rebase", "cherry-pick", "revert", "am"} {
			s.agent("-c", "core.editor=true", op, "--continue")
		}
		s.agent("bisect", "bad")
	}},
	{name: "hijack", do: func(s *sandbox) { testutil.Plant(s.Sandbox) }},
	{name: "clean -fdx", do: func(s *sandbox) { s.agent("clean", "-q", "-fdx") }},
	{name: "gc --prune=now", logs: true, do: func(s *sandbox) {
		s.agent("branch", "-D", "other")
		s.agent("tag", "-d", "v1", "v2")
		s.agent("stash", "clear")
		s.agent("reset", "-q")
		s.agent("reflog", "expire", "--all", "--expire=now", "--expire-unreachable=now")
		s.agent("gc", "-q", "--prune=now")
		s.agent("pack-refs", "--all", "--prune")
	}},
	{name: "belay's folder deleted", do: func(s *sandbox) {
		s.Ok(os.RemoveAll(filepath.Join(s.GitDir(), "belay")))
		s.Ok(os.RemoveAll(filepath.Join(s.Common(), "belay")))
		s.onFiles(func(_ int, p string) { s.spoil(p, "after it\n") })
	}},
	{name: "belay's files spoiled", do: func(s *sandbox) { s.corrupt(0) }},
	{name: "belay's files cut short", do: func(s *sandbox) { s.corrupt(1) }},
	{name: "belay's files of another time", do: func(s *sandbox) { s.corrupt(2) }},
}

// agent runs git as an agent would, with a name and without hooks, and ignores failures.
func (s *sandbox) agent(args ...string) {
	s.May(append([]string{"-c", "core.hooksPath=/dev/null", "-c", "core.fsmonitor=false", "-c", "commit.gpgSign=false",
		"-c", "user.name=x", "-c", "user.email=x"}, args...)...)
}

func (s *sandbox) onFiles(do func(i int, path string)) {
	s.T.Helper()
	for i, f := range s.Reachable() {
		do(i, s.Path(f))
	}
}

// spoil appends text to a file; without text it changes one byte and keeps size and times, as far
// as a program can.
func (s *sandbox) spoil(path, more string) {
	s.T.Helper()
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return // a broken link, or a link to a folder
	}
	if link, err := os.Lstat(path); err != nil || link.Mode()&os.ModeSymlink != 0 {
		return
	}
	text, err := os.ReadFile(path)
	s.Ok(err)
	if more == "" && len(text) > 0 {
		text[len(text)/2] ^= 1
	}
	s.Ok(os.WriteFile(path, append(text, more...), 0o644))
	if more == "" {
		s.Ok(os.Chtimes(path, info.ModTime(), info.ModTime()))
	}
}

// corrupt damages all of belay's private files, and files of the tree with them: it changes a byte
// in the middle, truncates them, or replaces them by an older version.
func (s *sandbox) corrupt(how int) {
	s.T.Helper()
	own := filepath.Join(s.GitDir(), "belay")
	old := map[string][]byte{}
	s.eachOwn(own, func(p string, text []byte) { old[p] = text })
	s.onFiles(func(_ int, p string) { s.spoil(p, "") })
	if how == 2 {
		s.take()
		s.onFiles(func(_ int, p string) { s.spoil(p, "") })
	}
	s.eachOwn(own, func(p string, text []byte) {
		switch how {
		case 0:
			if len(text) > 0 {
				text = bytes.Clone(text)
				text[len(text)/2] ^= 4
			}
		case 1:
			text = text[:len(text)/2]
		case 2:
			if text = old[p]; text == nil {
				return
			}
		}
		s.Ok(os.WriteFile(p, text, 0o600))
	})
}

func (s *sandbox) eachOwn(own string, do func(path string, text []byte)) {
	s.T.Helper()
	list, err := os.ReadDir(own)
	s.Ok(err)
	for _, d := range list {
		if d.Type().IsRegular() && d.Name() != "intent.json" {
			text, err := os.ReadFile(filepath.Join(own, d.Name()))
			s.Ok(err)
			do(filepath.Join(own, d.Name()), text)
		}
	}
}

// TestFidelityMutations applies common changes to every state and expects the state back after
// each. BELAY_FIDELITY_ALL tries all of them on all states.
func TestFidelityMutations(t *testing.T) {
	t.Parallel()
	var tried, named atomic.Int64
	t.Cleanup(func() {
		t.Logf("%d states under %d mutations: %d restores tried, %d of them refused by name", len(testutil.Repositories), len(mutations)+1, tried.Load(), named.Load())
	})
	for i, c := range testutil.Repositories {
		all := os.Getenv("BELAY_FIDELITY_ALL") != ""
		if !all && i%10 != 3 || !wide() && i%20 != 3 {
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			s, skipped := newState(t, c)
			if skipped != "" {
				t.Skip("SKIPPED, NOT TESTED: " + skipped)
			}
			before := s.Fingerprint()
			id := s.take().ID
			for k, m := range mutations {
				if all || k%9 == i/10%9 {
					s.mutate(m, id, before)
					tried.Add(1)
				}
			}
			s.refsDeleted(id, before)
			tried.Add(2)
			named.Add(1)
			if !c.Ill {
				s.fsck()
			}
		})
	}
}

func (s *sandbox) mutate(m mutation, id belay.SnapshotID, before testutil.State) {
	s.T.Helper()
	m.do(s)
	os.Remove(s.Watched)
	_, err := os.Stat(filepath.Join(s.GitDir(), "belay"))
	held := err == nil
	spoiled := s.Fingerprint()
	out, err := s.store().Restore(context.Background(), id, restore.Options{})
	if belay.CodeOf(err) == belay.CodeCannot {
		// Tracked files became untracked, and they are too large to capture or in a nested
		// repository: belay must not destroy them.
		s.Same(m.name+": a refused restore changed something", spoiled, s.Fingerprint())
		s.agent("reset", "-q")
		s.agent("add", "large", "staged")
		out, err = s.store().Restore(context.Background(), id, restore.Options{})
	}
	if err != nil {
		s.T.Fatalf("%s: %v", m.name, err)
	}
	s.settled()
	now := s.Fingerprint()
	s.forgive(m, before, now, out)
	s.Same(m.name+": the restored state", before, dropNew(without(now, out, before), before))
	if out.Rescue == "" || !held {
		return
	}
	problems, err := s.store().Snapshots.Verify(context.Background())
	if err != nil || len(problems) > 0 {
		s.T.Errorf("%s: incomplete snapshots: %q %v", m.name, problems, err)
	}
}

// forgive removes from both states what docs/safety.md lists as not restored.
func (s *sandbox) forgive(m mutation, before, now testutil.State, out restore.Restored) {
	for k, was := range before {
		switch {
		case strings.HasPrefix(k, "left ") && now[k] == "" && (m.name == "clean -fdx" || m.name == "stash"):
			delete(before, k) // ignored, or too large
		case m.logs && strings.Contains(k, "logs/") && now[k] != was:
			if before[k] = now[k]; now[k] == "" {
				delete(before, k)
			}
		}
	}
	if s.GitDir() == s.Common() {
		return
	}
	for _, k := range out.KeptRefs { // shared by all working trees
		key := "git " + k.Path
		if delete(before, key); now[key] != "" {
			before[key] = now[key]
		}
	}
}

// refsDeleted deletes every ref of belay's: that is reported and changes nothing, and while the
// objects exist git alone can restore a snapshot.
func (s *sandbox) refsDeleted(id belay.SnapshotID, before testutil.State) {
	s.T.Helper()
	ref := "refs/belay/" + string(id)
	oid := s.Git("rev-parse", ref)
	for name := range strings.Lines(s.Git("for-each-ref", "--format=%(refname)", "refs/belay", "refs/used-by-belay")) {
		s.Git("-c", "core.hooksPath=/dev/null", "update-ref", "-d", strings.TrimSpace(name))
	}
	s.onFiles(func(_ int, p string) { s.spoil(p, "refs are gone\n") })
	spoiled := s.Fingerprint()
	_, err := s.store().Restore(context.Background(), id, restore.Options{})
	if belay.CodeOf(err) != belay.CodeNotFound {
		s.T.Errorf("a deleted snapshot: %v", err)
	}
	s.Same("a refused restore changed something", spoiled, s.Fingerprint())
	fresh := s.take() // depends on no earlier snapshot
	problems, err := s.store().Snapshots.Verify(context.Background())
	if err != nil || len(problems) > 0 {
		s.T.Errorf("the next snapshot is incomplete: %q %v", problems, err)
	}
	s.Git("-c", "core.hooksPath=/dev/null", "update-ref", ref, oid)
	out := s.restore(id)
	s.Same("restored from a ref that came back", before, dropNew(without(s.Fingerprint(), out, before), before))
	out = s.restore(fresh.ID)
	s.Same("the next snapshot", spoiled, dropNew(without(s.Fingerprint(), out, spoiled), spoiled))
}
