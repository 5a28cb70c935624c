package watch

import (
	"bufio"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"golang.org/x/sys/unix"
)

// TestWritten opens and maps files in this process, as another program would.
func TestWritten(t *testing.T) {
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	open := func(name string, flag int) *os.File {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("some bytes"), 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := os.OpenFile(path, flag, 0)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = f.Close() })
		return f
	}
	mapIt := func(f *os.File, prot, how int) {
		b, err := unix.Mmap(int(f.Fd()), 0, 10, prot, how)
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = unix.Munmap(b) })
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
	}
	open("read", os.O_RDONLY)
	open("written", os.O_WRONLY)
	open("a folder/both ways", os.O_RDWR)
	open(".git/index", os.O_RDWR)
	mapIt(open("mapped\nand a\\b", os.O_RDWR), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED)
	mapIt(open("mapped twice", os.O_RDWR), unix.PROT_WRITE, unix.MAP_SHARED)
	mapIt(open("mapped to read", os.O_RDWR), unix.PROT_READ, unix.MAP_SHARED)
	mapIt(open("mapped alone", os.O_RDWR), unix.PROT_READ|unix.PROT_WRITE, unix.MAP_PRIVATE)
	if err := os.Remove(open("gone", os.O_RDWR).Name()); err != nil {
		t.Fatal(err)
	}

	mapped := []string{"mapped\nand a\\b", "mapped twice"}
	want := append([]string{"a folder/both ways", "gone", "written"}, mapped...)
	slices.Sort(want)
	found, err := Written(root)
	if got := slices.Sorted(maps.Keys(found)); err != nil || !slices.Equal(got, want) {
		t.Errorf("%q %v, want %q", got, err, want)
	}

	for name, look := range map[string]func(*writableFinder, int){"read": (*writableFinder).mapped, "asked": func(s *writableFinder, fd int) {
		if !s.asked(fd) {
			t.Skip("this kernel cannot be asked for mappings")
		}
	}} {
		t.Run(name, func(t *testing.T) {
			table, err := os.Open("/proc/self/maps")
			if err != nil {
				t.Fatal(err)
			}
			defer table.Close()
			s := &writableFinder{aliases: []alias{{root, ""}}, found: map[string]bool{}}
			look(s, int(table.Fd()))
			if got := slices.Sorted(maps.Keys(s.found)); !slices.Equal(got, slices.Sorted(slices.Values(mapped))) {
				t.Errorf("%q, want %q", got, mapped)
			}
		})
	}
}

// TestAliases checks at which paths processes with another mount table see a tree.
func TestAliases(t *testing.T) {
	t.Parallel()
	list := []mount{
		{"1", "8:1", "/", "/"}, {"2", "8:1", "/home/me/tree", "/workspace"}, {"3", "8:1", "/home/me/tree/data", "/var/lib/db"},
		{"4", "8:1", "/home/me", "/me"}, {"5", "8:2", "/home/me/tree", "/other/disk"}, {"6", "8:1", "/home/me/treetop", "/other"},
		{"7", "8:1", "/home/me/tree/a file", "/etc/file"},
	}
	want := []alias{{"/home/me/tree", ""}, {"/workspace", ""}, {"/var/lib/db", "data"}, {"/me/tree", ""}, {"/etc/file", "a file"}}
	if got := aliasesOf(list, "8:1", "/home/me/tree"); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	s := &writableFinder{aliases: want, found: map[string]bool{}}
	for _, p := range []string{"/workspace/one", "/var/lib/db/two", "/etc/file", "/workspaces/x", "/workspace/.git/index", "/workspace", "/x"} {
		s.note(p)
	}
	if got := slices.Sorted(maps.Keys(s.found)); !slices.Equal(got, []string{"a file", "data/two", "one"}) {
		t.Errorf("%q", got)
	}
}

// TestWrittenInAnotherNamespace checks that a file that a process has open in a mount namespace of
// its own, below another path, is found.
func TestWrittenInAnotherNamespace(t *testing.T) {
	t.Parallel()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	other := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "db"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("unshare", "-Urm", "sh", "-c", `mount --bind "$1" "$2" && exec 3>>"$2/db" && echo ready && read x`, "sh", root, other)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Skipf("no namespaces: %v", err)
	}
	defer func() { _ = in.Close(); _ = cmd.Wait() }()
	if line, _ := bufio.NewReader(out).ReadString('\n'); line != "ready\n" {
		t.Skip("no namespaces")
	}
	if found, err := Written(root); err != nil || !found["db"] {
		t.Errorf("%v, %v", found, err)
	}
}

// BenchmarkWritten measures the fixed cost of every answer, which depends on the number of
// processes.
func BenchmarkWritten(b *testing.B) {
	for b.Loop() {
		if _, err := Written("/nowhere"); err != nil {
			b.Fatal(err)
		}
	}
}
