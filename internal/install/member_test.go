package install

import (
	"bytes"
	"encoding/json"
	"testing"
)

func TestSetMember(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text  string
		value any
		keys  []string
		want  string
	}{
		"replaced":             {"{\n  \"phase\": \"initialized\",\n  \"x\": 1\n}\n", "design-generated", []string{"phase"}, "{\n  \"phase\": \"design-generated\",\n  \"x\": 1\n}\n"},
		"nested":               {"{\"a\": {\"b\": false, \"c\": 1}}", true, []string{"a", "b"}, "{\"a\": {\"b\": true, \"c\": 1}}"},
		"the same":             {"{ \"n\" : [ 1,2 ] }", []int{1, 2}, []string{"n"}, "{ \"n\" : [ 1,2 ] }"},
		"added":                {"{\r\n\t\"a\": 1\r\n}\r\n", 2, []string{"b"}, "{\r\n\t\"a\": 1,\r\n\t\"b\": 2\r\n}\r\n"},
		"added below an added": {"{\n  \"a\": 1\n}\n", "t", []string{"p", "q"}, "{\n  \"a\": 1,\n  \"p\": {\n    \"q\": \"t\"\n  }\n}\n"},
		"a mark and comments":  {"\ufeff{ // c\n  \"a\": 1, /* d */\n}", 3, []string{"a"}, "\ufeff{ // c\n  \"a\": 3, /* d */\n}"},
		"the last of two":      {`{"a":1,"a":2}`, 3, []string{"a"}, `{"a":1,"a":3}`},
	} {
		got, err := SetMember([]byte(c.text), c.value, c.keys...)
		if err != nil || string(got) != c.want {
			t.Errorf("%s: %q, %v", name, got, err)
		}
	}
	for _, bad := range []string{"{", "[]", "{\"a\": 1}", "nonsense", "{\"a\":{}} x"} {
		if out, err := SetMember([]byte(bad), 1, "a", "b"); err == nil {
			t.Errorf("%q becomes %q", bad, out)
		}
	}
}

// The value read must be the one set, all else must be unchanged, and setting it again must change
// nothing.
func FuzzSetMember(f *testing.F) {
	for _, s := range []string{`{"a":{"b":1}}`, "{\n\t\"x\": [1, {\"y\": null}]\n}\n", `{}`, `{"a":1}`, "\ufeff{}", `{"A":{}}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		out, err := SetMember(text, "v", "a", "b")
		if err != nil {
			return
		}
		again, err := SetMember(out, "v", "a", "b")
		if err != nil || !bytes.Equal(again, out) {
			t.Fatalf("%q becomes %q, then %q: %v", text, out, again, err)
		}
		before, after := map[string]json.RawMessage{}, map[string]json.RawMessage{}
		if json.Unmarshal(text, &before) != nil || json.Unmarshal(out, &after) != nil {
			return // it contains comments
		}
		var inner map[string]json.RawMessage
		if json.Unmarshal(after["a"], &inner) != nil || string(inner["b"]) != `"v"` {
			t.Fatalf("%q becomes %q", text, out)
		}
		for k, v := range before {
			if k != "a" && !bytes.Equal(v, after[k]) {
				t.Fatalf("%q becomes %q: %s has changed", text, out, k)
			}
		}
	})
}
