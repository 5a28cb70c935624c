package restore_test

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// Refs of every kind, and who moves them.
var moreRefs = []repository{
	{name: "symbolic refs", build: func(s *sandbox) {
		base(s)
		s.git("symbolic-ref", "refs/heads/alias", "refs/heads/other")
		s.git("symbolic-ref", "refs/heads/alias2", "refs/heads/main")
		s.git("update-ref", "refs/heads/plain", "HEAD")
	}, agent: func(s *sandbox) {
		s.git("symbolic-ref", "refs/heads/alias", "refs/heads/main")
		s.git("symbolic-ref", "-d", "refs/heads/alias2")
		s.git("branch", "-D", "plain")
		s.git("symbolic-ref", "refs/heads/plain", "refs/heads/other")
		s.git("symbolic-ref", "refs/heads/agent-alias", "refs/heads/main")
		s.write("a.txt", "x")
	}},
	{name: "a symbolic ref that became plain", build: func(s *sandbox) {
		base(s)
		s.git("symbolic-ref", "refs/heads/alias", "refs/heads/other")
	}, agent: func(s *sandbox) {
		s.git("symbolic-ref", "-d", "refs/heads/alias")
		s.git("update-ref", "refs/heads/alias", "HEAD")
	}},
	{name: "notes and refs of other kinds", build: func(s *sandbox) {
		base(s)
		s.git("notes", "add", "-m", "a note")
		s.git("update-ref", "refs/original/refs/heads/main", "HEAD~")
		s.git("update-ref", "refs/custom/deep/one", "HEAD:a.txt")
		s.git("update-ref", "refs/custom/tree", "HEAD^{tree}")
		s.git("tag", "blob", "HEAD:b.txt")
		dirt(s)
	}, agent: func(s *sandbox) {
		violence(s)
		s.may("-c", "core.hooksPath=/dev/null", "notes", "remove", "HEAD~2")
		for _, r := range []string{"refs/notes/commits", "refs/original/refs/heads/main", "refs/custom/deep/one", "refs/custom/tree", "refs/tags/blob"} {
			s.may("-c", "core.hooksPath=/dev/null", "update-ref", "-d", r)
		}
	}},
	{name: "reflogs for everything", build: func(s *sandbox) {
		s.git("config", "core.logAllRefUpdates", "always")
		base(s)
		s.git("notes", "add", "-m", "a note")
		s.git("branch", "-f", "other", "HEAD")
		dirt(s)
	}},
	{name: "remote branches", build: func(s *sandbox) {
		base(s)
		s.clone("file://" + s.dir)
		dirt(s)
	}, agent: func(s *sandbox) { s.git("remote", "remove", "origin"); s.write("a.txt", "x") }},
	{name: "remote branches, fetched by the agent", build: func(s *sandbox) {
		base(s)
		origin := s.dir
		s.clone("file://" + s.dir)
		o := &sandbox{t: s.t, up: s.up, dir: origin}
		o.commit("three", "new", "x")
		o.git("branch", "also")
		dirt(s)
	}, agent: func(s *sandbox) { s.git("fetch", "-q"); s.write("a.txt", "x") }, reports: []string{"refs/remotes/origin/main", "refs/remotes/origin/also"}},
	{name: "a folder where a branch was", build: func(s *sandbox) { base(s); s.git("branch", "x"); dirt(s) }, agent: func(s *sandbox) {
		s.git("branch", "-D", "x")
		s.git("checkout", "-q", "-b", "x/y")
		s.git("branch", "-D", "other")
		s.git("branch", "other/z")
	}},
	{name: "packed refs, one moved since", build: func(s *sandbox) {
		base(s)
		s.git("pack-refs", "--all", "--prune")
		s.git("branch", "-f", "other", "HEAD")
		s.git("tag", "-f", "v1", "HEAD")
	}},
	{name: "grafts", build: func(s *sandbox) {
		base(s)
		s.write(".git/info/grafts", s.git("rev-parse", "HEAD")+"\n")
		dirt(s)
	}, agent: func(s *sandbox) { s.remove(".git/info/grafts"); s.write("a.txt", "x") }},
	{name: "detached, and the agent on a branch that goes back", build: func(s *sandbox) { base(s); s.git("checkout", "-q", "--detach") }, agent: func(s *sandbox) {
		s.git("checkout", "-q", "other")
		s.commit("agent", "a.txt", "agent")
	}},
	{name: "detached at a tag", build: func(s *sandbox) { base(s); s.git("checkout", "-q", "v1"); dirt(s) }},
	{name: "refs in a reftable", needs: "2.45", init: []string{"--ref-format=reftable"}, build: func(s *sandbox) { base(s); dirt(s) }},
}

