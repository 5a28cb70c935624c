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
	Allow    []string       // globs of files whose findings are notes
	Asked    bool           // the task asks for tests to be changed: what they expect may change
	Wanted   *Wanted        // what the task wants gone; nil when that is not known
	Expected belay.Severity // of a changed expected value; "" is a warning
}

func (r Rules) expected() belay.Severity {
	if r.Expected == "" {
		return belay.SeverityWarning
	}
	return r.Expected
}

// placed is a test in its file.
type placed struct {
	Test
	file *syntax.File
	lang syntax.Language

	values  []Value   // what it expects
	between [2]string // of one that is gone or new: the tests before and after it in its file that stayed
	into    string    // of one that is gone: the test with a table that may do what it did
	why     string    // of one that is gone: why that may be no loss
	without bool      // of one that is gone: what it used is gone from the code
}

// unexplained tells whether nothing is known yet of why a test that is gone may be no loss.
func (a *placed) unexplained() bool { return a.why == "" && a.into == "" }

// pairing is what became of the tests of a change.
type pairing struct {
	found []belay.Finding // of tests that are still there; moved and renamed ones are
	gone  []placed
	fresh []placed
	grown []grown // tests with more rows than before
	lost  []loss  // outside tests

	there   []placed                         // all tests of the change that are there now
	kept    []placed                         // those of them that were there before, by name
	changed []changed                        // those of them that do something else than before
	common  map[*syntax.File]map[string]bool // what many tests that stayed in a file call
	stands  map[string]string                // which test that is gone a new one stands for

	turns  []turn  // tests that expect something else than before
	others []Value // what tests that are still there expect and did not
}

