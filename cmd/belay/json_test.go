package main

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// TestJSONShapes runs every command with --json and compares the keys and types of its answers with
// docs/json.shapes.md (-update rewrites it).
func TestJSONShapes(t *testing.T) {
	t.Parallel()
	found := map[string]map[string]map[string]bool{} // command, path, types
	t.Run("calls", func(t *testing.T) {
		p := stories("testdata/json")
		p.Cmds["shape"] = func(ts *testscript.TestScript, _ bool, args []string) { callShape(ts, found, args) }
		testscript.Run(t, p)
	})
	var b strings.Builder
	b.WriteString("# JSON by command\n\nWritten by `go test ./cmd/belay -run TestJSONShapes -update` from real answers: the keys of `data` and their types. A key\n" +
		"that only some answers have is listed too. [json.md](json.md) explains what all answers have in common.\n")
	for _, c := range listed(theRoot()) {
		path := c.CommandPath()
		// belay mcp and belay hook speak other protocols, which internal/mcp and internal/hook
		// test. Belay fleet is another program.
		if c.HasSubCommands() || slices.Contains([]string{"help", "mcp", "hook", "fleet"}, c.Name()) || strings.HasPrefix(path, "belay completion") {
			continue
		}
		shape, called := found[path]
		if !called {
			t.Errorf("testdata/json has no call of %s", path)
			continue
		}
		fmt.Fprintf(&b, "\n## %s\n\n```\n", path)
		for _, key := range slices.Sorted(maps.Keys(shape)) {
			if key != "data" && implied(shape, key) {
				continue
			}
			fmt.Fprintf(&b, "%s: %s\n", key, strings.Join(slices.Sorted(maps.Keys(shape[key])), " | "))
		}
		b.WriteString("```\n")
	}
	const file = "../../docs/json.shapes.md"
	if *update {
		if err := os.WriteFile(file, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if text, err := os.ReadFile(file); err != nil || string(text) != b.String() {
		t.Errorf("%s is not up to date (-update writes it): %v\n%s", file, err, difference(string(text), b.String()))
	}
	for path, shape := range found {
		for key, types := range shape {
			if strings.HasSuffix(key, "_ns") || strings.HasSuffix(key, "millis") || strings.HasSuffix(key, "_ms") {
				t.Errorf("%s: %s is a time, and not in seconds", path, key)
			}
			if strings.HasSuffix(key, "seconds") && !types["number"] {
				t.Errorf("%s: %s is no number", path, key)
			}
			if key == "data" && types["null"] {
				t.Errorf("%s has answers without data and without an error", path)
			}
		}
	}
}

// implied reports whether a key is an object or a list with listed contents.
func implied(shape map[string]map[string]bool, key string) bool {
	types := shape[key]
	return len(types) == 1 && (types["object"] || types["array"] && shape[key+"[]"] != nil)
}

// callShape runs belay with --json, with any exit status, and records the shape of the answer.
func callShape(ts *testscript.TestScript, found map[string]map[string]map[string]bool, args []string) {
	full := append([]string{}, args...)
	if i := slices.Index(full, "--"); i >= 0 {
		full = slices.Insert(full, i, "--json")
	} else {
		full = append(full, "--json")
	}
	_ = ts.Exec("belay", full...)
	text := ts.ReadFile("stdout")
	var answer map[string]any
	if err := json.Unmarshal([]byte(text), &answer); err != nil || strings.Count(text, "\n") != 1 {
		ts.Fatalf("no single line of JSON: %v\n%s\n%s", err, text, ts.ReadFile("stderr"))
	}
	if len(answer) != 3 {
		ts.Fatalf("an answer has success, data and error: %s", text)
	}
	if _, ok := answer["success"].(bool); !ok || (answer["error"] == nil) != answer["success"].(bool) {
		ts.Fatalf("success and error do not fit together: %s", text)
	}
	if problem, ok := answer["error"].(map[string]any); ok && (problem["code"] == "" || problem["what"] == "") {
		ts.Fatalf("an error has a code and a text: %s", text)
	}
	c, _, err := theRoot().Find(args)
	ts.Check(err)
	ts.Logf("%s", text)
	if answer["data"] == nil && answer["error"] != nil {
		return // the command failed
	}
	path := c.CommandPath()
	if found[path] == nil {
		found[path] = map[string]map[string]bool{}
	}
	shapeOf(found[path], "data", answer["data"])
}

// shapeOf records the types of a value and its contents. Keys that are data, like paths, become
// one.
func shapeOf(shape map[string]map[string]bool, at string, v any) {
	kind := ""
	switch v := v.(type) {
	case nil:
		kind = "null"
	case bool:
		kind = "bool"
	case float64:
		kind = "number"
	case string:
		kind = "string"
	case []any:
		kind = "array"
		for _, one := range v {
			shapeOf(shape, at+"[]", one)
		}
	case map[string]any:
		kind = "object"
		for key, one := range v {
			shapeOf(shape, at+"."+key, one)
		}
	}
	if shape[at] == nil {
		shape[at] = map[string]bool{}
	}
	shape[at][kind] = true
}
