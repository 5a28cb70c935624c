package main

import (
	"context"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

// walked are the calls of each command in a hostile clone, by its path without "belay". It must
// have every command: TestHostileWalk fails otherwise. ID is a snapshot.
var walked = map[string][]string{
	"cancel": {"T1"}, "check": {"T1", "--before HEAD", "T2", "T1 --json", "--before HEAD --format sarif"},
	"config explain": {"checks"}, "config show": {"", "--explain"}, "count": {"a.txt"}, "doctor": {"", "--json", "--all"}, "fence explain": {"", "-- sh evil.sh"}, "fix-prompt": {"T1", "T3"},
	"context attach": {"T1 --type plan --path a.txt"}, "context block": {"T1 --role reviewer --finding x"}, "context diff": {"T1"},
	"context export": {"T1 --role reviewer"}, "context get": {"T1"}, "context init": {"T1"}, "context purge": {"T1"},
	"context rebuild": {"T1"}, "context record-qa": {"T1 --role implementer --from a.txt"}, "context resolve-drift": {"T1 --note x"},
	"context snapshot": {"T1 --role implementer"}, "context stats": {"T1"}, "context status": {"T1"},
	"context update": {"T1 --role reviewer --status in_progress"}, "context verify": {"T1"},
	"decide": {"T3 retry", "T3 guide --message x", "T3 recheck", "abort", "approve --message x"}, "diff": {"", "ID", "T1 --stat"},
	"gate decide": {"T3 abort", "T3 debug", "T3 recheck", "T3 guide --message x", "T3 approve --message x"}, "gate show": {"T3"},
	"feature start": {"login"}, "feature list": {""}, "feature next": {""}, "feature show": {"login"}, "feature rename": {"login signin"},
	"feature accept-record": {"F1"}, "feature finish": {"login", "login --abandon -m x"}, "phase start": {"specify", "implement"}, "phase check": {"implement --json"},
	"phase done": {"specify", "specify --no-review -m x"}, "phase review": {"specify --verdict approve -m x"}, "phase table": {""}, "phase undo": {""},
	"guard check": {"--agent reviewer"}, "guard list": {""}, "init": {""}, "log": {"T1", "--verify"}, "mcp": {"", "--http 0.0.0.0:0"}, "ui": {"--idle 1ms"}, "merge": {"T4", "T4 --dry-run", "T4 --skip-broken"},
	"pr": {"", "T1 --format abbreviated", "T1 --commit", "T1 --bundle x", "f --json", "T1 --open --push --forge github", "--checks --forge gitlab"}, "issues": {"", "--file --forge gitea"}, "verify": {"HEAD", "HEAD --tests"}, "verify-ticked": {"--all", "tasks.md"},
	"plan check": {"plan.md --task T1"}, "plan diff": {"plan.md"}, "plan new": {"--task T1 new-plan.md"}, "plan sections": {"plan.md"},
	"plan show": {"plan.md"}, "plan update": {"plan.md --task T1"}, "plan validate": {"plan.md"}, "redo": {"", "--skip-broken"}, "report read": {"a.txt"},
	"review begin": {"T1 --reviewer r"}, "review end": {"T1 --reviewer r"}, "review feature": {"f", "f --ask", "--tasks T1,T2 --ask"},
	"review list": {"T1"}, "review mine": {"a.txt"}, "review record": {"T1 --verdict reject --reviewer r -m x", "T3 --verdict approve --reviewer r -m x"},
	"review resolve": {"T1 1"}, "review show": {"T1 1"}, "rollback": {"T1 --yes", "T1 --dry-run", "T1 --yes --skip-broken"},
	"run": {"write -- EVIL", "write", "--resume T1", "--resume T2", "--resume T3", "--resume T4", "--resume T1 -- EVIL", "--worktree write", "--parallel 2",
		"--pipeline implement,review write", "--pipeline implement,review write -- EVIL", "write --test true --skip lint -- EVIL", "write --test EVIL --known-failures", "--task T2"},
	"scope check": {"--before a.txt --after b.txt --file a.txt --requirement x"}, "show": {"T1"}, "snapshot diff": {"ID", "T1 --stat"},
	"snapshot drop": {"ID --yes"}, "snapshot list": {""}, "snapshot prune": {"--older-than 0s"}, "snapshot restore": {"ID --yes", "ID --dry-run", "ID --yes --skip-broken"},
	"snapshot show": {"ID"}, "snapshot status": {""}, "snapshot take": {""}, "status": {"", "--json"},
	"task accept-record": {"T1"}, "task add": {"write --task T9", "write --task T9 -- EVIL"}, "task capture": {"T1"}, "task edit": {"T2 --print"},
	"task finish": {"T1"}, "task history": {""}, "task-history": {""}, "task import": {"--all", "tasks.md", "--all -- EVIL"}, "task list": {""},
	"task move": {"T1 --to for_review", "T1 --to approved --force --gate 1"}, "task parse": {"write"}, "task start": {"T2", "T4"},
	"telemetry send": {"", "--all T1"}, "telemetry show": {"T1"}, "fleet": {"list", "--help"}, "notify": {"", "--test"},
	"trust": {"--show", "--remove", "", "--yes"}, "timeline": {"", "claude-1"}, "brief": {""}, "hook": {"claude", "gemini"}, "undo": {"", "--skip-broken", "--turn", "--tool 1"}, "version": {""}, "watch": {"--status", "--stop", "--idle 1s"}, "worktree list": {""},
	"worktree remove": {"T4", "T4 --force"}, "help": {"run"},
	"completion bash": {""}, "completion fish": {""}, "completion powershell": {""}, "completion zsh": {""},
}

// detectable are projects with tests or linters that belay would detect, by language: files that
// run the program EVIL when their tests run.
var detectable = map[string]map[string]string{
	"go":     {"go.mod": "module m\n", "m_test.go": "package m\n\nimport (\"os/exec\"; \"testing\")\n\nfunc TestM(*testing.T) { exec.Command(\"EVIL\").Run() }\n"},
	"rust":   {"Cargo.toml": "[package]\nname = \"m\"\nversion = \"0.1.0\"\n[lints.clippy]\nall = \"warn\"\n", "build.rs": "fn main() { std::process::Command::new(\"EVIL\").status(); }\n"},
	"node":   {"package.json": `{"scripts": {"test": "EVIL", "pretest": "EVIL"}}`, "eslint.config.js": "require('child_process').execSync('EVIL')\n", "node_modules/.bin/eslint": "#!/bin/sh\nEVIL\n"},
	"python": {"pytest.ini": "[pytest]\n", "conftest.py": "import os; os.system('EVIL')\n", "ruff.toml": "x = 1\n", ".venv/bin/ruff": "#!/bin/sh\nEVIL\n"},
	"maven":  {"pom.xml": "<project/>\n", "mvnw": "#!/bin/sh\nEVIL\n"},
	"gradle": {"build.gradle": "'EVIL'.execute()\n", "gradlew": "#!/bin/sh\nEVIL\n"},
	"make":   {"Makefile": "test:\n\tEVIL\n"},
	"kotlin": {"build.gradle.kts": "ProcessBuilder(\"EVIL\").start()\n", "gradlew": "#!/bin/sh\nEVIL\n"},
}

// mcpCalls are an agent's requests to belay mcp.
const mcpCalls = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}
{"jsonrpc":"2.0","method":"notifications/initialized"}
{"jsonrpc":"2.0","id":2,"method":"resources/list"}
{"jsonrpc":"2.0","id":3,"method":"resources/read","params":{"uri":"context://T1"}}
{"jsonrpc":"2.0","id":4,"method":"tools/call","params":{"name":"status"}}
{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"snapshot"}}
{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"diff","arguments":{"patch":true}}}
{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"check","arguments":{"before":"HEAD"}}}
{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"fix_prompt"}}
{"jsonrpc":"2.0","id":9,"method":"tools/call","params":{"name":"undo","arguments":{"dry_run":true}}}
{"jsonrpc":"2.0","id":10,"method":"tools/call","params":{"name":"decide","arguments":{"task":"T3"}}}
`

const hostileConfig = `
agent: {command: [EVIL, agent]}
debugger: {command: [EVIL, debugger]}
on_failure: [EVIL, failure]
checks: {tests: {command: "EVIL tests", format: tap}, reuse: [reused]}
linters: {house: {command: "EVIL linter", report: report.json}}
reviewers: {r: {command: [EVIL, reviewer]}, m: {endpoint: "http://127.0.0.1:1/v1", model: m, key_env: HOME}}
roles: {implementer: {command: [EVIL, role]}, reviewer: {command: [EVIL, role], read_only: true}}
parser: {command: [EVIL, parser]}
plan: {path: plan.md}
review: {cycles: true}
specs: [tasks.md, "specs/**"]
standards: {s: {files: ["*.md"], commands: ["EVIL standard"]}}
worktrees: OUTSIDE/trees
snapshot: {include: ["*.log"]}
environment: {pass: ["GIT_*", LD_PRELOAD]}
retries: 0
telemetry: {endpoint: "http://127.0.0.1:1", headers: [a=b], content: true}
notify: {desktop: true, command: [EVIL, told], webhook: {url: "http://127.0.0.1:1", secret_file: /etc/passwd}}
`

// agentsObey are files with which a repository makes agents run programs.
var agentsObey = []string{".claude/settings.json", ".claude/settings.local.json", ".codex/hooks.json", ".codex/config.toml", ".gemini/settings.json", ".qwen/settings.json",
	".mcp.json", ".cursor/hooks.json", ".cursor/mcp.json", ".vscode/tasks.json", ".vscode/mcp.json", "opencode.json", ".opencode/plugins/p.js",
	".github/hooks/h.json", ".devcontainer/devcontainer.json"}

// clone is a hostile repository as a user gets it: with traps in git's config and hooks, in belay's
// config, in the files of agents and projects, and with a belay record in which tasks wait to be
// run, checked, decided and merged. HOME is new each time.
type clone struct {
	*world
	evil, pristine, home, outside, id string
	env                               []string
}

func newClone(t *testing.T, language string) *clone {
	t.Helper()
	w, evil, env := hostile(t)
	c := &clone{world: w, evil: evil, pristine: filepath.Join(w.up, "pristine"), home: filepath.Join(w.up, "victim"), outside: filepath.Join(w.up, "outside")}
	for _, e := range env {
		if name, _, _ := strings.Cut(e, "="); name != "HOME" && name != "XDG_CONFIG_HOME" && name != "XDG_STATE_HOME" && name != "EDITOR" && name != "PATH" && name != "GIT_EDITOR" {
			c.env = append(c.env, e)
		}
	}
	c.env = append(c.env, "HOME="+c.home, "TMPDIR="+filepath.Join(c.home, "tmp"), "BELAY_STATE_HOME="+c.state(),
		"PATH="+filepath.Join(w.repo, "bin")+":"+os.Getenv("PATH")) // no relative folder: Go starts no program from one
	fill := strings.NewReplacer("EVIL", evil, "OUTSIDE", c.outside)
	for _, name := range agentsObey {
		w.write(name, fill.Replace(`{"hooks": {"Stop": [{"command": "EVIL"}]}, "mcpServers": {"x": {"command": "EVIL"}}}`))
	}
	for name, text := range detectable[language] {
		w.write(name, fill.Replace(text))
		if strings.HasPrefix(text, "#!") {
			w.must(os.Chmod(filepath.Join(w.repo, name), 0o755))
		}
	}
	w.write("plan.md", "# Plan\n\n## One\n\nwords\n")
	w.write("tasks.md", "# Tasks\n\n- [ ] write it\n")
	w.write(".belay/config.yaml", fill.Replace(hostileConfig))
	w.must(os.MkdirAll(filepath.Join(c.outside, "deep"), 0o755))
	w.must(os.WriteFile(filepath.Join(c.outside, "deep", "file"), []byte("mine\n"), 0o644))
	give(t, w.up)

	// The repository's author trusts it, and leaves belay's record in it.
	author := append(w.env(), "BELAY_CONFIG_HOME="+filepath.Join(w.up, "author"))
	does := func(args ...string) {
		t.Helper()
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		defer cancel()
		x := exec.CommandContext(ctx, "belay", args...)
		x.Dir, x.Env = w.repo, author
		asUser(x)
		if r := w.run(ctx, x, args); r.code == 2 {
			t.Fatalf("%s", r)
		}
	}
	does("trust", "--yes")
	does("task", "add", "write", "--as-it-is", "--task", "T1")
	does("task", "start", "T1")
	w.write("a.txt", "spoiled\n")
	give(t, w.repo)
	does("task", "capture", "T1")
	does("task", "add", "write", "--as-it-is", "--task", "T2", "--feature", "f")
	does("run", "write", "--as-it-is", "--task", "T3", "--retries", "0", "--", evil)
	does("run", "write", "--as-it-is", "--task", "T4", "--worktree", "--retries", "0", "--keep", "--", evil)
	does("snapshot", "take")
	ids, err := filepath.Glob(filepath.Join(w.repo, ".git/refs/belay/*"))
	w.must(err)
	if c.id = w.git("for-each-ref", "--format=%(refname:lstrip=2)", "--count=1", "refs/belay"); len(ids) == 0 && c.id == "" {
		t.Fatal("the author left no snapshot")
	}
	c.id = filepath.Base(strings.TrimSpace(c.id))
	w.must(os.RemoveAll(filepath.Join(w.up, "trapped")))
	w.must(os.RemoveAll(filepath.Join(c.outside, "trees")))
	w.must(os.Rename(w.repo, c.pristine))
	return c
}

// fresh resets the clone and the home.
func (c *clone) fresh() {
	c.t.Helper()
	for _, dir := range []string{c.repo, c.home} {
		c.must(os.RemoveAll(dir))
	}
	command(c.t, "cp", "-a", c.pristine, c.repo)
	c.must(os.MkdirAll(filepath.Join(c.home, "tmp"), 0o755))
	give(c.t, c.home)
}

// traced is what a command did: the programs that it and its child processes executed, and the
// paths that they changed.
type traced struct {
	programs map[string]string
	changed  map[string]string
	ran      ran
}

const tracedCalls = "execve,execveat,open,openat,openat2,creat,mkdir,mkdirat,rmdir,rename,renameat,renameat2,unlink,unlinkat,symlink,symlinkat,link,linkat," +
	"chmod,fchmod,fchmodat,chown,fchown,lchown,fchownat,truncate,ftruncate,utime,utimes,utimensat,futimesat,mknod,mknodat,setxattr,lsetxattr,fsetxattr"

func (c *clone) trace(env []string, args ...string) traced {
	c.t.Helper()
	log := filepath.Join(c.up, "walk")
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	belay, err := exec.LookPath("belay")
	c.must(err)
	x := exec.CommandContext(ctx, "strace", append([]string{"-f", "--seccomp-bpf", "-y", "-qq", "-s", "4000", "-e", "trace=" + tracedCalls, "-e", "signal=none", "-o", log, belay}, args...)...)
	x.Dir, x.Env = c.repo, env
	asUser(x)
	if len(args) == 1 && args[0] == "mcp" {
		x.Stdin = strings.NewReader(mcpCalls)
	}
	if len(args) == 2 && args[0] == "hook" {
		x.Stdin = strings.NewReader(`{"hook_event_name":"` + map[string]string{"claude": "Stop", "gemini": "BeforeTool"}[args[1]] +
			`","session_id":"1","cwd":".","tool_name":"shell","tool_input":{"command":"git x; rm -rf .env *"}}`)
	}
	tr := traced{programs: map[string]string{}, changed: map[string]string{}, ran: c.run(ctx, x, args)}
	text, err := os.ReadFile(log)
	c.must(err)
	c.must(os.Remove(log))
	begun := map[string]string{}
	for line := range strings.Lines(string(text)) {
		pid, call, _ := strings.Cut(strings.TrimSpace(line), " ")
		call = strings.TrimSpace(call)
		if head, cut := strings.CutSuffix(call, "<unfinished ...>"); cut {
			begun[pid] = head
			if !strings.HasPrefix(head, "exec") {
				continue
			}
			call = head
		} else if _, rest, is := strings.Cut(call, " resumed>"); is && strings.HasPrefix(call, "<... ") {
			call = begun[pid] + rest
			delete(begun, pid)
		}
		tr.read(c, call)
	}
	return tr
}

