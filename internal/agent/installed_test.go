package agent

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// project makes a tree with installed packages of several kinds and returns its root.
func project(t *testing.T) string {
	t.Helper()
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{
		"package.json": "{}", "node_modules/mocha/index.js": "mocha", "node_modules/@scope/a/index.js": "a", "node_modules/.cache/x": "cached",
		"web/package.json": "{}", "web/node_modules/left/index.js": "left", "web/src.js": "", "other/node_modules/x/index.js": "",
		".venv/pyvenv.cfg": "home = /usr/bin\n", ".venv/bin/pytest": "#!ROOT/.venv/bin/python\n", ".venv/lib/python3.12/site-packages/own.pth": "ROOT/src\n",
		".venv/lib/python3.12/site-packages/pytest/__init__.py": "pytest at ROOT/", "composer.json": "{}", "vendor/autoload.php": "<?php",
	} {
		path := filepath.Join(root, name)
		must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must(t, os.WriteFile(path, []byte(strings.ReplaceAll(text, "ROOT", root)), 0o644))
	}
	must(t, os.Symlink("../web", filepath.Join(root, "node_modules/web"))) // a workspace
	must(t, os.Symlink(filepath.Join(root, "web"), filepath.Join(root, "node_modules/absolute")))
	must(t, os.Symlink("/usr/bin/python3", filepath.Join(root, ".venv/bin/python")))
	return root
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func empty(t *testing.T) string {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	must(t, err)
	must(t, os.Mkdir(filepath.Join(dir, "tree"), 0o755))
	return filepath.Join(dir, "tree")
}

func read(t *testing.T, root, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, name))
	must(t, err)
	return string(text)
}

func link(t *testing.T, root, name string) string {
	t.Helper()
	text, err := os.Readlink(filepath.Join(root, name))
	must(t, err)
	return text
}

func TestInstalledPackages(t *testing.T) {
	t.Parallel()
	want := []string{"vendor", ".venv", "node_modules", "web/node_modules"}
	if d := cmp.Diff(want, InstalledPackages(project(t))); d != "" {
		t.Error(d)
	}
	if got := InstalledPackages(empty(t)); len(got) > 0 {
		t.Error(got)
	}
}

// TestCopy: no link or path in a copy refers to the original tree; everything else is equal.
func TestCopy(t *testing.T) {
	t.Parallel()
	from, to := project(t), empty(t)
	for _, name := range InstalledPackages(from) {
		if made, err := CopyFolder(t.Context(), from, to, name); !made || err != nil {
			t.Fatalf("%s: %v %v", name, made, err)
		}
		if made, err := CopyFolder(t.Context(), from, to, name); made || err != nil {
			t.Errorf("%s again: %v %v", name, made, err)
		}
	}
	err := filepath.WalkDir(to, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.Type()&fs.ModeSymlink != 0 {
			if text := link(t, path, ""); strings.HasPrefix(text, from) {
				t.Errorf("%s leads to %s", path, text)
			}
			return nil
		}
		if d.Type().IsRegular() && filepath.Base(filepath.Dir(path)) != "pytest" && strings.Contains(read(t, path, ""), from) {
			t.Errorf("%s names %s", path, from)
		}
		return nil
	})
	must(t, err)
	must(t, os.WriteFile(filepath.Join(to, "node_modules/mocha/index.js"), []byte("damaged"), 0o644))
	must(t, os.RemoveAll(filepath.Join(to, "web/node_modules")))
	for name, want := range map[string]string{"node_modules/mocha/index.js": "mocha", "web/node_modules/left/index.js": "left", ".venv/bin/pytest": "#!" + from + "/.venv/bin/python\n"} {
		if got := read(t, from, name); got != want {
			t.Errorf("%s of the original is %q", name, got)
		}
	}
	if got := read(t, to, ".venv/lib/python3.12/site-packages/own.pth"); got != to+"/src\n" {
		t.Errorf("the project's own path is %q", got)
	}
	if link(t, to, "node_modules/web") != "../web" || link(t, to, "node_modules/absolute") != filepath.Join(to, "web") || link(t, to, ".venv/bin/python") != "/usr/bin/python3" {
		t.Error("links lead elsewhere")
	}
	left, err := os.ReadDir(filepath.Dir(to))
	if err != nil || len(left) != 1 {
		t.Errorf("left beside it: %v %v", left, err)
	}
}

// TestCopyCutShort: an interrupted copy is made again, and never takes its place incomplete.
func TestCopyCutShort(t *testing.T) {
	t.Parallel()
	from, to := project(t), empty(t)
	partial := filepath.Join(filepath.Dir(to), ".tree-installed", "copy")
	must(t, os.MkdirAll(partial, 0o755))
	must(t, os.WriteFile(filepath.Join(partial, "half"), nil, 0o644))
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if made, err := CopyFolder(gone, from, to, "node_modules"); made || !errors.Is(err, context.Canceled) || exists(to, "node_modules") {
		t.Errorf("%v %v", made, err)
	}
	if made, err := CopyFolder(t.Context(), from, to, "node_modules"); !made || err != nil || exists(to, "node_modules/half") {
		t.Errorf("%v %v", made, err)
	}
}

func TestShare(t *testing.T) {
	t.Parallel()
	from, to := project(t), empty(t)
	for _, name := range InstalledPackages(from) {
		must(t, ShareFolder(from, to, name))
		must(t, ShareFolder(from, to, name))
	}
	for name, want := range map[string]string{
		"node_modules/mocha/index.js": "mocha", "node_modules/@scope/a/index.js": "a", "web/node_modules/left/index.js": "left",
		".venv/lib/python3.12/site-packages/own.pth": to + "/src\n", ".venv/bin/pytest": "#!" + to + "/.venv/bin/python\n",
	} {
		if got := read(t, to, name); got != want {
			t.Errorf("%s is %q", name, got)
		}
	}
	if exists(to, "node_modules/.cache") || link(t, to, "node_modules/web") != "../web" || link(t, to, "node_modules/mocha") != filepath.Join(from, "node_modules/mocha") {
		t.Error("caches or links are not their own")
	}
	must(t, os.WriteFile(filepath.Join(to, "node_modules/new"), nil, 0o644))
	must(t, os.RemoveAll(filepath.Join(to, "node_modules")))
	if exists(from, "node_modules/new") || read(t, from, "node_modules/mocha/index.js") != "mocha" {
		t.Error("the original was changed")
	}
	if err := ShareFolder(from, to, "no_such"); err != nil {
		t.Error(err)
	}
}
