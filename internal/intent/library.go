package intent

import (
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/lazyregexp"
)

// manifests are files that say which libraries a project is made with.
var manifests = lazyregexp.Of(`
	package.json go.mod cargo.toml requirements.txt pyproject.toml gemfile composer.json pom.xml build.gradle build.gradle.kts mix.exs
	build.sbt pubspec.yaml requirements-docs.txt environment.yml deps.edn project.clj cmakelists.txt package.swift description
	project.toml versions.tf stack.yaml rebar.config conanfile.txt vcpkg.json platformio.ini podfile setup.py setup.cfg deno.json
	shard.yml cpanfile`)

// library reports a request to change a dependency: an upgrade, or one library in
// place of another.
func (p FileMessage) library() bool {
	for _, f := range p.Asked {
		low := f.C.Low()
		if slices.ContainsFunc(low, func(w string) bool { return exact(p.Files, w) }) {
			continue // the file is said
		}
		if f.Marker != belay.MarkModify && f.Marker != belay.MarkRemove {
			continue
		}
		if p.raised(f) {
			return true
		}
		v := f.Verb
		if right, ok := Spelled(v); ok {
			v = right
		}
		o := low[min(f.Obj, len(low)):]
		switch {
		case v == "replace" && len(o) > 2 && oneOf(o[1], "by", "with") && library(o[0]) && library(o[2]):
			return true
		case oneOf(v, "upgrade", "bump", "downgrade") || slices.Contains(low, "dependency") || slices.Contains(low, "dependencies"):
			return true
		case oneOf(v, "use", "swap", "switch", "migrate") && len(o) > 0:
			if v == "migrate" {
				return slices.Contains(o, "to")
			}
			return !Determiner(o[0]) && inPlaceOf(o)
		}
	}
	return false
}

// topmost are the manifests that lie least deep: those of the project, not of its parts.
func topmost(files []string) (out []string) {
	depth := -1
	for _, f := range files {
		if !manifests.Has(strings.ToLower(path.Base(f))) {
			continue
		}
		switch d := strings.Count(f, "/"); {
		case depth < 0 || d < depth:
			depth, out = d, []string{f}
		case d == depth:
			out = append(out, f)
		}
	}
	return out
}

// inPlaceOf reports words that name one thing and another in whose place it comes.
func inPlaceOf(o []string) bool {
	if slices.Contains(o, "instead") || slices.Contains(o, "for") || strings.Contains(strings.Join(o, " "), "in place of") {
		return true
	}
	return slices.Contains(o, "from") && slices.Contains(o, "to")
}

// raised reports a name with an old version and a new one, or a new one alone: "sqlalchemy 1.4 ->
// 2.0", "vue 2 -> vue 3", "Sidekiq to 7.2".
func (p FileMessage) raised(f Act) bool {
	low := f.C.Low()
	for i := 1; i+1 < len(low); i++ {
		if !into(low[i]) || Unit(low[min(i+2, len(low)-1)]) {
			continue
		}
		now, was, at := low[i+1], low[i-1], i-2
		if !digit(was) {
			if i == 1 && version(now) && library(was) && capital(p.Msg, f.C.T[0]) {
				return true
			}
			continue
		}
		if at < 0 || Preposition(low[at]) || !library(low[at]) || !digit(now) {
			continue
		}
		if version(was) || version(now) || capital(p.Msg, f.C.T[at]) || low[at] == low[i+1] {
			return true
		}
	}
	return false
}

func into(w string) bool { return w == "to" || w == "->" || w == "→" || w == "=>" }

func digit(w string) bool {
	return version(w) || w != "" && len(w) < 3 && strings.Trim(w, "0123456789") == ""
}

func capital(msg string, t Token) bool { return unicode.IsUpper(rune(msg[t.At])) }

// version reports a number with a point in it.
func version(w string) bool {
	w = strings.TrimPrefix(w, "v")
	return len(w) > 2 && strings.Contains(w, ".") && strings.Trim(w, "0123456789.x") == ""
}

// library reports a word that can only be a name: no other list has it.
func library(w string) bool {
	if len(w) < 3 || strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "js") {
		return false
	}
	if Part(w) || Product(w) || Determiner(w) || Comparative(w) || Filler(w) {
		return false
	}
	_, verb := Verb(w)
	_, num := Number(w)
	return !verb && !num
}
