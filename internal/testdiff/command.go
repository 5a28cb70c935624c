package testdiff

import (
	"encoding/json"
	"maps"
	"path"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/lazyregexp"
	"github.com/belay-dev/belay/internal/syntax"
)

// command is a named command of a file that tests the project.
type command struct {
	line          int
	script        string   // its lines
	prerequisites []string // commands that it runs before, by name
}

// findSilencedCommands returns a finding for each test command that no longer runs tests.
func findSilencedCommands(f *syntax.File, before, after []configLine) []belay.Finding {
	read := commandReader(f.Path)
	if read == nil {
		return nil
	}
	was, is := read(before, f.Before), read(after, f.After)
	var out []belay.Finding
	for _, name := range slices.Sorted(maps.Keys(was)) {
		b := was[name]
		a, there := is[name]
		if !there || !testTargetName.MatchString(name) || !b.hasEffect() || !a.isEmptiedFrom(b) {
			continue
		}
		x := belay.Finding{Severity: belay.SeverityError, File: f.Path, Line: a.line, Title: "no tests are run any more: " + clip(name),
			Detail:         clip("it ran “" + collapseSpace(b.script) + "”, and runs “" + collapseSpace(a.script) + "”"),
			Recommendation: "restore the command and make the code pass the tests"}
		moved := slices.ContainsFunc(slices.Collect(maps.Keys(is)), func(other string) bool {
			return other != name && is[other].script == b.script && was[other].script != b.script
		})
		if moved || !runsTests.MatchString(b.script) && !testWords.MatchString(b.script) {
			x.Severity = belay.SeverityWarning
		}
		out = append(out, x)
	}
	return out
}

var (
	testTargetName = lazyregexp.New(`^(?:\S* )?(?:tests?|unit|check|commands|spec)(?:[:_-]\S*)?$`)
	testWords      = lazyregexp.New(`(?i)\b(?:tests?|specs?)\b`)
	// noopCommand matches commands that do nothing, whatever the code does.
	noopCommand = lazyregexp.New(`^[@+-]*\s*(?:|(?:echo|printf|sleep|true|/bin/true|:|cd|rem|@?:)(?:\s[^>]*)?|exit(?:\s+0)?|` +
		`(?:node -e|python3? -c|sh -c|bash -c)\s+["']+\s*(?:true|exit 0|pass|process\.exit\(0\))?\s*["']+)$`)
	exitCommand = lazyregexp.New(`^[@+-]*\s*exit\s+\d+$`)
)

// hasEffect reports whether a command does more than print or exit, as a placeholder for missing
// tests does.
func (c command) hasEffect() bool {
	return len(c.prerequisites) > 0 || slices.ContainsFunc(splitCommands(c.script),
		func(one string) bool { return !onlyPrints(one) && !exitCommand.MatchString(one) })
}

// isEmptiedFrom reports whether a command now only prints, and did something else before.
func (c command) isEmptiedFrom(was command) bool {
	for _, name := range c.prerequisites {
		if !slices.Contains(was.prerequisites, name) {
			return false
		}
	}
	does := slices.ContainsFunc(splitCommands(c.script), func(one string) bool { return !onlyPrints(one) })
	return !does && c.script != was.script && (len(c.prerequisites) == 0 || was.script != "")
}

// onlyPrints reports whether a single command has no effect but output.
func onlyPrints(one string) bool {
	return noopCommand.MatchString(one) && !strings.Contains(one, "$(") && !strings.Contains(one, "`")
}

// splitCommands splits a shell script into single commands.
func splitCommands(all string) []string {
	var list []string
	var quote rune
	from := 0
	for i, r := range all {
		switch {
		case quote != 0:
			if r == quote {
				quote = 0
			}
		case r == '"' || r == '\'':
			quote = r
		case r == '&' || r == '|' || r == ';' || r == '\n':
			list, from = append(list, strings.TrimSpace(all[from:i])), i+1
		}
	}
	return append(list, strings.TrimSpace(all[from:]))
}

func collapseSpace(s string) string { return strings.Join(strings.Fields(s), " ") }

