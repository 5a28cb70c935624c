// Package named finds which paths of a repository a message means: by path or name, in a
// pasted stack, by a noun that a file is called after, by a word people use for a file of
// some kind. It compares words with paths and opens none. It touches no file, process,
// clock or network.
package named

import (
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/belay-dev/belay/internal/ask/deed"
	"github.com/belay-dev/belay/internal/ask/prose"
	"github.com/belay-dev/belay/internal/ask/words"
	"github.com/belay-dev/belay/internal/belay"
)

// Message is what is known of a message when its files are looked for.
type Message struct {
	Msg        string
	Blocks     []prose.Block
	Acts       []deed.Act
	Asked      []deed.Act // the requirements, with their markers
	Preserve   []string
	Kind       belay.RequestType
	Fresh      bool
	PlanExists bool
	Files      []string // of the repository, with slashes
}

// Paths are the paths that the message names: by path or name, in a stack, or by a
// noun that a file is called after. A path named only to be left alone is none.
func (p Message) Paths() []string {
	if len(p.Files) == 0 || p.Fresh && !p.PlanExists && !strings.Contains(p.Msg, "/") {
		return nil
	}
	kind, n := p.Kind, p.nouns()
	type hit struct {
		path string
		n    int
		got  []string
	}
	var sure []string
	var maybe []hit
	var close []string // the files that can be named at all
	for _, f := range p.Files {
		if !n.near(f) {
			continue
		}
		close = append(close, f)
		if n.names(f) {
			if testFile(f) && !n.word["test"] && slices.ContainsFunc(p.Files, func(o string) bool { return !testFile(o) && path.Base(o) == path.Base(f) }) {
				continue // decoder.rs is the one that is no test
			}
			sure = append(sure, f)
		} else if got := n.called(f); len(got) > 0 && kind != belay.Fresh && kind != belay.Unclear {
			maybe = append(maybe, hit{f, len(got), got})
		}
	}
	if kind != belay.Fresh && kind != belay.Unclear {
		for _, f := range n.heads(close) {
			if !slices.Contains(sure, f) && !slices.ContainsFunc(maybe, func(h hit) bool { return h.path == f }) {
				maybe = append(maybe, hit{f, 1, []string{f}})
			}
		}
	}
	maybe = slices.DeleteFunc(maybe, func(h hit) bool {
		return n.onlyShown(h.path, p.Files) || strings.Contains(strings.ToLower(h.path), "migration") && !n.has("migration")
	})
	for i, h := range maybe {
		better := slices.ContainsFunc(sure, func(f string) bool { return f != h.path && sibling(f, h.path) && !n.names(h.path) })
		for j, o := range maybe {
			better = better || i != j && o.n > h.n && subset(h.got, o.got)
		}
		if !better && !(testFile(h.path) && !n.word["test"]) {
			sure = append(sure, h.path)
		}
	}
	if kind != belay.Fresh && kind != belay.Unclear {
		sure = append(sure, n.aliases(p.Files, p)...)
	}
	var out []string
	for _, f := range p.Files {
		if slices.Contains(sure, f) && !slices.Contains(out, f) {
			out = append(out, f)
		}
	}
	return out
}

// heads are files whose name ends in the noun that is meant, where no other file's does:
// "the reminder" is AppointmentReminder, when nothing else is called a reminder.
func (n nouns) heads(files []string) []string {
	if len(files) > 3000 {
		return nil // of so many that sound alike none is the only one
	}
	of := map[string][]string{}
	for _, f := range files {
		if testFile(f) {
			continue
		}
		all := parts(stemOf(path.Base(f)))
		for len(all) > 1 && plainParts[all[len(all)-1]] {
			all = all[:len(all)-1]
		}
		if len(all) > 1 {
			last := all[len(all)-1]
			of[words.Stem(last)] = append(of[words.Stem(last)], f)
		}
	}
	var out []string
	for stem, fs := range of {
		if len(fs) == 1 && len(stem) > 4 && n.has(parts(stemOf(path.Base(fs[0])))[headAt(fs[0])]) {
			out = append(out, fs[0])
		}
	}
	slices.Sort(out)
	return out
}

// headAt is which part of a file's name says what it is.
func headAt(file string) int {
	all := parts(stemOf(path.Base(file)))
	for len(all) > 1 && plainParts[all[len(all)-1]] {
		all = all[:len(all)-1]
	}
	return len(all) - 1
}

// sibling reports two files that differ by their endings alone: where one is named with
// its ending, the other is not meant.
func sibling(a, b string) bool {
	return path.Dir(a) == path.Dir(b) && stemOf(path.Base(a)) == stemOf(path.Base(b))
}

