package tasklist

import (
	"path"
	"slices"
	"strings"
	"sync"
	"unicode"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

// Files returns the paths that a text names, in order and once each, with slashes and relative to
// the repository's root. A path has a folder or a common file extension, in backticks or bare.
// URLs, routes, absolute paths and paths out of the repository do not count. A folder keeps its
// trailing slash.
func Files(text string) []string {
	var list []string
	add := func(s string, quoted bool) {
		if p := parsePath(s, quoted); p != "" && !slices.Contains(list, p) {
			list = append(list, p)
		}
	}
	for text != "" {
		open := strings.IndexByte(text, '`')
		bare := text
		if open >= 0 {
			bare = text[:open]
		}
		words := strings.FieldsFunc(bare, isPathSeparatorRune)
		for i, w := range words {
			if open >= 0 && i == len(words)-1 && strings.HasSuffix(bare, "/") {
				break // the slash of this/`that`
			}
			for _, one := range splitCommas(w) {
				add(unglue(one), false)
			}
		}
		if open < 0 {
			break
		}
		text = strings.TrimLeft(text[open:], "`")
		end := strings.IndexByte(text, '`')
		if end < 0 {
			continue // an unpaired backtick
		}
		for _, one := range splitCommas(text[:end]) {
			add(strings.TrimSpace(one), true)
		}
		text = strings.TrimLeft(text[end:], "`")
	}
	return list
}

func isPathSeparatorRune(r rune) bool {
	return unicode.IsSpace(r) || strings.ContainsRune("\"'“”‘’<>;|，。、；：（）「」『』【】《》！？", r)
}

// A path with letters of a script without blanks between words directly before or after it.
var (
	gluedEnd   = lazyregexp.New(`^(.*[A-Za-z0-9_)\]}]\.[A-Za-z][A-Za-z0-9]{0,9})[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}]`)
	gluedStart = lazyregexp.New(`^[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}]+([A-Za-z@].*)$`)
)

// unglue removes words around a path in a script that has no blanks between words.
func unglue(s string) string {
	if m := gluedEnd.FindStringSubmatch(s); m != nil {
		s = m[1]
	}
	if m := gluedStart.FindStringSubmatch(s); m != nil {
		s = m[1]
	}
	return s
}

// splitCommas splits at commas outside of braces.
func splitCommas(s string) []string {
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
	lineSuffix       = lazyregexp.New(`(?::\d+(?:[-:]\d+)*|#L\d+(?:-L?\d+)?|::[\w:.\[\]]+)$`) // line numbers and test names after a file
	pathPattern      = lazyregexp.New(`^[\p{L}\p{N}._/@+~$\-\[\](){}*,]+$`)
	extensionPattern = lazyregexp.New(`\.[A-Za-z][A-Za-z0-9_]{0,9}$`)
)

// fileExtensions are extensions that identify a file name without a folder.
var fileExtensions = sync.OnceValue(func() map[string]bool {
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

// filesWithoutExtension are common file names without an extension.
var filesWithoutExtension = map[string]bool{"Makefile": true, "Dockerfile": true, "Jenkinsfile": true, "Gemfile": true,
	"Rakefile": true, "Procfile": true, "Vagrantfile": true, "Justfile": true,
	"CODEOWNERS": true, "LICENSE": true, "CHANGELOG": true, ".gitignore": true, ".dockerignore": true,
	".editorconfig": true, ".env": true, ".gitattributes": true}

// programNames look like file names but are not.
var programNames = map[string]bool{"node.js": true, "next.js": true, "vue.js": true, "react.js": true, "express.js": true,
	"three.js": true, "d3.js": true, "nuxt.js": true, "asp.net": true, "socket.io": true, "e.g": true, "i.e": true}

func parsePath(s string, quoted bool) string {
	if !strings.ContainsAny(s, "./") && !filesWithoutExtension[strings.Trim(s, "*_,:;()")] {
		return "" // as for most words
	}
	s = strings.TrimRight(trimMarks(s), ".,;:!?\"'*_")
	s = lineSuffix.ReplaceAllString(s, "")
	s = trimBrackets(s)
	if len(s) < 2 || len(s) > 400 || strings.IndexByte("/@~", s[0]) >= 0 || strings.Contains(s, "://") || !pathPattern.MatchString(s) {
		return ""
	}
	folder := strings.HasSuffix(s, "/")
	clean := path.Clean(s)
	if clean == "." || clean == ".." || strings.HasPrefix(clean, "../") || strings.Contains(s, "//") || strings.Contains(s, "...") {
		return ""
	}
	if !strings.Contains(clean, "/") && !folder {
		if filesWithoutExtension[clean] || isBareFileName(clean) {
			return clean
		}
		return ""
	}
	if !isPathWithFolders(clean, quoted, folder) {
		return ""
	}
	if folder {
		clean += "/"
	}
	return clean
}

// trimMarks removes brackets, quotes and emphasis before a path. It keeps the stars of a glob, and
// an underscore that no other one closes: __init__.py, _config.yml.
func trimMarks(s string) string {
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

// isBareFileName reports whether s is a file name without a folder.
func isBareFileName(s string) bool {
	e := path.Ext(s)
	if e == "" || programNames[strings.ToLower(s)] || strings.ContainsAny(s, "(){}$") && !strings.Contains(s, "*") {
		return false
	}
	base := strings.TrimSuffix(s, e)
	if strings.Trim(base, ".") == "" || len(e) <= 2 && strings.Contains(base, ".") {
		return false
	}
	return fileExtensions()[strings.ToLower(e[1:])]
}

// isPathWithFolders distinguishes a path from words with a slash between them: and/or, CI/CD,
// GET/POST.
func isPathWithFolders(s string, quoted, folder bool) bool {
	last := path.Base(s)
	switch {
	case extensionPattern.MatchString(last), filesWithoutExtension[last], strings.Contains(s, "**"):
		return true
	case folder:
		return strings.ContainsFunc(s, unicode.IsLetter)
	case quoted: // in a.b/c, the first part is a host or a field, not a folder
		return !strings.ContainsAny(s, "(){}$,") && strings.ContainsFunc(s, unicode.IsLower) &&
			strings.LastIndexByte(s[:strings.IndexByte(s, '/')], '.') <= 0
	}
	return false
}

// trimBrackets removes closing brackets that were opened before the word.
func trimBrackets(s string) string {
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
		s = lineSuffix.ReplaceAllString(cut, "")
	}
}
