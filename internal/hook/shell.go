package hook

import (
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Surroundings is what the effect of a command depends on. Paths are absolute. The functions may be
// nil.
type Surroundings struct {
	Root string   // of the working tree
	Dir  string   // where the text runs
	Home string   // of the user
	Git  []string // the repository's git folders
	// Alias returns the text of a git alias.
	Alias func(name string) (text string, ok bool)
	// Tracked reports whether match accepts a tracked file; paths are relative to the root.
	Tracked func(match func(path string) bool) bool
	// HasIgnored reports whether the path is, or contains, an ignored file that no tool can
	// recreate. It is relative to the root.
	HasIgnored func(path string) bool
	// LosesCommits reports whether moving an existing ref to another commit leaves commits that no
	// other ref has. to is "" if it is not known.
	LosesCommits func(ref, to string) bool
	// Protected reports whether a file must not be written. The path is relative to the root.
	Protected func(path string) bool
}

// DestructiveCommand is a command that destroys something.
type DestructiveCommand struct {
	Rule       string // the rule's name: reset-hard, clean, rm, …
	Command    string // as it would be run
	Destroys   string // what it destroys
	Instead    string // what to do instead
	InSnapshot bool   // a snapshot of the working tree contains all that it destroys
}

const (
	maxNested = 8      // shell text inside shell text
	maxSteps  = 20_000 // commands to check; those in loops count each time
)

// FindDestructive returns the destructive commands in shell text, without duplicates.
func FindDestructive(text string, w Surroundings) []DestructiveCommand {
	f := &finder{env: w, dir: w.Dir, funcs: map[string]*syntax.Stmt{}, files: map[string]string{}, seen: map[string]bool{},
		vars: map[string]string{"HOME": w.Home, "PWD": w.Dir, "TMPDIR": "/tmp"}}
	for _, name := range []string{"$", "RANDOM", "BASHPID", "PPID", "UID", "EUID", "SECONDS", "EPOCHSECONDS"} {
		f.vars[name] = "0" // any number: what matters is where a path leads
	}
	f.readText(text)
	return f.commands
}

// finder walks through shell text in the order of execution, as far as that is known.
type finder struct {
	env        Surroundings
	dir        string // "" if unknown
	vars       map[string]string
	funcs      map[string]*syntax.Stmt
	files      map[string]string // content of files that the text writes (scripts, lists), by absolute path
	params     []string          // parameters of the function or script; nil if unknown
	alias      map[string]string // shell aliases
	depth      int
	commands   []DestructiveCommand
	seen       map[string]bool
	steps      int
	stdin      string // a command's standard input, if the text contains it
	stdinKnown bool
}

func (f *finder) addCommand(d DestructiveCommand) {
	if key := d.Rule + "\x00" + d.Command; !f.seen[key] {
		f.seen[key] = true
		f.commands = append(f.commands, d)
	}
}

// readText checks shell text.
func (f *finder) readText(text string) {
	if f.depth >= maxNested || strings.TrimSpace(text) == "" {
		return
	}
	f.depth++
	defer func() { f.depth-- }()
	file, err := parse(text)
	if err != nil {
		f.readBroken(text)
		return
	}
	f.runStmts(file.Stmts)
}

// parse parses bash. A crash of the parser counts as a syntax error.
func parse(text string) (file *syntax.File, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("parse: %v", p)
		}
	}()
	return syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(text), "")
}

// readBroken checks text that is not valid bash, such as PowerShell or truncated text, one command
// at a time.
func (f *finder) readBroken(text string) {
	split := func(r rune) bool { return strings.ContainsRune("\n;|&(){}`", r) }
	for _, line := range strings.FieldsFunc(text, split) {
		file, err := parse(line)
		if err == nil {
			f.runStmts(file.Stmts)
			continue
		}
		var args []string
		for _, w := range strings.Fields(line) {
			args = append(args, strings.Trim(w, `"'`))
		}
		f.checkCommand(args)
	}
}

func (f *finder) runStmts(list []*syntax.Stmt) {
	if f.steps > maxSteps {
		return
	}
	for _, s := range list {
		f.runStmt(s)
	}
}

func (f *finder) runStmt(s *syntax.Stmt) {
	if f.steps++; s == nil || f.steps > maxSteps {
		return
	}
	was, had := f.stdin, f.stdinKnown
	for _, r := range s.Redirs {
		f.runRedirect(r)
	}
	f.noteWritten(s)
	f.runCmd(s.Cmd)
	f.stdin, f.stdinKnown = was, had
}

