package check

import (
	"bytes"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/count"
	"github.com/belay-dev/belay/internal/syntax"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

// place is a path and a line, counted from 1.
type place struct {
	path string
	line int
}

// foldName returns a name in a form that all its spellings share: DryRun, dry_run, dry-run and
// --dry-run.
func foldName(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r > 127:
			return r
		}
		return -1
	}, s)
}

// declaringWords are keywords before a name that they declare.
var declaringWords = map[string]bool{
	"func": true, "function": true, "def": true, "fn": true, "class": true, "type": true, "struct": true,
	"interface": true, "enum": true, "trait": true,
	"const": true, "let": true, "var": true, "val": true, "static": true, "module": true, "record": true, "union": true,
	"get": true, "set": true, "macro_rules": true,
}

// memberKinds are the kinds of lists with declarations as items.
var memberKinds = []count.ListKind{count.Functions, count.Methods, count.Fields, count.Types, count.Enum, count.Tests}

// declarationLines returns the lines on which a text declares a name, in any spelling. The lists
// that counting finds contain functions, methods and fields; keywords find the others.
func declarationLines(p string, text []byte, name string) []int {
	if len(text) == 0 || len(text) > maxCounted {
		return nil
	}
	key := foldName(name)
	if !strings.Contains(foldName(string(text)), key) {
		return nil
	}
	found := map[int]bool{}
	if lists, _, ok := count.ScanFile(p, text); ok && syntax.LanguageOf(p) != syntax.None {
		for _, l := range lists {
			if !slices.Contains(memberKinds, l.Kind) {
				continue
			}
			for _, it := range l.Items {
				if foldName(it.Label) == key {
					found[it.Line] = true
				}
			}
		}
	}
	if l := syntax.LanguageOf(p); l != syntax.None {
		addKeywordNames(syntax.LexCode(l, text), key, found)
	} else if !isTextFile(p) {
		n := 0
		for line := range bytes.Lines(text) {
			n++
			if m := declaration.FindSubmatch(line); m != nil && foldName(string(m[1])) == key {
				found[n] = true
			}
		}
	}
	var out []int
	for n := range found {
		out = append(out, n)
	}
	slices.Sort(out)
	return out
}

// addKeywordNames adds the lines of names after a word that declares them.
func addKeywordNames(tokens []syntax.Token, key string, found map[int]bool) {
	for i, t := range tokens {
		if t.Kind != syntax.Word || foldName(t.Text) != key {
			continue
		}
		before := i - 1
		if before >= 0 && tokens[before].Is(")") { // func (r *T) Name
			for depth := 0; before >= 0; before-- {
				if tokens[before].Is(")") {
					depth++
				}
				if tokens[before].Is("(") {
					if depth--; depth == 0 {
						before--
						break
					}
				}
			}
			if before >= 0 && tokens[before].Is("func") {
				found[t.Line] = true
			}
			continue
		}
		for before >= 0 && (tokens[before].Is("*") || tokens[before].Is("mut") || tokens[before].Is("!")) {
			before--
		}
		if before >= 0 && tokens[before].Kind == syntax.Word && declaringWords[tokens[before].Text] && tokens[before].Line == t.Line {
			found[t.Line] = true
		}
	}
}

// declaration matches a declaration in a language without its own parser.
var declaration = lazyregexp.New(`^\s*(?:[\w<>\[\]*&:,~@]+\s+)*?(?:func|function|fun|def|fn|sub|class|type|struct|` +
	`interface|enum|trait|const|let|var|val|object|protocol|module)\s+([A-Za-z_$][\w$]*)`)

// lineOfWord returns the line on which a name is a separate word; 0 for none.
func lineOfWord(text []byte, name string) int {
	n := 0
	for line := range bytes.Lines(text) {
		n++
		for rest := line; ; {
			i := bytes.Index(rest, []byte(name))
			if i < 0 {
				break
			}
			end := i + len(name)
			if (i == 0 || !isWordByte(rest[i-1])) && (end == len(rest) || !isWordByte(rest[end])) {
				return n
			}
			rest = rest[end:]
		}
	}
	return 0
}

func isWordByte(c byte) bool {
	letter := c|0x20 >= 'a' && c|0x20 <= 'z' || c >= 0x80
	return letter || c >= '0' && c <= '9' || c == '_' || c == '$'
}
