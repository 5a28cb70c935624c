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

// aliases are files that people call by another word.
func (n nouns) aliases(files []string, p Message) []string {
	var out []string
	has := func(ws ...string) bool {
		return slices.ContainsFunc(ws, func(w string) bool { return strings.Contains(n.text, " "+w+" ") })
	}
	add := func(ok bool, match func(low, base string) bool) {
		if !ok {
			return
		}
		for _, f := range files {
			if low := strings.ToLower(f); match(low, path.Base(low)) {
				out = append(out, f)
			}
		}
	}
	ci := has("ci", "pipeline", "workflow", "workflows", "github action", "github actions", "gitlab pipeline", "matrix")
	ci = ci && !slices.ContainsFunc(files, func(f string) bool { return strings.Contains(f, ".github/workflows/") && n.names(f) })
	add(ci, func(low, base string) bool {
		return strings.Contains(low, ".github/workflows/") && (!strings.Contains(base, "release") || has("release")) || base == ".gitlab-ci.yml" || base == "jenkinsfile" || strings.Contains(low, ".circleci/")
	})
	add(has("readme"), func(_, base string) bool { return strings.HasPrefix(base, "readme") })
	add(has("changelog"), func(_, base string) bool { return strings.HasPrefix(base, "changelog") })
	if p.library() {
		out = append(out, topmost(n.below(files))...)
	}
	add(has("login", "log in", "sign in", "signin", "logged in"), func(_, base string) bool {
		return strings.HasPrefix(base, "auth") || strings.HasPrefix(base, "session") || strings.HasPrefix(base, "login")
	})
	add(has("signup", "sign up", "register", "registration"), func(_, base string) bool {
		return strings.HasPrefix(base, "regist") || strings.HasPrefix(base, "signup")
	})
	add(has("usernames", "username"), func(_, base string) bool { return stemOf(base) == "user" })
	add(has("container", "containers", "docker", "docker compose"), func(_, base string) bool { return strings.HasPrefix(base, "docker-compose") })
	add(has("docker image", "docker build", "docker images", "base image", "dockerfile"), func(_, base string) bool { return base == "dockerfile" })
	add(has("state") && has("terraform", "s3", "bucket", "backend", "remote", "lock"), func(_, base string) bool { return base == "backend.tf" })
	for word, name := range tools {
		add(has(word), func(_, base string) bool { return base == name })
	}
	add(has("man page", "manpage", "man pages"), func(low, base string) bool {
		return strings.Contains(low, "man") && len(path.Ext(base)) == 2 && base[len(base)-1] <= '9'
	})
	add(has("heart rate", "watch"), func(low, _ string) bool {
		return strings.Contains(low, "healthkit") || strings.Contains(low, "healthstore")
	})
	codes := n.languages()
	add(len(codes) > 0 && n.spoken(), func(low, base string) bool {
		return translated(low) && slices.ContainsFunc(codes, func(c string) bool { return coded(low, c) })
	})
	add(has("translation", "translations", "translate", "locale"), func(low, base string) bool {
		if len(codes) > 0 && !slices.ContainsFunc(codes, func(c string) bool { return coded(low, c) }) {
			return false // of one language, and this is another's
		}
		return strings.HasSuffix(base, ".po") || strings.Contains(low, "/locales/") || strings.HasSuffix(base, ".arb") || base == "strings.xml" || strings.Contains(low, "/l10n/")
	})
	return out
}

var manifests = map[string]bool{"package.json": true, "go.mod": true, "cargo.toml": true, "requirements.txt": true, "pyproject.toml": true, "gemfile": true, "composer.json": true,
	"pom.xml": true, "build.gradle": true, "build.gradle.kts": true, "mix.exs": true, "build.sbt": true, "pubspec.yaml": true, "requirements-docs.txt": true,
	"environment.yml": true, "deps.edn": true, "project.clj": true, "cmakelists.txt": true, "package.swift": true, "description": true, "project.toml": true, "versions.tf": true, "stack.yaml": true,
	"rebar.config": true, "conanfile.txt": true, "vcpkg.json": true, "platformio.ini": true, "podfile": true, "setup.py": true, "setup.cfg": true, "deno.json": true, "shard.yml": true, "cpanfile": true}

