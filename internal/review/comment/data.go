package comment

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

type object = map[string]any

// get returns the member of the first of several names, however it is spelled.
func get(o object, names ...string) any {
	for _, name := range names {
		for _, k := range slices.Sorted(maps.Keys(o)) {
			if strings.EqualFold(strings.NewReplacer("_", "", "-", "", " ", "").Replace(k), name) {
				return o[k]
			}
		}
	}
	return nil
}

// word is a string, a number or a truth value as text, "" for all else.
func word(v any) string {
	switch v := v.(type) {
	case string, json.Number, bool:
		return fmt.Sprint(v)
	}
	return ""
}

// decode reads findings given as JSON: objects with a file, lines and a severity. It is
// false when the text is not JSON. first is the line of the review that it begins at.
func decode(source string, first int, x *Index) ([]Reason, bool) {
	source = strings.TrimPrefix(source, "\ufeff")
	if t := strings.TrimSpace(source); t == "" || t[0] != '{' && t[0] != '[' {
		return nil, false
	}
	d := json.NewDecoder(strings.NewReader(source))
	d.UseNumber()
	var v any
	if err := d.Decode(&v); err != nil || d.More() {
		return nil, false
	}
	r := data{source: source, first: first, names: x.in(source)}
	r.value(v, "", "", 0)
	return r.found, true
}

type data struct {
	source string
	first  int
	names  *names
	found  []Reason
}

func (r *data) value(v any, sev Severity, off string, depth int) {
	if list, ok := v.([]any); ok {
		for _, inner := range list {
			r.value(inner, sev, off, depth)
		}
	}
	o, ok := v.(object)
	if !ok || depth > deepest {
		return
	}
	if got := labelOver(word(get(o, "severity", "level", "priority", "sev", "importance"))); got != "" {
		sev = got
	}
	if off == "" {
		off = offBy(o)
	}
	if file, ok := get(o, "file", "path", "filename", "filepath", "uri", "location").(string); ok {
		r.located(o, file, sev, off)
	}
	for _, k := range slices.Sorted(maps.Keys(o)) {
		why, worst := off, sev
		name := strings.ReplaceAll(k, "_", " ")
		if _, list := o[k].([]any); list && labelOver(name) != "" { // "blocking": [ … ]
			worst = labelOver(name)
		}
		if why == "" && says("listedOff", name) {
			why = "listed under " + name
		}
		r.value(o[k], worst, why, depth+1)
	}
}

// offBy tells why an object asks for nothing.
func offBy(o object) string {
	if says("approved", word(get(o, "verdict", "decision", "event"))) {
		return "the review approves"
	}
	status := strings.ReplaceAll(word(get(o, "status", "state", "resolution", "disposition")), "_", " ")
	if says("doneWords", status) || over(status) == settles || word(get(o, "resolved", "dismissed", "fixed", "suppressed")) == "true" {
		return reasons[settles]
	}
	how, body := plain, word(get(o, "body", "message", "comment", "description"))
	for _, at := range sentences(body, nil) {
		if how = meant(body[at[0]:at[1]]); how == asks || how == plain {
			break
		}
	}
	return reasons[how]
}

// located takes the place that an object gives.
func (r *data) located(o object, file string, sev Severity, off string) {
	m := r.names.scan("`" + strings.ReplaceAll(file, "`", "") + "`")
	if len(m) != 1 || m[0].path == "" {
		return
	}
	if len(m[0].spans) == 0 {
		m[0].spans = linesOf(o)
	}
	sev = cmp.Or(sev, labelIn(word(get(o, "body", "message", "comment"))), Unlabelled)
	line := r.first + strings.Count(r.source[:max(strings.Index(r.source, file), 0)], "\n")
	for _, s := range orWhole(m[0].spans) {
		why := cmp.Or(off, "in the structured result")
		r.found = append(r.found, Reason{Place{m[0].path, s.start, s.end, sev}, line, off == "", why})
	}
}

// linesOf reads the lines of an object in the forms that tools give them.
func linesOf(o object) []lines {
	if r, ok := get(o, "region", "range").(object); ok {
		o = r
	}
	start := get(o, "linestart", "startline", "start", "fromline", "lines", "line", "lineno", "linenumber", "originalline")
	end := get(o, "lineend", "endline", "end", "toline", "line") // a code host's comment is from start_line to line
	if list, ok := start.([]any); ok && len(list) > 0 {
		start, end = list[0], list[len(list)-1]
	}
	if first, ok := start.(object); ok {
		last, _ := end.(object)
		start, end = get(first, "line"), get(last, "line")
	}
	m := cue("listed").FindStringSubmatch(word(start))
	if m == nil {
		return nil
	}
	_, rest, _ := strings.Cut(word(start), m[0])
	return spansOf(m[1], cmp.Or(m[2], word(end)), rest)
}
