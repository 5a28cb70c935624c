package agent

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/proc"
)

// droppedVariables are the variables that are not passed to an agent. A final star matches any
// suffix.
var droppedVariables = []string{
	"GIT_*",                 // belay inside a git hook has GIT_DIR and GIT_INDEX_FILE set: the agent's git would write to the wrong place
	"BELAY_*",               // variables of an outer run
	"LD_PRELOAD",            // loads code into every program
	"LD_AUDIT",              // the same
	"DYLD_INSERT_LIBRARIES", // the same on macOS
	"BASH_ENV",              // a file that every bash runs first
	"ENV",                   // the same for sh
}

// BuildEnviron returns an agent's environment: base (KEY=value, as os.Environ returns it) without
// the variables that would change what its git or its shells do, plus add. Agents need people's
// keys, paths and proxies, so there is no list of allowed variables. Names in keep are not dropped;
// a final star matches any suffix. The last value of a name counts; the result is sorted.
func BuildEnviron(base []string, keep []string, add map[string]string) []string {
	vars := make(map[string]string, len(base)+len(add))
	for _, kv := range base {
		name, value, ok := strings.Cut(kv, "=")
		if !ok || name == "" || matchesAny(droppedVariables, name) && !matchesAny(keep, name) {
			continue
		}
		vars[name] = value
	}
	for name, value := range add {
		vars[name] = value
	}
	env := make([]string, 0, len(vars))
	for name, value := range vars {
		env = append(env, name+"="+value)
	}
	slices.Sort(env)
	return env
}

func matchesAny(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		if prefix, star := strings.CutSuffix(p, "*"); star {
			return strings.HasPrefix(name, prefix)
		}
		return p == name
	})
}

// LookPath fails with CodeCannot if a command cannot be started, before anything is run. The PATH
// of env counts, see proc.LookPath.
func LookPath(argv0, dir string, env []string) error {
	_, err := proc.LookPath(argv0, dir, env)
	return err
}
