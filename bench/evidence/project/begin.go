package project

import (
	"os"
	"os/exec"
	"strings"
)

// Named returns the trials with only in their name.
func (p Project) Named(only string) []Trial {
	var list []Trial
	for _, t := range p.Cases {
		if strings.Contains(t.Name, only) {
			list = append(list, t)
		}
	}
	return list
}

// Missing returns why a project cannot be tried; "" if nothing is missing.
func (p Project) Missing(s Store) string {
	for _, n := range p.Needs {
		if !There(s.At(n)) {
			return "there is no " + s.At(n) + ", -fetch gets it"
		}
	}
	for _, n := range p.Tools {
		if _, err := exec.LookPath(n); err != nil {
			return n + " is not installed"
		}
	}
	return ""
}

// Begin unpacks the project and commits it, with a config that names a linter.
func (p Project) Begin(s Store, dir string, env []string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	if err := p.Unpack(s, dir); err != nil {
		return err
	}
	config := Write(".belay/config.yaml", "linters:\n"+strings.ReplaceAll(p.Linter, "$STORE", s.Dir))
	if err := Edits(config, Write("LICENSE", "as published\n"))(dir); err != nil {
		return err
	}
	for _, args := range [][]string{{"init", "-q"}, {"config", "user.name", "n"},
		{"config", "user.email", "n@example.com"}, {"add", "-A"}, {"commit", "-qm", "as published"}} {
		if err := Command(dir, env, "git", args...); err != nil {
			return err
		}
	}
	return nil
}
