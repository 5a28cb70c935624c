package config

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/belay-dev/belay/internal/belay"
)

// starter are the keys that a new file has, besides those that only a detected test command gives a value.
var starter = []string{"agent.command", "files", "protect", testsCommand}

// Template is the file that belay init writes: the few keys that most repositories set, commented out, so that
// nothing is fixed that was not meant to be. The test command that was detected is among them: what is detected needs
// no trust, and continues being detected when the project changes. Taking a '#' away from the start of lines sets what
// they say. specs are patterns of task files of other tools that were found.
func Template(detected belay.TestCommand, specs ...string) []byte {
	var b strings.Builder
	b.WriteString("# belay's settings for this repository. belay config shows what is in force, belay config explain\n" +
		"# every key. To set one, remove the '#' at the start of its line and of the line it is under.\n" +
		"version: 1\n\n")
	open := ""
	for _, k := range keys {
		value, doc := k.example(detected), k.doc
		if k.name == testsCommand && detected.Set() && detected.Why != "" {
			doc = "detected: " + strings.Map(printable, detected.Why)
		}
		if k.name == "specs" && len(specs) > 0 {
			value, doc = quoted(specs), "found: "+k.doc
		}
		ofTests := k.name == testsFormat || k.name == testsReport || k.name == "specs"
		if !slices.Contains(starter, k.name) && !(ofTests && value != "") {
			continue
		}
		parent, name := "", k.name
		if i := strings.LastIndexByte(k.name, '.'); i >= 0 {
			parent, name = k.name[:i], k.name[i+1:]
		}
		openGroup(&b, open, parent)
		open = parent
		indent := strings.Repeat("  ", strings.Count(k.name, "."))
		if value != "" {
			value = " " + value
		}
		fmt.Fprintf(&b, "#%s%s:%s # %s\n", indent, name, value, doc)
	}
	return []byte(b.String())
}

// openGroup writes the lines that begin group after the group before: of checks.tests
// and checks, which share lines, only what is new.
func openGroup(b *strings.Builder, before, group string) {
	parts := strings.Split(group, ".")
	for i, part := range parts {
		name := strings.Join(parts[:i+1], ".")
		if part != "" && !strings.HasPrefix(before+".", name+".") {
			fmt.Fprintf(b, "#%s%s: # %s\n", strings.Repeat("  ", i), part, groups[name])
		}
	}
}

// example is the value a template shows: what was detected, or nothing.
func (k key) example(detected belay.TestCommand) string {
	switch k.name {
	case testsCommand:
		if detected.Command != "" {
			return quote(detected.Command)
		}
		if len(detected.Args) > 0 {
			return quoted(detected.Args)
		}
	case testsFormat:
		if detected.Set() && slices.Contains(formats, detected.Format) && (detected.Format != "junit" || detected.Report != "") {
			return detected.Format
		}
	case testsReport:
		if detected.Set() && detected.Format == "junit" && detected.Report != "" {
			return quote(detected.Report)
		}
	}
	return ""
}

// quoted writes a list of texts.
func quoted(list []string) string {
	var words []string
	for _, s := range list {
		words = append(words, quote(s))
	}
	return "[" + strings.Join(words, ", ") + "]"
}

// printable keeps a comment on its line: YAML ends lines at more than newlines.
func printable(r rune) rune {
	if unicode.IsPrint(r) {
		return r
	}
	return '?'
}

// quote writes a text in YAML's double quotes, which know all of Go's escapes.
func quote(s string) string { return strconv.Quote(strings.ToValidUTF8(s, "\uFFFD")) }
