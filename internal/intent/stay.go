package intent

import ()

// rule reads one construction in a clause whose asking begins at word n. whole says that the
// clause asks for nothing else.
type rule func(low []string, n int) (what Span, whole, ok bool)

// rules are asked in order: the first that fits decides. Statements that bar a whole ("nothing
// changes") stand before orders, whose objects would be part of them; what is said beside
// another order ("upgrade while keeping X") comes last.
var rules = []rule{
	entire(Untouched), entire(compatible), entire(placed), stillWorksFirst, entire(whileKeeping), entire(nobody),
	withoutNew, entire(NothingNew), entire(Unchanged), unaided,

	entire(rather), entire(Parted), entire(excepted), entire(besides), entire(unharmed), entire(sticking), entire(declined),
	entire(aboutElse), entire(oneself), entire(keepsOwn), entire(keepOrder), entire(unwanted), entire(NoneOf), entire(prohibition),
	entire(NoThing), entire(fronted), entire(StaySubject), entire(sameThing), entire(asNow),

	keepingBeside, stillWorks, meanwhile, withoutTouching,
}

// entire is a rule for clauses that ask for nothing else.
func entire(read func(rest []string) (Span, bool)) rule {
	return func(low []string, n int) (Span, bool, bool) {
		s, ok := read(low[n:])
		return shift(s, n), true, ok
	}
}

// shift moves a span by n words.
func shift(s Span, n int) Span {
	return Span{From: s.From + n, To: s.To + n}
}

// Keeps finds what a clause wants left alone, in words of its lower-case row. whole says that the
// clause asks for nothing else; ok that it is about keeping at all. An empty span says that what
// is meant was named before: "keep it".
func Keeps(low []string) (what Span, whole, ok bool) {
	n, _ := Strip(low)
	if n >= len(low) {
		return Span{}, false, false
	}
	n += framed(low[n:])
	if s, ok := fine(low); ok && n == 0 {
		return s, true, true
	}
	n += resolved(low[n:])
	for _, read := range rules {
		if what, whole, ok := read(low, n); ok {
			return what, whole, true
		}
	}
	return Span{}, false, false
}
