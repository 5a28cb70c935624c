package testreport

import (
	"bytes"
	"io"
	"os"
	"strings"
	"testing"

	"github.com/belay-dev/belay/internal/testutil"
)

func TestTAPGoldens(t *testing.T) {
	t.Parallel()
	testutil.Each(t, "testdata/tap/*.tap", 12, func(_ string, r io.Reader) (Report, error) { return readTAP(r) })
}

// TestTAPCutAnywhere: a stream that ends before its plan is fulfilled is never complete.
func TestTAPCutAnywhere(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"node", "subtests", "plan_last", "braces"} {
		whole, err := os.ReadFile("testdata/tap/" + name + ".tap")
		if err != nil {
			t.Fatal(err)
		}
		end := bytes.LastIndex(whole, []byte("\n1..")) + 1
		if name == "braces" {
			end = bytes.LastIndex(whole, []byte("ok 2"))
		}
		for n := 0; n < end; n += 1 + end/300 {
			if report, err := readTAP(bytes.NewReader(whole[:n])); err != nil || !report.Incomplete {
				t.Fatalf("%s cut after %d bytes is complete: %+v, %v", name, n, report, err)
			}
		}
	}
}

func TestTAPDirectives(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]tapPoint{
		"a # SKIP":            {name: "a", skip: true},
		"a # skipped for now": {name: "a", skip: true},
		"a # TODO later":      {name: "a", todo: true},
		"a #todo":             {name: "a", todo: true},
		"# TODO":              {todo: true},
		`a \# SKIP`:           {name: "a # SKIP"},
		"issue #12 is fixed":  {name: "issue #12 is fixed"},
		`back \\ slash`:       {name: `back \ slash`},
	} {
		got := newTAPPoint(false, in)
		if got != want {
			t.Errorf("%q is %+v, want %+v", in, got, want)
		}
	}
}

func FuzzTAP(f *testing.F) {
	testutil.Seeds(f, "testdata/tap/*.tap", 1<<20)
	f.Add([]byte(strings.Repeat("  ", 70) + "ok"))
	f.Fuzz(func(t *testing.T, data []byte) {
		report, err := readTAP(bytes.NewReader(data))
		if err != nil {
			t.Errorf("unexpected error: %v", err)
		}
		if err := report.Sound(); err != nil {
			t.Error(err)
		}
	})
}
