package testutil

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// Repository is a state that a user's repository can be in.
type Repository struct {
	Name  string
	Init  []string // arguments of git init
	Build func(*Sandbox)
	Agent func(*Sandbox) // what the agent does; nil: Violence
	Ill   bool           // git fsck reports an error

	Opts    Capture
	Needs   string   // the lowest version of git
	Reports []string // paths or refs that a restore cannot restore and has to report
}

// Repositories lists all states, grouped by what is special about them.
var Repositories = concat(heads, moreRefs, indexes, moreIndexes, untracked, moreFiles, links, names, conversions, nestings,
	stores, moreStores, operations, moreOperations, settings, moreSettings, sizes)

func concat(groups ...[]Repository) (all []Repository) {
	for _, g := range groups {
		all = append(all, g...)
	}
	return all
}

// Make creates the repository, or returns why that is not possible here.
func (c Repository) Make(t testing.TB) (s *Sandbox, skipped string) {
	t.Helper()
	if c.Needs != "" && !newer(c.Needs) {
		return nil, "it needs git " + c.Needs
	}
	s = NewSandbox(t, c.Init...)
	s.Opts = c.Opts
	c.Build(s)
	return s, ""
}

// Base makes two commits with files of several kinds, a branch and two tags.
func Base(s *Sandbox) {
	s.Commit("one", "a.txt", "a\n", "b.txt", "b\n", "dir/c.txt", "c\n", "dir/deep/d.txt", "d\n", "e.sh", "#!/bin/sh\n")
	s.Chmod("e.sh", 0o755)
	s.Commit("two", "a.txt", "a\na2\n", ".gitignore", "*.log\nbuild/\n")
	s.Git("branch", "other", "HEAD~")
	s.Git("tag", "v1", "HEAD~")
	s.Git("tag", "-a", "-m", "second", "v2")
	s.ripen()
}

// ripen makes the index newer than the files by more than one clock tick. Only then does git trust
// it about files whose time has not changed.
func (s *Sandbox) ripen() {
	s.T.Helper()
	time.Sleep(50 * time.Millisecond) // until the file system's clock has advanced, which nothing reports
	s.Git("update-index", "--force-write-index")
}

// Dirt makes staged, unstaged, untracked and ignored changes.
func Dirt(s *Sandbox) {
	s.Write("a.txt", "a\nedited\n")
	s.Write("staged.txt", "staged\n")
	s.Git("add", "staged.txt")
	s.Write("staged.txt", "staged\nand edited\n")
	s.Remove("b.txt")
	s.Write("notes/todo", "untracked\n")
	s.Write("build/out.o", "ignored\n")
	s.Write("x.log", "ignored too\n")
	s.Left = append(s.Left, "build", "x.log")
}

var heads = []Repository{
	{Name: "clean", Build: Base},
	{Name: "dirty", Build: func(s *Sandbox) { Base(s); Dirt(s) }},
	{Name: "unborn empty", Build: func(s *Sandbox) {}},
	{Name: "unborn with files", Build: func(s *Sandbox) { s.Write("a", "1"); s.Mkdir("empty") }},
	{Name: "unborn staged", Build: func(s *Sandbox) {
		s.Write("a", "1")
		s.Write("dir/b", "2")
		s.Git("add", "-A")
		s.Write("a", "edited")
		s.Write("c", "untracked")
	}},
	{Name: "detached", Build: func(s *Sandbox) { Base(s); s.Git("checkout", "-q", "--detach", "HEAD~"); s.Write("a.txt", "x") }},
	{Name: "orphan branch", Build: func(s *Sandbox) { Base(s); s.Git("checkout", "-q", "--orphan", "fresh"); s.Write("a.txt", "x") }},
	{Name: "packed refs", Build: func(s *Sandbox) { Base(s); Dirt(s); s.Git("pack-refs", "--all", "--prune") }},
	{Name: "branch in folders", Build: func(s *Sandbox) { Base(s); s.Git("checkout", "-q", "-b", "feature/deep/one"); Dirt(s) }},
	{Name: "HEAD names an alias", Build: func(s *Sandbox) {
		Base(s)
		s.Git("symbolic-ref", "refs/heads/alias", "refs/heads/main")
		s.Git("symbolic-ref", "HEAD", "refs/heads/alias")
		Dirt(s)
	}},
	{Name: "a broken ref", Build: func(s *Sandbox) {
		Base(s)
		s.Write(".git/refs/heads/broken", strings.Repeat("12", 20)+"\n")
	}, Agent: func(s *Sandbox) { s.Write("a.txt", "x"); s.Remove("dir") }, Ill: true},
}

