package check

import (
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/count"
	"github.com/belay-dev/belay/internal/lazyregexp"
)

// order is a requirement that names what it is about so exactly that the tree can show it,
// or prove that it was not done: "delete docs/a.md", "rename Add to Plus", "add method Len
// in ip.go". Whatever is not said as plainly as that is no order.
type order struct {
	deed  deed
	kind  kind
	names []name
	to    name   // what a thing is renamed to, or a file moved to
	place string // the file in which it is to be, as the text names it
	tail  bool   // more is said of it
	under bool   // it is wanted under a condition: "remove X on Windows"
	// untold says that the text does not tell the kind of what is added: "add NFlagSets". It is shown by a declaration and
	// contradicted by nothing.
	untold bool
	more   string // what the text asks for besides the names, "" for nothing
}

type deed int

const (
	adds deed = iota + 1
	removes
	renames
	updates
)

type kind int

// The kinds of things. A symbol is declared in code; a value may be declared in ways that no
// keyword tells; a route and a flag are literals.
const (
	anything kind = iota
	aFile
	aSymbol
	aValue
	aRoute
	aFlag
)

// name is one name of an order. A name that is not sure may be a plain word: it can be
// shown, and never contradicted.
type name struct {
	text string
	sure bool
	path bool
}

var deeds = map[string]deed{
	"add": adds, "create": adds, "write": adds, "implement": adds, "introduce": adds, "define": adds, "provide": adds, "declare": adds,
	"remove": removes, "delete": removes, "drop": removes, "rename": renames, "move": renames,
	"update": updates, "edit": updates, "change": updates, "modify": updates,
}

var kinds = map[string]kind{
	"file": aFile, "script": aFile, "page": aFile, "document": aFile, "module": aFile,
	"function": aSymbol, "func": aSymbol, "method": aSymbol, "class": aSymbol, "type": aSymbol, "struct": aSymbol, "interface": aSymbol,
	"enum": aSymbol, "trait": aSymbol, "test": aSymbol, "helper": aSymbol, "component": aSymbol, "hook": aSymbol,
	"decorator": aSymbol, "macro": aSymbol,
	"procedure": aSymbol, "subroutine": aSymbol, "constructor": aSymbol,
	"constant": aValue, "const": aValue, "variable": aValue, "var": aValue, "field": aValue, "property": aValue,
	"attribute": aValue, "parameter": aValue,
	"argument": aValue, "getter": aValue, "setter": aValue,
	"endpoint": aRoute, "route": aRoute, "flag": aFlag, "option": aFlag, "switch": aFlag,
}

// kindOf reads a word for a kind; many says that it stands for several.
func orderedKind(w string) (k kind, many bool) {
	w = strings.ToLower(w)
	if k = kinds[w]; k != anything {
		return k, false
	}
	for _, one := range []string{strings.TrimSuffix(w, "s"), strings.TrimSuffix(w, "es")} {
		if k = kinds[one]; k != anything && one != w {
			return k, true
		}
	}
	if w == "properties" {
		return aValue, true
	}
	return anything, false
}

var (
	conditional = lazyregexp.Of(`on under when if unless while during`)
	opening     = lazyregexp.Of(`please also then and now just first finally next kindly can could you we should must let's`)
	joining     = lazyregexp.Of(`a an the new one another our my public private protected static async exported simple
	small missing empty existing
		old obsolete unused deprecated unit instance http get post put patch delete head options both these those two three four`)
	placing = lazyregexp.Of(`in to into inside within from on of at under`)
	verbs   = lazyregexp.Of(`get post put patch delete head options any`)
)

// term is a word of a request: what is in quotes is one.
type term struct {
	text  string
	quote bool // it is in backticks or quotes
	mark  bool // it is punctuation
}

var termsOf = lazyregexp.New("`[^`\n]+`|\"[^\"\n]+\"|'[^'\n]+'|“[^”\n]+”|[^\\s`\"“”]+")

