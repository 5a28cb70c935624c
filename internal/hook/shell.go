package hook

import (
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// Surroundings is what a command's effect depends on. Paths are absolute, and the functions may be nil.
type Surroundings struct {
	Root string   // of the working tree
	Dir  string   // where the text is run
	Home string   // of the user
	Git  []string // the repository's git folders
	// Alias gives what one of git's aliases stands for.
	Alias func(name string) (text string, ok bool)
	// Tracked reports whether a tracked file matches; paths are from the root.
	Tracked func(match func(path string) bool) bool
	// Precious reports whether there is an ignored file, or a folder with one, that no tool makes again. The path is from the root.
	Precious func(path string) bool
	// Protected reports whether a file must not be written. The path is from the root.
	Protected func(path string) bool
}

// Deed is a command that destroys something.
type Deed struct {
	Rule    string // its name: reset-hard, clean, rm, …
	Command string // as it is run
	Why     string // what it destroys
	Instead string // what to do instead
	Covered bool   // a snapshot of the working tree has everything that it destroys
}

const (
	mostNested = 8      // shell texts within shell texts
	mostSteps  = 20_000 // commands that are looked at, those of loops each time
)

// Destructive gives the destructive commands of a text, each once.
func Destructive(text string, w Surroundings) []Deed {
	f := &finder{w: w, dir: w.Dir, funcs: map[string]*syntax.Stmt{}, files: map[string]string{}, seen: map[string]bool{},
		vars: map[string]string{"HOME": w.Home, "PWD": w.Dir, "TMPDIR": "/tmp"}}
	for _, name := range []string{"$", "RANDOM", "BASHPID", "PPID", "UID", "EUID", "SECONDS", "EPOCHSECONDS"} {
		f.vars[name] = "0" // some number: what matters is where a path leads
	}
	f.text(text)
	return f.deeds
}

// finder walks through a text in the order in which it is run, as far as that can be known.
type finder struct {
	w      Surroundings
	dir    string // "" when it is not known
	vars   map[string]string
	funcs  map[string]*syntax.Stmt
	files  map[string]string // that the text writes, by their absolute paths: scripts, lists
	params []string          // of the function, or the script; nil when they are not known
	alias  map[string]string // of the shell
	depth  int
	deeds  []Deed
	seen   map[string]bool
	steps  int
	stdin  string // what a command reads, when that is written in the text
	stdins bool
}

func (f *finder) found(d Deed) {
	if key := d.Rule + "\x00" + d.Command; !f.seen[key] {
		f.seen[key] = true
		f.deeds = append(f.deeds, d)
	}
}

// text reads shell text.
func (f *finder) text(text string) {
	if f.depth >= mostNested || strings.TrimSpace(text) == "" {
		return
	}
	f.depth++
	defer func() { f.depth-- }()
	file, err := parse(text)
	if err != nil {
		f.broken(text)
		return
	}
	f.stmts(file.Stmts)
}

// parse reads bash. A text that the parser crashes on is none.
func parse(text string) (file *syntax.File, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("parse: %v", p)
		}
	}()
	return syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(text), "")
}

// broken reads a text that is no bash, as PowerShell's or one that was cut, command by command.
func (f *finder) broken(text string) {
	split := func(r rune) bool { return strings.ContainsRune("\n;|&(){}`", r) }
	for _, line := range strings.FieldsFunc(text, split) {
		file, err := parse(line)
		if err == nil {
			f.stmts(file.Stmts)
			continue
		}
		var args []string
		for _, w := range strings.Fields(line) {
			args = append(args, strings.Trim(w, `"'`))
		}
		f.command(args)
	}
}

func (f *finder) stmts(list []*syntax.Stmt) {
	if f.steps > mostSteps {
		return
	}
	for _, s := range list {
		f.stmt(s)
	}
}

