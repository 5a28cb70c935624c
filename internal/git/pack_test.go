package git

import (
	"bytes"
	"crypto/sha1" //nolint:gosec // git's object format
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

var hashes = map[string]func() hash.Hash{"sha1": sha1.New, "sha256": sha256.New}

func packedBlob(newHash func() hash.Hash, text string) NewObject {
	h := newHash()
	fmt.Fprintf(h, "blob %d\x00%s", len(text), text)
	return NewObject{OID: hex.EncodeToString(h.Sum(nil)), Type: "blob", Data: []byte(text)}
}

// indexed lets git make the index of a pack, and returns its bytes.
func indexed(t *testing.T, format string, pack []byte) []byte {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "x.pack")
	if err := os.WriteFile(path, pack, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"init", "-q", "--bare", "--object-format=" + format, dir + "/r"}, {"-C", dir + "/r", "index-pack", "--strict", "-o", dir + "/x.idx", path}} {
		cmd := exec.Command("git", args...)
		cmd.Env = append(os.Environ(), "HOME="+dir, "XDG_CONFIG_HOME="+dir, "GIT_CONFIG_NOSYSTEM=1")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	data, err := os.ReadFile(dir + "/x.idx")
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestIndexAsGitMakesIt checks that the index has the same bytes as git's for the same pack, also
// after a join, and can be read again.
func TestIndexAsGitMakesIt(t *testing.T) {
	t.Parallel()
	for format, newHash := range hashes {
		t.Run(format, func(t *testing.T) {
			t.Parallel()
			var parts []PackPart
			for k := range 4 {
				var objects []NewObject
				for i := range 40 * k { // the first pack is empty, the others overlap
					objects = append(objects, packedBlob(newHash, strings.Repeat(fmt.Sprint("text ", i, " "), i*i)))
				}
				var pack bytes.Buffer
				x, err := WritePack(&pack, newHash, objects)
				if err != nil {
					t.Fatal(err)
				}
				check(t, format, newHash, x, pack.Bytes())
				parts = append(parts, PackPart{Index: x, Bytes: bytes.NewReader(pack.Bytes()), Size: int64(pack.Len())})
			}
			var joined bytes.Buffer
			x, err := JoinPacks(&joined, newHash, parts)
			if err != nil {
				t.Fatal(err)
			}
			check(t, format, newHash, x, joined.Bytes())
			if len(x.Entries) != 120 {
				t.Errorf("%d objects", len(x.Entries))
			}
		})
	}
}

func check(t *testing.T, format string, newHash func() hash.Hash, x *Index, pack []byte) {
	t.Helper()
	got := x.Encode(newHash)
	if len(x.Entries) > 0 && !bytes.Equal(got, indexed(t, format, pack)) {
		t.Error("git creates a different index of the pack")
	}
	back, err := ParsePackIndex(got, newHash)
	if err != nil || !slices.Equal(back.Entries, x.Entries) || back.Pack != x.Pack || !strings.HasSuffix(x.Name(), hex.EncodeToString(pack[len(pack)-newHash().Size():])) {
		t.Errorf("it does not read back: %v", err)
	}
}

// TestIndexReadsBack tests offsets beyond 31 bits, which are in a table of their own.
func TestIndexReadsBack(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		newHash := hashes[rapid.SampledFrom([]string{"sha1", "sha256"}).Draw(t, "format")]
		size := newHash().Size()
		x := &Index{Pack: string(rapid.SliceOfN(rapid.Byte(), size, size).Draw(t, "pack"))}
		for _, oid := range rapid.SliceOfNDistinct(rapid.SliceOfN(rapid.Byte(), size, size), 0, 20, func(b []byte) string { return string(b) }).Draw(t, "names") {
			x.Entries = append(x.Entries, PackEntry{OID: string(oid), CRC: rapid.Uint32().Draw(t, "crc"), Offset: rapid.Int64Range(0, 1<<40).Draw(t, "offset")})
		}
		x.sort()
		back, err := ParsePackIndex(x.Encode(newHash), newHash)
		if err != nil || !slices.Equal(back.Entries, x.Entries) || back.Pack != x.Pack {
			t.Fatalf("%v: %+v", err, back)
		}
	})
}

func TestWriteChecksNames(t *testing.T) {
	t.Parallel()
	o := packedBlob(sha1.New, "abcd")
	for name, now := range map[string]string{"same size": "ABCD", "shorter": "ab", "longer": "abcdef"} {
		changed := NewObject{OID: o.OID, Type: "blob", Size: 4, Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(now)), nil }}
		if _, err := WritePack(io.Discard, sha1.New, []NewObject{changed}); !errors.Is(err, ErrPackChanged) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := WritePack(io.Discard, sha1.New, []NewObject{{OID: "xyz", Type: "blob"}}); err == nil {
		t.Error("an invalid object name was accepted")
	}
	if _, err := WritePack(failingReader{}, sha1.New, []NewObject{o}); !errors.Is(err, errFull) {
		t.Errorf("a full disk: %v", err)
	}
}

type failingReader struct{}

var errFull = errors.New("full")

func (failingReader) Write([]byte) (int, error) { return 0, errFull }

// TestJoinRefuses checks that a damaged pack, or one with deltas, is never joined.
func TestJoinRefuses(t *testing.T) {
	t.Parallel()
	var pack bytes.Buffer
	x, err := WritePack(&pack, sha1.New, []NewObject{packedBlob(sha1.New, "one"), packedBlob(sha1.New, strings.Repeat("two", 300))})
	if err != nil {
		t.Fatal(err)
	}
	join := func(data []byte) error {
		_, err := JoinPacks(io.Discard, sha1.New, []PackPart{{Index: x, Bytes: bytes.NewReader(data), Size: int64(len(data))}})
		return err
	}
	if err := join(pack.Bytes()); err != nil {
		t.Fatal(err)
	}
	for at := 12; at < pack.Len()-20; at++ {
		data := bytes.Clone(pack.Bytes())
		data[at] ^= 0x10
		if err := join(data); err == nil {
			t.Errorf("a change of byte %d was not detected", at)
		}
	}
	delta := bytes.Clone(pack.Bytes())
	delta[12] = delta[12]&0x8f | 0x60
	if err := join(delta); !errors.Is(err, ErrDelta) {
		t.Errorf("a delta: %v", err)
	}
	if err := join(pack.Bytes()[:14]); err == nil {
		t.Error("a truncated pack was joined")
	}
}

func FuzzParsePackIndex(f *testing.F) {
	for _, n := range []int{0, 1, 30} {
		var objects []NewObject
		for i := range n {
			objects = append(objects, packedBlob(sha1.New, fmt.Sprint(i)))
		}
		x, err := WritePack(io.Discard, sha1.New, objects)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(x.Encode(sha1.New))
		if n > 0 {
			x.Entries[0].Offset = 1 << 33
			f.Add(x.Encode(sha1.New))
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, end := range []bool{false, true} { // unchanged, and with a corrected checksum
			if end && len(data) > 20 {
				h := sha1.Sum(data[:len(data)-20]) //nolint:gosec // git's format
				data = append(bytes.Clone(data[:len(data)-20]), h[:]...)
			}
			x, err := ParsePackIndex(data, sha1.New)
			if err != nil {
				continue
			}
			again, err := ParsePackIndex(x.Encode(sha1.New), sha1.New)
			if err != nil || !slices.Equal(again.Entries, x.Entries) || again.Pack != x.Pack {
				t.Fatalf("it does not read back: %v", err)
			}
		}
	})
}