// terms cuts a clause into words.
func terms(clause string) []term {
	var out []term
	for _, w := range termsOf.FindAllString(clause, -1) {
		if r := []rune(w); len(r) > 2 && strings.ContainsRune("`\"'“", r[0]) && strings.ContainsRune("`\"'”", r[len(r)-1]) {
			out = append(out, term{text: string(r[1 : len(r)-1]), quote: true})
			continue
		}
		w = strings.TrimLeft(w, "([{*")
		bare := strings.TrimRight(w, ",;:.!?*")
		if strings.HasSuffix(bare, ")") && !strings.Contains(bare, "(") || strings.HasSuffix(bare, "]") && !strings.Contains(bare, "[") {
			bare = bare[:len(bare)-1]
		}
		if bare != "" {
			out = append(out, term{text: bare})
		}
		if rest := w[len(bare):]; rest != "" {
			out = append(out, term{text: rest[:1], mark: true})
		}
	}
	return out
}

// orderOf reads a clause as an order. ok is false when it is none.
func readOrder(marker belay.Marker, clause string, known func(string) bool) (o order, ok bool) {
	w := terms(clause)
	i := 0
	for i < len(w) && !w[i].quote && opening.Has(strings.ToLower(w[i].text)) {
		i++
	}
	if i >= len(w) {
		return o, false
	}
	if o.deed = deeds[strings.ToLower(w[i].text)]; o.deed == 0 || !fits(o.deed, marker) {
		return o, false
	}
	p := orderReader{w: w, at: i + 1, known: known, o: &o}
	return o, p.read() && len(o.names) > 0
}

// fits reports whether the marker that the text was given agrees with its verb.
func fits(d deed, m belay.Marker) bool {
	switch d {
	case adds:
		return m == belay.MarkAdd
	case removes:
		return m == belay.MarkRemove
	case renames:
		return m == belay.MarkModify || m == belay.MarkAdd || m == belay.MarkRemove
	}
	return m == belay.MarkModify
}

type orderReader struct {
	w     []term
	at    int
	known func(string) bool // a path of the tree
	o     *order
	many  bool
	told  bool // "called", "named"
}

func (p *orderReader) word() string {
	if p.at >= len(p.w) || p.w[p.at].quote || p.w[p.at].mark {
		return ""
	}
	return strings.ToLower(p.w[p.at].text)
}

func (p *orderReader) read() bool {
	o := p.o
	p.determiners()
	for k, many := orderedKind(p.word()); k != anything; k, many = orderedKind(p.word()) {
		o.kind, p.many = k, many
		p.at++
	}
	if o.kind == aRoute && verbs.Has(p.word()) {
		p.at++
	}
	if p.word() == "called" || p.word() == "named" {
		p.told = true
		p.at++
	}
	if !p.nameList() {
		return false
	}
	if k, many := orderedKind(p.word()); k != anything && o.kind == anything { // the Half function
		if p.adjective(many) {
			return false
		}
		o.kind = k
		p.at++
	}
	o.under = conditional.Has(p.word())
	p.places()
	if o.deed == renames && !p.target() {
		return false
	}
	p.places()
	if !p.rest() {
		return false
	}
	o.tail = p.at < len(p.w) && (!p.w[p.at].mark || p.at+1 < len(p.w))
	for i := range o.names {
		o.names[i] = p.settled(o.names[i])
	}
	if o.kind == anything && o.names[0].path {
		o.kind = aFile
	}
	if o.kind == anything && o.deed == adds && !slices.ContainsFunc(o.names, func(n name) bool { return strings.HasPrefix(n.text, "--") }) {
		// "add Docker": what kind of thing it is decides where it would be seen. A name as only code has them may be
		// declared; where it is not, it may be no name of code: "add OpenAPI".
		if slices.ContainsFunc(o.names, func(n name) bool { return !n.sure }) {
			return false
		}
		o.kind, o.untold = aSymbol, true
	}
	if o.names[0].path != (o.kind == aFile) || o.deed == updates && o.kind != aFile {
		return false
	}
	return true
}