// Index files as few people know that they have them.
var moreIndexes = []repository{
	{name: "no index", build: func(s *sandbox) { base(s); s.remove(".git/index") }},
	{name: "conflict without a merge", build: func(s *sandbox) {
		base(s)
		oid := s.git("rev-parse", "HEAD:a.txt")
		in := fmt.Sprintf("0 %040d\ta.txt\n100644 %s 1\ta.txt\n100755 %s 3\ta.txt\n", 0, oid, s.git("rev-parse", "HEAD:b.txt"))
		_, err := s.try(s.dir, in, "update-index", "--index-info")
		s.ok(err)
	}},
	{name: "intent to add, gone", build: func(s *sandbox) { base(s); s.write("later", "x"); s.git("add", "-N", "later"); s.remove("later") }},
	{name: "split index, several times", build: func(s *sandbox) {
		base(s)
		s.git("config", "core.splitIndex", "true")
		s.git("config", "splitIndex.maxPercentChange", "100")
		for i := range 4 {
			s.write(fmt.Sprint("n", i), "x")
			s.git("add", fmt.Sprint("n", i))
		}
		s.write("a.txt", "edited")
	}},
	{name: "skip-worktree and assume-unchanged at once", build: func(s *sandbox) {
		base(s)
		s.git("update-index", "--skip-worktree", "a.txt")
		s.git("update-index", "--assume-unchanged", "a.txt", "b.txt")
		s.write("a.txt", "hidden")
		s.write("b.txt", "hidden too")
	}},
	{name: "shared with a group", init: []string{"--shared=group"}, build: func(s *sandbox) { base(s); dirt(s); s.chmod(".git/index", 0o600) }},
	{name: "fsmonitor on", build: func(s *sandbox) {
		base(s)
		s.git("config", "core.fsmonitor", "true")
		s.write("a.txt", "edited")
	}},
}

