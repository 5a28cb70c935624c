package config

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/belay-dev/belay/internal/belay"
)

var update = flag.Bool("update", false, "write docs/config.schema.json and the goldens anew")

var values = cmpopts.IgnoreUnexported(Config{})

func parse(t rapid.TB, text string) Config {
	t.Helper()
	c, err := Parse("", []byte(text))
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	return c
}

func problems(t rapid.TB, err error) []Problem {
	t.Helper()
	var p *Problems
	if err == nil || !errors.As(err, &p) || belay.CodeOf(err) != belay.CodeUsage {
		t.Fatalf("not a list of problems: %v", err)
	}
	return p.List
}

const whole = `# everything
version: 1
agent:
  command: claude -p "do it" 'and $well'
  timeout: 1h30m
debugger: {command: [debug, "", "a b"]}
files: ["src/**", '*.{go,md}']
protect:
- go.mod
preserve: ["**/*_test.go"]
checks:
  tests:
    command: make test && echo ok
    format: junit
    report: "out/**/*.xml"
  skip: [size]
  max_diff: 500
  timeout: 45s
retries: 0
retry: repair
specs: [todo/*.md]
clarify: true
parser: {agent: agent}
limits: {attempts: 7, wall_time: 2h, cost: 2.5, feature_retries: 9}
stall: {repeats: 4, recoveries: 1}
on_failure: [notify, --failed]
snapshot:
  include: [.env]
  max_file: 1.5 gib
  cap: 0
  on_completion: keep
  archive_for: 48h
environment:
  pass: [GIT_SSH, "MY_*"]
fence:
  enabled: on
  allow: [~/x]
  read: deny
  network: ['443']
`

func TestParseWhole(t *testing.T) {
	t.Parallel()
	want := Config{
		Version: 1, Mode: "standard", Agent: Agent{[]string{"claude", "-p", "do it", "and $well"}, 90 * time.Minute, nil},
		Debugger: Debugger{[]string{"debug", "", "a b"}},
		Files:    []string{"src/**", "*.{go,md}"}, Protect: []string{"go.mod"}, Preserve: []string{"**/*_test.go"},
		Checks: Checks{Tests: belay.TestCommand{Command: "make test && echo ok", Format: "junit", Report: "out/**/*.xml", From: "config"},
			Baseline: true, Skip: []string{"size"}, MaxDiff: 500, Timeout: 45 * time.Second},
		Retries: 0, Retry: belay.RetryRepair, Limits: Limits{7, 2 * time.Hour, 2.5, 0, 9}, Stall: Stall{4, 1}, OnFailure: []string{"notify", "--failed"},
		Parser: belay.Reviewer{Name: "agent", Timeout: 10 * time.Second}, Specs: []string{"todo/*.md"}, Clarify: true,
		Snapshot: Snapshot{[]string{".env"}, 3 << 29, 1 << 30, 0, "keep", 48 * time.Hour}, Environment: Environment{[]string{"GIT_SSH", "MY_*"}},
		Review: Review{Stale: 8 * time.Hour, Value: "belay_{agent}_{task}"}, Hooks: Hooks{"deny", true, 2, time.Minute, true},
		Fence: Fence{"on", []string{"~/x"}, "deny", []string{"443"}},
	}
	for name, text := range map[string]string{
		"as it is": whole, "with a byte order mark": "\ufeff" + whole, "with carriage returns": strings.ReplaceAll(whole, "\n", "\r\n"),
		"a document": "---\n" + whole + "...\n",
	} {
		if d := cmp.Diff(want, parse(t, text), values); d != "" {
			t.Error(name, d)
		}
	}
	p := parse(t, whole).Policy()
	if p.Retries != 0 || p.Retry != belay.RetryRepair || p.MaxAttempts != 7 || p.WallTime != 2*time.Hour || p.Cost != 2.5 || p.Stalls != 1 || p.Lost != 2 {
		t.Errorf("policy: %+v", p)
	}
}

func TestDefaults(t *testing.T) {
	t.Parallel()
	want := Config{Version: 1, Mode: "standard", Parser: belay.Reviewer{Timeout: 10 * time.Second}, Agent: Agent{nil, 30 * time.Minute, nil}, Checks: Checks{Baseline: true, MaxDiff: 300}, Retries: 3, Retry: belay.RetryAuto,
		Limits: Limits{Attempts: 20}, Stall: Stall{3, 2}, Snapshot: Snapshot{nil, 256 << 20, 1 << 30, 5 << 30, "archive", 168 * time.Hour}, Clarify: true, Review: Review{Stale: 8 * time.Hour, Value: "belay_{agent}_{task}"},
		Hooks: Hooks{"deny", true, 2, time.Minute, true}, Fence: Fence{Enabled: "auto", Read: "allow"}}
	for _, text := range []string{"", "\n", "# nothing\n", "---\n", "~\n", "version: 1\n", "agent:\nfiles:\nretries: ~\nchecks: {tests: , skip: null}\n", "{}"} {
		c := parse(t, text)
		if d := cmp.Diff(want, c, values); d != "" {
			t.Errorf("%q: %s", text, d)
		}
		if block, hash := Commands(c); block != nil || hash != "" {
			t.Errorf("%q runs %s", text, block)
		}
	}
	if p := parse(t, "").Policy(); !reflect.DeepEqual(p, belay.DefaultPolicy()) {
		t.Errorf("%+v", p)
	}
}

