package machine_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/belay-dev/belay/fleet/task"
	"github.com/belay-dev/belay/internal/app"
	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/loop"
)

// TestLarge: of a review that is too large for the server, the server gets a part and the number of
// the others; the record on the remote has all of it, and another machine continues from that.
func TestLarge(t *testing.T) {
	t.Parallel()
	finding := func(title string) belay.Finding {
		return belay.Finding{Check: "review", Severity: belay.SeverityError, Category: belay.CategoryReview, Title: title, File: "src/a.txt"}.Sign()
	}
	var many []belay.Finding
	for i := range 50_000 {
		many = append(many, finding(fmt.Sprintf("%c%c%c%s is wrong", 'a'+i%26, 'a'+i/26%26, 'a'+i/676, strings.Repeat("x", 60+i/17576))))
	}
	for name, findings := range map[string][]belay.Finding{"50,000 findings": many,
		"one of 5 MB": {finding("wrong: " + strings.Repeat("x", 5_000_000))}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := newPlace(t)
			in := p.asked()
			in.Agent = []string{"sh", "-c", "cat > /dev/null; if [ $BELAY_ATTEMPT = 1 ]; then echo bad > src/a.txt; else echo good > src/a.txt; fi"}
			k := p.gated(in)
			svc, err := app.Open(t.Context(), app.OpenOptions{Dir: p.tree("a", in), Force: true})
			if err != nil {
				t.Fatal(err)
			}
			rec, err := svc.Session.Load(in.ID)
			if err != nil {
				t.Fatal(err)
			}
			before := len(k.state.Attempts[0].Findings)
			if err := svc.Session.Apply(t.Context(), rec, loop.Event{Kind: loop.EvVerdict, Verdict: belay.VerdictFail, By: "ann", Findings: findings}); err != nil {
				t.Fatal(err)
			}
			st, err := p.call(p.machine("a"), task.WakeName, task.Ask{Task: in, Head: k.head})
			if err != nil {
				t.Fatal(err)
			}
			text, err := json.Marshal(st)
			if err != nil || len(text) > 1<<20 || !st.Pushed || len(st.Steps) != 1 || st.Steps[0].Omitted == nil {
				t.Fatalf("%d bytes, pushed: %v, %d steps, %v", len(text), st.Pushed, len(st.Steps), err)
			}
			p.took(k, st)
			shown := 0
			for _, f := range k.state.Attempts[0].Findings {
				if f.Severity != belay.SeverityNote {
					shown++
				}
			}
			left := *st.Steps[0].Omitted
			if shown+left.Findings != before+len(findings) || left.Findings == 0 && left.Bytes < 4_990_000 || k.state.Pending == nil {
				t.Fatalf("%d findings are shown, and not %+v", shown, left)
			}
			record := p.git(p.remote(), "show", task.RecordRef(in.ID)+":record.jsonl")
			if last := findings[len(findings)-1].Title; !strings.Contains(record, last) {
				t.Error("the record on the remote is incomplete")
			}
			p.adopt("b", in, k)
			there, err := app.Open(t.Context(), app.OpenOptions{Dir: p.tree("b", in), Force: true})
			if err == nil {
				rec, err = there.Session.Load(in.ID)
			}
			if err != nil || len(rec.State.Attempts[0].Findings) != before+len(findings) || rec.State.Pending == nil || !k.partial {
				t.Fatalf("the other machine has %d findings, %v", len(rec.State.Attempts[0].Findings), err)
			}
			if len(findings) > 1 { // each step contains all of them again
				return
			}
			p.until(p.machine("b"), in, k, "")
			if k.state.Outcome != loop.OutcomePassed || len(k.state.Attempts) != 2 || !k.partial {
				t.Errorf("%s %s %+v", k.state.Phase, k.state.Why, k.state.Gate)
			}
		})
	}
}
