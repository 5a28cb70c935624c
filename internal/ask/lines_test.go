package ask

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/belay-dev/belay/internal/belay"
)

var letters = map[belay.Marker]string{belay.MarkAdd: "A", belay.MarkModify: "M", belay.MarkFix: "F", belay.MarkRemove: "R"}

// TestLines reads many short messages, each in front of it what it asks for: a letter for
// each requirement with its count, D for a doubt, f for something fresh, "n:" where there
// is no plan; what is to stay stands before two bars. Some are not read as they are meant,
// so the share that is may not fall.
func TestLines(t *testing.T) {
	f, err := os.Open("testdata/lines.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	right, all := 0, 0
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if strings.HasPrefix(lines.Text(), "#") {
			continue
		}
		want, text, ok := strings.Cut(lines.Text(), " ")
		if !ok {
			t.Fatalf("%q", lines.Text())
		}
		want, bare := strings.CutPrefix(want, "n:")
		keep, rest, kept := strings.Cut(text, "||")
		if !kept {
			keep, rest = "", text
		}
		got, stays := inLetters(Input{Text: strings.ReplaceAll(strings.TrimSpace(rest), `\n`, "\n"), PlanExists: !bare})
		all++
		if got == want && stays == strings.TrimSpace(keep) {
			right++
		} else if testing.Verbose() {
			fmt.Printf("%s read as %s (%s): %s\n", want, got, stays, text)
		}
	}
	if 100*right < 91*all {
		t.Errorf("%d of %d lines are read as they are meant, less than 91 %%", right, all)
	}
}

func inLetters(in Input) (asked, stays string) {
	r, _ := Parse(in)
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