func (f *finder) stmt(s *syntax.Stmt) {
	if f.steps++; s == nil || f.steps > mostSteps {
		return
	}
	was, had := f.stdin, f.stdins
	for _, r := range s.Redirs {
		f.redirect(r)
	}
	f.keeps(s)
	f.cmd(s.Cmd)
	f.stdin, f.stdins = was, had
}

// keeps remembers what a command writes into a file, where that is written in the text.
func (f *finder) keeps(s *syntax.Stmt) {
	for _, r := range s.Redirs {
		switch r.Op {
		case syntax.RdrOut, syntax.AppOut, syntax.RdrClob, syntax.RdrAll, syntax.AppAll:
		default:
			continue
		}
		abs, known := f.at(f.word(r.Word))
		text, printed := f.prints(s)
		if !known || !printed {
			continue
		}
		if r.Op == syntax.AppOut || r.Op == syntax.AppAll {
			text = f.files[abs] + text
		}
		f.keep(abs, text)
	}
}

func (f *finder) keep(abs, text string) {
	if len(f.files) < 64 && len(text) < 1<<20 {
		f.files[abs] = text + "\n"
	}
}

// kept gives what the text has written into a file.
func (f *finder) kept(p string) (string, bool) {
	abs, known := f.at(p)
	if !known {
		return "", false
	}
	text, ok := f.files[abs]
	return text, ok
}

// redirect looks where output goes, and reads what a command is given in the text itself.
func (f *finder) redirect(r *syntax.Redirect) {
	switch r.Op {
	case syntax.Hdoc, syntax.DashHdoc:
		f.stdin, f.stdins = f.word(r.Hdoc), true
		f.nested(r.Hdoc)
		return
	case syntax.WordHdoc:
		f.stdin, f.stdins = f.word(r.Word), true
	case syntax.RdrIn:
		if text, ok := f.kept(f.word(r.Word)); ok {
			f.stdin, f.stdins = text, true
		}
	case syntax.RdrOut, syntax.AppOut, syntax.RdrClob, syntax.RdrAll, syntax.AppAll, syntax.RdrInOut:
		f.writes(f.word(r.Word), "> "+f.word(r.Word))
	}
	f.nested(r.Word)
}

func (f *finder) cmd(c syntax.Command) {
	switch c := c.(type) {
	case *syntax.CallExpr:
		f.call(c)
	case *syntax.BinaryCmd:
		f.binary(c)
	case *syntax.Subshell:
		dir := f.dir
		f.stmts(c.Stmts)
		f.dir = dir
	case *syntax.Block:
		f.stmts(c.Stmts)
	case *syntax.IfClause:
		for i := c; i != nil; i = i.Else {
			f.stmts(i.Cond)
			f.stmts(i.Then)
		}
	case *syntax.WhileClause:
		f.stmts(c.Cond)
		f.stmts(c.Do)
	case *syntax.ForClause:
		f.loop(c)
	case *syntax.CaseClause:
		f.nested(c.Word)
		for _, i := range c.Items {
			f.stmts(i.Stmts)
		}
	case *syntax.FuncDecl:
		if c.Name == nil { // a function without a name is run at once
			f.stmt(c.Body)
			return
		}
		f.funcs[c.Name.Value] = c.Body
	case *syntax.TimeClause:
		f.stmt(c.Stmt)
	case *syntax.CoprocClause:
		f.stmt(c.Stmt)
	case *syntax.DeclClause:
		for _, a := range c.Args {
			f.assign(a)
		}
	case nil:
	default:
		f.nested(c)
	}
}

// loop runs a loop's body for each value that is written in the text.
func (f *finder) loop(c *syntax.ForClause) {
	it, ok := c.Loop.(*syntax.WordIter)
	if !ok {
		f.stmts(c.Do)
		return
	}
	f.nested(it)
	if len(it.Items) == 0 || len(it.Items) > 32 {
		delete(f.vars, it.Name.Value)
		f.stmts(c.Do)
		return
	}
	for _, w := range it.Items {
		for _, value := range f.expand(w) {
			f.vars[it.Name.Value] = value
			f.stmts(c.Do)
		}
	}
}

