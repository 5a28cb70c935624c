package intent

import (
	"path"
	"slices"
	"strings"
	"unicode"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/lazyregexp"
)

// manifests are files that list the libraries of a project.
var manifests = lazyregexp.Of(`
	package.json go.mod cargo.toml requirements.txt pyproject.toml gemfile composer.json pom.xml build.gradle build.gradle.kts mix.exs
	build.sbt pubspec.yaml requirements-docs.txt environment.yml deps.edn project.clj cmakelists.txt package.swift description
	project.toml versions.tf stack.yaml rebar.config conanfile.txt vcpkg.json platformio.ini podfile setup.py setup.cfg deno.json
	shard.yml cpanfile`)

// isLibraryChange reports a request to change a dependency: an upgrade, or one library in place of
// another.
func (p FileMessage) isLibraryChange() bool {
	for _, f := range p.Asked {
		low := f.Clause.Lower()
		if slices.ContainsFunc(low, func(w string) bool { return isFileName(p.Files, w) }) {
			continue // the message names the file
		}
		if f.Marker != belay.MarkModify && f.Marker != belay.MarkRemove {
			continue
		}
		if p.isVersionRaise(f) {
			return true
		}
		v := f.Verb
		if right, ok := CorrectSpelling(v); ok {
			v = right
		}
		o := low[min(f.ObjectStart, len(low)):]
		switch {
		case v == "replace" && len(o) > 2 && isOneOf(o[1], "by", "with") && isLibraryName(o[0]) && isLibraryName(o[2]):
			return true
		case isOneOf(v, "upgrade", "bump", "downgrade") || slices.Contains(low, "dependency") || slices.Contains(low, "dependencies"):
			return true
		case isOneOf(v, "use", "swap", "switch", "migrate") && len(o) > 0:
			if v == "migrate" {
				return slices.Contains(o, "to")
			}
			return !IsDeterminer(o[0]) && namesReplacement(o)
		}
	}
	return false
}

// topmostManifests returns the manifests of least depth: those of the project, not of its parts.
func topmostManifests(files []string) (out []string) {
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

// namesReplacement reports words that name one thing and its replacement.
func namesReplacement(o []string) bool {
	if slices.Contains(o, "instead") || slices.Contains(o, "for") || strings.Contains(strings.Join(o, " "), "in place of") {
		return true
	}
	return slices.Contains(o, "from") && slices.Contains(o, "to")
}

// isVersionRaise reports a name with an old and a new version, or with a new one alone: "sqlalchemy
// 1.4 -> 2.0", "vue 2 -> vue 3", "Sidekiq to 7.2".
func (p FileMessage) isVersionRaise(f Act) bool {
	low := f.Clause.Lower()
	for i := 1; i+1 < len(low); i++ {
		if !isTo(low[i]) || IsUnit(low[min(i+2, len(low)-1)]) {
			continue
		}
		now, was, at := low[i+1], low[i-1], i-2
		if !digit(was) {
			if i == 1 && isVersion(now) && isLibraryName(was) && isCapitalized(p.Msg, f.Clause.Tokens[0]) {
				return true
			}
			continue
		}
		if at < 0 || IsPreposition(low[at]) || !isLibraryName(low[at]) || !digit(now) {
			continue
		}
		if isVersion(was) || isVersion(now) || isCapitalized(p.Msg, f.Clause.Tokens[at]) || low[at] == low[i+1] {
			return true
		}
	}
	return false
}

func isTo(w string) bool { return w == "to" || w == "->" || w == "→" || w == "=>" }

func digit(w string) bool {
	return isVersion(w) || w != "" && len(w) < 3 && strings.Trim(w, "0123456789") == ""
}

func isCapitalized(msg string, t Token) bool { return unicode.IsUpper(rune(msg[t.At])) }

// isVersion reports a number with a point in it.
func isVersion(w string) bool {
	w = strings.TrimPrefix(w, "v")
	return len(w) > 2 && strings.Contains(w, ".") && strings.Trim(w, "0123456789.x") == ""
}

// isLibraryName reports a word that can only be a name: it is in no other list.
func isLibraryName(w string) bool {
	if len(w) < 3 || strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "js") {
		return false
	}
	if IsPart(w) || IsProduct(w) || IsDeterminer(w) || IsComparative(w) || IsFiller(w) {
		return false
	}
	_, verb := VerbSense(w)
	_, num := ParseNumber(w)
	return !verb && !num
}
