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

// Obstacle is why a test command cannot run on a state whatever its tests are: a program,
// a dependency or a file of the project is not there. It is given only where that is
// certain; a command that ran a single test to its end has none.
type Obstacle struct {
	What    string   `json:"what"`              // one line
	Fix     string   `json:"fix,omitempty"`     // what to type, "" where that is not known
	Install *Install `json:"install,omitempty"` // where Fix installs the project's dependencies
	// Names are words for what is missing. A request with one of them may be to make it.
	Names []string `json:"names,omitempty"`
	// Project is set where what is missing is part of the project itself, like a script or
	// a target: a request that is about tests may be to make it.
	Project bool `json:"project,omitempty"`

	// Path is what was looked for, from the root on, where that is below it or beside it. A
	// temporary checkout lacks what no snapshot holds: there it proves nothing of the tree.
	Path string `json:"-"`

	runner bool // what runs the tests is missing, not what they need
}

// Asked reports whether a request may be to make what is missing.
func (o Obstacle) Asked(words string) bool {
	names := o.Names
	if o.Project {
		names = append(slices.Clone(names), "test", "tests")
	}
	for _, n := range names {
		if n != "" && regexp.MustCompile(`(?i)(?:^|[^\w@-])`+regexp.QuoteMeta(n)+`(?:[^\w-]|$)`).MatchString(words) {
			return true
		}
	}
	return false
}

// obstacle finds what kept the command from running.
func (r *testRun) obstacle() *Obstacle {
	if r.ending.Cut || r.ending.Signal != 0 || r.ending.Code == 0 && r.ending.Failed == nil || r.ranOne() {
		return nil
	}
	s := failedStart{root: r.in.Root, command: r.in.Command, code: r.ending.Code, output: testreport.Plain(r.output.Last(64 << 10))}
	if r.ending.Failed != nil {
		return s.notStarted(r.ending.Failed.Error())
	}
	for _, look := range []func() *Obstacle{s.program, s.python, s.node, s.manifest, s.lacking, s.php} {
		if o := look(); o != nil {
			o.What = testreport.Clip(strings.TrimSpace(o.What), 300)
			return o
		}
	}
	return nil
}

