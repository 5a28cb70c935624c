package fsroot

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/belay-dev/belay/internal/testutil"
)

// real returns a folder with a path without links, as callers have it.
func real(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// calls are all functions that take a path, each as an operation on that path.
var calls = map[string]func(path string) error{
	"Open":     func(p string) error { f, err := Open(p); return closed(f, err) },
	"OpenFile": func(p string) error { f, err := OpenFile(p, os.O_RDWR|os.O_CREATE, 0o600); return closed(f, err) },
	"OpenFile, new": func(p string) error {
		f, err := OpenFile(p, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
		return closed(f, err)
	},
	"ReadFile":    func(p string) error { _, err := ReadFile(p, MaxSmallFile); return err },
	"WriteFile":   func(p string) error { return WriteFile(p, []byte("x"), 0o600) },
	"ReadDir":     func(p string) error { _, err := ReadDir(p); return err },
	"OpenDir":     func(p string) error { f, err := OpenDir(p); return closed(f, err) },
	"SyncDir":     SyncDir,
	"MkdirAll":    func(p string) error { return MkdirAll(p, 0o700) },
	"Mkdir":       func(p string) error { return Mkdir(p, 0o700) },
	"Chmod":       func(p string) error { return Chmod(p, 0o777) },
	"CreateTemp":  func(p string) error { f, err := CreateTemp(p, "x-*"); return closed(f, err) },
	"MkdirTemp":   func(p string) error { _, err := MkdirTemp(p, "x-*"); return err },
	"Lock":        func(p string) error { return NewLock(p).Lock() },
	"an old Lock": func(p string) error { return NewExistingLock(p).RLock() },
}

// within are the functions that operate on a name in a path's folder. If the path itself is a link
// they may change it, because that is the link itself.
var within = map[string]func(path string) error{
	"Lstat":          func(p string) error { _, err := Lstat(p); return err },
	"Readlink":       func(p string) error { _, err := Readlink(p); return err },
	"Remove":         Remove,
	"RemoveAll":      RemoveAll,
	"Rename from":    func(p string) error { return Rename(p, p+"2") },
	"Rename to":      func(p string) error { return Rename(filepath.Join(filepath.Dir(filepath.Dir(p)), "plain"), p) },
	"RenameNew from": func(p string) error { return RenameNew(p, p+"2") },
	"RenameNew to":   func(p string) error { return RenameNew(filepath.Join(filepath.Dir(filepath.Dir(p)), "plain"), p) },
	"Link from":      func(p string) error { return Link(p, p+"2") },
	"Link to":        func(p string) error { return Link(filepath.Join(filepath.Dir(filepath.Dir(p)), "plain"), p) },
	"Chtimes":        func(p string) error { return Chtimes(p, time.Unix(1, 0), time.Unix(1, 0)) },
}

func closed(f *os.File, err error) error {
	if err == nil {
		_ = f.Close()
	}
	return err
}

// listing returns the state of an outside folder: names, modes, times and bytes.
func listing(t *testing.T, dir string) (lines []string) {
	t.Helper()
	must(t, filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		var text []byte
		if info.Mode().IsRegular() {
			text, err = os.ReadFile(path)
		}
		lines = append(lines, fmt.Sprintf("%s %v %v %q", path, info.Mode(), info.ModTime(), text))
		return err
	}))
	return lines
}

