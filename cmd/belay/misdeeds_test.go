package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"

	"github.com/belay-dev/belay/internal/belay"
)

// modeMisdeed is their mode in the tally.
const modeMisdeed = "misdeed"

// misdeed is what an agent does with git, or to it, in its first attempt. Without reject and warns
// it is harmless: the check of git's state does not report it, or cannot see it.
type misdeed struct {
	name   string
	script string   // lines of sh
	reject []string // parts of findings that the check of git's state must reject
	warns  []string // parts of its warnings
	named  string   // text in the output if the run cannot continue; "" if it must
	repair string   // a person's fix, in sh, after which it continues
	lost   bool     // nothing can be restored: it only has to report that
	says   string   // text in the output or the record although it continues
	after  string   // a person's clean-up, in sh, of what no snapshot has
	leaves []string // parts of lines of the state that a restore need not restore, with the reason
}

func rejects(name, script string, what ...string) misdeed {
	return misdeed{name: name, script: script, reject: what}
}

func warns(name, script string, what ...string) misdeed {
	return misdeed{name: name, script: script, warns: what}
}

// misdeeds are all misdeeds.
func misdeeds() []misdeed {
	return slices.Concat(withCommands, withHooks(), withConfig(), withFiles, withIndex, withRefs, withObjects, withFolders, withBelay())
}

// withCommands are commands of an agent that treats git as its own.
var withCommands = []misdeed{
	warns("commits", "git add -A; git commit -qm agent; git commit -q --amend -m again", "new commit"),
	warns("switches the branch", "git add -A; git commit -qm agent; git checkout -q -b agent; git branch -q -D other", "HEAD moved: main → agent", "branch agent was created", "branch other was deleted"),
	rejects("goes back in history", "git merge --abort; git reset -q --hard HEAD~; git checkout -q --detach; git branch -f other HEAD", "uncommitted edits are gone: a.txt", "uncommitted edits are gone: b.txt"),
	rejects("stashes and drops", "git merge --abort; git stash -q -u; git stash drop -q; git stash drop -q", "a stash entry is gone"),
	rejects("deletes what is untracked", "rm -r new", "uncommitted work is gone: new/untracked.txt"),
	{name: "rebases", script: "git merge --abort; git stash -q; git rebase -q --root -x 'true'; git rebase -q theirs"},
	{name: "stops in a rebase", script: "git merge --abort; git stash -q; git rebase -q theirs"},
	{name: "ends the merge", script: "git add -A; git commit -qm merged; git reflog expire --all --expire=now --expire-unreachable=now; git gc -q --prune=now",
		warns: []string{"the merge in progress was ended", "reflog of HEAD"}, reject: []string{"a stash entry is gone"}}, // it expires with its log
	rejects("collects garbage", "git reset -q --hard; git stash clear; git branch -q -D other theirs; git tag -d v1; git reflog expire --all --expire=now; git gc -q --prune=now", "a stash entry is gone", "uncommitted edits are gone"),
	{name: "packs everything", script: "git pack-refs --all --prune; git repack -q -a -d"},
	{name: "writes loose objects anew", script: "git unpack-objects < /dev/null; git repack -q -A -d; git prune-packed; git prune --expire=now"},
	rejects("resets hard", "git reset -q --hard", "uncommitted edits are gone: b.txt"),
	rejects("checks out by force", "git checkout -q -f theirs", "uncommitted edits are gone: b.txt"),
	rejects("checks out one file", "git checkout -q HEAD -- b.txt", "uncommitted edits are gone: b.txt"),
	rejects("cleans", "git clean -qfd", "uncommitted work is gone: new/untracked.txt"),
	{name: "cleans ignored files", script: "git clean -qfdx", reject: []string{"uncommitted work is gone: new/untracked.txt"}, leaves: []string{"file debug.log"}}, // no snapshot has ignored files
	{name: "unstages", script: "git reset -q", reject: []string{"staged work is gone: a.txt"}},
	{name: "stages everything", script: "git add -A"},
	warns("stashes", "git add -A; git commit -qm all; echo x >> a.txt; git stash push -q", "stash entry made"),
	{name: "takes a stash", script: "git add -A; git commit -qm all; git stash pop -q || git checkout -q --theirs b.txt"},
	warns("writes another history", "t=$(git write-tree) || t=$(git rev-parse 'HEAD^{tree}'); c=$(git commit-tree -m one $t); git update-ref refs/heads/main $c; git update-ref -d refs/heads/theirs", "branch main was rewritten", "branch theirs was deleted"),
	{name: "expires the reflog", script: "git reflog expire --all --expire=now", warns: []string{"reflog of HEAD"}, reject: []string{"a stash entry is gone"}},
	{name: "adds a working tree", script: "git worktree add -q ../elsewhere other; git worktree lock ../elsewhere", warns: []string{"a worktree was added"}, leaves: []string{"git worktrees/"}, says: "elsewhere"},
	{name: "adds a working tree inside", script: "git worktree add -q inside theirs", warns: []string{"a worktree was added"}, leaves: []string{"file inside", "status ? inside/", "git worktrees/"}, says: "inside"},
	{name: "makes a repository in the tree", script: "mkdir sub; cd sub; git init -q; echo x > y; git add y; git commit -qm sub"},
	{name: "adds a submodule", script: "git -c protocol.file.allow=always submodule add -q ../repo sub", leaves: []string{"file sub", "status ? sub/", "git modules/sub/"}, says: "sub"},
	warns("bisects", "git merge --abort; git stash -q; git bisect start HEAD HEAD~", "refs/bisect/bad was created"),
	{name: "fetches from itself", script: "git fetch -q . main:refs/remotes/origin/main +theirs:refs/heads/fetched", warns: []string{"branch fetched was created"}, leaves: []string{"git FETCH_HEAD"}},
}

