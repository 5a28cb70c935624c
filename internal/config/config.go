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

// MaxSize is how many bytes a config may have.
const MaxSize = 1 << 20

// Config is what is in force: the file's values, flags over them, defaults below them.
// It is made by Load or Parse and changed by Override.
type Config struct {
	Version        int
	Agent          Agent
	Debugger       Debugger
	Files          []string // globs a task may change; empty is all
	Protect        []string // globs that must not change
	Preserve       []string // globs a rollback leaves alone
	Checks         Checks
	Mode           string
	Guidelines     []belay.Guideline // those of the file; Config.Guidelines has all
	Reviewers      []belay.Reviewer  // in the order of the file
	PhaseReviewers []string          // who of them looks at phases; empty is all, "none" nobody
	Linters        []belay.Linter    // likewise
	Plan           string            // a plan that is marked for each task; "" for none
	Review         Review
	Secrets        Secrets
	Roles          []Role     // in the order of the file
	Standards      []Standard // likewise
	Scopes         []Macro    // likewise
	IgnoreLineEnds bool
	Retries        int
	Retry          belay.RetryMode
	Limits         Limits
	Prices         []belay.Price // of models, in the order of the file
	Stall          Stall
	OnFailure      []string // runs when a task failed
	Notify         Notify
	Worktree       Worktree
	Snapshot       Snapshot
	Hooks          Hooks
	Clarify        bool           // words that can be read in two ways wait for a person
	Parser         belay.Reviewer // who reads requests besides the grammar: "agent", or a reviewer, by name; a program or model; or nobody
	Specs          []string       // globs of task files of other tools; empty is where those tools put them
	Worktrees      string         // where tasks' own working trees are made; "" is in the git folder
	Environment    Environment
	Fence          Fence
	Telemetry      Telemetry

	from  map[string]Source // of the keys that are not at their default
	block []byte            // what Commands gives, as the file has it
}

