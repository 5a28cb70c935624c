package install

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/tailscale/hujson"
	"pgregory.net/rapid"
)

const program = "/usr/local/bin/belay"

// merging returns the agents whose settings file belay shares.
func merging() (list []integration) {
	for _, in := range integrations() {
		if in.ownFile == nil {
			list = append(list, in)
		}
	}
	return list
}

// recordOf returns the record of an insertion.
func recordOf(in integration, before []byte, d *document) *installRecord {
	return &installRecord{Original: digest(before), Result: digest(d.text), AddedSpans: d.addedSpans, KeptContainers: in.containers(before)}
}

// TestInsert inserts into typical documents.
func TestInsert(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ before, after string }{
		"empty file":   {"", "{\n  \"hooks\": {\n    \"x\": [\n      1\n    ]\n  }\n}\n"},
		"empty object": {"{}", "{\n  \"hooks\": {\n    \"x\": [\n      1\n    ]\n  }\n}"},
		"tabs":         {"{\n\t\"a\": 1\n}\n", "{\n\t\"a\": 1,\n\t\"hooks\": {\n\t\t\"x\": [\n\t\t\t1\n\t\t]\n\t}\n}\n"},
		"CRLF":         {"{\r\n  \"a\": 1\r\n}", "{\r\n  \"a\": 1,\r\n  \"hooks\": {\r\n    \"x\": [\r\n      1\r\n    ]\r\n  }\r\n}"},
		"one line":     {`{"a":1}`, `{"a":1,"hooks":{"x":[1]}}`},
		"BOM":          {byteOrderMark + "{\"a\": 1}", byteOrderMark + `{"a": 1,"hooks":{"x":[1]}}`},
		"a list on one line": {"{\n  \"hooks\": {\n    \"x\": [0, 0]\n  }\n}",
			"{\n  \"hooks\": {\n    \"x\": [0, 0, 1]\n  }\n}"},
		"a trailing comma": {"{\n  \"hooks\": {\n    \"x\": [\n      0,\n    ],\n  },\n}",
			"{\n  \"hooks\": {\n    \"x\": [\n      0,\n      1,\n    ],\n  },\n}"},
		"a comment behind": {"{\n  \"a\": 1 // one\n}", "{\n  \"a\": 1, // one\n  \"hooks\": {\n    \"x\": [\n      1\n    ]\n  }\n}"},
		"a comment alone":  {"{\n  // nothing yet\n}", "{\n  // nothing yet\n  \"hooks\": {\n    \"x\": [\n      1\n    ]\n  }\n}"},
		"the same key twice": {"{\"hooks\":{\"x\":[7]},\"hooks\":{\"x\":[0]}}",
			"{\"hooks\":{\"x\":[7]},\"hooks\":{\"x\":[0,1]}}"},
		"a comment at the end": {"{\n  \"hooks\": {}\n} // end", "{\n  \"hooks\": {\n    \"x\": [\n      1\n    ]\n  }\n} // end"},
	} {
		d := document{text: []byte(c.before)}
		if err := d.appendTo(1, "hooks", "x"); err != nil {
			t.Errorf("%s: %v", name, err)
		} else if string(d.text) != c.after {
			t.Errorf("%s: %q, want %q", name, d.text, c.after)
		}
		if back := cutSpans(d.text, d.addedSpans); string(back) != c.before {
			t.Errorf("%s: removed again: %q, want %q", name, back, c.before)
		}
	}
}

