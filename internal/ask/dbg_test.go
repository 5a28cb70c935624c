package ask

import (
	"fmt"
	"os"
	"testing"
)

func TestDbg(t *testing.T) {
	for _, s := range []string{os.Getenv("S")} {
		p := read(Input{Text: s, PlanExists: true})
		for _, a := range p.Acts {
			fmt.Println(a.Deed, a.Marker, a.Strength, a.Verb, a.C.Join, a.C.Low(), a.Readings)
		}
		r := p.answer()
		fmt.Println("GRAMMAR", answered(r), r.Doubts)
		r, why := Parse(Input{Text: s, PlanExists: true})
		fmt.Println("WEIGHED", answered(r), r.Doubts, why)
	}
}