// Agent is how the agent is run. Timeout is of one attempt; 0 is none.
type Agent struct {
	Command []string
	Timeout time.Duration
	// Accept are exit statuses besides 0 after which an attempt's work is judged.
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

// Hooks is what belay does in an agent's own session.
type Hooks struct {
	Destructive string // one of belay.Destructive…
	Check       bool
	Retries     int
	Timeout     time.Duration
	Watch       bool // start a watch in a large repository
}

// Debugger is the command that looks for a root cause at a gate.
type Debugger struct{ Command []string }

// Checks is how work is judged. Timeout is for all checks together; 0 leaves the choice
// to the command. Tests.From is "config" or "flag" when a command is set.
type Checks struct {
	Tests          belay.TestCommand
	Baseline       bool     // run the tests on the before state
	LintAll        bool     // what linters say of lines that did not change counts
	Reuse          []string // folders that temporary checkouts link to
	Skip           []string
	MaxDiff        int
	Timeout        time.Duration
	CoverageRules  []string // "SOURCES -> TESTS"
	CoverageRefuse bool
	IntegrityAllow []string // globs

	IntegrityExpected string // how much a changed expected value of a test counts: a severity
}

// Review is how reviews are kept, and how those in one working tree are kept apart: one at a time, unless Variable
// is set, which then is Value for each of them, with {agent} and {task} filled in.
type Review struct {
	Cycles   bool          // what reviewers answer is written as review cycles
	Stale    time.Duration // 0: what another machine holds is held forever
	Variable string
	Value    string
}

// Secrets is what is none: globs and fingerprints of findings, and whether examples of
// documentation are.
type Secrets struct {
	Allow    []string
	Examples bool
}

// RequestReader returns the program or model that reads requests, as a reviewer would be asked; ok
// is false when there is none.
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

// Limits stop a loop and ask a person; 0 is not a limit. Cost is in US dollars.
type Limits struct {
	Attempts       int
	WallTime       time.Duration
	Cost           float64
	Tokens         int
	FeatureRetries int
}

// Stall is when an agent goes round in circles, and how often it may be told so.
type Stall struct{ Repeats, Recoveries int }

// Notify is how a person is told that a task waits for a decision.
type Notify struct {
	Command       []string // a program that runs then
	Desktop, Bell bool
	Webhook       Webhook
	Quiet         string // hours without notifications, as notify.ParseQuiet reads them; "" for none
}

// Webhook is an address that gets a signed message then.
type Webhook struct {
	URL        string
	SecretFile string // outside of the repository; "" for the environment variable notify.SecretEnv
	Link       string // for people, in the message: an address with {repository}, {task} and {gate}
}

// Worktree is how a task's own working tree is set up.
type Worktree struct {
	SetUp []string // a program that runs in a new one, before the agent
}

// Snapshot is what is captured beyond tracked and untracked files, and how much, in bytes.
type Snapshot struct {
	Include     []string // globs of ignored paths
	MaxFile     int64    // larger files are not captured, but listed
	MaxTaskFile int64    // likewise, in the snapshots of tasks, where it is more
	Cap         int64    // snapshots together before a warning; 0 never warns

	OnCompletion string        // what becomes of a task's snapshots when it ends: one of Completions
	ArchiveFor   time.Duration // how long archived ones stay
}

// What becomes of the snapshots of a task that has ended, and that neither a rollback nor an
// undo needs.
const (
	CompletionArchive = "archive" // they stay for Snapshot.ArchiveFor
	CompletionPrune   = "prune"   // they are forgotten at once
	CompletionKeep    = "keep"    // they stay until a person prunes
)

// Completions are the values of snapshot.on_completion.
var Completions = []string{CompletionArchive, CompletionPrune, CompletionKeep}

// Fence is what agents may write, read and connect to.
type Fence struct {
	Enabled string   // auto, on or off
	Allow   []string // more paths that may be written, or sockets that may be used
	Read    string   // allow, or deny for the folders with keys and passwords
	Network []string // TCP ports; empty is all, "none" none
}

// Values of fence.enabled and fence.read.
const (
	FenceAuto = "auto" // where the system can
	FenceOn   = "on"   // or nothing is started
	FenceOff  = "off"
	ReadAllow = "allow"
	ReadDeny  = "deny"
)

// Ports gives Network as numbers. alone says that no port is left. Errors: belay.CodeUsage.
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

// Telemetry is where traces, metrics and logs of tasks are sent. A repository's values count only where they are trusted.
type Telemetry struct {
	Endpoint string   // of an OpenTelemetry Collector; "" sends nothing
	Headers  []string // NAME=VALUE
	Content  bool     // messages, and arguments and results of tools, are sent as well
}

// Environment is which of the user's variables the commands get.
type Environment struct{ Pass []string }

// Source says where a value comes from: Default, Flag, or the place in the file as
// "path:line".
type Source string

// The sources that are no place in a file.
const (
	Default Source = "default"
	Flag    Source = "flag"
)

// Setting is one key and the value in force, written as the file or a flag would have
// it; "" is not set.
type Setting struct {
	Key    string `json:"key"`
	Value  string `json:"value"`
	Source Source `json:"source"`
}

// Load reads root/.belay/config.yaml. Without the file it gives the defaults. Errors:
// those of Parse, and belay.CodeCannot when the file cannot be read.
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
	if !info.Mode().IsRegular() { // a fifo would block
		return Config{}, belay.Refuse(belay.CodeCannot, "put a file there", "%s is not a regular file", File)
	}
	f, err := fsroot.OpenUserFile(path) // what is there may have changed since
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

// Policy is the loop's limits as the config has them.
func (c Config) Policy() belay.Policy {
	p := belay.DefaultPolicy()
	p.Retries, p.Retry = c.Retries, c.Retry
	p.Reviews = belay.Modes[c.Mode]
	p.ReviewRetries = c.source("retries") == Default // a number that somebody gave is all the retries
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

// Explained is a key with what it is for. Of one of several named things, as in reviewers.NAME.command, Value and
// Source are empty.
type Explained struct {
	Key     string `json:"key"`
	Meaning string `json:"meaning"`
	Takes   string `json:"takes"`
	Default string `json:"default,omitempty"`
	Value   string `json:"value,omitempty"`
	Source  Source `json:"source,omitempty"`
}

// Explain returns the keys called name, or below it, in the order of the documentation; all of them for "". Errors
// (belay.CodeUsage): there is none.
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

// KeyNames returns the keys and the groups of keys, as Explain takes them.
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

// Choices returns the values that the key takes, or its items; none where that is open.
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

// Override sets key to a flag's value. The value is written as in the file; a list is
// separated by commas (not those within braces) or a JSON array, and empties by "". A
// test command given this way leaves the file's format and report behind, which were
// said of another command. Errors (belay.CodeUsage): no such key, or no such value.
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

// put sets a value and notes where it comes from, without a change to any copy of c.
func (c *Config) put(k key, v any, s Source) {
	k.set(c, v)
	if c.from = maps.Clone(c.from); c.from == nil {
		c.from = map[string]Source{}
	}
	c.from[k.name] = s
}

// defaults is the config without a file.
func defaults() Config {
	var c Config
	for _, k := range keys {
		if k.def == "" || k.wild() {
			continue
		}
		v, err := k.rule().FromText(k.def)
		if err != nil {
			panic(fmt.Sprintf("the default of %s: %v", k.name, err)) // the table is wrong; a test reads it all
		}
		k.set(&c, v)
	}
	return c
}
