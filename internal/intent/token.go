package intent

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// TokenForm is the form of a token.
type TokenForm int

// A token is a word (including numbers, names, paths and flags), punctuation, quoted words, code in
// backticks, or an aside in parentheses.
const (
	WordForm TokenForm = iota
	Mark
	Quoted
	Code
	Aside
)

// Token is a part of a message. At and End are byte offsets in the message; Lower is the text in
// lower case with straight apostrophes, the usual spelling of contractions ("dont" is "don't"), and
// without invisible characters.
type Token struct {
	Form    TokenForm
	At, End int
	Lower   string
}

// Tokenize splits text, which starts at byte at of its message, into tokens.
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

// smileyLength returns the length of an emoticon, 0 if there is none: ":)", ";-)", ":D".
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

// quoteLength returns the length of the quotation or aside that begins at i, 0 if there is none. It
// has to be closed within 400 bytes; one in single quotes or backticks has to be closed on its
// line, because an apostrophe looks the same.
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

// isThousands reports exactly three digits, as behind the comma of 1,200.
func isThousands(rest string) bool {
	n := 0
	for n < len(rest) && rest[n] >= '0' && rest[n] <= '9' {
		n++
	}
	return n == 3
}

// startsWord reports whether punctuation begins a word: --flag, /path, #tag, .file, ~1.
func startsWord(s string) bool {
	if !strings.ContainsRune("-/#.@~$", rune(s[0])) {
		return false
	}
	r, _ := utf8.DecodeRuneInString(strings.TrimLeft(s, "-/#.@~$"))
	return isInWord(r) && len(s)-len(strings.TrimLeft(s, "-/#.@~$")) <= 3 && !strings.HasPrefix(s, "->") && !strings.HasPrefix(s, "...")
}

// wordEnd returns the end of the word that continues at i, before the first punctuation that is not
// within it.
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

// PlainWord returns a word in the spelling of the word lists.
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
