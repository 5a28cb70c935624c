package testutil

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// Refs of all kinds, and agents that change them.
var moreRefs = []Repository{
	{Name: "symbolic refs", Build: func(s *Sandbox) {
		Base(s)
		s.Git("symbolic-ref", "refs/heads/alias", "refs/heads/other")
		s.Git("symbolic-ref", "refs/heads/alias2", "refs/heads/main")
		s.Git("update-ref", "refs/heads/plain", "HEAD")
	}, Agent: func(s *Sandbox) {
		s.Git("symbolic-ref", "refs/heads/alias", "refs/heads/main")
		s.Git("symbolic-ref", "-d", "refs/heads/alias2")
		s.Git("branch", "-D", "plain")
		s.Git("symbolic-ref", "refs/heads/plain", "refs/heads/other")
		s.Git("symbolic-ref", "refs/heads/agent-alias", "refs/heads/main")
		s.Write("a.txt", "x")
	}},
	{Name: "a symbolic ref that became plain", Build: func(s *Sandbox) {
		Base(s)
		s.Git("symbolic-ref", "refs/heads/alias", "refs/heads/other")
	}, Agent: func(s *Sandbox) {
		s.Git("symbolic-ref", "-d", "refs/heads/alias")
		s.Git("update-ref", "refs/heads/alias", "HEAD")
	}},
	{Name: "notes and refs of other kinds", Build: func(s *Sandbox) {
		Base(s)
		s.Git("notes", "add", "-m", "a note")
		s.Git("update-ref", "refs/original/refs/heads/main", "HEAD~")
		s.Git("update-ref", "refs/custom/deep/one", "HEAD:a.txt")
		s.Git("update-ref", "refs/custom/tree", "HEAD^{tree}")
		s.Git("tag", "blob", "HEAD:b.txt")
		Dirt(s)
	}, Agent: func(s *Sandbox) {
		Violence(s)
		s.May("-c", "core.hooksPath=/dev/null", "notes", "remove", "HEAD~2")
		for _, r := range []string{"refs/notes/commits", "refs/original/refs/heads/main", "refs/custom/deep/one",
			"refs/custom/tree", "refs/tags/blob"} {
			s.May("-c", "core.hooksPath=/dev/null", "update-ref", "-d", r)
		}
	}},
	{Name: "reflogs for everything", Build: func(s *Sandbox) {
		s.Git("config", "core.logAllRefUpdates", "always")
		Base(s)
		s.Git("notes", "add", "-m", "a note")
		s.Git("branch", "-f", "other", "HEAD")
		Dirt(s)
	}},
	{Name: "remote branches", Build: func(s *Sandbox) {
		Base(s)
		s.clone("file://" + s.Dir)
		Dirt(s)
	}, Agent: func(s *Sandbox) { s.Git("remote", "remove", "origin"); s.Write("a.txt", "x") }},
	{Name: "remote branches, fetched by the agent", Build: func(s *Sandbox) {
		Base(s)
		origin := s.Dir
		s.clone("file://" + s.Dir)
		o := &Sandbox{T: s.T, Up: s.Up, Dir: origin}
		o.Commit("three", "new", "x")
		o.Git("branch", "also")
		Dirt(s)
	}, Agent: func(s *Sandbox) { s.Git("fetch", "-q"); s.Write("a.txt", "x") }, Reports: []string{"refs/remotes/origin/main",
		"refs/remotes/origin/also"}},
	{Name: "a folder where a branch was", Build: func(s *Sandbox) { Base(s); s.Git("branch", "x"); Dirt(s) }, Agent: func(s *Sandbox) {
		s.Git("branch", "-D", "x")
		s.Git("checkout", "-q", "-b", "x/y")
		s.Git("branch", "-D", "other")
		s.Git("branch", "other/z")
	}},
	{Name: "packed refs, one moved since", Build: func(s *Sandbox) {
		Base(s)
		s.Git("pack-refs", "--all", "--prune")
		s.Git("branch", "-f", "other", "HEAD")
		s.Git("tag", "-f", "v1", "HEAD")
	}},
	{Name: "grafts", Build: func(s *Sandbox) {
		Base(s)
		s.Write(".git/info/grafts", s.Git("rev-parse", "HEAD")+"\n")
		Dirt(s)
	}, Agent: func(s *Sandbox) { s.Remove(".git/info/grafts"); s.Write("a.txt", "x") }},
	{Name: "detached, and the agent on a branch that goes back", Build: func(s *Sandbox) {
		Base(s)
		s.Git("checkout", "-q",
			"--detach")
	}, Agent: func(s *Sandbox) {
		s.Git("checkout", "-q", "other")
		s.Commit("agent", "a.txt", "agent")
	}},
	{Name: "detached at a tag", Build: func(s *Sandbox) { Base(s); s.Git("checkout", "-q", "v1"); Dirt(s) }},
	{Name: "refs in a reftable", Needs: "2.45", Init: []string{"--ref-format=reftable"}, Build: func(s *Sandbox) { Base(s); Dirt(s) }},
}

