package hook

import (
	"strings"
)

// interpreter reports whether a program runs code given by its arguments, and in which language.
func interpreter(name string) (lang string, ok bool) {
	for _, p := range []string{"python", "pypy"} {
		if strings.HasPrefix(name, p) {
			return "python", true
		}
	}
	switch name {
	case "node", "nodejs", "deno", "bun", "tsx", "ts-node":
		return "node", true
	case "perl", "ruby", "php", "lua":
		return name, true
	case "uv", "poetry", "pipenv", "uvx", "rye", "pdm", "conda", "mise", "asdf", "direnv", "dotenv", "bundle":
		return "run", true
	}
	return "", false
}

// readInterpreterCode checks the code that an interpreter gets from its arguments, a heredoc or a
// pipe.
func (f *finder) readInterpreterCode(lang string, args []string) {
	if lang == "run" { // uv run python -c …
		for i, a := range args {
			if a == "run" || a == "exec" {
				f.checkCommand(args[i+1:])
				return
			}
		}
		return
	}
	for i, a := range args {
		if i+1 < len(args) && takesCode(lang, a) {
			f.readSource(args[i+1])
			return
		}
	}
	script := operands(args, "W X m r I")
	if len(script) > 0 {
		if text, ok := f.writtenFile(script[0]); ok {
			f.readSource(text)
		}
	}
	if f.stdinKnown && (len(script) == 0 || script[0] == "-") {
		f.readSource(f.stdin)
	}
}

// takesCode reports whether code follows this option of an interpreter.
func takesCode(lang, option string) bool {
	switch lang {
	case "python":
		return option == "-c"
	case "php":
		return option == "-r"
	}
	if option == "--eval" || option == "--print" || option == "eval" || option == "-p" && lang == "node" {
		return true
	}
	short := strings.HasPrefix(option, "-") && !strings.HasPrefix(option, "--")
	return short && strings.HasSuffix(strings.ToLower(option), "e") // perl -ne, ruby -e
}

// runFunctions are functions that run shell text or a command, by the last part of their name.
var runFunctions = map[string]bool{"system": true, "popen": true, "run": true, "call": true, "check_call": true, "check_output": true,
	"Popen": true, "getoutput": true, "getstatusoutput": true, "execSync": true, "exec": true, "spawn": true,
	"spawnSync": true, "execFile": true, "execFileSync": true,
	"shell_exec": true, "passthru": true, "qx": true, "spawnl": true, "execvp": true, "execv": true, "sh": true,
	"create_subprocess_shell": true, "create_subprocess_exec": true, "capture2": true, "capture3": true, "capture2e": true,
	"Command": true, "execa": true, "$": true, "execaSync": true, "proc_open": true, "popen2": true}

// removeFunctions are functions that delete a folder with its content.
var removeFunctions = map[string]bool{"rmtree": true, "rmSync": true, "rm": true, "rmdirSync": true, "rm_rf": true,
	"rm_r": true, "remove_tree": true, "remove_dir": true,
	"removeSync": true, "rimraf": true, "rimrafSync": true, "remove_entry": true, "emptyDirSync": true, "sync": true}

// functionCall is a function call in source code: its name, and the strings among its arguments.
type functionCall struct {
	name  string
	texts []string
	args  string
}

// readSource looks for calls that run commands or delete folders, in code of any language.
func (f *finder) readSource(code string) {
	all, texts := parseCalls(code)
	ran := false
	for _, c := range all {
		last := c.name[strings.LastIndexAny(c.name, ".:>")+1:]
		switch {
		case runFunctions[last]:
			if len(c.texts) == 0 {
				ran = true
				continue
			}
			if len(c.texts) > 1 && !strings.ContainsAny(c.texts[0], " ") {
				f.checkCommand(c.texts)
			} else {
				f.readText(c.texts[0])
			}
		case removeFunctions[last] && len(c.texts) > 0:
			if last != "rm" && last != "rmSync" && last != "rmdirSync" || strings.Contains(c.args, "recursive") {
				f.checkRemove([]string{c.name, c.texts[0]}, c.texts[:1], false)
				f.checkWrite(c.texts[0], c.name+" "+c.texts[0])
			}
		default:
			for _, t := range c.writtenFiles(last, code) {
				f.checkWrite(t, c.name+" "+t)
			}
		}
	}
	if ran { // the command is in a variable: check each string that looks like a command
		for _, t := range texts {
			if strings.HasPrefix(t, "git ") || strings.HasPrefix(t, "rm ") || strings.HasPrefix(t, "find ") {
				f.readText(t)
			}
		}
	}
	for _, t := range backtickCommands(code) {
		f.readText(t)
	}
}

