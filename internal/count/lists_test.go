package count_test

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/google/go-cmp/cmp"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/count"
	"github.com/belay-dev/belay/internal/testutil"
)

// extensions are one for each supported language.
var extensions = []string{".ts", ".tsx", ".js", ".jsx", ".json", ".go", ".py", ".md", ".yml", ".css", ".scss", ".html", ".rs", ".java", ".cs", ".rb", ".toml", ".sql"}

// FuzzLists scans any text as any language: it ends, and positions are within the text.
func FuzzLists(f *testing.F) {
	for i, ext := range extensions {
		for _, s := range shapes {
			if strings.HasSuffix(s.file, ext) {
				f.Add(uint8(i), []byte(s.source(first, 2)))
			}
		}
		f.Add(uint8(i), []byte("a = [1, *b, ...c, `${[`${x}`]}`, /[/]/, <A><>{x.map(y => <B/>)}</></A>, '\\"))
	}
	yml := uint8(slices.Index(extensions, ".yml"))
	f.Add(yml, []byte("\r-"))
	f.Add(yml, []byte("a:\r\n  - 1\u2028  - 2\u0085b: [3]\rc: [4]"))
	f.Fuzz(func(t *testing.T, which uint8, src []byte) {
		lists, _, _ := count.ScanFile("x"+extensions[int(which)%len(extensions)], src)
		lines := bytes.Count(src, []byte("\n")) + 1
		for _, l := range lists {
			if l.Line < 0 || l.Line > lines {
				t.Fatalf("line %d of %d: %s", l.Line, lines, l.FullName())
			}
			items, n := count.Expand(l, nil)
			if n.N+len(n.Unknown) != len(items) {
				t.Fatalf("%d items counted as %v", len(items), n)
			}
		}
	})
}

// FuzzParse reads any requirement.
func FuzzParse(f *testing.F) {
	for _, c := range specials {
		f.Add(c.requirement)
	}
	f.Add("- [ADD] 2 NEW nighttime drinks (keep existing 8)")
	f.Fuzz(func(t *testing.T, text string) {
		r, err := count.ParseRequirement(text)
		if err != nil {
			if belay.CodeOf(err) != belay.CodeUsage {
				t.Fatal(err)
			}
			return
		}
		tree := mapped(files("a.ts", "export const drinks = ['a', 'b'];\n"))
		if _, err := count.Check(tree, tree, r); err != nil {
			t.Fatal(err)
		}
	})
}

// TestDeep scans 25,000 bytes of nested brackets, tags, quotes and indents, and 100,000 when wide.
func TestDeep(t *testing.T) {
	t.Parallel()
	n := 25_000
	if testutil.Wide() {
		n = 100_000
	}
	for _, unit := range []string{"[", "{", "(", "<a>", "`${", "a(", "- ", "{a:", "[[", "x={", "/*", "\"\"\"", "a<", "#{", "(:", "if a:\n ", "=>{", "<li>", "</", "'", "a?", "a+"} {
		deep := []byte(strings.Repeat(unit, n/len(unit)))
		for _, ext := range extensions {
			count.ScanFile("x"+ext, deep)
		}
	}
}

func TestParse(t *testing.T) {
	for text, want := range map[string]belay.Requirement{
		"ADD 2 flavors":                   {Marker: belay.MarkAdd, Count: new(2), Text: "2 flavors"},
		"[ADD] 2 NEW nighttime drinks":    {Marker: belay.MarkAdd, Count: new(2), Text: "2 NEW nighttime drinks"},
		"- [ ] [ADD]: another two moods":  {Marker: belay.MarkAdd, Count: new(2), Text: "another two moods"},
		"TASK-3 [REMOVE]: exactly 3 rows": {Marker: belay.MarkRemove, Count: new(3), Text: "exactly 3 rows"},
		"add a mood":                      {Marker: belay.MarkAdd, Text: "a mood"},
		"ADD moods (5 are there)":         {Marker: belay.MarkAdd, Text: "moods (5 are there)"},
		"PRESERVED: the 8 rooms":          {Marker: belay.MarkPreserved, Text: "the 8 rooms"},
		"NO CHANGES for task-3":           {Marker: belay.MarkNoChanges, Text: "for task-3"},
		"MODIFY the copy":                 {Marker: belay.MarkModify, Text: "the copy"},
	} {
		if got, err := count.ParseRequirement(text); err != nil || !cmp.Equal(got, want) {
			t.Errorf("%q: %+v %v", text, got, err)
		}
	}
	for _, text := range []string{"", "2 flavors", "ADDRESS the 2 bugs", "REMOVED 3"} {
		if got, err := count.ParseRequirement(text); belay.CodeOf(err) != belay.CodeUsage {
			t.Errorf("%q: %+v %v", text, got, err)
		}
	}
}

