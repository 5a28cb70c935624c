package main

import "fmt"

// Step is one step of a model, independent of the agent; a dialect converts it to a call. Exactly
// one of Read, Edit, Run and Say is set.
type Step struct {
	Read     string // a file
	From, To int    // its lines, from 1; 0 for the complete file
	Edit     string // a file
	Old, New string
	Run      string // a shell command
	Say      string // text: the model ends its turn
	Fails    bool   // the edit cannot be applied
}

// Script is what a model does in a task. Stall is the number of the step that completes the third
// repetition, 0 for work without a stall.
type Script struct {
	Name  string
	Stall int
	Steps []Step
	Whole bool // one script for the session, across prompts
}

var (
	tests  = Step{Run: "npm test"}
	price  = Step{Read: "src/price.js"}
	basket = Step{Read: "src/basket.js"}
)

// edit changes a line of a file, without its indentation.
func edit(file, old, new string) Step { return Step{Edit: file, Old: old, New: new} }

// again repeats steps.
func again(times int, steps ...Step) []Step {
	var out []Step
	for range times {
		out = append(out, steps...)
	}
	return out
}

func joined(lists ...[]Step) []Step {
	var out []Step
	for _, l := range lists {
		out = append(out, l...)
	}
	return out
}

// scripts are the scripts: first work without stalls, then stalls.
func scripts() []Script {
	// unlike any line of the file: some agents replace a similar line
	missing := edit("src/price.js", "return rates[country].of(net);", "return rates[country].of(net) * 1;")
	missing.Fails = true
	return []Script{
		{Name: "edit_and_test", Steps: editAndTest()},
		{Name: "read_on", Steps: readOn()},
		{Name: "poll_job", Steps: pollJob()},
		{Name: "edit_fails_twice", Steps: joined(again(2, missing), []Step{price}, []Step{fixed(), tests})},
		{Name: "sure_that_it_passes", Steps: joined([]Step{price, fixed()}, again(4, tests))},
		{Name: "look_after_each_edit", Steps: lookAfterEach()},
		{Name: "same_read", Stall: 5, Steps: joined([]Step{{Run: "ls"}, basket}, again(6, price))},
		{Name: "edit_cannot_be_applied", Stall: 4, Steps: joined([]Step{price}, again(6, missing))},
		{Name: "same_failing_tests", Stall: 5, Steps: joined([]Step{price, basket}, again(6, tests))},
		{Name: "two_in_turn", Stall: 7, Steps: joined([]Step{tests}, again(6, price, basket))},
		{Name: "edit_and_test_in_vain", Stall: 7, Steps: joined([]Step{price}, again(6, missing, tests))},
	}
}

// fixed is the edit that makes the shop's tests pass.
func fixed() Step {
	return edit("src/price.js", "return net + TAX;", "return net + net * TAX;")
}

// editAndTest tries several fixes and runs the same tests after each.
func editAndTest() []Step {
	steps := []Step{{Run: "ls"}, price, tests}
	last := "return net + TAX;"
	for _, next := range []string{"return net * TAX;", "return TAX;", "return net - TAX;", "return net + 2 * TAX;",
		"return net + net * TAX;"} {
		steps = append(steps, edit("src/price.js", last, next), tests)
		last = next
	}
	return append(steps, Step{Run: "git diff --stat"})
}

// readOn reads a long file page by page.
func readOn() []Step {
	var steps []Step
	for from := 1; from <= 351; from += 50 {
		steps = append(steps, Step{Read: "src/catalog.js", From: from, To: from + 49})
	}
	return steps
}

// pollJob starts a job and polls its progress.
func pollJob() []Step {
	wait := Step{Run: "sleep 0.3; tail -n 1 build.log"}
	return joined([]Step{{Run: "sh build.sh > build.log 2>&1 &"}}, again(7, wait), []Step{{Run: "cat dist/shop.js"}})
}

// lookAfterEach lists the changes after each edit.
func lookAfterEach() []Step {
	var steps []Step
	for i := range 5 {
		line := "{ id: %d, name: '%s %d', net: %d },"
		old, new := fmt.Sprintf(line, i+1, "Flavor", i+1, 2+i%7), fmt.Sprintf(line, i+1, "Fine flavor", i+1, 2+i%7)
		steps = append(steps, edit("src/catalog.js", old, new), Step{Run: "git status --short"})
	}
	return steps
}
