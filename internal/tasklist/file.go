package tasklist

import (
	"path"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

// Files returns the paths that a text names, in order and once each, with slashes and
// relative to the repository's root. A path is what has a folder or a file's ending that
// people use, in backticks or bare; addresses, routes, absolute paths and such that lead
// out of the repository are none. A folder keeps its slash at the end.
func Files(text string) []string {
	var list []string
	add := func(s string, quoted bool) {
		if p := file(s, quoted); p != "" && !slices.Contains(list, p) {
			list = append(list, p)
		}
	}
	for text != "" {
		open := strings.IndexByte(text, '`')
		bare := text
		if open >= 0 {
			bare = text[:open]
		}
		words := strings.FieldsFunc(bare, parts)
		for i, w := range words {
			if open >= 0 && i == len(words)-1 && strings.HasSuffix(bare, "/") {
				break // the slash of this/`that`
			}
			for _, one := range commas(w) {
				add(unglued(one), false)
			}
		}
		if open < 0 {
			break
		}
		text = strings.TrimLeft(text[open:], "`")
		end := strings.IndexByte(text, '`')
		if end < 0 {
			continue // a backtick alone
		}
		for _, one := range commas(text[:end]) {
			add(strings.TrimSpace(one), true)
		}
		text = strings.TrimLeft(text[end:], "`")
	}
	return list
}

func parts(r rune) bool {
	return unicode.IsSpace(r) || strings.ContainsRune("\"'“”‘’<>;|，。、；：（）「」『』【】《》！？", r)
}

// letters outside scripts that set blanks between words.
var (
	glueEnd   = lazyregexp.New(`^(.*[A-Za-z0-9_)\]}]\.[A-Za-z][A-Za-z0-9]{0,9})[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}]`)
	glueStart = lazyregexp.New(`^[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}]+([A-Za-z@].*)$`)
)

// unglued takes words of a script that sets no blanks away from around a path.
func unglued(s string) string {
	if m := glueEnd.FindStringSubmatch(s); m != nil {
		s = m[1]
	}
	if m := glueStart.FindStringSubmatch(s); m != nil {
		s = m[1]
	}
	return s
}

// commas splits at commas that are not within braces.
func commas(s string) []string {
	var list []string
	depth, start := 0, 0
	for i := range len(s) {
		switch {
		case s[i] == '{':
			depth++
		case s[i] == '}' && depth > 0:
			depth--
		case s[i] == ',' && depth == 0:
			list = append(list, s[start:i])
			start = i + 1
		}
	}
	return append(list, s[start:])
}

var (
	place  = lazyregexp.New(`(?::\d+(?:[-:]\d+)*|#L\d+(?:-L?\d+)?|::[\w:.\[\]]+)$`) // lines of a file, and tests in it
	inPath = lazyregexp.New(`^[\p{L}\p{N}._/@+~$\-\[\](){}*,]+$`)
	ending = lazyregexp.New(`\.[A-Za-z][A-Za-z0-9_]{0,9}$`)
)

// endings are those by which a name alone, without a folder, is known for a file's.
var endings = sync.OnceValue(func() map[string]bool {
	m := map[string]bool{}
	for e := range strings.FieldsSeq(`go mod sum py pyi ipynb rb rs java kt kts scala clj c h cc cpp hpp cs fs vb swift m mm
		js jsx mjs cjs ts tsx mts cts vue svelte astro html htm css scss sass less php pl pm sh bash zsh fish ps1 bat sql
		prisma graphql gql proto json jsonc json5 jsonl yaml yml toml ini cfg conf env lock xml csv tsv md mdx rst txt adoc
		tf tfvars hcl nix dockerfile gradle properties cmake mk ex exs erl hrl hs lua dart r jl zig nim sol tmpl tpl ejs hbs
		xaml axaml razor cshtml csproj fsproj vbproj sln resx storyboard xib pbxproj bicep puml gd tscn ipp
		templ snap feature plist svg png jpg jpeg gif ico webp pdf wasm`) {
		m[e] = true
	}
	return m
})

// alone are files that have no ending.
var alone = map[string]bool{"Makefile": true, "Dockerfile": true, "Jenkinsfile": true, "Gemfile": true,
	"Rakefile": true, "Procfile": true, "Vagrantfile": true, "Justfile": true,
	"CODEOWNERS": true, "LICENSE": true, "CHANGELOG": true, ".gitignore": true, ".dockerignore": true,
	".editorconfig": true, ".env": true, ".gitattributes": true}

// programs are names with a file's ending that are no files.
var programs = map[string]bool{"node.js": true, "next.js": true, "vue.js": true, "react.js": true, "express.js": true,
	"three.js": true, "d3.js": true, "nuxt.js": true, "asp.net": true, "socket.io": true, "e.g": true, "i.e": true}

func file(s string, quoted bool) string {
	if !strings.ContainsAny(s, "./") && !alone[strings.Trim(s, "*_,:;()")] {
		return "" // most words
	}
	s = strings.TrimRight(unmarked(s), ".,;:!?\"'*_")
	s = place.ReplaceAllString(s, "")
	s = unbracketed(s)
	if len(s) < 2 || len(s) > 400 || strings.IndexByte("/@~", s[0]) >= 0 || strings.Contains(s, "://") || !inPath.MatchString(s) {
		return ""
	}
	folder := strings.HasSuffix(s, "/")
	clean := path.Clean(s)
	if clean == "." || clean == ".." || strings.HasPrefix(clean, "../") || strings.Contains(s, "//") || strings.Contains(s, "...") {
		return ""
	}
	if !strings.Contains(clean, "/") && !folder {
		if alone[clean] || bareFileName(clean) {
			return clean
		}
		return ""
	}
	if !ofFolders(clean, quoted, folder) {
		return ""
	}
	if folder {
		clean += "/"
	}
	return clean
}

// unmarked takes away what is before a path: brackets, quotes, marks of emphasis. The
// stars of a glob stay, and so do underscores that no other one closes: __init__.py, _config.yml.
func unmarked(s string) string {
	for s != "" && strings.IndexByte("(_[\"'*", s[0]) >= 0 {
		if s[0] == '_' && !strings.HasSuffix(strings.TrimRight(s, ".,;:!?)"), "_") {
			break
		}
		stars := len(s) - len(strings.TrimLeft(s, "*"))
		if stars > 0 && stars < len(s) && (s[stars] == '.' || s[stars] == '/') {
			break
		}
		s = s[1:]
	}
	return s
}

// named reports a name of a file without a folder.
func bareFileName(s string) bool {
	e := path.Ext(s)
	if e == "" || programs[strings.ToLower(s)] || strings.ContainsAny(s, "(){}$") && !strings.Contains(s, "*") {
		return false
	}
	base := strings.TrimSuffix(s, e)
	if strings.Trim(base, ".") == "" || len(e) <= 2 && strings.Contains(base, ".") {
		return false
	}
	return endings()[strings.ToLower(e[1:])]
}

// ofFolders tells a path from words with a slash between them: and/or, CI/CD, GET/POST.
func ofFolders(s string, quoted, folder bool) bool {
	last := path.Base(s)
	switch {
	case ending.MatchString(last), alone[last], strings.Contains(s, "**"):
		return true
	case folder:
		return strings.ContainsFunc(s, unicode.IsLetter)
	case quoted: // the first part of a.b/c is no folder but an address or the name of a field
		return !strings.ContainsAny(s, "(){}$,") && strings.ContainsFunc(s, unicode.IsLower) &&
			strings.LastIndexByte(s[:strings.IndexByte(s, '/')], '.') <= 0
	}
	return false
}

// unbracketed takes brackets away that close what was opened before the word.
func unbracketed(s string) string {
	for {
		cut := s
		for _, pair := range []string{"()", "[]", "{}"} {
			if strings.HasSuffix(cut, pair[1:]) && strings.Count(cut, pair[:1]) < strings.Count(cut, pair[1:]) {
				cut = strings.TrimRight(cut[:len(cut)-1], ".,;:!?")
			}
		}
		if cut == s {
			return s
		}
		s = place.ReplaceAllString(cut, "")
	}
}
