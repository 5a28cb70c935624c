package testrun

import (
	"path"
	"regexp"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/lazyregexp"
	"github.com/belay-dev/belay/internal/testreport"
)

// Obstacle is why a test command cannot run at all: a program, a dependency or a file of the
// project is missing. It is only returned if that is certain; if a single test ran to its end,
// there is none.
type Obstacle struct {
	Message string   `json:"what"`              // one line
	Fix     string   `json:"fix,omitempty"`     // what to type, "" if unknown
	Install *Install `json:"install,omitempty"` // set if Fix installs the project's dependencies
	// Names are words for what is missing. A request with one of them may ask for it.
	Names []string `json:"names,omitempty"`
	// InProject means that a part of the project itself is missing, like a script or a target: a
	// request about tests may ask for it.
	InProject bool `json:"project,omitempty"`

	// Path is the missing path, relative to the root, if it is below the root or beside it. A
	// temporary checkout lacks files that no snapshot contains, so there it proves nothing about
	// the tree.
	Path string `json:"-"`

	runnerMissing bool // the test runner is missing, not a dependency of the tests
}

// IsAskedFor reports whether a request may ask for what is missing.
func (o Obstacle) IsAskedFor(words string) bool {
	names := o.Names
	if o.InProject {
		names = append(slices.Clone(names), "test", "tests")
	}
	for _, n := range names {
		if n != "" && regexp.MustCompile(`(?i)(?:^|[^\w@-])`+regexp.QuoteMeta(n)+`(?:[^\w-]|$)`).MatchString(words) {
			return true
		}
	}
	return false
}

// findObstacle returns what prevented the command from running.
func (r *testRun) findObstacle() *Obstacle {
	if r.ending.Cut || r.ending.Signal != 0 || r.ending.Code == 0 && r.ending.Failed == nil || r.hasRunTest() {
		return nil
	}
	s := failedStart{root: r.in.Root, command: r.in.Command, code: r.ending.Code, output: testreport.PlainText(r.output.Last(64 << 10))}
	if r.ending.Failed != nil {
		return s.startObstacle(r.ending.Failed.Error())
	}
	for _, look := range []func() *Obstacle{s.missingProgram, s.missingPython, s.missingNode, s.missingTarget,
		s.missingDependency, s.missingPHP} {
		if o := look(); o != nil {
			o.Message = testreport.Clip(strings.TrimSpace(o.Message), 300)
			return o
		}
	}
	return nil
}

// hasRunTest reports whether a test ran to its end, so the command could run. Runners count a file
// that cannot be imported as a failed test.
func (r *testRun) hasRunTest() bool {
	if r.report.Passed+r.report.Skipped > 0 {
		return true
	}
	for _, f := range r.report.Failures {
		if r.namesTests() && !noModule.MatchString(f.Message) && !nodeNoModule.MatchString(f.Message) && r.report.Failed > 0 {
			return true
		}
	}
	if r.namesTests() {
		return false
	}
	said, ok, _ := testreport.ReadAnyPlain(r.output.Reader())
	return ok && said.Passed+said.Skipped > 0
}

// failedStart describes a test command that could not run.
type failedStart struct {
	root    string
	command belay.TestCommand
	code    int
	output  string
}

// find returns the first group of an expression in the output.
func (s failedStart) find(re *lazyregexp.Regexp) (string, bool) {
	m := re.FindStringSubmatch(s.output)
	if m == nil {
		return "", false
	}
	return m[len(m)-1], true
}

// line returns the line of the output with one of the words.
func (s failedStart) line(words ...string) string {
	for line := range strings.Lines(s.output) {
		for _, w := range words {
			if strings.Contains(line, w) {
				return strings.TrimSpace(line)
			}
		}
	}
	return ""
}

// startObstacle derives the obstacle from the error of starting the program.
func (s failedStart) startObstacle(why string) *Obstacle {
	if len(s.command.Args) == 0 ||
		!strings.Contains(why, "not found") && !strings.Contains(why, "no such file") && !strings.Contains(why, "permission denied") {
		return nil
	}
	return s.programObstacle(s.command.Args[0], why)
}

