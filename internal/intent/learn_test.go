package intent

import (
	"crypto/sha256"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// folds is in how many parts the lessons are cut to measure what is learned: each part is read by
// what the others teach.
const folds = 5

func foldOf(id string) int {
	sum := sha256.Sum256([]byte("fold " + id))
	return int(sum[0]) % folds
}

// TestLearn learns anew what cues are worth and writes it where the program has it, when
// BELAY_ASK_LEARN is "write"; when it is "try" it only measures. How well what is learned reads
// messages that it was not learned from is printed, and written into the document that
// BELAY_ASK_DOC names.
func TestLearn(t *testing.T) {
	how := os.Getenv("BELAY_ASK_LEARN")
	if how == "" {
		t.Skip("BELAY_ASK_LEARN is not set")
	}
	all := lessons(t)
	table := crossed(t, all)
	fmt.Print(table)
	if how != "write" {
		return
	}
	acts, wholes := learn(all)
	for file, s := range map[string]*Scale{"acts.txt": acts, "wholes.txt": wholes} {
		if err := os.WriteFile(file, []byte(s.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if doc := os.Getenv("BELAY_ASK_DOC"); doc != "" {
		rewrite(t, doc, "lessons", table)
	}
}

// crossed is how well the lessons are read by what those of the other folds teach.
func crossed(t *testing.T, all []lesson) string {
	begin := time.Now()
	before, after := newScore(), newScore()
	shown := os.Getenv("BELAY_ASK_SHOW")
	for fold := range folds {
		var train, test []lesson
		for _, l := range all {
			if l.trust == trusted && foldOf(l.ID) == fold {
				test = append(test, l)
			} else {
				train = append(train, l)
			}
		}
		acts, wholes := learn(train)
		for _, l := range test {
			before.add(l.sample, readMessage(l.input()).buildRequest())
			p := readWeighed(l.input(), acts, wholes)
			after.add(l.sample, p.buildRequest())
			if shown != "" && strings.HasPrefix(l.ID, shown) {
				one := newScore()
				if one.add(l.sample, p.buildRequest()); one.types+one.exact < 2 {
					fmt.Printf("%s %q\n     want %s\n     got  %s\n", l.ID, l.Text, wanted(l.sample), answered(p.buildRequest()))
				}
			}
		}
	}
	t.Logf("%v", time.Since(begin))
	return tableHead + "\n" + before.row("training messages, grammar alone") + "\n" + after.row("training messages, weights from the others") + "\n\nTypes: rows are the labels, columns the answers.\n\n" + after.matrix()
}