// Operations in progress that stop in rarer ways.
var moreOperations = []repository{
	{name: "am stopped", build: func(s *sandbox) {
		conflicted(s)
		patch := s.git("format-patch", "--stdout", "theirs~2..theirs") + "\n"
		s.ok(os.WriteFile(s.up+"/patch", []byte(patch), 0o600))
		s.fails("am", "-q", s.up+"/patch")
		s.write("a.txt", "half")
	}},
	{name: "am stopped, three-way", build: func(s *sandbox) {
		conflicted(s)
		patch := s.git("format-patch", "--stdout", "theirs~2..theirs") + "\n"
		s.ok(os.WriteFile(s.up+"/patch", []byte(patch), 0o600))
		s.fails("am", "-q", "-3", s.up+"/patch")
	}},
	{name: "rebase stopped at a command", build: func(s *sandbox) {
		base(s)
		s.commit("three", "a.txt", "3\n")
		s.fails("rebase", "-q", "--exec", "false", "HEAD~2")
		s.write("b.txt", "dirt")
	}},
	{name: "rebase of merges", build: func(s *sandbox) {
		conflicted(s)
		s.fails("merge", "-q", "theirs")
		s.git("add", "-A")
		s.git("commit", "-q", "-m", "merged")
		s.git("-c", "sequence.editor=sed -i 's/^merge .*/&\\nbreak/'", "rebase", "-q", "-i", "--rebase-merges", "--root")
		s.write("untracked", "x")
	}, ill: true}, // git does not store the empty tree of the commit it starts from
	{name: "rebase with what it stashed", build: func(s *sandbox) {
		conflicted(s)
		s.write("e.sh", "stashed by rebase\n")
		s.fails("rebase", "-q", "--autostash", "theirs")
	}},
	{name: "merge with what it stashed", build: func(s *sandbox) {
		conflicted(s)
		s.write("e.sh", "stashed by merge\n")
		s.fails("merge", "-q", "--autostash", "theirs")
	}},
	{name: "merge without commit", build: func(s *sandbox) {
		base(s)
		s.git("checkout", "-q", "-b", "side", "HEAD~")
		s.commit("side", "side", "1")
		s.git("checkout", "-q", "main")
		s.git("merge", "-q", "--no-commit", "--no-ff", "side")
	}},
	{name: "merge of three", build: func(s *sandbox) {
		base(s)
		for _, b := range []string{"p", "q"} {
			s.git("checkout", "-q", "-b", b, "HEAD")
			s.commit(b, b, b)
			s.git("checkout", "-q", "main")
		}
		s.git("merge", "-q", "--no-commit", "--no-ff", "p", "q")
	}},
	{name: "merge with rerere", build: func(s *sandbox) {
		conflicted(s)
		s.git("config", "rerere.enabled", "true")
		s.fails("merge", "-q", "theirs")
		s.write("both", "resolved")
		s.git("rerere")
	}},
	{name: "cherry-pick without commit", build: func(s *sandbox) {
		base(s)
		s.git("checkout", "-q", "-b", "side", "HEAD~")
		s.commit("side", "side", "1")
		s.git("checkout", "-q", "main")
		s.git("cherry-pick", "-n", "side")
		dirt(s)
	}},
	{name: "revert of several", build: func(s *sandbox) { conflicted(s); s.fails("revert", "--no-edit", "HEAD~", "HEAD") }},
	{name: "revert without commit", build: func(s *sandbox) { base(s); s.git("revert", "-n", "HEAD") }},
	{name: "bisect with words of its own", build: func(s *sandbox) {
		base(s)
		for i := range 6 {
			s.commit(fmt.Sprint("c", i), "n", fmt.Sprint(i))
		}
		s.git("bisect", "start", "--term-old=fast", "--term-new=slow", "--first-parent")
		s.git("bisect", "slow", "HEAD")
		s.git("bisect", "fast", "HEAD~6")
		s.git("bisect", "skip")
	}},
	{name: "a stash that conflicts", build: func(s *sandbox) {
		base(s)
		s.write("a.txt", "stashed\n")
		s.git("stash", "push", "-q")
		s.commit("three", "a.txt", "committed\n")
		s.fails("stash", "pop", "-q")
	}},
	{name: "notes being merged", build: func(s *sandbox) {
		base(s)
		s.git("notes", "add", "-m", "ours")
		s.git("notes", "--ref=side", "add", "-m", "theirs")
		s.fails("notes", "merge", "-q", "refs/notes/side")
	}, agent: func(s *sandbox) { s.git("notes", "merge", "--abort"); s.write("a.txt", "x") }},
	{name: "a merge in a linked worktree", build: func(s *sandbox) {
		conflicted(s)
		main := s.dir
		s.dir = s.up + "/linked"
		s.at(main, "worktree", "add", "-q", "-b", "side", s.dir)
		s.fails("merge", "-q", "theirs")
	}, agent: func(s *sandbox) {
		s.git("merge", "--abort")
		s.write("new", "n")
		s.git("add", "-A")
		s.git("commit", "-q", "-m", "agent")
	}},
	{name: "a bisect in a linked worktree", build: func(s *sandbox) {
		base(s)
		for i := range 6 {
			s.commit(fmt.Sprint("c", i), "n", fmt.Sprint(i))
		}
		main := s.dir
		s.dir = s.up + "/linked"
		s.at(main, "worktree", "add", "-q", "--detach", s.dir)
		s.git("bisect", "start", "HEAD", "HEAD~6")
	}, agent: func(s *sandbox) { s.git("bisect", "reset"); s.write("new", "n") }},
}

