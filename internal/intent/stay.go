package intent

// rules read what a clause wants left alone, from where its asking begins. The first that fits
// decides: "nothing else changes" stands before orders, whose objects would be part of it.
var rules = []func(low []string) (Span, bool){untouched, unchanged, excepted, keepOrder, prohibition, NoThing, StaySubject, sameThing}

// Keeps finds what a clause wants left alone, in words of its lower-case row. An empty span says
// that what is meant was named before: "keep it".
func Keeps(low []string) (what Span, ok bool) {
	n, _ := Strip(low)
	if n >= len(low) {
		return Span{}, false
	}
	n += chosenWords(low[n:])
	for _, read := range rules {
		if what, ok := read(low[n:]); ok {
			return Span{From: what.From + n, To: what.To + n}, true
		}
	}
	return Span{}, false
}