// hookNames are all hooks of git.
var hookNames = []string{"applypatch-msg", "pre-applypatch", "post-applypatch", "pre-commit", "pre-merge-commit", "prepare-commit-msg", "commit-msg",
	"post-commit", "pre-rebase", "post-checkout", "post-merge", "pre-push", "pre-receive", "update", "proc-receive", "post-receive", "post-update",
	"reference-transaction", "push-to-checkout", "pre-auto-gc", "post-rewrite", "sendemail-validate", "fsmonitor-watchman", "post-index-change"}

// withHooks are misdeeds with hooks. The world has one that is not executable, post-commit.
func withHooks() []misdeed {
	plant := func(names ...string) (script string, what []string) {
		for _, n := range names {
			script += "printf '#!/bin/sh\\nexit 1\\n' > .git/hooks/" + n + "; chmod +x .git/hooks/" + n + "; "
			what = append(what, "hooks/"+n)
		}
		return script, what
	}
	var all []misdeed
	for at := 0; at < len(hookNames); at += 6 {
		script, what := plant(hookNames[at:min(at+6, len(hookNames))]...)
		all = append(all, rejects("plants hooks from "+hookNames[at], script, what...))
	}
	return append(all,
		rejects("makes a hook executable", "chmod +x .git/hooks/post-commit", "hook changed mode from 0644 to 0755: hooks/post-commit"),
		rejects("changes a hook", "echo 'echo changed' >> .git/hooks/post-commit", "hook changed: hooks/post-commit"),
		rejects("removes a hook", "rm .git/hooks/post-commit", "hook removed: hooks/post-commit"),
		rejects("links a hook", "ln -s ../../evil.sh .git/hooks/pre-push", "hook added: hooks/pre-push"),
		rejects("makes hooks a link", "rm -rf .git/hooks; mkdir ../evil; ln -s ../../evil .git/hooks", "hooks"), // links
		rejects("makes hooks a file", "rm -rf .git/hooks; echo x > .git/hooks", "hook removed: hooks/post-commit"),
		rejects("hides a hook in a folder", "mkdir -p .git/hooks/pre-commit.d; echo x > .git/hooks/pre-commit.d/evil", "hooks/pre-commit.d/evil"),
		rejects("plants a hook behind a setting", "mkdir tools; echo x > tools/pre-commit; git config core.hooksPath tools", "core.hookspath"),
		rejects("plants a template", "mkdir -p ../template/hooks; git config init.templateDir ../template", "init.templatedir"),
	)
}

