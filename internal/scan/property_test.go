package scan

import (
	"context"
	"crypto/sha1"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
	"pgregory.net/rapid"

	"github.com/belay-dev/belay/internal/testutil"
)

func init() { testutil.Examples(30) } // slow with the real git

var someNames = rapid.SampledFrom([]string{"a", "b", "a.b", "a-", "A", "x.log", "build", "keep", ".gitignore", "n\nl", "\xff", "-f", ":x", "*", "é"})

var someRules = rapid.SampledFrom([]string{"*.log\n", "build/\n", "/a\n", "*\n!keep\n", "a/**\n!a/b\n", "build\n", "\\*\n", "# none\n"})

func somePath(t *rapid.T) string {
	return strings.Join(rapid.SliceOfN(someNames, 1, 4).Draw(t, "path"), "/")
}

// mutate changes one thing in the tree, or nothing if that is not possible.
func (b *bench) mutate(t *rapid.T) {
	path := somePath(t)
	full := b.path(path)
	content := fmt.Sprint(rapid.IntRange(0, 99).Draw(t, "content"))
	if filepath.Base(path) == ".gitignore" {
		content = someRules.Draw(t, "rules")
	}
	switch rapid.IntRange(0, 8).Draw(t, "what") {
	case 0, 1, 2, 3:
		_ = os.MkdirAll(filepath.Dir(full), 0o755)
		_ = os.WriteFile(full, []byte(content), 0o644)
	case 4:
		_ = os.RemoveAll(full)
	case 5:
		_ = os.MkdirAll(filepath.Dir(full), 0o755)
		_ = os.Symlink(content, full)
	case 6:
		_ = os.MkdirAll(full, 0o755)
	case 7:
		to := b.path(somePath(t))
		_ = os.MkdirAll(filepath.Dir(to), 0o755)
		_ = os.Rename(full, to)
	case 8:
		if info, err := os.Lstat(full); err == nil && info.Mode().IsRegular() {
			_ = os.Chmod(full, 0o755)
			_ = os.Chtimes(full, info.ModTime(), info.ModTime())
		}
	}
}

// TestScanWithACacheIsScanWithout checks, after any changes of the tree and of the tracked paths,
// that the cache does not change the result.
func TestScanWithACacheIsScanWithout(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		b := newBench(t)
		gitOut(t, b.root, "init", "-q")
		b.o.Ignored = gitIgnored(t, b.root)
		for round := range rapid.IntRange(1, 4).Draw(rt, "rounds") {
			for range rapid.IntRange(0, 12).Draw(rt, "mutations") {
				b.mutate(rt)
			}
			if rapid.Bool().Draw(rt, "retrack") {
				list := rapid.SliceOfN(rapid.Custom(somePath), 0, 6).Draw(rt, "tracked")
				b.track(fmt.Sprint(round), tracked(list...)...)
			}
			if rapid.Bool().Draw(rt, "include") {
				b.o.Include = []string{"**/x.log", "build"}
			}
			if rapid.Bool().Draw(rt, "age") {
				b.age()
			}
			b.scanSave()
		}
	})
}

// TestScanFindsWhatGitFinds compares with git ls-files on generated trees.
func TestScanFindsWhatGitFinds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		b := newBench(t)
		gitOut(t, b.root, "init", "-q")
		b.o.Ignored = gitIgnored(t, b.root)
		for range rapid.IntRange(1, 25).Draw(rt, "before") {
			b.mutate(rt)
		}
		gitOut(t, b.root, "add", "-A")
		for range rapid.IntRange(0, 25).Draw(rt, "after") {
			b.mutate(rt)
		}
		b.track("1", lsTracked(t, b.root)...)
		var want []string
		for p := range strings.SplitSeq(gitOut(t, b.root, "ls-files", "-co", "--exclude-standard", "-z"), "\x00") {
			var st unix.Stat_t
			if p != "" && unix.Lstat(b.path(p), &st) == nil && st.Mode&unix.S_IFMT != unix.S_IFDIR && throughFolders(b, p) {
				want = append(want, p)
			}
		}
		slices.Sort(want)
		if got := paths(b.scanSave()); !slices.Equal(got, slices.Compact(want)) {
			rt.Fatalf("git finds\n%q\nthe scan\n%q", want, got)
		}
	})
}

// throughFolders reports whether no parent of path is a link.
func throughFolders(b *bench, path string) bool {
	for dir := filepath.Dir(path); dir != "."; dir = filepath.Dir(dir) {
		if info, err := os.Lstat(b.path(dir)); err != nil || !info.IsDir() {
			return false
		}
	}
	return true
}

func TestReachesIsNeverTooNarrow(t *testing.T) {
	t.Parallel()
	parts := rapid.SampledFrom([]string{"a", "b", "*", "**", "a*", "{a,b}", "{a/b,c}", "[ab]", "?", ".env"})
	rapid.Check(t, func(rt *rapid.T) {
		glob := strings.Join(rapid.SliceOfN(parts, 1, 4).Draw(rt, "glob"), "/")
		path := rapid.SliceOfN(rapid.SampledFrom([]string{"a", "b", "c", "ab", ".env"}), 2, 5).Draw(rt, "path")
		in, err := NewGlobs([]string{glob})
		if err != nil {
			return
		}
		if !in.Covers(strings.Join(path, "/"), false) {
			return
		}
		for i := 1; i < len(path); i++ {
			if dir := strings.Join(path[:i], "/"); !in.Reaches(dir) {
				rt.Fatalf("%s names %q but does not reach into %q", glob, path, dir)
			}
		}
	})
}