// Look returns what the files' changes take away from tests.
func Look(files []*syntax.File, r Rules) []belay.Finding {
	p := pairUp(files)
	p.explain(files, r)
	out := append(append(p.found, deleted(files, p, r.Wanted)...), outside(files, p.lost)...)
	out = append(append(out, changedExpectations(files, p, r)...), rewritten(files, r)...)
	for _, f := range p.fresh {
		out = append(out, added(f)...)
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
func testsOf(f *syntax.File, text []byte) []placed {
	if !holdsTests(f, text) {
		return nil
	}
	l := syntax.Of(f.Path)
	var out []placed
	for _, u := range Read(l, text) {
		out = append(out, placed{Test: u, file: f, lang: l})
	}
	return out
}

// holdsTests reports whether a text of the file is one that test runners look into.
func holdsTests(f *syntax.File, text []byte) bool {
	return text != nil && syntax.Of(f.Path) != syntax.None && syntax.IsTest(f.Path) && !syntax.Binary(text) && !syntax.Generated(f.Path)
}

// pairUp finds for each test that was there what it is now: the test of its name in its
// file, else one of its name elsewhere in the change, else one that does nearly the same
// under another name.
func pairUp(files []*syntax.File) pairing {
	parts := make([]pairing, len(files))
	common := map[*syntax.File]map[string]bool{}
	syntax.Each(files, func(i int, f *syntax.File) { parts[i] = pairFile(f) })
	p := pairing{common: common}
	for i, part := range parts {
		common[files[i]] = part.common[files[i]]
		p.kept = append(p.kept, part.kept...)
		p.found = append(p.found, part.found...)
		p.gone = append(p.gone, part.gone...)
		p.fresh = append(p.fresh, part.fresh...)
		p.grown = append(p.grown, part.grown...)
		p.lost = append(p.lost, part.lost...)
		p.turns = append(p.turns, part.turns...)
		p.others = append(p.others, part.others...)
		p.there = append(p.there, part.there...)
		p.changed = append(p.changed, part.changed...)
	}
	p.meet(func(b, a placed) bool { return b.Leaf == a.Leaf && b.file == a.file && !p.beside(b, a) })
	p.meet(func(b, a placed) bool { return b.Leaf == a.Leaf && group(b) == group(a) })
	p.meet(func(b, a placed) bool { return b.Leaf == a.Leaf && !p.beside(b, a) })
	if len(p.gone)*len(p.fresh) <= mostPairs {
		rows := p.rowTests()
		p.meet(func(b, a placed) bool {
			return !rows[a.file.Path+" "+path.Dir(a.Name)] && b.Alike(a.Test) && !p.copied(b, a) && !p.beside(b, a)
		})
	}
	p.merged()
	return p
}

// group is the name of the group that a test is in, "" for one that is in none.
func group(t placed) string {
	parts := strings.Split(t.Name, " > ")
	return parts[max(len(parts)-2, 0)]
}

// groups are the names of all groups that a test is in.
func groups(t placed) string {
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
	p.found = append(excluded(f), settings(f)...)
	before, after := testsOf(f, f.Before), testsOf(f, f.After)
	if l, less := lost(f, before, after); less {
		p.lost = append(p.lost, l)
	}
	before, after = expecting(f, f.Before, before), expecting(f, f.After, after)
	p.there = after
	byName := map[string]int{}
	for i, a := range after {
		byName[a.Name] = i
	}
	used := map[int]bool{}
	var same [][2]placed
	for _, b := range before {
		i, there := byName[b.Name]
		if there && !used[i] && after[i].Group == b.Group {
			used[i] = true
			same = append(same, [2]placed{b, after[i]})
		} else {
			p.gone = append(p.gone, b)
		}
	}
	for _, s := range same {
		p.pair(s[0], s[1])
		if !s[1].Group && s[1].Name != outsideName {
			p.kept = append(p.kept, s[1])
		}
	}
	stayed := func(b placed) bool {
		i, there := byName[b.Name]
		return there && used[i]
	}
	between(before, stayed)
	between(after, stayed)
	for i := range p.gone {
		j := slices.IndexFunc(before, func(b placed) bool { return b.Name == p.gone[i].Name && b.Line == p.gone[i].Line })
		p.gone[i].between = before[j].between
	}
	p.common = map[*syntax.File]map[string]bool{f: Common(read(p.kept))}
	for i, a := range after {
		if !used[i] {
			p.fresh = append(p.fresh, a)
		}
	}
	return p
}

// between notes of each test of a text, in the order of the text, which tests that stayed
// are next to it.
func between(list []placed, stayed func(placed) bool) {
	last := ""
	for i := range list {
		list[i].between[0] = last
		if stayed(list[i]) {
			last = list[i].Name
		}
	}
	last = ""
	for i := range slices.Backward(list) {
		list[i].between[1] = last
		if stayed(list[i]) {
			last = list[i].Name
		}
	}
}

// pair compares a test with what it is now.
func (p *pairing) pair(b, a placed) {
	if a.Name != outsideName {
		p.found = append(p.found, compare(b, a)...)
		p.grow(b, a)
		if len(b.Body) != len(a.Body) || b.Shared(a.Test) != len(a.Body) {
			p.changed = append(p.changed, changed{a, b})
		}
	}
	changes, rest := Changed(b.values, a.values)
	for _, c := range changes {
		p.turns = append(p.turns, turn{a, c})
	}
	p.others = append(p.others, rest...)
}

// changed is a test that does something else than it did.
type changed struct{ is, was placed }

// copied reports whether the new test a is as much like a test of its file that was there and is as it
// is like b: then it is a copy of that one, and no other name for b.
func (p *pairing) copied(b, a placed) bool {
	alike := b.Shared(a.Test)
	if alike == len(a.Body) && alike == len(b.Body) {
		return false
	}
	return slices.ContainsFunc(p.kept, func(k placed) bool {
		return k.file == a.file && k.Name != a.Name && k.Alike(a.Test) && k.Shared(a.Test) >= alike
	})
}

// beside reports whether the new test a stands beside b, in a group of its own: that of b is still there, and a asserts
// less, or is in a copy of it, in which other tests have the names of tests that stayed.
func (p *pairing) beside(b, a placed) bool {
	of, in := groups(b), groups(a)
	if in == "" || of == in || !p.stayed(b) {
		return false
	}
	if a.Asserts < b.Asserts {
		return true
	}
	return slices.ContainsFunc(p.fresh, func(other placed) bool {
		return other.file == a.file && groups(other) == in && other.Leaf != a.Leaf && slices.ContainsFunc(p.kept, func(k placed) bool {
			return k.file == b.file && groups(k) == of && k.Leaf == other.Leaf
		})
	})
}

// stayed reports whether the group that a test was in is still there.
func (p *pairing) stayed(b placed) bool {
	of := groups(b)
	return slices.ContainsFunc(p.there, func(a placed) bool { return a.Group && a.file == b.file && a.Name == of })
}

// mostPairs bounds how many tests are compared for having been renamed.
const mostPairs = 40_000

// meet keeps the tests that are gone and come again by the rule.
func (p *pairing) meet(same func(b, a placed) bool) {
	var gone []placed
	for _, b := range p.gone {
		i := slices.IndexFunc(p.fresh, func(a placed) bool {
			return a.Group == b.Group && a.lang.Family() == b.lang.Family() && same(b, a)
		})
		if i < 0 {
			gone = append(gone, b)
			continue
		}
		p.pair(b, p.fresh[i])
		p.fresh = slices.Delete(p.fresh, i, i+1)
	}
	p.gone = gone
}

// deleted returns findings for tests that are gone, one for a file that is gone whole. What the
// request says is to go is a note; what may be no loss is a warning.
func deleted(files []*syntax.File, p pairing, w *Wanted) []belay.Finding {
	var out []belay.Finding
	byFile := map[*syntax.File][]placed{}
	for _, g := range p.gone {
		if !g.Group && g.Name != outsideName {
			byFile[g.file] = append(byFile[g.file], g)
		}
	}
	for _, f := range files {
		gone := byFile[f]
		if len(gone) == 0 {
			continue
		}
		if f.Deleted() {
			out = append(out, fileDeleted(f, gone, files, w))
			continue
		}
		for _, g := range gone {
			out = append(out, testDeleted(g, w))
		}
	}
	return out
}

func testDeleted(g placed, w *Wanted) belay.Finding {
	x := belay.Finding{
		Severity: belay.SeverityQuestion, File: g.file.Path, Title: "test deleted: " + clip(g.Name),
		Detail:         fmt.Sprintf("it was in line %d, and no test with its name or content is anywhere in the change", g.Line),
		Recommendation: "restore the test unless the task makes it superfluous; a person has to approve its deletion",
	}
	switch {
	case g.into != "":
		x.Severity, x.Detail = belay.SeverityWarning, fmt.Sprintf("it was in line %d; %s, a table test, may cover it", g.Line, clip(g.into))
		x.Recommendation = "make sure that its case is a row of the table"
	case g.why != "":
		x.Severity, x.Detail = belay.SeverityWarning, fmt.Sprintf("it was in line %d; %s", g.Line, g.why)
		x.Recommendation = "make sure that everything it tested is still tested"
	default:
		x.Severity, x.Detail = w.severity(w.test(g), x.Detail)
	}
	return x
}

// severity says how a test that is gone is to be reported, by what the request says of it.
func (w *Wanted) severity(p permission, detail string) (belay.Severity, string) {
	switch p {
	case asked:
		return belay.SeverityNote, detail + "; the task asks for that"
	case fits:
		return belay.SeverityWarning, detail + "; the task may require it"
	}
	return belay.SeverityQuestion, detail
}

func fileDeleted(f *syntax.File, gone []placed, files []*syntax.File, w *Wanted) belay.Finding {
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
		if g.without {
			without++
		}
		p := w.test(g)
		if p == notAsked && (g.into != "" || g.why != "") {
			if p = fits; why == "" {
				why = g.why
			}
			if g.into != "" {
				why = clip(g.into) + ", a table test, may cover it"
			}
		}
		least = min(least, p)
	}
	switch {
	case least == asked:
		out.Severity, out.Detail = w.severity(asked, out.Detail)
		return out
	case least == fits && why != "":
		warn(why)
	case without*2 > len(gone):
		warn("most of them used code that was removed")
	case least == fits:
		out.Severity, out.Detail = w.severity(fits, out.Detail)
	case inCode(f.Path):
		warn("it also contained code, which was removed with them")
	}
	about := strings.ToLower(syntax.Subject(f.Path))
	for _, other := range files {
		same := syntax.Of(other.Path).Family() == syntax.Of(f.Path).Family() && strings.ToLower(syntax.Stem(other.Path)) == about
		if other != f && other.Deleted() && same && !syntax.ForTests(other.Path) {
			warn(other.Path + ", which it tested, was removed too")
		}
	}
	return out
}

func clip(s string) string {
	return belay.VisibleLine(belay.Clip(s, 160))
}
