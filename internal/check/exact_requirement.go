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

// exactRequirement is a requirement with names so exact that the tree can show it, or prove that it
// was not done: "delete docs/a.md", "rename Add to Plus", "add method Len in ip.go". Anything less
// plain is not one.
type exactRequirement struct {
	action      requirementAction
	kind        subjectKind
	names       []subjectName
	newName     subjectName // the new name of a thing, or the new path of a file
	place       string      // the file in which it should be, as in the text
	hasDetails  bool        // the text has more details
	conditional bool        // it has a condition: "remove X on Windows"
	// kindUnknown means that the text does not state the kind of what is added: "add NFlagSets". A
	// declaration shows it, and nothing contradicts it.
	kindUnknown bool
	extraText   string // what the text asks for in addition to the names, "" for nothing
}

type requirementAction int

const (
	actionAdd requirementAction = iota + 1
	actionRemove
	actionRename
	actionUpdate
)

type subjectKind int

// Kinds of things. A symbol is declared in code; a value may be declared without a keyword; a route
// and a flag are literals.
const (
	kindAny subjectKind = iota
	kindFile
	kindSymbol
	kindValue
	kindRoute
	kindFlag
)

// subjectName is one name of a requirement. A name that is not certain may be a plain word: it can
// be shown, but never contradicted.
type subjectName struct {
	text    string
	certain bool
	path    bool
}

var actionVerbs = map[string]requirementAction{
	"add": actionAdd, "create": actionAdd, "write": actionAdd, "implement": actionAdd, "introduce": actionAdd,
	"define": actionAdd, "provide": actionAdd, "declare": actionAdd,
	"remove": actionRemove, "delete": actionRemove, "drop": actionRemove, "rename": actionRename, "move": actionRename,
	"update": actionUpdate, "edit": actionUpdate, "change": actionUpdate, "modify": actionUpdate,
}

var kindWords = map[string]subjectKind{
	"file": kindFile, "script": kindFile, "page": kindFile, "document": kindFile, "module": kindFile,
	"function": kindSymbol, "func": kindSymbol, "method": kindSymbol, "class": kindSymbol,
	"type": kindSymbol, "struct": kindSymbol, "interface": kindSymbol,
	"enum": kindSymbol, "trait": kindSymbol, "test": kindSymbol, "helper": kindSymbol, "component": kindSymbol, "hook": kindSymbol,
	"decorator": kindSymbol, "macro": kindSymbol,
	"procedure": kindSymbol, "subroutine": kindSymbol, "constructor": kindSymbol,
	"constant": kindValue, "const": kindValue, "variable": kindValue, "var": kindValue, "field": kindValue, "property": kindValue,
	"attribute": kindValue, "parameter": kindValue,
	"argument": kindValue, "getter": kindValue, "setter": kindValue,
	"endpoint": kindRoute, "route": kindRoute, "flag": kindFlag, "option": kindFlag, "switch": kindFlag,
}

// parseKind parses a word for a kind; many is true for a plural.
func parseKind(w string) (k subjectKind, many bool) {
	w = strings.ToLower(w)
	if k = kindWords[w]; k != kindAny {
		return k, false
	}
	for _, one := range []string{strings.TrimSuffix(w, "s"), strings.TrimSuffix(w, "es")} {
		if k = kindWords[one]; k != kindAny && one != w {
			return k, true
		}
	}
	if w == "properties" {
		return kindValue, true
	}
	return kindAny, false
}

var (
	conditionWords = lazyregexp.Of(`on under when if unless while during`)
	openingWords   = lazyregexp.Of(`please also then and now just first finally next kindly can could you we should must let's`)
	joiningWords   = lazyregexp.Of(`a an the new one another our my public private protected static async exported simple
	small missing empty existing
		old obsolete unused deprecated unit instance http get post put patch delete head options both these those two three four`)
	placeWords = lazyregexp.Of(`in to into inside within from on of at under`)
	httpVerbs  = lazyregexp.Of(`get post put patch delete head options any`)
)

// requestTerm is a word of a request; a quoted text is one word.
type requestTerm struct {
	text  string
	quote bool // it is in backticks or quotes
	mark  bool // it is punctuation
}

var termPattern = lazyregexp.New("`[^`\n]+`|\"[^\"\n]+\"|'[^'\n]+'|“[^”\n]+”|[^\\s`\"“”]+")