func subset(a, b []string) bool {
	for _, w := range a {
		if !slices.Contains(b, w) {
			return false
		}
	}
	return true
}

// nouns are the words of a message that can name a file.
type nouns struct {
	literal map[string]bool // paths, names and identifiers, as they are written, lower case
	word    map[string]bool // stems of the words of requirements
	text    string          // the parts of the message that are no prohibition, lower case
	pasted  string          // crashes and logs, as they are
	starts  map[[3]byte]bool
}

func (p Message) nouns() nouns {
	n := nouns{literal: map[string]bool{}, word: map[string]bool{}}
	kept := " " + strings.ToLower(strings.Join(p.Preserve, " ")) + " "
	var all strings.Builder
	for _, a := range p.Acts {
		if a.Deed == deed.Material {
			n.pasted += a.C.Block.Text + "\n"
			continue
		}
		if a.C.Topic == "wrong" && len(a.C.T) > 0 && a.C.T[0].At > a.C.Block.At {
			for _, t := range prose.Tokens(p.Msg[a.C.Block.At:a.C.T[0].At], 0) {
				n.noun(t.Low) // "typos in the receipt: …"
			}
		}
		for w := range strings.FieldsSeq(a.C.Topic) {
			n.literal[w] = true
			n.noun(w)
		}
		for i, t := range a.C.T {
			low := strings.Trim(t.Low, "`\"'“”")
			if i > 0 && a.C.T[i-1].Low == "per" {
				continue // "per user": how it is told apart, not what it is about
			}
			if t.Form == prose.Quoted && strings.Count(low, " ") < 3 {
				for part := range strings.FieldsSeq(low) {
					n.word[words.Stem(part)] = true
				}
			}
			if a.Deed == deed.Keep || len(a.Keeps) > 0 && strings.Contains(kept, " "+low+" ") {
				continue
			}
			if t.Form == prose.Word || t.Form == prose.Code || t.Form == prose.Quoted && strings.ContainsAny(low, "./") {
				n.literal[strings.TrimSuffix(strings.TrimPrefix(low, "./"), "()")] = true
				if path, _, ok := strings.Cut(low, ":"); ok && strings.Contains(path, "/") {
					n.literal[strings.TrimPrefix(path, "./")] = true
				}
			}
			if i > 0 {
				n.literal[a.C.T[i-1].Low+"-"+low], n.literal[a.C.T[i-1].Low+"_"+low] = true, true // "getting started"
			}
			if exact(p.Files, low) {
				continue // it names that file, and no other by its noun
			}
			if (t.Form == prose.Word || t.Form == prose.Code) && !(low != "" && low[0] == '/' && !strings.Contains(low, ".")) {
				if whole := parts(nameOnly(p.Msg[t.At:t.End])); len(whole) > 1 || !words.Nameless(low) || i > 0 && names(a.C.T[i-1].Low) {
					for _, part := range whole {
						n.word[words.Stem(part)] = true
					}
				}
			}
			all.WriteString(low + " ")
		}
	}
	for _, b := range p.Blocks {
		if b.Kind == prose.Heading || b.Kind == prose.Para || b.Kind == prose.Item {
			for _, w := range prose.Tokens(b.Text, b.At) {
				if (b.Kind == prose.Heading || w.Form == prose.Aside) && b.Section() != prose.Around {
					for _, t := range prose.Tokens(strings.Trim(w.Low, "()[]"), 0) {
						n.literal[t.Low] = true
						n.noun(t.Low)
					}
				}
			}
		}
	}
	for _, b := range p.Blocks {
		if b.Kind == prose.Fence {
			n.pasted += b.Text + "\n"
		}
	}
	n.text = " " + all.String()
	n.starting()
	return n
}

// noun notes a word that a file may be called after. Words of grammar and verbs that are in
// every sentence name none: "two moods not working" is about moods.
func (n nouns) noun(w string) {
	if !words.Nameless(w) {
		n.word[words.Stem(w)] = true
	}
}

// names reports an article: what stands behind it is a noun, whatever else it could be ("the
// switch", "a build").
func names(w string) bool { return w == "the" || w == "a" || w == "an" || w == "our" || w == "my" }

// exact reports a word that is the name of a file with its ending.
func exact(files []string, word string) bool {
	word, _, _ = strings.Cut(word, ":")
	if !strings.Contains(word, ".") || len(word) < 4 {
		return false
	}
	return slices.ContainsFunc(files, func(f string) bool { return strings.EqualFold(path.Base(f), path.Base(word)) })
}

