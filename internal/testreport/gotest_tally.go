package testreport

import (
	"hash/maphash"
)

// maxTests limits the tests, and the packages, that are distinguished; further ones count each time
// they end.
const maxTests = 1_000_000

// goCounts counts each test once, even if it ran several times. With -count the worst result
// counts. If a later run of a package only contains tests that failed before, it is a retry: tests
// that pass now are flaky, not failed. A later run with other tests too is a different run (with
// -race, with other tags), and does not replace failures.
type goCounts struct {
	report          Report
	seed            maphash.Seed
	seen            map[uint64]goOutcomes
	runs            map[string]int32 // by package: number of finished runs
	droppedFailures []int            // indexes of failures that a retry replaced
}

type goOutcomes struct {
	outcome      goOutcome
	counted      bool  // it is in the counts; a test that failed because of its subtests is not
	failureIndex int32 // index plus one of its failure, 0 if not kept; int32, since there may be a million
	failedRun    int32 // the package's run, from 1, in which it failed last; 0 for never
}

type goOutcome byte

const (
	goSkipped goOutcome = iota
	goPassed
	goBroke
	goFailed
)

func newGoCounts() goCounts {
	return goCounts{
		report: Report{Format: GoTest}, seed: maphash.MakeSeed(),
		seen: map[uint64]goOutcomes{}, runs: map[string]int32{},
	}
}

func (t *goCounts) key(pkg, test string) uint64 {
	return maphash.Comparable(t.seed, [2]string{pkg, test})
}

// startsAgain reports whether a test that starts may be part of a retry.
func (t *goCounts) startsAgain(pkg, test string) bool {
	s, known := t.seen[t.key(pkg, test)]
	return known && s.failedRun > 0 && s.failedRun <= t.runs[pkg]
}

// noteFailedBySubtests records that a test failed because of its subtests, without counting it.
func (t *goCounts) noteFailedBySubtests(pkg, test string) {
	key := t.key(pkg, test)
	s, known := t.seen[key]
	if s.failedRun = t.runs[pkg] + 1; known || len(t.seen) < maxTests {
		t.seen[key] = s
	}
}

// countFailure counts a failure, and returns its index plus one if it is new and kept.
func (t *goCounts) countFailure(p *goPackage, pkg, test string, f Failure, o goOutcome) int {
	key := t.key(pkg, test)
	delete(p.passedOnRerun, key)
	old, known := t.seen[key]
	if known && old.outcome >= goBroke {
		return 0
	}
	if known && old.counted {
		t.uncount(old.outcome)
	}
	kept := len(t.report.Failures)
	t.report.Fail(f, o == goBroke)
	now := goOutcomes{outcome: o, failedRun: t.runs[pkg] + 1, counted: true}
	if len(t.report.Failures) > kept {
		now.failureIndex = int32(len(t.report.Failures))
	}
	if known || len(t.seen) < maxTests {
		t.seen[key] = now
	}
	return int(now.failureIndex)
}

// countOutcome counts a test that passed or was skipped. silent is for a test with subtests, which
// count instead.
func (t *goCounts) countOutcome(p *goPackage, pkg, test string, o goOutcome, silent bool) {
	key := t.key(pkg, test)
	old, known := t.seen[key]
	name := PlainText(pkg) + "." + PlainText(test)
	if o == goPassed && silent {
		t.report.passedNames.addName(name)
	}
	switch {
	case known && old.outcome >= goBroke:
		if o == goPassed && old.failedRun <= t.runs[pkg] {
			p.dropFailure(key)
		}
		return
	case silent, known && old.counted && old.outcome >= o:
		return
	case known && old.counted:
		t.uncount(old.outcome)
	}
	if o == goPassed {
		t.report.passNamed(name, false)
	} else {
		t.report.skipNamed(name)
	}
	if known || len(t.seen) < maxTests {
		old.outcome, old.counted = o, true
		t.seen[key] = old
	}
}

func (t *goCounts) uncount(o goOutcome) {
	t.report.Total--
	if o == goPassed {
		t.report.Passed--
	} else {
		t.report.Skipped--
	}
}

// packageEnded replaces the failures that passed in a retry.
func (t *goCounts) packageEnded(p *goPackage, pkg string) {
	if t.runs[pkg] > 0 && !p.newTestRan {
		for key := range p.passedOnRerun {
			s := t.seen[key]
			if s.outcome == goBroke {
				t.report.Errors--
			} else {
				t.report.Failed--
			}
			t.report.Total--
			t.report.pass(true)
			if s.failureIndex > 0 {
				t.report.passedNames.addName(t.report.Failures[s.failureIndex-1].Test)
			}
			if s.failureIndex > 0 {
				t.droppedFailures = append(t.droppedFailures, int(s.failureIndex)-1)
			}
			s.outcome, s.failureIndex = goPassed, 0
			t.seen[key] = s
		}
	}
	if n := t.runs[pkg]; n > 0 || len(t.runs) < maxTests {
		t.runs[pkg] = n + 1
	}
}

// toReport returns the report without the replaced failures.
func (t *goCounts) toReport() Report {
	if len(t.droppedFailures) > 0 {
		gone := make(map[int]bool, len(t.droppedFailures))
		for _, at := range t.droppedFailures {
			gone[at] = true
		}
		kept := t.report.Failures[:0]
		for at, f := range t.report.Failures {
			if !gone[at] {
				kept = append(kept, f)
			}
		}
		t.report.Failures, t.droppedFailures = kept, nil
	}
	t.report.warnFlaky()
	return t.report
}
