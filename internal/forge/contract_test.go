package forge

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
)

// openAPI is the part of a forge's API description that requests are checked against.
type openAPI struct {
	Paths map[string]map[string]struct {
		Parameters []struct {
			Name, In string
			Required bool
			Schema   json.RawMessage
		}
		RequestBody struct {
			Required bool
			Content  map[string]struct{ Schema json.RawMessage }
		}
		Responses map[string]struct {
			Content map[string]struct{ Schema json.RawMessage }
		}
	}
}

// TestContract makes each of belay's requests to GitHub, and checks it against GitHub's published
// description (make forge-contract): the path and method exist, each parameter is known and valid,
// the body fits its schema.
func TestContract(t *testing.T) {
	path := os.Getenv("BELAY_OPENAPI")
	if path == "" {
		t.Skip("SKIPPED, NOT TESTED: $BELAY_OPENAPI does not name GitHub's description (make forge-contract)")
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var api openAPI
	if err := json.Unmarshal(text, &api); err != nil || len(api.Paths) < 500 {
		t.Fatal(len(api.Paths), err)
	}
	f, c := newFake(t, GitHub)
	must := func(_ any, err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(c.DefaultBranch(t.Context()))
	must(c.Branch(t.Context(), "topic/x"))
	draft := openT1
	draft.Draft = true
	must(c.Open(t.Context(), draft))
	changed := openT1
	changed.Text = "another"
	must(c.Open(t.Context(), changed))
	must(c.FileIssue(t.Context(), "known", "text", "issue T4"))
	for _, body := range []string{"one", "two"} {
		must(c.Comment(t.Context(), 1, body, "T1"))
	}
	must(c.Checks(t.Context(), strings.Repeat("a", 40)))
	answering(f, said[GitHub])
	must(c.Remarks(t.Context(), 5))
	answering(f, map[string]string{"/annotations": "[]"})
	must(c.Why(t.Context(), Check{Name: "build", id: 9}))
	seen := map[string]bool{}
	for _, a := range f.all {
		if a.Path == graphqlPath {
			continue // the description is of REST
		}
		seen[a.Method+" "+api.check(t, a)] = true
	}
	t.Logf("%d requests, %d operations", len(f.all), len(seen))
	if len(seen) < 15 || f.writes() != 5 {
		t.Errorf("only %d operations were tried: %v", len(seen), seen)
	}
	// The check can fail.
	probe := &probing{}
	for _, a := range []asked{{Method: "GET", Path: "/repos/o/r/pulls", Query: "state=closedish"}, {Method: "GET", Path: "/repos/o/r/pulls", Query: "nothing=1"},
		{Method: "POST", Path: "/repos/o/r/pulls", Body: map[string]any{"title": "x", "head": "y"}}, {Method: "POST", Path: "/repos/o/r/issues", Body: map[string]any{"title": []int{1, 2}}},
		{Method: "DELETE", Path: "/repos/o/r/pulls"}, {Method: "GET", Path: "/repos/o/r/nothing"}} {
		probe.failed = ""
		if api.check(probe, a); probe.failed == "" {
			t.Errorf("%s %s?%s is valid", a.Method, a.Path, a.Query)
		}
	}
}

// reporter is the part of a test that a check needs.
type reporter interface {
	Errorf(format string, args ...any)
}

type probing struct{ failed string }

func (p *probing) Errorf(format string, args ...any) { p.failed = fmt.Sprintf(format, args...) }

// check compares a request with the description, and returns the matching path template.
func (api openAPI) check(t reporter, a asked) string {
	best := ""
	for path, methods := range api.Paths {
		if _, there := methods[strings.ToLower(a.Method)]; there && fits(path, a.Path) && (best == "" || strings.Count(path, "{") < strings.Count(best, "{")) {
			best = path
		}
	}
	if best == "" {
		t.Errorf("%s %s is not in the description", a.Method, a.Path)
		return ""
	}
	op := api.Paths[best][strings.ToLower(a.Method)]
	query, err := url.ParseQuery(a.Query)
	if err != nil {
		t.Errorf("%s: %v", a.Query, err)
	}
	for name, values := range query {
		known := false
		for _, p := range op.Parameters {
			if p.Name == name && p.In == "query" {
				known = true
				var v any = values[0]
				if n, err := strconv.Atoi(values[0]); err == nil && strings.Contains(string(p.Schema), `"integer"`) {
					v = n
				}
				valid(t, a, p.Schema, v)
			}
		}
		if !known {
			t.Errorf("%s %s has no parameter %s", a.Method, best, name)
		}
	}
	body, takes := op.RequestBody.Content["application/json"]
	switch {
	case a.Body != nil && takes:
		valid(t, a, body.Schema, a.Body)
		var properties struct{ Properties map[string]json.RawMessage }
		_ = json.Unmarshal(body.Schema, &properties)
		for name := range a.Body {
			if properties.Properties[name] == nil {
				t.Errorf("%s %s has no field %s", a.Method, best, name)
			}
		}
	case a.Body != nil || op.RequestBody.Required && a.Method != http.MethodGet:
		t.Errorf("%s %s: a body %v", a.Method, best, a.Body)
	}
	return best
}

// fits reports whether a path matches a template. A parameter at its end may contain slashes.
func fits(template, path string) bool {
	parts, is := strings.Split(template, "/"), strings.Split(path, "/")
	if len(is) > len(parts) && strings.HasSuffix(template, "{branch}") {
		is = append(is[:len(parts)-1], "x")
	}
	if len(parts) != len(is) {
		return false
	}
	for i, p := range parts {
		if p != is[i] && (!strings.HasPrefix(p, "{") || is[i] == "") {
			return false
		}
	}
	return true
}

func valid(t reporter, a asked, schema json.RawMessage, v any) {
	var s jsonschema.Schema
	if err := json.Unmarshal(schema, &s); err != nil {
		t.Errorf("%s %s: %v", a.Method, a.Path, err)
		return
	}
	r, err := s.Resolve(nil)
	if err == nil {
		err = r.Validate(v)
	}
	if err != nil {
		t.Errorf("%s %s: %v", a.Method, a.Path, err)
	}
}
