package concern

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/ask/deed"
	"github.com/belay-dev/belay/internal/ask/fault"
	"github.com/belay-dev/belay/internal/ask/grammar"
	"github.com/belay-dev/belay/internal/ask/prose"
	"github.com/belay-dev/belay/internal/ask/words"
	"github.com/belay-dev/belay/internal/belay"
)

// Reread changes what clauses do where the clauses beside them say that they do something else
// than by themselves: steps, verdicts, stories that lead to a "so please", "fix this" behind a
// complaint.
func Reread(acts []deed.Act) {
	if len(acts) == 0 {
		return
	}
	var before front
	for i := range acts {
		a := &acts[i]
		if i > 0 {
			before.add(acts[i-1])
		}
		if len(a.C.T) == 0 {
			continue
		}
		low := a.C.Low()
		switch {
		case a.Deed == deed.Request && pointed(low):
			wrong(a, "point out")
		case a.Deed == deed.Request && (righted(low) || fixThis(low)), a.Deed == deed.Complaint && fixThis(low),
			a.Deed == deed.Request && a.Marker == belay.MarkFix && a.Pronoun && before.told && !before.asked:
			a.Deed, a.Marker, a.Pronoun, a.Verb = deed.Mend, belay.MarkFix, true, "fix"
		case a.Deed == deed.Request && a.Pronoun && restores(low) && before.told && !before.asked:
			a.Deed, a.Marker, a.Verb = deed.Mend, belay.MarkFix, "fix"
		case a.Deed == deed.Keep && ends(low):
			a.Deed, a.Marker, a.Verb, a.Keeps = deed.Request, belay.MarkModify, "should not", nil
		case a.Deed == deed.Request && a.Marker == belay.MarkModify && unheard(*a):
			a.Marker = belay.MarkAdd
		case a.Deed == deed.Request && (low[0] == "sorry" || len(low) > 1 && low[1] == "sorry") && !slices.Contains(low, "please"):
			a.Deed = deed.Ground
		case i > 0 && signs(acts[i-1], *a) && i == len(acts)-1:
			a.Deed = deed.Ground
		case a.Deed == deed.Complaint && a.C.Join == "," && i > 0 && acts[i-1].C.Sent == a.C.Sent && consequence(low):
			a.Pronoun = true
		}
	}
	if a := &acts[0]; len(acts) == 1 && a.Deed == deed.Request && a.Verb == "not" && !slices.ContainsFunc(a.C.Low(), words.Modal) && a.C.Block.Kind == prose.Para && subject(a.C.Low()) && !grammar.Now(a.C.Low()) {
		wrong(a, "not") // "the shutter closes at sunrise UTC, not at local sunrise"
	}
	values(acts)
	verdicts(acts)
	must(acts)
	soPlease(acts)
	parted(acts)
	steps(acts)
	open(acts)
}

// unheard reports what the product does not do yet, by the words: "autosave every 5 minutes", "make
// the spider retry on 429", "… and carry the list as a PDF".
func unheard(a deed.Act) bool {
	low := a.C.Low()
	n, _ := grammar.Strip(low)
	if n+2 >= len(low) || grammar.Old(low) || slices.ContainsFunc(low, words.Comparative) {
		return false
	}
	if strings.HasPrefix(low[n], "auto") && low[n] != "auto" && len(low[n]) > 6 && !grammar.Definite(low[n+1]) || low[n] == "carry" && words.Determiner(low[n+1]) {
		return true
	}
	if low[n] != "make" || !grammar.Definite(low[n+1]) {
		return false
	}
	for i := n + 3; i+2 < len(low) && i < n+6; i++ {
		if b, end := words.Base(low[i], grammar.AnyVerb); b != "" && end == "" && low[i+1] == "on" {
			return true
		}
	}
	return false
}

// wrong makes a clause a plain complaint.
func wrong(a *deed.Act, by string) {
	a.Deed, a.Marker, a.Strength, a.Verb = deed.Complaint, belay.MarkFix, fault.Plain, by
}

// front is what stands in front of a clause: something told, and something asked for.
type front struct{ told, asked bool }

// add takes in one more clause.
func (f *front) add(b deed.Act) {
	f.asked = f.asked || b.Deed == deed.Request && !weak(b)
	f.told = f.told || b.Deed == deed.Complaint || b.Deed == deed.Material || b.Deed == deed.Ground && len(b.C.T) > 4 && b.C.Join != "because" && b.C.Join != "if" && grammar.Finite(b.C.Low())
}

