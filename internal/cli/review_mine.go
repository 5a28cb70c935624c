package cli

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/belay-dev/belay/internal/app"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/review/comment"
)

func (a reviewFamily) mineCommand() *cobra.Command {
	var batch, why bool
	c := &cobra.Command{
		Use: "mine [FILE|-]", Short: "List the places a review asks to change", Args: cobra.MaximumNArgs(1),
		Long: `Mine finds the files and lines that a review asks to change, with the severity the
reviewer gave. FILE is the review's text, - is standard input. It finds tracked files only.

With --batch it reads one review a line from FILE or standard input, and needs no
repository. A line of input is {"id","text","files":[tracked paths]}, a line of output
{"id","refs":[…]} with path, start, end (null without a line) and severity (critical,
major, minor, note, none).

Exit codes: 0 done · 2 a line of the batch could not be read, or no such file.`,
		Example: `  belay review mine feedback.md
  gh pr view 12 --json reviews --jq '.reviews[].body' | belay review mine - --json
  belay review mine --batch <reviews.jsonl >places.jsonl`,
		RunE: func(c *cobra.Command, args []string) error {
			if batch {
				if why {
					return belay.Refuse(belay.CodeUsage, c.CommandPath()+" --help", "--batch and --why cannot be combined")
				}
				return a.mineBatch(append(args, "-")[0])
			}
			if len(args) == 0 {
				return belay.Refuse(belay.CodeUsage, "belay review mine feedback.md, or - for standard input",
					"there is no review to read")
			}
			text, err := a.readComments(args[0])
			if err != nil {
				return err
			}
			svc, err := a.Open(c.Context())
			if err != nil {
				return err
			}
			found, err := app.FindReviewPlaces(c.Context(), svc, text, why)
			return a.printDataOrError(minedData(found), err, func(w io.Writer) { printMined(w, found) })
		},
	}
	c.Flags().BoolVar(&batch, "batch", false, "read and write one JSON object a line, without a repository")
	c.Flags().BoolVar(&why, "why", false, "say of each place in the text why it counts or not")
	return c
}

// readComments returns the text of a file or of standard input.
func (a reviewFamily) readComments(name string) (string, error) {
	return a.readText(name, "the review", "cut it, or give its parts one by one", 16<<20)
}

// placeRef is a place in JSON; without a line, start and end are null.
type placeRef struct {
	Path     string `json:"path"`
	Start    *int   `json:"start"`
	End      *int   `json:"end"`
	Severity string `json:"severity"`
}

func orNull(n int) *int {
	if n == 0 {
		return nil
	}
	return &n
}

func minedData(found app.ReviewPlaces) any {
	type reason struct {
		placeRef
		Line  int    `json:"line"`
		Taken bool   `json:"taken"`
		Why   string `json:"why"`
	}
	var reasons []reason
	for _, r := range found.Reasons {
		reasons = append(reasons, reason{newPlaceRef(r.Place), r.Line, r.Taken, r.Why})
	}
	return struct {
		Refs    []placeRef `json:"refs"`
		Reasons []reason   `json:"reasons,omitempty"`
	}{placeRefs(found.Places), reasons}
}

func placeRefs(places []comment.Place) []placeRef {
	out := []placeRef{}
	for _, p := range places {
		out = append(out, newPlaceRef(p))
	}
	return out
}

func newPlaceRef(p comment.Place) placeRef {
	return placeRef{p.Path, orNull(p.Start), orNull(p.End), string(p.Severity)}
}

func printMined(w io.Writer, found app.ReviewPlaces) {
	if len(found.Places) == 0 {
		fmt.Fprintln(w, "it names no place to change")
	}
	for _, p := range found.Places {
		fmt.Fprintf(w, "%-8s  %s\n", p.Severity, placeText(p))
	}
	for _, r := range found.Reasons {
		verb := "left "
		if r.Taken {
			verb = "taken"
		}
		fmt.Fprintf(w, "line %d  %s  %s: %s\n", r.Line, verb, placeText(r.Place), r.Why)
	}
}

func placeText(p comment.Place) string {
	return belay.VisibleLine(strings.TrimSuffix(p.Path+":"+p.Lines(), ":"))
}
