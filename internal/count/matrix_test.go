package count_test

import (
	"fmt"
	"os"
	"sort"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/belay-dev/belay/internal/count"
)

// asked is a change of a list of eight items, with the expected verdict.
type asked struct {
	id, requirement string // WHAT is replaced by the items and the list
	change          func(names []string) []string
	disabled        int // number of items that are commented out
	expect          count.Verdict
	conversion      bool
}

var happenings = []asked{
	{"add", "ADD 2 WHAT, keep the existing 8", add(2), 0, count.Pass, false},
	{"add-first", "ADD 2 WHAT", func(n []string) []string { return append(night(2), n...) }, 0, count.Pass, false},
	{"converted", "ADD 2 WHAT, keep the existing 8", convert(4), 0, count.Fail, true},
	{"converted-all", "ADD 8 WHAT", convert(8), 0, count.Fail, true},
	{"one-short", "ADD 2 WHAT", add(1), 0, count.Fail, false},
	{"add-and-lose", "ADD 2 WHAT; the rest stays", func(n []string) []string { return append(n[:6:6], night(2)...) }, 0, count.Fail, true},
	{"over", "ADD 2 WHAT", add(3), 0, count.Warn, false},
	{"disabled", "ADD 2 WHAT", add(0), 2, count.Fail, true},
	{"grown", "ADD WHAT", add(3), 0, count.Pass, false},
	{"preserved", "PRESERVED: the 8 KEPT stay", add(1), 0, count.Pass, false},
	{"lost", "PRESERVED: the 8 KEPT stay", func(n []string) []string { return n[:7] }, 0, count.Fail, false},
	{"removed", "REMOVE 2 KEPT", func(n []string) []string { return n[:6] }, 0, count.Pass, false},
	{"removed-too-many", "REMOVE 2 KEPT", func(n []string) []string { return n[:5] }, 0, count.Fail, false},
	{"removed-too-few", "REMOVE 2 KEPT", func(n []string) []string { return n[:7] }, 0, count.Warn, false},
	{"modified", "MODIFY the KEPT: better names", convert(3), 0, count.Pass, false},
	{"modified-lost", "MODIFY the KEPT: better names", func(n []string) []string { return n[1:] }, 0, count.Warn, false},
}

var first = []string{"Ember", "Arctic", "Citrus", "Cherry", "Ginger", "Peach", "Violet", "Copper"}

func night(n int) []string {
	return []string{"Moonlit", "Deeprest", "Lullaby", "Stardust", "Midnight", "Velvet", "Nocturne", "Drowsy"}[:n]
}

func add(n int) func([]string) []string {
	return func(names []string) []string { return append(names[:len(names):len(names)], night(n)...) }
}

func convert(n int) func([]string) []string {
	return func(names []string) []string {
		out := append([]string{}, names...)
		copy(out[len(out)-n:], night(n))
		return out
	}
}

func (s shape) source(names []string, disabled int) string {
	var items []string
	for i, n := range names {
		items = append(items, strings.NewReplacer("NAME", n, "INDEX", strconv.Itoa(i+1)).Replace(s.item))
	}
	body := strings.Join(items, s.sep)
	if disabled > 0 && s.comment != "" {
		if s.sep != "" {
			body += strings.TrimRight(s.sep, "\n")
			body = strings.TrimSuffix(body, s.sep[:1]) + "\n"
		}
		for _, n := range night(disabled) {
			body += strings.NewReplacer("NAME", n, "INDEX", "9").Replace(s.comment)
		}
	}
	return s.head + body + s.tail
}

// TestMatrix applies each change to each shape of list.
func TestMatrix(t *testing.T) {
	tally := map[string]*score{}
	for _, s := range shapes {
		for _, h := range happenings {
			if h.disabled > 0 && s.comment == "" {
				continue
			}
			extra := 0 // js-push and go-append start with one item more
			if s.id == "js-push" || s.id == "go-append" {
				extra = 1
			}
			before, after := s.source(first, 0), s.source(h.change(append([]string{}, first...)), h.disabled)
			what := fmt.Sprintf(s.what, "nighttime "+s.noun)
			kept := s.noun
			if _, list, ok := strings.Cut(s.what, " to "); ok {
				kept += " in " + list
			} else if _, list, ok := strings.Cut(s.what, " for "); ok {
				kept += " for " + list
			}
			text := strings.NewReplacer("WHAT", what, "KEPT", kept, "8", strconv.Itoa(8+extra)).Replace(h.requirement)
			if h.id == "converted-all" {
				text = strings.ReplaceAll(h.requirement, "WHAT", what)
			}
			r, err := count.ParseRequirement(text)
			if err != nil {
				t.Fatal(err)
			}
			r.File = s.file
			got, err := count.Check(count.FS(fstest.MapFS{s.file: {Data: []byte(before)}}), count.FS(fstest.MapFS{s.file: {Data: []byte(after)}}), r)
			if err != nil {
				t.Fatal(err)
			}
			ok := got.Verdict == h.expect && got.Counts.Before != nil && *got.Counts.Before == 8+extra
			tallied(tally, s.language).note(ok, h.conversion, h.expect, got)
			if !ok {
				t.Errorf("%s %s: %q: want %s, got %s %s\n%s", s.id, h.id, text, h.expect, got.Verdict, spelled(got), after)
			}
		}
	}
	printTally(t, tally)
}

func spelled(r count.Result) string {
	out := fmt.Sprintf("%v → %v", val(r.Counts.Before), val(r.Counts.After))
	for _, f := range r.Findings {
		out += "; " + f.String()
	}
	if r.Before != nil {
		out += fmt.Sprintf(" (%s %s:%d)", r.Before.Name, r.Before.Kind, r.Before.Line)
	}
	return out
}

// score is the result of the cases of one language.
type score struct{ cases, right, conversions, caught, certain, fine, alarms, wronged int }

func (s *score) note(right, conversion bool, want count.Verdict, res count.Result) {
	got := res.Verdict
	s.cases++
	if right {
		s.right++
	}
	if conversion {
		s.conversions++
		if got == count.Fail {
			s.caught++
		}
		if got == count.Fail && res.Certain {
			s.certain++
		}
	}
	if want != count.Fail && got == count.Fail && res.Certain {
		s.wronged++
	}
	if want == count.Pass {
		s.fine++
		if got != count.Pass {
			s.alarms++
		}
	}
}

func tallied(all map[string]*score, language string) *score {
	if all[language] == nil {
		all[language] = &score{}
	}
	return all[language]
}

func printTally(t *testing.T, all map[string]*score) {
	names := make([]string, 0, len(all))
	var sum score
	for n := range all {
		names = append(names, n)
	}
	sort.Strings(names)
	line := func(n string, s score) string {
		return fmt.Sprintf("eval: %-17s %-11s cases %4d  right %4d  conversions caught %3d of %3d, refused %3d  false alarms %2d of %3d, refused %d", t.Name(), n, s.cases, s.right, s.caught, s.conversions, s.certain, s.alarms, s.fine, s.wronged)
	}
	for _, n := range names {
		s := *all[n]
		sum = score{sum.cases + s.cases, sum.right + s.right, sum.conversions + s.conversions, sum.caught + s.caught, sum.certain + s.certain, sum.fine + s.fine, sum.alarms + s.alarms, sum.wronged + s.wronged}
		if os.Getenv("BELAY_EVAL") != "" {
			t.Log(line(n, s))
		}
	}
	if os.Getenv("BELAY_EVAL") != "" {
		t.Log(line("all", sum))
	}
}
