package project

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Packages to fetch. The versions of Debian's packages are the distribution's.
var (
	goModules = []string{"github.com/spf13/cobra@v1.10.2"}
	goTools   = []string{"honnef.co/go/tools/cmd/staticcheck@v0.6.1"}
	npmPacks  = []string{"zod@3.25.76", "qs@6.13.0", "react-native@0.72.6"}
	npmTools  = []string{"vitest@3", "typescript@5", "eslint@8", "@typescript-eslint/parser@8", "@typescript-eslint/eslint-plugin@8",
		"tape@5", "es-value-fixtures", "for-each", "has-bigints", "has-override-mistake", "has-property-descriptors", "has-proto",
		"has-symbols", "iconv-lite@0.5", "mock-property", "object-inspect", "qs-iconv", "safer-buffer", "side-channel"}
	debs = []string{
		"librust-semver-dev", "librust-serde-dev", "librust-serde-derive-dev",
		"python3-mpmath", "python3-pytest", "python3-pluggy", "python3-iniconfig", "python3-packaging", "python3-attr",
		"flake8", "python3-flake8", "python3-pycodestyle", "python3-pyflakes", "python3-mccabe",
		"openjdk-17-source", "junit4", "libhamcrest-java",
		"checkstyle", "antlr", "libantlr-java", "libantlr4-runtime-java", "libcommons-beanutils-java",
		"libcommons-lang3-java", "libcommons-logging-java",
		"libcommons-collections3-java", "libguava-java", "libpicocli-java", "libreflections-java", "libsaxonhe-java", "libjavassist-java",
		"ruby3.1", "libruby3.1", "ruby-minitest", "ruby-test-unit", "ruby-power-assert", "rake",
		"rubocop", "ruby-parallel", "ruby-whitequark-parser", "ruby-ast", "ruby-rainbow", "ruby-regexp-parser", "ruby-rubocop-ast",
		"ruby-progressbar", "ruby-unicode-display-width",
		"libnunit-doc", "mono-mcs", "mono-runtime-sgen", "mono-runtime-common", "libmono-corlib4.5-dll",
		"libmono-system4.0-cil", "libmono-system-core4.0-cil",
		"libmono-system-xml4.0-cil", "libmono-system-configuration4.0-cil", "libmono-system-security4.0-cil",
		"libmono-system-numerics4.0-cil",
		"libmono-system-drawing4.0-cil", "libmono-system-runtime4.0-cil", "libmono-security4.0-cil",
		"libmono-posix4.0-cil", "libmono-i18n4.0-cil", "libmono-i18n-west4.0-cil",
		"libmono-system-runtime-serialization-formatters-soap4.0-cil", "libmono-system-web4.0-cil", "mono-4.0-gac",
		"libnunit-core-interfaces2.6.3-cil", "libnunit-core2.6.3-cil", "libnunit-util2.6.3-cil",
		"libnunit-console-runner2.6.3-cil", "libnunit-framework2.6.3-cil", "nunit-console",
	}
)

// ReactNative is a tree that is only read.
const ReactNative = "npm/react-native-0.72.6.tgz"

// Store is the folder of the packages: gobin, npm (packed), nodes/node_modules, deb, and root,
// which has Debian's unpacked ones.
type Store struct{ Dir string }

// Open returns the store in a folder, "" for one in the user's cache.
func Open(dir string) (Store, error) {
	if dir == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return Store{}, err
		}
		dir = filepath.Join(cache, "belay-evidence")
	}
	dir, err := filepath.Abs(dir)
	return Store{dir}, err
}

// At returns a path below the store.
func (s Store) At(parts ...string) string {
	return filepath.Join(append([]string{s.Dir}, parts...)...)
}

// Fetch downloads missing packages.
func (s Store) Fetch() error {
	for _, dir := range []string{"gobin", "npm", "nodes", "deb", "root"} {
		if err := os.MkdirAll(s.At(dir), 0o755); err != nil {
			return err
		}
	}
	return errors.Join(s.fetchGo(), s.fetchNPM(), s.fetchDebian())
}

func (s Store) fetchGo() error {
	for _, m := range goModules {
		if err := Command(s.Dir, nil, "go", "mod", "download", m); err != nil {
			return err
		}
	}
	for _, t := range goTools {
		if err := Command(s.Dir, []string{"GOBIN=" + s.At("gobin"), "GOFLAGS="}, "go", "install", t); err != nil {
			return err
		}
	}
	return nil
}

func (s Store) fetchNPM() error {
	for _, p := range npmPacks {
		if !There(s.At("npm", strings.ReplaceAll(p, "@", "-")+".tgz")) {
			if err := Command(s.At("npm"), nil, "npm", "pack", "--silent", p); err != nil {
				return err
			}
		}
	}
	if There(s.At("nodes", "node_modules", "vitest")) {
		return nil
	}
	if err := os.WriteFile(s.At("nodes", "package.json"), []byte("{\"private\": true}\n"), 0o644); err != nil {
		return err
	}
	return Command(s.At("nodes"), nil, "npm", append([]string{"install", "--silent", "--no-audit", "--no-fund"}, npmTools...)...)
}

func (s Store) fetchDebian() error {
	for _, d := range debs {
		if had, _ := filepath.Glob(s.At("deb", d+"_*.deb")); len(had) > 0 {
			continue
		}
		if err := Command(s.At("deb"), nil, "apt-get", "download", "-q", d); err != nil {
			return err
		}
	}
	all, err := filepath.Glob(s.At("deb", "*.deb"))
	for _, d := range all {
		if err := Command(s.Dir, nil, "dpkg", "-x", d, s.At("root")); err != nil {
			return err
		}
	}
	// Ruby expects this beside the library, Debian has it elsewhere.
	if data := s.At("root/usr/lib/ruby/data"); err == nil && !There(data) {
		err = os.Symlink("../../share/ruby-unicode-display-width", data)
	}
	return err
}

// There reports whether a path exists.
func There(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// Command runs a program; if it fails, the error has its output.
func Command(dir string, env []string, name string, args ...string) error {
	c := exec.Command(name, args...)
	c.Dir, c.Env = dir, append(os.Environ(), env...)
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, out)
	}
	return nil
}
