package hook

import (
	"path/filepath"
	"slices"
	"strings"
)

// gitGlobalOptions are git's global options whose value is the next argument.
var gitGlobalOptions = map[string]bool{"-C": true, "-c": true, "--git-dir": true, "--work-tree": true, "--namespace": true,
	"--exec-path": true, "--super-prefix": true, "--config-env": true, "--attr-source": true, "--list-cmds": true}

const (
	insteadCommit  = "commit or stash what is there first, or change the files one by one"
	insteadRestore = "edit the files instead, or ask the person"
	insteadVerify  = "let the hooks run and fix what they report"
	insteadAsk     = "ask the person to do it"
)

// checkGit checks a git command.
func (f *finder) checkGit(args []string) {
	dir := f.dir
	defer func() { f.dir = dir }()
	alias, here := f.env.Alias, false
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		a, value := args[0], ""
		args = args[1:]
		if gitGlobalOptions[a] && len(args) > 0 {
			value, args = args[0], args[1:]
		} else if name, v, ok := strings.Cut(a, "="); ok {
			a, value = name, v
		}
		switch a {
		case "-C", "--work-tree":
			if f.dir, _ = f.absPath(value); f.dir == "" {
				f.dir = dir // unknown: assume it is here
			}
		case "--git-dir":
			abs, ok := f.absPath(value)
			here = ok && f.inGit(abs)
		case "-c":
			key, v, _ := strings.Cut(value, "=")
			key = strings.ToLower(key)
			if name, ok := strings.CutPrefix(key, "alias."); ok {
				alias = func(called string) (string, bool) { return v, called == name }
			}
			if key == "core.hookspath" && len(args) > 0 && commandsWithHooks[args[0]] {
				f.addGit("no-verify", append([]string{"-c", value}, args...), "the commit hooks are switched off", insteadVerify, false)
			}
		}
	}
	if len(args) == 0 || !here && f.isElsewhere() {
		return
	}
	if rule, ok := gitRules()[args[0]]; ok {
		rule(f, args)
	} else if alias != nil {
		if text, ok := alias(args[0]); ok {
			f.runAlias(text, args[1:])
		}
	}
}

// isElsewhere reports whether a command runs outside the working tree, for example in a clone below
// /tmp.
func (f *finder) isElsewhere() bool {
	if f.dir == "" {
		return false
	}
	_, in := f.inTree(f.dir)
	return !in && !f.inGit(f.dir)
}

// runAlias checks the text of a git alias.
func (f *finder) runAlias(text string, args []string) {
	if f.depth >= maxNested {
		return
	}
	if shell, ok := strings.CutPrefix(text, "!"); ok {
		f.readText(shell + " " + quoteArgs(args))
		return
	}
	f.depth++
	defer func() { f.depth-- }()
	f.checkGit(append(strings.Fields(text), args...))
}

func (f *finder) addGit(rule string, args []string, why, instead string, covered bool) {
	f.addCommand(DestructiveCommand{Rule: rule, Command: "git " + quoteArgs(args), Destroys: why, Instead: instead, InSnapshot: covered})
}

// hasOption reports whether one of these options is set.
func hasOption(o map[string]bool, names ...string) bool {
	return slices.ContainsFunc(names, func(n string) bool { return o[n] })
}

// commandsWithHooks are the git commands that run commit hooks.
var commandsWithHooks = map[string]bool{"commit": true, "push": true, "merge": true, "am": true, "rebase": true, "cherry-pick": true}

// gitRules returns the check for each git command. Its arguments start with the command's name.
func gitRules() map[string]func(*finder, []string) {
	return map[string]func(*finder, []string){
		"reset": (*finder).gitReset, "clean": (*finder).gitClean, "checkout": (*finder).gitCheckout, "restore": (*finder).gitRestore,
		"switch": (*finder).gitSwitch, "stash": (*finder).gitStash, "branch": (*finder).gitBranch, "push": (*finder).gitPush,
		"rebase": (*finder).gitRebase, "filter-branch": (*finder).gitFilter, "filter-repo": (*finder).gitFilter,
		"reflog": (*finder).gitReflog, "gc": (*finder).gitPrune, "prune": (*finder).gitPrune, "update-ref": (*finder).gitUpdateRef,
		"worktree": (*finder).gitWorktree, "rm": (*finder).gitRm, "commit": (*finder).gitVerify, "merge": (*finder).gitVerify,
		"am": (*finder).gitVerify, "config": (*finder).gitConfig, "submodule": (*finder).gitSubmodule, "bisect": (*finder).gitBisect,
		"read-tree": (*finder).gitReadTree, "checkout-index": (*finder).gitCheckoutIndex, "symbolic-ref": (*finder).gitUpdateRef,
		"cherry-pick": (*finder).gitVerify, "revert": (*finder).gitVerify, "fetch": (*finder).gitNothing, "pull": (*finder).gitNothing,
		"diff": (*finder).gitNothing, "log": (*finder).gitNothing, "show": (*finder).gitNothing, "status": (*finder).gitNothing,
		"add": (*finder).gitNothing, "tag": (*finder).gitNothing, "mv": (*finder).gitNothing, "remote": (*finder).gitNothing,
	}
}

