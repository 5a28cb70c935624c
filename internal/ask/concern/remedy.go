package concern

import (
	"strings"

	"github.com/belay-dev/belay/internal/ask/deed"
	"github.com/belay-dev/belay/internal/ask/fault"
	"github.com/belay-dev/belay/internal/belay"
)

// Remedied reports what is wrong in front of what is to be done about it, where the words say
// that they belong together: "sessions last 90 days. Recommendation: limit them to 12 hours",
// or a finding under a topic and an order about "it".
func Remedied(a, next deed.Act) bool {
	if next.Deed != deed.Request || next.C.Line-a.C.Line > 1 || next.C.Line != a.C.Line && !cureLabel(next.C.Topic) || next.C.Sent-a.C.Sent > 1 || a.Deed != deed.Complaint && !(a.Deed == deed.Keep && len(a.C.T) > 1 && a.C.T[0].Low == "no") && !(a.Deed == deed.Request && (a.Stated || a.Verb == "a thing named")) {
		return false
	}
	if next.C.Topic != a.C.Topic && cureLabel(next.C.Topic) {
		return true
	}
	return a.Stated && next.Pronoun && next.C.Sent == a.C.Sent+1 && !deed.IsWish(next.Verb) && next.Marker != belay.MarkFix
}

// Relayed reports what a third one wants, in front of the question whether it can be had: "our
// landlord wants the readings every quarter. Could the app send them by itself?"
func Relayed(a, next deed.Act) bool {
	return a.Deed == deed.Request && next.Deed == deed.Request && (strings.HasPrefix(a.Verb, "wants ") || strings.HasPrefix(a.Verb, "want ")) && !a.Also && !next.Also && next.C.Sent > a.C.Sent && next.C.Sent-a.C.Sent < 4 && next.C.Line == a.C.Line && next.C.Join == "" &&
		(next.C.Close == "?" || next.Pronoun && next.Marker == belay.MarkModify && !deed.IsWish(next.Verb) || Shares(a, next) && !deed.IsWish(next.Verb) && next.Verb != "a thing named")
}

// Sigh reports a fragment that only says how somebody feels about what was told: "an awkward
// situation", "just a white page".
func Sigh(low []string) bool {
	if low[0] == "just" || low[0] == "only" {
		return true
	}
	switch low[len(low)-1] {
	case "situation", "shame", "pity", "mess", "nightmare", "joke", "bummer", "disaster", "annoyance", "pain", "surprise", "story":
		return true
	}
	return false
}

// Wished reports a label of what would be good to have.
func Wished(topic string) bool {
	switch topic {
	case "nice to have", "wish", "idea", "feature", "wishlist", "bonus", "later", "suggestion", "request", "would be nice", "optional":
		return true
	}
	return false
}

// cureLabel reports a label of what is to be done about what was told before.
func cureLabel(topic string) bool {
	switch strings.TrimSpace(topic) {
	case "recommendation", "recommended", "suggestion", "suggested", "proposal", "proposed", "remedy", "remediation", "mitigation", "solution", "cure", "suggested fix", "recommended fix", "action", "to do", "todo", "measure":
		return true
	}
	return false
}

// Because reports a complaint that stands behind an order in one sentence, parted by a comma
// alone: it is why. "Sample every 15 min, the battery is empty in a week".
func Because(a, before deed.Act) bool {
	low := a.C.Low()
	return a.Deed == deed.Complaint && a.C.Join == "," && !a.Also && !a.C.Group && a.C.Topic == "" && before.Deed == deed.Request && before.C.Join == "" && before.C.Sent == a.C.Sent && before.C.Line == a.C.Line &&
		!deed.IsWish(before.Verb) && before.Verb != "a thing named" && a.Strength >= fault.Faint && len(low) > 2
}

// TakenBack reports a proposal that the next sentence says no to ("Add an index? no, just
// …"), and a wish whose second half says what stands in its way ("… should be possible
// but it throws").
func TakenBack(a, b deed.Act) bool {
	low := b.C.Low()
	if a.C.Close == "?" && b.C.Sent == a.C.Sent+1 && len(low) > 0 && (low[0] == "no" || low[0] == "nope" || low[0] == "nah") && (len(low) == 1 || low[1] == "wait" || low[1] == ",") {
		return true
	}
	if b.Deed == deed.Request && b.Pronoun && a.Pronoun && len(low) > 2 && b.C.Sent == a.C.Sent+1 && (low[0] == "actually" || low[0] == "rather" || low[0] == "better") && !deed.IsWish(a.Verb) {
		return true // "Take it off … actually just grey it out"
	}
	return deed.IsWish(a.Verb) && b.C.Join == "but" && b.Deed == deed.Complaint && b.Pronoun
}