func (p *orderReader) determiners() {
	for w := p.word(); w != "" && joining.Has(w); w = p.word() {
		if t := p.w[p.at].text; unicode.IsUpper(rune(t[0])) && len(t) > 1 && t[1:] == w[1:] {
			return // Old, a name; GET, no name
		}
		p.at++
	}
}

// nameList reads "Half", "Half and Other", "a.go, b.go and c.go".
func (p *orderReader) nameList() bool {
	for {
		n, ok := p.name()
		if !ok {
			return false
		}
		p.o.names = append(p.o.names, n)
		back := p.at
		comma := p.at < len(p.w) && p.w[p.at].mark && p.w[p.at].text == ","
		if comma {
			p.at++
		}
		if w := p.word(); w == "and" || w == "or" || w == "&" || w == "plus" {
			p.at++
		} else if !comma {
			return true
		}
		p.determiners()
		if k, _ := orderedKind(p.word()); k != anything && k == p.o.kind {
			p.at++ // "a function Half and a function Other"
		}
		next, ok := p.peek()
		isName := next.sure || next.path || p.many && p.ends(p.at+1)
		if !ok || !isName || next.path != n.path {
			p.at = back
			return true
		}
	}
}

func (p *orderReader) peek() (name, bool) {
	at := p.at
	n, ok := p.name()
	p.at = at
	return n, ok
}

// ends reports whether the words of a list may end in front of word i.
func (p *orderReader) ends(i int) bool {
	if i >= len(p.w) || p.w[i].mark {
		return true
	}
	w := strings.ToLower(p.w[i].text)
	return placing.Has(w) || w == "and" || w == "or" || following.Has(w)
}

var (
	identifier = lazyregexp.New(`^[A-Za-z_$][\w$]*(?:(?:\.|::|#|->)[A-Za-z_$][\w$]*)*`)
	declaring  = lazyregexp.New(`^(?:(?:pub(?:\([a-z]+\))?|export|default|async|public|private|static|abstract)\s+)*` +
		`(func|function|def|fn|class|type|struct|interface|trait|enum|const|var|let)\s+(?:\([^)]*\)\s*)?`)
	signature   = lazyregexp.New(`^\s*[(<\[:={]`) // behind the name that it declares
	orderedFile = lazyregexp.New(`^\.?[\w@+\-./\[\]]*[\w\-]\.[a-z][a-z0-9]{0,6}$`)
	camel       = lazyregexp.New(`[a-z0-9][A-Z]|_|[A-Za-z]\d|^[A-Z]{2,}$`)
)

// endings are those of files beside the ones that lists are counted in.
var endings = lazyregexp.Of(`.txt .sh .bash .toml .cfg .ini .env .mod .sum .lock .xml .csv .proto .tf .rst .c .h .cc
	.cpp .hpp .kt .swift .php .scala .lua .pl .dart .ex .exs
	.vue .svelte .bat .ps1 .gradle .properties .graphql .conf .adoc .zig .hs .ml .jl .r`)

// participle is a word that says something of a thing, and is not a name: "the endpoint documented in".
var participle = lazyregexp.New(`(?:ed|ing)$|^(?:seen|known|given|found|written|like|listed|made|kept)$`)

// grammatical tells a word that joins, places or asks, and names nothing.
func grammatical(w string) bool { return joining.Has(w) || placing.Has(w) || asking()[w] }

