package testrun

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/belay-dev/belay/internal/testutil"
)

func TestLinters(t *testing.T) {
	t.Parallel()
	bin := t.TempDir()
	for _, name := range []string{"golangci-lint", "ruff", "eslint", "cargo-clippy"} {
		if err := testutil.WriteProgram(filepath.Join(bin, name), []byte("#!/bin/sh\nexit 9\n")); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(bin, "not-executable"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		files map[string]string
		path  string
		want  string
	}{
		"nothing":       {nil, bin, ""},
		"golangci":      {map[string]string{".golangci.yml": ""}, bin, "golangci-lint run"},
		"ruff":          {map[string]string{"pyproject.toml": "[tool.ruff.lint]\n"}, bin, "ruff check --no-fix --output-format concise ."},
		"ruff's file":   {map[string]string{"ruff.toml": ""}, "/nowhere" + string(os.PathListSeparator) + bin, "ruff check --no-fix --output-format concise ."},
		"no ruff":       {map[string]string{"pyproject.toml": "[tool.ruffle]\n"}, bin, ""},
		"eslint":        {map[string]string{"eslint.config.mjs": ""}, bin, "eslint ."},
		"its own":       {map[string]string{".eslintrc.json": "{}", "node_modules/.bin/eslint": "#!"}, "", "node_modules/.bin/eslint ."},
		"clippy":        {map[string]string{"Cargo.toml": "[package]\n[lints.clippy]\n"}, bin, "cargo clippy --quiet --all-targets --message-format short"},
		"clippy's file": {map[string]string{"Cargo.toml": "", "clippy.toml": ""}, bin, "cargo clippy --quiet --all-targets --message-format short"},
		"no crate":      {map[string]string{"clippy.toml": ""}, bin, ""},
		"not installed": {map[string]string{".golangci.yml": "", "ruff.toml": ""}, t.TempDir(), ""},
		"from the tree": {map[string]string{".golangci.yml": "", "golangci-lint": "#!"}, ".", ""},
		"two":           {map[string]string{"ruff.toml": "", ".golangci.toml": ""}, bin, "golangci-lint run; ruff check --no-fix --output-format concise ."},
	} {
		root := project(t, tt.files)
		for file := range tt.files {
			if strings.Contains(file, ".bin/") || file == "golangci-lint" {
				if err := os.Chmod(filepath.Join(root, file), 0o755); err != nil {
					t.Fatal(err)
				}
			}
		}
		var got []string
		for _, l := range DetectLinters(root, tt.path) {
			got = append(got, l.Command)
			if l.Name == "" || l.From != "detected" || l.Why == "" {
				t.Errorf("%s: not whole: %+v", name, l)
			}
		}
		if s := strings.Join(got, "; "); s != tt.want {
			t.Errorf("%s: %q, want %q", name, s, tt.want)
		}
	}
}
