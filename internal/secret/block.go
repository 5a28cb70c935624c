package secret

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

var (
	privateKey = rule{name: "private-key", title: "private key", anchor: keyBegins}
	putty      = rule{name: "private-key-putty", title: "PuTTY private key", anchor: puttyBegins}
	inAddress  = rule{name: "address-password", title: "password in an address", anchor: "://"}
)

const (
	keyBegins   = "-----BEGIN "
	keyEnds     = "-----END "
	puttyBegins = "PuTTY-User-Key-File-"
	puttyEnds   = "Private-MAC: "
)

var keyHead = lazyregexp.New(`^(?:-----BEGIN ((?:[A-Z0-9]+ ){0,3})PRIVATE KEY( BLOCK)?-----|PuTTY-User-Key-File-\d: )`)

// keyTail matches the last line of a private key.
var keyTail = lazyregexp.New(`^(?:-----END (?:.{0,40}?-----)?|Private-MAC: [0-9a-f]*)`)

// betweenKeyLines matches armour headers and blank lines, with what a diff, grep or cat -n writes
// before them.
var betweenKeyLines = lazyregexp.New(`^(?:\\+(?:t|u[0-9A-Fa-f]{4})|[^A-Za-z])*$|[A-Za-z-]{2,}: |[|:-][\s"]*$`)

// maxKey bounds the length of a private key.
const maxKey = 64 << 10

// keyState is what is known of a text that begins with the first line of a private key.
type keyState int

const (
	mentioned keyState = iota // another text follows: this is no key
	undecided                 // the text ends before anything follows
	unended                   // a key, but not its last line
	complete
)

// readKey returns the end of the private key that begins at text. Each of its lines may have
// something before it, such as a number or a time. A key without a last line ends with its last
// line of base64.
func readKey(text string) (end int, state keyState) {
	text = text[:min(len(text), maxKey)]
	head := keyHead.FindStringSubmatchIndex(text)
	if head == nil {
		return 0, mentioned
	}
	isPutty, ends := strings.HasPrefix(text, puttyBegins), keyEnds
	if isPutty {
		ends = puttyEnds
	}
	first, before, short := 0, 0, false // of the first line of base64: its length, and what is before; a short one came last
	for at, begin := head[1], true; at < len(text); begin = false {
		length, next := keyBreak(text[at:])
		line := text[at : at+length]
		from, to := longestBase64(line)
		run := line[from:to]
		isKey := isKeyLine(line[:from], run, line[to:]) || first > 0 && len(run) == first
		switch {
		case isKey && first == 0:
			first, before, end = len(run), from, at+to
			if i := strings.Index(text[end:], ends); i >= 0 {
				return end + i + keyTail.FindStringIndex(text[end+i:])[1], complete
			}
		case isKey:
			end, short = at+to, false
		case begin && isPutty:
		case first == 0 && (strings.Contains(line, "-----") || !betweenKeyLines.MatchString(line)):
			return 0, mentioned
		case first == 0:
		default:
			behind := line[min(before, len(line)):]
			from, to := longestBase64(behind)
			last := to-from >= 16 || strings.HasSuffix(behind[:to], "=")
			if last {
				end = at + before + to
			} else if betweenKeyLines.MatchString(line) {
				break
			}
			if !isPutty || short { // PuTTY's public part has a last line, too
				return end, unended
			}
			short = true
		}
		if at += next; first == 0 && at > head[1]+window {
			return 0, mentioned
		}
	}
	if first == 0 {
		return 0, undecided
	}
	return end, unended
}

// keyBreak returns the length of the first line of text without and with its end, which may be
// written \n as in JSON, or \\n as in JSON within JSON.
func keyBreak(text string) (line, next int) {
	for i := 0; i < len(text); i++ {
		from := i
		for i < len(text) && text[i] == '\\' {
			i++
		}
		if i < len(text) && (text[i] == '\n' || i > from && (text[i] == 'n' || text[i] == 'r')) {
			return from, i + 1
		}
	}
	return len(text), len(text)
}

// longestBase64 returns the longest part of line in base64, in which slashes and others can be
// escaped, that begins within its first 200 bytes.
func longestBase64(line string) (from, to int) {
	for i := 0; i < min(len(line), 200); i++ {
		j := i
		for j < len(line) && (isBase64(line[j]) || line[j] == '\\') {
			j++
		}
		if j-i > to-from {
			from, to = i, j
		}
		i = j
	}
	return from, to
}

func isBase64(c byte) bool {
	return c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9' || c == '+' || c == '/' || c == '='
}

