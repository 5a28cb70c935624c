package git

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"sort"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/belay-dev/belay/internal/testutil"
)

// bodies returns contents that compress well, badly, not at all, or look like headers.
func bodies(n int) []string {
	random := rand.New(rand.NewPCG(1, 2))
	out := []string{"", "a", "blob 3\x00abc", "PACK\x00\x00\x00\x02", strings.Repeat("x", 1<<20), strings.Repeat("\x00", 70000)}
	for len(out) < n {
		b := make([]byte, random.IntN(3000))
		for i := range b {
			b[i] = byte(random.Uint32())
		}
		out = append(out, fmt.Sprint(len(out), string(b)))
	}
	return out
}

// store lets git write objects.
func (s sandbox) store(r *Repo, objects []NewObject) {
	s.t.Helper()
	for _, o := range objects {
		if got := s.in(s.dir, o.Data, "hash-object", "-w", "-t", o.Type, "--stdin"); got != o.OID {
			s.t.Fatalf("git stored %s as %s", o.OID, got)
		}
	}
}

func TestReadBack(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"sha1", "sha256"} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			s := newSandbox(t, "--object-format="+format)
			r := s.open()
			var objects []NewObject
			for _, text := range bodies(20) {
				objects = append(objects, blob(r, text))
			}
			s.store(r, objects)
			readBack(t, r, objects)
		})
	}
}

func readBack(t *testing.T, r *Repo, objects []NewObject) {
	t.Helper()
	ctx := context.Background()
	gone := strings.Repeat("12", r.HashSize())
	oids := []string{gone}
	for _, o := range objects {
		oids = append(oids, o.OID)
	}
	missing := must(r.Missing(ctx, oids))(t)
	if !slices.Equal(missing, []string{gone}) {
		t.Errorf("missing: %v", missing)
	}
	sizes := must(r.Sizes(ctx, oids))(t)
	b := must(r.Reader(ctx))(t)
	defer b.Close()
	for i, o := range objects {
		if _, err := b.Read(gone); !errors.Is(err, ErrNoObject) {
			t.Fatalf("reading nothing: %v", err)
		}
		got, err := b.Read(o.OID)
		if err != nil || got.Type != "blob" || got.OID != o.OID || r.HashObject("blob", got.Data) != o.OID {
			t.Fatalf("read %s: %v", o.OID, err)
		}
		if sizes[i+1] != int64(len(got.Data)) {
			t.Errorf("%s: size %d, want %d", o.OID, sizes[i+1], len(got.Data))
		}
		// After a failing writer the next answer must still be read correctly.
		if _, err := b.Copy(o.OID, failing{}); len(got.Data) > 0 && err == nil {
			t.Error("a failing writer was not reported")
		}
	}
	if sizes[0] != -1 {
		t.Errorf("the size of a missing object is %d", sizes[0])
	}
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errors.New("full") }

// TestMissingAfterPrune checks that Missing notices a pack that a gc deleted: it asks a new
// process.
func TestMissingAfterPrune(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.commit("a", "1")
	r := s.open()
	o := blob(r, "nobody names me")
	s.store(r, []NewObject{o})
	s.git("prune", "--expire=now")
	missing := must(r.Missing(context.Background(), []string{o.OID}))(t)
	if len(missing) != 1 {
		t.Errorf("missing %v after a prune", missing)
	}
}

