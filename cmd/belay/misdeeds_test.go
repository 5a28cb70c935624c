package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// modeMisdeed is how the tally counts them.
const modeMisdeed = "misdeed"

// misdeed is what an agent does with git, or to it, in its first attempt.
type misdeed struct {
	name   string
	script string // lines of sh
	named  string // what the run has to say when it cannot go on; "" when it must
	mend   string // what a person does then, in sh; after that it goes on
	lost   bool   // nothing can be put back: that it says so is all there is
	says   string // what it, or the task's record, has to say although it goes on
	leaves string // a folder that a restore leaves and names
}

var misdeeds = []misdeed{
	{name: "commits", script: "git add -A; git commit -qm agent; git commit -q --amend -m again"},
	{name: "switches the branch", script: "git add -A; git commit -qm agent; git checkout -q -b agent; git branch -q -D other"},
	{name: "goes back in history", script: "git merge --abort; git reset -q --hard HEAD~; git checkout -q --detach; git branch -f other HEAD"},
	{name: "stashes and drops", script: "git merge --abort; git stash -q -u; git stash drop -q; git stash drop -q"},
	{name: "rebases", script: "git merge --abort; git stash -q; git rebase -q --root -x 'true'; git rebase -q theirs"},
	{name: "stops in a rebase", script: "git merge --abort; git stash -q; git rebase -q theirs"},
	{name: "ends the merge", script: "git add -A; git commit -qm merged; git reflog expire --all --expire=now --expire-unreachable=now; git gc -q --prune=now"},
	{name: "collects garbage", script: "git reset -q --hard; git stash clear; git branch -q -D other theirs; git tag -d v1; git reflog expire --all --expire=now; git gc -q --prune=now"},
	{name: "packs everything", script: "git pack-refs --all --prune; git repack -q -a -d"},
	{name: "deletes the index", script: "rm .git/index"},
	{name: "writes an index of rubbish", script: "echo rubbish > .git/index"},
	{name: "deletes belay's private index", script: "rm -f .git/belay/stat-cache .git/belay/stored .git/belay/git-version; rm -rf .git/belay/plain"},
	{name: "spoils belay's private index", script: "for f in stat-cache stored undo.json; do echo rubbish > .git/belay/$f; done"},
	{name: "deletes belay's folder", script: "rm -rf .git/belay", says: "its record was deleted"},
	{name: "breaks the config", script: "echo '[core' >> .git/config", named: "config", mend: "sed -i '$d' .git/config"},
	{name: "makes it bare", script: "git config core.bare true", named: "bare", mend: "git config core.bare false"},
	{name: "sends git elsewhere", script: "git config core.worktree /tmp; git config core.hooksPath /tmp; git config core.excludesFile /dev/null"},
	{name: "plants hooks", script: "printf '#!/bin/sh\\nexit 1\\n' > .git/hooks/reference-transaction; chmod +x .git/hooks/*; cp .git/hooks/reference-transaction .git/hooks/post-index-change"},
	{name: "holds the lock of the index", script: ": > .git/index.lock", named: "index.lock", mend: "rm .git/index.lock"},
	{name: "holds the lock of a branch", script: "git update-ref refs/heads/main main~; : > .git/refs/heads/main.lock", named: "lock", mend: "rm .git/refs/heads/main.lock"},
	{name: "makes .git read-only", script: "chmod -R a-w .git", named: "", mend: "chmod -R u+w .git"},
	{name: "makes the tree read-only", script: "find . -mindepth 1 -path ./.git -prune -o -mindepth 1 -type d -exec chmod a-w {} +"},
	{name: "adds a worktree", script: "git worktree add -q ../elsewhere other; git worktree add -q inside theirs", leaves: "inside", says: "inside"},
	{name: "makes a repository in the tree", script: "mkdir sub; cd sub; git init -q; echo x > y; git add y; git commit -qm sub"},
	{name: "deletes belay's refs", script: "git for-each-ref --format='delete %(refname)' refs/belay | git update-ref --stdin", says: "was moved or deleted"},
	{name: "starts over", script: "rm -rf .git; git init -q -b main", named: "was removed while it ran", lost: true},
}

// TestCrashAgentsOwnGit lets the agent of a first attempt do each of these before it breaks a
// rule. Either the state before comes back as it was, and the next attempt passes; or
// the run stops and says what is wrong, and goes on when that is mended.
func TestCrashAgentsOwnGit(t *testing.T) {
	w := scripted(t, crashScript)
	const wrong = "sh echo $BELAY_ATTEMPT >> ../ran\nappend protect.txt the agent was here\n"
	const right = "== * ==\nsh echo $BELAY_ATTEMPT >> ../ran\nwrite src/answer.txt 42\n"
	w.must(os.WriteFile(filepath.Join(w.up, "script"), []byte("== 1 ==\n"+wrong+right), 0o644))
	plain := w.another(t, folder(t))
	plain.succeed(runT1...)
	want := plain.state()
	all := misdeeds
	if !crashAll() {
		all = nil
		for i := 1; i < len(misdeeds); i += 3 {
			all = append(all, misdeeds[i])
		}
	}
	y := newTally(t, len(all))
	each(t, all, func(dir string, m misdeed) {
		d := w.another(t, dir)
		d.must(os.WriteFile(filepath.Join(d.up, "script"), []byte("== 1 ==\n"+wrong+"sh set +e; ("+m.script+") >/dev/null 2>&1; true\n"+right), 0o644))
		got := d.belay("", runT1...)
		y.did(modeMisdeed)
		said := got.out + got.errs
		if got.code != 0 {
			if m.named == "" && m.mend == "" || !strings.Contains(said, m.named) {
				y.fault(m.name, otherwise, "it should go on, or say why not (%q): %s", m.named, got)
				return
			}
			if m.lost {
				y.t.Logf("%s: named: %s", m.name, firstOf(got.errs))
				return
			}
			d.sh(m.mend)
			if !d.goOn(y, m.name, got) {
				return
			}
		}
		if m.says != "" && !strings.Contains(said+d.belay("", "show", "T1", "--json").out, m.says) {
			y.fault(m.name, otherwise, "it should say %q: %s", m.says, got)
		}
		d.sh("rm -f .git/info/refs; git worktree prune")
		d.settledBut(y, m, want)
	})
	y.sum("the agent's own git")
}

func firstOf(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// sh runs a line in the repository, as the person.
func (w *world) sh(script string) {
	w.t.Helper()
	c := exec.Command("sh", "-c", script)
	c.Dir, c.Env = w.repo, w.env()
	asUser(c)
	if out, err := c.CombinedOutput(); err != nil {
		w.t.Errorf("sh -c %q: %v\n%s", script, err, out)
	}
}

// settledBut is settled, but for what a rollback leaves and names: a repository that the
// agent made, and logs whose commits a gc took.
func (w *world) settledBut(y *tally, m misdeed, want []string) {
	w.t.Helper()
	var wrong []string
	for _, l := range differing(want, w.state()) {
		if strings.Contains(l, "git logs/") && strings.Contains(m.script, "expire") {
			continue
		}
		if m.leaves != "" && (strings.Contains(l, "file "+m.leaves) || strings.Contains(l, "status ? "+m.leaves+"/")) {
			continue
		}
		wrong = append(wrong, l)
	}
	if len(wrong) > 0 {
		y.fault(m.name, wrongTree, "\n%s", strings.Join(wrong, "\n"))
	}
	w.sound(y, m.name)
}