// Where git keeps things.
var moreStores = []repository{
	{name: "a bare repository's worktree", build: func(s *sandbox) {
		base(s)
		main := s.dir
		s.at(s.up, "clone", "-q", "--bare", main, s.up+"/bare.git")
		s.dir = s.up + "/tree"
		s.at(s.up+"/bare.git", "worktree", "add", "-q", "-b", "side", s.dir)
		s.write("a.txt", "edited here")
		s.write("new", "n")
		s.git("add", "new")
	}, agent: linkedViolence},
	{name: "a .git that is a link", build: func(s *sandbox) {
		base(s)
		s.ok(os.Rename(s.path(".git"), s.up+"/store"))
		s.ok(os.Symlink("../store", s.path(".git")))
		dirt(s)
	}},
	{name: "core.worktree says here", build: func(s *sandbox) { base(s); s.git("config", "core.worktree", ".."); dirt(s) }},
	{name: "settings of one worktree", build: func(s *sandbox) {
		base(s)
		s.git("config", "extensions.worktreeConfig", "true")
		s.git("config", "--worktree", "user.nickname", "here")
		dirt(s)
	}, agent: func(s *sandbox) {
		s.git("config", "--worktree", "user.nickname", "agent's")
		s.git("config", "--worktree", "core.hooksPath", "/tmp/evil")
		s.write("a.txt", "x")
	}},
	{name: "a locked worktree elsewhere", build: func(s *sandbox) {
		base(s)
		s.git("worktree", "add", "-q", "-b", "w", s.up+"/w")
		s.git("worktree", "lock", "--reason", "mine", s.up+"/w")
		dirt(s)
	}},
	{name: "packs with an index of many and a graph", build: func(s *sandbox) {
		base(s)
		dirt(s)
		s.git("repack", "-q", "-d")
		s.write("staged.txt", "anew")
		s.git("add", "staged.txt")
		s.git("multi-pack-index", "write")
		s.git("commit-graph", "write", "--reachable")
	}},
	{name: "sparse without a cone", build: func(s *sandbox) {
		s.commit("one", "in/a", "1", "out/c", "1", "top", "1")
		s.git("sparse-checkout", "set", "--no-cone", "/*", "!out/")
		s.write("in/a", "edited")
	}},
	{name: "shallow clone, deepened by the agent", build: func(s *sandbox) {
		base(s)
		s.clone("--depth=1", "file://"+s.dir)
		dirt(s)
	}, agent: func(s *sandbox) { s.git("fetch", "-q", "--unshallow"); s.write("a.txt", "x") }, reports: []string{"refs/tags/v1"}},
	{name: "a submodule of the old kind", build: func(s *sandbox) {
		base(s)
		nested(s, "sub")
		s.git("-c", "advice.addEmbeddedRepo=false", "add", "sub")
		s.git("commit", "-q", "-m", "embedded")
	}},
	{name: "inside of a submodule", build: func(s *sandbox) {
		submodule(s)
		s.dir, s.left = s.path("sub"), nil
		s.write("lib.c", "edited")
		s.write("new", "untracked")
	}},
}

// linkedViolence spoils a linked worktree. Config and hooks belong to all of them and
// are not put back, so nothing is planted there.
func linkedViolence(s *sandbox) {
	for i, f := range s.reachable() {
		maul(s, i, f)
	}
	s.git("add", "-A")
	s.git("commit", "-q", "-m", "agent")
	s.git("checkout", "-q", "-b", "agent")
}

