package words

import "strings"

// Stem takes the endings off that a noun and a name may differ in.
func Stem(w string) string {
	w = strings.TrimSuffix(w, "'s")
	for _, end := range []string{"ations", "ation", "ings", "ing", "ies", "ied", "ed", "es", "s", "e", "y"} {
		if s, ok := strings.CutSuffix(w, end); ok && len(s) >= 3 {
			if end == "ies" || end == "ied" || end == "y" {
				return s + "i"
			}
			if end == "ss" || end == "s" && strings.HasSuffix(s, "s") {
				return w
			}
			return undouble(s, end)
		}
	}
	return w
}

func undouble(s, end string) string {
	if n := len(s); (end == "ing" || end == "ed") && n > 3 && s[n-1] == s[n-2] && s[n-1] != 's' && s[n-1] != 'l' {
		return s[:n-1]
	}
	return s
}
