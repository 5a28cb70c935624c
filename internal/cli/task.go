package cli

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/belay-dev/belay/internal/agent"
	"github.com/belay-dev/belay/internal/app"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/loop"
	"github.com/belay-dev/belay/internal/session"
	"github.com/belay-dev/belay/internal/terminal"
)

// NewTaskFlags are the flags that describe a task and how it is checked.
type NewTaskFlags struct {
	ID, Feature, Role string
	With              string // the name of a preset
	Expect            []string
	Secrets, Clarify  bool
	AsWritten         bool
	Settings          Settings

	flags *pflag.FlagSet
}

// Add defines the flags.
func (t *NewTaskFlags) Add(f *pflag.FlagSet) {
	t.flags = f
	f.StringVar(&t.ID, "task", "", "the task's `ID` (default: the next number)")
	f.StringVar(&t.Feature, "feature", "", "the feature the task belongs to")
	f.StringVar(&t.With, "with", "", presetUsage())
	f.StringVar(&t.Role, "agent", "", "`NAME` of the agent in the record")
	f.StringSliceVar(&t.Expect, "expected-files", nil, "files that the task must change")
	f.BoolVar(&t.Secrets, "force-secrets", false, "allow possible secrets in the task text (recorded)")
	f.BoolVar(&t.Clarify, "clarify", false, "an ambiguous task waits for a person, whatever the config says")
	f.BoolVar(&t.AsWritten, "as-it-is", false, "run an ambiguous task as written, without asking")
	t.Settings.Add(f)
}

// Request returns the task with this text, for this agent. Errors: belay.CodeUsage for an invalid
// ID.
func (t *NewTaskFlags) Request(prose string, command []string) (q app.NewTask, err error) {
	command, role, err := presetCommand(t.With, t.Role, command)
	if err != nil {
		return q, err
	}
	q = app.NewTask{Text: prose, Secrets: t.Secrets, Agent: command, Feature: t.Feature, Role: role, Expect: t.Expect, AsItIs: t.AsWritten}
	if t.AsWritten && t.Clarify {
		return q, belay.Refuse(belay.CodeUsage, "use one of them", "--clarify and --as-it-is cannot be combined")
	}
	if t.ID != "" || t.flags != nil && t.flags.Changed("task") {
		q.ID, err = belay.ParseNewTaskID(t.ID)
	}
	return q, err
}

// presetUsage returns the help of --with.
func presetUsage() string {
	return "the agent by `NAME`: " + strings.Join(agent.PresetNames(), ", ") + "; words after -- are added"
}

// presetCommand returns the command of a preset followed by more, and the agent's name for the
// record. If name is "" it returns more and role unchanged.
func presetCommand(name, role string, more []string) (command []string, as string, err error) {
	if name == "" {
		return more, role, nil
	}
	p, ok := agent.PresetOf(name)
	if !ok {
		return nil, "", belay.Refuse(belay.CodeUsage, "use one of them, or give the agent's whole command after --",
			"--with %s: not a known agent; known are %s", belay.VisibleLine(name), strings.Join(agent.PresetNames(), ", "))
	}
	if len(more) > 0 && !strings.HasPrefix(more[0], "-") {
		return nil, "", belay.Refuse(belay.CodeUsage, "leave out --with, or give only more flags after --",
			"--with %s starts the agent; after -- only flags of it can follow, not %q", name, more[0])
	}
	return slices.Concat(p.Command, more), cmp.Or(role, p.Name), nil
}

// SplitPrompt splits the arguments at "--" into the text of a task and the agent's command. The
// text "-" is read from standard input. Errors: belay.CodeUsage.
func SplitPrompt(c *cobra.Command, args []string) (prose string, command []string, err error) {
	dash := c.ArgsLenAtDash()
	if dash >= 0 {
		args, command = args[:dash], args[dash:]
	}
	if len(args) > 1 {
		return "", nil, belay.Refuse(belay.CodeUsage, `quote the task and put the agent after --:  belay run "…" -- AGENT ARGS`,
			"expected one task text, got %d", len(args))
	}
	if len(args) == 1 {
		prose = args[0]
	}
	if prose == "-" {
		text, err := io.ReadAll(io.LimitReader(os.Stdin, 1<<20+1))
		if err != nil {
			return "", nil, fmt.Errorf("read the task from standard input: %w", err)
		}
		if len(text) > 1<<20 {
			return "", nil, belay.Refuse(belay.CodeUsage,
				"shorten the task, and put the rest in a file in the repository", "the task is longer than 1 MiB")
		}
		prose = string(text)
	}
	return prose, command, nil
}

// OutcomeError returns the error that a task's state leads to, nil if it was accepted:
// belay.CodeWaiting at a gate, CodeRefused, CodeInterrupted if it is paused.
func OutcomeError(r *session.Record) error {
	id, gate := r.Task.ID, r.State.Gate
	if r.State.Outcome == loop.OutcomePassed || gate == nil {
		return app.RunError(r)
	}
	options := terminal.OptionsText(gate.Options)
	switch gate.Kind {
	case loop.GateReview:
		return belay.Refuse(belay.CodeWaiting,
			fmt.Sprintf("belay review record %s --verdict approve|reject --file FEEDBACK, then belay run --resume %s", id, id),
			"%s waits for a review: %s", id, gate.Why)
	case loop.GateClarify:
		return app.WaitingError(r, fmt.Sprintf("belay decide %s guide --message \"what you mean\", or belay decide %s as-it-is", id, id))
	case loop.GateQuestion:
		return app.WaitingError(r, fmt.Sprintf("read it (belay diff %s), then belay decide %s approve  (or %s)", id, id, options))
	case loop.GateBroken:
		return app.WaitingError(r, fmt.Sprintf("remove the cause, then belay decide %s retry  (or %s)", id, options))
	}
	return app.WaitingError(r, fmt.Sprintf("belay decide %s guide --message \"…\"  (or %s)", id, options))
}
