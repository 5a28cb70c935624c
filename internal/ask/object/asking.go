package object

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/ask/grammar"
	"github.com/belay-dev/belay/internal/ask/words"
	"github.com/belay-dev/belay/internal/belay"
)

// Inverted reads a question with its subject inside: "can the decoder be made to
// stream", "could the list show the date".
func Inverted(low []string) (belay.Marker, bool) {
	if len(low) < 4 || low[0] != "can" && low[0] != "could" && low[0] != "would" && low[0] != "should" && low[0] != "may" && low[0] != "shall" && low[0] != "shouldn't" && low[0] != "wouldn't" {
		return "", false
	}
	if i := slices.Index(low[:min(len(low), 8)], "also"); i > 1 {
		return belay.MarkAdd, true
	}
	for i := 2; i < min(len(low), 8); i++ {
		if low[i] == "be" && i+1 < len(low) {
			if b, end := words.Base(low[i+1], grammar.AnyVerb); end == "ed" && !grammar.Old(low) {
				if sense, _ := words.Verb(b); sense == words.Show {
					return belay.MarkAdd, true // "can blame be shown in the gutter"
				}
			}
			return Passive(low[i+1:]), true
		}
		if low[i] == "have" || low[i] == "get" {
			return belay.MarkAdd, true
		}
		if b, end := words.Base(low[i], grammar.AnyVerb); b != "" && end == "" && (!grammar.Nounish[b] || i+1 < len(low) && (words.Determiner(low[i+1]) || low[i+1] == "for" && i > 2 && !words.Determiner(low[i-1]))) {
			sense, _ := words.Verb(b)
			return MarkerOf(sense), true
		}
	}
	return belay.MarkModify, true
}

// MarkerOf is what a verb's sense asks for where nothing else is known.
func MarkerOf(s words.Sense) belay.Marker {
	switch s {
	case words.Modify, words.Put, words.Use, words.Tidy:
		return belay.MarkModify
	case words.Fix:
		return belay.MarkFix
	case words.Remove:
		return belay.MarkRemove
	}
	return belay.MarkAdd
}

// Enabled reports an opener that asks for something that somebody will be able to do.
func Enabled(opener []string) bool {
	line := strings.Join(opener, " ")
	return strings.Contains(line, "make it possible to") || strings.HasSuffix(line, " be able to") && !strings.Contains(line, "you ")
}

// AsksWhether reports an opener that asks for a possibility.
func AsksWhether(opener []string) bool {
	line := strings.Join(opener, " ")
	if strings.Contains(line, "be able to") || strings.HasSuffix(line, "like to") || strings.HasSuffix(line, "want to") {
		return true
	}
	return strings.Contains(line, "is there a way") || strings.Contains(line, "possib") || strings.Contains(line, "is there any way")
}

// Mainly is what stands in front of a smaller clause: what is said there of when and where says
// nothing of what is asked.
func Mainly(o []string) []string {
	for i := 1; i < len(o); i++ {
		switch o[i] {
		case "when", "where", "whenever", "while", "because", "which", "until", "although":
			return o[:i]
		}
	}
	return o
}

// Passive reads "should be removed", "must be fixed", "should be bigger".
func Passive(o []string) belay.Marker {
	if len(o) == 0 {
		return belay.MarkModify
	}
	b, end := words.Base(o[0], grammar.AnyVerb)
	if end != "ed" && b != "put" && b != "cut" {
		return belay.MarkModify
	}
	switch sense, _ := words.Verb(b); sense {
	case words.Remove:
		return belay.MarkRemove
	case words.Fix:
		return belay.MarkFix
	case words.Add:
		return belay.MarkAdd
	}
	return belay.MarkModify
}
