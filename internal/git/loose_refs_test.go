package git

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

type refSandbox struct {
	t   *testing.T
	dir string
}

func (s refSandbox) git(args ...string) string {
	s.t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=a", "-c", "user.email=a@example.org", "-C", s.dir}, args...)...)
	cmd.Env = append(os.Environ(), "HOME="+s.dir, "XDG_CONFIG_HOME="+s.dir, "GIT_CONFIG_NOSYSTEM=1")
	out, err := cmd.Output()
	if err != nil {
		s.t.Fatalf("git %v: %v", args, err)
	}
	return strings.TrimSuffix(string(out), "\n")
}

func (s refSandbox) write(name, text string) {
	s.t.Helper()
	path := filepath.Join(s.dir, ".git", name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		s.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		s.t.Fatal(err)
	}
}

// agrees compares with git's list.
func (s refSandbox) agrees(when string) {
	s.t.Helper()
	dir, common := s.git("rev-parse", "--absolute-git-dir"), s.git("rev-parse", "--path-format=absolute", "--git-common-dir")
	for _, only := range []string{"", "refs/heads/", "refs/heads/deep/", "refs/remotes/", "refs/bisect/", "refs/tags/v1", "refs/none/"} {
		r := &Repo{Common: common, Dir: dir}
		refs, err := r.Refs(s.t.Context(), only)
		got := []string{}
		for _, r := range refs {
			got = append(got, fmt.Sprintf("%s %s %s", r.Name, r.OID, r.Symref))
		}
		want := []string{}
		for line := range strings.SplitSeq(s.git("for-each-ref", "--format=%(refname) %(objectname) %(symref)"), "\n") {
			if strings.HasPrefix(line, only) {
				want = append(want, line)
			}
		}
		if err != nil || !slices.Equal(got, want) {
			s.t.Errorf("%s, below %q: %v\ngot  %q\nwant %q", when, only, err, got, want)
		}
	}
}

func newRefSandbox(t *testing.T) refSandbox {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	s := refSandbox{t, filepath.Join(dir, "repo")}
	s.dir = dir
	s.git("init", "-q", "-b", "main", "repo")
	s.dir = filepath.Join(dir, "repo")
	for i := range 3 {
		s.git("commit", "-q", "--allow-empty", "-m", fmt.Sprint(i))
	}
	return s
}

func TestAsGitListsThem(t *testing.T) {
	t.Parallel()
	s := newRefSandbox(t)
	s.agrees("one branch")
	s.git("branch", "deep/er/one", "HEAD~")
	s.git("branch", "grün+,%!=x", "HEAD~2")
	s.git("tag", "-a", "-m", "t", "v1")
	s.git("tag", "v1.0-rc_1")
	s.git("symbolic-ref", "refs/heads/alias", "refs/heads/deep/er/one")
	s.git("symbolic-ref", "refs/heads/alias2", "refs/heads/alias")
	s.git("symbolic-ref", "refs/heads/nowhere", "refs/heads/none")
	s.git("symbolic-ref", "refs/remotes/o/HEAD", "refs/heads/main")
	s.write("refs/heads/busy.lock", "")
	s.write("refs/heads/.hidden", "x")
	s.git("update-ref", "refs/bisect/bad", "HEAD")
	s.git("update-ref", "refs/worktree/mine", "HEAD~")
	s.agrees("loose")
	s.git("pack-refs", "--all")
	s.agrees("packed")
	s.git("branch", "-f", "deep/er/one", "HEAD")
	s.git("tag", "-d", "v1.0-rc_1")
	s.git("branch", "newer")
	s.agrees("both")
	tree := refSandbox{t, s.dir + "-linked"}
	s.git("worktree", "add", "-q", "--detach", tree.dir)
	tree.git("update-ref", "refs/bisect/good", "HEAD~2")
	tree.git("update-ref", "refs/rewritten/x", "HEAD")
	tree.agrees("in a linked tree")
	s.agrees("beside a linked tree")
}

