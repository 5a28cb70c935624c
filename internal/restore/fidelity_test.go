package restore_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/belay-dev/belay/internal/restore"
	"github.com/belay-dev/belay/internal/snapshot"
	"github.com/belay-dev/belay/internal/testutil"
)

// TestFidelity checks the promises in every kind of repository state: a snapshot leaves no trace;
// restoring the current state writes nothing; after a destructive agent a restore restores
// everything, and a second one changes nothing; undo restores the agent's state; redo reverts that.
// Every fourth state is tested, every second with BELAY_WIDE, all of them with BELAY_FIDELITY_ALL.
func TestFidelity(t *testing.T) {
	t.Parallel()
	r := &results{}
	t.Cleanup(func() { r.print(t) })
	for i, c := range testutil.Repositories {
		if os.Getenv("BELAY_FIDELITY_ALL") == "" && i%2 == 1 || !wide() && i%4 != 0 {
			continue
		}
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			s, skipped := newState(t, c)
			if skipped != "" {
				r.add(c.Name, "not tested: "+skipped)
				t.Skip("SKIPPED, NOT TESTED: " + skipped)
			}
			said := "LOST"
			defer func() { r.add(c.Name, said) }()
			reports := fidelity(s, c)
			if !t.Failed() {
				said = strings.Join(append([]string{"exact"}, reports...), "; ")
			}
		})
	}
}

// newState creates a state, or returns the reason why it cannot be created here.
func newState(t testing.TB, c testutil.Repository) (*sandbox, string) {
	t.Helper()
	s, skipped := c.Make(t)
	return &sandbox{s}, skipped
}

// results are the outcomes per state, for a table at the end.
type results struct {
	mu   sync.Mutex
	rows [][2]string
}

func (r *results) add(name, said string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.rows = append(r.rows, [2]string{name, said})
}

func (r *results) print(t *testing.T) {
	order := map[string]int{}
	for i, c := range testutil.Repositories {
		order[c.Name] = i
	}
	slices.SortFunc(r.rows, func(a, b [2]string) int { return order[a[0]] - order[b[0]] })
	exact, lost, skipped := 0, 0, 0
	var b strings.Builder
	for _, row := range r.rows {
		fmt.Fprintf(&b, "  %-46s %s\n", row[0], row[1])
		switch {
		case row[1] == "LOST":
			lost++
		case strings.HasPrefix(row[1], "not tested"):
			skipped++
		default:
			exact++
		}
	}
	t.Logf("\n%s%d states: %d exact, but for what is named; %d not tested; %d LOST", b.String(), len(r.rows), exact, skipped, lost)
}

// fidelity returns what the commands reported as not restored.
func fidelity(s *sandbox, c testutil.Repository) (reports []string) {
	s.T.Helper()
	before, stamps := s.Fingerprint(), s.Stamps()
	i := s.take()
	id := i.ID
	s.Same("a take changed something", before, s.Fingerprint())
	s.Same("a take wrote something", stamps, s.Stamps())

	out := s.restore(id)
	if out.Rescue != "" || len(out.Written)+len(out.Removed)+len(out.Refs) > 0 || out.Index || out.Head || out.Operation || out.Admin {
		s.T.Errorf("restoring what is there did something: %+v", out)
	}
	s.Same("restoring what is there wrote something", stamps, s.Stamps())

	agent := c.Agent
	if agent == nil {
		agent = testutil.Violence
	}
	agent(s.Sandbox)
	after := s.Fingerprint()
	out = s.restore(id)
	s.settled()
	restored := s.Fingerprint()
	s.Same("the restored state", before, without(restored, out, before))
	stamps = s.Stamps()
	if again := s.restore(id); again.Rescue != "" {
		s.T.Errorf("restoring twice did something: %+v", again)
	}
	s.Same("restoring twice wrote something", stamps, s.Stamps())

	ctx := context.Background()
	_, err := s.store().Undo(ctx, restore.Options{})
	s.Ok(err)
	s.settled()
	s.Same("undo", after, s.Fingerprint())
	_, err = s.store().Redo(ctx, restore.Options{})
	s.Ok(err)
	s.settled()
	s.Same("redo", restored, s.Fingerprint())
	if !c.Ill {
		s.fsck()
	}
	return s.reported(c, i, out)
}