// TestLinkAnywhere puts a link into each part of a path and calls every function.
func TestLinkAnywhere(t *testing.T) {
	all := map[string]func(string) error{}
	for name, call := range calls {
		all[name] = call
	}
	for name, call := range within {
		all[name] = call
	}
	for name, call := range all {
		for _, to := range []string{"outside", "outside/gone"} {
			for _, part := range []string{"a", "a/b", "a/b/c", "a/b/c/leaf"} {
				if _, itself := within[name]; itself && part == "a/b/c/leaf" {
					continue
				}
				top := real(t)
				out := filepath.Join(top, "outside")
				must(t, os.MkdirAll(filepath.Join(out, "b/c/leaf"), 0o755))
				must(t, os.MkdirAll(filepath.Join(out, "c"), 0o755))
				for _, n := range []string{"b/c/leaf/x", "c/leaf", "leaf", "x"} {
					must(t, os.WriteFile(filepath.Join(out, n), []byte("outside"), 0o644))
				}
				must(t, os.MkdirAll(filepath.Dir(filepath.Join(top, part)), 0o755))
				_ = os.WriteFile(filepath.Join(top, "a/b/plain"), nil, 0o644)
				must(t, os.Symlink(filepath.Join(top, to), filepath.Join(top, part)))
				before := listing(t, out)
				err := call(filepath.Join(top, "a/b/c/leaf"))
				var link *LinkError
				if !errors.As(err, &link) || link.Path != filepath.Join(top, part) {
					t.Errorf("%s, %s is a link to %s: %v", name, part, to, err)
				}
				if after := listing(t, out); !slices.Equal(before, after) {
					t.Errorf("%s, %s is a link to %s: changed outside:\n%v\n%v", name, part, to, before, after)
				}
			}
		}
	}
}

// TestLinkItself removes and renames links, which leaves their targets unchanged.
func TestLinkItself(t *testing.T) {
	top := real(t)
	out := filepath.Join(top, "outside")
	must(t, os.MkdirAll(filepath.Join(out, "sub"), 0o755))
	must(t, os.WriteFile(filepath.Join(out, "sub/x"), []byte("outside"), 0o644))
	before := listing(t, out)
	in := filepath.Join(top, "in")
	must(t, os.MkdirAll(filepath.Join(in, "deep"), 0o755))
	for _, n := range []string{"one", "two", "three", "deep/four"} {
		must(t, os.Symlink(out, filepath.Join(in, n)))
	}
	must(t, Remove(filepath.Join(in, "one")))
	must(t, Rename(filepath.Join(in, "two"), filepath.Join(in, "2")))
	must(t, Chtimes(filepath.Join(in, "2"), time.Unix(1, 0), time.Unix(1, 0)))
	if target, err := Readlink(filepath.Join(in, "2")); err != nil || target != out {
		t.Errorf("the target is %q, %v", target, err)
	}
	must(t, RemoveAll(filepath.Join(in, "three")))
	must(t, RemoveAll(in))
	must(t, RemoveAll(in))
	if after := listing(t, out); !slices.Equal(before, after) {
		t.Errorf("changed outside:\n%v\n%v", before, after)
	}
	if _, err := os.Lstat(in); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("it is still there: %v", err)
	}
}

// TestOddTypes opens things that are neither a file nor a folder: that never blocks, and the error
// names the type.
func TestOddTypes(t *testing.T) {
	top := real(t)
	kinds := map[string]func(path string){
		"a FIFO": func(p string) { must(t, unix.Mkfifo(p, 0o666)) },
		"a socket": func(p string) {
			l, err := net.Listen("unix", p)
			must(t, err)
			t.Cleanup(func() { _ = l.Close() })
		},
		"a folder": func(p string) { must(t, os.Mkdir(p, 0o755)) },
	}
	if os.Geteuid() == 0 {
		kinds["a device"] = func(p string) { must(t, unix.Mknod(p, unix.S_IFCHR|0o666, int(unix.Mkdev(1, 5)))) }
	}
	for kind, do := range kinds {
		path := filepath.Join(top, strings.ReplaceAll(kind, " ", ""))
		do(path)
		for name, call := range calls {
			folders := []string{"ReadDir", "OpenDir", "SyncDir", "MkdirAll", "Mkdir", "Private", "CreateTemp", "MkdirTemp", "Chmod", "OpenFile, new"}
			if kind == "a folder" && slices.Contains(folders, name) || name == "Mkdir" || name == "Chmod" || name == "OpenFile, new" {
				continue
			}
			end := async(func() error { return call(path) })
			select {
			case err := <-end:
				var odd *TypeError
				if !errors.As(err, &odd) || odd.Path != path || odd.Is != kind {
					t.Errorf("%s of %s: %v", name, kind, err)
				}
			case <-time.After(testutil.Patience):
				t.Errorf("%s of %s blocks", name, kind)
			}
		}
		// In the middle of a path.
		var odd *TypeError
		if _, err := ReadFile(filepath.Join(path, "x"), MaxSmallFile); kind != "a folder" && (!errors.As(err, &odd) || odd.Path != path || odd.Want != "a folder") {
			t.Errorf("below %s: %v", kind, err)
		}
		must(t, RemoveAll(path))
	}
	if _, err := ReadUserFile("/dev/zero", MaxSmallFile); err == nil {
		t.Error("a device was read as a user's file")
	}
}

