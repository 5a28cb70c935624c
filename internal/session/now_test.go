package session

import (
	"os"
	"path/filepath"
	"testing"
)

func TestWriteNow(t *testing.T) {
	t.Parallel()
	tree, outside := t.TempDir(), t.TempDir()
	dir := filepath.Join(tree, ".belay", "now")
	write := func(want bool) {
		t.Helper()
		if err := WriteNowFile(tree, "", "task.md", "words"); (err == nil) != want {
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
	if text, err := os.ReadFile(filepath.Join(dir, "task.md")); string(text) != "words" {
		t.Errorf("%q, %v", text, err)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(outside, dir); err != nil {
		t.Fatal(err)
	}
	write(false)
	if names, err := os.ReadDir(outside); err != nil || len(names) > 0 {
		t.Errorf("written through a link: %v, %v", names, err)
	}
}

// TestStart: nothing about the previous task is left; a plan is.
func TestStart(t *testing.T) {
	t.Parallel()
	tree := t.TempDir()
	if err := os.MkdirAll(filepath.Join(tree, ".belay", "now"), 0o755); err != nil {
		t.Fatal(err)
	}
	files := map[string]string{".gitignore": "now/", "now/plan.md": "# Plan", "now/summary.md": "I did it", "now/feedback.md": "mend it", "now/task.md": "old", "now/history.md": "old"}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(tree, ".belay", name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := StartNowFolder(tree, "", "new words", "T1 passed\n"); err != nil {
		t.Fatal(err)
	}
	read := FileReader(tree, 100)
	for name, want := range map[string]string{"plan.md": "# Plan", "summary.md": "", "feedback.md": "", "task.md": "new words", "history.md": "T1 passed\n"} {
		if text, ok := read(".belay/now/" + name); !ok || string(text) != want {
			t.Errorf("%s: %q %v", name, text, ok)
		}
	}
	if _, ok := read("gone"); ok {
		t.Error("a file that is not there was read")
	}
}
