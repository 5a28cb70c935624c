package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"testing"
	"time"
)

// TestPacked checks that an archive does not depend on the order of its files or on this machine.
func TestPacked(t *testing.T) {
	at := time.Unix(1_790_000_000, 0).UTC()
	a, b := file{"belay", 0o755, []byte("program")}, file{"man/man1/belay.1", 0o644, []byte("page")}
	one, err := packed("belay_1.0_linux_amd64", at, []file{a, b})
	if err != nil {
		t.Fatal(err)
	}
	two, err := packed("belay_1.0_linux_amd64", at, []file{b, a})
	if err != nil || !bytes.Equal(one, two) {
		t.Errorf("the order of the files changes the archive: %v", err)
	}
	z, err := gzip.NewReader(bytes.NewReader(one))
	if err != nil {
		t.Fatal(err)
	}
	if !z.ModTime.IsZero() || z.Name != "" {
		t.Errorf("the compression has a time or a name: %+v", z.Header)
	}
	var got []string
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		if h.Uid != 0 || h.Gid != 0 || h.Uname != "" || !h.ModTime.Equal(at) {
			t.Errorf("%+v", h)
		}
		text, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, h.FileInfo().Mode().String()+" "+h.Name+" "+string(text))
	}
	if len(got) != 2 || got[0] != "-rwxr-xr-x belay_1.0_linux_amd64/belay program" ||
		got[1] != "-rw-r--r-- belay_1.0_linux_amd64/man/man1/belay.1 page" {
		t.Errorf("%q", got)
	}
}