func async(call func() error) chan error {
	end := make(chan error, 1)
	go func() { end <- call() }()
	return end
}

// TestSizes checks that no byte beyond the limit is read, whatever size the file reports.
func TestSizes(t *testing.T) {
	path := filepath.Join(real(t), "f")
	must(t, os.WriteFile(path, make([]byte, 1000), 0o644))
	for _, read := range []func(string, int64) ([]byte, error){ReadFile, ReadUserFile} {
		if text, err := read(path, 1000); err != nil || len(text) != 1000 {
			t.Errorf("%d bytes, %v", len(text), err)
		}
		var size *SizeError
		if _, err := read(path, 999); !errors.As(err, &size) || size.Max != 999 {
			t.Errorf("too large: %v", err)
		}
	}
	must(t, os.Truncate(path, 4<<30))
	var size *SizeError
	if _, err := ReadFile(path, MaxSmallFile); !errors.As(err, &size) {
		t.Errorf("a file of 4 GiB: %v", err)
	}
	if _, err := ReadUserFile("/proc/self/maps", 10); err == nil { // it reports size 0
		t.Error("a file with a reported size of 0 was read beyond the limit")
	}
}

// TestWriteFile overwrites files, and truncates only regular ones.
func TestWriteFile(t *testing.T) {
	top := real(t)
	path := filepath.Join(top, "f")
	must(t, WriteFile(path, []byte("a long text"), 0o600))
	must(t, WriteFile(path, []byte("short"), 0o600))
	if text, err := ReadFile(path, MaxSmallFile); err != nil || string(text) != "short" {
		t.Errorf("%q, %v", text, err)
	}
	if err := RenameNew(path, path); !errors.Is(err, fs.ErrExist) {
		t.Errorf("a rename over an existing file: %v", err)
	}
	must(t, RenameNew(path, path+"2"))
	if _, err := os.Lstat(path); err == nil {
		t.Error("it is still there")
	}
}

// TestRemoveAllWithoutRights removes our own folders without read or write permission.
func TestRemoveAllWithoutRights(t *testing.T) { testutil.Without(t, withoutRights) }

func withoutRights(t *testing.T) {
	top := real(t)
	for _, mode := range []fs.FileMode{0, 0o100, 0o400, 0o555} {
		dir := filepath.Join(top, "d")
		must(t, os.MkdirAll(filepath.Join(dir, "e/f"), 0o755))
		must(t, os.WriteFile(filepath.Join(dir, "e/f/x"), nil, 0o644))
		must(t, os.Chmod(filepath.Join(dir, "e"), mode))
		must(t, os.Chmod(dir, mode))
		if err := RemoveAll(dir); err != nil {
			t.Errorf("%v: %v", mode, err)
		}
	}
	must(t, os.MkdirAll(filepath.Join(top, "shut/x"), 0o755))
	must(t, os.Chmod(filepath.Join(top, "shut"), 0))
	var path *fs.PathError
	if _, err := ReadFile(filepath.Join(top, "shut/x/y"), MaxSmallFile); !errors.Is(err, fs.ErrPermission) || !errors.As(err, &path) {
		t.Errorf("without rights: %v", err)
	}
	must(t, os.Chmod(filepath.Join(top, "shut"), 0o700))
	// Paths below a folder without read permission can still be used.
	must(t, os.MkdirAll(filepath.Join(top, "x/y"), 0o755))
	must(t, os.WriteFile(filepath.Join(top, "x/y/z"), []byte("z"), 0o644))
	must(t, os.Chmod(filepath.Join(top, "x"), 0o100))
	if text, err := ReadFile(filepath.Join(top, "x/y/z"), MaxSmallFile); err != nil || string(text) != "z" {
		t.Errorf("%q, %v", text, err)
	}
	must(t, os.Chmod(filepath.Join(top, "x"), 0o700))
}

