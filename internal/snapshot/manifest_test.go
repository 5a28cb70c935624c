package snapshot

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"
)

func drawPath(t *rapid.T) string {
	return rapid.StringMatching(`[a-z/. \n\t\x{1}-\x{ff}é‮]{1,12}`).Draw(t, "path") + rapid.SampledFrom([]string{"", "\xff\xfe"}).Draw(t, "bytes")
}

func list[T any](t *rapid.T, name string, one func() T) (all []T) {
	for range rapid.IntRange(0, 4).Draw(t, name) {
		all = append(all, one())
	}
	return all
}

func draw(t *rapid.T) *Manifest {
	perm := func() uint16 { return rapid.Uint16Range(0, 0o7777).Draw(t, "perm") }
	oid := func() string { return rapid.StringMatching(`[0-9a-f]{40}`).Draw(t, "oid") }
	yes := func() bool { return rapid.Bool().Draw(t, "flag") }
	path := func() string { return drawPath(t) }
	m := &Manifest{
		FilePerm: perm(), ExecPerm: perm(), DirPerm: perm(),
		Modes:      list(t, "modes", func() Mode { return Mode{path(), perm()} }),
		Folders:    list(t, "folders", path),
		Odd:        list(t, "odd", func() OddPath { return OddPath{path(), rapid.Uint32().Draw(t, "mode"), oid()} }),
		Nested:     list(t, "nested", func() NestedRepo { return NestedRepo{path(), rapid.SampledFrom([]string{"", oid()}).Draw(t, "head")} }),
		Gaps:       list(t, "gaps", func() ManifestGap { return ManifestGap{path(), path(), yes()} }),
		Ignored:    list(t, "ignored", path),
		Rules:      list(t, "rules", func() Rule { return Rule{path(), oid(), yes()} }),
		AdminModes: list(t, "links", func() Mode { return Mode{path(), perm()} }),
		Lost: list(t, "lost", func() LostObject {
			return LostObject{path(), rapid.SampledFrom([]string{LostStaged, LostRef, LostTree}).Draw(t, "kind"), path()}
		}),
		Extent:     list(t, "extent", func() ManifestExtent { return ManifestExtent{path(), path()} }),
		Uncaptured: list(t, "left", func() Uncaptured { return Uncaptured{path(), path(), path()} }),
		Inner:      list(t, "inner", func() InnerSnapshot { return InnerSnapshot{path(), path(), oid(), path()} }),

		IgnoreCase: yes(),
	}
	if yes() {
		m.Index = IndexAttributes{Exists: true, Mtime: rapid.Int64().Draw(t, "mtime"), Perm: perm()}
	}
	return m
}

func TestDecodeIsTheInverseOfEncode(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		m := draw(t)
		data := m.Encode()
		got, err := Decode(data)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(m, got, cmpopts.EquateEmpty()); diff != "" {
			t.Fatal(diff)
		}
		if !bytes.Equal(got.Encode(), data) {
			t.Fatal("the same manifest has two encodings")
		}
	})
}

// TestDecodeCut checks that a truncated manifest is an error, unless it ends after a complete
// record: only the tag that names the manifest can detect that.
func TestDecodeCut(t *testing.T) {
	t.Parallel()
	m := &Manifest{FilePerm: 0o644, Modes: []Mode{{"a", 0o600}}, Gaps: []ManifestGap{{"f", "fifo", true}}, Ignored: []string{"x/"}, Index: IndexAttributes{true, 5, 0o644}}
	data := m.Encode()
	for n := range data {
		got, err := Decode(data[:n])
		if err != nil {
			continue
		}
		wholeFields := n > 0 && data[n-1] == 0
		if !wholeFields || !slices.Equal(got.Modes, m.Modes[:len(got.Modes)]) || !slices.Equal(got.Gaps, m.Gaps[:len(got.Gaps)]) {
			t.Errorf("cut at %d: %+v", n, got)
		}
	}
}

func TestDecodeRefuses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		data    string
		version bool
	}{
		"newer version":   {"v\x002\x00", true},
		"unknown tag":     {"v\x001\x00q\x00x\x00", true},
		"no version":      {"i\x00a\x00", true},
		"version twice":   {"v\x001\x00v\x001\x00", true},
		"version later":   {"d\x00644\x00755\x00755\x00v\x001\x00", true},
		"bad mode":        {"v\x001\x00m\x00999\x00a\x00", false},
		"too large mode":  {"v\x001\x00m\x0017777\x00a\x00", false},
		"bad time":        {"v\x001\x00x\x00soon\x00644\x00", false},
		"field missing":   {"v\x001\x00m\x00644\x00", false},
		"not ended":       {"v\x001", false},
		"negative mode":   {"v\x001\x00m\x00-1\x00a\x00", false},
		"bad kind of odd": {"v\x001\x00o\x008\x00ab\x00p\x00", false},
	} {
		m, err := Decode([]byte(c.data))
		if err == nil || errors.Is(err, ErrVersion) != c.version {
			t.Errorf("%s: %+v, %v", name, m, err)
		}
	}
}

