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
	"time"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/loop"
	"github.com/belay-dev/belay/internal/snapshot"
)

// drawTimeline draws the attempts of a task in a row, with widths by their duration and colours by
// their verdict.
func drawTimeline(attempts []attempt) template.HTML {
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

// snapshotRows are the rows of the timeline of snapshots, with their kinds and names.
var snapshotRows = []struct {
	kind  belay.Kind
	name  string
	class string
}{
	{belay.KindBefore, "before", "plain"}, {belay.KindAfter, "after", "good"}, {belay.KindHandoff, "handoff", "plain"},
	{belay.KindMerge, "merge", "plain"}, {belay.KindStall, "stall", "waits"}, {belay.KindRescue, "rescue", "bad"},
	{belay.KindManual, "manual", "plain"},
}

// drawSnapshots draws when snapshots were taken, a row for each kind; the list below it has the
// same data as text. It returns "" for fewer than two snapshots, or if all were taken at the same
// time.
func drawSnapshots(list []snapshot.Info) template.HTML {
	if len(list) < 2 {
		return ""
	}
	first, last := list[0].Time, list[0].Time
	there := map[belay.Kind]bool{}
	for _, s := range list {
		if s.Time.Before(first) {
			first = s.Time
		}
		if s.Time.After(last) {
			last = s.Time
		}
		there[s.Kind] = true
	}
	span := last.Sub(first).Seconds()
	if span <= 0 {
		return ""
	}
	const width, left, right, height = 720.0, 76.0, 12.0, 22.0
	x := func(t time.Time) float64 { return left + (width-left-right)*t.Sub(first).Seconds()/span }
	var b strings.Builder
	y := 4.0
	for _, row := range snapshotRows {
		if !there[row.kind] {
			continue
		}
		fmt.Fprintf(&b, `<text class="name" x="%.1f" y="%.1f">%s</text><line x1="%.1f" x2="%.1f" y1="%.1f" y2="%.1f"/>`,
			left-12, y+15, row.name, left, width-right, y+10, y+10)
		for _, s := range list {
			if _, err := belay.ParseSnapshotID(string(s.ID)); err == nil && s.Kind == row.kind {
				fmt.Fprintf(&b, `<circle class="%s" cx="%.1f" cy="%.1f" r="5"><title>%s %s, %s</title></circle>`,
					row.class, x(s.Time), y+10, row.name, s.ID.Short(), s.Time.UTC().Format("2006-01-02 15:04:05 MST"))
			}
		}
		y += height
	}
	format := "15:04:05"
	if span > 12*60*60 {
		format = "2006-01-02 15:04"
	}
	fmt.Fprintf(&b, `<text class="when" x="%.1f" y="%.1f">%s</text><text class="name" x="%.1f" y="%.1f">%s UTC</text>`,
		left, y+14, first.UTC().Format(format), width-right, y+14, last.UTC().Format(format))
	head := fmt.Sprintf(`<svg class="moments" viewBox="0 0 %g %g" role="img" aria-label="When the snapshots of this page were taken">`,
		width, y+20)
	return template.HTML(head + b.String() + "</svg>") //nolint:gosec // numbers and words of this file alone
}

// figure is a plot with its table.
type figure struct {
	Name  string // of its CSV file
	Title string
	Head  []string
	Rows  [][]string // the first column names a row
	Bars  int        // column that is drawn
	SVG   template.HTML
}

// figures shows the figures computed from all records.
func (q *request) figures() error {
	all, err := q.allFigures()
	if err != nil {
		return err
	}
	return q.show("figures", "Figures", all)
}

// csv sends the table of one figure.
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
			_ = out.Write(f.Head) // fails only if the browser has disconnected
			for _, r := range f.Rows {
				_ = out.Write(escapeCells(r))
			}
			out.Flush()
			return nil
		}
	}
	return belay.Refuse(belay.CodeNotFound, "the page of figures has links to all", "there is no figure %s", belay.VisibleLine(name))
}

// escapeCells prevents a spreadsheet from reading a name as a formula.
func escapeCells(cells []string) []string {
	out := slices.Clone(cells)
	for i, c := range out {
		if c != "" && strings.ContainsRune("=+-@\t\r", rune(c[0])) {
			out[i] = "'" + c
		}
	}
	return out
}