// Shells, env and version managers name the program that they did not find.
var notFound = []*lazyregexp.Regexp{
	lazyregexp.New("(?m)^pyenv: (\\S+): command not found"),
	lazyregexp.New(`(?m)^bundler: command not found: (\S+)`),
	lazyregexp.New(`(?m)^(?:\S*/)?zsh:\d+: command not found: (\S+)`),
	lazyregexp.New(`(?m)^(?:\S*/)?(?:ba|da|z|k|a)?sh: (?:line )?(?:\d+: )?([^\s:]+): (?:command )?not found`),
	lazyregexp.New(`(?m)^(?:\S*/)?(?:ba|da|z|k|a)?sh: (?:line )?(?:\d+: )?([^\s:]+): (?:No such file or directory|cannot execute)`),
	lazyregexp.New(`(?m)^\S+\.sh: (?:line )?\d+: ([^\s:]+): (?:command )?not found`),
	lazyregexp.New(`(?m)^(?:/usr/bin/)?env: [‘'"]?([^\s’'":]+)[’'"]?: No such file or directory`),
	lazyregexp.New(`(?m)^g?make(?:\[\d+\])?: ([^\s:]+): No such file or directory`),
}

// Programs that read another file name it if it does not exist.
var noScript = []*lazyregexp.Regexp{
	lazyregexp.New(`(?m)^(?:ba|da|z|k|a)?sh: (?:\d+: )?(?:cannot open|can't open) '?(\S+?)'?(?:: No such file)?$`),
	lazyregexp.New(`(?m)^\S*python\S*: can't open file '([^']+)'`),
	lazyregexp.New(`(?m)^Error: Cannot find module '(/[^']+)'(?:\n.*)*requireStack: \[\]`),
	lazyregexp.New(`(?m)^Could not open input file: (\S+)$`),
}

// missingProgram detects a missing program or script.
func (s failedStart) missingProgram() *Obstacle {
	if s.code == 126 || s.code == 127 || s.code == 2 && strings.Contains(s.output, "make") {
		for _, re := range notFound {
			if name, ok := s.find(re); ok {
				return s.programObstacle(name, s.line(name))
			}
		}
		if s.code == 126 || s.code == 127 {
			if name, ok := s.find(lazyregexp.New(`(?m)^(?:\S*/)?(?:ba|da|z|k|` +
				`a)?sh: (?:line )?(?:\d+: )?([^\s:]+): Permission denied`)); ok {
				return &Obstacle{Message: name + " is not executable: " + s.line(name), Fix: "chmod +x " + name,
					Names: fileNames(name), Path: name, runnerMissing: true}
			}
			return &Obstacle{Message: s.lastOutput(), runnerMissing: true}
		}
	}
	for _, re := range noScript {
		if name, ok := s.find(re); ok {
			name = strings.TrimPrefix(name, strings.TrimSuffix(s.root, "/")+"/")
			return &Obstacle{Message: "there is no " + name + ": " + s.line(name), Names: fileNames(name), InProject: true,
				Fix: phpFix(s.root, name), Path: name, runnerMissing: true}
		}
	}
	return nil
}

// lastOutput returns the last line of the output, or how the command ended.
func (s failedStart) lastOutput() string {
	said := strings.TrimSpace(s.output)
	if line := strings.TrimSpace(said[strings.LastIndexByte(said, '\n')+1:]); line != "" {
		return line
	}
	return "it ended with exit code 127: no such command"
}

// fileNames returns the words for a file of the project: its path, its name, and that without its
// extension.
func fileNames(name string) []string {
	base := path.Base(name)
	stem, _, _ := strings.Cut(base, ".")
	words := []string{name, base, stem}
	if base != stem {
		words = append(words, "script")
	}
	return words
}

// installAdvice is how people install programs that are no dependency of a project.
var installAdvice = map[string]string{
	"npm": "install Node.js", "node": "install Node.js", "npx": "install Node.js", "pnpm": "corepack enable pnpm",
	"yarn": "corepack enable yarn", "bun": "npm install -g bun",
	"python": "use python3 in the test command", "uv": "python3 -m pip install uv", "poetry": "pipx install poetry",
	"tox": "python3 -m pip install tox", "nox": "python3 -m pip install nox",
	"go": "install Go", "cargo": "install Rust (rustup)", "mvn": "install Maven, or use ./mvnw",
	"gradle": "install Gradle, or use ./gradlew", "java": "install a JDK",
	"bundle": "gem install bundler", "composer": "install Composer", "dotnet": "install the .NET SDK",
	"make": "install make", "deno": "install Deno", "just": "install just",
}

