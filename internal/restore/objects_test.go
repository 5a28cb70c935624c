package restore_test

import (
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/belay-dev/belay/internal/restore"
	"github.com/belay-dev/belay/internal/snapshot"
)

// unpack makes every object loose.
func (s *sandbox) unpack() {
	s.T.Helper()
	list, err := filepath.Glob(s.Path(".git/objects/pack/pack-*.pack"))
	s.Ok(err)
	for _, p := range list {
		away := filepath.Join(s.Up, filepath.Base(p))
		s.Ok(os.Rename(p, away))
		side, err := filepath.Glob(strings.TrimSuffix(p, "pack") + "*")
		s.Ok(err)
		for _, f := range side {
			s.Ok(os.Remove(f))
		}
		text, err := os.ReadFile(away)
		s.Ok(err)
		if _, err := s.Try(s.Dir, string(text), "unpack-objects", "-q"); err != nil {
			s.T.Fatal(err)
		}
	}
}

func (s *sandbox) loose(oid string) string { return s.Path(".git/objects/" + oid[:2] + "/" + oid[2:]) }

func TestUnreadableObjects(t *testing.T) {
	t.Parallel()
	s := newSandbox(t)
	s.Commit("first", "a.txt", "a\n", "dir/b.txt", "b\n")
	s.Write("c.txt", "staged\n")
	s.Git("add", "c.txt")
	staged := s.Git("rev-parse", ":c.txt")
	s.Write("c.txt", "edited\n")
	i := s.take()
	whole := func(want ...string) {
		t.Helper()
		list, err := s.store().Snapshots.Unreadable(context.Background(), i)
		s.Ok(err)
		var got []string
		for _, b := range list {
			got = append(got, b.Part+" "+b.Path)
		}
		if strings.Join(got, ", ") != strings.Join(want, ", ") {
			t.Errorf("unreadable: %q, want %q (%v)", got, want, list)
		}
	}
	whole()
	s.unpack()
	whole()
	s.Ok(os.Remove(s.loose(staged)))
	whole("staged ")
	s.Ok(os.Truncate(s.loose(s.Git("rev-parse", i.Commit+":tree/dir/b.txt")), 0))
	whole("file dir/b.txt", "staged ")
	s.Ok(os.Remove(s.loose(s.Git("rev-parse", i.Commit+":tree/dir"))))
	whole("file dir/", "staged ")
	s.Ok(os.Remove(s.loose(i.Commit)))
	whole("commit the snapshot")
}

// harmed returns a repository for tests that damage objects. A snapshot has to contain files of
// HEAD's tree, edited and untracked ones, and content that only the index has.
func harmed(t testing.TB) *sandbox {
	s := newSandbox(t)
	s.Commit("first", "same.txt", strings.Repeat("the same in HEAD and on the disk\n", 40), "dir/deep.txt", "deep\n", "dir/sub/x.txt", "x\n", "edited.txt", "as in HEAD\n")
	s.Commit("second", "other.txt", "other\n")
	s.Git("branch", "side", "HEAD~")
	s.Write("edited.txt", "edited\n")
	s.Write("staged.txt", "only staged\n")
	s.Git("add", "staged.txt")
	s.Write("staged.txt", "and then edited\n")
	s.Write("untracked.txt", strings.Repeat("nobody else has this\n", 40))
	return s
}

// borrows returns a repository like it with its objects in another one.
func borrows(t testing.TB) *sandbox {
	s := harmed(t)
	s.Git("repack", "-a", "-d", "-q")
	s.Mkdir("../lender")
	s.Ok(os.Rename(s.Path(".git/objects"), s.Path("../lender/objects")))
	s.Mkdir(".git/objects/info")
	s.Mkdir(".git/objects/pack")
	s.Write(".git/objects/info/alternates", "../../../lender/objects\n")
	return s
}

// packOf returns the pack that contains an object, without extension, and the offset in it; "" when
// the object is loose.
func (s *sandbox) packOf(oid string) (path string, at int64) {
	s.T.Helper()
	for _, dir := range []string{s.Path(".git/objects"), s.Up + "/lender/objects"} {
		list, err := filepath.Glob(dir + "/pack/pack-*.idx")
		s.Ok(err)
		for _, idx := range list {
			text, err := os.ReadFile(idx)
			s.Ok(err)
			out, err := s.Try(s.Dir, string(text), "show-index")
			s.Ok(err)
			for line := range strings.Lines(out) {
				if f := strings.Fields(line); f[1] == oid {
					at, err = strconv.ParseInt(f[0], 10, 64)
					s.Ok(err)
					return strings.TrimSuffix(idx, ".idx"), at
				}
			}
		}
	}
	return "", 0
}