// pointed reports words that lead to what somebody noticed: "may I point out that …".
func pointed(low []string) bool {
	line := strings.Join(low[:min(9, len(low))], " ")
	for _, p := range []string{"point out that ", "inform you that ", "report that ", "let you know that ", "mention that ", "draw your attention to "} {
		if at := strings.Index(line, p); at >= 0 && at < 26 {
			return true
		}
	}
	return false
}

// righted reports a polite way to ask for a repair of what was told: "I'd be grateful if you
// could put that right", "please to repair".
func righted(low []string) bool {
	line := strings.Join(low, " ") + " "
	for _, p := range []string{"put that right ", "put it right ", "put this right ", "set that right ", "set it right ", "set this right ", "look into it ", "look into this ", "look into that ", "please to repair ", "please to correct ", "please to fix ", "put this to rights "} {
		if strings.HasSuffix(line, p) {
			return true
		}
	}
	return false
}

// fixThis reports "fix this today we are getting chargebacks": why it is urgent.
func fixThis(low []string) bool {
	return len(low) > 2 && (low[0] == "fix" || low[0] == "repair") && (low[1] == "this" || low[1] == "it" || low[1] == "that") && (low[2] == "today" || low[2] == "now" || low[2] == "asap" || low[2] == "please" || words.Subject(low[2]))
}

// restores reports an order to bring something back to how it was or ought to be: "get it back
// to what it was", "bring them down to zero".
func restores(low []string) bool {
	n, _ := grammar.Strip(low)
	if n+2 >= len(low) || low[n] != "get" && low[n] != "bring" && low[n] != "make" && low[n] != "put" && low[n] != "set" {
		return false
	}
	line := strings.Join(low, " ") + " "
	for _, p := range []string{"what it was ", "what they were ", "as it was ", "like it was ", "where it was ", "how it was ", "as before ", "like before ", "to zero ", "to normal ", "green again ", "work again ", "pass again "} {
		if strings.Contains(line, p) {
			return true
		}
	}
	return false
}

// ends reports that something is not to happen any longer: a change, nothing that stays.
func ends(low []string) bool {
	line := strings.Join(low, " ") + " "
	return (strings.HasSuffix(line, " any more ") || strings.HasSuffix(line, " anymore ") || strings.HasSuffix(line, " any longer ")) && (strings.Contains(line, " should not ") || strings.Contains(line, " shouldn't ") || strings.Contains(line, " must not "))
}

// signs reports who wrote, behind words of farewell.
func signs(before, a deed.Act) bool {
	low := before.C.Low()
	if len(low) == 0 || len(a.C.T) > 4 || a.C.Join != "," && !a.C.Frag {
		return false
	}
	last := low[len(low)-1]
	return len(low) < 5 && (last == "regards" || last == "wishes" || last == "greetings" || last == "sincerely" || last == "faithfully")
}

// consequence reports what comes of what was told just before: "around midnight they go red",
// "next run waits forever".
func consequence(low []string) bool {
	if low[0] == "next" || len(low) > 1 && low[0] == "the" && low[1] == "next" {
		return true
	}
	return len(low) > 3 && words.Preposition(low[0]) && (low[2] == "they" || low[2] == "it")
}

// verdicts reads "eval reports 1.2, something is off there": what was told is what is wrong, and
// a statement with "also" behind it is one more.
func verdicts(acts []deed.Act) {
	found := false
	for i := 1; i < len(acts); i++ {
		a, b := &acts[i], &acts[i-1]
		low := a.C.Low()
		if a.Deed == deed.Complaint && len(low) > 2 && len(low) < 7 && low[0] == "something" && b.Deed == deed.Ground && b.C.Line == a.C.Line && b.C.Sent == a.C.Sent && b.C.Join == "" && grammar.Finite(b.C.Low()) {
			wrong(b, "something is wrong with it")
			a.Deed, found = deed.Ground, true
		}
		if found && a.Deed == deed.Ground && a.C.Join == "" && slices.Contains(low, "also") && StatesFact(low) {
			a.Also = true
			wrong(a, "also")
		}
	}
}