// configKeys are settings that run a program, include another config, or redirect git.
var configKeys = [][2]string{
	{"core.fsmonitor", "./evil"}, {"core.pager", "evil"}, {"core.editor", "evil"}, {"core.sshCommand", "evil"}, {"core.askPass", "evil"},
	{"core.gitProxy", "evil"}, {"core.alternateRefsCommand", "evil"}, {"core.attributesFile", "../attributes"}, {"core.excludesFile", "../excludes"},
	{"alias.st", "!evil"}, {"alias.co", "status"}, {"filter.x.clean", "evil"}, {"filter.x.smudge", "evil"}, {"filter.x.process", "evil"},
	{"diff.external", "evil"}, {"diff.x.command", "evil"}, {"diff.x.textconv", "evil"}, {"merge.x.driver", "evil"}, {"mergetool.x.cmd", "evil"}, {"difftool.x.cmd", "evil"},
	{"credential.helper", "!evil"}, {"credential.https://example.com.helper", "evil"}, {"gpg.program", "evil"}, {"gpg.ssh.program", "evil"},
	{"include.path", "../evil.cfg"}, {"includeIf.gitdir:/.path", "evil.cfg"}, {"pager.log", "evil"}, {"interactive.diffFilter", "evil"}, {"sequence.editor", "evil"},
	{"uploadpack.packObjectsHook", "evil"}, {"remote.origin.url", "ext::evil"}, {"remote.origin.uploadpack", "evil"}, {"remote.origin.receivepack", "evil"}, {"remote.origin.vcs", "evil"},
	{"submodule.x.update", "!evil"}, {"url.https://evil.example/.insteadOf", "https://"}, {"protocol.ext.allow", "always"}, {"http.proxy", "http://evil.example"}, {"http.sslVerify", "false"},
	{"trailer.x.command", "evil"}, {"trailer.x.cmd", "evil"}, {"tar.x.command", "evil"}, {"sendemail.smtpServer", "/evil"}, {"web.browser", "evil"}, {"man.x.cmd", "evil"},
	{"branch.main.remote", "https://evil.example"}, {"hook.x.command", "evil"}, {"lfs.customtransfer.x.path", "evil"},
}

// withConfig are misdeeds with git's config.
func withConfig() []misdeed {
	var all []misdeed
	for at := 0; at < len(configKeys); at += 4 {
		m := misdeed{name: "sets " + configKeys[at][0]}
		for _, kv := range configKeys[at:min(at+4, len(configKeys))] {
			m.script += "git config " + kv[0] + " '" + kv[1] + "'; "
			dot := strings.LastIndexByte(kv[0], '.')
			section, sub, _ := strings.Cut(kv[0][:dot], ".")
			if sub != "" {
				sub += "."
			}
			m.reject = append(m.reject, strings.ToLower(section)+"."+sub+strings.ToLower(kv[0][dot+1:]))
		}
		all = append(all, m)
	}
	return append(all,
		warns("sets a name", "git config user.name evil; git config user.email evil@example.com", "user.name was changed", "user.email was changed"),
		rejects("removes the config", "rm .git/config", "config was removed"),
		warns("empties the config", ": > .git/config", "was removed"),
		rejects("makes the config a link", "cp .git/config ../config; ln -sf ../../config .git/config", "config is now a link"), // links
		misdeed{name: "breaks the config", script: "echo '[core' >> .git/config", named: "config", repair: "sed -i '$d' .git/config"},
		rejects("makes it bare", "git config core.bare true", "core.bare"),
		misdeed{name: "names an extension", reject: []string{"core.repositoryformatversion"}, script: "git config core.repositoryFormatVersion 1; git config extensions.evil true", named: "extension", repair: "sed -i '/extensions/d;/evil/d;s/repositoryformatversion = 1/repositoryformatversion = 0/' .git/config"},
		rejects("sends git elsewhere", "git config core.worktree /tmp; git config core.hooksPath /tmp; git config core.excludesFile /dev/null", "core.worktree", "core.hookspath"),
		rejects("keeps a config of its own", "git config extensions.worktreeConfig true; git config --worktree core.fsmonitor evil", "config.worktree: core.fsmonitor", "extensions.worktreeconfig"),
		rejects("has a config without an extension", "printf '[core]\\n\\tpager = evil\\n' > .git/config.worktree", "config.worktree: core.pager"),
	)
}

