package comment

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"testing"
)

func TestDbg2(t *testing.T) {
	f, err := os.Open(os.Getenv("DBG"))
	if err != nil {
		t.Skip()
	}
	in := bufio.NewScanner(f)
	in.Buffer(nil, 1<<26)
	for in.Scan() {
		var e struct {
			ID, Text string
			Files    []string
		}
		_ = json.Unmarshal(in.Bytes(), &e)
		if os.Getenv("WHICH") != e.ID {
			continue
		}
		n := NewIndex(e.Files).in(e.Text)
		d := parse(e.Text, n)
		for _, u := range d.units {
			all := n.scan(u.text, nil)
			fmt.Printf("UNIT kind=%d %q\n   refs %v\n", u.kind, u.text, refs(u.text, all))
			for _, s := range sentences(u.text, all) {
				var own []mention
				for _, m := range all {
					if m.from >= s[0] && m.from < s[1] {
						own = append(own, m)
					}
				}
				fmt.Printf("   [%d] sev=%s %q\n", meant(masked(u.text, s[0], s[1], own)), labelIn(u.text[s[0]:s[1]]), u.text[s[0]:s[1]])
			}
		}
	}
}
