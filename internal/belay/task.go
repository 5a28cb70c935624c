package belay

import (
	"strings"
	"time"
)

// Scope is what a task may change. Globs are doublestar patterns against
// slash-separated paths from the repository's root; a pattern that ends in a slash
// or names a folder covers everything below it.
type Scope struct {
	Files   []string `json:"files,omitempty"`   // allowed to change; empty allows all
	Protect []string `json:"protect,omitempty"` // must not change, whatever Files says
	Expect  []string `json:"expect,omitempty"`  // must be among the changed files
}

// TestCommand is how a project is tested.
type TestCommand struct {
	Command string   `json:"command,omitempty"` // a shell line; empty runs Args as they are
	Args    []string `json:"args,omitempty"`    // an argument vector, used when Command is empty
	Format  string   `json:"format,omitempty"`  // gotest, junit, tap … (docs/reports.md); empty is exit
	Report  string   `json:"report,omitempty"`  // for XML formats: a glob of report files the command writes
	From    string   `json:"from,omitempty"`    // where the command comes from: flag, config, detected
	Why     string   `json:"why,omitempty"`     // what it was detected by
	// KnownFailures lets a command that failed before the task, and names no test, fail in
	// the same way after it.
	KnownFailures bool `json:"known_failures,omitempty"`
}

// Set reports whether there is a command at all.
func (t TestCommand) Set() bool { return t.Command != "" || len(t.Args) > 0 }

// String shows the command as a person would type it.
func (t TestCommand) String() string {
	if t.Command != "" {
		return t.Command
	}
	return strings.Join(t.Args, " ")
}

// Linter is a program that remarks on the source: how it is run, and how what it says is
// read (docs/reports.md; an empty Format is told by the content). Report is the file it
// writes; without one, what it prints is read.
type Linter struct {
	Name string `json:"name"`
	TestCommand
}

// Checks is what an attempt is judged by. It is frozen into the task when the task
// starts, so that an agent cannot change the rules it is judged by.
type Checks struct {
	Tests   TestCommand   `json:"tests,omitzero"`
	Linters []Linter      `json:"linters,omitempty"`
	LintAll bool          `json:"lint_all,omitempty"`   // what linters say of lines that did not change counts, too
	Reuse   []string      `json:"reuse,omitempty"`      // folders that throwaway checkouts link to
	Skip    []string      `json:"skip,omitempty"`       // names of checks that are not run
	MaxDiff int           `json:"max_diff,omitempty"`   // changed lines before a warning
	Timeout time.Duration `json:"timeout_ns,omitempty"` // for all checks together

	SecretsAllow   []string `json:"secrets_allow,omitempty"`   // globs of files, and fingerprints of findings, that are no secrets
	SecretExamples bool     `json:"secret_examples,omitempty"` // keys printed in documentation are secrets too
	IntegrityAllow []string `json:"integrity_allow,omitempty"` // globs of files whose tests may be weakened
	// IntegrityExpected is how much a changed expected value of a test counts; "" is a warning.
	IntegrityExpected Severity `json:"integrity_expected,omitempty"`
	CoverageRules     []string `json:"coverage_rules,omitempty"` // where test files are: "SOURCES -> TESTS"
	CoverageError     bool     `json:"coverage_error,omitempty"` // a missing test file refuses
}

// Reviewer is one that looks at work after the checks: a command, a model behind an
// OpenAI-compatible endpoint, or a person. KeyEnv names the environment variable with the key.
type Reviewer struct {
	Name      string        `json:"name"`
	Kind      string        `json:"kind,omitempty"` // program, model or Person; "" is told by the other fields
	Role      string        `json:"role,omitempty"` // spec, quality, security or any words: what to look at
	Command   []string      `json:"command,omitempty"`
	Endpoint  string        `json:"endpoint,omitempty"`
	Model     string        `json:"model,omitempty"`
	KeyEnv    string        `json:"key_env,omitempty"`
	Timeout   time.Duration `json:"timeout_ns,omitempty"`
	Threshold int           `json:"threshold"` // the least score of a pass, 0 to 100
}

// Person is the kind of a reviewer who is waited for at a gate.
const Person = "person"

// Human reports whether the reviewer is a person.
func (r Reviewer) Human() bool { return r.Kind == Person }