// gitNothing is for harmless commands. They are listed because an alias cannot replace them.
func (f *finder) gitNothing([]string) {}

func (f *finder) gitReset(args []string) {
	o := options(args)
	if o["hard"] || o["merge"] {
		f.addGit("reset-hard", args, "uncommitted changes of the whole working tree are lost", insteadCommit, true)
	}
}

func (f *finder) gitClean(args []string) {
	o := options(args)
	asks := o["n"] || o["dry-run"] || o["i"] || o["interactive"]
	if (o["f"] || o["force"]) && !asks {
		f.addGit("clean", args, "untracked files are deleted, a person's as well",
			"delete the files that you made, by name", !o["x"] && !o["X"])
	}
}

func (f *finder) gitCheckout(args []string) {
	o := options(args)
	why := "uncommitted changes of these files are lost"
	switch {
	case hasOption(o, "p", "patch", "ours", "theirs", "conflict", "b", "orphan"):
		return
	case o["f"] || o["force"]:
		f.addGit("checkout-force", args, "uncommitted changes of the whole working tree are lost", insteadCommit, true)
		return
	case o["B"]:
		f.gitMove(args, operands(args[1:], ""))
		return
	}
	if i := slices.Index(args, "--"); i >= 0 {
		if i+1 < len(args) {
			f.addGit("checkout-paths", args, why, insteadRestore, true)
		}
		return
	}
	if o["pathspec-from-file"] {
		f.addGit("checkout-paths", args, why, insteadRestore, true)
		return
	}
	for _, p := range operands(args[1:], "b B orphan") {
		if f.isTracked(p) {
			f.addGit("checkout-paths", args, why, insteadRestore, true)
			return
		}
	}
}

// isTracked reports whether a word names a tracked file or folder, or everything.
func (f *finder) isTracked(p string) bool {
	if p == "." || p == ":/" || p == "*" || p == "./" || strings.Contains(p, trackedFileNames) {
		return true
	}
	abs, ok := f.absPath(p)
	if !ok {
		return false
	}
	rel, ok := f.inTree(abs)
	return ok && f.coversTracked(rel)
}

// listsTracked reports whether a git command prints the names of tracked files.
func (f *finder) listsTracked(args []string) bool {
	if len(args) == 0 || hasOption(options(args), "o", "others", "i", "ignored") {
		return false
	}
	return args[0] == "ls-files" || args[0] == "diff" && hasOption(options(args), "name-only")
}

// coversTracked reports whether a pattern, relative to the root, matches a tracked file.
func (f *finder) coversTracked(pattern string) bool {
	return f.env.Tracked != nil && f.env.Tracked(coverTest(pattern))
}

func (f *finder) gitRestore(args []string) {
	o := options(args)
	staged, tree := o["S"] || o["staged"], o["W"] || o["worktree"]
	if staged && !tree || hasOption(o, "p", "patch", "ours", "theirs") {
		return
	}
	if len(operands(args[1:], "s source")) > 0 || o["pathspec-from-file"] {
		f.addGit("restore", args, "uncommitted changes of these files are lost", insteadRestore, true)
	}
}

func (f *finder) gitSwitch(args []string) {
	o := options(args)
	if o["f"] || o["force"] || o["discard-changes"] {
		f.addGit("checkout-force", args, "uncommitted changes of the whole working tree are lost", insteadCommit, true)
	}
	if o["C"] || o["force-create"] {
		f.gitMove(args, operands(args[1:], ""))
	}
}

