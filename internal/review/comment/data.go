package comment

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

type object = map[string]any

// get gives the member of the first of several names, however it is spelled.
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
// false when the text is no JSON. Lines of the text are counted from 0.
func decode(source string, x *Index) ([]Reason, bool) {
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
	r := data{source: source, names: x.in(source)}
	r.value(v, "", "", 0)
	return r.found, true
}

type data struct {
	source string
	names  *names
	found  []Reason
}

const nested = 40 // levels that are followed

func (r *data) value(v any, sev Severity, off string, depth int) {
	if list, ok := v.([]any); ok {
		for _, inner := range list {
			r.value(inner, sev, off, depth)
		}
	}
	o, ok := v.(object)
	if !ok || depth > nested {
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
	body, off := word(get(o, "body", "message", "comment", "description")), ""
	for _, at := range sentences(body, nil) {
		how := meant(body[at[0]:at[1]])
		if how == asks || how == plain {
			return ""
		}
		off = reasons[how]
	}
	return off
}

// located takes the place that an object gives.
func (r *data) located(o object, file string, sev Severity, off string) {
	m := r.names.scan("`"+strings.ReplaceAll(file, "`", "")+"`", nil)
	if len(m) != 1 || m[0].path == "" {
		return
	}
	spans := m[0].spans
	if len(spans) == 0 {
		spans = linesOf(o)
	}
	if sev == "" {
		sev = labelIn(word(get(o, "body", "message", "comment")))
	}
	why := off
	if off == "" {
		why = "in the structured result"
	}
	line := strings.Count(r.source[:max(strings.Index(r.source, file), 0)], "\n")
	for _, s := range orWhole(spans) {
		r.found = append(r.found, Reason{Place{m[0].path, s.start, s.end, orNone(sev)}, line, off == "", why})
	}
}

// linesOf reads the lines of an object in the forms that tools give them.
func linesOf(o object) []lines {
	if r, ok := get(o, "region", "range").(object); ok {
		return linesOf(r)
	}
	start := get(o, "linestart", "startline", "start", "fromline", "lines", "line", "lineno", "linenumber", "originalline")
	end := get(o, "lineend", "endline", "end", "toline", "line") // a code host's comment is from start_line to line
	if from, ok := start.(object); ok {
		first, last := linesOf(from), []lines(nil)
		if to, ok := end.(object); ok {
			last = linesOf(to)
		}
		if len(first) == 1 && len(last) == 1 && last[0].end >= first[0].start {
			first[0].end = last[0].end
		}
		return first
	}
	if list, ok := start.([]any); ok && len(list) > 0 {
		return spansOf(word(list[0]), word(list[len(list)-1]), "")
	}
	if m := cue("listed").FindAllStringSubmatch(word(start), 1); m != nil {
		_, rest, _ := strings.Cut(word(start), m[0][0])
		if _, number := end.(json.Number); number && m[0][2] == "" {
			return spansOf(m[0][1], word(end), rest)
		}
		return spansOf(m[0][1], m[0][2], rest)
	}
	return nil
}
