package snapshot

import "strings"

// IsOdd reports whether git refuses a path, or git fsck reports it: a name that means .git on
// some file system (.GIT, "git~1", ".git ", ".git::$DATA", with invisible characters as HFS+
// drops them, after a backslash as Windows reads it), or a link in the place of .gitmodules. Such
// paths are captured anyway, outside the tree.
func IsOdd(path string, link bool) bool {
	if !anyMayBeOdd(path) {
		return false
	}
	for name := range strings.SplitSeq(path, "/") {
		for part := range strings.SplitSeq(name, `\`) {
			if !mayBeOdd(part) {
				continue
			}
			switch foldName(part) {
			case ".git", "git~1":
				return true
			case ".gitmodules", "gitmod~1":
				if link {
					return true
				}
			}
		}
	}
	return false
}

// anyMayBeOdd reports whether a part of the path may be odd.
func anyMayBeOdd(path string) bool {
	start := true
	for i := range len(path) {
		if start && mayBeOdd(path[i:]) {
			return true
		}
		start = path[i] == '/' || path[i] == '\\'
	}
	return false
}

// mayBeOdd rules out nearly every name without a copy: an odd one starts with a dot, a g, or a
// character that may be invisible.
func mayBeOdd(name string) bool {
	return name != "" && (name[0] == '.' || name[0]|0x20 == 'g' || name[0] >= 0x80)
}

// foldName returns what a name means on case-insensitive file systems with special rules.
func foldName(name string) string {
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
