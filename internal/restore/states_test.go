package restore_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/belay-dev/belay/internal/snapshot"
)

// repository is a state that people's repositories are in.
type repository struct {
	name  string
	init  []string // for git init
	build func(*sandbox)
	agent func(*sandbox) // nil: violence
	ill   bool           // git fsck complains of it

	opts    snapshot.Options // what belay is told to capture
	needs   string           // a version of git
	reports []string         // paths or refs that are not put back, and have to be named
}

// repositories is every state, by what makes it special.
var repositories = concat(heads, moreRefs, indexes, moreIndexes, untracked, moreFiles, links, names, conversions, nestings,
	stores, moreStores, operations, moreOperations, settings, moreSettings, sizes)

func concat(groups ...[]repository) (all []repository) {
	for _, g := range groups {
		all = append(all, g...)
	}
	return all
}

// base is a repository with some history and files of several kinds.
func base(s *sandbox) {
	s.commit("one", "a.txt", "a\n", "b.txt", "b\n", "dir/c.txt", "c\n", "dir/deep/d.txt", "d\n", "e.sh", "#!/bin/sh\n")
	s.chmod("e.sh", 0o755)
	s.commit("two", "a.txt", "a\na2\n", ".gitignore", "*.log\nbuild/\n")
	s.git("branch", "other", "HEAD~")
	s.git("tag", "v1", "HEAD~")
	s.git("tag", "-a", "-m", "second", "v2")
	s.ripen()
}

// ripen lets the files be older than the index by more than a clock tick, and writes
// the index anew: only then is it believed about files that were not touched since.
func (s *sandbox) ripen() {
	s.t.Helper()
	time.Sleep(50 * time.Millisecond) // the clock of the file system has to move on; nothing tells when
	s.git("update-index", "--force-write-index")
}

// dirt is what a working day leaves.
func dirt(s *sandbox) {
	s.write("a.txt", "a\nedited\n")
	s.write("staged.txt", "staged\n")
	s.git("add", "staged.txt")
	s.write("staged.txt", "staged\nand edited\n")
	s.remove("b.txt")
	s.write("notes/todo", "untracked\n")
	s.write("build/out.o", "ignored\n")
	s.write("x.log", "ignored too\n")
	s.left = append(s.left, "build", "x.log")
}

var heads = []repository{
	{name: "clean", build: base},
	{name: "dirty", build: func(s *sandbox) { base(s); dirt(s) }},
	{name: "unborn empty", build: func(s *sandbox) {}},
	{name: "unborn with files", build: func(s *sandbox) { s.write("a", "1"); s.mkdir("empty") }},
	{name: "unborn staged", build: func(s *sandbox) {
		s.write("a", "1")
		s.write("dir/b", "2")
		s.git("add", "-A")
		s.write("a", "edited")
		s.write("c", "untracked")
	}},
	{name: "detached", build: func(s *sandbox) { base(s); s.git("checkout", "-q", "--detach", "HEAD~"); s.write("a.txt", "x") }},
	{name: "orphan branch", build: func(s *sandbox) { base(s); s.git("checkout", "-q", "--orphan", "fresh"); s.write("a.txt", "x") }},
	{name: "packed refs", build: func(s *sandbox) { base(s); dirt(s); s.git("pack-refs", "--all", "--prune") }},
	{name: "branch in folders", build: func(s *sandbox) { base(s); s.git("checkout", "-q", "-b", "feature/deep/one"); dirt(s) }},
	{name: "HEAD names an alias", build: func(s *sandbox) {
		base(s)
		s.git("symbolic-ref", "refs/heads/alias", "refs/heads/main")
		s.git("symbolic-ref", "HEAD", "refs/heads/alias")
		dirt(s)
	}},
	{name: "a broken ref", build: func(s *sandbox) {
		base(s)
		s.write(".git/refs/heads/broken", strings.Repeat("12", 20)+"\n")
	}, agent: func(s *sandbox) { s.write("a.txt", "x"); s.remove("dir") }, ill: true},
}

