package testrun

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/testreport"

	"github.com/belay-dev/belay/internal/config"
	"github.com/belay-dev/belay/internal/fsroot"
	"github.com/belay-dev/belay/internal/secret"
	"github.com/belay-dev/belay/internal/snapshot"
	"github.com/belay-dev/belay/internal/worktree"
)

// Losing a cached baseline only costs another run of the tests.

// Baseline is the result of a test command on one snapshot. Why is set if it is unknown: then
// nothing counts as passed.
type Baseline struct {
	Tree    string            `json:"tree"`
	Command belay.TestCommand `json:"command"`
	Why     string            `json:"why,omitempty"`
	Report  testreport.Report `json:"report"`
	// Obstacle is set if the command cannot run on this snapshot at all.
	Obstacle *Obstacle `json:"obstacle,omitempty"`
	// Copied are ignored files without which tests fail or cannot run. Left are those that could not be copied
	// although tests fail, with the reason.
	Copied []string `json:"copied,omitempty"`
	Left   []string `json:"left,omitempty"`
}

// KnownReport returns the report for comparison with later runs, nil if it is unknown.
func (b Baseline) KnownReport() *testreport.Report {
	if b.Why != "" {
		return nil
	}
	b.Report.DecodeNames()
	b.Report.NeedsIgnored = len(b.Copied) > 0
	return &b.Report
}

// IsOf reports whether the baseline is of this command.
func (b Baseline) IsOf(c belay.TestCommand) bool { return b.Tree != "" && sameCommand(b.Command, c) }

// Summary describes the test results before the task for an agent or a person, with secrets masked.
func (b Baseline) Summary() string { return secret.Mask(b.summary()) }

// ignoredSummary describes what a checkout lacks. It comes before a list that may be long.
func (b Baseline) ignoredSummary() (text string) {
	if len(b.Copied) > 0 {
		text = "; the tests need ignored files, copied for a second run: " + shortList(b.Copied) +
			" (name them in checks.reuse to save that run)"
	}
	if len(b.Left) > 0 {
		text += "; failing tests may need ignored files that were not copied: " + shortList(b.Left) +
			" (name them in checks.reuse)"
	}
	return text
}

func (b Baseline) summary() string {
	switch n := len(b.Report.Failures); {
	case b.Why != "":
		return "the tests could not run before the task (" + b.Why + "): earlier failures cannot be separated from new ones"
	case b.Report.Format == testreport.Exit && n > 0 && IsDemanded(b.Command):
		return "the test command already fails before the task: " + b.Command.String() +
			"; it must pass afterwards (--known-failures accepts the same failure)" + b.ignoredSummary()
	case b.Report.Format == testreport.Exit && n > 0:
		return "the test command already fails before the task: " + b.Command.String() + b.ignoredSummary()
	case b.Report.Format == testreport.Exit:
		return "the test command passes before the task" + b.ignoredSummary() + "; it prints no test names, so " +
			"belay cannot see which tests are skipped or missing afterwards"
	case b.Report.Total == 0:
		return "no tests found before the task (" + b.Command.String() + ")"
	case n == 0:
		return b.Report.String() + b.missingSummary() + " before the task" + b.ignoredSummary()
	default:
		var ids []string
		for _, f := range b.Report.Failures[:min(n, 20)] {
			ids = append(ids, testreport.Clip(f.Test, 200))
		}
		text := b.Report.String() + b.missingSummary() + " before the task" + b.ignoredSummary() +
			"; already failing (ignored): " + strings.Join(ids, ", ")
		if n > len(ids) {
			text += fmt.Sprintf(" and %d more", n-len(ids))
		}
		return text
	}
}

// missingSummary describes what is missing in the report.
func (b Baseline) missingSummary() string {
	if !b.Report.Incomplete || len(b.Report.Warnings) == 0 {
		return ""
	}
	return " (incomplete: " + testreport.Clip(b.Report.Warnings[0], 200) + ")"
}

// Baseliner runs tests on before snapshots and caches the results in Dir.
type Baseliner struct {
	Snaps *snapshot.Store
	Dir   string
	Env   []string     // the complete environment of the tests
	May   *config.Gate // decides whether they may run
}

// Take returns the test results of a snapshot, from the cache or by running the tests, within
// checks.Timeout. If they could not be run, Why is set. Only results without failures are cached: a failure may be due to
// the machine at that moment. The error is that of
// looking up the snapshot.
func (k Baseliner) Take(ctx context.Context, id belay.SnapshotID, checks belay.Checks) (Baseline, error) {
	info, err := k.Snaps.LookUp(ctx, id)
	if err != nil {
		return Baseline{}, err
	}
	b := Baseline{Tree: info.Tree, Command: checks.Tests}
	if old, ok := k.load(b); ok {
		return old, nil
	}
	if err := k.run(ctx, id, checks, &b); err != nil {
		b.Why = err.Error()
	}
	b.Report.EncodeNames()
	for i, f := range b.Report.Failures { // the baseline is stored
		b.Report.Failures[i].Message = secret.Mask(f.Message)
	}
	if ctx.Err() == nil {
		k.save(b)
	}
	return b, nil
}

