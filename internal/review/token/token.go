// Package token cuts a unit of a review into words, names, lines and signs, and gives each
// word or phrase what it does in a review, in several languages: it asks, praises, denies,
// postpones. What a sentence makes of them is not its business. It touches no file.
package token

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/belay-dev/belay/internal/review/output"
	"github.com/belay-dev/belay/internal/review/spot"
)

// Token is one piece of a unit's text.
type Token struct {
	Kind   byte // w word, n number, p punctuation, m mention, c code, L lines, u a link elsewhere
	Text   string
	Lower  string
	Class  Class
	Ends   Class // of the phrase that ends here
	Words  int   // of the phrase that starts here and gave the Class
	Num    int
	M      *spot.Mention
	Spans  []spot.Span
	prefix string // of lines: "from" when they run on
	Lo     int    // offset in the text
	Nl     bool   // a line starts here
	Strong bool   // bold starts or ends right before
}

// Scan cuts a text into tokens.
func Scan(rd *spot.Reader, text string) []Token {
	s := &scanner{rd: rd, text: text, nl: true}
	for s.at < len(s.text) {
		s.next()
	}
	toks := joinLines(tabled(s.toks))
	classify(toks)
	return toks
}

type scanner struct {
	rd   *spot.Reader
	text string
	at   int
	toks []Token
	nl   bool
	bold bool
}

func (s *scanner) put(t Token, size int) {
	t.Lo, t.Nl, t.Strong = s.at, s.nl, s.bold
	s.nl, s.bold = false, false
	s.toks = append(s.toks, t)
	s.at += size
}

func (s *scanner) next() {
	rest := s.text[s.at:]
	r, size := utf8.DecodeRuneInString(rest)
	switch {
	case r == '\n':
		s.nl = true
		s.at++
	case r == '*' || r == '_' && (len(rest) > 1 && rest[1] == '_' || s.at > 0 && rest[:1] == "_" && strings.HasSuffix(s.text[:s.at], " ")):
		if !s.chunk(rest) {
			s.bold = strings.HasPrefix(rest, "**") || strings.HasPrefix(rest, "__") || s.bold
			s.at += size
		}
	case unicode.IsSpace(r):
		s.at += size
	case s.spaced(rest):
	case r == ':' && s.shortcode(rest):
	case strings.HasPrefix(rest, "@@ ") && s.hunk(rest):
	case r == '`':
		s.code(rest)
	case r == '[' && s.link(rest):
	case r == '<' && strings.HasPrefix(rest, "<http"):
		s.at++
	case r == '"' || r == '“' || r == '«' || r == '「':
		if !s.quoted(rest, size) {
			s.put(Token{Kind: 'p', Text: string(r)}, size)
		}
	case strings.HasPrefix(rest, "http://") || strings.HasPrefix(rest, "https://"):
		s.url(rest)
	case s.chunk(rest):
	default:
		s.word(rest, r, size)
	}
}

// code reads `inline code`.
func (s *scanner) code(rest string) {
	n := len(rest) - len(strings.TrimLeft(rest, "`"))
	end := strings.Index(rest[n:], rest[:n])
	if end < 0 || end > 400 {
		s.put(Token{Kind: 'p', Text: "`"}, n)
		return
	}
	inner := strings.TrimSpace(rest[n : n+end])
	size := n + end + n
	if m := s.rd.Mention(inner, true); m != nil {
		// a suffix may follow the closing quote: `a.go`:12
		if more := suffixLen(rest[size:]); more > 0 && len(m.Spans) == 0 {
			if m2 := s.rd.Mention(inner+rest[size:size+more], true); m2 != nil && len(m2.Spans) > 0 {
				m, size = m2, size+more
			}
		}
		s.put(Token{Kind: 'm', Text: inner, M: m}, size)
		return
	}
	if start, end, ok := output.HunkHeader(inner); ok {
		s.put(Token{Kind: 'L', Spans: []spot.Span{{Start: start, End: end}}}, size)
		return
	}
	if spans, _ := spot.LineCode(inner); spans != nil {
		s.put(Token{Kind: 'L', Spans: spans}, size)
		return
	}
	s.put(Token{Kind: 'c', Text: inner, Lower: strings.ToLower(inner)}, size)
}