// values reads "it goes out 24 hours before, people say it's too late. Make it 48": a value that
// was told is to be another, and what is complained of is why.
func values(acts []deed.Act) {
	at := -1 // the last statement with a number
	for i := range acts {
		a := &acts[i]
		low := a.C.Low()
		if a.Deed == deed.Ground && slices.ContainsFunc(low, number) {
			at = i
		}
		n, _ := grammar.Strip(low)
		if a.Deed != deed.Request || !a.Pronoun || len(low) < n+3 || low[n] != "make" || !number(low[n+2]) {
			continue
		}
		if at < 0 || acts[at].C.Line != a.C.Line || i-at > 4 {
			continue
		}
		for j := at; j < i; j++ {
			if acts[j].Deed == deed.Complaint {
				acts[j].Deed = deed.Ground
			}
		}
		for j := i + 1; j < min(len(acts), i+4); j++ {
			if b := &acts[j]; b.Deed == deed.Request && b.Marker == belay.MarkAdd && b.C.Sent > a.C.Sent && b.C.T[0].Low == "and" {
				b.Also = true
			}
		}
	}
}

// number reports a word that begins with a digit.
func number(w string) bool { return w != "" && w[0] >= '0' && w[0] <= '9' }

// must reads "it shows the one and it must be the other. Please repair": how it should be is the
// other side of what is wrong.
func must(acts []deed.Act) {
	if !slices.ContainsFunc(acts, func(b deed.Act) bool { return b.Deed == deed.Mend }) {
		return
	}
	for i := 1; i < len(acts); i++ {
		a, b := &acts[i], &acts[i-1]
		if a.Deed == deed.Request && a.Pronoun && deed.IsWish(a.Verb) && !a.Also && a.C.Sent == b.C.Sent && a.C.Line == b.C.Line && b.Deed == deed.Ground && b.C.Join == "" && len(b.C.T) > 3 {
			wrong(b, "it must be otherwise")
			a.Deed = deed.Ground
		}
	}
}

// soPlease reads a story that ends in "So please: …": the story asks for nothing.
func soPlease(acts []deed.Act) {
	at := slices.IndexFunc(acts, func(a deed.Act) bool {
		low := a.C.Low()
		return a.C.Topic == "so please" || a.Deed == deed.Request && len(low) > 3 && low[0] == "so" && low[1] == "please"
	})
	for i := range max(at, 0) {
		if a := &acts[i]; a.Deed == deed.Complaint || a.Deed == deed.Request && weak(*a) {
			a.Deed = deed.Ground
		}
	}
}

// parted reads "A; B; and C", where one of them complains and nothing is asked for: each is a
// complaint.
func parted(acts []deed.Act) {
	n, plain := 0, false
	for _, a := range acts {
		if a.Deed == deed.Request && !weak(a) && !able(a) || a.Deed == deed.Doubt || a.Deed == deed.Anew {
			return
		}
		if low := a.C.Low(); a.C.Join == ";" || len(low) > 0 && low[len(low)-1] == "\"" && a.Deed == deed.Ground {
			n++
		}
		plain = plain || a.Deed == deed.Complaint && a.Strength == fault.Plain
	}
	if n < 2 || !plain {
		return
	}
	for i := range acts {
		a := &acts[i]
		low := a.C.Low()
		row := len(low) > 0 && low[len(low)-1] == "\"" || a.C.Join == ";" || i+1 < len(acts) && acts[i+1].C.Join == ";"
		if row && a.C.Sent == acts[0].C.Sent && (a.Deed == deed.Request && able(*a) || a.Deed == deed.Ground && StatesFact(a.C.Low())) {
			wrong(a, "one of several")
		}
	}
	for i := range acts {
		if acts[i].Deed == deed.Request {
			acts[i].Deed = deed.Ground
		}
	}
}

// able reports what somebody can do now, said without an opener.
func able(a deed.Act) bool {
	n, s := grammar.Strip(a.C.Low())
	return a.Verb == "can" && n == 0 && !s.Opener && !s.Please && a.C.Close != "?" && Possible(a.C.Low())
}