// binary runs both sides. What the left side of a pipe prints is known where it only prints.
func (f *finder) binary(b *syntax.BinaryCmd) {
	if b.Op != syntax.Pipe && b.Op != syntax.PipeAll {
		f.stmt(b.X)
		f.stmt(b.Y)
		return
	}
	dir := f.dir
	f.stmt(b.X)
	was, had := f.stdin, f.stdins
	f.stdin, f.stdins = f.prints(b.X)
	f.stmt(b.Y)
	f.stdin, f.stdins = was, had
	f.dir = dir
}

// prints gives what a command prints, where that is written in the text: echo, printf, cat of a heredoc.
func (f *finder) prints(s *syntax.Stmt) (string, bool) {
	if f.steps++; f.steps > mostSteps {
		return "", false
	}
	c, ok := s.Cmd.(*syntax.CallExpr)
	if !ok || len(c.Args) == 0 {
		if b, ok := s.Cmd.(*syntax.BinaryCmd); ok && b.Op == syntax.Pipe { // echo x | tr … prints something like x
			return f.prints(b.X)
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
			return someFiles, true
		}
	case "ls":
		roots := operands(args[1:], "")
		if len(roots) == 0 {
			roots = []string{"."}
		}
		if f.selectsTracked(search{roots: roots}) {
			return someFiles, true
		}
	case "find", "fd", "fdfind":
		if s := f.search(args); f.selectsTracked(s) {
			return someFiles, true
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
		return printed(args[1], args[2:]), true
	case "cat", "tee":
		for _, r := range s.Redirs {
			if r.Hdoc != nil {
				return f.word(r.Hdoc), true
			}
			if r.Op == syntax.WordHdoc {
				return f.word(r.Word), true
			}
		}
	}
	return "", false
}

// printed is what printf prints, near enough.
func printed(format string, args []string) string {
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

func (f *finder) assign(a *syntax.Assign) {
	f.nested(a.Value)
	if a.Name == nil || a.Value == nil {
		return
	}
	f.vars[a.Name.Value] = f.word(a.Value)
}

func (f *finder) call(c *syntax.CallExpr) {
	for _, w := range c.Args {
		f.nested(w)
	}
	for _, a := range c.Assigns {
		f.assign(a)
	}
	var args []string
	for _, w := range c.Args {
		args = append(args, f.expand(w)...)
	}
	f.command(args)
}

// nested runs the command substitutions within a node.
func (f *finder) nested(n syntax.Node) {
	if w, ok := n.(*syntax.Word); n == nil || ok && w == nil {
		return
	}
	syntax.Walk(n, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.CmdSubst:
			dir := f.dir
			f.stmts(n.Stmts)
			f.dir = dir
			return false
		case *syntax.ProcSubst:
			f.stmts(n.Stmts)
			return false
		}
		return true
	})
}

// unknown is in the place of what cannot be known before the text is run; someFiles, of names of tracked files.
const (
	unknown   = "\x00"
	someFiles = "\x00files"
)

// expand gives the words that one word becomes: a variable without quotes is split at blanks, braces give several.
func (f *finder) expand(w *syntax.Word) []string {
	if len(w.Parts) == 1 {
		if q, ok := w.Parts[0].(*syntax.DblQuoted); ok && len(q.Parts) == 1 && f.params != nil {
			if p, ok := q.Parts[0].(*syntax.ParamExp); ok && p.Param != nil && p.Param.Value == "@" && p.Slice == nil {
				return f.params
			}
		}
		if p, ok := w.Parts[0].(*syntax.ParamExp); ok {
			if v := f.part(p); v != unknown {
				return strings.Fields(v)
			}
		}
	}
	if all := braces(w); all != nil {
		var out []string
		for _, one := range all {
			out = append(out, f.word(one))
		}
		return out
	}
	return []string{f.word(w)}
}