// shortcode reads ":thumbsup:" as the picture it stands for.
func (s *scanner) shortcode(rest string) bool {
	end := strings.IndexByte(rest[1:min(len(rest), 30)], ':')
	if end < 1 {
		return false
	}
	picture := pictures[rest[1:end+1]]
	if picture != "" {
		s.put(Token{Kind: 'p', Text: picture}, end+2)
	}
	return picture != ""
}

var pictures = map[string]string{"thumbsup": "👍", "+1": "👍", "tada": "🎉", "heart": "❤", "white_check_mark": "✅", "heavy_check_mark": "✔", "rocket": "🚀", "ok_hand": "👌", "100": "💯", "clap": "👏", "ship": "🚢", "shipit": "🚢", "raised_hands": "🙌",
	"red_circle": "🔴", "large_blue_circle": "🔵", "blue_circle": "🔵", "orange_circle": "🟠", "large_orange_circle": "🟠", "yellow_circle": "🟡", "large_yellow_circle": "🟡", "green_circle": "🟢", "large_green_circle": "🟢", "no_entry": "⛔", "rotating_light": "🚨", "octagonal_sign": "🛑"}

// hunk reads the header of a hunk in prose: "@@ -10,6 +12,8 @@" speaks of lines 12 to 19.
func (s *scanner) hunk(rest string) bool {
	end := strings.Index(rest[2:], "@@")
	if end < 0 {
		return false
	}
	from, to, ok := output.HunkHeader(rest[:end+4])
	if ok {
		s.put(Token{Kind: 'L', Spans: []spot.Span{{Start: from, End: to}}}, end+4)
	}
	return ok
}

// suffixLen is the length of ":12-14" at the start.
func suffixLen(s string) int {
	if len(s) < 2 || s[0] != ':' && s[0] != '#' {
		return 0
	}
	n := 1
	for n < len(s) && (s[n] >= '0' && s[n] <= '9' || strings.IndexByte("-LC:,", s[n]) >= 0) {
		n++
	}
	n = len(strings.TrimRight(s[:n], ":,-#"))
	if n < 2 {
		return 0
	}
	return n
}

// link reads [text](target).
func (s *scanner) link(rest string) bool {
	mid := strings.Index(rest[:min(len(rest), 600)], "](")
	if mid < 0 || strings.ContainsAny(rest[1:mid], "\n[") {
		return false
	}
	end := strings.IndexByte(rest[mid:min(len(rest), mid+600)], ')')
	if end < 0 {
		return false
	}
	target := rest[mid+2 : mid+end]
	m := s.rd.Linked(target)
	if m == nil && !strings.Contains(target, "://") {
		m = s.rd.Mention(target, true)
	}
	if m == nil {
		if strings.Contains(target, "://") {
			s.put(Token{Kind: 'u'}, mid+end+1)
			return true
		}
		return false
	}
	if m2 := s.rd.Mention(strings.Trim(rest[1:mid], "`"), true); m2 != nil && len(m.Spans) == 0 && len(m2.Spans) > 0 && same(m, m2) {
		m.Spans = m2.Spans
	}
	s.put(Token{Kind: 'm', Text: target, M: m}, mid+end+1)
	return true
}

func same(a, b *spot.Mention) bool {
	return len(a.Cands) == 1 && len(b.Cands) > 0 && strings.HasSuffix(a.Cands[0], b.Cands[0])
}

func (s *scanner) url(rest string) {
	n := strings.IndexAny(rest, " \t\n>)\"'`|")
	if n < 0 {
		n = len(rest)
	}
	n = len(strings.TrimRight(rest[:n], ".,;:!?*"))
	if m := s.rd.Linked(rest[:n]); m != nil {
		s.put(Token{Kind: 'm', Text: rest[:n], M: m}, n)
		return
	}
	s.put(Token{Kind: 'u'}, n)
}

// Wide tells letters of scripts that are written without spaces.
func Wide(r rune) bool {
	return r >= 0x2e80 && (unicode.Is(unicode.Han, r) || unicode.Is(unicode.Hiragana, r) || unicode.Is(unicode.Katakana, r) || unicode.Is(unicode.Hangul, r) || r == '〜' || r == 'ー')
}

