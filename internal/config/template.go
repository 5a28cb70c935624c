package config

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/belay-dev/belay/internal/belay"
)

// starter are the keys of a new file, besides those that only have a detected value.
var starter = []string{"agent.command", "files", "protect", testsCommand}

// Template returns the file that belay init writes: ten lines at most, with the few keys that most
// repositories set, commented out, so that nothing is fixed by accident. The detected test command
// is among them: a detected command needs no trust, and is detected again when the project changes.
// Uncommenting a line sets its value. specs are patterns of detected task files of other tools.
func Template(detected belay.TestCommand, specs ...string) []byte {
	var b strings.Builder
	b.WriteString("# belay's settings for this repository. belay config shows what is in force, belay config explain\n" +
		"# every key. To set one, remove the '#' at the start of its line and of the line it is under.\n" +
		"version: 1\n\n")
	for _, k := range keys {
		value, doc := k.example(detected), k.doc
		if k.name == "specs" {
			if len(specs) == 0 {
				continue
			}
			value, doc = quoted(specs), "found: "+doc
		} else if !slices.Contains(starter, k.name) {
			continue
		}
		if value != "" {
			value = " " + value
		}
		switch group, name, within := strings.Cut(k.name, "."); {
		case k.name == testsCommand:
			fmt.Fprintf(&b, "#checks: {tests: {command: %s}} # %s\n", ofTests(k.example(detected), detected), testsDoc(doc, detected))
		case within:
			fmt.Fprintf(&b, "#%s: # %s\n#  %s:%s # %s\n", group, groups[group], name, value, doc)
		default:
			fmt.Fprintf(&b, "#%s:%s # %s\n", k.name, value, doc)
		}
	}
	return []byte(b.String())
}

// ofTests returns the test command with its detected keys, on one line.
func ofTests(command string, detected belay.TestCommand) string {
	for _, k := range keys {
		if value := k.example(detected); value != "" && (k.name == testsFormat || k.name == testsReport) {
			command += ", " + k.name[strings.LastIndexByte(k.name, '.')+1:] + ": " + value
		}
	}
	return command
}

// testsDoc states why the test command was detected, or what it is.
func testsDoc(doc string, detected belay.TestCommand) string {
	if detected.Set() && detected.Why != "" {
		return "detected: " + strings.Map(printable, detected.Why)
	}
	return doc
}

// example returns the value in a template: the detected one, or nothing.
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

// printable keeps a comment on one line: YAML also ends lines at other characters than newlines.
func printable(r rune) rune {
	if unicode.IsPrint(r) {
		return r
	}
	return '?'
}

// quote returns a text in YAML's double quotes, which support all of Go's escapes.
func quote(s string) string { return strconv.Quote(strings.ToValidUTF8(s, "\uFFFD")) }
