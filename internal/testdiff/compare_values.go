package testdiff

import "strings"

// CompareValues returns the expected values of a test that changed: the subject is the same, the
// value is not. Values in both, in any order, and values without a counterpart (a removed or new
// assertion) are left out. rest are the values of after that are not in before.
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

// withoutPosition returns the value without its position.
func (v Value) withoutPosition() Value {
	v.Line, v.Col = 0, 0
	return v
}

// asksOtherwise reports whether the second value contradicts or weakens the first: another value
// with the same operator, the opposite operator, or another one where the first is equality.
func asksOtherwise(old, now Value) bool {
	switch {
	case old.Op == now.Op:
		return old.Text != now.Text
	case oppositeOps[old.Op] == now.Op, "not "+old.Op == now.Op, old.Op == "not "+now.Op:
		return true
	}
	return old.Op == "eq" && old.Text != "" && !strings.HasPrefix(now.Op, "within")
}

// SameValue reports whether two values differ only in their position.
func SameValue(a, b Value) bool { return a.withoutPosition() == b.withoutPosition() }
