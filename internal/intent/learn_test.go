package intent

import (
	"crypto/sha256"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// folds is the number of parts for cross-validation: each part is parsed with weights learned from
// the others.
const folds = 5

func foldOf(id string) int {
	sum := sha256.Sum256([]byte("fold " + id))
	return int(sum[0]) % folds
}

// TestLearn learns the weights of the cues. With BELAY_ASK_LEARN=write it writes them into the
// files that the program embeds; with "try" it only measures. It prints how well messages are
// parsed with weights from other messages, and writes that into the document BELAY_ASK_DOC.
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

// crossed measures how well the lessons are parsed with weights learned from the other folds.
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
