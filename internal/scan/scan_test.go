package scan

import (
	"bytes"
	"context"
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"

	"github.com/belay-dev/belay/internal/fsroot"
)

// bench is a tree in a folder of its own, with a cache beside it.
type bench struct {
	t    testing.TB
	root string
	o    Options
}

func newBench(t testing.TB) *bench {
	t.Helper()
	top := t.TempDir()
	b := &bench{t: t, root: filepath.Join(top, "tree")}
	b.must(os.MkdirAll(b.root, 0o755))
	b.must(os.MkdirAll(filepath.Join(top, "private"), 0o755))
	b.o = Options{Root: b.root, Cache: filepath.Join(top, "private", "stat"), NewHash: sha1.New}
	return b
}

func (b *bench) must(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

func (b *bench) path(p string) string { return b.root + "/" + p }

// put writes files: path, content, path, content.
func (b *bench) put(pairs ...string) {
	b.t.Helper()
	for i := 0; i < len(pairs); i += 2 {
		p := b.path(pairs[i])
		b.must(os.MkdirAll(filepath.Dir(p), 0o755))
		b.must(os.WriteFile(p, []byte(pairs[i+1]), 0o644))
	}
}

func (b *bench) link(path, target string) {
	b.t.Helper()
	b.must(os.MkdirAll(filepath.Dir(b.path(path)), 0o755))
	b.must(os.Symlink(target, b.path(path)))
}

// age makes all time stamps old enough to be trusted, by waiting until the clock of the file system
// has advanced by more than the margin.
func (b *bench) age() {
	b.t.Helper()
	for start := ReadClock(filepath.Dir(b.o.Cache)).Start; ReadClock(filepath.Dir(b.o.Cache)).Start <= start+ClockMargin+int64(time.Millisecond); {
		time.Sleep(time.Millisecond)
	}
}

func (b *bench) tmp() string { return filepath.Dir(b.o.Cache) }

func (b *bench) is(path, content string, mode uint32) {
	b.t.Helper()
	text, err := os.ReadFile(b.path(path))
	b.must(err)
	var st unix.Stat_t
	b.must(unix.Lstat(b.path(path), &st))
	if string(text) != content || uint32(st.Mode) != mode|unix.S_IFREG {
		b.t.Errorf("%s is %q with mode %o", path, text, st.Mode)
	}
}

// clean fails if a temporary file remains in the tree or the folder for them.
func (b *bench) clean() {
	b.t.Helper()
	for _, top := range []string{b.root, b.tmp()} {
		b.must(filepath.WalkDir(top, func(path string, _ fs.DirEntry, err error) error {
			if strings.HasPrefix(filepath.Base(path), fsroot.TempPrefix) {
				b.t.Errorf("%s is left", path)
			}
			return err
		}))
	}
}

func (b *bench) scan() *Result {
	b.t.Helper()
	r, err := Scan(context.Background(), b.o)
	b.must(err)
	sorted(b.t, r)
	return r
}

// scanSave scans, saves the cache, and compares the result with a scan without it.
func (b *bench) scanSave() *Result {
	b.t.Helper()
	r := b.scan()
	b.must(r.Save())
	o := b.o
	o.Cache = ""
	plain, err := Scan(context.Background(), o)
	b.must(err)
	if d := cmp.Diff(flat(plain), flat(r)); d != "" {
		b.t.Fatalf("with the cache (+) it differs from without (-):\n%s", d)
	}
	return r
}

func sorted(t testing.TB, r *Result) {
	t.Helper()
	ok := sort.SliceIsSorted(r.Entries, func(i, j int) bool { return r.Entries[i].Path < r.Entries[j].Path }) &&
		sort.SliceIsSorted(r.Rules, func(i, j int) bool { return r.Rules[i].Path < r.Rules[j].Path }) &&
		sort.SliceIsSorted(r.Dirs, func(i, j int) bool { return r.Dirs[i].Path < r.Dirs[j].Path }) &&
		slices.IsSorted(r.Ignored)
	if !ok {
		t.Fatalf("a list is not sorted: %s", strings.Join(flat(r), "\n"))
	}
}

// flat returns everything in a result except how it was found.
func flat(r *Result) []string {
	var out []string
	for _, e := range r.Entries {
		out = append(out, fmt.Sprintf("entry %q kind %d perm %o size %d %s", e.Path, e.Kind, e.Perm, e.Size, e.OID))
	}
	for _, e := range r.Rules {
		out = append(out, fmt.Sprintf("rules %q kind %d perm %o size %d %s", e.Path, e.Kind, e.Perm, e.Size, e.OID))
	}
	for _, d := range r.Dirs {
		out = append(out, fmt.Sprintf("dir %q perm %o empty %v", d.Path, d.Perm, d.Empty))
	}
	for _, g := range r.Gaps {
		out = append(out, fmt.Sprintf("gap %q %s tracked %v", g.Path, g.Reason, g.Tracked))
	}
	for _, n := range r.Nested {
		out = append(out, fmt.Sprintf("nested %q %v", n.Path, n.GitFile))
	}
	for _, p := range r.Ignored {
		out = append(out, fmt.Sprintf("ignored %q", p))
	}
	return out
}

func paths(r *Result) []string {
	all := []string{}
	for _, e := range r.Entries {
		all = append(all, e.Path)
	}
	return all
}

func same(t testing.TB, what string, want, got []string) {
	t.Helper()
	if len(want) == 0 && len(got) == 0 {
		return
	}
	if d := cmp.Diff(want, got); d != "" {
		t.Errorf("%s, wanted (-), got (+):\n%s", what, d)
	}
}

func blobOID(content string) fsroot.OID {
	sum := sha1.Sum(fmt.Appendf(nil, "blob %d\x00%s", len(content), content))
	return fsroot.OID(sum[:])
}

func writes(text string) func(io.Writer) error {
	return func(w io.Writer) error { _, err := io.WriteString(w, text); return err }
}

// named returns an Ignored that ignores the listed paths, folders with a final slash.
func named(list ...string) func(context.Context, []string) ([]bool, error) {
	return func(_ context.Context, paths []string) ([]bool, error) {
		out := make([]bool, len(paths))
		for i, p := range paths {
			out[i] = slices.ContainsFunc(list, func(l string) bool {
				return p == l || strings.HasSuffix(l, "/") && strings.HasPrefix(p, l)
			})
		}
		return out, nil
	}
}

func (b *bench) track(key string, list ...Tracked) {
	b.o.TrackedKey = key
	b.o.ReadTracked = func(context.Context) ([]Tracked, time.Time, error) { return list, time.Now(), nil }
}

func tracked(paths ...string) []Tracked {
	var list []Tracked
	for _, p := range paths {
		list = append(list, Tracked{Path: p})
	}
	return list
}

func TestScanSeesEveryKind(t *testing.T) {
	b := newBench(t)
	b.put("a", "hello\n", "dir/x.sh", "#!/bin/sh\n", "dir.txt", "", "dir/sub/deep", "d",
		"line\nbreak", "n", "bad\xff\xfename", "b", "-dash", "", " space ", "", "dir-x/y", "y", strings.Repeat("n", 255), "long")
	b.must(unix.Chmod(b.path("dir/x.sh"), 0o4750))
	b.must(os.Chmod(b.path("a"), 0o600))
	b.link("to-dir", "dir")
	b.link("dangling", "/nowhere/at all")
	b.link("loop", "loop")
	b.must(os.MkdirAll(b.path("empty/inner"), 0o700))
	b.must(os.Chmod(b.path("empty"), 0o1777|os.ModeSticky))
	b.must(unix.Mkfifo(b.path("pipe"), 0o644))
	b.must(unix.Mknod(b.path("sock"), unix.S_IFSOCK|0o644, 0))
	b.must(os.MkdirAll(b.path(".git/objects"), 0o755))
	b.put(".git/HEAD", "ref: refs/heads/main\n")
	b.must(os.WriteFile(b.path("sparse"), nil, 0o644))
	b.must(os.Truncate(b.path("sparse"), 8<<20))
	b.age()

	r := b.scanSave()
	want := []string{" space ", "-dash", "a", "bad\xff\xfename", "dangling", "dir-x/y", "dir.txt", "dir/sub/deep", "dir/x.sh", "line\nbreak", "loop", strings.Repeat("n", 255), "sparse", "to-dir"}
	same(t, "entries", want, paths(r))
	for _, e := range r.Entries {
		switch e.Path {
		case "a":
			if e.OID != blobOID("hello\n") || e.Perm != 0o600 || e.Kind != fsroot.File || e.Size != 6 || !e.Fresh {
				t.Errorf("a is %+v", e)
			}
		case "dir/x.sh":
			if e.Kind != fsroot.Exec || e.Perm != 0o4750 {
				t.Errorf("x.sh is %+v", e)
			}
		case "dangling":
			if e.Kind != fsroot.SymbolicLink || e.OID != blobOID("/nowhere/at all") || e.Size != 15 {
				t.Errorf("the link is %+v", e)
			}
		case "sparse":
			if e.OID != blobOID(string(make([]byte, 8<<20))) {
				t.Errorf("the sparse file is %+v", e)
			}
		}
	}
	if d := cmp.Diff([]Gap{{Path: "pipe", Reason: "fifo"}, {Path: "sock", Reason: "socket"}}, r.Gaps); d != "" {
		t.Error(d)
	}
	dirs := []Dir{{"", 0o755, false}, {"dir", 0o755, false}, {"dir-x", 0o755, false}, {"dir/sub", 0o755, false}, {"empty", 0o1777, false}, {"empty/inner", 0o700, true}}
	if d := cmp.Diff(dirs, r.Dirs); d != "" {
		t.Error(d)
	}
	if got := blobOID("").String(); got != "e69de29bb2d1d6434b8b29ae775ad8c2e48c5391" {
		t.Errorf("the empty blob is %s", got)
	}
	if r.Unstable {
		t.Error("an unchanged tree is reported as unstable")
	}
}

func TestScanReadsNothingTwice(t *testing.T) {
	b := newBench(t)
	for i := range 50 {
		b.put(fmt.Sprintf("d%d/f%d", i%7, i), fmt.Sprint(i))
	}
	b.link("l", "d1")
	b.age()
	if r := b.scanSave(); r.Stats.Hashed != 51 || r.Stats.Files != 51 {
		t.Fatalf("first: %+v", r.Stats)
	}
	r := b.scanSave()
	if r.Stats.Hashed != 0 || slices.ContainsFunc(r.Entries, func(e Entry) bool { return e.Fresh }) {
		t.Fatalf("second: %+v", r.Stats)
	}
	before, err := os.Stat(b.o.Cache)
	b.must(err)
	b.must(b.scan().Save())
	after, err := os.Stat(b.o.Cache)
	b.must(err)
	if !os.SameFile(before, after) {
		t.Error("the cache was written although nothing changed")
	}
	b.put("d1/new", "n")
	b.must(os.Remove(b.path("d2/f2")))
	b.must(os.Rename(b.path("d3"), b.path("moved")))
	b.age()
	if r = b.scanSave(); r.Stats.Hashed != 8 {
		t.Fatalf("after a change: %+v", r.Stats)
	}
	if r = b.scanSave(); r.Stats.Hashed != 0 {
		t.Fatalf("after that: %+v", r.Stats)
	}
}

func TestScanSeesSameSizeEditsRightAfterCaching(t *testing.T) {
	b := newBench(t)
	b.put("f", "aaaa", "other", "x")
	for i := range 300 {
		content := fmt.Sprintf("%04d", i)
		f, err := os.OpenFile(b.path("f"), os.O_WRONLY, 0)
		b.must(err)
		_, err = f.WriteString(content)
		b.must(err)
		b.must(f.Close())
		r := b.scan()
		if r.Entries[0].OID != blobOID(content) {
			t.Fatalf("edit %d was missed", i)
		}
		b.must(r.Save())
	}
}

func TestScanSeesEditsWithTheTimePutBack(t *testing.T) {
	b := newBench(t)
	b.put("f", "aaaa", "future", "x")
	old := time.Now().Add(-time.Hour)
	b.must(os.Chtimes(b.path("f"), old, old))
	b.must(os.Chtimes(b.path("future"), old, time.Now().Add(24*time.Hour)))
	b.age()
	b.scanSave()
	if r := b.scanSave(); r.Entries[0].Fresh || !r.Entries[1].Fresh || r.Unstable {
		t.Fatalf("old times should be trusted and future ones not: %+v, unstable %v", r.Entries, r.Unstable)
	}
	b.put("f", "bbbb")
	b.must(os.Chtimes(b.path("f"), old, old))
	if r := b.scanSave(); r.Entries[0].OID != blobOID("bbbb") {
		t.Fatal("an edit with a restored time was missed")
	}
}

func TestScanIgnores(t *testing.T) {
	b := newBench(t)
	b.put("keep", "", "skip.log", "", "build/out/a.o", "", "build/b.o", "", "lib/keep.txt", "", "lib/tmp/x", "", "forced/t", "t", "forced/u", "u", "gone", "")
	b.must(unix.Mkfifo(b.path("lib/pipe"), 0o600))
	var asked [][]string
	var mu sync.Mutex
	ignore := named("skip.log", "build/", "lib/tmp/", "lib/pipe", "forced/")
	b.o.Ignored = func(ctx context.Context, paths []string) ([]bool, error) {
		mu.Lock()
		asked = append(asked, paths)
		mu.Unlock()
		return ignore(ctx, paths)
	}
	b.track("k1", tracked("forced/t", "keep", "missing", "not/there")...)
	r := b.scanSave()
	same(t, "entries", []string{"forced/t", "gone", "keep", "lib/keep.txt"}, paths(r))
	same(t, "ignored", []string{"build/", "forced/u", "lib/pipe", "lib/tmp/", "skip.log"}, r.Ignored)
	for _, q := range slices.Concat(asked...) {
		if q == "keep" || q == "forced/" || q == "forced/t" || strings.HasPrefix(q, "build/o") {
			t.Errorf("Ignored was called with %q", q)
		}
	}
	r = b.scan()
	if r.Stats.Asked != 0 {
		t.Errorf("Ignored was called with %d paths again", r.Stats.Asked)
	}
	b.put(".gitignore", "lib/\n", "lib/new", "")
	ignore = named("lib/")
	if r = b.scanSave(); r.Stats.Asked == 0 {
		t.Error("Ignored was not called again after new rules")
	}
	same(t, "ignored by new rules", []string{"lib/"}, r.Ignored)
	if len(r.Rules) != 1 || r.Rules[0].OID != blobOID("lib/\n") {
		t.Errorf("rules are %v", r.Rules)
	}
	b.o.RulesKey = "changed outside"
	if r = b.scan(); r.Stats.Asked == 0 {
		t.Error("Ignored was not called again after new rules outside the tree")
	}
}

func TestScanRulesMovedToAnotherFolder(t *testing.T) {
	b := newBench(t)
	b.put("a/.gitignore", "/foo\n", "a/foo", "", "a/b/foo", "")
	ignore := named("a/foo")
	b.o.Ignored = func(ctx context.Context, p []string) ([]bool, error) { return ignore(ctx, p) }
	b.scanSave()
	b.must(os.Rename(b.path("a/.gitignore"), b.path("a/b/.gitignore")))
	ignore = named("a/b/foo")
	same(t, "ignored", []string{"a/b/foo"}, b.scanSave().Ignored)
}

func TestScanIncludes(t *testing.T) {
	b := newBench(t)
	b.put(".env", "S=1", "a/.env", "S=2", "node/m/x.js", "", "node/m/.env", "S=3", "node/n/y.js", "", "node/top.js", "",
		"secret/deep/key", "k", "secret/big", strings.Repeat("b", 100), "keep", "")
	b.must(os.MkdirAll(b.path("secret/empty"), 0o700))
	b.must(os.MkdirAll(b.path("node/none"), 0o700))
	b.o.Ignored = named(".env", "a/.env", "node/", "secret/")
	b.o.MaxFile = 50
	r := b.scanSave()
	same(t, "ignored", []string{".env", "a/.env", "node/", "secret/"}, r.Ignored)
	b.o.Include = []string{"**/.env", "secret/"}
	r = b.scanSave()
	same(t, "entries", []string{".env", "a/.env", "keep", "node/m/.env", "secret/deep/key"}, paths(r))
	same(t, "ignored", []string{"node/m/x.js", "node/n/", "node/none/", "node/top.js"}, r.Ignored)
	if d := cmp.Diff([]Gap{{Path: "secret/big", Reason: "too large (100 B, the limit is 50 B)"}}, r.Gaps); d != "" {
		t.Error(d)
	}
	if !slices.Contains(r.Dirs, Dir{"secret/empty", 0o700, true}) || slices.ContainsFunc(r.Dirs, func(d Dir) bool { return d.Path == "node/none" }) {
		t.Errorf("folders are %v", r.Dirs)
	}
	b.o.Include = []string{"node/{m/x,top}.js", "secret/de[e]p/*"}
	same(t, "entries", []string{"keep", "node/m/x.js", "node/top.js", "secret/deep/key"}, paths(b.scanSave()))
	b.o.Include = []string{"a[", "x"}
	if _, err := Scan(context.Background(), b.o); err == nil {
		t.Error("an invalid pattern was accepted")
	}
}

func TestScanTracksWhatIsTooLargeOrIgnored(t *testing.T) {
	b := newBench(t)
	b.put("big", "0123456789", "big2", "0123456789", "small", "1")
	b.o.MaxFile = 5
	b.o.Ignored = named("big")
	b.track("1", tracked("big")...)
	r := b.scanSave()
	same(t, "entries", []string{"big", "small"}, paths(r))
	if len(r.Gaps) != 1 || r.Gaps[0].Path != "big2" || r.Gaps[0].Tracked {
		t.Errorf("gaps are %v", r.Gaps)
	}
	b.must(os.Remove(b.path("big")))
	b.must(unix.Mkfifo(b.path("big"), 0o600))
	if r = b.scanSave(); len(r.Gaps) != 2 || !r.Gaps[0].Tracked {
		t.Errorf("gaps are %v", r.Gaps)
	}
	b.must(os.Remove(b.path("big")))
	b.scanSave()
	b.put("big", "again it is here")
	same(t, "a tracked file that came back", []string{"big", "small"}, paths(b.scanSave()))
	b.track("2")
	r = b.scanSave()
	same(t, "entries once it is not tracked", []string{"small"}, paths(r))
	same(t, "ignored once it is not tracked", []string{"big"}, r.Ignored)
}

func TestScanNestedRepositories(t *testing.T) {
	b := newBench(t)
	b.put("sub/.git", "gitdir: ../.git/modules/sub\n", "sub/f", "", "repo/.git/HEAD", "x", "repo/f", "", "repo/.gitignore", "",
		"src/.git/HEAD", "x", "src/main.go", "m", "src/new.go", "n", "fake/.git/notes", "n", "fake2/.git", "text", "deep/a/repo2/.git/HEAD", "",
		"deep/a/f", "", "mod/.git", "gitdir: x", "mod/f", "f", "uninit/x", "", "away/real.git/HEAD", "", "linked/f", "", "typed", "now a file")
	b.link("linked/.git", "../away/real.git")
	b.track("1", Tracked{Path: "src/main.go"}, Tracked{Path: "mod", Gitlink: true}, Tracked{Path: "uninit", Gitlink: true}, Tracked{Path: "typed", Gitlink: true}, Tracked{Path: "away2", Gitlink: true})
	b.o.Ignored = named("typed", "uninit/", "mod/")
	for range 2 {
		r := b.scanSave()
		same(t, "entries", []string{"away/real.git/HEAD", "deep/a/f", "fake/.git/notes", "fake2/.git", "src/main.go", "src/new.go", "typed"}, paths(r))
		want := []NestedRepo{{"deep/a/repo2", false}, {"linked", false}, {"mod", true}, {"repo", false}, {"src", false}, {"sub", true}, {"uninit", false}}
		if d := cmp.Diff(want, r.Nested); d != "" {
			t.Error(d)
		}
		if len(r.Rules) != 0 || len(r.Ignored) != 0 {
			t.Errorf("rules %v, ignored %v", r.Rules, r.Ignored)
		}
	}
}

func TestScanLeavesTheGitDirAlone(t *testing.T) {
	b := newBench(t)
	b.put(".git", "gitdir: store/repo.git\n", "store/repo.git/HEAD", "", "store/repo.git/x", "", "store/f", "")
	b.o.GitDir = b.path("store/repo.git")
	same(t, "entries", []string{"store/f"}, paths(b.scanSave()))
	b.must(os.Remove(b.path("store/f")))
	same(t, "entries", nil, paths(b.scanSave()))
}

func TestScanTypeSwaps(t *testing.T) {
	b := newBench(t)
	b.put("f/x", "1", "f/y", "2", "g", "3", "h.txt", "4", "f.a", "5")
	b.track("1", tracked("f/x", "f/y", "g", "h.txt", "f.a")...)
	b.o.Ignored = named("f", "g/")
	b.scanSave()
	b.must(os.RemoveAll(b.path("f")))
	b.link("f", "/etc")
	b.must(os.Remove(b.path("g")))
	b.put("g/inner", "x")
	r := b.scanSave()
	same(t, "entries", []string{"f.a", "h.txt"}, paths(r))
	same(t, "ignored", []string{"f", "g/"}, r.Ignored)
	b.must(os.Remove(b.path("f")))
	b.must(os.RemoveAll(b.path("g")))
	b.put("f/x", "1", "g", "3")
	same(t, "entries", []string{"f.a", "f/x", "g", "h.txt"}, paths(b.scanSave()))
}

func TestScanSeedsFromTheIndex(t *testing.T) {
	b := newBench(t)
	b.put("clean", "clean", "racy", "racy", "edited", "edited", "wrong", "wrong")
	b.age()
	seed := func(p string) *Stat {
		var st unix.Stat_t
		b.must(unix.Lstat(b.path(p), &st))
		return &Stat{MtimeSec: int64(st.Mtim.Sec), CtimeSec: int64(st.Ctim.Sec), MtimeNsec: uint32(st.Mtim.Nsec), CtimeNsec: uint32(st.Ctim.Nsec),
			Dev: uint32(st.Dev), Ino: uint32(st.Ino), Uid: st.Uid, Gid: st.Gid, Mode: 0o100644, Size: uint32(st.Size)}
	}
	var list []Tracked
	for _, p := range []string{"clean", "edited", "racy", "wrong"} {
		list = append(list, Tracked{Path: p, OID: blobOID(p), Seed: seed(p)})
	}
	list[3].Seed.Uid++
	b.put("edited", "EDITED", "racy", "RACY")
	list[2].Seed = seed("racy") // recorded by git after an edit that it did not notice
	var limit unix.Stat_t
	b.must(unix.Lstat(b.path("racy"), &limit))
	b.o.TrackedKey = "1"
	b.o.ReadTracked = func(context.Context) ([]Tracked, time.Time, error) {
		return list, time.Unix(limit.Mtim.Unix()), nil
	}
	r := b.scanSave()
	for i, want := range []string{"clean", "EDITED", "RACY", "wrong"} {
		if e := r.Entries[i]; e.OID != blobOID(want) || e.Fresh != (i > 0) {
			t.Errorf("%+v is not %s", e, want)
		}
	}
	b.age()
	b.scanSave()
	b.o.ReadTracked = func(context.Context) ([]Tracked, time.Time, error) {
		t.Error("the index was read although its key is the same")
		return list, time.Time{}, nil
	}
	if r := b.scan(); r.Stats.Hashed != 0 {
		t.Errorf("warm: %+v", r.Stats)
	}
}

func TestScanErrorsEndIt(t *testing.T) {
	b := newBench(t)
	b.put("a/f", "", "b/f", "", "c", "")
	boom := errors.New("boom")
	try := func(what string, o Options, want error) {
		t.Helper()
		r, err := Scan(context.Background(), o)
		if r != nil || err == nil || want != nil && !errors.Is(err, want) {
			t.Errorf("%s gave %v, %v", what, r, err)
		}
	}
	o := b.o
	o.Ignored = func(context.Context, []string) ([]bool, error) { return nil, boom }
	try("an error of Ignored", o, boom)
	o.Ignored = func(context.Context, []string) ([]bool, error) { return []bool{true}, nil }
	try("too few answers", o, nil)
	o = b.o
	o.ReadTracked = func(context.Context) ([]Tracked, time.Time, error) { return nil, time.Time{}, boom }
	try("an error of ReadTracked", o, boom)
	o.ReadTracked = func(context.Context) ([]Tracked, time.Time, error) { return tracked("a//b"), time.Time{}, nil }
	try("an index with an empty name", o, nil)
	o = b.o
	o.Root = "relative"
	try("a relative root", o, nil)
	o = b.o
	o.Root += "/none"
	try("no root", o, os.ErrNotExist)
	o = b.o
	o.NewHash = nil
	try("no hash", o, nil)
	ctx, cancel := context.WithCancel(context.Background())
	o = b.o
	o.Ignored = func(ctx context.Context, _ []string) ([]bool, error) { cancel(); <-ctx.Done(); return nil, ctx.Err() }
	if _, err := Scan(ctx, o); !errors.Is(err, context.Canceled) {
		t.Errorf("a cancelled scan gave %v", err)
	}
}

func TestScanOfADeepTree(t *testing.T) {
	b := newBench(t)
	name := strings.Repeat("d", 200)
	fd, err := unix.Open(b.root, unix.O_RDONLY|unix.O_DIRECTORY, 0)
	b.must(err)
	var parts []string
	for range 40 { // a path of 8 KB, twice the limit of one system call
		b.must(unix.Mkdirat(fd, name, 0o755))
		next, err := unix.Openat(fd, name, unix.O_RDONLY|unix.O_DIRECTORY, 0)
		b.must(err)
		unix.Close(fd)
		fd, parts = next, append(parts, name)
	}
	f, err := unix.Openat(fd, "leaf", unix.O_CREAT|unix.O_WRONLY, 0o644)
	b.must(err)
	_, err = unix.Write(f, []byte("leaf"))
	b.must(err)
	unix.Close(f)
	unix.Close(fd)
	leaf := strings.Join(parts, "/") + "/leaf"
	r := b.scanSave()
	same(t, "entries", []string{leaf}, paths(r))
	root, err := fsroot.OpenRoot(b.root)
	b.must(err)
	defer root.Close()
	b.must(root.WriteFile(leaf, 0o600, "", writes("new")))
	if r = b.scanSave(); r.Entries[0].OID != blobOID("new") {
		t.Error("the leaf was not written")
	}
}

// gitIgnored answers like git.
func gitIgnored(t testing.TB, root string) func(context.Context, []string) ([]bool, error) {
	return func(ctx context.Context, paths []string) ([]bool, error) {
		var in bytes.Buffer
		for _, p := range paths {
			in.WriteString("./" + strings.TrimSuffix(p, "/") + "\x00") // so that ":x" is no pathspec magic
		}
		cmd := git(t, root, "check-ignore", "-z", "--stdin", "-v", "-n", "--no-index")
		cmd.Stdin = &in
		out, err := cmd.Output()
		var exit *exec.ExitError
		if err != nil && !(errors.As(err, &exit) && exit.ExitCode() == 1) {
			return nil, fmt.Errorf("%w: %s", err, exit.Stderr)
		}
		fields := strings.Split(string(out), "\x00")
		answers := make([]bool, 0, len(paths))
		for i := 0; i+3 < len(fields); i += 4 {
			if strings.TrimPrefix(fields[i+3], "./") != strings.TrimSuffix(paths[i/4], "/") {
				return nil, fmt.Errorf("asked %q, answered %q", paths[i/4], fields[i+3])
			}
			answers = append(answers, fields[i+2] != "" && !strings.HasPrefix(fields[i+2], "!"))
		}
		return answers, nil
	}
}

func git(t testing.TB, root string, args ...string) *exec.Cmd {
	cmd := exec.Command("git", args...)
	cmd.Dir = root
	home := filepath.Dir(root)
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "XDG_CONFIG_HOME=" + home, "GIT_CONFIG_NOSYSTEM=1", "GIT_OPTIONAL_LOCKS=0",
		"LC_ALL=C", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b"}
	return cmd
}

func gitOut(t testing.TB, root string, args ...string) string {
	t.Helper()
	cmd := git(t, root, args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("git %v: %v: %s", args, err, stderr.String())
	}
	return string(out)
}

// lsTracked reads the unchanged index, with stats that mean equal bytes.
func lsTracked(t testing.TB, root string) []Tracked {
	t.Helper()
	var list []Tracked
	for rec := range strings.SplitSeq(gitOut(t, root, "ls-files", "-s", "-z"), "\x00") {
		meta, path, ok := strings.Cut(rec, "\t")
		if !ok {
			continue
		}
		f := strings.Fields(meta)
		oid, err := hex.DecodeString(f[1])
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, Tracked{Path: path, OID: fsroot.OID(oid), Gitlink: f[0] == "160000"})
	}
	return list
}