// near reports quickly that a path may be named at all: three letters in a row of its
// last two parts begin a word of the message. Most of a large repository is not.
func (n nouns) near(file string) bool {
	from := strings.LastIndexByte(file, '/')
	if from > 0 {
		from = strings.LastIndexByte(file[:from], '/')
	}
	name := file[from+1:]
	for i := 0; i+2 < len(name); i++ {
		if n.starts[[3]byte{name[i] | 0x20, name[i+1] | 0x20, name[i+2] | 0x20}] {
			return true
		}
	}
	return len(name) < 4
}

// starting notes how the words begin that near looks for.
func (n *nouns) starting() {
	n.starts = map[[3]byte]bool{}
	note := func(w string) {
		for _, part := range append(parts(w), w) {
			if len(part) > 2 {
				n.starts[[3]byte{part[0] | 0x20, part[1] | 0x20, part[2] | 0x20}] = true
			}
		}
	}
	for w := range n.literal {
		note(w)
	}
	for w := range n.word {
		note(w)
	}
	for w := range strings.FieldsSeq(n.pasted) {
		note(w)
	}
	for a, long := range short {
		for w := range n.word {
			if strings.HasPrefix(w, long) || strings.HasSuffix(w, long) {
				note(a)
			}
		}
	}
}

// nameOnly takes folders and the extension off a word that is a path.
func nameOnly(w string) string {
	if i := strings.LastIndexByte(w, '/'); i >= 0 && strings.Contains(w[i:], ".") {
		w = w[i+1:]
	}
	if i := strings.IndexByte(w, '.'); i > 0 && len(w)-i < 6 {
		return w[:i]
	}
	return w
}

// names reports a path that is written in the message, whole or by its name, or that
// a stack goes through.
func (n nouns) names(file string) bool {
	low := strings.ToLower(file)
	base := path.Base(low)
	if n.literal[low] || n.literal[base] {
		return true
	}
	for l := range n.literal {
		if strings.Contains(l, "/") && (strings.HasSuffix(low, "/"+strings.TrimPrefix(l, "/")) || strings.HasSuffix(l, "/"+low)) {
			return true
		}
		if i := strings.IndexByte(l, ':'); i > 0 && l[:i] == base {
			return true
		}
	}
	if s := stemOf(base); len(s) > 3 && n.literal[s] && (strings.ContainsAny(s, "_-.") || hasCamel(stemOf(path.Base(file)))) {
		return true
	}
	return n.pasted != "" && strings.Contains(strings.ToLower(n.pasted), base) && (len(base) > 6 || strings.Contains(strings.ToLower(n.pasted), low)) && frameOf(n.pasted, file)
}

// frameOf reports a file of the repository in a paste: its name with the folder above
// it where the paste gives one.
func frameOf(paste, file string) bool {
	dir, base := path.Split(strings.ToLower(file))
	dir = path.Base(strings.TrimSuffix(dir, "/"))
	rest := strings.ToLower(paste)
	for {
		i := strings.Index(rest, base)
		if i < 0 {
			return false
		}
		before := byte(' ')
		if i > 0 {
			before = rest[i-1]
		}
		if before == '/' && strings.HasSuffix(rest[:i-1], dir) || before == '(' || before == ' ' || before == '"' {
			return true
		}
		rest = rest[i+len(base):]
	}
}

func hasCamel(s string) bool {
	for i, r := range s {
		if i > 0 && unicode.IsUpper(r) {
			return true
		}
	}
	return false
}

func stemOf(base string) string {
	s, _, _ := strings.Cut(strings.TrimPrefix(base, "."), ".")
	return s
}

func testFile(f string) bool {
	low := strings.ToLower(f)
	return strings.Contains(low, "test") || strings.Contains(low, "spec/") || strings.Contains(low, "_spec")
}

// plainParts are parts of a file's name that say what sort of file it is, not what it is about.
var plainParts = func() map[string]bool {
	out := map[string]bool{}
	for _, w := range strings.Fields(`screen view views page controller service component activity fragment test tests spec model handler repository adapter html main index
		manager mailer helper util utils mod lib app init dialog menu widget module base impl store client server provider route router config settings hook use api src core types list detail show edit factory job task worker plugin base default data user-interface ui it mqtt http grpc rest`) {
		out[w] = true
	}
	return out
}()