// library reports a request to change a dependency: an upgrade, or one library in
// place of another.
func (p Message) library() bool {
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
		if right, ok := words.Spelled(v); ok {
			v = right
		}
		o := low[min(f.Obj, len(low)):]
		switch {
		case v == "replace" && len(o) > 2 && (o[1] == "by" || o[1] == "with") && !aboutPart(o, p.Files) && library(o[0]) && library(o[2]):
			return true
		case v == "upgrade" || v == "bump" || v == "downgrade" || slices.Contains(low, "dependency") || slices.Contains(low, "dependencies"):
			return true
		case (v == "use" || v == "swap" || v == "switch" || v == "migrate") && len(o) > 0 && !aboutPart(o, p.Files):
			return v == "migrate" && slices.Contains(o, "to") || v != "migrate" && (slices.Contains(o, "instead") || slices.Contains(o, "for") || strings.Contains(strings.Join(o, " "), "in place of") || slices.Contains(o, "from") && slices.Contains(o, "to")) && !words.Determiner(o[0])
		}
	}
	return false
}

// tools are files that are spoken of by the tool that reads them.
var tools = map[string]string{"fastlane": "fastfile", "brew": "brewfile", "homebrew": "brewfile", "cron": "crontab", "cron entries": "crontab", "crontab": "crontab", "makefile": "makefile", "vagrant": "vagrantfile",
	"procfile": "procfile", "justfile": "justfile", "bibliography": "references.bib", "manifest": "androidmanifest.xml"}

// below are the files of a folder that is named, or all of them.
func (n nouns) below(files []string) []string {
	for _, dir := range n.placed {
		if !strings.HasSuffix(dir, "/") || len(dir) < 3 {
			continue
		}
		var out []string
		for _, f := range files {
			if strings.HasPrefix(strings.ToLower(f), dir) {
				out = append(out, f)
			}
		}
		if len(out) > 0 {
			return out
		}
	}
	return files
}

// topmost are the manifests that lie least deep: those of the project, not of its parts.
func topmost(files []string) (out []string) {
	depth := -1
	for _, f := range files {
		if !manifests[strings.ToLower(path.Base(f))] {
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

// raised reports a name with an old version and a new one, or a new one alone: "sqlalchemy 1.4 ->
// 2.0", "vue 2 -> vue 3", "Sidekiq to 7.2".
func (p Message) raised(f deed.Act) bool {
	low := f.C.Low()
	for i := 1; i+1 < len(low); i++ {
		if !into(low[i]) || words.Unit(low[min(i+2, len(low)-1)]) {
			continue
		}
		now, was, at := low[i+1], low[i-1], i-2
		if i+2 < len(low) && now == low[max(0, i-2)] {
			now = low[i+2] // "vue 2 -> vue 3"
		}
		if !digit(was) {
			if i == 1 && version(now) && library(was) && capital(p.Msg, f.C.T[0]) {
				return true
			}
			continue
		}
		if at >= 0 && !words.Preposition(low[at]) && library(low[at]) && digit(now) && (version(was) || version(now) || capital(p.Msg, f.C.T[at]) || low[max(0, i-2)] == low[i+1]) {
			return true
		}
	}
	return false
}

func into(w string) bool { return w == "to" || w == "->" || w == "→" || w == "=>" }

func digit(w string) bool {
	return version(w) || w != "" && len(w) < 3 && strings.Trim(w, "0123456789") == ""
}

func capital(msg string, t prose.Token) bool { return unicode.IsUpper(rune(msg[t.At])) }

// version reports a number with a point in it.
func version(w string) bool {
	w = strings.TrimPrefix(w, "v")
	return len(w) > 2 && strings.Contains(w, ".") && strings.Trim(w, "0123456789.x") == ""
}

// library reports a word that can only be a name: no other list has it.
func library(w string) bool {
	if len(w) < 3 || strings.HasSuffix(w, "s") && !strings.HasSuffix(w, "js") || words.Part(w) || words.Product(w) || words.Determiner(w) || words.Comparative(w) || words.Filler(w) {
		return false
	}
	_, verb := words.Verb(w)
	_, num := words.Number(w)
	return !verb && !num
}

// aboutPart reports that the words are about a part of the project and no library.
func aboutPart(o []string, files []string) bool {
	for _, w := range o {
		for _, s := range []string{"page", "button", "pipeline", "table", "column", "layout", "database", "endpoint"} {
			if w == s {
				return true
			}
		}
	}
	return false
}
