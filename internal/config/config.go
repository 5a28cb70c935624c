package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/fsroot"
)

// File is the config's path from the root of the repository, with slashes.
const File = ".belay/config.yaml"

// MaxSize is the maximum size of a config in bytes.
const MaxSize = 1 << 20

// Config is the effective configuration: flags, then the file's values, then the defaults. Load and
// Parse make it, Override changes it.
type Config struct {
	Version        int
	Agent          Agent
	Debugger       Debugger
	Files          []string // globs that a task may change; empty is all
	Protect        []string // globs that must not change
	Preserve       []string // globs that a rollback does not change
	Checks         Checks
	Mode           string
	Guidelines     []belay.Guideline // those in the file; AllGuidelines has all
	Reviewers      []belay.Reviewer  // in the order of the file
	PhaseReviewers []string          // reviewers of phases; empty is all, "none" none
	Linters        []belay.Linter    // in the order of the file
	Plan           string            // a plan in which each task is marked; "" for none
	Review         Review
	Secrets        Secrets
	Roles          []Role     // in the order of the file
	Standards      []Standard // in the order of the file
	Scopes         []Macro    // in the order of the file
	IgnoreLineEnds bool
	Retries        int
	Retry          belay.RetryMode
	Limits         Limits
	Prices         []belay.Price // of models, in the order of the file
	Stall          Stall
	OnFailure      []string // runs after a task failed
	Notify         Notify
	Worktree       Worktree
	Snapshot       Snapshot
	Hooks          Hooks
	Clarify        bool           // ambiguous tasks wait for a person
	Parser         belay.Reviewer // reads requests besides the grammar: "agent", a reviewer, a program or a model; or none
	Specs          []string       // globs of task files of other tools; empty is the usual places of those tools
	Worktrees      string         // the folder for tasks' own worktrees; "" is in the git folder
	Environment    Environment
	Fence          Fence
	Telemetry      Telemetry

	from  map[string]Source // of keys with a value other than the default
	block []byte            // the result of Commands for the file
}

// Agent is how to run the agent. Timeout is for one attempt; 0 is none.
type Agent struct {
	Command []string
	Timeout time.Duration
	// Accept are exit statuses besides 0 after which an attempt's work is checked.
	Accept []string
}

// Exits returns Accept as numbers. Errors: belay.CodeUsage.
func (a Agent) Exits() (codes []int, err error) {
	for _, word := range a.Accept {
		n, err := strconv.Atoi(word)
		if err != nil || n < 0 || n > 255 {
			return nil, belay.Refuse(belay.CodeUsage, "use numbers from 0 to 255, like --accept-exit 0,3",
				"agent.accept_exit: %q is not an exit status", word)
		}
		if n != 0 {
			codes = append(codes, n)
		}
	}
	return codes, nil
}

// Hooks configures belay in an agent's own session.
type Hooks struct {
	Destructive string // one of belay.Destructive…
	Check       bool
	Retries     int
	Timeout     time.Duration
	Watch       bool // start a watch in a large repository
}

// Debugger is the command that looks for a root cause at a gate.
type Debugger struct{ Command []string }

// Checks configures how work is checked. Timeout is for all checks together; 0 leaves it to the
// command. Tests.From is "config" or "flag" if a command is set.
type Checks struct {
	Tests          belay.TestCommand
	Baseline       bool     // run the tests on the before snapshot
	LintAll        bool     // report findings of linters also in unchanged lines
	Reuse          []string // folders that temporary checkouts link to
	Skip           []string
	MaxDiff        int
	Timeout        time.Duration
	CoverageRules  []string // "SOURCES -> TESTS"
	CoverageRefuse bool
	IntegrityAllow []string // globs

	IntegrityExpected string // severity of a changed expected value in a test
}

// Review configures how reviews are stored, and how concurrent reviews in one working tree are
// separated: one at a time, unless Variable is set, which is then set to Value for each of them,
// with {agent} and {task} filled in.
type Review struct {
	Cycles   bool          // write the reviewers' answers as review cycles
	Stale    time.Duration // age at which a claim of another machine expires; 0: never
	Variable string
	Value    string
}

// Secrets excludes false positives: by glob, by fingerprint, and examples in documentation.
type Secrets struct {
	Allow    []string
	Examples bool
}

// RequestReader returns the program or model that reads requests, in the form of a reviewer; ok is
// false if there is none.
func (c Config) RequestReader() (a belay.Reviewer, ok bool) {
	a = c.Parser
	if a.Name == "agent" {
		a.Command = c.Agent.Command
	}
	for _, r := range c.Reviewers {
		if r.Name == a.Name && a.Name != "agent" {
			a = r
		}
	}
	if a.Timeout = c.Parser.Timeout; a.Name == "" {
		a.Name = "parser"
	}
	return a, len(a.Command) > 0 || a.Endpoint != ""
}