var indexes = []repository{
	{name: "staged and unstaged", build: func(s *sandbox) { base(s); s.write("a.txt", "i"); s.git("add", "a.txt"); s.write("a.txt", "w") }},
	{name: "staged then reverted", build: func(s *sandbox) {
		base(s)
		s.write("a.txt", "i")
		s.git("add", "a.txt")
		s.write("a.txt", "a\na2\n")
	}},
	{name: "partial hunks", build: func(s *sandbox) {
		base(s)
		var text []string
		for i := range 60 {
			text = append(text, fmt.Sprint("line ", i))
		}
		s.commit("long", "long.txt", strings.Join(text, "\n"))
		text[2], text[55] = "first hunk", "second hunk"
		s.write("long.txt", strings.Join(text, "\n"))
		_, err := s.try(s.dir, "y\nn\n", "add", "-p", "long.txt")
		s.ok(err)
	}},
	{name: "intent to add", build: func(s *sandbox) { base(s); s.write("later", "x"); s.git("add", "-N", "later") }},
	{name: "staged new, gone", build: func(s *sandbox) { base(s); s.write("n", "only in the index"); s.git("add", "n"); s.remove("n") }},
	{name: "removed from the index", build: func(s *sandbox) { base(s); s.git("rm", "-q", "--cached", "a.txt") }},
	{name: "deleted in the tree", build: func(s *sandbox) { base(s); s.remove("dir"); s.remove("a.txt") }},
	{name: "staged rename and edit", build: func(s *sandbox) {
		base(s)
		s.git("mv", "a.txt", "renamed.txt")
		s.write("renamed.txt", "edited")
		s.write("a.txt", "made again")
	}},
	{name: "split index", build: func(s *sandbox) {
		base(s)
		s.git("update-index", "--split-index")
		dirt(s)
	}},
	{name: "index version 4", build: func(s *sandbox) { base(s); s.git("update-index", "--index-version", "4"); dirt(s) }},
	{name: "skip-worktree", build: func(s *sandbox) {
		base(s)
		s.git("update-index", "--skip-worktree", "a.txt", "dir/c.txt")
		s.write("a.txt", "hidden edit")
		s.remove("dir/c.txt")
	}},
	{name: "assume-unchanged", build: func(s *sandbox) {
		base(s)
		s.git("update-index", "--assume-unchanged", "a.txt")
		s.write("a.txt", "hidden edit")
	}},
	{name: "untracked cache", build: func(s *sandbox) {
		base(s)
		dirt(s)
		s.git("config", "core.untrackedCache", "true")
		s.git("status")
		s.git("status")
	}},
	{name: "a monitor that lies", build: func(s *sandbox) {
		base(s)
		s.ok(os.WriteFile(s.up+"/monitor", []byte("#!/bin/sh\n"+s.recorder()+"\nprintf 'token\\0'\n"), 0o755))
		s.git("config", "core.fsmonitor", s.up+"/monitor")
		s.git("update-index", "--fsmonitor")
		s.git("status")
		s.write("a.txt", "edited behind its back")
		os.Remove(s.watched)
	}},
	{name: "racy, same size", build: func(s *sandbox) {
		base(s)
		s.write("a.txt", "11111\n")
		s.git("add", "a.txt")
		s.write("a.txt", "22222\n")
	}},
	{name: "racy for ever", build: func(s *sandbox) {
		base(s)
		s.git("config", "core.trustctime", "false")
		s.write("a.txt", "11111\n")
		s.git("add", "a.txt")
		info, err := os.Stat(s.path(".git/index"))
		s.ok(err)
		s.write("a.txt", "22222\n")
		s.ok(os.Chtimes(s.path("a.txt"), info.ModTime(), info.ModTime()))
	}},
	{name: "old stamps", build: func(s *sandbox) {
		base(s)
		for p, year := range map[string]int{"a.txt": 1970, "dir/c.txt": 2099} {
			at := time.Date(year, 1, 2, 0, 0, 0, 0, time.UTC)
			s.ok(os.Chtimes(s.path(p), at, at))
		}
		s.may("update-index", "--refresh")
		s.write("b.txt", "edited")
	}},
}

