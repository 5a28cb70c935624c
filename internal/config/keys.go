package config

import (
	"strings"
	"time"

	"github.com/belay-dev/belay/internal/belay"
)

// key is one leaf of the config. Parsing, the schema, the template, explanations, flags and
// suggestions are all derived from this table.
type key struct {
	name    string // dotted
	kind    Kind
	def     string   // in the form of a flag; "" is not set
	least   int      // minimum of whole numbers and sizes
	choices []string // values of a choice
	like    string   // an example of a list, unless of globs
	field   func(*Config) any
	doc     string
	runs    bool                             // names a program to run
	leads   bool                             // a folder that may be outside the repository if the user trusts that
	frees   string                           // the value that removes protection and needs the user's trust
	within  bool                             // a path or glob that must be inside the repository
	of      func(c *Config, name string) any // field of one of several named things
}

func (k key) rule() Rule { return Rule{Kind: k.kind, Least: k.least, Choices: k.choices, Like: k.like} }

const (
	testsCommand = "checks.tests.command"
	testsFormat  = "checks.tests.format"
	testsReport  = "checks.tests.report"
)

// checkNames are the checks that can be skipped: those of check.Names, as a test there verifies,
// and those of a context and a plan.
var checkNames = []string{"change", "scope", "protect", "rules", "captured", "git", "contract", "size", "secrets",
	"integrity", "placeholder", "coverage", "style", "lint", "tests", "context", "plan"}

// formats of test reports; the first ones are files, which report names.
var formats = []string{"junit", "trx", "nunit", "xunit", "gotest", "tap", "pytest", "cargo", "node", "maven", "go",
	"jest", "vitest", "mocha", "ava", "jasmine", "rspec", "minitest", "unittest", "phpunit", "dotnet", "exit"}

const fileFormats = 4

var modes = []string{"hotfix", "quick", "standard", "full"}

// severities that a finding can be given.
var severities = []string{"error", "warning", "note"}

// remarkFormats are the output formats of linters.
var remarkFormats = []string{"sarif", "checkstyle", "rdjson", "rdjsonl", "github", "text"}

var reviewerKinds = []string{"program", "model", belay.Person}

var destructive = []string{belay.DestructiveDeny, belay.DestructiveSnapshot, belay.DestructiveAllow}

var retryModes = []string{string(belay.RetryAuto), string(belay.RetryRollback), string(belay.RetryRepair)}

