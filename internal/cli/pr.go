package cli

import (
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/belay-dev/belay/internal/atomicfile"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/prompt"
)

// pullLimit is how many characters GitHub takes as the text of a pull request. GitLab and Forgejo take more.
const pullLimit = 65536

type pullFamily struct {
	*App
	version string
}

// PullCommands gives the commands about pull requests and the provenance of commits; version is the program's.
func PullCommands(app *App, version string) []*cobra.Command {
	a := pullFamily{app, version}
	return []*cobra.Command{a.prCommand()}
}

type pullFlags struct {
	format, output string
	limit          int
}

var pullFormats = []string{"markdown", "abbreviated", "json"}

func (a pullFamily) prCommand() *cobra.Command {
	var q pullFlags
	c := &cobra.Command{
		Use: "pr [TASK | FEATURE]", Short: "Write a task's record as a pull request", Args: cobra.MaximumNArgs(1),
		Long: `Pr writes what the record says of a task, or of all tasks of a feature: what was asked,
each changed file with its purpose, the attempts and why they were rejected, checks,
tests against the baseline, reviews, overrides, cost, and what binds the text to the
record. It contains no file contents, and secrets are masked. TASK is the latest one when
left out.

--format abbreviated writes it as the message of a commit, with trailers. A text that is
longer than --limit is shortened by whole lines and says where the rest is.

Exit codes: 0 written · 2 cannot be written · 6 no such task or feature.`,
		Example: `  belay pr T7
  belay pr login --output body.md
  gh pr create --title "Add login" --body-file <(belay pr login)
  git commit -F <(belay pr T7 --format abbreviated)`,
		ValidArgsFunction: a.CompleteTasks,
		RunE:              func(c *cobra.Command, args []string) error { return a.pr(c, args, q) },
	}
	f := c.Flags()
	f.StringVar(&q.format, "format", "markdown", "markdown, abbreviated (a commit's message) or json")
	f.StringVarP(&q.output, "output", "o", "", "write to this `FILE`")
	f.IntVar(&q.limit, "limit", pullLimit, "the most `CHARACTERS`; 0 is no limit")
	_ = c.RegisterFlagCompletionFunc("format", cobra.FixedCompletions(pullFormats, cobra.ShellCompDirectiveNoFileComp))
	return c
}

// pullResult is a pull request's text with what it was made of.
type pullResult struct {
	prompt.Pull
	Text   string `json:"text"`
	Cut    bool   `json:"cut"` // lines were left out
	Output string `json:"output,omitempty"`
}

func (a pullFamily) pr(c *cobra.Command, args []string, q pullFlags) error {
	if !slices.Contains(pullFormats, q.format) {
		return belay.Refuse(belay.CodeUsage, "--format markdown, abbreviated or json", "%q is not a format", q.format)
	}
	if q.limit < 0 {
		return belay.Refuse(belay.CodeUsage, "--limit 65536", "%d is not a number of characters", q.limit)
	}
	desk, err := a.Open(c.Context())
	if err != nil {
		return err
	}
	name := ""
	if len(args) == 1 {
		name = args[0]
	}
	out := pullResult{}
	if out.Pull, err = desk.Pull(c.Context(), name, a.version); err != nil {
		return err
	}
	a.JSON = a.JSON || q.format == "json"
	if q.format == "abbreviated" {
		out.Text = out.Abbreviated()
	} else {
		out.Text, out.Cut = out.Markdown(q.limit)
	}
	if q.output != "" {
		if out.Output, err = a.writeTo(q.output, []byte(out.Text)); err != nil {
			return err
		}
	}
	return a.Tell(out, nil, func(w io.Writer) {
		if out.Output != "" {
			fmt.Fprintf(w, "wrote %s\n", belay.VisibleLine(q.output))
			return
		}
		fmt.Fprint(w, out.Text)
	})
}

// writeTo writes a file that a person named, whole or not at all, and gives its path.
func (a *App) writeTo(name string, text []byte) (string, error) {
	path := name
	if !filepath.IsAbs(path) {
		path = filepath.Join(a.Dir, path)
	}
	if err := atomicfile.Replace(path, atomicfile.How{Perm: 0o644}, text); err != nil {
		return "", &belay.Error{Code: belay.CodeCannot, What: "cannot write " + belay.VisibleLine(name), Err: err,
			Try: "name another file"}
	}
	return path, nil
}
