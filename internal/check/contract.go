package check

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"

	"github.com/belay-dev/belay/internal/syntax"
)

// maxBeside is the maximum size in bytes of an unchanged file in which items are counted.
const maxBeside = 256 << 10

// checkContract checks whether each requirement of the task is met, by counting.
func checkContract(ctx context.Context, in Input) belay.CheckResult {
	var met []belay.Met
	r := in.checkFiles(ctx, nameAsked, func(files []*syntax.File) (string, []belay.Finding, error) {
		paths, err := in.Texts.Paths(ctx)
		if err != nil {
			return "", nil, err
		}
		read, done, err := in.Texts.Beside(ctx)
		if err != nil {
			return "", nil, err
		}
		defer done()
		q := ContractInput{
			Request: in.Request, Words: in.Words, Changes: withoutBelayFiles(in.Changes), Files: files, Paths: paths,
			Read: func(path string) ([]byte, bool) { return read(path, maxBeside) },
		}
		for _, c := range in.read.unread {
			q.Unread = append(q.Unread, c.Path)
		}
		res := Contract(q)
		met = res.Met
		return metSummary(met), res.Findings, nil
	})
	r.Met = met
	return r
}

// metSummary returns how many requirements are shown, with the evidence, how many are contradicted,
// and how many were not found.
func metSummary(met []belay.Met) string {
	if len(met) == 0 {
		return "no requirement could be shown as met"
	}
	n := map[string]int{}
	var seen, missing []string
	for _, m := range met {
		n[m.Verdict]++
		if m.Verdict == belay.MetYes {
			seen = append(seen, m.Evidence...)
		} else {
			missing = append(missing, m.Missing...)
		}
	}
	text := belay.Count(len(met), "requirement", "requirements") + ": " + withExamples(fmt.Sprintf("%d shown", n[belay.MetYes]), seen)
	if k := n[belay.MetNot]; k > 0 {
		text += fmt.Sprintf(", %d contradicted", k)
	}
	if k := n[belay.MetUnknown]; k > 0 {
		text += fmt.Sprintf(", %d not shown", k)
	}
	return withExamples(text, missing)
}

// withExamples appends the first items of a list in brackets.
func withExamples(text string, list []string) string {
	if len(list) == 0 {
		return text
	}
	if len(list) > 3 {
		list = append(slices.Clone(list[:3]), fmt.Sprintf("%d more", len(list)-3))
	}
	return text + " (" + strings.Join(list, "; ") + ")"
}

// settleFixes compares each FIX with the results of the other checks: the test, the tests or the
// linter that it names. It adds to the contract's result.
func (in Input) settleFixes(results []belay.CheckResult) {
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
	tests := TestRun{Result: of(nameTests), Names: in.failing(of(nameTests))}
	found, settled := JudgeFixes(in.Request, in.Words, tests, of(nameLint), results[at].Met)
	if len(settled) == 0 {
		return
	}
	c := &results[at]
	kept := slices.DeleteFunc(slices.Clone(c.Findings), func(f belay.Finding) bool {
		return f.Severity == belay.SeverityWarning && slices.Contains(settled, f.Detail)
	})
	again := belay.Of(nameAsked, metSummary(c.Met), append(kept, found...))
	c.Verdict, c.Summary, c.Findings = again.Verdict, again.Summary, again.Findings
}

// failing returns the names of the tests that fail now, including known ones, and of those that
// failed before.
func (in Input) failing(tests belay.CheckResult) (names TestNames) {
	for _, f := range tests.Findings {
		for _, title := range []string{"test fails: ", "test failed before too: ", "test failed before time ran out: "} {
			if name, is := strings.CutPrefix(f.Title, title); is {
				names.Failing = append(names.Failing, name)
			}
		}
	}
	if in.Baseline != nil {
		for _, f := range in.Baseline.Failures {
			names.FailedBefore = append(names.FailedBefore, f.Test)
		}
	}
	if r := in.read.tests.Load(); r != nil && r.HasAllPassNames() {
		names.Passed, names.Skipped = r.PassedNames(), r.SkippedNames()
		names.Complete = len(names.Passed) > 0
	}
	return names
}
