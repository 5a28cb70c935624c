package phase

import (
	"cmp"
	"fmt"
	"strings"
)

// Row is a row of the table of starts: the answer for a phase by the state of the previous
// artefact. Everything earlier is completed and reviewed.
type Row struct {
	Phase    Phase             `json:"phase"`
	Previous State             `json:"previous"` // "" for the first phase
	Modes    map[string]Answer `json:"modes"`
}

// Starts returns the table of starts: each phase by the state of the previous artefact and the
// mode.
func Starts() []Row {
	var out []Row
	for _, p := range All {
		states := States
		if p == Brainstorm {
			states = []State{""}
		}
		for _, s := range states {
			row := Row{Phase: p, Previous: s, Modes: map[string]Answer{}}
			for _, mode := range ModeNames {
				in := Input{Phase: p, Mode: mode, Phases: upTo(p)}
				if prev := in.previous(Paths[mode]); prev != "" {
					in.Phases[prev] = PhaseState{Artefact: s, Begun: true, Done: true}
				}
				row.Modes[mode] = Check(in)
			}
			out = append(out, row)
		}
	}
	return out
}

// upTo returns the phases before one as completed and reviewed.
func upTo(p Phase) map[Phase]PhaseState {
	done := map[Phase]PhaseState{}
	for _, q := range All {
		if before(q, p) {
			done[q] = PhaseState{Artefact: Reviewed, Begun: true, Done: true}
		}
	}
	return done
}

// Move is a row of the table of transitions: the answers for each phase after From was completed.
type Move struct {
	From Phase            `json:"from"` // "" before the first phase
	To   map[Phase]Answer `json:"to"`
}

// Moves returns the table of transitions in a mode. With files, the artefacts of skipped phases
// exist, written without belay.
func Moves(mode string, files bool) []Move {
	var out []Move
	for _, from := range append([]Phase{""}, All[:len(All)-1]...) {
		m := Move{From: from, To: map[Phase]Answer{}}
		for _, to := range All {
			in := Input{Phase: to, Mode: mode, Phases: map[Phase]PhaseState{}}
			for _, q := range All {
				switch {
				case from != "" && !before(from, q):
					in.Phases[q] = PhaseState{Artefact: Reviewed, Begun: true, Done: true}
				case files && before(q, to) && before(q, Implement): // code and verdict are no files
					in.Phases[q] = PhaseState{Artefact: Present}
				}
			}
			m.To[to] = Check(in)
		}
		out = append(out, m)
	}
	return out
}

// Text returns the tables in Markdown: starts by mode, transitions in one mode, and the
// expectations of reviewers.
func Text(mode string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "Start of a phase, by the state of the artefact before it; everything earlier is completed and reviewed:\n\n")
	row(&b, append([]string{"phase", "artefact before"}, ModeNames...)...)
	row(&b, "---", "---", "---", "---", "---", "---")
	for _, r := range Starts() {
		cells := []string{string(r.Phase), string(r.Previous)}
		for _, m := range ModeNames {
			cells = append(cells, string(r.Modes[m].Type))
		}
		row(&b, cells...)
	}
	fmt.Fprintf(&b, "\nFrom the last completed phase to another one, in mode %s. Where two answers are given, the first is for a skipped\n"+
		"phase of which the artefact exists, the second for one of which it is missing:\n\n", mode)
	head, line := []string{"from"}, []string{"---"}
	for _, p := range All {
		head, line = append(head, string(p)), append(line, "---")
	}
	row(&b, head...)
	row(&b, line...)
	bare := Moves(mode, false)
	for i, m := range Moves(mode, true) {
		cells := []string{cmp.Or(string(m.From), "(nothing)")}
		for _, p := range All {
			cell := string(m.To[p].Type)
			if other := string(bare[i].To[p].Type); other != cell {
				cell += " / " + other
			}
			cells = append(cells, cell)
		}
		row(&b, cells...)
	}
	fmt.Fprintf(&b, "\nWhat the next phase needs, which the reviewer of a phase judges:\n\n")
	row(&b, "phase", "produces", "reviewer", "next", "what the next phase needs")
	row(&b, "---", "---", "---", "---", "---")
	for _, e := range Expectations {
		row(&b, string(e.Phase), e.Produces, string(e.Sits), string(e.Next), e.Needs)
	}
	return b.String()
}

func row(b *strings.Builder, cells ...string) {
	b.WriteString("| " + strings.Join(cells, " | ") + " |\n")
}