var indexes = []Repository{
	{Name: "staged and unstaged", Build: func(s *Sandbox) { Base(s); s.Write("a.txt", "i"); s.Git("add", "a.txt"); s.Write("a.txt", "w") }},
	{Name: "staged then reverted", Build: func(s *Sandbox) {
		Base(s)
		s.Write("a.txt", "i")
		s.Git("add", "a.txt")
		s.Write("a.txt", "a\na2\n")
	}},
	{Name: "partial hunks", Build: func(s *Sandbox) {
		Base(s)
		var text []string
		for i := range 60 {
			text = append(text, fmt.Sprint("line ", i))
		}
		s.Commit("long", "long.txt", strings.Join(text, "\n"))
		text[2], text[55] = "first hunk", "second hunk"
		s.Write("long.txt", strings.Join(text, "\n"))
		_, err := s.Try(s.Dir, "y\nn\n", "add", "-p", "long.txt")
		s.Ok(err)
	}},
	{Name: "intent to add", Build: func(s *Sandbox) { Base(s); s.Write("later", "x"); s.Git("add", "-N", "later") }},
	{Name: "staged new, gone", Build: func(s *Sandbox) { Base(s); s.Write("n", "only in the index"); s.Git("add", "n"); s.Remove("n") }},
	{Name: "removed from the index", Build: func(s *Sandbox) { Base(s); s.Git("rm", "-q", "--cached", "a.txt") }},
	{Name: "deleted in the tree", Build: func(s *Sandbox) { Base(s); s.Remove("dir"); s.Remove("a.txt") }},
	{Name: "staged rename and edit", Build: func(s *Sandbox) {
		Base(s)
		s.Git("mv", "a.txt", "renamed.txt")
		s.Write("renamed.txt", "edited")
		s.Write("a.txt", "made again")
	}},
	{Name: "split index", Build: func(s *Sandbox) {
		Base(s)
		s.Git("update-index", "--split-index")
		Dirt(s)
	}},
	{Name: "index version 4", Build: func(s *Sandbox) { Base(s); s.Git("update-index", "--index-version", "4"); Dirt(s) }},
	{Name: "skip-worktree", Build: func(s *Sandbox) {
		Base(s)
		s.Git("update-index", "--skip-worktree", "a.txt", "dir/c.txt")
		s.Write("a.txt", "hidden edit")
		s.Remove("dir/c.txt")
	}},
	{Name: "assume-unchanged", Build: func(s *Sandbox) {
		Base(s)
		s.Git("update-index", "--assume-unchanged", "a.txt")
		s.Write("a.txt", "hidden edit")
	}},
	{Name: "untracked cache", Build: func(s *Sandbox) {
		Base(s)
		Dirt(s)
		s.Git("config", "core.untrackedCache", "true")
		s.Git("status")
		s.Git("status")
	}},
	{Name: "a monitor that lies", Build: func(s *Sandbox) {
		Base(s)
		s.Ok(os.WriteFile(s.Up+"/monitor", []byte("#!/bin/sh\n"+s.recorder()+"\nprintf 'token\\0'\n"), 0o755))
		s.Git("config", "core.fsmonitor", s.Up+"/monitor")
		s.Git("update-index", "--fsmonitor")
		s.Git("status")
		s.Write("a.txt", "edited behind its back")
		os.Remove(s.Watched)
	}},
	{Name: "racy, same size", Build: func(s *Sandbox) {
		Base(s)
		s.Write("a.txt", "11111\n")
		s.Git("add", "a.txt")
		s.Write("a.txt", "22222\n")
	}},
	{Name: "racy for ever", Build: func(s *Sandbox) {
		Base(s)
		s.Git("config", "core.trustctime", "false")
		s.Write("a.txt", "11111\n")
		s.Git("add", "a.txt")
		info, err := os.Stat(s.Path(".git/index"))
		s.Ok(err)
		s.Write("a.txt", "22222\n")
		s.Ok(os.Chtimes(s.Path("a.txt"), info.ModTime(), info.ModTime()))
	}},
	{Name: "old stamps", Build: func(s *Sandbox) {
		Base(s)
		for p, year := range map[string]int{"a.txt": 1970, "dir/c.txt": 2099} {
			at := time.Date(year, 1, 2, 0, 0, 0, 0, time.UTC)
			s.Ok(os.Chtimes(s.Path(p), at, at))
		}
		s.May("update-index", "--refresh")
		s.Write("b.txt", "edited")
	}},
}