// Task is what an agent is asked to do, with everything needed to judge it.
type Task struct {
	ID         TaskID        `json:"id"`
	Title      string        `json:"title"`             // the first line of Prose, cut
	Prose      string        `json:"prose"`             // the person's words, verbatim
	Request    Request       `json:"request,omitzero"`  // what was read from them when the task was recorded
	Ask        string        `json:"ask,omitempty"`     // of the prose, what the request was read from; "" is all of it
	Answer     string        `json:"answer,omitempty"`  // a person's answer to what was in doubt; it stands at the end of Prose
	Clarify    bool          `json:"clarify,omitempty"` // words that can be read in two ways wait for a person
	Reading    *Reading      `json:"reading,omitempty"` // whose reading the request is, when a model was asked
	Feature    string        `json:"feature,omitempty"` // the feature it belongs to
	Role       string        `json:"role,omitempty"`    // the name of the agent, for the record
	Agent      []string      `json:"agent,omitempty"`   // the agent's command
	Debugger   []string      `json:"debugger,omitempty"`
	Timeout    time.Duration `json:"timeout_ns,omitempty"` // of one attempt; 0 is none
	Scope      Scope         `json:"scope"`
	Reviewers  []Reviewer    `json:"reviewers,omitempty"`  // they look at what passed the checks
	Guidelines []Guideline   `json:"guidelines,omitempty"` // house rules for those who work on it
	Preserve   []string      `json:"preserve,omitempty"`   // globs that a rollback leaves alone
	Checks     Checks        `json:"checks"`
	Policy     Policy        `json:"policy"`

	Repeats   int      `json:"stall_repeats,omitempty"` // equal tool calls in a row that are a stall; 0 watches for none
	OnFailure []string `json:"on_failure,omitempty"`    // runs when the task fails

	Secrets  []string `json:"forced_secrets,omitempty"` // fingerprints of what a person let go out in the words
	Worktree string   `json:"worktree,omitempty"`       // the root of its own working tree; "" is the user's
	After    []TaskID `json:"after,omitempty"`          // tasks that have to be accepted first
	Roles    []string `json:"roles,omitempty"`          // it is handed from one to the next, in this order

	Origin     *Origin  `json:"origin,omitempty"`     // the file of another tool that it comes from
	Acceptance []string `json:"acceptance,omitempty"` // what has to hold at the end, as that file says
	Exclude    []string `json:"exclude,omitempty"`    // what is not to be done, as that file says
	Priority   string   `json:"priority,omitempty"`
	Area       string   `json:"area,omitempty"`
	QA         []string `json:"qa,omitempty"`        // commands that the file says judge it; never run unasked
	Standards  []string `json:"standards,omitempty"` // documents it names as rules

	Session *OwnSession `json:"session,omitempty"` // it is an agent's own session, which belay sees through hooks
}

// OwnSession is an agent's session that a person works in, outside of belay. Its rules are those of the config when it began.
type OwnSession struct {
	Agent       string        `json:"agent"`
	ID          string        `json:"id"`
	Root        string        `json:"root"`               // of the working tree
	Destructive string        `json:"destructive"`        // what becomes of destructive commands: deny, snapshot or allow
	Check       bool          `json:"check,omitempty"`    // its work is checked when the agent is done
	Limit       time.Duration `json:"limit_ns,omitempty"` // of those checks together
	Ignored     bool          `json:"ignored,omitempty"`  // its snapshots have ignored files that people write
}

// Words returns what the task's request was read from.
func (t Task) Words() string {
	if t.Ask != "" {
		return t.Ask + "\n\n" + t.Answer
	}
	return t.Prose
}

// List is the file of the tree that lists the task, "" when none does.
func (t Task) List() string {
	if t.Origin == nil || t.Origin.Outside {
		return ""
	}
	return t.Origin.File
}

// MaxProse is how many bytes of words a task may have.
const MaxProse = 1 << 20

// TitleOf makes a title from prose: its first line that is not blank, at most 72
// characters, whole words.
func TitleOf(prose string) string {
	for line := range strings.Lines(prose) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		if r := []rune(line); len(r) > 72 {
			return Clip(line, len(string(r[:70])))
		}
		return line
	}
	return ""
}
