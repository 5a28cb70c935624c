package testdiff

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/belay-dev/belay/internal/syntax"
	"github.com/belay-dev/belay/internal/testutil"
)

// shown formats a test on one line: its name, assertions and marks. An unsure mark has a question
// mark.
func shown(u Test) string {
	var b strings.Builder
	if u.Group {
		b.WriteString("group ")
	}
	fmt.Fprintf(&b, "%d %s", u.Line, u.Name)
	if !u.Group {
		fmt.Fprintf(&b, " a%d", u.Asserts)
	}
	marks := func(kind string, list []Mark) {
		for _, m := range list {
			fmt.Fprintf(&b, " %s(%s", kind, m.Text)
			if m.Unsure {
				b.WriteByte('?')
			}
			b.WriteByte(')')
		}
	}
	marks("skip", u.Skips)
	marks("only", u.Focuses)
	marks("hollow", u.Vacuous)
	marks("early", u.EarlyReturns)
	marks("never", u.Unreachable)
	marks("caught", u.Swallowed)
	if u.PanicLine > 0 {
		b.WriteString(" panics")
	}
	if u.Rows != 0 {
		fmt.Fprintf(&b, " rows %d", u.Rows)
	}
	if !u.Group && u.IsEmpty() {
		b.WriteString(" empty")
	}
	return b.String()
}

// TestRead parses testdata/cases/<language>.txt: pieces of source between lines of dashes, each
// followed by the expected tests.
func TestRead(t *testing.T) {
	t.Parallel()
	testutil.Pieces(t, "testdata/cases/*.txt", 8, func(name, piece string) string {
		var got strings.Builder
		for _, u := range ReadTests(syntax.Language(name), []byte(piece)) {
			fmt.Fprintln(&got, shown(u))
		}
		return got.String()
	})
}

func FuzzRead(f *testing.F) {
	all := []syntax.Language{syntax.Go, syntax.Python, syntax.JavaScript, syntax.TypeScript, syntax.Rust, syntax.Java, syntax.Ruby, syntax.CSharp,
		syntax.PHP}
	for i, l := range all {
		text, _ := os.ReadFile("testdata/cases/" + string(l.Family()) + ".txt")
		f.Add(byte(i), text)
		f.Add(byte(i), []byte("@it[(\n{ describe.only('x', [Fact(Skip=\"\"] def test_: #[test] fn x() func TestX(t) { t.Skip("))
	}
	f.Fuzz(func(t *testing.T, which byte, text []byte) {
		lines := strings.Count(string(text), "\n") + 1
		names := map[string]bool{}
		l := all[int(which)%len(all)]
		list := ReadTests(l, text)
		if in, whole := CountOutsideTests(l, text, list), CountOutsideTests(l, text, nil); in > whole {
			t.Fatalf("%d assertions outside of tests, but %d in total", in, whole)
		}
		for _, u := range list {
			if u.Line < 1 || u.Line > lines || names[u.Name] && u.Group {
				t.Fatalf("%s", shown(u))
			}
			names[u.Name] = true
			for _, m := range slices.Concat(u.Skips, u.Focuses, u.Vacuous, u.EarlyReturns, u.Unreachable, u.Swallowed) {
				if m.Line < 1 || m.Line > lines {
					t.Fatalf("%s: %+v", u.Name, m)
				}
			}
			shown(u)
		}
	})
}

func BenchmarkReadGo(b *testing.B) {
	src := []byte(strings.Repeat("func TestX(t *testing.T) {\n\tif got := f(\"a\"); got != 1 { // no\n\t\tt.Fatalf(\"%d\", got)\n\t}\n}\n", 2000))
	b.SetBytes(int64(len(src)))
	for b.Loop() {
		ReadTests(syntax.Go, src)
	}
}