// noteWritten records what a command writes to a file, if the text contains it.
func (f *finder) noteWritten(s *syntax.Stmt) {
	for _, r := range s.Redirs {
		switch r.Op {
		case syntax.RdrOut, syntax.AppOut, syntax.RdrClob, syntax.RdrAll, syntax.AppAll:
		default:
			continue
		}
		abs, known := f.absPath(f.wordText(r.Word))
		text, printed := f.outputOf(s)
		if !known || !printed {
			continue
		}
		if r.Op == syntax.AppOut || r.Op == syntax.AppAll {
			text = f.files[abs] + text
		}
		f.setFile(abs, text)
	}
}

func (f *finder) setFile(abs, text string) {
	if len(f.files) < 64 && len(text) < 1<<20 {
		f.files[abs] = text + "\n"
	}
}

// writtenFile returns what the text has written to a file.
func (f *finder) writtenFile(p string) (string, bool) {
	abs, known := f.absPath(p)
	if !known {
		return "", false
	}
	text, ok := f.files[abs]
	return text, ok
}

// runRedirect checks where output goes, and records a command's input if the text contains it.
func (f *finder) runRedirect(r *syntax.Redirect) {
	switch r.Op {
	case syntax.Hdoc, syntax.DashHdoc:
		f.stdin, f.stdinKnown = f.wordText(r.Hdoc), true
		f.runSubstitutions(r.Hdoc)
		return
	case syntax.WordHdoc:
		f.stdin, f.stdinKnown = f.wordText(r.Word), true
	case syntax.RdrIn:
		if text, ok := f.writtenFile(f.wordText(r.Word)); ok {
			f.stdin, f.stdinKnown = text, true
		}
	case syntax.RdrOut, syntax.AppOut, syntax.RdrClob, syntax.RdrAll, syntax.AppAll, syntax.RdrInOut:
		f.checkWrite(f.wordText(r.Word), "> "+f.wordText(r.Word))
	}
	f.runSubstitutions(r.Word)
}

func (f *finder) runCmd(c syntax.Command) {
	switch c := c.(type) {
	case *syntax.CallExpr:
		f.runCall(c)
	case *syntax.BinaryCmd:
		f.runBinary(c)
	case *syntax.Subshell:
		dir := f.dir
		f.runStmts(c.Stmts)
		f.dir = dir
	case *syntax.Block:
		f.runStmts(c.Stmts)
	case *syntax.IfClause:
		for i := c; i != nil; i = i.Else {
			f.runStmts(i.Cond)
			f.runStmts(i.Then)
		}
	case *syntax.WhileClause:
		f.runStmts(c.Cond)
		f.runStmts(c.Do)
	case *syntax.ForClause:
		f.runLoop(c)
	case *syntax.CaseClause:
		f.runSubstitutions(c.Word)
		for _, i := range c.Items {
			f.runStmts(i.Stmts)
		}
	case *syntax.FuncDecl:
		if c.Name == nil { // a function without a name is called immediately
			f.runStmt(c.Body)
			return
		}
		f.funcs[c.Name.Value] = c.Body
	case *syntax.TimeClause:
		f.runStmt(c.Stmt)
	case *syntax.CoprocClause:
		f.runStmt(c.Stmt)
	case *syntax.DeclClause:
		for _, a := range c.Args {
			f.runAssign(a)
		}
	case nil:
	default:
		f.runSubstitutions(c)
	}
}

// runLoop checks a loop's body for each value that the text contains.
func (f *finder) runLoop(c *syntax.ForClause) {
	it, ok := c.Loop.(*syntax.WordIter)
	if !ok {
		f.runStmts(c.Do)
		return
	}
	f.runSubstitutions(it)
	if len(it.Items) == 0 || len(it.Items) > 32 {
		delete(f.vars, it.Name.Value)
		f.runStmts(c.Do)
		return
	}
	for _, w := range it.Items {
		for _, value := range f.expand(w) {
			f.vars[it.Name.Value] = value
			f.runStmts(c.Do)
		}
	}
}

// runBinary checks both sides. The second part of a pipe gets the first one's output as input, if
// it is known.
func (f *finder) runBinary(b *syntax.BinaryCmd) {
	if b.Op != syntax.Pipe && b.Op != syntax.PipeAll {
		f.runStmt(b.X)
		f.runStmt(b.Y)
		return
	}
	dir := f.dir
	f.runStmt(b.X)
	was, had := f.stdin, f.stdinKnown
	f.stdin, f.stdinKnown = f.outputOf(b.X)
	f.runStmt(b.Y)
	f.stdin, f.stdinKnown = was, had
	f.dir = dir
}

