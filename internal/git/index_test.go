package git

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// shape creates an index with every kind of entry: modes, a link, a submodule, all flags, a
// conflict, names with common prefixes, a long name and odd bytes.
func shape(s sandbox) {
	s.commit("base", "base")
	for _, p := range []string{"a", "a.txt", "a/b", "a/bc", "dir/deep/er/file", "line\nend", "bytes\xff\xfe", strings.Repeat("n", 200) + "/" + strings.Repeat("m", 250)} {
		if p != "a" {
			s.write(p, p)
		}
	}
	s.write("run", "x")
	os.Chmod(s.dir+"/run", 0o755)
	os.Symlink("nowhere", s.dir+"/link")
	s.git("add", "-A")
	s.write("new", "n")
	s.git("add", "-N", "new")
	s.git("update-index", "--skip-worktree", "a/b")
	s.git("update-index", "--assume-unchanged", "a/bc")
	head := s.git("rev-parse", "HEAD")
	s.git("update-index", "--add", "--cacheinfo", "160000,"+head+",sub")
	blob := s.git("rev-parse", ":base")
	s.in(s.dir, []byte(fmt.Sprintf("100644 %s 1\tboth\n100644 %s 2\tboth\n100755 %s 3\tboth\n", blob, blob, blob)), "update-index", "--index-info")
}

func staged(e IndexEntry) string {
	return fmt.Sprintf("%06o %x %d\t%s", e.Mode, e.OID, e.Stage, e.Path)
}

func TestParseIndexAgreesWithGit(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ format, version string }{{"sha1", "2"}, {"sha1", "3"}, {"sha1", "4"}, {"sha256", "4"}, {"sha256", "2"}} {
		t.Run(c.format+" v"+c.version, func(t *testing.T) {
			t.Parallel()
			s := newSandbox(t, "--object-format="+c.format)
			shape(s)
			s.git("update-index", "--index-version", c.version)
			r := s.open()
			data, err := os.ReadFile(s.dir + "/.git/index")
			if err != nil {
				t.Fatal(err)
			}
			got, err := ParseIndex(data, r.HashSize())
			if err != nil {
				t.Fatal(err)
			}
			want := strings.Split(strings.TrimSuffix(s.git("ls-files", "-s", "-z"), "\x00"), "\x00")
			var ours []string
			flags := map[string]string{}
			for _, e := range got {
				ours = append(ours, staged(e))
				if e.SkipWorktree || e.AssumeUnchanged || e.IntentToAdd {
					flags[e.Path] = fmt.Sprint(e.SkipWorktree, e.AssumeUnchanged, e.IntentToAdd)
				}
			}
			if !slices.Equal(ours, want) {
				t.Errorf("ours\n%q\ngit's\n%q", ours, want)
			}
			for path, f := range map[string]string{"a/b": "true false false", "a/bc": "false true false", "new": "false false true"} {
				if flags[path] != f {
					t.Errorf("%s: skip, assume, intent are %s, want %s", path, flags[path], f)
				}
				delete(flags, path)
			}
			if len(flags) > 0 {
				t.Errorf("entries without flags have some: %v", flags)
			}
			compareStat(t, s, got)
			compareListed(t, r, got)
		})
	}
}

func compareStat(t *testing.T, s sandbox, got []IndexEntry) {
	t.Helper()
	debug := s.git("ls-files", "--debug", "--", "run")
	for _, e := range got {
		if e.Path != "run" {
			continue
		}
		for _, want := range []string{
			fmt.Sprintf("ctime: %d:%d", e.CtimeSec, e.CtimeNsec), fmt.Sprintf("mtime: %d:%d", e.MtimeSec, e.MtimeNsec),
			fmt.Sprintf("dev: %d\tino: %d", e.Dev, e.Ino), fmt.Sprintf("uid: %d\tgid: %d", e.UID, e.GID), fmt.Sprintf("size: %d\t", e.Size),
		} {
			if !e.HasStat || !strings.Contains(debug, want) {
				t.Errorf("%q is not in git's\n%s", want, debug)
			}
		}
	}
}

