package restore_test

import (
	"net"
	"os"
	"strings"

	"github.com/belay-dev/belay/internal/snapshot"
)

// Files that are more than bytes under a name.
var moreFiles = []repository{
	{name: "setuid, setgid and sticky bits", build: func(s *sandbox) {
		base(s)
		s.write("tool", "x")
		for p, mode := range map[string]uint32{"tool": 0o4755, "e.sh": 0o2755, "a.txt": 0o1644, "dir": 0o3775} {
			s.chmod(p, mode)
		}
	}},
	{name: "modes 0, 200 and 111", build: func(s *sandbox) {
		base(s)
		s.write("u", "untracked")
		for p, mode := range map[string]uint32{"a.txt": 0, "u": 0o200, "e.sh": 0o111} {
			s.chmod(p, mode)
		}
	}},
	{name: "hard links", build: func(s *sandbox) {
		base(s)
		s.ok(os.Link(s.path("a.txt"), s.path("twin")))
		s.ok(os.Link(s.path("b.txt"), s.path("dir/twin")))
		s.git("add", "twin")
	}},
	{name: "sockets", build: func(s *sandbox) {
		base(s)
		l, err := net.ListenUnix("unix", &net.UnixAddr{Name: shortPath(s, "s"), Net: "unix"})
		s.ok(err)
		l.SetUnlinkOnClose(false)
		s.ok(l.Close())
	}, agent: func(s *sandbox) { s.write("a.txt", "x"); s.remove("dir") }, reports: []string{"s"}},
	{name: "read-only folders, one in the other", build: func(s *sandbox) {
		base(s)
		s.write("dir/deep/untracked", "u")
		s.chmod("dir/deep", 0o555)
		s.chmod("dir", 0o555)
		s.write("shut/x", "u")
		s.chmod("shut", 0o500)
	}},
	{name: "untracked over the limit", opts: snapshot.Options{MaxFile: 1 << 10}, build: func(s *sandbox) {
		base(s)
		s.write("large", strings.Repeat("untracked\n", 1000))
		s.write("small", "fits")
		s.left = []string{"large"}
	}, agent: func(s *sandbox) { s.write("a.txt", "x"); s.remove("small"); s.write("agent", "x") }, reports: []string{"large"}},
	{name: "tracked over the limit", opts: snapshot.Options{MaxFile: 1 << 10}, build: func(s *sandbox) {
		base(s)
		s.commit("large", "large", strings.Repeat("tracked\n", 1000))
		s.write("large", strings.Repeat("edited\n", 1000))
		s.write("staged", strings.Repeat("staged\n", 1000))
		s.git("add", "staged")
	}},
	{name: "ignored files that are asked for", opts: snapshot.Options{Include: []string{".env", "conf/*.local"}}, build: func(s *sandbox) {
		base(s)
		s.write(".gitignore", "*.log\nbuild/\n.env\nconf/\n")
		s.write(".env", "precious")
		s.chmod(".env", 0o600)
		s.write("conf/a.local", "precious")
		s.write("conf/other", "not asked for")
		s.left = []string{"conf/other"}
	}, agent: func(s *sandbox) {
		s.remove(".env")
		s.write("conf/a.local", "spoiled")
		s.write("a.txt", "x")
		s.write(".gitignore", "*\n")
	}},
	{name: "empty everything", build: func(s *sandbox) {
		s.write("empty", "")
		s.mkdir("folder")
		s.git("add", "-A")
		s.git("commit", "-q", "-m", "one")
		s.git("commit", "-q", "--allow-empty", "-m", "two")
		s.write("also", "")
	}},
	{name: "case changed in the name alone", build: func(s *sandbox) {
		base(s)
		s.git("mv", "a.txt", "A.txt")
		s.ok(os.Rename(s.path("dir"), s.path("Dir")))
	}},
	{name: "a path longer than the kernel takes", build: func(s *sandbox) {
		base(s)
		deepFile(s, 20, "end", "deep")
	}, agent: func(s *sandbox) {
		top := strings.Repeat("d", 240)
		s.remove(top)
		s.write("a.txt", "x")
	}},
	{name: "a long link", build: func(s *sandbox) {
		base(s)
		s.link(strings.Repeat("t/", 2000)+"end", "long")
		s.link("\xff\n", "odd")
	}},
	{name: "names with newlines that look like git's lines", build: func(s *sandbox) {
		base(s)
		for _, n := range []string{"a\n100644 blob 0000\tb", "x\x01\x02", "\"quoted\"", "a\\nb", "tab\there", "-", "--", "dir/-rf", ".gitignore2", "sub/.gitattributes.x"} {
			s.write(n, "odd "+n)
		}
		s.git("add", "-A")
	}},
}

// shortPath is a name for a socket, whose path may not be long.
func shortPath(s *sandbox, name string) string {
	s.t.Helper()
	dir, err := os.MkdirTemp("", "b")
	s.ok(err)
	s.t.Cleanup(func() { os.RemoveAll(dir) })
	s.ok(os.Symlink(s.dir, dir+"/r"))
	return dir + "/r/" + name
}

// deepFile makes a file below depth folders of 240 letters, step by step.
func deepFile(s *sandbox, depth int, name, text string) {
	s.t.Helper()
	root, err := os.OpenRoot(s.dir)
	s.ok(err)
	for range depth {
		d := strings.Repeat("d", 240)
		s.ok(root.Mkdir(d, 0o755))
		next, err := root.OpenRoot(d)
		s.ok(err)
		root.Close()
		root = next
	}
	s.ok(root.WriteFile(name, []byte(text), 0o644))
	root.Close()
}
