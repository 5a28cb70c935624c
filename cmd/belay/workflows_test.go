package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"go.yaml.in/yaml/v4"
)

// documented returns the YAML blocks of a document.
func documented(t *testing.T, name string) (blocks []string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(top, name))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range regexp.MustCompile("(?ms)^```yaml\n(.*?)^```$").FindAllStringSubmatch(string(text), -1) {
		blocks = append(blocks, m[1])
	}
	return blocks
}

// workflow is a GitHub workflow, as far as docs/ci.md uses it. Unknown keys are errors.
type workflow struct {
	On          string            `yaml:"on"`
	Permissions map[string]string `yaml:"permissions"`
	Jobs        map[string]struct {
		On    string `yaml:"runs-on"`
		Steps []struct {
			Uses string            `yaml:"uses"`
			With map[string]string `yaml:"with"`
		} `yaml:"steps"`
	} `yaml:"jobs"`
}

// pipeline is a GitLab job.
type pipeline struct {
	Belay struct {
		Rules     []map[string]string `yaml:"rules"`
		Variables map[string]string   `yaml:"variables"`
		Script    string              `yaml:"script"`
		Artifacts struct {
			When    string            `yaml:"when"`
			Reports map[string]string `yaml:"reports"`
		} `yaml:"artifacts"`
	} `yaml:"belay"`
}

// ci is a machine that runs jobs for requests to merge a branch of origin.
type ci struct {
	t                *testing.T
	up, origin, path string
	base, head       string
}

// machine creates a repository with main, a good branch and a bad one, and a program folder with
// belay.
func machine(t *testing.T) *ci {
	t.Helper()
	m := &ci{t: t, up: t.TempDir()}
	m.origin, m.path = filepath.Join(m.up, "origin"), filepath.Join(m.up, "bin")+string(os.PathListSeparator)+os.Getenv("PATH")
	m.sh(m.up, nil, `mkdir origin bin tmp && cd origin && git init -q -b main && git config user.name a && git config user.email a@b &&
		printf 'package shop\n\nfunc Total() int { return 42 }\n' >shop.go &&
		printf 'package shop\n\nimport "testing"\n\nfunc TestTotal(t *testing.T) {\n\tif Total() != 42 {\n\t\tt.Fatal(Total())\n\t}\n}\n' >shop_test.go &&
		printf 'module shop\n\ngo 1.24\n' >go.mod && git add . && git commit -qm first &&
		for i in $(seq 25); do git commit -q --allow-empty -m "$i"; done &&
		git switch -q -c good && printf 'package shop\n\n// Half is half of the total.\nfunc Half() int { return Total() / 2 }\n' >half.go && git add . && git commit -qm 'Add Half' &&
		for i in $(seq 25); do git commit -q --allow-empty -m "$i"; done &&
		git switch -q -c bad main && sed -i '/if Total/,/}/d' shop_test.go && echo '// more' >>go.mod && git commit -qam 'Tidy up' && git switch -q main`)
	m.sh(m.up, nil, "ln -s "+shellWord(m.belay())+" bin/belay")
	return m
}

func shellWord(s string) string { return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'" }

// belay builds the program, like the action.
func (m *ci) belay() string {
	m.t.Helper()
	path := filepath.Join(m.up, "belay")
	build := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-o", path, ".") // like action.yml, with the same cache
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		m.t.Fatalf("%v\n%s", err, out)
	}
	return path
}

// run runs a script like CI.
func (m *ci) run(dir string, env map[string]string, script string) (status int, out string) {
	m.t.Helper()
	c := exec.Command("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", script)
	cache, _ := exec.Command("go", "env", "GOCACHE", "GOMODCACHE").Output()
	caches := strings.Fields(string(cache))
	c.Dir, c.Env = dir, []string{"PATH=" + m.path, "HOME=" + filepath.Join(m.up, "tmp"), "GIT_CONFIG_NOSYSTEM=1", "CI=true", "GOCACHE=" + caches[0],
		"GOMODCACHE=" + caches[1], "GOPROXY=off"} // this test's build fetched all modules
	for k, v := range env {
		c.Env = append(c.Env, k+"="+v)
	}
	text, err := c.CombinedOutput()
	if _, ended := err.(*exec.ExitError); err != nil && !ended {
		m.t.Fatal(err)
	}
	return c.ProcessState.ExitCode(), string(text)
}

func (m *ci) sh(dir string, env map[string]string, script string) string {
	m.t.Helper()
	status, out := m.run(dir, env, script)
	if status != 0 {
		m.t.Fatalf("status %d\n%s", status, out)
	}
	return out
}

// checkout leaves what actions/checkout and GitLab's runner leave: limited history, and a detached
// HEAD.
func (m *ci) checkout(branch, depth string) string {
	m.t.Helper()
	dir := filepath.Join(m.up, fmt.Sprintf("work-%s-%s", branch, depth))
	limit := "--depth " + depth
	if depth == "0" {
		limit = ""
	}
	m.sh(m.up, nil, fmt.Sprintf(`git init -q %[1]s && cd %[1]s && git remote add origin file://%[2]s &&
		git fetch -q %[3]s origin '+refs/heads/*:refs/remotes/origin/*' && git checkout -q --detach origin/%[4]s`, dir, m.origin, limit, branch))
	m.base, m.head = strings.TrimSpace(m.sh(m.origin, nil, "git rev-parse main")), strings.TrimSpace(m.sh(m.origin, nil, "git rev-parse "+branch))
	return dir
}

var expression = regexp.MustCompile(`\$\{\{\s*(.*?)\s*\}\}`)