// called gives the parts of a file's name that nouns of the message match; none when
// what the file is about is not among them.
func (n nouns) called(file string) []string {
	base := stemOf(path.Base(file))
	all := parts(base)
	var about, got []string
	for _, w := range all {
		if !plainParts[w] && len(w) > 1 {
			about = append(about, w)
		}
	}
	if len(about) == 0 && len(all) > 1 {
		for _, w := range all {
			if topics[w] {
				about = append(about, w)
			}
		}
	}
	if len(about) == 0 {
		about = all
		view := base == "show" || base == "index" || base == "edit"
		if view && !n.word["page"] && !n.word["view"] && !n.word["screen"] && !n.word["pag"] {
			return nil
		}
		if view || base == "main" || base == "index" || base == "mod" || base == "init" || len(all) == 0 || len(all) == 1 && plainParts[all[0]] && all[0] != "config" && all[0] != "settings" && all[0] != "list" && all[0] != "mailer" {
			about = parts(path.Base(path.Dir(file)))
			if len(about) != 1 || plainParts[about[0]] || dirs[about[0]] {
				return nil
			}
		}
	}
	for _, w := range about {
		if n.has(w) {
			got = append(got, words.Stem(w))
		}
	}
	if len(got) == 0 || !n.has(about[0]) && !n.has(about[len(about)-1]) || len(got) < len(about) {
		return nil
	}
	for _, w := range append(all, parts(path.Base(path.Dir(file)))...) {
		if n.has(w) && !slices.Contains(got, words.Stem(w)) {
			got = append(got, words.Stem(w))
		}
	}
	return got
}

// topics are plain parts that a file is about when the others say still less:
// SettingsActivity.
var topics = map[string]bool{"settings": true, "config": true, "home": true, "menu": true, "data": true, "edit": true, "detail": true}

// shown are plain parts of what is seen of a thing. A file of the bare name stands for the
// thing itself.
var shown = map[string]bool{"view": true, "screen": true, "page": true, "list": true, "detail": true, "show": true, "edit": true, "index": true, "fragment": true, "activity": true, "dialog": true, "row": true, "cell": true}

// onlyShown reports a file of how a thing is shown, where the bare thing is a file too and
// nothing was said of showing it.
func (n nouns) onlyShown(file string, files []string) bool {
	var about []string
	seen := false
	for _, w := range parts(stemOf(path.Base(file))) {
		if shown[w] {
			seen = true
			if n.has(w) {
				return false
			}
			continue
		}
		about = append(about, w)
	}
	return seen && len(about) == 1 && !n.word["page"] && !n.word["screen"] && !n.word["view"] && slices.ContainsFunc(files, func(f string) bool {
		all := parts(stemOf(path.Base(f)))
		return len(all) == 1 && words.Stem(all[0]) == words.Stem(about[0])
	})
}

var dirs = map[string]bool{"src": true, "lib": true, "app": true, "cmd": true, "docs": true, "scripts": true, "internal": true, "tests": true, "layouts": true, "content": true, "scenes": true, "prod": true, "staging": true, "dev": true, "public": true, "static": true, "assets": true, "resources": true, "views": true, "components": true, "templates": true, "helpers": true, "emails": true, "pages": true, "screens": true, "services": true, "models": true, "controllers": true, "jobs": true, "styles": true, "data": true, "hooks": true, "types": true, "workflows": true}

// short forms in names of files for words of people.
var short = map[string]string{"pub": "publish", "auth": "authenticat", "db": "databas", "msg": "messag", "img": "imag", "nav": "navigat", "doc": "docs", "uploader": "upload", "picker": "pick",
	"spawner": "spawn", "parser": "pars", "mailer": "mail", "importer": "import", "tracker": "track", "loader": "load", "decoder": "decod"}

func (n nouns) has(part string) bool {
	s := words.Stem(part)
	if n.word[s] {
		return true
	}
	if long, ok := short[part]; ok && len(long) > 4 && part != "mailer" {
		for w := range n.word {
			if strings.HasPrefix(w, long) || part == "spawner" && strings.HasSuffix(w, long) {
				return true
			}
		}
	}
	return false
}

// parts cuts a name at marks and capitals: StockPage, stock_page, stock-page.
func parts(name string) []string {
	var out []string
	start := 0
	runes := []rune(name)
	flush := func(end int) {
		if end > start {
			out = append(out, strings.ToLower(string(runes[start:end])))
		}
	}
	for i, r := range runes {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r):
			flush(i)
			start = i + 1
		case i > start && unicode.IsUpper(r) && (unicode.IsLower(runes[i-1]) || i+1 < len(runes) && unicode.IsLower(runes[i+1]) && unicode.IsUpper(runes[i-1])):
			flush(i)
			start = i
		}
	}
	flush(len(runes))
	return out
}