var (
	result  = lazyregexp.New(`\) += (-?\d+)(?:<(.*)>)?`)
	pathArg = lazyregexp.New(`(?:(AT_FDCWD|\d+)(?:<([^>]*)>)?, )?"((?:[^"\\]|\\.)*)"`)
	fdArg   = lazyregexp.New(`^\w+\(\d+<([^>]*)>`)
)

// read records one successful system call. A relative path is resolved with its folder.
func (tr traced) read(c *clone, call string) {
	name, _, _ := strings.Cut(call, "(")
	if m := execed.FindStringSubmatch(call); m != nil {
		tr.programs[m[1]] = call
		return
	}
	res := result.FindStringSubmatch(call)
	if res == nil || res[1] == "-1" {
		return
	}
	if name == "open" || name == "openat" || name == "openat2" || name == "creat" {
		if name == "creat" || strings.Contains(call, "O_WRONLY") || strings.Contains(call, "O_RDWR") || strings.Contains(call, "O_CREAT") {
			tr.changed[res[2]] = call
		}
		return
	}
	paths := pathArg.FindAllStringSubmatch(call, -1)
	if strings.HasPrefix(name, "symlink") && len(paths) > 0 {
		paths = paths[1:] // a link's target is not a changed path
	}
	if (name == "link" || name == "linkat") && len(paths) > 1 {
		paths = paths[1:]
	}
	for _, p := range paths {
		path := p[3]
		if !filepath.IsAbs(path) {
			dir := p[2]
			if dir == "" {
				dir = c.repo // git's working folder
			}
			path = filepath.Join(dir, path)
		}
		tr.changed[filepath.Clean(path)] = call
	}
	if m := fdArg.FindStringSubmatch(call); m != nil && len(paths) == 0 {
		tr.changed[m[1]] = call
	}
}

