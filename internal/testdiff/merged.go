package testdiff

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/syntax"
)

// extendedTest is a test with a new table, or with more rows than before.
type extendedTest struct {
	test      fileTest
	spareRows int // how many tests it can replace; or UnknownRows
}

// noteNewRows records how many rows the test a has more than before.
func (p *pairing) noteNewRows(b, a fileTest) {
	if a.Rows == 0 || a.Group || a.Rows == b.Rows || a.Rows < 0 && b.Rows < 0 {
		return
	}
	room := a.Rows
	if a.Rows > 0 && b.Rows > 0 {
		room -= b.Rows
	} else if a.Rows > 0 && !isParent(b, p.deleted) {
		room-- // one row replaces the test itself
	}
	if room != 0 {
		p.extended = append(p.extended, extendedTest{a, max(room, UnknownRows)})
	}
}

// goTableTests returns the Go tests that have a table, by file and name: their named subtests are
// rows, and not tests of their own.
func (p *pairing) goTableTests() map[string]bool {
	set := map[string]bool{}
	for _, a := range p.added {
		if a.Rows != 0 && a.lang == syntax.Go {
			set[a.file.Path+" "+a.Name] = true
		}
	}
	for _, g := range p.extended {
		if g.test.lang == syntax.Go {
			set[g.test.file.Path+" "+g.test.Name] = true
		}
	}
	return set
}

// isParent reports whether a test was the parent of deleted subtests.
func isParent(b fileTest, gone []fileTest) bool {
	return slices.ContainsFunc(gone, func(g fileTest) bool { return g.file == b.file && strings.HasPrefix(g.Name, b.Name+"/") })
}

// removeMerged removes deleted tests that became rows of a table. If that is only possible, the
// test stays with the name of the table test.
func (p *pairing) removeMerged() {
	for _, a := range p.added {
		if !a.Group {
			p.extended = append(p.extended, extendedTest{a, a.Rows})
		}
	}
	p.extended = slices.DeleteFunc(p.extended, func(g extendedTest) bool {
		sure := slices.ContainsFunc(g.test.Skips, func(m Mark) bool { return !m.Unsure })
		return sure || !g.test.CanFail() || g.spareRows == 0
	})
	if len(p.extended) == 0 || len(p.deleted)*len(p.extended) > maxPairs {
		return
	}
	p.assignRows(func(g fileTest, t extendedTest) bool {
		return g.file == t.test.file && t.spareRows > 0 && g.HasSameSubject(t.test.Test, nil) && g.IsInTable(t.test.Test)
	}, false)
	p.assignRows(func(g fileTest, t extendedTest) bool {
		return t.spareRows > 0 && g.HasSameSubject(t.test.Test, nil) && g.IsInTable(t.test.Test)
	}, false)
	p.assignRows(func(g fileTest, t extendedTest) bool {
		return t.spareRows != 0 && (g.HasSameSubject(t.test.Test, p.commonCalls[g.file]) || g.IsInTable(t.test.Test))
	}, true)
}

// assignRows gives each deleted test a matching row of a table.
func (p *pairing) assignRows(fits func(fileTest, extendedTest) bool, maybe bool) {
	var gone []fileTest
	for _, g := range p.deleted {
		i := -1
		if !g.Group && g.absorbedBy == "" && g.Name != outsideName {
			i = slices.IndexFunc(p.extended, func(t extendedTest) bool { return g.lang.Family() == t.test.lang.Family() && fits(g, t) })
		}
		if i >= 0 && p.extended[i].spareRows > 0 {
			p.extended[i].spareRows--
		}
		if i >= 0 && maybe {
			g.absorbedBy = p.extended[i].test.Name
		}
		if i < 0 || maybe {
			gone = append(gone, g)
		}
	}
	p.deleted = gone
}
