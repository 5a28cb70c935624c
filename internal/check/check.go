package check

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/belay-dev/belay/internal/belay"

	"github.com/belay-dev/belay/internal/lint"
	"github.com/belay-dev/belay/internal/proc"
	"github.com/belay-dev/belay/internal/testreport"

	"github.com/belay-dev/belay/internal/config"
	"github.com/belay-dev/belay/internal/testrun"
)

// A check keeps nothing: output worth keeping goes through Input.Logs. The only programs
// started are the tests and linters of the task, by way of packages testrun and lint.

// The names of the checks.
const (
	nameChange   = "change"
	nameScope    = "scope"
	nameProtect  = "protect"
	nameRules    = "rules"
	nameAsked    = "contract"
	nameCaptured = "captured"
	nameGit      = GitCheck
	nameSize     = "size"
	nameLint     = lint.Name
	nameTests    = testrun.Name

	nameSecrets     = "secrets"
	nameIntegrity   = "integrity"
	namePlaceholder = "placeholder"
	nameCoverage    = "coverage"
	nameStyle       = "style"
)

// What holds when the task does not say otherwise.
const (
	defaultTimeout = 30 * time.Second
	defaultGrace   = time.Second
	defaultMaxDiff = 300
)

// Input is everything a judgement rests on.
type Input struct {
	Root    string         // the work tree in which the test command runs; findings name files from here
	Env     []string       // for the test command, KEY=value; nil is this process's own
	Changes []belay.Change // what the task changed, from its before to now
	Attempt []belay.Change // what this attempt changed; none means it changed nothing
	// ChangedByHand reports whether a person, and no attempt, changed a path; nil when none was.
	ChangedByHand func(path string) bool
	Uncaptured    []UncapturedPath // what the task changed and After does not hold
	// Perhaps are paths that git ignores and of which nobody knows whether somebody or a tool
	// writes them: a change only warns, but of a protected one.
	Uncertain []string
	NoTask    bool // somebody checks a tree, and no task asks for a change
	Scope     belay.Scope
	Request   belay.Request // what the task asks for; the contract is held against it
	List      string        // the file of the tree that lists the task; "" when it is in none
	Words     string        // what Request was read from; "" when that is not known
	Checks    belay.Checks
	May       *config.Gate // lets tests and linters run, or not
	Only      []string     // names of the only checks to run; none is all
	Skip      []string     // names of checks not to run, besides Checks.Skip
	Before    belay.SnapshotID
	After     belay.SnapshotID
	// Texts gives what the changed files say; nil when nobody can, and the checks that
	// read them are skipped.
	Texts Texts
	// Baseline is what the test command said on the state before the task; nil when
	// that is not known.
	Baseline *testreport.Report
	// State gives the before state in a folder of its own, so that a test that fails can
	// be run there; nil when there is none. done removes it.
	State func(ctx context.Context) (root string, done func(), err error)
	// Ignored gives those of some changed paths that git ignores: they get into no commit. nil
	// when none does.
	Ignored func(ctx context.Context, paths []string) (map[string]bool, error)
	// Git gives what became of git's own state; nil when nobody can tell, and the check is
	// skipped. More than one check may ask.
	Git func(context.Context) (GitFacts, error)
	// Guard notes the state of the tree before linters run, as lint.Input says.
	Guard func(context.Context) (settle func(context.Context) (lint.Edits, error), err error)
	// Logs stores an attachment and gives its sha256; nil stores nothing.
	Logs func(name string, r io.Reader) (string, error)
	// Grace is how long a test command that ran out of time has between SIGTERM and
	// SIGKILL; 0 is one second.
	Grace time.Duration

	lintDone chan struct{} // closed once the linters are done: until then the tests wait
	read     *fileReading  // the changed files, read once for all checks
}

// Progress tells that a check started, or with Done that it ended with Result.
type Progress struct {
	Check  string
	Done   bool
	Result *belay.CheckResult
}

type namedCheck struct {
	name string
	run  func(context.Context, Input) belay.CheckResult
}

// allChecks returns the checks in the order of the report. The last is the heaviest:
// they are started from the end.
func allChecks() []namedCheck {
	return []namedCheck{
		{nameChange, checkChange}, {nameScope, checkScope}, {nameProtect, checkProtect},
		{nameRules, checkRules}, {nameCaptured, checkCaptured}, {nameGit, checkGitState}, {nameAsked, checkContract}, {nameSize, checkSize},
		{nameSecrets, checkSecrets}, {nameIntegrity, checkIntegrity}, {namePlaceholder, checkPlaceholder},
		{nameCoverage, checkCoverage}, {nameStyle, checkStyle}, {nameLint, checkLint}, {nameTests, checkTests},
	}
}

// Names returns the names of all checks in the order of a report.
func Names() []string {
	var names []string
	for _, q := range allChecks() {
		names = append(names, q.name)
	}
	return names
}

