package config

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/belay-dev/belay/internal/belay"
)

// ErrUntrusted is wrapped by every error about something that was not run because it is not
// trusted.
var ErrUntrusted = errors.New("this repository is not trusted on this machine")

// Command is a program with its arguments that may run. Only a Gate and TypedCommand make one; the
// zero value runs nothing. Code that starts a program which a repository could have named takes a
// Command, so that the type system enforces the check.
type Command struct{ argv []string }

// Argv returns the program and its arguments, nil for none.
func (c Command) Argv() []string { return slices.Clone(c.argv) }

// Set reports whether there is a program.
func (c Command) Set() bool { return len(c.argv) > 0 }

// String returns the command as a person would type it.
func (c Command) String() string { return strings.Join(c.argv, " ") }

// Under returns the command run by one of belay's own programs, which gets it as its last
// arguments.
func (c Command) Under(own ...string) Command {
	if !c.Set() {
		return Command{}
	}
	return Command{argv: slices.Concat(own, c.argv)}
}

// Narrowed returns the same program with other arguments, for example to run fewer tests. For
// another program it returns the zero value.
func (c Command) Narrowed(argv []string) Command {
	if !c.Set() || len(argv) == 0 {
		return Command{}
	}
	if argv[0] == c.argv[0] || len(c.argv) == 3 && c.argv[0] == "sh" && strings.HasPrefix(c.argv[2], argv[0]+" ") {
		return Command{argv: slices.Clone(argv)}
	}
	return Command{}
}

// More returns the command with additional arguments, for example to resume an agent's session.
func (c Command) More(args ...string) Command {
	if !c.Set() {
		return Command{}
	}
	return Command{argv: slices.Concat(c.argv, args)}
}

// TypedCommand returns a command that a person typed in this invocation of belay.
func TypedCommand(argv []string) Command { return Command{argv: slices.Clone(argv)} }

// Endpoint is the address of a model that may be asked, and the environment variable with its key.
// The zero value is no model.
type Endpoint struct{ address, key string }

// Address returns the address of the model, "" for none.
func (e Endpoint) Address() string { return e.address }

// KeyEnv returns the name of the variable with its key, "" for none.
func (e Endpoint) KeyEnv() string { return e.key }

// TrustArgs returns an argument vector in the form of a trusted text: each word quoted, so that
// nothing in it is hidden.
func TrustArgs(argv []string) string {
	words := make([]string, len(argv))
	for i, a := range argv {
		words[i] = strconv.QuoteToASCII(a)
	}
	return strings.Join(words, " ")
}

// TrustShell returns a shell line in that form.
func TrustShell(line string) string { return "shell " + strconv.QuoteToASCII(line) }

// Written returns a test command or linter in that form.
func Written(c belay.TestCommand) string {
	if c.Command != "" {
		return TrustShell(c.Command)
	}
	return TrustArgs(c.Args)
}

// Gate decides what may run in one repository: commands typed in this invocation and those on the
// user's list. A nil Gate allows nothing. Its methods are safe for concurrent use.
type Gate struct {
	list *TrustList
	repo string

	mu    sync.Mutex
	typed []string // texts
	known []entry  // entries of the list for this repository
	read  bool
	any   bool
}

// Gate returns the gate of the repository with the identity repo.
func (t *TrustList) Gate(repo string) *Gate { return &Gate{list: t, repo: repo} }

// Anything returns a gate that allows everything, for tests. TestOnlyTrustStartsPrograms checks
// that no other file uses it.
func Anything() *Gate { return &Gate{any: true} }

