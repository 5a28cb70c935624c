package config

import (
	"bytes"
	"encoding/json"

	"github.com/belay-dev/belay/internal/belay"
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

// schema is that of the value, with what the key adds.
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