// smallCache creates a cache with every flag.
func smallCache(t testing.TB) (*bench, []byte) {
	b := newBench(t)
	b.put("a", "1", "d/b", "2", "i/x", "3", "d/e/f", "4", ".gitignore", "i/\n")
	b.track("1", append(tracked("a", "gone/x", "d/b"), Tracked{Path: "sub", Gitlink: true})...)
	b.o.Ignored = named("i/")
	b.age()
	b.scanSave()
	text, err := os.ReadFile(b.o.Cache)
	b.must(err)
	return b, text
}

// TestCacheCorruptedAtEveryByte flips and truncates at every byte: the result of the scan is still
// right.
func TestCacheCorruptedAtEveryByte(t *testing.T) {
	t.Parallel()
	b, text := smallCache(t)
	want := flat(b.scan())
	for i := range text {
		for _, bad := range [][]byte{text[:i], slices.Concat(text[:i], []byte{text[i] ^ 1<<(i%8)}, text[i+1:]), slices.Concat(text[:i], []byte{0}, text[i:])} {
			if slices.Equal(bad, text) {
				continue
			}
			b.must(os.WriteFile(b.o.Cache, bad, 0o600))
			if Read(b.o.Cache) != nil {
				t.Fatalf("a cache with a wrong byte %d of %d was accepted", i, len(text))
			}
		}
		if i%40 == 0 {
			same(t, fmt.Sprintf("with a cache wrong at byte %d", i), want, flat(b.scan()))
		}
	}
	for _, path := range []string{"/dev/null", b.root, b.o.Cache + "-none"} {
		if Read(path) != nil {
			t.Errorf("%s is a cache", path)
		}
	}
}

// FuzzParseCache adds a right checksum to any text: a cache that is accepted can be walked and
// scanned with without a panic.
func FuzzParseCache(f *testing.F) {
	_, text := smallCache(f)
	f.Add(text[:len(text)-4])
	f.Add([]byte("belay"))
	f.Fuzz(func(t *testing.T, text []byte) {
		b := newBench(t)
		sum := crc32.Checksum(text, crc32.MakeTable(crc32.Castagnoli))
		text = append(text, byte(sum), byte(sum>>8), byte(sum>>16), byte(sum>>24))
		b.must(os.WriteFile(b.o.Cache, text, 0o600))
		c := Read(b.o.Cache)
		if c == nil {
			return
		}
		walkOver(c, 0)
		next, err := Retrack(c, tracked("a", "d/new", "d/b"), 0, c.HashLen)
		if err != nil || next == nil {
			t.Fatal(err)
		}
		if c.HashLen != sha1.Size {
			return
		}
		b.put("a", "1", "d/b", "2", "i/x", "3")
		b.ofThisTree(text[:len(text)-4])
		b.o.TrackedKey = "k"
		r, err := Scan(context.Background(), b.o)
		b.must(err)
		b.must(r.Save())
	})
}

func walkOver(c *Cache, folder int) {
	first, end := c.Records(folder)
	_ = c.Rules(folder)
	for r := first; r < end; r++ {
		_, _ = c.Name(c.NamesStart(folder), r)
		_, _ = c.Facts(r), c.OID(r)
		if child := c.Child(r); child != 0 {
			walkOver(c, child)
		}
	}
}

// ofThisTree writes the tables of a cache as one of b's tree, so that a scan uses them.
func (b *bench) ofThisTree(text []byte) {
	le := binary.LittleEndian
	tables := text[48+le.Uint32(text[24:])+le.Uint32(text[28:]):]
	var st unix.Stat_t
	b.must(unix.Lstat(b.root, &st))
	head := le.AppendUint32(slices.Clone(text[:24]), uint32(len(b.root)))
	head = le.AppendUint32(head, 1)
	head = le.AppendUint64(le.AppendUint64(head, uint64(st.Dev)), st.Ino)
	text = slices.Concat(head, []byte(b.root), []byte("k"), tables)
	text = le.AppendUint32(text, crc32.Checksum(text, crc32.MakeTable(crc32.Castagnoli)))
	b.must(os.WriteFile(b.o.Cache, text, 0o600))
	if Read(b.o.Cache) == nil {
		b.t.Fatal("the cache with these tables cannot be read")
	}
}

// TestScanOfAWideFolder scans a folder with more names than one worker handles.
func TestScanOfAWideFolder(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	b.must(os.Mkdir(b.path("w"), 0o755))
	for i := range 3*partSize + 5 {
		b.must(os.WriteFile(fmt.Sprintf("%s/w/%06d", b.root, i), nil, 0o644))
	}
	b.o.Workers = 3
	if r := b.scanSave(); len(r.Entries) != 3*partSize+5 {
		t.Errorf("%d entries", len(r.Entries))
	}
	b.age()
	b.scanSave()
	if r := b.scanSave(); r.Stats.Hashed != 0 {
		t.Errorf("%+v", r.Stats)
	}
}

// TestScanFindsWhatAFolderKeepsForItself has a folder that ignores all but one of its own files,
// which does not make the folder ignored.
func TestScanFindsWhatAFolderKeepsForItself(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	gitOut(t, b.root, "init", "-q")
	b.o.Ignored = gitIgnored(t, b.root)
	b.put("venv/.gitignore", "*\n!keep\n", "venv/keep", "k", "venv/drop", "d", "all/.gitignore", "*\n", "all/x", "x")
	r := b.scanSave()
	same(t, "entries", []string{"venv/keep"}, paths(r))
	same(t, "ignored", []string{"all/.gitignore", "all/x", "venv/.gitignore", "venv/drop"}, r.Ignored)
	if len(r.Rules) != 2 {
		t.Errorf("rules are %v", r.Rules)
	}
}