// name reads one name.
func (p *orderReader) name() (name, bool) {
	if p.at >= len(p.w) || p.w[p.at].mark {
		return name{}, false
	}
	t := p.w[p.at]
	text := strings.TrimPrefix(t.text, "./")
	if n, known := p.spelled(text); known {
		if n.text == "" {
			return name{}, false
		}
		p.at++
		return n, true
	}
	if t.quote {
		text = p.declaration(text)
	}
	id := identifier.FindString(text)
	rest := text[len(id):]
	if id == "" || rest != "" && rest[0] != '(' && !(t.quote && strings.ContainsRune(" <[:", rune(rest[0]))) {
		return name{}, false
	}
	p.at++
	for depth := strings.Count(rest, "(") - strings.Count(rest, ")"); depth > 0 && p.at < len(p.w); p.at++ { // Half(n int) without quotes
		depth += strings.Count(p.w[p.at].text, "(") - strings.Count(p.w[p.at].text, ")")
	}
	if i := strings.LastIndexAny(id, ".:#>"); i >= 0 {
		id = id[i+1:]
	}
	n := name{text: id, sure: t.quote || rest != "" || p.told || camel.MatchString(id)}
	plain := id == strings.ToLower(id) || p.o.kind == anything && p.o.deed != renames
	if !n.sure && plain && (grammatical(strings.ToLower(id)) || participle.MatchString(id)) {
		return name{}, false
	}
	if k, _ := orderedKind(id); k != anything && !n.sure {
		return name{}, false
	}
	n.sure = n.sure || unicode.IsUpper(rune(id[0])) && p.o.kind != anything
	return n, true
}

// spelled reads a name that its spelling or what is ordered shows: a flag, a route, a path. known: it is one of these, and
// without a text it is none that can be read.
func (p *orderReader) spelled(text string) (n name, known bool) {
	switch {
	case strings.HasPrefix(text, "--") && len(text) > 3:
		flag, _, _ := strings.Cut(text, "=")
		return name{text: flag, sure: true}, true
	case p.o.kind == aRoute:
		if verb, rest, ok := strings.Cut(text, " "); ok && verbs.Has(strings.ToLower(verb)) {
			text = rest
		}
		if !strings.HasPrefix(text, "/") || len(text) < 2 {
			return name{}, true
		}
		return name{text: text, sure: true}, true
	case p.isPath(text):
		return name{text: strings.TrimSuffix(text, "/"), sure: true, path: true}, true
	}
	return name{}, false
}

// declaration returns quoted code from the name that it declares on, and learns the kind from its keyword: `def half(n)` and
// `type Half struct` are declarations, "type hints" is none.
func (p *orderReader) declaration(code string) string {
	m := declaring.FindStringSubmatch(code)
	if m == nil {
		return code
	}
	code = code[len(m[0]):]
	id := identifier.FindString(code)
	if p.o.kind != anything || id == "" || !unicode.IsUpper(rune(id[0])) && !signature.MatchString(code[len(id):]) {
		return code
	}
	if p.o.kind = aSymbol; m[1] == "const" || m[1] == "var" || m[1] == "let" {
		p.o.kind = aValue
	}
	return code
}

func (p *orderReader) isPath(text string) bool {
	if strings.HasPrefix(text, "/") || strings.Contains(text, "://") {
		return false
	}
	if p.known(text) {
		return true
	}
	return orderedFile.MatchString(text) && (strings.Contains(text, "/") || count.LanguageOf(text) != "" || endings.Has(path.Ext(text)))
}

// settled is sure of a name that the words after it have made sure: "the Half function".
func (p *orderReader) settled(n name) name {
	n.sure = n.sure || unicode.IsUpper(rune(n.text[0])) && p.o.kind != anything && p.o.kind != aFile
	return n
}

// places reads "in ip.go", "to the type Addr in ip.go".
func (p *orderReader) places() {
	for placing.Has(p.word()) {
		back := p.at
		if p.o.deed == renames && (p.word() == "to" || p.word() == "into") {
			return
		}
		p.at++
		p.determiners()
		for k, _ := orderedKind(p.word()); k != anything; k, _ = orderedKind(p.word()) {
			p.at++
		}
		n, ok := p.name()
		switch {
		case !ok || !n.path && !n.sure: // "to say how to pay"
			p.at = back
			return
		case n.path && p.o.place == "":
			p.o.place = n.text
		}
		for k, _ := orderedKind(p.word()); k != anything; k, _ = orderedKind(p.word()) {
			p.at++
		}
	}
}