// withFiles are misdeeds with files below .git that control git.
var withFiles = []misdeed{
	warns("hides files", "echo 'src/' >> .git/info/exclude", "ignore rules"), // ignore
	rejects("filters files", "echo '*.txt filter=x' > .git/info/attributes", "attributes added"),
	rejects("grafts", "git rev-parse HEAD > .git/info/grafts", "grafts added"),
	warns("hides history", "git rev-parse HEAD > .git/shallow", "shallow added"),
	rejects("borrows objects", "git init -q --bare ../evil.git; (cd ../evil.git/objects; pwd) > .git/objects/info/alternates", "alternates added"),
	rejects("borrows from nowhere", "echo /nonexistent/objects > .git/objects/info/alternates", "alternates added"),
	{name: "shares another folder", script: "git init -q ../evil; (cd ../evil/.git; pwd) > .git/commondir", named: "commondir", repair: "rm .git/commondir"},
	rejects("has a remote in a file", "mkdir -p .git/remotes .git/branches; echo 'URL: https://evil.example' > .git/remotes/origin; echo https://evil.example > .git/branches/evil", "remotes/origin", "branches/evil"),
	rejects("checks out a part", "git merge --abort; git stash -q; git sparse-checkout init --cone; git sparse-checkout set src", "extensions.worktreeconfig"),
	{name: "describes and watches", script: "echo evil > .git/description; echo x > .git/gc.log; echo x > .git/FETCH_HEAD", leaves: []string{"git description", "git gc.log", "git FETCH_HEAD"}},
}

// withIndex are misdeeds with the index.
var withIndex = []misdeed{
	rejects("skips files", "git add -A; git update-index --skip-worktree a.txt b.txt", "hidden from git status: a.txt, b.txt"),
	rejects("assumes files unchanged", "git update-index --assume-unchanged b.txt", "hidden from git status: b.txt"),
	{name: "intends to add", script: "echo x > src/more.txt; git add -N src new"},
	{name: "splits the index", script: "git add -A; git update-index --split-index"},
	{name: "writes version 4", script: "git update-index --index-version 4"},
	{name: "forgets every file", script: "git read-tree --empty", reject: []string{"staged work is gone: a.txt"}},
	{name: "deletes the index", script: "rm .git/index", reject: []string{"staged work is gone: a.txt"}},
	rejects("writes an index of rubbish", "echo rubbish > .git/index", "the index cannot be read"),
	rejects("cuts the index", "head -c 200 .git/index > ../cut; cat ../cut > .git/index", "the index cannot be read"),
	rejects("empties the index", ": > .git/index", "the index cannot be read"),
	{name: "locks the index", script: ": > .git/index.lock", named: "index.lock", repair: "rm .git/index.lock"},
}

