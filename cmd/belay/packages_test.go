package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"go.yaml.in/yaml/v4"
)

// top is the root of the repository.
const top = "../.."

type preCommitHook struct {
	ID          string   `yaml:"id"`
	Name        string   `yaml:"name"`
	Description string   `yaml:"description"`
	Entry       string   `yaml:"entry"`
	Language    string   `yaml:"language"`
	Filenames   bool     `yaml:"pass_filenames"`
	Always      bool     `yaml:"always_run"`
	Stages      []string `yaml:"stages"`
}

type action struct {
	Name        string            `yaml:"name"`
	Description string            `yaml:"description"`
	Author      string            `yaml:"author"`
	Branding    map[string]string `yaml:"branding"`
	Inputs      map[string]struct {
		Description string `yaml:"description"`
		Default     string `yaml:"default"`
	} `yaml:"inputs"`
	Runs struct {
		Using string `yaml:"using"`
		Steps []struct {
			Name  string            `yaml:"name"`
			Uses  string            `yaml:"uses"`
			With  map[string]string `yaml:"with"`
			Shell string            `yaml:"shell"`
			Env   map[string]string `yaml:"env"`
			Run   string            `yaml:"run"`
		} `yaml:"steps"`
	} `yaml:"runs"`
}

// TestPackages: the files for pre-commit and GitHub in this repository are valid, and the commands
// in them exist, have these flags and work in a repository.
func TestPackages(t *testing.T) {
	var hooks []preCommitHook
	strictYAML(t, ".pre-commit-hooks.yaml", &hooks)
	if len(hooks) != 1 {
		t.Fatalf("%d hooks", len(hooks))
	}
	hook := hooks[0]
	words := strings.Fields(hook.Entry)
	if words[0] != "belay" || hook.Filenames || !hook.Always || hook.Language != "golang" {
		t.Errorf("%+v", hook)
	}
	known(t, theRoot(), ".pre-commit-hooks.yaml", words[1:])

	a := actionOf(t)
	var text strings.Builder
	for _, s := range a.Runs.Steps {
		for _, v := range s.Env {
			text.WriteString(v + "\n")
		}
		if s.Run == "" {
			continue
		}
		check := exec.Command("bash", "-n")
		check.Stdin = strings.NewReader(s.Run)
		if out, err := check.CombinedOutput(); err != nil || s.Shell != "bash" || strings.Contains(s.Run, "${{") {
			t.Errorf("%s: not a script of bash by itself: %v %s", s.Name, err, out)
		}
	}
	for _, m := range regexp.MustCompile(`inputs\.(\w+)`).FindAllStringSubmatch(text.String(), -1) {
		if _, ok := a.Inputs[m[1]]; !ok {
			t.Errorf("the input %s is used and not declared", m[1])
		}
	}
	for name, in := range a.Inputs {
		if !strings.Contains(text.String(), "inputs."+name) || in.Description == "" {
			t.Errorf("the input %s is not used, or not described", name)
		}
	}
	p := stories("testdata/packages")
	setup := p.Setup
	p.Setup = func(e *testscript.Env) error {
		source, err := filepath.Abs(top)
		if err != nil {
			return err
		}
		e.Setenv("SOURCE", source)
		e.Setenv("HOOK", hook.Entry)
		return setup(e)
	}
	testscript.Run(t, p)
}

// actionOf reads action.yml. Its script reads each variable that the last step sets.
func actionOf(t *testing.T) action {
	t.Helper()
	var a action
	strictYAML(t, "action.yml", &a)
	last := a.Runs.Steps[len(a.Runs.Steps)-1]
	script, ok := strings.CutPrefix(strings.Trim(last.Run, `"`), "$GITHUB_ACTION_PATH/")
	text, err := os.ReadFile(filepath.Join(top, script))
	if err != nil || !ok || a.Runs.Using != "composite" {
		t.Fatalf("%q: %v", last.Run, err)
	}
	var read []string
	for _, m := range regexp.MustCompile(`\$\{(BELAY_\w+)`).FindAllStringSubmatch(string(text), -1) {
		read = append(read, m[1])
	}
	for name := range last.Env {
		if !slices.Contains(read, name) {
			t.Errorf("%s is set and not read", name)
		}
	}
	for _, name := range read {
		if _, ok := last.Env[name]; !ok {
			t.Errorf("%s is read and not set", name)
		}
	}
	return a
}

func strictYAML(t *testing.T, file string, into any) {
	t.Helper()
	f, err := os.Open(filepath.Join(top, file))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	d := yaml.NewDecoder(f)
	d.KnownFields(true)
	if err := d.Decode(into); err != nil {
		t.Fatalf("%s: %v", file, err)
	}
}
