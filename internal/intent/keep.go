package intent

// keepRules find what a clause wants left unchanged. The first match counts: "nothing else changes"
// comes before orders, which would take it as part of their object.
var keepRules = []func(low []string) (Span, bool){readUntouched, readUnchanged, readException, readKeepOrder,
	readProhibition, ReadNoThing, ReadStaySubject, readSame}

// FindKept finds what a clause wants left unchanged, as a span of its lower-case words. An empty
// span means that it was named before: "keep it".
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
