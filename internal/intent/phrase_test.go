package intent

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// TestWholeClauses: a requirement is the complete clause as written, with its condition, its
// subject, and what follows a colon or is in parentheses.
func TestWholeClauses(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		text string
		want []string
	}{
		{"Fix the toggle in args.go that does not work when the flag is given twice.", []string{"Fix the toggle in args.go that does not work when the flag is given twice"}},
		{"Fix the toggle in args.go that does not switch between voltage and chrome", []string{"Fix the toggle in args.go that does not switch between voltage and chrome"}},
		{"Please rename the option that decides which of the two parsers reads a file before it is cached to parser-for-uncached-files.",
			[]string{"rename the option that decides which of the two parsers reads a file before it is cached to parser-for-uncached-files"}},
		{"The parser crashes when the file is empty, so make it return an error that says which file it was.",
			[]string{"The parser crashes when the file is empty, so make it return an error that says which file it was"}},
		{"When the cart is empty, disable the checkout button and show a hint (a small one).", []string{"When the cart is empty, disable the checkout button", "show a hint (a small one)"}},
		{"please add a hint if the list is empty, and when the user clicks it, open the help page", []string{"add a hint if the list is empty", "when the user clicks it, open the help page"}},
		{"Add two new charts to the run detail: elevation and heart rate.", []string{"Add two new charts to the run detail: elevation and heart rate"}},
		{"checkout.py is unreadable. Please restructure it, behaviour stays exactly the same.", []string{"checkout.py is unreadable. Please restructure it"}},
		{"WHY does signup ask for a birthday. Remove it.", []string{"WHY does signup ask for a birthday. Remove it"}},
		{"Retry failed uploads three times because the proxy in the office drops every tenth connection, then show the error.",
			[]string{"Retry failed uploads three times because the proxy in the office drops every tenth connection", "show the error"}},
		{"Add a --since flag so that only lines after that time are printed, thanks!", []string{"Add a --since flag so that only lines after that time are printed"}},
		{"Refactor the parser without changing its public API", []string{"Refactor the parser"}},
		{"make bubbles rounder + dark mode thx", []string{"make bubbles rounder", "dark mode"}},
	} {
		var got []string
		req, _ := Parse(Input{Text: c.text, PlanExists: true, Files: []string{"args.go", "checkout.py"}})
		for _, r := range req.Requirements {
			got = append(got, r.Text)
		}
		if strings.Join(got, "\n") != strings.Join(c.want, "\n") {
			t.Errorf("%s\n got %q\nwant %q", c.text, got, c.want)
		}
	}
}

// TestPhrasesAreBounded: an endless clause is cut between words, and marked as cut.
func TestPhrasesAreBounded(t *testing.T) {
	t.Parallel()
	long := "Add a page with the bells that ring when somebody opens the door of one of the houses in the north " + strings.Repeat("whose owner counts them ", 40)
	for _, text := range []string{long, "Fix the crash in " + strings.Repeat("x", 5000)} {
		req, _ := Parse(Input{Text: text, PlanExists: true})
		for _, r := range req.Requirements {
			rest, cut := strings.CutSuffix(r.Text, " …")
			if !cut || len(r.Text) > maxPhraseBytes+8 || !utf8.ValidString(r.Text) {
				t.Errorf("%d bytes: %q", len(r.Text), r.Text)
			}
			if !strings.HasPrefix(text, rest+" ") {
				t.Errorf("cut in a word: %q", r.Text)
			}
		}
	}
}
