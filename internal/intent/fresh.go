package intent

import (
	"path"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/lazyregexp"
)

// founds decides whether something whole is to be built, by the words alone: somebody starts over, or
// the first thing asked for is a whole of its own.
func (p *parse) founds() bool {
	line := " " + strings.ToLower(p.Text[:min(len(p.Text), 600)]) + " "
	for _, s := range []string{"from scratch", "from nothing", "from zero", "repo is empty", "empty repo", "greenfield",
		"new project", "new service", "new app ", "nothing here yet"} {
		if strings.Contains(line, s) {
			return true
		}
	}
	for _, a := range p.Acts {
		switch a.Deed {
		case Anew:
			return true
		case Request:
			return a.Marker == belay.MarkAdd && whole(a, p.Lang)
		}
	}
	return false
}

// Sourced reports that there is a program among files.
func Sourced(files []string) bool {
	return slices.ContainsFunc(files, func(f string) bool { return sources.Has(strings.ToLower(path.Ext(f))) })
}

// sources are the endings of files with a program in them.
var sources = lazyregexp.Of(`.go .py .ts .tsx .js .jsx .rb .rs .java .kt .cs .swift .php .c .h .cpp .dart .ex .exs .lua
	.vue .svelte .tf .scala .sh .sql
	.html .erb .razor .gd .unity .r .jl .pl .hs .clj .ml .zig .ino .m .mm .css .scss`)

// whole reports a request for a whole: made, with a noun for such a thing near.
func whole(a Act, lang string) bool {
	low := a.C.Low()
	switch a.Verb {
	case "add", "include", "support", "show", "document", "allow", "let", "insert", "log", "needs", "need":
		return a.Verb == "need" && a.Made
	}
	if IsWish(a.Verb) && a.Verb != "need" && lang == "" {
		return false // "the logo should link to the shop"
	}
	o := low[min(a.Obj, len(low)):]
	for i, w := range o[:min(len(o), 12)] {
		if i > 0 && (w == "that" || w == "which" || w == "who" || w == "where") {
			break
		}
		if w == "page" && i < 4 || Product(w) {
			return a.Made || a.Verb != ""
		}
	}
	return Creates(a.Verb) && Indefinite(o) && !slices.ContainsFunc(o[:min(len(o), 5)], Part)
}
