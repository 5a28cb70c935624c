package testreport

import (
	"slices"
	"strings"
)

// Bounds on the names of tests that passed, and on those that were skipped. A name costs
// more than its letters: twenty million tests named "a" must not take a gigabyte.
const (
	maxNameBytes = 16 << 20 // bytes
	nameCost     = 32       // bytes of each name beside its own
)

// nameList are names of tests, as far as a report tells them.
type nameList struct {
	list       []string
	bytes      int
	incomplete bool // some are not in the list
	sorted     bool
}

// Names are the names of tests that passed and of those that were skipped, sorted, for a
// report that is kept: a later one is compared with it name by name.
type Names struct {
	Passed     []string `json:"passed,omitempty"`
	Skipped    []string `json:"skipped,omitempty"`
	Incomplete bool     `json:"lacks,omitempty"` // some that passed have no name here
}

// EncodeNames puts the names into the report, to be encoded with it.
func (r *Report) EncodeNames() {
	r.passedNames.sort()
	r.skippedNames.sort()
	r.Names = &Names{Passed: r.passedNames.list, Skipped: r.skippedNames.list, Incomplete: !r.HasAllPassNames()}
}

// DecodeNames takes the names of a report that was decoded.
func (r *Report) DecodeNames() {
	if r.Names != nil {
		r.passedNames = nameList{list: r.Names.Passed, incomplete: r.Names.Incomplete}
		r.skippedNames = nameList{list: r.Names.Skipped}
	}
}

// passNamed is Pass of a test with a name, the one that its failure would have.
func (r *Report) passNamed(test string, flaky bool) {
	r.pass(flaky)
	r.passedNames.addName(test)
}

// skipNamed is Skip of a test with a name, the one that its failure would have.
func (r *Report) skipNamed(test string) {
	r.Skip()
	r.skippedNames.addName(test)
}

func (p *nameList) addName(test string) {
	if test == "" || p.bytes+nameCost+len(test) > maxNameBytes {
		p.incomplete = true
		return
	}
	p.list, p.bytes, p.sorted = append(p.list, strings.Clone(test)), p.bytes+nameCost+len(test), false
}

// prefixNames puts what passed, or was skipped, below the name of the test that it is part
// of.
func (r *Report) prefixNames(name string) {
	r.passedNames.prefixAll(name)
	r.skippedNames.prefixAll(name)
}

func (p *nameList) prefixAll(name string) {
	for i, test := range p.list {
		p.list[i] = name + test
		p.bytes += len(name)
	}
	p.sorted = false
}

func (p *nameList) addAll(o nameList) {
	for _, test := range o.list {
		if p.bytes += nameCost + len(test); p.bytes > maxNameBytes {
			p.incomplete = true
			break
		}
		p.list = append(p.list, test)
	}
	p.incomplete, p.sorted = p.incomplete || o.incomplete, false
}

func (p *nameList) sort() {
	if !p.sorted {
		p.list = slices.Clone(p.list)
		slices.Sort(p.list)
		p.list = slices.Compact(p.list)
		p.sorted = true
	}
}

// hasOrCases reports whether a name is in the list, or one that is part of it.
func (p *nameList) hasOrCases(test string) bool {
	if p.hasExactly(test) {
		return true
	}
	for _, part := range []string{".", "/", "::", " > ", "["} {
		if at, _ := slices.BinarySearch(p.list, test+part); at < len(p.list) && strings.HasPrefix(p.list[at], test+part) {
			return true
		}
	}
	return false
}

func (p *nameList) hasExactly(test string) bool {
	p.sort()
	_, found := slices.BinarySearch(p.list, test)
	return found
}

// HasAllPassNames reports whether every test that passed is known by its name, so that one that
// is neither among them nor among the failures did not run.
func (r *Report) HasAllPassNames() bool {
	return !r.passedNames.incomplete && (r.Passed == 0 || len(r.passedNames.list) > 0)
}

// PassedNames returns the names of what passed, sorted.
func (r *Report) PassedNames() []string {
	r.passedNames.sort()
	return r.passedNames.list
}

// SkippedNames returns the names of what was skipped, sorted.
func (r *Report) SkippedNames() []string {
	r.skippedNames.sort()
	return r.skippedNames.list
}

// HasPassed reports whether a test of this name passed, or one that is part of it: what broke
// as a whole, a package or a file, passes by its tests.
func (r *Report) HasPassed(test string) bool { return r.passedNames.hasOrCases(test) }

// HasSkipped reports whether a test of this name was skipped.
func (r *Report) HasSkipped(test string) bool { return r.skippedNames.hasExactly(test) }
