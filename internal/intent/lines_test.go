package intent

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/belay-dev/belay/internal/belay"
)

var letters = map[belay.Marker]string{belay.MarkAdd: "A", belay.MarkModify: "M", belay.MarkFix: "F", belay.MarkRemove: "R"}

// line is a line of testdata/lines.txt: the expected answer (a letter for each requirement with its
// count, D for a doubt, f for fresh), what must stay, and the message.
type line struct {
	want, keep string
	in         Input
}

// parseLine parses a line. A prefix "n:" means that there is no plan; what must stay is before two
// bars.
func parseLine(s string) (line, bool) {
	want, text, ok := strings.Cut(s, " ")
	if !ok || strings.HasPrefix(s, "#") {
		return line{}, false
	}
	want, bare := strings.CutPrefix(want, "n:")
	keep, rest, kept := strings.Cut(text, "||")
	if !kept {
		keep, rest = "", text
	}
	return line{want, strings.TrimSpace(keep), Input{Text: strings.ReplaceAll(strings.TrimSpace(rest), `\n`, "\n"), PlanExists: !bare}}, true
}

// sample returns the line as a labelled message.
func (l line) sample() sample {
	var s sample
	s.Text, s.Context.PlanExists = l.in.Text, l.in.PlanExists
	s.Gold.Type = belay.Bugfix
	for _, c := range l.want {
		for m, letter := range letters {
			if letter == string(c) {
				s.Gold.Requirements = append(s.Gold.Requirements, wantedRequirement{Marker: m})
				if m != belay.MarkFix {
					s.Gold.Type = belay.Mutation
				}
			}
		}
	}
	switch {
	case strings.Contains(l.want, "D"):
		s.Gold.Type = belay.Unclear
	case strings.HasPrefix(l.want, "f"):
		s.Gold.Type = belay.Fresh
	}
	return s
}

// TestLines parses many short messages, one construction each. Some are misread; the share of the
// others must not fall.
func TestLines(t *testing.T) {
	f, err := os.Open("testdata/ask/lines.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	right, all := 0, 0
	for lines := bufio.NewScanner(f); lines.Scan(); {
		l, ok := parseLine(lines.Text())
		if !ok {
			continue
		}
		r, _ := Parse(l.in)
		all++
		if got, stays := inLetters(r); got == l.want && stays == l.keep {
			right++
		} else if testing.Verbose() {
			fmt.Printf("%s read as %s (%s): %s\n", l.want, got, stays, lines.Text())
		}
	}
	if 100*right < 78*all {
		t.Errorf("%d of %d lines are parsed correctly, want at least 78 %%", right, all)
	}
}

func inLetters(r belay.Request) (asked, stays string) {
	for _, q := range r.Requirements {
		asked += letters[q.Marker]
		if q.Count != nil {
			asked += fmt.Sprint(*q.Count)
		}
	}
	if len(r.Doubts) > 0 {
		asked += "D"
	}
	if r.Type == belay.Fresh {
		asked = "f" + asked
	}
	return asked, strings.Join(r.Preserve, "|")
}
