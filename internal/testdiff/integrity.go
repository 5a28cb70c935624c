package testdiff

import (
	"cmp"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"

	"github.com/belay-dev/belay/internal/syntax"
)

// Certain findings are errors, guesses are warnings.

// Rules are the config for test integrity.
type Rules struct {
	Allow        []string         // globs of files with findings that are only notes
	ChangesAsked bool             // the task asks to change tests, so that expected values may change
	Deletions    *DeletionRequest // what the task wants deleted; nil if unknown
	Expected     belay.Severity   // of a changed expected value; "" means a warning
}

func (r Rules) expectedSeverity() belay.Severity {
	if r.Expected == "" {
		return belay.SeverityWarning
	}
	return r.Expected
}

// fileTest is a test in its file.
type fileTest struct {
	Test
	file *syntax.File
	lang syntax.Language

	values         []Value   // its expected values
	neighbours     [2]string // of a deleted or new one: the nearest remaining tests before and after it in its file
	absorbedBy     string    // of a deleted one: the table test that may replace it
	reason         string    // of a deleted one: why that may be no loss
	subjectDeleted bool      // of a deleted one: code that it used was deleted
}

// isUnexplained reports whether no reason for a deletion is known yet.
func (a *fileTest) isUnexplained() bool { return a.reason == "" && a.absorbedBy == "" }

// pairing matches the tests before a change with those after it.
type pairing struct {
	findings      []belay.Finding // of tests that still exist, including moved and renamed ones
	deleted       []fileTest
	added         []fileTest
	extended      []extendedTest // tests with more rows than before
	outsideLosses []outsideLoss  // outside tests

	current     []fileTest                       // all tests after the change
	existing    []fileTest                       // those that existed before by the same name
	changed     []changedTest                    // tests with another body than before
	commonCalls map[*syntax.File]map[string]bool // by file: calls that many of the remaining tests have
	replaces    map[string]string                // by new test: the deleted test that it replaces
	successors  map[string]Successor             // by short name of a deleted test

	expectationChanges []expectationChange // tests that expect something else than before
	newValues          []Value             // new expected values of tests that still exist
}

// Check returns findings for what the change takes away from tests.
func Check(files []*syntax.File, r Rules) []belay.Finding {
	p := pairTests(files)
	p.explain(files, r)
	out := append(append(p.findings, findDeletedTests(files, p, r.Deletions)...), findOutsideLosses(files, p.outsideLosses)...)
	out = append(append(out, changedExpectations(files, p, r)...), findRewrittenSnapshots(files, r)...)
	for _, f := range p.added {
		out = append(out, checkNewTest(f)...)
	}
	for i := range out {
		out[i].Category = belay.CategoryIntegrity
		if belay.Match(r.Allow, out[i].File) {
			out[i].Severity = belay.SeverityNote
		}
	}
	slices.SortStableFunc(out, func(a, b belay.Finding) int {
		return cmp.Or(strings.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line))
	})
	return out
}

// testsOf returns the tests of one text of a file, none if test runners do not read the file.
func testsOf(f *syntax.File, text []byte) []fileTest {
	if !containsTests(f, text) {
		return nil
	}
	l := syntax.LanguageOf(f.Path)
	var out []fileTest
	for _, u := range ReadTests(l, text) {
		out = append(out, fileTest{Test: u, file: f, lang: l})
	}
	return out
}

// containsTests reports whether test runners read a text of the file.
func containsTests(f *syntax.File, text []byte) bool {
	return text != nil && syntax.LanguageOf(f.Path) != syntax.None && syntax.IsTest(f.Path) && !syntax.IsBinary(text) &&
		!syntax.IsGenerated(f.Path)
}