// run runs the tests in a checkout. If that gives failures or no result, it runs them once more in another one, with the
// ignored files of the tree: no snapshot contains these files, but the tests in the tree have them.
func (k Baseliner) run(ctx context.Context, id belay.SnapshotID, checks belay.Checks, b *Baseline) error {
	root, done, err := worktree.MakeEquipped(ctx, k.Snaps, id, checks.Reuse)
	if err != nil {
		return err
	}
	inTime := k.runIn(ctx, root, checks, b)
	done()
	if !inTime || b.Why == "" && len(b.Report.Failures) == 0 {
		return nil
	}
	if root, done, err = worktree.MakeEquipped(ctx, k.Snaps, id, checks.Reuse); err != nil {
		return err
	}
	defer done()
	copied, left := worktree.CopyIgnored(ctx, k.Snaps.Repo, root)
	if len(copied) > 0 {
		again := *b
		switch inTime = k.runIn(ctx, root, checks, &again); {
		case again.Why != "":
			left = append(left, "with "+shortList(copied)+": "+again.Why)
		case again.Report.Incomplete:
		case b.Why != "" || len(again.Report.Failures) < len(b.Report.Failures):
			*b = again
			b.Copied = copied
		}
	}
	if len(b.Report.Failures) > 0 {
		b.Left = left
	}
	return nil
}

// runIn runs the tests in a checkout. inTime is false if they were cut off.
func (k Baseliner) runIn(ctx context.Context, root string, checks belay.Checks, b *Baseline) (inTime bool) {
	ctx, cancel := context.WithTimeoutCause(ctx, checks.Timeout, TimeoutError{Limit: checks.Timeout})
	defer cancel()
	report, result, stuck := RunOrObstacle(ctx, Input{
		Root: root, Env: k.Env, Command: checks.Tests, May: k.May,
		Baseline: &testreport.Report{}, // without tests here there are none
	})
	b.Report, b.Why, b.Obstacle = report, result.Why, nil
	switch {
	case result.Skipped:
		b.Report, b.Why = testreport.Report{Format: report.Format}, ""
	case stuck != nil && stuck.Path != "" && existsBelow(k.Snaps.Repo.Root, stuck.Path):
		b.Why = fmt.Sprintf("%s exists here but in no snapshot: %s", stuck.Path, stuck.Message)
	case stuck != nil:
		b.Why, b.Obstacle = "the test command cannot run: "+stuck.Message, stuck
	case IsUnexplained(report, result): // a report without tests, or without the failed ones, is not a pass
		b.Why = "the test command failed without naming a failed test: " + testreport.Clip(lastLine(result), 300)
	}
	return ctx.Err() == nil
}

// shortList lists at most three paths.
func shortList(paths []string) string {
	if len(paths) <= 3 {
		return strings.Join(paths, ", ")
	}
	return strings.Join(paths[:3], ", ") + " and others"
}

// existsBelow reports whether the user's tree has a path that the checkout lacks.
func existsBelow(root, path string) bool {
	if !filepath.IsAbs(path) {
		path = filepath.Join(root, path)
	}
	_, err := os.Lstat(path)
	return err == nil
}

// lastLine returns the last line of the reason in a result.
func lastLine(r belay.CheckResult) string {
	detail := strings.TrimSpace(r.Findings[0].Detail)
	return strings.TrimSpace(detail[strings.LastIndexByte(detail, '\n')+1:])
}

// load returns the cached result of the same command on the same tree. A missing or damaged one
// costs a run of the tests.
func (k Baseliner) load(b Baseline) (old Baseline, ok bool) {
	text, err := fsroot.ReadFile(k.path(b), fsroot.MaxSmallFile)
	if err != nil || json.Unmarshal(text, &old) != nil || old.Tree != b.Tree || !old.isCacheable() || !sameCommand(old.Command, b.Command) {
		return Baseline{}, false
	}
	old.Report.DecodeNames()
	return old, true
}

func (b Baseline) isCacheable() bool {
	return b.Why == "" && b.Obstacle == nil && len(b.Report.Failures) == 0
}

func sameCommand(a, b belay.TestCommand) bool {
	return a.String() == b.String() && a.Format == b.Format && a.Report == b.Report && (a.Command == "") == (b.Command == "")
}

func (k Baseliner) path(b Baseline) string {
	text, _ := json.Marshal([]any{b.Tree, b.Command.Command, b.Command.Args, b.Command.Format, b.Command.Report}) // texts always encode
	sum := sha256.Sum256(text)
	return filepath.Join(k.Dir, hex.EncodeToString(sum[:16])+".json")
}

// save caches a result. If it fails the tests run once more.
func (k Baseliner) save(b Baseline) {
	path := k.path(b)
	text, err := json.Marshal(b)
	if err != nil || !b.isCacheable() || fsroot.MkdirAll(filepath.Dir(path), 0o700) != nil {
		return
	}
	_ = fsroot.AtomicWrite(path, fsroot.AtomicOptions{}, text)
}