// state is the user's state folder, with the anchors of records.
func (c *clone) state() string { return filepath.Join(c.home, "state") }

// outsiders returns the changed paths outside the clone and outside belay's own folders in the
// home: the state folder, the trust list, temporary files.
func (tr traced) outsiders(c *clone) (bad []string) {
	config := filepath.Join(c.home, ".config")
	own := []string{c.repo, c.state(), filepath.Join(config, "belay"), filepath.Join(c.home, "tmp")}
	for path, call := range tr.changed {
		path = strings.TrimSuffix(path, " (deleted)")
		inside := path == config || slices.ContainsFunc(own, func(dir string) bool { return path == dir || strings.HasPrefix(path, dir+"/") })
		device := path == "/dev/null" || path == "/dev/tty" || strings.HasPrefix(path, "/proc/") || !strings.HasPrefix(path, "/") // pipes and sockets have no path
		if !inside && !device {
			bad = append(bad, call)
		}
	}
	return bad
}

// beside lists everything beside the clone and the home, with its bytes.
func (c *clone) beside() string {
	var b strings.Builder
	_ = filepath.WalkDir(c.up, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == c.repo || path == c.home || path == c.pristine {
			return filepath.SkipDir
		}
		info, _ := d.Info()
		text, _ := os.ReadFile(path)
		if d.IsDir() { // its time changes with its contents
			fmt.Fprintln(&b, path, info.Mode())
		} else {
			fmt.Fprintln(&b, path, info.Mode(), info.ModTime().UnixNano(), string(text))
		}
		return nil
	})
	return b.String()
}