var untracked = []Repository{
	{Name: "untracked tree", Build: func(s *Sandbox) {
		Base(s)
		s.Write("new/deep/er/x", "x")
		s.Write("new/empty",
			"")
		s.Write("y", "y")
	}},
	{Name: "ignored in many ways", Build: func(s *Sandbox) {
		Base(s)
		s.Write("sub/.gitignore", "secret\n!keep.log\n")
		for _, p := range []string{"x.log", "sub/secret", "private", "y.global", "build/deep/out"} {
			s.Write(p, "ignored "+p)
		}
		s.Write("sub/keep.log", "not ignored")
		s.Ok(os.WriteFile(s.Path(".git/info/exclude"), []byte("private\n"), 0o644))
		s.Left = []string{"x.log", "sub/secret", "private", "y.global", "build"}
	}},
	{Name: "ignored but tracked", Build: func(s *Sandbox) {
		Base(s)
		s.Write("build/kept.o", "1")
		s.Write("t.log", "1")
		s.Git("add", "-f", "build/kept.o", "t.log")
		s.Git("commit", "-q", "-m", "forced")
		s.Write("t.log", "edited")
		s.Write("build/other.o", "ignored")
		s.Left = []string{"build/other.o"}
	}},
	{Name: "uncommitted .gitignore", Build: func(s *Sandbox) {
		Base(s)
		s.Write(".gitignore", "*.log\nbuild/\nsecrets/\n")
		s.Write("secrets/key", "precious")
		s.Left = []string{"secrets"}
	}},
	{Name: "a .gitignore that hides itself", Build: func(s *Sandbox) {
		Base(s)
		s.Write("hidden/.gitignore", "*\n")
		s.Write("hidden/file", "precious")
		s.Left = []string{"hidden"}
	}},
	{Name: "empty folders", Build: func(s *Sandbox) {
		Base(s)
		s.Mkdir("empty/nested/deep")
		s.Mkdir("closed")
		s.Chmod("closed", 0o700)
	}},
	{Name: "modes", Build: func(s *Sandbox) {
		Base(s)
		for p, mode := range map[string]uint32{"a.txt": 0o600, "b.txt": 0o444, "dir/c.txt": 0o640, "dir": 0o2755,
			"dir/deep": 0o1777, "e.sh": 0o711} {
			s.Chmod(p, mode)
		}
	}},
	{Name: "executable bits", Build: func(s *Sandbox) {
		Base(s)
		s.Git("update-index", "--chmod=+x", "a.txt")
		s.Chmod("b.txt", 0o755)
		s.Write("run", "x")
		s.Chmod("run", 0o755)
	}},
	{Name: "special files", Build: func(s *Sandbox) {
		Base(s)
		s.Ok(syscall.Mkfifo(s.Path("fifo"), 0o600))
		s.Ok(syscall.Mkfifo(s.Path("dir/fifo"), 0o600))
	}, Agent: func(s *Sandbox) { s.Write("a.txt", "x"); s.Remove("b.txt"); s.Write("dir/new", "x") }},
	{Name: "read-only folder", Build: func(s *Sandbox) {
		Base(s)
		s.Write("dir/untracked", "u")
		s.Chmod("dir", 0o555)
	}},
}

