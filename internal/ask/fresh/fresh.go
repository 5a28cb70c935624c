// Package fresh says whether a message asks for something new as a whole, and which of its
// clauses is a feature of that: told of somebody who uses it, of what it is built with, or only
// leading to it. It touches no file, process, clock or network.
package fresh

import (
	"path"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/ask/deed"
	"github.com/belay-dev/belay/internal/ask/grammar"
	"github.com/belay-dev/belay/internal/ask/prose"
	"github.com/belay-dev/belay/internal/ask/words"
	"github.com/belay-dev/belay/internal/belay"
)

// Message is what is judged: its words and language, and what its clauses do.
type Message struct {
	Text   string
	Lang   string
	Blocks []prose.Block
	Acts   []deed.Act
}

// Whole decides whether something whole is to be built, by the words alone: the user starts over, or
// the first thing asked for is a whole of its own.
func (m Message) Whole() bool {
	line := " " + strings.ToLower(m.Text[:min(len(m.Text), 600)]) + " "
	asks := false
	for _, a := range m.Acts {
		asks = asks || a.Deed == deed.Request
	}
	for _, s := range []string{"from scratch", "from nothing", "from zero", "repo is empty", "empty repo", "greenfield", "new project", "new service", "new app ", "nothing here yet"} {
		if strings.Contains(line, s) {
			return true
		}
	}
	if !asks {
		return false
	}
	for _, a := range m.Acts {
		if a.Deed != deed.Request {
			continue
		}
		return a.Marker == belay.MarkAdd && whole(a, m.Lang)
	}
	return false
}

// Sourced reports that there is a program among files.
func Sourced(files []string) bool {
	return slices.ContainsFunc(files, func(f string) bool { return sources[strings.ToLower(path.Ext(f))] })
}

// sources are the endings of files with a program in them.
var sources = map[string]bool{".go": true, ".py": true, ".ts": true, ".tsx": true, ".js": true, ".jsx": true, ".rb": true, ".rs": true, ".java": true, ".kt": true, ".cs": true, ".swift": true, ".php": true, ".c": true, ".h": true, ".cpp": true, ".dart": true,
	".ex": true, ".exs": true, ".lua": true, ".vue": true, ".svelte": true, ".tf": true, ".scala": true, ".sh": true, ".sql": true, ".html": true, ".erb": true, ".razor": true, ".gd": true, ".unity": true, ".r": true, ".jl": true, ".pl": true, ".hs": true, ".clj": true, ".ml": true, ".zig": true, ".ino": true, ".m": true, ".mm": true, ".css": true, ".scss": true}

// whole reports a request for a whole: made, with a noun for such a thing near.
func whole(a deed.Act, lang string) bool {
	low := a.C.Low()
	switch a.Verb {
	case "add", "include", "support", "show", "document", "allow", "let", "insert", "log", "needs", "need":
		return a.Verb == "need" && a.Made
	}
	if deed.IsWish(a.Verb) && a.Verb != "need" && lang == "" {
		return false // "the logo should link to the shop"
	}
	o := low[min(a.Obj, len(low)):]
	if lang != "" {
		o = low
	}
	if a.Verb == "a thing named" && len(o) > 0 && grammar.Articled(o[0]) && slices.ContainsFunc(o, words.Tool) {
		return true // "a webhook relay in go"
	}
	for i, w := range o[:min(len(o), 12)] {
		if i > 0 && (w == "that" || w == "which" || w == "who" || w == "where") {
			break
		}
		if w == "page" && i < 4 || words.Product(w) {
			return a.Made || a.Verb != ""
		}
	}
	return deed.Creates(a.Verb) && grammar.Indefinite(o) && !slices.ContainsFunc(o[:min(len(o), 5)], words.Part)
}
