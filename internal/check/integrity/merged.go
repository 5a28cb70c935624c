package integrity

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/check/cases"
	"github.com/belay-dev/belay/internal/check/lang"
	"github.com/belay-dev/belay/internal/wordset"
)

// grown is a test with a table that came, or got more rows than it had.
type grown struct {
	test placed
	room int // tests that it can stand for; cases.Unknown
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
		p.grown = append(p.grown, grown{a, max(room, cases.Unknown)})
	}
}

// rowTests gives the tests of Go that have a table, each after its file: what they run for
// each row has a name, and is no test of its own.
func (p *pairing) rowTests() map[string]bool {
	set := map[string]bool{}
	for _, a := range p.fresh {
		if a.Rows != 0 && a.lang == lang.Go {
			set[a.file.Path+" "+a.Name] = true
		}
	}
	for _, g := range p.grown {
		if g.test.lang == lang.Go {
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
		sure := slices.ContainsFunc(g.test.Skips, func(m cases.Mark) bool { return !m.Maybe })
		return sure || g.test.Asserts <= len(g.test.Never)+len(g.test.Caught) || g.room == 0
	})
	if len(p.grown) == 0 || len(p.gone)*len(p.grown) > mostPairs {
		return
	}
	p.seat(func(g placed, t grown) bool {
		return g.file == t.test.file && t.room > 0 && about(g, t.test) && inTable(g, t.test)
	}, false)
	p.seat(func(g placed, t grown) bool { return t.room > 0 && about(g, t.test) && inTable(g, t.test) }, false)
	p.seat(func(g placed, t grown) bool { return t.room != 0 && (about(g, t.test) || inTable(g, t.test)) }, true)
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

// asking are words that tests of all kinds have, whatever they test.
var asking = wordset.Of(`if for while switch case catch try except func function return range def lambda async await new let const var val in is not and or
	true false True False nil null None undefined self this end do done it test describe expect assert require t b f tb should to not_to eq eql be
	must suite qt want got wanted expected actual err error errors name cases string int bool float String Integer public void static fn mut
	Run Log Logf Helper Parallel Error Errorf Fatal Fatalf Fail FailNow Equal NotEqual NoError Nil NotNil Len Contains That fail raises`)

// about tells whether a test with a table calls what a test that is gone called.
func about(g, a placed) bool {
	wanted := map[string]bool{}
	for _, name := range calls(g.Body) {
		if subject(name) {
			wanted[name] = true
		}
	}
	if len(wanted) == 0 {
		for _, t := range g.Body {
			if t.Kind == lang.Word && subject(t.Text) {
				wanted[t.Text] = true
			}
		}
	}
	return slices.ContainsFunc(slices.Concat(a.Body, a.Table), func(t lang.Token) bool { return t.Kind == lang.Word && wanted[t.Text] })
}

// subject tells a word that may be of what is tested, and not of how it is asked.
func subject(word string) bool {
	low := strings.ToLower(word)
	matcher := len(word) > 2 && strings.HasPrefix(word, "to") && word[2] >= 'A' && word[2] <= 'Z'
	return !asking.Has(word) && !matcher && !strings.HasPrefix(low, "assert") && !strings.HasPrefix(low, "expect")
}

// inTable tells whether a table has half of the values of a test, or its name.
func inTable(g, a placed) bool {
	has := map[string]bool{}
	for _, t := range a.Table {
		if t.Kind == lang.Number || t.Kind == lang.Text || t.Kind == lang.Word {
			has[t.Value()] = true
		}
		if t.Kind == lang.Text && len(t.Text) < 4096 { // 1, 2 in a text: rows of a CSV
			for _, word := range strings.FieldsFunc(t.Value(), func(r rune) bool { return strings.ContainsRune(" \t\n,|;${}'", r) }) {
				has[word] = true
			}
		}
	}
	if _, leaf, ok := strings.Cut(g.Leaf, "/"); ok && has[leaf] {
		return true
	}
	all, there := 0, 0
	for _, t := range g.Body {
		if t.Kind != lang.Number && t.Kind != lang.Text || t.Kind == lang.Text && strings.Contains(t.Text, "%") {
			continue
		}
		if all++; has[t.Value()] {
			there++
		}
	}
	return all > 0 && there*2 >= all
}