// Unusual states of the index.
var moreIndexes = []Repository{
	{Name: "no index", Build: func(s *Sandbox) { Base(s); s.Remove(".git/index") }},
	{Name: "conflict without a merge", Build: func(s *Sandbox) {
		Base(s)
		oid := s.Git("rev-parse", "HEAD:a.txt")
		in := fmt.Sprintf("0 %040d\ta.txt\n100644 %s 1\ta.txt\n100755 %s 3\ta.txt\n", 0, oid, s.Git("rev-parse", "HEAD:b.txt"))
		_, err := s.Try(s.Dir, in, "update-index", "--index-info")
		s.Ok(err)
	}},
	{Name: "intent to add, gone", Build: func(s *Sandbox) {
		Base(s)
		s.Write("later", "x")
		s.Git("add", "-N",
			"later")
		s.Remove("later")
	}},
	{Name: "split index, several times", Build: func(s *Sandbox) {
		Base(s)
		s.Git("config", "core.splitIndex", "true")
		s.Git("config", "splitIndex.maxPercentChange", "100")
		for i := range 4 {
			s.Write(fmt.Sprint("n", i), "x")
			s.Git("add", fmt.Sprint("n", i))
		}
		s.Write("a.txt", "edited")
	}},
	{Name: "skip-worktree and assume-unchanged at once", Build: func(s *Sandbox) {
		Base(s)
		s.Git("update-index", "--skip-worktree", "a.txt")
		s.Git("update-index", "--assume-unchanged", "a.txt", "b.txt")
		s.Write("a.txt", "hidden")
		s.Write("b.txt", "hidden too")
	}},
	{Name: "shared with a group", Init: []string{"--shared=group"},
		Build: func(s *Sandbox) { Base(s); Dirt(s); s.Chmod(".git/index", 0o600) }},
	{Name: "fsmonitor on", Build: func(s *Sandbox) {
		Base(s)
		s.Git("config", "core.fsmonitor", "true")
		s.Write("a.txt", "edited")
	}},
}