// TestRace repeatedly swaps a folder for a link to an outside one while every function that changes
// something works through that folder. Nothing outside changes.
func TestRace(t *testing.T) { race(t) }

func race(t *testing.T) {
	top := real(t)
	out := filepath.Join(top, "outside")
	for _, n := range []string{"x/y", "tmp", "f"} {
		must(t, os.MkdirAll(filepath.Join(out, n), 0o755))
		must(t, os.WriteFile(filepath.Join(out, n, "sentinel"), []byte("outside"), 0o644))
	}
	must(t, os.WriteFile(filepath.Join(out, "file"), []byte("outside"), 0o644))
	before := listing(t, out)
	place, folder, link := filepath.Join(top, "place"), filepath.Join(top, "folder"), filepath.Join(top, "link")
	must(t, os.Mkdir(place, 0o755))
	must(t, os.Symlink(out, link))
	var stop atomic.Bool
	swapped := make(chan int)
	go func() {
		n := 0
		for ; n < 10_000; n++ {
			_ = os.Rename(place, folder)
			_ = os.Rename(link, place)
			_ = os.Rename(place, link)
			_ = os.Rename(folder, place)
		}
		stop.Store(true)
		swapped <- n
	}()
	worked := 0
	for !stop.Load() {
		for _, err := range []error{
			MkdirAll(filepath.Join(place, "x/y/z"), 0o777), WriteFile(filepath.Join(place, "file"), []byte("inside"), 0o666),
			WriteFile(filepath.Join(place, "x/y/sentinel"), []byte("inside"), 0o666), Chmod(filepath.Join(place, "file"), 0o777),
			Chtimes(filepath.Join(place, "file"), time.Unix(1, 0), time.Unix(1, 0)), Rename(filepath.Join(place, "file"), filepath.Join(place, "x/file")),
			Remove(filepath.Join(place, "x/y/sentinel")), RemoveAll(filepath.Join(place, "x")), RemoveAll(filepath.Join(place, "tmp")), RemoveAll(filepath.Join(place, "f")),
		} {
			if err == nil {
				worked++
			}
		}
	}
	n := <-swapped
	if after := listing(t, out); !slices.Equal(before, after) {
		t.Errorf("changed outside:\n%v\n%v", before, after)
	}
	t.Logf("%d swaps, %d calls that worked", n, worked)
	if worked == 0 {
		t.Error("no attempt succeeded, so the test of the race is void")
	}
}

// TestLongPaths uses paths that are too long for one system call.
func TestLongPaths(t *testing.T) {
	top := real(t)
	path := top
	for len(path) < 6000 {
		path = filepath.Join(path, strings.Repeat("n", 200))
	}
	must(t, MkdirAll(path, 0o700))
	must(t, WriteFile(filepath.Join(path, "f"), []byte("deep"), 0o600))
	if text, err := ReadFile(filepath.Join(path, "f"), MaxSmallFile); err != nil || string(text) != "deep" {
		t.Errorf("%q, %v", text, err)
	}
	must(t, RemoveAll(filepath.Join(top, strings.Repeat("n", 200))))
}

