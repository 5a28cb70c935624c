package testreport

import (
	"strings"
	"testing"
)

func TestPasses(t *testing.T) {
	t.Parallel()
	var r Report
	if !r.NamesPasses() || r.HasPassed("x") {
		t.Error("nothing passed")
	}
	r.passAs("m.TestB/sub one", false)
	r.passAs("m.TestA", true)
	r.passes.note("m")
	var below Report
	below.passAs("inner", false)
	below.passesBelow("outer > ")
	r.Add(below)
	for test, want := range map[string]bool{"m.TestA": true, "m.TestB": true, "m.TestB/sub one": true, "m.Test": false, "m": true, "outer": true, "outer > inner": true, "inner": false, "n": false, "m.TestAB": false} {
		if r.HasPassed(test) != want {
			t.Errorf("%s: %v", test, !want)
		}
	}
	if !r.NamesPasses() || r.Passed != 3 || r.Flaky != 1 || r.Sound() != nil {
		t.Errorf("%+v", r)
	}
	r.pass(false)
	r.passes.note("")
	if r.NamesPasses() {
		t.Error("one that has no name is known by it")
	}
	counted := Report{Total: 2, Passed: 2}
	if counted.NamesPasses() {
		t.Error("counts are no names")
	}
	for _, name := range []string{strings.Repeat("x", 2000), "x"} {
		var many Report
		for range 2 * mostNames / (len(name) + nameCost) {
			many.passAs(name, false)
		}
		if kept := len(many.passes.list) * (len(name) + nameCost); many.NamesPasses() || kept > mostNames {
			t.Errorf("%d bytes are kept, more than may be", kept)
		}
	}
}
