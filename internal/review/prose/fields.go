package prose

import "strings"

// Reviewers, and the programs among them, give a finding as a form: "File: a.go",
// "Line: 3", "Severity: High", one below the other, as a list, or in one line with bars.
// Such a form says what a table's row says, and becomes one.

// places are the names of the field that says where.
var places = fieldNames(`file|files|file(s)|affected file|affected files|location|locations|path|where|place|file path|filename|datei|dateien|pfad|ort|stelle|fundstelle|archivo|archivos|fichero|ruta|ubicación|lugar|
fichier|fichiers|emplacement|chemin|arquivo|arquivos|caminho|local|ファイル|場所|対象|文件|位置`)

// fields are the names of the others.
var fields = fieldNames(`line|lines|line(s)|line number|line range|severity|priority|level|category|type|kind|status|state|problem|issue|description|details|detail|message|finding|summary|impact|fix|suggested fix|proposed fix|suggestion|
recommendation|recommended fix|remediation|action|rationale|reason|why|evidence|confidence|rule|title|effort|how to fix|comment|explanation|risk|resolution|decision|outcome|disposition|verdict|prio|what|id|cwe|
zeile|zeilen|schweregrad|priorität|beschreibung|vorschlag|empfehlung|lösung|línea|líneas|gravedad|severidad|prioridad|descripción|sugerencia|recomendación|estado|problema|
ligne|lignes|gravité|sévérité|priorité|recommandation|statut|problème|linha|linhas|gravidade|severidade|descrição|sugestão|recomendação|correção|行|行番号|重要度|優先度|説明|問題|修正案|状態|行号|严重程度|严重性|优先级|描述|问题|建议|状态`)

func fieldNames(list string) map[string]bool {
	out := map[string]bool{}
	for _, n := range strings.Split(strings.ReplaceAll(list, "\n", ""), "|") {
		out[n] = true
	}
	return out
}

// fieldOf reads "**File:** `a.go`" as a name and a value.
func fieldOf(body string) (name, value string, ok bool) {
	at, size := strings.IndexByte(body, ':'), 1
	if wide := strings.Index(body, "："); wide >= 0 && (at < 0 || wide < at) {
		at, size = wide, len("：")
	}
	if at <= 0 || at > 40 {
		return "", "", false
	}
	name = strings.ToLower(strings.Trim(body[:at], "*_ "))
	value = strings.TrimSpace(strings.TrimLeft(body[at+size:], "*_"))
	return name, value, value != "" && (places[name] || fields[name])
}

// fieldsOf reads the fields of a line: one, or several with bars, dots or commas between.
func fieldsOf(body string) (names, values []string) {
	rest := body
	for rest != "" {
		part, after := rest, ""
		for i, r := range rest {
			if !strings.ContainsRune("|·•;,", r) {
				continue
			}
			next := strings.TrimSpace(rest[i+len(string(r)):])
			if _, _, ok := fieldOf(next); ok {
				part, after = strings.TrimSpace(rest[:i]), next
				break
			}
		}
		name, value, ok := fieldOf(part)
		if !ok {
			return nil, nil
		}
		names, values, rest = append(names, name), append(values, value), after
	}
	return names, values
}

// form reads the form that starts at the current line, if one does: at least two fields,
// one of them a place, none twice.
func (p *parser) form(indent int, body string) bool {
	marker := markerOf(body)
	first, _ := fieldsOf(strings.TrimSpace(body[marker:]))
	if first == nil {
		return false
	}
	var head, values []string
	seen, placed := map[string]bool{}, false
	end := p.at
	for ; end < len(p.lines) && end < p.at+40; end++ {
		line := strings.ReplaceAll(p.lines[end], "\t", "    ")
		b := strings.TrimSpace(line)
		in := len(line) - len(strings.TrimLeft(line, " "))
		m := markerOf(b)
		if b == "" || in < indent || end > p.at && in == indent && (m > 0) != (marker > 0) {
			break
		}
		names, vals := fieldsOf(strings.TrimSpace(b[m:]))
		if names == nil { // the text of a field goes on, but not that of a place
			if n := len(head); n > 0 && !places[head[n-1]] && m == 0 && fenceOf(b) == "" && b[0] != '>' && b[0] != '#' {
				values[n-1] += "\n" + b
				continue
			}
			break
		}
		if repeats(seen, names) {
			break
		}
		for k, n := range names {
			seen[n], placed = true, placed || places[n]
			head, values = append(head, n), append(values, vals[k])
		}
	}
	if len(head) < 2 || !placed {
		return false
	}
	p.pop(indent, p.gap)
	p.add(Unit{Kind: Row, Form: true, Text: strings.Join(values, " | "), Head: head, Cells: values, Parent: p.under(), Intro: None, Number: numberOf(body)})
	p.at = end
	p.close()
	p.gap, p.listed = false, true
	return true
}

func repeats(seen map[string]bool, names []string) bool {
	for _, n := range names {
		if seen[n] {
			return true
		}
	}
	return false
}
