package belay

import (
	"strings"
	"time"
)

// Scope is what a task may change. Globs are doublestar patterns against slash-separated paths from
// the repository's root; a pattern that ends in a slash or names a folder also covers everything
// below it.
type Scope struct {
	Files   []string `json:"files,omitempty"`   // allowed to change; empty allows all
	Protect []string `json:"protect,omitempty"` // must not change, even if in Files
	Expect  []string `json:"expect,omitempty"`  // must be among the changed files
}

// TestCommand is how to test a project.
type TestCommand struct {
	Command string   `json:"command,omitempty"` // a shell line; if empty, Args is run
	Args    []string `json:"args,omitempty"`    // an argument vector, used if Command is empty
	Format  string   `json:"format,omitempty"`  // gotest, junit, tap … (docs/reports.md); empty is exit
	Report  string   `json:"report,omitempty"`  // for XML formats: a glob of the report files that the command writes
	From    string   `json:"from,omitempty"`    // source of the command: flag, config, detected
	Why     string   `json:"why,omitempty"`     // why it was detected
	// KnownFailures accepts the same failure after the task of a command that failed before it
	// without naming a test.
	KnownFailures bool `json:"known_failures,omitempty"`
}

// Set reports whether there is a command at all.
func (t TestCommand) Set() bool { return t.Command != "" || len(t.Args) > 0 }

// String returns the command as a person would type it.
func (t TestCommand) String() string {
	if t.Command != "" {
		return t.Command
	}
	return strings.Join(t.Args, " ")
}

// Linter is a program that reports on the source: how to run it, and how to parse its output
// (docs/reports.md; without a Format it is detected by the content). Report is the file it writes;
// without one, its output is parsed.
type Linter struct {
	Name string `json:"name"`
	TestCommand
}

// Checks configures how an attempt is checked. It is frozen into the task when the task starts, so
// that an agent cannot change these rules.
type Checks struct {
	Tests   TestCommand   `json:"tests,omitzero"`
	Linters []Linter      `json:"linters,omitempty"`
	LintAll bool          `json:"lint_all,omitempty"`   // report findings of linters also in unchanged lines
	Reuse   []string      `json:"reuse,omitempty"`      // folders that temporary checkouts link to
	Skip    []string      `json:"skip,omitempty"`       // names of skipped checks
	MaxDiff int           `json:"max_diff,omitempty"`   // changed lines above which there is a warning
	Timeout time.Duration `json:"timeout_ns,omitempty"` // for all checks together

	SecretsAllow   []string `json:"secrets_allow,omitempty"`   // globs of files, and fingerprints of findings, that are not secrets
	SecretExamples bool     `json:"secret_examples,omitempty"` // example keys of documentation are secrets, too
	IntegrityAllow []string `json:"integrity_allow,omitempty"` // globs of files in which tests may be weakened
	// IntegrityExpected is the severity of a changed expected value in a test; "" is a warning.
	IntegrityExpected Severity `json:"integrity_expected,omitempty"`
	CoverageRules     []string `json:"coverage_rules,omitempty"` // where test files are: "SOURCES -> TESTS"
	CoverageError     bool     `json:"coverage_error,omitempty"` // a missing test file rejects
}

// Reviewer reviews work after the checks: a command, a model behind an OpenAI-compatible endpoint,
// or a person. KeyEnv names the environment variable with the key.
type Reviewer struct {
	Name      string        `json:"name"`
	Kind      string        `json:"kind,omitempty"` // program, model or Person; "" is derived from the other fields
	Role      string        `json:"role,omitempty"` // what to review: spec, quality, security or any text
	Command   []string      `json:"command,omitempty"`
	Endpoint  string        `json:"endpoint,omitempty"`
	Model     string        `json:"model,omitempty"`
	KeyEnv    string        `json:"key_env,omitempty"`
	Timeout   time.Duration `json:"timeout_ns,omitempty"`
	Threshold int           `json:"threshold"` // minimum score of a pass, 0 to 100
}

// Person is the kind of a reviewer who answers at a gate.
const Person = "person"