// withRefs are misdeeds with refs.
var withRefs = []misdeed{
	warns("deletes branches and tags", "git branch -q -D other theirs; git tag -d v1", "branch other was deleted", "tag v1 was deleted"),
	warns("moves a tag", "git tag -f v1 theirs", "tag v1 moved"),
	warns("adds notes", "git notes add -m evil HEAD", "notes commits was created"),
	rejects("replaces a commit", "git replace HEAD theirs", "a replacement was added"),
	warns("makes remote branches", "git update-ref refs/remotes/origin/main HEAD; git branch new", "branch new was created"),
	warns("leads a branch to another", "git symbolic-ref refs/heads/alias refs/heads/other", "branch alias"),
	{name: "leads a branch to itself", script: "echo 'ref: refs/heads/loop' > .git/refs/heads/loop", after: "rm .git/refs/heads/loop"}, // git does not list it
	warns("detaches HEAD", "git rev-parse theirs > ../head; cat ../head > .git/HEAD", "HEAD moved"),
	warns("leads HEAD to nothing", "git symbolic-ref HEAD refs/heads/none", "HEAD moved: main → none"),
	{name: "writes a HEAD of rubbish", script: "echo rubbish > .git/HEAD", named: "read HEAD", repair: "echo 'ref: refs/heads/main' > .git/HEAD"},
	{name: "deletes HEAD", script: "rm .git/HEAD", named: "git", repair: "echo 'ref: refs/heads/main' > .git/HEAD"},
	{name: "empties a branch", script: ": > .git/refs/heads/other", repair: "git rev-parse HEAD~ > .git/refs/heads/other"},
	{name: "writes a branch of rubbish", script: "echo rubbish > .git/refs/heads/other", repair: "git rev-parse HEAD~ > .git/refs/heads/other"},
	{name: "makes a branch a folder", script: "git branch -q -D other; git branch other/one; git branch other/two"},
	{name: "forgets packed refs", script: "git pack-refs --all; : > .git/packed-refs", reject: []string{"a stash entry is gone"}, says: "was moved or deleted"},
	{name: "spoils packed refs", script: "git pack-refs --all; echo rubbish >> .git/packed-refs", named: "packed-refs", repair: "sed -i '$d' .git/packed-refs"},
	rejects("deletes the logs", "rm -rf .git/logs", "a stash entry is gone"),
	rejects("spoils the logs", "echo rubbish > .git/logs/HEAD; echo rubbish > .git/logs/refs/stash", "a stash entry is gone"),
	{name: "locks a branch", script: "git update-ref refs/heads/main main~; : > .git/refs/heads/main.lock", named: "lock", repair: "rm .git/refs/heads/main.lock"},
	{name: "locks HEAD", script: "git rev-parse theirs > ../head; cat ../head > .git/HEAD; : > .git/HEAD.lock", named: "HEAD.lock", repair: "rm .git/HEAD.lock"},
	{name: "locks packed refs", script: "git branch new; git pack-refs --all; : > .git/packed-refs.lock", named: "packed-refs.lock", repair: "rm .git/packed-refs.lock"},
}

// withObjects are misdeeds with the object store.
var withObjects = []misdeed{
	{name: "deletes loose objects that nothing names", script: "git prune --expire=now"},
	{name: "leaves rubbish among the objects", script: "mkdir -p .git/objects/ff; echo rubbish > .git/objects/ff/not-an-object; echo x > .git/objects/pack/tmp_pack_x", after: "rm -r .git/objects/ff/not-an-object .git/objects/pack/tmp_pack_x"},
}

// withFolders are misdeeds with folders and modes.
var withFolders = []misdeed{
	{name: "makes .git read-only", script: "chmod -R a-w .git", repair: "chmod -R u+w .git"},
	{name: "makes the tree read-only", script: "find . -mindepth 1 -path ./.git -prune -o -mindepth 1 -type d -exec chmod a-w {} +"},
	{name: "moves .git away", script: "mv .git ../moved", named: "git", repair: "rm -rf .git; mv ../moved .git"},
	{name: "puts a file in the place of .git", script: "mv .git ../moved; echo 'gitdir: ../moved' > .git", named: "git", repair: "rm .git; mv ../moved .git"},
	{name: "puts a link in the place of .git", script: "mv .git ../moved; ln -s ../moved .git", named: "link|is no longer a git repository", repair: "rm .git; mv ../moved .git"}, // links
	{name: "starts over", script: "rm -rf .git; git init -q -b main", named: "was removed while it ran|is no longer a git repository", lost: true},
}

// withBelay are misdeeds with belay's own folder and refs. Tests of the record and of snapshots
// have credible forgeries.
func withBelay() []misdeed {
	all := []misdeed{
		{name: "deletes belay's folder", script: "rm -rf .git/belay", says: "its record was deleted"},
		{name: "deletes belay's refs", script: "git for-each-ref --format='delete %(refname)' refs/belay refs/used-by-belay | git update-ref --stdin", says: "was moved or deleted"},
		{name: "adds a ref of belay's", script: "git update-ref refs/belay/rubbish HEAD; git update-ref refs/belay/01 HEAD", after: "git update-ref -d refs/belay/rubbish; git update-ref -d refs/belay/01"},
		{name: "adds the last ref of belay's", script: "git update-ref refs/belay/zzzzzzzzzzzzzzzzzzzzzzzzzz HEAD", after: "git update-ref -d refs/belay/zzzzzzzzzzzzzzzzzzzzzzzzzz"},
		{name: "plants a restore under way", script: "echo '{}' > .git/belay/intent.json", says: "intent.json is damaged"},
		{name: "leaves temporary files", script: "mkdir -p .git/belay/tmp; echo x > .git/belay/tmp/left; echo x > .git/belay/files/.new/left"},
		{name: "keeps a lock in a process that stays", script: "setsid flock .git/belay/restore.lock sleep 20 </dev/null >/dev/null 2>&1 & sleep 1"},
		{name: "deletes what it printed", script: "rm -rf .git/belay/run"},
	}
	for _, f := range []string{"stat-cache", "stored", "undo.json", "packs", "git-version", "plain/config", "plain/HEAD"} {
		for how, script := range map[string]string{"deletes": "rm -f %s", "empties": ": > %s", "spoils": "echo rubbish > %s"} {
			all = append(all, misdeed{name: how + " belay's " + f, script: strings.ReplaceAll(script, "%s", ".git/belay/"+f)})
		}
	}
	sort.Slice(all, func(i, j int) bool { return all[i].name < all[j].name })
	return all
}

