// Package result reads reviews that are given as data: JSON of a reviewing program, rows
// of a table. It tells what they say of which name; whether it is a file, and which, is
// decided by whoever asks. It touches no file.
package result

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/belay-dev/belay/internal/review/spot"
	"github.com/belay-dev/belay/internal/review/talk"
	"github.com/belay-dev/belay/internal/review/token"
)

// value is a JSON value whose members keep their order.
type value struct {
	kind byte // { [ s n or 0
	keys []string
	list []value
	text string
}

var flat = strings.NewReplacer("_", "", "-", "")

func (v value) get(names ...string) (value, bool) {
	for _, name := range names {
		for i, k := range v.keys {
			if strings.EqualFold(flat.Replace(k), name) {
				return v.list[i], true
			}
		}
	}
	return value{}, false
}

const nested = 40

func decode(d *json.Decoder, depth int) (value, bool) {
	t, err := d.Token()
	if err != nil || depth > nested {
		return value{}, false
	}
	switch t := t.(type) {
	case json.Delim:
		v := value{kind: byte(t)}
		if t != '{' && t != '[' {
			return v, false
		}
		for d.More() {
			if t == '{' {
				k, err := d.Token()
				name, ok := k.(string)
				if err != nil || !ok {
					return v, false
				}
				v.keys = append(v.keys, name)
			}
			inner, ok := decode(d, depth+1)
			if !ok {
				return v, false
			}
			v.list = append(v.list, inner)
		}
		_, err := d.Token()
		return v, err == nil
	case string:
		return value{kind: 's', text: t}, true
	case json.Number:
		return value{kind: 'n', text: t.String()}, true
	case bool:
		return value{kind: 'b', text: strconv.FormatBool(t)}, true
	}
	return value{}, true
}

// Found is a place that an object of a result gives.
type Found struct {
	Name     *spot.Mention
	Spans    []spot.Span
	Severity talk.Severity
	Off      string // why it is no place to change; "" when it is
}

// JSON reads a result given as JSON: objects with a file, lines and a severity, in the
// order of the text. It is false when the text is no JSON. sev and off are what stands
// above it.
func JSON(rd *spot.Reader, text string, sev talk.Severity, off string) ([]Found, bool) {
	text = strings.TrimSpace(text)
	if text == "" || text[0] != '{' && text[0] != '[' {
		return nil, false
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	v, ok := decode(d, 0)
	if !ok {
		return nil, false
	}
	r := reading{rd: rd}
	r.object(v, sev, off)
	return r.found, true
}

type reading struct {
	rd    *spot.Reader
	found []Found
}

var outKeys = map[string]bool{}

func init() {
	for _, k := range strings.Fields(`dismissed ignored checkedok ok passed resolved wontfix reviewed filesreviewed praise positives strengths skipped suppressed outofscope deferred followup followups
		falsepositives falsepositive fixed done context references related commands environment withdrawn notes filesread filesexamined unchanged approved good questions`) {
		outKeys[k] = true
	}
}

func (r *reading) object(v value, sev talk.Severity, off string) {
	if v.kind == '[' {
		for _, inner := range v.list {
			r.object(inner, sev, off)
		}
		return
	}
	if v.kind != '{' {
		return
	}
	if s, ok := v.get("severity", "level", "priority", "sev", "importance"); ok && s.kind == 's' {
		if got := talk.Headed(token.Scan(r.rd, s.text)); got != "" {
			sev = got
		}
	}
	if s, ok := v.get("status", "state", "resolution", "disposition"); ok && s.kind == 's' && off == "" {
		toks := token.Scan(r.rd, strings.ReplaceAll(s.text, "_", " "))
		c := talk.Clause{B: len(toks)}
		talk.Weigh(toks, &c, false)
		off = c.Neg
	}
	if s, ok := v.get("resolved", "dismissed", "fixed", "suppressed"); ok && s.text == "true" && off == "" {
		off = "settled"
	}
	if f, ok := v.get("file", "path", "filename", "filepath", "uri", "location"); ok && f.kind == 's' {
		r.located(v, f.text, sev, off)
	}
	for k, inner := range v.list {
		if inner.kind != '{' && inner.kind != '[' {
			continue
		}
		why, label := off, sev
		if got := talk.Headed(token.Scan(r.rd, strings.ReplaceAll(v.keys[k], "_", " "))); got != "" && inner.kind == '[' { // "blocking": [ … ]
			label = got
		}
		if outKeys[strings.ToLower(flat.Replace(v.keys[k]))] && why == "" {
			why = "listed under " + v.keys[k]
		}
		r.object(inner, label, why)
	}
}

// located takes the place an object gives.
func (r *reading) located(v value, file string, sev talk.Severity, off string) {
	m := r.rd.Mention(file, true)
	if m == nil {
		return
	}
	spans := m.Spans
	if len(spans) == 0 {
		spans = linesOf(v)
	}
	if len(spans) == 0 {
		spans = []spot.Span{{}}
	}
	r.found = append(r.found, Found{m, spans, sev, off})
}

func linesOf(v value) []spot.Span {
	if r, ok := v.get("region", "range"); ok && r.kind == '{' {
		return linesOf(r)
	}
	start, _ := v.get("linestart", "startline", "line", "lineno", "linenumber", "start", "lines", "fromline")
	end, _ := v.get("lineend", "endline", "end", "toline")
	if start.kind == '{' {
		from := linesOf(start)
		if to := linesOf(end); end.kind == '{' && len(from) == 1 && len(to) == 1 && to[0].End >= from[0].Start {
			from[0].End = to[0].End
		}
		return from
	}
	if start.kind == '[' && len(start.list) > 0 {
		if len(start.list) == 2 {
			return listOf(start.list[0].text + "-" + start.list[1].text)
		}
		return listOf(start.list[0].text)
	}
	if end.kind == 'n' || end.kind == 's' && end.text != "" {
		return listOf(start.text + "-" + end.text)
	}
	return listOf(start.text)
}

func listOf(text string) []spot.Span {
	spans, _ := spot.LineList(strings.TrimLeft(strings.ReplaceAll(text, " ", ""), "Ll"), 0)
	return spans
}
