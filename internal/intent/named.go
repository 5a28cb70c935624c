package intent

import (
	"path"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
)

// Message is what is known of a message when its files are looked for.
type FileMessage struct {
	Msg        string
	Blocks     []Block
	Acts       []Act
	Asked      []Act // the requirements, with their markers
	Preserve   []string
	Kind       belay.RequestType
	Fresh      bool
	PlanExists bool
	Files      []string // of the repository, with slashes
}

// Paths are the paths that the message names: by path or name, in a stack, or by a
// noun that a file is called after. A path named only to be left alone is none.
func (p FileMessage) Paths() []string {
	out := p.paths(true)
	if len(out) > 0 || len(p.Asked) == 0 || !slices.ContainsFunc(p.Acts, func(a Act) bool { return a.Deed == Ground && story(a.C.Low()) }) {
		return out
	}
	return p.paths(false)
}

// paths looks in the sentences that ask for something, and unless strict in what is told beside
// them.
func (p FileMessage) paths(strict bool) []string {
	if len(p.Files) == 0 || p.Fresh && !p.PlanExists && !strings.Contains(p.Msg, "/") {
		return nil
	}
	kind, n := p.Kind, p.nouns(strict && len(p.Asked) > 0)
	sure, maybe, close := n.found(p)
	if len(sure) == 0 && n.spellsNew(p.Files) {
		return nil // the words beside it stand for no other file
	}
	if kind != belay.Fresh && len(sure)+len(maybe) == 0 {
		for _, f := range n.heads(close) {
			maybe = append(maybe, hit{f, 1, []string{f}})
		}
	}
	sure = n.likely(sure, maybe, p)
	if kind != belay.Fresh && kind != belay.Unclear {
		sure = append(sure, n.aliases(p.Files, p)...)
		if len(sure) == 0 {
			sure = only(n.fronts(close))
		}
	}
	return inOrder(p.Files, sure)
}

// found are the files that are named, those that nouns are like, and all that can be named at all.
func (n nouns) found(p FileMessage) (sure []string, maybe []hit, close []string) {
	for _, f := range p.Files {
		if !n.starts.near(f) {
			continue
		}
		close = append(close, f)
		if n.names(f) {
			if testFile(f) && !n.word["test"] &&
				slices.ContainsFunc(p.Files, func(o string) bool { return !testFile(o) && path.Base(o) == path.Base(f) }) {
				continue // decoder.rs is the one that is no test
			}
			sure = append(sure, f)
		} else if p.Kind != belay.Fresh {
			if got := n.called(f); len(got) > 0 {
				maybe = append(maybe, hit{f, len(got), got})
			}
		}
	}
	return sure, maybe, close
}

// spellsNew reports that the message spells out a file that is not there yet, with an ending that
// files of the repository have.
func (n nouns) spellsNew(files []string) bool {
	return slices.ContainsFunc(files, func(f string) bool {
		ext := strings.ToLower(path.Ext(f))
		return len(ext) > 1 && n.endings[ext]
	})
}

// only is a file that there is one of.
func only(files []string) []string {
	if len(files) > 1 {
		return nil
	}
	return files
}

// inOrder are the chosen of files, in their order and each once.
func inOrder(files, chosen []string) (out []string) {
	left := make(map[string]bool, len(chosen))
	for _, f := range chosen {
		left[f] = true
	}
	for _, f := range files {
		if len(left) == 0 {
			break
		}
		if left[f] {
			out = append(out, f)
			delete(left, f)
		}
	}
	return out
}

// hit is a file that nouns of the message match: how many, and which.
type hit struct {
	path string
	n    int
	got  []string
}

// likely adds to the files that are sure those of the others that nothing speaks against.
func (n nouns) likely(sure []string, maybe []hit, p FileMessage) []string {
	maybe = slices.DeleteFunc(maybe, func(h hit) bool {
		migration := strings.Contains(strings.ToLower(h.path), "migration")
		if migration && !n.has("migration") || strings.HasSuffix(h.path, ".sln") {
			return true
		}
		return n.spared(h.path) || n.onlyShown(h.path, p.Files)
	})
	if p.Kind == belay.Unclear && (len(maybe) > 1 || len(sure) > 0) {
		maybe = nil // one thing is named, or it is not said which
	}
	if others := slices.DeleteFunc(slices.Clone(maybe), func(h hit) bool { return ofPeople(h.path, h.got) }); len(others)+len(sure) > 0 {
		maybe = others
	}
	said := slices.Clone(sure)
	for i, h := range maybe {
		better := slices.ContainsFunc(said, func(f string) bool { return f != h.path && sibling(f, h.path) && !n.names(h.path) })
		for j, o := range maybe {
			more := i != j && o.n > h.n && subset(h.got, o.got)
			better = better || more && (testFile(h.path) || !testFile(o.path)) && !n.apart(h.got, o.got)
		}
		if !better && !(testFile(h.path) && !n.word["test"]) {
			sure = append(sure, h.path)
		}
	}
	return sure
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

// names reports an article: what stands behind it is a noun, whatever else it could be ("the
// switch", "a build").
func names(w string) bool { return w == "the" || w == "a" || w == "an" || w == "our" || w == "my" }

// untested is what a test is of: SlotService of slotservicetest.
func untested(stem string) string {
	for _, mark := range []string{"tests", "test", "_spec", "spec"} {
		if s, ok := strings.CutSuffix(stem, mark); ok {
			return strings.TrimRight(s, "_-.")
		}
	}
	return strings.TrimPrefix(stem, "test_")
}

// spared reports a file that is named to be left alone, and by its name nowhere else.
func (n nouns) spared(file string) bool {
	low := strings.ToLower(path.Base(file))
	s := stemOf(low)
	return n.kept[low] || n.kept[strings.ToLower(file)] || n.kept[s] && compound(stemOf(path.Base(file)))
}

// names reports a path that is written in the message, whole or by its name, or that
// a stack goes through.
func (n nouns) names(file string) bool {
	low := strings.ToLower(file)
	base := path.Base(low)
	if n.literal[base] || len(n.placed) > 0 && n.literal[low] {
		return true
	}
	for _, l := range n.placed {
		if strings.Contains(l, "*") && len(l) > 4 {
			if ok, _ := path.Match(l, base); ok {
				return true // "the migrations named *_fix.sql"
			}
		}
		if strings.Contains(l, "/") && (strings.HasSuffix(low, "/"+strings.TrimPrefix(l, "/")) || strings.HasSuffix(l, "/"+low)) {
			return true
		}
		if i := strings.IndexByte(l, ':'); i > 0 && l[:i] == base {
			return true
		}
	}
	if s := stemOf(base); len(s) > 3 && !n.kept[base] && (strings.ContainsAny(s, "_-.") || hasCamel(stemOf(path.Base(file)))) {
		if n.literal[s] || n.word["test"] && testFile(file) && n.literal[untested(s)] {
			return true
		}
	}
	return strings.Contains(n.paste, base) && (len(base) > 4 || strings.Contains(n.paste, low)) && frameOf(n.paste, low)
}
