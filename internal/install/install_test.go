package install

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/belay-dev/belay/internal/fsroot"
)

// request returns a request for a new home.
func request(t *testing.T, agents ...string) Request {
	t.Helper()
	home := t.TempDir()
	return Request{Agents: agents, Program: program, State: filepath.Join(home, "state"), Env: []string{"HOME=" + home, "PATH="}}
}

func (q Request) home() string { return strings.TrimPrefix(q.Env[0], "HOME=") }

func (q Request) run(t interface{ Fatal(...any) }) []Change {
	c, err := Apply(context.Background(), q)
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// Removing must restore files and delete the files and folders that were created.
func TestDoInverse(t *testing.T) {
	t.Parallel()
	q := request(t, Names()...)
	q.Skill = true
	documents := rapid.Custom(draw)
	for seed := range 12 { // TestInverse tries thousands of documents
		for n, in := range merging() {
			path, _ := in.userFile(q.Env)
			text := documents.Example(10*seed + n)
			if _, err := in.insert(text, program); err != nil || (seed+n)%3 == 0 {
				continue // test without a file
			}
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, text, 0o600); err != nil {
				t.Fatal(err)
			}
		}
		before := tree(t, q.home())
		q.run(t)
		after := tree(t, q.home())
		for _, c := range q.run(t) {
			if c.Action != Unchanged {
				t.Fatalf("the second time %s was %s", c.Path, c.Action)
			}
		}
		if d := cmp.Diff(after, tree(t, q.home())); d != "" {
			t.Fatal(d)
		}
		back := q
		back.Remove = true
		back.run(t)
		if d := cmp.Diff(before, tree(t, q.home())); d != "" {
			t.Fatal(d)
		}
		for path := range before {
			_ = os.RemoveAll(filepath.Join(q.home(), path))
		}
	}
}

// tree returns the mode and content of every file and folder below dir, except belay's state.
func tree(t interface{ Fatal(...any) }, dir string) map[string]string {
	all := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name, _ := filepath.Rel(dir, path)
		if name == "state" {
			return filepath.SkipDir
		}
		info, err := d.Info()
		if err != nil || name == "." {
			return err
		}
		text := ""
		if info.Mode().IsRegular() {
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			text = string(data)
		}
		all[name] = info.Mode().String() + " " + text
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}

// If the agent saves the file at any step, the save must be kept: belay reads the file again and
// adds its hooks.
func TestSavedMeanwhile(t *testing.T) {
	q := request(t, "claude")
	path := filepath.Join(q.home(), ".claude", "settings.json")
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, remove := range []bool{false, true} {
		for _, at := range []string{"create", "write", "sync", "chmod", "rename"} {
			if err := os.WriteFile(path, []byte("{\n  \"theme\": \"dark\"\n}\n"), 0o644); err != nil {
				t.Fatal(err)
			}
			q.Remove = false
			if remove {
				q.run(t)
			}
			q.Remove = remove
			saved := false
			fsroot.Fault = func(step, of string) error {
				if step == at && !saved {
					saved = true
					text, err := os.ReadFile(path)
					if err != nil {
						t.Fatal(err)
					}
					return os.WriteFile(path, []byte(strings.Replace(string(text), "dark", "light", 1)), 0o644)
				}
				return nil
			}
			q.run(t)
			fsroot.Fault = nil
			text, err := os.ReadFile(path)
			if err != nil || !strings.Contains(string(text), "light") || strings.Contains(string(text), "PreToolUse") == remove {
				t.Errorf("saved at %s (remove %v, %v): %s %v", at, remove, saved, text, err)
			}
		}
	}
}

var errStep = errors.New("this step fails")

