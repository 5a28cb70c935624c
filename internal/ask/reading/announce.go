package reading

import (
	"slices"

	"github.com/belay-dev/belay/internal/ask/grammar"
	"github.com/belay-dev/belay/internal/ask/words"
)

// Preamble reports words that only announce a list: "do three small things", "please",
// "it must have".
func Preamble(low []string) bool {
	for i, w := range low {
		if i > 0 && !words.Several(low[i-1]) && !words.Determiner(low[i-1]) && low[i-1] != "few" && low[i-1] != "following" && low[i-1] != "small" && low[i-1] != "of" && low[i-1] != "more" && low[i-1] != "other" && low[i-1] != "quick" {
			continue
		}
		switch w {
		case "things", "ideas", "suggestions", "changes", "tweaks", "points", "items", "requests", "wishes", "following", "issues", "bugs", "problems", "adjustments", "requirements", "features", "stuff":
			return true
		}
	}
	if len(low) < 6 && len(low) > 1 && (low[0] == "one" || low[0] == "another" || low[0] == "just" && low[1] == "one") && slices.Contains(low, "thing") {
		return true // "one thing came up: …"
	}
	if len(low) < 4 && low[len(low)-1] == "with" && (low[0] == "start" || low[0] == "begin" || low[0] == "starting") {
		return true // "start with: …"
	}
	n, said := grammar.Strip(low)
	if len(low) > 2 && (low[0] == "here's" || low[0] == "here" && low[1] == "is") && settles(low) {
		return true // "here's what came out: …"
	}
	if last := len(low) - 1; low[last] == "following" || low[0] == "decisions" || low[0] == "decided" || last > 1 && low[last-1] == "top" && words.Several(low[last]) {
		return true
	}
	if last := low[len(low)-1]; said.Opener && (last == "this" || last == "these" || last == "following") {
		return true // "what I'd like is this: …"
	}
	return n >= len(low) || low[len(low)-1] == "have" || low[len(low)-1] == "must" || low[len(low)-1] == "should" || low[len(low)-1] == "to" || low[len(low)-1] == "can"
}

// announcing reports words that only say that something is coming: "quick one:", "small
// request:", "new idea:".
func announcing(left []string) bool {
	n := len(left)
	if n > 2 && n < 8 && grammar.Articled(left[0]) && slices.ContainsFunc(left[1:3], func(w string) bool { return w == "win" || w == "wish" || w == "idea" || w == "request" }) && !grammar.HasVerb(left) {
		return true // "a quick win for the next sprint: …"
	}
	if n > 3 && n < 12 && (left[2] == "of" || left[2] == "from") && (left[1] == "review" || left[1] == "check" || left[1] == "cases" || left[1] == "feedback" || left[1] == "findings") && !words.Several(left[0]) {
		return true // "copy review of the app: …"
	}
	if n > 2 && n < 12 && (left[1] == "from" || left[1] == "of") && titled(left[:1]) && !grammar.HasVerb(left) {
		return true // "feedback from the forum, in order of noise: …"
	}
	if at := slices.IndexFunc(left, func(w string) bool { return w == "from" || w == "for" }); at > 0 && at < 4 && n < 9 && asking(left[at-1]) && !grammar.HasVerb(left) {
		return true // "little request from the team: …"
	}
	if n > 3 && left[0] == "if" && (left[n-1] == "opinion" || left[n-1] == "me") {
		return true // "if you ask me: …"
	}
	if n == 0 || n > 4 {
		return false
	}
	switch left[n-1] {
	case "one", "question", "request", "idea", "suggestion", "wish", "favour", "favor", "task", "proposal", "thing", "ask", "reminder", "update", "follow-up", "followup", "note", "story":
		return n > 1 && !words.Product(left[0]) && !slices.ContainsFunc(left[:n-1], words.Wrong)
	}
	return false
}

// asking reports a word for what somebody brings forward.
func asking(w string) bool {
	switch w {
	case "request", "requests", "wish", "wishes", "question", "idea", "suggestion", "favour", "favor", "ask", "proposal", "note", "feedback":
		return true
	}
	return false
}
