package testdiff

import "strings"

// CompareValues pairs the values of a test before and after: what is compared is the same, and
// what it is compared with is another. Values that both have, in whatever order, are left
// out, as are those that have no counterpart: an assertion that is gone or new. rest are
// the values of after that before did not have.
func CompareValues(before, after []Value) (changes []Change, rest []Value) {
	had := map[Value]int{}
	for _, v := range before {
		had[v.withoutPosition()]++
	}
	bySubject := map[string][]Value{}
	for _, v := range after {
		if had[v.withoutPosition()] > 0 {
			had[v.withoutPosition()]--
			continue
		}
		rest = append(rest, v)
		bySubject[v.Subject] = append(bySubject[v.Subject], v)
	}
	for _, v := range before {
		if had[v.withoutPosition()] == 0 {
			continue
		}
		had[v.withoutPosition()]--
		list := bySubject[v.Subject]
		for i, a := range list {
			if asksOtherwise(v, a) {
				changes = append(changes, Change{v, a})
				bySubject[v.Subject] = append(append([]Value{}, list[:i]...), list[i+1:]...)
				break
			}
		}
	}
	return changes, rest
}

// withoutPosition returns the value wherever it stands.
func (v Value) withoutPosition() Value {
	v.Line, v.Col = 0, 0
	return v
}

// asksOtherwise reports whether the second asks for something else than the first: another value in
// the same way, the opposite, or anything but equality where that was asked for.
func asksOtherwise(old, now Value) bool {
	switch {
	case old.Op == now.Op:
		return old.Text != now.Text
	case oppositeOps[old.Op] == now.Op, "not "+old.Op == now.Op, old.Op == "not "+now.Op:
		return true
	}
	return old.Op == "eq" && old.Text != "" && !strings.HasPrefix(now.Op, "within")
}

// SameValue reports whether two values are one that has moved.
func SameValue(a, b Value) bool { return a.withoutPosition() == b.withoutPosition() }
