package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

// named are the programs that a repository can name, by the setting that names them.
var named = []string{
	"core.fsmonitor", "core.pager", "core.editor", "core.sshCommand", "core.askPass", "core.gitProxy", "core.alternateRefsCommand",
	"sequence.editor", "credential.helper", "gpg.program", "gpg.ssh.program", "interactive.diffFilter", "diff.external", "pager.status",
	"pager.diff", "pager.log", "pager.show", "filter.evil.clean", "filter.evil.smudge", "filter.evil.process", "filter.lfs.clean",
	"filter.lfs.smudge", "filter.lfs.process", "diff.evil.command", "diff.evil.textconv", "merge.evil.driver", "merge.tool",
	"uploadpack.packObjectsHook", "remote.origin.receivepack", "remote.origin.uploadpack", "trailer.x.command", "web.browser",
	"submodule.sub.update", "rebase.instructionFormat", "sendemail.toCmd",
}

// hostile creates a world in which everything that can name a program names one that leaves a mark,
// and in which a git of the repository is first in PATH.
func hostile(t *testing.T) (w *world, evil string, env []string) {
	t.Helper()
	w = newWorld(t)
	evil = filepath.Join(w.repo, "bin", "evil")
	trap := "#!/bin/sh\necho \"$0 $*\" >> " + filepath.Join(w.up, "trapped") + "\nexit 1\n"
	for _, name := range []string{"evil", "git", "git-lfs", "sh", "less", "ssh", "ps", "cat", "git-remote-evil", "git-evil"} {
		w.write("bin/"+name, trap)
		w.must(os.Chmod(filepath.Join(w.repo, "bin", name), 0o755))
	}
	for _, hook := range []string{"reference-transaction", "post-index-change", "post-checkout", "pre-auto-gc", "pre-commit", "post-commit", "fsmonitor-watchman", "pre-receive", "update", "post-update", "post-rewrite"} {
		for _, dir := range []string{".git/hooks", "bin/hooks"} {
			w.write(dir+"/"+hook, trap)
			w.must(os.Chmod(filepath.Join(w.repo, dir, hook), 0o755))
		}
	}
	give(t, w.up)
	for _, key := range named {
		w.git("config", key, evil)
	}
	for _, command := range []string{"status", "diff-tree", "cat-file", "for-each-ref", "rev-parse", "x"} {
		w.git("config", "alias."+command, "!"+evil)
	}
	more := filepath.Join(w.repo, ".git", "more")
	for key, value := range map[string]string{
		"core.hooksPath": "bin/hooks", "filter.evil.required": "true", "filter.lfs.required": "true", "commit.gpgSign": "true", "log.showSignature": "true",
		"includeIf.gitdir:" + w.repo + "/.git.path": more, "include.path": more, "diff.evil.cachetextconv": "true", "maintenance.auto": "true", "gc.auto": "1",
		"remote.origin.url": "ext::" + evil, "protocol.ext.allow": "always", "remote.origin.promisor": "true", "submodule.recurse": "true",
	} {
		w.git("config", key, value)
	}
	w.write(".git/more", "[core]\n\tfsmonitor = "+evil+"\n[diff]\n\texternal = "+evil+"\n")
	w.write(".gitattributes", "* filter=evil diff=evil merge=evil\n*.txt filter=lfs\n")
	w.write(".git/info/attributes", "*.sh filter=evil diff=evil\n")
	give(t, w.up)
	path := strings.Join([]string{"bin", "./bin", ".", "", filepath.Join(w.repo, "bin"), os.Getenv("PATH")}, ":")
	return w, evil, append(w.env(), "PATH="+path, "PAGER="+evil, "GIT_PAGER="+evil, "GIT_EXTERNAL_DIFF="+evil, "GIT_SSH_COMMAND="+evil,
		"GIT_EDITOR="+evil, "EDITOR="+evil, "GIT_ASKPASS="+evil, "GIT_EXEC_PATH="+filepath.Join(w.repo, "bin"), "GIT_DIR=/nowhere", "GIT_INDEX_FILE=/nowhere")
}

