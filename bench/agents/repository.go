package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// shop is the small repository that agents work in: its tests fail until the price includes the
// tax.
var shop = map[string]string{
	"package.json": `{"name": "shop", "version": "1.0.0", "private": true, "scripts": {"test": "node --test"}}` + "\n",
	".gitignore":   "build.log\ndist/\n",
	"src/price.js": "const TAX = 0.2;\n\nfunction gross(net) {\n  return net + TAX;\n}\n\nmodule.exports = { gross };\n",
	"src/basket.js": "const { gross } = require('./price');\n\nfunction total(items) {\n" +
		"  return items.reduce((sum, item) => sum + gross(item.net), 0);\n}\n\nmodule.exports = { total };\n",
	"src/catalog.js": catalog(),
	"test/price.test.js": "const test = require('node:test');\nconst assert = require('node:assert');\n" +
		"const { gross } = require('../src/price');\n\ntest('a price has its tax', () => {\n  assert.strictEqual(gross(10), 12);\n});\n",
	"test/basket.test.js": "const test = require('node:test');\nconst assert = require('node:assert');\nconst { total } " +
		"= require('../src/basket');\n\ntest('an empty basket costs nothing', () => {\n  assert.strictEqual(total([]), 0);\n});\n",
	"build.sh": "mkdir -p dist\nfor step in 1 2 3; do echo \"step $step of 3\"; sleep 1; done\n" +
		"cat src/price.js src/basket.js > dist/shop.js\necho built\n",
}

func catalog() string {
	var b strings.Builder
	b.WriteString("module.exports = [\n")
	for i := range 400 {
		fmt.Fprintf(&b, "  { id: %d, name: 'Flavor %d', net: %d },\n", i+1, i+1, 2+i%7)
	}
	b.WriteString("];\n")
	return b.String()
}

// lay writes the shop into a new folder and commits it.
func lay(dir, home string) error {
	for name, text := range shop {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return err
		}
	}
	for _, args := range [][]string{
		{"init", "-q", "-b", "main"}, {"add", "-A"},
		{"-c", "user.name=A Person", "-c", "user.email=person@example.com", "commit", "-q", "-m", "the shop"},
	} {
		cmd := exec.Command("git", args...)
		cmd.Dir, cmd.Env = dir, environment(home, "")
		if out, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("make the repository: git %s: %w\n%s", args[0], err, out)
		}
	}
	return nil
}

// environment is the environment of the programs: their own home, and a proxy that leads only to
// the model.
func environment(home, proxy string, more ...string) []string {
	return append([]string{
		"PATH=" + os.Getenv("PATH"), "HOME=" + home, "XDG_CONFIG_HOME=" + filepath.Join(home, ".config"),
		"TMPDIR=" + filepath.Join(home, "tmp"),
		"GIT_CONFIG_NOSYSTEM=1", "LANG=C.UTF-8", "TERM=dumb", "NO_COLOR=1", "CI=1",
		"HTTP_PROXY=" + proxy, "HTTPS_PROXY=" + proxy, "NO_PROXY=127.0.0.1,localhost",
		"http_proxy=" + proxy, "https_proxy=" + proxy, "no_proxy=127.0.0.1,localhost",
	}, more...)
}

// place creates a folder with the agent's home and the shop's repository. remove deletes it.
func (a program) place(url string) (home, root string, remove func(), err error) {
	dir, err := os.MkdirTemp("", "belay-agents-")
	if err != nil {
		return "", "", nil, err
	}
	remove = func() { _ = os.RemoveAll(dir) }
	home, root = filepath.Join(dir, "home"), filepath.Join(dir, "shop")
	if err = a.home(home, url); err == nil {
		err = lay(root, home)
	}
	if err != nil {
		remove()
	}
	return home, root, remove, err
}

// environment is the agent's environment in that home.
func (a program) environment(home, url string) []string {
	env := environment(home, url, a.Env(url)...)
	for i, v := range env {
		env[i] = strings.ReplaceAll(v, "=~/", "="+home+"/")
	}
	return env
}
