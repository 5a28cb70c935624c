package journal

import (
	"context"
	"os"
	"testing"
)

// TestReplaceKeepsWhatStoodThere: any file in the place of a record is kept beside it, and the
// record is as it was read.
func TestReplaceKeepsWhatStoodThere(t *testing.T) {
	for name, plant := range map[string]func(path string) error{
		"another record": func(path string) error { return os.WriteFile(path, []byte("{\"v\":1}\n"), 0o600) },
		"a folder":       func(path string) error { return os.Mkdir(path, 0o700) },
		"a link":         func(path string) error { return os.Symlink("/nowhere", path) },
		"nothing":        func(string) error { return nil },
	} {
		t.Run(name, func(t *testing.T) {
			ctx, s := context.Background(), Open(t.TempDir())
			head, err := s.Create(ctx, "T7", "task", 1)
			if err != nil {
				t.Fatal(err)
			}
			log, err := s.Read("T7")
			if err != nil {
				t.Fatal(err)
			}
			want, _ := os.ReadFile(s.taskFile("T7"))
			for n := range 2 { // twice: the first kept file is not overwritten
				if err := os.Remove(s.taskFile("T7")); err != nil {
					t.Fatal(err)
				}
				if err := plant(s.taskFile("T7")); err != nil {
					t.Fatal(err)
				}
				if err := s.Replace(ctx, log); err != nil {
					t.Fatal(err)
				}
				if got, err := os.ReadFile(s.taskFile("T7")); err != nil || string(got) != string(want) {
					t.Fatalf("%v: %s", err, got)
				}
				kept := s.taskFile("T7") + ".changed-" + string(rune('1'+n))
				if _, err := os.Lstat(kept); (err == nil) != (name != "nothing") {
					t.Errorf("%s: %v", kept, err)
				}
			}
			if ids, err := s.Tasks(); err != nil || len(ids) != 1 {
				t.Errorf("%v %v", ids, err)
			}
			if _, err := s.Append(ctx, "T7", head, "event", 2); err != nil {
				t.Error(err)
			}
		})
	}
}
