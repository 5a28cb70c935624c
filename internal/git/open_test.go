package git

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/testutil"
)

func TestOpenFinds(t *testing.T) {
	t.Parallel()
	ctx := context.Background()
	main := newSandbox(t)
	main.commit("a/b/c", "1")
	linked := filepath.Join(filepath.Dir(main.dir), "linked")
	main.git("worktree", "add", "-q", linked)
	separate := filepath.Join(filepath.Dir(main.dir), "separate")
	main.in(filepath.Dir(main.dir), nil, "init", "-q", "--separate-git-dir", separate+".store", separate)
	odd := filepath.Join(filepath.Dir(main.dir), "line\nend 'quote' $x *")
	main.in(filepath.Dir(main.dir), nil, "init", "-q", odd)
	link := filepath.Join(filepath.Dir(main.dir), "link")
	if err := os.Symlink(main.dir, link); err != nil {
		t.Fatal(err)
	}
	sub := filepath.Join(main.dir, "deeper")
	main.in(main.dir, nil, "init", "-q", sub)
	for _, c := range []struct{ name, at, root, dir, common string }{
		{"top", main.dir, main.dir, main.dir + "/.git", main.dir + "/.git"},
		{"folder", main.dir + "/a/b", main.dir, main.dir + "/.git", main.dir + "/.git"},
		{"link", link + "/a", main.dir, main.dir + "/.git", main.dir + "/.git"},
		{"linked", linked, linked, main.dir + "/.git/worktrees/linked", main.dir + "/.git"},
		{"separate", separate, separate, separate + ".store", separate + ".store"},
		{"odd path", odd, odd, odd + "/.git", odd + "/.git"},
		{"nested wins", sub, sub, sub + "/.git", sub + "/.git"},
	} {
		r, err := Open(ctx, c.at, false)
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if r.Root != c.root || r.Dir != c.dir || r.Common != c.common || r.Format != "sha1" || r.Linked() != (c.dir != c.common) {
			t.Errorf("%s: %+v", c.name, r)
		}
		if r.UsesReftable {
			t.Errorf("%s: refs are in files", c.name)
		}
	}
}

func TestOpenKnowsSHA256(t *testing.T) {
	t.Parallel()
	s := newSandbox(t, "--object-format=sha256")
	s.commit("a", "1")
	r := s.open()
	if r.Format != "sha256" || r.HashSize() != 32 || len(r.Zero()) != 64 {
		t.Errorf("%+v", r)
	}
	if got, want := r.HashObject("blob", []byte("1")), s.git("rev-parse", "HEAD:a"); got != want {
		t.Errorf("named %s, git says %s", got, want)
	}
}

func TestOpenWritesNothing(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.commit("a", "1")
	before := files(t, s.dir)
	s.open()
	if after := files(t, s.dir); strings.Join(after, "\n") != strings.Join(before, "\n") {
		t.Errorf("before %q, after %q", before, after)
	}
}

