package testrun

import (
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/config"

	"github.com/belay-dev/belay/internal/lazyregexp"
	"github.com/belay-dev/belay/internal/testreport"
)

// maxReproduce is the maximum length in bytes of a command for one test. Generated tests can have
// names too long to type.
const maxReproduce = 400

// reproducer builds the command for a single test: its runner, and how that is started here.
type reproducer struct {
	root         string
	module       string   // the Go module at the root
	tool         string   // "" is unknown: only the complete command can be given
	startWords   []string // the words up to the tool, and options to keep
	wholeCommand string
}

// toolNames are the words in a command that identify a runner.
var toolNames = map[string]string{
	"pytest": "pytest", "py.test": "pytest", "jest": "jest", "vitest": "vitest", "mocha": "mocha", "ava": "ava",
	"rspec": "rspec", "phpunit": "phpunit",
	"mvn": "maven", "mvnw": "maven", "gradle": "gradle", "gradlew": "gradle", "cargo": "cargo", "go": "go",
	"gotestsum": "go", "unittest": "unittest", "dotnet": "dotnet", "jasmine": "jasmine",
	"react-scripts": "jest",
}

// defaultStarts are how to start a runner if the command does not show it.
var defaultStarts = map[string][]string{
	"go": {"go", "test"}, "cargo": {"cargo", "test"}, "jest": {"npx", "jest"}, "vitest": {"npx", "vitest", "run"},
	"mocha": {"npx", "mocha"}, "ava": {"npx", "ava"}, "jasmine": {"npx", "jasmine"},
	"node": {"node", "--test"}, "dotnet": {"dotnet", "test"}, "unittest": {"python3", "-m", "unittest"},
	"pytest": {"python3", "-m", "pytest"},
	"rspec":  {"rspec"}, "phpunit": {"phpunit"}, "maven": {"mvn"}, "gradle": {"gradle"},
}

// ownFormats are report formats that only one runner writes.
var ownFormats = map[string]string{
	testreport.GoTest: "go", testreport.Go: "go", testreport.Cargo: "cargo", testreport.Pytest: "pytest",
	testreport.Jest: "jest", testreport.Vitest: "vitest", testreport.Mocha: "mocha", testreport.AVA: "ava",
	testreport.Jasmine: "jasmine", testreport.Node: "node", testreport.RSpec: "rspec", testreport.PHPUnit: "phpunit",
	testreport.Unittest: "unittest", testreport.Maven: "maven", testreport.Dotnet: "dotnet", testreport.TRX: "dotnet",
	testreport.XUnit: "dotnet",
}

// shellSyntax are characters of a command line that is more than a simple command.
const shellSyntax = "|&;<>$`(){}\n"

// reportOptions matches options with the path of a report: belay's own command has one.
var reportOptions = lazyregexp.New(`[ \t]+--?[\w-]+[= ]"?\$\{?` + ReportsVar + `\}?[^"\s]*"?`)

// keptOptions are options of a command that a single test also needs: what is built, and how.
var keptOptions = lazyregexp.Of(`-tags -race -mod -C --config -c --features --all-features --no-default-features -p --package
	--profile -P -f --file --manifest-path`)

// newReproducer makes a reproducer for the command and report of a run. A runner inside a script is
// identified by its report and started in the usual way of the project.
func newReproducer(root string, c belay.TestCommand, format string) reproducer {
	p := reproducer{root: root, module: GoModule(root), wholeCommand: c.String()}
	args := c.Args
	if c.Command != "" {
		command := reportOptions.ReplaceAllString(c.Command, "")
		if args = nil; !strings.ContainsAny(command, shellSyntax) {
			args, _ = config.Split(command)
		}
	}
	p.tool = ownFormats[format]
	for _, words := range [][]string{args, scriptWords(root, args)} {
		if tool, at := findTool(words); tool != "" && (p.tool == "" || p.tool == tool) {
			p.tool, p.startWords = tool, startWordsOf(tool, words, at)
			break
		}
	}
	if p.tool != "" && p.startWords == nil {
		p.startWords = p.usualStart()
	}
	return p
}

// usualStart returns how the project starts the tool: by its own wrapper if it has one.
func (p reproducer) usualStart() []string {
	has := func(name string) bool { return isFile(p.root, name) }
	switch {
	case p.tool == "maven" && has("mvnw"):
		return []string{"./mvnw"}
	case p.tool == "gradle" && has("gradlew"):
		return []string{"./gradlew"}
	case p.tool == "rspec" && has("Gemfile"):
		return []string{"bundle", "exec", "rspec"}
	case p.tool == "phpunit" && has("vendor/bin/phpunit"):
		return []string{"vendor/bin/phpunit"}
	case p.tool == "pytest":
		return []string{PythonInterpreter(p.root), "-m", "pytest"}
	}
	return defaultStarts[p.tool]
}