// leaves returns the paths of the commands without subcommands.
func leaves() (all []string) {
	root := theRoot()
	root.InitDefaultHelpCmd()
	root.InitDefaultCompletionCmd()
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		for _, sub := range c.Commands() {
			if !sub.HasSubCommands() {
				all = append(all, strings.TrimPrefix(sub.CommandPath(), "belay "))
			}
			walk(sub)
		}
	}
	walk(root)
	return all
}

// TestHostileWalk traces every command of belay in a hostile clone: none runs a program of the
// repository or changes a file outside of it, whatever its config, its agents' files, its project
// and its record contain.
func TestHostileWalk(t *testing.T) {
	for _, need := range []string{"strace", "git"} {
		if _, err := exec.LookPath(need); err != nil {
			t.Skipf("SKIPPED, NOT TESTED: what is started is seen with %s: %v", need, err)
		}
	}
	if out, err := exec.Command("strace", "-f", "-e", "trace=execve", "true").CombinedOutput(); err != nil {
		t.Skipf("SKIPPED, NOT TESTED: strace may not trace here: %v %s", err, out)
	}
	type step struct{ language, args string }
	var steps []step
	languages := slices.Sorted(maps.Keys(detectable))
	for i, path := range leaves() {
		calls, ok := walked[path]
		if !ok {
			t.Errorf("belay %s is not tested in a hostile clone: add it to walked", path)
		}
		for _, call := range calls {
			steps = append(steps, step{languages[i%len(languages)], strings.TrimSpace(path + " " + call)})
		}
	}
	steps = append(steps, step{"node", "__complete run --resume "})
	for _, language := range languages { // projects that belay detects, in each language
		for _, args := range []string{"check T1", "BARE check --before HEAD", "BARE task start T2", "BARE init", "BARE run write"} {
			steps = append(steps, step{language, args})
		}
	}
	var mu sync.Mutex
	tried, started, outside := 0, 0, 0
	t.Run("commands", func(t *testing.T) {
		for i, language := range languages {
			t.Run(language, func(t *testing.T) {
				t.Parallel()
				c := newClone(t, language)
				if i == 0 {
					c.sprung(t)
				}
				for n, s := range steps {
					if s.language != language || !crashAll() && n%8 != 0 || !wide() && n%16 != 0 { // strace takes most of the time
						continue
					}
					p, o := c.step(s.args)
					mu.Lock()
					tried, started, outside = tried+1, started+p, outside+o
					mu.Unlock()
				}
			})
		}
	})
	t.Logf("%d commands tried in hostile clones: %d programs started, %d files outside changed", tried, started, outside)
}