// braces expands the braces of a word, nil when it has none.
func braces(w *syntax.Word) []*syntax.Word {
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

// word gives a word's text, with unknown where it has to be run to be known.
func (f *finder) word(w *syntax.Word) string {
	if w == nil {
		return ""
	}
	var b strings.Builder
	for _, p := range w.Parts {
		b.WriteString(f.part(p))
	}
	s := b.String()
	if s == "~" || strings.HasPrefix(s, "~/") {
		s = f.w.Home + s[1:]
	}
	return s
}

func (f *finder) part(p syntax.WordPart) string {
	switch p := p.(type) {
	case *syntax.Lit:
		return unescaped(p.Value)
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
			b.WriteString(f.part(q))
		}
		return b.String()
	case *syntax.ParamExp:
		return f.param(p)
	case *syntax.CmdSubst:
		return f.substituted(p)
	case *syntax.ProcSubst:
		if len(p.Stmts) == 1 && p.Op == syntax.CmdIn {
			if text, ok := f.prints(p.Stmts[0]); ok {
				name := fmt.Sprintf("/dev/fd/%d", 63-len(f.files))
				f.keep(name, text)
				return name
			}
		}
	}
	return unknown
}

func (f *finder) param(p *syntax.ParamExp) string {
	if p.Param == nil {
		return unknown
	}
	v, ok := f.vars[p.Param.Value]
	changed := p.Slice != nil || p.Repl != nil || p.Length || p.Excl
	if ok && v != "" && !changed { // also ${x:-y}, ${x:?}
		return v
	}
	if p.Exp == nil || p.Exp.Word == nil {
		return unknown
	}
	switch p.Exp.Op {
	case syntax.DefaultUnset, syntax.DefaultUnsetOrNull, syntax.AssignUnset, syntax.AssignUnsetOrNull:
		return f.word(p.Exp.Word)
	}
	return unknown
}

// substituted gives what a command prints whose output is known: $(pwd), $(git rev-parse --show-toplevel), $(echo x).
func (f *finder) substituted(c *syntax.CmdSubst) string {
	if f.steps++; len(c.Stmts) != 1 || f.depth >= mostNested || f.steps > mostSteps {
		return unknown
	}
	f.depth++
	defer func() { f.depth-- }()
	if call, ok := c.Stmts[0].Cmd.(*syntax.CallExpr); ok {
		var args []string
		for _, w := range call.Args {
			args = append(args, f.word(w))
		}
		switch line(args) {
		case "pwd":
			return f.dir
		case "git rev-parse --show-toplevel":
			return f.w.Root
		case "git rev-parse --git-dir", "git rev-parse --absolute-git-dir", "git rev-parse --git-common-dir":
			if len(f.w.Git) > 0 {
				return f.w.Git[0]
			}
		case "which git", "command -v git":
			return "git"
		}
		switch args[0] {
		case "mktemp":
			if to := operands(args[1:], "p suffix tmpdir"); len(to) > 0 && strings.HasPrefix(to[0], "/") {
				return to[0]
			}
			if !has(options(args), "p", "tmpdir") {
				return "/tmp/mktemp"
			}
		case "date":
			if !strings.Contains(line(args), "/") {
				return "0"
			}
		}
	}
	if text, ok := f.prints(c.Stmts[0]); ok {
		return strings.TrimRight(text, "\n")
	}
	return unknown
}

func line(args []string) string { return strings.Join(args, " ") }

// unescaped takes the backslashes out of a word without quotes.
func unescaped(s string) string {
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

// at makes a path of the text absolute; ok is false when it is not known.
func (f *finder) at(p string) (abs string, ok bool) {
	if p == "" || strings.Contains(p, unknown) {
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

// inTree gives a path from the root of the working tree; ok is false for one outside.
func (f *finder) inTree(abs string) (rel string, ok bool) {
	rel, err := filepath.Rel(f.w.Root, abs)
	if err != nil || rel == ".." || strings.HasPrefix(rel, "../") {
		return "", false
	}
	return filepath.ToSlash(rel), true
}
