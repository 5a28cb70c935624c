package mine

import (
	"bufio"
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// held tells whether a review of a batch is held out: every second one, by its number. Its
// figures count, but nobody looks at what is wrong with it.
func held(id string) bool { return id != "" && (id[len(id)-1]-'0')%2 == 0 }

// split parts a batch into the open half and the one held out.
func split(set []example) (open, out []example) {
	for _, e := range set {
		if held(e.ID) {
			out = append(out, e)
		} else {
			open = append(open, e)
		}
	}
	return open, out
}

// batches are the sets that were measured before any rule was made for them; half of each
// is held out for good. The bounds are of the two halves.
var batches = map[string][2]struct{ precision, recall float64 }{
	"batch_1": {{0.94, 0.98}, {0.88, 0.87}},
	"batch_2": {{0.97, 0.97}, {0.79, 0.76}},
	"batch_3": {{0.94, 0.95}, {0.77, 0.79}},
	"batch_4": {{0.95, 0.97}, {0.80, 0.80}},
	"batch_5": {{0.93, 0.87}, {0.81, 0.85}},
	"batch_6": {{0.92, 0.96}, {0.91, 0.93}},
	"batch_7": {{0.95, 0.88}, {0.79, 0.87}},
	"batch_8": {{0.97, 0.97}, {0.90, 0.80}},
	"batch_9": {{0.86, 0.88}, {0.80, 0.78}},
}

func TestBatches(t *testing.T) {
	for name, want := range batches {
		open, out := split(load(t, "testdata/"+name+".jsonl"))
		for k, half := range [][]example{open, out} {
			got, _, _ := measure(t, half, k == 0 && testing.Verbose())
			if got.precision() < want[k].precision || got.recall() < want[k].recall {
				t.Errorf("%s, %s half: less was found than before: %s", name, []string{"open", "held-out"}[k], got)
			}
		}
	}
}

// TestBatch measures files of labelled reviews named by BELAY_REVIEWS, split by commas:
// both halves, with the errors of the open one only.
func TestBatch(t *testing.T) {
	files := os.Getenv("BELAY_REVIEWS")
	if files == "" {
		t.Skip("BELAY_REVIEWS names no file of labelled reviews")
	}
	for _, file := range strings.Split(files, ",") {
		open, out := split(load(t, file))
		all, _, sev := measure(t, append(open[:len(open):len(open)], out...), false)
		t.Logf("%s: all   %s, severity %.3f", file, all, sev.precision())
		o, _, osev := measure(t, open, true)
		t.Logf("%s: open  %s, severity %.3f", file, o, osev.precision())
		h, _, hsev := measure(t, out, false)
		t.Logf("%s: held  %s, severity %.3f", file, h, hsev.precision())
	}
}

var goldForm = regexp.MustCompile(`^(.*?)(?:@(\d+)(?:-(\d+)|(\+))?)?(?: (critical|major|minor|note))?$`)

// phrases reads a file of single remarks over one list of files: the files, an empty line,
// and "text => places" a line.
func phrases(t testing.TB, file string) []example {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = f.Close() }()
	var files []string
	var out []example
	in := bufio.NewScanner(f)
	for in.Scan() && in.Text() != "" {
		files = append(files, in.Text())
	}
	for in.Scan() {
		text, places, ok := strings.Cut(in.Text(), " => ")
		if i := strings.LastIndex(in.Text(), " => "); i >= 0 { // the text may have an arrow
			text, places = in.Text()[:i], in.Text()[i+4:]
		}
		if !ok {
			t.Fatalf("%s: no remark: %q", file, in.Text())
		}
		e := example{ID: fmt.Sprintf("%q", text), Text: strings.NewReplacer(`\\`, `\`, `\n`, "\n").Replace(text), Files: files}
		for _, p := range strings.Split(places, "; ") {
			m := goldForm.FindStringSubmatch(p)
			if p == "-" || m == nil {
				continue
			}
			g := goldPlace{Path: m[1], Severity: m[5]}
			if g.Severity == "" {
				g.Severity = "none"
			}
			if n, err := strconv.Atoi(m[2]); err == nil {
				end := n
				if to, err := strconv.Atoi(m[3]); err == nil {
					end = to
				}
				g.Start, g.End = &n, &end
				if m[4] != "" {
					g.End = nil
				}
			}
			e.Gold = append(e.Gold, g)
		}
		out = append(out, e)
	}
	return out
}

// TestPhrases holds what single remarks mean, in a dozen languages, and how places are
// spelled.
func TestPhrases(t *testing.T) {
	for file, most := range map[string]int{"testdata/phrases.txt": 22, "testdata/spellings.txt": 12, "testdata/constructions.txt": 2} {
		wrong := 0
		for _, e := range phrases(t, file) {
			got, _, sev := measure(t, []example{e}, testing.Verbose())
			if got.found != got.right || got.gold != got.right || sev.right != sev.gold {
				wrong++
			}
		}
		t.Logf("%s: %d are read wrongly", file, wrong)
		if wrong > most {
			t.Errorf("%s: %d remarks are read wrongly, no more than %d were before", file, wrong, most)
		}
	}
}

// TestEvaluation prints how well places are found, set by set.
func TestEvaluation(t *testing.T) {
	if os.Getenv("BELAY_EVAL") == "" {
		t.Skip("BELAY_EVAL is not set")
	}
	line := func(name string, set []example) {
		got, _, sev := measure(t, set, false)
		t.Logf("eval: %-34s %4d reviews %5d places  precision %.3f  recall %.3f  severity %.3f", name, len(set), got.gold, got.precision(), got.recall(), sev.precision())
	}
	for _, name := range []string{"shared", "own_development", "own_hard", "own_heldout", "own_second_heldout", "own_third_heldout", "own_output"} {
		line(name, load(t, "testdata/"+name+".jsonl"))
	}
	line("phrases", phrases(t, "testdata/phrases.txt"))
	line("spellings", phrases(t, "testdata/spellings.txt"))
	line("constructions", phrases(t, "testdata/constructions.txt"))
	for n := 1; n <= len(batches); n++ {
		open, out := split(load(t, fmt.Sprintf("testdata/batch_%d.jsonl", n)))
		line(fmt.Sprintf("batch %d, open half", n), open)
		line(fmt.Sprintf("batch %d, held-out half", n), out)
	}
}
