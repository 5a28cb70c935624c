package testutil

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "write the golden files anew")

// Updating reports whether golden files are being rewritten.
func Updating() bool { return *update }

// JSON compares got, as indented JSON, with a golden file: name with its extension replaced by
// .golden.
func JSON(t testing.TB, name string, got any) {
	t.Helper()
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetIndent("", "  ")
	if err := enc.Encode(got); err != nil {
		t.Fatal(err)
	}
	Text(t, strings.TrimSuffix(name, filepath.Ext(name))+".golden", b.String())
}

// Text compares got with the content of a file.
func Text(t testing.TB, file, got string) {
	t.Helper()
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(want), got); d != "" {
		t.Errorf("%s differs:\n%s", file, d)
	}
}