// TestProblems: each invalid text has exactly this problem: line, column, key, message, nearest
// key.
func TestProblems(t *testing.T) {
	t.Parallel()
	tests := []struct {
		text       string
		line, col  int
		key, words string
		near       string
	}{
		{"retires: 3", 1, 1, "retires", "no such key", "retries"},
		{"\n  maxdiff: 3", 2, 3, "maxdiff", "no such key", "checks.max_diff"},
		{"checks:\n  tets: {}", 2, 3, "checks.tets", "no such key", "checks.tests"},
		{"checks:\n  retries: 1", 2, 3, "checks.retries", "no such key", "retries"},
		{"agents: {}", 1, 1, "agents", "no such key", "agent"},
		{"checks.max_diff: 3", 1, 1, "checks.max_diff", "no such key", "checks.max_diff"},
		{"zzzzzzzz: 1", 1, 1, "zzzzzzzz", "no such key", ""},
		{"1: 2", 1, 1, "1", "no such key", ""},
		{"<<: {retries: 1}", 1, 1, "<<", "no such key", ""},
		{"? [a]\n: b", 1, 3, "", "a key must be a plain word", ""},
		{"retries: 1\nretry: auto\nretries: 2", 3, 1, "retries", "set twice, first in line 1", ""},
		{"checks: {skip: [lint]}\nchecks: {skip: [size]}", 2, 1, "checks", "set twice", ""},
		{"version: 2", 1, 10, "version", "this belay reads version 1", ""},
		{"version: 1.0", 1, 10, "version", "not a number of that kind", ""},
		{"retries: \"3\"", 1, 10, "retries", "remove the quotes", ""},
		{"retries: -1", 1, 10, "retries", "a whole number from 0", ""},
		{"retries: 1.5", 1, 10, "retries", "a whole number from 0", ""},
		{"retries: 0x10", 1, 10, "retries", "a whole number from 0", ""},
		{"retries: [3]", 1, 10, "retries", "it is a list", ""},
		{"retries: {n: 3}", 1, 10, "retries", "it holds keys", ""},
		{"checks: {max_diff: 0}", 1, 20, "checks.max_diff", "a whole number from 1", ""},
		{"checks: 3", 1, 9, "checks", "it holds keys: tests, baseline, reuse, skip, max_diff, timeout", ""},
		{"checks: [a]", 1, 9, "checks", "it holds keys", ""},
		{"retry: sometimes", 1, 8, "retry", "one of auto, rollback, repair", ""},
		{"retry: true", 1, 8, "retry", "put it in quotes", ""},
		{"agent: {timeout: 30}", 1, 18, "agent.timeout", "it has no unit: 30s or 30m", ""},
		{"agent: {timeout: 30 minutes}", 1, 18, "agent.timeout", "a time with a unit", ""},
		{"agent: {timeout: -1s}", 1, 18, "agent.timeout", "it is negative", ""},
		{"agent: {command: a | b}", 1, 18, "agent.command", `"|" needs a shell`, ""},
		{"agent: {command: 'a \"b'}", 1, 18, "agent.command", "not closed", ""},
		{"agent: {command: []}", 1, 18, "agent.command", "it is empty", ""},
		{"agent: {command: ''}", 1, 18, "agent.command", "it is empty", ""},
		{"agent: {command: [a, 1]}", 1, 18, "agent.command", "item 2 is not text", ""},
		{"agent: {command: ['']}", 1, 18, "agent.command", "the program's name is empty", ""},
		{"checks: {tests: {command: ' '}}", 1, 27, "checks.tests.command", "it is empty", ""},
		{"checks: {tests: {command: true}}", 1, 27, "checks.tests.command", "put it in quotes", ""},
		{"checks: {tests: {command: a, format: odd}}", 1, 38, "checks.tests.format", "one of junit, trx", ""},
		{"checks: {tests: {format: gotest}}", 1, 18, "checks.tests.format", "which is not set", ""},
		{"checks: {tests: {command: a, format: junit}}", 1, 30, "checks.tests.format", "junit needs", ""},
		{"checks: {tests: {command: a, report: b}}", 1, 30, "checks.tests.report", "only when", ""},
		{"limits: {cost: free}", 1, 16, "limits.cost", "a number of dollars", ""},
		{"limits: {cost: -1}", 1, 16, "limits.cost", "a number of dollars", ""},
		{"limits: {cost: .inf}", 1, 16, "limits.cost", "a number of dollars", ""},
		{"snapshot: {max_file: 5}", 1, 22, "snapshot.max_file", "it has no unit: 5MiB", ""},
		{"snapshot: {max_file: 0}", 1, 22, "snapshot.max_file", "greater than 0", ""},
		{"guidelines: {a: {instruction: x, action: {instruction: y}}}", 1, 43, "guidelines.a.action.instruction", "guidelines.a.instruction sets the same", ""},
		{"guidelines: {a: {agents: [x], condition: {agents: [x]}, instruction: y}}", 1, 43, "guidelines.a.condition.agents", "sets the same", ""},
		{"guidelines: {a: {action: {type: advice, instruction: y, require_review: true}}}", 1, 57, "guidelines.a.action.require_review", "advice cannot require a review", ""},
		{"guidelines: {a: {action: {type: rule, instruction: y}}}", 1, 33, "guidelines.a.action.type", "constraint", ""},
		{"guidelines: {a: {action: {instruction: y, requires_review: true}}}", 1, 43, "guidelines.a.action.requires_review", "no such key", "guidelines.a.action.require_review"},
		{"guidelines: {a: {name: x}}", 1, 18, "guidelines.a", "give its instruction", ""},
		{"snapshot: {on_completion: archived}", 1, 27, "snapshot.on_completion", "it is not one of archive, prune, keep", ""},
		{"snapshot: {archive_for: 7}", 1, 25, "snapshot.archive_for", "a time with a unit", ""},
		{"snapshot: {cap: 5 GiBs}", 1, 17, "snapshot.cap", "a size with a unit", ""},
		{"snapshot: {cap: 99999999 TiB}", 1, 17, "snapshot.cap", "a size with a unit", ""},
		{"files: src/**", 1, 8, "files", "it is not a list; give a list", ""},
		{"files: [src, [a]]", 1, 8, "files", "item 2 is not text", ""},
		{"files: ['']", 1, 8, "files", "an empty text", ""},
		{"files: [\"a\\nb\"]", 1, 8, "files", "control character", ""},
		{"environment: {pass: [A-B]}", 1, 21, "environment.pass", `"A-B" is not the name of a variable`, ""},
		{"files: &x [a]", 1, 8, "files", "anchors are not supported: remove &x", ""},
		{"files: &x [a]\nprotect: *x", 1, 8, "", "", ""}, // two problems, see below
		{"retries: !!int 3", 1, 10, "retries", "tags are not supported", ""},
		{"files: [!x a]", 1, 9, "files", "tags are not supported", ""},
		{"retries: 3\n---\nretries: 4", 3, 1, "", "a second YAML document", ""},
		{"- a", 1, 1, "", "a config consists of keys", ""},
		{"hello", 1, 1, "", "a config consists of keys", ""},
		{"checks:\n  skip: [lint, test]", 2, 9, "checks.skip", `"test" is unknown; give a list of change, scope,`, ""},
		{"checks:\n\tskip: []", 2, 1, "", "this is a tab", ""},
		{"checks:\n  \tskip: []", 2, 3, "", "this is a tab", ""},
		{"a: b: c", 1, 5, "", "", ""},
		{"files: [a\n", 2, 1, "", "", ""},
		{"files: *nope", 1, 8, "", "nope", ""},
		{"ok: \xff", 1, 5, "", "not UTF-8", ""},
		{"é: \x1b[31m", 1, 4, "", "control character", ""},
		{"\xff\xfea\x00", 1, 1, "", "not UTF-8", ""},
		{"# \x00", 1, 3, "", "control character", ""},
	}
	for _, tt := range tests {
		_, err := Parse("x.yaml", []byte(tt.text))
		list := problems(t, err)
		p := list[0]
		if strings.Contains(tt.text, "*x") {
			if len(list) != 2 || !strings.Contains(list[1].Text, "aliases are not supported") {
				t.Errorf("%q: %+v", tt.text, list)
			}
			continue
		}
		if len(list) != 1 || p.Line != tt.line || p.Column != tt.col || p.Key != tt.key || !strings.Contains(p.Text, tt.words) || p.Nearest != tt.near {
			t.Errorf("%q: %+v", tt.text, list)
		}
		if s := err.Error(); strings.ContainsAny(s, "\x1b\x00") || !strings.HasPrefix(s, "the config is wrong: x.yaml:") {
			t.Errorf("%q: %q", tt.text, s)
		}
	}
}