// gitMove checks a command that moves a branch. ops are the branch and where it goes, by default
// the current commit.
func (f *finder) gitMove(args, ops []string) {
	if len(ops) > 0 {
		f.moveRef(args, "refs/heads/"+ops[0], append(ops, "HEAD")[1])
	}
}

func (f *finder) moveRef(args []string, ref, to string) {
	if strings.Contains(to, unknownText) || strings.HasPrefix(to, "-") || strings.Trim(to, "0") == "" { // zeros delete the ref
		to = ""
	}
	if f.env.LosesCommits != nil && !strings.Contains(ref, unknownText) && f.env.LosesCommits(ref, to) {
		f.addGit("branch-move", args, "commits that no other branch has are lost", "use a new name, or merge", true)
	}
}

func (f *finder) gitStash(args []string) {
	if len(args) > 1 && (args[1] == "drop" || args[1] == "clear") {
		f.addGit("stash-"+args[1], args, "stashed work is lost", "leave the stash alone: it may be a person's", true)
	}
}

func (f *finder) gitBranch(args []string) {
	o := options(args)
	if o["D"] || (o["d"] || o["delete"]) && (o["f"] || o["force"]) {
		f.addGit("branch-delete", args, "commits that no other branch has are lost",
			"use git branch -d, which keeps unmerged branches", true)
		return
	}
	ops := operands(args[1:], "")
	forced := o["f"] || o["force"]
	switch {
	case o["M"] || o["C"] || forced && hasOption(o, "m", "move", "c", "copy"):
		if len(ops) > 1 { // git names the branch to overwrite last
			ops = []string{ops[1], ops[0]}
		}
		f.gitMove(args, ops)
	case forced:
		f.gitMove(args, ops)
	}
}

func (f *finder) gitPush(args []string) {
	o := options(args)
	ops := operands(args[1:], "o push-option repo receive-pack exec")
	forced := hasOption(o, "f", "force", "force-with-lease", "mirror", "prune")
	removes := o["d"] || o["delete"]
	for _, r := range ops[min(1, len(ops)):] {
		forced = forced || strings.HasPrefix(r, "+")
		removes = removes || strings.HasPrefix(r, ":") && len(r) > 1
	}
	switch {
	case o["n"] || o["dry-run"]:
	case forced:
		f.addGit("push-force", args, "commits on the remote are overwritten, of other people as well",
			"push without force; merge what the remote has first", false)
	case removes:
		f.addGit("push-force", args, "a branch or tag on the remote is deleted", insteadAsk, false)
	case o["no-verify"]:
		f.gitVerify(args)
	}
}

func (f *finder) gitRebase(args []string) {
	o := options(args)
	for _, safe := range []string{"abort", "continue", "quit", "skip", "edit-todo", "show-current-patch"} {
		if o[safe] {
			return
		}
	}
	f.addGit("rebase", args, "commits are rewritten", "merge instead, or ask the person", true)
}

func (f *finder) gitFilter(args []string) {
	f.addGit("filter", args, "the whole history is rewritten", insteadAsk, false)
}

func (f *finder) gitReflog(args []string) {
	if len(args) > 1 && (args[1] == "expire" || args[1] == "delete") && !options(args)["n"] && !options(args)["dry-run"] {
		f.addGit("reflog", args, "the way back to earlier commits is lost", insteadAsk, false)
	}
}

func (f *finder) gitPrune(args []string) {
	o := options(args)
	if args[0] == "gc" && !o["prune"] || o["n"] || o["dry-run"] {
		return
	}
	for _, a := range args {
		if a == "--prune=never" || strings.HasPrefix(a, "--prune=2.weeks") {
			return
		}
	}
	f.addGit("prune", args, "objects that could still be recovered are deleted", "use git gc without --prune", false)
}

func (f *finder) gitUpdateRef(args []string) {
	if o := options(args); o["d"] || o["delete"] {
		f.addGit("update-ref", args, "a ref is deleted, and with it the commits that only it has", insteadAsk, true)
	} else if ops := operands(args[1:], "m"); args[0] == "update-ref" && len(ops) > 1 && strings.HasPrefix(ops[0], "refs/") {
		f.moveRef(args, ops[0], ops[1])
	}
}

func (f *finder) gitWorktree(args []string) {
	o := options(args)
	if len(args) > 1 && args[1] == "remove" && (o["f"] || o["force"]) {
		f.addGit("worktree-remove", args, "uncommitted changes in that working tree are lost",
			"use git worktree remove without force", false)
	}
}

