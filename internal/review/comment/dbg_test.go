package comment

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"testing"
)

func TestDbg(t *testing.T) {
	in := bufio.NewScanner(os.Stdin)
	f, err := os.Open(os.Getenv("DBG"))
	if err != nil {
		t.Skip()
	}
	in = bufio.NewScanner(f)
	in.Buffer(nil, 1<<26)
	for in.Scan() {
		var e struct {
			ID, Text string
			Files    []string
		}
		if err := json.Unmarshal(in.Bytes(), &e); err != nil {
			t.Fatal(err)
		}
		if w := os.Getenv("WHICH"); w != "" && w != e.ID {
			continue
		}
		fmt.Println("==", e.ID)
		for _, r := range Explain(e.Text, NewIndex(e.Files)) {
			m := "-"
			if r.Taken {
				m = "TAKEN"
			}
			fmt.Printf("  %d %s %s:%d-%d %s: %s\n", r.Line, m, r.Path, r.Start, r.End, r.Severity, r.Why)
		}
	}
}
