package syntax

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// git runs git in dir, with nobody's settings.
func git(t testing.TB, dir string, args ...string) []byte {
	t.Helper()
	c := exec.Command("git", args...)
	c.Dir = dir
	c.Env = append(os.Environ(), "HOME="+dir, "XDG_CONFIG_HOME="+dir, "GIT_CONFIG_NOSYSTEM=1")
	var errs bytes.Buffer
	c.Stderr = &errs
	out, err := c.Output()
	if exit, ok := err.(*exec.ExitError); err != nil && !(ok && exit.ExitCode() == 1) { // 1: they differ
		t.Fatalf("git %v: %v\n%s", args, err, errs.String())
	}
	return out
}

// TestRealPatches: what git says of odd names, empty files, links and missing line ends.
func TestRealPatches(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(side, name, text string) {
		path := filepath.Join(dir, side, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	write("a", "same", "1\n2\n")
	write("b", "same", "1\n2\n")
	write("a", "mid", "1\n2\n3\n4\n5\n6\n7\n8\n9\n")
	write("b", "mid", "1\n2\nx\n4\n5\n6\n7\n7a\n7b\n8\n9")
	write("a", "gone", "1\n")
	write("b", "new", "1\n2\n")
	write("b", "empty", "")
	write("b", "ä \"q\"\ttab", "1\n")
	write("b", "with space", "1\n")
	write("a", "signs", "-- a\n")
	write("b", "signs", "++ b\n--- c\n+++ b/other\n@@ -1 +1 @@\n")
	write("a", "binary", "\x00")
	write("b", "binary", "\x00\x01")
	write("b", "long", "short\n"+strings.Repeat("x", 2<<20)+"\nend\n")
	out := git(t, dir, "diff", "--no-index", "--no-renames", "--no-color", "--src-prefix=a/", "--dst-prefix=b/", "a", "b")
	out = bytes.ReplaceAll(out, []byte("b/b/"), []byte("b/")) // --no-index keeps the folders' names
	lines, err := Read(bytes.NewReader(out))
	if err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"same": "", "mid": "3 8 9 11", "gone": "", "new": "1 2", "empty": "", "ä \"q\"\ttab": "1", "with space": "1",
		"signs": "1 2 3 4", "binary": "", "long": "1 2 3", "other": "",
	} {
		var got []string
		for n := range 20 {
			if lines.Has(path, n, n) {
				got = append(got, fmt.Sprint(n))
			}
		}
		if s := strings.Join(got, " "); s != want {
			t.Errorf("%q: %q, want %q", path, s, want)
		}
	}
	if !lines.Has("mid", 1, 3) || !lines.Has("mid", 9, 100) || lines.Has("mid", 4, 7) || lines.Has("mid", 12, 3) {
		t.Error("ranges are wrong")
	}
}

// TestRandom: of any two texts, the lines that are not said to be added are all of the
// old text, in their order.
func TestRandom(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	rapid.Check(t, func(rt *rapid.T) {
		r := rand.New(rand.NewPCG(1, rapid.Uint64().Draw(rt, "seed")))
		text := func() (lines []string) {
			for range r.IntN(30) {
				lines = append(lines, fmt.Sprintf("line %d\n", r.IntN(6)))
			}
			return lines
		}
		a, b := text(), text()
		for name, lines := range map[string][]string{"a": a, "b": b} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(strings.Join(lines, "")), 0o644); err != nil {
				rt.Fatal(err)
			}
		}
		got, err := Read(bytes.NewReader(git(t, dir, "diff", "--no-index", "--no-color", "a", "b")))
		if err != nil {
			rt.Fatal(err)
		}
		at := 0
		for i, line := range b {
			if got.Has("b", i+1, i+1) {
				continue
			}
			for at < len(a) && a[at] != line {
				at++
			}
			if at++; at > len(a) {
				rt.Fatalf("line %d of %q is none of %q", i+1, b, a)
			}
		}
	})
}

func FuzzRead(f *testing.F) {
	f.Add([]byte("diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1,3 @@ f\n 1\n-2\n+3\n+4\n\\ No newline at end of file\n"))
	f.Add([]byte("+++ \"b/\\303\\244\\\"\"\n@@ -0,0 +1 @@\n+1\n"))
	f.Add([]byte("+++ /dev/null\n@@ -1 +0,0 @@\n-1\n"))
	f.Fuzz(func(t *testing.T, data []byte) {
		lines, err := Read(bytes.NewReader(data))
		if err != nil {
			return
		}
		for path, spans := range lines {
			last := -1
			for _, s := range spans {
				if path == "" || s.first > s.last {
					t.Errorf("%q: %v", path, spans)
				}
				last = max(last, s.last)
			}
		}
	})
}
