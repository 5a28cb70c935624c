package main

import "fmt"

// Step is one thing that a model does, in nobody's words; a dialect makes a call of it.
// Exactly one of Read, Edit, Run and Say is set.
type Step struct {
	Read     string // a file
	From, To int    // its lines, from 1; 0 for the whole file
	Edit     string // a file
	Old, New string
	Run      string // a command of the shell
	Say      string // words alone: the model is done with its turn
	Fails    bool   // the edit cannot be applied
}

// Script is what a model does from a task's first word to its last. Stall is the number of
// the step with which the third round of the same ends, 0 for work that is none.
type Script struct {
	Name  string
	Stall int
	Steps []Step
	Whole bool // the steps are those of a whole session, whatever prompts come in between
}

var (
	tests  = Step{Run: "npm test"}
	price  = Step{Read: "src/price.js"}
	basket = Step{Read: "src/basket.js"}
)

// edit changes a line of a file of the shop; how far it is moved in is not part of it.
func edit(file, old, new string) Step { return Step{Edit: file, Old: old, New: new} }

// again returns steps over and over.
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

// scripts are all that is played: first work that must be let be, then rounds of the same.
func scripts() []Script {
	// like nothing in the file: some agents take what is near
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

// editAndTest tries one way after the other and runs the same tests after each.
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

// readOn goes through a long file page by page.
func readOn() []Step {
	var steps []Step
	for from := 1; from <= 351; from += 50 {
		steps = append(steps, Step{Read: "src/catalog.js", From: from, To: from + 49})
	}
	return steps
}

// pollJob starts a job and looks again and again how far it is.
func pollJob() []Step {
	wait := Step{Run: "sleep 0.3; tail -n 1 build.log"}
	return joined([]Step{{Run: "sh build.sh > build.log 2>&1 &"}}, again(7, wait), []Step{{Run: "cat dist/shop.js"}})
}

// lookAfterEach asks what changed after each of its edits.
func lookAfterEach() []Step {
	var steps []Step
	for i := range 5 {
		line := "{ id: %d, name: '%s %d', net: %d },"
		old, new := fmt.Sprintf(line, i+1, "Flavor", i+1, 2+i%7), fmt.Sprintf(line, i+1, "Fine flavor", i+1, 2+i%7)
		steps = append(steps, edit("src/catalog.js", old, new), Step{Run: "git status --short"})
	}
	return steps
}
