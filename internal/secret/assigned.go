package secret

import (
	"strings"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

// names are parts of names for secrets, in lower case.
var names = []string{"passw", "pwd", "secret", "token", "api_key", "apikey", "api-key", "access_key", "accesskey", "access-key",
	"auth_key", "authkey", "credential", "private_key", "privatekey", "encryption_key", "signing_key", "passphrase", "account_key"}

// What can follow such a name: the rest of it, an assignment, and a quoted value, or an unquoted
// one as in .env files, YAML and properties.
var (
	inQuotes = lazyregexp.New("^([A-Za-z0-9_.-]{0,30})[\"'`]?\\]?\\)?\\s{0,8}(?::\\s{0,3}[A-Za-z&'*<>\\[\\]? " +
		"]{1,24}=|:=|=>|==?=?|:|,)\\s{0,8}(?:[bfru]{0,2}|String\\.raw)(\"[^\"\\n]{6,200}\"|'[^'\\n]{6,200}'|`[^`\\n]{6,200}`)")
	bare = lazyregexp.New("^([A-Za-z0-9_.-]{0,30})(?:=|:[ \\t]+|[ \\t]*=[ \\t]*)([^\\s\"'`,;(){}<>#]{8,200})[ \\t\\r]*(?:$|[ \\t]#)")
)

// maxLine bounds the lines in which names are looked for: longer ones are generated, and any value
// in them is near some name.
const maxLine = 4000

// assigned adds values that are assigned to the name of a secret.
func assigned(text string, found []Match) []Match {
	low := lower(text)
	for _, name := range names {
		for at := 0; ; {
			i := strings.Index(low[at:], name)
			if i < 0 {
				break
			}
			hit := at + i
			at = hit + len(name)
			if m, ok := value(text, hit, at); ok {
				found = append(found, m)
			}
		}
	}
	return found
}

// lower lowers ASCII only, so that offsets stay valid.
func lower(s string) string {
	b := []byte(s)
	for i, c := range b {
		if c >= 'A' && c <= 'Z' {
			b[i] = c + 'a' - 'A'
		}
	}
	return string(b)
}

// value returns the value assigned to the name that has one of names at text[hit:after].
func value(text string, hit, after int) (Match, bool) {
	rest := text[after:min(len(text), after+300)]
	rest = rest[:lineEnd(rest)]
	begin := lineStart(text, hit)
	if !assigns(rest) || hit-begin > maxLine {
		return Match{}, false
	}
	start, end := 0, 0
	if loc := inQuotes.FindStringSubmatchIndex(rest); loc != nil {
		start, end = after+loc[4]+1, after+loc[5]-1
		if notASecretsName(text[begin:after]+rest[:loc[3]]) || !worth(text[start:end], isPassword(text[hit:after])) {
			return Match{}, false
		}
	} else if loc := bare.FindStringSubmatchIndex(rest); loc != nil && leads(text[begin:hit]) {
		start, end = after+loc[4], after+loc[5]
		v := text[start:end]
		if notASecretsName(text[begin:after]+rest[:loc[3]]) || !mixed(v) || reference(v) || !worth(v, false) {
			return Match{}, false
		}
	} else {
		return Match{}, false
	}
	title := "value of a secret's name"
	if isPassword(text[hit:after]) {
		title = "password"
	}
	if strings.Contains(lower(text[begin:hit]), "aws") && awsSecret.MatchString(text[start:end]) {
		return Match{Rule: "aws-secret-key", Title: "AWS secret key", Start: start, End: end, Sure: true,
			Example: example(text[start:end])}, true
	}
	return Match{Rule: "assigned-secret", Title: title, Start: start, End: end, Example: example(text[start:end])}, true
}

// assigns is a fast test of whether a value can be assigned in the text behind a name.
func assigns(s string) bool {
	i := 0
	for i < len(s) && (wordByte(s[i]) || s[i] == '.' || s[i] == '-') {
		i++
	}
	return i < len(s) && strings.IndexByte("\"'`]) \t:=,", s[i]) >= 0 && strings.ContainsAny(s[i:], ":=,")
}

var awsSecret = lazyregexp.New(`^[A-Za-z0-9/+]{40}$`)

func isPassword(name string) bool {
	return name[0]|0x20 == 'p' && !strings.Contains(lower(name), "private")
}

func lineStart(text string, at int) int { return strings.LastIndexByte(text[:at], '\n') + 1 }

// leading matches the line before one of names if it is only the beginning of the same name, with
// what .env files and YAML allow before it.
var leading = lazyregexp.New(`^[\s-]*(?:export\s+|set\s+|ENV\s+|ARG\s+)?[A-Za-z0-9_.-]*$`)

func leads(s string) bool { return leading.MatchString(s) }

// aboutSecrets matches names about secrets that are not names of one: token_type, password_field,
// secretName, nextPageToken.
var aboutSecrets = lazyregexp.New(`(?i)(_?-?(type|field|name|label|id|url|uri|path|file|placeholder|hint|header|prefix|` +
	`regex|pattern|policy|length|len|min|max|format|error|message|msg|text|title|class|selector|param|kind|endpoint|` +
	`manager|provider|factory|generator|spec|store|service|handler|validator|hash_?algo|algorithm|expiry|expires|ttl|` +
	`scope|env|var|key_?name|ref|length)s?)$|` +
	`(page|csrf_?|cancellation|continuation|next|sync|reset|lexer|cursor|design|css|color|public|syntax|parse)_?-?token|` +
	`^\s*(//|#|\*|/\*)?\s*(import|from|require|include|using)\b`)

func notASecretsName(name string) bool { return aboutSecrets.MatchString(name) }

// worth reports whether a value looks like a secret: no placeholder, no word, and random enough. A
// password can be short.
func worth(v string, password bool) bool {
	switch {
	case placeholder(v), repeats(v), strings.ContainsAny(v, " \t"):
		return false
	case strings.Contains(v, "://"), strings.HasPrefix(v, "/"), strings.HasPrefix(v, "./"): // an address or a path
		return false
	case password:
		return len(v) >= 6 && bits(v) >= 2.3 && mixed(v) && !reference(v)
	}
	return len(v) >= 16 && bits(v) >= 3.3 && mixed(v) && !reference(v)
}

// mixed reports whether v has letters and digits, or letters and characters that do not occur in
// words.
func mixed(v string) bool {
	letters, digits, signs := false, 0, false
	for i := range len(v) {
		switch c := v[i]; {
		case c >= '0' && c <= '9':
			digits++
		case c|0x20 >= 'a' && c|0x20 <= 'z':
			letters = true
		case strings.IndexByte("!@#$%^&*+=~?", c) >= 0:
			signs = true
		}
	}
	return letters && (digits >= 2 || digits > 0 && (signs || len(v) < 16))
}

// referring matches values that refer to a secret: a variable, a path, a key of a table, a call.
var referring = lazyregexp.New(`^[A-Za-z_$][A-Za-z_$0-9]*(?:(?:\.|->|::|/)[A-Za-z_$][A-Za-z_$0-9-]*)+$|` +
	`^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$|^[a-z][a-z0-9]*(?:[_-][a-z]+[0-9]?)+$|^[a-z]+(?:[A-Z][a-z]+)+[0-9]?$|^arn:|` +
	`^sha(?:256|512)[-:]|^projects/|\.(?:json|ya?ml|txt|pem|key|md|go|js|ts|py|html?|png|svg|css)$`)

func reference(v string) bool { return referring.MatchString(v) }