// execs returns every program that a command and its child processes execute.
func (w *world) execs(env []string, program string, args ...string) (programs map[string]string, r ran) {
	w.t.Helper()
	log := filepath.Join(w.up, "strace")
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, "strace", append([]string{"-f", "-qq", "-s", "500", "-e", "trace=execve,execveat", "-e", "signal=none", "-o", log, program}, args...)...)
	c.Dir, c.Env = w.repo, env
	asUser(c)
	r = w.run(ctx, c, args)
	text, err := os.ReadFile(log)
	w.must(err)
	w.must(os.Remove(log))
	programs = map[string]string{}
	for line := range strings.Lines(string(text)) {
		if m := execed.FindStringSubmatch(line); m != nil {
			programs[m[1]] = strings.TrimSpace(line)
		} else if strings.Contains(line, "exec") && !strings.Contains(line, "resumed") {
			w.t.Errorf("strace printed an unknown line: %s", line)
		}
	}
	return programs, r
}

var execed = lazyregexp.New(`execve(?:at)?\((?:[A-Z_0-9]+, )?"((?:[^"\\]|\\.)*)"`)

// TestNothingOfTheRepositoryRuns traces the programs that belay starts in a hostile repository:
// itself, git from outside the repository, and nothing else.
func TestNothingOfTheRepositoryRuns(t *testing.T) {
	t.Parallel()
	for _, need := range []string{"strace", "git"} {
		if _, err := exec.LookPath(need); err != nil {
			t.Skipf("SKIPPED, NOT TESTED: what is started is seen with %s: %v", need, err)
		}
	}
	w, evil, env := hostile(t)
	if out, err := exec.Command("strace", "-f", "-e", "trace=execve", "true").CombinedOutput(); err != nil {
		t.Skipf("SKIPPED, NOT TESTED: strace may not trace here: %v %s", err, out)
	}
	git, err := exec.LookPath("git")
	w.must(err)
	belay, err := exec.LookPath("belay")
	w.must(err)
	allowed := map[string]bool{git: true, belay: true}
	core, err := exec.Command("git", "--exec-path").Output()
	w.must(err)

	// The traps work: git itself triggers them.
	plain := append(w.env(), "GIT_PAGER=cat")
	caught, _ := w.execs(plain, git, "diff")
	if _, fell := caught[evil]; !fell && !strings.Contains(fmt.Sprint(caught), evil) {
		t.Fatalf("git was to start %s: %v", evil, caught)
	}
	w.must(os.RemoveAll(filepath.Join(w.up, "trapped")))

	id, n := "", 0
	belays := func(args ...string) {
		t.Helper()
		programs, r := w.execs(env, belay, args...)
		n++
		for p, line := range programs {
			if !allowed[p] && !strings.HasPrefix(p, strings.TrimSpace(string(core))+"/") {
				t.Errorf("belay %s started %s: %s", strings.Join(args, " "), p, line)
			}
		}
		if len(programs) < 2 {
			t.Errorf("belay %v started no git: %v", args, programs)
		}
		if r.code != 0 {
			t.Errorf("%s", r)
		}
		if args[len(args)-1] == "take" {
			id = strings.TrimSpace(r.out)
		}
	}
	belays("snapshot", "take")
	belays("task", "add", "something", "--as-it-is", "--task", "T1")
	belays("task", "start", "T1")
	w.spoilQuietly()
	belays("task", "capture", "T1")
	most := [][]string{
		{"status"}, {"snapshot", "list"}, {"snapshot", "show", id}, {"snapshot", "diff", id}, {"snapshot", "diff", id, "--stat"},
		{"snapshot", "diff", "T1"}, {"snapshot", "diff", "T1", "--name-only"}, {"show", "T1"}, {"log", "T1"}, {"log", "--verify"}, {"snapshot", "status"},
		{"snapshot", "restore", id, "--dry-run"}, {"snapshot", "restore", id, "--yes", "--", "a.txt"}, {"snapshot", "restore", id, "--yes"},
		{"undo"}, {"redo"}, {"undo"}, {"rollback", "T1", "--yes"}, {"doctor"}, {"snapshot", "prune", "--older-than", "0s"}, {"snapshot", "take"},
	}
	for i, args := range most {
		if crashAll() || i%3 != 1 { // strace takes most of the time
			belays(args...)
		}
	}
	if text, err := os.ReadFile(filepath.Join(w.up, "trapped")); err == nil {
		t.Errorf("programs of the repository ran:\n%s", text)
	}
	t.Logf("%d commands watched: git and belay alone were started", n)
}

// spoilQuietly changes files without git, which would run the configured programs.
func (w *world) spoilQuietly() {
	w.t.Helper()
	w.write("a.txt", "spoiled\n")
	w.must(os.Remove(filepath.Join(w.repo, "b.txt")))
	w.write("more/x.txt", "more\n")
	w.write(".gitattributes", "* filter=evil diff=evil text eol=crlf working-tree-encoding=UTF-16\n")
	give(w.t, w.repo)
}