// splitTerms splits a clause into words.
func splitTerms(clause string) []requestTerm {
	var out []requestTerm
	for _, w := range termPattern.FindAllString(clause, -1) {
		if r := []rune(w); len(r) > 2 && strings.ContainsRune("`\"'“", r[0]) && strings.ContainsRune("`\"'”", r[len(r)-1]) {
			out = append(out, requestTerm{text: string(r[1 : len(r)-1]), quote: true})
			continue
		}
		w = strings.TrimLeft(w, "([{*")
		bare := strings.TrimRight(w, ",;:.!?*")
		if strings.HasSuffix(bare, ")") && !strings.Contains(bare, "(") || strings.HasSuffix(bare, "]") && !strings.Contains(bare, "[") {
			bare = bare[:len(bare)-1]
		}
		if bare != "" {
			out = append(out, requestTerm{text: bare})
		}
		if rest := w[len(bare):]; rest != "" {
			out = append(out, requestTerm{text: rest[:1], mark: true})
		}
	}
	return out
}

// parseExactRequirement parses a clause. ok is false if it is not an exact requirement.
func parseExactRequirement(marker belay.Marker, clause string, known func(string) bool) (o exactRequirement, ok bool) {
	w := splitTerms(clause)
	i := 0
	for i < len(w) && !w[i].quote && openingWords.Has(strings.ToLower(w[i].text)) {
		i++
	}
	if i >= len(w) {
		return o, false
	}
	if o.action = actionVerbs[strings.ToLower(w[i].text)]; o.action == 0 || !markerFits(o.action, marker) {
		return o, false
	}
	p := requirementParser{terms: w, pos: i + 1, known: known, req: &o}
	return o, p.parse() && len(o.names) > 0
}

// markerFits reports whether the marker of the text agrees with its verb.
func markerFits(d requirementAction, m belay.Marker) bool {
	switch d {
	case actionAdd:
		return m == belay.MarkAdd
	case actionRemove:
		return m == belay.MarkRemove
	case actionRename:
		return m == belay.MarkModify || m == belay.MarkAdd || m == belay.MarkRemove
	}
	return m == belay.MarkModify
}

type requirementParser struct {
	terms         []requestTerm
	pos           int
	known         func(string) bool // reports whether a word is a path of the tree
	req           *exactRequirement
	many          bool
	nameAnnounced bool // "called", "named"
}

func (p *requirementParser) currentWord() string {
	if p.pos >= len(p.terms) || p.terms[p.pos].quote || p.terms[p.pos].mark {
		return ""
	}
	return strings.ToLower(p.terms[p.pos].text)
}

func (p *requirementParser) parse() bool {
	o := p.req
	p.skipDeterminers()
	for k, many := parseKind(p.currentWord()); k != kindAny; k, many = parseKind(p.currentWord()) {
		o.kind, p.many = k, many
		p.pos++
	}
	if o.kind == kindRoute && httpVerbs.Has(p.currentWord()) {
		p.pos++
	}
	if p.currentWord() == "called" || p.currentWord() == "named" {
		p.nameAnnounced = true
		p.pos++
	}
	if !p.parseNames() {
		return false
	}
	if k, many := parseKind(p.currentWord()); k != kindAny && o.kind == kindAny { // "the Half function"
		if p.isAdjective(many) {
			return false
		}
		o.kind = k
		p.pos++
	}
	o.conditional = conditionWords.Has(p.currentWord())
	p.parsePlaces()
	if o.action == actionRename && !p.parseNewName() {
		return false
	}
	p.parsePlaces()
	if !p.restDescribesNames() {
		return false
	}
	o.hasDetails = p.pos < len(p.terms) && (!p.terms[p.pos].mark || p.pos+1 < len(p.terms))
	for i := range o.names {
		o.names[i] = p.confirmName(o.names[i])
	}
	if o.kind == kindAny && o.names[0].path {
		o.kind = kindFile
	}
	if o.kind == kindAny && o.action == actionAdd && !slices.ContainsFunc(o.names, func(n subjectName) bool {
		return strings.HasPrefix(n.text, "--")
	}) {
		// "add Docker": the kind of thing decides where it would be. A name that only occurs in
		// code may be declared; if it is not, it may be no name of code: "add OpenAPI".
		if slices.ContainsFunc(o.names, func(n subjectName) bool { return !n.certain }) {
			return false
		}
		o.kind, o.kindUnknown = kindSymbol, true
	}
	if o.names[0].path != (o.kind == kindFile) || o.action == actionUpdate && o.kind != kindFile {
		return false
	}
	return true
}

