package mine

import (
	"strings"

	"github.com/belay-dev/belay/internal/review/epithet"
	"github.com/belay-dev/belay/internal/review/names"
	"github.com/belay-dev/belay/internal/review/output"
	"github.com/belay-dev/belay/internal/review/pasted"
	"github.com/belay-dev/belay/internal/review/prose"
	"github.com/belay-dev/belay/internal/review/said"
	"github.com/belay-dev/belay/internal/review/spot"
	"github.com/belay-dev/belay/internal/review/token"
)

// prepare reads every unit once, so that a name can be explained by what comes later.
func (mn *miner) prepare() {
	file := ""
	for i, u := range mn.Units {
		mn.scopes[i].finding = mn.findingOf(i)
		if u.Kind == prose.Row && output.Covers(u.Head) {
			mn.Units[i].Kind = prose.Code
			u.Kind = prose.Code
		}
		if u.Kind == prose.Code || u.Kind == prose.Quote {
			var places []output.Place
			places, file = output.Read(u.Text, file)
			mn.output(i, places)
			if u.Kind == prose.Quote && len(places) == 0 {
				mn.quotation(i)
			}
			continue
		}
		mn.toks[i] = token.Scan(mn.Reader, u.Text)
		epithet.Find(mn.Reader, mn.toks[i])
		for _, t := range mn.toks[i] {
			if t.M != nil {
				mn.said.Note(mn.scopes[i].finding, t.M)
			}
		}
	}
}

func (mn *miner) output(i int, places []output.Place) {
	for _, p := range places {
		found := mn.X.Find(p.Path)
		switch {
		case len(found) == 1:
			mn.said.Path(mn.scopes[i].finding, found[0])
			mn.places[i] = append(mn.places[i], pasted.Place{Place: p, Tracked: found[0]})
		case len(found) == 0 && (p.Kind == output.Listed || p.Kind == output.Hunk):
			clean := names.Clean(p.Path)
			if strings.Contains(clean, "/") {
				mn.said.Untracked(clean)
			}
		case len(found) > 1:
			mn.places[i] = append(mn.places[i], pasted.Place{Place: p})
		}
	}
	for n, p := range mn.places[i] { // a bare name in a trace, explained by the rest
		if p.Tracked == "" {
			mn.places[i][n].Tracked = mn.one(mn.X.Find(p.Path), i)
		}
	}
}

// findingOf is the unit that opens the finding a unit belongs to: the outermost item, or
// the heading.
func (mn *miner) findingOf(i int) int {
	u := mn.Units[i]
	if u.Parent == prose.None {
		if u.Kind == prose.Item || u.Kind == prose.Row {
			return i
		}
		return prose.None
	}
	p := mn.Units[u.Parent]
	if p.Kind == prose.Heading {
		if u.Kind == prose.Item || u.Kind == prose.Row {
			return i
		}
		return u.Parent
	}
	return mn.scopes[u.Parent].finding
}

// quotation reads what somebody is answered to: its names wait for the answer.
func (mn *miner) quotation(i int) {
	toks := token.Scan(mn.Reader, mn.Units[i].Text)
	for n, t := range toks {
		if t.M == nil || t.M.Soft || t.M.Dir != "" {
			continue
		}
		mn.said.Note(mn.scopes[i].finding, t.M)
		spans := t.M.Spans
		if len(spans) == 0 && n+1 < len(toks) && toks[n+1].Kind == 'L' {
			spans = toks[n+1].Spans
		}
		if len(spans) == 0 {
			spans = []spot.Span{{}}
		}
		for _, s := range spans {
			if p := mn.one(t.M.Cands, i); p != "" {
				mn.places[i] = append(mn.places[i], complaint(p, s))
			}
		}
	}
}

// complaint is a place that a quotation names: it waits for the answer.
func complaint(p string, s spot.Span) pasted.Place {
	return pasted.Place{Place: output.Place{Path: p, Start: s.Start, End: s.End, Kind: output.Diagnostic}, Tracked: p}
}

// around is what explains a short name in a unit.
func (mn *miner) around(i int) said.Around {
	s := mn.scopes[i]
	a := said.Around{Dir: s.dir, Finding: s.finding}
	if s.topic != nil {
		a.Topic = s.topic.paths
	}
	for u := i; u != prose.None; u = mn.Units[u].Parent {
		a.Findings = append(a.Findings, mn.scopes[u].finding)
	}
	return a
}

// one chooses among candidates by what is said around unit i, if that leaves one.
func (mn *miner) one(cands []string, i int) string { return mn.said.One(cands, mn.around(i)) }
