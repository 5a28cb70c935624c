package testreport

import (
	"slices"
	"strings"
)

// Bounds on the names of tests that passed, and on those that were skipped. A name costs
// more than its letters: twenty million tests named "a" must not take a gigabyte.
const (
	mostNames = 16 << 20 // bytes
	nameCost  = 32       // bytes of each name beside its own
)

// nameList are names of tests, as far as a report tells them.
type nameList struct {
	list   []string
	bytes  int
	lacks  bool // some are not in the list
	sorted bool
}

// Names are the names of tests that passed and of those that were skipped, sorted, for a
// report that is kept: a later one is compared with it name by name.
type Names struct {
	Passed  []string `json:"passed,omitempty"`
	Skipped []string `json:"skipped,omitempty"`
	Lacks   bool     `json:"lacks,omitempty"` // some that passed have no name here
}

// KeepNames puts the names into the report, to be encoded with it.
func (r *Report) KeepNames() {
	r.passes.sort()
	r.skips.sort()
	r.Names = &Names{Passed: r.passes.list, Skipped: r.skips.list, Lacks: !r.NamesPasses()}
}

// UseNames takes the names of a report that was decoded.
func (r *Report) UseNames() {
	if r.Names != nil {
		r.passes = nameList{list: r.Names.Passed, lacks: r.Names.Lacks}
		r.skips = nameList{list: r.Names.Skipped}
	}
}

// passAs is Pass of a test with a name, the one that its failure would have.
func (r *Report) passAs(test string, flaky bool) {
	r.pass(flaky)
	r.passes.note(test)
}

// skipAs is Skip of a test with a name, the one that its failure would have.
func (r *Report) skipAs(test string) {
	r.Skip()
	r.skips.note(test)
}

func (p *nameList) note(test string) {
	if test == "" || p.bytes+nameCost+len(test) > mostNames {
		p.lacks = true
		return
	}
	p.list, p.bytes, p.sorted = append(p.list, strings.Clone(test)), p.bytes+nameCost+len(test), false
}

// passesBelow puts what passed, or was skipped, below the name of the test that it is part
// of.
func (r *Report) passesBelow(name string) {
	r.passes.below(name)
	r.skips.below(name)
}

func (p *nameList) below(name string) {
	for i, test := range p.list {
		p.list[i] = name + test
		p.bytes += len(name)
	}
	p.sorted = false
}

func (p *nameList) add(o nameList) {
	for _, test := range o.list {
		if p.bytes += nameCost + len(test); p.bytes > mostNames {
			p.lacks = true
			break
		}
		p.list = append(p.list, test)
	}
	p.lacks, p.sorted = p.lacks || o.lacks, false
}

func (p *nameList) sort() {
	if !p.sorted {
		p.list = slices.Clone(p.list)
		slices.Sort(p.list)
		p.list = slices.Compact(p.list)
		p.sorted = true
	}
}

// has reports whether a name is in the list, or one that is part of it.
func (p *nameList) has(test string) bool {
	if p.contains(test) {
		return true
	}
	for _, part := range []string{".", "/", "::", " > ", "["} {
		if at, _ := slices.BinarySearch(p.list, test+part); at < len(p.list) && strings.HasPrefix(p.list[at], test+part) {
			return true
		}
	}
	return false
}

func (p *nameList) contains(test string) bool {
	p.sort()
	_, found := slices.BinarySearch(p.list, test)
	return found
}

// NamesPasses reports whether every test that passed is known by its name, so that one that
// is neither among them nor among the failures did not run.
func (r *Report) NamesPasses() bool {
	return !r.passes.lacks && (r.Passed == 0 || len(r.passes.list) > 0)
}

// PassNames returns the names of what passed, sorted.
func (r *Report) PassNames() []string {
	r.passes.sort()
	return r.passes.list
}

// SkipNames returns the names of what was skipped, sorted.
func (r *Report) SkipNames() []string {
	r.skips.sort()
	return r.skips.list
}

// HasPassed reports whether a test of this name passed, or one that is part of it: what broke
// as a whole, a package or a file, passes by its tests.
func (r *Report) HasPassed(test string) bool { return r.passes.has(test) }

// HasSkipped reports whether a test of this name was skipped.
func (r *Report) HasSkipped(test string) bool { return r.skips.contains(test) }
