package tasklist

import (
	"strings"
	"unicode/utf8"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

var (
	// fieldPattern is a line that begins with a field's name: "Files:", "**Dependencies**: T1".
	fieldPattern = lazyregexp.New(`(?i)^[*_]*(` +
		strings.Join([]string{filesNames, dependsNames, acceptanceNames, requirementsNames, testsNames, statusNames},
			"|") + `)[*_]*\s*[:：][*_]*\s*(.*)$`)
	// requirementsPattern is a line that names a task's requirements after a verb: "Validates:
	// Requirements 1.2".
	requirementsPattern = lazyregexp.New(`(?i)^[*_]*(?:validates|valida|验证|驗證|検証対象|検証)\s*[:：]?[*_]*\s*(?:` +
		requirementsNames + `)\s*[:：]?[*_]*\s*(.*)$`)
	// nextFieldPattern begins a further field of a line: "Priority: P1 · Depends on: WP01".
	nextFieldPattern = lazyregexp.New(`\s[·|•]\s+[*_]*[\p{L}][\p{L} ./?-]{1,24}[*_]*[:：]`)
	fieldKinds       = []struct {
		name string
		form *lazyregexp.Regexp
	}{{"files", exactPattern(filesNames)}, {"depends", exactPattern(dependsNames)}, {"acceptance", exactPattern(acceptanceNames)},
		{"requirements", exactPattern(requirementsNames)}, {"tests", exactPattern(testsNames)}}
	// checkHeading are headings whose boxes are checks rather than tasks, in a file with task ids.
	// Below those of checkOnlyHeading, the boxes of subsections are checks too.
	checkHeading = lazyregexp.New(`(?i)checklist|criteria|definition of done|verification|validation|assertions|` +
		`sign-?off|acceptance|\bgates?\b|review|success metrics|summary|legend|leyenda|notation|before (?:you )?(?:commit|start|mark)`)
	checkOnlyHeading = lazyregexp.New(`(?i)checklist|criteria|definition of done|sign-?off|\bgates?\b|success metrics`)
	// orderly are headings of sections that state the order of tasks.
	orderly = lazyregexp.New(`(?i)dependenc|execution order|dependências|dépendances|abhängigkeit|зависимост|依赖|依賴|依存|의존`)
	// closedPattern are steps that mark the entire task as done.
	closedPattern = lazyregexp.New(`(?i)^[*_]*(?:task\s+)?(?:completed?|done|finished|status)[*_]*(?:\s*[:.!]|\s*$)`)
	// asidePattern are lines about the task that do not say what to do.
	asidePattern = lazyregexp.New(`(?i)^[*_]*(?:estimate|est\.?|stories|type|owner|priority|parallel\??|notes?|validates|` +
		`purpose|agent|assignee|effort|prompt)[*_]*\s*[:：]`)
	// namedPattern is the label of a line of text: "**Description**:".
	namedPattern = lazyregexp.New(`^[*_]+[\p{L} ]{2,24}[*_]*[:：][*_]*\s*`)
	// promptPattern is a line that names the file with a task's full text.
	promptPattern = lazyregexp.New(`(?i)^[*_]*prompt[*_]*\s*[:：]`)
	endedPattern  = lazyregexp.New(`(?i)^[*_\x60]*(?:complete|completed|done|finished|implemented|closed|merged)\b|^[*_\x60]*(?:✅|☑|\[x\])`)
)

// The names of fields, in the languages in which people write their tasks.
const (
	filesNames = `files?(?:\(s\))?(?: to (?:create|modify|change|touch|edit)(?:/\w+)?)?|(?:owned|affected) files|` +
		`files (?:affected|changed|touched)|owns|(?:涉及)?文件|檔案|(?:対象)?ファイル|파일|(?:archivos?|arquivos?)(?: afe[ct]+ados)?|` +
		`fichiers?|dateien?|файлы?`
	dependsNames = `depends(?:[ -]on)?|dependencies|dependency|blocked[ -]by|依赖(?:于|关系)?|依賴|依存(?:関係)?|의존(?:성)?|` +
		`dependencias|dependências|dépendances|abhängig(?:keiten| von)|зависимости`
	acceptanceNames = `acceptance(?: criteria)?|success criteria|definition of done|验收标准|驗收標準|受入基準|criterios de aceptación|` +
		`critérios de aceitação`
	requirementsNames = `requirements?(?: refs?)?|validates|要件|需求|要求|요구사항|requisitos?|requerimientos?|exigences?|` +
		`anforderung(?:en)?|требовани[ея]`
	testsNames  = `tests?|测试文件|測試檔案|テスト|pruebas|testes`
	statusNames = `status|状态|狀態|estado`
)

func exactPattern(form string) *lazyregexp.Regexp { return lazyregexp.New(`(?i)^(?:` + form + `)$`) }

func kindOf(word string) string {
	for _, k := range fieldKinds {
		if k.form.MatchString(word) {
			return k.name
		}
	}
	return "status"
}

// splitFields splits a line with several fields.
func splitFields(words string) []string {
	var list []string
	from := 0
	for _, at := range nextFieldPattern.FindAllStringIndex(words, -1) {
		list = append(list, strings.TrimSpace(words[from:at[0]]))
		from = at[0] + strings.IndexAny(words[at[0]:], "·|•")
		_, n := utf8.DecodeRuneInString(words[from:])
		from += n
	}
	return append(list, strings.TrimSpace(words[from:]))
}

// parseField returns the kind of field that a line is, and its value; "" and the line if it is not
// a field.
func parseField(words string) (kind, rest string) {
	if m := requirementsPattern.FindStringSubmatch(words); m != nil {
		return "requirements", strings.Trim(m[1], "*_ ")
	}
	if m := fieldPattern.FindStringSubmatch(words); m != nil {
		return kindOf(m[1]), strings.Trim(strings.TrimSpace(m[2]), "*_")
	}
	return "", words
}

// readBodyLine reads a line of a task's body.
func (t *taskDraft) readBodyLine(l Line) {
	if l.Kind == Fence || l.Kind == Comment {
		return
	}
	for i, words := range splitFields(l.Text) {
		t.readField(l, words, i == 0)
	}
}

// readField reads one field of a line, or a line without fields.
func (t *taskDraft) readField(l Line, words string, first bool) {
	kind, words := parseField(words)
	if kind != "" {
		if t.label = ""; words == "" {
			t.label = kind
		}
	} else if l.Kind == Item {
		if kind = t.label; closedPattern.MatchString(words) {
			kind, t.label = "status", ""
		}
	} else if l.Kind == Text && strings.HasSuffix(strings.TrimRight(words, "*_ "), ":") {
		t.label = ""
	}
	if l.Box.State != NoBox && l.Kind == Item && first {
		t.Steps = append(t.Steps, Step{Text: l.Text, Done: l.Box.State == Done, Line: l.N})
		if kind == "acceptance" {
			t.criteriaLines = append(t.criteriaLines, l.N)
		}
	}
	if kind == "" && promptPattern.MatchString(words) {
		return
	}
	if kind == "" && !asidePattern.MatchString(words) {
		t.ask = append(t.ask, "- "+words)
	}
	t.setField(kind, words)
}

func (t *taskDraft) setField(kind, words string) {
	switch kind {
	case "files":
		if found := Files(words); len(found) > 0 {
			if !t.FilesDeclared {
				t.FilesDeclared, t.Files = true, nil
			}
			t.Files = appendNew(t.Files, found...)
		}
	case "tests":
		t.Tests = appendNew(t.Tests, Files(words)...)
	case "acceptance":
		t.Acceptance = appendNew(t.Acceptance, words)
	case "requirements":
		for one := range strings.FieldsFuncSeq(words, func(r rune) bool { return strings.ContainsRune(",;，、；", r) }) {
			t.Requirements = appendNew(t.Requirements, strings.TrimSpace(one))
		}
	case "status":
		t.status = words
	case "":
		if !t.FilesDeclared {
			t.Files = appendNew(t.Files, Files(words)...)
		}
	}
}