// scriptWords returns the words of the test script of package.json, if a command runs it: npm test,
// yarn test, pnpm run test. Nil if it is more than one command.
func scriptWords(root string, args []string) []string {
	if len(args) == 0 || !slices.Contains([]string{"npm", "pnpm", "yarn", "bun"}, args[0]) {
		return nil
	}
	script := NodeScript(root)
	if strings.ContainsAny(script, shellSyntax) {
		return nil
	}
	words, _ := config.Split(script)
	if len(words) > 0 && toolNames[words[0]] != "" && words[0] != "go" && words[0] != "cargo" {
		words = append([]string{"npx"}, words...) // a script finds it in node_modules
	}
	return words
}

// findTool returns the runner in a command and its index, -1 for none.
func findTool(words []string) (tool string, at int) {
	for i, w := range words {
		name := strings.TrimSuffix(path.Base(filepath.ToSlash(w)), ".cmd")
		t := toolNames[name]
		switch {
		case t == "" && name == "node" && slices.Contains(words[i:], "--test"):
			return "node", i
		case t == "":
		case slices.Contains([]string{"go", "cargo", "dotnet"}, name) && !slices.Contains(words[i+1:min(i+3, len(words))], "test"):
		case name == "gotestsum": // its own options come before those of go test
			return "go", -1
		default:
			return t, i
		}
	}
	return "", -1
}

// startWordsOf returns the words that start a tool: those before it, the tool, its subcommands, and
// the options that a single test also needs.
func startWordsOf(tool string, words []string, at int) []string {
	if at < 0 {
		return defaultStarts[tool]
	}
	out := slices.Clone(words[:at+1])
	rest := words[at+1:]
	switch tool {
	case "go", "cargo", "dotnet", "react-scripts":
		i := slices.Index(rest, "test")
		out, rest = append(out, rest[:i+1]...), rest[i+1:]
	case "vitest":
		out = append(out, "run")
	case "node":
		out = append(out, "--test")
	}
	if path.Base(words[at]) == "react-scripts" {
		out = append(out, "test", "--watchAll=false")
	}
	for i := 0; i < len(rest); i++ {
		name, _, valued := strings.Cut(rest[i], "=")
		switch {
		case rest[i] == "--":
			return out
		case !keptOptions.Has(name) || tool == "pytest" && name == "-p" || tool == "maven" && name == "-c":
		case valued || name == "-race" || strings.HasPrefix(name, "--all") || strings.HasPrefix(name, "--no") || i+1 == len(rest):
			out = append(out, rest[i])
		default:
			out = append(out, rest[i], rest[i+1])
			i++
		}
	}
	return out
}

// command returns the command for one failing test, the complete test command if that is unknown.
// file is the place of the failure, relative to the root, "" for none.
func (p reproducer) command(f testreport.Failure, file string, line int) string {
	words := p.selectTest(f, file, line)
	if words == nil {
		return p.wholeCommand
	}
	quoted := make([]string, 0, len(p.startWords)+len(words))
	for _, w := range slices.Concat(p.startWords, words) {
		quoted = append(quoted, quoteShellWord(w))
	}
	text := strings.Join(quoted, " ")
	if len(text) > maxReproduce || strings.ContainsAny(text, "\n\r\x00") {
		return p.wholeCommand
	}
	return text
}

// selectTest returns the arguments of the runner that select one test, nil if it cannot be
// selected.
func (p reproducer) selectTest(f testreport.Failure, file string, line int) []string {
	name := strings.TrimPrefix(f.Test, f.Package+".")
	switch p.tool {
	case "go":
		return p.selectGoTest(f, name)
	case "pytest":
		return selectPytest(f, name, file)
	case "jest", "vitest", "mocha", "ava", "node", "jasmine":
		return p.selectJavaScript(f, file)
	case "cargo":
		if f.Package == "" || !strings.HasPrefix(f.Test, f.Package+"::") || strings.Contains(f.Test, " ") {
			return nil // a crate that does not build
		}
		return []string{strings.TrimPrefix(f.Test, f.Package+"::"), "--", "--exact"}
	case "maven", "gradle", "unittest", "phpunit", "dotnet":
		return p.selectMethod(f)
	case "rspec":
		if file != "" && line > 0 {
			return []string{file + ":" + strconv.Itoa(line)}
		}
		_, chain, ok := strings.Cut(f.Test, " > ")
		if !ok {
			chain = name
		}
		return []string{"-e", chain}
	}
	return nil
}

// selectGoTest selects a test, and its subtests level by level, in its package.
func (p reproducer) selectGoTest(f testreport.Failure, name string) []string {
	pkg, _, _ := strings.Cut(f.Package, " ")
	pkg = strings.TrimSuffix(strings.TrimSuffix(pkg, ".test"), "_test")
	if rel, ok := strings.CutPrefix(pkg, p.module); ok && p.module != "" && (rel == "" || rel[0] == '/') {
		pkg = "." + rel
	} else if p.module == "" {
		return nil // the module is in a folder below the root
	}
	if pkg == "" {
		return nil
	}
	if f.Test == f.Package || name == f.Test {
		return []string{pkg} // the package does not build
	}
	var levels []string
	for part := range strings.SplitSeq(name, "/") {
		levels = append(levels, "^"+regexp.QuoteMeta(part)+"$")
	}
	return []string{"-run", strings.Join(levels, "/"), pkg}
}