// statistics are the totals for an agent, a week, a type of request or a check.
type statistics struct {
	tasks, first, accepted, attempts, found int
	seconds, cost                           float64
	unknown                                 bool // some costs are unknown
	judged, flaky                           int
	judging                                 float64 // seconds
}

// statisticsByName has the totals of a figure's rows, by name.
type statisticsByName map[string]*statistics

func (m statisticsByName) get(key string) *statistics {
	if m[key] == nil {
		m[key] = &statistics{}
	}
	return m[key]
}

// maxReports is how many reports of checks are read for the figures, newest tasks first.
const maxReports = 2000

func (q *request) allFigures() ([]figure, error) {
	records, err := q.svc.Session.Records(nil)
	if err != nil {
		return nil, err
	}
	byAgent, byWeek, byType := statisticsByName{}, statisticsByName{}, statisticsByName{}
	byCheck, byAttempts, byStall := statisticsByName{}, statisticsByName{}, statisticsByName{}
	reports := 0
	for _, r := range slices.Backward(records) {
		if r.Task.Session != nil || len(r.State.Attempts) == 0 {
			continue
		}
		agent := "by hand"
		if len(r.Task.Agent) > 0 {
			agent = belay.VisibleLine(r.Task.Agent[0])
			agent = agent[strings.LastIndexByte(agent, '/')+1:]
		}
		year, week := r.Created.UTC().ISOWeek()
		about := []*statistics{byAgent.get(agent), byWeek.get(fmt.Sprintf("%d-W%02d", year, week)),
			byType.get(cmp.Or(belay.VisibleLine(string(r.Task.Request.Type)), "not known"))}
		many := belay.CountOf(min(4, len(r.State.Attempts)), "attempt")
		if len(r.State.Attempts) > 3 {
			many = "4 and more"
		}
		for _, s := range append(about, byAttempts.get(many)) {
			s.tasks++
			s.attempts += len(r.State.Attempts)
			if r.State.Outcome == loop.OutcomePassed {
				if s.accepted++; len(r.State.Attempts) == 1 {
					s.first++
				}
			}
		}
		for _, a := range r.State.Attempts {
			var report belay.Report
			judged := a.Report != "" && reports < maxReports
			if judged {
				reports++
				report, err = q.svc.Session.Report(a.Report)
				judged = err == nil
			}
			for _, s := range about {
				s.seconds += a.Elapsed.Seconds()
				s.cost += a.Cost
				s.unknown = s.unknown || !a.CostKnown()
				if judged {
					s.judged++
					s.judging += float64(report.Millis) / 1000
					for _, c := range report.Checks {
						if c.Tests != nil {
							s.flaky += c.Tests.Flaky
						}
					}
				}
			}
			for _, f := range a.Findings {
				byCheck.get(belay.VisibleLine(f.Check)).found++
			}
			if a.Ended == loop.EndedStalled {
				byStall.get(stallKind(a.Note)).found++
			}
		}
	}
	head := []string{"tasks", "accepted", "at the first attempt", "attempts per task", "minutes of agents", "cost per accepted task",
		"seconds to the verdict", "flaky tests"}
	of := func(name, title, first string, m statisticsByName) figure {
		return figure{Name: name, Title: title, Head: append([]string{first}, head...), Rows: statisticsRows(m), Bars: 2}
	}
	weeks := of("weeks", "Accepted tasks by week", "week", byWeek)
	agents := of("agents", "Accepted tasks by agent", "agent", byAgent)
	out := []figure{weeks, agents, of("types", "Accepted tasks by type of request", "type", byType),
		countFigure("attempts", "Tasks by number of attempts", "attempts", "tasks", byAttempts, func(s *statistics) int { return s.tasks }),
		columnFigure("cost", "Cost per accepted task by agent, in dollars", agents, 6),
		columnFigure("verdict", "Seconds from the agent's end to the verdict, by week", weeks, 7),
		countFigure("checks", "Findings by check", "check", "findings", byCheck, func(s *statistics) int { return s.found }),
		columnFigure("flaky", "Tests that passed only when run again, by week", weeks, 8),
		countFigure("stalls", "Stalled attempts by kind", "kind", "attempts", byStall, func(s *statistics) int { return s.found })}
	slices.SortFunc(out[3].Rows, slices.Compare) // sort by the number of attempts
	for i := range out {
		out[i].SVG = drawBars(out[i])
	}
	return out, nil
}