// steps reads a list of what somebody does, with what came of it in the paragraph behind it.
func steps(acts []deed.Act) {
	from := slices.IndexFunc(acts, func(a deed.Act) bool { return a.C.Block.Kind == prose.Item })
	if from < 0 {
		return
	}
	to := from
	for to < len(acts) && acts[to].C.Block.Kind == prose.Item {
		to++
	}
	if to-from < 2 || to >= len(acts) || !stepping(acts[from].C.Low()) || !stepping(acts[to-1].C.Low()) {
		return
	}
	end := acts[to]
	for i, a := range acts {
		if (i < from || i >= to) && (a.Deed == deed.Request && !weak(a) || a.Deed == deed.Doubt || a.Deed == deed.Anew) {
			return
		}
		if i >= from && i < to && (deed.IsWish(a.Verb) || slices.Contains(a.C.Low(), "please")) {
			return
		}
	}
	if end.Deed != deed.Complaint && (end.Deed != deed.Ground || !grammar.Finite(end.C.Low()) || words.Subject(end.C.Low()[0])) {
		return
	}
	for i := range acts {
		if acts[i].Deed == deed.Request {
			acts[i].Deed = deed.Ground
		}
	}
	if end.Deed == deed.Ground {
		wrong(&acts[to], "behind the steps")
	}
}

// stepping reports what somebody does with a program: open, click, run.
func stepping(low []string) bool {
	if len(low) == 0 {
		return false
	}
	switch low[0] {
	case "open", "take", "click", "tap", "press", "go", "run", "start", "launch", "select", "choose", "pick", "log", "login", "scroll", "type", "enter", "wait", "connect", "plug", "unplug", "load", "import", "export", "upload", "install", "play", "save", "close", "turn", "switch", "drag", "drop", "swipe", "sign", "have", "look", "watch", "reload", "refresh", "restart", "create", "add", "delete", "set", "enable", "disable", "call", "send", "submit", "hit", "then", "hover", "zoom", "rotate", "pull", "build", "compile", "clone", "edit":
		return true
	}
	return false
}

// open makes doubts of what leaves open what is meant: an "or" of its own behind a request, some
// that have it and some that don't, a thing that "isn't right".
func open(acts []deed.Act) {
	for i := 1; i < len(acts); i++ {
		a, b := &acts[i], &acts[i-1]
		low, before := a.C.Low(), b.C.Low()
		if len(low) < 2 || len(before) < 2 || a.C.Line != b.C.Line {
			continue
		}
		switch line := strings.Join(low, " ") + " "; {
		case low[0] == "or" && a.C.Join == "" && a.C.Sent == b.C.Sent+1 && b.Deed == deed.Request && !a.Nth && a.C.Close != "?" && len(low) > 2:
			a.Deed, a.Readings, b.Deed = deed.Doubt, []string{"the one", "the other"}, deed.Ground
		case (strings.HasPrefix(line, "has to be the same") || strings.HasPrefix(line, "should be the same") || strings.HasPrefix(line, "must be the same") || strings.Contains(line, " has to be the same everywhere ")) && mixed(acts[max(0, i-3):i+1]):
			for j := max(0, i-3); j < i; j++ {
				acts[j].Deed, acts[j].Keeps = deed.Ground, nil
			}
			a.Deed, a.Keeps, a.Readings, a.Also = deed.Doubt, nil, []string{"all get it", "none has it any longer"}, true
		case a.Deed == deed.Mend && len(acts) == 2 && unsaid(before):
			b.Deed, b.Readings, b.Also, a.Deed = deed.Doubt, []string{"what is wrong with it is not said"}, true, deed.Ground
		}
	}
}

// mixed reports that some have something and others do not.
func mixed(acts []deed.Act) bool {
	line := " "
	for _, a := range acts {
		line += strings.Join(a.C.Low(), " ") + " "
	}
	return (strings.Contains(line, " half of ") || strings.Contains(line, " some of ") || strings.Contains(line, " some ")) && (strings.Contains(line, " don't ") || strings.Contains(line, " half ") || strings.Contains(line, " others "))
}

// unsaid reports "the gallery isn't right yet": of a thing that it is wrong, and nothing more.
func unsaid(low []string) bool {
	if len(low) < 4 || len(low) > 6 || !grammar.Definite(low[0]) {
		return false
	}
	if low[len(low)-1] == "yet" || low[len(low)-1] == "quite" {
		low = low[:len(low)-1]
	}
	switch low[len(low)-1] {
	case "right", "good", "ok", "okay", "off", "wrong", "perfect":
		at := low[len(low)-2]
		return at == "isn't" || at == "aren't" || at == "not" || at == "quite" || at == "is" || at == "looks"
	}
	return false
}
