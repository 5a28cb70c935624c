package testutil

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

// Sound fails the test when got contradicts itself.
func Sound(t testing.TB, got interface{ Sound() error }) {
	t.Helper()
	if err := got.Sound(); err != nil {
		t.Error(err)
	}
}

// Each reads the files that match glob, which must be no fewer than least, and compares each
// result with its golden file. The result has to be sound, and the same when the file is read
// byte by byte.
func Each[R interface{ Sound() error }](t *testing.T, glob string, least int, read func(file string, r io.Reader) (R, error)) {
	t.Helper()
	files, _ := filepath.Glob(glob)
	if len(files) < least {
		t.Fatalf("only %d files %s", len(files), glob)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			t.Parallel()
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got, err := read(file, bytes.NewReader(data))
			if err != nil {
				t.Fatal(err)
			}
			slow, err := read(file, iotest.OneByteReader(bytes.NewReader(data)))
			if d := cmp.Diff(got, slow, cmp.Exporter(func(reflect.Type) bool { return true })); d != "" || err != nil {
				t.Errorf("the result differs when read byte by byte (%v):\n%s", err, d)
			}
			Sound(t, got)
			JSON(t, file, got)
		})
	}
}

// Pieces runs the cases in the files that match glob, of which there must be count. In a file,
// pieces of source and the results expected of say alternate, separated by lines of four dashes.
// name is the file's name without its extension.
func Pieces(t *testing.T, glob string, count int, say func(name, piece string) string) {
	t.Helper()
	files, _ := filepath.Glob(glob)
	if len(files) != count {
		t.Fatalf("%d files %s, not %d", len(files), glob, count)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		name := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file))
		parts := strings.Split(string(text), "----\n")
		for i := 0; i+1 < len(parts); i += 2 {
			if got := say(name, parts[i]); got != parts[i+1] {
				t.Errorf("%s:\n%s---- got\n%s---- want\n%s", name, parts[i], got, parts[i+1])
			}
		}
	}
}

// Seeds adds the files that match glob to a fuzz test's seeds, at most most bytes of each.
func Seeds(f *testing.F, glob string, most int) {
	f.Helper()
	files, _ := filepath.Glob(glob)
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data[:min(len(data), most)])
	}
}
