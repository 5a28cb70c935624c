package testdiff

import "strings"

// Changed pairs the values of a test before and after: what is compared is the same, and
// what it is compared with is another. Values that both have, in whatever order, are left
// out, as are those that have no counterpart: an assertion that is gone or new. rest are
// the values of after that before did not have.
func Changed(before, after []Value) (changes []Change, rest []Value) {
	had := map[Value]int{}
	for _, v := range before {
		had[v.plain()]++
	}
	bySubject := map[string][]Value{}
	for _, v := range after {
		if had[v.plain()] > 0 {
			had[v.plain()]--
			continue
		}
		rest = append(rest, v)
		bySubject[v.Subject] = append(bySubject[v.Subject], v)
	}
	for _, v := range before {
		if had[v.plain()] == 0 {
			continue
		}
		had[v.plain()]--
		list := bySubject[v.Subject]
		for i, a := range list {
			if another(v, a) {
				changes = append(changes, Change{v, a})
				bySubject[v.Subject] = append(append([]Value{}, list[:i]...), list[i+1:]...)
				break
			}
		}
	}
	return changes, rest
}

// plain is the value wherever it stands.
func (v Value) plain() Value {
	v.Line, v.Col = 0, 0
	return v
}

// another reports whether the second asks for something else than the first: another value in
// the same way, the opposite, or anything but equality where that was asked for.
func another(old, now Value) bool {
	switch {
	case old.Op == now.Op:
		return old.Text != now.Text
	case opposite[old.Op] == now.Op, "not "+old.Op == now.Op, old.Op == "not "+now.Op:
		return true
	}
	return old.Op == "eq" && old.Text != "" && !strings.HasPrefix(now.Op, "within")
}

// Same reports whether two values are one that has moved.
func Same(a, b Value) bool { return a.plain() == b.plain() }
