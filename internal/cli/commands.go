package cli

import (
	"github.com/spf13/cobra"

	"github.com/belay-dev/belay/internal/app"
)

// A family is a group of commands that share helpers. Its methods create them, most in a file with
// the command's name.

type countFamily struct{ *App }

// CountCommands returns belay count and belay scope.
func CountCommands(base *App) []*cobra.Command {
	a := countFamily{base}
	scope := &cobra.Command{Use: "scope", Short: "Check a change against its requirement",
		Example: "  belay scope check --before old --after new --file src/Flavors.tsx --requirement \"ADD 2 flavors\""}
	scope.AddCommand(a.checkCommand())
	return []*cobra.Command{a.countCommand(), scope}
}

type reportFamily struct{ *App }

// ReportCommands returns the commands of belay report.
func ReportCommands(base *App) []*cobra.Command {
	a := reportFamily{base}
	c := &cobra.Command{Use: "report", Short: "Read reports that test runners wrote",
		Example: "  belay report read report.xml"}
	c.AddCommand(a.readCommand())
	return []*cobra.Command{c}
}

type repositoryFamily struct{ *App }

// RepositoryCommands returns the commands about the repository.
func RepositoryCommands(base *App) []*cobra.Command {
	a := repositoryFamily{base}
	return []*cobra.Command{a.statusCommand(), a.initCommand(), a.configCommand(), a.trustCommand(),
		a.doctorCommand(), a.guardCommand(), a.fenceCommand()}
}

type loopFamily struct{ *App }

// LoopCommands returns the commands that run, check and accept tasks.
func LoopCommands(base *App) []*cobra.Command {
	a := loopFamily{base}
	return []*cobra.Command{a.runCommand(), a.decideCommand(), a.gateCommand(), a.cancelCommand(), a.checkCommand(), a.rollbackCommand(),
		a.mergeCommand(), a.worktreeCommand(), a.showCommand(), a.logCommand(), a.fixPromptCommand()}
}

type snapshotFamily struct{ *App }

// SnapshotCommands returns the commands about snapshots.
func SnapshotCommands(base *App) []*cobra.Command {
	a := snapshotFamily{base}
	return []*cobra.Command{a.diffCommand("belay diff"), a.snapshotCommand(), a.undoCommand(), a.redoCommand(), a.watchCommand()}
}

type importFamily struct{ *App }

// ImportCommands returns the commands of belay task that import and edit tasks.
func ImportCommands(base *App) []*cobra.Command {
	a := importFamily{base}
	return []*cobra.Command{a.importCommand(), a.editCommand()}
}

type reviewFamily struct{ *App }

// ReviewCommands returns the commands of belay review.
func ReviewCommands(base *App) []*cobra.Command {
	a := reviewFamily{base}
	c := &cobra.Command{
		Use: "review", Short: "Record and read reviews",
		Example: `  belay review mine feedback.md
  belay review begin T7 --reviewer ana
  belay review record T7 --verdict reject --file feedback.md
  belay review list T7`,
	}
	c.AddCommand(a.mineCommand(), a.beginCommand(), a.endCommand(), a.recordCommand(), a.listCommand(), a.showCommand(),
		a.resolveCommand(), a.featureCommand())
	return []*cobra.Command{c}
}

type taskFamily struct{ *App }

// TaskCommands returns the commands of belay task, including others.
func TaskCommands(base *App, others ...*cobra.Command) []*cobra.Command {
	a := taskFamily{base}
	c := &cobra.Command{
		Use: "task", Short: "Record and import tasks, run one step by step",
		Long: `The steps of belay run, one at a time, for an agent that works in its own window:

  belay task add "fix the login" --files 'auth/**'    record it
  belay task start T1                                 take the before snapshot
  … the agent works …
  belay task capture T1                               take the after snapshot
  belay check T1                                      check the change
  belay task finish T1                                close it, or belay rollback T1`,
		Example: "  belay task add \"fix the login\" --files 'auth/**'\n  belay task list",
	}
	c.AddCommand(a.addCommand(), a.listCommand(), a.historyCommand("history"), a.parseCommand(), a.moveCommand(), a.acceptRecordCommand(),
		a.stepCommand("start", "Take the before snapshot of a task", "before snapshot: %s", (*app.Service).Start),
		a.stepCommand("capture", "End the attempt and take its snapshot",
			"attempt captured; next: belay check %s", (*app.Service).Capture),
		a.stepCommand("finish", "Close a task after its checks passed", "%s is finished", (*app.Service).Finish))
	c.AddCommand(others...)
	history := a.historyCommand("task-history")
	history.Hidden = true // an alias
	return []*cobra.Command{c, history}
}
