package cli

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/belay-dev/belay/internal/app"
	"github.com/belay-dev/belay/internal/belay"
)

// runPipeline runs the roles of a task in turn: belay run --pipeline implement,review,validate
// "…" -- AGENT.
func (a loopFamily) runPipeline(c *cobra.Command, f runFlags, svc *app.Service, q app.RunRequest) error {
	if f.separate {
		return belay.Refuse(belay.CodeUsage, "leave out --worktree", "roles work in your working tree")
	}
	p := app.PipelineRequest{NewTask: q.NewTask, Resume: q.Resume, Soft: a.StopRequested}
	for name := range strings.SplitSeq(f.pipeline, ",") {
		if name = strings.TrimSpace(name); name != "" {
			p.Roles = append(p.Roles, name)
		}
	}
	if p.Resume == "" && p.ID != "" && p.Text == "" { // a recorded task
		p.Resume = p.ID
	}
	s := a.Screen(f.quiet)
	stop := startTicking(c.Context(), s)
	p.Watch = s
	rec, err := app.RunPipeline(c.Context(), svc, p)
	stop()
	return a.printRun(c.Context(), svc, rec, err)
}

// hasRoles reports whether roles work on a task.
func hasRoles(svc *app.Service, id belay.TaskID) bool {
	r, err := svc.Session.Load(id)
	return err == nil && app.IsPipeline(r)
}