// ranOne reports whether a test ran to its end: then the command could run. Runners count a
// file that cannot be imported as a test that failed.
func (r *testRun) ranOne() bool {
	if r.report.Passed+r.report.Skipped > 0 {
		return true
	}
	for _, f := range r.report.Failures {
		if r.names() && !noModule.MatchString(f.Message) && !nodeNoModule.MatchString(f.Message) && r.report.Failed > 0 {
			return true
		}
	}
	if r.names() {
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

// find returns the first group of an expression in what was said.
func (s failedStart) find(re *lazyregexp.Regexp) (string, bool) {
	m := re.FindStringSubmatch(s.output)
	if m == nil {
		return "", false
	}
	return m[len(m)-1], true
}

// line returns the line of what was said that has one of the words.
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

// notStarted reads why a program of its own could not be started.
func (s failedStart) notStarted(why string) *Obstacle {
	if len(s.command.Args) == 0 ||
		!strings.Contains(why, "not found") && !strings.Contains(why, "no such file") && !strings.Contains(why, "permission denied") {
		return nil
	}
	return s.missing(s.command.Args[0], why)
}

// Shells, env and version managers say which program they did not find.
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

// Programs that read another file say that it is not there.
var noScript = []*lazyregexp.Regexp{
	lazyregexp.New(`(?m)^(?:ba|da|z|k|a)?sh: (?:\d+: )?(?:cannot open|can't open) '?(\S+?)'?(?:: No such file)?$`),
	lazyregexp.New(`(?m)^\S*python\S*: can't open file '([^']+)'`),
	lazyregexp.New(`(?m)^Error: Cannot find module '(/[^']+)'(?:\n.*)*requireStack: \[\]`),
	lazyregexp.New(`(?m)^Could not open input file: (\S+)$`),
}

// program looks for a program or script that is not there.
func (s failedStart) program() *Obstacle {
	if s.code == 126 || s.code == 127 || s.code == 2 && strings.Contains(s.output, "make") {
		for _, re := range notFound {
			if name, ok := s.find(re); ok {
				return s.missing(name, s.line(name))
			}
		}
		if s.code == 126 || s.code == 127 {
			if name, ok := s.find(lazyregexp.New(`(?m)^(?:\S*/)?(?:ba|da|z|k|` +
				`a)?sh: (?:line )?(?:\d+: )?([^\s:]+): Permission denied`)); ok {
				return &Obstacle{What: name + " is not executable: " + s.line(name), Fix: "chmod +x " + name,
					Names: own(name), Path: name, runner: true}
			}
			return &Obstacle{What: s.last(), runner: true}
		}
	}
	for _, re := range noScript {
		if name, ok := s.find(re); ok {
			name = strings.TrimPrefix(name, strings.TrimSuffix(s.root, "/")+"/")
			return &Obstacle{What: "there is no " + name + ": " + s.line(name), Names: own(name), Project: true,
				Fix: phpFix(s.root, name), Path: name, runner: true}
		}
	}
	return nil
}

// last is the last line that was said, or how the command ended.
func (s failedStart) last() string {
	said := strings.TrimSpace(s.output)
	if line := strings.TrimSpace(said[strings.LastIndexByte(said, '\n')+1:]); line != "" {
		return line
	}
	return "it ended with exit code 127: no such command"
}

// own are the words for a file of the project: its path, its name, and that without its
// ending.
func own(name string) []string {
	base := path.Base(name)
	stem, _, _ := strings.Cut(base, ".")
	words := []string{name, base, stem}
	if base != stem {
		words = append(words, "script")
	}
	return words
}

// tools are how people get programs that no dependency of a project brings.
var tools = map[string]string{
	"npm": "install Node.js", "node": "install Node.js", "npx": "install Node.js", "pnpm": "corepack enable pnpm",
	"yarn": "corepack enable yarn", "bun": "npm install -g bun",
	"python": "use python3 in the test command", "uv": "python3 -m pip install uv", "poetry": "pipx install poetry",
	"tox": "python3 -m pip install tox", "nox": "python3 -m pip install nox",
	"go": "install Go", "cargo": "install Rust (rustup)", "mvn": "install Maven, or use ./mvnw",
	"gradle": "install Gradle, or use ./gradlew", "java": "install a JDK",
	"bundle": "gem install bundler", "composer": "install Composer", "dotnet": "install the .NET SDK",
	"make": "install make", "deno": "install Deno", "just": "install just",
}

// missing tells of a program that is not there, and what brings it.
func (s failedStart) missing(name, said string) *Obstacle {
	base := path.Base(name)
	o := &Obstacle{What: base + " was not found", Names: []string{base}, runner: true}
	if said != "" && !strings.EqualFold(said, o.What) {
		o.What += " (" + said + ")"
	}
	if strings.Contains(name, "/") && !path.IsAbs(name) {
		o.Names, o.Path, o.Project = own(name), name, true
	}
	switch {
	case base == "pytest" || base == "py.test":
		o.Fix = s.pytest()
	case strings.HasPrefix(name, "vendor/bin/") || strings.HasPrefix(name, "./vendor/bin/"):
		o.Fix, o.Project = "composer install", false
	case strings.Contains(name, "node_modules/") || NodeNeeds(s.root, base) ||
		s.byNode() && isFile(s.root, "package.json") && !Has(s.root, "node_modules"):
		s.needsNode(o)
	case strings.HasPrefix(strings.TrimPrefix(name, "./"), ".venv/"), strings.HasPrefix(strings.TrimPrefix(name, "./"), "venv/"):
		dir, _, _ := strings.Cut(strings.TrimPrefix(name, "./"), "/")
		o.Fix, o.Project = "python3 -m venv "+dir, false
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
		o.Fix = tools[base]
	}
	return o
}

// byNode reports whether a script of package.json was running.
func (s failedStart) byNode() bool {
	for _, tool := range []string{"npm", "pnpm", "yarn", "bun", "npx"} {
		if words := strings.Fields(s.command.String()); slices.Contains(words, tool) && !strings.Contains(s.output, tool+": not found") {
			return true
		}
	}
	return false
}

func (s failedStart) needsNode(o *Obstacle) {
	if in, ok := NodeInstall(s.root); ok {
		o.Fix, o.Install, o.Path = in.Command, &in, in.Folder
		o.Names = append(o.Names, "dependencies", "node_modules")
		if !Has(s.root, in.Folder) {
			o.What, _, _ = strings.Cut(o.What, " (")
			o.What += ": the dependencies are not installed (no node_modules)"
		}
	}
}

// pytest is what brings pytest into the project's Python.
func (s failedStart) pytest() string {
	if in, ok := PythonInstall(s.root); ok && in.Folder != "" {
		// All but uv may keep the environment elsewhere.
		if tool, _, _ := strings.Cut(in.Command, " "); tool != "uv" && !strings.Contains(s.command.String(), tool) {
			return in.Command + ` and --test "` + tool + ` run python -m pytest"`
		}
		return in.Command
	}
	return Python(s.root) + " -m pip install pytest"
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

// python looks for a runner or packages that are not installed. A file that imports what is
// not there breaks by itself; only where nothing but that happened could nothing run.
func (s failedStart) python() *Obstacle {
	if m, ok := s.find(noRunner); ok {
		name, _, _ := strings.Cut(m, ".")
		if Has(s.root, name) || Has(s.root, name+".py") || Has(s.root, "src/"+name) {
			return nil // the project's own: whether it imports is what is tested
		}
		o := &Obstacle{What: s.line("No module named " + m), Fix: Python(s.root) + " -m pip install " + name,
			Names: []string{name}, runner: true}
		if name == "pytest" {
			o.Fix = s.pytest()
		}
		return o
	}
	if line := noVersion.FindString(s.output); line != "" {
		m := noVersion.FindStringSubmatch(line)
		tool, _, _ := strings.Cut(line, ":")
		return &Obstacle{What: line, Fix: tool + " install " + m[1], Names: []string{m[1]}, runner: true}
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
		if Has(s.root, name) || Has(s.root, name+".py") {
			return nil
		}
		missing = name
	}
	if missing == "" {
		return nil
	}
	o := &Obstacle{What: "the Python package " + missing + " is not installed, so no test file can be imported",
		Names: []string{missing, "dependencies"}}
	if Has(s.root, "src/"+missing) {
		o.What = "the project itself (" + missing + ") is not installed, so no test file can import it"
	}
	if in, ok := PythonInstall(s.root); ok {
		o.Fix, o.Install = in.Command, &in
		if Has(s.root, "src/"+missing) && in.Folder == "" {
			o.Fix = Python(s.root) + " -m pip install -e ."
		}
	}
	return o
}

// node looks for scripts and packages that are not there.
func (s failedStart) node() *Obstacle {
	if name, ok := s.find(npmNoScript); ok && !strings.Contains(s.output, `Command "`+name+`" exited`) {
		return &Obstacle{What: "package.json has no script " + name, Names: []string{"package.json", name, "npm"}, Project: true}
	}
	if strings.Contains(s.output, "Could not read package.json") ||
		strings.Contains(s.output, "ERR_PNPM_NO_IMPORTER_MANIFEST_FOUND") || strings.Contains(s.output, "Couldn't find a package.json") {
		return &Obstacle{What: "there is no package.json", Names: []string{"package.json", "npm"}, Project: true}
	}
	if strings.Contains(s.output, "npx canceled due to missing packages") {
		list := after(s.output, "missing packages and no YES option:")
		list = strings.NewReplacer("[", " ", "]", " ", `"`, " ", "@", " ").Replace(list)
		o := &Obstacle{What: s.line("npx canceled"), Names: strings.Fields(list)[:1]}
		s.needsNode(o)
		return o
	}
	name, ok := s.find(nodeNoModule)
	if !ok || strings.HasPrefix(name, "node:") || Has(s.root, "node_modules/"+name) || !NodeNeeds(s.root, name) {
		return nil
	}
	o := &Obstacle{What: "the package " + name + " is not installed", Names: []string{name}}
	s.needsNode(o)
	return o
}

func after(s, words string) string {
	_, rest, _ := strings.Cut(s, words)
	return rest + " -"
}

// manifest looks for targets and projects that are not there.
func (s failedStart) manifest() *Obstacle {
	if name, ok := s.find(makeNoRule); ok && slices.Contains(strings.Fields(s.command.String()), name) {
		return &Obstacle{What: "the makefile has no target " + name, Names: []string{"Makefile", "make", name}, Project: true}
	}
	for _, m := range []struct{ words, file string }{
		{"no makefile found", "Makefile"}, {"could not find `Cargo.toml`", "Cargo.toml"}, {"there is no POM in this directory", "pom.xml"},
		{"does not contain main module or its selected dependencies", "go.mod"}, {"go.mod file not found in current directory", "go.mod"},
		{"cannot find main module", "go.mod"}, {"does not contain a Gradle build", "build.gradle"}, {"Could not locate Gemfile", "Gemfile"},
	} {
		if strings.Contains(s.output, m.words) && !isFile(s.root, m.file) {
			return &Obstacle{What: "there is no " + m.file + " where the command runs", Names: own(m.file), Project: true}
		}
	}
	return nil
}

// lacks are what build tools say that could not get what a project needs.
var lacks = []struct {
	says  []string // one of these is in the line that is shown
	also  []string // and one of these in some line, where there are any
	what  string   // comes before the line
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

// lacking looks for toolchains and dependencies that are not there.
func (s failedStart) lacking() *Obstacle {
	for _, l := range lacks {
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
		return &Obstacle{What: l.what + line, Fix: fix, Names: l.names, Path: l.path}
	}
	return nil
}

func phpFix(root, name string) string {
	if strings.Contains(name, "vendor/") && isFile(root, "composer.json") {
		return "composer install"
	}
	return ""
}

// php looks for what Composer installs.
func (s failedStart) php() *Obstacle {
	if line := s.line("vendor/autoload.php"); line != "" &&
		s.line("Failed to open stream", "Failed opening required",
			"You need to set up the project dependencies") != "" && !isFile(s.root, "vendor/autoload.php") {
		return &Obstacle{What: "the project's dependencies are not installed (no vendor/autoload.php)",
			Fix: "composer install", Names: []string{"composer", "dependencies"}, Path: "vendor"}
	}
	return nil
}
