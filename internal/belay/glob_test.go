package belay

import (
	"errors"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestMatch(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		glob, path string
		want       bool
	}{
		{"src", "src", true}, {"src", "src/a/b", true}, {"src", "src2", false}, {"src/", "src/a", true}, {"src/", "src", true},
		{"src/*", "src/a", true}, {"src/*", "src/a/b", false}, {"src/*/", "src/a/b", true}, {"src/**", "src/a/b", true},
		{"*", "a", true}, {"*", "a/b", false}, {"**", "a/b", true}, {".", "a/b", true}, {"./src/", "src/a", true}, {"./", "x/y", true},
		{"**/testdata", "a/b/testdata/c", true}, {"**/testdata", "testdata/c", true}, {"*.go", "a/b.go", false}, {"**/*.go", "b.go", true},
		{"{src,docs}", "docs/x", true}, {"{src,docs}/*.md", "docs/x.md", true}, {"a/{b,c/d}/e", "a/c/d/e/f", true},
		{"a.go", "A.go", false}, {"a?c", "abc", true}, {"a?c", "a/c", false}, {"[ab]x", "bx", true}, {"[!a]x", "ax", false},
		{`\[x\]`, "[x]", true}, {`\*`, "*", true}, {`\*`, "a", false}, {"*", ".hidden", true}, {"**", ".a/.b", true},
		{"é", "é", true}, {"\xff*", "\xffa", true}, {"\xff", "\xfe", false}, {"\ufffd", "\xff", false}, {"\xff", "\ufffd", false}, {"?", "\xff", true}, {"??", "\xff", false},
		{"", "a", false}, {"/a", "a", false}, {"a/../b", "b", false}, {"a[", "a[", false}, {"//", "a", false},
	} {
		if got := Match([]string{"nothing-here", tt.glob}, tt.path); got != tt.want {
			t.Errorf("%q covers %q: %v, want %v", tt.glob, tt.path, got, tt.want)
		}
	}
	if Match(nil, "a") {
		t.Error("no glob covers everything")
	}
}

func TestValidGlob(t *testing.T) {
	t.Parallel()
	for _, glob := range []string{"", "/", "//", "/a", "..", "a/..", "../a", "a[", "[]", "{a", "a}", `a\`, strings.Repeat("a", 1025), strings.Repeat("{a,b}", 8), "{" + strings.Repeat(",", 129) + "}"} {
		var refused *Error
		if err := Valid(glob); !errors.As(err, &refused) || refused.Code != CodeUsage || refused.Try == "" {
			t.Errorf("%.40q: got %v, want a refusal", glob, err)
		}
	}
	for _, glob := range []string{"a", ".", "./a", "a/", "**", "a..b", "...", "[a-z]", "{a,b}", strings.Repeat("{a,b}", 7), " ", "a b", "\xff", "-x", ":(top)", "!a"} {
		if err := Valid(glob); err != nil {
			t.Errorf("%q: %v", glob, err)
		}
	}
}

// TestMatchLaws: a plain path covers itself and what is below, and no other path with the same
// prefix.
func TestMatchLaws(t *testing.T) {
	t.Parallel()
	name := rapid.StringMatching(`[A-Za-z0-9 _.\x80-\xff-]{1,8}`).Filter(func(s string) bool { return s != "." && s != ".." })
	rapid.Check(t, func(t *rapid.T) {
		path := strings.Join(rapid.SliceOfN(name, 1, 4).Draw(t, "path"), "/")
		below, other := name.Draw(t, "below"), name.Draw(t, "other")
		for _, p := range []string{path, path + "/" + below, path + "/" + below + "/x"} {
			if !Match([]string{path}, p) || !Match([]string{path + "/"}, p) || !Match([]string{"./" + path + "/**"}, p) || !Match([]string{"**"}, p) {
				t.Fatalf("%q does not cover %q", path, p)
			}
		}
		if Match([]string{path}, path+other) || Match([]string{path + "/" + below}, path) {
			t.Fatalf("%q covers too much", path)
		}
	})
}

func FuzzMatch(f *testing.F) {
	for _, s := range []string{"a", "**/a[!x-z]", "{a,{b,c}}/*", `a\`, "\xff?", "[\\", "{,}", "a/**/b/**", "[]-a]"} {
		f.Add(s, "a/b")
	}
	f.Fuzz(func(t *testing.T, glob, path string) {
		if Match([]string{glob}, path) && Valid(glob) != nil {
			t.Errorf("%q is refused and covers %q", glob, path)
		}
	})
}

func BenchmarkMatch(b *testing.B) {
	globs := []string{"src/**/*.go", "docs/", "{api,web}/**", "go.mod", "**/testdata"}
	for b.Loop() {
		if Match(globs, "internal/check/some/folder/file.go") {
			b.Fatal("it does not cover that")
		}
	}
}