// If any step fails, the file must be the old or the new one, and a second attempt must succeed.
func TestEveryStepFails(t *testing.T) {
	const before = "{\n  \"theme\": \"dark\"\n}\n"
	for _, remove := range []bool{false, true} {
		for fail := 1; ; fail++ {
			q := request(t, "claude")
			path := filepath.Join(q.home(), ".claude", "settings.json")
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(before), 0o644); err != nil {
				t.Fatal(err)
			}
			with := before
			if remove {
				q.run(t)
				text, _ := os.ReadFile(path)
				with = string(text)
			}
			q.Remove = remove
			n := 0
			fsroot.Fault = func(string, string) error {
				if n++; n == fail {
					return errStep
				}
				return nil
			}
			_, err := Apply(context.Background(), q)
			fsroot.Fault = nil
			if n < fail {
				break // all steps tried
			}
			text, rerr := os.ReadFile(path)
			if rerr != nil || err == nil || string(text) != with && !(remove && string(text) == before) && !strings.Contains(string(text), "PreToolUse") {
				t.Errorf("step %d (remove %v): %v, %v\n%s", fail, remove, err, rerr, text)
			}
			q.run(t)
			q.Remove = true
			q.run(t)
			if text, _ := os.ReadFile(path); string(text) != before {
				t.Errorf("step %d (remove %v): result %s", fail, remove, text)
			}
			if entries, _ := os.ReadDir(filepath.Dir(path)); len(entries) != 1 {
				t.Errorf("step %d: left-over files: %v", fail, entries)
			}
		}
	}
}

// Tables must be added to Codex's config and removed again, with any line ends, and also if Codex
// has written to it since.
func TestTrust(t *testing.T) {
	t.Parallel()
	hooks := []codexHook{{Key: "/home/a b/.codex/hooks.json:stop:0:0", Hash: "sha256:aa"}, {Key: "/x:pre_tool_use:1:0", Hash: "sha256:bb"}}
	for _, before := range []string{"", "model = \"m\"\n", "model = \"m\"", "a = 1\r\n\r\n[b]\r\nc = 2\r\n", "\n"} {
		f := settingsFile{text: []byte(before), exists: true}
		e, err := trustHooks(hooks)(f, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range hooks {
			if !strings.Contains(string(e.text), `"`+h.Key+"\"]") || !strings.Contains(string(e.text), h.Hash) {
				t.Errorf("%q: %s is not trusted: %s", before, h.Key, e.text)
			}
		}
		e.rec.Result = digest(e.text)
		if back, err := untrustHooks(settingsFile{text: e.text, exists: true}, e.rec); err != nil || string(back.text) != before {
			t.Errorf("%q became %q, %v", before, back.text, err)
		}
		again, err := trustHooks(hooks)(settingsFile{text: e.text, exists: true}, e.rec)
		if err != nil || string(again.text) != string(e.text) {
			t.Errorf("%q: adding twice gives %q, %v", before, again.text, err)
		}
		changed := append([]byte("# mine\n"), e.text...)
		changed = append(changed, "[projects.\"/x\"]\ntrust_level = \"trusted\"\n"...)
		back, err := untrustHooks(settingsFile{text: changed, exists: true}, e.rec)
		if err != nil || strings.Contains(string(back.text), "trusted_hash") || !strings.Contains(string(back.text), "trust_level") ||
			!strings.HasPrefix(string(back.text), "# mine\n"+before) {
			t.Errorf("%q: %q, %v", before, back.text, err)
		}
	}
}

// The hash must be the one that Codex 0.169.0 reported for this hook.
func TestCodexHash(t *testing.T) {
	t.Parallel()
	const want = "sha256:f2eb87d61f3d3e697de8948f5a2071570e3be9469cf30d79455d59c21503ba12"
	if got := codexHash("PreToolUse", shellCommand("/nope/belay", "codex"), 20); got != want {
		t.Errorf("%s, want %s", got, want)
	}
}

// If the program no longer exists, the hook's command must succeed without output, for any path.
func TestShellCommand(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for _, name := range []string{"belay", "belay's copy", "belay $HOME", "belay\"x"} {
		path := filepath.Join(dir, name)
		line := shellCommand(path, "gemini")
		if got, ok := programOf("gemini", line, nil); got != path || !ok {
			t.Errorf("%s is read back as %q, %v", line, got, ok)
		}
		if out, err := sh(line); err != nil || out != "" {
			t.Errorf("without the program: %q, %v", out, err)
		}
		if err := os.WriteFile(path, []byte("#!/bin/sh\necho \"$@\"; exit 2\n"), 0o755); err != nil {
			t.Fatal(err)
		}
		if out, err := sh(line); err == nil || out != "hook gemini\n" {
			t.Errorf("with it: %q, %v", out, err)
		}
	}
}

func sh(line string) (string, error) {
	out, err := exec.Command("sh", "-c", line).CombinedOutput()
	return string(out), err
}