// Operations in progress that are rarer than those in operations.
var moreOperations = []Repository{
	{Name: "am stopped", Build: func(s *Sandbox) {
		Conflicted(s)
		patch := s.Git("format-patch", "--stdout", "theirs~2..theirs") + "\n"
		s.Ok(os.WriteFile(s.Up+"/patch", []byte(patch), 0o600))
		s.Fails("am", "-q", s.Up+"/patch")
		s.Write("a.txt", "half")
	}},
	{Name: "am stopped, three-way", Build: func(s *Sandbox) {
		Conflicted(s)
		patch := s.Git("format-patch", "--stdout", "theirs~2..theirs") + "\n"
		s.Ok(os.WriteFile(s.Up+"/patch", []byte(patch), 0o600))
		s.Fails("am", "-q", "-3", s.Up+"/patch")
	}},
	{Name: "rebase stopped at a command", Build: func(s *Sandbox) {
		Base(s)
		s.Commit("three", "a.txt", "3\n")
		s.Fails("rebase", "-q", "--exec", "false", "HEAD~2")
		s.Write("b.txt", "dirt")
	}},
	{Name: "rebase of merges", Build: func(s *Sandbox) {
		Conflicted(s)
		s.Fails("merge", "-q", "theirs")
		s.Git("add", "-A")
		s.Git("commit", "-q", "-m", "merged")
		s.Git("-c", "sequence.editor=sed -i 's/^merge .*/&\\nbreak/'", "rebase", "-q", "-i", "--rebase-merges", "--root")
		s.Write("untracked", "x")
	}, Ill: true}, // git does not store the empty tree of its first commit
	{Name: "rebase with what it stashed", Build: func(s *Sandbox) {
		Conflicted(s)
		s.Write("e.sh", "stashed by rebase\n")
		s.Fails("rebase", "-q", "--autostash", "theirs")
	}},
	{Name: "merge with what it stashed", Build: func(s *Sandbox) {
		Conflicted(s)
		s.Write("e.sh", "stashed by merge\n")
		s.Fails("merge", "-q", "--autostash", "theirs")
	}},
	{Name: "merge without commit", Build: func(s *Sandbox) {
		Base(s)
		s.Git("checkout", "-q", "-b", "side", "HEAD~")
		s.Commit("side", "side", "1")
		s.Git("checkout", "-q", "main")
		s.Git("merge", "-q", "--no-commit", "--no-ff", "side")
	}},
	{Name: "merge of three", Build: func(s *Sandbox) {
		Base(s)
		for _, b := range []string{"p", "q"} {
			s.Git("checkout", "-q", "-b", b, "HEAD")
			s.Commit(b, b, b)
			s.Git("checkout", "-q", "main")
		}
		s.Git("merge", "-q", "--no-commit", "--no-ff", "p", "q")
	}},
	{Name: "merge with rerere", Build: func(s *Sandbox) {
		Conflicted(s)
		s.Git("config", "rerere.enabled", "true")
		s.Fails("merge", "-q", "theirs")
		s.Write("both", "resolved")
		s.Git("rerere")
	}},
	{Name: "cherry-pick without commit", Build: func(s *Sandbox) {
		Base(s)
		s.Git("checkout", "-q", "-b", "side", "HEAD~")
		s.Commit("side", "side", "1")
		s.Git("checkout", "-q", "main")
		s.Git("cherry-pick", "-n", "side")
		Dirt(s)
	}},
	{Name: "revert of several", Build: func(s *Sandbox) { Conflicted(s); s.Fails("revert", "--no-edit", "HEAD~", "HEAD") }},
	{Name: "revert without commit", Build: func(s *Sandbox) { Base(s); s.Git("revert", "-n", "HEAD") }},
	{Name: "bisect with words of its own", Build: func(s *Sandbox) {
		Base(s)
		for i := range 6 {
			s.Commit(fmt.Sprint("c", i), "n", fmt.Sprint(i))
		}
		s.Git("bisect", "start", "--term-old=fast", "--term-new=slow", "--first-parent")
		s.Git("bisect", "slow", "HEAD")
		s.Git("bisect", "fast", "HEAD~6")
		s.Git("bisect", "skip")
	}},
	{Name: "a stash that conflicts", Build: func(s *Sandbox) {
		Base(s)
		s.Write("a.txt", "stashed\n")
		s.Git("stash", "push", "-q")
		s.Commit("three", "a.txt", "committed\n")
		s.Fails("stash", "pop", "-q")
	}},
	{Name: "notes being merged", Build: func(s *Sandbox) {
		Base(s)
		s.Git("notes", "add", "-m", "ours")
		s.Git("notes", "--ref=side", "add", "-m", "theirs")
		s.Fails("notes", "merge", "-q", "refs/notes/side")
	}, Agent: func(s *Sandbox) { s.Git("notes", "merge", "--abort"); s.Write("a.txt", "x") }},
	{Name: "a merge in a linked worktree", Build: func(s *Sandbox) {
		Conflicted(s)
		main := s.Dir
		s.Dir = s.Up + "/linked"
		s.At(main, "worktree", "add", "-q", "-b", "side", s.Dir)
		s.Fails("merge", "-q", "theirs")
	}, Agent: func(s *Sandbox) {
		s.Git("merge", "--abort")
		s.Write("new", "n")
		s.Git("add", "-A")
		s.Git("commit", "-q", "-m", "agent")
	}},
	{Name: "a bisect in a linked worktree", Build: func(s *Sandbox) {
		Base(s)
		for i := range 6 {
			s.Commit(fmt.Sprint("c", i), "n", fmt.Sprint(i))
		}
		main := s.Dir
		s.Dir = s.Up + "/linked"
		s.At(main, "worktree", "add", "-q", "--detach", s.Dir)
		s.Git("bisect", "start", "HEAD", "HEAD~6")
	}, Agent: func(s *Sandbox) { s.Git("bisect", "reset"); s.Write("new", "n") }},
}

