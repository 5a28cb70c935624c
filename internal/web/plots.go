package web

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"html/template"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/loop"
)

// timeline draws the attempts of a task one after the other, as wide as they took, in the colour of their verdict.
func timeline(attempts []attempt) template.HTML {
	var total float64
	for _, a := range attempts {
		total += a.Elapsed.Seconds()
	}
	if len(attempts) < 2 || total == 0 {
		return ""
	}
	const width, height, gap = 720.0, 34.0, 3.0
	room := width - gap*float64(len(attempts)-1)
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="timeline" viewBox="0 0 %g %g" role="img" aria-label="The attempts and how long they took">`, width, height)
	x := 0.0
	for _, a := range attempts {
		w := max(6, room*a.Elapsed.Seconds()/total)
		if w > width-x {
			w = max(1, width-x)
		}
		fmt.Fprintf(&b, `<rect class="%s" x="%.1f" y="2" width="%.1f" height="30" rx="4"><title>attempt %d: %s</title></rect>`,
			a.Mark.Class, x, w, a.N, a.Mark.Word)
		if w > 24 {
			fmt.Fprintf(&b, `<text x="%.1f" y="22">%s %d</text>`, x+8, a.Mark.Sign, a.N)
		}
		x += w + gap
	}
	b.WriteString("</svg>")
	return template.HTML(b.String()) //nolint:gosec // numbers and words of this file alone
}

// figure is a plot with its table.
type figure struct {
	Name  string // of its CSV
	Title string
	Head  []string
	Rows  [][]string // the first column names a row
	Bars  int        // the column that is drawn
	SVG   template.HTML
}

// figures reads all records and sums them up.
func (q *request) figures() error {
	all, err := q.allFigures()
	if err != nil {
		return err
	}
	q.show("figures", "Figures", all)
	return nil
}

// csv gives the table of one figure.
func (q *request) csv() error {
	all, err := q.allFigures()
	if err != nil {
		return err
	}
	name := strings.TrimSuffix(q.PathValue("figure"), ".csv")
	for _, f := range all {
		if f.Name == name {
			q.w.Header().Set("Content-Type", "text/csv; charset=utf-8")
			q.w.Header().Set("Content-Disposition", "attachment; filename=belay-"+f.Name+".csv")
			out := csv.NewWriter(q.w)
			_ = out.Write(f.Head) // fails when the browser is gone
			for _, r := range f.Rows {
				_ = out.Write(harmless(r))
			}
			out.Flush()
			return nil
		}
	}
	return belay.Refuse(belay.CodeNotFound, "the page of figures has links to all", "there is no figure %s", belay.VisibleLine(name))
}

// harmless keeps a spreadsheet from reading a name as a formula.
func harmless(cells []string) []string {
	out := slices.Clone(cells)
	for i, c := range out {
		if c != "" && strings.ContainsRune("=+-@\t\r", rune(c[0])) {
			out[i] = "'" + c
		}
	}
	return out
}

// sum is what figures add up for an agent, a week or a check.
type sum struct {
	tasks, first, accepted, attempts, found int
	seconds, cost                           float64
	unknown                                 bool // some cost is not known
}

func (q *request) allFigures() ([]figure, error) {
	records, err := q.desk.Records(nil)
	if err != nil {
		return nil, err
	}
	byAgent, byWeek, byCheck := map[string]*sum{}, map[string]*sum{}, map[string]*sum{}
	of := func(m map[string]*sum, key string) *sum {
		if m[key] == nil {
			m[key] = &sum{}
		}
		return m[key]
	}
	for _, r := range records {
		if r.Task.Session != nil || len(r.State.Attempts) == 0 {
			continue
		}
		agent := "by hand"
		if len(r.Task.Agent) > 0 {
			agent = belay.VisibleLine(r.Task.Agent[0])
			agent = agent[strings.LastIndexByte(agent, '/')+1:]
		}
		year, week := r.Created.UTC().ISOWeek()
		for _, s := range []*sum{of(byAgent, agent), of(byWeek, fmt.Sprintf("%d-W%02d", year, week))} {
			s.tasks++
			s.attempts += len(r.State.Attempts)
			if r.State.Outcome == loop.OutcomePassed {
				if s.accepted++; len(r.State.Attempts) == 1 {
					s.first++
				}
			}
			for _, a := range r.State.Attempts {
				s.seconds += a.Elapsed.Seconds()
				s.cost += a.Cost
				s.unknown = s.unknown || !a.CostKnown()
			}
		}
		for _, a := range r.State.Attempts {
			for _, f := range a.Findings {
				of(byCheck, belay.VisibleLine(f.Check)).found++
			}
		}
	}
	head := []string{"tasks", "accepted", "at the first attempt", "attempts per task", "minutes of agents", "cost per accepted task"}
	agents := figure{Name: "agents", Title: "Accepted tasks by agent", Head: append([]string{"agent"}, head...), Bars: 2}
	weeks := figure{Name: "weeks", Title: "Accepted tasks by week", Head: append([]string{"week"}, head...), Bars: 2}
	agents.Rows, weeks.Rows = rows(byAgent), rows(byWeek)
	checks := figure{Name: "checks", Title: "Findings by check", Head: []string{"check", "findings"}, Bars: 1}
	for _, name := range slices.SortedFunc(maps.Keys(byCheck), func(a, b string) int {
		return cmp.Or(cmp.Compare(byCheck[b].found, byCheck[a].found), cmp.Compare(a, b))
	}) {
		checks.Rows = append(checks.Rows, []string{name, strconv.Itoa(byCheck[name].found)})
	}
	out := []figure{weeks, agents, checks}
	for i := range out {
		out[i].SVG = bars(out[i])
	}
	return out, nil
}

func rows(m map[string]*sum) (out [][]string) {
	for _, name := range slices.Sorted(maps.Keys(m)) {
		s := m[name]
		cost := "unknown"
		if s.accepted > 0 && (s.cost > 0 || !s.unknown) {
			cost = belay.Dollars(s.cost / float64(s.accepted))
			if s.unknown {
				cost += "+"
			}
		}
		out = append(out, []string{name, strconv.Itoa(s.tasks), strconv.Itoa(s.accepted), strconv.Itoa(s.first),
			fmt.Sprintf("%.1f", float64(s.attempts)/float64(s.tasks)), fmt.Sprintf("%.1f", s.seconds/60), cost})
	}
	return out
}

// mostBars is how many rows are drawn: the last ones. The table has all.
const mostBars = 26

// bars draws the column of a figure, a bar for each row, beside all tasks of it where that is told.
func bars(f figure) template.HTML {
	list := f.Rows[max(0, len(f.Rows)-mostBars):]
	most := 1
	value := func(r []string, col int) int { n, _ := strconv.Atoi(r[col]); return n }
	for _, r := range list {
		for col := 1; col <= f.Bars; col++ {
			most = max(most, value(r, col))
		}
	}
	const width, label, line = 720, 150, 26
	var b strings.Builder
	fmt.Fprintf(&b, `<svg class="bars" viewBox="0 0 %d %d" role="img" aria-label="%s">`, width, line*max(1, len(list)),
		template.HTMLEscapeString(f.Title))
	for i, r := range list {
		y := i * line
		room := float64(width-label-60) / float64(most)
		fmt.Fprintf(&b, `<text class="name" x="%d" y="%d">%s</text>`, label-10, y+17, template.HTMLEscapeString(belay.Clip(r[0], 20)))
		for col := 1; col <= f.Bars; col++ {
			class := "all"
			if col == f.Bars {
				class = "good"
			}
			fmt.Fprintf(&b, `<rect class="%s" x="%d" y="%d" width="%.1f" height="18" rx="3"/>`, class, label, y+3,
				room*float64(value(r, col)))
		}
		text := r[f.Bars]
		if f.Bars == 2 {
			text += " of " + r[1]
		}
		fmt.Fprintf(&b, `<text x="%.1f" y="%d">%s</text>`, float64(label)+room*float64(value(r, 1))+8, y+17,
			template.HTMLEscapeString(text))
	}
	b.WriteString("</svg>")
	return template.HTML(b.String()) //nolint:gosec // what is not of this file is escaped
}
