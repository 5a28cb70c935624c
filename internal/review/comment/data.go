package comment

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/belay-dev/belay/internal/lazyregexp"
	"github.com/belay-dev/belay/internal/wordset"
)

// value is a JSON value whose members keep their order.
type value struct {
	kind byte // { [ s n b, 0 for null
	keys []string
	list []value
	text string
	at   int64 // offset in the text
}

var flat = strings.NewReplacer("_", "", "-", "", " ", "")

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

func readValue(d *json.Decoder, depth int) (value, bool) {
	t, err := d.Token()
	if err != nil || depth > nested {
		return value{}, false
	}
	switch t := t.(type) {
	case json.Delim:
		v := value{kind: byte(t), at: d.InputOffset()}
		for d.More() {
			if t == '{' {
				k, err := d.Token()
				name, ok := k.(string)
				if err != nil || !ok {
					return v, false
				}
				v.keys = append(v.keys, name)
			}
			inner, ok := readValue(d, depth+1)
			if !ok {
				return v, false
			}
			v.list = append(v.list, inner)
		}
		_, err := d.Token()
		return v, err == nil
	case string:
		return value{kind: 's', text: t, at: d.InputOffset()}, true
	case json.Number:
		return value{kind: 'n', text: t.String()}, true
	case bool:
		return value{kind: 'b', text: strconv.FormatBool(t)}, true
	}
	return value{}, true
}

// structured reads a review that is JSON as a whole.
func structured(text string, x *Index) ([]Reason, bool) {
	found, ok := decode(strings.TrimPrefix(text, "\ufeff"), x)
	for i := range found {
		found[i].Line++
	}
	return found, ok
}

// decode reads findings given as JSON: objects with a file, lines and a severity, in the
// order of the text. It is false when the text is no JSON. Lines of the text are from 0.
func decode(text string, x *Index) ([]Reason, bool) {
	if t := strings.TrimSpace(text); t == "" || t[0] != '{' && t[0] != '[' {
		return nil, false
	}
	d := json.NewDecoder(strings.NewReader(text))
	d.UseNumber()
	v, ok := readValue(d, 0)
	if !ok || d.More() {
		return nil, false
	}
	r := data{text: text, names: x.in(text)}
	r.object(v, "", "")
	return r.found, true
}

type data struct {
	text   string
	names  *names
	found  []Reason
	passed int // offset up to which line ends are counted
	line   int
}

var listedOff = wordset.Of(`dismissed ignored checkedok ok passed resolved wontfix reviewed filesreviewed reviewedfiles praise positives strengths skipped suppressed outofscope deferred followup followups
	falsepositives falsepositive fixed done context references related commands environment withdrawn notes filesread filesexamined unchanged approved good questions fileschanged changedfiles files`)

func (r *data) object(v value, sev Severity, off string) {
	if v.kind == '[' {
		for _, inner := range v.list {
			r.object(inner, sev, off)
		}
	}
	if v.kind != '{' {
		return
	}
	if s, ok := v.get("severity", "level", "priority", "sev", "importance"); ok && s.kind == 's' {
		if got := labelOver(s.text); got != "" {
			sev = got
		}
	}
	off = offBy(v, off)
	if f, ok := v.get("file", "path", "filename", "filepath", "uri", "location"); ok && f.kind == 's' {
		r.located(v, f, sev, off)
	}
	for k, inner := range v.list {
		if inner.kind != '{' && inner.kind != '[' {
			continue
		}
		why, worst := off, sev
		name := strings.ReplaceAll(v.keys[k], "_", " ")
		if got := labelOver(name); got != "" && inner.kind == '[' { // "blocking": [ … ]
			worst = got
		}
		if why == "" && listedOff.Has(strings.ToLower(flat.Replace(name))) {
			why = "listed under " + name
		}
		r.object(inner, worst, why)
	}
}

// offBy tells why an object asks for nothing.
func offBy(v value, off string) string {
	if off != "" {
		return off
	}
	if s, ok := v.get("verdict", "decision", "event"); ok && s.kind == 's' && approvedWord.MatchString(s.text) {
		return "the review approves"
	}
	if s, ok := v.get("status", "state", "resolution", "disposition"); ok && s.kind == 's' && (doneWords.MatchString(strings.ReplaceAll(s.text, "_", " ")) || over(s.text) == settles) {
		return reasons[settles]
	}
	if s, ok := v.get("resolved", "dismissed", "fixed", "suppressed"); ok && s.text == "true" {
		return reasons[settles]
	}
	if s, ok := v.get("body", "message", "comment", "description"); ok && s.kind == 's' {
		for _, at := range sentences(s.text, nil) {
			if how := meant(s.text[at[0]:at[1]]); how == asks || how == plain {
				return ""
			} else if off == "" {
				off = reasons[how]
			}
		}
	}
	return off
}

var approvedWord = lazyregexp.New(`(?i)^(?:approved?|accept(?:ed)?|lgtm|pass(?:ed)?)$`)

// located takes the place that an object gives.
func (r *data) located(v, file value, sev Severity, off string) {
	m := r.names.scan("`"+strings.ReplaceAll(file.text, "`", "")+"`", nil)
	if len(m) != 1 || m[0].path == "" {
		return
	}
	spans := m[0].spans
	if len(spans) == 0 {
		spans = linesOf(v)
	}
	if len(spans) == 0 {
		spans = []lines{{}}
	}
	if sev == "" {
		if b, ok := v.get("body", "message", "comment"); ok {
			sev = labelIn(b.text)
		}
	}
	if sev == "" {
		sev = Unlabelled
	}
	if at := int(file.at); at > r.passed {
		r.line += strings.Count(r.text[r.passed:at], "\n")
		r.passed = at
	}
	why := off
	if off == "" {
		why = "in the structured result"
	}
	for _, s := range spans {
		r.found = append(r.found, Reason{Place{m[0].path, s.start, s.end, sev}, r.line, off == "", why})
	}
}

// linesOf reads the lines of an object in the forms that tools give them.
func linesOf(v value) []lines {
	if r, ok := v.get("region", "range"); ok && r.kind == '{' {
		return linesOf(r)
	}
	start, _ := v.get("linestart", "startline", "start", "fromline", "lines", "line", "lineno", "linenumber")
	end, ended := v.get("lineend", "endline", "end", "toline")
	if !ended && start.text != "" { // of a comment on a code host: start_line to line
		if l, ok := v.get("line"); ok {
			end = l
		}
	}
	if start.text == "" && start.kind == 0 {
		start, _ = v.get("line", "originalline")
	}
	switch {
	case start.kind == '{':
		from, to := linesOf(start), linesOf(end)
		if len(from) == 1 && len(to) == 1 && to[0].end >= from[0].start {
			from[0].end = to[0].end
		}
		return from
	case start.kind == '[' && len(start.list) == 2:
		return spansOf(start.list[0].text, start.list[1].text, "")
	case start.kind == '[' && len(start.list) > 0:
		return spansOf(start.list[0].text, "", "")
	case end.kind == 'n':
		return spansOf(start.text, end.text, "")
	}
	if m := listed.FindAllStringSubmatch(start.text, 1); m != nil {
		_, rest, _ := strings.Cut(start.text, m[0][0])
		return spansOf(m[0][1], m[0][2], rest)
	}
	return nil
}
