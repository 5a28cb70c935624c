package intent

import "strings"

// Must is what a modal verb with its adverbs says.
type Must struct {
	Denied bool // "must not", "is not to", "may under no circumstances"
	Copula bool // "is"
	binds  bool // "must", "has to", "is to"
	still  bool // "must still", "still have to"
	toBe   bool // "is to", "are not to"
}

// Modal reads the modal verb that words begin with and the adverbs behind it, and counts their
// words: 0 where there is none.
func ModalVerb(low []string) (n int, m Must) {
	n, m = modalVerb(low)
	for n > 0 && n < len(low) {
		k, no := adverbial(low[n:])
		if k == 0 {
			break
		}
		if low[n] == "to" {
			m.toBe = m.Copula || m.toBe
			m.binds, m.Copula = true, false
		}
		m.still = m.still || low[n] == "still"
		m.Denied = m.Denied || no
		n += k
	}
	return n, m
}

// modalVerb reads the verb alone.
func modalVerb(low []string) (n int, m Must) {
	switch w := low[0]; w {
	case "must", "should", "shall":
		return 1, Must{binds: true}
	case "may", "can", "could", "will", "might", "cannot":
		return 1, Must{Denied: w == "cannot"}
	case "mustn't", "shouldn't", "shan't", "can't", "won't", "couldn't", "needn't":
		return 1, Must{Denied: true}
	case "is", "are", "isn't", "aren't":
		return 1, Must{Copula: true, Denied: strings.HasSuffix(w, "n't")}
	case "has", "have", "needs", "need", "ought":
		if len(low) > 1 && low[1] == "to" || len(low) > 2 && low[1] == "not" && low[2] == "to" {
			return 1, Must{binds: true}
		}
	case "doesn't", "don't", "does", "do":
		return needless(low)
	}
	return 0, Must{}
}

// needless reads "doesn't need (to be touched)", "do not really have (to change)".
func needless(low []string) (n int, m Must) {
	for n = 1; n < len(low) && (low[n] == "not" || low[n] == "really" || low[n] == "even"); {
		n++
	}
	denied := low[0] == "doesn't" || low[0] == "don't" || n > 1
	if !denied || n+1 >= len(low) || low[n] != "need" && low[n] != "have" || low[n+1] != "to" {
		return 0, Must{}
	}
	return n + 1, Must{Denied: true}
}

// Adverbs of several words between a modal verb and its verb; those of the first list deny.
var (
	denying = []string{"under no circumstances ", "on no account ", "in no way ", "in no case ", "by no means ",
		"at no point ", "at no time "}
	affirming = []string{"under any circumstances ", "in any way ", "in any case ", "at all costs ", "at any rate ", "of course "}
)

// adverbial counts the words of what is between a modal verb and its verb; no says that
// it denies.
func adverbial(low []string) (n int, no bool) {
	switch low[0] {
	case "not", "never":
		return 1, true
	case "to", "also", "please", "really", "always", "still", "ever", "definitely", "absolutely", "simply", "just",
		"therefore", "likewise", "of-course", "obviously":
		return 1, false
	}
	line := strings.Join(low[:min(4, len(low))], " ") + " "
	for _, p := range denying {
		if strings.HasPrefix(line, p) {
			return strings.Count(p, " "), true
		}
	}
	for _, p := range affirming {
		if strings.HasPrefix(line, p) {
			return strings.Count(p, " "), false
		}
	}
	return 0, false
}