// outputOf returns what a command prints, if the text contains it: echo, printf, cat with a
// heredoc.
func (f *finder) outputOf(s *syntax.Stmt) (string, bool) {
	if f.steps++; f.steps > maxSteps {
		return "", false
	}
	c, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || len(c.Args) == 0 {
		if b, ok := s.Cmd.(*syntax.BinaryCmd); ok && b.Op == syntax.Pipe { // assume that echo x | tr … prints something like x
			return f.outputOf(b.X)
		}
		return "", false
	}
	var args []string
	for _, w := range c.Args {
		args = append(args, f.expand(w)...)
	}
	switch path.Base(args[0]) {
	case "git":
		if f.listsTracked(args[1:]) {
			return trackedFileNames, true
		}
	case "ls":
		roots := operands(args[1:], "")
		if len(roots) == 0 {
			roots = []string{"."}
		}
		if f.selectsTracked(findArguments{roots: roots}) {
			return trackedFileNames, true
		}
	case "find", "fd", "fdfind":
		if s := f.parseFind(args); f.selectsTracked(s) {
			return trackedFileNames, true
		}
	case "echo":
		for len(args) > 1 && strings.HasPrefix(args[1], "-") && len(args[1]) <= 3 {
			args = args[1:]
		}
		return strings.Join(args[1:], " "), true
	case "printf":
		if len(args) < 2 {
			return "", false
		}
		return printfOutput(args[1], args[2:]), true
	case "cat", "tee":
		for _, r := range s.Redirs {
			if r.Hdoc != nil {
				return f.wordText(r.Hdoc), true
			}
			if r.Op == syntax.WordHdoc {
				return f.wordText(r.Word), true
			}
		}
	}
	return "", false
}

