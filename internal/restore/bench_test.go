package restore_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/git"
	"github.com/belay-dev/belay/internal/restore"
	"github.com/belay-dev/belay/internal/snapshot"
)

// BenchmarkTake takes snapshots of an unchanged tree, and runs `git status` on the same tree.
// BELAY_BENCH_REPO names a repository to use instead of a generated one of 10,000 files.
func BenchmarkTake(b *testing.B) {
	dir := os.Getenv("BELAY_BENCH_REPO")
	if dir == "" {
		dir = generated(b, 10000)
	}
	repo, err := git.Open(context.Background(), dir, false)
	if err != nil {
		b.Fatal(err)
	}
	store, err := restore.Open(context.Background(), repo, snapshot.Options{})
	if err != nil {
		b.Fatal(err)
	}
	take := func(b *testing.B) {
		if _, err := store.Snapshots.Take(context.Background(), snapshot.Meta{Kind: belay.KindManual}); err != nil {
			b.Fatal(err)
		}
	}
	take(b)
	b.Run("take", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			take(b)
		}
	})
	b.Run("status", func(b *testing.B) {
		for b.Loop() {
			cmd := exec.Command("git", "--no-optional-locks", "-C", dir, "status", "--porcelain")
			if out, err := cmd.CombinedOutput(); err != nil {
				b.Fatalf("%v: %s", err, out)
			}
		}
	})
}

func generated(b *testing.B, n int) string {
	b.Helper()
	dir := b.TempDir()
	for i := range n {
		path := filepath.Join(dir, fmt.Sprintf("d%d/e%d/f%d", i/10000, i/100%100, i))
		if i%100 == 0 {
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				b.Fatal(err)
			}
		}
		if err := os.WriteFile(path, fmt.Appendf(nil, "file %d\n", i), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "."}, {"-c", "gc.auto=0", "-c", "user.name=b", "-c", "user.email=b@example.com", "commit", "-qm", "x"}} {
		if out, err := exec.Command("git", append([]string{"-C", dir}, args...)...).CombinedOutput(); err != nil {
			b.Fatalf("%v: %s", err, out)
		}
	}
	return dir
}
