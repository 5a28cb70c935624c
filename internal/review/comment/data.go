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

// member returns the value of the first of several names, ignoring case, spaces, dashes and
// underscores in keys.
func member(o object, names ...string) any {
	for _, name := range names {
		for _, k := range slices.Sorted(maps.Keys(o)) {
			if strings.EqualFold(strings.NewReplacer("_", "", "-", "", " ", "").Replace(k), name) {
				return o[k]
			}
		}
	}
	return nil
}

// scalarText returns a string, a number or a boolean as text, "" for other values.
func scalarText(v any) string {
	switch v := v.(type) {
	case string, json.Number, bool:
		return fmt.Sprint(v)
	}
	return ""
}

// readJSON reads findings in JSON: objects with a file, lines and a severity. It returns false if
// the text is not JSON. first is the review's line at which the text begins.
func readJSON(source string, first int, x *Index) ([]Reason, bool) {
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
	r := data{source: source, first: first, resolver: x.newResolver(source), after: map[string]int{}}
	r.readValue(v, "", "", 0)
	return r.reasons, true
}

type data struct {
	source   string
	first    int
	after    map[string]int // by file: where its name was found last
	resolver *resolver
	reasons  []Reason
}

func (r *data) readValue(v any, sev Severity, off string, depth int) {
	if list, ok := v.([]any); ok {
		for _, inner := range list {
			r.readValue(inner, sev, off, depth)
		}
	}
	o, ok := v.(object)
	if !ok || depth > maxDepth {
		return
	}
	if got := sentenceLabel(scalarText(member(o, "severity", "level", "priority", "sev", "importance"))); got != "" {
		sev = got
	}
	if off == "" {
		off = objectSkipReason(o)
	}
	if file, ok := member(o, "file", "path", "filename", "filepath", "uri", "location").(string); ok {
		r.addPlace(o, file, sev, off)
	}
	for _, k := range slices.Sorted(maps.Keys(o)) {
		why, worst := off, sev
		name := strings.ReplaceAll(k, "_", " ")
		if _, list := o[k].([]any); list && sentenceLabel(name) != "" { // "blocking": [ … ]
			worst = sentenceLabel(name)
		}
		if why == "" && hasCue("listedOff", name) {
			why = "listed under " + name
		}
		r.readValue(o[k], worst, why, depth+1)
	}
}

// objectSkipReason returns why an object does not ask for a change, "" if it does.
func objectSkipReason(o object) string {
	if hasCue("approved", scalarText(member(o, "verdict", "decision", "event"))) {
		return "the review approves"
	}
	status := strings.ReplaceAll(scalarText(member(o, "status", "state", "resolution", "disposition")), "_", " ")
	if hasCue("doneWords", status) || headingStance(status) == stanceSettles ||
		scalarText(member(o, "resolved", "dismissed", "fixed", "suppressed")) == "true" {
		return reasons[stanceSettles]
	}
	how, body := stancePlain, scalarText(member(o, "body", "message", "comment", "description"))
	for _, at := range splitSentences(body, nil) {
		if how = sentenceStance(body[at[0]:at[1]]); how == stanceAsks || how == stancePlain {
			break
		}
	}
	return reasons[how]
}

// addPlace adds the place of an object.
func (r *data) addPlace(o object, file string, sev Severity, off string) {
	m := r.resolver.findMentions("`" + strings.ReplaceAll(file, "`", "") + "`")
	if len(m) != 1 || m[0].path == "" {
		return
	}
	if len(m[0].spans) == 0 {
		m[0].spans = readLines(o)
	}
	sev = cmp.Or(sev, sentenceLabel(scalarText(member(o, "body", "message", "comment"))), Unlabelled)
	r.after[file] += max(strings.Index(r.source[r.after[file]:], `"`+file+`"`)+1, 0)
	at := r.first + strings.Count(r.source[:r.after[file]], "\n")
	for _, s := range orWholeFile(m[0].spans) {
		r.reasons = append(r.reasons, Reason{Place{m[0].path, s.start, s.end, sev}, at, off == "", cmp.Or(off, "in the structured result")})
	}
}

// readLines reads the lines of an object in the formats of various tools.
func readLines(o object) []lineRange {
	if r, ok := member(o, "region", "range").(object); ok {
		o = r
	}
	start := member(o, "linestart", "startline", "start", "fromline", "lines", "line", "lineno", "linenumber", "originalline")
	end := member(o, "lineend", "endline", "end", "toline", "line") // a forge's comment is from start_line to line
	if list, ok := start.([]any); ok && len(list) > 0 {
		start, end = list[0], list[len(list)-1]
	}
	if first, ok := start.(object); ok {
		last, _ := end.(object)
		start, end = member(first, "line"), member(last, "line")
	}
	m := cue("listed").FindStringSubmatch(scalarText(start))
	if m == nil {
		return nil
	}
	_, rest, _ := strings.Cut(scalarText(start), m[0])
	return parseSpans(m[1], cmp.Or(m[2], scalarText(end)), rest)
}