// pairTests matches each test with what it is now: the test of its name in its file, else one of
// its name elsewhere in the change, else one that does nearly the same under another name.
func pairTests(files []*syntax.File) pairing {
	parts := make([]pairing, len(files))
	common := map[*syntax.File]map[string]bool{}
	syntax.ForEach(files, func(i int, f *syntax.File) { parts[i] = pairFile(f) })
	p := pairing{commonCalls: common, successors: map[string]Successor{}}
	for i, part := range parts {
		common[files[i]] = part.commonCalls[files[i]]
		p.existing = append(p.existing, part.existing...)
		p.findings = append(p.findings, part.findings...)
		p.deleted = append(p.deleted, part.deleted...)
		p.added = append(p.added, part.added...)
		p.extended = append(p.extended, part.extended...)
		p.outsideLosses = append(p.outsideLosses, part.outsideLosses...)
		p.expectationChanges = append(p.expectationChanges, part.expectationChanges...)
		p.newValues = append(p.newValues, part.newValues...)
		p.current = append(p.current, part.current...)
		p.changed = append(p.changed, part.changed...)
	}
	p.matchDeleted(func(b, a fileTest) bool { return b.ShortName == a.ShortName && b.file == a.file && !p.isSibling(b, a) })
	p.matchDeleted(func(b, a fileTest) bool { return b.ShortName == a.ShortName && groupName(b) == groupName(a) })
	p.matchDeleted(func(b, a fileTest) bool { return b.ShortName == a.ShortName && !p.isSibling(b, a) })
	if len(p.deleted)*len(p.added) <= maxPairs {
		rows := p.goTableTests()
		p.matchDeleted(func(b, a fileTest) bool {
			return !rows[a.file.Path+" "+path.Dir(a.Name)] && b.IsSimilar(a.Test) && !p.isCopy(b, a) && !p.isSibling(b, a)
		})
	}
	for _, b := range p.deleted {
		p.addSuccessor(b, Successor{})
	}
	p.removeMerged()
	return p
}

// Successor is what became of deleted tests of one short name.
type Successor struct {
	Name   string // of the test that it became; "" if other tests do what it did
	Reason string // why the deletion may be no loss, if no other test does what it did
	Tests  int    // number of deleted tests of that short name; 0 if nothing is known of them
}

// addSuccessor records what became of a deleted test. Of several with one short name, the last counts.
func (p *pairing) addSuccessor(b fileTest, s Successor) {
	s.Tests = p.successors[b.ShortName].Tests + 1
	p.successors[b.ShortName] = s
}

// Successors returns, by short names of deleted tests, what became of them. Nothing is known of tests with an unexplained
// deletion, and by names that a test still has.
func Successors(files []*syntax.File, r Rules) map[string]Successor {
	p := pairTests(files)
	p.explain(files, r)
	for _, g := range p.deleted {
		s := p.successors[g.ShortName]
		if s.Reason = g.reason; g.Group || g.Name == outsideName || g.isUnexplained() {
			s = Successor{}
		}
		p.successors[g.ShortName] = s
	}
	for _, a := range p.current {
		if a.Name != outsideName {
			p.successors[a.ShortName] = Successor{}
		}
	}
	return p.successors
}

// groupName returns the name of a test's innermost group; of a test without a group it is the
// test's own name.
func groupName(t fileTest) string {
	parts := strings.Split(t.Name, " > ")
	return parts[max(len(parts)-2, 0)]
}

// groupNames returns the names of all groups of a test.
func groupNames(t fileTest) string {
	if i := strings.LastIndex(t.Name, " > "); i >= 0 {
		return t.Name[:i]
	}
	return ""
}

// pairFile compares the tests of the same name in both texts of a file, and looks for anything else
// in it that keeps tests from running.
func pairFile(f *syntax.File) pairing {
	var p pairing
	if string(f.Before) == string(f.After) {
		return p
	}
	p.findings = append(findExcludedFiles(f), findWeakenedSettings(f)...)
	before, after := testsOf(f, f.Before), testsOf(f, f.After)
	if l, less := compareOutside(f, before, after); less {
		p.outsideLosses = append(p.outsideLosses, l)
	}
	before, after = withValues(f, f.Before, before), withValues(f, f.After, after)
	p.current = after
	byName := map[string]int{}
	for i, a := range after {
		byName[a.Name] = i
	}
	used := map[int]bool{}
	var same [][2]fileTest
	for _, b := range before {
		i, there := byName[b.Name]
		if there && !used[i] && after[i].Group == b.Group {
			used[i] = true
			same = append(same, [2]fileTest{b, after[i]})
		} else {
			p.deleted = append(p.deleted, b)
		}
	}
	for _, s := range same {
		p.addPair(s[0], s[1])
		if !s[1].Group && s[1].Name != outsideName {
			p.existing = append(p.existing, s[1])
		}
	}
	stayed := func(b fileTest) bool {
		i, there := byName[b.Name]
		return there && used[i]
	}
	setNeighbours(before, stayed)
	setNeighbours(after, stayed)
	for i := range p.deleted {
		j := slices.IndexFunc(before, func(b fileTest) bool { return b.Name == p.deleted[i].Name && b.Line == p.deleted[i].Line })
		p.deleted[i].neighbours = before[j].neighbours
	}
	p.commonCalls = map[*syntax.File]map[string]bool{f: CommonCalls(plainTests(p.existing))}
	for i, a := range after {
		if !used[i] {
			p.added = append(p.added, a)
		}
	}
	return p
}

