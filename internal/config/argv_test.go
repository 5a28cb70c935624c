package config

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestSplit(t *testing.T) {
	t.Parallel()
	for in, want := range map[string][]string{
		"": nil, " a  b\tc ": {"a", "b", "c"}, `a'b c'd`: {"ab cd"}, `''`: {""}, `"" x`: {"", "x"}, `a\ b`: {"a b"}, `"a\"b\\c\d"`: {`a"b\c\d`},
		`'a"b\'`: {`a"b\`}, "a=b --c={x}": {"a=b", "--c={x}"}, "a#b c~d": {"a#b", "c~d"}, `\$x \|`: {"$x", "|"}, "*.go?": {"*.go?"}, "é 'ü'": {"é", "ü"},
	} {
		if got, err := Split(in); err != nil || !cmp.Equal(got, want) {
			t.Errorf("%q: %q %v", in, got, err)
		}
	}
	for _, in := range []string{"a;b", "a&", "$x", "`a`", `"$x"`, "a>b", "(a)", "~/x", "# a", `a\`, `'a`, `"a`} {
		if got, err := Split(in); err == nil {
			t.Errorf("%q became %q", in, got)
		}
	}
}
