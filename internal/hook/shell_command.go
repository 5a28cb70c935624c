package hook

import (
	"maps"
	"path"
	"strconv"
	"strings"
)

// prefixPrograms are programs that run their remaining arguments as a command, with their options
// that take a value.
var prefixPrograms = map[string]string{
	"sudo": "u g h p C T R D U r t user group host prompt chroot chdir other-user role type close-from command-timeout",
	"doas": "u C", "env": "u C S unset chdir", "nice": "n adjustment", "nohup": "", "time": "f o format output", "command": "",
	"builtin": "", "exec": "a", "setsid": "", "stdbuf": "i o e input output error", "ionice": "c n p class classdata pid",
	"timeout": "s k signal kill-after", "chronic": "", "caffeinate": "t w", "unbuffer": "", "busybox": "", "xvfb-run": "",
	"script": "c", "flock": "w E c timeout wait conflict-exit-code", "watch": "n interval", "strace": "o e p", "chroot": "",
	"gtimeout": "s k signal kill-after",
	"then":     "", "do": "", "!": "", "noglob": "", "nocorrect": "", "npx": "p", "bunx": "", "pnpx": "", "rtk": "",
}

// positionalArgs is the number of arguments between such a program and the command that it runs.
var positionalArgs = map[string]int{"timeout": 1, "gtimeout": 1, "chroot": 1, "flock": 1}

// checkCommand checks one command with its arguments.
func (f *finder) checkCommand(args []string) {
	for len(args) > 0 && isAssignment(args[0]) {
		name, value, _ := strings.Cut(args[0], "=")
		f.vars[name] = value
		args = args[1:]
	}
	if len(args) == 0 || f.depth >= maxNested {
		return
	}
	name := path.Base(args[0])
	f.depth++
	defer func() { f.depth-- }()
	if body, ok := f.funcs[name]; ok {
		delete(f.funcs, name)
		f.withParams(args[1:], func() { f.runStmt(body) })
		f.funcs[name] = body
		return
	}
	if text, ok := f.writtenFile(args[0]); ok && strings.Contains(args[0], "/") {
		f.runScript(text, args[1:])
		return
	}
	if text, ok := f.alias[name]; ok {
		f.readText(text + " " + quoteArgs(args[1:]))
		return
	}
	if values, ok := prefixPrograms[name]; ok {
		f.checkPrefixed(name, values, args[1:])
		return
	}
	f.checkGitFiles(name, args)
	f.checkNamed(strings.TrimSuffix(name, ".exe"), args)
}

// withParams calls do with the parameters of a function or script set.
func (f *finder) withParams(params []string, do func()) {
	was, vars := f.params, maps.Clone(f.vars)
	f.params = append([]string{}, params...)
	f.vars["@"], f.vars["*"], f.vars["#"] = strings.Join(params, " "), strings.Join(params, " "), strconv.Itoa(len(params))
	for i := range max(9, len(params)) {
		if delete(f.vars, strconv.Itoa(i+1)); i < len(params) {
			f.vars[strconv.Itoa(i+1)] = params[i]
		}
	}
	do()
	f.params = was
	for name := range f.vars { // other variables are global
		if _, err := strconv.Atoi(name); err == nil || name == "@" || name == "*" || name == "#" {
			delete(f.vars, name)
			if v, ok := vars[name]; ok {
				f.vars[name] = v
			}
		}
	}
}

// runScript checks a script that the text has written.
func (f *finder) runScript(text string, params []string) {
	first, _, _ := strings.Cut(text, "\n")
	words := strings.Fields(strings.TrimPrefix(first, "#!"))
	if strings.HasPrefix(first, "#!") && len(words) > 0 {
		if _, ok := interpreter(path.Base(words[len(words)-1])); ok {
			f.readSource(text)
			return
		}
	}
	dir := f.dir
	f.withParams(params, func() { f.readText(text) })
	f.dir = dir
}