// The error must say why the hooks cannot be added, and where.
func TestRefused(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"{\n  \"a\": 1,,\n}":              "line 2, column 10",
		"[]":                              "the document is an array instead of an object",
		`{"hooks": null}`:                 `"hooks" is null instead of an object`,
		`{"hooks": {"Stop": {}}}`:         `"hooks.Stop" is an object instead of an array`,
		`{"hooks": {"Stop": "x"}}`:        `"hooks.Stop" is a string instead of an array`,
		"{\"a\": 1}\n{\"b\": 2}\n":        "line 2, column 1",
		"{\"a\": \"":                      "line 1",
		"\x1f\x8b\x08":                    "line 1, column 1",
		`{"hooks": {"PreToolUse": [`:      "line 1",
		`{"hooks": {"PreToolUse": true}}`: "instead of an array",
	} {
		_, err := integrations()[0].insert([]byte(text), program)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// space generates what may stand between tokens.
func space(t *rapid.T) string {
	return rapid.SampledFrom([]string{"", "", " ", "\n", "\n  ", "\t", "\r\n\t", " /* a */ ", " // b\n", "\n// c\r\n  "}).Draw(t, "space")
}

// value generates a JSON value with comments and trailing commas.
func value(t *rapid.T, depth int) string {
	kinds := []string{"number", "text", "null", "array", "object"}
	if depth == 0 {
		kinds = kinds[:3]
	}
	switch rapid.SampledFrom(kinds).Draw(t, "kind") {
	case "number":
		return fmt.Sprint(rapid.Int().Draw(t, "number"))
	case "text":
		text, _ := json.Marshal(rapid.String().Draw(t, "text"))
		return string(text)
	case "array":
		return list(t, "[", "]", func() string { return value(t, depth-1) })
	case "object":
		return object(t, depth)
	}
	return "null"
}

func list(t *rapid.T, open, close string, one func() string) string {
	out := open
	n := rapid.IntRange(0, 3).Draw(t, "items")
	for i := range n {
		out += space(t) + one() + space(t)
		if i < n-1 || rapid.Bool().Draw(t, "trailing") {
			out += ","
		}
	}
	return out + space(t) + close
}

// object generates an object, sometimes with other programs' hooks or a repeated name.
func object(t *rapid.T, depth int) string {
	return list(t, "{", "}", func() string {
		name := rapid.SampledFrom([]string{"a", "b", "version", "hooks", "PreToolUse", "Stop"}).Draw(t, "name")
		text := value(t, depth-1)
		switch {
		case name == "hooks" && depth == 3:
			text = object(t, depth-1)
		case name == "PreToolUse" || name == "Stop":
			text = list(t, "[", "]", func() string {
				return `{"matcher":"Bash","hooks":` + space(t) + `[{"type":"command","command":"true"}]}`
			})
		}
		return `"` + name + `"` + space(t) + ":" + space(t) + text
	})
}

// draw generates a document.
func draw(t *rapid.T) []byte {
	text := space(t) + object(t, 3) + space(t)
	if rapid.Bool().Draw(t, "BOM") {
		text = byteOrderMark + text
	}
	return []byte(text)
}

// For every document, inserting and then removing must restore the exact bytes, inserting twice
// must equal inserting once, and no value except belay's may change.
func TestInverse(t *testing.T) {
	t.Parallel()
	agents := merging()
	rapid.Check(t, func(t *rapid.T) {
		in := rapid.SampledFrom(agents).Draw(t, "agent")
		before := draw(t)
		d, err := in.insert(before, program)
		if err != nil {
			return // hooks is not an object
		}
		if ok, err := in.isCurrent(d.text, program); !ok || err != nil {
			t.Fatalf("inserting twice is not the same: %v\n%s", err, d.text)
		}
		back, err := in.strip(d.text, recordOf(in, before, d))
		if err != nil || !bytes.Equal(back, before) {
			t.Fatalf("before %q\nafter  %q\n%v", before, back, err)
		}
		// Without the record, but with the containers that existed before, the values must be the
		// same.
		back, err = in.strip(d.text, &installRecord{KeptContainers: in.containers(before)})
		if err != nil {
			t.Fatalf("%v\n%s", err, d.text)
		}
		was, _ := decodeJSON(before).(map[string]any)
		is, _ := decodeJSON(back).(map[string]any)
		if _, had := was["version"]; in.hasVersion && !had {
			delete(is, "version")
		}
		if !reflect.DeepEqual(was, is) {
			t.Fatalf("before %s\nwith   %s\nafter  %s", before, d.text, back)
		}
	})
}

// If the file was edited elsewhere, the hooks must be removed and the edit kept.
func TestStripAfterAnEdit(t *testing.T) {
	t.Parallel()
	for _, in := range merging() {
		for _, before := range []string{"{\n  \"a\": 1\n}\n", "{\"a\": 1}", "{\n  \"a\": 1, // one\n}\n", "{\n\t\"hooks\": {},\n\t\"a\": 1\n}\n"} {
			d, err := in.insert([]byte(before), program)
			if err != nil {
				t.Fatal(err)
			}
			edited := bytes.Replace(d.text, []byte(`"a": 1`), []byte(`"a": 12345`), 1)
			back, err := in.strip(edited, recordOf(in, []byte(before), d))
			want := strings.Replace(before, `"a": 1`, `"a": 12345`, 1)
			if in.hasVersion {
				continue // its "version" is kept
			}
			if err != nil || string(back) != want {
				t.Errorf("%s: %q, %v; want %q", in.name, back, err, want)
			}
		}
	}
}

// Other programs' hooks in the same list and group must be kept.
func TestStripLeavesOthers(t *testing.T) {
	t.Parallel()
	in := integrations()[0]
	const ours = `{"type":"command","command":"/opt/old/belay","args":["hook","claude"]}`
	for text, want := range map[string]string{
		`{"hooks":{"Stop":[{"hooks":[` + ours + `,{"type":"command","command":"lint"}]}]}}`: `{"hooks":{"Stop":[{"hooks":[{"type":"command","command":"lint"}]}]}}`,
		`{"hooks":{"Stop":[{"hooks":[{"command":"lint"},` + ours + `]}]}}`:                  `{"hooks":{"Stop":[{"hooks":[{"command":"lint"}]}]}}`,
		`{"hooks":{"Stop":[{"hooks":[` + ours + `]},{"hooks":[]}]}}`:                        `{"hooks":{"Stop":[{"hooks":[]}]}}`,
		`{"a":1,"hooks":{"Stop":[{"hooks":[` + ours + `]}]}}`:                               `{"a":1}`,
		`{"hooks":{"Stop":[{"hooks":[{"command":"belayed hook codex"}]}]}}`:                 `{"hooks":{"Stop":[{"hooks":[{"command":"belayed hook codex"}]}]}}`,
	} {
		if got, err := in.strip([]byte(text), nil); err != nil || string(got) != want {
			t.Errorf("%s: %s, %v; want %s", text, got, err, want)
		}
	}
}

// For every file, inserting must lose nothing, and nothing may panic.
func FuzzDocument(f *testing.F) {
	for _, text := range []string{"", "{}", "{\"hooks\":{\"Stop\":[]}}", byteOrderMark + "{\r\n\t\"a\":1,//x\r\n}", "{/**/}", "[", "{\"a\":1}//", "\"hooks\""} {
		f.Add([]byte(text))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, in := range merging() {
			_, _ = in.strip(text, nil)
			d, err := in.insert(text, program)
			if err != nil {
				continue
			}
			if back := cutSpans(d.text, d.addedSpans); !bytes.Equal(back, text) {
				t.Fatalf("%s: %q became %q", in.name, text, back)
			}
			if _, err := hujson.Parse(append(bytes.TrimPrefix(d.text, []byte(byteOrderMark)), '\n')); err != nil {
				t.Fatalf("%s: %q is not JSON: %v", in.name, d.text, err)
			}
		}
	})
}
