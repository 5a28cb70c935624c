package agent

import (
	"errors"
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

// Why a program is not there: a shell's 127. Every other reason is its 126.
var (
	errMissing     = errors.New("there is no such program")
	errInterpreter = errors.New("its first line names an interpreter that does not exist")
)

// LookPath refuses with CodeCannot a command that cannot be started, before anything
// is. A name without a slash is looked up in env's PATH only, and
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
		if first == nil && !errors.Is(err, errMissing) {
			first = err
		}
	}
	if first != nil {
		return "", first
	}
	return "", cannotRun(argv0, "install it, or give its path", errMissing)
}

func runnable(path string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return cannotRun(path, "install it, or correct its path", errMissing)
	case err != nil:
		return cannotRun(path, "look at its permissions", err)
	case info.IsDir():
		return cannotRun(path, "name a program", errors.New("it is a folder"))
	case info.Mode()&0o111 == 0:
		return cannotRun(path, "chmod +x it", errors.New("it is not executable"))
	}
	return nil
}

func cannotRun(program, try string, why error) error {
	return &belay.Error{Code: belay.CodeCannot, What: belay.VisibleLine(program) + " cannot be run", Try: try, Err: why}
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
