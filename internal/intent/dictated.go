package intent

import "strings"

// Dictated puts marks where somebody who dictated said their names: "… for my students period
// they upload …". Each byte stays where it is. A message with marks of its own is left alone.
func Dictated(text string) string {
	low := strings.ToLower(text)
	if strings.ContainsAny(strings.TrimRight(text, " .!?\n"), ".!?;\n") ||
		!strings.Contains(low, " period ") && !strings.Contains(low, " full stop") && !strings.Contains(low, " new line ") {
		return text
	}
	out := text
	for name, mark := range map[string]string{" period ": ".", " full stop ": ".", " comma ": ",",
		" question mark ": "?", " new line ": ".", " new paragraph ": "."} {
		for from := 0; ; {
			i := strings.Index(low[from:], name)
			if i < 0 {
				break
			}
			i += from
			from = i + len(name) - 1
			if article(low[:i]) {
				continue // "a trial period for teams"
			}
			out = out[:i] + mark + strings.Repeat(" ", len(name)-1) + out[i+len(name):]
		}
	}
	return out
}

// article reports text that ends so that a noun follows.
func article(before string) bool {
	w := before[strings.LastIndexByte(before, ' ')+1:]
	switch w {
	case "a", "an", "the", "this", "that", "each", "every", "per", "trial", "grace", "time", "billing", "free",
		"notice", "retention", "test", "one", "trailing", "missing", "decimal":
		return true
	}
	return false
}