var untracked = []repository{
	{name: "untracked tree", build: func(s *sandbox) { base(s); s.write("new/deep/er/x", "x"); s.write("new/empty", ""); s.write("y", "y") }},
	{name: "ignored in many ways", build: func(s *sandbox) {
		base(s)
		s.write("sub/.gitignore", "secret\n!keep.log\n")
		for _, p := range []string{"x.log", "sub/secret", "private", "y.global", "build/deep/out"} {
			s.write(p, "ignored "+p)
		}
		s.write("sub/keep.log", "not ignored")
		s.ok(os.WriteFile(s.path(".git/info/exclude"), []byte("private\n"), 0o644))
		s.left = []string{"x.log", "sub/secret", "private", "y.global", "build"}
	}},
	{name: "ignored but tracked", build: func(s *sandbox) {
		base(s)
		s.write("build/kept.o", "1")
		s.write("t.log", "1")
		s.git("add", "-f", "build/kept.o", "t.log")
		s.git("commit", "-q", "-m", "forced")
		s.write("t.log", "edited")
		s.write("build/other.o", "ignored")
		s.left = []string{"build/other.o"}
	}},
	{name: "uncommitted .gitignore", build: func(s *sandbox) {
		base(s)
		s.write(".gitignore", "*.log\nbuild/\nsecrets/\n")
		s.write("secrets/key", "precious")
		s.left = []string{"secrets"}
	}},
	{name: "a .gitignore that hides itself", build: func(s *sandbox) {
		base(s)
		s.write("hidden/.gitignore", "*\n")
		s.write("hidden/file", "precious")
		s.left = []string{"hidden"}
	}},
	{name: "empty folders", build: func(s *sandbox) {
		base(s)
		s.mkdir("empty/nested/deep")
		s.mkdir("closed")
		s.chmod("closed", 0o700)
	}},
	{name: "modes", build: func(s *sandbox) {
		base(s)
		for p, mode := range map[string]uint32{"a.txt": 0o600, "b.txt": 0o444, "dir/c.txt": 0o640, "dir": 0o2755, "dir/deep": 0o1777, "e.sh": 0o711} {
			s.chmod(p, mode)
		}
	}},
	{name: "executable bits", build: func(s *sandbox) {
		base(s)
		s.git("update-index", "--chmod=+x", "a.txt")
		s.chmod("b.txt", 0o755)
		s.write("run", "x")
		s.chmod("run", 0o755)
	}},
	{name: "special files", build: func(s *sandbox) {
		base(s)
		s.ok(syscall.Mkfifo(s.path("fifo"), 0o600))
		s.ok(syscall.Mkfifo(s.path("dir/fifo"), 0o600))
	}, agent: func(s *sandbox) { s.write("a.txt", "x"); s.remove("b.txt"); s.write("dir/new", "x") }},
	{name: "read-only folder", build: func(s *sandbox) {
		base(s)
		s.write("dir/untracked", "u")
		s.chmod("dir", 0o555)
	}},
}

var links = []repository{
	{name: "links", build: func(s *sandbox) {
		base(s)
		for name, to := range map[string]string{"to-file": "a.txt", "to-dir": "dir", "dangling": "nowhere", "absolute": "/etc/passwd", "loop": "loop", "self": ".", "dir/up": "../.."} {
			s.link(to, name)
		}
		s.git("add", "to-file", "dangling", "loop", "dir/up")
		s.git("commit", "-q", "-m", "links")
	}},
	{name: "folder became a link", build: func(s *sandbox) { base(s); s.remove("dir"); s.link("../outside", "dir") }},
	{name: "link became a folder", build: func(s *sandbox) {
		base(s)
		s.link("dir", "l")
		s.commit("link")
		s.remove("l")
		s.write("l/a.txt", "x")
	}},
	{name: "file became a folder and back", build: func(s *sandbox) {
		base(s)
		s.remove("a.txt")
		s.write("a.txt/inside", "x")
		s.remove("dir")
		s.write("dir", "a file")
	}},
	{name: "file and link swapped", build: func(s *sandbox) {
		base(s)
		s.link("a.txt", "l")
		s.commit("link")
		s.remove("l")
		s.write("l", "a file")
		s.remove("b.txt")
		s.link("a.txt", "b.txt")
		s.git("add", "b.txt")
	}},
	{name: "odd repository path", build: func(s *sandbox) {
		base(s)
		dirt(s)
		odd := s.up + "/-re po'\"$x\n*[a]{b}"
		s.ok(os.Rename(s.dir, odd))
		s.dir = odd
	}},
}

