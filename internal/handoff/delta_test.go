package handoff

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"pgregory.net/rapid"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/git"
	"github.com/belay-dev/belay/internal/snapshot"
)

// A fixed umask: modes are compared.
func init() { syscall.Umask(0o022) }

type deltaBench struct {
	t     testing.TB
	dir   string
	env   []string
	snaps *snapshot.Store
	kept  map[string][]byte
}

func newDeltaBench(t testing.TB, script string) *deltaBench {
	t.Helper()
	b := &deltaBench{t: t, dir: t.TempDir(), kept: map[string][]byte{}}
	b.env = append(os.Environ(), "HOME="+b.dir, "XDG_CONFIG_HOME="+b.dir, "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null",
		"GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b", "GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b")
	b.sh("git init -q -b main\n" + script)
	repo, err := git.Open(t.Context(), b.dir, true)
	if err != nil {
		t.Fatal(err)
	}
	if b.snaps, err = snapshot.Open(t.Context(), repo, snapshot.Options{}); err != nil {
		t.Fatal(err)
	}
	return b
}

func (b *deltaBench) sh(script string) string {
	b.t.Helper()
	c := exec.Command("sh", "-ec", script)
	c.Dir, c.Env = b.dir, b.env
	out, err := c.CombinedOutput()
	if err != nil {
		b.t.Fatalf("%s: %v\n%s", script, err, out)
	}
	return string(out)
}

func (b *deltaBench) take() snapshot.Info {
	b.t.Helper()
	info, err := b.snaps.Take(b.t.Context(), snapshot.Meta{Kind: belay.KindHandoff})
	if err != nil {
		b.t.Fatal(err)
	}
	return info
}

func (b *deltaBench) attach(r io.Reader) (string, int64, error) {
	data, err := io.ReadAll(r)
	if err != nil {
		return "", 0, err
	}
	sum := sha256.Sum256(data)
	sha := hex.EncodeToString(sum[:])
	b.kept[sha] = data
	return sha, int64(len(data)), nil
}

func (b *deltaBench) text(d Diff) string {
	b.t.Helper()
	data := b.kept[d.Attachment]
	if d.Gzip {
		r, err := gzip.NewReader(bytes.NewReader(data))
		if err != nil {
			b.t.Fatal(err)
		}
		if data, err = io.ReadAll(r); err != nil {
			b.t.Fatal(err)
		}
	}
	return string(data)
}

const start = `printf 'one\ntwo\nthree\n' > a.txt
printf 'bee\n' > b.txt
printf 'sea\n' > c.txt
git add . && git commit -qm first
`

// TestOverlappingRoles: two roles edit the same lines; the diff of each and the diff of both are
// exact.
func TestOverlappingRoles(t *testing.T) {
	t.Parallel()
	b := newDeltaBench(t, start)
	r := DeltaReader{Snaps: b.snaps, Attach: b.attach, InScope: func(p string) bool { return p != "c.txt" }}
	base := b.take()
	b.sh(`printf 'one\n2\nthree\n' > a.txt; rm b.txt; echo new > n.txt`)
	first := b.take()
	h, err := r.DescribeHandoff(t.Context(), base.ID, "", first)
	if err != nil {
		t.Fatal(err)
	}
	if h.FromBase != h.Incremental || h.Files != 3 || h.Added != 2 || h.Deleted != 2 || h.FromBase.Gzip || len(h.OutOfScope) > 0 {
		t.Errorf("%+v", h)
	}
	b.sh(`printf 'one\nTWO\nthree\n' > a.txt; echo more >> n.txt; chmod +x n.txt; echo out > c.txt`)
	second := b.take()
	if h, err = r.DescribeHandoff(t.Context(), base.ID, first.ID, second); err != nil {
		t.Fatal(err)
	}
	if d := b.text(h.Incremental); !strings.Contains(d, "-2\n+TWO") || strings.Contains(d, "b.txt") || !strings.Contains(d, "+more") || strings.Contains(d, "+new") {
		t.Errorf("incremental:\n%s", d)
	}
	if d := b.text(h.FromBase); !strings.Contains(d, "-two\n+TWO") || !strings.Contains(d, "+new\n+more") || !strings.Contains(d, "deleted file") {
		t.Errorf("from base:\n%s", d)
	}
	if !slices.Equal(h.OutOfScope, []string{"c.txt"}) {
		t.Errorf("%q", h.OutOfScope)
	}
	var c Changes
	if err := json.Unmarshal(b.kept[h.Report], &c); err != nil {
		t.Fatal(err)
	}
	sum := func(s string) string { return SHA256Hex([]byte(s)) }
	want := []ChangedFile{
		{Path: "a.txt", Status: "M", Mode: "0644", Size: 14, SHA: sum("one\nTWO\nthree\n"), Previous: sum("one\n2\nthree\n"), Added: 1, Deleted: 1},
		{Path: "b.txt", Status: "D", Deleted: 1},
		{Path: "c.txt", Status: "M", Mode: "0644", Size: 4, SHA: sum("out\n"), Previous: sum("sea\n"), Added: 1, Deleted: 1},
		{Path: "n.txt", Status: "A", Mode: "0755", Size: 9, SHA: sum("new\nmore\n"), Previous: sum("new\n"), Added: 2},
	}
	if !slices.Equal(c.Files, want) {
		t.Errorf("%+v", c.Files)
	}
	if !slices.Equal(c.Status, []string{" M a.txt", " D b.txt", " M c.txt", "?? n.txt"}) || c.Stat != "4 files changed, +4 -3" {
		t.Errorf("%q %q", c.Status, c.Stat)
	}
	// The recorded hash can be verified with the diff.
	if got := Hash([]byte(b.text(h.FromBase))); got != h.FromBase.SHA {
		t.Errorf("the diff hashes to %s, recorded is %s", got, h.FromBase.SHA)
	}
}

