package intent

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

var (
	usable    = lazyregexp.Of(`readable valid accepted usable reachable available supported`)
	respected = lazyregexp.Of(`preserved respected honoured honored retained`)
	leftAs    = lazyregexp.Of(`alone as be in exactly where the out`)
)

// left reads "(is to be) left as it is", "left unedited", "preserved".
func left(low []string) bool {
	if respected.Has(low[0]) {
		return len(low) < 2 || low[1] != "for"
	}
	return low[0] == "left" && len(low) > 1 && (leftAs.Has(low[1]) || strings.HasPrefix(low[1], "un"))
}

// exactly reads "(must be) exactly what it is now".
func exactly(low []string) bool {
	if len(low) == 1 && (low[0] == "exactly" || low[0] == "precisely") {
		return true // "… where they are now"
	}
	for len(low) > 0 && (low[0] == "exactly" || low[0] == "precisely" || low[0] == "just") {
		low = low[1:]
	}
	return len(low) > 1 && oneOf(low[0], "where", "what", "as", "like", "how") && slices.ContainsFunc(low[1:], Present)
}

// asEver reads "(must come out) byte for byte as today", "(must look) the same".
func asEver(low []string) bool {
	for i, w := range low {
		switch w {
		case "same", "identical", "identically", "unchanged", "alike":
			return true
		case "as", "like":
			if slices.ContainsFunc(low[i+1:], Present) {
				return true
			}
		}
	}
	return false
}

// final reads "(is) final", "(are not) up for debate": what is settled stays.
func final(low []string, denied bool) bool {
	list := settledWords
	if denied {
		list = unsettled
	}
	line := strings.Join(low, " ") + " "
	for _, p := range list {
		if strings.HasPrefix(line, p+" ") {
			next := low[strings.Count(p, " ")+1:]
			return len(next) == 0 || oneOf(next[0], ",", "and", "already") || Preposition(next[0]) || Filler(next[0])
		}
	}
	return false
}

// What "X is …" and "X is not …" say of a thing that stays. The first that fits decides, so a
// longer one is before a shorter one that it begins with.
var (
	settledWords = []string{"final", "staying", "perfect", "just right", "spot on", "already right", "already fine",
		"already good", "already ok", "already correct", "good enough", "ok for us", "fine for us",
		"correct as", "prescribed", "mandated", "regulated", "dictated by", "fixed by", "legally required", "certified",
		"frozen", "signed off", "sacrosanct",
		"carved in stone", "cast in stone", "written in stone", "non-negotiable", "off the table", "out of bounds",
		"a no-go", "a no go", "notarised", "notarized",
		"legally binding", "contractual", "none of our business", "none of your business", "excluded", "exempt", "exempted", "unaffected"}
	unsettled = []string{"touched", "tampered with", "yours to change", "ours to change", "our concern", "your concern",
		"our job", "your job", "yours", "ours",
		"concerned", "involved", "part of it", "negotiable", "up for discussion", "up for debate", "up for grabs",
		"on the table", "our business", "open to discussion", "open for discussion"}
)
