package ask

import (
	"path"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/ask/reading"

	"github.com/belay-dev/belay/internal/ask/fault"

	"github.com/belay-dev/belay/internal/ask/deed"
	"github.com/belay-dev/belay/internal/ask/grammar"
	"github.com/belay-dev/belay/internal/ask/prose"
	"github.com/belay-dev/belay/internal/ask/words"
	"github.com/belay-dev/belay/internal/belay"
)

// isFresh decides whether something whole is to be built: the user starts over, or
// there is no plan and the first thing asked for is a whole of its own.
func (p *parse) isFresh() bool {
	line := " " + strings.ToLower(p.msg[:min(len(p.msg), 600)]) + " "
	asks := false
	for _, a := range p.acts {
		if a.Deed == deed.Anew {
			p.note(a, a.Verb, "start over: fresh")
			return true
		}
		asks = asks || a.Deed == deed.Request
	}
	if p.in.PlanExists || !p.sourceless() && slices.ContainsFunc(p.acts, func(a deed.Act) bool {
		return a.Deed == deed.Material || a.Deed == deed.Complaint && a.Strength == fault.Plain && a.C.Join != "so"
	}) {
		return false
	}
	for _, s := range []string{"from scratch", "from nothing", "from zero", "repo is empty", "empty repo", "greenfield", "new project", "new service", "new app ", "nothing here yet"} {
		if strings.Contains(line, s) && !p.rewrites() {
			return true
		}
	}
	if p.created() {
		return true
	}
	if !asks {
		return false
	}
	for _, a := range p.acts {
		if a.Deed != deed.Request {
			continue
		}
		if low := a.C.Low(); len(low) > 1 && low[len(low)-1] == "one" && slices.Contains(low, "new") && slices.ContainsFunc(p.acts, func(b deed.Act) bool { return b.C.Sent < a.C.Sent && slices.ContainsFunc(b.C.Low(), words.Product) }) {
			return true // "I have a website. I'd like a new one"
		}
		return a.Marker == belay.MarkAdd && reading.Whole(a, p.lang)
	}
	return false
}

// sourceless reports a repository whose files are known and hold no program yet: what is said
// to go wrong there is how people live without one.
func (p *parse) sourceless() bool {
	return len(p.in.Files) > 0 && !slices.ContainsFunc(p.in.Files, func(f string) bool { return sources[strings.ToLower(path.Ext(f))] })
}

// sources are the endings of files with a program in them.
var sources = map[string]bool{".go": true, ".py": true, ".ts": true, ".tsx": true, ".js": true, ".jsx": true, ".rb": true, ".rs": true, ".java": true, ".kt": true, ".cs": true, ".swift": true, ".php": true, ".c": true, ".h": true, ".cpp": true, ".dart": true,
	".ex": true, ".exs": true, ".lua": true, ".vue": true, ".svelte": true, ".tf": true, ".scala": true, ".sh": true, ".sql": true, ".html": true, ".erb": true, ".razor": true, ".gd": true, ".unity": true, ".r": true, ".jl": true, ".pl": true, ".hs": true, ".clj": true, ".ml": true, ".zig": true, ".ino": true, ".m": true, ".mm": true, ".css": true, ".scss": true}

// created reports a list of what is to be created, with nothing in front but that.
func (p *parse) created() bool {
	if len(p.blocks) < 2 || p.blocks[0].Kind != prose.Heading || p.blocks[1].Kind != prose.Item {
		return false
	}
	switch p.blocks[0].Label {
	case "please create", "create", "please build", "build", "please generate", "generate", "please set up", "set up", "please make", "to create":
		return true
	}
	return false
}

// rewrites reports that what is asked for first is done to a part that is there: "rewrite the
// config loader from scratch".
func (p *parse) rewrites() bool {
	for _, a := range p.acts {
		if low := a.C.Low(); a.Deed == deed.Request && slices.Contains(low, "scratch") {
			return a.Marker == belay.MarkModify && a.Obj < len(low) && grammar.Definite(low[a.Obj]) && !deed.Creates(a.Verb) && !deed.IsWish(a.Verb)
		}
	}
	return false
}

// kind is the type of the request, in the order in which the types are checked.
func (p *parse) kind() belay.RequestType {
	if len(p.doubts) > 0 {
		return belay.Unclear
	}
	if p.fresh {
		return belay.Fresh
	}
	for _, f := range p.out {
		if f.Marker != belay.MarkFix {
			return belay.Mutation
		}
	}
	return belay.Bugfix
}

func (p *parse) note(a deed.Act, by, means string) {
	if len(a.C.T) > 0 && by == "" {
		by = a.C.Text(p.msg, grammar.Span{From: 0, To: len(a.C.T)})
	}
	p.why = append(p.why, Evidence{by, means})
}
