package watch

import (
	"context"
	"errors"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/belay-dev/belay/internal/git"
	"github.com/belay-dev/belay/internal/snapshot"
)

func TestMain(m *testing.M) {
	if len(os.Args) == 4 && os.Args[1] == "_watch" {
		os.Exit(Main(os.Args[2:], os.Stdout))
	}
	// Only a few random cases by default; use -rapid.checks=1000 for more.
	sample := true
	flag.Parse()
	flag.Visit(func(f *flag.Flag) { sample = sample && f.Name != "rapid.checks" })
	if sample {
		_ = flag.Set("rapid.checks", "25")
	}
	home, err := os.MkdirTemp("", "home-")
	if err != nil {
		panic(err)
	}
	for key, value := range map[string]string{"HOME": home, "XDG_CONFIG_HOME": home, "GIT_CONFIG_NOSYSTEM": "1", "GIT_AUTHOR_NAME": "t",
		"GIT_AUTHOR_EMAIL": "t@example.com", "GIT_COMMITTER_NAME": "t", "GIT_COMMITTER_EMAIL": "t@example.com"} {
		_ = os.Setenv(key, value)
	}
	code := m.Run()
	_ = os.RemoveAll(home)
	os.Exit(code)
}

type fataler interface {
	Helper()
	Fatalf(string, ...any)
}

// box is a repository with four files.
type box struct {
	root  string
	place *snapshot.Worktree // as snapshots and the watch use it
	other *snapshot.Worktree // with another folder for belay's files, so that no cache is shared
}

func newBox(t testing.TB) *box {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	b := &box{root: root}
	b.git(t, "init", "-q", "-b", "main")
	for _, f := range []string{"a/one", "a/b/two", "c/three", "four"} {
		b.write(t, f, f)
	}
	b.git(t, "add", ".")
	b.git(t, "commit", "-qm", "first")
	repo, err := git.Open(context.Background(), root, true)
	if err != nil {
		t.Fatal(err)
	}
	b.place = &snapshot.Worktree{Repo: repo, Dir: filepath.Join(repo.Dir, "belay"), MaxFile: 1 << 20}
	b.other = &snapshot.Worktree{Repo: repo, Dir: filepath.Join(t.TempDir(), "other"), MaxFile: 1 << 20}
	return b
}

func (b *box) path(p string) string { return filepath.Join(b.root, p) }

func (b *box) write(t fataler, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(b.path(path)), 0o755); err != nil {
		t.Fatalf("%v", err)
	}
	if err := os.WriteFile(b.path(path), []byte(text), 0o644); err != nil {
		t.Fatalf("%v", err)
	}
}

func (b *box) git(t fataler, args ...string) {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = b.root
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("git %v: %v: %s", args, err, out)
	}
}

func (b *box) view(t testing.TB) *view {
	t.Helper()
	dir, err := b.place.MakeScratchDir("watch")
	if err != nil {
		t.Fatal(err)
	}
	v, err := newView(context.Background(), b.place, dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(v.close)
	return v
}

// state is the part of a captured tree that the tests compare.
type state struct {
	Tree  string
	Count int
	Man   snapshot.Manifest
}

// plain reads every file, without any cache, and returns the state.
func (b *box) plain(t fataler) state {
	t.Helper()
	_ = os.RemoveAll(b.other.Dir)
	if _, err := b.other.MakeScratchDir(); err != nil {
		t.Fatalf("%v", err)
	}
	c, err := b.other.Capture(context.Background(), snapshot.CaptureOptions{})
	if err != nil {
		t.Fatalf("%v", err)
	}
	man := *c.Manifest
	man.Index, man.AdminModes = snapshot.IndexAttributes{}, nil
	var inner []snapshot.Rule
	for _, r := range man.Rules {
		if !r.Outer {
			inner = append(inner, r)
		}
	}
	man.Rules = inner
	for i := range man.Nested {
		man.Nested[i].Head = ""
	}
	return state{c.FilesTree, c.FileCount, man}
}

// heard returns the state according to the view.
func (v *view) heard() state {
	top := v.tree.Top()
	n, tree := v.book.Files(top)
	return state{tree, n, *v.book.Manifest(top)}
}

// same brings the view up to date and compares it with a scan without a cache. It returns false
// when the view has become unreliable.
func (b *box) same(t fataler, v *view) bool {
	t.Helper()
	ctx := context.Background()
	err := v.checkSurroundings(ctx)
	if err == nil {
		err = v.settle(ctx, true)
	}
	if errors.Is(err, errMoving) {
		t.Fatalf("nothing moves: %v", err)
	}
	if err != nil {
		return false
	}
	got, want := v.heard(), b.plain(t)
	if d := cmp.Diff(canonical(want), canonical(got)); d != "" {
		t.Fatalf("the watch and a scan differ (-scan +watch):\n%s", d)
	}
	return true
}

// canonical encodes the manifest, which makes nil and empty lists equal.
func canonical(s state) []any { return []any{s.Tree, s.Count, string(s.Man.Encode())} }
