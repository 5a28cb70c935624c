package terminal

import (
	"context"
	"io"
	"os"
	"os/exec"
	"strings"

	"golang.org/x/term"
)

// Page writes a text to a stream; on a terminal it goes through $PAGER, or less where that is not set. A pager that
// cannot be started is left out. The text is shown as it is: the caller makes it harmless.
func Page(ctx context.Context, to io.Writer, text string) error {
	pager, set := os.LookupEnv("PAGER")
	if !set {
		pager = "less"
	}
	file, ok := to.(*os.File)
	if !ok || !Is(to) || pager == "" || pager == "cat" || os.Getenv("TERM") == "dumb" {
		_, err := io.WriteString(to, text)
		return err
	}
	c := exec.CommandContext(ctx, "sh", "-c", pager)
	c.Stdin, c.Stdout, c.Stderr = strings.NewReader(text), file, os.Stderr
	c.Env = os.Environ()
	if os.Getenv("LESS") == "" { // as git does: colours, no page for what fits, and the screen stays
		c.Env = append(c.Env, "LESS=FRX")
	}
	if err := c.Run(); err != nil && c.ProcessState != nil && c.ProcessState.ExitCode() == 127 {
		_, err = io.WriteString(to, text)
		return err
	}
	return nil // a pager that is left early has shown enough
}

// Columns is how many characters fit on a line of a terminal; 0 where that is not known.
func Columns(w io.Writer) int {
	file, ok := w.(*os.File)
	if !ok {
		return 0
	}
	width, _, err := term.GetSize(int(file.Fd()))
	if err != nil {
		return 0
	}
	return width
}

// fit breaks lines that are wider than the terminal between words, and sets the rest in. Elsewhere lines stay whole.
func (s *Screen) fit(text string) string { return wrap(text, Columns(s.t.Err)) }

func wrap(text string, width int) string {
	if width < 20 {
		return text
	}
	var out []string
	for line := range strings.SplitSeq(text, "\n") {
		indent := line[:len(line)-len(strings.TrimLeft(line, " "))] + "  "
		for {
			cut := breakAt(line, width)
			if cut == 0 || len(indent) > width/2 {
				break
			}
			out = append(out, strings.TrimRight(line[:cut], " "))
			line = indent + line[cut+1:]
		}
		out = append(out, line)
	}
	return strings.Join(out, "\n")
}

// breakAt gives the place of the space at which a line is broken; 0 where it fits, or has none.
func breakAt(line string, width int) (cut int) {
	start, column := len(line)-len(strings.TrimLeft(line, " ")), 0
	for i, r := range line {
		if column++; column > width {
			return cut
		}
		if r == ' ' && i > start {
			cut = i
		}
	}
	return 0
}
