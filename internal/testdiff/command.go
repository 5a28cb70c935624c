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

// command is what a file runs under a name to test the project.
type command struct {
	line int
	runs string   // its lines, one after the other
	also []string // what is run before it by name
}

// silenced says where a command that tested the project runs no test any more.
func silenced(f *syntax.File, before, after []confLine) []belay.Finding {
	read := commandReader(f.Path)
	if read == nil {
		return nil
	}
	was, is := read(before, f.Before), read(after, f.After)
	var out []belay.Finding
	for _, name := range slices.Sorted(maps.Keys(was)) {
		b := was[name]
		a, there := is[name]
		if !there || !testName.MatchString(name) || !b.works() || !a.emptied(b) {
			continue
		}
		x := belay.Finding{Severity: belay.SeverityError, File: f.Path, Line: a.line, Title: "no tests are run any more: " + clip(name),
			Detail:         clip("it ran “" + line(b.runs) + "”, and runs “" + line(a.runs) + "”"),
			Recommendation: "restore the command and make the code pass the tests"}
		moved := slices.ContainsFunc(slices.Collect(maps.Keys(is)), func(other string) bool {
			return other != name && is[other].runs == b.runs && was[other].runs != b.runs
		})
		if moved || !runsTests.MatchString(b.runs) && !tests.MatchString(b.runs) {
			x.Severity = belay.SeverityWarning
		}
		out = append(out, x)
	}
	return out
}

var (
	testName = lazyregexp.New(`^(?:\S* )?(?:tests?|unit|check|commands|spec)(?:[:_-]\S*)?$`)
	tests    = lazyregexp.New(`(?i)\b(?:tests?|specs?)\b`)
	// nothing are commands that do nothing, whatever the code does.
	nothing = lazyregexp.New(`^[@+-]*\s*(?:|(?:echo|printf|sleep|true|/bin/true|:|cd|rem|@?:)(?:\s[^>]*)?|exit(?:\s+0)?|` +
		`(?:node -e|python3? -c|sh -c|bash -c)\s+["']+\s*(?:true|exit 0|pass|process\.exit\(0\))?\s*["']+)$`)
	ends = lazyregexp.New(`^[@+-]*\s*exit\s+\d+$`)
)

// works tells a command that does something: it speaks of no test that is still to be
// written, and no more.
func (c command) works() bool {
	return len(c.also) > 0 || slices.ContainsFunc(commands(c.runs),
		func(one string) bool { return !onlySpeaks(one) && !ends.MatchString(one) })
}

// emptied tells a command that does nothing but speak, where it was another.
func (c command) emptied(was command) bool {
	for _, name := range c.also {
		if !slices.Contains(was.also, name) {
			return false
		}
	}
	does := slices.ContainsFunc(commands(c.runs), func(one string) bool { return !onlySpeaks(one) })
	return !does && c.runs != was.runs && (len(c.also) == 0 || was.runs != "")
}

// idle reports whether one command does nothing but speak.
func onlySpeaks(one string) bool {
	return nothing.MatchString(one) && !strings.Contains(one, "$(") && !strings.Contains(one, "`")
}

// commands cuts what a shell runs into single ones.
func commands(all string) []string {
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

func line(s string) string { return strings.Join(strings.Fields(s), " ") }

// reader gives what reads the commands of a file, nil for one that holds none.
func commandReader(p string) func([]confLine, []byte) map[string]command {
	switch base := strings.ToLower(path.Base(p)); {
	case base == "package.json" || base == "composer.json":
		return scripts
	case base == "makefile" || base == "gnumakefile" || base == "justfile" || strings.HasSuffix(base, ".mk"):
		return func(lines []confLine, _ []byte) map[string]command { return targets(lines) }
	case base == "tox.ini" || base == "setup.cfg" || base == "pyproject.toml":
		return func(lines []confLine, _ []byte) map[string]command { return sections(lines) }
	}
	return nil
}

// scripts reads those of a package.json or composer.json.
func scripts(lines []confLine, text []byte) map[string]command {
	var file struct {
		Scripts map[string]json.RawMessage `json:"scripts"`
	}
	if json.Unmarshal(text, &file) != nil {
		return nil
	}
	out := map[string]command{}
	for name, raw := range file.Scripts {
		c := command{}
		var several []string // of composer
		switch {
		case json.Unmarshal(raw, &c.runs) == nil:
		case json.Unmarshal(raw, &several) == nil:
			c.runs = strings.Join(several, "\n")
		default:
			continue
		}
		for _, l := range lines {
			one := several != nil || strings.Contains(l.text, string(raw))
			if one && strings.Contains(l.text, `"`+name+`"`) {
				c.line = l.n
			}
		}
		out[name] = c
	}
	return out
}

var target = lazyregexp.New(`^([A-Za-z][\w.-]*)((?: [*+]?[\w='"]+)*)\s*::?(?:\s+([^=]*))?$`)

// targets reads those of a makefile: a name, a colon, and indented lines.
func targets(lines []confLine) map[string]command {
	out := map[string]command{}
	name := ""
	for _, l := range lines {
		if indent(l.text) > 0 {
			if c, there := out[name]; there {
				c.runs = strings.TrimSpace(c.runs + "\n" + strings.TrimSpace(l.text))
				out[name] = c
			}
			continue
		}
		name = ""
		if m := target.FindStringSubmatch(l.text); m != nil {
			name = m[1]
			needs, first, _ := strings.Cut(m[3], ";")
			c := out[name]
			c.line, c.also = l.n, append(c.also, strings.Fields(needs)...)
			c.runs = strings.TrimSpace(c.runs + "\n" + strings.TrimSpace(first))
			out[name] = c
		}
	}
	return out
}

var (
	section = lazyregexp.New(`^\s*\[+([^\]]+)\]+\s*$`)
	setting = lazyregexp.New(`^["']?([\w:.-]+)["']?\s*=\s*(.*)$`)
	quoted  = lazyregexp.New(`"([^"]*)"|'([^']*)'`)
)

// sections reads what tox and the task runners of Python run: commands of a [testenv],
// and what the tables of scripts and tasks have under a name.
func sections(lines []confLine) map[string]command {
	out := map[string]command{}
	in, name := "", ""
	for _, l := range lines {
		if m := section.FindStringSubmatch(l.text); m != nil {
			in, name = m[1], ""
			continue
		}
		env := strings.HasPrefix(in, "testenv") || strings.HasPrefix(in, "tool.tox")
		if !env && !strings.HasSuffix(in, "scripts") && !strings.Contains(in, "tasks") {
			continue
		}
		value := strings.TrimSpace(l.text)
		if m := setting.FindStringSubmatch(l.text); m != nil && indent(l.text) == 0 {
			name, value = in+" "+m[1], m[2]
			if env && m[1] != "commands" {
				name = ""
			}
		}
		if name != "" {
			c := out[name]
			if c.line == 0 {
				c.line = l.n
			}
			c.runs = strings.TrimSpace(c.runs + "\n" + unquoted(value))
			out[name] = c
		}
	}
	return out
}

// unquoted returns the words of a TOML value, and any other as it is.
func unquoted(value string) string {
	if !strings.HasPrefix(value, `"`) && !strings.HasPrefix(value, "'") && !strings.HasPrefix(value, "[") &&
		!strings.HasPrefix(value, "{") && !strings.HasPrefix(value, "]") {
		return value
	}
	var words []string
	for _, m := range quoted.FindAllStringSubmatch(value, -1) {
		words = append(words, m[1]+m[2])
	}
	return strings.Join(words, " ")
}
