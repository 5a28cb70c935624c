package reading

import (
	"slices"

	"github.com/belay-dev/belay/internal/ask/stay"

	"github.com/belay-dev/belay/internal/ask/clause"
	"github.com/belay-dev/belay/internal/ask/deed"
	"github.com/belay-dev/belay/internal/ask/fault"
	"github.com/belay-dev/belay/internal/ask/grammar"
	"github.com/belay-dev/belay/internal/ask/prose"
	"github.com/belay-dev/belay/internal/ask/words"
	"github.com/belay-dev/belay/internal/belay"
)

// colon reads what announces a list. It answers whether the list has been read too.
func (p *reader) colon(c clause.Clause, rest []clause.Clause) bool {
	a := deed.Read(c)
	wordsLeft := c.Low()
	if p.Fresh && len(p.acts) < 2 && len(rest) == 1 && madeWith(wordsLeft) && grammar.Articled(rest[0].Low()[0]) {
		return false // "New repo, Spring Boot and Kotlin: an endpoint that …"
	}
	if _, said := grammar.Strip(rest[0].Low()); p.Fresh && !said.Opener && (a.Deed == deed.Anew || a.Deed == deed.Request || a.Deed == deed.Ground) {
		first := rest[0].Low()
		if p.grouped(c) {
			return true
		}
		if a.Deed == deed.Anew {
			p.acts = append(p.acts, a)
		}
		if a.Deed == deed.Request && !Preamble(wordsLeft) && !(len(p.acts) > 0 && a.Verb == "a thing named" && !Whole(a, p.Lang)) {
			p.acts = append(p.acts, a)
		}
		if len(first) > 0 && (first[0] != "\"" || len(rest)+countCommas(rest[0].T) > 2) && !describes(rest, wordsLeft) && !(deed.IsWish(a.Verb) && slices.ContainsFunc(wordsLeft, words.Several)) {
			p.pieces(c, rest)
		}
		return true
	}
	if _, said := grammar.Strip(rest[0].Low()); Preamble(wordsLeft) || said.Opener {
		p.acts = append(p.acts, deed.Act{Deed: deed.Ground, C: c, Core: grammar.Span{From: 0, To: len(c.T)}})
		if len(rest) > 0 && countCommas(rest[0].T) > 0 && grammar.Articled(rest[0].Low()[0]) && !grammar.HasVerb(rest[0].Low()) {
			p.listed(c, rest)
			return true
		}
		_, led := grammar.Strip(wordsLeft)
		for _, r := range rest {
			r.Block, r.Line, r.Sent, r.Group = c.Block, c.Line, c.Sent, true
			settled := settles(wordsLeft) || wordsLeft[0] == "decisions"
			if low := r.Low(); settled && len(low) > 2 && low[0] == "we" && grammar.Imperative(low[1:]) > 0 {
				r.T = r.T[1:] // "…, and we kill the confetti"
			}
			b := deed.Read(r)
			if settled || led.Opener && led.Want {
				b = wished(b)
			}
			if b.Deed == deed.Ground && slices.ContainsFunc(wordsLeft, told) && grammar.Finite(r.Low()) && r.Join != "because" && r.Join != "if" {
				b.Deed, b.Marker, b.Strength, b.Verb = deed.Complaint, belay.MarkFix, fault.Plain, "reported"
			}
			if slices.ContainsFunc(wordsLeft, troubles) && b.Deed == deed.Request && (b.Verb == "a thing named" || grammar.Finite(r.Low())) {
				b.Marker = belay.MarkFix
			}
			if low := r.Low(); b.Deed == deed.Keep && len(low) > 0 && low[0] == "no" && slices.ContainsFunc(wordsLeft, troubles) {
				b = deed.Act{Deed: deed.Complaint, Marker: belay.MarkFix, Strength: fault.Plain, Verb: "no", C: r, Core: grammar.Span{To: len(low)}}
			}
			p.acts = append(p.acts, b)
		}
		return true
	}
	if n := len(rest) + countCommas(rest[0].T); n > 1 && !p.Fresh && vagueWhole(a) {
		p.acts = append(p.acts, deed.Act{Deed: deed.Ground, C: c, Core: grammar.Span{From: 0, To: len(c.T)}})
		p.listed(c, rest)
		return true
	}
	if low := rest[0].Low(); a.Deed == deed.Request && slices.ContainsFunc(wordsLeft, words.Several) && len(low) > 1 && (low[0] == "a" || low[0] == "an") && articles(rest) > 1 {
		p.acts = append(p.acts, deed.Act{Deed: deed.Ground, C: c, Core: grammar.Span{From: 0, To: len(c.T)}})
		for _, r := range rest {
			r.Block, r.Line, r.Sent = c.Block, c.Line, c.Sent
			r.Group = grammar.Articled(r.Low()[0])
			p.acts = append(p.acts, deed.Read(r))
		}
		return true // "two safeguards: a quiet window, and a confirmation step"
	}
	if deed.Quotes(rest[0]) && a.Deed == deed.Request && a.Verb == "a thing named" {
		a.Deed, a.Marker, a.Strength, a.Verb = deed.Complaint, belay.MarkFix, fault.Plain, "an error in quotes"
	}
	if wordsLeft[len(wordsLeft)-1] == "order" && a.Deed == deed.Request {
		a.Marker = belay.MarkModify // "the items in this order: …"
	}
	p.acts = append(p.acts, a)
	if first := rest[0].Low(); a.Deed == deed.Complaint && a.Strength == fault.Plain && len(first) > 0 && grammar.Imperative(first) == 0 {
		return true // "typos in the post: …"
	}
	if a.Deed == deed.Request && (len(rest) == 0 || grammar.Imperative(rest[0].Low()) == 0) {
		return true // the list says which: it is folded into what it lists
	}
	for i, r := range rest {
		r.Block, r.Line, r.Sent = c.Block, c.Line, c.Sent
		if low := r.Low(); i == 0 && a.Deed == deed.Ground && len(low) > 1 && !grammar.HasVerb(low) && (grammar.Articled(low[0]) || words.Several(low[0]) && (low[1] == "extra" || low[1] == "more" || low[1] == "new" || low[1] == "additional" || low[1] == "further")) {
			r.Group = true // "they keep asking for it: two extra columns"
		}
		p.acts = append(p.acts, deed.Read(r))
	}
	return true
}

