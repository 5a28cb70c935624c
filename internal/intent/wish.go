package intent

import (
	"slices"
)

// unwanted reads "I don't want the wifi code touched", "nobody should touch X".
func unwanted(low []string) (Span, bool) {
	if len(low) < 4 {
		return Span{}, false
	}
	switch we := low[0] == "i" || low[0] == "we"; {
	case we && low[1] == "don't" && (low[2] == "want" || low[2] == "need"):
		return notWanted(low)
	case len(low) > 4 && (we || low[0] == "i'd") && (low[1] == "want" || low[1] == "like"):
		return wantedAsIs(low)
	case len(low) > 3 && low[0] == "nobody" && Modal(low[1]) && Touches(low[2]):
		return object(low, 3), true
	}
	return Span{}, false
}

// notWanted reads, behind "I don't want" or "we don't need", a thing there is to be none of, and
// a thing that is not to become another.
func notWanted(low []string) (Span, bool) {
	k := len(low)
	if k > 6 && low[3] == "to" && low[4] == "see" && Touches(low[k-1]) {
		return Span{From: 5, To: k - 1}, true // "I don't want to see the config format change"
	}
	indefinite := low[3] == "any" || low[3] == "a" || low[3] == "an" || !Determiner(low[3]) && !Pronoun(low[3])
	if k < 8 && low[2] == "need" || k < 7 && indefinite {
		if s, ok := Undesired(low); ok {
			return s, true
		}
	}
	for i := 4; i < k; i++ {
		if Ending(low[i]) == "ed" {
			if low[i-1] == "be" && low[i-2] == "to" {
				i -= 2
			}
			return Span{From: 3, To: i}, true
		}
		if low[i] == "to" && i+1 < k && oneOf(low[i+1], "change", "break", "move") && i+3 >= k {
			return Span{From: 3, To: i}, true
		}
	}
	return Span{}, false
}

// wantedAsIs reads "I want the tests left alone", "we'd like the order unchanged".
func wantedAsIs(low []string) (Span, bool) {
	for i := 3; i < len(low); i++ {
		next := ""
		if i+1 < len(low) {
			next = low[i+1]
		}
		switch low[i] {
		case "untouched", "unchanged", "intact":
			return Span{From: 2, To: i}, true
		case "left", "kept":
			if next == "as" || next == "alone" && low[i] == "left" {
				return Span{From: 2, To: i}, true
			}
		}
	}
	return Span{}, false
}

// rather reads "I'd rather you left the text as it is", "I'd rather the marts kept their
// order": what is to be left or kept.
func rather(low []string) (Span, bool) {
	i := slices.Index(low[:min(4, len(low))], "rather")
	if i < 1 || i+3 > len(low) || low[0] != "i'd" && low[0] != "we'd" && low[i-1] != "would" {
		return Span{}, false
	}
	for j := i + 1; j < len(low); j++ {
		switch low[j] {
		case "left", "kept", "leave", "keep":
			s := object(low, j+1)
			return s, s.To > s.From
		case "stayed", "remained", "stay":
			return Span{From: i + 1, To: j}, j > i+1
		case "didn't", "not":
			if j+1 < len(low) && Touches(low[j+1]) {
				if j+2 >= len(low) {
					return Span{From: i + 1, To: j}, j > i+1 && !Subject(low[i+1])
				}
				s := object(low, j+2)
				return s, s.To > s.From
			}
		}
	}
	return Span{}, false
}

// sticking reads "stick to the current API", "stay with our logger", "we're happy with the
// layout": what is kept by choice.
func sticking(low []string) (Span, bool) {
	if s, ok := liked(low); ok {
		return s, true
	}
	i := contentWords(low)
	if i == 0 || !Definite(low[i]) && low[i] != "existing" && low[i] != "current" {
		return Span{}, false
	}
	s := object(low, i)
	return s, s.To > s.From+1 && !slices.Contains(low[s.From:s.To], "but")
}

// content counts the words of "stick to (the API)", "we're happy with (the API)".
func contentWords(low []string) int {
	happy := func(w string) bool { return w == "happy" || w == "fine" || w == "content" }
	switch {
	case len(low) < 4:
		return 0
	case (low[0] == "stick" || low[0] == "stay") && (low[1] == "to" || low[1] == "with" || low[1] == "on"):
		return 2
	case (low[0] == "i'm" || low[0] == "we're") && happy(low[1]) && low[2] == "with":
		return 3
	case len(low) > 4 && oneOf(low[0], "i", "we") && oneOf(low[1], "am", "are") && happy(low[2]) && low[3] == "with":
		return 4
	}
	return 0
}

// liked reads "I love the footer the way it is".
func liked(low []string) (Span, bool) {
	if len(low) < 6 || low[0] != "i" && low[0] != "we" || low[1] != "like" && low[1] != "love" {
		return Span{}, false
	}
	for i := 4; i+2 < len(low); i++ {
		if low[i] == "as" && Present(low[i+2]) || low[i] == "the" && low[i+1] == "way" {
			return Span{From: 2, To: i}, true
		}
	}
	return Span{}, false
}

// chosen counts the words of "we'll (keep the API)", "you may (leave it as it is)".
func chosenWords(low []string) int {
	switch low[0] {
	case "we", "i", "you", "we'll", "i'll", "i'd", "we'd", "you'll":
	default:
		return 0
	}
	for i := 1; i < min(len(low)-1, 4); i++ {
		switch low[i] {
		case "keep", "leave":
			if Determiner(low[i+1]) && low[i+1] != "a" && low[i+1] != "all" && low[i+1] != "this" {
				return i
			}
			return 0
		case "may", "can", "should", "must", "will", "have", "to", "need", "just", "also":
		default:
			return 0
		}
	}
	return 0
}
