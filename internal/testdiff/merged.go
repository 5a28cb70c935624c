package testdiff

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/syntax"
)

// extendedTest is a test with a table that came, or got more rows than it had.
type extendedTest struct {
	test      fileTest
	spareRows int // tests that it can stand for; or Unknown
}

// noteNewRows notes by how many rows the test a has more than what it was.
func (p *pairing) noteNewRows(b, a fileTest) {
	if a.Rows == 0 || a.Group || a.Rows == b.Rows || a.Rows < 0 && b.Rows < 0 {
		return
	}
	room := a.Rows
	if a.Rows > 0 && b.Rows > 0 {
		room -= b.Rows
	} else if a.Rows > 0 && !isParent(b, p.deleted) {
		room-- // it stood for itself
	}
	if room != 0 {
		p.extended = append(p.extended, extendedTest{a, max(room, UnknownRows)})
	}
}

// goTableTests returns the tests of Go that have a table, each after its file: what they run for
// each row has a name, and is not a test of its own.
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

// isParent recognises a test that was there for its subtests, which are gone.
func isParent(b fileTest, gone []fileTest) bool {
	return slices.ContainsFunc(gone, func(g fileTest) bool { return g.file == b.file && strings.HasPrefix(g.Name, b.Name+"/") })
}

// removeMerged takes from the tests that are gone those that are rows of a table now. Of those
// that may be it keeps the name of the test with the table.
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

// assignRows gives each test that is gone a row of a table that fits it.
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
