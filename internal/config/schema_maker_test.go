package config

import (
	"bytes"
	"encoding/json"
	"slices"

	"github.com/belay-dev/belay/internal/belay"
)

const (
	durationPattern = `^(0|([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|ms|s|m|h))(([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|ms|s|m|h))*$`
	sizePattern     = `^(0|([0-9]+(\.[0-9]*)?|\.[0-9]+) *([KMGTkmgt][Ii]?)?[Bb])$`
	noSizePattern   = `^[0. ]*([KMGTkmgt][Ii]?)?[Bb]?$`
	itemPattern     = `^[^\u0000-\u001f\u007f-\u009f]*[^\u0000-\u0020\u007f-\u00a0][^\u0000-\u001f\u007f-\u009f]*$`
	wordPattern     = `\S`
)

// Schema returns the JSON schema of a value. It allows null everywhere: a key without a
// value is not set.
func (r Rule) Schema() map[string]any {
	s := map[string]any{}
	switch r.Kind {
	case Version:
		s["enum"] = []any{1, nil}
	case Whole:
		s["type"], s["minimum"], s["maximum"] = []string{"integer", "null"}, r.Least, Most
	case Truth:
		s["type"] = []string{"boolean", "null"}
	case Money:
		s["type"], s["minimum"] = []string{"number", "null"}, 0
	case Duration:
		s["anyOf"] = either(map[string]any{"type": "string", "pattern": durationPattern}, map[string]any{"const": 0})
	case Size:
		text := map[string]any{"type": "string", "pattern": sizePattern}
		if s["anyOf"] = either(text, map[string]any{"const": 0}); r.Least > 0 {
			text["not"] = map[string]any{"pattern": noSizePattern}
			s["anyOf"] = either(text)
		}
	case Choice:
		s["enum"] = append(anys(r.Choices), nil)
	case Text:
		s["type"], s["pattern"] = []string{"string", "null"}, itemPattern
	case Variable:
		s["type"], s["pattern"] = []string{"string", "null"}, oneVariable.String()
	case Hours:
		s["type"], s["pattern"] = []string{"string", "null"}, hours.String()
	case List, Names:
		pattern := itemPattern
		if r.Kind == Names {
			pattern = variable.String()
		}
		item := map[string]any{"type": "string", "pattern": pattern}
		if len(r.Choices) > 0 {
			item = map[string]any{"enum": anys(r.Choices)}
		}
		s["type"], s["items"] = []string{"array", "null"}, item
	case Args, Shell:
		args := map[string]any{"type": "array", "minItems": 1, "items": map[string]any{"type": "string"},
			"prefixItems": []any{map[string]any{"type": "string", "pattern": wordPattern}}}
		s["anyOf"] = either(map[string]any{"type": "string", "pattern": wordPattern}, args)
	}
	return s
}

func anys(words []string) (out []any) {
	for _, w := range words {
		out = append(out, w)
	}
	return out
}

func either(one ...any) []any { return append(one, map[string]any{"type": "null"}) }

// Schema returns the JSON Schema (draft 2020-12) of a config, indented, with a final newline.
// Editors use it for completion and checks; Parse checks more.
func Schema() []byte {
	root := schemaOf("")
	root["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	root["title"] = "belay: " + File
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(root); err != nil {
		panic(err) // impossible: only maps and texts
	}
	return b.Bytes()
}

// schemaOf returns the schema of the group prefix, which is "" or ends in a dot.
func schemaOf(prefix string) map[string]any {
	properties := map[string]any{}
	var others any = false
	for _, child := range children(prefix) {
		name := prefix + child
		if child == anyName {
			one := schemaOf(name + ".")
			one["description"] = groups[name]
			others = one
			continue
		}
		if k, ok := tableKey(name); ok {
			properties[child] = k.schema()
			continue
		}
		group := schemaOf(name + ".")
		group["description"] = groups[name]
		properties[child] = group
	}
	s := map[string]any{"type": []string{"object", "null"}, "properties": properties, "additionalProperties": others}
	if others != false {
		s["propertyNames"] = map[string]any{"pattern": nameRule.String()}
	}
	return s
}

// schema returns the schema of the value, with the key's restrictions.
func (k key) schema() map[string]any {
	s := k.rule().Schema()
	s["description"] = k.doc
	if belay.IsNumber(k.def) {
		s["default"] = json.Number(k.def)
	} else if k.kind == Truth {
		s["default"] = k.def == "true"
	} else if k.def != "" {
		s["default"] = k.def
	}
	return s
}

// tableKey finds a key by its name in the table, wild or not.
func tableKey(name string) (key, bool) {
	i := slices.IndexFunc(keys, func(k key) bool { return k.name == name })
	if i < 0 {
		return key{}, false
	}
	return keys[i], true
}
