package intent

// keepRules read what a clause wants left alone, from where its asking begins. The first that fits
// decides: "nothing else changes" stands before orders, whose objects would be part of it.
var keepRules = []func(low []string) (Span, bool){readUntouched, readUnchanged, readException, readKeepOrder,
	readProhibition, ReadNoThing, ReadStaySubject, readSame}

// FindKept finds what a clause wants left alone, in words of its lower-case row. An empty span says
// that what is meant was named before: "keep it".
func FindKept(low []string) (what Span, ok bool) {
	n, _ := ReadPrefix(low)
	if n >= len(low) {
		return Span{}, false
	}
	n += choiceLength(low[n:])
	for _, read := range keepRules {
		if what, ok := read(low[n:]); ok {
			return Span{From: what.From + n, To: what.To + n}, true
		}
	}
	return Span{}, false
}
