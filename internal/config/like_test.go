package config

import (
	"strings"
	"testing"
)

// TestExamples: the example of a list is valid in the file, and globs are only examples of globs or
// paths.
func TestExamples(t *testing.T) {
	t.Parallel()
	for _, k := range keys {
		if k.kind != List || len(k.choices) > 0 {
			continue
		}
		if k.like == "" && !strings.Contains(k.doc, "globs") {
			t.Errorf("%s shows globs as its example", k.name)
		}
		if k.wild() { // needs other keys of its thing
			continue
		}
		lines := strings.Split(k.name, ".")
		text := "version: 1\n"
		for i, part := range lines {
			text += strings.Repeat("  ", i) + part + ":"
			if i < len(lines)-1 {
				text += "\n"
			}
		}
		_, example, _ := strings.Cut(k.rule().Says(), ", like ")
		if _, err := Parse("", []byte(text+" "+example+"\n")); err != nil {
			t.Errorf("%s: %v", k.name, err)
		}
	}
}
