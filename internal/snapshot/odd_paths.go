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
			name := foldName(part)
			if name == ".git" || name == "git~1" || link && (name == ".gitmodules" || isShortModules(name)) {
				return true
			}
		}
	}
	return false
}

// isShortModules reports whether a folded name may be the short name of .gitmodules on Windows:
// GITMOD~1 to ~4 or, where those are taken, GI7EBA~1, GI7EB~10 and so on.
func isShortModules(name string) bool {
	start, number, _ := strings.Cut(name, "~")
	if number == "" || number[0] < '1' || strings.Trim(number, "0123456789") != "" {
		return false
	}
	return start == "gitmod" && number <= "4" && len(number) == 1 || len(name) == 8 && strings.HasPrefix("gi7eba", start)
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

// mayBeOdd rules out nearly every name without a copy: an odd one starts with a dot, a g, a
// tilde, or a character that may be invisible.
func mayBeOdd(name string) bool {
	return name != "" && (name[0] == '.' || name[0]|0x20 == 'g' || name[0] == '~' || name[0] >= 0x80)
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
