package terminal

import (
	"fmt"
	"io"
	"strings"

	"github.com/belay-dev/belay/internal/app"
	"github.com/belay-dev/belay/internal/belay"
)

// PrintTimeline prints an agent's session, turn by turn.
func PrintTimeline(w io.Writer, t app.Timeline) {
	p := PaintFor(w)
	fmt.Fprintf(w, "%s, %s, since %s\n", t.Session, t.Agent, t.Started.Local().Format("2006-01-02 15:04"))
	for _, turn := range t.Turns {
		head := fmt.Sprintf("turn %d  %s", turn.Turn, belay.VisibleLine(turn.Prompt))
		switch {
		case turn.Turn == 0 && len(turn.Steps) == 0:
			continue
		case turn.Turn == 0:
			head = "before the first prompt"
		case turn.Undone:
			head += p.Dim("  (undone)")
		case turn.Verdict == belay.VerdictFail:
			head += p.Bad("  (rejected)")
		case turn.Verdict == belay.VerdictPass:
			head += p.Good("  (checks passed)")
		}
		fmt.Fprintf(w, "\n%s  %s\n", turn.Time.Local().Format("15:04:05"), strings.TrimRight(head, " "))
		for _, s := range turn.Steps {
			printTimelineStep(w, p, s)
		}
	}
}

func printTimelineStep(w io.Writer, p Paint, s app.TimelineStep) {
	what := ""
	switch s.Kind {
	case "tool":
		what = fmt.Sprintf("tool %d  %s  %s", s.Tool, s.Name, belay.VisibleLine(s.Text))
	case "denied":
		what = fmt.Sprintf("tool %d  %s  %s", s.Tool, s.Name, p.Bad("denied: ")+belay.VisibleLine(s.Text))
	case "change":
		what = map[string]string{"person": "changed by a person", "session": "changed by the session " + s.Text,
			"outside": "changed by a person or another process"}[s.By]
	case "undo":
		what = "undo: " + belay.VisibleLine(s.Text)
	case "stall":
		what = "warned that it repeats itself: " + belay.VisibleLine(s.Text)
	case "stop":
		what = "rejected: " + belay.VisibleLine(s.Text)
	}
	if s.Undone {
		what += p.Dim("  (undone)")
	}
	fmt.Fprintf(w, "  %s  %s\n", s.Time.Local().Format("15:04:05"), strings.TrimRight(what, " "))
	const most = 10
	for i, c := range s.Changes {
		if i == most && len(s.Changes) > most+1 {
			fmt.Fprintf(w, "            %d more files\n", len(s.Changes)-most)
			break
		}
		fmt.Fprintf(w, "            %s %s\n", c.Status, belay.VisibleLine(c.Path))
	}
	if len(s.Git) > 0 {
		fmt.Fprintf(w, "            git: %s\n", belay.VisibleLine(strings.Join(s.Git, ", ")))
	}
	if s.Problem != "" {
		fmt.Fprintf(w, "            the changes are not known: %s\n", belay.VisibleLine(s.Problem))
	}
}
