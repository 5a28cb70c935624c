package intent

import (
	"strings"
	"testing"
)

// TestCounts: which numbers count things, and which are a name, a measure or a value.
func TestCounts(t *testing.T) {
	for text, want := range map[string]int{
		"three pages for guests": 3, "both to 1.2": 2, "both in a and b": 0, "2 consumers instead of 1": 0, "2 consumers rather than 1": 0, "404 page": 0, "404 pages": 0,
		"two factor login": 0, "29 february": 0, "two things": 0, "2 seconds": 0, "2 and 3": 0, "two per page": 0, "the two pages": 2, "add 2 more drinks": 2, "all three views": 3,
		"one banner": 1, "one of them": 0, "support RFC 9562 ids": 0, "exit code 3 means": 0, "iteration 3 tasks": 0, "Python 3.13 builds": 0, ".NET 8 targets": 0, "HTTP 404 errors": 0,
		"port 8080 listeners": 0, "the 2024 reports": 0, "20 hits a page": 0, "50 rows not 500": 0, "the first 2 rows": 2, "a 2048 clone": 0, "six of the positions": 6,
		"2 test fixes from review": 0, "24 pull requests api": 0, "24 pull requests please": 24, "three small tweaks": 0, "two fixtures": 2,
	} {
		got := 0
		low := strings.Fields(strings.ToLower(text))
		for i := range low {
			if n, ok := readCount(low, i, ""); ok {
				got = n
				break
			}
		}
		if got != want {
			t.Errorf("%q: %d, want %d", text, got, want)
		}
	}
}

// TestCounted: a number counts in the object of the requirement, or in what it affects.
func TestCounted(t *testing.T) {
	for text, want := range map[string]int{
		"add one banner to the start page": 1, "add two charts": 2, "translate the labels in all three views": 3, "three of the panels show no data": 3, "implement RFC 9562": 0,
		"make it return exit code 3": 0, "upgrade to .NET 8": 0, "bump Python to 3.13": 0, "listen on port 8080": 0, "the toolbar should offer two shortcuts": 2, "6 keys are unused. delete them": 6,
		"reorganize the 40 sections into 7 groups": 40, "sort the sections into 7 groups": 0,
		"add a Mul function that multiplies two integers": 0, "add the Max3 function which returns the largest of three": 0,
		"implement a Compare function taking two strings": 0, "add a dozen icons": 12, "add another row of three tiles": 0,
		"plan iteration 3": 0, "return HTTP 404 for unknown ids": 0, "one test fails": 0,
		"## Changes\n\nFive E2E jobs were failing because video capture still required the managed `ffmpeg` binary after CI stopped installing\nbrowsers.\n\n- **CI config**\n- Disable video recording for CI runs.\n": 0,
	} {
		r, _ := Parse(Input{Text: text, PlanExists: true})
		got := 0
		for _, q := range r.Requirements {
			if q.Count != nil {
				got = *q.Count
			}
		}
		if got != want {
			t.Errorf("%q: %d, want %d: %+v", text, got, want, r.Requirements)
		}
	}
}