// github runs a workflow, and returns the status of the first step that failed.
func (m *ci) github(a action, w workflow, branch string, depth string) (status int, out string) {
	m.t.Helper()
	if w.On != "pull_request" || len(w.Jobs) != 1 {
		m.t.Fatalf("%+v", w)
	}
	source, err := filepath.Abs(top)
	if err != nil {
		m.t.Fatal(err)
	}
	dir := ""
	for _, step := range w.Jobs["belay"].Steps {
		name, _, _ := strings.Cut(step.Uses, "@")
		switch name {
		case "actions/checkout":
			if depth == "" {
				depth = step.With["fetch-depth"]
			}
			dir = m.checkout(branch, depth)
		case "belay-dev/belay":
			for k := range step.With {
				if _, known := a.Inputs[k]; !known {
					m.t.Errorf("the action has no input %s", k)
				}
			}
			value := func(name string) string {
				if input, ok := strings.CutPrefix(name, "inputs."); ok {
					if v, set := step.With[input]; set {
						return v
					}
					return a.Inputs[input].Default
				}
				known, ok := map[string]string{"github.event.pull_request.base.sha": m.base, "github.event.before": "", "github.action_path": source}[name]
				if !ok {
					m.t.Errorf("the action uses %s", name)
				}
				return known
			}
			for _, s := range a.Runs.Steps {
				if strings.HasPrefix(s.Uses, "actions/setup-go@") {
					continue // this machine has it
				}
				paths := filepath.Join(m.up, "paths")
				env := map[string]string{"GITHUB_ACTION_PATH": source, "RUNNER_TEMP": filepath.Join(m.up, "tmp"), "GITHUB_PATH": paths, "GITHUB_ACTIONS": "true",
					"GITHUB_BASE_REF": "main", "GITHUB_HEAD_REF": branch}
				for k, v := range s.Env {
					env[k] = expression.ReplaceAllStringFunc(v, func(e string) string {
						for _, one := range strings.Split(expression.FindStringSubmatch(e)[1], "||") {
							if v := value(strings.TrimSpace(one)); v != "" {
								return v
							}
						}
						return ""
					})
				}
				status, text := m.run(dir, env, s.Run)
				if out += text; status != 0 {
					return status, out
				}
				if more, err := os.ReadFile(paths); err == nil {
					for _, p := range strings.Fields(string(more)) {
						m.path = p + string(os.PathListSeparator) + m.path
					}
				}
			}
		default:
			m.t.Fatalf("unknown action %s", step.Uses)
		}
	}
	return 0, out
}

// TestWorkflows runs the workflows of docs/ci.md unchanged, on a branch that may be merged and on
// one that weakens a test and changes protected files.
func TestWorkflows(t *testing.T) {
	t.Parallel()
	blocks := documented(t, "docs/ci.md")
	if len(blocks) != 3 {
		t.Fatalf("%d workflows are shown", len(blocks))
	}
	strict := func(text string, into any) {
		t.Helper()
		d := yaml.NewDecoder(strings.NewReader(text))
		d.KnownFields(true)
		if err := d.Decode(into); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
	}
	m := machine(t)
	a := actionOf(t)
	var w workflow
	strict(blocks[0], &w)
	for _, one := range []struct {
		branch, depth string
		status        int
		says          []string
	}{
		{"good", "", 0, nil},
		{"bad", "", 1, []string{"::error file=go.mod", "shop_test.go"}},
		{"good", "1", 2, []string{"fetch-depth: 0"}},
	} {
		status, out := m.github(a, w, one.branch, one.depth)
		if status != one.status {
			t.Errorf("GitHub, %s, depth %q: status %d, want %d\n%s", one.branch, one.depth, status, one.status, out)
		}
		for _, want := range one.says {
			if !strings.Contains(out, want) {
				t.Errorf("GitHub, %s, depth %q: the output lacks %q:\n%s", one.branch, one.depth, want, out)
			}
		}
	}

	var p pipeline
	strict(blocks[1], &p)
	report := p.Belay.Artifacts.Reports["junit"]
	if p.Belay.Rules[0]["if"] != `$CI_PIPELINE_SOURCE == "merge_request_event"` || p.Belay.Artifacts.When != "always" || report == "" {
		t.Errorf("%+v", p)
	}
	m.path = filepath.Join(m.up, "bin") + string(os.PathListSeparator) + os.Getenv("PATH")
	for _, one := range []struct {
		branch, depth string
		fails         bool
	}{{"good", p.Belay.Variables["GIT_DEPTH"], false}, {"bad", p.Belay.Variables["GIT_DEPTH"], true}, {"good", "20", true}} {
		dir := filepath.Join(m.up, fmt.Sprintf("work-%s-%s", one.branch, one.depth))
		if err := os.RemoveAll(dir); err != nil {
			t.Fatal(err)
		}
		m.checkout(one.branch, one.depth)
		status, out := m.run(dir, map[string]string{"GITLAB_CI": "true", "CI_PIPELINE_SOURCE": "merge_request_event", "CI_MERGE_REQUEST_TARGET_BRANCH_NAME": "main"}, p.Belay.Script)
		text, err := os.ReadFile(filepath.Join(dir, report))
		if (status != 0) != one.fails || one.depth == "0" && (err != nil || strings.Contains(string(text), "<failure") != one.fails || !strings.Contains(string(text), "<testsuite")) {
			t.Errorf("GitLab, %s, depth %s: status %d, %v\n%s\n%s", one.branch, one.depth, status, err, out, text)
		}
		if one.depth == "20" && !strings.Contains(out, "GIT_DEPTH") {
			t.Errorf("GitLab, shallow: %s", out)
		}
	}
}