// TestStatusIsGits: the status equals git's where git needs no filter.
func TestStatusIsGits(t *testing.T) {
	t.Parallel()
	for _, script := range []string{
		":", "echo x >> a.txt", "git add -A; echo x > new; git add new; echo y >> new", "git mv a.txt z.txt", "git rm -q a.txt", "git rm -q --cached a.txt", "rm a.txt",
		"chmod +x a.txt", "git update-index --chmod=+x a.txt", "rm a.txt && ln -s b.txt a.txt", "echo x > b.txt && git add b.txt && git checkout -q HEAD -- . && echo y > b.txt",
		"echo x > b.txt && git add b.txt && printf 'bee\\n' > b.txt", "mkdir -p d/e && echo x > d/e/f", "git rm -q --cached b.txt && echo q > b.txt",
		"printf '*.log\\n' > .gitignore; echo x > y.log", "git checkout -q -b o && echo o > a.txt && git commit -qam o && git checkout -q main && echo m > a.txt && git commit -qam m && git merge -q o || :",
		"git init -q sub && git -C sub commit -q --allow-empty -m s && git add sub 2>/dev/null && git commit -qm sub && echo x >> a.txt",
		"git init -q sub && git -C sub commit -q --allow-empty -m s && git add sub 2>/dev/null && rm a.txt",
		"echo x > 'a b'; printf x > 'new\nline'",
	} {
		b := newDeltaBench(t, start+script)
		now := b.take()
		got, err := DeltaReader{Snaps: b.snaps, Attach: b.attach}.status(t.Context(), now)
		if err != nil {
			t.Fatal(err)
		}
		var want []string
		for f := range strings.SplitSeq(strings.TrimSuffix(b.sh("git -c status.renames=false status --porcelain -z -uall"), "\x00"), "\x00") {
			if f != "" {
				want = append(want, f)
			}
		}
		byPath := func(a, b string) int { return strings.Compare(a[3:]+a[:2], b[3:]+b[:2]) }
		slices.SortFunc(want, byPath)
		slices.SortFunc(got, byPath)
		if !slices.Equal(got, want) {
			t.Errorf("%s:\n%q\n%q", script, got, want)
		}
	}
}

// TestLineEndsInStatus: a checkout with other line ends has no status.
func TestLineEndsInStatus(t *testing.T) {
	t.Parallel()
	b := newDeltaBench(t, start+`sed -i 's/$/\r/' a.txt`)
	got, err := DeltaReader{Snaps: b.snaps, Attach: b.attach}.status(t.Context(), b.take())
	if err != nil || len(got) > 0 {
		t.Errorf("%q, %v", got, err)
	}
}