var names = []repository{
	{name: "odd names", build: func(s *sandbox) {
		base(s)
		for i, n := range oddNames {
			s.write(n, fmt.Sprint("tracked ", i))
		}
		s.commit("odd")
		for i, n := range oddNames {
			s.write("u/"+n, fmt.Sprint("untracked ", i))
		}
	}},
	{name: "names that are not UTF-8", build: func(s *sandbox) {
		base(s)
		s.commit("bytes", "\xff\xfe", "1", "caf\xe9/x\x80", "2")
		s.write("\xff\xff", "3")
	}},
	{name: "names in two normal forms", build: func(s *sandbox) {
		base(s)
		s.commit("forms", "caf\u00e9", "nfc", "cafe\u0301", "nfd", "\U0001f40d", "snake", "a\u202eb", "rtl")
	}},
	{name: "names that differ in case", build: func(s *sandbox) { base(s); s.commit("case", "X", "1", "x", "2", "Dir2/f", "3", "dir2/f", "4") }},
	{name: "names git refuses", build: func(s *sandbox) {
		base(s)
		for _, n := range []string{".GIT/x", "git~1", "sub/.Git/y", ".git ", ".git./z", "sub/.g\u200cit/w", "a\\.git/q"} {
			s.write(n, "odd "+n)
		}
		s.chmod("git~1", 0o600)
		s.link("a.txt", "sub/.gitmodules")
	}},
	{name: "long names", build: func(s *sandbox) {
		base(s)
		s.write(strings.Repeat("n", 255), "255")
		deep := ""
		for range 11 {
			deep += strings.Repeat("d", 250) + "/"
		}
		s.write(deep+"end", "deep")
	}},
}

var oddNames = []string{
	"new\nline", "tab\t", "quote\"'", "back\\slash", "-n", "--output=x", " lead", "trail ", "*", "?", "[a]", ":(top)x", "!bang", "#hash",
	"esc\x1b[31m", "$(id)", "`id`", "a;b", "~", "{a,b}", "%00", "\x7f", "...", "a:b", "con", "x.lock",
}