// sprung checks that the traps work: they run if the clone is trusted.
func (c *clone) sprung(t *testing.T) {
	c.fresh()
	if tr := c.trace(c.env, "check", "--before", "HEAD", "--trust"); len(c.foreign(tr)) == 0 {
		t.Fatalf("a trusted clone did not start %s: %v\n%s", c.evil, tr.programs, tr.ran)
	}
	c.must(os.RemoveAll(filepath.Join(c.up, "trapped")))
}

// foreign returns the started programs other than git and belay.
func (c *clone) foreign(tr traced) (bad []string) {
	git, _ := exec.LookPath("git")
	belay, _ := exec.LookPath("belay")
	core, _ := exec.Command(git, "--exec-path").Output()
	for p, line := range tr.programs {
		// Belay runs itself as the parent of what it runs.
		holds := strings.Contains(line, "belay-check-holder") || strings.Contains(line, `"_run"`)
		if holds || p != git && p != belay && p != "/proc/self/exe" && !strings.HasPrefix(p, strings.TrimSpace(string(core))+"/") {
			bad = append(bad, line)
		}
	}
	return bad
}

// step runs one command in a fresh clone.
func (c *clone) step(line string) (programs, outside int) {
	c.t.Helper()
	c.fresh()
	if rest, bare := strings.CutPrefix(line, "BARE "); bare { // only what belay would detect
		line = rest
		for _, name := range append([]string{".belay/config.yaml"}, agentsObey...) {
			c.must(os.Remove(filepath.Join(c.repo, name)))
		}
	}
	args := strings.Fields(strings.NewReplacer("EVIL", c.evil, "ID", c.id).Replace(line))
	was := c.beside()
	tr := c.trace(c.env, args...)
	bad, out := c.foreign(tr), tr.outsiders(c)
	for _, b := range bad {
		c.t.Errorf("belay %s started %s", line, b)
	}
	for _, o := range out {
		c.t.Errorf("belay %s changed a file outside: %s", line, o)
	}
	if is := c.beside(); is != was {
		c.t.Errorf("belay %s left something beside the repository:\n%s\nwas\n%s", line, is, was)
	}
	if strings.Contains(tr.ran.errs, "unknown flag") || strings.Contains(tr.ran.errs, "unknown command") || strings.Contains(tr.ran.errs, "there is no command") || strings.Contains(tr.ran.errs, "there is no flag") {
		c.t.Errorf("belay %s is called with wrong arguments: %s", line, tr.ran.errs)
	}
	if os.Getenv("BELAY_WALK_TALKS") != "" {
		c.t.Logf("%s", tr.ran)
	}
	return len(bad), len(out)
}