// Limits stop a loop and ask a person; 0 is no limit. Cost is in US dollars.
type Limits struct {
	Attempts       int
	WallTime       time.Duration
	Cost           float64
	Tokens         int
	FeatureRetries int
}

// Stall is the number of repetitions that make a stall, and of recoveries from stalls.
type Stall struct{ Repeats, Recoveries int }

// Notify configures how a person is notified of a task that waits for a decision.
type Notify struct {
	Command       []string // a program to run
	Desktop, Bell bool
	Webhook       Webhook
	Quiet         string // hours without notifications, in the format of notify.ParseQuiet; "" for none
}

// Webhook is an address that gets a signed message.
type Webhook struct {
	URL        string
	SecretFile string // outside the repository; "" for the environment variable notify.SecretEnv
	Link       string // the link for people in the message: an address with {repository}, {task} and {gate}
}

// Worktree configures how a task's own worktree is set up.
type Worktree struct {
	SetUp []string // a program to run in a new one, before the agent
}

// Snapshot configures what is captured in addition to tracked and untracked files, and limits in
// bytes.
type Snapshot struct {
	Include     []string // globs of ignored paths
	MaxFile     int64    // larger files are listed but not captured
	MaxTaskFile int64    // MaxFile for the snapshots of tasks, if larger
	Cap         int64    // size of all snapshots from which belay warns; 0 never warns

	OnCompletion string        // what happens to a task's snapshots when it ends: one of Completions
	ArchiveFor   time.Duration // how long archived snapshots stay
}

// What happens to the snapshots of a task that has ended, unless a rollback or an undo needs them.
const (
	CompletionArchive = "archive" // they stay for Snapshot.ArchiveFor
	CompletionPrune   = "prune"   // they are deleted at once
	CompletionKeep    = "keep"    // they stay until a person prunes them
)

// Completions are the values of snapshot.on_completion.
var Completions = []string{CompletionArchive, CompletionPrune, CompletionKeep}

// Fence configures what agents may write, read and connect to.
type Fence struct {
	Enabled string   // auto, on or off
	Allow   []string // additional paths that may be written, or sockets that may be used
	Read    string   // allow, or deny for the folders with keys and passwords
	Network []string // TCP ports; empty is all, "none" none
}

// Values of fence.enabled and fence.read.
const (
	FenceAuto = "auto" // use a fence if the system supports it
	FenceOn   = "on"   // fail without a fence
	FenceOff  = "off"
	ReadAllow = "allow"
	ReadDeny  = "deny"
)

// Ports returns Network as numbers. alone means that no port is allowed. Errors: belay.CodeUsage.
func (f Fence) Ports() (ports []uint16, alone bool, err error) {
	for _, word := range f.Network {
		n, err := strconv.ParseUint(word, 10, 16)
		switch {
		case word == "none" && len(f.Network) == 1:
			return nil, true, nil
		case err != nil:
			return nil, false, belay.Refuse(belay.CodeUsage, "use port numbers, like ['443'], or [none]",
				"fence.network: %q is not a TCP port", word)
		}
		ports = append(ports, uint16(n))
	}
	return ports, false, nil
}

// Telemetry configures where traces, metrics and logs of tasks are sent. A repository's values only
// count if they are trusted.
type Telemetry struct {
	Endpoint string   // of an OpenTelemetry Collector; "" sends nothing
	Headers  []string // NAME=VALUE
	Content  bool     // also send messages, and arguments and results of tools
}

// Environment is the user's variables that are passed to commands.
type Environment struct{ Pass []string }

// Source is the origin of a value: Default, Flag, or the place in the file as "path:line".
type Source string

// Sources other than a place in a file.
const (
	Default Source = "default"
	Flag    Source = "flag"
)

// Setting is one key and its effective value, in the form of the file or a flag; "" is not set.
type Setting struct {
	Key    string `json:"key"`
	Value  string `json:"value"`
	Source Source `json:"source"`
}

// Load reads root/.belay/config.yaml. Without the file it returns the defaults. Errors: those of
// Parse, and belay.CodeCannot if the file cannot be read.
func Load(root string) (Config, error) {
	path := filepath.Join(root, filepath.FromSlash(File))
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		if _, err := os.Lstat(filepath.Join(root, ".belay", "config.yml")); err == nil {
			return Config{}, belay.Refuse(belay.CodeUsage, "rename it to "+File, ".belay/config.yml is not read")
		}
		return Parse(File, nil)
	}
	if err != nil {
		return Config{}, unreadable(err)
	}
	if !info.Mode().IsRegular() { // a FIFO would block
		return Config{}, belay.Refuse(belay.CodeCannot, "put a file there", "%s is not a regular file", File)
	}
	f, err := fsroot.OpenUserFile(path) // safe even if the file was replaced meanwhile
	if err != nil {
		return Config{}, unreadable(err)
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, MaxSize+1))
	if err != nil {
		return Config{}, unreadable(err)
	}
	return Parse(File, data)
}