var keys = []key{
	{name: "version", kind: Version, def: "1", field: func(c *Config) any { return &c.Version }, doc: "version of this file's format"},
	{name: "agent.command", kind: Args, runs: true, field: func(c *Config) any { return &c.Agent.Command },
		doc: "the agent: a program and its arguments"},
	{name: "agent.timeout", kind: Duration, def: "30m", field: func(c *Config) any { return &c.Agent.Timeout },
		doc: "time limit of one attempt; 0 is none"},
	{name: "agent.accept_exit", kind: List, like: `["3", "130"]`, field: func(c *Config) any { return &c.Agent.Accept },
		doc: "exit statuses besides 0 after which an attempt's work is checked; any other means that the agent failed"},
	{name: "debugger.command", kind: Args, runs: true, field: func(c *Config) any { return &c.Debugger.Command },
		doc: "the program that looks for the root cause when a person asks for it"},
	{name: "files", kind: List, field: func(c *Config) any { return &c.Files },
		doc: "globs a task may change, unless it names its own; empty is all"},
	{name: "protect", kind: List, field: func(c *Config) any { return &c.Protect },
		doc: "globs that no task may change"},
	{name: "preserve", kind: List, field: func(c *Config) any { return &c.Preserve },
		doc: "globs that a rollback leaves unchanged"},
	{name: testsCommand, kind: Shell, runs: true, field: func(c *Config) any { return &c.Checks.Tests },
		doc: "the test command: a shell line, or a program and its arguments; detected when not set"},
	{name: testsFormat, kind: Choice, choices: formats, field: func(c *Config) any { return &c.Checks.Tests.Format },
		doc: "how its result is read: gotest (go test -json), junit and others (docs/reports.md), or exit (the exit code, when not set)"},
	{name: testsReport, kind: Text, field: func(c *Config) any { return &c.Checks.Tests.Report },
		doc: "for junit, trx, nunit and xunit: a glob of the report files it writes"},
	{name: "checks.tests.known_failures", kind: Truth, def: "false", field: func(c *Config) any { return &c.Checks.Tests.KnownFailures },
		doc: "a test command that names no tests and failed before the task may fail in the same way after it"},
	{name: "checks.baseline", kind: Truth, def: "true", field: func(c *Config) any { return &c.Checks.Baseline },
		doc: "run the tests before the agent starts, so that tests already failing do not count against it"},
	{name: "checks.reuse", kind: List, like: `["node_modules", "web/.cache"]`, within: true,
		field: func(c *Config) any { return &c.Checks.Reuse },
		doc: "files and folders that temporary checkouts link to, besides those of package managers " +
			"(node_modules, .venv, vendor)"},
	{name: "checks.skip", kind: List, choices: checkNames, field: func(c *Config) any { return &c.Checks.Skip },
		doc: "names of checks to skip"},
	{name: "checks.max_diff", kind: Whole, def: "300", least: 1, field: func(c *Config) any { return &c.Checks.MaxDiff },
		doc: "changed lines before a warning"},
	{name: "checks.timeout", kind: Duration, field: func(c *Config) any { return &c.Checks.Timeout },
		doc: "time limit of all checks together; 10m when not set"},
	{name: "checks.lint_all", kind: Truth, def: "false", field: func(c *Config) any { return &c.Checks.LintAll },
		doc: "linter remarks on unchanged lines count, too"},
	{name: "checks.coverage.rules", kind: List, like: `["lib/** -> none"]`, field: func(c *Config) any { return &c.Checks.CoverageRules },
		doc: "where tests are if no convention finds them, like src/**/*.py -> tests/**/test_{name}.py; -> none for files that need none"},
	{name: "checks.coverage.refuse", kind: Truth, def: "false", field: func(c *Config) any { return &c.Checks.CoverageRefuse },
		doc: "reject a change to a source file without a test file, instead of a warning"},
	{name: "checks.integrity.allow", kind: List, field: func(c *Config) any { return &c.Checks.IntegrityAllow },
		doc: "globs of files in which tests may be deleted, skipped or weakened"},
	{name: "checks.integrity.expected", kind: Choice, choices: severities,
		field: func(c *Config) any { return &c.Checks.IntegrityExpected },
		doc: "severity when an expected test value or a snapshot file changes together with the code and " +
			"the task does not ask for it: error, warning (when not set) or note"},
	{name: "secrets.allow", kind: List, field: func(c *Config) any { return &c.Secrets.Allow },
		doc: "globs of files that may contain secrets, and fingerprints of findings that are not secrets"},
	{name: "secrets.examples", kind: Truth, def: "false", field: func(c *Config) any { return &c.Secrets.Examples },
		doc: "treat example keys from vendors' documentation as secrets, too"},
	{name: "mode", kind: Choice, choices: modes, def: "standard", field: func(c *Config) any { return &c.Mode },
		doc: "how often reviewers may reject before a person decides: hotfix 1, quick 2, standard 3, full 5"},
	{name: "linters.*.command", kind: Shell, runs: true, of: func(c *Config, n string) any { return &c.linter(n).TestCommand },
		doc: "the linter: a shell line, or a program and its arguments; it must only report"},
	{name: "linters.*.format", kind: Choice, choices: remarkFormats, of: func(c *Config, n string) any { return &c.linter(n).Format },
		doc: "format of its output; detected from the content when not set"},
	{name: "linters.*.report", kind: Text, within: true, of: func(c *Config, n string) any { return &c.linter(n).Report },
		doc: "the file it writes; what it prints is read when not set"},
	{name: "plan.path", kind: Text, within: true, field: func(c *Config) any { return &c.Plan },
		doc: "the plan to mark for each task while it runs; when not set, a plan that already has markers of the task"},
	{name: "review.cycles", kind: Truth, def: "false", field: func(c *Config) any { return &c.Review.Cycles },
		doc: "write the reviewers' answers as review cycles to .belay/reviews, to be committed with the work"},
	{name: "review.stale", kind: Duration, def: "8h", field: func(c *Config) any { return &c.Review.Stale },
		doc: "after this time an unfinished review from another machine counts as abandoned"},
	{name: "review.isolate.variable", kind: Variable, runs: true, field: func(c *Config) any { return &c.Review.Variable },
		doc: "an environment variable that isolates reviews, so that several can run in one working tree, like TEST_DATABASE"},
	{name: "review.isolate.value", kind: Text, def: "belay_{agent}_{task}", field: func(c *Config) any { return &c.Review.Value },
		doc: "its value for each of them, in which {agent} and {task} are filled in"},
	{name: "reviewers.*.kind", kind: Choice, choices: reviewerKinds, of: func(c *Config, n string) any { return &c.reviewer(n).Kind },
		doc: "program, model or person; a person answers at a gate. Derived from the other keys when not set"},
	{name: "reviewers.*.role", kind: Text, of: func(c *Config, n string) any { return &c.reviewer(n).Role },
		doc: "what it reviews: spec, quality, security, or your own text"},
	{name: "reviewers.*.command", kind: Args, runs: true, of: func(c *Config, n string) any { return &c.reviewer(n).Command },
		doc: "the reviewer: a program and its arguments, which gets the prompt on standard input"},
	{name: "reviewers.*.endpoint", kind: Text, runs: true, of: func(c *Config, n string) any { return &c.reviewer(n).Endpoint },
		doc: "or the address of an OpenAI-compatible model, like https://host/v1"},
	{name: "reviewers.*.model", kind: Text, of: func(c *Config, n string) any { return &c.reviewer(n).Model },
		doc: "the model's name"},
	{name: "reviewers.*.key_env", kind: Text, runs: true, of: func(c *Config, n string) any { return &c.reviewer(n).KeyEnv },
		doc: "the environment variable with its key"},
	{name: "reviewers.*.timeout", kind: Duration, of: func(c *Config, n string) any { return &c.reviewer(n).Timeout },
		doc: "time limit of one review; 10m when not set"},
	{name: "reviewers.*.threshold", kind: Whole, of: func(c *Config, n string) any { return &c.reviewer(n).Threshold },
		doc: "the lowest score, of 100, that passes; 70 when not set"},
	{name: "phases.reviewers", kind: List, like: `["security", "ana"]`,
		field: func(c *Config) any { return &c.PhaseReviewers },
		doc:   "the reviewers of phases, by name (docs/features.md); all of reviewers: when not set, [none] for none"},
	{name: "guidelines.*.name", kind: Text, of: func(c *Config, n string) any { return &c.guideline(n).Name },
		doc: "its title, shown with the instruction"},
	{name: "guidelines.*.description", kind: Text, of: func(c *Config, n string) any { return &c.guideline(n).Description },
		doc: "what it is for, for people: belay guard list"},
	{name: "guidelines.*.instruction", kind: Text, of: func(c *Config, n string) any { return &c.guideline(n).Instruction },
		doc: "what agents are told; the same as action.instruction"},
	{name: "guidelines.*.enabled", kind: Truth, of: func(c *Config, n string) any { return &c.guideline(n).Enabled },
		doc: "whether it is in force; true when not set"},
	{name: "guidelines.*.category", kind: Text, of: func(c *Config, n string) any { return &c.guideline(n).Category },
		doc: "a category for sorting"},
	{name: "guidelines.*.priority", kind: Whole, of: func(c *Config, n string) any { return &c.guideline(n).Priority },
		doc: "the highest is shown first; 500 when not set"},
	{name: "guidelines.*.agents", kind: List, like: `["reviewer"]`,
		of:  func(c *Config, n string) any { return &c.guideline(n).Agents },
		doc: "the agents it is for: implementer, reviewer, debugger, or names; all when not set; the same as condition.agents"},
	{name: "guidelines.*.actions", kind: List, like: `["implement", "fix"]`,
		of:  func(c *Config, n string) any { return &c.guideline(n).Actions },
		doc: "the actions it is for: implement, fix, review, debug; all when not set; the same as condition.actions"},
	{name: "guidelines.*.condition.agents", kind: List, like: `["reviewer"]`,
		of:  func(c *Config, n string) any { return &c.guideline(n).Agents },
		doc: "the agents it is for: implementer, reviewer, debugger, or names; all when not set"},
	{name: "guidelines.*.condition.actions", kind: List, like: `["implement", "fix"]`,
		of:  func(c *Config, n string) any { return &c.guideline(n).Actions },
		doc: "the actions it is for: implement, fix, review, debug; all when not set"},
	{name: "guidelines.*.action.type", kind: Choice, choices: belay.GuidelineTypes,
		of:  func(c *Config, n string) any { return &c.guideline(n).Type },
		doc: "constraint (must be followed) or advice (may be followed); constraint when not set"},
	{name: "guidelines.*.action.instruction", kind: Text, of: func(c *Config, n string) any { return &c.guideline(n).Instruction },
		doc: "what agents are told"},
	{name: "guidelines.*.action.require_review", kind: Truth, of: func(c *Config, n string) any { return &c.guideline(n).RequireReview },
		doc: "whether work it applies to needs a review before it is accepted; breaking it is a critical " +
			"finding; false when not set"},
	{name: "roles.*.command", kind: Args, runs: true, of: func(c *Config, n string) any { return &c.role(n).Command },
		doc: "its agent: a program and its arguments; the task's when not set"},
	{name: "roles.*.prompt", kind: Text, of: func(c *Config, n string) any { return &c.role(n).Prompt },
		doc: "additional instructions for this role"},
	{name: "roles.*.read_only", kind: Truth, of: func(c *Config, n string) any { return &c.role(n).ReadOnly },
		doc: "whether it must not change the working tree; false when not set"},
	{name: "roles.*.closed", kind: Truth, of: func(c *Config, n string) any { return &c.role(n).Closed },
		doc: "whether the kernel enforces read_only where it can, except for ignored folders; true when not set"},
	{name: "roles.*.parts", kind: List, like: `["task", "scope"]`,
		of:  func(c *Config, n string) any { return &c.role(n).Parts },
		doc: "the parts of the context that it gets: task, scope, criteria, citations, commands, qa, paths, changes, findings, evidence"},
	{name: "roles.*.timeout", kind: Duration, of: func(c *Config, n string) any { return &c.role(n).Timeout },
		doc: "time limit of one run; the agent's when not set"},
	{name: "standards.*.files", kind: List, within: true, of: func(c *Config, n string) any { return &c.standard(n).Files },
		doc: "globs of the files, Markdown or plain text"},
	{name: "standards.*.areas", kind: List, like: `["api", "web"]`,
		of:  func(c *Config, n string) any { return &c.standard(n).Areas },
		doc: "task areas they apply to; all when not set"},
	{name: "standards.*.priorities", kind: List, like: `["high"]`,
		of:  func(c *Config, n string) any { return &c.standard(n).Priorities },
		doc: "task priorities they apply to; all when not set"},
	{name: "standards.*.sections", kind: List, like: `["Naming", "Errors"]`,
		of:  func(c *Config, n string) any { return &c.standard(n).Sections },
		doc: "headings to cite, with their sections; every section when not set"},
	{name: "standards.*.commands", kind: List, like: `["make lint"]`,
		of:  func(c *Config, n string) any { return &c.standard(n).Commands },
		doc: "shell lines that verify such work: agents see them, belay does not run them"},
	{name: "scopes.*.files", kind: List, of: func(c *Config, n string) any { return &c.macro(n).Files },
		doc: "globs that :NAME stands for where files of a task are named"},
	{name: "handoffs.ignore_line_endings", kind: Truth, def: "false", field: func(c *Config) any { return &c.IgnoreLineEnds },
		doc: "a change of line endings alone between two roles is a note, not drift"},
	{name: "specs", kind: List, within: true, field: func(c *Config) any { return &c.Specs },
		doc: "globs of other tools' task files, for belay task import --all; when not set, where these tools put them"},
	{name: "clarify", kind: Truth, def: "true", field: func(c *Config) any { return &c.Clarify },
		doc: "an ambiguous task waits at a gate until a person decides"},
	{name: "parser.agent", kind: Text, field: func(c *Config) any { return &c.Parser.Name },
		doc: "who reads requests besides belay's own parser: agent (agent.command), or the name of one of reviewers"},
	{name: "parser.command", kind: Args, runs: true, field: func(c *Config) any { return &c.Parser.Command },
		doc: "or a program and its arguments, which gets the prompt on standard input"},
	{name: "parser.endpoint", kind: Text, runs: true, field: func(c *Config) any { return &c.Parser.Endpoint },
		doc: "or the address of an OpenAI-compatible model, like https://host/v1"},
	{name: "parser.model", kind: Text, field: func(c *Config) any { return &c.Parser.Model },
		doc: "the model's name"},
	{name: "parser.key_env", kind: Text, runs: true, field: func(c *Config) any { return &c.Parser.KeyEnv },
		doc: "the environment variable with its key"},
	{name: "parser.timeout", kind: Duration, def: "10s", field: func(c *Config) any { return &c.Parser.Timeout },
		doc: "time limit of one reading; after it belay's own reading is used"},
	{name: "retries", kind: Whole, def: "3", field: func(c *Config) any { return &c.Retries },
		doc: "attempts after the first, before a person is asked"},
	{name: "retry", kind: Choice, choices: retryModes, def: "auto", field: func(c *Config) any { return &c.Retry },
		doc: "between two attempts: auto, rollback (restore the before snapshot) or repair (keep the changes)"},
	{name: "hooks.destructive", kind: Choice, choices: destructive, def: belay.DestructiveDeny,
		field: func(c *Config) any { return &c.Hooks.Destructive },
		doc: "commands that destroy work in an agent's own session (belay hook), like git reset --hard: deny, " +
			"snapshot (allow what a snapshot can restore), or allow"},
	{name: "hooks.check", kind: Truth, def: "true", field: func(c *Config) any { return &c.Hooks.Check },
		doc: "check what the agent changed when it is done with a prompt, and tell it what is wrong"},
	{name: "hooks.retries", kind: Whole, def: "2", field: func(c *Config) any { return &c.Hooks.Retries },
		doc: "how often the agent is told so for one prompt, before it may stop anyway"},
	{name: "hooks.watch", kind: Truth, def: "true", field: func(c *Config) any { return &c.Hooks.Watch },
		doc: "start belay watch with a session in a large repository, which makes snapshots faster"},
	{name: "hooks.timeout", kind: Duration, def: "60s", field: func(c *Config) any { return &c.Hooks.Timeout },
		doc: "time limit of these checks together, tests included; an unfinished check does not stop the agent"},
	{name: "limits.attempts", kind: Whole, def: "20", field: func(c *Config) any { return &c.Limits.Attempts },
		doc: "attempts of a task, including those a person grants; 0 is no limit"},
	{name: "limits.wall_time", kind: Duration, field: func(c *Config) any { return &c.Limits.WallTime },
		doc: "time of all attempts of a task together; 0 is no limit"},
	{name: "limits.cost", kind: Money, field: func(c *Config) any { return &c.Limits.Cost },
		doc: "cost of a task in US dollars, as agents report it or prices say; the agent that reaches it is stopped; 0 is no limit"},
	{name: "limits.tokens", kind: Whole, field: func(c *Config) any { return &c.Limits.Tokens },
		doc: "tokens of a task, read (also from a cache) and written, as agents report them; " +
			"the agent that reaches it is stopped; 0 is no limit"},
	{name: "limits.feature_retries", kind: Whole, field: func(c *Config) any { return &c.Limits.FeatureRetries },
		doc: "retries of all tasks of a feature together; 0 is no limit"},
	{name: "prices.*.models", kind: List, like: `["gpt-5*"]`, of: func(c *Config, n string) any { return &c.price(n).Models },
		doc: "names of models that these prices are for, in which * stands for any text; NAME when not set"},
	{name: "prices.*.input", kind: Money, of: func(c *Config, n string) any { return &c.price(n).Input },
		doc: "US dollars for a million tokens that are read, except from a cache"},
	{name: "prices.*.output", kind: Money, of: func(c *Config, n string) any { return &c.price(n).Output },
		doc: "US dollars for a million tokens that are written"},
	{name: "prices.*.cache_read", kind: Money, of: func(c *Config, n string) any { return &c.price(n).CacheRead },
		doc: "US dollars for a million tokens that are read from a cache; when not set, the cost of an agent that reports such is unknown"},
	{name: "prices.*.cache_write", kind: Money, of: func(c *Config, n string) any { return &c.price(n).CacheWrite },
		doc: "US dollars for a million tokens that are written to a cache; likewise"},
	{name: "stall.repeats", kind: Whole, def: "3", field: func(c *Config) any { return &c.Stall.Repeats },
		doc: "identical tool calls in a row, or repeated rounds of the same few, after which an agent is stopped; 0 disables it"},
	{name: "stall.recoveries", kind: Whole, def: "2", field: func(c *Config) any { return &c.Stall.Recoveries },
		doc: "attempts after a stall before the task is rolled back and fails"},
	{name: "on_failure", kind: Args, runs: true, field: func(c *Config) any { return &c.OnFailure },
		doc: "a program that runs when a task failed, with BELAY_TASK and BELAY_REASON in its environment"},
	{name: "notify.command", kind: Args, runs: true, field: func(c *Config) any { return &c.Notify.Command },
		doc: "a program that runs when a task begins to wait for you, with BELAY_TASK, BELAY_TITLE and BELAY_REASON in its environment"},
	{name: "notify.desktop", kind: Truth, def: "false", field: func(c *Config) any { return &c.Notify.Desktop },
		doc: "show a notification of the desktop then (notify-send, or osascript on macOS)"},
	{name: "notify.bell", kind: Truth, def: "false", field: func(c *Config) any { return &c.Notify.Bell },
		doc: "ring the bell of the terminal then"},
	{name: "notify.webhook.url", kind: Text, runs: true, field: func(c *Config) any { return &c.Notify.Webhook.URL },
		doc: "an https address that gets a signed message then (docs/notifications.md); needs trust, like commands"},
	{name: "notify.webhook.secret_file", kind: Text, runs: true, field: func(c *Config) any { return &c.Notify.Webhook.SecretFile },
		doc: "the file with the secret that signs it, outside of the repository; needs trust; the environment variable " +
			"BELAY_WEBHOOK_SECRET when not set"},
	{name: "notify.webhook.link", kind: Text, runs: true, field: func(c *Config) any { return &c.Notify.Webhook.Link },
		doc: "an address for people in the message, in which {repository}, {task} and {gate} are filled in; needs trust"},
	{name: "notify.quiet", kind: Hours, field: func(c *Config) any { return &c.Notify.Quiet },
		doc: "hours in which only the bell rings, like 22:00-07:00, or 22:00-07:00 Europe/Berlin; the others " +
			"send one summary at their end"},
	{name: "snapshot.include", kind: List, like: `[".env", "local/**"]`,
		field: func(c *Config) any { return &c.Snapshot.Include },
		doc:   "globs of ignored paths that snapshots capture as well, like .env"},
	{name: "snapshot.max_file", kind: Size, def: "256MiB", least: 1, field: func(c *Config) any { return &c.Snapshot.MaxFile },
		doc: "larger files are listed, not captured"},
	{name: "snapshot.max_task_file", kind: Size, def: "1GiB", least: 1, field: func(c *Config) any { return &c.Snapshot.MaxTaskFile },
		doc: "the same limit for snapshots of tasks, if it is larger, so that a rollback can restore more"},
	{name: "snapshot.cap", kind: Size, def: "5GiB", field: func(c *Config) any { return &c.Snapshot.Cap },
		doc: "size of all snapshots together before a warning; 0 never warns"},
	{name: "snapshot.on_completion", kind: Choice, choices: Completions, def: CompletionArchive,
		field: func(c *Config) any { return &c.Snapshot.OnCompletion },
		doc: "what happens to a task's snapshots when it ends, except those that rollback and undo need: archive " +
			"(kept for archive_for), prune (deleted at once) or keep (kept until belay snapshot prune)"},
	{name: "snapshot.archive_for", kind: Duration, def: "168h", field: func(c *Config) any { return &c.Snapshot.ArchiveFor },
		doc: "how long archived snapshots are kept after the end of their task"},
	{name: "worktrees", kind: Text, leads: true, field: func(c *Config) any { return &c.Worktrees },
		doc: "folder for the tasks' own worktrees, like ../trees; when not set, NAME.belay beside the repository NAME"},
	{name: "worktree.setup", kind: Args, runs: true, field: func(c *Config) any { return &c.Worktree.SetUp },
		doc: "a program that runs in each new worktree before the agent, like [npm, ci]; if it fails, the task does not start"},
	{name: "environment.pass", kind: Names, field: func(c *Config) any { return &c.Environment.Pass },
		doc: "environment variables to pass to commands although belay normally removes them, like GIT_SSH; NAME* is a prefix"},
	{name: "fence.enabled", kind: Choice, choices: []string{FenceAuto, FenceOn, FenceOff}, def: FenceAuto, frees: FenceOff,
		field: func(c *Config) any { return &c.Fence.Enabled },
		doc: "whether agents run in a fence that lets them write only what the task needs (docs/fence.md): auto (if this " +
			"system can), on (or the agent is not started) or off"},
	{name: "fence.allow", kind: List, like: `["~/.terraform.d"]`, leads: true,
		field: func(c *Config) any { return &c.Fence.Allow },
		doc: "more files and folders that agents may write, and sockets that they may use, like ~/.terraform.d; " +
			"needs trust, like commands"},
	{name: "fence.read", kind: Choice, choices: []string{ReadAllow, ReadDeny}, def: ReadAllow,
		field: func(c *Config) any { return &c.Fence.Read },
		doc:   "deny: agents cannot read ~/.ssh, credentials of clouds and package registries, and the tokens of other agents"},
	{name: "fence.network", kind: List, like: `["443"]`, field: func(c *Config) any { return &c.Fence.Network },
		doc: "TCP ports that agents may connect to and listen on, like ['443']; [none] for none; empty is all"},
	{name: "telemetry.endpoint", kind: Text, runs: true, field: func(c *Config) any { return &c.Telemetry.Endpoint },
		doc: "address of an OpenTelemetry Collector, like http://localhost:4318, that gets traces, metrics and logs of tasks " +
			"(docs/telemetry.md); needs trust, like commands; nothing is sent when not set"},
	{name: "telemetry.headers", kind: List, like: `["team=web"]`, runs: true,
		field: func(c *Config) any { return &c.Telemetry.Headers },
		doc:   "headers to send with them, as NAME=VALUE; a secret is better in OTEL_EXPORTER_OTLP_HEADERS; needs trust"},
	{name: "telemetry.content", kind: Truth, def: "false", frees: "true", field: func(c *Config) any { return &c.Telemetry.Content },
		doc: "also send prompts, agents' messages, and arguments and results of tools; needs trust"},
}