// commandReader returns the function that reads the commands of a file, nil if the file has none.
func commandReader(p string) func([]configLine, []byte) map[string]command {
	switch base := strings.ToLower(path.Base(p)); {
	case base == "package.json" || base == "composer.json":
		return readScripts
	case base == "makefile" || base == "gnumakefile" || base == "justfile" || strings.HasSuffix(base, ".mk"):
		return func(lines []configLine, _ []byte) map[string]command { return readMakeTargets(lines) }
	case base == "tox.ini" || base == "setup.cfg" || base == "pyproject.toml":
		return func(lines []configLine, _ []byte) map[string]command { return readSections(lines) }
	}
	return nil
}

// readScripts reads the scripts of a package.json or composer.json.
func readScripts(lines []configLine, text []byte) map[string]command {
	var file struct {
		Scripts map[string]json.RawMessage `json:"scripts"`
	}
	if json.Unmarshal(text, &file) != nil {
		return nil
	}
	out := map[string]command{}
	for name, raw := range file.Scripts {
		c := command{}
		var several []string // in a composer.json
		switch {
		case json.Unmarshal(raw, &c.script) == nil:
		case json.Unmarshal(raw, &several) == nil:
			c.script = strings.Join(several, "\n")
		default:
			continue
		}
		for _, l := range lines {
			one := several != nil || strings.Contains(l.text, string(raw))
			if one && strings.Contains(l.text, `"`+name+`"`) {
				c.line = l.number
			}
		}
		out[name] = c
	}
	return out
}

var makeTarget = lazyregexp.New(`^([A-Za-z][\w.-]*)((?: [*+]?[\w='"]+)*)\s*::?(?:\s+([^=]*))?$`)

// readMakeTargets reads the targets of a makefile: a name, a colon, and indented lines.
func readMakeTargets(lines []configLine) map[string]command {
	out := map[string]command{}
	name := ""
	for _, l := range lines {
		if indent(l.text) > 0 {
			if c, there := out[name]; there {
				c.script = strings.TrimSpace(c.script + "\n" + strings.TrimSpace(l.text))
				out[name] = c
			}
			continue
		}
		name = ""
		if m := makeTarget.FindStringSubmatch(l.text); m != nil {
			name = m[1]
			needs, first, _ := strings.Cut(m[3], ";")
			c := out[name]
			c.line, c.prerequisites = l.number, append(c.prerequisites, strings.Fields(needs)...)
			c.script = strings.TrimSpace(c.script + "\n" + strings.TrimSpace(first))
			out[name] = c
		}
	}
	return out
}

var (
	sectionHeader = lazyregexp.New(`^\s*\[+([^\]]+)\]+\s*$`)
	keyValue      = lazyregexp.New(`^["']?([\w:.-]+)["']?\s*=\s*(.*)$`)
	quotedText    = lazyregexp.New(`"([^"]*)"|'([^']*)'`)
)

// readSections reads the commands of tox and of Python's task runners: those of a [testenv], and
// the entries of tables for scripts and tasks.
func readSections(lines []configLine) map[string]command {
	out := map[string]command{}
	in, name := "", ""
	for _, l := range lines {
		if m := sectionHeader.FindStringSubmatch(l.text); m != nil {
			in, name = m[1], ""
			continue
		}
		env := strings.HasPrefix(in, "testenv") || strings.HasPrefix(in, "tool.tox")
		if !env && !strings.HasSuffix(in, "scripts") && !strings.Contains(in, "tasks") {
			continue
		}
		value := strings.TrimSpace(l.text)
		if m := keyValue.FindStringSubmatch(l.text); m != nil && indent(l.text) == 0 {
			name, value = in+" "+m[1], m[2]
			if env && m[1] != "commands" {
				name = ""
			}
		}
		if name != "" {
			c := out[name]
			if c.line == 0 {
				c.line = l.number
			}
			c.script = strings.TrimSpace(c.script + "\n" + unquote(value))
			out[name] = c
		}
	}
	return out
}

// unquote returns the strings of a TOML value, and any other value unchanged.
func unquote(value string) string {
	if !strings.HasPrefix(value, `"`) && !strings.HasPrefix(value, "'") && !strings.HasPrefix(value, "[") &&
		!strings.HasPrefix(value, "{") && !strings.HasPrefix(value, "]") {
		return value
	}
	var words []string
	for _, m := range quotedText.FindAllStringSubmatch(value, -1) {
		words = append(words, m[1]+m[2])
	}
	return strings.Join(words, " ")
}
