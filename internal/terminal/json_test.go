package terminal

import (
	"bytes"
	"encoding/json"
	"testing"
)

func TestSeconds(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ in, want string }{
		{`{"elapsed_ns":1500000000,"millis":12}`, `{"elapsed_seconds":1.5,"seconds":0.012}`},
		{`[{"timeout_ns":1800000000000}]`, `[{"timeout_seconds":1800}]`},
		{`{"wait_ns":0,"took_ns":-5}`, `{"wait_seconds":0,"took_seconds":-0.000000005}`},
		{`{"what":"millis","n":12345678901234567890}`, `{"what":"millis","n":12345678901234567890}`},
		{`{"millis":"12"}`, `{"millis":"12"}`}, // not a number
		{`{"text":"\"millis\":12"}`, `{"text":"\"millis\":12"}`},
		{`{"text":"a\\","millis":1}`, `{"text":"a\\","seconds":0.001}`},
		{`{"millis":99999999999999999999}`, `{"millis":99999999999999999999}`},
		{`"millis"`, `"millis"`},
		{`"`, `"`},
		{``, ``},
	} {
		if got := string(durationsInSeconds([]byte(c.in))); got != c.want {
			t.Errorf("%s\n%s, want\n%s", c.in, got, c.want)
		}
	}
}

// Valid JSON must stay valid JSON, and a second rewrite must change nothing.
func FuzzSeconds(f *testing.F) {
	f.Add([]byte(`{"elapsed_ns":1500000000,"a":["\"millis\":1",{"millis":-3}]}`))
	f.Add([]byte(`{"millis":-}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		var compact bytes.Buffer
		valid := json.Compact(&compact, text) == nil
		got := durationsInSeconds(compact.Bytes())
		if !valid {
			durationsInSeconds(text)
			return
		}
		if !json.Valid(got) {
			t.Fatalf("%q became %q", compact.Bytes(), got)
		}
		if again := durationsInSeconds(got); !bytes.Equal(again, got) {
			t.Fatalf("%q became %q", got, again)
		}
	})
}
