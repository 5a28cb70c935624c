package git

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
)

func ruled(t *testing.T) (sandbox, map[string]bool) {
	s := newSandbox(t)
	s.write(".gitignore", "*.log\n!keep.log\nbuild/\n/top\n\\!bang\nsp\\ ace\n")
	s.write("sub/.gitignore", "!*.log\nsecret*\n")
	s.write("self/.gitignore", "*\n!keep\n")
	s.write(".git/info/exclude", "private\n")
	s.write("tracked.log", "t")
	s.git("add", "-f", "tracked.log")
	for _, p := range []string{"build/x", "sub/build", "self/keep", "self/other", "deep/top", "top"} {
		s.write(p, p)
	}
	return s, map[string]bool{
		"a.log": true, "keep.log": false, "deep/er/b.log": true, "sub/c.log": false, "sub/secret1": true,
		"build/": true, "build/x": true, "sub/build": false, "top": true, "deep/top": false, "private": true,
		"!bang": true, "sp ace": true, "tracked.log": true, "line\n.log": true, "\xff.log": true, "\xff": false,
		"self/": false, "self/keep": false, "self/other": true, "-n": false, ":(top)a.log": true, "*.txt": false,
	}
}

func TestIgnorer(t *testing.T) {
	t.Parallel()
	s, want := ruled(t)
	g := s.open().Ignorer(context.Background())
	defer g.Close()
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			for range 20 {
				var paths []string
				for p := range want { // another order each time
					paths = append(paths, p)
				}
				got, err := g.Ask(context.Background(), paths)
				if err != nil || len(got) != len(paths) {
					t.Errorf("%d answers, %v", len(got), err)
					return
				}
				for i, p := range paths {
					if got[i] != want[p] {
						t.Errorf("%q: ignored is %v", p, got[i])
					}
				}
			}
		})
	}
	all.Wait()
	if got, err := g.Ask(context.Background(), nil); err != nil || len(got) != 0 {
		t.Errorf("no question: %v %v", got, err)
	}
}

// TestIgnorerManyPaths asks about more paths at once than the pipes can buffer.
func TestIgnorerManyPaths(t *testing.T) {
	t.Parallel()
	s, _ := ruled(t)
	g := s.open().Ignorer(context.Background())
	defer g.Close()
	var paths []string
	for i := range 20000 {
		paths = append(paths, strings.Repeat("d/", i%7)+"name"+strings.Repeat("x", i%50)+[]string{".log", ".txt"}[i%2])
	}
	got, err := g.Ask(context.Background(), paths)
	if err != nil {
		t.Fatal(err)
	}
	for i := range paths {
		if got[i] != (i%2 == 0) {
			t.Fatalf("%q: ignored is %v", paths[i], got[i])
		}
	}
}

// TestIgnorerDies checks that a process that dies is never read as "not ignored".
func TestIgnorerDies(t *testing.T) {
	t.Parallel()
	s, _ := ruled(t)
	ctx, cancel := context.WithCancel(context.Background())
	cmd := s.open().checkIgnore(ctx, nil)
	g := NewIgnorer(func(GitDirAndTree, io.Writer) Process { return cmd })
	defer g.Close()
	if got, err := g.Ask(ctx, []string{"a.log"}); err != nil || !got[0] {
		t.Fatal(got, err)
	}
	if err := syscall.Kill(cmd.Process.Pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if got, err := g.Ask(ctx, []string{"a.log", "b"}); err == nil {
			t.Errorf("answered %v after its process died", got)
		}
	}
	cancel()
	if got, err := s.open().Ignorer(ctx).Ask(ctx, []string{"a.log"}); err == nil {
		t.Errorf("answered %v after the context ended", got)
	}
}

func TestIgnorerInAnotherFolder(t *testing.T) {
	t.Parallel()
	s, _ := ruled(t)
	then := newSandbox(t)
	then.write(".gitignore", "*.then\n")
	excludes := then.dir + "-excludes"
	if err := os.WriteFile(excludes, []byte("*.global\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	g := s.open().Ignorer(context.Background(), "core.excludesFile="+excludes).In(then.dir+"/.git", then.dir)
	defer g.Close()
	got, err := g.Ask(context.Background(), []string{"a.log", "a.then", "x/a.then", "a.global", "private"})
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range []bool{false, true, true, true, false} {
		if got[i] != want {
			t.Errorf("question %d: ignored is %v", i, got[i])
		}
	}
}

// TestIgnorerAgreesWithGit compares with git check-ignore for each single path.
func TestIgnorerAgreesWithGit(t *testing.T) {
	t.Parallel()
	s, want := ruled(t)
	for p, ignored := range want {
		cmd := exec.Command("git", "check-ignore", "--no-index", "--stdin", "-z")
		cmd.Dir, cmd.Stdin = s.dir, bytes.NewReader([]byte("./"+strings.TrimSuffix(p, "/")+"\x00"))
		out, _ := cmd.Output() // exits with 1 when nothing is ignored
		if (len(out) > 0) != ignored {
			t.Errorf("%q: git prints %q, the table expects %v", p, out, ignored)
		}
	}
}