func TestShow(t *testing.T) {
	tree := count.FS(fstest.MapFS{"a.ts": {Data: []byte("const A = [1];\nexport const B = [...A, ...x(), 2];\n")}, "b.bin": {Data: []byte("x")}})
	got, err := count.CountLists(tree, "a.ts")
	if err != nil || len(got) != 2 {
		t.Fatal(got, err)
	}
	if b := got[1]; b.List.Name != "B" || b.List.Line != 2 || b.Count.N != 2 || fmt.Sprint(b.Count.Unknown) != "[x()]" || b.Items[0].Line != 1 {
		t.Errorf("%+v %+v", b.List, b)
	}
	if _, err := count.CountLists(tree, "b.bin"); belay.CodeOf(err) != belay.CodeCannot {
		t.Error(err)
	}
	if _, err := count.CountLists(tree, "c.ts"); belay.CodeOf(err) != belay.CodeNotFound {
		t.Error(err)
	}
}

// TestStrings: strings are not read as code, and names are complete.
func TestStrings(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ file, src, want string }{
		{"a.rb", "def valid?\nend\ndef save!\n  x = <<~EOS\n    def no\n  EOS\nend\n@moods = %w[\n  calm\n  glad grim\n]\n",
			"functions functions: valid? 1:5, save! 3:5; array @moods: calm 9:3, glad 10:3, grim 10:8"},
		{"a.rb", "KEYS = [?a, ?[, 'b']\nMORE = KEYS.empty? ? [1] : []\n", "array KEYS: ?a 1:9, ?[ 1:13, b 1:17; array MORE: if KEYS.empty?: 1 or 0 2:22"},
		{"a.rs", "const A: [&[u8]; 2] = [br#\"a]\"#, b\"b, c\"];\n", "array : #1 1:11, #2 1:11; array A: a] 1:24, b, c 1:34"},
		{"a.cs", "#if false\nenum A { B }\n#endif\nenum C { D = 1, E = 'F' }\n", "enum C: D 4:10, E 4:17"},
	} {
		var lists []string
		all, _, _ := count.ScanFile(c.file, []byte(c.src))
		for _, l := range all {
			var items []string
			for _, it := range l.Items {
				items = append(items, fmt.Sprintf("%s %d:%d", it.Label, it.Line, it.Col))
			}
			lists = append(lists, fmt.Sprintf("%s %s: %s", l.Kind, l.Name, strings.Join(items, ", ")))
		}
		if got := strings.Join(lists, "; "); got != c.want {
			t.Errorf("%q:\n got %s\nwant %s", c.src, got, c.want)
		}
	}
}

// BenchmarkLists reads 1 MB of each language.
func BenchmarkLists(b *testing.B) {
	done := map[string]bool{}
	for _, s := range shapes {
		if done[s.language] {
			continue
		}
		done[s.language] = true
		b.Run(s.language, func(b *testing.B) {
			var names []string
			for i := range (1 << 20) / len(s.item) {
				names = append(names, fmt.Sprintf("Name%d", i))
			}
			src := []byte(s.source(names, 0))
			b.SetBytes(int64(len(src)))
			for b.Loop() {
				if lists, _, ok := count.ScanFile(s.file, src); !ok || len(lists) == 0 {
					b.Fatal("no lists")
				}
			}
		})
	}
}
