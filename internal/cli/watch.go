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
		Use: "watch", Short: "Make takes quick in a large tree: a helper that knows what changed", Args: cobra.NoArgs,
		Long: `Watch starts a helper process for this working tree, which learns of every change from
the kernel. A take then looks at the changed files only. The helper writes nothing in
the tree, answers only you, and ends by itself: unused for long, or the tree or belay's
folder gone, or belay replaced. Whenever it is not sure, a take looks at every file.

It watches folders, of which the kernel allows a number (fs.inotify.max_user_watches).
Linux only.

Exit codes: 0 it runs, or was ended · 2 it cannot · 6 with --stop, --status: none runs.`,
		Example: "  belay watch\n  belay watch --status\n  belay watch --stop",
		RunE: func(c *cobra.Command, _ []string) error {
			if idle < time.Second {
				return belay.Refuse(belay.CodeUsage, "belay watch --idle 30m", "--idle %v is too short", idle)
			}
			desk, err := a.Open(c.Context())
			if err != nil {
				return err
			}
			if stop {
				if err := desk.Unwatch(c.Context()); err != nil {
					return err
				}
				return a.Tell(map[string]bool{"stopped": true}, nil, func(w io.Writer) { fmt.Fprintln(w, "the watch has ended") })
			}
			var s watch.Status
			if status {
				s, err = desk.Watched(c.Context())
			} else {
				s, err = desk.Watch(c.Context(), idle)
			}
			if err != nil {
				return err
			}
			return a.Tell(s, nil, func(w io.Writer) { printWatch(w, s) })
		},
	}
	f := c.Flags()
	f.BoolVar(&stop, "stop", false, "end the watch of this working tree")
	f.BoolVar(&status, "status", false, "show how it is")
	f.DurationVar(&idle, "idle", watch.DefaultIdle, "end after so long without a take")
	c.MarkFlagsMutuallyExclusive("stop", "status")
	return c
}

func printWatch(w io.Writer, s watch.Status) {
	if s.Sure {
		fmt.Fprintf(w, "watching %d files in %d folders (process %d)\n", s.Files, s.Folders, s.PID)
	} else {
		fmt.Fprintf(w, "not sure of anything now: %s (process %d)\n", belay.VisibleLine(s.Why), s.PID)
	}
	fmt.Fprintf(w, "%d of %d takes answered; it ends after %s without one\n", s.Answers, s.Asked, s.Idle)
}