// TestPartialClone checks that in a partial clone with an unreachable origin an absent object is
// missing, not an error, and that nothing is fetched.
func TestPartialClone(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.commit("a", "old")
	s.commit("a", "new")
	s.git("config", "uploadpack.allowFilter", "true")
	clone := sandbox{t, s.dir + "-partial"}
	s.in("/", nil, "clone", "-q", "--filter=blob:none", "file://"+s.dir, clone.dir)
	old, tip := s.git("rev-parse", "HEAD~:a"), s.git("rev-parse", "HEAD")
	if err := os.Rename(s.dir, s.dir+"-away"); err != nil {
		t.Fatal(err)
	}
	r := clone.open()
	ctx := context.Background()
	missing, err := r.Missing(ctx, []string{old, tip})
	if err != nil || !slices.Equal(missing, []string{old}) {
		t.Errorf("missing: %v, %v", missing, err)
	}
	sizes, err := r.Sizes(ctx, []string{tip, old, tip})
	if err != nil || len(sizes) != 3 || sizes[1] != -1 || sizes[0] != sizes[2] || sizes[0] < 1 {
		t.Errorf("sizes: %v, %v", sizes, err)
	}
	b, err := r.Reader(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if _, err := b.Read(old); !errors.Is(err, ErrNoObject) {
		t.Errorf("reading: %v", err)
	}
	if _, err := b.Read(tip); err != nil {
		t.Errorf("the reader fails after a missing object: %v", err)
	}
}

func TestReaderRefusesLineEnds(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	tip := s.commit("a", "1")
	b := must(s.open().Reader(context.Background()))(t)
	defer b.Close()
	if _, err := b.Read("HEAD:x\n" + tip); err == nil {
		t.Error("git was asked for a name with a newline")
	}
	if o, err := b.Read(tip); err != nil || o.Type != "commit" {
		t.Errorf("%v %v", o, err)
	}
}

// TestTreeAgreesWithGit checks that Tree builds the tree that git writes for the same paths.
func TestTreeAgreesWithGit(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	r := s.open()
	oid := s.in(s.dir, []byte("x"), "hash-object", "-w", "--stdin")
	raw := must(unhex(oid))(t)
	name := rapid.StringOfN(rapid.RuneFrom([]rune("ab.-0/\n\"é")), 1, 8, -1)
	rapid.Check(t, func(rt *rapid.T) {
		paths := plausible(rapid.SliceOfNDistinct(name, 1, 12, rapid.ID).Draw(rt, "paths"))
		if len(paths) == 0 {
			rt.Skip("no path left")
		}
		var files []File
		var in bytes.Buffer
		for _, p := range paths {
			mode := rapid.SampledFrom([]uint32{0o100644, 0o100755, 0o120000}).Draw(rt, "mode")
			files = append(files, File{Path: p, Mode: mode, OID: raw})
			fmt.Fprintf(&in, "%o %s\t%s\x00", mode, oid, p)
		}
		s := sandbox{t, s.dir}
		s.git("read-tree", "--empty")
		s.in(s.dir, in.Bytes(), "update-index", "-z", "--index-info")
		want := s.git("write-tree")
		got, objects, err := r.Tree(files)
		if err != nil || got != want {
			rt.Fatalf("%q: got %s %v, git wrote %s", paths, got, err, want)
		}
		if objects[len(objects)-1].OID != want {
			rt.Fatalf("the top tree is not the last: %v", objects)
		}
	})
	s.git("read-tree", "--empty")
}

// TestTreeOfLargeFolders checks that folders large enough to be built in parallel give the same
// trees in the same order.
func TestTreeOfLargeFolders(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	r := s.open()
	oid := s.in(s.dir, []byte("x"), "hash-object", "-w", "--stdin")
	raw := must(unhex(oid))(t)
	var files []File
	var in bytes.Buffer
	for i := range 4 * minParallelFiles {
		p := fmt.Sprintf("d%d/e%d.x/%d", i%3, i%2, i)
		if i%5 == 0 {
			p = fmt.Sprintf("d%d/e%d", i%3, i)
		}
		files = append(files, File{Path: p, Mode: 0o100644, OID: raw})
		fmt.Fprintf(&in, "100644 %s\t%s\x00", oid, p)
	}
	s.in(s.dir, in.Bytes(), "update-index", "-z", "--index-info")
	want := s.git("write-tree")
	got, objects, err := r.Tree(files)
	if err != nil || got != want || objects[len(objects)-1].OID != want {
		t.Fatalf("got %s %v, git wrote %s", got, err, want)
	}
	for range 3 {
		if _, again, err := r.Tree(files); err != nil || !slices.EqualFunc(objects, again, func(a, b NewObject) bool { return a.OID == b.OID }) {
			t.Fatalf("another order of trees, %v", err)
		}
	}
	twice := append(slices.Clone(files), files[0])
	if got, _, err := r.Tree(twice); err == nil {
		t.Errorf("a path given twice gave %s", got)
	}
}

// plausible drops paths that git refuses, and those that would be file and folder.
func plausible(paths []string) []string {
	sort.Strings(paths)
	var out []string
next:
	for _, p := range paths {
		for part := range strings.SplitSeq(p, "/") {
			if part == "" || part == "." || part == ".." {
				continue next
			}
		}
		for _, q := range out {
			if strings.HasPrefix(p, q+"/") || strings.HasPrefix(q, p+"/") {
				continue next
			}
		}
		out = append(out, p)
	}
	return out
}

func TestTreeRefuses(t *testing.T) {
	t.Parallel()
	r := &Repo{Format: "sha1"}
	oid := strings.Repeat("\x01", 20)
	for _, paths := range [][]string{
		{""}, {"/a"}, {"a/"}, {"a//b"}, {"a", "a"}, {"a", "a/b"}, {"a", "a.txt", "a/b"}, {"d/a", "d/a-b", "d/a/b/c"},
	} {
		var files []File
		for _, p := range paths {
			files = append(files, File{p, 0o100644, oid})
		}
		if got, _, err := r.Tree(files); err == nil {
			t.Errorf("%q: made %s", paths, got)
		}
	}
	if got, _, err := r.Tree(nil); err != nil || got != "4b825dc642cb6eb9a060e54bf8d69288fbee4904" {
		t.Errorf("the empty tree is %s, %v", got, err)
	}
}

func TestDiffTreesAndListTree(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.write("gone", "g")
	s.write("mode", "m")
	s.write("type", "t")
	s.write("line\nend\t\xff", "1")
	s.write("same/deep", "1")
	s.git("add", "-A")
	one := s.git("write-tree")
	os.Remove(s.dir + "/gone")
	os.Chmod(s.dir+"/mode", 0o755)
	os.Remove(s.dir + "/type")
	os.Symlink("x", s.dir+"/type")
	s.write("line\nend\t\xff", "2")
	s.write("new", "n")
	s.git("add", "-A")
	two := s.git("write-tree")
	r := s.open()
	var got []string
	for _, d := range must(r.DiffTrees(context.Background(), one, two))(t) {
		got = append(got, fmt.Sprintf("%c %o %o %s", d.Status, d.OldMode, d.NewMode, d.Path))
	}
	want := []string{"D 100644 0 gone", "M 100644 100644 line\nend\t\xff", "M 100644 100755 mode", "A 0 100644 new", "T 100644 120000 type"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	if d, err := r.DiffTrees(context.Background(), one, one); err != nil || d != nil {
		t.Errorf("a tree differs from itself: %v %v", d, err)
	}
	got = nil
	for _, e := range must(r.ListTree(context.Background(), two))(t) {
		got = append(got, fmt.Sprintf("%o %s %s", e.Mode, e.Type, e.Path))
	}
	want = []string{"100644 blob line\nend\t\xff", "100755 blob mode", "100644 blob new", "100644 blob same/deep", "120000 blob type"}
	if !slices.Equal(got, want) {
		t.Errorf("listed %q", got)
	}
}

func FuzzParseRaw(f *testing.F) {
	f.Add(":100644 100755 " + strings.Repeat("a", 40) + " " + strings.Repeat("b", 40) + " M\x00path\nx\x00")
	f.Add("\x00")
	f.Add(": : : :\x00")
	f.Fuzz(func(t *testing.T, out string) {
		list, err := parseRawDiff(out)
		for _, d := range list {
			if err == nil && d.Status == 0 {
				t.Fatalf("%+v", d)
			}
		}
	})
}

// TestSharedReader checks that trees are parsed as git lists them, and that all who share a process
// use it.
func TestSharedReader(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"sha1", "sha256"} {
		s := newSandbox(t, "--object-format="+format)
		for _, p := range []string{"a", "a.b/x", "a0", "deep/er/file", "line\nend", "run"} {
			s.write(p, p)
		}
		os.Chmod(s.dir+"/run", 0o755)
		os.Symlink("a", s.dir+"/link")
		s.git("add", "-A")
		tip := s.commit("b", "b")
		r := s.open()
		ctx := context.Background()
		end := r.ShareReader()
		first := must(r.Reader(ctx))(t)
		got := must(first.Walk(tip + "^{tree}"))(t)
		want := must(r.ListTree(ctx, tip))(t)
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", format, got, want)
		}
		first.Close()
		if sizes := must(r.Sizes(ctx, []string{tip, r.Zero()}))(t); sizes[0] < 1 || sizes[1] != -1 {
			t.Errorf("sizes %v", sizes)
		}
		second := must(r.Reader(ctx))(t)
		third := must(r.Reader(ctx))(t) // while the second is in use
		if second != first || third == first {
			t.Error("the process is not shared, or used by two callers at the same time")
		}
		for _, b := range []*Reader{second, third} {
			if o, err := b.Read(tip); err != nil || o.Type != "commit" {
				t.Errorf("%v %v", o, err)
			}
			b.Close()
		}
		end()
		if _, err := second.Read(tip); err == nil {
			t.Error("the process still answers after it ended")
		}
	}
}

