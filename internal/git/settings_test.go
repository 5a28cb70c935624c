package git

import (
	"context"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestSettingsAsGit compares with git: belay reads the same settings in the same order, and git
// accepts every repository that belay accepts, with the same object format. The files consist of
// parts that either handles specially.
func TestSettingsAsGit(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	pieces := []string{"[core]\n", "[core]\n\tbare = false\n", "[core]\n\tbare\n", "[core]\n\tbare = true\n", "[core]\n\tworktree = ../x\n",
		"[core]\n\texcludesFile = ~/ignored\n", "[core]\n\tautocrlf = input\n", "[core]\n\trepositoryformatversion = 1\n",
		"[core]\n\trepositoryformatversion = 2\n", "[core]\n\trepositoryformatversion = x\n", "[extensions]\n\tworktreeConfig = true\n",
		"[extensions]\n\tworktreeConfig = yes\n", "[extensions]\n\tworktreeConfig\n", "[extensions]\n\tobjectFormat = sha256\n",
		"[extensions]\n\tobjectFormat = sha1\n", "[extensions]\n\tunheard = of\n", "[extensions]\n\tpreciousObjects = true\n",
		"[filter \"A.b\"]\n\tclean = cat\n", "[include]\n\tpath = other\n", "[includeIf \"onbranch:main\"]\n\tpath = other\n", "rubbish\n", "[x\n",
	}
	textOf := func(s sandbox, path string) string {
		text, err := os.ReadFile(filepath.Join(s.dir, path))
		if err != nil {
			t.Fatal(err)
		}
		return string(text)
	}
	rng := rand.New(rand.NewPCG(3, 4))
	some := func() string {
		var b strings.Builder
		for n := rng.IntN(4); n > 0; n-- {
			b.WriteString(pieces[rng.IntN(len(pieces))])
		}
		return b.String()
	}
	s := newSandbox(t)
	r := s.open()
	plain := textOf(s, ".git/config")
	s.write(".git/other", "[core]\n\tautocrlf = true\n")
	heads := []string{"ref: refs/heads/main\n", strings.Repeat("ab", 20) + "\n", "rubbish\n", "ref: main\n", ""}
	accepted := 0
	for range 600 {
		s.write(".git/config", plain+some())
		s.write(".git/config.worktree", some())
		head := heads[max(0, rng.IntN(12)-7)]
		s.write(".git/HEAD", head)
		list, format, ok := r.trustedConfig()
		if !ok {
			continue
		}
		accepted++
		cmd := exec.Command("git", "config", "--list", "-z", "--includes")
		cmd.Dir, cmd.Env = s.dir, append(os.Environ(), "GIT_DIR="+r.Dir)
		out, err := cmd.Output()
		var ours []string
		for _, e := range list {
			if e.HasNoValue {
				ours = append(ours, e.Key)
			} else {
				ours = append(ours, e.Key+"\n"+e.Value)
			}
		}
		if theirs := strings.Split(strings.TrimSuffix(string(out), "\x00"), "\x00"); err != nil || !slices.Equal(ours, theirs) {
			t.Errorf("%q is read, git has %q, %v:\n%s", ours, theirs, err, textOf(s, ".git/config"))
		}
		cmd = exec.Command("git", "-C", s.dir, "rev-parse", "--is-bare-repository", "--show-object-format", "--absolute-git-dir")
		out, err = cmd.Output()
		if want := "false\n" + format + "\n" + r.Dir + "\n"; err != nil || string(out) != want {
			t.Errorf("taken for a repository, git says %q, %v:\nHEAD %q\n%s\n---\n%s", out, err, head, textOf(s, ".git/config"), textOf(s, ".git/config.worktree"))
		}
	}
	if accepted < 40 {
		t.Errorf("%d repositories were accepted: the generator needs other pieces", accepted)
	}
	s.write(".git/config", plain)
	s.write(".git/HEAD", heads[0])
	if _, _, ok := r.trustedConfig(); !ok {
		t.Error("the config of an ordinary repository was not trusted")
	}
	if list, err := r.Settings(ctx); err != nil || lastValue(list, "user.name") != "Ann" || lastValue(list, "core.bare") != "false" {
		t.Errorf("%v, %v", list, err)
	}
	s.write(".git/config", plain+"[include]\n\tpath = other\n")
	if list, err := r.Settings(ctx); err != nil || lastValue(list, "core.autocrlf") != "true" || lastValue(list, "core.hookspath") != "" {
		t.Errorf("with an include: %v, %v", list, err)
	}
	for _, name := range []string{".git", "."} {
		s.write(".git/config", plain)
		if os.Geteuid() != 0 {
			break
		}
		if err := os.Chown(filepath.Join(s.dir, name), 12345, 12345); err != nil {
			t.Fatal(err)
		}
		if _, _, ok := r.trustedConfig(); ok {
			t.Errorf("%s of another user was trusted", name)
		}
		if err := os.Chown(filepath.Join(s.dir, name), 0, 0); err != nil {
			t.Fatal(err)
		}
	}
}
