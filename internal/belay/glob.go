package belay

import (
	"strings"
	"unicode/utf8"

	"github.com/bmatcuk/doublestar/v4"
)

// Limits of a glob: alternatives multiply, because {a,b}{a,b}… is matched once for each
// combination. Without braces the cost is at most proportional to the length of the glob times that
// of the path, for any stars: doublestar only backtracks to the last one (measured in
// cost_test.go).
const (
	maxGlob  = 1024 // bytes
	maxForms = 128  // number of expansions of the braces
	maxCost  = 1024 // expansions times stars
)

// Valid returns an error if a glob cannot be used in a Scope: it must be a doublestar pattern (*,
// ?, [a-z], {a,b}, and ** between slashes) of slash-separated names from the repository's root. The
// error is a *belay.Error with CodeUsage.
func Valid(glob string) error {
	refuse := func(try, what string) error {
		return Refuse(CodeUsage, try, "%q is not a usable glob: %s", glob, what)
	}
	switch {
	case strings.Trim(glob, "/") == "":
		return refuse("use ** for everything", "it is empty")
	case len(glob) > maxGlob:
		return refuse("use several globs", "it is longer than 1024 bytes")
	case strings.HasPrefix(glob, "/"):
		return refuse("leave out the first slash", "globs start at the repository's root")
	case hasDots(glob):
		return refuse("write the path from the repository's root", "it has a .. part")
	case !doublestar.ValidatePattern(raw(glob)):
		return refuse(`close every [ and {, write \[ for a plain bracket`, "its brackets or braces are not closed")
	case !Bounded(glob):
		return refuse("use several globs", "its braces expand to too many patterns")
	}
	return nil
}

// Bounded reports whether matching a doublestar pattern is quick for any path.
func Bounded(glob string) bool {
	n := forms(glob)
	return len(glob) <= maxGlob && n <= maxForms && (n == 1 || n*strings.Count(glob, "*") <= maxCost)
}

// Match reports whether any glob covers path, a slash path from the root, compared byte for byte (A
// is not a, on any file system). A glob that ends in a slash, or with a last part without *, ? and
// [, also covers everything below: src and src/ cover src/a/b.go, src/* only covers src/x. An
// invalid glob covers nothing.
func Match(globs []string, path string) bool {
	for _, glob := range globs {
		if Covers(glob, path) {
			return true
		}
	}
	return false
}

// Covers is Match for one glob.
func Covers(glob, path string) bool {
	if Valid(glob) != nil {
		return false
	}
	glob, path = raw(glob), raw(path)
	for strings.HasPrefix(glob, "./") {
		glob = strings.TrimLeft(glob[2:], "/")
	}
	plain := strings.TrimRight(glob, "/")
	if plain == "" || plain == "." {
		return true
	}
	if plain != glob || namesFolder(plain) {
		plain += "/**" // also matches the name itself
	}
	ok, err := doublestar.Match(plain, path)
	return ok && err == nil
}

// namesFolder reports whether the last part of a glob is a single name, which may be a folder's.
// Otherwise src/* would match as deep as src/**.
func namesFolder(glob string) bool {
	last := glob[strings.LastIndexByte(glob, '/')+1:]
	return !strings.ContainsAny(last, "*?[")
}

func hasDots(glob string) bool {
	for part := range strings.SplitSeq(glob, "/") {
		if part == ".." {
			return true
		}
	}
	return false
}

// forms returns an upper bound of the number of patterns to which the braces of glob expand.
func forms(glob string) int {
	total, open := 1, []int(nil)
	for i := 0; i < len(glob) && total <= maxForms; i++ {
		switch c := glob[i]; {
		case c == '\\':
			i++
		case c == '{':
			open = append(open, 1)
		case c == ',' && len(open) > 0:
			open[len(open)-1]++
		case c == '}' && len(open) > 0:
			total *= open[len(open)-1]
			open = open[:len(open)-1]
		}
	}
	return total
}

// raw replaces each byte that is not UTF-8 by a private rune of its own, because doublestar reads
// them all as the same replacement character and would match \xfe with \xff.
func raw(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 {
			r = 0x10fe00 + rune(s[i])
		}
		b.WriteRune(r)
		i += n
	}
	return b.String()
}