func (f *finder) gitRm(args []string) {
	o := options(args)
	if (o["f"] || o["force"]) && !o["cached"] && !o["n"] && !o["dry-run"] {
		f.addGit("git-rm", args, "files with uncommitted changes are deleted", "use git rm without force", true)
	}
}

// gitVerify checks commands that run hooks.
func (f *finder) gitVerify(args []string) {
	skips := options(args)["no-verify"]
	if args[0] == "commit" {
		for _, a := range args[1:] {
			if a == "--" {
				break
			}
			skips = skips || clusterHas(a, 'n')
		}
	}
	if skips {
		f.addGit("no-verify", args, "the commit hooks are skipped", insteadVerify, false)
	}
}

// clusterHas reports whether a group of git commit's short options contains a letter. An option
// that takes a value ends the group.
func clusterHas(a string, want byte) bool {
	if len(a) < 2 || a[0] != '-' || a[1] == '-' {
		return false
	}
	for i := 1; i < len(a); i++ {
		if a[i] == want {
			return true
		}
		if strings.IndexByte("mFCcStuU", a[i]) >= 0 {
			return false
		}
	}
	return false
}

// isProgramSetting reports whether a git setting names a program, or a place for hooks or further
// settings.
func isProgramSetting(key string) bool {
	key = strings.ToLower(key)
	switch key {
	case "core.hookspath", "core.fsmonitor", "core.editor", "core.pager", "core.sshcommand", "core.askpass", "core.gitproxy",
		"core.worktree", "core.attributesfile", "core.excludesfile", "core.bare", "sequence.editor", "diff.external", "gpg.program",
		"init.templatedir", "credential.helper", "uploadpack.packobjectshook", "include.path", "interactive.difffilter",
		"sendemail.smtpserver", "web.browser", "protocol.allow":
		return true
	}
	section, last := key, key
	if i := strings.IndexByte(key, '.'); i >= 0 {
		section, last = key[:i], key[strings.LastIndexByte(key, '.')+1:]
	}
	switch section {
	case "alias", "includeif", "pager":
		return true
	case "filter":
		return last == "clean" || last == "smudge" || last == "process"
	case "diff":
		return last == "command" || last == "textconv"
	case "merge":
		return last == "driver"
	case "difftool", "mergetool", "man", "browser":
		return last == "cmd" || last == "path"
	case "gpg":
		return last == "program"
	case "credential":
		return last == "helper"
	case "submodule":
		return last == "update"
	case "remote":
		return last == "uploadpack" || last == "receivepack" || last == "vcs"
	case "url":
		return last == "insteadof" || last == "pushinsteadof"
	}
	return false
}

func (f *finder) gitConfig(args []string) {
	o := options(args)
	if hasOption(o, "get", "l", "list", "get-all", "get-regexp", "get-urlmatch", "e", "edit") {
		return
	}
	file := ""
	for i, a := range args {
		if (a == "-f" || a == "--file") && i+1 < len(args) {
			file = args[i+1]
		}
		if v, ok := strings.CutPrefix(a, "--file="); ok {
			file = v
		}
	}
	if abs, ok := f.absPath(file); file != "" && ok && !f.inGit(abs) {
		return
	}
	ops := operands(args[1:], "f file blob type default value comment")
	if len(ops) == 0 {
		return
	}
	set := len(ops) > 1 || hasOption(o, "unset", "unset-all", "add", "replace-all", "remove-section", "rename-section")
	switch ops[0] {
	case "set", "unset", "rename-section", "remove-section":
		ops, set = ops[1:], true
	case "get", "list", "edit":
		return
	}
	if !set || len(ops) == 0 {
		return
	}
	sections := strings.Contains(strings.Join(args, " "), "-section") &&
		slices.Contains([]string{"core", "alias", "filter", "include"}, strings.ToLower(ops[0]))
	if isProgramSetting(ops[0]) || sections {
		f.addGit("git-config", args, "this setting makes git run programs, or switches its hooks", insteadAsk, true)
	}
}

