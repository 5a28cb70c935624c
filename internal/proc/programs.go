package proc

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/belay-dev/belay/internal/belay"
)

// Errors for which a shell exits with 127; for all others it exits with 126.
var (
	ErrMissing     = errors.New("no such program")
	ErrInterpreter = errors.New("its first line names an interpreter that does not exist")
)

// LookPath returns the file of a command's first word, and fails with CodeCannot if it cannot be
// started. A name without a slash is searched in env's PATH only, without relative folders such as
// "" and ".": a program of that name in the repository must not be run by accident. A path with a
// slash is relative to dir. The error wraps ErrMissing if there is no such program.
func LookPath(argv0, dir string, env []string) (string, error) {
	if strings.ContainsRune(argv0, '/') {
		path := argv0
		if !filepath.IsAbs(path) {
			path = filepath.Join(dir, path)
		}
		return path, runnable(path)
	}
	var first error
	for _, folder := range filepath.SplitList(Variable(env, "PATH")) {
		if !filepath.IsAbs(folder) || argv0 == "" {
			continue
		}
		path := filepath.Join(folder, argv0)
		err := runnable(path)
		if err == nil {
			return path, nil
		}
		// Like a shell, report a program that cannot be run only if no later folder has one that
		// can.
		if first == nil && !errors.Is(err, ErrMissing) {
			first = err
		}
	}
	if first != nil {
		return "", first
	}
	return "", cannotRun(argv0, "install it, or give its path", ErrMissing)
}

func runnable(path string) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return cannotRun(path, "install it, or correct its path", ErrMissing)
	case err != nil:
		return cannotRun(path, "check its permissions", err)
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

// Variable returns the last value of name in env, as programs see it.
func Variable(env []string, name string) string {
	for _, kv := range slices.Backward(env) {
		if k, v, ok := strings.Cut(kv, "="); ok && k == name {
			return v
		}
	}
	return ""
}

// cannotExec explains the kernel's error.
func cannotExec(path string, err error) error {
	switch {
	case errors.Is(err, syscall.ENOENT): // the file itself existed a moment ago
		return cannotRun(path, "check its first line", ErrInterpreter)
	case errors.Is(err, syscall.ENOEXEC):
		return cannotRun(path, "begin it with #!", errors.New("it is not a program for this machine"))
	case errors.Is(err, syscall.E2BIG):
		return cannotRun(path, "pass the prompt as a file", errors.New("its arguments and environment are too long"))
	}
	return cannotRun(path, "check its permissions", err)
}