// vagueWhole reports an order that says of itself nothing that could be done: "tidy up the
// toolbar: …", "make it safer: …". What follows the colon is what is asked.
func vagueWhole(a deed.Act) bool {
	if a.Deed == deed.Doubt {
		return true
	}
	low := a.C.Low()
	switch a.Verb {
	case "make":
		return a.Marker == belay.MarkModify && a.Obj+1 < len(low) && grammar.Compared(low[a.Obj:]) > 0 && len(low)-a.Obj < 4
	case "save", "reduce", "improve", "tidy up", "clean up", "polish", "redesign", "rework", "overhaul", "simplify", "modernise", "modernize", "rebalance":
		return true
	}
	return false
}

// listed reads each piece between commas behind a colon by itself.
func (p *reader) listed(c clause.Clause, rest []clause.Clause) {
	for _, r := range rest {
		start := 0
		low := r.Low()
		for i := 0; i <= len(low); i++ {
			if i < len(low) && low[i] != "," {
				continue
			}
			from := start
			if from < i && low[from] == "and" {
				from++
			}
			if i > from {
				piece := r
				piece.T, piece.Group, piece.Block, piece.Line, piece.Sent = r.T[from:i], true, c.Block, c.Line, c.Sent
				piece.Frag = !grammar.HasVerb(piece.Low())
				p.acts = append(p.acts, deed.Read(piece))
			}
			start = i + 1
		}
	}
}

// articles is how many of the clauses begin with an article of their own.
func articles(rest []clause.Clause) (n int) {
	for _, r := range rest {
		if low := r.Low(); len(low) > 0 && (low[0] == "a" || low[0] == "an") {
			n++
		}
	}
	return n
}

// settles reports that something was decided.
func settles(low []string) bool {
	return slices.Contains(low, "decided") || slices.Contains(low, "agreed") || slices.Contains(low, "came") && slices.Contains(low, "out")
}

// told are words that announce a list of what others found.
func told(w string) bool {
	return w == "reported" || w == "noticed" || w == "found" || w == "spotted" || w == "complained" || w == "tickets" || w == "complaints"
}

// wished takes what stands behind "what I'd like is this:" for how it should be.
func wished(b deed.Act) deed.Act {
	b.Stated = false
	if b.Deed == deed.Complaint && b.C.Join != "because" {
		b.Deed, b.Marker = deed.Request, belay.MarkModify
		if low := b.C.Low(); slices.Contains(low[:min(2, len(low))], "nobody") {
			b.Marker = belay.MarkAdd
		}
	}
	return b
}

// troubles are words that announce a list of what is wrong.
func troubles(w string) bool {
	return w == "problems" || w == "issues" || w == "bugs" || w == "errors" || w == "defects" || w == "problem" || w == "issue" || w == "bug"
}