func (p *requirementParser) skipDeterminers() {
	for w := p.currentWord(); w != "" && joiningWords.Has(w); w = p.currentWord() {
		if t := p.terms[p.pos].text; unicode.IsUpper(rune(t[0])) && len(t) > 1 && t[1:] == w[1:] {
			return // "Old" is a name; "GET" is not
		}
		p.pos++
	}
}

// parseNames parses "Half", "Half and Other", "a.go, b.go and c.go".
func (p *requirementParser) parseNames() bool {
	for {
		n, ok := p.parseName()
		if !ok {
			return false
		}
		p.req.names = append(p.req.names, n)
		back := p.pos
		comma := p.pos < len(p.terms) && p.terms[p.pos].mark && p.terms[p.pos].text == ","
		if comma {
			p.pos++
		}
		if w := p.currentWord(); w == "and" || w == "or" || w == "&" || w == "plus" {
			p.pos++
		} else if !comma {
			return true
		}
		p.skipDeterminers()
		if k, _ := parseKind(p.currentWord()); k != kindAny && k == p.req.kind {
			p.pos++ // "a function Half and a function Other"
		}
		next, ok := p.peekName()
		isName := next.certain || next.path || p.many && p.isListEnd(p.pos+1)
		if !ok || !isName || next.path != n.path {
			p.pos = back
			return true
		}
	}
}

func (p *requirementParser) peekName() (subjectName, bool) {
	at := p.pos
	n, ok := p.parseName()
	p.pos = at
	return n, ok
}

// isListEnd reports whether a list of names may end before word i.
func (p *requirementParser) isListEnd(i int) bool {
	if i >= len(p.terms) || p.terms[i].mark {
		return true
	}
	w := strings.ToLower(p.terms[i].text)
	return placeWords.Has(w) || w == "and" || w == "or" || descriptionWords.Has(w)
}

var (
	identifier         = lazyregexp.New(`^[A-Za-z_$][\w$]*(?:(?:\.|::|#|->)[A-Za-z_$][\w$]*)*`)
	declarationKeyword = lazyregexp.New(`^(?:(?:pub(?:\([a-z]+\))?|export|default|async|public|private|static|abstract)\s+)*` +
		`(func|function|def|fn|class|type|struct|interface|trait|enum|const|var|let)\s+(?:\([^)]*\)\s*)?`)
	signatureStart  = lazyregexp.New(`^\s*[(<\[:={]`) // after the name that it declares
	fileNamePattern = lazyregexp.New(`^\.?[\w@+\-./\[\]]*[\w\-]\.[a-z][a-z0-9]{0,6}$`)
	identifierShape = lazyregexp.New(`[a-z0-9][A-Z]|_|[A-Za-z]\d|^[A-Z]{2,}$`)
)

// fileEndings are file extensions in addition to those in which lists are counted.
var fileEndings = lazyregexp.Of(`.txt .sh .bash .toml .cfg .ini .env .mod .sum .lock .xml .csv .proto .tf .rst .c .h .cc
	.cpp .hpp .kt .swift .php .scala .lua .pl .dart .ex .exs
	.vue .svelte .bat .ps1 .gradle .properties .graphql .conf .adoc .zig .hs .ml .jl .r`)

// participle matches a word that describes a thing and is not a name: "the endpoint documented in".
var participle = lazyregexp.New(`(?:ed|ing)$|^(?:seen|known|given|found|written|like|listed|made|kept)$`)

// isFunctionWord reports whether a word is a conjunction, preposition or the like, which names
// nothing.
func isFunctionWord(w string) bool {
	return joiningWords.Has(w) || placeWords.Has(w) || requestWords()[w]
}