// target reads what a thing is renamed to.
func (p *orderReader) target() bool {
	if p.word() != "to" && p.word() != "into" && p.word() != "as" {
		return false
	}
	p.at++
	p.determiners()
	at := p.at
	n, ok := p.name()
	if !ok && p.o.names[0].path && p.at < len(p.w) && !p.w[p.at].mark { // a folder
		if t := strings.Trim(p.w[p.at].text, "/"); strings.HasSuffix(p.w[p.at].text, "/") && t != "" {
			p.at++
			n, ok = name{text: t + "/" + path.Base(p.o.names[0].text), path: true, sure: true}, true
		}
	}
	if !ok || n.path != p.o.names[0].path {
		return false
	}
	moved := func(t term) bool { return strings.EqualFold(t.text, "move") }
	if !n.path && p.w[at-1].text == "into" && slices.ContainsFunc(p.w[:at], moved) {
		return false // what is moved into a thing becomes a part of it
	}
	if p.w[at].text[len(p.w[at].text)-1] == '/' {
		n.text = strings.Trim(n.text, "/") + "/" + path.Base(p.o.names[0].text)
	}
	p.o.to = n
	return len(p.o.names) == 1
}

// following are words that begin what says more about a thing, and names nothing else.
var following = lazyregexp.Of(`that which who so because since as for with returning returns taking using when while
	but where if it they please
	beside besides near next alongside above below inside again too now instead entirely completely everywhere
	altogether here there named called like via by before after without`)

// rest holds that what follows the names says more about them, or nothing: "remove a.go
// references" is about something else.
func (p *orderReader) rest() bool {
	if p.at >= len(p.w) {
		return true
	}
	t := p.w[p.at]
	if t.mark {
		if t.text == "," && p.at+1 < len(p.w) && p.w[p.at+1].text == "and" {
			p.more(p.at + 2)
		}
		return true
	}
	w := strings.ToLower(t.text)
	switch {
	case w == "and" || w == "plus" || w == "&":
		p.more(p.at + 1)
		return true
	case w == "=" && p.o.kind == aValue, following.Has(w), placing.Has(w):
		return true
	}
	return strings.HasPrefix(t.text, "(") || t.text == "-" || t.text == "–" || t.text == "—"
}

// adjective reports whether the word in front of a kind says of which sort the thing is and not how it is called:
// "regression tests", "an E2E test", "an HTTP endpoint".
func (p *orderReader) adjective(many bool) bool {
	n := p.o.names[0]
	if len(p.o.names) > 1 || n.path || p.w[p.at-1].quote || p.told {
		return false
	}
	test := strings.TrimSuffix(p.word(), "s") == "test" && !strings.Contains(strings.ToLower(n.text), "test")
	return many || test || n.text == strings.ToUpper(n.text) && !strings.Contains(n.text, "_")
}

// more notes what is asked for besides the names, unless it is an order of its own.
func (p *orderReader) more(at int) {
	if at >= len(p.w) {
		return
	}
	first := strings.ToLower(p.w[at].text)
	if deeds[first] != 0 || asking()[first] && !joining.Has(first) || slices.Contains([]string{"leave", "don't", "do"}, first) {
		return
	}
	var words []string
	for _, t := range p.w[at:] {
		if t.mark {
			break
		}
		words = append(words, t.text)
	}
	p.o.more = strings.Join(words, " ")
}

// clause returns the whole clause of the request that a requirement's text was cut from, up to
// the end of its sentence; the text itself where the request does not have it.
func clause(text, request string) string {
	text = strings.Join(strings.Fields(text), " ")
	if end := sentenceEnd.FindStringIndex(text); text == "" || end != nil {
		if end != nil {
			text = text[:end[0]]
		}
		return text
	}
	for line := range strings.Lines(request) {
		line = strings.Join(strings.Fields(line), " ")
		at := strings.Index(line, text)
		if at < 0 {
			continue
		}
		rest := line[at+len(text):]
		if end := sentenceEnd.FindStringIndex(rest); end != nil {
			rest = rest[:end[0]]
		}
		return text + rest
	}
	return text
}

var sentenceEnd = lazyregexp.New(`[.;!?](?:\s|$)`)
