package mine

import (
	"os"
	"strings"
	"testing"
)

func TestWhyLine(t *testing.T) {
	want := os.Getenv("WHYTEXT")
	if want == "" {
		t.Skip()
	}
	for _, f := range []string{"constructions", "phrases", "spellings"} {
		for _, e := range phrases(t, "testdata/"+f+".txt") {
			if strings.Contains(e.ID, want) {
				t.Log(e.ID)
				for _, r := range Explain(e.Text, e.Files) {
					t.Logf("  %+v", r)
				}
			}
		}
	}
}