var conversions = []repository{
	{name: "autocrlf", build: func(s *sandbox) {
		s.git("config", "core.autocrlf", "true")
		s.commit("one", "lf", "a\nb\n", "crlf", "a\r\nb\r\n", "mixed", "a\r\nb\n")
		s.ripen()
		s.write("lf", "a\nc\n")
		s.write("new", "x\r\ny\n")
	}},
	{name: "eol attributes", build: func(s *sandbox) {
		s.commit("one", ".gitattributes", "*.c text eol=crlf\n*.l text eol=lf\n*.b -text\n", "x.c", "a\nb\n", "y.l", "a\r\nb\r\n", "z.b", "a\r\nb\n")
		s.ripen()
		s.write("x.c", "a\nb\n")
	}},
	{name: "encoding and ident", build: func(s *sandbox) {
		s.commit("one", ".gitattributes", "*.u working-tree-encoding=UTF-16LE-BOM\n*.i ident\n", "a.u", "\xff\xfea\x00\n\x00", "b.i", "$Id$\n")
		s.ripen()
		s.remove("b.i")
		s.git("checkout", "b.i")
	}},
	{name: "encoding that cannot be", build: func(s *sandbox) {
		s.commit("one", ".gitattributes", "*.u working-tree-encoding=UTF-16\n")
		s.write("bad.u", "odd number of bytes without a mark")
		s.write("fine", "x")
	}},
	{name: "lossy filter", build: func(s *sandbox) {
		s.git("config", "filter.lossy.clean", "sed s/secret/xxxxxx/")
		s.git("config", "filter.lossy.smudge", "cat")
		s.commit("one", ".gitattributes", "*.n filter=lossy\n", "a.n", "secret 1\n", "b.n", "plain\n")
		s.ripen()
		s.write("a.n", "secret 2\n")
	}},
	{name: "lossy filter, attributes gone", build: func(s *sandbox) {
		s.git("config", "filter.lossy.clean", "sed s/secret/xx/")
		s.commit("one", ".gitattributes", "*.n filter=lossy\n", "a.n", "secret 1\n")
		s.git("config", "--unset", "filter.lossy.clean")
		s.git("rm", "-q", ".gitattributes")
		s.ripen()
	}},
	{name: "required filter missing", build: func(s *sandbox) {
		base(s)
		s.write(".gitattributes", "*.n filter=gone\n")
		s.git("config", "filter.gone.required", "true")
		s.git("config", "filter.gone.clean", "/no/such/program")
		s.write("a.n", "1")
	}},
	{name: "filter with side effects", build: func(s *sandbox) {
		s.git("config", "filter.rec.clean", s.recorder()+"; cat")
		s.git("config", "filter.rec.smudge", s.recorder()+"; cat")
		s.commit("one", ".gitattributes", "*.n filter=rec\n", "a.n", "1\n")
		s.write("a.n", "2\n")
		os.Remove(s.watched)
	}},
	{name: "LFS", build: func(s *sandbox) {
		s.git("config", "filter.lfs.clean", "sed 's/.*/version https:\\/\\/git-lfs.github.com\\/spec\\/v1/'")
		s.git("config", "filter.lfs.smudge", "cat")
		s.commit("one", ".gitattributes", "*.bin filter=lfs diff=lfs merge=lfs -text\n", "a.bin", "the content\n")
		s.ripen()
		s.write("b.bin", "more\n")
	}},
}

func submodule(s *sandbox) {
	base(s)
	lib := filepath.Join(s.up, "lib")
	s.at(s.up, "init", "-q", lib)
	l := &sandbox{t: s.t, up: s.up, dir: lib}
	l.commit("lib 1", "lib.c", "1")
	l.commit("lib 2", "lib.c", "2")
	s.git("submodule", "add", "-q", "file://"+lib, "sub")
	s.git("commit", "-q", "-m", "submodule")
	s.left = append(s.left, "sub")
}

func nested(s *sandbox, at string) {
	s.mkdir(at)
	s.at(s.path(at), "init", "-q")
	n := &sandbox{t: s.t, up: s.up, dir: s.path(at)}
	n.commit("nested", "n.txt", "1")
	n.write("n.txt", "dirty")
	s.left = append(s.left, at)
}

