package golden

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
)

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
			if err := got.Sound(); err != nil {
				t.Error(err)
			}
			JSON(t, file, got)
		})
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
