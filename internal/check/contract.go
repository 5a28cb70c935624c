package check

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/check/answer"
	"github.com/belay-dev/belay/internal/check/edit"
	"github.com/belay-dev/belay/internal/contract"
)

// maxBeside is the largest unchanged file that a count looks into, in bytes.
const maxBeside = 256 << 10

// contractCheck asks whether each requirement of the task is met, by counting.
func contractCheck(ctx context.Context, in Input) belay.CheckResult {
	var met []belay.Met
	r := in.asked(ctx, nameAsked, func(files []*edit.File) (string, []belay.Finding, error) {
		paths, err := in.Texts.Paths(ctx)
		if err != nil {
			return "", nil, err
		}
		read, done, err := in.Texts.Beside(ctx)
		if err != nil {
			return "", nil, err
		}
		defer done()
		q := contract.Input{
			Request: in.Request, Words: in.Words, Changes: work(in.Changes), Files: files, Paths: paths,
			Read: func(path string) ([]byte, bool) { return read(path, maxBeside) },
		}
		for _, c := range in.read.unread {
			q.Unread = append(q.Unread, c.Path)
		}
		res := contract.Judge(q)
		met = res.Met
		return metSummary(met), res.Findings, nil
	})
	r.Met = met
	return r
}

// metSummary says how many requirements are met, and how many could not be told.
func metSummary(met []belay.Met) string {
	n := map[string]int{}
	for _, m := range met {
		n[m.Verdict]++
	}
	text := fmt.Sprintf("%d of %s met", n[belay.MetYes]+n[belay.MetMore], answer.Count(len(met), "requirement", "requirements"))
	if len(met) == 0 {
		text = "no requirement can be counted"
	}
	if u := n[belay.MetUnknown]; u > 0 {
		text += fmt.Sprintf(", %d could not be told", u)
	}
	return text
}

// mended holds what was to be fixed against what the other checks say now: the test, the
// tests or the linter that a requirement names. It adds to the contract's answer.
func (in Input) mended(results []belay.CheckResult) {
	at := slices.IndexFunc(results, func(r belay.CheckResult) bool { return r.Check == nameAsked })
	if at < 0 || results[at].Skipped || results[at].Verdict == belay.VerdictUnknown {
		return
	}
	of := func(name string) belay.CheckResult {
		for _, r := range results {
			if r.Check == name {
				return r
			}
		}
		return belay.CheckResult{}
	}
	tests := contract.Ran{Result: of(nameTests), Names: in.failing(of(nameTests))}
	found := contract.Fixes(in.Request, tests, of(nameLint), results[at].Met)
	if len(found) == 0 {
		return
	}
	c := &results[at]
	again := answer.Of(nameAsked, metSummary(c.Met), append(slices.Clone(c.Findings), found...))
	c.Verdict, c.Summary, c.Findings = again.Verdict, again.Summary, again.Findings
}

// failing gives the names of the tests that fail now, known ones too, and of those that
// failed before.
func (in Input) failing(tests belay.CheckResult) (names contract.Names) {
	for _, f := range tests.Findings {
		for _, title := range []string{"test fails: ", "test failed before too: ", "test failed before time ran out: "} {
			if name, is := strings.CutPrefix(f.Title, title); is {
				names.Now = append(names.Now, name)
			}
		}
	}
	if in.Baseline != nil {
		for _, f := range in.Baseline.Failures {
			names.Before = append(names.Before, f.Test)
		}
	}
	return names
}
