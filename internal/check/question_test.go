package check_test

import (
	"strings"
	"testing"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/check"
	"github.com/belay-dev/belay/internal/syntax"
)

// TestListsInQuestion: if the text may mean more than one list, the work is not rejected, and the
// warning names each list with its counts. If it means one, the work is rejected.
func TestListsInQuestion(t *testing.T) {
	t.Parallel()
	const drinks = "export const DRINKS = [\n  \"Ember\",\n  \"Arctic\",\n  \"Citrus\",\n];\n"
	const cold = "export const COLD_DRINKS = [\n  \"Frost\",\n  \"Polar\",\n];\n"
	const extra = "export const notes = \"more\";\n"
	two := 2
	judge := func(text string, before, after map[string]string) check.ContractResult {
		in := check.ContractInput{
			Request: belay.Request{Type: belay.Mutation, Requirements: []belay.Requirement{{Marker: belay.MarkAdd, Text: text, Count: &two}}}, Words: text,
		}
		for p, now := range after {
			in.Paths = append(in.Paths, p)
			if was := before[p]; was != now {
				in.Changes = append(in.Changes, belay.Change{Path: p, Status: "M"})
				in.Files = append(in.Files, &syntax.File{Path: p, Before: []byte(was), After: []byte(now)})
			}
		}
		in.Read = func(p string) ([]byte, bool) { s, ok := after[p]; return []byte(s), ok }
		return check.Contract(in)
	}
	before := map[string]string{"src/menu.ts": drinks + cold}
	grown := strings.Replace(cold, "];", "  \"Glacier\",\n];", 1)
	res := judge("Add 2 drinks", before, map[string]string{"src/menu.ts": strings.Replace(drinks, "];", "  \"Slate\",\n];", 1) + grown})
	said := tell(t, res, false)
	for _, want := range []string{"not certain which list this refers to", "- DRINKS (src/menu.ts:1): 3 before, 4 after", "- COLD_DRINKS (src/menu.ts:7): 2 before, 3 after"} {
		if !strings.Contains(said, want) {
			t.Errorf("it lacks %q:\n%s", want, said)
		}
	}
	said = tell(t, judge("Add 2 cold things to the menu", before, map[string]string{"src/menu.ts": drinks + cold + extra}), false)
	if !strings.Contains(said, "- COLD_DRINKS (src/menu.ts:6): 2 before, 2 after") {
		t.Errorf("the list is not named:\n%s", said)
	}
	one := map[string]string{"src/menu.ts": drinks}
	tell(t, judge("Add 2 drinks", one, map[string]string{"src/menu.ts": strings.Replace(drinks, "\"Citrus\",\n", "\"Lull\",\n", 1)}), true)
	tell(t, judge("Add 2 drinks", one, map[string]string{"src/menu.ts": strings.Replace(drinks, "];", "  \"Lull\",\n];", 1)}), true)
}

// tell returns the findings, and checks whether the work is rejected.
func tell(t *testing.T, res check.ContractResult, rejected bool) string {
	t.Helper()
	said, errors := "", 0
	for _, f := range res.Findings {
		if f.Severity == belay.SeverityError {
			errors++
			if strings.Contains(f.Detail, "in question") {
				t.Errorf("rejected, and not sure: %s", f.Detail)
			}
		}
		said += f.Title + "\n" + f.Detail + "\n"
	}
	if errors > 0 != rejected {
		t.Errorf("rejected: %v, want %v\n%s", errors > 0, rejected, said)
	}
	return said
}