var nestings = []repository{
	{name: "submodule", build: submodule},
	{name: "submodule, dirty", build: func(s *sandbox) { submodule(s); s.write("sub/lib.c", "dirty"); s.write("sub/new", "untracked") }},
	{name: "submodule, moved", build: func(s *sandbox) { submodule(s); s.at(s.path("sub"), "checkout", "-q", "HEAD~") }},
	{name: "submodule, not initialised", build: func(s *sandbox) {
		submodule(s)
		s.git("submodule", "deinit", "-q", "-f", "sub")
		s.left = nil
	}, agent: func(s *sandbox) { s.write("a.txt", "x"); s.remove("b.txt") }},
	{name: "nested repository", build: func(s *sandbox) { base(s); nested(s, "vendor/lib") }},
	{name: "nested repository without commits", build: func(s *sandbox) {
		base(s)
		s.mkdir("fresh")
		s.at(s.path("fresh"), "init", "-q")
		s.write("fresh/x", "x")
		s.left = []string{"fresh"}
	}},
	{name: "nested repository, ignored", build: func(s *sandbox) { base(s); nested(s, "build/dep"); s.left = []string{"build"} }},
	{name: "linked worktree", build: func(s *sandbox) {
		base(s)
		main := s.dir
		s.dir = s.up + "/linked"
		s.at(main, "worktree", "add", "-q", "-b", "side", s.dir)
		s.write("a.txt", "edited here")
		s.write("new", "n")
		s.git("add", "new")
	}, agent: func(s *sandbox) {
		for i, f := range s.reachable() {
			maul(s, i, f)
		}
		s.git("add", "-A")
		s.git("commit", "-q", "-m", "agent")
		s.git("checkout", "-q", "-b", "agent")
	}},
	{name: "worktrees inside", build: func(s *sandbox) {
		base(s)
		s.git("worktree", "add", "-q", "-b", "w", ".worktrees/w")
		s.write(".worktrees/w/a.txt", "dirty there")
		s.left = []string{".worktrees/w"}
	}},
	{name: "separate git dir", build: func(s *sandbox) {
		base(s)
		s.at(s.up, "init", "-q", "--separate-git-dir", s.up+"/store", s.dir)
		dirt(s)
	}},
	{name: "git init among tracked files", build: func(s *sandbox) {
		base(s)
		s.at(s.path("dir"), "init", "-q")
		s.write("dir/c.txt", "edited")
	}, agent: func(s *sandbox) { s.write("dir/c.txt", "agent"); s.remove("dir/deep"); s.write("a.txt", "x") }},
}

// sparse is a cone that shows "in" and hides "out".
func sparse(s *sandbox, more ...string) {
	s.commit("one", "in/a", "1", "in/b", "1", "out/c", "1", "out/deep/d", "1", "top", "1")
	s.git(append(append([]string{"sparse-checkout", "set", "--cone"}, more...), "in")...)
	s.write("in/a", "edited")
}

var stores = []repository{
	{name: "sparse cone", build: func(s *sandbox) { sparse(s) }},
	{name: "sparse index", build: func(s *sandbox) { sparse(s, "--sparse-index") }},
	{name: "sparse, a file outside of the cone", build: func(s *sandbox) { sparse(s); s.write("out/c", "there all the same") }},
	{name: "SHA-256", init: []string{"--object-format=sha256"}, build: func(s *sandbox) { base(s); dirt(s) }},
	{name: "shallow clone", build: func(s *sandbox) {
		base(s)
		s.clone("--depth=1", "file://"+s.dir)
		dirt(s)
	}},
	{name: "partial clone, origin gone", build: func(s *sandbox) {
		base(s)
		s.git("config", "uploadpack.allowFilter", "true")
		origin := s.dir
		s.clone("--filter=blob:none", "file://"+s.dir)
		s.ok(os.Rename(origin, origin+"-gone"))
		dirt(s)
	}, agent: func(s *sandbox) {
		for i, f := range s.reachable() {
			maul(s, i, f)
		}
	}},
	{name: "borrowed objects", build: func(s *sandbox) {
		base(s)
		s.clone("--shared", s.dir)
		dirt(s)
	}},
	{name: "replaced objects", build: func(s *sandbox) {
		base(s)
		dirt(s)
		s.git("replace", s.git("rev-parse", "HEAD:a.txt"), s.git("rev-parse", "HEAD:dir/c.txt"))
		s.git("replace", s.git("rev-parse", "HEAD^{tree}"), s.git("rev-parse", "HEAD~^{tree}"))
	}},
}

// clone makes the sandbox a clone of what it was.
func (s *sandbox) clone(args ...string) {
	s.t.Helper()
	to := s.up + "/clone"
	s.at(s.up, append(append([]string{"clone", "-q"}, args...), to)...)
	s.dir = to
}

func conflicted(s *sandbox) {
	base(s)
	s.git("checkout", "-q", "-b", "theirs", "HEAD~")
	s.commit("theirs", "a.txt", "theirs\n", "both", "t\n", "dir/c.txt", "theirs\n")
	s.git("rm", "-q", "b.txt")
	s.commit("theirs 2")
	s.git("checkout", "-q", "main")
	s.commit("ours", "a.txt", "ours\n", "both", "o\n", "b.txt", "ours\n")
}

