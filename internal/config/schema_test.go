package config

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"
	"pgregory.net/rapid"

	"github.com/belay-dev/belay/internal/belay"
)

func TestSchemaFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join("..", "..", "docs", "config.schema.json")
	if *update {
		if err := os.WriteFile(path, Schema(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(text, Schema()) {
		t.Errorf("%s is not what Schema gives: go test ./internal/config -update (%v)", path, err)
	}
}

// fits validates v by the subset of JSON Schema that Schema uses, and fails for anything else.
func fits(schema map[string]any, v any) bool {
	for word, want := range schema {
		if !fitsWord(schema, word, want, v) {
			return false
		}
	}
	return true
}

func fitsWord(schema map[string]any, word string, want, v any) bool {
	text, isText := v.(string)
	number, isNumber := v.(float64)
	list, isList := v.([]any)
	object, isObject := v.(map[string]any)
	switch word {
	case "$schema", "title", "description", "default":
		return true
	case "type":
		return slices.ContainsFunc(types(want), func(name any) bool { return hasType(v, name.(string)) })
	case "enum":
		return slices.Contains(want.([]any), v)
	case "const":
		return want == v
	case "pattern":
		return !isText || regexp.MustCompile(want.(string)).MatchString(text)
	case "minimum":
		return !isNumber || number >= want.(float64)
	case "maximum":
		return !isNumber || number <= want.(float64)
	case "minItems":
		return !isList || float64(len(list)) >= want.(float64)
	case "items":
		return !isList || !slices.ContainsFunc(list, func(item any) bool { return !fits(want.(map[string]any), item) })
	case "prefixItems":
		return len(list) == 0 || fits(want.([]any)[0].(map[string]any), list[0])
	case "not":
		return !fits(want.(map[string]any), v)
	case "anyOf":
		return slices.ContainsFunc(want.([]any), func(s any) bool { return fits(s.(map[string]any), v) })
	case "propertyNames":
		for name := range object {
			if !fits(want.(map[string]any), name) {
				return false
			}
		}
		return true
	case "properties":
		for name, s := range want.(map[string]any) {
			if item, set := object[name]; set && !fits(s.(map[string]any), item) {
				return false
			}
		}
		return true
	case "additionalProperties":
		for name := range object {
			if _, known := schema["properties"].(map[string]any)[name]; isObject && !known {
				if others, ok := want.(map[string]any); !ok || !fits(others, object[name]) {
					return false
				}
			}
		}
		return true
	}
	panic("the schema uses " + word)
}

func types(want any) []any {
	if list, ok := want.([]any); ok {
		return list
	}
	return []any{want}
}

func hasType(v any, name string) bool {
	switch v := v.(type) {
	case nil:
		return name == "null"
	case string:
		return name == "string"
	case bool:
		return name == "boolean"
	case float64:
		return name == "number" || name == "integer" && v == math.Trunc(v)
	case []any:
		return name == "array"
	case map[string]any:
		return name == "object"
	}
	return false
}

// widenEscapes matches JavaScript's \uXXXX in a pattern, which becomes Go's \x{XXXX}.
var widenEscapes = regexp.MustCompile(`\\u([0-9a-f]{4})`)

func schemaForTest(t *testing.T) map[string]any {
	var schema map[string]any
	text := widenEscapes.ReplaceAll(bytes.ReplaceAll(Schema(), []byte(`\\u`), []byte(`\u`)), []byte(`\\x{$1}`))
	if err := json.Unmarshal(text, &schema); err != nil {
		t.Fatal(err)
	}
	return schema
}

// TestSchemaAgreesWithParse: the schema accepts what Parse accepts, and little more: a schema
// cannot express conditions between keys and the quoting of a command.
func TestSchemaAgreesWithParse(t *testing.T) {
	t.Parallel()
	schema := schemaForTest(t)
	scalars := []any{nil, true, 0.0, 1.0, 2.0, -1.0, 1.5, 1e12, "", " ", "x", "0", "30m", "1h30m", "-1s", "30", "1.5 GiB", "256MiB", "5 kb", "9 xb", "auto", "gotest", "A_B", "A*", "a b", "line\nbreak", "tab\t",
		[]any{}, []any{"a"}, []any{"a", "b c"}, []any{""}, []any{" "}, []any{"A", 1.0}, []any{"x\ny"}, []any{[]any{}}, map[string]any{}, map[string]any{"a": 1.0}}
	verdicts := map[bool]int{}
	for _, k := range keys {
		for _, v := range scalars {
			doc := any(v)
			parts := strings.Split(strings.Replace(k.name, anyName, "one", 1), ".")
			for _, part := range slices.Backward(parts) {
				doc = map[string]any{part: doc}
			}
			if k.name == testsFormat || k.name == testsReport { // they need a command, and each other
				tests := doc.(map[string]any)["checks"].(map[string]any)["tests"].(map[string]any)
				tests["command"] = "x"
				if k.name == testsReport {
					tests["format"] = "junit"
				}
				if k.name == testsReport && v == nil {
					continue
				}
			}
			if one, ok := doc.(map[string]any)["reviewers"]; ok && v != nil { // it needs a command
				one := one.(map[string]any)["one"].(map[string]any)
				if one["command"] == nil && one["endpoint"] == nil {
					one["command"] = "x"
				} else if one["endpoint"] != nil {
					one["model"] = "m"
				}
			}
			if k.name == "parser.agent" { // it names another part of the file
				continue
			}
			if one, ok := doc.(map[string]any)["parser"].(map[string]any); ok && v != nil && one["command"] == nil && one["timeout"] == nil {
				if one["model"] == nil {
					one["model"] = "m"
				}
				if one["endpoint"] == nil {
					one["endpoint"] = "http://localhost/v1"
				}
			}
			if one, ok := doc.(map[string]any)["guidelines"]; ok && v != nil { // it needs instructions
				one := one.(map[string]any)["one"].(map[string]any)
				action, _ := one["action"].(map[string]any)
				if one["instruction"] == nil && action["instruction"] == nil {
					one["instruction"] = "x"
				}
			}
			if one, ok := doc.(map[string]any)["standards"]; ok && v != nil {
				if one := one.(map[string]any)["one"].(map[string]any); one["files"] == nil {
					one["files"] = []any{"a"}
				}
			}
			if one, ok := doc.(map[string]any)["prices"]; ok && v != nil { // it needs both
				one := one.(map[string]any)["one"].(map[string]any)
				for _, name := range []string{"input", "output"} {
					if one[name] == nil {
						one[name] = 1.0
					}
				}
			}
			if one, ok := doc.(map[string]any)["linters"]; ok && v != nil {
				if one := one.(map[string]any)["one"].(map[string]any); one["command"] == nil {
					one["command"] = "x"
				}
			}
			verdicts[agrees(t, schema, doc)]++
		}
	}
	if verdicts[true] < 100 || verdicts[false] < 300 {
		t.Errorf("the sample is lopsided: %v", verdicts)
	}
	if t.Failed() {
		return
	}
	rapid.Check(t, func(rt *rapid.T) {
		doc := map[string]any{}
		for range rapid.IntRange(0, 4).Draw(rt, "keys") {
			name := rapid.SampledFrom([]string{"retries", "retry", "files", "protect", "version", "limits", "other", "snapshot", "environment", "agent"}).Draw(rt, "key")
			doc[name] = rapid.SampledFrom(append(scalars, map[string]any{"timeout": "5m"}, map[string]any{"cost": 3.0}, map[string]any{"pass": []any{"A"}})).Draw(rt, "value")
		}
		agrees(rt, schema, doc)
	})
}

func agrees(t rapid.TB, schema map[string]any, doc any) bool {
	text, err := yaml.Dump(doc)
	if err != nil {
		t.Fatal(err)
	}
	_, err = Parse("", text)
	if ok := fits(schema, doc); ok != (err == nil) {
		t.Errorf("the schema says %v, Parse: %v\n%s", ok, err, text)
	}
	return err == nil
}

func TestEveryKeyIsWhole(t *testing.T) {
	t.Parallel()
	d := defaults()
	for _, k := range keys {
		if k.doc == "" || strings.HasSuffix(k.doc, ".") || !k.wild() && k.field(&d) == nil || k.wild() && (k.of(&d, "x") == nil || k.def != "" || named[strings.Split(k.name, ".*")[0]] == nil) {
			t.Errorf("%s: the table is not whole", k.name)
		}
		for i, c := range k.name {
			if _, known := groups[k.name[:i]]; c == '.' && !known {
				t.Errorf("%s: its group is not described", k.name)
			}
		}
		short := k.name[:len(k.name)-1]
		if near := nearest(short, ""); near != k.name && !k.wild() && groups[short] == "" { // worktrees and worktree are both keys
			t.Errorf("%s without its last letter looks like %q", k.name, near)
		}
	}
	if fmt.Sprint(d.Policy()) != fmt.Sprint(belay.DefaultPolicy()) {
		t.Error("the defaults are not the house's policy")
	}
}