// isKeyLine reports a line of a key by its base64 and what is around it. Beside anything but quotes
// and marks it must be long and mixed, because names in source code look like a short one.
func isKeyLine(before, run, behind string) bool {
	if strings.Trim(before+behind, " \t\r\"'+,;>|#*-") == "" {
		return len(run) >= 20 && bits(run) >= 3 // an OpenSSH key can begin with repeated letters
	}
	upper, lower, digit := false, false, false
	for i := range len(run) {
		switch c := run[i]; {
		case c >= 'A' && c <= 'Z':
			upper = true
		case c >= 'a' && c <= 'z':
			lower = true
		case c >= '0' && c <= '9':
			digit = true
		}
	}
	return len(run) >= 40 && upper && lower && digit
}

// keyBlock returns a private key from its first line to its last.
func (r rule) keyBlock(text string, hit int) (Match, bool) {
	end, state := readKey(text[hit:])
	if state < unended {
		return Match{}, false
	}
	key := text[hit : hit+end]
	m := Match{Rule: r.name, Title: r.title, Start: hit, End: hit + end, Sure: true}
	if strings.HasPrefix(key, keyBegins+"ENCRYPTED") || strings.Contains(key, "Proc-Type: 4,ENCRYPTED") {
		m.Title, m.Sure = "private key behind a password", false
	}
	return m, true
}

var userinfo = lazyregexp.New("^://([^\\s:@/\"'`<>?#]{0,100}):([^\\s@/\"'`<>?#]{1,200})@([A-Za-z0-9.\\[\\]${}_%:-]+)")

// databases are URL schemes with passwords of databases and servers.
var databases = map[string]bool{
	"postgres": true, "postgresql": true, "mysql": true, "mariadb": true, "mongodb": true, "mongodb+srv": true, "redis": true,
	"rediss": true, "amqp": true, "amqps": true, "mssql": true, "sqlserver": true, "clickhouse": true, "cockroachdb": true,
	"oracle": true, "ldap": true, "ldaps": true, "smtp": true, "smtps": true, "nats": true, "snowflake": true,
	"postgresql+psycopg2": true, "postgresql+asyncpg": true, "postgresql+psycopg": true, "mysql+pymysql": true, "jdbc:postgresql": true,
}

// address reads scheme://user:password@host. There is no finding if the password is the user's
// name or a weak password, or if the host is this machine or a placeholder: such addresses are
// for development.
func address(text string, hit int) (Match, bool) {
	loc := userinfo.FindStringSubmatchIndex(text[hit:min(len(text), hit+window)])
	if loc == nil {
		return Match{}, false
	}
	group := func(n int) string { return text[hit+loc[2*n] : hit+loc[2*n+1]] }
	scheme := schemeBefore(text, hit)
	user, password, host := group(1), group(2), strings.ToLower(group(3))
	harmless := password == user || placeholder(password) || repeats(password) || weakPasswords[strings.ToLower(password)]
	if scheme == "" || harmless || nobody(host) {
		return Match{}, false
	}
	m := Match{Rule: inAddress.name, Title: "password in a web address", Start: hit + loc[4], End: hit + loc[5]}
	if databases[scheme] {
		m.Rule, m.Title = "database-password", "password in a database address"
	}
	m.Sure = len(password) >= 8 && bits(password) >= 2.5 && strings.ContainsAny(password, "0123456789!$%^&*+=~_-") &&
		!strings.Contains(password, "%s") && !counted.MatchString(password)
	return m, true
}

var weakPasswords = map[string]bool{
	"root": true, "admin": true, "postgres": true, "mysql": true, "guest": true, "user": true, "username": true, "1234": true,
	"12345": true, "123456": true, "toor": true, "qwerty": true, "x-oauth-basic": true, "oauth2": true, "mongo": true,
	"redis": true, "rabbitmq": true,
}

func schemeBefore(text string, hit int) string {
	i := hit
	for i > 0 && hit-i < 24 && (wordByte(text[i-1]) || strings.IndexByte("+.-", text[i-1]) >= 0) {
		i--
	}
	return strings.ToLower(text[i:hit])
}

// nobody reports hosts on which a password is worthless: this machine, and names reserved for
// documentation.
func nobody(host string) bool {
	host, _, _ = strings.Cut(host, ":")
	for _, end := range []string{"localhost", "example.com", "example.org", "example.net", ".example", ".test", ".invalid", ".local"} {
		if host == end || strings.HasSuffix(host, end) {
			return true
		}
	}
	return strings.HasPrefix(host, "127.") || slices.Contains([]string{"0.0.0.0", "host", "hostname", "db", "foo.com", "foo.bar"}, host)
}
