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

// Sound tells what cannot be true of what was read.
func Sound(t testing.TB, got interface{ Sound() error }) {
	t.Helper()
	if err := got.Sound(); err != nil {
		t.Error(err)
	}
}

// Each reads every file of the glob, of which there are least or more, and compares
// what it gave with its golden file. Byte by byte a file must read the same, and what
// was read must be sound.
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
				t.Errorf("byte by byte it reads otherwise (%v):\n%s", err, d)
			}
			Sound(t, got)
			JSON(t, file, got)
		})
	}
}

// Pieces reads each file of the glob, of which there are count: pieces of source, each after
// a line of dashes, and below the next such line what say is to give of it. Say is given
// the file's name without its ending.
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

// Seeds gives a fuzz test the files of the glob, at most so many bytes of each.
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
