package intent

import (
	"slices"
	"strings"
)

// sameThing reads "same stages".
func sameThing(low []string) (Span, bool) {
	if low[0] != "same" || len(low) < 2 || len(low) > 2 && Finite(low) {
		return Span{}, false
	}
	if slices.Contains(low, "yesterday") || slices.Contains(low, "last") {
		return Span{}, false
	}
	switch low[1] {
	case "as", "thing", "for", "with", "here", "again", "problem", "issue", "error", "story", "idea", "concept", ",",
		"goes", "on", "in", "happens":
		return Span{}, false
	}
	to := len(low)
	for to > 2 && Filler(low[to-1]) {
		to--
	}
	for i := 2; i < len(low); i++ {
		switch low[i] {
		case "as", "like":
			return Span{From: 0, To: to}, slices.ContainsFunc(low[i:], Present)
		case "for", "on", "with", "when", "if":
			return Span{}, false // "same button for the list"
		}
	}
	return Span{From: 0, To: to}, true
}

// asNow reads a thing and, without a verb, that it is as it was: "sort order the same as ever",
// "zoom behaviour as today", "output format identical".
func asNow(low []string) (Span, bool) {
	end := len(low)
	for end > 1 && (Filler(low[end-1]) || low[end-1] == ",") && low[end-1] != "now" {
		end--
	}
	line := strings.Join(low[:end], " ")
	for _, p := range []string{"the same as ever", "the same as always", "the same as before", "the same as now",
		"the same as today", "same as ever", "same as always", "same as before", "same as today", "exactly as today",
		"exactly as now", "exactly as before", "as today", "as now", "as ever", "as always", "as usual", "like before",
		"like today", "as at present", "as currently", "identical", "the same", "intact", "unmodified", "as-is"} {
		if head, ok := strings.CutSuffix(line, " "+p); ok {
			to := strings.Count(head, " ") + 1
			return Span{From: 0, To: to}, nominal(low[:to]) && low[0] != "same" && !(p == "the same" && slices.Contains(low[:to], "and"))
		}
	}
	return Span{}, false
}

// compatible reads "backwards compatible please".
func compatible(low []string) (Span, bool) {
	if len(low) > 4 || !strings.HasPrefix(low[0], "backward") &&
		!(low[0] == "fully" && len(low) > 1 && strings.HasPrefix(low[1], "backward")) {
		return Span{}, false
	}
	to := len(low)
	for to > 1 && Filler(low[to-1]) {
		to--
	}
	return Span{From: 0, To: to}, true
}
