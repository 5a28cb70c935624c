package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/belay-dev/belay/bench/evidence/project"
)

// judged tries the projects, side of them in parallel, and prints the table. Those that take
// longest begin first. With texts, it runs no program of a project, and expects nothing that only
// its tests or linter report.
func (b *bench) judged(only, one string, side int, texts bool) (bool, error) {
	var list []project.Project
	total := 0
	for _, p := range project.All() {
		if !strings.Contains(p.Name, only) {
			continue
		}
		if texts {
			p.Cases = withoutPrograms(p.Cases)
		}
		if why := p.Missing(b.store); why != "" {
			b.left = append(b.left, p.Title()+": "+why)
			continue
		}
		list = append(list, p)
		total += len(p.Named(one))
	}
	b.log = &progress{total: total, start: time.Now()}
	rows := make([][]row, len(list))
	errs := make([]error, len(list))
	next := make(chan int)
	var wait sync.WaitGroup
	for range max(side, 1) {
		wait.Go(func() {
			for i := range next {
				rows[i], errs[i] = b.project(list[i], one)
			}
		})
	}
	for i := range list {
		next <- i
	}
	close(next)
	wait.Wait()
	for i, p := range list {
		b.rows = append(b.rows, rows[i]...)
		if errs[i] != nil { // its trials count as wrong, because they have no result
			for _, t := range p.Named(one) {
				b.rows = append(b.rows, row{project: p, name: t.Name, wrong: errs[i].Error()})
			}
		}
	}
	if len(b.rows) == 0 {
		return false, fmt.Errorf("nothing was tried: %s", strings.Join(b.left, "; "))
	}
	right := b.table()
	fmt.Fprintf(os.Stderr, "%s, in %s\n", b.sum(), time.Since(b.log.start).Round(time.Second))
	return right, nil
}

// withoutPrograms returns the trials with the results expected of the checks that only read texts.
func withoutPrograms(cases []project.Trial) []project.Trial {
	var out []project.Trial
	for _, t := range cases {
		if t.Task != nil {
			continue
		}
		skip := "tests,lint"
		for i := 0; i+1 < len(t.Flags); i++ {
			if t.Flags[i] == "--skip" {
				skip += "," + t.Flags[i+1]
			}
		}
		t.Flags = append(slices.Clone(t.Flags), "--skip", skip)
		t.Says = slices.DeleteFunc(slices.Clone(t.Says),
			func(s string) bool { return strings.Contains(s, " tests") || strings.Contains(s, " lint") })
		out = append(out, t)
	}
	return out
}

// progress prints the result of each trial as it ends, with the number of trials and the time.
type progress struct {
	mu    sync.Mutex
	total int
	done  int
	start time.Time
}

func (p *progress) ended(r row, took time.Duration) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done++
	mark := "right"
	if r.wrong != "" {
		mark = "WRONG: " + r.wrong
	}
	fmt.Fprintf(os.Stderr, "%3d/%d %5s  %-12s %-32s %4.1fs %s: %s\n", p.done, p.total,
		time.Since(p.start).Round(time.Second), r.project.Name, r.name, took.Seconds(), mark, r.said)
}