// TestCrashAgentsOwnGit runs each of these in a first attempt that also breaks a rule. It is
// rejected, or harmless; then either the before snapshot is restored exactly, including git's own
// files, and the next attempt passes; or the run stops with an explanation, and continues after the
// fix.
func TestCrashAgentsOwnGit(t *testing.T) {
	t.Parallel()
	w := scripted(t, crashScript)
	const wrong = "sh echo $BELAY_ATTEMPT >> ../ran\nappend protect.txt the agent was here\n"
	const right = "== * ==\nsh echo $BELAY_ATTEMPT >> ../ran\nwrite src/answer.txt 42\n"
	w.must(os.WriteFile(filepath.Join(w.up, "script"), []byte("== 1 ==\n"+wrong+right), 0o644))
	w.write(".git/hooks/post-commit", "#!/bin/sh\n")
	w.git("config", "user.name", "A")
	w.git("config", "user.email", "a@example.com")
	give(t, w.up)
	plain := w.another(t, folder(t))
	plain.succeed(runT1...)
	want := append(plain.state(), plain.ownFiles()...)
	all := misdeeds()
	if len(all) < 60 {
		t.Errorf("only %d misdeeds", len(all))
	}
	if only := os.Getenv("BELAY_MISDEED"); only != "" {
		all = slices.DeleteFunc(all, func(m misdeed) bool { return !strings.Contains(m.name, only) })
	} else if !wide() {
		all = every(all, 9, 4)
	} else if !crashAll() {
		all = every(all, 3, 1)
	}
	y := newTally(t, len(all))
	each(t, all, func(dir string, m misdeed) {
		d := w.another(t, dir)
		d.must(os.WriteFile(filepath.Join(d.up, "script"), []byte("== 1 ==\n"+wrong+"sh set +e; mkdir -p src; ("+m.script+") >/dev/null 2>&1; true\n"+right), 0o644))
		got := d.belay("", runT1...)
		y.did(modeMisdeed)
		said := got.out + got.errs
		if got.code != 0 {
			if m.named == "" && m.repair == "" || !slices.ContainsFunc(strings.Split(m.named, "|"), func(n string) bool { return strings.Contains(said, n) }) {
				y.fault(m.name, otherwise, "it should continue, or report why not (%q): %s", m.named, got)
				return
			}
			if m.lost {
				y.t.Logf("%s: named: %s", m.name, firstOf(got.errs))
				return
			}
			d.sh(m.repair)
			if !d.goOn(y, m.name, got) {
				return
			}
		} else if m.named != "" {
			y.fault(m.name, otherwise, "it should stop and say %q: %s", m.named, got)
		}
		if m.says != "" && !strings.Contains(said+d.belay("", "show", "T1", "--json").out, m.says) {
			y.fault(m.name, otherwise, "the output lacks %q: %s", m.says, got)
		}
		d.judged(y, m)
		d.sh(m.after)
		d.sh("rm -f .git/info/refs; git worktree prune")
		d.settledBut(y, m, want)
	})
	y.sum("the agent's own git")
}