var operations = []repository{
	{name: "merge conflict", build: func(s *sandbox) {
		conflicted(s)
		s.fails("merge", "-q", "theirs")
		s.write("both", "resolved")
		s.git("add", "both")
	}},
	{name: "merge resolved", build: func(s *sandbox) { conflicted(s); s.fails("merge", "-q", "theirs"); s.git("add", "-A") }},
	{name: "rebase conflict", build: func(s *sandbox) { conflicted(s); s.fails("rebase", "-q", "theirs"); s.write("a.txt", "half") }},
	{name: "rebase conflict, apply", build: func(s *sandbox) { conflicted(s); s.fails("rebase", "-q", "--apply", "theirs") }},
	{name: "rebase stopped at edit", build: func(s *sandbox) {
		base(s)
		s.commit("three", "a.txt", "3\n")
		s.git("-c", "sequence.editor=sed -i 1s/pick/edit/", "rebase", "-q", "-i", "HEAD~2")
		s.write("a.txt", "dirt")
	}},
	{name: "cherry-pick conflict", build: func(s *sandbox) { conflicted(s); s.fails("cherry-pick", "theirs~") }},
	{name: "cherry-pick of several", build: func(s *sandbox) { conflicted(s); s.fails("cherry-pick", "theirs~2..theirs") }},
	{name: "revert conflict", build: func(s *sandbox) { conflicted(s); s.fails("revert", "--no-edit", "HEAD~") }},
	{name: "bisect", build: func(s *sandbox) {
		base(s)
		for i := range 6 {
			s.commit(fmt.Sprint("c", i), "n", fmt.Sprint(i))
		}
		s.git("bisect", "start", "HEAD", "HEAD~6")
		s.write("dirt", "x")
	}},
	{name: "stashes", build: func(s *sandbox) {
		base(s)
		for i := range 3 {
			s.write("a.txt", fmt.Sprint("stash ", i))
			s.write(fmt.Sprint("u", i), "untracked")
			s.git("stash", "push", "-q", "-u", "-m", fmt.Sprint("number ", i))
		}
		dirt(s)
	}},
	{name: "stashes, one dropped by the agent", build: func(s *sandbox) {
		base(s)
		for i := range 3 {
			s.write("a.txt", fmt.Sprint("stash ", i))
			s.git("stash", "push", "-q", "-m", fmt.Sprint("number ", i))
		}
	}, agent: func(s *sandbox) { s.git("stash", "drop", "-q", "stash@{1}"); s.git("stash", "pop", "-q") }},
	{name: "squash merge", build: func(s *sandbox) {
		base(s)
		s.git("checkout", "-q", "-b", "sq", "HEAD~")
		s.commit("sq", "sq", "1")
		s.git("checkout", "-q", "main")
		s.git("merge", "-q", "--squash", "sq")
	}},
}