// TestEveryProblemAtOnce: all problems are reported at once, in the order of the file.
func TestEveryProblemAtOnce(t *testing.T) {
	t.Parallel()
	_, err := Parse(".belay/config.yaml", []byte("retires: 3\nfiles: src\nchecks:\n  max_dif: 1\n  timeout: 5\nretry: auto\nretry: x\n"))
	want := `the config is wrong in 5 places: 
  .belay/config.yaml:1:1: retires: no such key (did you mean retries?)
  .belay/config.yaml:2:8: files: it is not a list; give a list, like ["src/**", "docs/**"]
  .belay/config.yaml:4:3: checks.max_dif: no such key (did you mean checks.max_diff?)
  .belay/config.yaml:5:12: checks.timeout: it has no unit: 5s or 5m; give a time with a unit, like 90s, 30m or 2h
  .belay/config.yaml:7:1: retry: it is set twice, first in line 6`
	if d := cmp.Diff(want, err.Error()); d != "" {
		t.Error(d)
	}
}

func TestBombs(t *testing.T) {
	t.Parallel()
	laughs := "a: &a [x,x,x,x,x,x,x,x,x]\n"
	for c := 'b'; c <= 'z'; c++ {
		laughs += string(c) + ": &" + string(c) + " [" + strings.Repeat("*"+string(c-1)+",", 8) + "x]\n"
	}
	for name, text := range map[string]string{
		"aliases": laughs, "deep lists": strings.Repeat("[", 200_000), "deep keys": strings.Repeat("{a: ", 100_000),
		"nested dashes": strings.Repeat("- ", 100_000), "too large": strings.Repeat("#", MaxSize+1), "many keys": strings.Repeat("a: 1\n", 100_000),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := Parse("", []byte(text))
			problems(t, err)
		})
	}
}

