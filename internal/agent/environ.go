package agent

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/proc"
)

// droppedVariables are the variables that do not reach an agent. A final star matches any
// rest.
var droppedVariables = []string{
	"GIT_*",                 // belay inside a git hook has GIT_DIR and GIT_INDEX_FILE set: the agent's git would write elsewhere
	"BELAY_*",               // an outer run's words about itself
	"LD_PRELOAD",            // code loaded into every program
	"LD_AUDIT",              // the same
	"DYLD_INSERT_LIBRARIES", // the same on macOS
	"BASH_ENV",              // a file every shell line would run first
	"ENV",                   // the same for sh
}

// BuildEnviron returns an agent's environment: base (KEY=value, as os.Environ has it)
// without the variables that would make its git or its shells do something else,
// and with add on top. Agents need people's keys, paths and proxies, so there is no
// list of what is allowed. Names in keep stay although they would be dropped; a final
// star matches any rest. Of a name given twice the last counts; the result is sorted.
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

// LookPath refuses with CodeCannot a command that cannot be started, before anything
// is; env's PATH counts, see proc.LookPath.
func LookPath(argv0, dir string, env []string) error {
	_, err := proc.LookPath(argv0, dir, env)
	return err
}