var links = []Repository{
	{Name: "links", Build: func(s *Sandbox) {
		Base(s)
		for name, to := range map[string]string{"to-file": "a.txt", "to-dir": "dir", "dangling": "nowhere",
			"absolute": "/etc/passwd", "loop": "loop", "self": ".", "dir/up": "../.."} {
			s.Link(to, name)
		}
		s.Git("add", "to-file", "dangling", "loop", "dir/up")
		s.Git("commit", "-q", "-m", "links")
	}},
	{Name: "folder became a link", Build: func(s *Sandbox) { Base(s); s.Remove("dir"); s.Link("../outside", "dir") }},
	{Name: "link became a folder", Build: func(s *Sandbox) {
		Base(s)
		s.Link("dir", "l")
		s.Commit("link")
		s.Remove("l")
		s.Write("l/a.txt", "x")
	}},
	{Name: "file became a folder and back", Build: func(s *Sandbox) {
		Base(s)
		s.Remove("a.txt")
		s.Write("a.txt/inside", "x")
		s.Remove("dir")
		s.Write("dir", "a file")
	}},
	{Name: "file and link swapped", Build: func(s *Sandbox) {
		Base(s)
		s.Link("a.txt", "l")
		s.Commit("link")
		s.Remove("l")
		s.Write("l", "a file")
		s.Remove("b.txt")
		s.Link("a.txt", "b.txt")
		s.Git("add", "b.txt")
	}},
	{Name: "odd repository path", Build: func(s *Sandbox) {
		Base(s)
		Dirt(s)
		odd := s.Up + "/-re po'\"$x\n*[a]{b}"
		s.Ok(os.Rename(s.Dir, odd))
		s.Dir = odd
	}},
}

var names = []Repository{
	{Name: "odd names", Build: func(s *Sandbox) {
		Base(s)
		for i, n := range oddNames {
			s.Write(n, fmt.Sprint("tracked ", i))
		}
		s.Commit("odd")
		for i, n := range oddNames {
			s.Write("u/"+n, fmt.Sprint("untracked ", i))
		}
	}},
	{Name: "names that are not UTF-8", Build: func(s *Sandbox) {
		Base(s)
		s.Commit("bytes", "\xff\xfe", "1", "caf\xe9/x\x80", "2")
		s.Write("\xff\xff", "3")
	}},
	{Name: "names in two normal forms", Build: func(s *Sandbox) {
		Base(s)
		s.Commit("forms", "caf\u00e9", "nfc", "cafe\u0301", "nfd", "\U0001f40d", "snake", "a\u202eb", "rtl")
	}},
	{Name: "names that differ in case", Build: func(s *Sandbox) {
		Base(s)
		s.Commit("case", "X", "1", "x", "2", "Dir2/f", "3",
			"dir2/f", "4")
	}},
	{Name: "names git refuses", Build: func(s *Sandbox) {
		Base(s)
		for _, n := range []string{".GIT/x", "git~1", "sub/.Git/y", ".git ", ".git./z", "sub/.g\u200cit/w", "a\\.git/q"} {
			s.Write(n, "odd "+n)
		}
		s.Chmod("git~1", 0o600)
		s.Link("a.txt", "sub/.gitmodules")
	}},
	{Name: "long names", Build: func(s *Sandbox) {
		Base(s)
		s.Write(strings.Repeat("n", 255), "255")
		deep := ""
		for range 11 {
			deep += strings.Repeat("d", 250) + "/"
		}
		s.Write(deep+"end", "deep")
	}},
}

var oddNames = []string{
	"new\nline", "tab\t", "quote\"'", "back\\slash", "-n", "--output=x", " lead", "trail ", "*", "?", "[a]", ":(top)x", "!bang", "#hash",
	"esc\x1b[31m", "$(id)", "`id`", "a;b", "~", "{a,b}", "%00", "\x7f", "...", "a:b", "con", "x.lock",
}

