package named

import (
	"path"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/ask/deed"
	"github.com/belay-dev/belay/internal/ask/prose"
	"github.com/belay-dev/belay/internal/ask/words"
)

// nouns are the words of a message that can name a file.
type nouns struct {
	literal map[string]bool // paths, names and identifiers, as they are written, lower case
	word    map[string]bool // stems of the words of requirements
	text    string          // the parts of the message that are no prohibition, lower case
	kept    map[string]bool // names and paths said in what is to stay, lower case
	pasted  string          // crashes and logs, as they are
	starts  map[[3]byte]bool
	placed  []string // of literal, those with a folder or a line
}

func (p Message) nouns(strict bool) nouns {
	n := nouns{literal: map[string]bool{}, word: map[string]bool{}, kept: map[string]bool{}}
	kept := " " + strings.ToLower(strings.Join(p.Preserve, " ")) + " "
	abroad := words.Language(p.Msg[:min(len(p.Msg), 4<<10)]) != ""
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
			all.WriteString(w + " ")
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
			if a.Deed == deed.Keep || a.Deed == deed.Ground && wellOff(a.C.Low()) || len(a.Keeps) > 0 && strings.Contains(kept, " "+low+" ") {
				n.kept[strings.TrimPrefix(low, "./")] = true
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
				n.joined(strings.Trim(a.C.T[i-1].Low, "`\"'"), low)
			}
			if exact(p.Files, low) || compound(p.Msg[t.At:t.End]) && p.stem(low) || strict && a.Deed == deed.Ground && story(a.C.Low()) {
				continue // it names that file, and no other by its noun
			}
			if (t.Form == prose.Word || t.Form == prose.Code) && !(low != "" && low[0] == '/' && !strings.Contains(low, ".")) {
				if whole := parts(nameOnly(p.Msg[t.At:t.End])); len(whole) > 1 || t.Form == prose.Code || !words.Nameless(low) || i > 0 && names(a.C.T[i-1].Low) && !(i+1 < len(a.C.T) && strings.HasPrefix(a.C.T[i+1].Low, "one")) {
					for _, part := range whole {
						n.word[words.Stem(part)] = true
					}
				}
			}
			if english, ok := foreign[low]; ok && abroad {
				n.word[words.Stem(english)] = true
			}
			n.route(low)
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
	if kind, rest, ok := strings.Cut(p.Msg[:min(len(p.Msg), 40)], "("); ok && len(kind) < 10 && words.Commit(kind) {
		if scope, _, ok := strings.Cut(rest, "):"); ok && !strings.Contains(scope, " ") {
			n.noun(strings.ToLower(scope)) // "feat(join): …"
		}
	}
	for _, b := range p.Blocks {
		if b.Kind == prose.Fence {
			n.pasted += b.Text + "\n"
		}
	}
	n.written(p)
	n.text = " " + all.String()
	n.starting()
	return n
}

// apart reports that what a file is called after is said once more without the words that
// another file's name has beside it: "the paywall" and "the paywall banner".
func (n nouns) apart(got, other []string) bool {
	if len(got) != 1 {
		return false
	}
	all := strings.Fields(n.text)
	near := func(i int) bool { return i >= 0 && i < len(all) && slices.Contains(other, words.Stem(all[i])) }
	for i, w := range all {
		if words.Stem(w) == got[0] && !near(i-1) && !near(i+1) && i > 0 && names(all[i-1]) {
			return true
		}
	}
	return false
}

// Called counts the files whose name ends in a noun, tests left out.
func Called(noun string, files []string) (n int) {
	for _, f := range files {
		all := parts(stemOf(path.Base(f)))
		if len(all) > 0 && words.Stem(all[len(all)-1]) == words.Stem(noun) && !testFile(f) {
			n++
		}
	}
	return n
}

// story reports a clause about people and what was: it names no file.
func story(low []string) bool {
	people := false
	for _, w := range low {
		switch w {
		case "was", "were", "had", "used", "did", "built", "came", "went", "got", "moved", "talked", "met", "told", "asked":
			return true
		case "we", "i", "my", "our", "us", "me", "he", "she", "they", "people", "everybody", "somebody", "nobody":
			people = true
		}
	}
	return people
}

// wellOff reports a clause that says that nothing is wrong with a thing: "dev is fine".
func wellOff(low []string) bool {
	n := len(low)
	return n > 2 && n < 8 && (low[n-1] == "fine" || low[n-1] == "ok" || low[n-1] == "okay" || low[n-1] == "good" || low[n-1] == "works")
}

// route notes what the path of an address or a command is about, its first part behind versions
// and the like: /v1/ping, /shifts/{id}, /remind.
func (n nouns) route(low string) {
	if low == "" || low[0] != '/' && low[0] != '!' || strings.Contains(low, ".") {
		return
	}
	for part := range strings.SplitSeq(low[1:], "/") {
		if len(part) > 3 && part != "rest" && !strings.ContainsAny(part, "{}<>:*") {
			n.word[words.Stem(part)] = true
			return
		}
	}
}

// joined notes two words as one, as a file is called: "spell checker" and spellcheck, "plot widget"
// and plotwidget.
func (n nouns) joined(a, b string) {
	if len(a) > 2 && len(b) > 2 && !words.Nameless(a) && !words.Nameless(b) {
		n.word[words.Stem(a+b)] = true
		n.word[words.Stem(a+strings.TrimSuffix(words.Stem(b), "er"))] = true
	}
}

// noun notes a word that a file may be called after. Words of grammar and verbs that are in
// every sentence name none: "two moods not working" is about moods.
func (n nouns) noun(w string) {
	if !words.Nameless(w) {
		n.word[words.Stem(w)] = true
	}
}

// toolsOwn reports the settings of a tool of which only the findings are spoken: "the ruff
// errors in geo.py".
func (n nouns) toolsOwn(file string) bool {
	switch path.Ext(file) {
	case ".toml", ".yaml", ".yml", ".json", ".cfg", ".ini":
	default:
		return false
	}
	name := strings.ToLower(strings.Trim(stemOf(path.Base(file)), "."))
	for _, found := range []string{" errors ", " warnings ", " findings ", " error ", " complaints ", " has "} {
		if strings.Contains(n.text, " "+name+found) {
			return true
		}
	}
	return false
}

// exact reports a word that is the name of a file with its ending.
func exact(files []string, word string) bool {
	word, _, _ = strings.Cut(word, ":")
	if !strings.Contains(word, ".") || len(word) < 4 {
		return false
	}
	return slices.ContainsFunc(files, func(f string) bool { return strings.EqualFold(path.Base(f), path.Base(word)) })
}

// near reports quickly that a path may be named at all: three letters in a row of its
// last three parts begin a word of the message. Most of a large repository is not.
func (n nouns) near(file string) bool {
	from := strings.LastIndexByte(file, '/')
	for up := 0; up < 2 && from > 0; up++ {
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
		if strings.ContainsAny(w, "/:*") {
			n.placed = append(n.placed, w)
		}
		note(w)
	}
	for w := range n.word {
		note(w)
	}
	for w := range strings.FieldsSeq(n.pasted) {
		note(w)
	}
	for part, twin := range twins {
		if n.word[words.Stem(twin)] {
			note(part)
		}
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