func (s *sandbox) flip(path string, at int64) {
	s.T.Helper()
	s.Ok(os.Chmod(path, 0o644))
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	s.Ok(err)
	defer f.Close()
	var b [1]byte
	_, err = f.ReadAt(b[:], at)
	s.Ok(err)
	b[0] ^= 0x24
	_, err = f.WriteAt(b[:], at)
	s.Ok(err)
}

func (s *sandbox) cut(path string, share int64) {
	s.T.Helper()
	info, err := os.Stat(path)
	s.Ok(err)
	s.Ok(os.Chmod(path, 0o644))
	s.Ok(os.Truncate(path, info.Size()*share/4))
}

// harms are the ways to damage a loose or packed object. One that does not apply returns false.
var harms = map[string]func(s *sandbox, oid, pack string, at int64) bool{
	"loose empty": func(s *sandbox, oid, pack string, _ int64) bool {
		if pack != "" {
			return false
		}
		s.cut(s.loose(oid), 0)
		return true
	},
	"loose truncated": func(s *sandbox, oid, pack string, _ int64) bool {
		if pack != "" {
			return false
		}
		s.cut(s.loose(oid), 3)
		return true
	},
	"loose flipped": func(s *sandbox, oid, pack string, _ int64) bool {
		if pack != "" {
			return false
		}
		s.flip(s.loose(oid), 8)
		return true
	},
	"loose removed": func(s *sandbox, oid, pack string, _ int64) bool {
		if pack != "" {
			return false
		}
		s.Ok(os.Remove(s.loose(oid)))
		return true
	},
	"pack removed": func(s *sandbox, _, pack string, _ int64) bool {
		if pack == "" {
			return false
		}
		list, err := filepath.Glob(pack + ".*")
		s.Ok(err)
		for _, p := range list {
			s.Ok(os.Remove(p))
		}
		return true
	},
	"pack truncated": func(s *sandbox, _, pack string, _ int64) bool {
		if pack == "" {
			return false
		}
		s.cut(pack+".pack", 2)
		return true
	},
	"pack flipped": func(s *sandbox, _, pack string, at int64) bool {
		if pack == "" {
			return false
		}
		s.flip(pack+".pack", at+4)
		return true
	},
	"pack flipped in the head of the object": func(s *sandbox, _, pack string, at int64) bool {
		if pack == "" {
			return false
		}
		s.flip(pack+".pack", at)
		return true
	},
	"index removed": func(s *sandbox, _, pack string, _ int64) bool {
		if pack == "" {
			return false
		}
		s.Ok(os.Remove(pack + ".idx"))
		return true
	},
	"index flipped": func(s *sandbox, _, pack string, _ int64) bool {
		if pack == "" {
			return false
		}
		info, err := os.Stat(pack + ".idx")
		s.Ok(err)
		s.flip(pack+".idx", info.Size()-44) // in an offset
		return true
	},
	"multi-pack-index flipped": func(s *sandbox, _, pack string, _ int64) bool {
		if pack == "" || strings.Contains(pack, "/lender/") {
			return false
		}
		s.Git("multi-pack-index", "write")
		path := s.Path(".git/objects/pack/multi-pack-index")
		info, err := os.Stat(path)
		s.Ok(err)
		s.flip(path, info.Size()-24)
		return true
	},
	"commit-graph flipped": func(s *sandbox, _, _ string, _ int64) bool {
		s.Git("commit-graph", "write", "--reachable")
		path := s.Path(".git/objects/info/commit-graph")
		info, err := os.Stat(path)
		s.Ok(err)
		s.flip(path, info.Size()-60)
		return true
	},
	"lender gone": func(s *sandbox, _, pack string, _ int64) bool {
		if !strings.Contains(pack, "/lender/") {
			return false
		}
		s.Ok(os.RemoveAll(s.Up + "/lender"))
		return true
	},
}

