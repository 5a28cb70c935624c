package cli

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/belay-dev/belay/internal/app"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/install"
	"github.com/belay-dev/belay/internal/prompt"
	"github.com/belay-dev/belay/internal/session"
)

// installFlags are the flags of init about agents.
type installFlags struct {
	agents                            []string
	skill, user, project, remove, dry bool
	trust                             bool
}

func (a repositoryFamily) initCommand() *cobra.Command {
	var in installFlags
	var template bool
	c := &cobra.Command{
		Use: "init", Short: "Write a starter config, or install belay's hooks in coding agents", Args: cobra.NoArgs,
		Long: `Init writes .belay/config.yaml, commented, with the detected test command, and
.belay/.gitignore, and lists the task files of other tools that it finds. It does not
change existing files. Belay works without both. --pr-template adds a template for pull
requests, .github/PULL_REQUEST_TEMPLATE/forensic.md, with the sections of belay pr.

With --agent it installs belay's hooks in the settings of coding agents instead, for all
of your projects or with --project for this repository. With --skill it installs a skill
that tells agents how to use belay. Only belay's own entries are written; every other
byte of a file stays. --remove restores the file exactly. If belay is uninstalled, the
agent works as before.

Codex runs a hook only after a person trusted it. On a terminal belay asks;
--trust-codex-hooks is the yes for scripts.

Exit codes: 0 done · 2 a file cannot be changed (not valid JSON, read-only, another
user's) and nothing was written · 5 another belay init is running.`,
		Example: `  belay init
  belay init --agent claude,codex --skill
  belay init --agent gemini --project --dry-run
  belay init --agent claude --remove`,
		RunE: func(c *cobra.Command, _ []string) error {
			if in.hasInstall(c) {
				return a.install(c, in)
			}
			svc, err := a.Open(c.Context())
			if err != nil {
				return err
			}
			places, err := app.ImportPlaces(svc.Session.Repo.Root)
			if err != nil {
				return err
			}
			var globs []string
			for _, p := range places {
				globs = append(globs, p.Glob)
			}
			made, err := svc.Init(template, globs...)
			if err != nil {
				return err
			}
			m := struct {
				app.ConfigInitResult
				Specs []app.ImportPlace `json:"specs"`
			}{made, places}
			return a.PrintResult(m, nil, func(w io.Writer) {
				for _, f := range m.Wrote {
					fmt.Fprintf(w, "wrote %s\n", f)
				}
				for _, f := range m.Left {
					fmt.Fprintf(w, "%s already exists\n", f)
				}
				for _, p := range m.Specs {
					fmt.Fprintf(w, "tasks: %s (%s, %s): belay task import --all\n", p.Glob, p.Dialect, belay.CountOf(p.Files, "file"))
				}
				if m.Tests.Set() {
					fmt.Fprintf(w, "tests: %s (%s)\n", belay.VisibleLine(m.Tests.String()), belay.VisibleLine(m.Tests.Why))
				} else {
					fmt.Fprintln(w, "tests: none detected; set checks.tests.command")
				}
				fmt.Fprint(w, prompt.Steps([]prompt.Step{
					{Command: `belay run "…" --with claude`, For: "run an agent on a task"},
					{Command: "belay init --agent claude", For: "or snapshots and checks in sessions of your own"},
					{Command: "belay config explain", For: "what each setting means"},
				}))
			})
		},
	}
	f := c.Flags()
	f.BoolVar(&template, "pr-template", false, "also write a template for pull requests")
	f.StringSliceVar(&in.agents, "agent", nil, "install hooks for these `AGENTS`: "+strings.Join(install.Names(), ", "))
	f.BoolVar(&in.skill, "skill", false, "install the skill for agents")
	f.BoolVar(&in.user, "user", false, "for all of your projects (default)")
	f.BoolVar(&in.project, "project", false, "for this repository")
	f.BoolVar(&in.remove, "remove", false, "remove what belay installed")
	f.BoolVar(&in.dry, "dry-run", false, "show what would be written, and write nothing")
	f.BoolVar(&in.trust, "trust-codex-hooks", false, "let Codex run the hooks without asking you")
	c.MarkFlagsMutuallyExclusive("user", "project")
	_ = c.RegisterFlagCompletionFunc("agent", choices(install.Names(), true))
	return c
}

// hasInstall reports whether init was asked to install something.
func (in installFlags) hasInstall(c *cobra.Command) bool {
	return slices.ContainsFunc([]string{"agent", "skill", "user", "project", "remove", "dry-run", "trust-codex-hooks"}, c.Flags().Changed)
}