var conversions = []Repository{
	{Name: "autocrlf", Build: func(s *Sandbox) {
		s.Git("config", "core.autocrlf", "true")
		s.Commit("one", "lf", "a\nb\n", "crlf", "a\r\nb\r\n", "mixed", "a\r\nb\n")
		s.ripen()
		s.Write("lf", "a\nc\n")
		s.Write("new", "x\r\ny\n")
	}},
	{Name: "eol attributes", Build: func(s *Sandbox) {
		s.Commit("one", ".gitattributes", "*.c text eol=crlf\n*.l text eol=lf\n*.b -text\n", "x.c", "a\nb\n", "y.l",
			"a\r\nb\r\n", "z.b", "a\r\nb\n")
		s.ripen()
		s.Write("x.c", "a\nb\n")
	}},
	{Name: "encoding and ident", Build: func(s *Sandbox) {
		s.Commit("one", ".gitattributes", "*.u working-tree-encoding=UTF-16LE-BOM\n*.i ident\n", "a.u", "\xff\xfea\x00\n\x00",
			"b.i", "$Id$\n")
		s.ripen()
		s.Remove("b.i")
		s.Git("checkout", "b.i")
	}},
	{Name: "encoding that cannot be", Build: func(s *Sandbox) {
		s.Commit("one", ".gitattributes", "*.u working-tree-encoding=UTF-16\n")
		s.Write("bad.u", "odd number of bytes without a mark")
		s.Write("fine", "x")
	}},
	{Name: "lossy filter", Build: func(s *Sandbox) {
		s.Git("config", "filter.lossy.clean", "sed s/secret/xxxxxx/")
		s.Git("config", "filter.lossy.smudge", "cat")
		s.Commit("one", ".gitattributes", "*.n filter=lossy\n", "a.n", "secret 1\n", "b.n", "plain\n")
		s.ripen()
		s.Write("a.n", "secret 2\n")
	}},
	{Name: "lossy filter, attributes gone", Build: func(s *Sandbox) {
		s.Git("config", "filter.lossy.clean", "sed s/secret/xx/")
		s.Commit("one", ".gitattributes", "*.n filter=lossy\n", "a.n", "secret 1\n")
		s.Git("config", "--unset", "filter.lossy.clean")
		s.Git("rm", "-q", ".gitattributes")
		s.ripen()
	}},
	{Name: "required filter missing", Build: func(s *Sandbox) {
		Base(s)
		s.Write(".gitattributes", "*.n filter=gone\n")
		s.Git("config", "filter.gone.required", "true")
		s.Git("config", "filter.gone.clean", "/no/such/program")
		s.Write("a.n", "1")
	}},
	{Name: "filter with side effects", Build: func(s *Sandbox) {
		s.Git("config", "filter.rec.clean", s.recorder()+"; cat")
		s.Git("config", "filter.rec.smudge", s.recorder()+"; cat")
		s.Commit("one", ".gitattributes", "*.n filter=rec\n", "a.n", "1\n")
		s.Write("a.n", "2\n")
		os.Remove(s.Watched)
	}},
	{Name: "LFS", Build: func(s *Sandbox) {
		s.Git("config", "filter.lfs.clean", "sed 's/.*/version https:\\/\\/git-lfs.github.com\\/spec\\/v1/'")
		s.Git("config", "filter.lfs.smudge", "cat")
		s.Commit("one", ".gitattributes", "*.bin filter=lfs diff=lfs merge=lfs -text\n", "a.bin", "the content\n")
		s.ripen()
		s.Write("b.bin", "more\n")
	}},
}

func submodule(s *Sandbox) {
	Base(s)
	lib := filepath.Join(s.Up, "lib")
	s.At(s.Up, "init", "-q", lib)
	l := &Sandbox{T: s.T, Up: s.Up, Dir: lib}
	l.Commit("lib 1", "lib.c", "1")
	l.Commit("lib 2", "lib.c", "2")
	s.Git("submodule", "add", "-q", "file://"+lib, "sub")
	s.Git("commit", "-q", "-m", "submodule")
	s.Left = append(s.Left, "sub")
}

// Nested creates a repository inside the worktree.
func Nested(s *Sandbox, at string) {
	s.Mkdir(at)
	s.At(s.Path(at), "init", "-q")
	n := &Sandbox{T: s.T, Up: s.Up, Dir: s.Path(at)}
	n.Commit("nested", "n.txt", "1")
	n.Write("n.txt", "dirty")
	s.Left = append(s.Left, at)
}