// parseName parses one name.
func (p *requirementParser) parseName() (subjectName, bool) {
	if p.pos >= len(p.terms) || p.terms[p.pos].mark {
		return subjectName{}, false
	}
	t := p.terms[p.pos]
	text := strings.TrimPrefix(t.text, "./")
	if n, known := p.parseSpelling(text); known {
		if n.text == "" {
			return subjectName{}, false
		}
		p.pos++
		return n, true
	}
	if t.quote {
		text = p.parseDeclaration(text)
	}
	id := identifier.FindString(text)
	rest := text[len(id):]
	if id == "" || rest != "" && rest[0] != '(' && !(t.quote && strings.ContainsRune(" <[:", rune(rest[0]))) {
		return subjectName{}, false
	}
	p.pos++
	// Half(n int) without quotes
	for depth := strings.Count(rest, "(") - strings.Count(rest, ")"); depth > 0 && p.pos < len(p.terms); p.pos++ {
		depth += strings.Count(p.terms[p.pos].text, "(") - strings.Count(p.terms[p.pos].text, ")")
	}
	if i := strings.LastIndexAny(id, ".:#>"); i >= 0 {
		id = id[i+1:]
	}
	n := subjectName{text: id, certain: t.quote || rest != "" || p.nameAnnounced || identifierShape.MatchString(id)}
	plain := id == strings.ToLower(id) || p.req.kind == kindAny && p.req.action != actionRename
	if !n.certain && plain && (isFunctionWord(strings.ToLower(id)) || participle.MatchString(id)) {
		return subjectName{}, false
	}
	if k, _ := parseKind(id); k != kindAny && !n.certain {
		return subjectName{}, false
	}
	n.certain = n.certain || unicode.IsUpper(rune(id[0])) && p.req.kind != kindAny
	return n, true
}

// parseSpelling parses a name that is recognised by its spelling or by the action: a flag, a route,
// a path. known means that it is one of these; without a text it cannot be parsed.
func (p *requirementParser) parseSpelling(text string) (n subjectName, known bool) {
	switch {
	case strings.HasPrefix(text, "--") && len(text) > 3:
		flag, _, _ := strings.Cut(text, "=")
		return subjectName{text: flag, certain: true}, true
	case p.req.kind == kindRoute:
		if verb, rest, ok := strings.Cut(text, " "); ok && httpVerbs.Has(strings.ToLower(verb)) {
			text = rest
		}
		if !strings.HasPrefix(text, "/") || len(text) < 2 {
			return subjectName{}, true
		}
		return subjectName{text: text, certain: true}, true
	case p.isPath(text):
		return subjectName{text: strings.TrimSuffix(text, "/"), certain: true, path: true}, true
	}
	return subjectName{}, false
}

// parseDeclaration returns quoted code from the declared name on, and derives the kind from its
// keyword: `def half(n)` and `type Half struct` are declarations, "type hints" is not.
func (p *requirementParser) parseDeclaration(code string) string {
	m := declarationKeyword.FindStringSubmatch(code)
	if m == nil {
		return code
	}
	code = code[len(m[0]):]
	id := identifier.FindString(code)
	if p.req.kind != kindAny || id == "" || !unicode.IsUpper(rune(id[0])) && !signatureStart.MatchString(code[len(id):]) {
		return code
	}
	if p.req.kind = kindSymbol; m[1] == "const" || m[1] == "var" || m[1] == "let" {
		p.req.kind = kindValue
	}
	return code
}

func (p *requirementParser) isPath(text string) bool {
	if strings.HasPrefix(text, "/") || strings.Contains(text, "://") {
		return false
	}
	if p.known(text) {
		return true
	}
	return fileNamePattern.MatchString(text) && (strings.Contains(text, "/") || count.LanguageOf(text) != "" ||
		fileEndings.Has(path.Ext(text)))
}

// confirmName makes a name certain if the words after it do: "the Half function".
func (p *requirementParser) confirmName(n subjectName) subjectName {
	n.certain = n.certain || unicode.IsUpper(rune(n.text[0])) && p.req.kind != kindAny && p.req.kind != kindFile
	return n
}

