package agent

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestStoreProperty: for any writes, the start and the end can be read, the count is exact, the
// disk space is bounded, and a reader gets every byte or the number of bytes that it missed.
func TestStoreProperty(t *testing.T) {
	t.Parallel()
	base := t.TempDir()
	n := 0
	rapid.Check(t, func(t *rapid.T) {
		n++
		dir := filepath.Join(base, strconv.Itoa(n))
		seg := rapid.Int64Range(1, 16).Draw(t, "segment")
		head, tail := rapid.Int64Range(1, 40).Draw(t, "head"), rapid.Int64Range(1, 40).Draw(t, "tail")
		s, err := newStore(dir, head, tail, seg)
		if err != nil {
			t.Fatal(err)
		}
		var all []byte
		var live bytes.Buffer
		f := newFollower(dir, seg)
		for range rapid.IntRange(0, 12).Draw(t, "writes") {
			p := make([]byte, rapid.IntRange(0, 60).Draw(t, "bytes"))
			for i := range p {
				p[i] = 'a' + byte((len(all)+i)%26)
			}
			all = append(all, p...)
			if n, err := s.Write(p); n != len(p) || err != nil {
				t.Fatal(n, err)
			}
			if rapid.Bool().Draw(t, "look") {
				if err := f.copyNew(&live); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := f.copyNew(&live); err != nil {
			t.Fatal(err)
		}
		f.close()
		size, err := s.finish()
		if err != nil {
			t.Fatal(err)
		}
		checkKept(t, dir, all, size, head, tail, seg)
		checkLive(t, live.String(), string(all))
	})
}

func checkKept(t *rapid.T, dir string, all []byte, size Size, head, tail, seg int64) {
	total := int64(len(all))
	want := string(all)
	if total > head+tail {
		want = fmt.Sprintf("%s\n… %d bytes cut …\n%s", all[:head], total-head-tail, all[total-tail:])
	}
	var out bytes.Buffer
	got, err := copyOutput(&out, dir, head, tail, seg)
	if err != nil || out.String() != want || got != size || size.Bytes != total || size.Cut != max(0, total-head-tail) {
		t.Fatalf("%v %+v %+v\n got %q\nwant %q", err, got, size, out.String(), want)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if most := segmentCount(head, seg) + segmentCount(tail, seg) + 2; int64(len(entries)) > most {
		t.Fatalf("%d segments, at most %d", len(entries), most)
	}
}

var missed = regexp.MustCompile(`\n\[(\d+) bytes not shown\]\n`)

// checkLive fills in the missed bytes: the letters are consecutive, so the gap follows from its
// neighbours.
func checkLive(t *rapid.T, live, all string) {
	var b strings.Builder
	for {
		m := missed.FindStringSubmatchIndex(live)
		if m == nil {
			break
		}
		b.WriteString(live[:m[0]])
		gap, _ := strconv.Atoi(live[m[2]:m[3]])
		if b.Len()+gap > len(all) {
			t.Fatalf("missed more than there was")
		}
		b.WriteString(all[b.Len() : b.Len()+gap])
		live = live[m[1]:]
	}
	if b.WriteString(live); b.String() != all {
		t.Fatalf("live\n got %q\nwant %q", b.String(), all)
	}
}

func TestStoreFaults(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "out")
	s, err := newStore(dir, 4, 4, 4)
	if err != nil {
		t.Fatal(err)
	}
	_, _ = s.Write([]byte("abcd"))
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		if n, err := s.Write([]byte("efghij")); n != 6 || err != nil {
			t.Errorf("a store must take everything: %d %v", n, err)
		}
	}
	if size, err := s.finish(); size != (Size{Bytes: 22, Cut: 18}) || err == nil {
		t.Errorf("%+v %v", size, err)
	}
	if size, err := copyOutput(io.Discard, dir, 4, 4, 4); size != (Size{}) || err != nil {
		t.Errorf("nothing is kept: %+v %v", size, err)
	}
}

// TestOutputStrangers: files that are not segments are ignored, a missing segment is an error and
// never a silent gap.
func TestOutputStrangers(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for name, text := range map[string]string{"000000": "abcd", "000001": "efgh", "1": "x", "x": "x", "-00001": "x", "0000002": "x"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	var out bytes.Buffer
	if size, err := copyOutput(&out, dir, 100, 100, 4); err != nil || out.String() != "abcdefgh" || size.Bytes != 8 {
		t.Errorf("%q %+v %v", out.String(), size, err)
	}
	if err := os.Remove(filepath.Join(dir, "000000")); err != nil {
		t.Fatal(err)
	}
	if _, err := copyOutput(&out, dir, 100, 100, 4); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a hole: %v", err)
	}
}

func BenchmarkStore(b *testing.B) {
	s, err := newStore(b.TempDir(), DefaultLimit, DefaultLimit, segmentSize)
	if err != nil {
		b.Fatal(err)
	}
	p := make([]byte, 64<<10)
	b.SetBytes(int64(len(p)))
	for b.Loop() {
		_, _ = s.Write(p)
	}
}
