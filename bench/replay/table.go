package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
)

// replayed is a repository with the verdicts on its commits.
type replayed struct {
	Repository string
	Commits    []verdict
}

// print prints what was rejected, and why.
func (r replayed) print(w io.Writer, warnings bool) {
	for _, v := range r.Commits {
		for _, why := range v.Unknown {
			fmt.Fprintf(w, "%s %.10s could not tell: %s\n", r.Repository, v.ID, why)
		}
		if len(v.Rejected)+len(v.Asks) == 0 && (!warnings || len(v.Findings) == 0) {
			continue
		}
		subject, _, _ := strings.Cut(v.Message, "\n")
		fmt.Fprintf(w, "%s %.10s %q\n", r.Repository, v.ID, belay.VisibleLine(subject))
		for _, q := range v.Asked {
			fmt.Fprintf(w, "    read as %s: %s\n", q.Marker, belay.VisibleLine(q.Text))
		}
		for _, f := range v.Findings {
			if f.Severity != belay.SeverityError && f.Severity != belay.SeverityQuestion && !warnings {
				continue
			}
			fmt.Fprintf(w, "    %s %s: %s %s:%d (%s)\n", f.Severity, f.Check, f.Title, f.File, f.Line, f.Detail)
		}
	}
}

// counts are the numbers of some commits.
type counts struct {
	commits, rejected, asks int // asks does not include rejected ones
	by                      map[string]int
}

func count(list []verdict) counts {
	c := counts{commits: len(list), by: map[string]int{}}
	for _, v := range list {
		switch {
		case len(v.Rejected) > 0:
			c.rejected++
		case len(v.Asks) > 0:
			c.asks++
		}
		for _, name := range v.Rejected {
			c.by[name]++
		}
	}
	return c
}

func (c counts) share(n int) string {
	if c.commits == 0 {
		return "0 of 0"
	}
	return fmt.Sprintf("%d of %d, %.1f %%", n, c.commits, 100*float64(n)/float64(c.commits))
}

func (c counts) checks() string {
	var parts []string
	for _, name := range slices.Sorted(maps.Keys(c.by)) {
		parts = append(parts, fmt.Sprintf("%s %d", name, c.by[name]))
	}
	if len(parts) == 0 {
		return "-"
	}
	return strings.Join(parts, ", ")
}

// table prints a line for each repository, and the sums.
func table(w io.Writer, all []replayed) {
	fmt.Fprintf(w, "\n| repository | rejected | by check | asks a person | of those that remove test lines | by check | asks a person |\n"+
		"|---|---|---|---|---|---|---|\n")
	var every []verdict
	line := func(title string, list []verdict) {
		whole := count(list)
		less := count(slices.DeleteFunc(slices.Clone(list), func(v verdict) bool { return !v.LessTest }))
		fmt.Fprintf(w, "| %s | %s | %s | %s | %s | %s | %s |\n", title,
			whole.share(whole.rejected), whole.checks(), whole.share(whole.asks),
			less.share(less.rejected), less.checks(), less.share(less.asks))
	}
	for _, r := range all {
		line(r.Repository, r.Commits)
		every = append(every, r.Commits...)
	}
	if len(all) > 1 {
		line("all", every)
	}
}
