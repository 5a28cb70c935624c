package testreport

import (
	"slices"
	"strings"
)

// Limits of the names of passed tests, and of those of skipped tests. A name costs more than its
// bytes: twenty million tests named "a" must not take a gigabyte.
const (
	maxNameBytes = 16 << 20 // bytes
	nameCost     = 32       // bytes of each name besides its own
)

// nameList is a list of test names, as far as a report has them.
type nameList struct {
	list       []string
	bytes      int
	incomplete bool // names are missing
	sorted     bool
}

// Names are the sorted names of passed and of skipped tests in a stored report, so that a later
// report can be compared name by name.
type Names struct {
	Passed     []string `json:"passed,omitempty"`
	Skipped    []string `json:"skipped,omitempty"`
	Incomplete bool     `json:"lacks,omitempty"` // names of passed tests are missing
}

// EncodeNames sets Names, so that the names are encoded with the report.
func (r *Report) EncodeNames() {
	r.passedNames.sort()
	r.skippedNames.sort()
	r.Names = &Names{Passed: r.passedNames.list, Skipped: r.skippedNames.list, Incomplete: !r.HasAllPassNames()}
}

// DecodeNames restores the names of a decoded report.
func (r *Report) DecodeNames() {
	if r.Names != nil {
		r.passedNames = nameList{list: r.Names.Passed, incomplete: r.Names.Incomplete}
		r.skippedNames = nameList{list: r.Names.Skipped}
	}
}

// passNamed is pass with the name that a failure of the test would have.
func (r *Report) passNamed(test string, flaky bool) {
	r.pass(flaky)
	r.passedNames.addName(test)
}

// skipNamed is Skip with the name that a failure of the test would have.
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

// prefixNames prepends the name of the parent test to all names.
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

// hasOrCases reports whether the list has a name, or a case of that test.
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

// HasAllPassNames reports whether the names of all passed tests are known: then a test that is
// neither among them nor among the failures did not run.
func (r *Report) HasAllPassNames() bool {
	return !r.passedNames.incomplete && (r.Passed == 0 || len(r.passedNames.list) > 0)
}

// PassedNames returns the names of passed tests, sorted.
func (r *Report) PassedNames() []string {
	r.passedNames.sort()
	return r.passedNames.list
}

// SkippedNames returns the names of skipped tests, sorted.
func (r *Report) SkippedNames() []string {
	r.skippedNames.sort()
	return r.skippedNames.list
}

// HasPassed reports whether a test of this name, or a case of it, passed. A package or a file,
// which can fail as a whole, passes if one of its tests does.
func (r *Report) HasPassed(test string) bool { return r.passedNames.hasOrCases(test) }

// HasSkipped reports whether a test of this name was skipped.
func (r *Report) HasSkipped(test string) bool { return r.skippedNames.hasExactly(test) }
