package git

import (
	"bytes"
	"context"
	"crypto/sha1"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// realPack lets git make a pack with deltas of many versions of a text, and returns its files and
// the raw names of its objects, sorted.
func realPack(t *testing.T, format string, args ...string) (idx, pack []byte, names []string) {
	t.Helper()
	dir := t.TempDir()
	run := func(stdin string, args ...string) string {
		t.Helper()
		cmd := exec.Command("git", args...)
		cmd.Dir, cmd.Stdin = dir, strings.NewReader(stdin)
		cmd.Env = append(os.Environ(), "HOME="+dir, "XDG_CONFIG_HOME="+dir, "GIT_CONFIG_NOSYSTEM=1")
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("git %v: %v", args, err)
		}
		return strings.TrimSpace(string(out))
	}
	run("", "init", "-q", "--object-format="+format)
	var list []string
	text := strings.Repeat("a line that many versions share, and that is worth a delta\n", 30)
	for i := range 40 {
		text += fmt.Sprintf("line %d of some more text\n", i)
		list = append(list, run(text, "hash-object", "-w", "--stdin"))
	}
	name := run(strings.Join(list, "\n")+"\n", append([]string{"pack-objects", "-q", "--depth=20", "p"}, args...)...)
	read := func(end string) []byte {
		b, err := os.ReadFile(filepath.Join(dir, "p-"+name+end))
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	for _, oid := range list {
		raw, _ := hex.DecodeString(oid)
		names = append(names, string(raw))
	}
	slices.Sort(names)
	return read(".idx"), read(".pack"), names
}

func packFiles(idx, pack []byte) PackFiles {
	return PackFiles{Index: bytes.NewReader(idx), Pack: bytes.NewReader(pack), IndexSize: int64(len(idx)), PackSize: int64(len(pack))}
}

// TestCheckFindsEveryByte changes each byte of a pack: that damages exactly the object and all
// deltas of it.
func TestCheckFindsEveryByte(t *testing.T) {
	t.Parallel()
	for _, format := range []string{"sha1", "sha256"} {
		for _, deltas := range []string{"--delta-base-offset", "--no-reuse-delta"} {
			t.Run(format+deltas, func(t *testing.T) {
				t.Parallel()
				ctx, newHash := context.Background(), hashes[format]
				idx, pack, names := realPack(t, format, deltas)
				x, err := ParsePackIndex(idx, newHash)
				if err != nil {
					t.Fatal(err)
				}
				all, _, err := checkObjects(ctx, packFiles(idx, pack), newHash, names, false)
				if err != nil || slices.ContainsFunc(all, func(s PackState) bool { return s != PackSound }) {
					t.Fatalf("a good pack: %v, %v", all, err)
				}
				if err := VerifyPack(ctx, packFiles(idx, pack), newHash); err != nil {
					t.Fatal(err)
				}
				owner := func(at int) string {
					best := PackEntry{}
					for _, e := range x.Entries {
						if e.Offset <= int64(at) && e.Offset >= best.Offset {
							best = e
						}
					}
					return best.OID
				}
				whole := 0
				for at := 12; at < len(pack)-newHash().Size(); at += 7 {
					bad := bytes.Clone(pack)
					bad[at] ^= 0x11
					got, _, err := checkObjects(ctx, packFiles(idx, bad), newHash, names, false)
					if err != nil {
						t.Fatal(err)
					}
					i, _ := slices.BinarySearch(names, owner(at))
					if got[i] != PackDamaged {
						t.Fatalf("after a change of byte %d its object is %v", at, got[i])
					}
					if slices.Contains(got, PackSound) {
						whole++
					}
					if at%4 == 0 && !errors.Is(VerifyPack(ctx, packFiles(idx, bad), newHash), ErrPack) {
						t.Fatalf("a pack with a changed byte %d is reported as intact", at)
					}
				}
				if whole == 0 {
					t.Error("every change damages every object")
				}
			})
		}
	}
}

func TestCheckRefusesPacks(t *testing.T) {
	t.Parallel()
	ctx, newHash := context.Background(), hashes["sha1"]
	idx, pack, names := realPack(t, "sha1", "--delta-base-offset")
	check := func(idx, pack []byte) error {
		_, _, err := checkObjects(ctx, packFiles(idx, pack), newHash, names, false)
		return err
	}
	for at := 0; at < len(idx); at += 7 {
		bad := bytes.Clone(idx)
		bad[at] ^= 0x40
		if err := check(bad, pack); !errors.Is(err, ErrPack) {
			t.Fatalf("after a change of byte %d of the index: %v", at, err)
		}
	}
	for _, n := range []int{0, 3, 12, 40, len(pack) / 2, len(pack) - 1} {
		if err := check(idx, pack[:n]); !errors.Is(err, ErrPack) {
			t.Errorf("a pack cut to %d bytes: %v", n, err)
		}
	}
	for _, n := range []int{0, 7, 1031, 1100, len(idx) - 1, len(idx) - 20} {
		if err := check(idx[:n], pack); !errors.Is(err, ErrPack) {
			t.Errorf("an index cut to %d bytes: %v", n, err)
		}
	}
	other, _, _ := realPack(t, "sha1", "--no-reuse-delta")
	if !bytes.Equal(other, idx) && check(other, pack) == nil {
		t.Error("the index of another pack was accepted")
	}
}

// TestCheckFinds checks that looking up few names one by one, and many in one pass, gives the same
// result.
func TestCheckFinds(t *testing.T) {
	t.Parallel()
	newHash := hashes["sha1"]
	var objects []NewObject
	for i := range 3000 {
		objects = append(objects, packedBlob(newHash, fmt.Sprint("text ", i)))
	}
	var pack bytes.Buffer
	x, err := WritePack(&pack, newHash, objects[:2500])
	if err != nil {
		t.Fatal(err)
	}
	f := packFiles(x.Encode(newHash), pack.Bytes())
	for _, n := range []int{1, 2, 9, 100, 3000} {
		var wanted []string
		in := map[string]bool{}
		for i := 0; i < 3000; i += 3000 / n {
			raw, _ := hex.DecodeString(objects[i].OID)
			wanted, in[string(raw)] = append(wanted, string(raw)), i < 2500
		}
		slices.Sort(wanted)
		got, _, err := checkObjects(context.Background(), f, newHash, wanted, false)
		if err != nil {
			t.Fatal(err)
		}
		for i, name := range wanted {
			if (got[i] == PackSound) != in[name] {
				t.Errorf("%d of 3000: object %d is %v", n, i, got[i])
			}
		}
	}
}

// TestReadWhole checks that only non-delta objects are read, with git's bytes, and never bytes of
// another name.
func TestReadWhole(t *testing.T) {
	t.Parallel()
	for format, newHash := range hashes {
		o := packedBlob(newHash, strings.Repeat("some text\n", 500))
		var pack bytes.Buffer
		x, err := WritePack(&pack, newHash, []NewObject{packedBlob(newHash, "another"), o})
		if err != nil {
			t.Fatal(err)
		}
		raw, _ := hex.DecodeString(o.OID)
		var out bytes.Buffer
		typ, err := ReadPacked(context.Background(), packFiles(x.Encode(newHash), pack.Bytes()), newHash, string(raw), &out)
		if err != nil || typ != "blob" || out.String() != string(o.Data) {
			t.Errorf("%s: %q, %d bytes, %v", format, typ, out.Len(), err)
		}
		bad := bytes.Clone(pack.Bytes())
		bad[len(bad)-newHash().Size()-9] ^= 1
		bad[30] ^= 1
		out.Reset()
		if _, err := ReadPacked(context.Background(), packFiles(x.Encode(newHash), bad), newHash, string(raw), &out); !errors.Is(err, ErrPack) || out.Len() > 0 {
			t.Errorf("%s: damaged: %v, %d bytes", format, err, out.Len())
		}
	}
}

// endless is a file of a few bytes and any number of zeros, which must not be read.
type endless struct {
	t    *testing.T
	head []byte
}

func (e endless) ReadAt(b []byte, at int64) (int, error) {
	if at+int64(len(b)) > int64(len(e.head)) {
		e.t.Errorf("%d bytes at %d are read", len(b), at)
	}
	return copy(b, e.head[min(at, int64(len(e.head))):]), nil
}

// TestIndexTooLong checks that an index that is too long for its number of objects is refused after
// its header.
func TestIndexTooLong(t *testing.T) {
	idx, pack, names := realPack(t, "sha1")
	f := packFiles(idx, pack)
	if got, err := ReadIndex(f.Index, f.IndexSize, sha1.New); err != nil || len(got.Entries) != len(names) {
		t.Fatalf("%+v %v", got, err)
	}
	for _, size := range []int64{int64(len(idx)) + 8*int64(len(names)) + 8, 4 << 30, int64(len(idx)) - 8} {
		f.Index, f.IndexSize = endless{t, idx[:8+1024]}, size
		if _, err := ReadIndex(f.Index, size, sha1.New); !errors.Is(err, errIndex) {
			t.Errorf("%d: %v", size, err)
		}
		if _, _, err := checkObjects(t.Context(), f, sha1.New, names, false); !errors.Is(err, ErrPack) {
			t.Errorf("%d: %v", size, err)
		}
	}
}

func FuzzCheck(f *testing.F) {
	newHash := hashes["sha1"]
	o := packedBlob(newHash, "some text")
	var pack bytes.Buffer
	x, err := WritePack(&pack, newHash, []NewObject{o, packedBlob(newHash, "another")})
	if err != nil {
		f.Fatal(err)
	}
	raw, _ := hex.DecodeString(o.OID)
	f.Add(x.Encode(newHash), pack.Bytes())
	f.Fuzz(func(t *testing.T, idx, pack []byte) {
		if len(idx) > 40 { // with a corrected checksum, otherwise nothing would pass it
			h := newHash()
			h.Write(idx[:len(idx)-20])
			idx = h.Sum(bytes.Clone(idx[:len(idx)-20]))
		}
		if _, _, err := checkObjects(context.Background(), packFiles(idx, pack), newHash, []string{string(raw)}, false); err != nil {
			return
		}
		var out bytes.Buffer
		if _, err := ReadPacked(context.Background(), packFiles(idx, pack), newHash, string(raw), &out); err == nil && out.String() != "some text" {
			t.Fatalf("it gave %q", out.String())
		}
	})
}
