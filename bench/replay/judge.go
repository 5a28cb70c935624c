package main

import (
	"context"
	"slices"
	"sort"
	"time"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/check"
	"github.com/belay-dev/belay/internal/intent"
	"github.com/belay-dev/belay/internal/syntax"
)

// withPrograms are the checks that run a program, or that need a working tree.
var withPrograms = []string{"tests", "lint", "git"}

// verdict is the checks' verdict on one commit.
type verdict struct {
	ID       string
	Message  string
	Asked    []belay.Requirement // requirements read from the message
	LessTest bool
	Rejected []string        // names of the checks that reject it
	Asks     []string        // names of the checks that ask a person
	Findings []belay.Finding // errors, questions and warnings
	Unknown  []string        // checks without a result, with the reason
	Met      []belay.Met     // the contract's result for each requirement
}

// stopped reports whether the commit is rejected or needs a person.
func (v verdict) stopped() bool { return len(v.Rejected)+len(v.Asks) > 0 }

// texts provides a commit's texts to the checks.
type texts struct {
	repo    *repository
	changes map[string]change
	after   map[string]string
	instead *syntax.File // replaces one file of the commit; nil for none
}

func (t texts) Each(_ context.Context, paths []string, most int64, take func(string, []byte, []byte, bool) error) error {
	for _, p := range paths {
		if t.instead != nil && t.instead.Path == p {
			if err := take(p, t.instead.Before, t.instead.After, false); err != nil {
				return err
			}
			continue
		}
		c := t.changes[p]
		before, err := t.text(c.old, c.OldMode)
		if err != nil {
			return err
		}
		after, err := t.text(c.new, c.NewMode)
		if err != nil {
			return err
		}
		larger := int64(len(before)) > most || int64(len(after)) > most
		if larger {
			before, after = nil, nil
		}
		if err := take(p, before, after, larger); err != nil {
			return err
		}
	}
	return nil
}

// text is nil for a side that is no regular file.
func (t texts) text(oid string, mode uint32) ([]byte, error) {
	if mode&0o170000 != 0o100000 {
		return nil, nil
	}
	text, ok, err := t.repo.blob(oid)
	if !ok {
		return nil, err
	}
	return text, err
}

func (t texts) Paths(context.Context) ([]string, error) {
	paths := make([]string, 0, len(t.after))
	for p := range t.after {
		paths = append(paths, p)
	}
	sort.Strings(paths)
	return paths, nil
}

func (t texts) Beside(context.Context) (func(string, int64) ([]byte, bool), func(), error) {
	return func(path string, most int64) ([]byte, bool) {
		oid, there := t.after[path]
		if !there {
			return nil, false
		}
		text, ok, err := t.repo.blob(oid)
		return text, ok && err == nil && int64(len(text)) <= most
	}, func() {}, nil
}

// judge checks a commit against its own message.
func (r *repository) judge(ctx context.Context, c commit, only []string) (verdict, error) {
	return r.judgeWith(ctx, c, only, nil)
}

// judgeWith checks a commit, with one file replaced, against its message.
func (r *repository) judgeWith(ctx context.Context, c commit, only []string, instead *syntax.File) (verdict, error) {
	after, err := r.files(ctx, c.ID)
	if err != nil {
		return verdict{}, err
	}
	t := texts{repo: r, changes: map[string]change{}, after: after, instead: instead}
	before := make([]string, 0, len(after))
	var changes []belay.Change
	for _, one := range c.changes {
		t.changes[one.Path] = one
		changes = append(changes, one.Change)
		if one.Status == "D" {
			before = append(before, one.Path)
		}
	}
	for p := range after {
		if t.changes[p].Status != "A" {
			before = append(before, p)
		}
	}
	if _, is := t.changes[pathOf(instead)]; !is && instead != nil {
		changes = append(changes, belay.Change{Path: instead.Path, Status: "M", OldMode: 0o100644, NewMode: 0o100644})
	}
	sort.Strings(before)
	request, _ := intent.Parse(intent.Input{Text: c.Message, PlanExists: true, Files: before})
	report := check.Run(ctx, check.Input{
		Changes: changes, Attempt: changes, Texts: t, Request: request, Words: c.Message, Only: only, Skip: withPrograms,
		Checks: belay.Checks{Timeout: 5 * time.Minute},
	}, nil)
	v := verdict{ID: c.ID, Message: c.Message, Asked: request.Requirements, LessTest: c.lessTest}
	for _, res := range report.Checks {
		v.Met = append(v.Met, res.Met...)
		if res.Verdict == belay.VerdictFail {
			v.Rejected = append(v.Rejected, res.Check)
		}
		if res.Asks {
			v.Asks = append(v.Asks, res.Check)
		} else if res.Verdict == belay.VerdictUnknown && !res.Skipped {
			v.Unknown = append(v.Unknown, res.Check+": "+res.Why)
		}
		for _, f := range res.Findings {
			warns := f.Severity == belay.SeverityWarning && slices.Contains(told, res.Check)
			if warns || f.Severity == belay.SeverityError || f.Severity == belay.SeverityQuestion {
				v.Findings = append(v.Findings, f)
			}
		}
	}
	return v, ctx.Err()
}

func pathOf(f *syntax.File) string {
	if f == nil {
		return ""
	}
	return f.Path
}

// told are the checks whose warnings are kept too.
var told = []string{"contract", "integrity", "rules"}