// TestSharedReaderEnds checks that a shared process ends with the context of its current reader,
// not with an earlier one's.
func TestSharedReaderEnds(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	tip := s.commit("a", "a")
	r := s.open()
	defer r.ShareReader()()
	one, stop := context.WithCancel(context.Background())
	first := must(r.Reader(one))(t)
	first.Close()
	stop()
	two, stop := context.WithCancel(context.Background())
	second := must(r.Reader(two))(t)
	if o, err := second.Read(tip); second != first || err != nil || o.Type != "commit" {
		t.Errorf("after the end of the first reader's context: %v %v", o, err)
	}
	stop()
	for end := time.Now().Add(testutil.Patience); time.Now().Before(end); time.Sleep(10 * time.Millisecond) {
		if _, err := second.Read(tip); err != nil {
			break
		}
	}
	if _, err := second.Read(tip); !errors.Is(err, context.Canceled) {
		t.Errorf("after the end of its own: %v", err)
	}
	second.Close()
	third := must(r.Reader(context.Background()))(t)
	defer third.Close()
	if o, err := third.Read(tip); third == second || err != nil || o.Type != "commit" {
		t.Errorf("a new reader: %v %v", o, err)
	}
}

// TestSharedReaderRests checks that idle processes end.
func TestSharedReaderRests(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	tip := s.commit("a", "a")
	r := s.open()
	defer r.ShareReader()()
	first := must(r.Reader(context.Background()))(t)
	first.Close()
	second := first
	for end := time.Now().Add(testutil.Patience); second == first && time.Now().Before(end); {
		time.Sleep(idleTimeout + 100*time.Millisecond)
		second = must(r.Reader(context.Background()))(t)
		defer second.Close()
	}
	if o, err := second.Read(tip); second == first || err != nil || o.Type != "commit" {
		t.Errorf("%v %v", o, err)
	}
}

