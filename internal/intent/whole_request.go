package intent

import (
	"path"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/lazyregexp"
)

// asksForWhole decides by the words alone whether the message asks for something new and complete:
// it starts over, or the first request is for such a thing.
func (p *parse) asksForWhole() bool {
	line := " " + strings.ToLower(p.Text[:min(len(p.Text), 600)]) + " "
	for _, s := range []string{"from scratch", "from nothing", "from zero", "repo is empty", "empty repo", "greenfield",
		"new project", "new service", "new app ", "nothing here yet"} {
		if strings.Contains(line, s) {
			return true
		}
	}
	for _, a := range p.Acts {
		switch a.Kind {
		case StartOver:
			return true
		case Request:
			return a.Marker == belay.MarkAdd && isWholeRequest(a, p.Lang)
		}
	}
	return false
}

// HasSource reports whether files contain source code.
func HasSource(files []string) bool {
	return slices.ContainsFunc(files, func(f string) bool { return sourceExtensions.Has(strings.ToLower(path.Ext(f))) })
}

// sourceExtensions are the extensions of source files.
var sourceExtensions = lazyregexp.Of(`.go .py .ts .tsx .js .jsx .rb .rs .java .kt .cs .swift .php .c .h .cpp .dart .ex .exs .lua
	.vue .svelte .tf .scala .sh .sql
	.html .erb .razor .gd .unity .r .jl .pl .hs .clj .ml .zig .ino .m .mm .css .scss`)

// isWholeRequest reports a request to create something complete, with a noun for such a thing
// nearby.
func isWholeRequest(a Act, lang string) bool {
	low := a.Clause.Lower()
	switch a.Verb {
	case "add", "include", "support", "show", "document", "allow", "let", "insert", "log", "needs", "need":
		return a.Verb == "need" && a.IsNew
	}
	if IsWishWord(a.Verb) && a.Verb != "need" && lang == "" {
		return false // "the logo should link to the shop"
	}
	o := low[min(a.ObjectStart, len(low)):]
	for i, w := range o[:min(len(o), 12)] {
		if i > 0 && (w == "that" || w == "which" || w == "who" || w == "where") {
			break
		}
		if w == "page" && i < 4 || IsProduct(w) {
			return a.IsNew || a.Verb != ""
		}
	}
	return IsCreationVerb(a.Verb) && IsIndefinite(o) && !slices.ContainsFunc(o[:min(len(o), 5)], IsPart)
}
