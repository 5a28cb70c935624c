package restore_test

import (
	"context"
	"flag"
	"os"
	"testing"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/git"
	"github.com/belay-dev/belay/internal/restore"
	"github.com/belay-dev/belay/internal/snapshot"
	"github.com/belay-dev/belay/internal/testutil"
)

// TestMain gives every git its own HOME. A process that TestCrash starts runs its step instead of
// the tests.
func TestMain(m *testing.M) {
	if step := os.Getenv("BELAY_TEST_STEP"); step != "" {
		os.Exit(runStep(step))
	}
	home, err := testutil.GitHome()
	if err != nil {
		panic(err)
	}
	stories := os.Getenv("BELAY_PROPERTY")
	if stories == "" {
		stories = "5" // each takes a second or two with the real git
	}
	if err := flag.Set("rapid.checks", stories); err != nil {
		panic(err)
	}
	code := m.Run()
	os.RemoveAll(home)
	os.Exit(code)
}

// wide reports whether tests use the larger samples of `make suites`, as the full suites also do.
func wide() bool { return testutil.Wide() || os.Getenv("BELAY_FIDELITY_ALL") != "" }

// sandbox is a repository in some state, with the package under test.
type sandbox struct{ *testutil.Sandbox }

func newSandbox(t testing.TB, initArgs ...string) *sandbox {
	t.Helper()
	return &sandbox{testutil.NewSandbox(t, initArgs...)}
}

func (s *sandbox) store() *restore.Store {
	return s.storeWith(snapshot.Options{Include: s.Opts.Include, MaxFile: s.Opts.MaxFile})
}

func (s *sandbox) storeWith(o snapshot.Options) *restore.Store {
	s.T.Helper()
	r, err := git.Open(context.Background(), s.Dir, false)
	s.Ok(err)
	st, err := restore.Open(context.Background(), r, o)
	s.Ok(err)
	return st
}

func (s *sandbox) take() snapshot.Info {
	s.T.Helper()
	i, err := s.store().Snapshots.Take(context.Background(), snapshot.Meta{Kind: belay.KindManual, Message: "test"})
	s.Ok(err)
	return i
}

func (s *sandbox) restore(id belay.SnapshotID) restore.Restored {
	s.T.Helper()
	out, err := s.store().Restore(context.Background(), id, restore.Options{})
	s.Ok(err)
	return out
}
