package testdiff

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/syntax"
)

// grown is a test with a table that came, or got more rows than it had.
type grown struct {
	test placed
	room int // tests that it can stand for; or Unknown
}

// grow notes by how many rows the test a has more than what it was.
func (p *pairing) grow(b, a placed) {
	if a.Rows == 0 || a.Group || a.Rows == b.Rows || a.Rows < 0 && b.Rows < 0 {
		return
	}
	room := a.Rows
	if a.Rows > 0 && b.Rows > 0 {
		room -= b.Rows
	} else if a.Rows > 0 && !parent(b, p.gone) {
		room-- // it stood for itself
	}
	if room != 0 {
		p.grown = append(p.grown, grown{a, max(room, Unknown)})
	}
}

// rowTests returns the tests of Go that have a table, each after its file: what they run for
// each row has a name, and is not a test of its own.
func (p *pairing) rowTests() map[string]bool {
	set := map[string]bool{}
	for _, a := range p.fresh {
		if a.Rows != 0 && a.lang == syntax.Go {
			set[a.file.Path+" "+a.Name] = true
		}
	}
	for _, g := range p.grown {
		if g.test.lang == syntax.Go {
			set[g.test.file.Path+" "+g.test.Name] = true
		}
	}
	return set
}

// parent tells a test that was there for its subtests, which are gone.
func parent(b placed, gone []placed) bool {
	return slices.ContainsFunc(gone, func(g placed) bool { return g.file == b.file && strings.HasPrefix(g.Name, b.Name+"/") })
}

// merged takes from the tests that are gone those that are rows of a table now. Of those
// that may be it keeps the name of the test with the table.
func (p *pairing) merged() {
	for _, a := range p.fresh {
		if !a.Group {
			p.grown = append(p.grown, grown{a, a.Rows})
		}
	}
	p.grown = slices.DeleteFunc(p.grown, func(g grown) bool {
		sure := slices.ContainsFunc(g.test.Skips, func(m Mark) bool { return !m.Maybe })
		return sure || !g.test.Fails() || g.room == 0
	})
	if len(p.grown) == 0 || len(p.gone)*len(p.grown) > mostPairs {
		return
	}
	p.seat(func(g placed, t grown) bool {
		return g.file == t.test.file && t.room > 0 && g.SameSubject(t.test.Test, nil) && g.InTable(t.test.Test)
	}, false)
	p.seat(func(g placed, t grown) bool {
		return t.room > 0 && g.SameSubject(t.test.Test, nil) && g.InTable(t.test.Test)
	}, false)
	p.seat(func(g placed, t grown) bool {
		return t.room != 0 && (g.SameSubject(t.test.Test, p.common[g.file]) || g.InTable(t.test.Test))
	}, true)
}

// seat gives each test that is gone a row of a table that fits it.
func (p *pairing) seat(fits func(placed, grown) bool, maybe bool) {
	var gone []placed
	for _, g := range p.gone {
		i := -1
		if !g.Group && g.into == "" && g.Name != outsideName {
			i = slices.IndexFunc(p.grown, func(t grown) bool { return g.lang.Family() == t.test.lang.Family() && fits(g, t) })
		}
		if i >= 0 && p.grown[i].room > 0 {
			p.grown[i].room--
		}
		if i >= 0 && maybe {
			g.into = p.grown[i].test.Name
		}
		if i < 0 || maybe {
			gone = append(gone, g)
		}
	}
	p.gone = gone
}
