package drive

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/belay-dev/belay/internal/agent"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/check/results"
	"github.com/belay-dev/belay/internal/check/suite"
	"github.com/belay-dev/belay/internal/checkout"
	"github.com/belay-dev/belay/internal/loop"
)

// Baseline is what a test command said about one state. Why is set when it could not
// tell: then nothing is known, and nothing counts as clean.
type Baseline struct {
	Tree    string            `json:"tree"`
	Command belay.TestCommand `json:"command"`
	Why     string            `json:"why,omitempty"`
	Report  results.Report    `json:"report"`
}

// known gives what a later run compares with, nil when nothing is known.
func (b Baseline) known() *results.Report {
	if b.Why != "" {
		return nil
	}
	return &b.Report
}

// says tells an agent or a person what the tests said before the task.
func (b Baseline) says() string {
	switch n := len(b.Report.Failures); {
	case b.Why != "":
		return "the tests could not tell on the state before (" + b.Why + "): a failure from before cannot be told from a new one"
	case b.Report.Format == results.Exit && n > 0:
		return "the test command failed before the task already: " + b.Command.String()
	case b.Report.Format == results.Exit:
		return "the test command passed before the task"
	case n == 0:
		return "before the task: " + b.Report.String()
	default:
		var ids []string
		for _, f := range b.Report.Failures[:min(n, 20)] {
			ids = append(ids, results.Clip(f.Test, 200))
		}
		text := "before the task: " + b.Report.String() + "; failing already, and not held against the work: " + strings.Join(ids, ", ")
		if n > len(ids) {
			text += fmt.Sprintf(" and %d more", n-len(ids))
		}
		return text
	}
}

// baseline runs the tests on the state before, in a checkout of its own, once for each
// state and command. What could not be run is recorded with its reason and stops
// nothing.
func (d *Driver) baseline(ctx context.Context, c loop.Command) (loop.Event, error) {
	b, cached, err := d.cachedBaseline(ctx, c.Target)
	if err != nil {
		return loop.Event{}, err
	}
	if !cached {
		if b.Report, b.Why = d.runBefore(ctx, c.Target); d.Soft.Err() != nil {
			return loop.Event{}, ErrParked
		}
		d.cacheBaseline(b)
	}
	text, err := json.Marshal(b)
	if err != nil {
		return loop.Event{}, err
	}
	sha, _, err := d.Journal.Attach(bytes.NewReader(text))
	if err != nil {
		return loop.Event{}, err
	}
	if b.Why != "" {
		d.Watch.Note(b.says())
	}
	return loop.Event{Kind: loop.EvBaseline, Note: b.says(), Report: sha}, nil
}

// runBefore gives what the tests say about a snapshot, or why they could not tell.
func (d *Driver) runBefore(ctx context.Context, id belay.SnapshotID) (report results.Report, why string) {
	root, done, err := d.stateBefore(id, d.Rec.Task)(ctx)
	if err != nil {
		return report, Sentence(err)
	}
	defer done()
	limit := d.Rec.Task.Checks.Timeout
	if limit == 0 {
		limit = RunTimeout
	}
	run, cancel := context.WithTimeoutCause(d.Soft, limit, suite.OverTime{Limit: limit})
	defer cancel()
	report, result := suite.Run(run, suite.Input{
		Root: root, Env: d.testEnv(d.Rec.Task), Command: d.Rec.Task.Checks.Tests,
		Baseline: &results.Report{}, // no tests here means that there are none
	})
	if result.Skipped {
		return results.Report{Format: report.Format}, ""
	}
	return report, result.Why
}

func (d *Desk) testEnv(t belay.Task) []string {
	return agent.Environ(os.Environ(), nil, map[string]string{"BELAY_TASK": string(t.ID)})
}

// stateBefore makes a checkout of the state before when it is asked for.
func (d *Desk) stateBefore(id belay.SnapshotID, t belay.Task) func(context.Context) (string, func(), error) {
	return func(ctx context.Context) (string, func(), error) {
		c, err := checkout.Make(ctx, d.Snaps.Store, id, t.Checks.Reuse)
		if err != nil {
			return "", nil, err
		}
		return c.Root, func() { _ = c.Close() }, nil // what stays is swept by the next one
	}
}

// cachedBaseline finds what the same command said about the same tree before.
func (d *Driver) cachedBaseline(ctx context.Context, id belay.SnapshotID) (b Baseline, found bool, err error) {
	info, err := d.Snaps.LookUp(ctx, id)
	if err != nil {
		return b, false, err
	}
	b = Baseline{Tree: info.Tree, Command: d.Rec.Task.Checks.Tests}
	text, err := os.ReadFile(d.baselinePath(b))
	var old Baseline
	if err != nil || json.Unmarshal(text, &old) != nil || old.Tree != b.Tree || old.Why != "" || !sameTests(old.Command, b.Command) {
		return b, false, nil // a lost or broken one costs a run of the tests
	}
	return old, true, nil
}

func sameTests(a, b belay.TestCommand) bool {
	return a.String() == b.String() && a.Format == b.Format && a.Report == b.Report && (a.Command == "") == (b.Command == "")
}

func (d *Desk) baselinePath(b Baseline) string {
	text, _ := json.Marshal([]any{b.Tree, b.Command.Command, b.Command.Args, b.Command.Format, b.Command.Report}) // texts always encode
	sum := sha256.Sum256(text)
	return filepath.Join(d.Repo.Common, "belay", "baseline", hex.EncodeToString(sum[:16])+".json")
}

// cacheBaseline keeps what was found. Without it the tests run once more.
func (d *Desk) cacheBaseline(b Baseline) {
	path := d.baselinePath(b)
	text, err := json.Marshal(b)
	if err != nil || b.Why != "" || os.MkdirAll(filepath.Dir(path), 0o700) != nil {
		return
	}
	temp, err := os.CreateTemp(filepath.Dir(path), ".tmp-*")
	if err != nil {
		return
	}
	_, err = temp.Write(text)
	if err = errors.Join(err, temp.Close()); err == nil {
		err = os.Rename(temp.Name(), path)
	}
	if err != nil {
		_ = os.Remove(temp.Name())
	}
}

// BaselineOf reads what the record says the tests said before the task; nil when
// nothing is known.
func (d *Desk) BaselineOf(s loop.State) (*results.Report, error) {
	if s.BaselineReport == "" {
		return nil, nil
	}
	f, err := d.Journal.OpenAttachment(s.BaselineReport)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	text, err := io.ReadAll(f)
	if err != nil {
		return nil, err
	}
	var b Baseline
	if err := json.Unmarshal(text, &b); err != nil {
		return nil, fmt.Errorf("read the baseline %s: %w", s.BaselineReport, err)
	}
	return b.known(), nil
}
