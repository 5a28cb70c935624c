package mine

import (
	"strings"

	"github.com/belay-dev/belay/internal/review/epithet"
	"github.com/belay-dev/belay/internal/review/names"
	"github.com/belay-dev/belay/internal/review/output"
	"github.com/belay-dev/belay/internal/review/pasted"
	"github.com/belay-dev/belay/internal/review/prose"
	"github.com/belay-dev/belay/internal/review/spot"
	"github.com/belay-dev/belay/internal/review/token"
)

// prepare reads every unit once, so that a name can be explained by what comes later.
func (mn *miner) prepare() {
	file := ""
	for i, u := range mn.Units {
		mn.Scopes[i].Finding = mn.FindingOf(i)
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
		mn.Toks[i] = token.Scan(mn.Reader, u.Text)
		epithet.Find(mn.Reader, mn.Toks[i])
		for _, t := range mn.Toks[i] {
			if t.M != nil {
				mn.Said.Note(mn.Scopes[i].Finding, t.M)
			}
		}
	}
}

func (mn *miner) output(i int, places []output.Place) {
	for _, p := range places {
		found := mn.X.Find(p.Path)
		switch {
		case len(found) == 1:
			mn.Said.Path(mn.Scopes[i].Finding, found[0])
			mn.places[i] = append(mn.places[i], pasted.Place{Place: p, Tracked: found[0]})
		case len(found) == 0 && (p.Kind == output.Listed || p.Kind == output.Hunk):
			clean := names.Clean(p.Path)
			if strings.Contains(clean, "/") {
				mn.Said.Untracked(clean)
			}
		case len(found) > 1:
			mn.places[i] = append(mn.places[i], pasted.Place{Place: p})
		}
	}
	for n, p := range mn.places[i] { // a bare name in a trace, explained by the rest
		if p.Tracked == "" {
			mn.places[i][n].Tracked = mn.One(mn.X.Find(p.Path), i)
		}
	}
}

// quotation reads what somebody is answered to: its names wait for the answer.
func (mn *miner) quotation(i int) {
	toks := token.Scan(mn.Reader, mn.Units[i].Text)
	for n, t := range toks {
		if t.M == nil || t.M.Soft || t.M.Dir != "" {
			continue
		}
		mn.Said.Note(mn.Scopes[i].Finding, t.M)
		spans := t.M.Spans
		if len(spans) == 0 && n+1 < len(toks) && toks[n+1].Kind == 'L' {
			spans = toks[n+1].Spans
		}
		if len(spans) == 0 {
			spans = []spot.Span{{}}
		}
		for _, s := range spans {
			if p := mn.One(t.M.Cands, i); p != "" {
				mn.places[i] = append(mn.places[i], complaint(p, s))
			}
		}
	}
}

// complaint is a place that a quotation names: it waits for the answer.
func complaint(p string, s spot.Span) pasted.Place {
	return pasted.Place{Place: output.Place{Path: p, Start: s.Start, End: s.End, Kind: output.Diagnostic}, Tracked: p}
}