func TestOpenRefuses(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.commit("a", "1")
	up := filepath.Dir(s.dir)
	s.in(up, nil, "init", "-q", "--bare", up+"/bare")
	s.in(up, nil, "clone", "-q", "--bare", s.dir, up+"/layout/.bare")
	for path, text := range map[string]string{
		"layout/.git": "gitdir: ./.bare\n", "nowhere/.git": "gitdir: ../gone\n", "junk/.git": "hello\n",
	} {
		if err := os.MkdirAll(filepath.Dir(up+"/"+path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(up+"/"+path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	hijacked := newSandbox(t)
	hijacked.git("config", "core.bare", "true")
	garbage := newSandbox(t)
	if err := os.WriteFile(garbage.dir+"/.git/config", []byte("[core\n!!"), 0o644); err != nil {
		t.Fatal(err)
	}
	foreign := newSandbox(t)
	if os.Getuid() == 0 {
		if err := os.Lchown(foreign.dir, 12345, 12345); err != nil {
			t.Fatal(err)
		}
		if err := os.Lchown(foreign.dir+"/.git", 12345, 12345); err != nil {
			t.Fatal(err)
		}
	} else {
		foreign.dir = up // cannot be created without root: expect "no repository"
	}
	for _, c := range []struct{ name, at, says string }{
		{"no repository", up, ""},
		{"gone", up + "/gone", ""},
		{"bare", up + "/bare", "bare"},
		{"bare with a .git file", up + "/layout", "bare"},
		{"leads nowhere", up + "/nowhere", ""},
		{"no git file", up + "/junk", ""},
		{"inside of .git", s.dir + "/.git", ""},
		{"deep inside of .git", s.dir + "/.git/objects", ""},
		{"core.bare set", hijacked.dir, "bare"},
		{"config is garbage", garbage.dir, "config"},
		{"somebody else's", foreign.dir, ""},
	} {
		_, err := Open(context.Background(), c.at, true)
		if belay.CodeOf(err) != belay.CodeCannot || !strings.Contains(err.Error(), c.says) {
			t.Errorf("%s: %v, want a refusal (%s) about %q", c.name, err, belay.CodeCannot, c.says)
			continue
		}
		var refusal *belay.Error
		if !asRefusal(err, &refusal) || refusal.Try == "" || strings.HasSuffix(refusal.What, ".") {
			t.Errorf("%s: %#v is not a sentence with advice", c.name, err)
		}
	}
}

func asRefusal(err error, into **belay.Error) bool {
	e, ok := err.(*belay.Error)
	*into = e
	return ok
}

func TestOpenRefusesTheWholeHome(t *testing.T) {
	s := newSandbox(t)
	t.Setenv("HOME", s.dir)
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	_, err := Open(context.Background(), s.dir, false)
	if belay.CodeOf(err) != belay.CodeCannot {
		t.Errorf("got %v", err)
	}
	if _, err := Open(context.Background(), s.dir, true); err != nil {
		t.Errorf("forced: %v", err)
	}
}

// TestOpenWithoutHome checks that without HOME no folder counts as the home folder, not even the
// current one.
func TestOpenWithoutHome(t *testing.T) {
	s := newSandbox(t)
	t.Setenv("HOME", "")
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	t.Chdir(s.dir)
	if _, err := Open(context.Background(), s.dir, false); err != nil {
		t.Error(err)
	}
}

// TestOpenIgnoresInheritedGit sets GIT_DIR and GIT_INDEX_FILE, as for a caller inside a git hook.
func TestOpenIgnoresInheritedGit(t *testing.T) {
	other, s := newSandbox(t), newSandbox(t)
	s.commit("a", "1")
	t.Setenv("GIT_DIR", other.dir+"/.git")
	t.Setenv("GIT_INDEX_FILE", "/nowhere")
	t.Setenv("GIT_WORK_TREE", other.dir)
	t.Setenv("GIT_OBJECT_DIRECTORY", other.dir+"/.git/objects")
	r, err := Open(context.Background(), s.dir, false)
	if err != nil {
		t.Fatal(err)
	}
	head, err := r.Head(context.Background(), must(r.Refs(context.Background()))(t))
	if err != nil || r.Root != s.dir || head.OID == "" {
		t.Errorf("%+v %+v %v", r, head, err)
	}
	list, err := r.ListIndex(context.Background(), r.Dir+"/index")
	if err != nil || len(list) != 1 {
		t.Errorf("%v %v", list, err)
	}
}

func fakeGit(t *testing.T, dir, script string) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := testutil.WriteProgram(dir+"/git", []byte("#!/bin/sh\n"+script)); err != nil {
		t.Fatal(err)
	}
}

func TestGitIsNeverTakenFromTheRepository(t *testing.T) {
	s := newSandbox(t)
	ran := filepath.Join(t.TempDir(), "ran")
	fakeGit(t, s.dir+"/bin", "touch '"+ran+"'\n")
	fakeGit(t, s.dir, "touch '"+ran+"'\n")
	t.Chdir(s.dir)
	t.Setenv("PATH", strings.Join([]string{".", "", "bin", s.dir + "/bin", os.Getenv("PATH")}, ":"))
	if _, err := Open(context.Background(), s.dir, false); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("a git from inside the repository was run")
	}
}

func TestOpenNamesBothVersions(t *testing.T) {
	s := newSandbox(t)
	real, err := findGit("/elsewhere", "/elsewhere/.git")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	fakeGit(t, dir, `for a; do [ "$a" = version ] && { echo "git version 2.30.2"; exit; }; done
exec `+real+` "$@"
`)
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
	_, err = Open(context.Background(), s.dir, false)
	if belay.CodeOf(err) != belay.CodeCannot || !strings.Contains(err.Error(), "2.30.2") || !strings.Contains(err.Error(), MinVersion) {
		t.Errorf("got %v", err)
	}
	t.Setenv("PATH", t.TempDir())
	_, err = Open(context.Background(), s.dir, false)
	if belay.CodeOf(err) != belay.CodeCannot || !strings.Contains(err.Error(), MinVersion) {
		t.Errorf("without git: %v", err)
	}
}

func TestAtLeast(t *testing.T) {
	t.Parallel()
	for have, want := range map[string]bool{
		"2.39.5": true, "2.39": true, "2.40.0 (Apple Git-1)": true, "3.0": true, "2.39.0.windows.1": true,
		"2.38.9": false, "2.4.11": false, "1.99": false, "": false, "next": false,
	} {
		if got := isAtLeast(have, "2.39"); got != want {
			t.Errorf("atLeast(%q) is %v", have, got)
		}
	}
}