// TestDamagedObjects damages an object in every way, before a first snapshot and between two, and
// deletes all files afterwards; one way in five, unless the sample is wide. A restore then restores
// every file, and everything else that the snapshot names either can be read or was reported.
func TestDamagedObjects(t *testing.T) {
	t.Parallel()
	made := map[string]*sandbox{"loose": harmed(t), "packed": harmed(t), "borrowed": borrows(t)}
	made["packed"].Git("repack", "-a", "-d", "-q")
	made["packed"].Git("prune-packed")
	targets := map[string]string{"unchanged file": "HEAD:same.txt", "staged": ":staged.txt", "tree": "HEAD:dir", "root": "HEAD^{tree}", "commit": "HEAD", "branch": "side", "snapshot": ""}
	cells := 0
	for _, form := range slices.Sorted(maps.Keys(made)) {
		for _, what := range slices.Sorted(maps.Keys(targets)) {
			for _, harm := range slices.Sorted(maps.Keys(harms)) {
				for _, warm := range []bool{false, true} {
					base, name, do := made[form], targets[what], harms[harm]
					loose, graph := strings.HasPrefix(harm, "loose"), strings.HasPrefix(harm, "commit-graph")
					if what == "snapshot" && !warm || loose && form != "loose" || !loose && !graph && form == "loose" && what != "snapshot" ||
						harm == "lender gone" && form != "borrowed" {
						continue
					}
					if cells++; !wide() && cells%5 != 0 {
						continue
					}
					t.Run(fmt.Sprint(form, "/", what, "/", harm, "/warm=", warm), func(t *testing.T) {
						t.Parallel()
						s := base.copied(t)
						oid := ""
						if name != "" {
							oid = s.Git("rev-parse", name)
						}
						if warm {
							i := s.take()
							if i.Partial {
								t.Fatalf("partial before anything was damaged: %v", i.Gaps)
							}
							if name == "" {
								oid = s.Git("rev-parse", i.Commit+":tree/untracked.txt")
							}
						}
						pack, at := s.packOf(oid)
						if !do(s, oid, pack, at) {
							t.Skip("does not fit")
						}
						s.survives()
					})
				}
			}
		}
	}
}

// survives takes a snapshot of a damaged repository and checks its gaps against the objects that
// can be read.
func (s *sandbox) survives() {
	s.T.Helper()
	files := []string{"same.txt", "dir/deep.txt", "dir/sub/x.txt", "edited.txt", "other.txt", "staged.txt", "untracked.txt"}
	want := map[string]string{}
	for _, f := range files {
		text, err := os.ReadFile(s.Path(f))
		s.Ok(err)
		want[f] = string(text)
	}
	i := s.take()
	said := map[string]bool{}
	for _, g := range i.Gaps {
		said[g.Path] = true
	}
	if i.Partial != (len(i.Gaps) > 0) {
		s.T.Errorf("partial is %v, gaps are %v", i.Partial, i.Gaps)
	}
	list, err := s.store().Snapshots.Unreadable(context.Background(), i)
	s.Ok(err)
	for _, b := range list {
		if b.Part != snapshot.PartCommit || b.Path != "HEAD" || !said["HEAD"] {
			s.T.Errorf("the new snapshot cannot be read completely: %v", b)
		}
	}
	staged, err := s.Try(s.Dir, "", "cat-file", "blob", ":staged.txt")
	if said["staged.txt"] == (err == nil && staged == "only staged") {
		s.T.Errorf("staged content: git reads %q, %v, and the snapshot reports %v", staged, err, i.Gaps)
	}
	for _, name := range []string{"HEAD", "refs/heads/side"} {
		if _, err := s.Try(s.Dir, "", "-c", "core.commitGraph=false", "cat-file", "commit", name); err != nil && !said[name] {
			s.T.Errorf("%s cannot be read, and the snapshot reports %v", name, i.Gaps)
		}
	}
	for _, f := range files {
		s.Remove(f)
	}
	s.Remove("dir")
	if _, err := s.store().Restore(context.Background(), i.ID, restore.Options{}); err != nil {
		s.T.Errorf("restore: %v", err)
	}
	for _, f := range files {
		if text, err := os.ReadFile(s.Path(f)); err != nil || string(text) != want[f] {
			s.T.Errorf("%s was restored as %.40q, %v", f, text, err)
		}
	}
	// A second snapshot of the same state reports the same.
	again := s.take()
	if again.Partial != i.Partial {
		s.T.Errorf("the first snapshot reports %v, the next one %v", i.Gaps, again.Gaps)
	}
}
