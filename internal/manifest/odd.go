package manifest

import "strings"

// IsOdd reports whether git refuses a path, or complains about it in fsck: a name that
// stands for .git on some file system (.GIT, "git~1", ".git ", ".git::$DATA", with
// invisible characters as HFS+ drops them), or a link in the place of .gitmodules. Such
// paths are captured all the same, outside of the tree.
func IsOdd(path string, link bool) bool {
	if !suspicious(path) {
		return false
	}
	for name := range strings.SplitSeq(path, "/") {
		switch folded := fold(name); folded {
		case ".git", "git~1":
			return true
		case ".gitmodules", "gitmod~1":
			if link {
				return true
			}
		}
	}
	return false
}

// suspicious is a cheap first look, for the sake of a hundred thousand ordinary paths: a
// name that stands for .git starts with a dot, or with a character that is dropped, or
// holds a tilde.
func suspicious(path string) bool {
	start := true
	for i := range len(path) {
		c := path[i]
		if start && c == '.' || c == '~' || c == 0xe2 || c == 0xef {
			return true
		}
		start = c == '/'
	}
	return false
}

// fold brings a name to what case-insensitive file systems with tricks take it for.
func fold(name string) string {
	if len(name) > 64 && strings.IndexByte(name, ':') < 0 {
		return name
	}
	name, _, _ = strings.Cut(name, ":")
	var b strings.Builder
	for _, r := range name {
		switch {
		case r >= 0x200c && r <= 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x206a && r <= 0x206f, r == 0xfeff:
		default:
			b.WriteRune(r)
		}
	}
	return strings.TrimRight(strings.ToLower(b.String()), ". ")
}
