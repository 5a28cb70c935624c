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

// A check stores nothing: output worth keeping goes through Input.Logs. The only programs started
// are the tests and linters of the task, by packages testrun and lint.

// Names of the checks.
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

// Default limits.
const (
	defaultTimeout = 30 * time.Second
	defaultGrace   = time.Second
	defaultMaxDiff = 300
)

// Input is all input of the checks.
type Input struct {
	Root    string         // the working tree in which the test command runs; paths in findings are relative to it
	Env     []string       // for the test command, KEY=value; nil is this process's own
	Changes []belay.Change // what the task changed since its before snapshot
	Attempt []belay.Change // what this attempt changed; empty if nothing
	// ChangedByHand reports whether only a person changed a path; nil if none did.
	ChangedByHand func(path string) bool
	Uncaptured    []UncapturedPath // what the task changed and the after snapshot does not contain
	// Uncertain are ignored paths that a person or a tool may have written: a change only warns,
	// unless the path is protected.
	Uncertain []string
	NoTask    bool // a tree is checked without a task, so no change is required
	Scope     belay.Scope
	Request   belay.Request // the task's request, which the contract is checked against
	List      string        // the file of the tree that lists the task; "" if none does
	Words     string        // the text that Request was parsed from; "" if unknown
	Checks    belay.Checks
	May       *config.Gate // decides whether tests and linters may run
	Only      []string     // names of the only checks to run; empty is all
	Skip      []string     // names of checks to skip, in addition to Checks.Skip
	Before    belay.SnapshotID
	After     belay.SnapshotID
	// Texts provides the content of the changed files; if nil, the checks that read them are
	// skipped.
	Texts Texts
	// Baseline is the test results of the before snapshot; nil if unknown.
	Baseline *testreport.Report
	// State checks out the before snapshot in a separate folder, so that a failing test can be run
	// there; nil if there is none. done removes it.
	State func(ctx context.Context) (root string, done func(), err error)
	// CopyIgnored copies into that folder the ignored files of Root that it lacks; nil copies nothing. See testrun.Input.
	CopyIgnored func(ctx context.Context, root string) (copied, left []string)
	// Ignored returns which of some changed paths git ignores, because they are never committed.
	// nil if none is.
	Ignored func(ctx context.Context, paths []string) (map[string]bool, error)
	// Git returns the changes of git's own state; if nil, the check is skipped. Several checks may
	// call it.
	Git func(context.Context) (GitFacts, error)
	// Guard records the state of the tree before linters run, see lint.Input.
	Guard func(context.Context) (settle func(context.Context) (lint.Edits, error), err error)
	// Logs stores an attachment and returns its SHA-256; nil stores nothing.
	Logs func(name string, r io.Reader) (string, error)
	// Grace is the time between SIGTERM and SIGKILL for a test command that reached its time limit;
	// 0 is one second.
	Grace time.Duration

	lintDone chan struct{} // closed after the linters have finished: until then the tests wait
	read     *fileReading  // the changed files, read once for all checks
}

// Progress reports that a check started, or with Done that it finished with Result.
type Progress struct {
	Check  string
	Done   bool
	Result *belay.CheckResult
}

type namedCheck struct {
	name string
	run  func(context.Context, Input) belay.CheckResult
}

// allChecks returns the checks in the order of the report. They are started from the end, because
// the last one takes longest.
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

// Run runs all checks concurrently and returns their results in the order of Names. It returns
// within Checks.Timeout (30 s if zero) plus Grace plus about a second: a check that has not
// finished by then is VerdictUnknown with the reason, all others report. The same applies when ctx
// ends.
//
// An unknown name in Only gives VerdictUnknown. progress may be nil; it is only called from the
// calling goroutine.
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
	answers := make(chan indexedResult, len(all)) // buffered, so a late check never blocks
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

// maskResult removes secrets from the output of a check: tests and linters print what they read,
// and a report becomes part of records, prompts and annotations.
func maskResult(r belay.CheckResult, allow []string) belay.CheckResult {
	r.Why, _ = MaskSecrets(r.Why, allow)
	r.Findings = slices.Clone(r.Findings)
	for i := range r.Findings {
		f := &r.Findings[i]
		for _, text := range []*string{&f.Title, &f.Detail, &f.Recommendation} {
			*text, _ = MaskSecrets(*text, allow)
		}
		if shown, _ := MaskSecrets(f.Reproduce, allow); shown != f.Reproduce {
			f.Reproduce = "" // with a mask in it, the command would not work
		}
	}
	return r
}

// runCheck runs one check. If it panics on its input, the result is unknown.
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

// withoutGit returns the input for a check of files, not of repositories.
func (in Input) withoutGit() Input {
	in.Changes, in.Attempt = withoutGitFolders(in.Changes), withoutGitFolders(in.Attempt)
	return in
}

// skipReason returns why the named check is skipped, "" if it is not.
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