// checkNamed checks a command by its name.
func (f *finder) checkNamed(name string, args []string) {
	switch name {
	case "git":
		f.checkGit(args[1:])
	case "source", ".":
		if len(args) > 1 {
			if text, ok := f.writtenFile(args[1]); ok {
				f.readText(text)
			}
		}
	case "tee":
		for _, p := range operands(args[1:], "") {
			if abs, known := f.absPath(p); known && f.stdinKnown {
				f.setFile(abs, f.stdin)
			}
		}
	case "rm", "rimraf", "del-cli", "trash":
		f.checkRM(name, args[1:])
	case "shred":
		f.checkRemove(args, operands(args[1:], "n s"), true)
	case "find", "fd", "fdfind":
		f.checkFind(args)
	case "cd", "pushd", "Set-Location":
		f.runCD(args[1:])
	case "xargs", "parallel":
		f.runXargs(args[1:])
	case "eval":
		f.readText(strings.Join(args[1:], " "))
	case "trap", "ssh-agent":
		if len(args) > 1 {
			f.readText(args[1])
		}
	case "alias":
		for _, a := range args[1:] {
			if n, text, ok := strings.Cut(a, "="); ok {
				if f.alias == nil {
					f.alias = map[string]string{}
				}
				f.alias[n] = text
			}
		}
	case "bash", "sh", "zsh", "dash", "ksh", "ash", "fish", "su", "pwsh", "powershell":
		f.runShell(name, args[1:])
	case "rsync":
		f.checkRsync(args)
	case "Remove-Item", "ri", "rd", "rmdir":
		f.checkRemoveItem(name, args)
	case "belay":
		f.checkBelay(args)
	default:
		if lang, ok := interpreter(name); ok {
			f.readInterpreterCode(lang, args[1:])
		}
	}
}