func TestLoad(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	if c, err := Load(root); err != nil || c.Retries != 3 {
		t.Error(c, err)
	}
	write := func(name, text string) {
		t.Helper()
		if err := errors.Join(os.MkdirAll(filepath.Join(root, ".belay"), 0o755), os.WriteFile(filepath.Join(root, name), []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	write(".belay/config.yml", "")
	if _, err := Load(root); belay.CodeOf(err) != belay.CodeUsage || !strings.Contains(err.Error(), "config.yml is not read") {
		t.Error(err)
	}
	write(File, "retries: 9\n")
	if c, err := Load(root); err != nil || c.Retries != 9 || c.source("retries") != ".belay/config.yaml:1" {
		t.Error(c, err)
	}
	write(File, strings.Repeat("#", MaxSize+1))
	_, err := Load(root)
	problems(t, err)
	os.Remove(filepath.Join(root, File))
	if err := os.Mkdir(filepath.Join(root, File), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := Load(root); belay.CodeOf(err) != belay.CodeCannot || !strings.Contains(err.Error(), "not a regular file") {
		t.Error(err)
	}
}

func setting(t *testing.T, c Config, key string) Setting {
	t.Helper()
	for _, s := range c.Settings() {
		if s.Key == key {
			return s
		}
	}
	t.Fatalf("no setting %s", key)
	return Setting{}
}

func TestOverride(t *testing.T) {
	t.Parallel()
	file := parse(t, whole)
	c := file
	for _, set := range [][2]string{{"files", "a/**, *.{go,md},,b"}, {"protect", ""}, {"agent.timeout", "0"}, {"retries", "5"}, {"limits.cost", "0.75"},
		{"checks.tests.command", "go test -json ./..."}, {"checks.tests.format", "gotest"}, {"agent.command", `["a", "b c"]`}, {"snapshot.cap", "1GB"}} {
		if err := c.Override(set[0], set[1]); err != nil {
			t.Fatal(err)
		}
	}
	if d := cmp.Diff([]string{"a/**", "*.{go,md}", "b"}, c.Files); d != "" {
		t.Error(d)
	}
	tests := belay.TestCommand{Command: "go test -json ./...", Format: "gotest", From: "flag"}
	if d := cmp.Diff(tests, c.Checks.Tests); d != "" {
		t.Error(d)
	}
	if len(c.Protect) != 0 || c.Agent.Timeout != 0 || c.Retries != 5 || c.Limits.Cost != 0.75 || c.Snapshot.Cap != 1e9 || len(c.Agent.Command) != 2 {
		t.Errorf("%+v", c)
	}
	if s := setting(t, c, "retries"); s != (Setting{"retries", "5", Flag}) {
		t.Error(s)
	}
	if s := setting(t, c, "checks.tests.report"); s != (Setting{"checks.tests.report", "", Default}) {
		t.Error(s)
	}
	if s := setting(t, file, "retries"); s != (Setting{"retries", "0", ".belay/config.yaml:19"}) {
		t.Error("the file's own config has changed:", s)
	}
	for _, set := range [][2]string{{"retries", "x"}, {"retries", ""}, {"retry", "never"}, {"agent.command", "a|b"}, {"checks.tests.command", ""}, {"environment.pass", "a b"}, {"version", "2"}} {
		before := c
		err := c.Override(set[0], set[1])
		if belay.CodeOf(err) != belay.CodeUsage || !strings.Contains(err.Error(), set[0]+" cannot be") {
			t.Error(set, err)
		}
		if d := cmp.Diff(before, c, values); d != "" {
			t.Error("a refused flag was set:", d)
		}
	}
	var told *belay.Error
	if err := c.Override("retires", "3"); !errors.As(err, &told) || told.Try != "did you mean retries" {
		t.Error(err)
	}
}

// TestSettingsCanBeGivenAsFlags: the displayed value of a setting, given as a flag, sets the same
// value.
func TestSettingsCanBeGivenAsFlags(t *testing.T) {
	t.Parallel()
	check := func(t rapid.TB, c Config) {
		d := defaults()
		for _, s := range c.Settings() {
			if s.Value == "" {
				continue
			}
			if err := d.Override(s.Key, s.Value); err != nil {
				t.Fatal(err)
			}
		}
		d.Checks.Tests.From = c.Checks.Tests.From
		if diff := cmp.Diff(c, d, values, cmpopts.EquateEmpty()); diff != "" {
			t.Fatal(diff)
		}
	}
	check(t, parse(t, whole))
	check(t, parse(t, ""))
	rapid.Check(t, func(rt *rapid.T) {
		word := rapid.StringMatching(`[a-zA-Z0-9*{},"'\[\] é-]*[a-z*\]}]`)
		c := defaults()
		for name, v := range map[string]any{
			"files": rapid.SliceOfN(word, 0, 3).Draw(rt, "files"), "agent.command": rapid.SliceOfN(word, 0, 3).Draw(rt, "agent"),
			"agent.timeout": time.Duration(rapid.Int64Range(0, 1<<50).Draw(rt, "timeout")),
			"snapshot.cap":  rapid.Int64Range(0, 1<<52).Draw(rt, "cap"), "limits.cost": rapid.Float64Range(0, 1e6).Draw(rt, "cost"),
			"retries": rapid.IntRange(0, Most).Draw(rt, "retries"),
		} {
			k, _ := findKey(name)
			c.put(k, v, Flag)
		}
		check(rt, c)
	})
}

func TestCommands(t *testing.T) {
	t.Parallel()
	c := parse(t, "agent: {command: [claude, -p, \"a\\u202eb \\\"q\\\"\"]}\ndebugger: {command: dbg}\nchecks: {tests: {command: \"go test\\n./...\"}}\nenvironment: {pass: [LD_PRELOAD]}\n")
	block, hash := Commands(c)
	want := `agent.command: "claude" "-p" "a\u202eb \"q\""
debugger.command: "dbg"
checks.tests.command: shell "go test\n./..."
environment.pass: "LD_PRELOAD"
`
	if d := cmp.Diff(want, string(block)); d != "" || len(hash) != 64 {
		t.Error(d, hash)
	}
	if err := c.Override("agent.command", "other"); err != nil {
		t.Fatal(err)
	}
	if _, same := Commands(c); same != hash {
		t.Error("a flag has changed what the file runs")
	}
	// Configs that run different commands have different hashes, all others the same.
	seen := map[string]string{}
	for _, text := range []string{"agent: {command: [ls, a]}", "agent: {command: [ls a]}", "agent: {command: [ls, a, '']}", "debugger: {command: [ls, a]}",
		"checks: {tests: {command: ls a}}", "checks: {tests: {command: [ls, a]}}", "checks: {tests: {command: '[\"ls\", \"a\"]'}}",
		"agent: {command: ls}\ndebugger: {command: a}", "agent: {command: \"'ls\\ndebugger.command: a'\"}"} {
		_, hash := Commands(parse(t, text))
		if other := seen[hash]; other != "" {
			t.Errorf("%q and %q have one hash", text, other)
		}
		seen[hash] = text
	}
	_, one := Commands(parse(t, "agent: {command: 'ls a'}\nretries: 9\nchecks: {skip: [size]}"))
	if seen[one] != "agent: {command: [ls, a]}" {
		t.Error("the same commands have another hash")
	}
	if block, hash := Commands(parse(t, "environment: {pass: [A]}")); block != nil || hash != "" {
		t.Error("a block without a command")
	}
}

var uncomment = regexp.MustCompile(`(?m)^#(\S|  )`)

func TestTemplate(t *testing.T) {
	t.Parallel()
	text := Template(belay.TestCommand{Command: "go test ./...", Format: "gotest", Why: "go.mod"})
	golden := filepath.Join("testdata", "template.yaml")
	if *update {
		if err := errors.Join(os.MkdirAll("testdata", 0o755), os.WriteFile(golden, text, 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if d := cmp.Diff(string(want), string(text)); err != nil || d != "" {
		t.Error(err, d)
	}
	rapid.Check(t, func(rt *rapid.T) {
		d := belay.TestCommand{Why: rapid.String().Draw(rt, "why"), Format: rapid.SampledFrom([]string{"", "gotest", "junit", "exit", "odd"}).Draw(rt, "format")}
		words := rapid.StringMatching(`[\x01-\x{2fff}]*[a-z"'\\#:]`)
		if rapid.Bool().Draw(rt, "shell") {
			d.Command = words.Draw(rt, "command")
		} else {
			d.Args = rapid.SliceOfN(words, 0, 3).Draw(rt, "args")
		}
		if d.Format == "junit" {
			d.Report = rapid.SampledFrom([]string{"", "out/*.xml"}).Draw(rt, "report")
		}
		text := Template(d)
		if diff := cmp.Diff(defaults(), parse(rt, string(text)), values); diff != "" {
			rt.Fatal(diff)
		}
		if n := bytes.Count(Template(d, "a/*.md", "b/*.md"), []byte("\n")); n > 10 {
			rt.Fatalf("%d lines", n)
		}
		got := parse(rt, string(uncomment.ReplaceAll(text, []byte("$1"))))
		want := defaults()
		if want.Checks.Tests = (belay.TestCommand{}); d.Set() {
			want.Checks.Tests = belay.TestCommand{Command: d.Command, Args: d.Args, Format: d.Format, Report: d.Report, From: "config"}
			if d.Format == "odd" || d.Format == "junit" && d.Report == "" {
				want.Checks.Tests.Format = ""
			}
		}
		if diff := cmp.Diff(want, got, values); diff != "" {
			rt.Fatalf("%s\n%s", diff, text)
		}
	})
}

// FuzzParse: any bytes are a config or a list of problems with their places, and a config's
// settings can be given as flags.
func FuzzParse(f *testing.F) {
	f.Add([]byte(whole))
	f.Add(uncomment.ReplaceAll(Template(belay.TestCommand{Command: "x"}), []byte("$1")))
	for _, s := range []string{"", "a: &a [*a]", "checks:\n\tx: 1", "retries: 1\r\nretries: 2", "files: [a, 'b', \"c\\x00\"]", "? {}\n: - [", "agent: {command: 'a \"b c\" \\d'}", "\xef\xbb\xbf---\n{}\n...\n---\n", "snapshot: {cap: 1.5GiB, max_file: 2 kb}", "a: |\n\tx\n", "%YAML 1.2\n--- !!map {}"} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := Parse("x", data)
		if err != nil {
			lines := bytes.Count(bytes.ReplaceAll(data, []byte("\r"), []byte("\n")), []byte("\n")) + bytes.Count(data, []byte("\u2028")) + bytes.Count(data, []byte("\u2029")) + 2
			for _, p := range problems(t, err) {
				if p.Text == "" || p.Line < 0 || p.Line > lines || p.Column < 0 {
					t.Fatalf("%q: %+v", data, p)
				}
			}
			if s := err.Error(); s != belay.Visible(s) {
				t.Fatalf("%q: hidden characters in %q", data, s)
			}
			return
		}
		for _, s := range c.Settings() {
			visible := s.Value == belay.VisibleLine(s.Value) && !strings.Contains(s.Value, `\`)
			if s.Value != "" && visible {
				if err := c.Override(s.Key, s.Value); err != nil {
					t.Fatalf("%q: %s %q: %v", data, s.Key, s.Value, err)
				}
			}
		}
		Commands(c)
	})
}

// TestReviewers: named things are parsed, shown, set by flags and need trust.
func TestReviewers(t *testing.T) {
	t.Parallel()
	c := parse(t, "reviewers:\n  spec: {command: [claude, -p], role: spec, timeout: 5m}\n  local: {endpoint: http://localhost:1/v1, model: m, key_env: KEY, threshold: 90}\n")
	want := []belay.Reviewer{
		{Name: "spec", Role: "spec", Command: []string{"claude", "-p"}, Timeout: 5 * time.Minute, Threshold: 70},
		{Name: "local", Endpoint: "http://localhost:1/v1", Model: "m", KeyEnv: "KEY", Timeout: 10 * time.Minute, Threshold: 90},
	}
	if d := cmp.Diff(want, c.Reviewers); d != "" {
		t.Error(d)
	}
	if s := setting(t, c, "reviewers.local.threshold"); s.Value != "90" || s.Source == Default {
		t.Errorf("%+v", s)
	}
	copied := c
	if err := copied.Override("reviewers.spec.timeout", "1m"); err != nil || copied.Reviewers[0].Timeout != time.Minute || c.Reviewers[0].Timeout != 5*time.Minute {
		t.Errorf("%v: %+v, and the copy it was made of %+v", err, copied.Reviewers[0], c.Reviewers[0])
	}
	block, _ := Commands(c)
	if got := string(block); got != "reviewers.spec.command: \"claude\" \"-p\"\nreviewers.local.endpoint: \"http://localhost:1/v1\"\nreviewers.local.key_env: \"KEY\"\n" {
		t.Errorf("%s", got)
	}
	for text, says := range map[string]string{
		"reviewers: {a b: {command: x}}":                             nameSays,
		"reviewers: {x: {role: spec}}":                               "give its command",
		"reviewers: {x: {command: y, endpoint: http://z, model: m}}": "remove one",
		"reviewers: {x: {endpoint: http://z}}":                       "it needs reviewers.x.model",
		"reviewers: {x: {comand: y}}":                                "no such key",
		"reviewers: [x]":                                             "names of your choice, each with the keys: kind, role, command",
		"reviewers: {x: {kind: robot}}":                              "one of program, model, person",
		"reviewers: {x: {kind: person, command: y}}":                 "a person has neither",
		"reviewers: {x: {kind: program}}":                            "give its command",
		"reviewers: {x: {kind: model, command: y}}":                  "give its endpoint",
		"review: {isolate: {variable: A B}}":                         "the name of an environment variable",
		"reviewers: {x: {command: y, threshold: high}}":              "a whole number",
		"reviewers: {x: {command: y}, x: {command: z}}":              "twice",
		"reviewers: {" + strings.Repeat("x", 41) + ": {command: y}}": nameSays,
	} {
		_, err := Parse("", []byte(text))
		if err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v", text, err)
		}
	}
	if c := parse(t, "reviewers: {ana: {kind: person, role: security}}\n"); len(c.Reviewers) != 1 || !c.Reviewers[0].Human() {
		t.Errorf("%+v", c.Reviewers)
	}
	if block, _ := Commands(parse(t, "review: {isolate: {variable: DB}}\n")); !strings.Contains(string(block), `review.isolate.variable: "DB"`) {
		t.Errorf("what reviewers get in their environment needs no trust:\n%s", block)
	}
}

func TestLinters(t *testing.T) {
	t.Parallel()
	c := parse(t, "linters:\n  ruff: {command: ruff check ., format: text}\n  own: {command: [./lint, -v], report: out.sarif, format: sarif}\nchecks: {lint_all: true}\n")
	want := []belay.Linter{
		{Name: "ruff", TestCommand: belay.TestCommand{Command: "ruff check .", Format: "text", From: "config"}},
		{Name: "own", TestCommand: belay.TestCommand{Args: []string{"./lint", "-v"}, Format: "sarif", Report: "out.sarif", From: "config"}},
	}
	if d := cmp.Diff(want, c.Linters); d != "" || !c.Checks.LintAll {
		t.Error(d, c.Checks.LintAll)
	}
	block, hash := Commands(c)
	if got := string(block); got != "linters.ruff.command: shell \"ruff check .\"\nlinters.own.command: \"./lint\" \"-v\"\n" || hash == "" {
		t.Errorf("the block to trust is %s", got)
	}
	for text, says := range map[string]string{
		"linters: {x: {format: sarif}}":               "give its command",
		"linters: {x: {command: a, format: junit}}":   "one of sarif, checkstyle",
		"linters: [{command: a}]":                     "names of your choice",
		"linters: {x: {command: a, severity: error}}": "no such key",
	} {
		if _, err := Parse("", []byte(text)); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want one about %q", text, err, says)
		}
	}
}

func TestHandingOn(t *testing.T) {
	t.Parallel()
	c := parse(t, "roles:\n  build: {command: [claude, -p], timeout: 5m}\n  judge: {read_only: true, prompt: look, parts: [task]}\n"+
		"standards:\n  api: {files: [standards/*.md], areas: [backend], priorities: [P0], sections: [Handlers], commands: [make lint]}\n"+
		"scopes:\n  ui: {files: [web/**, css/**]}\nhandoffs:\n  ignore_line_endings: true\n")
	if open := parse(t, "roles:\n  judge: {read_only: true, closed: false}\n"); open.Roles[0].Closed || !c.Roles[1].Closed {
		t.Errorf("%+v", open.Roles)
	}
	if len(c.Roles) != 2 || c.Roles[0].Name != "build" || !c.Roles[1].ReadOnly || c.Roles[0].Timeout != 5*time.Minute || !c.IgnoreLineEnds {
		t.Errorf("%+v", c.Roles)
	}
	if s := c.Standards; len(s) != 1 || s[0].Files[0] != "standards/*.md" || s[0].Commands[0] != "make lint" {
		t.Errorf("%+v", s)
	}
	if block, _ := Commands(c); string(block) != "roles.build.command: \"claude\" \"-p\"\n" {
		t.Errorf("%q", block)
	}
	got, err := c.Expand([]string{"a", ":ui", "css/**"})
	if err != nil || !slices.Equal(got, []string{"a", "web/**", "css/**", "css/**"}) {
		t.Errorf("%q, %v", got, err)
	}
	if _, err := c.Expand([]string{":nothing"}); belay.CodeOf(err) != belay.CodeUsage || !strings.Contains(err.(*belay.Error).Try, ":ui") {
		t.Errorf("%v", err)
	}
	if _, err := Parse(File, []byte("standards: {x: {areas: [a]}}")); err == nil || !strings.Contains(err.Error(), "give its files") {
		t.Errorf("%v", err)
	}
}

// TestParser: requests are read by one program or model, configured directly or as the name of an
// existing reviewer.
func TestParser(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"parser: {agent: agent}\nagent: {command: claude -p}\n":                           "agent [claude -p]  ",
		"parser: {agent: local}\nreviewers: {local: {endpoint: http://x/v1, model: m}}\n": "local [] http://x/v1 m",
		"parser: {command: [p, -q]}\n":                                                    "parser [p -q]  ",
		"parser: {endpoint: http://y/v1, model: n, key_env: K, timeout: 3s}\n":            "parser [] http://y/v1 n",
		"{}\n":                    "no",
		"parser: {timeout: 3s}\n": "no",
	} {
		a, ok := parse(t, text).RequestReader()
		got := fmt.Sprintln(a.Name, a.Command, a.Endpoint, a.Model)
		if !ok {
			got = "no\n"
		}
		if got != want+"\n" || ok && a.Timeout == 0 {
			t.Errorf("%q: %q", text, got)
		}
	}
	for text, want := range map[string]string{
		"parser: {agent: agent}":                             "it needs agent.command",
		"parser: {agent: nobody}":                            "neither agent nor one of reviewers",
		"parser: {agent: agent, command: x}":                 "remove the others",
		"parser: {command: x, endpoint: http://z, model: m}": "remove one",
		"parser: {endpoint: http://z}":                       "it needs parser.model",
		"parser: {model: m}":                                 "it belongs to parser.endpoint",
	} {
		if _, err := Parse(File, []byte(text+"\n")); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestPrices: an unset price is no price, 0 is one, and an incomplete price is an error.
func TestPrices(t *testing.T) {
	t.Parallel()
	c, err := Parse("", []byte("limits:\n  tokens: 5000\nprices:\n  sonnet:\n    models: [\"claude-sonnet-*\", \"*/sonnet*\"]\n    input: 3\n    output: 15\n    cache_read: 0\n  own:\n    input: 0\n    output: 0.5\n"))
	if err != nil {
		t.Fatal(err)
	}
	want := []belay.Price{
		{Name: "sonnet", Models: []string{"claude-sonnet-*", "*/sonnet*"}, Input: 3, Output: 15, CacheWrite: belay.NoPrice},
		{Name: "own", Output: 0.5, CacheRead: belay.NoPrice, CacheWrite: belay.NoPrice},
	}
	if d := cmp.Diff(want, c.Prices); d != "" || c.Policy().Tokens != 5000 {
		t.Errorf("%s, %d tokens", d, c.Policy().Tokens)
	}
	for name, model := range map[string]string{"sonnet": "claude-sonnet-4", "own": "own"} {
		for _, p := range c.Prices {
			if p.For(model) != (p.Name == name) {
				t.Errorf("%s for %s", p.Name, model)
			}
		}
	}
	if err := c.Override("prices.own.cache_read", "0.1"); err != nil || c.Prices[1].CacheRead != 0.1 {
		t.Error(err, c.Prices)
	}
	for _, wrong := range []string{"input: 3", "output: 3", "models: [a]", "input: -1\n    output: 1", "input: .nan\n    output: 1", "input: .inf\n    output: 1", "input: free\n    output: 1"} {
		if _, err := Parse("", []byte("prices:\n  a:\n    "+wrong+"\n")); belay.CodeOf(err) != belay.CodeUsage {
			t.Errorf("%q: %v", wrong, err)
		}
	}
}
