package ask

import (
	"fmt"
	"os"
	"testing"
	"time"
)

func TestQuick(t *testing.T) {
	if os.Getenv("BELAY_ASK_QUICK") == "" {
		t.Skip()
	}
	b := time.Now()
	all := lessons(t)
	fmt.Println("prepared", time.Since(b))
	acts, wholes := learn(all)
	fmt.Println("learned", time.Since(b), len(acts.String()), len(wholes.String()))
	os.WriteFile("/tmp/acts.txt", []byte(acts.String()), 0o666)
	os.WriteFile("/tmp/wholes.txt", []byte(wholes.String()), 0o666)
	names, of := sets(t)
	held, gram := newScore(), newScore()
	fmt.Println(tableHead)
	for _, n := range names {
		s := newScore()
		for _, m := range of[n] {
			if heldOut(m.ID) {
				gram.add(m, read(m.input()).answer())
			}
			got := weighed(m.input(), acts, wholes).answer()
			if !heldOut(m.ID) && len(m.Gold.Requirements) > 2 && len(got.Requirements) != len(m.Gold.Requirements) && os.Getenv("BELAY_SHOW") != "" {
				fmt.Printf("SHOW %s %q\n   want %s\n    got %s\n", m.ID, m.Text, wanted(m), answered(got))
			}
			s.add(m, got)
		}
		if heldOut(of[n][0].ID) {
			held.merge(s)
		}
		fmt.Println(s.row(n))
	}
	fmt.Println(gram.row("grammar"))
	fmt.Print(gram.concerns())
	fmt.Println(held.row("held"))
	fmt.Print(held.concerns(), held.matrix())
	fmt.Println(time.Since(b))
}
