// Command step measures what one step of a task costs beside its agent, its tests and git: the rules of the loop and the
// journal on one machine, and the same rules in the real workflow of package task on a Temporal server on loopback, with
// workers with commands that take no time.
//
//	go run ./bench/step -server ../bin/temporal-dev [-sizes 10,100,1000] [-plot FILE]
//
// With -histories it measures nothing: it replays the histories of all tasks of the server at $TEMPORAL_ADDRESS, and says
// how large they are.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.temporal.io/sdk/client"
)

func main() {
	var b bench
	var sizes, dir string
	var replay bool
	flag.StringVar(&b.server, "server", "", "the `PROGRAM` of the server, from fleet/devserver")
	flag.StringVar(&sizes, "sizes", "10,30,100,300,1000", "`NUMBERS` of tasks of which the cost is measured")
	flag.StringVar(&b.plot, "plot", "", "the `FILE` for a plot of the cost")
	flag.StringVar(&dir, "dir", "", "the `FOLDER` for records and the database (default a temporary one)")
	flag.BoolVar(&replay, "histories", false, "replay the histories of the server at $TEMPORAL_ADDRESS")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	var err error
	if replay {
		err = histories(ctx)
	} else {
		err = b.run(ctx, dir, sizes)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "step:", err)
		os.Exit(2)
	}
}

// histories replays the histories of the server at $TEMPORAL_ADDRESS.
func histories(ctx context.Context) error {
	c, err := client.Dial(client.Options{HostPort: os.Getenv("TEMPORAL_ADDRESS"), Logger: silentLogger{}})
	if err != nil {
		return err
	}
	defer c.Close()
	all, err := download(ctx, c)
	if err != nil {
		return err
	}
	if len(all) == 0 {
		return fmt.Errorf("the server at %s has no tasks", os.Getenv("TEMPORAL_ADDRESS"))
	}
	for _, h := range all {
		if err := h.replay(); err != nil {
			return fmt.Errorf("replay %s: %w", h.id, err)
		}
	}
	fmt.Printf("%d histories replayed: %s\n", len(all), sizesOf(all))
	return nil
}

type bench struct {
	server, plot string
}

func (b *bench) run(ctx context.Context, dir, sizes string) error {
	var counts []int
	for one := range strings.SplitSeq(sizes, ",") {
		n, err := strconv.Atoi(one)
		if err != nil || n < 1 {
			return fmt.Errorf("%q is no number of tasks", one)
		}
		counts = append(counts, n)
	}
	if dir == "" {
		var err error
		if dir, err = os.MkdirTemp("", "belay-step-"); err != nil {
			return err
		}
		defer os.RemoveAll(dir)
	}
	if err := local(ctx, dir); err != nil {
		return err
	}
	s, err := start(ctx, b.server, dir)
	if err != nil {
		return err
	}
	defer s.stop()
	if err := s.latency(ctx); err != nil {
		return err
	}
	if err := s.throughput(ctx); err != nil {
		return err
	}
	return s.cost(ctx, counts, b.plot)
}

// spread returns the median and the 95th percentile.
func spread(all []time.Duration) (p50, p95 time.Duration) {
	all = slices.Clone(all)
	slices.Sort(all)
	return all[(len(all)-1)/2], all[(len(all)-1)*95/100]
}

func ms(d time.Duration) string { return fmt.Sprintf("%.3g ms", float64(d)/1e6) }

// silentLogger prints nothing.
type silentLogger struct{}

// Debug, Info, Warn and Error implement log.Logger.
func (silentLogger) Debug(string, ...any) {}

// Info prints nothing.
func (silentLogger) Info(string, ...any) {}

// Warn prints nothing.
func (silentLogger) Warn(string, ...any) {}

// Error prints nothing.
func (silentLogger) Error(string, ...any) {}
