package config

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/belay-dev/belay/internal/belay"
)

// Template is the file that belay init writes: every key with its default, commented
// out, so that nothing is fixed that was not meant to be. The test command that was
// detected is there as well, commented out too: what is detected needs no trust,
// and continues being detected when the project changes. Taking a '#' away from the start
// of lines sets what they say.
// specs are patterns of task files of other tools that were found; they are there like it.
func Template(detected belay.TestCommand, specs ...string) []byte {
	var b strings.Builder
	b.WriteString("# belay's settings for this repository; belay config show shows which values are in\n" +
		"# force. To set a value, remove the '#' at the start of its line and of the line it is\n" +
		"# under.\n\nversion: 1\n")
	open := ""
	for _, k := range keys[1:] {
		parent, name := "", k.name
		if i := strings.LastIndexByte(k.name, '.'); i >= 0 {
			parent, name = k.name[:i], k.name[i+1:]
		}
		if parent != open {
			openGroup(&b, open, parent)
			open = parent
		}
		indent := strings.Repeat("  ", strings.Count(k.name, "."))
		value, doc := k.example(detected), k.doc
		if k.name == testsCommand && detected.Set() && detected.Why != "" {
			doc = "detected: " + strings.Map(printable, detected.Why)
		}
		if k.name == "specs" && len(specs) > 0 {
			value, doc = quoted(specs), "found: "+k.doc
		}
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
	if group == "" || !strings.HasPrefix(before+".", group+".") {
		b.WriteByte('\n')
	}
	parts := strings.Split(group, ".")
	for i, part := range parts {
		name := strings.Join(parts[:i+1], ".")
		if part == "" || strings.HasPrefix(before+".", name+".") {
			continue
		}
		if part == anyName {
			part = "NAME"
		}
		fmt.Fprintf(b, "#%s%s: # %s\n", strings.Repeat("  ", i), part, groups[name])
	}
}

// example is the value a template shows: what was detected, the default, or nothing.
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
	return k.def
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
