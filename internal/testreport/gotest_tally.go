package testreport

import (
	"hash/maphash"
)

// maxTests is how many tests are distinguished, and how many packages; further ones count
// each time they end.
const maxTests = 1_000_000

// goCounts counts each test once, however often it ran. Of several runs in one go
// (-count) the worst counts. A later run of nothing but tests that had failed is
// somebody's second try: what passes there is flaky, not failed. A later run of other
// tests as well is a run of its own (with -race, with other tags) and takes no failure
// back.
type goCounts struct {
	report  Report
	seed    maphash.Seed
	seen    map[uint64]goSeen
	runs    map[string]int32 // of a package that ended
	dropped []int            // failures that were taken back
}

type goSeen struct {
	outcome goOutcome
	counted bool  // it is in the counts: a test that fell by its subtests is not
	at      int32 // its failure and one, 0 when not kept; small, since there may be a million
	run     int32 // of its package, in which it failed last; 0 for never
}

type goOutcome byte

const (
	goSkipped goOutcome = iota
	goPassed
	broke
	goFailed
)

func newGoCounts() goCounts {
	return goCounts{
		report: Report{Format: GoTest}, seed: maphash.MakeSeed(),
		seen: map[uint64]goSeen{}, runs: map[string]int32{},
	}
}

func (t *goCounts) key(pkg, test string) uint64 {
	return maphash.Comparable(t.seed, [2]string{pkg, test})
}

// second reports whether a test that starts fits into a second try.
func (t *goCounts) second(pkg, test string) bool {
	s, known := t.seen[t.key(pkg, test)]
	return known && s.run > 0 && s.run <= t.runs[pkg]
}

// fell notes that a test failed by its subtests, without counting it.
func (t *goCounts) fell(pkg, test string) {
	key := t.key(pkg, test)
	s, known := t.seen[key]
	if s.run = t.runs[pkg] + 1; known || len(t.seen) < maxTests {
		t.seen[key] = s
	}
}

// fail counts a failure, and gives its index and one when it is kept and new.
func (t *goCounts) fail(p *goPackage, pkg, test string, f Failure, o goOutcome) int {
	key := t.key(pkg, test)
	delete(p.back, key)
	old, known := t.seen[key]
	if known && old.outcome >= broke {
		return 0
	}
	if known && old.counted {
		t.take(old.outcome)
	}
	kept := len(t.report.Failures)
	t.report.Fail(f, o == broke)
	now := goSeen{outcome: o, run: t.runs[pkg] + 1, counted: true}
	if len(t.report.Failures) > kept {
		now.at = int32(len(t.report.Failures))
	}
	if known || len(t.seen) < maxTests {
		t.seen[key] = now
	}
	return int(now.at)
}

// end counts a test that passed or was skipped; silent are tests that count by their
// subtests.
func (t *goCounts) end(p *goPackage, pkg, test string, o goOutcome, silent bool) {
	key := t.key(pkg, test)
	old, known := t.seen[key]
	name := Plain(pkg) + "." + Plain(test)
	if o == goPassed && silent {
		t.report.passes.note(name)
	}
	switch {
	case known && old.outcome >= broke:
		if o == goPassed && old.run <= t.runs[pkg] {
			p.takeBack(key)
		}
		return
	case silent, known && old.counted && old.outcome >= o:
		return
	case known && old.counted:
		t.take(old.outcome)
	}
	if o == goPassed {
		t.report.passAs(name, false)
	} else {
		t.report.skipAs(name)
	}
	if known || len(t.seen) < maxTests {
		old.outcome, old.counted = o, true
		t.seen[key] = old
	}
}

func (t *goCounts) take(o goOutcome) {
	t.report.Total--
	if o == goPassed {
		t.report.Passed--
	} else {
		t.report.Skipped--
	}
}

// packageEnded takes back what passed in a second try.
func (t *goCounts) packageEnded(p *goPackage, pkg string) {
	if t.runs[pkg] > 0 && !p.others {
		for key := range p.back {
			s := t.seen[key]
			if s.outcome == broke {
				t.report.Errors--
			} else {
				t.report.Failed--
			}
			t.report.Total--
			t.report.pass(true)
			if s.at > 0 {
				t.report.passes.note(t.report.Failures[s.at-1].Test)
			}
			if s.at > 0 {
				t.dropped = append(t.dropped, int(s.at)-1)
			}
			s.outcome, s.at = goPassed, 0
			t.seen[key] = s
		}
	}
	if n := t.runs[pkg]; n > 0 || len(t.runs) < maxTests {
		t.runs[pkg] = n + 1
	}
}

// sum returns the report without the failures that were taken back.
func (t *goCounts) sum() Report {
	if len(t.dropped) > 0 {
		gone := make(map[int]bool, len(t.dropped))
		for _, at := range t.dropped {
			gone[at] = true
		}
		kept := t.report.Failures[:0]
		for at, f := range t.report.Failures {
			if !gone[at] {
				kept = append(kept, f)
			}
		}
		t.report.Failures, t.dropped = kept, nil
	}
	t.report.sayFlaky()
	return t.report
}