// word reads a word, a number, a run of East Asian script or one sign.
func (s *scanner) word(rest string, r rune, size int) {
	letter := func(r rune) bool { return unicode.IsLetter(r) && !Wide(r) || unicode.Is(unicode.Mn, r) }
	n := 0
	switch {
	case unicode.IsDigit(r) && r < 128:
		for n < len(rest) && rest[n] >= '0' && rest[n] <= '9' {
			n++
		}
		num := 0
		for _, c := range rest[:min(n, 8)] {
			num = num*10 + int(c-'0')
		}
		s.put(Token{Kind: 'n', Text: rest[:n], Num: num}, n)
	case Wide(r) && r != '〜':
		for n < len(rest) {
			c, w := utf8.DecodeRuneInString(rest[n:])
			if !Wide(c) || c == '〜' {
				break
			}
			n += w
		}
		s.put(Token{Kind: 'w', Text: rest[:n], Lower: rest[:n]}, n)
	case letter(r):
		for n < len(rest) {
			c, w := utf8.DecodeRuneInString(rest[n:])
			inner := (c == '\'' || c == '’' || c == '-') && n+w < len(rest) && n > 0
			if inner {
				after, _ := utf8.DecodeRuneInString(rest[n+w:])
				inner = letter(after)
			}
			if !letter(c) && !inner && !(unicode.IsDigit(c) && n > 0) {
				break
			}
			n += w
		}
		s.put(Token{Kind: 'w', Text: rest[:n], Lower: strings.ReplaceAll(strings.ToLower(rest[:n]), "’", "'")}, n)
	default:
		s.put(Token{Kind: 'p', Text: rest[:size]}, size)
	}
}

// classify gives each token the class of the longest phrase that starts at it.
func classify(toks []Token) {
	l := lex()
	for i := 0; i < len(toks); i++ {
		if toks[i].Kind == 'p' {
			toks[i].Class = l.phrases[toks[i].Text]
			continue
		}
		if toks[i].Kind != 'w' {
			continue
		}
		key := ""
		for n := 0; n < l.longest && i+n < len(toks) && toks[i+n].Kind == 'w'; n++ {
			if n > 0 {
				key += " "
			}
			key += toks[i+n].Lower
			if c, ok := l.phrases[key]; ok {
				toks[i].Class, toks[i].Words = c, n+1
			}
		}
		if Wide([]rune(toks[i].Text)[0]) {
			if is := l.wide(toks[i].Text); is != 0 {
				toks[i].Class |= is
				toks[i].Words = max(toks[i].Words, 1)
			}
		} else if toks[i].Class == 0 && (strings.HasSuffix(toks[i].Lower, "n't") || strings.HasPrefix(toks[i].Lower, "n'")) {
			toks[i].Class, toks[i].Words = Not, 1
		}
		toks[min(i+max(toks[i].Words-1, 0), len(toks)-1)].Ends = toks[i].Class
		for n := toks[i].Words - 1; n > 0; n-- { // words inside of a phrase say nothing of their own
			i++
		}
	}
}

// wide gives the class of a run of script without spaces: that of every phrase in it, but
// of those that are part of a longer one that turns it. "没有意见" praises, though "没有" is a lack.
func (l *lexicon) wide(text string) Class {
	var found []easternPhrase
	for _, p := range l.eastern {
		if strings.Contains(text, p.text) {
			found = append(found, p)
		}
	}
	var is Class
	for i, p := range found {
		part := false
		for j, q := range found {
			turned := p.is&(Need|Bad|Polite|Ask) != 0 && q.is&(Good|Keep|Done|Later|Query) != 0
			part = part || i != j && turned && len(q.text) > len(p.text) && strings.Contains(q.text, p.text) && strings.Count(text, p.text) <= strings.Count(text, q.text)
		}
		if !part {
			is |= p.is
		}
	}
	if is&Shows != 0 { // "refer to it, please" asks for no change of it
		is &^= Ask
	}
	return is
}