var nestings = []Repository{
	{Name: "submodule", Build: submodule},
	{Name: "submodule, dirty", Build: func(s *Sandbox) { submodule(s); s.Write("sub/lib.c", "dirty"); s.Write("sub/new", "untracked") }},
	{Name: "submodule, moved", Build: func(s *Sandbox) { submodule(s); s.At(s.Path("sub"), "checkout", "-q", "HEAD~") }},
	{Name: "submodule, not initialised", Build: func(s *Sandbox) {
		submodule(s)
		s.Git("submodule", "deinit", "-q", "-f", "sub")
		s.Left = nil
	}, Agent: func(s *Sandbox) { s.Write("a.txt", "x"); s.Remove("b.txt") }},
	{Name: "nested repository", Build: func(s *Sandbox) { Base(s); Nested(s, "vendor/lib") }},
	{Name: "nested repository without commits", Build: func(s *Sandbox) {
		Base(s)
		s.Mkdir("fresh")
		s.At(s.Path("fresh"), "init", "-q")
		s.Write("fresh/x", "x")
		s.Left = []string{"fresh"}
	}},
	{Name: "nested repository, ignored", Build: func(s *Sandbox) { Base(s); Nested(s, "build/dep"); s.Left = []string{"build"} }},
	{Name: "linked worktree", Build: func(s *Sandbox) {
		Base(s)
		main := s.Dir
		s.Dir = s.Up + "/linked"
		s.At(main, "worktree", "add", "-q", "-b", "side", s.Dir)
		s.Write("a.txt", "edited here")
		s.Write("new", "n")
		s.Git("add", "new")
	}, Agent: func(s *Sandbox) {
		for i, f := range s.Reachable() {
			Maul(s, i, f)
		}
		s.Git("add", "-A")
		s.Git("commit", "-q", "-m", "agent")
		s.Git("checkout", "-q", "-b", "agent")
	}},
	{Name: "worktrees inside", Build: func(s *Sandbox) {
		Base(s)
		s.Git("worktree", "add", "-q", "-b", "w", ".worktrees/w")
		s.Write(".worktrees/w/a.txt", "dirty there")
		s.Left = []string{".worktrees/w"}
	}},
	{Name: "separate git dir", Build: func(s *Sandbox) {
		Base(s)
		s.At(s.Up, "init", "-q", "--separate-git-dir", s.Up+"/store", s.Dir)
		Dirt(s)
	}},
	{Name: "git init among tracked files", Build: func(s *Sandbox) {
		Base(s)
		s.At(s.Path("dir"), "init", "-q")
		s.Write("dir/c.txt", "edited")
	}, Agent: func(s *Sandbox) { s.Write("dir/c.txt", "agent"); s.Remove("dir/deep"); s.Write("a.txt", "x") }},
}

// sparse makes a sparse checkout that includes "in" but not "out".
func sparse(s *Sandbox, more ...string) {
	s.Commit("one", "in/a", "1", "in/b", "1", "out/c", "1", "out/deep/d", "1", "top", "1")
	s.Git(append(append([]string{"sparse-checkout", "set", "--cone"}, more...), "in")...)
	s.Write("in/a", "edited")
}

var stores = []Repository{
	{Name: "sparse cone", Build: func(s *Sandbox) { sparse(s) }},
	{Name: "sparse index", Build: func(s *Sandbox) { sparse(s, "--sparse-index") }},
	{Name: "sparse, a file outside of the cone", Build: func(s *Sandbox) { sparse(s); s.Write("out/c", "there anyway") }},
	{Name: "SHA-256", Init: []string{"--object-format=sha256"}, Build: func(s *Sandbox) { Base(s); Dirt(s) }},
	{Name: "shallow clone", Build: func(s *Sandbox) {
		Base(s)
		s.clone("--depth=1", "file://"+s.Dir)
		Dirt(s)
	}},
	{Name: "partial clone, origin gone", Build: func(s *Sandbox) {
		Base(s)
		s.Git("config", "uploadpack.allowFilter", "true")
		origin := s.Dir
		s.clone("--filter=blob:none", "file://"+s.Dir)
		s.Ok(os.Rename(origin, origin+"-gone"))
		Dirt(s)
	}, Agent: func(s *Sandbox) {
		for i, f := range s.Reachable() {
			Maul(s, i, f)
		}
	}},
	{Name: "borrowed objects", Build: func(s *Sandbox) {
		Base(s)
		s.clone("--shared", s.Dir)
		Dirt(s)
	}},
	{Name: "replaced objects", Build: func(s *Sandbox) {
		Base(s)
		Dirt(s)
		s.Git("replace", s.Git("rev-parse", "HEAD:a.txt"), s.Git("rev-parse", "HEAD:dir/c.txt"))
		s.Git("replace", s.Git("rev-parse", "HEAD^{tree}"), s.Git("rev-parse", "HEAD~^{tree}"))
	}},
}

// clone clones the repository and makes s the clone.
func (s *Sandbox) clone(args ...string) {
	s.T.Helper()
	to := s.Up + "/clone"
	s.At(s.Up, append(append([]string{"clone", "-q"}, args...), to)...)
	s.Dir = to
}

