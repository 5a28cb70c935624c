package intent

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// TokenForm is what a token is.
type TokenForm int

// A token is a word (with the numbers, names, paths and flags that people write among
// words), a mark, words in quotes, code in backquotes, or an aside in parentheses.
const (
	WordForm TokenForm = iota
	Mark
	Quoted
	Code
	Aside
)

// Token is a piece of a message. At and End are byte offsets into the message; Low is
// the text in lower case with straight apostrophes, contractions spelled out with one
// ("dont" is "don't"), and nothing invisible in it.
type Token struct {
	Form    TokenForm
	At, End int
	Lower   string
}

// Tokenize cuts text, which starts at byte at of its message, into tokens.
func Tokenize(text string, at int) []Token {
	var out []Token
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		switch {
		case unicode.IsSpace(r) || isInvisible(r):
			i += size
		case smileyLength(text, i) > 0:
			i += smileyLength(text, i)
		case quoteLength(text, i, r) > 0:
			end := i + quoteLength(text, i, r)
			out = append(out, enclosedToken(text, i, end, r, at))
			i = end
		case isInWord(r) || startsWord(text[i:]):
			end := wordEnd(text, i+size)
			out = append(out, Token{WordForm, at + i, at + end, PlainWord(text[i:end])})
			i = end
		default:
			end := i + size
			if strings.HasPrefix(text[i:], "->") || strings.HasPrefix(text[i:], "=>") {
				end = i + 2
			}
			out = append(out, Token{Mark, at + i, at + end, text[i:end]})
			i = end
		}
	}
	return out
}

// smileyLength returns the length of a face drawn with marks, 0 when there is none: ":)", ";-)", ":D".
func smileyLength(text string, i int) int {
	if r := text[i]; r != ':' && r != ';' || i > 0 && text[i-1] != ' ' && text[i-1] != '\n' {
		return 0
	}
	rest := text[i+1:]
	n := 1
	if strings.HasPrefix(rest, "-") {
		rest, n = rest[1:], 2
	}
	if len(rest) == 0 || !strings.ContainsRune(")(DPp|/", rune(rest[0])) || len(rest) > 1 && isInWord(rune(rest[1])) {
		return 0
	}
	return n + 1
}

func enclosedToken(text string, i, end int, r rune, at int) Token {
	form := Quoted
	switch r {
	case '`':
		form = Code
	case '(', '[':
		form = Aside
	}
	return Token{form, at + i, at + end, strings.ToLower(text[i:end])}
}

var closing = map[rune]string{'"': `"`, '“': "”", '„': "“”", '«': "»", '‘': "’", '`': "`", '(': ")", '[': "]", '\'': "'"}

// quoteLength returns the length of the quotation or aside that begins at i, 0 when none
// does. One that is not closed within 400 bytes is not a quotation; the length of a
// single quote is cut at the line, because an apostrophe looks the same.
func quoteLength(text string, i int, r rune) int {
	ends, ok := closing[r]
	if !ok || (r == '\'' && i > 0 && !unicode.IsSpace(rune(text[i-1]))) {
		return 0
	}
	rest := text[i+utf8.RuneLen(r):]
	if len(rest) > 400 {
		rest = rest[:400]
	}
	if r == '\'' || r == '`' {
		rest, _, _ = strings.Cut(rest, "\n")
	}
	end := strings.IndexAny(rest, ends)
	if end < 0 {
		return 0
	}
	_, size := utf8.DecodeRuneInString(rest[end:])
	return utf8.RuneLen(r) + end + size
}

func isInvisible(r rune) bool {
	return unicode.Is(unicode.Cf, r) || unicode.IsControl(r) || r == utf8.RuneError
}

func isInWord(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.M, r) || r == '_'
}

// isThousands reports three digits and no fourth, as behind the comma of 1,200.
func isThousands(rest string) bool {
	n := 0
	for n < len(rest) && rest[n] >= '0' && rest[n] <= '9' {
		n++
	}
	return n == 3
}

// startsWord says whether a mark begins a word: --flag, /path, #tag, .file, ~1.
func startsWord(s string) bool {
	if !strings.ContainsRune("-/#.@~$", rune(s[0])) {
		return false
	}
	r, _ := utf8.DecodeRuneInString(strings.TrimLeft(s, "-/#.@~$"))
	return isInWord(r) && len(s)-len(strings.TrimLeft(s, "-/#.@~$")) <= 3 && !strings.HasPrefix(s, "->") && !strings.HasPrefix(s, "...")
}

// wordEnd returns where a word that goes on at i ends: at the first mark that is not inside.
func wordEnd(text string, i int) int {
	for i < len(text) {
		r, size := utf8.DecodeRuneInString(text[i:])
		if isInWord(r) || isInvisible(r) && !unicode.IsSpace(r) {
			i += size
			continue
		}
		next, _ := utf8.DecodeRuneInString(text[i+size:])
		switch {
		case strings.ContainsRune("'’-./_@:#%*\\&=?+", r) && isInWord(next):
		case (r == '%' || r == '*') && !isInWord(next):
		case r == '+' && !isInWord(next) && i > 0 && text[i-1] >= '0' && text[i-1] <= '9':
		case r == '(' && strings.HasPrefix(text[i:], "()"):
			size = 2
		case r == ',' && i > 0 && text[i-1] >= '0' && text[i-1] <= '9' && isThousands(text[i+1:]):
		case r == '/' && (i == 1 || unicode.IsSpace(rune(text[max(0, i-2)]))) && (i+1 >= len(text) || unicode.IsSpace(next)):
		default:
			return i
		}
		i += size
	}
	return i
}

var contractions = map[string]string{
	"dont": "don't", "doesnt": "doesn't", "cant": "can't", "wont": "won't", "isnt": "isn't", "arent": "aren't",
	"didnt": "didn't", "shouldnt": "shouldn't", "mustnt": "mustn't", "wasnt": "wasn't", "hasnt": "hasn't", "havent": "haven't",
	"thats": "that's", "cannot": "can't", "couldnt": "couldn't", "wouldnt": "wouldn't", "u": "you",
	"pls": "please", "plz": "please", "thx": "thanks", "ty": "thanks", "im": "i'm", "ive": "i've", "theres": "there's",
	"e-mail": "email", "e-mails": "emails", "gonna": "going", "wanna": "want", "gotta": "must", "shoud": "should",
	"ned": "need", "shd": "should", "sould": "should",
}

// PlainWord returns a word as the lexicon has it.
func PlainWord(word string) string {
	word = strings.Map(func(r rune) rune {
		switch {
		case r == '’' || r == '‘':
			return '\''
		case isInvisible(r):
			return -1
		}
		return unicode.ToLower(r)
	}, word)
	if full, ok := contractions[word]; ok {
		return full
	}
	return word
}

// EndsSentence reports whether the token ends a sentence.
func (t Token) EndsSentence() bool {
	return t.Form == Mark && isOneOf(t.Lower, ".", "!", "?", "…", "。", "？")
}
