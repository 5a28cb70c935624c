// Command sim simulates a fleet of hundreds of workers and thousands of tasks with a clock that
// skips: the real workflow of package task in the SDK's test environment, on a model of a Temporal
// server, of failing workers, of a git remote and of people. It reports lost, repeated and wasted
// work. docs/fleet.md states what is modelled and what is real.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"strconv"
	"strings"
	"sync"
)

func main() {
	c := standard
	var seeds string
	var asJSON bool
	flag.IntVar(&c.tasks, "tasks", c.tasks, "the `NUMBER` of tasks")
	flag.IntVar(&c.workers, "workers", c.workers, "the `NUMBER` of workers")
	flag.IntVar(&c.slots, "slots", c.slots, "agents and tests at once on a worker")
	flag.IntVar(&c.repositories, "repositories", c.repositories, "the `NUMBER` of repositories, each with a merge queue")
	flag.DurationVar(&c.submitted, "submitted", c.submitted, "how long it takes until all tasks are submitted")
	flag.DurationVar(&c.faults, "faults", c.faults, "how often a worker fails, and a remote, on average")
	flag.BoolVar(&c.calm, "calm", false, "without faults")
	flag.StringVar(&seeds, "seeds", "1,2,3", "the `SEEDS` of the runs")
	flag.BoolVar(&asJSON, "json", false, "print one JSON object a run")
	flag.Parse()
	if err := simulate(c, seeds, asJSON); err != nil {
		fmt.Fprintln(os.Stderr, "sim:", err)
		os.Exit(2)
	}
}

func simulate(c config, seeds string, asJSON bool) error {
	var all []report
	for one := range strings.SplitSeq(seeds, ",") {
		seed, err := strconv.ParseUint(one, 10, 64)
		if err != nil {
			return fmt.Errorf("the seed %q is no number", one)
		}
		all = append(all, report{Seed: seed})
	}
	var running sync.WaitGroup
	for i := range all {
		running.Go(func() {
			mine := c
			mine.seed = all[i].Seed
			all[i] = run(mine)
		})
	}
	running.Wait()
	for _, r := range all {
		if asJSON {
			if err := json.NewEncoder(os.Stdout).Encode(r); err != nil {
				return err
			}
		}
	}
	if !asJSON {
		fmt.Print(table(c, all))
	}
	for _, r := range all {
		if len(r.Wrong) > 0 {
			return fmt.Errorf("seed %d: %s", r.Seed, strings.Join(r.Wrong[:min(len(r.Wrong), 5)], "; "))
		}
	}
	return nil
}
