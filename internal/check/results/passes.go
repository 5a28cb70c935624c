package results

import (
	"slices"
	"strings"
)

// Bounds on the names of tests that passed. A name costs more than its letters: twenty
// million tests named "a" must not take a gigabyte.
const (
	mostPasses = 16 << 20 // bytes
	nameCost   = 32       // bytes of each name beside its own
)

// passes are the names of tests that passed, as far as a report tells them.
type passes struct {
	list   []string
	bytes  int
	lacks  bool // some are not in the list
	sorted bool
}

// PassAs is Pass of a test with a name, the one that its failure would have.
func (r *Report) PassAs(test string, flaky bool) {
	r.Pass(flaky)
	r.PassNamed(test)
}

// PassNamed notes that a test passed which is not counted on its own.
func (r *Report) PassNamed(test string) {
	p := &r.passes
	if test == "" || p.bytes+nameCost+len(test) > mostPasses {
		p.lacks = true
		return
	}
	p.list, p.bytes, p.sorted = append(p.list, strings.Clone(test)), p.bytes+nameCost+len(test), false
}

// PassesBelow puts what passed below the name of the test that it is part of.
func (r *Report) PassesBelow(name string) {
	p := &r.passes
	for i, test := range p.list {
		p.list[i] = name + test
		p.bytes += len(name)
	}
	p.sorted = false
}

func (p *passes) add(o passes) {
	for _, test := range o.list {
		if p.bytes += nameCost + len(test); p.bytes > mostPasses {
			p.lacks = true
			break
		}
		p.list = append(p.list, test)
	}
	p.lacks, p.sorted = p.lacks || o.lacks, false
}

// NamesPasses tells whether every test that passed is known by its name, so that one that
// is neither among them nor among the failures did not run.
func (r *Report) NamesPasses() bool {
	return !r.passes.lacks && (r.Passed == 0 || len(r.passes.list) > 0)
}

// HasPassed tells whether a test of this name passed, or one that is part of it: what broke
// as a whole, a package or a file, passes by its tests.
func (r *Report) HasPassed(test string) bool {
	p := &r.passes
	if !p.sorted {
		p.list = slices.Clone(p.list)
		slices.Sort(p.list)
		p.sorted = true
	}
	if _, found := slices.BinarySearch(p.list, test); found {
		return true
	}
	for _, part := range []string{".", "/", "::", " > ", "["} {
		if at, _ := slices.BinarySearch(p.list, test+part); at < len(p.list) && strings.HasPrefix(p.list[at], test+part) {
			return true
		}
	}
	return false
}
