package config

import (
	"bytes"
	"encoding/json"

	"github.com/belay-dev/belay/internal/units"
)

const (
	durationPattern = `^(0|([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|ms|s|m|h))(([0-9]+(\.[0-9]*)?|\.[0-9]+)(ns|us|µs|ms|s|m|h))*$`
	sizePattern     = `^(0|([0-9]+(\.[0-9]*)?|\.[0-9]+) *([KMGTkmgt][Ii]?)?[Bb])$`
	noSizePattern   = `^[0. ]*([KMGTkmgt][Ii]?)?[Bb]?$`
	itemPattern     = `^[^\u0000-\u001f\u007f-\u009f]*[^\u0000-\u0020\u007f-\u00a0][^\u0000-\u001f\u007f-\u009f]*$`
	wordPattern     = `\S`
)

// Schema is the JSON Schema (draft 2020-12) of a config, indented, with a final newline.
// Editors complete and check with it; Parse checks more.
func Schema() []byte {
	root := schemaOf("")
	root["$schema"] = "https://json-schema.org/draft/2020-12/schema"
	root["title"] = "belay: " + File
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(root); err != nil {
		panic(err) // maps and texts only
	}
	return b.Bytes()
}

// schemaOf is the schema of the group prefix, which is "" or ends in a dot.
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

// schema allows null everywhere: a key without a value is not set.
func (k key) schema() map[string]any {
	s := map[string]any{"description": k.doc}
	switch k.kind {
	case kindVersion:
		s["enum"] = []any{1, nil}
	case kindWhole:
		s["type"], s["minimum"], s["maximum"] = []string{"integer", "null"}, k.least, most
	case kindTruth:
		s["type"] = []string{"boolean", "null"}
	case kindMoney:
		s["type"], s["minimum"] = []string{"number", "null"}, 0
	case kindDuration:
		s["anyOf"] = either(map[string]any{"type": "string", "pattern": durationPattern}, map[string]any{"const": 0})
	case kindSize:
		text := map[string]any{"type": "string", "pattern": sizePattern}
		if s["anyOf"] = either(text, map[string]any{"const": 0}); k.least > 0 {
			text["not"] = map[string]any{"pattern": noSizePattern}
			s["anyOf"] = either(text)
		}
	case kindRetry, kindFormat, kindMode, kindRemarks, kindReviewer:
		var values []any
		for _, c := range k.choices() {
			values = append(values, c)
		}
		s["enum"] = append(values, nil)
	case kindText:
		s["type"], s["pattern"] = []string{"string", "null"}, itemPattern
	case kindVariable:
		s["type"], s["pattern"] = []string{"string", "null"}, oneVariable.String()
	case kindList, kindNames:
		pattern := itemPattern
		if k.kind == kindNames {
			pattern = variable.String()
		}
		s["type"], s["items"] = []string{"array", "null"}, map[string]any{"type": "string", "pattern": pattern}
	case kindArgs, kindShell:
		args := map[string]any{"type": "array", "minItems": 1, "items": map[string]any{"type": "string"},
			"prefixItems": []any{map[string]any{"type": "string", "pattern": wordPattern}}}
		s["anyOf"] = either(map[string]any{"type": "string", "pattern": wordPattern}, args)
	}
	if units.IsNumber(k.def) {
		s["default"] = json.Number(k.def)
	} else if k.kind == kindTruth {
		s["default"] = k.def == "true"
	} else if k.def != "" {
		s["default"] = k.def
	}
	return s
}

func either(one ...any) []any { return append(one, map[string]any{"type": "null"}) }