var settings = []repository{
	{name: "hooks that record and refuse", build: func(s *sandbox) {
		base(s)
		dirt(s)
		for _, h := range []string{"pre-commit", "commit-msg", "post-commit", "post-checkout", "post-merge", "pre-rebase", "post-rewrite", "post-index-change", "reference-transaction", "pre-auto-gc", "fsmonitor-watchman"} {
			s.hook(h, "#!/bin/sh\n"+s.recorder()+"\nexit 1\n")
		}
		os.Remove(s.watched)
	}, agent: func(s *sandbox) {
		s.write("a.txt", "x")
		s.hook("pre-commit", "#!/bin/sh\nrm -rf /tmp/x\n")
		s.remove("dir")
		os.Remove(s.watched)
	}},
	{name: "hooks that are links", build: func(s *sandbox) {
		base(s)
		s.write("tools/hook", "#!/bin/sh\n")
		s.chmod("tools/hook", 0o755)
		s.mkdir(".git/hooks")
		s.ok(os.Symlink("../../tools/hook", s.path(".git/hooks/pre-push")))
	}, agent: func(s *sandbox) {
		s.ok(os.Remove(s.path(".git/hooks/pre-push")))
		s.write(".git/hooks/pre-push", "agent's")
		s.ok(os.Symlink("/bin/true", s.path(".git/hooks/post-commit")))
	}},
	{name: "no identity", build: func(s *sandbox) {
		base(s)
		dirt(s)
		s.git("config", "user.useConfigOnly", "true")
		s.git("config", "user.name", "")
		s.git("config", "user.email", "")
	}},
	{name: "broken signing", build: func(s *sandbox) {
		base(s)
		dirt(s)
		for _, k := range []string{"commit.gpgSign", "tag.gpgSign"} {
			s.git("config", k, "true")
		}
		s.git("config", "gpg.program", "/bin/false")
	}},
	{name: "settings that change what git prints", build: func(s *sandbox) {
		base(s)
		dirt(s)
		for k, v := range map[string]string{
			"status.showUntrackedFiles": "no", "core.quotePath": "true", "status.relativePaths": "true", "color.ui": "always",
			"submodule.recurse": "true", "diff.external": s.recorder(), "diff.noprefix": "true", "diff.mnemonicPrefix": "true",
			"diff.renames": "copies", "core.abbrev": "4", "log.showSignature": "true", "diff.orderFile": "/nonexistent",
			"core.logAllRefUpdates": "always", "core.preloadIndex": "true", "i18n.logOutputEncoding": "ISO-8859-1", "diff.algorithm": "patience",
		} {
			s.git("config", k, v)
		}
		os.Remove(s.watched)
	}},
	{name: "symlinks false", build: func(s *sandbox) {
		base(s)
		s.link("a.txt", "l")
		s.commit("l")
		s.git("config", "core.symlinks", "false")
	}},
	{name: "fileMode false", build: func(s *sandbox) { base(s); s.git("config", "core.fileMode", "false"); s.chmod("a.txt", 0o755) }},
	{name: "ignoreCase true", build: func(s *sandbox) {
		base(s)
		s.commit("case", "Readme", "1", "readme", "2")
		s.git("config", "core.ignoreCase", "true")
		s.write("X.LOG", "ignored when case is")
		s.left = []string{"X.LOG"}
	}},
	{name: "core.worktree elsewhere, by the agent", build: func(s *sandbox) { base(s); dirt(s) }, agent: func(s *sandbox) {
		s.write("a.txt", "x")
		s.git("config", "core.worktree", s.up+"/outside")
	}},
}

var sizes = []repository{
	{name: "huge files", build: func(s *sandbox) {
		base(s)
		noise := make([]byte, 40<<20)
		x := uint32(1)
		for i := range noise {
			x = x*1664525 + 1013904223
			noise[i] = byte(x >> 24)
		}
		s.write("noise.bin", string(noise))
		s.commit("text", "big.txt", strings.Repeat("a line of text\n", 800_000))
		s.write("big.txt", strings.Repeat("another line\n", 900_000))
	}},
	{name: "files with holes", build: func(s *sandbox) {
		base(s)
		s.write("hole", "")
		s.ok(os.Truncate(s.path("hole"), 64<<20))
		s.write("big.log", "")
		s.ok(os.Truncate(s.path("big.log"), 2<<30))
		s.left = []string{"big.log"}
	}, agent: func(s *sandbox) { s.ok(os.Truncate(s.path("hole"), 1<<20)); s.remove("a.txt") }},
	{name: "many files", build: func(s *sandbox) {
		base(s)
		for i := range 3000 {
			s.write(fmt.Sprintf("u/%d/%d", i%50, i), fmt.Sprint(i))
		}
		for i := range 1000 {
			s.write(fmt.Sprintf("build/%d", i), "ignored")
		}
		s.left = []string{"build"}
	}, agent: func(s *sandbox) { s.remove("u/1"); s.remove("u/2"); s.write("u/3/3", "x") }},
}