// Human reports whether the reviewer is a person.
func (r Reviewer) Human() bool { return r.Kind == Person }

// Task is what an agent is asked to do, with everything needed to check the result.
type Task struct {
	ID         TaskID        `json:"id"`
	Title      string        `json:"title"`             // the first line of Prose, cut
	Prose      string        `json:"prose"`             // the person's text, verbatim
	Request    Request       `json:"request,omitzero"`  // what it was parsed to when the task was recorded
	Ask        string        `json:"ask,omitempty"`     // the part of the prose that the request was parsed from; "" is all of it
	Answer     string        `json:"answer,omitempty"`  // a person's explanation of an ambiguity; it is also the end of Prose
	Clarify    bool          `json:"clarify,omitempty"` // ambiguous tasks wait for a person
	Reading    *Reading      `json:"reading,omitempty"` // which reading the request is, if a model was asked
	Feature    string        `json:"feature,omitempty"` // the feature it belongs to
	Role       string        `json:"role,omitempty"`    // the name of the agent, for the record
	Agent      []string      `json:"agent,omitempty"`   // the agent's command
	Debugger   []string      `json:"debugger,omitempty"`
	Timeout    time.Duration `json:"timeout_ns,omitempty"` // for one attempt; 0 is none
	Scope      Scope         `json:"scope"`
	Reviewers  []Reviewer    `json:"reviewers,omitempty"`  // review work that passed the checks
	Guidelines []Guideline   `json:"guidelines,omitempty"` // project rules for those who work on it
	Preserve   []string      `json:"preserve,omitempty"`   // globs that a rollback does not change
	Checks     Checks        `json:"checks"`
	Policy     Policy        `json:"policy"`

	Repeats   int      `json:"stall_repeats,omitempty"` // equal tool calls in a row that are a stall; 0 disables this
	OnFailure []string `json:"on_failure,omitempty"`    // runs when the task fails

	Secrets  []string `json:"forced_secrets,omitempty"` // fingerprints of secrets in the text that a person allowed to be sent
	Worktree string   `json:"worktree,omitempty"`       // the root of its own worktree; "" is the user's tree
	After    []TaskID `json:"after,omitempty"`          // tasks that must be accepted first
	Roles    []string `json:"roles,omitempty"`          // the roles of its pipeline, in order

	Origin     *Origin  `json:"origin,omitempty"`     // the file of another tool that it was imported from
	Acceptance []string `json:"acceptance,omitempty"` // acceptance criteria in that file
	Exclude    []string `json:"exclude,omitempty"`    // exclusions in that file
	Priority   string   `json:"priority,omitempty"`
	Area       string   `json:"area,omitempty"`
	QA         []string `json:"qa,omitempty"`        // commands in that file that verify it; never run unasked
	Standards  []string `json:"standards,omitempty"` // documents with rules that it names

	Session *OwnSession `json:"session,omitempty"` // set for an agent's own session, which belay observes through hooks
}

// OwnSession is an agent's session that a person started without belay. Its rules are those of the
// config when it began.
type OwnSession struct {
	Agent       string        `json:"agent"`
	ID          string        `json:"id"`
	Root        string        `json:"root"`               // of the working tree
	Destructive string        `json:"destructive"`        // what happens to destructive commands: deny, snapshot or allow
	Check       bool          `json:"check,omitempty"`    // check its work when the agent has finished
	Limit       time.Duration `json:"limit_ns,omitempty"` // for those checks together
	Ignored     bool          `json:"ignored,omitempty"`  // its snapshots include ignored files that people write
}

// Words returns the text that the task's request was parsed from.
func (t Task) Words() string {
	if t.Ask != "" {
		return t.Ask + "\n\n" + t.Answer
	}
	return t.Prose
}

// List returns the file of the tree that lists the task, "" if none does.
func (t Task) List() string {
	if t.Origin == nil || t.Origin.Outside {
		return ""
	}
	return t.Origin.File
}

// MaxProse is the maximum number of bytes of a task's text.
const MaxProse = 1 << 20

// TitleOf makes a title from prose: its first line that is not blank, cut to whole words of at most
// 72 characters.
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