// programObstacle returns the obstacle of a missing program, and how to install it.
func (s failedStart) programObstacle(name, said string) *Obstacle {
	base := path.Base(name)
	o := &Obstacle{Message: base + " was not found", Names: []string{base}, runnerMissing: true}
	if said != "" && !strings.EqualFold(said, o.Message) {
		o.Message += " (" + said + ")"
	}
	if strings.Contains(name, "/") && !path.IsAbs(name) {
		o.Names, o.Path, o.InProject = fileNames(name), name, true
	}
	switch {
	case base == "pytest" || base == "py.test":
		o.Fix = s.pytestInstall()
	case strings.HasPrefix(name, "vendor/bin/") || strings.HasPrefix(name, "./vendor/bin/"):
		o.Fix, o.InProject = "composer install", false
	case strings.Contains(name, "node_modules/") || NodeNeeds(s.root, base) ||
		s.isNodeScript() && isFile(s.root, "package.json") && !HasFile(s.root, "node_modules"):
		s.setNodeInstall(o)
	case strings.HasPrefix(strings.TrimPrefix(name, "./"), ".venv/"), strings.HasPrefix(strings.TrimPrefix(name, "./"), "venv/"):
		dir, _, _ := strings.Cut(strings.TrimPrefix(name, "./"), "/")
		o.Fix, o.InProject = "python3 -m venv "+dir, false
		if in, ok := PythonInstall(s.root); ok && in.Folder == dir {
			o.Fix, o.Install = in.Command, &in
		}
	case slices.Contains([]string{"rspec", "rake", "minitest"}, base) && isFile(s.root, "Gemfile"):
		o.Fix, o.Path = "bundle install", "vendor/bundle"
	case base == "phpunit" && isFile(s.root, "composer.json"):
		o.Fix, o.Path = "composer install", "vendor"
	case base == "mvn" && isFile(s.root, "mvnw"):
		o.Fix = "--test './mvnw -q test'"
	case base == "gradle" && isFile(s.root, "gradlew"):
		o.Fix = "--test './gradlew test'"
	default:
		o.Fix = installAdvice[base]
	}
	return o
}

// isNodeScript reports whether a script of package.json was running.
func (s failedStart) isNodeScript() bool {
	for _, tool := range []string{"npm", "pnpm", "yarn", "bun", "npx"} {
		if words := strings.Fields(s.command.String()); slices.Contains(words, tool) && !strings.Contains(s.output, tool+": not found") {
			return true
		}
	}
	return false
}

func (s failedStart) setNodeInstall(o *Obstacle) {
	if in, ok := NodeInstall(s.root); ok {
		o.Fix, o.Install, o.Path = in.Command, &in, in.Folder
		o.Names = append(o.Names, "dependencies", "node_modules")
		if !HasFile(s.root, in.Folder) {
			o.Message, _, _ = strings.Cut(o.Message, " (")
			o.Message += ": the dependencies are not installed (no node_modules)"
		}
	}
}

// pytestInstall returns how to install pytest for the project's Python.
func (s failedStart) pytestInstall() string {
	if in, ok := PythonInstall(s.root); ok && in.Folder != "" {
		// all except uv may keep the environment elsewhere
		if tool, _, _ := strings.Cut(in.Command, " "); tool != "uv" && !strings.Contains(s.command.String(), tool) {
			return in.Command + ` and --test "` + tool + ` run python -m pytest"`
		}
		return in.Command
	}
	return PythonInterpreter(s.root) + " -m pip install pytest"
}

var (
	noModule     = lazyregexp.New(`No module named '?([\w.]+)'?`)
	noRunner     = lazyregexp.New(`(?m)^\S*python\S*: No module named (\S+)$`)
	pythonFault  = lazyregexp.New(`(?m)^(?:E\s+)?(\w+(?:Error|Exception))\b`)
	noVersion    = lazyregexp.New("(?m)^(?:pyenv|rbenv|nodenv): version [`']?([^'`]+)' is not installed.*$")
	npmNoScript  = lazyregexp.New(`(?i)(?:npm (?:ERR!|error)|ERR_PNPM_NO_SCRIPT|error) +(?:Missing script:|Command) ?"?([\w:.-]+)"?`)
	nodeNoModule = lazyregexp.New(`(?:Cannot find (?:module|package)|Can't resolve) '([^'./][^']*)'`)
	makeNoRule   = lazyregexp.New("(?m)^g?make: \\*\\*\\* No rule to make target [`'‘]([^'’]+)['’]\\.\\s+Stop")
)

