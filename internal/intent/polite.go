package intent

import (
	"strings"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

// greeting matches the salutation of a message: "Hi team,", "Good morning!".
var greeting = lazyregexp.New(`(?i)^\s*(?:hi|hello|hey|hiya|heya|yo|dear|good (?:morning|afternoon|evening|day)|morning|` +
	`afternoon|evening|greetings|hallo|moin|guten (?:tag|morgen)|hola|buenos días|bonjour|salut|ciao|buongiorno|olá|oi|` +
	`bom dia|hoi|goedemorgen)(?: (?:there|all|team|folks|guys|everyone|everybody|again|both|zusammen|à tous|a tutti|` +
	`\p{Lu}[\p{L}.]*)){0,3}\s*(?:[,!.:;–—-]+|\n)\s*`)

// GreetingLength returns how many bytes at the start of a message are only a greeting.
func GreetingLength(text string) int {
	if len(text) > 200 {
		text = text[:200]
	}
	at := greeting.FindStringIndex(text)
	if at == nil || at[1] == len(text) {
		return 0
	}
	return at[1]
}

// TrimThanks removes thanks from the end of a sentence, where no punctuation separates them from
// the request.
func TrimThanks(t []Token) []Token {
	if n := len(t); n > 3 && t[n-1].Lower == "period" {
		t = t[:n-1] // spoken punctuation of a dictated message
	} else if n > 4 && t[n-1].Lower == "stop" && t[n-2].Lower == "full" {
		t = t[:n-2]
	}
	for i := max(0, len(t)-6); i < len(t); i++ {
		rest := make([]string, 0, 6)
		for j, w := range t[i:] {
			if w.Lower == "," && len(t)-i-j == 2 && j > 0 {
				break // "thanks a lot, Kerstin"
			}
			if w.Form == WordForm {
				rest = append(rest, w.Lower)
			}
		}
		if thanksWords[strings.Join(rest, " ")] {
			for i > 1 && t[i-1].Form == Mark {
				i--
			}
			return t[:i]
		}
	}
	return t
}

var thanksWords = map[string]bool{"thanks": true, "thank you": true, "many thanks": true, "thanks a lot": true,
	"thanks in advance": true, "thank you in advance": true, "thank you very much": true, "thank you so much": true, "thanks so much": true,
	"cheers": true, "thanks again": true, "much appreciated": true, "ta": true, "danke": true, "vielen dank": true,
	"danke schön": true, "merci": true, "merci beaucoup": true, "merci d'avance": true, "gracias": true, "muchas gracias": true,
	"obrigado": true, "obrigada": true, "grazie": true, "grazie mille": true, "bedankt": true, "dank je": true,
	"dank je wel": true, "alvast bedankt": true, "lg": true, "vg": true, "best": true, "thanks and regards": true}