// describes reports a list that says what the announced thing is: "new service: takes
// webhooks, verifies them", not what it must have.
func describes(rest []clause.Clause, left []string) bool {
	pieces := 0
	if slices.Contains(left, "have") {
		return false // "it must have: routes to both services"
	}
	if len(rest) == 1 && countCommas(rest[0].T) == 0 && (len(left) < 4 && slices.Contains(left, "new") || !slices.ContainsFunc(left, deed.Creates) && !slices.Contains(left, "have")) && grammar.Imperative(rest[0].Low()) > 0 {
		return true // "new crate: decode .fit files into arrow"
	}
	for _, r := range rest {
		pieces += 1 + countCommas(r.T)
	}
	if first := rest[0].Low(); pieces > 2 && len(left) > 2 && len(first) > 1 && grammar.Continues(first) {
		return false // so many deeds are features
	}
	starts := true
	for _, r := range rest {
		low := r.Low()
		if len(rest) == 1 && len(low) == 1 && len(left) > 8 {
			return true
		}
		for i, w := range low {
			if _, end := words.Base(w, grammar.AnyVerb); starts && len(left) < 8 && i+1 < len(low) && (end == "s" || doing[w]) {
				return true
			}
			starts = w == "," || w == "and"
		}
		starts = true
	}
	return false
}

var doing = map[string]bool{"takes": true, "gets": true, "receives": true, "listens": true, "fetches": true, "does": true, "looks": true, "scrapes": true, "parses": true, "crawls": true, "runs": true, "reads": true}

// upToComma is what stands before the next comma.
func upToComma(t []prose.Token) []string {
	low := clause.Lows(t)
	if i := slices.Index(low, ","); i >= 0 {
		low = low[:i]
	}
	return low
}

// grouped reads a number of like things whose names follow, as one of the features: "an expo
// app, 2 tabs: scan, list".
func (p *reader) grouped(c clause.Clause) bool {
	low := c.Low()
	n := len(low)
	if n < 2 || !words.Several(low[n-2]) || words.Unit(low[n-1]) || Preamble(low) || n < 3 && len(p.acts) == 0 {
		return false
	}
	if n > 3 && low[n-3] == "," {
		before := c
		before.T = c.T[:n-3]
		p.acts = append(p.acts, deed.Read(before))
		c.T, c.Join, c.Frag = c.T[n-2:], ",", true
	}
	a := deed.Read(c)
	if a.Deed != deed.Request {
		a = deed.Act{Deed: deed.Request, Verb: "so many of them", C: c, Core: grammar.Span{To: len(c.T)}}
	}
	a.Marker = belay.MarkAdd
	p.acts = append(p.acts, a)
	return true
}

// pieces makes a request of each piece of a list behind a colon.
func (p *reader) pieces(c clause.Clause, rest []clause.Clause) {
	var t []prose.Token
	for _, r := range rest {
		if len(t) > 0 && r.Join != "because" && r.Join != "so" && r.Join != "if" {
			t = append(t, prose.Token{Form: prose.Mark, Low: ","})
		}
		t = append(t, r.T...)
	}
	start := 0
	for i := 0; i <= len(t); i++ {
		if i < len(t) && t[i].Low != "," && !(t[i].Low == "and" && i > start && (i < 2 || i+2 < len(t)) && listAnd(t, i)) {
			continue
		}
		if i < len(t) && t[i].Low == "," && i+1 < len(t) && words.Preposition(t[i+1].Low) && i > start && !grammar.Finite(upToComma(t[i+1:])) {
			continue // "a viewer for files, in the browser"
		}
		if i > start {
			piece := c
			piece.T, piece.Group, piece.Join, piece.Frag = t[start:i], true, ":", true
			if n, _ := grammar.Strip(piece.Low()); n < i-start && !allTech(piece.Low()) {
				a := deed.Act{Deed: deed.Request, Marker: belay.MarkAdd, Verb: "one of a list", C: piece, Core: grammar.Span{From: n, To: i - start}, Obj: n}
				if sp, _, ok := stay.Keeps(piece.Low()); ok {
					a = deed.Act{Deed: deed.Keep, Keeps: []grammar.Span{sp}, C: piece}
				}
				p.acts = append(p.acts, a)
			}
		}
		start = i + 1
	}
}

func allTech(low []string) bool {
	return slices.ContainsFunc(low, words.Tool) && !slices.ContainsFunc(low, func(w string) bool { return !words.Tech(w) })
}

// madeWith reports nothing but the names of tools and their versions.
func madeWith(low []string) bool {
	return len(low) < 8 && slices.ContainsFunc(low, words.Tool) && !slices.ContainsFunc(low, words.Product) && !slices.ContainsFunc(low, words.Determiner) && !slices.ContainsFunc(low, words.Preposition)
}

// listAnd reports an "and" between the last two of a list of three or more.
func listAnd(t []prose.Token, i int) bool {
	if slices.ContainsFunc(t[i+1:], func(t prose.Token) bool { return t.Low == "," }) {
		return false // "payment with Stripe and Twint, and a page"
	}
	for j := i - 1; j >= 0; j-- {
		if t[j].Low == "," {
			return true
		}
	}
	return false
}