// Conflicted makes branches main and theirs that conflict.
func Conflicted(s *Sandbox) {
	Base(s)
	s.Git("checkout", "-q", "-b", "theirs", "HEAD~")
	s.Commit("theirs", "a.txt", "theirs\n", "both", "t\n", "dir/c.txt", "theirs\n")
	s.Git("rm", "-q", "b.txt")
	s.Commit("theirs 2")
	s.Git("checkout", "-q", "main")
	s.Commit("ours", "a.txt", "ours\n", "both", "o\n", "b.txt", "ours\n")
}

var operations = []Repository{
	{Name: "merge conflict", Build: func(s *Sandbox) {
		Conflicted(s)
		s.Fails("merge", "-q", "theirs")
		s.Write("both", "resolved")
		s.Git("add", "both")
	}},
	{Name: "merge resolved", Build: func(s *Sandbox) { Conflicted(s); s.Fails("merge", "-q", "theirs"); s.Git("add", "-A") }},
	{Name: "rebase conflict", Build: func(s *Sandbox) { Conflicted(s); s.Fails("rebase", "-q", "theirs"); s.Write("a.txt", "half") }},
	{Name: "rebase conflict, apply", Build: func(s *Sandbox) { Conflicted(s); s.Fails("rebase", "-q", "--apply", "theirs") }},
	{Name: "rebase stopped at edit", Build: func(s *Sandbox) {
		Base(s)
		s.Commit("three", "a.txt", "3\n")
		s.Git("-c", "sequence.editor=sed -i 1s/pick/edit/", "rebase", "-q", "-i", "HEAD~2")
		s.Write("a.txt", "dirt")
	}},
	{Name: "cherry-pick conflict", Build: func(s *Sandbox) { Conflicted(s); s.Fails("cherry-pick", "theirs~") }},
	{Name: "cherry-pick of several", Build: func(s *Sandbox) { Conflicted(s); s.Fails("cherry-pick", "theirs~2..theirs") }},
	{Name: "revert conflict", Build: func(s *Sandbox) { Conflicted(s); s.Fails("revert", "--no-edit", "HEAD~") }},
	{Name: "bisect", Build: func(s *Sandbox) {
		Base(s)
		for i := range 6 {
			s.Commit(fmt.Sprint("c", i), "n", fmt.Sprint(i))
		}
		s.Git("bisect", "start", "HEAD", "HEAD~6")
		s.Write("dirt", "x")
	}},
	{Name: "stashes", Build: func(s *Sandbox) {
		Base(s)
		for i := range 3 {
			s.Write("a.txt", fmt.Sprint("stash ", i))
			s.Write(fmt.Sprint("u", i), "untracked")
			s.Git("stash", "push", "-q", "-u", "-m", fmt.Sprint("number ", i))
		}
		Dirt(s)
	}},
	{Name: "stashes, one dropped by the agent", Build: func(s *Sandbox) {
		Base(s)
		for i := range 3 {
			s.Write("a.txt", fmt.Sprint("stash ", i))
			s.Git("stash", "push", "-q", "-m", fmt.Sprint("number ", i))
		}
	}, Agent: func(s *Sandbox) { s.Git("stash", "drop", "-q", "stash@{1}"); s.Git("stash", "pop", "-q") }},
	{Name: "squash merge", Build: func(s *Sandbox) {
		Base(s)
		s.Git("checkout", "-q", "-b", "sq", "HEAD~")
		s.Commit("sq", "sq", "1")
		s.Git("checkout", "-q", "main")
		s.Git("merge", "-q", "--squash", "sq")
	}},
}

