package intent

import (
	"strings"
	"unicode/utf8"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

// stopwords identify the supported languages. English is scored as well, because the others have to
// exceed its score.
var stopwords = map[string]*lazyregexp.Set{
	"nl": lazyregexp.Of(`de het een en is zijn niet van voor op met naar dat die wordt worden kan kunnen je we ik ook
	maar als bij moet moeten uit aan om te er nog graag toe zoals meer`),
	"en": lazyregexp.Of(`the is are and to of in it for that with on this be not you we i a an should please can add
	fix make when but from at my our have has does was all no new use get so if by or as up they them more some like
	after before too also without every each only must there here via per into out not now than any`),
	"de": lazyregexp.Of(`der die das und ist nicht ein eine einen einem bitte auf mit für den dem wir ich es soll
	sollte auch im zu aber wenn werden wird sind kann von beim seit kein keine mehr noch neue neuen füge unsere als
	bleibt am vom zum zur wie war aus den einem dass wurde bei nach einer eines nur oder sich alle kommt es soll sollen
	muss müssen sein manchmal immer liefert wenn nichts`),
	"fr": lazyregexp.Of(`le la les des de on en doit doivent être voudrait et est une un pas dans pour que qui sur avec
	nous je il elle ce cette ne plus du au aux s'il vous te plaît sont être ça dès lors ajoute ajouter mais`),
	"es": lazyregexp.Of(`el la los las de y debe deben ser es una un no en para que con por se del al nos yo está este
	esta cuando pero más añade agrega favor son hay lo mi cambia`),
	"pt": lazyregexp.Of(`o os as de e é deve devem ser uma um não em para que com por se do da dos das no na ao está
	este esta quando mas mais favor são há maiores corrige adicione adiciona remova`),
	"it": lazyregexp.Of(`il la lo gli di e è deve devono essere una un non in per che con di del della dei delle nel
	nella al alla sono quando ma più aggiungi favore questo questa rinomina rimuovi si`),
}

// DetectLanguage returns the language of a message: de, fr, es, pt, it or nl, "?" for an
// unsupported script, and "" for English or if the text is too short to decide.
func DetectLanguage(text string) string {
	if len(text) > 4000 {
		text = text[:4000]
	}
	score, other, latin := map[string]int{}, 0, 0
	first := true
	for w := range strings.FieldsSeq(strings.ToLower(text)) {
		w = strings.Trim(w, ".,;:!?\"'()¿¡«»„“")
		addVote(score, w, first)
		first = false
		o, l := scriptOf(w)
		other, latin = other+o, latin+l
	}
	if other > 0 && other > latin {
		return "?"
	}
	best := ""
	for _, lang := range []string{"de", "fr", "es", "pt", "it", "nl"} {
		if score[lang] >= 2 && score[lang] > score["en"] && (best == "" || score[lang] > score[best]) {
			best = lang
		}
	}
	return best
}

// addVote adds a word to the scores of the languages that have it.
func addVote(score map[string]int, w string, first bool) {
	_, english := verbSenses()[w]
	if english && len(w) > 3 {
		score["en"]++
	}
	for lang, set := range stopwords {
		_, verb := foreignLanguages()[lang].Verb(w)
		verb = verb && !english
		switch begins := verb && first; { // a request begins with a verb
		case lang != "en" && len(w) > 4 && (begins || set.Has(w)):
			score[lang] += 2
		case set.Has(w) || verb && len(w) > 5:
			score[lang]++
		}
	}
}

// scriptOf classifies a word by its first letter: in an unsupported script, or Latin. Scripts
// without blanks between words count by length.
func scriptOf(w string) (other, latin int) {
	eastern := func(r rune) bool { return r >= 0x3040 && r < 0xfe00 }
	switch r, _ := utf8.DecodeRuneInString(w); {
	case r >= 0x370 && r < 0x2000 || eastern(r):
		other++
	case r >= 'a' && r <= 'z':
		latin++
	}
	if strings.ContainsFunc(w, eastern) {
		other += len(w) / 6
	}
	return other, latin
}