// selectPytest selects by node ID: plain output contains it, a report has the class with dots.
func selectPytest(f testreport.Failure, name, file string) []string {
	if at := strings.Index(f.Test, "::"); at > 0 && strings.HasSuffix(f.Test[:at], ".py") {
		return []string{f.Test}
	}
	if strings.HasSuffix(f.Test, ".py") {
		return []string{f.Test} // it cannot be imported
	}
	module := strings.ReplaceAll(strings.TrimSuffix(file, ".py"), "/", ".")
	if !strings.HasSuffix(file, ".py") || f.Package == "" || name == f.Test {
		return nil
	}
	class, ok := strings.CutPrefix(f.Package, module)
	if !ok { // the place is in the code, not in the test
		return []string{"-k", strings.SplitN(name, "[", 2)[0]}
	}
	return []string{file + strings.ReplaceAll(class, ".", "::") + "::" + name}
}

// splitJavaScriptID splits the ID of a JavaScript test into its file, if the ID contains it, and
// its names.
func splitJavaScriptID(f testreport.Failure) (file string, names []string) {
	parts := strings.Split(strings.ReplaceAll(f.Test, " › ", " > "), " > ")
	if rest, ok := strings.CutPrefix(parts[0], f.Package+"."); ok && f.Package != "" {
		if scriptFile.MatchString(f.Package) {
			return f.Package, append([]string{rest}, parts[1:]...)
		}
		parts[0] = f.Package + " " + rest // mocha's reports
	}
	if scriptFile.MatchString(parts[0]) {
		return parts[0], parts[1:]
	}
	return "", parts
}

var scriptFile = lazyregexp.New(`\.[cm]?[jt]sx?$`)

func (p reproducer) selectJavaScript(f testreport.Failure, at string) []string {
	file, names := splitJavaScriptID(f)
	if at != "" && scriptFile.MatchString(at) && (file == "" || strings.HasSuffix(at, file)) {
		file = at
	}
	full := strings.Join(names, " ")
	if strings.HasPrefix(full, "hook") || full == "" && file == "" {
		return nil
	}
	if file != "" && newTree(p.root).projectFile(file) == "" {
		file = ""
	}
	var words []string
	switch {
	case full == "":
		words = []string{}
	case p.tool == "jest", p.tool == "vitest":
		words = []string{"-t", "^" + regexp.QuoteMeta(full) + "$"}
		if p.tool == "vitest" { // it compares with the names joined by blanks, too
			words[1] = regexp.QuoteMeta(full)
		}
	case p.tool == "mocha":
		words = []string{"-f", full}
	case p.tool == "ava":
		words = []string{"--match=" + full}
	case p.tool == "jasmine":
		words = []string{"--filter=" + regexp.QuoteMeta(full)}
	case p.tool == "node":
		leaf := names[len(names)-1]
		if f.Package != "" && len(names) == 1 {
			leaf = strings.TrimPrefix(f.Test, f.Package+".")
		}
		words = []string{"--test-name-pattern=^" + regexp.QuoteMeta(leaf) + "$"}
	}
	if file != "" {
		words = append(words, file)
	}
	if len(words) == 0 {
		return nil
	}
	return words
}

// selectMethod selects by class and method.
func (p reproducer) selectMethod(f testreport.Failure) []string {
	id := f.Test
	if at := strings.IndexAny(id, "([{"); at > 0 {
		id = id[:at] // remove the values of a case
	}
	class, name := splitTestName(id)
	class = strings.TrimRight(class, ".:/> ")
	if class == "" || name == "" || strings.ContainsAny(id, " \t") {
		return nil
	}
	switch p.tool {
	case "maven":
		return []string{"-Dtest=" + class + "#" + name, "-Dsurefire.failIfNoSpecifiedTests=false", "test"}
	case "gradle":
		return []string{"test", "--tests", class + "." + name}
	case "unittest":
		return []string{class + "." + name}
	case "phpunit":
		return []string{"--filter", "/" + regexp.QuoteMeta(class[strings.LastIndexAny(class, `\.`)+1:]) + "::" +
			regexp.QuoteMeta(name) + "\\b/"}
	case "dotnet":
		how := "="
		if id != f.Test {
			how = "~" // matches all of its cases
		}
		return []string{"--filter", "FullyQualifiedName" + how + class + "." + name}
	}
	return nil
}

// bareWord matches a word that needs no quotes in a shell.
var bareWord = lazyregexp.New(`^[\w@%+=:,./-]+$`)

// quoteShellWord quotes a word for a shell.
func quoteShellWord(w string) string {
	if bareWord.MatchString(w) {
		return w
	}
	return "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
}