// printfOutput returns approximately what printf prints.
func printfOutput(format string, args []string) string {
	format = strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\0`, "\n").Replace(format)
	for _, a := range args {
		if i := strings.IndexByte(format, '%'); i >= 0 && i+1 < len(format) {
			format = format[:i] + a + format[i+2:]
		} else {
			format += "\n" + a
		}
	}
	return format
}

func (f *finder) runAssign(a *syntax.Assign) {
	f.runSubstitutions(a.Value)
	if a.Name == nil || a.Value == nil {
		return
	}
	f.vars[a.Name.Value] = f.wordText(a.Value)
}

func (f *finder) runCall(c *syntax.CallExpr) {
	for _, w := range c.Args {
		f.runSubstitutions(w)
	}
	for _, a := range c.Assigns {
		f.runAssign(a)
	}
	var args []string
	for _, w := range c.Args {
		args = append(args, f.expand(w)...)
	}
	f.checkCommand(args)
}

// runSubstitutions checks the command substitutions in a node.
func (f *finder) runSubstitutions(n syntax.Node) {
	if w, ok := n.(*syntax.Word); n == nil || ok && w == nil {
		return
	}
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CmdSubst:
			dir := f.dir
			f.runStmts(n.Stmts)
			f.dir = dir
			return false
		case *syntax.ProcSubst:
			f.runStmts(n.Stmts)
			return false
		}
		return true
	})
}

// unknownText stands for text that is not known before the command runs, trackedFileNames for the
// names of tracked files.
const (
	unknownText      = "\x00"
	trackedFileNames = "\x00files"
)

// expand returns the words that a word expands to: an unquoted variable is split at spaces, and
// braces produce several words.
func (f *finder) expand(w *syntax.Word) []string {
	if len(w.Parts) == 1 {
		if q, ok := w.Parts[0].(*syntax.DblQuoted); ok && len(q.Parts) == 1 && f.params != nil {
			if p, ok := q.Parts[0].(*syntax.ParamExp); ok && p.Param != nil && p.Param.Value == "@" && p.Slice == nil {
				return f.params
			}
		}
		if p, ok := w.Parts[0].(*syntax.ParamExp); ok {
			if v := f.partText(p); v != unknownText {
				return strings.Fields(v)
			}
		}
	}
	if all := expandBraces(w); all != nil {
		var out []string
		for _, one := range all {
			out = append(out, f.wordText(one))
		}
		return out
	}
	return []string{f.wordText(w)}
}

// expandBraces expands a word's braces. It returns nil if there are none.
func expandBraces(w *syntax.Word) []*syntax.Word {
	split := *w
	if !syntax.SplitBraces(&split) {
		return nil
	}
	var out []*syntax.Word
	var expand func(done, rest []syntax.WordPart)
	expand = func(done, rest []syntax.WordPart) {
		for i, p := range rest {
			b, ok := p.(*syntax.BraceExp)
			if !ok {
				continue
			}
			for _, e := range b.Elems {
				head := append(append([]syntax.WordPart{}, done...), rest[:i]...)
				expand(head, append(append([]syntax.WordPart{}, e.Parts...), rest[i+1:]...))
				if len(out) > 256 {
					return
				}
			}
			return
		}
		out = append(out, &syntax.Word{Parts: append(append([]syntax.WordPart{}, done...), rest...)})
	}
	expand(nil, split.Parts)
	return out
}

// wordText returns a word's text, with unknownText for parts that are not known before the command
// runs.
func (f *finder) wordText(w *syntax.Word) string {
	if w == nil {
		return ""
	}
	var b strings.Builder
	for _, p := range w.Parts {
		b.WriteString(f.partText(p))
	}
	s := b.String()
	if s == "~" || strings.HasPrefix(s, "~/") {
		s = f.env.Home + s[1:]
	}
	return s
}

func (f *finder) partText(p syntax.WordPart) string {
	switch p := p.(type) {
	case *syntax.Lit:
		return unescape(p.Value)
	case *syntax.SglQuoted:
		if p.Dollar {
			return strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\'`, "'", `\\`, `\`).Replace(p.Value)
		}
		return p.Value
	case *syntax.DblQuoted:
		var b strings.Builder
		for _, q := range p.Parts {
			if l, ok := q.(*syntax.Lit); ok {
				b.WriteString(strings.NewReplacer(`\"`, `"`, `\\`, `\`, `\$`, `$`, "\\`", "`", "\\\n", "").Replace(l.Value))
				continue
			}
			b.WriteString(f.partText(q))
		}
		return b.String()
	case *syntax.ParamExp:
		return f.paramText(p)
	case *syntax.CmdSubst:
		return f.substitutionOutput(p)
	case *syntax.ProcSubst:
		if len(p.Stmts) == 1 && p.Op == syntax.CmdIn {
			if text, ok := f.outputOf(p.Stmts[0]); ok {
				name := fmt.Sprintf("/dev/fd/%d", 63-len(f.files))
				f.setFile(name, text)
				return name
			}
		}
	}
	return unknownText
}

func (f *finder) paramText(p *syntax.ParamExp) string {
	if p.Param == nil {
		return unknownText
	}
	v, ok := f.vars[p.Param.Value]
	changed := p.Slice != nil || p.Repl != nil || p.Length || p.Excl
	if ok && v != "" && !changed { // also ${x:-y}, ${x:?}
		return v
	}
	if p.Exp == nil || p.Exp.Word == nil {
		return unknownText
	}
	switch p.Exp.Op {
	case syntax.DefaultUnset, syntax.DefaultUnsetOrNull, syntax.AssignUnset, syntax.AssignUnsetOrNull:
		return f.wordText(p.Exp.Word)
	}
	return unknownText
}

// substitutionOutput returns the output of a substitution if it is known: $(pwd), $(git rev-parse
// --show-toplevel), $(echo x).
func (f *finder) substitutionOutput(c *syntax.CmdSubst) string {
	if f.steps++; len(c.Stmts) != 1 || f.depth >= maxNested || f.steps > maxSteps {
		return unknownText
	}
	f.depth++
	defer func() { f.depth-- }()
	if call, ok := c.Stmts[0].Cmd.(*syntax.CallExpr); ok {
		var args []string
		for _, w := range call.Args {
			args = append(args, f.wordText(w))
		}
		switch joinArgs(args) {
		case "pwd":
			return f.dir
		case "git rev-parse --show-toplevel":
			return f.env.Root
		case "git rev-parse --git-dir", "git rev-parse --absolute-git-dir", "git rev-parse --git-common-dir":
			if len(f.env.Git) > 0 {
				return f.env.Git[0]
			}
		case "which git", "command -v git":
			return "git"
		}
		switch args[0] {
		case "mktemp":
			if to := operands(args[1:], "p suffix tmpdir"); len(to) > 0 && strings.HasPrefix(to[0], "/") {
				return to[0]
			}
			if !hasOption(options(args), "p", "tmpdir") {
				return "/tmp/mktemp"
			}
		case "date":
			if !strings.Contains(joinArgs(args), "/") {
				return "0"
			}
		}
	}
	if text, ok := f.outputOf(c.Stmts[0]); ok {
		return strings.TrimRight(text, "\n")
	}
	return unknownText
}

func joinArgs(args []string) string { return strings.Join(args, " ") }

// unescape removes the backslashes from an unquoted word.
func unescape(s string) string {
	if !strings.Contains(s, `\`) {
		return s
	}
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+1 < len(s) {
			if i++; s[i] == '\n' {
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// absPath makes a path absolute. ok is false if the result is not known.
func (f *finder) absPath(p string) (abs string, ok bool) {
	if p == "" || strings.Contains(p, unknownText) {
		return "", false
	}
	if filepath.IsAbs(p) {
		return filepath.Clean(p), true
	}
	if f.dir == "" {
		return "", false
	}
	return filepath.Join(f.dir, p), true
}

// inTree makes a path relative to the working tree's root. ok is false if it is outside.
func (f *finder) inTree(abs string) (rel string, ok bool) {
	rel, err := filepath.Rel(f.env.Root, abs)
	if err != nil || rel == ".." || strings.HasPrefix(rel, "../") {
		return "", false
	}
	return filepath.ToSlash(rel), true
}