// Run asks every question at once and gives the answers in the order of Names,
// whatever order they came in. It returns within Checks.Timeout (30 s when zero)
// plus Grace plus about a second: a check that has not finished by then is
// VerdictUnknown and says so, every other one reports. The same holds when ctx ends.
//
// A name in Only that is no check is answered with VerdictUnknown. progress may be
// nil; it is called from the calling goroutine only.
func Run(ctx context.Context, in Input, progress func(Progress)) belay.Report {
	start := time.Now()
	ctx, cancel := context.WithTimeoutCause(ctx, in.timeout(), testrun.TimeoutError{Limit: in.timeout()})
	defer cancel()
	if progress == nil {
		progress = func(Progress) {}
	}
	in.read = &fileReading{}
	results := runAll(ctx, in, progress)
	in.settleFixes(results)
	for _, name := range in.Only {
		if !slices.Contains(Names(), name) {
			results = append(results, belay.Unknown(name, "no such check; the checks are "+strings.Join(Names(), ", ")))
		}
	}
	return belay.Report{
		Time: start.UTC(), Before: in.Before, After: in.After,
		Verdict: belay.Judge(results), Checks: results,
		Millis: time.Since(start).Milliseconds(),
	}
}

type indexedResult struct {
	index  int
	result belay.CheckResult
}

func runAll(ctx context.Context, in Input, progress func(Progress)) []belay.CheckResult {
	all := allChecks()
	results := make([]belay.CheckResult, len(all))
	answers := make(chan indexedResult, len(all)) // never blocks a check that comes too late
	open := map[int]bool{}
	in.lintDone = make(chan struct{})
	take := func(a indexedResult) {
		results[a.index] = maskResult(a.result, in.Checks.SecretsAllow)
		delete(open, a.index)
		progress(Progress{Check: a.result.Check, Done: true, Result: &results[a.index]})
	}
	for i := len(all) - 1; i >= 0; i-- {
		if why := in.skipReason(all[i].name); why != "" {
			if all[i].name == nameLint {
				close(in.lintDone)
			}
			take(indexedResult{i, belay.Skipped(all[i].name, why)})
			continue
		}
		open[i] = true
		progress(Progress{Check: all[i].name})
		go func() { answers <- indexedResult{i, runCheck(ctx, in, all[i])} }()
	}
	over, late := ctx.Done(), (<-chan time.Time)(nil)
	for len(open) > 0 {
		select {
		case a := <-answers:
			take(a)
		case <-over:
			over, late = nil, time.After(in.grace()+2*proc.Slack+500*time.Millisecond)
		case <-late:
			for i := range all {
				if open[i] {
					take(indexedResult{i, belay.Unknown(all[i].name, testrun.UnfinishedReason(ctx))})
				}
			}
		}
	}
	return results
}

// maskResult takes secrets out of what a check says: tests and linters print what they
// read, and a report goes into records, prompts and the annotations of other programs.
func maskResult(r belay.CheckResult, allow []string) belay.CheckResult {
	r.Why, _ = MaskSecrets(r.Why, allow)
	r.Findings = slices.Clone(r.Findings)
	for i := range r.Findings {
		f := &r.Findings[i]
		for _, text := range []*string{&f.Title, &f.Detail, &f.Recommendation} {
			*text, _ = MaskSecrets(*text, allow)
		}
		if shown, _ := MaskSecrets(f.Reproduce, allow); shown != f.Reproduce {
			f.Reproduce = "" // with the mask in it, it is not a command any more
		}
	}
	return r
}

// runCheck asks one question. A check that panics on what it reads is a check that
// could not tell.
func runCheck(ctx context.Context, in Input, q namedCheck) (r belay.CheckResult) {
	start := time.Now()
	defer func() {
		if p := recover(); p != nil {
			r = belay.Unknown(q.name, fmt.Sprintf("the check crashed: %v", p))
		}
		r.Millis = time.Since(start).Milliseconds()
	}()
	if q.name != nameCaptured {
		in = in.withoutGit()
	}
	return q.run(ctx, in)
}

func (in Input) timeout() time.Duration {
	if in.Checks.Timeout > 0 {
		return in.Checks.Timeout
	}
	return defaultTimeout
}

func (in Input) grace() time.Duration {
	if in.Grace > 0 {
		return in.Grace
	}
	return defaultGrace
}

// withoutGit returns the input of a check that judges files, not repositories.
func (in Input) withoutGit() Input {
	in.Changes, in.Attempt = withoutGitFolders(in.Changes), withoutGitFolders(in.Attempt)
	return in
}

// skipReason says why the named check is not run, "" when it is.
func (in Input) skipReason(name string) string {
	switch {
	case len(in.Only) > 0 && !slices.Contains(in.Only, name):
		return "not asked for"
	case slices.Contains(in.Skip, name):
		return "skipped on request"
	case slices.Contains(in.Checks.Skip, name):
		return "skipped by the task's checks"
	case name == nameAsked && len(in.Request.Requirements) == 0 && len(in.Request.Preserve) == 0:
		return "the task has no requirements"
	case in.Git == nil && name == nameGit:
		return "git's state is not available"
	case in.Texts == nil && slices.Contains([]string{nameAsked, nameSecrets, nameIntegrity, namePlaceholder,
		nameCoverage, nameStyle}, name):
		return "the contents of the changed files are not available"
	}
	return ""
}