// groups describes the keys that contain keys.
var groups = map[string]string{
	"agent": "who works", "debugger": "who looks for root causes", "checks": "how work is checked",
	"checks.tests": "how the project is tested", "checks.coverage": "which files need tests",
	"checks.integrity": "which tests may be weakened",
	"secrets":          "what is not a secret",
	"phases":           "the phases of features (belay phase)",
	"hooks":            "agents' own sessions (belay hook)",
	"notify":           "how you are told that a task waits for you",
	"notify.webhook":   "an address that gets a message",
	"worktree":         "how the worktrees of tasks are set up",
	"limits":           "when to stop retrying and ask a person", "stall": "agents that repeat themselves",
	"linters": "linters, by name; detected when there are none", "linters.*": "one of them",
	"snapshot": "what snapshots capture", "plan": "the plan: what to build, section by section",
	"review": "how reviews are stored and isolated", "review.isolate": "what lets several run at once",
	"reviewers":   "reviewers of work that passed the checks, by name",
	"reviewers.*": "one of them", "guidelines": "guidelines added to prompts, by name", "guidelines.*": "one of them",
	"guidelines.*.condition": "when it applies", "guidelines.*.action": "what it requires", "environment": "what commands may see",
	"roles": "the roles of a pipeline, in order; implementer, reviewer and validator when there are none", "roles.*": "one of them",
	"standards": "written standards given to tasks, by name", "standards.*": "one of them",
	"prices": "model prices, by name, for agents that report only tokens (docs/costs.md)", "prices.*": "one of them",
	"scopes": "names for sets of files", "scopes.*": "one of them", "handoffs": "what counts as drift between two roles",
	"fence":     "what agents may write, read and connect to",
	"telemetry": "where traces, metrics and logs of tasks are sent",
	"parser":    "who reads requests besides belay's own parser",
}