// Unusual places for git's folder and objects.
var moreStores = []Repository{
	{Name: "a bare repository's worktree", Build: func(s *Sandbox) {
		Base(s)
		main := s.Dir
		s.At(s.Up, "clone", "-q", "--bare", main, s.Up+"/bare.git")
		s.Dir = s.Up + "/tree"
		s.At(s.Up+"/bare.git", "worktree", "add", "-q", "-b", "side", s.Dir)
		s.Write("a.txt", "edited here")
		s.Write("new", "n")
		s.Git("add", "new")
	}, Agent: linkedViolence},
	{Name: "a .git that is a link", Build: func(s *Sandbox) {
		Base(s)
		s.Ok(os.Rename(s.Path(".git"), s.Up+"/store"))
		s.Ok(os.Symlink("../store", s.Path(".git")))
		Dirt(s)
	}},
	{Name: "core.worktree says here", Build: func(s *Sandbox) { Base(s); s.Git("config", "core.worktree", ".."); Dirt(s) }},
	{Name: "settings of one worktree", Build: func(s *Sandbox) {
		Base(s)
		s.Git("config", "extensions.worktreeConfig", "true")
		s.Git("config", "--worktree", "user.nickname", "here")
		Dirt(s)
	}, Agent: func(s *Sandbox) {
		s.Git("config", "--worktree", "user.nickname", "agent's")
		s.Git("config", "--worktree", "core.hooksPath", "/tmp/evil")
		s.Write("a.txt", "x")
	}},
	{Name: "a locked worktree elsewhere", Build: func(s *Sandbox) {
		Base(s)
		s.Git("worktree", "add", "-q", "-b", "w", s.Up+"/w")
		s.Git("worktree", "lock", "--reason", "mine", s.Up+"/w")
		Dirt(s)
	}},
	{Name: "packs with an index of many and a graph", Build: func(s *Sandbox) {
		Base(s)
		Dirt(s)
		s.Git("repack", "-q", "-d")
		s.Write("staged.txt", "anew")
		s.Git("add", "staged.txt")
		s.Git("multi-pack-index", "write")
		s.Git("commit-graph", "write", "--reachable")
	}},
	{Name: "sparse without a cone", Build: func(s *Sandbox) {
		s.Commit("one", "in/a", "1", "out/c", "1", "top", "1")
		s.Git("sparse-checkout", "set", "--no-cone", "/*", "!out/")
		s.Write("in/a", "edited")
	}},
	{Name: "shallow clone, deepened by the agent", Build: func(s *Sandbox) {
		Base(s)
		s.clone("--depth=1", "file://"+s.Dir)
		Dirt(s)
	}, Agent: func(s *Sandbox) { s.Git("fetch", "-q", "--unshallow"); s.Write("a.txt", "x") }, Reports: []string{"refs/tags/v1"}},
	{Name: "a submodule of the old kind", Build: func(s *Sandbox) {
		Base(s)
		Nested(s, "sub")
		s.Git("-c", "advice.addEmbeddedRepo=false", "add", "sub")
		s.Git("commit", "-q", "-m", "embedded")
	}},
	{Name: "inside of a submodule", Build: func(s *Sandbox) {
		submodule(s)
		s.Dir, s.Left = s.Path("sub"), nil
		s.Write("lib.c", "edited")
		s.Write("new", "untracked")
	}},
}

// linkedViolence damages a linked worktree. It does not change config and hooks, which all
// worktrees share and a restore leaves alone.
func linkedViolence(s *Sandbox) {
	for i, f := range s.Reachable() {
		Maul(s, i, f)
	}
	s.Git("add", "-A")
	s.Git("commit", "-q", "-m", "agent")
	s.Git("checkout", "-q", "-b", "agent")
}

