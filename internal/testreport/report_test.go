package testreport

import "testing"

// TestAddSums: the sum of two reports has the counts of both.
func TestAddSums(t *testing.T) {
	t.Parallel()
	var sum, other Report
	sum.pass(false)
	sum.Fail(Failure{Test: "b"}, false)
	other.pass(true)
	other.Fail(Failure{Test: "c"}, true)
	other.Skip()
	other.WarnIncomplete("the report stops in the middle")
	sum.Add(other)
	if err := sum.Sound(); err != nil {
		t.Error(err)
	}
	if got := sum.String(); got != "5 tests: 2 passed, 1 failed, 1 broke, 1 skipped, 1 flaky" || !sum.Incomplete || len(sum.Failures) != 2 {
		t.Errorf("the sum is %s, %+v", got, sum)
	}
}

func TestSoundFindsMiscounts(t *testing.T) {
	t.Parallel()
	for name, r := range map[string]Report{
		"does not add up": {Total: 3, Passed: 1},
		"below nothing":   {Total: 0, Passed: 1, Failed: -1},
		"too flaky":       {Total: 1, Passed: 1, Flaky: 2},
		"not named":       {Total: 1, Failed: 1},
		"named too often": {Failures: []Failure{{Test: "a"}}},
		"no reason":       {Incomplete: true},
		"no name":         {Total: 1, Failed: 1, Failures: []Failure{{}}},
		"an escape":       {Total: 1, Failed: 1, Failures: []Failure{{Test: "a\x1b[2J"}}},
	} {
		if r.Sound() == nil {
			t.Errorf("%s: %+v is sound", name, r)
		}
	}
}