// install installs or removes hooks and skills.
func (a repositoryFamily) install(c *cobra.Command, in installFlags) error {
	if len(in.agents) == 0 && !in.skill {
		in.agents = install.Names()
		try := in.command()
		if in.remove {
			try += " --remove"
		}
		return belay.Refuse(belay.CodeUsage, try, "no agent is named")
	}
	q := install.Request{Agents: in.agents, Skill: in.skill, Remove: in.remove, DryRun: in.dry, Env: os.Environ(), Program: programPath()}
	var err error
	if q.State, err = session.StateFolder(); err != nil {
		q.State = "" // a removal uses only the files that it finds
	}
	if in.project {
		svc, err := a.Open(c.Context())
		if err != nil {
			return err
		}
		if q.Project, err = filepath.EvalSymlinks(svc.Session.Repo.Root); err != nil {
			return err
		}
		if q.State == "" {
			q.State = filepath.Join(svc.Session.Repo.Common, "belay")
		}
	}
	var out struct {
		Changes []install.Change    `json:"changes"`
		Codex   *install.CodexState `json:"codex,omitempty"`
	}
	if out.Changes, err = install.Apply(c.Context(), q); err == nil {
		out.Codex, err = a.askCodex(c.Context(), q, in.trust)
	}
	return a.PrintResult(out, err, func(w io.Writer) {
		for _, c := range out.Changes {
			fmt.Fprintf(w, "%s: %s %s\n", c.Agent, changeText(c, in.dry), belay.VisibleLine(c.Path))
			for _, line := range c.Lines {
				fmt.Fprintf(w, "  %s\n", belay.VisibleLine(line))
			}
			if c.Note != "" {
				fmt.Fprintf(w, "  %s\n", c.Note)
			}
			for _, k := range c.KeptFiles {
				fmt.Fprintf(w, "  an interrupted belay init left %s: compare it, then delete it\n", belay.VisibleLine(k))
			}
		}
		if out.Codex != nil {
			fmt.Fprintf(w, "codex: %s\n", belay.VisibleLine(out.Codex.String()))
		}
		if err == nil && !in.remove && !in.dry && len(in.agents) > 0 {
			fmt.Fprint(w, prompt.Steps(in.nextSteps()))
		}
	})
}

// command returns the command that installs the hooks.
func (in installFlags) command() string {
	text := "belay init --agent " + strings.Join(in.agents, ",")
	if in.project {
		text += " --project"
	}
	return text
}

// nextSteps returns the commands that show what the hooks do, and the one that removes them.
func (in installFlags) nextSteps() []prompt.Step {
	return []prompt.Step{
		{Command: strings.Join(in.agents, ", "), For: "start a session, or restart a running one"},
		{Command: "belay timeline", For: "each prompt and tool call, and what it changed"},
		{Command: "belay undo --turn", For: "reverse the last turn"},
		{Command: in.command() + " --remove", For: "remove the hooks"},
	}
}

// changeText describes what was done to a file, or would be.
func changeText(c install.Change, dry bool) string {
	say := c.Action
	if dry {
		say = map[string]string{install.Wrote: "would write", install.Removed: "would remove"}[c.Action]
	}
	switch {
	case c.Action == install.Unchanged:
		return "unchanged:"
	case c.Action == install.Removed && !c.FileRemoved:
		return say + " hooks from"
	}
	return say
}

// askCodex asks Codex which of belay's hooks it knows, and a person whether it may run them.
func (a repositoryFamily) askCodex(ctx context.Context, q install.Request, trust bool) (*install.CodexState, error) {
	if !q.Wants("codex") {
		return nil, nil
	}
	s := q.Codex(ctx)
	if s.Found == s.Trusted || s.Problem != "" {
		return &s, nil
	}
	if !trust {
		trust, _ = a.AskConfirmation(fmt.Sprintf("Codex runs a hook only when a person trusts it. Trust belay's %d hooks?", s.Found))
	}
	if !trust {
		return &s, nil
	}
	s, err := q.TrustCodex(ctx, s)
	return &s, err
}

// programPath returns the path of this program: the one in PATH if that is the same file, because a
// link there survives an upgrade.
func programPath() string {
	self, err := os.Executable()
	if err != nil {
		return os.Args[0]
	}
	if path, err := exec.LookPath("belay"); err == nil && filepath.IsAbs(path) {
		a, aerr := os.Stat(path)
		b, berr := os.Stat(self)
		if aerr == nil && berr == nil && os.SameFile(a, b) {
			return path
		}
	}
	return self
}

// agentComplaints reports which agents are installed and which hooks belay has in them. Hooks that
// call a missing program are a problem.
func agentComplaints(ctx context.Context, root string) (list []app.HealthCheck) {
	for _, f := range install.Inspect(ctx, root, os.Environ()) {
		c := app.HealthCheck{Subject: "agent " + f.Agent, OK: true, Text: strings.TrimSpace(f.Version + " " + f.Program)}
		if f.Program == "" {
			c.Text = "not in PATH"
		}
		if len(f.Hooks) == 0 {
			c.Text += "; no hooks (belay init --agent " + f.Agent + ")"
		}
		for _, h := range f.Hooks {
			c.Text += fmt.Sprintf("; %s hooks in %s", h.Level, h.Path)
			flag := map[string]string{"project": " --project"}[h.Level]
			switch {
			case h.Problem != "":
				c.OK, c.Try = false, "fix the file"
				c.Text += ": " + h.Problem
			case len(h.MissingPrograms) > 0:
				c.OK, c.Try = false, "belay init --agent "+f.Agent+flag
				c.Text += fmt.Sprintf(" call %s, which does not exist", strings.Join(h.MissingPrograms, ", "))
			case h.Events != h.Expected:
				c.OK, c.Try = false, "belay init --agent "+f.Agent+flag
				c.Text += fmt.Sprintf(": %d of %d events", h.Events, h.Expected)
			default:
				c.Text += " call " + strings.Join(h.Programs, ", ")
			}
			if h.Trust != "" {
				c.Text += "; " + h.Trust
			}
		}
		list = append(list, c)
	}
	return list
}
