package testdiff

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/belay-dev/belay/internal/syntax"
)

var constants = set(`true false True False nil null None NULL undefined NaN new vec not`)

// conversionFuncs are functions that only convert their arguments to another type.
var conversionFuncs = set(`list set dict tuple float int str bytes bytearray frozenset complex byte rune string error float64
	float32 int64 int32 uint uint8 uint16 uint32 uint64
	mpf mpc mpi matrix date datetime timedelta of from asList listOf mapOf setOf valueOf vec approx Some Ok Err
	to_string into to_owned any array`)

func set(list string) map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(list) {
		out[w] = true
	}
	return out
}

// isLiteral reports whether the tokens are a literal: no variable, and no call except of
// constructors and conversions.
func isLiteral(l syntax.Language, tokens []syntax.Token) bool {
	if len(tokens) == 0 || len(tokens) > 4000 {
		return false
	}
	solid := false
	if tokens[0].Is("new") && len(tokens) > 2 && tokens[1].Kind == syntax.Word && tokens[2].IsOneOf("(", "{", "[") {
		tokens = tokens[2:] // an object: literal if its arguments are
		solid = true
	}
	for i := 0; i < len(tokens); i++ {
		t := tokens[i]
		switch t.Kind {
		case syntax.Number:
			solid = true
		case syntax.Text:
			if strings.Contains(t.Text, "${") || strings.Contains(t.Text, "#{") || l == syntax.PHP && interpolates(t) {
				return false
			}
			solid = true
		case syntax.Word:
			n := nameLength(l, tokens[i:])
			if n == 0 {
				return false
			}
			solid = solid || !t.Is("not") && !t.Is("new")
			i += n - 1
		default:
			if !strings.Contains("()[]{},:;-+*/.&!=>", t.Text) && !(l == syntax.PHP && t.Is("\\")) {
				return false
			}
			solid = solid || t.Is("[") || t.Is("{") // an empty list
		}
	}
	return solid
}

// nameLength returns the number of tokens at the start that are the name of a constant or
// constructor, 0 for a variable or a call: Level.SEVERE, Some, big.NewInt, []int.
func nameLength(l syntax.Language, tokens []syntax.Token) int {
	n := qualifiedLength(tokens)
	first, last := tokens[0].Text, tokens[n-1].Text
	after := syntax.Token{}
	if n < len(tokens) {
		after = tokens[n]
	}
	switch {
	case constants[first] && n == 1, conversionFuncs[last] && after.IsOneOf("(", "[", "{"):
		return n
	case after.Is(":") && (n+1 >= len(tokens) || !tokens[n+1].Is(":")), after.Is("=") && n == 1: // a key
		return n
	case after.Is("("): // a constructor: Decimal("3"), but not Parse("3") in Go
		if isUpper(last) && l != syntax.Go && l != syntax.CSharp {
			return n
		}
		return 0
	case after.Is("{"):
		return n
	case l == syntax.Go:
		own := n == 1 && (isUpper(first) || goTypes[first])
		if own || n == 3 && (strings.HasPrefix(last, "Status") || strings.HasPrefix(last, "Err")) {
			return n
		}
		return 0
	case isUpper(first):
		return n
	}
	return 0
}

// qualifiedLength returns the number of tokens of the qualified name at the start: a.b, a::b, a\b.
func qualifiedLength(tokens []syntax.Token) int {
	n := 1
	for n+1 < len(tokens) && (tokens[n].IsOneOf(".", "::", "\\") || tokens[n].Is(":") && tokens[n+1].Is(":")) {
		step := 1
		if tokens[n].Is(":") {
			step = 2
		}
		if n+step >= len(tokens) || tokens[n+step].Kind != syntax.Word {
			break
		}
		n += step + 1
	}
	return n
}

var goTypes = set(`string int int64 int32 byte rune bool float64 map uint8 uint64 any error struct interface`)

func isUpper(s string) bool {
	r, _ := utf8.DecodeRuneInString(strings.TrimLeft(s, "_"))
	return unicode.IsUpper(r)
}

// interpolates reports whether a PHP string contains variables.
func interpolates(t syntax.Token) bool {
	if strings.HasPrefix(t.Text, "'") || strings.HasPrefix(strings.TrimLeft(t.Text, "< \t"), "'") {
		return false
	}
	for i := 0; i+1 < len(t.Text); i++ {
		if t.Text[i] == '\\' {
			i++
		} else if c := t.Text[i+1]; t.Text[i] == '$' && (c == '{' || c == '_' || c|0x20 >= 'a' && c|0x20 <= 'z') {
			return true
		}
	}
	return false
}

// tokenText formats tokens on one line, with their original spacing.
func tokenText(tokens []syntax.Token) string {
	var b strings.Builder
	for i, t := range tokens {
		if i > 0 && (t.Line > tokens[i-1].End || t.Col > tokens[i-1].Col+len(tokens[i-1].Text)) && b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(t.Text)
	}
	return strings.Join(strings.Fields(b.String()), " ")
}

// tokenKey formats tokens so that equal code is equal with any line breaks.
func tokenKey(tokens []syntax.Token) string {
	var b strings.Builder
	for i, t := range tokens {
		if t.Is(",") && (i+1 == len(tokens) || isClosing(tokens[i+1])) {
			continue // a trailing comma has no meaning
		}
		if i > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(t.Text)
	}
	return b.String()
}

func isClosing(t syntax.Token) bool { return t.Is(")") || t.Is("]") || t.Is("}") }

// splitArguments splits arguments at commas outside of brackets.
func splitArguments(tokens []syntax.Token) [][]syntax.Token {
	var out [][]syntax.Token
	for len(tokens) > 0 {
		one := tokensUntil(tokens, ",")
		out = append(out, one)
		tokens = tokens[min(len(one)+1, len(tokens)):]
	}
	return out
}

// tokensUntil returns the tokens before the first such word outside of brackets.
func tokensUntil(tokens []syntax.Token, word string) []syntax.Token {
	depth := 0
	for i, t := range tokens {
		switch {
		case t.Is("(") || t.Is("[") || t.Is("{"):
			depth++
		case isClosing(t):
			depth--
		case t.Is(word) && depth <= 0:
			return tokens[:i]
		}
	}
	return tokens
}
