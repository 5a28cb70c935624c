package agent

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
)

// dropped are the variables that do not reach an agent. A final star matches any
// rest.
var dropped = []string{
	"GIT_*",                 // belay inside a git hook has GIT_DIR and GIT_INDEX_FILE set: the agent's git would write elsewhere
	"BELAY_*",               // an outer run's words about itself
	"LD_PRELOAD",            // code loaded into every program
	"LD_AUDIT",              // the same
	"DYLD_INSERT_LIBRARIES", // the same on macOS
	"BASH_ENV",              // a file every shell line would run first
	"ENV",                   // the same for sh
}

// Environ gives an agent's environment: base (KEY=value, as os.Environ has it)
// without the variables that would make its git or its shells do something else,
// and with add on top. Agents need people's keys, paths and proxies, so there is no
// list of what is allowed. Names in keep stay although they would be dropped; a final
// star matches any rest. Of a name given twice the last counts; the result is sorted.
func Environ(base []string, keep []string, add map[string]string) []string {
	vars := make(map[string]string, len(base)+len(add))
	for _, kv := range base {
		name, value, ok := strings.Cut(kv, "=")
		if !ok || name == "" || matches(dropped, name) && !matches(keep, name) {
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

func matches(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		if prefix, star := strings.CutSuffix(p, "*"); star {
			return strings.HasPrefix(name, prefix)
		}
		return p == name
	})
}

// LookPath refuses a command that cannot be started, before anything is: CodeNotFound
// when there is no such program (a shell's 127), CodeCannot when it is there and
// cannot be run (126). A name without a slash is looked up in env's PATH only, and
// there never in the empty, "." or any other relative folder: a program of that name
// in the repository must not be run by accident. A path with a slash counts from dir.
func LookPath(argv0, dir string, env []string) error {
	_, err := resolve(argv0, dir, env)
	return err
}

// resolve is LookPath with the path found.
func resolve(argv0, dir string, env []string) (string, error) {
	if strings.ContainsRune(argv0, '/') {
		path := argv0
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		return path, runnable(path)
	}
	var first error
	for _, folder := range filepath.SplitList(variable(env, "PATH")) {
		if !filepath.IsAbs(folder) || argv0 == "" {
			continue
		}
		path := filepath.Join(folder, argv0)
		err := runnable(path)
		if err == nil {
			return path, nil
		}
		// As a shell does: one that is there and cannot be run is only reported
		// when no later folder has one that can.
		if first == nil && belay.CodeOf(err) != belay.CodeNotFound {
			first = err
		}
	}
	if first != nil {
		return "", first
	}
	return "", belay.Refuse(belay.CodeNotFound, "install it, or give its path", "there is no program %s in PATH", belay.VisibleLine(argv0))
}

func runnable(path string) error {
	name := belay.VisibleLine(path)
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return belay.Refuse(belay.CodeNotFound, "install it, or correct its path", "there is no program %s", name)
	case err != nil:
		return &belay.Error{Code: belay.CodeCannot, What: fmt.Sprintf("%s cannot be run", name), Try: "look at its permissions", Err: err}
	case info.IsDir():
		return belay.Refuse(belay.CodeCannot, "name a program", "%s is a folder", name)
	case info.Mode()&0o111 == 0:
		return belay.Refuse(belay.CodeCannot, "chmod +x it", "%s is not executable", name)
	}
	return nil
}

// variable gives the last value of name in env, as programs see it.
func variable(env []string, name string) string {
	for _, kv := range slices.Backward(env) {
		if k, v, ok := strings.Cut(kv, "="); ok && k == name {
			return v
		}
	}
	return ""
}