// TestForeign checks that everything unusual is left to git: names that git refuses, links,
// doubtful files.
func TestForeign(t *testing.T) {
	t.Parallel()
	good := strings.Repeat("1", 40)
	for name, spoil := range map[string]func(refSandbox){
		"upper case":    func(s refSandbox) { s.write("refs/heads/x", strings.Repeat("A", 40)) },
		"more behind":   func(s refSandbox) { s.write("refs/heads/x", good+" and more") },
		"dots":          func(s refSandbox) { s.write("refs/heads/a..b", good) },
		"blank":         func(s refSandbox) { s.write("refs/heads/a b", good) },
		"line end":      func(s refSandbox) { s.write("refs/heads/a\nb", good) },
		"symref out":    func(s refSandbox) { s.write("refs/heads/x", "ref: ../../x\n") },
		"packed line":   func(s refSandbox) { s.write("packed-refs", "what is this\n") },
		"packed torn":   func(s refSandbox) { s.write("packed-refs", good+" refs/heads/a") },
		"packed name":   func(s refSandbox) { s.write("packed-refs", good+" refs/heads/../a\n") },
		"packed a zero": func(s refSandbox) { s.write("packed-refs", strings.Repeat("0", 40)+" refs/heads/a\n") },
		"a link": func(s refSandbox) {
			if err := os.Symlink("main", s.dir+"/.git/refs/heads/link"); err != nil {
				s.t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newRefSandbox(t)
			spoil(s)
			if refs, err := newRefReader(40).readRefs(s.dir+"/.git", s.dir+"/.git"); !errors.Is(err, ErrUnsupportedRefs) {
				t.Errorf("read %v, %v", refs, err)
			}
		})
	}
}

// TestBroken checks that a broken file is skipped as git skips it, hides a packed reference of the
// same name, and is returned with its bytes, even if git has to be asked about another reference.
func TestBroken(t *testing.T) {
	t.Parallel()
	good := strings.Repeat("1", 40)
	for name, text := range map[string]string{
		"zero": strings.Repeat("0", 40) + "\n", "empty": "", "torn": good[:12], "other width": strings.Repeat("1", 64),
		"rubbish": "what is this\n", "zeros of a lost block": strings.Repeat("\x00", 41), "blanks": " \n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newRefSandbox(t)
			s.git("branch", "x")
			s.git("branch", "y")
			s.git("pack-refs", "--all")
			s.write("refs/heads/x", text)
			s.agrees("broken")
			for _, foreign := range []bool{false, true} {
				if foreign {
					s.write("refs/heads/a..b", good)
				}
				r := newRefReader(40)
				_, err := r.readRefs(s.dir+"/.git", s.dir+"/.git")
				broken := r.list
				if len(broken) != 1 || broken[0].Name != "refs/heads/x" || string(broken[0].Data) != text || errors.Is(err, ErrUnsupportedRefs) != foreign {
					t.Errorf("%q, %v", broken, err)
				}
			}
		})
	}
}

func FuzzPacked(f *testing.F) {
	oid := strings.Repeat("ab", 20)
	f.Add("# pack-refs with: peeled fully-peeled sorted \n" + oid + " refs/heads/main\n" + oid + " refs/tags/v1\n^" + oid + "\n")
	f.Add(oid + " refs/heads/a")
	f.Add("")
	f.Add("\n")
	f.Fuzz(func(t *testing.T, text string) {
		r := refReader{width: 40, found: map[string]Ref{}}
		if err := r.readPacked(text, false); err != nil {
			if !errors.Is(err, ErrUnsupportedRefs) {
				t.Fatal(err)
			}
			return
		}
		for _, ref := range r.resolveAll() {
			if !strings.Contains(text, ref.OID+" "+ref.Name+"\n") || strings.Contains(ref.Name, "..") {
				t.Fatalf("%+v is not in it", ref)
			}
		}
	})
}
