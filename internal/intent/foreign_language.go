package intent

// ForeignLanguage is the vocabulary of another language: imperatives and infinitives, conjunctions,
// phrases for leaving something unchanged and for complaints.
type ForeignLanguage struct {
	verbs       map[string]Sense
	Join        map[string]bool // conjunctions
	Keep        []string        // behind a subject: "bleibt", with spaces around
	HandsOff    []string        // before an object: "ändere nicht", "no toques"
	NoneOf      []string        // before what must not be added: "kein", "sin"
	HowItIs     map[string]bool // begins a clause about the present state: "(lass die Preise) wie sie sind"
	WrongStates map[string]bool // behind "bleibt", a state that is a fault: "leer", "negativo"
	Wrong       []string
	Also        map[string]bool
	Polite      map[string]bool
	Article     map[string]bool // of things that do not exist yet
	Wish        []string        // "wir brauchen", "je voudrais": wishes for a thing or an action
	Must        []string        // "soll", "doit": how something should be
	Removal     []string        // "kann weg": something should be removed
}

// Verb looks up a form that a request begins or, in German, ends with.
func (t ForeignLanguage) Verb(w string) (Sense, bool) { s, ok := t.verbs[w]; return s, ok }

// ForeignLanguageOf returns the vocabulary of a language, an empty one for an unsupported language.
func ForeignLanguageOf(lang string) ForeignLanguage { return foreignLanguages()[lang] }

// senseTable maps each form to its sense. A form in two lists gets the later one: a verb of
// creation can also change a thing, which its object decides.
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
