package intent

import (
	"strings"
	"testing"
)

func TestBase(t *testing.T) {
	known := func(b string) bool { _, ok := VerbSense(b); return ok }
	for w, want := range map[string]string{"adds": "add ", "renamed": "rename ed", "dropping": "drop ing", "caches": "cache s", "retries": "retry s",
		"hurried": " ", "built": "build ed", "fix": "fix ", "stopping": "stop ing", "table": " ", "moves": "move s", "loose": "lose "} {
		base, end := BaseForm(w, known)
		if got := base + " " + strings.TrimPrefix(end, " "); strings.TrimSuffix(got, "s") != strings.TrimSuffix(want, "s") && got != want {
			t.Errorf("%s: %q, want %q", w, got, want)
		}
	}
}

func TestSpelled(t *testing.T) {
	for w, want := range map[string]string{"upgarde": "upgrade", "remvoe": "remove", "delte": "delete", "chnage": "change", "hello": "", "there": "", "add": "", "zzzzzz": ""} {
		if got, _ := CorrectSpelling(w); got != want {
			t.Errorf("%s: %q, want %q", w, got, want)
		}
	}
}

func TestNumber(t *testing.T) {
	for w, want := range map[string]int{"two": 2, "both": 2, "12": 12, "0": 0, "drei": 3, "1.5": -1, "007": -1, "-3": -1, "a": -1, "99999999": -1} {
		n, ok := ParseNumber(w)
		if !ok {
			n = -1
		}
		if n != want {
			t.Errorf("%s: %d, want %d", w, n, want)
		}
	}
}

func TestPhrases(t *testing.T) {
	for line, want := range map[string]int{"get rid of it": 3, "set up a page": 2, "take care of it": 3, "get it": 0, "clean up": 2} {
		if _, n := ReadPhrasalVerb(strings.Fields(line)); n != want {
			t.Errorf("%s: %d words, want %d", line, n, want)
		}
	}
	for line, want := range map[string]int{"could you fix it": 2, "would it be possible to have a page": 6, "we need a page": 2, "fix it": 0} {
		if n, _ := ReadOpener(strings.Fields(line)); n != want {
			t.Errorf("%s: %d words, want %d", line, n, want)
		}
	}
}

func TestLanguage(t *testing.T) {
	for text, want := range map[string]string{"please fix the login": "", "Bitte füge eine Seite hinzu": "de", "Corrige la page et le menu": "fr", "No funciona el botón de la página": "es",
		"O botão não funciona na página": "pt", "Aggiungi una pagina per il menu": "it", "исправьте вход": "?", "登录坏了": "?", "": "", "fix 登录 in login.go": ""} {
		if got := DetectLanguage(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestStem(t *testing.T) {
	for _, same := range [][]string{{"note", "notes", "noted", "noting"}, {"state", "states"}, {"page", "pages"}, {"invoice", "invoices"}, {"index", "indexes", "indexing"}, {"upload", "uploads", "uploading", "uploaded"},
		{"category", "categories"}, {"match", "matches", "matching"}, {"message", "messages"}, {"status", "statuses"}, {"crop", "cropping", "cropped"}, {"parse", "parsing", "parses"}, {"image", "images"}} {
		for _, w := range same[1:] {
			if Stem(w) != Stem(same[0]) {
				t.Errorf("%s %q, %s %q", same[0], Stem(same[0]), w, Stem(w))
			}
		}
	}
	for a, b := range map[string]string{"not": "note", "notation": "not", "cod": "code", "stats": "state", "plan": "plane", "mod": "mode", "car": "care"} {
		if Stem(a) == Stem(b) {
			t.Errorf("%s and %s have the same stem: %q", a, b, Stem(a))
		}
	}
}

func TestHedge(t *testing.T) {
	for line, want := range map[string]int{"our designer says the cards need room": 3, "legal thinks that it has to go": 3, "the readme says the port is 80": 0, "it looks like the sum is off": 3, "the thing is it hangs": 3, "": 0} {
		if got := HedgeLength(strings.Fields(line)); got != want {
			t.Errorf("%q: %d, want %d", line, got, want)
		}
	}
}