// reported checks that everything that cannot be restored is reported, and returns those reports.
func (s *sandbox) reported(c testutil.Repository, i snapshot.Info, out restore.Restored) (all []string) {
	s.T.Helper()
	named := slices.Clone(i.Nested)
	for _, g := range i.Gaps {
		named = append(named, g.Path)
	}
	for _, k := range slices.Concat(out.Kept, out.KeptRefs) {
		named = append(named, k.Path)
	}
	for _, want := range c.Reports {
		if !slices.ContainsFunc(named, func(n string) bool { return strings.HasPrefix(n, want) }) {
			s.T.Errorf("%s is neither restored nor reported: %q", want, named)
		}
	}
	if n := len(i.Gaps); n > 0 {
		all = append(all, fmt.Sprintf("reported %d not captured (%s)", n, i.Gaps[0].Reason))
	}
	if n := len(i.Nested); n > 0 {
		all = append(all, fmt.Sprintf("reported %d repository of its own", n))
	}
	for _, k := range out.KeptRefs {
		if strings.HasPrefix(k.Path, "refs/remotes/") {
			all = append(all, "reported "+k.Path)
		}
	}
	if len(s.Left) > len(i.Nested)+len(i.Gaps) {
		all = append(all, "ignored files left alone")
	}
	return all
}

// without removes from a state what a restore reported as kept: new refs. A kept ref of a remote
// gets its earlier value.
func without(f testutil.State, out restore.Restored, before testutil.State) testutil.State {
	g := testutil.State{}
	for k, v := range f {
		g[k] = v
	}
	for _, k := range out.KeptRefs {
		for _, key := range []string{"ref " + k.Path, "git logs/" + k.Path} {
			delete(g, key)
			if was, had := before[key]; had && strings.HasPrefix(k.Path, "refs/remotes/") {
				g[key] = was
			}
		}
	}
	for _, k := range out.Kept {
		delete(g, "file "+k.Path)
	}
	for k, was := range before {
		if strings.HasPrefix(k, "git logs/refs/remotes/") {
			g[k] = was // docs/safety.md: reflogs of remote branches are not restored
		}
	}
	return g
}

// settled checks what is true after every restore: no temporary file of belay's or git's remains,
// nothing outside was touched, and no program was started.
func (s *sandbox) settled() {
	s.T.Helper()
	err := testutil.WalkShallow(s.Up, func(p string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel := strings.TrimPrefix(p, s.Up+"/")
		for _, bad := range []string{".belay-tmp", ".belay-swap", "index.lock", "HEAD.lock", "tmp_pack", "tmp_obj", "tmp_idx"} {
			if strings.Contains(d.Name(), bad) {
				s.T.Errorf("left behind: %s", rel)
			}
		}
		if strings.Contains(p, "/belay/tmp/") {
			s.T.Errorf("left behind: %s", rel)
		}
		return nil
	})
	s.Ok(err)
	if text, err := os.ReadFile(s.Up + "/outside/a.txt"); err != nil || string(text) != "sentinel" {
		s.T.Errorf("a file outside of the tree: %q, %v", text, err)
	}
	if _, err := os.Stat(s.Watched); err == nil {
		s.T.Error("a program that the repository names was run")
		os.Remove(s.Watched)
	}
}

// fsck runs git fsck on the store, including belay's refs.
func (s *sandbox) fsck() {
	s.T.Helper()
	cmd := exec.Command("git", "-c", "core.fsmonitor=false", "fsck", "--full", "--no-dangling", "--no-progress")
	cmd.Dir = s.Dir
	if out, err := cmd.CombinedOutput(); err != nil {
		s.T.Errorf("git fsck: %v: %s", err, out)
	}
	// git counts per-worktree refs of a linked working tree, such as a bisect's, as garbage.
	if out := s.Git("count-objects", "-v"); s.GitDir() == s.Common() && !strings.Contains(out, "\ngarbage: 0\n") {
		s.T.Errorf("git finds garbage in its store: %s", out)
	}
}