// isAssignment reports whether a word assigns a variable.
func isAssignment(w string) bool {
	name, _, ok := strings.Cut(w, "=")
	if !ok || name == "" || name[0] >= '0' && name[0] <= '9' {
		return false
	}
	return strings.Trim(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_") == ""
}

func (f *finder) checkPrefixed(name, values string, args []string) {
	takes := strings.Fields(values)
	skip := positionalArgs[name]
	for len(args) > 0 {
		a := args[0]
		switch {
		case a == "--":
			args = args[1:]
			f.checkCommand(args[min(skip, len(args)):])
			return
		case name == "env" && (a == "-S" || strings.HasPrefix(a, "--split-string")):
			f.readText(strings.Join(args[1:], " "))
			return
		case name == "flock" && a == "-c" || name == "script" && a == "-c":
			if len(args) > 1 {
				f.readText(args[1])
			}
			return
		case strings.HasPrefix(a, "-") && len(a) > 1:
			args = args[1:]
			for _, t := range takes {
				if (a == "-"+t || a == "--"+t) && len(args) > 0 {
					args = args[1:]
				}
			}
		case skip > 0:
			skip--
			args = args[1:]
		default:
			if name == "watch" || name == "flock" {
				f.readText(strings.Join(args, " "))
				return
			}
			f.checkCommand(args)
			return
		}
	}
}

// operands returns the arguments that are not options. values lists the options that take a value.
func operands(args []string, values string) (out []string) {
	takes := strings.Fields(values)
	for i := 0; i < len(args); i++ {
		a := args[i]
		if a == "--" {
			return append(out, args[i+1:]...)
		}
		if strings.HasPrefix(a, "-") && len(a) > 1 {
			for _, t := range takes {
				if a == "-"+t || a == "--"+t {
					i++
				}
			}
			continue
		}
		out = append(out, a)
	}
	return out
}

// options returns the options before "--": the letters of short ones, and the names of long ones.
func options(args []string) map[string]bool {
	set := map[string]bool{}
	for _, a := range args {
		if a == "--" {
			break
		}
		if long, ok := strings.CutPrefix(a, "--"); ok {
			name, _, _ := strings.Cut(long, "=")
			set[name] = true
		} else if len(a) > 1 && a[0] == '-' {
			for _, c := range a[1:] {
				set[string(c)] = true
			}
		}
	}
	return set
}

func (f *finder) runCD(args []string) {
	to := operands(args, "")
	switch {
	case len(to) == 0:
		f.dir = f.env.Home
	case to[0] == "-":
		f.dir = ""
	default:
		f.dir, _ = f.absPath(to[0])
	}
	f.vars["PWD"] = f.dir
}

// runShell checks the text of sh -c, or what sh reads from a heredoc or a pipe.
func (f *finder) runShell(name string, args []string) {
	powerShell := name == "pwsh" || name == "powershell"
	for i, a := range args {
		if text, ok := strings.CutPrefix(a, "--command="); ok {
			f.readText(text)
			return
		}
		cluster := a == "-c" || !powerShell && strings.HasPrefix(a, "-") && !strings.HasPrefix(a, "--") && strings.HasSuffix(a, "c")
		if (cluster || a == "--command" || strings.EqualFold(a, "-Command")) && i+1 < len(args) {
			if powerShell { // all that follows is the command
				f.readText(strings.Join(args[i+1:], " "))
				return
			}
			for n, v := range args[i+2:] {
				f.vars[strconv.Itoa(n)] = v
			}
			f.readText(args[i+1])
			return
		}
	}
	run := operands(args, "o O")
	if len(run) > 0 {
		if text, ok := f.writtenFile(run[0]); ok {
			f.runScript(text, run[1:])
		}
		return
	}
	if f.stdinKnown {
		text := f.stdin
		f.stdin, f.stdinKnown = "", false
		f.readText(text)
	}
}

// runXargs checks a command whose arguments come from standard input.
func (f *finder) runXargs(args []string) {
	takes := " I i L l n P s d E a j "
	for len(args) > 0 && strings.HasPrefix(args[0], "-") {
		a := args[0]
		args = args[1:]
		if len(a) == 2 && strings.Contains(takes, " "+a[1:]+" ") && a != "-i" && a != "-l" && len(args) > 0 {
			args = args[1:]
		}
	}
	if len(args) == 0 {
		return
	}
	more := []string{unknownText}
	if f.stdinKnown {
		if more = strings.Fields(f.stdin); len(more) == 0 || len(more) > 64 {
			more = []string{unknownText}
		}
	}
	f.stdin, f.stdinKnown = "", false
	var run []string
	placed := false
	for _, a := range args {
		if a == "{}" || a == "%" {
			run, placed = append(run, more...), true
			continue
		}
		for _, place := range []string{"{}", "%"} {
			if strings.Contains(a, place) && len(more) == 1 {
				a, placed = strings.ReplaceAll(a, place, more[0]), true
			}
		}
		run = append(run, a)
	}
	if !placed {
		run = append(run, more...)
	}
	f.checkCommand(run)
}

// checkBelay checks for belay commands that only a person may run.
func (f *finder) checkBelay(args []string) {
	words := operands(args[1:], "C dir")
	if len(words) == 0 {
		return
	}
	line := strings.Join(words[:min(2, len(words))], " ")
	switch {
	case words[0] == "trust" || words[0] == "decide" || words[0] == "move",
		line == "snapshot drop" || line == "snap drop" || line == "snapshot prune" || line == "snap prune" || line == "task accept-record",
		words[0] == "init" && options(args)["remove"]:
		f.addCommand(DestructiveCommand{Rule: "belay", Command: quoteArgs(args), Destroys: "only a person decides this",
			Instead: "ask the person to run it"})
	}
}

// quoteArgs quotes arguments for a shell.
func quoteArgs(args []string) string {
	out := make([]string, len(args))
	for i, a := range args {
		a = strings.ReplaceAll(a, unknownText, "…")
		if a == "" || strings.ContainsAny(a, " \t\n'\"$`\\|&;<>()*?[]#~!{}") {
			a = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
		out[i] = a
	}
	return strings.Join(out, " ")
}
