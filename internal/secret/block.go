package secret

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

var (
	privateKey = rule{name: "private-key", title: "private key", anchor: "-----BEGIN "}
	putty      = form("private-key-putty", "PuTTY private key", "PuTTY-User-Key-File-",
		`PuTTY-User-Key-File-\d: [^\n]+\n(?:[A-Za-z-]+: [^\n]*\n)*`)
	inAddress = rule{name: "address-password", title: "password in an address", anchor: "://"}
)

var keyHead = lazyregexp.New(`^-----BEGIN ((?:[A-Z0-9]+ ){0,3})PRIVATE KEY( BLOCK)?-----`)

// keyBody matches a line of base64 behind a line end, which may be written \n as in JSON, or behind
// armour headers.
var keyBody = lazyregexp.New(`^(?:\\[nr]|[\s"'+,>|#*]|[A-Za-z-]+: [^\n\\]{0,200})*([A-Za-z0-9+/=]{20,})`)

// maxKey bounds the search for the end of a private key.
const maxKey = 64 << 10

// keyBlock returns a private key from its first line to its last. Without an end line it stops
// behind the first line of base64. A first line without a key is only a mention.
func keyBlock(text string, hit int) (Match, bool) {
	rest := text[hit:min(len(text), hit+maxKey)]
	head := keyHead.FindStringSubmatchIndex(rest)
	if head == nil {
		return Match{}, false
	}
	body := keyBody.FindStringSubmatchIndex(rest[head[1]:min(len(rest), head[1]+window)])
	if body == nil {
		return Match{}, false
	}
	first := rest[head[1]+body[2] : head[1]+body[3]]
	if bits(first) < 3 { // an OpenSSH key can begin with repeated letters
		return Match{}, false
	}
	end := head[1] + body[3]
	if i := strings.Index(rest[end:], "-----END "); i >= 0 {
		end += i
		if j := strings.Index(rest[end+9:], "-----"); j >= 0 && j < 40 {
			end += 9 + j + 5
		}
	}
	kind := rest[head[2]:head[3]]
	sealed := strings.HasPrefix(kind, "ENCRYPTED") || strings.Contains(rest[:end], "Proc-Type: 4,ENCRYPTED")
	title := privateKey.title
	if sealed {
		title = "private key behind a password"
	}
	return Match{Rule: privateKey.name, Title: title, Start: hit, End: hit + end, Sure: !sealed}, true
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