func compareListed(t *testing.T, r *Repo, want []IndexEntry) {
	t.Helper()
	listed, err := r.ListIndex(context.Background(), r.Dir+"/index")
	if err != nil {
		t.Fatal(err)
	}
	if len(listed) != len(want) {
		t.Fatalf("listed %d entries, parsed %d", len(listed), len(want))
	}
	for i, e := range listed {
		w := want[i]
		if staged(e) != staged(w) || e.SkipWorktree != w.SkipWorktree || e.AssumeUnchanged != w.AssumeUnchanged || e.HasStat {
			t.Errorf("listed %+v, parsed %+v", e, w)
		}
	}
}

func TestParseIndexLeavesForeignShapesToGit(t *testing.T) {
	t.Parallel()
	for name, make := range map[string]func(sandbox){
		"split": func(s sandbox) { s.git("update-index", "--split-index") },
		"sparse": func(s sandbox) {
			s.git("sparse-checkout", "set", "--cone", "--sparse-index", "in")
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSandbox(t)
			for _, p := range []string{"in/a", "out/deep/b", "out/c", "top"} {
				s.commit(p, p)
			}
			make(s)
			r := s.open()
			data, err := os.ReadFile(s.dir + "/.git/index")
			if err != nil {
				t.Fatal(err)
			}
			if _, err := ParseIndex(data, r.HashSize()); !errors.Is(err, ErrUnsupportedIndex) {
				t.Errorf("parsed with %v, want it left to git", err)
			}
			list, err := r.ListIndex(context.Background(), r.Dir+"/index")
			if err != nil || len(list) != 4 {
				t.Fatalf("listed %v, %v", list, err)
			}
			for _, e := range list {
				if e.Mode != 0o100644 || len(e.OID) != 20 {
					t.Errorf("listed %+v", e)
				}
				if name == "sparse" && e.SkipWorktree != strings.HasPrefix(e.Path, "out/") {
					t.Errorf("%s: skip-worktree is %v", e.Path, e.SkipWorktree)
				}
			}
		})
	}
}

// TestParseIndexCut checks that a truncated index is an error or, if only optional extensions are
// missing, has the same entries; never a panic or other paths.
func TestParseIndexCut(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	shape(s)
	data, err := os.ReadFile(s.dir + "/.git/index")
	if err != nil {
		t.Fatal(err)
	}
	whole, err := ParseIndex(data, 20)
	if err != nil {
		t.Fatal(err)
	}
	for n := range data {
		got, err := ParseIndex(data[:n], 20)
		if err == nil && !slices.Equal(got, whole) {
			t.Fatalf("cut at %d of %d: other entries and no error", n, len(data))
		}
	}
}

func FuzzParseIndex(f *testing.F) {
	f.Add([]byte("DIRC\x00\x00\x00\x02\x00\x00\x00\x00"+strings.Repeat("\x00", 20)), false)
	for _, version := range []string{"2", "3", "4"} {
		data, err := seedIndex(f.TempDir(), version)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data, false)
	}
	f.Fuzz(func(t *testing.T, data []byte, long bool) {
		size := 20
		if long {
			size = 32
		}
		entries, err := ParseIndex(data, size)
		if err != nil {
			return
		}
		for _, e := range entries {
			if len(e.OID) != size || strings.IndexByte(e.Path, 0) >= 0 || e.Stage < 0 || e.Stage > 3 {
				t.Fatalf("%+v", e)
			}
		}
	})
}

// seedIndex makes a small real index of a version.
func seedIndex(dir, version string) ([]byte, error) {
	for _, args := range [][]string{
		{"init", "-q"}, {"update-index", "--add", "a/b", "a/c", "d"},
		{"update-index", "--skip-worktree", "a/c"}, {"update-index", "--index-version", version},
	} {
		if args[0] == "update-index" && args[1] == "--add" {
			if err := os.MkdirAll(dir+"/a", 0o755); err != nil {
				return nil, err
			}
			for _, p := range args[2:] {
				if err := os.WriteFile(dir+"/"+p, []byte(p), 0o644); err != nil {
					return nil, err
				}
			}
		}
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			return nil, fmt.Errorf("git %v: %w: %s", args, err, out)
		}
	}
	return os.ReadFile(dir + "/.git/index")
}
