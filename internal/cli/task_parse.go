package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/intent"
	"github.com/belay-dev/belay/internal/prompt"
)

func (a taskFamily) parseCommand() *cobra.Command {
	var batch, explain, model bool
	c := &cobra.Command{
		Use: `parse "PROSE"`, Short: "Show how belay reads a task's text",
		Long: `Parse reads a task text as belay task add does and prints its requirements: the type,
requirements marked ADD, MODIFY, FIX or REMOVE, what to preserve, the files it refers to,
and what is ambiguous. It uses no model: the same text gives the same answer. PROSE "-"
is read from standard input.

--model also asks the program or model set by parser: in .belay/config.yaml, within its
time limit. Its answer counts only if its quotations and numbers are in the text and its
files in the repository; otherwise belay's own reading is used, with a note.

--batch reads one request a line from standard input, as JSON, and needs no repository:
  {"id": "r1", "text": "…", "context": {"plan_exists": true, "files": ["a/b.go"]}}
and prints one line for each. Lines that cannot be read are reported on standard error;
the others are answered.

Exit codes: 0 read · 2 no text, or a line of the batch could not be read.`,
		Example: `  belay task parse "add a --since flag, leave the parser alone" --explain
  belay task parse --batch <requests.jsonl >answers.jsonl`,
		RunE: func(c *cobra.Command, args []string) error {
			if batch {
				if len(args) > 0 {
					return belay.Refuse(belay.CodeUsage, "belay task parse --batch <requests.jsonl",
						"--batch reads standard input and takes no text")
				}
				return parseBatch(c.InOrStdin(), c.OutOrStdout(), c.ErrOrStderr())
			}
			return a.parse(c, args, model, explain)
		},
	}
	c.Flags().BoolVar(&batch, "batch", false, "read requests from standard input, one JSON object a line")
	c.Flags().BoolVar(&model, "model", false, "also ask the parser: of the config, and show the differences")
	c.Flags().BoolVar(&explain, "explain", false, "show the words behind each part")
	return c
}

// parse prints how a request is parsed.
func (a taskFamily) parse(c *cobra.Command, args []string, model, explain bool) error {
	prose, _, err := SplitPrompt(c, args)
	if err != nil {
		return err
	}
	if strings.TrimSpace(prose) == "" {
		return belay.Refuse(belay.CodeUsage, `belay task parse "what should be done"`, "no task text was given")
	}
	svc, err := a.Open(c.Context())
	if err != nil {
		return err
	}
	req, why := svc.ParseRequest(c.Context(), prose)
	t := belay.Task{}
	if model {
		if req, t.Reading = svc.ParseRequestAssisted(c.Context(), prose); t.Reading == nil {
			return belay.Refuse(belay.CodeUsage, "set parser: in .belay/config.yaml", "no request parser is configured")
		}
	}
	return a.PrintResult(parsedData(req, t.Reading, why, explain), nil, func(w io.Writer) {
		fmt.Fprintln(w, prompt.RequestText(req))
		fmt.Fprint(w, prompt.ReadingText(t))
		if explain {
			printReasons(w, why)
		}
	})
}

// reasonResult is one reason in JSON.
type reasonResult struct {
	Text    string `json:"words"`
	Meaning string `json:"means"`
}

// parsedData returns the data that --json prints.
func parsedData(req belay.Request, reading *belay.Reading, why []intent.Evidence, explain bool) any {
	out := struct {
		belay.Request
		Reading *belay.Reading `json:"reading,omitempty"`
		Why     []reasonResult `json:"why,omitempty"`
	}{Request: req, Reading: reading}
	if explain {
		for _, e := range why {
			out.Why = append(out.Why, reasonResult(e))
		}
	}
	return out
}

func printReasons(w io.Writer, why []intent.Evidence) {
	fmt.Fprintln(w)
	for _, e := range why {
		words := strings.Join(strings.Fields(e.Text), " ")
		if r := []rune(words); len(r) > 100 {
			words = string(r[:99]) + "…"
		}
		fmt.Fprintf(w, "“%s”\n    %s\n", belay.VisibleLine(words), belay.VisibleLine(e.Meaning))
	}
}

// batchLine is one request of a batch.
type batchLine struct {
	ID      string `json:"id"`
	Text    string `json:"text"`
	Context struct {
		PlanExists bool     `json:"plan_exists"`
		Files      []string `json:"files"`
	} `json:"context"`
}

// batchAnswer is the answer to a line of a batch.
type batchAnswer struct {
	ID string `json:"id"`
	belay.Request
}

// parseBatch answers each valid line of in, in order, and reports the others.
func parseBatch(in io.Reader, out, problems io.Writer) error {
	bad, err := answerLines(in, out, problems, func(text []byte) (any, error) {
		var l batchLine
		if err := json.Unmarshal(text, &l); err != nil {
			return nil, err
		}
		req, _ := intent.Parse(intent.Input{Text: l.Text, PlanExists: l.Context.PlanExists, Files: l.Context.Files})
		return batchAnswer{l.ID, req}, nil
	})
	if err != nil {
		return fmt.Errorf("answer the batch: %w", err)
	}
	if bad > 0 {
		try := `each line is {"id": …, "text": …, "context": {…}}`
		return belay.Refuse(belay.CodeUsage, try, "%s could not be read", belay.CountOf(bad, "line"))
	}
	return nil
}
