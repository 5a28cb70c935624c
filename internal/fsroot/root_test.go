package fsroot

import (
	"crypto/sha1"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// bench is a tree in a folder of its own, with another folder for temporary files.
type bench struct {
	t       testing.TB
	root    string
	private string
}

func newBench(t testing.TB) *bench {
	t.Helper()
	top := t.TempDir()
	b := &bench{t: t, root: filepath.Join(top, "tree"), private: filepath.Join(top, "private")}
	b.must(os.MkdirAll(b.root, 0o755))
	b.must(os.MkdirAll(b.private, 0o755))
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

func (b *bench) tmp() string { return b.private }

func blobOID(content string) OID {
	sum := sha1.Sum(fmt.Appendf(nil, "blob %d\x00%s", len(content), content))
	return OID(sum[:])
}

func writes(text string) func(io.Writer) error {
	return func(w io.Writer) error { _, err := io.WriteString(w, text); return err }
}

func newRoot(t testing.TB) (*bench, *Root) {
	t.Helper()
	b := newBench(t)
	r, err := OpenRoot(b.root)
	b.must(err)
	t.Cleanup(func() { r.Close() })
	return b, r
}

func (b *bench) is(path, content string, mode uint32) {
	b.t.Helper()
	text, err := os.ReadFile(b.path(path))
	b.must(err)
	var st unix.Stat_t
	b.must(unix.Lstat(b.path(path), &st))
	if string(text) != content || uint32(st.Mode) != uint32(mode|unix.S_IFREG) {
		b.t.Errorf("%s is %q with mode %o", path, text, st.Mode)
	}
}

// clean fails if a temporary file remains in the tree or the folder for them.
func (b *bench) clean() {
	b.t.Helper()
	for _, top := range []string{b.root, b.tmp()} {
		b.must(filepath.WalkDir(top, func(path string, _ fs.DirEntry, err error) error {
			if strings.HasPrefix(filepath.Base(path), TempPrefix) {
				b.t.Errorf("%s is left", path)
			}
			return err
		}))
	}
}

func TestRootWriteFile(t *testing.T) {
	t.Parallel()
	b, r := newRoot(t)
	outside := filepath.Join(b.tmp(), "outside")
	b.must(os.WriteFile(outside, []byte("sentinel"), 0o600))
	b.put("d/old", "old", "folder/x", "x")
	b.link("link", outside)
	b.must(unix.Mkfifo(b.path("pipe"), 0o600))
	long := strings.Repeat("n", 255)
	for _, c := range []struct {
		path string
		perm uint16
		tmp  string
	}{
		{"d/old", 0o640, b.tmp()}, {"d/new", 0o755, ""}, {"link", 0o4711, b.tmp()}, {"link", 0o2666, ""}, {"pipe", 0o000, b.tmp()},
		{"d/\n\xff", 0o1777, b.tmp() + "/none"}, {long, 0o600, "/proc"}, {"d/old", 0o777, "/dev/shm"}, {"-", 0o644, outside},
	} {
		b.must(r.WriteFile(c.path, c.perm, c.tmp, writes("new "+c.path)))
		b.is(c.path, "new "+c.path, uint32(c.perm))
	}
	if err := r.WriteFile("folder", 0o600, b.tmp(), writes("x")); !errors.Is(err, ErrFolder) {
		t.Errorf("over a folder: %v", err)
	}
	boom := errors.New("boom")
	err := r.WriteFile("d/old", 0o600, "", func(w io.Writer) error { _, _ = io.WriteString(w, "half"); return boom })
	if !errors.Is(err, boom) {
		t.Errorf("a failing fill gave %v", err)
	}
	b.is("d/old", "new d/old", 0o777)
	if err := r.WriteFile("no/such", 0o600, "", writes("")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without a parent: %v", err)
	}
	if text, _ := os.ReadFile(outside); string(text) != "sentinel" {
		t.Errorf("the file outside is %q", text)
	}
	b.clean()
}

// TestCreateFile checks the bytes and mode of a new file, that existing ones are not changed, and
// that a failure leaves nothing.
func TestCreateFile(t *testing.T) {
	t.Parallel()
	b, r := newRoot(t)
	outside := filepath.Join(b.tmp(), "outside")
	b.must(os.WriteFile(outside, []byte("sentinel"), 0o600))
	b.put("d/old", "old", "folder/x", "x")
	b.link("link", outside)
	b.link("nowhere", outside+"/none")
	for path, perm := range map[string]uint16{"d/new": 0o4755, "folder/y": 0, "\n\xff": 0o2640} {
		b.must(r.CreateFile(path, perm, writes("new "+path)))
		b.is(path, "new "+path, uint32(perm))
	}
	for _, path := range []string{"d/old", "folder", "link", "nowhere", "d/new"} {
		if err := r.CreateFile(path, 0o600, writes("x")); !errors.Is(err, fs.ErrExist) {
			t.Errorf("over %s: %v", path, err)
		}
	}
	boom := errors.New("boom")
	if err := r.CreateFile("d/half", 0o600, func(w io.Writer) error { _, _ = io.WriteString(w, "half"); return boom }); !errors.Is(err, boom) {
		t.Errorf("a failing fill gave %v", err)
	}
	if _, err := os.Lstat(b.path("d/half")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a partly written file is left: %v", err)
	}
	b.is("d/old", "old", 0o644)
	if text, _ := os.ReadFile(outside); string(text) != "sentinel" {
		t.Errorf("the file outside is %q", text)
	}
	b.clean()
}

func TestRootRefusesToLeaveTheTree(t *testing.T) {
	t.Parallel()
	b, r := newRoot(t)
	outside := filepath.Join(b.tmp(), "out")
	b.must(os.MkdirAll(outside+"/sub", 0o755))
	b.must(os.WriteFile(outside+"/f", []byte("sentinel"), 0o640))
	b.put("real/f", "inside", "file", "x")
	b.link("out", outside)
	b.link("in", "real")
	b.link("real/up", "..")
	all := func(path string) map[string]error {
		_, lstat := r.Lstat(path)
		_, open := r.Open(path)
		_, readlink := r.ReadLink(path)
		return map[string]error{
			"lstat": lstat, "open": open, "readlink": readlink,
			"write": r.WriteFile(path, 0o600, b.tmp(), writes("bad")), "create": r.CreateFile(path, 0o600, writes("bad")), "symlink": r.Symlink(path, "bad"), "mkdir": r.Mkdir(path, 0o700),
			"chmod": r.Chmod(path, 0o777), "remove": r.Remove(path), "rmdir": r.Rmdir(path),
		}
	}
	for _, path := range []string{"out/f", "out/sub", "in/f", "in/new", "file/x", "real/up/file", "out/sub/x/y"} {
		for op, err := range all(path) {
			if !errors.Is(err, ErrNotFolder) {
				t.Errorf("%s %s gave %v", op, path, err)
			}
		}
		if same, err := r.Matches(path, File, 0o644, blobOID("sentinel"), sha1.New); same || err != nil {
			t.Errorf("same %s: %v, %v", path, same, err)
		}
	}
	for _, path := range []string{"../x", "/etc/passwd", "a/../../x", "real/./f", "real//f", "real/f/", ".", "..", "nul\x00", "real/.."} {
		for op, err := range all(path) {
			if err == nil || errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s %q gave %v", op, path, err)
			}
		}
	}
	if text, _ := os.ReadFile(outside + "/f"); string(text) != "sentinel" {
		t.Errorf("the file outside is %q", text)
	}
	b.is("real/f", "inside", 0o644)
}

// TestRootWithoutOpenat2 runs the code for old kernels and other systems.
func TestRootWithoutOpenat2(t *testing.T) {
	b, r := newRoot(t)
	outside := filepath.Join(b.tmp(), "out")
	b.must(os.MkdirAll(outside, 0o755))
	b.put("a/b/c/f", "x", "top", "y")
	b.link("a/out", outside)
	for _, path := range []string{"a", "a/b/c", "top"} {
		fd, err := openEach(r.fd, path, unix.O_RDONLY, 0)
		if err != nil {
			t.Fatal(err)
		}
		unix.Close(fd)
	}
	for path, want := range map[string]error{"a/out": unix.ELOOP, "a/out/x": unix.ENOTDIR, "a/none/x": unix.ENOENT, "top/x": unix.ENOTDIR} {
		if _, err := openEach(r.fd, path, unix.O_RDONLY, 0); err != want {
			t.Errorf("%s gave %v", path, err)
		}
	}
}

func TestSymlink(t *testing.T) {
	t.Parallel()
	b, r := newRoot(t)
	b.put("f", "x", "d/x", "y")
	long := strings.Repeat("t/", 2000)
	for _, c := range [][2]string{{"l", "one"}, {"l", "two"}, {"f", "../\xff\n"}, {"d/l", "/nowhere"}, {"d/l", long}} {
		b.must(r.Symlink(c[0], c[1]))
		if got, err := r.ReadLink(c[0]); got != c[1] || err != nil {
			t.Errorf("%s is a link to %q, %v", c[0], got, err)
		}
		if same, err := r.Matches(c[0], SymbolicLink, 0, blobOID(c[1]), sha1.New); !same || err != nil {
			t.Errorf("%s is not the same: %v", c[0], err)
		}
	}
	if err := r.Symlink("d", "x"); !errors.Is(err, ErrFolder) {
		t.Errorf("over a folder: %v", err)
	}
	b.clean()
}

func TestFoldersAndModes(t *testing.T) {
	t.Parallel()
	b, r := newRoot(t)
	b.put("f", "x")
	b.link("l", "f")
	b.link("ld", "d")
	b.must(unix.Mkfifo(b.path("pipe"), 0o600))
	b.must(r.Mkdir("d", 0o2750))
	b.must(r.Mkdir("d/e", 0o1777))
	b.must(r.Mkdir("d", 0o500))
	b.must(r.Chmod("d/e", 0o000))
	b.must(r.Chmod("f", 0o6755))
	b.must(r.Chmod("", 0o711))
	for path, want := range map[string]Info{"d": {Kind: Folder, Perm: 0o500}, "d/e": {Kind: Folder}, "f": {Kind: Exec, Perm: 0o6755},
		"l": {Kind: SymbolicLink, Perm: 0o777}, "pipe": {Kind: Other, Perm: 0o600}, "": {Kind: Folder, Perm: 0o711}} {
		if i, err := r.Lstat(path); i.Kind != want.Kind || i.Perm != want.Perm || err != nil {
			t.Errorf("%s is %+v, %v", path, i, err)
		}
	}
	for what, err := range map[string]error{
		"mkdir over a file": r.Mkdir("f", 0o755), "mkdir over a link": r.Mkdir("ld", 0o755), "rmdir of a file": r.Rmdir("f"), "rmdir of a link": r.Rmdir("ld"),
	} {
		if !errors.Is(err, ErrNotFolder) {
			t.Errorf("%s gave %v", what, err)
		}
	}
	for what, err := range map[string]error{"chmod of a link": r.Chmod("l", 0o600), "chmod of a FIFO": r.Chmod("pipe", 0o666), "remove of a FIFO": r.Remove("pipe")} {
		if err == nil {
			t.Errorf("%s passed", what)
		}
	}
	if err := r.Remove("d"); !errors.Is(err, ErrFolder) {
		t.Errorf("remove of a folder gave %v", err)
	}
	if err := r.Rmdir("d"); !errors.Is(err, syscall.ENOTEMPTY) {
		t.Errorf("rmdir of a full folder gave %v", err)
	}
	for _, err := range []error{r.Rmdir("d/e"), r.Rmdir("d"), r.Remove("l"), r.Remove("f"), r.Sync()} {
		b.must(err)
	}
	for _, err := range []error{r.Remove("f"), r.Rmdir("d"), r.Chmod("f", 0o600)} {
		if !errors.Is(err, fs.ErrNotExist) {
			t.Errorf("of a missing path: %v", err)
		}
	}
	names, err := r.ReadFolder("")
	b.must(err)
	if !slices.Equal(names, []string{"ld", "pipe"}) {
		t.Errorf("left are %q", names)
	}
}

func TestSame(t *testing.T) {
	t.Parallel()
	b, r := newRoot(t)
	b.put("f", "text")
	b.must(os.Chmod(b.path("f"), 0o640))
	b.must(unix.Mkfifo(b.path("pipe"), 0o600))
	for _, c := range []struct {
		path string
		kind PathKind
		perm uint16
		oid  OID
		want bool
	}{
		{"f", File, 0o640, blobOID("text"), true}, {"f", File, 0o644, blobOID("text"), false}, {"f", Exec, 0o640, blobOID("text"), false},
		{"f", File, 0o640, blobOID("other"), false}, {"f", SymbolicLink, 0, blobOID("text"), false}, {"none", File, 0, blobOID(""), false},
		{"pipe", File, 0o600, blobOID(""), false},
	} {
		if got, err := r.Matches(c.path, c.kind, c.perm, c.oid, sha1.New); got != c.want || err != nil {
			t.Errorf("%+v gave %v, %v", c, got, err)
		}
	}
	if _, err := r.Open("pipe"); err == nil {
		t.Error("a FIFO was opened")
	}
	f, err := r.Open("f")
	b.must(err)
	defer f.Close()
	if text, _ := io.ReadAll(f); string(text) != "text" {
		t.Errorf("read %q", text)
	}
}

// TestFaultAtEveryStep fails each step of each writer: the old content remains, and no temporary
// file.
func TestFaultAtEveryStep(t *testing.T) {
	defer func() { Fault = nil }()
	boom := errors.New("boom")
	type op struct {
		name string
		do   func(b *bench, r *Root) error
	}
	ops := []op{
		{"write", func(b *bench, r *Root) error { return r.WriteFile("d/f", 0o755, b.tmp(), writes("new")) }},
		{"write beside", func(b *bench, r *Root) error { return r.WriteFile("d/f", 0o755, "", writes("new")) }},
		{"create", func(b *bench, r *Root) error { return r.CreateFile("d/new", 0o755, writes("new")) }},
		{"symlink", func(b *bench, r *Root) error { return r.Symlink("d/f", "new") }},
		{"mkdir", func(b *bench, r *Root) error { return r.Mkdir("d/new", 0o700) }},
		{"chmod", func(b *bench, r *Root) error { return r.Chmod("d/f", 0o700) }},
		{"remove", func(b *bench, r *Root) error { return r.Remove("d/f") }},
		{"rmdir", func(b *bench, r *Root) error { return r.Rmdir("e") }},
		{"sync", func(b *bench, r *Root) error { return r.Sync() }},
	}
	for _, o := range ops {
		b, r := newRoot(t)
		b.put("d/f", "old")
		b.must(os.Mkdir(b.path("e"), 0o755))
		var steps []string
		Fault = func(op, _ string) error { steps = append(steps, op); return nil }
		b.must(o.do(b, r))
		if len(steps) == 0 {
			t.Errorf("%s makes no steps", o.name)
		}
		for fail := range steps {
			Fault = nil
			b, r := newRoot(t)
			b.put("d/f", "old")
			b.must(os.Mkdir(b.path("e"), 0o755))
			n := 0
			Fault = func(string, string) error {
				if n++; n == fail+1 {
					return boom
				}
				return nil
			}
			if err := o.do(b, r); !errors.Is(err, boom) {
				t.Errorf("%s, step %d of %v: %v", o.name, fail, steps, err)
			}
			b.is("d/f", "old", 0o644)
			if _, err := os.Stat(b.path("e")); err != nil {
				t.Error(err)
			}
			b.clean()
		}
	}
}

// TestWritersBesideEachOther lets several goroutines write in one tree.
func TestWritersBesideEachOther(t *testing.T) {
	t.Parallel()
	b, r := newRoot(t)
	b.must(os.Mkdir(b.path("d"), 0o755))
	errs := make(chan error)
	for i := range 8 {
		go func() {
			var err error
			for k := range 50 {
				err = errors.Join(err, r.WriteFile(fmt.Sprintf("d/%d-%d", i, k), 0o644, b.tmp(), writes("x")), r.WriteFile("d/shared", 0o644, "", writes("whole")))
			}
			errs <- err
		}()
	}
	for range 8 {
		b.must(<-errs)
	}
	b.is("d/shared", "whole", 0o644)
	if names, err := r.ReadFolder("d"); len(names) != 401 || err != nil {
		t.Errorf("%d files, %v", len(names), err)
	}
	b.clean()
}