// judged checks the result of the check of git's state for the first attempt.
func (w *world) judged(y *tally, m misdeed) {
	w.t.Helper()
	var shown struct {
		Data struct {
			Attempts []struct{ Report string }
		}
	}
	w.must(json.Unmarshal([]byte(w.belay("", "show", "T1", "--json").out), &shown))
	if len(shown.Data.Attempts) == 0 || shown.Data.Attempts[0].Report == "" {
		if len(m.reject)+len(m.warns) > 0 {
			y.fault(m.name, otherwise, "the first attempt was not judged")
		}
		return
	}
	text, err := os.ReadFile(filepath.Join(w.repo, ".git", "belay", "files", shown.Data.Attempts[0].Report))
	if err != nil {
		y.fault(m.name, otherwise, "the first report: %v", err)
		return
	}
	var report belay.Report
	w.must(json.Unmarshal(text, &report))
	errors, others := "", ""
	for _, c := range report.Checks {
		if c.Check == "git" && c.Verdict == belay.VerdictUnknown {
			y.fault(m.name, otherwise, "the check could not run: %s", c.Why)
		}
		for _, f := range c.Findings {
			if c.Check == "git" && f.Severity == belay.SeverityError {
				errors += f.Title + "\n"
			} else if c.Check == "git" {
				others += f.Title + "\n"
			}
		}
	}
	for _, what := range m.reject {
		if !strings.Contains(errors, what) {
			y.fault(m.name, otherwise, "it should be rejected for %q; it is for:\n%sand named are:\n%s", what, errors, others)
		}
	}
	for _, what := range m.warns {
		if !strings.Contains(others, what) {
			y.fault(m.name, otherwise, "%q should be named; named are:\n%sand rejected is:\n%s", what, others, errors)
		}
	}
	if len(m.reject) == 0 && errors != "" {
		y.fault(m.name, otherwise, "it is rejected, and harmless: %s", errors)
	}
}

// ownFiles returns a line for each file below .git that controls git, with its mode and bytes; only
// the bytes of the index.
func (w *world) ownFiles() (lines []string) {
	w.t.Helper()
	git := filepath.Join(w.repo, ".git")
	w.must(filepath.WalkDir(git, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, _ := filepath.Rel(git, path)
		top, _, _ := strings.Cut(rel, "/")
		if d.IsDir() {
			if top == "belay" || top == "logs" || top == "refs" || top == "objects" && rel != "objects" && rel != "objects/info" {
				return fs.SkipDir
			}
			return nil
		}
		switch {
		case strings.HasSuffix(rel, ".sample"), rel == "packed-refs", rel == "ORIG_HEAD", rel == "COMMIT_EDITMSG", rel == "index", rel == "objects/info/packs", rel == "objects/info/commit-graph",
			strings.HasPrefix(rel, "sharedindex."):
			return nil // does not control git, or is compared separately
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		content, err := os.Readlink(path)
		if info.Mode().IsRegular() {
			var text []byte
			text, err = os.ReadFile(path)
			content = fmt.Sprintf("%x %.40q", sha256.Sum256(text), text)
		}
		lines = append(lines, fmt.Sprintf("git %s %v %s", rel, info.Mode(), content))
		return err
	}))
	if index, err := os.ReadFile(filepath.Join(git, "index")); err == nil {
		lines = append(lines, fmt.Sprintf("git index %x", sha256.Sum256(bytes.TrimSpace(index))))
	}
	return lines
}

func firstOf(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// sh runs a script in the repository, as the user.
func (w *world) sh(script string) {
	w.t.Helper()
	c := exec.Command("sh", "-c", script)
	c.Dir, c.Env = w.repo, w.env()
	asUser(c)
	if out, err := c.CombinedOutput(); err != nil {
		w.t.Errorf("sh -c %q: %v\n%s", script, err, out)
	}
}

// settledBut is settled, except for what a rollback leaves and names: a repository that the agent
// created, and logs of which a gc deleted the commits.
func (w *world) settledBut(y *tally, m misdeed, want []string) {
	w.t.Helper()
	var wrong []string
	for _, l := range differing(want, append(w.state(), w.ownFiles()...)) {
		if strings.Contains(l, "git logs/") && strings.Contains(m.script, "expire") {
			continue
		}
		if slices.ContainsFunc(m.leaves, func(part string) bool { return strings.Contains(l, part) }) {
			continue
		}
		wrong = append(wrong, l)
	}
	if len(wrong) > 0 {
		y.fault(m.name, wrongTree, "\n%s", strings.Join(wrong, "\n"))
	}
	w.sound(y, m.name)
}
