package testreport

import (
	"strings"
	"testing"
)

func TestPasses(t *testing.T) {
	t.Parallel()
	var r Report
	if !r.HasAllPassNames() || r.HasPassed("x") {
		t.Error("nothing passed")
	}
	r.passNamed("m.TestB/sub one", false)
	r.passNamed("m.TestA", true)
	r.passedNames.addName("m")
	var below Report
	below.passNamed("inner", false)
	below.prefixNames("outer > ")
	r.Add(below)
	for test, want := range map[string]bool{"m.TestA": true, "m.TestB": true, "m.TestB/sub one": true, "m.Test": false, "m": true, "outer": true, "outer > inner": true, "inner": false, "n": false, "m.TestAB": false} {
		if r.HasPassed(test) != want {
			t.Errorf("%s: %v", test, !want)
		}
	}
	if !r.HasAllPassNames() || r.Passed != 3 || r.Flaky != 1 || r.Sound() != nil {
		t.Errorf("%+v", r)
	}
	r.pass(false)
	r.passedNames.addName("")
	if r.HasAllPassNames() {
		t.Error("all names are known although one is empty")
	}
	counted := Report{Total: 2, Passed: 2}
	if counted.HasAllPassNames() {
		t.Error("a report without names has all names")
	}
	for _, name := range []string{strings.Repeat("x", 2000), "x"} {
		var many Report
		for range 2 * maxNameBytes / (len(name) + nameCost) {
			many.passNamed(name, false)
		}
		if kept := len(many.passedNames.list) * (len(name) + nameCost); many.HasAllPassNames() || kept > maxNameBytes {
			t.Errorf("%d bytes are kept, more than the limit", kept)
		}
	}
}
