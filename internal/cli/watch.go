package cli

import (
	"fmt"
	"io"
	"time"

	"github.com/spf13/cobra"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/watch"
)

func (a snapshotFamily) watchCommand() *cobra.Command {
	var stop, status bool
	var idle time.Duration
	c := &cobra.Command{
		Use: "watch", Short: "Speed up snapshots in a large tree with a background process", Args: cobra.NoArgs,
		Long: `Start a background process that tracks changes in this working tree, so that snapshots
read only changed files. The process does not write to the working tree, answers only you,
and stops by itself: when unused for a while, when the working tree or belay's folder is
deleted, or when belay is replaced. When in doubt, a snapshot reads every file.

It watches folders, and the kernel limits their number (fs.inotify.max_user_watches).
Linux only.

Exit codes: 0 running, or stopped · 2 cannot run · 5 it does not answer · 6 with --stop or
--status: not running.`,
		Example: "  belay watch\n  belay watch --status\n  belay watch --stop",
		RunE: func(c *cobra.Command, _ []string) error {
			if idle < time.Second {
				return belay.Refuse(belay.CodeUsage, "belay watch --idle 30m", "--idle %v is too short", idle)
			}
			svc, err := a.Open(c.Context())
			if err != nil {
				return err
			}
			if stop {
				if err := svc.Unwatch(c.Context()); err != nil {
					return err
				}
				return a.PrintResult(map[string]bool{"stopped": true}, nil, func(w io.Writer) { fmt.Fprintln(w, "stopped watching") })
			}
			var s watch.Status
			if status {
				s, err = svc.Watched(c.Context())
			} else {
				s, err = svc.Watch(c.Context(), idle)
			}
			return a.printDataOrError(s, err, func(w io.Writer) { printWatch(w, s) })
		},
	}
	f := c.Flags()
	f.BoolVar(&stop, "stop", false, "stop watching this working tree")
	f.BoolVar(&status, "status", false, "show its status")
	f.DurationVar(&idle, "idle", watch.DefaultIdle, "stop after this long without a snapshot")
	c.MarkFlagsMutuallyExclusive("stop", "status")
	return c
}

func printWatch(w io.Writer, s watch.Status) {
	if s.Sure {
		fmt.Fprintf(w, "watching %d files in %d folders (process %d)\n", s.Files, s.Folders, s.PID)
	} else {
		fmt.Fprintf(w, "resynchronizing: %s (process %d)\n", belay.VisibleLine(s.Why), s.PID)
	}
	fmt.Fprintf(w, "answered %d of %d snapshots; stops after %s without one\n", s.Answers, s.Asked, s.Idle)
}