func (f *finder) gitSubmodule(args []string) {
	o := options(args)
	ops := operands(args[1:], "b branch reference depth")
	switch {
	case len(ops) > 1 && ops[0] == "foreach":
		rest := args[slices.Index(args, "foreach")+1:]
		for len(rest) > 0 && strings.HasPrefix(rest[0], "-") {
			rest = rest[1:]
		}
		f.readText(strings.Join(rest, " "))
	case len(ops) > 0 && (ops[0] == "deinit" || ops[0] == "update") && (o["f"] || o["force"]):
		f.addGit("submodule", args, "uncommitted changes in the submodule are lost", "leave out --force", false)
	}
}

func (f *finder) gitBisect(args []string) {
	if len(args) > 2 && args[1] == "run" {
		f.checkCommand(args[2:])
	}
}

func (f *finder) gitReadTree(args []string) {
	if o := options(args); o["u"] && o["reset"] {
		f.addGit("reset-hard", args, "uncommitted changes of the whole working tree are lost", insteadCommit, true)
	}
}

func (f *finder) gitCheckoutIndex(args []string) {
	if o := options(args); (o["f"] || o["force"]) && !o["prefix"] {
		f.addGit("checkout-paths", args, "uncommitted changes of these files are lost", insteadRestore, true)
	}
}

// inGit reports whether a path is in a git folder, or is one.
func (f *finder) inGit(abs string) bool {
	for _, dir := range f.env.Git {
		if abs == dir || strings.HasPrefix(abs, dir+"/") {
			return true
		}
	}
	if rel, ok := f.inTree(abs); ok && (rel == ".git" || strings.HasPrefix(rel, ".git/")) {
		return true
	}
	return false
}

// isLockOrText reports whether a path in a git folder is a lock or a message file that people and
// agents write.
func isLockOrText(abs string) bool {
	switch name := filepath.Base(abs); name {
	case "COMMIT_EDITMSG", "MERGE_MSG", "SQUASH_MSG", "TAG_EDITMSG":
		return true
	default:
		return strings.HasSuffix(name, ".lock")
	}
}

// checkWrite checks a file that is written.
func (f *finder) checkWrite(file, command string) {
	abs, ok := f.absPath(file)
	if rel, in := f.inTree(abs); ok && in && f.env.Protected != nil && f.env.Protected(rel) {
		f.addCommand(DestructiveCommand{Rule: "protect", Command: command, Destroys: rel + " is protected", Instead: insteadAsk})
		return
	}
	if !ok || !f.inGit(abs) || isLockOrText(abs) || strings.HasSuffix(abs, "/info/exclude") {
		return
	}
	f.addCommand(DestructiveCommand{Rule: "git-folder", Command: command,
		Destroys: "this changes git's own folder: hooks, settings, refs or belay's records",
		Instead:  insteadAsk, InSnapshot: false})
}

// targetArguments says which arguments of a command name files it writes: the last, all, or those
// of an option.
var targetArguments = map[string]string{"cp": "last", "mv": "all", "install": "last", "ln": "last", "rsync": "last",
	"tee": "all", "touch": "all",
	"truncate": "all", "chmod": "all", "chown": "all", "rm": "all", "unlink": "all", "rmdir": "all", "shred": "all", "dd": "of=",
	"curl": "-o", "wget": "-O", "sed": "-i", "perl": "-i", "sponge": "all", "patch": "all", "Remove-Item": "all", "Set-Content": "all",
	"Out-File": "all", "Copy-Item": "last", "vim": "all", "ed": "all", "ex": "all"}

// checkGitFiles checks the files that a command writes.
func (f *finder) checkGitFiles(name string, args []string) {
	how, ok := targetArguments[name]
	if !ok {
		return
	}
	ops := operands(args[1:], "m o g t s S target-directory size mode owner")
	var files []string
	switch how {
	case "all":
		files = ops
	case "last":
		if len(ops) > 0 {
			files = ops[len(ops)-1:]
		}
		for i, a := range args {
			if a == "-t" && i+1 < len(args) {
				files = append(files, args[i+1])
			}
		}
	case "of=":
		for _, a := range args {
			if v, ok := strings.CutPrefix(a, "of="); ok {
				files = append(files, v)
			}
		}
	case "-i":
		if o := options(args); o["i"] || o["in-place"] {
			files = ops
		}
	default:
		for i, a := range args {
			if a == how && i+1 < len(args) {
				files = append(files, args[i+1])
			}
		}
	}
	for _, p := range files {
		f.checkWrite(p, quoteArgs(args))
	}
}
