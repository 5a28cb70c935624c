package ask

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/belay-dev/belay/internal/ask/grammar"
	"github.com/belay-dev/belay/internal/belay"
)

// TestTool shows for the batches in SEEN what TOOL (keeps, cuts, counts, files) gets wrong, and
// gives figures for them and for all others.
func TestTool(t *testing.T) {
	tool := os.Getenv("TOOL")
	if tool == "" {
		t.Skip()
	}
	seen := strings.Split(os.Getenv("SEEN"), ",")
	fig := map[bool]*[3]int{true: {}, false: {}}
	for _, s := range load(t, "testdata/lessons.jsonl") {
		show := slices.Contains(seen, strings.TrimRight(s.ID, "0123456789"))
		f := fig[show]
		say := func(format string, args ...any) {
			if show {
				fmt.Printf("%s plan=%v %q\n     "+format+"\n", append([]any{s.ID, s.Context.PlanExists, s.Text}, args...)...)
			}
		}
		msg, _ := shorten(s.Text)
		is := s.Gold.Type == belay.Fresh
		p := read(msg, Input{s.Text, s.Context.PlanExists, s.Context.Files}, &is)
		switch tool {
		case "keeps":
			bad := false
			n := 0
			for _, g := range s.Gold.Preserve {
				if slices.ContainsFunc(p.preserve, func(h string) bool { return alike(g, h) }) {
					n++
				} else {
					bad = true
				}
			}
			f[0], f[1], f[2] = f[0]+n, f[1]+len(s.Gold.Preserve), f[2]+len(p.preserve)
			if bad || len(p.preserve) > n {
				say("want %q\n     got  %q", s.Gold.Preserve, p.preserve)
			}
		case "cuts":
			m := p.matched(s)
			n := 0
			for _, j := range m {
				if j >= 0 {
					n++
				}
			}
			f[0], f[1], f[2] = f[0]+n, f[1]+len(s.Gold.Requirements), f[2]+len(p.acts)
			if n < len(s.Gold.Requirements) {
				acts := ""
				for i, a := range p.acts {
					if len(a.C.T) > 0 {
						acts += fmt.Sprintf("\n       %d %q", m[i], a.C.Text(p.msg, grammar.Span{To: len(a.C.T)}))
					}
				}
				say("want %s%s", wanted(s), acts)
			}
		case "counts":
			got := p.answer()
			var want, have []string
			for _, r := range s.Gold.Requirements {
				want = append(want, string(r.Marker))
			}
			for _, r := range got.Requirements {
				have = append(have, string(r.Marker))
			}
			for _, pair := range align(want, have) {
				g, h := s.Gold.Requirements[pair[0]].Count, got.Requirements[pair[1]].Count
				f[1]++
				if g == nil && h == nil || g != nil && h != nil && *g == *h {
					f[0]++
				} else {
					say("want %s%s got %s%s", s.Gold.Requirements[pair[0]].Gist, times(g), got.Requirements[pair[1]].Text, times(h))
				}
			}
		case "files":
			got := p.answer()
			n := overlap(s.Gold.Affected, got.Affected)
			f[0], f[1], f[2] = f[0]+n, f[1]+len(s.Gold.Affected), f[2]+len(got.Affected)
			if n < len(s.Gold.Affected) || n < len(got.Affected) {
				say("%v\n     want %s\n     got  %s", s.Context.Files, wanted(s), answered(got))
			}
		}
	}
	for show, f := range fig {
		fmt.Printf("figures, seen %v: right %d of %d (%s %%), said %d (%s %%)\n", show, f[0], f[1], pct(f[0], f[1]), f[2], pct(f[0], f[2]))
	}
}