func FuzzDecode(f *testing.F) {
	f.Add((&Manifest{FilePerm: 0o644, Modes: []Mode{{"a\nb", 0o600}}, Odd: []OddPath{{".GIT/x", 0o100644, "ab"}}}).Encode())
	f.Add([]byte("v\x001\x00g\x001\x00why\x00p\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		m, err := Decode(data)
		if err != nil {
			return
		}
		again, err := Decode(m.Encode())
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(m, again, cmpopts.EquateEmpty()); diff != "" {
			t.Fatal(diff)
		}
	})
}

func TestPerm(t *testing.T) {
	t.Parallel()
	m := &Manifest{FilePerm: 0o644, ExecPerm: 0o755, DirPerm: 0o2755, Modes: []Mode{{"a", 0o600}, {"d", 0o700}}}
	for _, c := range []struct{ got, want uint16 }{
		{m.Perm("b", false), 0o644}, {m.Perm("b", true), 0o755}, {m.Perm("a", true), 0o600},
		{m.FolderPerm("x"), 0o2755}, {m.FolderPerm("d"), 0o700}, {m.FolderPerm(""), 0o2755},
	} {
		if c.got != c.want {
			t.Errorf("got %o, want %o", c.got, c.want)
		}
	}
}

func TestCovers(t *testing.T) {
	t.Parallel()
	sorted := []string{"build/", "deep/er/", "x", "x.log"}
	slices.Sort(sorted)
	for path, want := range map[string]bool{
		"build/": true, "build/a": true, "build/a/b": true, "build": false, "builds/a": false, "x": true, "x/y": false,
		"x.log": true, "deep": false, "deep/er/f": true, "deep/err": false, "": false,
	} {
		if got := ListCovers(sorted, path); got != want {
			t.Errorf("%q: %v", path, got)
		}
	}
}

func TestChunksJoin(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		seed := rapid.SliceOfN(rapid.Byte(), 0, 200).Draw(t, "bytes")
		data := bytes.Repeat(seed, rapid.IntRange(0, 5000).Draw(t, "times"))
		pieces := SplitChunks(data)
		if !bytes.Equal(bytes.Join(pieces, nil), data) {
			t.Fatal("the pieces do not join")
		}
		for i, p := range pieces {
			if len(p) > 256<<10 || len(p) < 8<<10 && i < len(pieces)-1 {
				t.Fatalf("piece %d of %d has %d bytes", i, len(pieces), len(p))
			}
		}
	})
}

// TestChunksShare checks that a large file that changed in one place shares nearly all of its
// pieces.
func TestChunksShare(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for i := range 100000 {
		fmt.Fprintf(&b, "%d some entry of an index %x\n", i, i*2654435761)
	}
	old := []byte(b.String())
	seen := map[string]bool{}
	for _, p := range SplitChunks(old) {
		seen[string(p)] = true
	}
	for name, edit := range map[string]func([]byte) []byte{
		"one byte":  func(d []byte) []byte { d[len(d)/2] ^= 1; return d },
		"inserted":  func(d []byte) []byte { return slices.Insert(d, len(d)/3, []byte("a new entry")...) },
		"cut":       func(d []byte) []byte { return slices.Delete(d, 100, 700) },
		"prepended": func(d []byte) []byte { return append([]byte("head"), d...) },
	} {
		fresh, size := 0, 0
		for _, p := range SplitChunks(edit(bytes.Clone(old))) {
			if !seen[string(p)] {
				fresh++
				size += len(p)
			}
		}
		if fresh > 3 || size > 512<<10 {
			t.Errorf("%s: %d new pieces of %d bytes", name, fresh, size)
		}
	}
	if n := len(seen); n < len(old)/(80<<10) || n > len(old)/(20<<10) {
		t.Errorf("%d pieces for %d bytes", n, len(old))
	}
}

func BenchmarkChunks(b *testing.B) {
	data := bytes.Repeat([]byte("0123456789abcdefghij"), 500_000)
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		SplitChunks(data)
	}
}