func unreadable(err error) error {
	return &belay.Error{Code: belay.CodeCannot, What: "cannot read " + File, Try: "check its permissions", Err: err}
}

// Policy returns the limits of the loop.
func (c Config) Policy() belay.Policy {
	p := belay.DefaultPolicy()
	p.Retries, p.Retry = c.Retries, c.Retry
	p.Reviews = belay.Modes[c.Mode]
	p.ReviewRetries = c.source("retries") == Default // an explicit number of retries includes those after reviews
	p.Stalls = c.Stall.Recoveries
	p.MaxAttempts, p.WallTime, p.Cost, p.Tokens = c.Limits.Attempts, c.Limits.WallTime, c.Limits.Cost, int64(c.Limits.Tokens)
	return p
}

// Settings returns every key, in the order of the documentation.
func (c Config) Settings() []Setting {
	all := make([]Setting, 0, len(keys))
	for _, k := range c.all() {
		all = append(all, Setting{Key: k.name, Value: k.show(c), Source: c.source(k.name)})
	}
	return all
}

// Explained is a key with its description. For a group of named things, as in
// reviewers.NAME.command, Value and Source are empty.
type Explained struct {
	Key     string `json:"key"`
	Meaning string `json:"meaning"`
	Takes   string `json:"takes"`
	Default string `json:"default,omitempty"`
	Value   string `json:"value,omitempty"`
	Source  Source `json:"source,omitempty"`
}

// Explain returns the key called name, or the keys below it, in the order of the documentation; all
// of them for "". Errors (belay.CodeUsage): there is none.
func (c Config) Explain(name string) (list []Explained, err error) {
	wanted := pattern(strings.ReplaceAll(name, ".NAME", "."+anyName))
	for _, k := range keys {
		if wanted != "" && k.name != wanted && !strings.HasPrefix(k.name, wanted+".") {
			continue
		}
		e := Explained{Key: strings.ReplaceAll(k.name, anyName, "NAME"), Meaning: k.doc, Takes: k.rule().Says(), Default: k.def}
		if !k.wild() {
			e.Value, e.Source = k.show(c), c.source(k.name)
		}
		list = append(list, e)
	}
	if len(list) == 0 {
		return nil, noKey(name)
	}
	return list, nil
}

// KeyNames returns the keys and groups of keys that Explain accepts.
func KeyNames() (list []string) {
	for name := range groups {
		list = append(list, strings.ReplaceAll(name, anyName, "NAME"))
	}
	for _, k := range keys {
		list = append(list, strings.ReplaceAll(k.name, anyName, "NAME"))
	}
	slices.Sort(list)
	return list
}

// Choices returns the possible values of the key, or of its items; none if any value is possible.
func Choices(name string) []string {
	k, _ := findKey(name)
	return k.choices
}

func noKey(name string) error {
	err := belay.Refuse(belay.CodeUsage, "belay config explain lists the keys", "there is no key %q", Cut(name))
	if near := nearest(name, ""); near != "" {
		err.Try = "did you mean " + near
	}
	return err
}

func (c Config) source(name string) Source {
	if s, ok := c.from[name]; ok {
		return s
	}
	return Default
}

// Override sets key to a flag's value. The value is written as in the file; a list is separated by
// commas (not those within braces) or a JSON array, and "" makes it empty. Setting a test command
// resets the file's format and report, which belong to another command. Errors (belay.CodeUsage):
// no such key, or no such value.
func (c *Config) Override(name, value string) error {
	k, ok := findKey(name)
	if !ok {
		return noKey(name)
	}
	v, err := k.rule().FromText(value)
	if err != nil {
		return belay.Refuse(belay.CodeUsage, "give "+k.rule().Says(), "%s cannot be %q: %v", name, Cut(value), err)
	}
	c.put(k, v, Flag)
	if name == testsCommand {
		c.Checks.Tests.From = string(Flag)
		for _, other := range []string{testsFormat, testsReport} {
			if k, _ := findKey(other); c.source(other) != Flag {
				c.put(k, "", Default)
			}
		}
	}
	return nil
}

// put sets a value and its source, without changing copies of c.
func (c *Config) put(k key, v any, s Source) {
	k.set(c, v)
	if c.from = maps.Clone(c.from); c.from == nil {
		c.from = map[string]Source{}
	}
	c.from[k.name] = s
}

// defaults returns the config without a file.
func defaults() Config {
	var c Config
	for _, k := range keys {
		if k.def == "" || k.wild() {
			continue
		}
		v, err := k.rule().FromText(k.def)
		if err != nil {
			panic(fmt.Sprintf("the default of %s: %v", k.name, err)) // an error in the table, which a test reads completely
		}
		k.set(&c, v)
	}
	return c
}
