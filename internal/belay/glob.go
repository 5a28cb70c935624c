package belay

import (
	"strings"
	"unicode/utf8"

	"github.com/bmatcuk/doublestar/v4"
)

// Bounds on a glob: alternatives multiply, {a,b}{a,b}… is matched once for each. Without
// braces the cost grows with the length of the glob times that of the path, whatever the
// stars are: doublestar goes back to the last one only (measured in cost_test.go).
const (
	maxGlob  = 1024 // bytes
	maxForms = 128  // what the braces expand to
	maxCost  = 1024 // that, times the stars
)

// Valid reports whether a glob can be used in a Scope: a doublestar pattern (*, ?,
// [a-z], {a,b}, and ** between slashes) of slash-separated names from the
// repository's root. The error is a *belay.Error with CodeUsage.
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

// Bounded reports whether matching a doublestar pattern is quick, whatever the path.
func Bounded(glob string) bool {
	n := forms(glob)
	return len(glob) <= maxGlob && n <= maxForms && (n == 1 || n*strings.Count(glob, "*") <= maxCost)
}

// Match reports whether any glob covers path, a slash path from the root, compared
// byte for byte (A is not a, whatever the file system says). A glob that ends in a
// slash, or whose last part is a plain name without *, ? or [, covers everything
// below as well: src and src/ cover src/a/b.go, src/* covers only src/x. A glob
// that Valid refuses covers nothing.
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
		plain += "/**" // matches the name itself too
	}
	ok, err := doublestar.Match(plain, path)
	return ok && err == nil
}

// namesFolder reports whether the last part of a glob can only be one name, which may
// be a folder's. Otherwise src/* would reach as deep as src/**.
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

// forms counts, from above, how many patterns the braces of glob stand for.
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

// raw makes bytes that are not UTF-8 distinct to doublestar, which reads every one
// of them as the same replacement character and would take \xfe for \xff. Each
// becomes a private rune of its own.
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