// Settings and attributes.
var moreSettings = []Repository{
	{Name: "textconv and drivers of diff and merge", Build: func(s *Sandbox) {
		Base(s)
		s.Git("config", "diff.x.textconv", s.recorder())
		s.Git("config", "diff.x.command", s.recorder())
		s.Git("config", "diff.x.cachetextconv", "true")
		s.Git("config", "merge.x.driver", s.recorder())
		s.Write(".gitattributes", "* diff=x merge=x\n")
		s.Write("a.txt", "edited")
	}},
	{Name: "attributes in three places", Build: func(s *Sandbox) {
		Base(s)
		s.Write(".git/info/attributes", "*.txt text eol=crlf\n")
		s.Ok(os.WriteFile(s.Up+"/attributes", []byte("*.sh text eol=crlf\n"), 0o600))
		s.Git("config", "core.attributesFile", s.Up+"/attributes")
		s.Write("dir/.gitattributes", "* -text export-subst export-ignore ident\n")
		s.Write("a.txt", "one\r\ntwo\n")
	}},
	{Name: "core.eol and safecrlf", Build: func(s *Sandbox) {
		Base(s)
		s.Git("config", "core.eol", "crlf")
		s.Git("config", "core.safecrlf", "true")
		s.Write(".gitattributes", "* text=auto\n")
		s.Write("mixed", "a\r\nb\nc\r\n")
		s.Write("a.txt", "x\r\n")
	}},
	{Name: "LFS with a store", Build: func(s *Sandbox) {
		s.Write(".git/lfs/objects/ab/cd/abcd", "the content\n")
		s.Git("config", "filter.lfs.clean", "git-lfs clean -- %f")
		s.Git("config", "filter.lfs.smudge", "git-lfs smudge -- %f")
		s.Git("config", "filter.lfs.process", s.recorder())
		s.Git("config", "filter.lfs.required", "true")
		Base(s)
		s.Write(".gitattributes", "*.bin filter=lfs diff=lfs merge=lfs -text\n")
		s.Write("new.bin", "content that git-lfs never saw\n")
	}},
	{Name: "settings included from elsewhere", Build: func(s *Sandbox) {
		Base(s)
		s.Ok(os.WriteFile(s.Up+"/more", []byte("[core]\n\tautocrlf = input\n\tfsmonitor = "+s.recorder()+"\n"), 0o600))
		s.Git("config", "includeIf.gitdir:"+s.Up+"/.path", s.Up+"/more")
		s.Git("config", "include.path", s.Up+"/more")
		Dirt(s)
		os.Remove(s.Watched)
	}},
	{Name: "hooks in the tree", Build: func(s *Sandbox) {
		Base(s)
		s.Git("config", "core.hooksPath", "tools/hooks")
		for _, h := range []string{"post-index-change", "reference-transaction", "pre-auto-gc"} {
			s.Write("tools/hooks/"+h, "#!/bin/sh\n"+s.recorder()+"\n")
			s.Chmod("tools/hooks/"+h, 0o755)
		}
		os.Remove(s.Watched)
	}},
	{Name: "rules outside of the tree, changed by the agent", Build: func(s *Sandbox) {
		Base(s)
		s.Ok(os.WriteFile(s.Path(".git/info/exclude"), []byte("*.mine\nkept/\n"), 0o644))
		s.Write("x.mine", "precious")
		s.Write("kept/y", "precious")
		s.Left = []string{"x.mine", "kept"}
	}, Agent: func(s *Sandbox) {
		s.Ok(os.WriteFile(s.Path(".git/info/exclude"), []byte("*\n"), 0o644))
		s.Write("hidden by it", "x")
		s.Remove("a.txt")
	}},
	{Name: "config changed by the agent", Build: func(s *Sandbox) { Base(s); s.Chmod(".git/config", 0o600); Dirt(s) },
		Agent: func(s *Sandbox) {
			s.Git("config", "core.bare", "false")
			s.Git("config", "core.fileMode", "false")
			s.Git("config", "core.ignoreCase", "true")
			s.Git("config", "core.autocrlf", "true")
			s.Git("config", "core.excludesFile", s.Up+"/x")
			s.Ok(os.WriteFile(s.Up+"/x", []byte("*\n"), 0o600))
			s.Chmod(".git/config", 0o644)
			s.Write("a.txt", "x")
			s.Write("new", "hidden by the excludes")
		}},
}

// newer reports whether git has at least a version such as 2.45.
func newer(version string) bool {
	out, err := exec.Command("git", "version").Output()
	if err != nil {
		return false
	}
	var have, want [2]int
	_, _ = fmt.Sscanf(strings.TrimPrefix(string(out), "git version "), "%d.%d", &have[0], &have[1])
	_, _ = fmt.Sscanf(version, "%d.%d", &want[0], &want[1])
	return have[0] > want[0] || have[0] == want[0] && have[1] >= want[1]
}