// parsePlaces parses "in ip.go", "to the type Addr in ip.go".
func (p *requirementParser) parsePlaces() {
	for placeWords.Has(p.currentWord()) {
		back := p.pos
		if p.req.action == actionRename && (p.currentWord() == "to" || p.currentWord() == "into") {
			return
		}
		p.pos++
		p.skipDeterminers()
		for k, _ := parseKind(p.currentWord()); k != kindAny; k, _ = parseKind(p.currentWord()) {
			p.pos++
		}
		n, ok := p.parseName()
		switch {
		case !ok || !n.path && !n.certain: // "to say how to pay"
			p.pos = back
			return
		case n.path && p.req.place == "":
			p.req.place = n.text
		}
		for k, _ := parseKind(p.currentWord()); k != kindAny; k, _ = parseKind(p.currentWord()) {
			p.pos++
		}
	}
}

// parseNewName parses the new name of a thing.
func (p *requirementParser) parseNewName() bool {
	if p.currentWord() != "to" && p.currentWord() != "into" && p.currentWord() != "as" {
		return false
	}
	p.pos++
	p.skipDeterminers()
	at := p.pos
	n, ok := p.parseName()
	if !ok && p.req.names[0].path && p.pos < len(p.terms) && !p.terms[p.pos].mark { // a folder
		if t := strings.Trim(p.terms[p.pos].text, "/"); strings.HasSuffix(p.terms[p.pos].text, "/") && t != "" {
			p.pos++
			n, ok = subjectName{text: t + "/" + path.Base(p.req.names[0].text), path: true, certain: true}, true
		}
	}
	if !ok || n.path != p.req.names[0].path {
		return false
	}
	moved := func(t requestTerm) bool { return strings.EqualFold(t.text, "move") }
	if !n.path && p.terms[at-1].text == "into" && slices.ContainsFunc(p.terms[:at], moved) {
		return false // a thing moved into another becomes part of it
	}
	if p.terms[at].text[len(p.terms[at].text)-1] == '/' {
		n.text = strings.Trim(n.text, "/") + "/" + path.Base(p.req.names[0].text)
	}
	p.req.newName = n
	return len(p.req.names) == 1
}

// descriptionWords are words that begin a description of a thing.
var descriptionWords = lazyregexp.Of(`that which who so because since as for with returning returns taking using when while
	but where if it they please
	beside besides near next alongside above below inside again too now instead entirely completely everywhere
	altogether here there named called like via by before after without`)

// restDescribesNames reports whether the text after the names only describes them, or is empty:
// "remove a.go references" is about something else.
func (p *requirementParser) restDescribesNames() bool {
	if p.pos >= len(p.terms) {
		return true
	}
	t := p.terms[p.pos]
	if t.mark {
		if t.text == "," && p.pos+1 < len(p.terms) && p.terms[p.pos+1].text == "and" {
			p.noteExtraText(p.pos + 2)
		}
		return true
	}
	w := strings.ToLower(t.text)
	switch {
	case w == "and" || w == "plus" || w == "&":
		p.noteExtraText(p.pos + 1)
		return true
	case w == "=" && p.req.kind == kindValue, descriptionWords.Has(w), placeWords.Has(w):
		return true
	}
	return strings.HasPrefix(t.text, "(") || t.text == "-" || t.text == "–" || t.text == "—"
}

// isAdjective reports whether the word before a kind describes the thing and is not its name:
// "regression tests", "an E2E test", "an HTTP endpoint".
func (p *requirementParser) isAdjective(many bool) bool {
	n := p.req.names[0]
	if len(p.req.names) > 1 || n.path || p.terms[p.pos-1].quote || p.nameAnnounced {
		return false
	}
	test := strings.TrimSuffix(p.currentWord(), "s") == "test" && !strings.Contains(strings.ToLower(n.text), "test")
	return many || test || n.text == strings.ToUpper(n.text) && !strings.Contains(n.text, "_")
}

// noteExtraText records what is requested in addition to the names, unless it is a separate
// requirement.
func (p *requirementParser) noteExtraText(at int) {
	if at >= len(p.terms) {
		return
	}
	first := strings.ToLower(p.terms[at].text)
	if actionVerbs[first] != 0 || requestWords()[first] && !joiningWords.Has(first) ||
		slices.Contains([]string{"leave", "don't", "do"}, first) {
		return
	}
	var words []string
	for _, t := range p.terms[at:] {
		if t.mark {
			break
		}
		words = append(words, t.text)
	}
	p.req.extraText = strings.Join(words, " ")
}

// fullClause returns the complete clause of the request from which a requirement's text was cut, up
// to the end of its sentence; the text itself if the request does not contain it.
func fullClause(text, request string) string {
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