// stallKind returns the kind of an attempt's stall, from its note (agent.Stall).
func stallKind(note string) string {
	kind := "another"
	if rest, ok := strings.CutPrefix(note, "the same "); ok {
		if n, _, ok := strings.Cut(rest, " calls repeated "); ok && strings.Trim(n, "0123456789") == "" {
			kind = "a cycle of " + n + " calls"
		} else if strings.HasPrefix(rest, "call ") {
			kind = "one call"
		}
	}
	return kind
}

// countFigure returns a figure of one number for each name, the greatest first.
func countFigure(name, title, first, second string, m statisticsByName, n func(*statistics) int) figure {
	f := figure{Name: name, Title: title, Head: []string{first, second}, Bars: 1}
	for _, key := range slices.SortedFunc(maps.Keys(m), func(a, b string) int {
		return cmp.Or(cmp.Compare(n(m[b]), n(m[a])), cmp.Compare(a, b))
	}) {
		f.Rows = append(f.Rows, []string{key, strconv.Itoa(n(m[key]))})
	}
	return f
}

// columnFigure returns one column of a figure as a figure, without the rows that have no number in
// it.
func columnFigure(name, title string, of figure, col int) figure {
	f := figure{Name: name, Title: title, Head: []string{of.Head[0], of.Head[col]}, Bars: 1}
	for _, r := range of.Rows {
		if _, err := parseCell(r[col]); err == nil {
			f.Rows = append(f.Rows, []string{r[0], r[col]})
		}
	}
	return f
}

// parseCell parses a cell: "3", "1.5", "$0.42+".
func parseCell(cell string) (float64, error) {
	return strconv.ParseFloat(strings.TrimSuffix(strings.TrimPrefix(cell, "$"), "+"), 64)
}

func statisticsRows(m statisticsByName) (out [][]string) {
	for _, name := range slices.Sorted(maps.Keys(m)) {
		s := m[name]
		cost, verdict := "unknown", "unknown"
		if s.accepted > 0 && (s.cost > 0 || !s.unknown) {
			cost = belay.Dollars(s.cost / float64(s.accepted))
			if s.unknown {
				cost += "+"
			}
		}
		if s.judged > 0 {
			verdict = fmt.Sprintf("%.1f", s.judging/float64(s.judged))
		}
		out = append(out, []string{name, strconv.Itoa(s.tasks), strconv.Itoa(s.accepted), strconv.Itoa(s.first),
			fmt.Sprintf("%.1f", float64(s.attempts)/float64(s.tasks)), fmt.Sprintf("%.1f", s.seconds/60), cost, verdict,
			strconv.Itoa(s.flaky)})
	}
	return out
}

// maxBars is how many rows are drawn, the last ones. The table has all.
const maxBars = 26

// drawBars draws the column of a figure, a bar for each row, in front of the bar of all tasks if
// Bars is 2.
func drawBars(f figure) template.HTML {
	list := f.Rows[max(0, len(f.Rows)-maxBars):]
	most := 0.0
	value := func(r []string, col int) float64 { n, _ := parseCell(r[col]); return n }
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
		room := float64(width-label-60) / cmp.Or(most, 1)
		fmt.Fprintf(&b, `<text class="name" x="%d" y="%d">%s</text>`, label-10, y+17, template.HTMLEscapeString(belay.Clip(r[0], 20)))
		for col := 1; col <= f.Bars; col++ {
			class := "all"
			if col == f.Bars {
				class = "good"
			}
			fmt.Fprintf(&b, `<rect class="%s" x="%d" y="%d" width="%.1f" height="18" rx="3"/>`, class, label, y+3,
				room*value(r, col))
		}
		text := r[f.Bars]
		if f.Bars == 2 {
			text += " of " + r[1]
		}
		fmt.Fprintf(&b, `<text x="%.1f" y="%d">%s</text>`, label+room*value(r, 1)+8, y+17,
			template.HTMLEscapeString(text))
	}
	b.WriteString("</svg>")
	return template.HTML(b.String()) //nolint:gosec // what is not of this file is escaped
}
