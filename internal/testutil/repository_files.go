package testutil

import (
	"net"
	"os"
	"strings"
)

// Unusual kinds of files, modes and names.
var moreFiles = []Repository{
	{Name: "setuid, setgid and sticky bits", Build: func(s *Sandbox) {
		Base(s)
		s.Write("tool", "x")
		for p, mode := range map[string]uint32{"tool": 0o4755, "e.sh": 0o2755, "a.txt": 0o1644, "dir": 0o3775} {
			s.Chmod(p, mode)
		}
	}},
	{Name: "modes 0, 200 and 111", Build: func(s *Sandbox) {
		Base(s)
		s.Write("u", "untracked")
		for p, mode := range map[string]uint32{"a.txt": 0, "u": 0o200, "e.sh": 0o111} {
			s.Chmod(p, mode)
		}
	}},
	{Name: "hard links", Build: func(s *Sandbox) {
		Base(s)
		s.Ok(os.Link(s.Path("a.txt"), s.Path("twin")))
		s.Ok(os.Link(s.Path("b.txt"), s.Path("dir/twin")))
		s.Git("add", "twin")
	}},
	{Name: "sockets", Build: func(s *Sandbox) {
		Base(s)
		l, err := net.ListenUnix("unix", &net.UnixAddr{Name: shortPath(s, "s"), Net: "unix"})
		s.Ok(err)
		l.SetUnlinkOnClose(false)
		s.Ok(l.Close())
	}, Agent: func(s *Sandbox) { s.Write("a.txt", "x"); s.Remove("dir") }, Reports: []string{"s"}},
	{Name: "read-only folders, one in the other", Build: func(s *Sandbox) {
		Base(s)
		s.Write("dir/deep/untracked", "u")
		s.Chmod("dir/deep", 0o555)
		s.Chmod("dir", 0o555)
		s.Write("shut/x", "u")
		s.Chmod("shut", 0o500)
	}},
	{Name: "untracked over the limit", Opts: Capture{MaxFile: 1 << 10}, Build: func(s *Sandbox) {
		Base(s)
		s.Write("large", strings.Repeat("untracked\n", 1000))
		s.Write("small", "fits")
		s.Left = []string{"large"}
	}, Agent: func(s *Sandbox) { s.Write("a.txt", "x"); s.Remove("small"); s.Write("agent", "x") }, Reports: []string{"large"}},
	{Name: "tracked over the limit", Opts: Capture{MaxFile: 1 << 10}, Build: func(s *Sandbox) {
		Base(s)
		s.Commit("large", "large", strings.Repeat("tracked\n", 1000))
		s.Write("large", strings.Repeat("edited\n", 1000))
		s.Write("staged", strings.Repeat("staged\n", 1000))
		s.Git("add", "staged")
	}},
	{Name: "ignored files that are asked for", Opts: Capture{Include: []string{".env", "conf/*.local"}}, Build: func(s *Sandbox) {
		Base(s)
		s.Write(".gitignore", "*.log\nbuild/\n.env\nconf/\n")
		s.Write(".env", "precious")
		s.Chmod(".env", 0o600)
		s.Write("conf/a.local", "precious")
		s.Write("conf/other", "not asked for")
		s.Left = []string{"conf/other"}
	}, Agent: func(s *Sandbox) {
		s.Remove(".env")
		s.Write("conf/a.local", "spoiled")
		s.Write("a.txt", "x")
		s.Write(".gitignore", "*\n")
	}},
	{Name: "empty everything", Build: func(s *Sandbox) {
		s.Write("empty", "")
		s.Mkdir("folder")
		s.Git("add", "-A")
		s.Git("commit", "-q", "-m", "one")
		s.Git("commit", "-q", "--allow-empty", "-m", "two")
		s.Write("also", "")
	}},
	{Name: "case changed in the name alone", Build: func(s *Sandbox) {
		Base(s)
		s.Git("mv", "a.txt", "A.txt")
		s.Ok(os.Rename(s.Path("dir"), s.Path("Dir")))
	}},
	{Name: "a path longer than the kernel takes", Build: func(s *Sandbox) {
		Base(s)
		deepFile(s, 20, "end", "deep")
	}, Agent: func(s *Sandbox) {
		top := strings.Repeat("d", 240)
		s.Remove(top)
		s.Write("a.txt", "x")
	}},
	{Name: "a long link", Build: func(s *Sandbox) {
		Base(s)
		s.Link(strings.Repeat("t/", 2000)+"end", "long")
		s.Link("\xff\n", "odd")
	}},
	{Name: "names with newlines that look like git's lines", Build: func(s *Sandbox) {
		Base(s)
		for _, n := range []string{"a\n100644 blob 0000\tb", "x\x01\x02", "\"quoted\"", "a\\nb", "tab\there", "-", "--",
			"dir/-rf", ".gitignore2", "sub/.gitattributes.x"} {
			s.Write(n, "odd "+n)
		}
		s.Git("add", "-A")
	}},
}

// shortPath returns a path to name in the worktree that is short enough for a socket.
func shortPath(s *Sandbox, name string) string {
	s.T.Helper()
	dir, err := os.MkdirTemp("", "b")
	s.Ok(err)
	s.T.Cleanup(func() { os.RemoveAll(dir) })
	s.Ok(os.Symlink(s.Dir, dir+"/r"))
	return dir + "/r/" + name
}

// deepFile creates a file inside depth nested folders whose names have 240 letters. The whole path
// is too long for a system call.
func deepFile(s *Sandbox, depth int, name, text string) {
	s.T.Helper()
	root, err := os.OpenRoot(s.Dir)
	s.Ok(err)
	for range depth {
		d := strings.Repeat("d", 240)
		s.Ok(root.Mkdir(d, 0o755))
		next, err := root.OpenRoot(d)
		s.Ok(err)
		root.Close()
		root = next
	}
	s.Ok(root.WriteFile(name, []byte(text), 0o644))
	root.Close()
}
