package project

import (
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// copied copies a folder and makes the copy writable.
func copied(from, to string) error {
	if err := Command(".", nil, "cp", "-R", from+"/.", to); err != nil {
		return err
	}
	return filepath.WalkDir(to, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.Type()&fs.ModeSymlink != 0 {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		return os.Chmod(path, info.Mode()|0o600)
	})
}

// goEnv keeps Go's caches although HOME changes.
func goEnv() []string {
	out, err := exec.Command("go", "env", "GOMODCACHE", "GOCACHE").Output()
	lines := strings.Fields(string(out))
	if err != nil || len(lines) != 2 {
		return nil
	}
	return []string{"GOMODCACHE=" + lines[0], "GOCACHE=" + lines[1]}
}

// packed unpacks an npm package beside the tools that its tests need.
func packed(name string, more Edit) func(Store, string) error {
	return func(s Store, dir string) error {
		if err := Command(dir, nil, "tar", "-xzf", s.At("npm", name+".tgz"), "--strip-components=1"); err != nil {
			return err
		}
		if err := os.Symlink(s.At("nodes", "node_modules"), filepath.Join(dir, "node_modules")); err != nil {
			return err
		}
		return Edits(Write(".gitignore", "node_modules\n"), more)(dir)
	}
}

// rustHome keeps rustup's and cargo's folders when HOME is another: those beside the cargo
// that is found, or the user's.
func rustHome() []string {
	home, err := os.UserHomeDir()
	if err != nil {
		return nil
	}
	if cargo, err := exec.LookPath("cargo"); err == nil {
		if at, ok := strings.CutSuffix(cargo, "/.cargo/bin/cargo"); ok {
			home = at
		}
	}
	var env []string
	for _, v := range [][2]string{{"RUSTUP_HOME", ".rustup"}, {"CARGO_HOME", ".cargo"}} {
		if os.Getenv(v[0]) == "" {
			env = append(env, v[0]+"="+filepath.Join(home, v[1]))
		}
	}
	return env
}
