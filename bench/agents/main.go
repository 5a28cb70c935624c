// Command agents records what real coding agents print while they work, and what belay's stall
// detection reports about it. The agents are installed with npm. Each talks to a scripted model on
// this machine, which plays real work and stalls in a small repository: the calls are ours; the
// events, the results of the tools and their noise are the agents' own.
//
// With -belay it runs each agent under belay instead (three attempts of which the last is right, a
// rejected key, a used up quota) and prints a table. With -kill it ends runs while the agent works.
// With -interactive it installs belay's hooks in each agent and runs it in an interactive session.
//
//	go run ./bench/agents [-npm DIR] [-install=false] [-only codex,qwen] [-script same_read,long_work] [-out DIR]
//
// Each agent is installed in the version that is known to work; another version in DIR is replaced, unless
// -install=false. An agent that cannot be installed is a failure if -only names it, otherwise it is left out.
//
// Nothing is installed outside DIR. Each run has its own home and no network. -out writes the
// recordings to a folder, without the names, IDs and times of this machine.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

func main() {
	var (
		npm     = flag.String("npm", "", "folder for the agents (default: belay-agents in the temporary folder)")
		install = flag.Bool("install", true, "install the agents that are not there")
		only    = flag.String("only", "", "only these agents, parted by commas: names or parts of names")
		one     = flag.String("script", "", "only scripts, or runs of -belay, with one of these, parted by commas, in the name")
		out     = flag.String("out", "", "write the recordings to this folder")
		run     = flag.String("belay", "", "instead of recording, put each agent through runs of this program")
		kill    = flag.Bool("kill", false, "with -belay: end its runs in six ways, and count what is left of the agents")
		talk    = flag.Bool("interactive", false, "with -belay: its hooks in interactive sessions under a terminal")
		keep    = flag.String("raw", "", "write the unedited output of the agents to this folder")
	)
	flag.Parse()
	if !chosen(*only) {
		fmt.Fprintf(os.Stderr, "agents: no agent matches all of -only %s\n", *only)
		os.Exit(2)
	}
	if *npm == "" {
		*npm = filepath.Join(os.TempDir(), "belay-agents")
	}
	b := bench{npm: *npm, install: *install, named: *only != "", out: *out, raw: *keep, through: *run}
	do := b.all
	switch {
	case *talk && *run != "":
		do = b.interactiveAll
	case *kill && *run != "":
		do = b.killAll
	case *run != "":
		do = b.throughAll
	}
	right, err := do(*only, *one)
	if err != nil {
		fmt.Fprintln(os.Stderr, "agents:", err)
		os.Exit(2)
	}
	if !right {
		os.Exit(1)
	}
}

// bench has the folders of the agents and of their recordings.
type bench struct {
	npm, out, raw string
	through       string // belay's program
	install       bool
	named         bool // -only names agents, so each must be installed
}

// matches reports whether a name contains one of the parts; without parts, all names match.
func matches(name, parts string) bool {
	for part := range strings.SplitSeq(parts, ",") {
		if strings.Contains(name, part) {
			return true
		}
	}
	return false
}

// wanted reports whether a part is the name of the agent, or, if it is no agent's name, contained
// in it: pi does not match copilot.
func wanted(name, parts string) bool {
	for part := range strings.SplitSeq(parts, ",") {
		whole := slices.ContainsFunc(agents(), func(a program) bool { return a.Name == part })
		if name == part || !whole && strings.Contains(name, part) {
			return true
		}
	}
	return false
}

// chosen reports whether each part is contained in the name of an agent.
func chosen(parts string) bool {
	for part := range strings.SplitSeq(parts, ",") {
		if !slices.ContainsFunc(agents(), func(a program) bool { return strings.Contains(a.Name, part) }) {
			return false
		}
	}
	return true
}

// all records every agent with every script and prints what the stall detection found. It reports
// whether that was always right.
func (b bench) all(only, one string) (bool, error) {
	m, err := serve()
	if err != nil {
		return false, err
	}
	defer func() { _ = m.Close() }()
	right := true
	for _, a := range agents() {
		if wanted(a.Name, only) {
			good, err := b.one(m, a, one)
			if err != nil {
				return false, err
			}
			right = right && good
		}
	}
	return right, nil
}

// one records one agent. It prints and skips one that cannot be installed.
func (b bench) one(m *model, a program, only string) (bool, error) {
	version, err := b.ready(a)
	if err != nil {
		fmt.Printf("%-9s left out: %v\n", a.Name, err)
		return !b.named, nil
	}
	fmt.Printf("%s %s\n", a.Package, version)
	right, list := true, list{Name: a.Name, Package: a.Package, Version: version, dir: b.out}
	for _, s := range scripts() {
		if !matches(s.Name, only) {
			continue
		}
		r, err := b.record(m, a, s)
		if err != nil {
			return false, fmt.Errorf("record %s with %s: %w", s.Name, a.Name, err)
		}
		fmt.Printf("  %-24s %s\n", s.Name, r)
		right = right && r.right()
		if err := list.add(s, r); err != nil {
			return false, err
		}
	}
	if only != "" {
		return right, nil // a table lists all scripts
	}
	return right, list.close()
}

// ready installs an agent that is missing or has another version, and returns its version.
func (b bench) ready(a program) (string, error) {
	dir := filepath.Join(b.npm, a.Name)
	about := filepath.Join(dir, "node_modules", filepath.FromSlash(a.Package), "package.json")
	version, err := installed(about)
	if err == nil {
		_, err = os.Stat(a.path(b.npm)) // missing after an interrupted installation
	}
	if b.install && (err != nil || version != a.Version) {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			return "", err
		}
		want := a.Package + "@" + a.Version
		if out, err := exec.Command("npm", "install", "--prefix", dir, "--no-audit", "--no-fund", want).CombinedOutput(); err != nil {
			return "", fmt.Errorf("install %s: %w\n%s", want, err, out)
		}
	}
	return installed(about)
}

// path is the agent's program.
func (a program) path(npm string) string {
	return filepath.Join(npm, a.Name, "node_modules", filepath.FromSlash(a.Binary))
}
