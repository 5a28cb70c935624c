package intent

// ForeignLanguage is what is known of another language: imperatives and infinitives, words
// between clauses, how something is left alone, how a complaint sounds.
type ForeignLanguage struct {
	verbs       map[string]Sense
	Join        map[string]bool // conjunctions
	Keep        []string        // behind a subject: "bleibt", with spaces around
	HandsOff    []string        // before an object: "ändere nicht", "no toques"
	NoneOf      []string        // before what there is to be none of: "kein", "sin"
	HowItIs     map[string]bool // begins how a thing is: "(lass die Preise) wie sie sind"
	WrongStates map[string]bool // behind "bleibt", how a thing wrongly is: "leer", "negativo"
	Wrong       []string
	Also        map[string]bool
	Polite      map[string]bool
	Article     map[string]bool // of things that are not there yet
	Wish        []string        // "wir brauchen", "je voudrais": a thing or a deed is wished for
	Must        []string        // "soll", "doit": how it is to be
	Removal     []string        // "kann weg": it is to go
}

// Verb looks up a form that a request begins or, in German, ends with.
func (t ForeignLanguage) Verb(w string) (Sense, bool) { s, ok := t.verbs[w]; return s, ok }

// ForeignLanguageOf returns what is known of a language; of one that is not read it is nothing.
func ForeignLanguageOf(lang string) ForeignLanguage { return foreignLanguages()[lang] }

// senseTable returns each form its sense. One of two lists has the later one: what makes a
// thing may also change it, which its object decides.
func senseTable(add, modify, fix, remove, create string) map[string]Sense {
	out := map[string]Sense{}
	for _, l := range []struct {
		sense Sense
		forms string
	}{{Add, add}, {Modify, modify}, {Fix, fix}, {Remove, remove}, {Make, create}} {
		for w := range fields(l.forms) {
			out[w] = l.sense
		}
	}
	return out
}
