package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"time"
)

// judged tries the projects, side of them at once, and prints the table. Those that take
// longest begin first.
// With texts, no program of a project is run, and what only its tests or its linter say is not
// asked for.
func (b *bench) judged(only, one string, side int, texts bool) (bool, error) {
	var list []project
	total := 0
	for _, p := range projects() {
		if !strings.Contains(p.name, only) {
			continue
		}
		if texts {
			p.cases = withoutPrograms(p.cases)
		}
		if why := b.missing(p); why != "" {
			b.left = append(b.left, p.title()+": "+why)
			continue
		}
		list = append(list, p)
		total += len(p.named(one))
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
		if errs[i] != nil { // its trials count as wrong: nothing is known of them
			for _, t := range p.named(one) {
				b.rows = append(b.rows, row{project: p, name: t.name, wrong: errs[i].Error()})
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

// withoutPrograms gives the changes as the checks that read texts must judge them.
func withoutPrograms(cases []trial) []trial {
	var out []trial
	for _, t := range cases {
		if t.task != nil {
			continue
		}
		skip := "tests,lint"
		for i := 0; i+1 < len(t.flags); i++ {
			if t.flags[i] == "--skip" {
				skip += "," + t.flags[i+1]
			}
		}
		t.flags = append(slices.Clone(t.flags), "--skip", skip)
		t.says = slices.DeleteFunc(slices.Clone(t.says), func(s string) bool { return strings.Contains(s, " tests") || strings.Contains(s, " lint") })
		out = append(out, t)
	}
	return out
}

// progress says what came of each trial as it ends, how many there are and how long it took.
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
	fmt.Fprintf(os.Stderr, "%3d/%d %5s  %-12s %-32s %4.1fs %s: %s\n", p.done, p.total, time.Since(p.start).Round(time.Second), r.project.name, r.name, took.Seconds(), mark, r.said)
}
