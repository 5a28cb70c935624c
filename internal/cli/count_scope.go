package cli

import (
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/count"
	"github.com/belay-dev/belay/internal/fsroot"
)

func (a countFamily) checkCommand() *cobra.Command {
	var before, after, requirement, file, name string
	c := &cobra.Command{
		Use: "check", Short: "Count before and after, and check a requirement", Args: cobra.NoArgs,
		Long: `Check counts the items of the list that a requirement is about, in a folder with the old
version and in one with the new version. A requirement starts with what it asks for:

  ADD 2 …        exactly 2 more items; more is a warning, fewer fails
  ADD …          more items; fewer fails, as many is a warning
  REMOVE 2 …     exactly 2 fewer items; fewer removed is a warning, more fails
  PRESERVED …    as many items or more; fewer fails
  MODIFY …       as many items; otherwise a warning (the same for FIX)
  NO CHANGES …   the file is the same, byte for byte; otherwise a warning

A list that was moved to another file, or renamed, is found by its items. What cannot be
counted is a warning, never a pass. It needs no repository.

Exit codes: 0 passed, perhaps with warnings · 1 failed · 2 cannot be read · 6 no such file or list.`,
		Example: `  belay scope check --before old --after new --file src/Flavors.tsx \
    --requirement "ADD 2 nighttime flavors to the flavors list"`,
		RunE: func(*cobra.Command, []string) error {
			r, err := count.ParseRequirement(requirement)
			if err != nil {
				return err
			}
			r.File, r.List = filepath.ToSlash(file), name
			trees := [2]count.Tree{}
			for i, dir := range []string{before, after} {
				if trees[i], err = a.folderTree(dir); err != nil {
					return err
				}
			}
			res, err := count.Check(trees[0], trees[1], r)
			if err != nil {
				return err
			}
			return a.PrintResult(res, scopeError(res), func(w io.Writer) { printScopeReport(w, res) })
		},
	}
	f := c.Flags()
	f.StringVar(&before, "before", "", "`DIR` with the old version")
	f.StringVar(&after, "after", "", "`DIR` with the new version")
	f.StringVar(&requirement, "requirement", "", "what was asked for: `\"ADD 2 flavors to the flavors list\"`")
	f.StringVar(&file, "file", "", "the `FILE` to count in, below both folders")
	f.StringVar(&name, "list", "", "`NAME` of the list, if the requirement does not name it")
	for _, must := range []string{"before", "after", "requirement"} {
		_ = c.MarkFlagRequired(must)
	}
	return c
}

func (a countFamily) folderTree(dir string) (count.Tree, error) {
	path := fsroot.From(a.Dir, dir)
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		return nil, belay.Refuse(belay.CodeNotFound, "name the folder with the files of that state", "no folder %s", dir)
	}
	return count.FS(os.DirFS(path)), nil
}

// scopeError returns the error of a failed result.
func scopeError(res count.Result) error {
	if res.Verdict != count.Fail {
		return nil
	}
	what := "the change does not meet the requirement"
	if len(res.Findings) > 0 {
		what = res.Findings[0].String()
	}
	return belay.Refuse(belay.CodeRefused, "add the items that are missing and keep those that were there", "%s", what)
}

func printScopeReport(w io.Writer, res count.Result) {
	fmt.Fprintf(w, "%s  %s before, %s after\n", res.Verdict, countText(res.Counts.Before), countText(res.Counts.After))
	for _, f := range res.Findings {
		fmt.Fprintf(w, "  %s: %s\n", f.Severity, belay.VisibleLine(f.String()))
	}
	if len(res.Candidates) > 0 {
		fmt.Fprintln(w, "  the list is ambiguous; candidates:")
	}
	for _, l := range res.Candidates {
		fmt.Fprintf(w, "    %s\n", belay.VisibleLine(l.String()))
	}
}
