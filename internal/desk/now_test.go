package desk

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/belay-dev/belay/internal/git"
)

func TestWriteNow(t *testing.T) {
	t.Parallel()
	tree, outside := t.TempDir(), t.TempDir()
	d := &Desk{Repo: &git.Repo{Root: tree}}
	now := filepath.Join(tree, ".belay", "now")
	write := func(want bool) {
		t.Helper()
		if err := d.WriteNow("task.md", "words"); (err == nil) != want {
			t.Errorf("written: %v", err)
		}
	}
	write(true)
	if _, err := os.Lstat(filepath.Join(tree, ".belay")); err == nil {
		t.Error("written where .belay/.gitignore does not hide it")
	}
	if err := os.Mkdir(filepath.Join(tree, ".belay"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(tree, ".belay", ".gitignore"), []byte("now/\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	write(true)
	if text, err := os.ReadFile(filepath.Join(now, "task.md")); string(text) != "words" {
		t.Errorf("%q, %v", text, err)
	}
	if err := os.RemoveAll(now); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, now); err != nil {
		t.Fatal(err)
	}
	write(false)
	if names, err := os.ReadDir(outside); err != nil || len(names) > 0 {
		t.Errorf("written through a link: %v, %v", names, err)
	}
}