// TestLock checks that a lock excludes others or is shared, and ends with Unlock or its process.
func TestLock(t *testing.T) {
	path := filepath.Join(real(t), "lock")
	if ok, err := NewExistingLock(path).TryLock(); ok || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("NewExistingLock without a file: %v, %v", ok, err)
	}
	a, b := NewLock(path), NewLock(path)
	take := func(l *Lock, shared, want bool) {
		t.Helper()
		try := l.TryLock
		if shared {
			try = l.TryRLock
		}
		if ok, err := try(); err != nil || ok != want {
			t.Errorf("%v, %v, not %v", ok, err, want)
		}
	}
	take(a, false, true)
	take(b, false, false)
	take(b, true, false)
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Millisecond)
	defer cancel()
	if ok, err := b.TryLockContext(ctx, time.Millisecond); ok || !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("%v, %v", ok, err)
	}
	must(t, a.Unlock())
	must(t, a.Unlock())
	take(a, true, true)
	take(b, true, true)
	take(b, false, false)
	must(t, a.Unlock())
	take(b, false, true)
	must(t, b.Unlock())

	// No child keeps the lock, neither a running one nor one that is being started.
	take(a, false, true)
	child := exec.Command("sleep", "20")
	must(t, child.Start())
	defer func() { _ = child.Process.Kill(); _ = child.Wait() }()
	must(t, a.Unlock())
	take(b, false, true)
	must(t, b.Unlock())
}

// TestLockIsNotInherited ends a process with a lock while its child lives on.
func TestLockIsNotInherited(t *testing.T) {
	if path := os.Getenv("FSROOT_LOCK"); path != "" {
		must(t, NewLock(path).Lock())
		c := exec.Command("sleep", "20")
		must(t, c.Start())
		fmt.Println("child", c.Process.Pid)
		return
	}
	path := filepath.Join(real(t), "lock")
	c := exec.Command(os.Args[0], "-test.run", "^TestLockIsNotInherited$")
	c.Env = append(os.Environ(), "FSROOT_LOCK="+path)
	out, err := c.Output()
	must(t, err)
	var pid int
	if _, rest, ok := strings.Cut(string(out), "child "); !ok {
		t.Fatalf("it printed %q", out)
	} else if _, err := fmt.Sscan(rest, &pid); err != nil {
		t.Fatal(err)
	}
	defer func() { _ = syscall.Kill(pid, syscall.SIGKILL) }()
	if ok, err := NewLock(path).TryLock(); !ok || err != nil {
		t.Errorf("the child holds the lock: %v, %v", ok, err)
	}
}

// TestWalkDir checks that it lists everything, follows no link, and can skip.
func TestWalkDir(t *testing.T) {
	top := real(t)
	must(t, os.MkdirAll(filepath.Join(top, "a/b"), 0o755))
	must(t, os.MkdirAll(filepath.Join(top, "skip/b"), 0o755))
	must(t, os.WriteFile(filepath.Join(top, "a/b/f"), nil, 0o644))
	must(t, os.Symlink("/", filepath.Join(top, "a/link")))
	var seen []string
	must(t, WalkDir(top, func(path string, e fs.DirEntry, err error) error {
		must(t, err)
		seen = append(seen, strings.TrimPrefix(path, top))
		if e.Name() == "skip" {
			return fs.SkipDir
		}
		return nil
	}))
	if want := []string{"", "/a", "/a/b", "/a/b/f", "/a/link", "/skip"}; !slices.Equal(seen, want) {
		t.Errorf("%q", seen)
	}
	var link *LinkError
	err := WalkDir(filepath.Join(top, "a/link/etc"), func(_ string, _ fs.DirEntry, err error) error { return err })
	if !errors.As(err, &link) {
		t.Errorf("through a link: %v", err)
	}
}

// TestGlob: the folder is literal, the pattern is not.
func TestGlob(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "a[b]*?")
	for _, f := range []string{"x/out/1", "y/out/2", "y/in/3"} {
		if err := os.MkdirAll(filepath.Join(dir, f), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	got, err := Glob(dir, "*/out/*")
	if want := []string{filepath.Join(dir, "x/out/1"), filepath.Join(dir, "y/out/2")}; err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
	if got, err := Glob(filepath.Join(dir, "missing"), "*"); len(got) > 0 || err != nil {
		t.Errorf("%q, %v in a folder that does not exist", got, err)
	}
}