func findKey(name string) (key, bool) {
	for _, k := range keys {
		if k.name == name && !k.wild() {
			return k, true
		}
		if k.wild() {
			if one, ok := k.match(name); ok {
				return k.bind(one), true
			}
		}
	}
	return key{}, false
}

// children lists the names directly below the group prefix, which is "" or ends in a dot, each
// once, in the table's order; "*" is the name of any named thing.
func children(prefix string) []string {
	var names []string
	if prefix != "" {
		prefix = pattern(strings.TrimSuffix(prefix, ".")) + "."
	}
	for _, k := range keys {
		rest, ok := strings.CutPrefix(k.name, prefix)
		if !ok {
			continue
		}
		name, _, _ := strings.Cut(rest, ".")
		if len(names) == 0 || names[len(names)-1] != name {
			names = append(names, name)
		}
	}
	return names
}

// set stores v, which has the type of the kind's reader, in the config.
func (k key) set(c *Config, v any) {
	switch field := k.field(c).(type) {
	case *int:
		*field = v.(int)
	case *int64:
		*field = v.(int64)
	case *float64:
		*field = v.(float64)
	case *time.Duration:
		*field = v.(time.Duration)
	case *string:
		*field = v.(string)
	case *bool:
		*field = v.(bool)
	case *belay.RetryMode:
		*field = belay.RetryMode(v.(string))
	case *[]string:
		*field = v.([]string)
	case *belay.TestCommand:
		field.Command, field.Args = "", nil
		if line, ok := v.(string); ok {
			field.Command = line
		} else {
			field.Args = v.([]string)
		}
	}
}
