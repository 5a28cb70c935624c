package tasklist

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/belay-dev/belay/internal/fsroot"
)

// TestForget: the leftover of the file before the tick is removed; what somebody saved at that
// moment, and unrelated files, stay.
func TestForget(t *testing.T) {
	t.Parallel()
	root, file := tree(t)
	tmp := filepath.Join(root, "tmp")
	for name, bytes := range map[string]string{
		file: ticked, filepath.Join(tmp, fsroot.SwapPrefix+"before"): text,
		filepath.Join(tmp, fsroot.SwapPrefix+"saved"): strings.Replace(text, "first", "somebody's words", 1),
		filepath.Join(tmp, "other"):                   text,
	} {
		if err := os.WriteFile(name, []byte(bytes), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if lines, err := MarkDone(root, tmp, second); err != nil || len(lines) != 0 {
		t.Errorf("%v %v", lines, err)
	}
	var left []string
	list, err := os.ReadDir(tmp)
	for _, e := range list {
		left = append(left, e.Name())
	}
	if got := strings.Join(left, " "); err != nil || got != fsroot.SwapPrefix+"saved other" {
		t.Errorf("%s %v", got, err)
	}
	is(t, file, ticked)
}
