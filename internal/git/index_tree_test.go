package git

import (
	"bytes"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"
)

// TestIndexTreeAgreesWithGit checks that every tree recorded in the index is the one that git would
// write for that folder, whatever was staged in between, and that the root has one right after a
// commit.
func TestIndexTreeAgreesWithGit(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"sha1", "sha256"} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			s := newSandbox(t, "--object-format="+format)
			shape(s)
			s.git("rm", "-q", "--cached", "both", "new", "sub")
			r := s.open()
			rnd := rand.New(rand.NewPCG(1, 2))
			told := 0
			for round := range 20 {
				s.write(fmt.Sprintf("d%d/e%d/f%d", rnd.IntN(3), rnd.IntN(3), rnd.IntN(4)), fmt.Sprint(round))
				s.git("add", "-A")
				if round%3 == 0 {
					s.git("commit", "-qm", "all")
				}
				data, err := os.ReadFile(s.dir + "/.git/index")
				if err != nil {
					t.Fatal(err)
				}
				_, tree, err := ParseIndexTrees(data, r.HashSize())
				if err != nil || tree == nil {
					t.Fatalf("round %d: %v %v", round, tree, err)
				}
				if round%3 == 0 && tree.OID == "" {
					t.Error("the top tree is unknown after a commit")
				}
				var look func(tree *IndexTree, path string)
				look = func(tree *IndexTree, path string) {
					if tree.OID != "" {
						told++
						if want := s.git("write-tree", "--prefix="+path); hex.EncodeToString([]byte(tree.OID)) != want {
							t.Errorf("round %d: %q is %x, git writes %s", round, path, tree.OID, want)
						}
						if n := strings.Count(s.git("ls-files", "-z", "./"+path), "\x00"); n != tree.Entries {
							t.Errorf("round %d: %q has %d entries, the index tree has %d", round, path, n, tree.Entries)
						}
					}
					for name, folder := range tree.Folders {
						look(folder, path+name+"/")
					}
				}
				look(tree, "")
			}
			if told < 40 {
				t.Errorf("only %d folders were compared", told)
			}
		})
	}
}

func FuzzIndexTree(f *testing.F) {
	f.Add("\x003 1\n"+strings.Repeat("a", 20)+"dir\x00-1 0\n", 5)
	f.Add("\x00-1 1000000000\n", 5)
	f.Fuzz(func(t *testing.T, data string, entries int) {
		tree := parseIndexTree(data, 20, entries)
		var look func(*IndexTree)
		look = func(tree *IndexTree) {
			if tree.OID != "" && len(tree.OID) != 20 || tree.Entries > max(entries, 0) || tree.Entries < 0 {
				t.Fatalf("%+v", tree)
			}
			for _, f := range tree.Folders {
				look(f)
			}
		}
		if tree != nil {
			look(tree)
		}
	})
}

// TestSizesAgreeWithGit compares the sizes of CheckNames with git's, for complete objects and
// deltas of deltas, in one pack or several; loose objects have none.
func TestSizesAgreeWithGit(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"sha1", "sha256"} {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			s := newSandbox(t, "--object-format="+format)
			text := ""
			for i := range 700 { // enough for several processors
				text += fmt.Sprintf("line %d of a text that grows\n", i)
				s.write(fmt.Sprintf("d%d/f%d", i%7, i), text[max(0, len(text)-20000):])
				if i == 350 {
					s.git("add", "-A")
					s.git("commit", "-qm", "half")
					s.git("repack", "-q", "-d")
				}
			}
			s.write("large", strings.Repeat("0123456789abcdef", 200000)+"\n")
			s.write("empty", "")
			s.git("add", "-A")
			s.git("commit", "-qm", "all")
			s.git("repack", "-q", "-d", "--depth=30")
			s.write("loose", "not in a pack")
			s.git("add", "-A")
			deltas, seen := 0, 0
			var raws []string
			want := map[string]int64{}
			list := s.git("cat-file", "--batch-all-objects", "--batch-check=%(objectname) %(objectsize) %(deltabase)")
			for line := range strings.Lines(list) {
				var oid, base string
				var size int64
				if _, err := fmt.Sscan(line, &oid, &size, &base); err != nil {
					t.Fatal(line, err)
				}
				if strings.Trim(base, "0") != "" {
					deltas++
				}
				raw, _ := hex.DecodeString(oid)
				raws, want[string(raw)] = append(raws, string(raw)), size
			}
			if deltas < 300 {
				t.Fatalf("only %d deltas", deltas)
			}
			c, err := CheckNames(t.Context(), s.open(), raws, CheckOptions{WantSizes: true})
			if err != nil {
				t.Fatal(err)
			}
			for raw, size := range want {
				got, ok := c.SizeInPack(raw)
				if ok {
					seen++
				}
				if ok && got != size || !ok && c.Unusable[hex.EncodeToString([]byte(raw))] == nil {
					t.Errorf("%x has %d bytes, found %d %v", raw, size, got, ok)
				}
			}
			if seen != len(want)-1 || len(c.Unusable) != 1 {
				t.Errorf("%d of %d were found, %d not", seen, len(want), len(c.Unusable))
			}
		})
	}
}

// TestWriteTogether checks that a pack compressed on all processors has the same bytes as one
// compressed on one, and that an object that does not match its name fails it, at any position.
func TestWriteTogether(t *testing.T) {
	t.Parallel()
	var objects []NewObject
	for i := range 1500 {
		objects = append(objects, packedBlob(hashes["sha1"], strings.Repeat(fmt.Sprintf("%d of many\n", i), 1+i%90)))
	}
	var together bytes.Buffer
	index, err := WritePack(&together, hashes["sha1"], objects)
	if err != nil {
		t.Fatal(err)
	}
	var alone bytes.Buffer
	p := newPacker(&alone, hashes["sha1"], len(objects))
	ps := compressors{newHash: hashes["sha1"]}
	for _, o := range objects {
		if err := p.writeOne(ps.one(), o); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := p.finish(); err != nil || !bytes.Equal(alone.Bytes(), together.Bytes()) {
		t.Fatal("another pack", err)
	}
	if got := indexed(t, "sha1", together.Bytes()); !bytes.Equal(got, index.Encode(hashes["sha1"])) {
		t.Error("git creates a different index")
	}
	for _, i := range []int{0, 700, 1499} {
		bad := append([]NewObject{}, objects...)
		bad[i].Data = []byte("something else")
		if _, err := WritePack(&bytes.Buffer{}, hashes["sha1"], bad); err == nil {
			t.Errorf("no error for object %d with a wrong name", i)
		}
	}
}