// setNeighbours records for each test of a text, in the order of the text, the nearest remaining
// tests.
func setNeighbours(list []fileTest, stayed func(fileTest) bool) {
	last := ""
	for i := range list {
		list[i].neighbours[0] = last
		if stayed(list[i]) {
			last = list[i].Name
		}
	}
	last = ""
	for i := range slices.Backward(list) {
		list[i].neighbours[1] = last
		if stayed(list[i]) {
			last = list[i].Name
		}
	}
}

// addPair compares a test before and after.
func (p *pairing) addPair(b, a fileTest) {
	if a.Name != outsideName {
		p.findings = append(p.findings, compareTests(b, a)...)
		p.noteNewRows(b, a)
		if len(b.Body) != len(a.Body) || b.CountShared(a.Test) != len(a.Body) {
			p.changed = append(p.changed, changedTest{a, b})
		}
	}
	changes, rest := CompareValues(b.values, a.values)
	for _, c := range changes {
		p.expectationChanges = append(p.expectationChanges, expectationChange{a, c})
	}
	p.newValues = append(p.newValues, rest...)
}

// changedTest is a test with a changed body.
type changedTest struct{ after, before fileTest }

// isCopy reports whether the new test a is at least as similar to an existing test of its file as
// it is to b: then it is a copy of that, and not b renamed.
func (p *pairing) isCopy(b, a fileTest) bool {
	alike := b.CountShared(a.Test)
	if alike == len(a.Body) && alike == len(b.Body) {
		return false
	}
	return slices.ContainsFunc(p.existing, func(k fileTest) bool {
		return k.file == a.file && k.Name != a.Name && k.IsSimilar(a.Test) && k.CountShared(a.Test) >= alike
	})
}

// isSibling reports whether the new test a is an addition in another group, and not b moved: b's
// group still exists, and a asserts less, or a's group is a copy of b's, in which other tests have
// the names of remaining tests.
func (p *pairing) isSibling(b, a fileTest) bool {
	of, in := groupNames(b), groupNames(a)
	if in == "" || of == in || !p.groupRemains(b) {
		return false
	}
	if a.Asserts < b.Asserts {
		return true
	}
	return slices.ContainsFunc(p.added, func(other fileTest) bool {
		return other.file == a.file && groupNames(other) == in && other.ShortName != a.ShortName &&
			slices.ContainsFunc(p.existing, func(k fileTest) bool {
				return k.file == b.file && groupNames(k) == of && k.ShortName == other.ShortName
			})
	})
}

// groupRemains reports whether a test's group still exists.
func (p *pairing) groupRemains(b fileTest) bool {
	of := groupNames(b)
	return slices.ContainsFunc(p.current, func(a fileTest) bool { return a.Group && a.file == b.file && a.Name == of })
}

// maxPairs bounds how many pairs of tests are compared to find renamed ones.
const maxPairs = 40_000

// matchDeleted pairs deleted and added tests by a rule; deleted ones without a match remain.
func (p *pairing) matchDeleted(same func(b, a fileTest) bool) {
	var gone []fileTest
	for _, b := range p.deleted {
		i := slices.IndexFunc(p.added, func(a fileTest) bool {
			return a.Group == b.Group && a.lang.Family() == b.lang.Family() && same(b, a)
		})
		if i < 0 {
			gone = append(gone, b)
			continue
		}
		p.addPair(b, p.added[i])
		p.addSuccessor(b, Successor{Name: p.added[i].ShortName})
		p.added = slices.Delete(p.added, i, i+1)
	}
	p.deleted = gone
}

