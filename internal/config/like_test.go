package config

import (
	"strings"
	"testing"
)

// TestExamples: the example of a list is one that the file may have, and globs only where they are globs or paths.
func TestExamples(t *testing.T) {
	t.Parallel()
	for _, k := range keys {
		if k.kind != List || len(k.choices) > 0 {
			continue
		}
		if k.like == "" && !strings.Contains(k.doc, "globs") {
			t.Errorf("%s shows globs as its example", k.name)
		}
		if k.wild() { // part of a thing that needs more
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