func TestLinesLaw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOf(rapid.StringMatching(`[a\r\n]{0,6}`)).Draw(t, "parts")
		l := &lineHash{sum: sha256.New()}
		for _, p := range parts {
			l.Write([]byte(p))
		}
		text := string(Normalise([]byte(strings.Join(parts, ""))))
		if text != "" && !strings.HasSuffix(text, "\n") {
			text += "\n"
		}
		if got := l.String(); got != SHA256Hex([]byte(text)) {
			t.Fatalf("%q: %s", parts, got)
		}
	})
}

// TestSecretsAreMasked: an added secret is not in what is stored, anywhere in a large diff, and the
// hash is of the unmasked diff.
func TestSecretsAreMasked(t *testing.T) {
	t.Parallel()
	key := "AKIA" + "Q7ZJ5N2WLXK4RT3B"
	b := newDeltaBench(t, start)
	base := b.take()
	var big strings.Builder
	for i := range 120_000 {
		fmt.Fprintf(&big, "line %d of many that were added here\n", i)
	}
	// Every 4 MiB of the diff end within a private key.
	private := "-----BEGIN RSA " + "PRIVATE KEY-----\n" + strings.Repeat("MIIEowIBAAKCAQEA7bq3Zk9sYt2LxWc5\n", 1500) + "-----END RSA PRIVATE KEY-----\n"
	before := (strings.Repeat(big.String(), 2))[:4<<20-len(private)/2-97_000]
	added := []byte(before + "\n" + private + "key = " + key + "\n" + big.String())
	if err := os.WriteFile(filepath.Join(b.dir, "big.txt"), added, 0o644); err != nil {
		t.Fatal(err)
	}
	b.sh("echo 'key = " + key + "' >> a.txt")
	h, err := DeltaReader{Snaps: b.snaps, Attach: b.attach}.DescribeHandoff(t.Context(), base.ID, "", b.take())
	if err != nil {
		t.Fatal(err)
	}
	text := b.text(h.FromBase)
	if strings.Contains(text, key) || strings.Contains(text, "MIIEow") || h.FromBase.Masked != 3 || !h.FromBase.Gzip || !strings.Contains(text, "[masked") {
		t.Errorf("masked %d, gzip %v, there: %v", h.FromBase.Masked, h.FromBase.Gzip, strings.Contains(text, key))
	}
	open, err := DeltaReader{Snaps: b.snaps, Attach: b.attach, Unmasked: true}.attachDiff(t.Context(), base.ID, h.Snapshot)
	if err != nil || open.SHA != h.FromBase.SHA || !strings.Contains(b.text(open), key) {
		t.Errorf("%+v %v", open, err)
	}
}

func TestKeeper(t *testing.T) {
	b := &deltaBench{t: t, kept: map[string][]byte{}}
	for _, n := range []int{0, 1, 64 << 10, 64<<10 + 1, 1 << 20} {
		k := NewAttachmentWriter(b.attach)
		want := bytes.Repeat([]byte("x"), n)
		for rest := want; len(rest) > 0; rest = rest[min(len(rest), 10_000):] {
			if _, err := k.Write(rest[:min(len(rest), 10_000)]); err != nil {
				t.Fatal(err)
			}
		}
		kept, err := k.Close(nil)
		if err != nil || kept.Bytes != int64(n) || kept.Gzip != (n > 64<<10) {
			t.Errorf("%d: %+v, %v", n, kept, err)
		}
		if got := b.text(Diff{Attachment: kept.SHA, Gzip: kept.Gzip}); got != string(want) {
			t.Errorf("%d: %d bytes came back", n, len(got))
		}
	}
	full := errors.New("no room")
	k := NewAttachmentWriter(func(r io.Reader) (string, int64, error) { return "", 0, full })
	_, err := k.Write(bytes.Repeat([]byte("xyz"), 1<<20))
	if _, cerr := k.Close(err); !errors.Is(errors.Join(err, cerr), full) {
		t.Errorf("%v, %v", err, cerr)
	}
	k = NewAttachmentWriter(b.attach)
	k.Write(bytes.Repeat([]byte("q"), 1<<20))
	before := len(b.kept)
	if _, err := k.Close(full); err != nil || len(b.kept) != before {
		t.Errorf("kept although it failed: %v", err)
	}
}