// findDeletedTests returns a finding for each deleted test, or one for a deleted file. Severity is
// a note if the request asks for the deletion, and a warning if it may be no loss.
func findDeletedTests(files []*syntax.File, p pairing, w *DeletionRequest) []belay.Finding {
	var out []belay.Finding
	byFile := map[*syntax.File][]fileTest{}
	for _, g := range p.deleted {
		if !g.Group && g.Name != outsideName {
			byFile[g.file] = append(byFile[g.file], g)
		}
	}
	for _, f := range files {
		gone := byFile[f]
		if len(gone) == 0 {
			continue
		}
		if f.IsDeleted() {
			out = append(out, deletedFileFinding(f, gone, files, w))
			continue
		}
		for _, g := range gone {
			out = append(out, deletedTestFinding(g, w))
		}
	}
	return out
}

func deletedTestFinding(g fileTest, w *DeletionRequest) belay.Finding {
	x := belay.Finding{
		Severity: belay.SeverityQuestion, File: g.file.Path, Title: "test deleted: " + clip(g.Name),
		Detail:         fmt.Sprintf("it was in line %d, and no test with its name or content is anywhere in the change", g.Line),
		Recommendation: "restore the test unless the task makes it superfluous; a person has to approve its deletion",
	}
	switch {
	case g.absorbedBy != "":
		x.Severity, x.Detail = belay.SeverityWarning, fmt.Sprintf("it was in line %d; %s, a table test, may cover it",
			g.Line, clip(g.absorbedBy))
		x.Recommendation = "make sure that its case is a row of the table"
	case g.reason != "":
		x.Severity, x.Detail = belay.SeverityWarning, fmt.Sprintf("it was in line %d; %s", g.Line, g.reason)
		x.Recommendation = "make sure that everything it tested is still tested"
	default:
		x.Severity, x.Detail = w.severity(w.coversTest(g), x.Detail)
	}
	return x
}

// severity returns the severity and detail for a deleted test, by the request's permission.
func (w *DeletionRequest) severity(p permission, detail string) (belay.Severity, string) {
	switch p {
	case asked:
		return belay.SeverityNote, detail + "; the task asks for that"
	case maybeAsked:
		return belay.SeverityWarning, detail + "; the task may require it"
	}
	return belay.SeverityQuestion, detail
}

func deletedFileFinding(f *syntax.File, gone []fileTest, files []*syntax.File, w *DeletionRequest) belay.Finding {
	var names []string
	for _, g := range gone[:min(len(gone), 20)] {
		names = append(names, clip(g.Name))
	}
	if len(gone) > 20 {
		names = append(names, fmt.Sprintf("%d more", len(gone)-20))
	}
	out := belay.Finding{
		Severity: belay.SeverityQuestion, File: f.Path, Title: "test file deleted: " + f.Path,
		Detail:         fmt.Sprintf("it contained %s", strings.Join(names, ", ")),
		Recommendation: "restore the file unless the task makes it superfluous; a person has to approve its deletion",
	}
	warn := func(why string) {
		out.Severity = belay.SeverityWarning
		out.Detail += "; " + why
	}
	// Each test needs the request's permission or a reason: deleting a file is a good way to hide
	// one of them. If most of them used deleted code, the file was about that.
	least, why, without := asked, "", 0
	for _, g := range gone {
		if g.subjectDeleted {
			without++
		}
		p := w.coversTest(g)
		if p == notAsked && (g.absorbedBy != "" || g.reason != "") {
			if p = maybeAsked; why == "" {
				why = g.reason
			}
			if g.absorbedBy != "" {
				why = clip(g.absorbedBy) + ", a table test, may cover it"
			}
		}
		least = min(least, p)
	}
	switch {
	case least == asked:
		out.Severity, out.Detail = w.severity(asked, out.Detail)
		return out
	case least == maybeAsked && why != "":
		warn(why)
	case without*2 > len(gone):
		warn("most of them used code that was removed")
	case least == maybeAsked:
		out.Severity, out.Detail = w.severity(maybeAsked, out.Detail)
	case keepsTestsInCode(f.Path):
		warn("it also contained code, which was removed with them")
	}
	about := strings.ToLower(syntax.TestedName(f.Path))
	for _, other := range files {
		same := syntax.LanguageOf(other.Path).Family() == syntax.LanguageOf(f.Path).Family() &&
			strings.ToLower(syntax.BaseName(other.Path)) == about
		if other != f && other.IsDeleted() && same && !syntax.IsForTests(other.Path) {
			warn(other.Path + ", which it tested, was removed too")
		}
	}
	return out
}

func clip(s string) string {
	return belay.VisibleLine(belay.Clip(s, 160))
}