// Settings and attributes.
var moreSettings = []repository{
	{name: "textconv and drivers of diff and merge", build: func(s *sandbox) {
		base(s)
		s.git("config", "diff.x.textconv", s.recorder())
		s.git("config", "diff.x.command", s.recorder())
		s.git("config", "diff.x.cachetextconv", "true")
		s.git("config", "merge.x.driver", s.recorder())
		s.write(".gitattributes", "* diff=x merge=x\n")
		s.write("a.txt", "edited")
	}},
	{name: "attributes in three places", build: func(s *sandbox) {
		base(s)
		s.write(".git/info/attributes", "*.txt text eol=crlf\n")
		s.ok(os.WriteFile(s.up+"/attributes", []byte("*.sh text eol=crlf\n"), 0o600))
		s.git("config", "core.attributesFile", s.up+"/attributes")
		s.write("dir/.gitattributes", "* -text export-subst export-ignore ident\n")
		s.write("a.txt", "one\r\ntwo\n")
	}},
	{name: "core.eol and safecrlf", build: func(s *sandbox) {
		base(s)
		s.git("config", "core.eol", "crlf")
		s.git("config", "core.safecrlf", "true")
		s.write(".gitattributes", "* text=auto\n")
		s.write("mixed", "a\r\nb\nc\r\n")
		s.write("a.txt", "x\r\n")
	}},
	{name: "LFS with a store", build: func(s *sandbox) {
		s.write(".git/lfs/objects/ab/cd/abcd", "the content\n")
		s.git("config", "filter.lfs.clean", "git-lfs clean -- %f")
		s.git("config", "filter.lfs.smudge", "git-lfs smudge -- %f")
		s.git("config", "filter.lfs.process", s.recorder())
		s.git("config", "filter.lfs.required", "true")
		base(s)
		s.write(".gitattributes", "*.bin filter=lfs diff=lfs merge=lfs -text\n")
		s.write("new.bin", "content that git-lfs never saw\n")
	}},
	{name: "settings included from elsewhere", build: func(s *sandbox) {
		base(s)
		s.ok(os.WriteFile(s.up+"/more", []byte("[core]\n\tautocrlf = input\n\tfsmonitor = "+s.recorder()+"\n"), 0o600))
		s.git("config", "includeIf.gitdir:"+s.up+"/.path", s.up+"/more")
		s.git("config", "include.path", s.up+"/more")
		dirt(s)
		os.Remove(s.watched)
	}},
	{name: "hooks in the tree", build: func(s *sandbox) {
		base(s)
		s.git("config", "core.hooksPath", "tools/hooks")
		for _, h := range []string{"post-index-change", "reference-transaction", "pre-auto-gc"} {
			s.write("tools/hooks/"+h, "#!/bin/sh\n"+s.recorder()+"\n")
			s.chmod("tools/hooks/"+h, 0o755)
		}
		os.Remove(s.watched)
	}},
	{name: "rules outside of the tree, changed by the agent", build: func(s *sandbox) {
		base(s)
		s.ok(os.WriteFile(s.path(".git/info/exclude"), []byte("*.mine\nkept/\n"), 0o644))
		s.write("x.mine", "precious")
		s.write("kept/y", "precious")
		s.left = []string{"x.mine", "kept"}
	}, agent: func(s *sandbox) {
		s.ok(os.WriteFile(s.path(".git/info/exclude"), []byte("*\n"), 0o644))
		s.write("hidden by it", "x")
		s.remove("a.txt")
	}},
	{name: "config changed by the agent", build: func(s *sandbox) { base(s); s.chmod(".git/config", 0o600); dirt(s) }, agent: func(s *sandbox) {
		s.git("config", "core.bare", "false")
		s.git("config", "core.fileMode", "false")
		s.git("config", "core.ignoreCase", "true")
		s.git("config", "core.autocrlf", "true")
		s.git("config", "core.excludesFile", s.up+"/x")
		s.ok(os.WriteFile(s.up+"/x", []byte("*\n"), 0o600))
		s.chmod(".git/config", 0o644)
		s.write("a.txt", "x")
		s.write("new", "hidden by the excludes")
	}},
}

// newer reports whether git is at least of a version like 2.45.
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
