package tasklist

import (
	"strings"
	"unicode/utf8"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

var (
	// field is a line that says what kind of thing follows: "Files:", "**Dependencies**: T1".
	field = lazyregexp.New(`(?i)^[*_]*(` +
		strings.Join([]string{files, depends, acceptance, requirements, tests, status}, "|") + `)[*_]*\s*[:：][*_]*\s*(.*)$`)
	// fulfils is a line that names the requirements that a task is about without being a list of them.
	fulfils = lazyregexp.New(`(?i)^[*_]*(?:validates|valida|验证|驗證|検証対象|検証)\s*[:：]?[*_]*\s*(?:` + requirements + `)\s*[:：]?[*_]*\s*(.*)$`)
	// further are the fields behind the first of a line: "Priority: P1 · Depends on: WP01".
	further = lazyregexp.New(`\s[·|•]\s+[*_]*[\p{L}][\p{L} ./?-]{1,24}[*_]*[:：]`)
	kinds   = []struct {
		name string
		form *lazyregexp.Regexp
	}{{"files", exactly(files)}, {"depends", exactly(depends)}, {"acceptance", exactly(acceptance)},
		{"requirements", exactly(requirements)}, {"tests", exactly(tests)}}
	// toCheck are headings whose boxes are looked at, not worked off, in a file whose tasks
	// have ids; onlyToCheck are those of which the headings below them say nothing else.
	toCheck = lazyregexp.New(`(?i)checklist|criteria|definition of done|verification|validation|assertions|` +
		`sign-?off|acceptance|\bgates?\b|review|success metrics|summary|legend|leyenda|notation|before (?:you )?(?:commit|start|mark)`)
	onlyToCheck = lazyregexp.New(`(?i)checklist|criteria|definition of done|sign-?off|\bgates?\b|success metrics`)
	// orderly are headings below which stands what comes first.
	orderly = lazyregexp.New(`(?i)dependenc|execution order|dependências|dépendances|abhängigkeit|зависимост|依赖|依賴|依存|의존`)
	// closed are the steps that say that the whole task is done.
	closed = lazyregexp.New(`(?i)^[*_]*(?:task\s+)?(?:completed?|done|finished|status)[*_]*(?:\s*[:.!]|\s*$)`)
	// aside are lines about the work rather than of it.
	aside = lazyregexp.New(`(?i)^[*_]*(?:estimate|est\.?|stories|type|owner|priority|parallel\??|notes?|validates|` +
		`purpose|agent|assignee|effort|prompt)[*_]*\s*[:：]`)
	// named is what a line of words is called: "**Description**:".
	named = lazyregexp.New(`^[*_]+[\p{L} ]{2,24}[*_]*[:：][*_]*\s*`)
	// prompted is a line that names the file with a task's whole text.
	prompted = lazyregexp.New(`(?i)^[*_]*prompt[*_]*\s*[:：]`)
	ended    = lazyregexp.New(`(?i)^[*_\x60]*(?:complete|completed|done|finished|implemented|closed|merged)\b|^[*_\x60]*(?:✅|☑|\[x\])`)
)

// What fields are called, in the languages in which people write their tasks.
const (
	files = `files?(?:\(s\))?(?: to (?:create|modify|change|touch|edit)(?:/\w+)?)?|(?:owned|affected) files|` +
		`files (?:affected|changed|touched)|owns|(?:涉及)?文件|檔案|(?:対象)?ファイル|파일|(?:archivos?|arquivos?)(?: afe[ct]+ados)?|` +
		`fichiers?|dateien?|файлы?`
	depends = `depends(?:[ -]on)?|dependencies|dependency|blocked[ -]by|依赖(?:于|关系)?|依賴|依存(?:関係)?|의존(?:성)?|` +
		`dependencias|dependências|dépendances|abhängig(?:keiten| von)|зависимости`
	acceptance = `acceptance(?: criteria)?|success criteria|definition of done|验收标准|驗收標準|受入基準|criterios de aceptación|` +
		`critérios de aceitação`
	requirements = `requirements?(?: refs?)?|validates|要件|需求|要求|요구사항|requisitos?|requerimientos?|exigences?|` +
		`anforderung(?:en)?|требовани[ея]`
	tests  = `tests?|测试文件|測試檔案|テスト|pruebas|testes`
	status = `status|状态|狀態|estado`
)

func exactly(form string) *lazyregexp.Regexp { return lazyregexp.New(`(?i)^(?:` + form + `)$`) }

func kindOf(word string) string {
	for _, k := range kinds {
		if k.form.MatchString(word) {
			return k.name
		}
	}
	return "status"
}

// fields takes a line apart that has several fields.
func fields(words string) []string {
	var list []string
	from := 0
	for _, at := range further.FindAllStringIndex(words, -1) {
		list = append(list, strings.TrimSpace(words[from:at[0]]))
		from = at[0] + strings.IndexAny(words[at[0]:], "·|•")
		_, n := utf8.DecodeRuneInString(words[from:])
		from += n
	}
	return append(list, strings.TrimSpace(words[from:]))
}

// fieldOf is what a line says: its kind, "" when it is not a field, and its words.
func fieldOf(words string) (kind, rest string) {
	if m := fulfils.FindStringSubmatch(words); m != nil {
		return "requirements", strings.Trim(m[1], "*_ ")
	}
	if m := field.FindStringSubmatch(words); m != nil {
		return kindOf(m[1]), strings.Trim(strings.TrimSpace(m[2]), "*_")
	}
	return "", words
}

// read takes in a line of a task's body.
func (t *draft) read(l Line) {
	if l.Kind == Fence || l.Kind == Comment {
		return
	}
	for i, words := range fields(l.Words) {
		t.field(l, words, i == 0)
	}
}

// field takes in one field of a line, or all of a line that has none.
func (t *draft) field(l Line, words string, first bool) {
	kind, words := fieldOf(words)
	if kind != "" {
		if t.label = ""; words == "" {
			t.label = kind
		}
	} else if l.Kind == Item {
		if kind = t.label; closed.MatchString(words) {
			kind, t.label = "status", ""
		}
	} else if l.Kind == Text && strings.HasSuffix(strings.TrimRight(words, "*_ "), ":") {
		t.label = ""
	}
	if l.Box.State != NoBox && l.Kind == Item && first {
		t.Steps = append(t.Steps, Step{Text: l.Words, Done: l.Box.State == Done, Line: l.N})
		if kind == "acceptance" {
			t.accept = append(t.accept, l.N)
		}
	}
	if kind == "" && prompted.MatchString(words) {
		return
	}
	if kind == "" && !aside.MatchString(words) {
		t.ask = append(t.ask, "- "+words)
	}
	t.take(kind, words)
}

func (t *draft) take(kind, words string) {
	switch kind {
	case "files":
		if found := Files(words); len(found) > 0 {
			if !t.Declared {
				t.Declared, t.Files = true, nil
			}
			t.Files = add(t.Files, found...)
		}
	case "tests":
		t.Tests = add(t.Tests, Files(words)...)
	case "acceptance":
		t.Acceptance = add(t.Acceptance, words)
	case "requirements":
		for one := range strings.FieldsFuncSeq(words, func(r rune) bool { return strings.ContainsRune(",;，、；", r) }) {
			t.Requirements = add(t.Requirements, strings.TrimSpace(one))
		}
	case "status":
		t.status = words
	case "":
		if !t.Declared {
			t.Files = add(t.Files, Files(words)...)
		}
	}
}