// missingPython detects a runner or packages that are not installed. A file with a failing import
// only breaks itself; only if there were no other results could nothing run.
func (s failedStart) missingPython() *Obstacle {
	if m, ok := s.find(noRunner); ok {
		name, _, _ := strings.Cut(m, ".")
		if HasFile(s.root, name) || HasFile(s.root, name+".py") || HasFile(s.root, "src/"+name) {
			return nil // a module of the project: whether it can be imported is what is tested
		}
		o := &Obstacle{Message: s.line("No module named " + m), Fix: PythonInterpreter(s.root) + " -m pip install " + name,
			Names: []string{name}, runnerMissing: true}
		if name == "pytest" {
			o.Fix = s.pytestInstall()
		}
		return o
	}
	if line := noVersion.FindString(s.output); line != "" {
		m := noVersion.FindStringSubmatch(line)
		tool, _, _ := strings.Cut(line, ":")
		return &Obstacle{Message: line, Fix: tool + " install " + m[1], Names: []string{m[1]}, runnerMissing: true}
	}
	collected := strings.Contains(s.output, "ImportError while loading conftest") ||
		strings.Contains(s.output, "errors during collection") ||
		strings.Contains(s.output, "error during collection") || strings.Contains(s.output, "ERROR collecting ") ||
		strings.Contains(s.output, "Failed to import test module")
	if !collected || s.code == 0 {
		return nil
	}
	missing := ""
	for _, m := range pythonFault.FindAllStringSubmatch(s.output, -1) {
		if m[1] != "ModuleNotFoundError" && m[1] != "ImportError" {
			return nil
		}
	}
	for _, m := range noModule.FindAllStringSubmatch(s.output, -1) {
		name, _, _ := strings.Cut(m[1], ".")
		if HasFile(s.root, name) || HasFile(s.root, name+".py") {
			return nil
		}
		missing = name
	}
	if missing == "" {
		return nil
	}
	o := &Obstacle{Message: "the Python package " + missing + " is not installed, so no test file can be imported",
		Names: []string{missing, "dependencies"}}
	if HasFile(s.root, "src/"+missing) {
		o.Message = "the project itself (" + missing + ") is not installed, so no test file can import it"
	}
	if in, ok := PythonInstall(s.root); ok {
		o.Fix, o.Install = in.Command, &in
		if HasFile(s.root, "src/"+missing) && in.Folder == "" {
			o.Fix = PythonInterpreter(s.root) + " -m pip install -e ."
		}
	}
	return o
}

// missingNode detects missing scripts and packages.
func (s failedStart) missingNode() *Obstacle {
	if name, ok := s.find(npmNoScript); ok && !strings.Contains(s.output, `Command "`+name+`" exited`) {
		return &Obstacle{Message: "package.json has no script " + name, Names: []string{"package.json", name, "npm"}, InProject: true}
	}
	if strings.Contains(s.output, "Could not read package.json") ||
		strings.Contains(s.output, "ERR_PNPM_NO_IMPORTER_MANIFEST_FOUND") || strings.Contains(s.output, "Couldn't find a package.json") {
		return &Obstacle{Message: "there is no package.json", Names: []string{"package.json", "npm"}, InProject: true}
	}
	if strings.Contains(s.output, "npx canceled due to missing packages") {
		list := textAfter(s.output, "missing packages and no YES option:")
		list = strings.NewReplacer("[", " ", "]", " ", `"`, " ", "@", " ").Replace(list)
		o := &Obstacle{Message: s.line("npx canceled"), Names: strings.Fields(list)[:1]}
		s.setNodeInstall(o)
		return o
	}
	name, ok := s.find(nodeNoModule)
	if !ok || strings.HasPrefix(name, "node:") || HasFile(s.root, "node_modules/"+name) || !NodeNeeds(s.root, name) {
		return nil
	}
	o := &Obstacle{Message: "the package " + name + " is not installed", Names: []string{name}}
	s.setNodeInstall(o)
	return o
}

func textAfter(s, words string) string {
	_, rest, _ := strings.Cut(s, words)
	return rest + " -"
}

// missingTarget detects missing targets and projects.
func (s failedStart) missingTarget() *Obstacle {
	if name, ok := s.find(makeNoRule); ok && slices.Contains(strings.Fields(s.command.String()), name) {
		return &Obstacle{Message: "the makefile has no target " + name, Names: []string{"Makefile", "make", name}, InProject: true}
	}
	for _, m := range []struct{ words, file string }{
		{"no makefile found", "Makefile"}, {"could not find `Cargo.toml`", "Cargo.toml"}, {"there is no POM in this directory", "pom.xml"},
		{"does not contain main module or its selected dependencies", "go.mod"}, {"go.mod file not found in current directory", "go.mod"},
		{"cannot find main module", "go.mod"}, {"does not contain a Gradle build", "build.gradle"}, {"Could not locate Gemfile", "Gemfile"},
	} {
		if strings.Contains(s.output, m.words) && !isFile(s.root, m.file) {
			return &Obstacle{Message: "there is no " + m.file + " where the command runs", Names: fileNames(m.file), InProject: true}
		}
	}
	return nil
}