// Type allows the commands of a text in this invocation, because a person typed them. The text has
// lines of "key: words", as in a block of the config.
func (g *Gate) Type(text string) {
	if text == "" {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if !slices.Contains(g.typed, text) {
		g.typed = append(g.typed, text)
	}
}

// TypeCommand allows one command in this invocation, like Type.
func (g *Gate) TypeCommand(argv []string) {
	if len(argv) > 0 {
		g.Type(commandKey + ": " + TrustArgs(argv) + "\n")
	}
}

const commandKey = "command"

// Keep stores what was typed for later invocations in this repository: a resumed task runs the
// commands that it was started with.
func (g *Gate) Keep() error {
	if g.any {
		return nil
	}
	g.mu.Lock()
	typed := slices.Clone(g.typed)
	g.mu.Unlock()
	var add []entry
	for _, text := range typed {
		var models string // addresses, and the names of the variables with their keys
		for line := range strings.Lines(text) {
			key, words, ok := cut(line)
			if ok && runs(key) && g.listed(namesCommand(words)) != nil {
				add = append(add, entry{Repo: g.repo, Hash: hashOf(words)})
			}
			if ok && (strings.HasSuffix(key, ".endpoint") || strings.HasSuffix(key, ".key_env")) {
				models += strings.TrimSuffix(line, "\n") + "\n"
			}
		}
		if strings.Contains(models, ".endpoint: ") {
			add = append(add, entry{Repo: g.repo, Hash: Hash(models), Note: models})
		}
	}
	if len(add) == 0 {
		return nil
	}
	defer g.forget()
	return g.list.add(add)
}

// Add trusts texts in this repository, see TrustList.Add.
func (g *Gate) Add(texts ...string) error {
	defer g.forget()
	return g.list.Add(g.repo, texts...)
}

// Remove removes all trust of this repository, see TrustList.Forget.
func (g *Gate) Remove() error {
	defer g.forget()
	return g.list.Forget(g.repo)
}

// Trusted reports whether a text is on the list for this repository.
func (g *Gate) Trusted(text string) (bool, error) {
	if g.any {
		return true, nil
	}
	return g.list.Trusted(g.repo, text)
}

// Program returns a command if it may run. Error: ErrUntrusted (belay.CodeCannot), or that the list
// cannot be read.
func (g *Gate) Program(argv []string) (Command, error) {
	if len(argv) == 0 {
		return Command{}, nil
	}
	if err := g.allowed(TrustArgs(argv)); err != nil {
		return Command{}, denied(err, strings.Join(argv, " "))
	}
	return Command{argv: slices.Clone(argv)}, nil
}

// Tests returns a test command or linter if it may run; a shell line becomes a call of the shell.
// Errors as for Program.
func (g *Gate) Tests(c belay.TestCommand) (Command, error) {
	if !c.Set() {
		return Command{}, nil
	}
	argv := c.Args
	if c.Command != "" {
		argv = []string{"sh", "-c", c.Command}
	}
	err := g.allowed(Written(c))
	// Belay itself adds -json to a plain go test.
	if rest, ok := strings.CutPrefix(c.Command, "go test -json"); ok && errors.Is(err, ErrUntrusted) {
		err = g.allowed(TrustShell("go test" + rest))
	}
	if err != nil {
		return Command{}, denied(err, c.String())
	}
	return Command{argv: slices.Clone(argv)}, nil
}

// Install returns the command that installs what a test command needs, exactly as a lockfile says,
// from this machine's caches and without package scripts. It may run if the test command may,
// because it runs no more of the repository. Errors as for Tests.
func (g *Gate) Install(argv []string, tests belay.TestCommand) (Command, error) {
	if len(argv) == 0 || !tests.Set() {
		return Command{}, nil
	}
	if _, err := g.Tests(tests); err != nil {
		return Command{}, err
	}
	return Command{argv: slices.Clone(argv)}, nil
}

// Model returns a model if it may be asked. The address and the variable with its key must have
// been trusted together. Errors as for Program.
func (g *Gate) Model(address, key string) (Endpoint, error) {
	if address == "" {
		return Endpoint{}, nil
	}
	ok := func(text string) bool {
		for line := range strings.Lines(text) {
			name, words, _ := cut(line)
			base, is := strings.CutSuffix(name, ".endpoint")
			if is && words == TrustArgs([]string{address}) &&
				(key == "" || strings.Contains("\n"+text, "\n"+base+".key_env: "+TrustArgs([]string{key})+"\n")) {
				return true
			}
		}
		return false
	}
	if err := g.find(func(e entry) bool { return ok(e.Note) }); err != nil {
		return Endpoint{}, denied(err, address)
	}
	return Endpoint{address: address, key: key}, nil
}

// Setting reports whether the values of a key were trusted or typed. Error: the list cannot be
// read.
func (g *Gate) Setting(key string, values ...string) (bool, error) {
	line := key + ": " + TrustArgs(values) + "\n"
	err := g.find(func(e entry) bool { return strings.Contains("\n"+e.Note, "\n"+line) })
	if errors.Is(err, ErrUntrusted) {
		return false, nil
	}
	return err == nil, err
}

// Values returns the values of a key that were trusted or typed.
func (g *Gate) Values(key string) (values []string) {
	_ = g.find(func(e entry) bool {
		for line := range strings.Lines(e.Note) {
			if name, words, ok := cut(line); ok && name == key {
				if v, err := strconv.Unquote(words); err == nil && !slices.Contains(values, v) {
					values = append(values, v)
				}
			}
		}
		return false
	})
	return values
}

func denied(err error, what string) error {
	if !errors.Is(err, ErrUntrusted) {
		return err
	}
	return &belay.Error{Code: belay.CodeCannot, What: belay.VisibleLine(short(what)) + " was not run",
		Try: "belay trust", Err: ErrUntrusted}
}

func short(s string) string {
	if r := []rune(s); len(r) > 120 {
		return string(r[:119]) + "…"
	}
	return s
}

func (g *Gate) allowed(words string) error { return g.find(namesCommand(words)) }

// namesCommand returns a function that reports whether an entry names a command.
func namesCommand(words string) func(entry) bool {
	return func(e entry) bool {
		if e.Hash == hashOf(words) {
			return true
		}
		for line := range strings.Lines(e.Note) {
			if key, w, ok := cut(line); ok && w == words && runs(key) {
				return true
			}
		}
		return false
	}
}

// find returns nil if a typed or trusted text fits, ErrUntrusted if none does.
func (g *Gate) find(fits func(entry) bool) error {
	if g == nil {
		return ErrUntrusted
	}
	g.mu.Lock()
	typed := g.any || slices.ContainsFunc(g.typed, func(t string) bool { return fits(entry{Note: t}) })
	g.mu.Unlock()
	if typed {
		return nil
	}
	return g.listed(fits)
}

// listed is find without typed texts. It reads the list again before it returns ErrUntrusted,
// because another process may have changed it.
func (g *Gate) listed(fits func(entry) bool) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.read && slices.ContainsFunc(g.known, fits) {
		return nil
	}
	list, err := g.list.read()
	if err != nil {
		return err
	}
	g.known, g.read = nil, true
	for _, e := range list.Trusted {
		// Ignore a note that was edited: it is not what was trusted.
		if e.Repo == g.repo && (e.Note == "" || Hash(e.Note) == e.Hash) {
			g.known = append(g.known, e)
		}
	}
	if slices.ContainsFunc(g.known, fits) {
		return nil
	}
	return ErrUntrusted
}

func (g *Gate) forget() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.known, g.read = nil, false
}

func hashOf(words string) string { return Hash(commandKey + ": " + words + "\n") }

func cut(line string) (key, words string, ok bool) {
	return strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
}

// runs reports whether a key names a program, and not an address, a variable or a folder.
func runs(key string) bool {
	return key == commandKey || key == "on_failure" || key == "worktree.setup" || strings.HasSuffix(key, "."+commandKey)
}