// TestPure checks that outputs about objects are cached, and errors are not.
func TestPure(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	one := s.git("rev-parse", s.commit("a", "a")+"^{tree}")
	two := s.git("rev-parse", s.commit("b", "b")+"^{tree}")
	r := s.open()
	ctx := context.Background()
	want := must(r.DiffTrees(ctx, one, two))(t)
	for range 2 {
		if got := must(r.DiffTrees(ctx, one, two))(t); len(got) != 1 || !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
		if got := must(r.DiffTrees(ctx, two, one))(t); len(got) != 1 || got[0].Status != 'D' {
			t.Errorf("the other way: %v", got)
		}
	}
	if len(r.shared.answers) != 2 {
		t.Errorf("%d answers are remembered", len(r.shared.answers))
	}
	if _, err := r.DiffTrees(ctx, one, r.HashObject("tree", []byte("none"))); err == nil || len(r.shared.answers) != 2 {
		t.Errorf("an error is remembered: %v", err)
	}
	for i := range 2 * maxAnswers {
		s.write("c", strings.Repeat("x", i+1))
		s.git("add", "c")
		must(r.DiffTrees(ctx, one, s.git("write-tree")))(t)
	}
	if len(r.shared.answers) != maxAnswers {
		t.Errorf("%d answers are remembered", len(r.shared.answers))
	}
}

func FuzzParseTree(f *testing.F) {
	oid := strings.Repeat("o", 20)
	f.Add([]byte("100644 a\x00" + oid + "40000 b c\x00" + oid))
	f.Add([]byte("100644 a\x00short"))
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, data []byte) {
		list, err := ParseTree(data, 20)
		if err != nil {
			return
		}
		var again []byte
		for _, e := range list {
			raw, err := hex.DecodeString(e.OID)
			if err != nil || len(raw) != 20 || e.Path == "" {
				t.Fatalf("%+v", e)
			}
			again = fmt.Appendf(again, "%o %s\x00%s", e.Mode, e.Path, raw)
		}
		if back, err := ParseTree(again, 20); err != nil || !slices.Equal(back, list) {
			t.Fatalf("it does not read back: %v", err)
		}
	})
}

// TestAttributesOfTheTree checks that .gitattributes files, in the working tree or below, do not
// affect how belay reads objects.
func TestAttributesOfTheTree(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	r := s.open()
	var trees []string
	for _, text := range []string{"one\n", "two\n"} {
		oid := s.in(s.dir, []byte(text), "hash-object", "-w", "--stdin")
		trees = append(trees, s.in(s.dir, []byte("100644 blob "+oid+"\ta.txt\n"), "mktree"))
	}
	if err := os.WriteFile(s.dir+"/.gitattributes", []byte("* -diff\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	out, err := r.Run(context.Background(), nil, "diff-tree", "-r", "--numstat", trees[0], trees[1])
	if got := strings.TrimSpace(string(out)); err != nil || got != "1\t1\ta.txt" {
		t.Errorf("%q, %v", got, err)
	}
}