// writtenFiles returns the files that a call writes. last is the last part of its name.
func (c functionCall) writtenFiles(last, code string) []string {
	if len(c.texts) == 0 {
		return nil
	}
	switch last {
	case "unlink", "unlinkSync", "remove", "chmod", "chmodSync", "copyfile", "copy":
		return c.texts
	case "open", "fopen":
		if len(c.texts) > 1 && strings.ContainsAny(c.texts[1], "wax+>") {
			return c.texts[:1]
		}
	case "writeFile", "writeFileSync", "appendFile", "appendFileSync", "file_put_contents", "createWriteStream":
		return c.texts[:1]
	case "Path":
		if strings.Contains(code, "write_text") || strings.Contains(code, "unlink(") {
			return c.texts[:1]
		}
	}
	return nil
}

// parseCalls finds the calls in source code of any language: names before an opening bracket, and
// quoted strings.
func parseCalls(code string) (all []functionCall, texts []string) {
	var open []int // indexes in all of the unclosed calls; -1 for other brackets
	name := ""
	for i := 0; i < len(code); i++ {
		c := code[i]
		switch {
		case c == '"' || c == '\'' || c == '`':
			text, end := readLiteralText(code, i)
			i = end
			texts = append(texts, text)
			for _, at := range open {
				if at >= 0 {
					all[at].texts = append(all[at].texts, text)
				}
			}
			if name == "system" || name == "exec" || name == "qx" { // perl and ruby allow calls without brackets
				all = append(all, functionCall{name: name, texts: []string{text}})
			}
			name = ""
		case isComment(code, i):
			if end := strings.IndexByte(code[i:], '\n'); end >= 0 {
				i += end
			} else {
				i = len(code)
			}
		case c == '(':
			open = append(open, len(all))
			all = append(all, functionCall{name: strings.TrimSpace(name), args: argsOf(code[i+1:])})
			name = ""
		case c == '[' || c == '{':
			open, name = append(open, -1), ""
		case c == ')' || c == ']' || c == '}':
			if len(open) > 0 {
				open = open[:len(open)-1]
			}
			name = ""
		case c == ' ':
		case strings.IndexByte("._$:>0123456789", c) >= 0 || c|0x20 >= 'a' && c|0x20 <= 'z':
			if i > 0 && code[i-1] == ' ' && c != '.' {
				name = ""
			}
			name += string(c)
		default:
			name = ""
		}
	}
	return all, texts
}

// isComment reports whether a comment starts at i.
func isComment(code string, i int) bool {
	if code[i] == '#' {
		return i == 0 || code[i-1] == '\n' || code[i-1] == ' '
	}
	return strings.HasPrefix(code[i:], "//") && (i == 0 || code[i-1] != ':')
}

// argsOf returns the text of a call's arguments.
func argsOf(rest string) string {
	depth := 1
	for i := 0; i < len(rest); i++ {
		switch rest[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return rest[:i]
			}
		}
	}
	return rest
}

// readLiteralText reads the quoted string at i, and returns the index of its closing quote.
func readLiteralText(code string, i int) (string, int) {
	quote := code[i : i+1]
	if strings.HasPrefix(code[i:], strings.Repeat(quote, 3)) {
		quote = strings.Repeat(quote, 3)
	}
	var b strings.Builder
	for j := i + len(quote); j < len(code); j++ {
		if code[j] == '\\' && j+1 < len(code) {
			if j++; code[j] == 'n' {
				b.WriteByte('\n')
			} else {
				b.WriteByte(code[j])
			}
			continue
		}
		if strings.HasPrefix(code[j:], quote) {
			return b.String(), j + len(quote) - 1
		}
		b.WriteByte(code[j])
	}
	return b.String(), len(code)
}

// backtickCommands returns the commands that perl, ruby and php run in backticks, %x(…) and
// qx(…).
func backtickCommands(code string) (out []string) {
	parts := strings.Split(code, "`")
	for i := 1; i < len(parts)-1; i += 2 {
		out = append(out, parts[i])
	}
	for _, mark := range []string{"%x(", "%x{", "qx(", "qx{"} {
		if _, rest, ok := strings.Cut(code, mark); ok {
			end := strings.IndexAny(rest, ")}")
			if end < 0 {
				end = len(rest)
			}
			out = append(out, rest[:end])
		}
	}
	return out
}