var settings = []Repository{
	{Name: "hooks that record and refuse", Build: func(s *Sandbox) {
		Base(s)
		Dirt(s)
		for _, h := range []string{"pre-commit", "commit-msg", "post-commit", "post-checkout", "post-merge", "pre-rebase",
			"post-rewrite", "post-index-change", "reference-transaction", "pre-auto-gc", "fsmonitor-watchman"} {
			s.hook(h, "#!/bin/sh\n"+s.recorder()+"\nexit 1\n")
		}
		os.Remove(s.Watched)
	}, Agent: func(s *Sandbox) {
		s.Write("a.txt", "x")
		s.hook("pre-commit", "#!/bin/sh\nrm -rf /tmp/x\n")
		s.Remove("dir")
		os.Remove(s.Watched)
	}},
	{Name: "hooks that are links", Build: func(s *Sandbox) {
		Base(s)
		s.Write("tools/hook", "#!/bin/sh\n")
		s.Chmod("tools/hook", 0o755)
		s.Mkdir(".git/hooks")
		s.Ok(os.Symlink("../../tools/hook", s.Path(".git/hooks/pre-push")))
	}, Agent: func(s *Sandbox) {
		s.Ok(os.Remove(s.Path(".git/hooks/pre-push")))
		s.Write(".git/hooks/pre-push", "agent's")
		s.Ok(os.Symlink("/bin/true", s.Path(".git/hooks/post-commit")))
	}},
	{Name: "no identity", Build: func(s *Sandbox) {
		Base(s)
		Dirt(s)
		s.Git("config", "user.useConfigOnly", "true")
		s.Git("config", "user.name", "")
		s.Git("config", "user.email", "")
	}},
	{Name: "broken signing", Build: func(s *Sandbox) {
		Base(s)
		Dirt(s)
		for _, k := range []string{"commit.gpgSign", "tag.gpgSign"} {
			s.Git("config", k, "true")
		}
		s.Git("config", "gpg.program", "/bin/false")
	}},
	{Name: "settings that change what git prints", Build: func(s *Sandbox) {
		Base(s)
		Dirt(s)
		for k, v := range map[string]string{
			"status.showUntrackedFiles": "no", "core.quotePath": "true", "status.relativePaths": "true", "color.ui": "always",
			"submodule.recurse": "true", "diff.external": s.recorder(), "diff.noprefix": "true", "diff.mnemonicPrefix": "true",
			"diff.renames": "copies", "core.abbrev": "4", "log.showSignature": "true", "diff.orderFile": "/nonexistent",
			"core.logAllRefUpdates": "always", "core.preloadIndex": "true", "i18n.logOutputEncoding": "ISO-8859-1",
			"diff.algorithm": "patience",
		} {
			s.Git("config", k, v)
		}
		os.Remove(s.Watched)
	}},
	{Name: "symlinks false", Build: func(s *Sandbox) {
		Base(s)
		s.Link("a.txt", "l")
		s.Commit("l")
		s.Git("config", "core.symlinks", "false")
	}},
	{Name: "fileMode false", Build: func(s *Sandbox) { Base(s); s.Git("config", "core.fileMode", "false"); s.Chmod("a.txt", 0o755) }},
	{Name: "ignoreCase true", Build: func(s *Sandbox) {
		Base(s)
		s.Commit("case", "Readme", "1", "readme", "2")
		s.Git("config", "core.ignoreCase", "true")
		s.Write("X.LOG", "ignored when case is")
		s.Left = []string{"X.LOG"}
	}},
	{Name: "core.worktree elsewhere, by the agent", Build: func(s *Sandbox) { Base(s); Dirt(s) }, Agent: func(s *Sandbox) {
		s.Write("a.txt", "x")
		s.Git("config", "core.worktree", s.Up+"/outside")
	}},
}

var sizes = []Repository{
	{Name: "huge files", Build: func(s *Sandbox) {
		Base(s)
		noise := make([]byte, 40<<20)
		x := uint32(1)
		for i := range noise {
			x = x*1664525 + 1013904223
			noise[i] = byte(x >> 24)
		}
		s.Write("noise.bin", string(noise))
		s.Commit("text", "big.txt", strings.Repeat("a line of text\n", 800_000))
		s.Write("big.txt", strings.Repeat("another line\n", 900_000))
	}},
	{Name: "files with holes", Build: func(s *Sandbox) {
		Base(s)
		s.Write("hole", "")
		s.Ok(os.Truncate(s.Path("hole"), 64<<20))
		s.Write("big.log", "")
		s.Ok(os.Truncate(s.Path("big.log"), 2<<30))
		s.Left = []string{"big.log"}
	}, Agent: func(s *Sandbox) { s.Ok(os.Truncate(s.Path("hole"), 1<<20)); s.Remove("a.txt") }},
	{Name: "many files", Build: func(s *Sandbox) {
		Base(s)
		for i := range 3000 {
			s.Write(fmt.Sprintf("u/%d/%d", i%50, i), fmt.Sprint(i))
		}
		for i := range 1000 {
			s.Write(fmt.Sprintf("build/%d", i), "ignored")
		}
		s.Left = []string{"build"}
	}, Agent: func(s *Sandbox) { s.Remove("u/1"); s.Remove("u/2"); s.Write("u/3/3", "x") }},
}