// missingToolchains is the output of build tools that could not get what a project needs.
var missingToolchains = []struct {
	says  []string // one of these is in the line that is shown
	also  []string // and one of these in any line, if there are any
	what  string   // put before the line
	fix   string
	names []string
	path  string
}{
	{says: []string{"JAVA_HOME is not set", "JAVA_HOME environment variable is not defined", "Unable to locate a Java Runtime",
		"No compiler is provided in this environment"}, fix: "install a JDK and set JAVA_HOME"},
	{says: []string{"Could not resolve dependencies", "could not be resolved", "Non-resolvable", "Failed to read artifact descriptor",
		"Error resolving version for plugin"},
		also: []string{"in offline mode and the artifact", "Could not transfer artifact", "has not been downloaded from it before",
			"was not found in https://repo.maven"},
		what: "Maven does not have the project's dependencies: ", fix: "mvn dependency:go-offline", names: []string{"dependencies"}},
	{says: []string{"No cached version of ", "Could not resolve all ", "Could not find or load main class org.gradle.wrapper",
		"UnknownHostException: services.gradle.org"},
		what: "Gradle does not have what it needs: ", fix: "gradle testClasses", names: []string{"dependencies"}},
	{says: []string{"error: no matching package named", "error: failed to get `", "error: failed to download", "error: unable to update",
		"error: failed to load source for dependency"},
		also: []string{"offline", "network", "failed to fetch", "download of", "Could not resolve host", "Couldn't resolve host",
			"unable to update", "spurious"},
		what: "cargo does not have the project's dependencies: ", fix: "cargo fetch --locked", names: []string{"dependencies"}},
	{says: []string{"error: toolchain '", "error: rustup could not choose"}, fix: "rustup toolchain install",
		names: []string{"toolchain", "rust-toolchain"}},
	{says: []string{"; GOTOOLCHAIN=local)", "toolchain not available"}, fix: "install that Go", names: []string{"go.mod", "toolchain"}},
	{says: []string{"dial tcp", "module lookup disabled by GOPROXY=off", "module lookup disabled by -mod=vendor"},
		also: []string{"[setup failed]", "go: "},
		what: "go does not have the project's modules: ", fix: "go mod download", names: []string{"dependencies", "go.mod"}},
	{says: []string{"Could not find gem ", "Run `bundle install`", "Bundler could not find compatible versions",
		"in locally installed gems"}, fix: "bundle install", names: []string{"Gemfile", "dependencies"}, path: "vendor/bundle"},
	{says: []string{"No .NET SDKs were found", "A compatible .NET SDK was not found", "You must install or update .NET"},
		fix: "install that .NET SDK", names: []string{"global.json"}},
	{says: []string{"error NETSDK1004", "error NU1301", "error NU1101"}, fix: "dotnet restore", names: []string{"dependencies"}},
}

// missingDependency detects missing toolchains and dependencies.
func (s failedStart) missingDependency() *Obstacle {
	for _, l := range missingToolchains {
		line := s.line(l.says...)
		if line == "" || len(l.also) > 0 && s.line(l.also...) == "" {
			continue
		}
		fix := l.fix
		for own, tool := range map[string]string{"mvnw": "mvn", "gradlew": "gradle"} {
			if rest, ok := strings.CutPrefix(fix, tool+" "); ok && isFile(s.root, own) {
				fix = "./" + own + " " + rest
			}
		}
		return &Obstacle{Message: l.what + line, Fix: fix, Names: l.names, Path: l.path}
	}
	return nil
}

func phpFix(root, name string) string {
	if strings.Contains(name, "vendor/") && isFile(root, "composer.json") {
		return "composer install"
	}
	return ""
}

// missingPHP detects missing packages of Composer.
func (s failedStart) missingPHP() *Obstacle {
	if line := s.line("vendor/autoload.php"); line != "" &&
		s.line("Failed to open stream", "Failed opening required",
			"You need to set up the project dependencies") != "" && !isFile(s.root, "vendor/autoload.php") {
		return &Obstacle{Message: "the project's dependencies are not installed (no vendor/autoload.php)",
			Fix: "composer install", Names: []string{"composer", "dependencies"}, Path: "vendor"}
	}
	return nil
}
