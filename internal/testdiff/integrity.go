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

// What is certain is an error, what is guessed is a warning.

// Rules are what the config says of test integrity.
type Rules struct {
	Allow        []string         // globs of files whose findings are notes
	ChangesAsked bool             // the task asks for tests to be changed: what they expect may change
	Deletions    *DeletionRequest // what the task wants gone; nil when that is not known
	Expected     belay.Severity   // of a changed expected value; "" is a warning
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

	values         []Value   // what it expects
	neighbours     [2]string // of one that is gone or new: the tests before and after it in its file that stayed
	absorbedBy     string    // of one that is gone: the test with a table that may do what it did
	reason         string    // of one that is gone: why that may be no loss
	subjectDeleted bool      // of one that is gone: what it used is gone from the code
}

// isUnexplained reports whether nothing is known yet of why a test that is gone may be no loss.
func (a *fileTest) isUnexplained() bool { return a.reason == "" && a.absorbedBy == "" }

// pairing is what became of the tests of a change.
type pairing struct {
	findings      []belay.Finding // of tests that are still there; moved and renamed ones are
	deleted       []fileTest
	added         []fileTest
	extended      []extendedTest // tests with more rows than before
	outsideLosses []outsideLoss  // outside tests

	current     []fileTest                       // all tests of the change that are there now
	existing    []fileTest                       // those of them that were there before, by name
	changed     []changedTest                    // those of them that do something else than before
	commonCalls map[*syntax.File]map[string]bool // what many tests that stayed in a file call
	replaces    map[string]string                // which test that is gone a new one stands for

	expectationChanges []expectationChange // tests that expect something else than before
	newValues          []Value             // what tests that are still there expect and did not
}

// Check returns what the files' changes take away from tests.
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

// testsOf returns the tests of one text of a file, none where its runners look for none.
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

// containsTests reports whether a text of the file is one that test runners look into.
func containsTests(f *syntax.File, text []byte) bool {
	return text != nil && syntax.LanguageOf(f.Path) != syntax.None && syntax.IsTest(f.Path) && !syntax.IsBinary(text) &&
		!syntax.IsGenerated(f.Path)
}

// pairTests finds for each test that was there what it is now: the test of its name in its
// file, else one of its name elsewhere in the change, else one that does nearly the same
// under another name.
func pairTests(files []*syntax.File) pairing {
	parts := make([]pairing, len(files))
	common := map[*syntax.File]map[string]bool{}
	syntax.ForEach(files, func(i int, f *syntax.File) { parts[i] = pairFile(f) })
	p := pairing{commonCalls: common}
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
	p.removeMerged()
	return p
}

// groupName returns the name of the group that a test is in, "" for one that is in none.
func groupName(t fileTest) string {
	parts := strings.Split(t.Name, " > ")
	return parts[max(len(parts)-2, 0)]
}

// groupNames returns the names of all groups that a test is in.
func groupNames(t fileTest) string {
	if i := strings.LastIndex(t.Name, " > "); i >= 0 {
		return t.Name[:i]
	}
	return ""
}

// pairFile compares the tests that have one name in both texts of a file, and looks at
// what else in it keeps tests from running.
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

// setNeighbours notes of each test of a text, in the order of the text, which tests that stayed
// are next to it.
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

// addPair compares a test with what it is now.
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

// changedTest is a test that does something else than it did.
type changedTest struct{ after, before fileTest }

// isCopy reports whether the new test a is as much like a test of its file that was there and is as it
// is like b: then it is a copy of that one, and no other name for b.
func (p *pairing) isCopy(b, a fileTest) bool {
	alike := b.CountShared(a.Test)
	if alike == len(a.Body) && alike == len(b.Body) {
		return false
	}
	return slices.ContainsFunc(p.existing, func(k fileTest) bool {
		return k.file == a.file && k.Name != a.Name && k.IsSimilar(a.Test) && k.CountShared(a.Test) >= alike
	})
}

// isSibling reports whether the new test a stands beside b, in a group of its own: that of b is still there, and a asserts
// less, or is in a copy of it, in which other tests have the names of tests that stayed.
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

// groupRemains reports whether the group that a test was in is still there.
func (p *pairing) groupRemains(b fileTest) bool {
	of := groupNames(b)
	return slices.ContainsFunc(p.current, func(a fileTest) bool { return a.Group && a.file == b.file && a.Name == of })
}

// maxPairs bounds how many tests are compared for having been renamed.
const maxPairs = 40_000

// matchDeleted keeps the tests that are gone and come again by the rule.
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
		p.added = slices.Delete(p.added, i, i+1)
	}
	p.deleted = gone
}

// findDeletedTests returns findings for tests that are gone, one for a file that is gone whole. What the
// request says is to go is a note; what may be no loss is a warning.
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

// severity says how a test that is gone is to be reported, by what the request says of it.
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
	// Each test has to be accounted for, by the request or by what became of it: a file is as
	// good a place to hide one as any. Where most of them used what is gone from the code, it was about that.
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
