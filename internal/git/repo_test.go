package git

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestMain gives every git in these tests its own HOME: the config of the machine or the user must
// not affect them.
func TestMain(m *testing.M) {
	home, err := os.MkdirTemp("", "belay-git-home")
	if err != nil {
		panic(err)
	}
	config := "[user]\n\tname = Ann\n\temail = ann@example.org\n[init]\n\tdefaultBranch = main\n[protocol \"file\"]\n\tallow = always\n"
	if err := os.WriteFile(filepath.Join(home, ".gitconfig"), []byte(config), 0o600); err != nil {
		panic(err)
	}
	for _, kv := range os.Environ() {
		if key, _, _ := strings.Cut(kv, "="); strings.HasPrefix(key, "GIT_") {
			os.Unsetenv(key)
		}
	}
	for key, value := range map[string]string{
		"HOME": home, "XDG_CONFIG_HOME": filepath.Join(home, "xdg"), "GIT_CONFIG_NOSYSTEM": "1", "LC_ALL": "C",
		"GIT_AUTHOR_DATE": "1700000000 +0000", "GIT_COMMITTER_DATE": "1700000000 +0000",
	} {
		os.Setenv(key, value)
	}
	if os.Getenv(childEnv) != "" {
		child()
	}
	code := m.Run()
	os.RemoveAll(home)
	os.Exit(code)
}

// sandbox is a repository made by the real git.
type sandbox struct {
	t   *testing.T
	dir string
}

func newSandbox(t *testing.T, initArgs ...string) sandbox {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := sandbox{t, filepath.Join(dir, "repo")}
	s.in(dir, nil, append(append([]string{"init", "-q"}, initArgs...), s.dir)...)
	return s
}

func (s sandbox) in(dir string, stdin []byte, args ...string) string {
	s.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Stdin = dir, bytes.NewReader(stdin)
	out, err := cmd.Output()
	if err != nil {
		said := ""
		if exit, ok := err.(*exec.ExitError); ok {
			said = string(exit.Stderr)
		}
		s.t.Fatalf("git %s: %v: %s", strings.Join(args, " "), err, said)
	}
	return strings.TrimSuffix(string(out), "\n")
}

func (s sandbox) git(args ...string) string { s.t.Helper(); return s.in(s.dir, nil, args...) }

func (s sandbox) write(path, text string) {
	s.t.Helper()
	full := filepath.Join(s.dir, path)
	if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
		s.t.Fatal(err)
	}
}

func (s sandbox) commit(path, text string) string {
	s.t.Helper()
	s.write(path, text)
	s.git("add", "--", path)
	s.git("commit", "-q", "-m", path)
	return s.git("rev-parse", "HEAD")
}

func (s sandbox) open() *Repo {
	s.t.Helper()
	r, err := Open(context.Background(), s.dir, false)
	if err != nil {
		s.t.Fatalf("open %s: %v", s.dir, err)
	}
	return r
}

// fsck runs git fsck on the complete store.
func (s sandbox) fsck() {
	s.t.Helper()
	cmd := exec.Command("git", "fsck", "--full", "--strict", "--no-dangling")
	cmd.Dir = s.dir
	if out, err := cmd.CombinedOutput(); err != nil {
		s.t.Fatalf("git fsck: %v: %s", err, out)
	}
}

// files lists everything below a folder, to check that nothing was left behind.
func files(t *testing.T, dir string) []string {
	t.Helper()
	var all []string
	err := filepath.WalkDir(dir, func(p string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			all = append(all, strings.TrimPrefix(p, dir+"/"))
		}
		return err
	})
	if err != nil && !os.IsNotExist(err) {
		t.Fatal(err)
	}
	return all
}

func blob(r *Repo, text string) NewObject {
	return NewObject{OID: r.HashObject("blob", []byte(text)), Type: "blob", Data: []byte(text)}
}

func must[T any](v T, err error) func(*testing.T) T {
	return func(t *testing.T) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}
