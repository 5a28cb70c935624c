package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

func (s packSandbox) check(oids []string, how CheckOptions) CheckResult {
	s.t.Helper()
	c, err := CheckObjects(context.Background(), s.Repo, oids, how)
	if err != nil {
		s.t.Fatal(err)
	}
	return c
}

func (s packSandbox) unchanged(r FoundObjects) (FoundObjects, bool) {
	return RefreshFound(context.Background(), s.Repo, r)
}

func (s packSandbox) ok(err error) {
	s.t.Helper()
	if err != nil {
		s.t.Fatal(err)
	}
}

// TestUnchanged checks that objects are looked up again when their pack was removed, replaced,
// truncated or written to, but not when it only has new times, as git sets them when it would write
// an object that the pack contains.
func TestUnchanged(t *testing.T) {
	t.Parallel()
	harms := map[string]struct {
		do   func(s packSandbox, pack string) error
		same bool
	}{
		"nothing": {func(packSandbox, string) error { return nil }, true},
		"touched": {func(s packSandbox, pack string) error {
			return os.Chtimes(pack+".pack", time.Time{}, time.Now().Add(time.Hour))
		}, true},
		"another pack":  {func(s packSandbox, _ string) error { s.put("another"); return nil }, true},
		"removed":       {func(s packSandbox, pack string) error { return os.Remove(pack + ".pack") }, false},
		"index removed": {func(s packSandbox, pack string) error { return os.Remove(pack + ".idx") }, false},
		"cut":           {func(s packSandbox, pack string) error { return os.Truncate(pack+".pack", 40) }, false},
		"written to":    {func(s packSandbox, pack string) error { return flip(pack+".pack", 20) }, false},
		"index written": {func(s packSandbox, pack string) error { return flip(pack+".idx", 1060) }, false},
		"a folder there": {func(s packSandbox, pack string) error {
			return errors.Join(os.Remove(pack+".pack"), os.Mkdir(pack+".pack", 0o755))
		}, false},
		"replaced": {func(s packSandbox, pack string) error {
			text, err := os.ReadFile(pack + ".pack")
			text[20] ^= 1
			return errors.Join(err, os.Remove(pack+".pack"), os.WriteFile(pack+".pack", text, 0o444))
		}, false},
	}
	for name, h := range harms {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newPackSandbox(t)
			oid := s.put("some text")
			c := s.check([]string{oid}, CheckOptions{})
			if len(c.Unusable) > 0 || len(c.Packs) != 1 {
				t.Fatalf("%v, %v", c.Unusable, c.Packs)
			}
			s.ok(h.do(s, filepath.Join(s.Repo.Common, c.Packs[0].Path)))
			now, same := s.unchanged(c.FoundObjects)
			if same != h.same {
				t.Errorf("unchanged: %v", same)
			}
			if same {
				if _, again := s.unchanged(now); !again {
					t.Error("the current state is not recorded")
				}
			} else if left := s.check([]string{oid}, CheckOptions{AllowLoose: true}); left.Unusable[oid] == nil {
				t.Error("a damaged object is reported as intact")
			}
		})
	}
	if _, same := RefreshFound(context.Background(), nil, FoundObjects{}); same {
		t.Error("no checked object counts as unchanged")
	}
}

func flip(path string, at int64) error {
	text, err := os.ReadFile(path)
	if err == nil {
		text[at] ^= 1
		err = os.Chmod(path, 0o644)
	}
	f, err2 := os.OpenFile(path, os.O_WRONLY, 0)
	if err = errors.Join(err, err2); err != nil {
		return err
	}
	_, err = f.WriteAt(text[at:at+1], at)
	return errors.Join(err, f.Close())
}

// TestUnchangedAfterJoining checks that packs joined once or twice are replaced by the result,
// unless that was deleted or written to.
func TestUnchangedAfterJoining(t *testing.T) {
	t.Parallel()
	s := newPackSandbox(t)
	oid := s.put("some text")
	was := s.check([]string{oid}, CheckOptions{}).FoundObjects
	for round := range 2 {
		for i := range maxOwnPacks + 2 {
			s.put(fmt.Sprint("object ", round, i))
		}
		s.ok(s.CleanUp(false))
		now, same := s.unchanged(was)
		if !same || now.Packs[0] == was.Packs[0] && round > 0 {
			t.Fatalf("round %d: %v, %+v", round, same, now)
		}
	}
	if len(readJoinRecords(s.Repo)) == 0 {
		t.Fatal("no packs were joined")
	}
	now, _ := s.unchanged(was)
	s.ok(flip(filepath.Join(s.Repo.Common, now.Packs[0].Path+".pack"), 20))
	if _, same := s.unchanged(was); same {
		t.Error("a damaged pack that others were joined into counts as unchanged")
	}
	s.ok(os.WriteFile(joinRecordsPath(s.Repo), []byte("{\"v\":2}\nrubbish\n"), 0o600))
	if _, same := s.unchanged(was); same {
		t.Error("objects count as unchanged by an unreadable record")
	}
}

func TestCheckLoose(t *testing.T) {
	t.Parallel()
	s := newPackSandbox(t)
	file := filepath.Join(t.TempDir(), "f")
	s.ok(os.WriteFile(file, []byte(strings.Repeat("text\n", 100)), 0o600))
	oid := strings.TrimSpace(s.git(s.Repo.Root, "hash-object", "-w", file))
	none := strings.Repeat("12", 20)
	if c := s.check([]string{oid}, CheckOptions{}); !errors.Is(c.Unusable[oid], ErrNoObject) {
		t.Errorf("packs alone: %v", c.Unusable)
	}
	c := s.check([]string{oid, none}, CheckOptions{AllowLoose: true})
	if c.Unusable[oid] != nil || !c.IsLost(none) || len(c.Loose) != 1 {
		t.Fatalf("%v, %v", c.Unusable, c.Loose)
	}
	if _, same := s.unchanged(c.FoundObjects); !same {
		t.Error("it changed")
	}
	path := filepath.Join(s.Repo.Common, "objects", oid[:2], oid[2:])
	text, err := os.ReadFile(path)
	s.ok(err)
	s.ok(os.Chmod(path, 0o644))
	for at := range text {
		bad := slices.Clone(text)
		bad[at] ^= 0x10
		s.ok(os.WriteFile(path, bad, 0o644))
		var out bytes.Buffer // a bit may not affect the bytes
		if _, err := s.Repo.ReadLoose(context.Background(), path, oid, &out); err == nil && out.String() != strings.Repeat("text\n", 100) {
			t.Errorf("a change of byte %d was not detected", at)
		}
	}
	for n := range text {
		s.ok(os.WriteFile(path, text[:n], 0o644))
		if _, err := s.Repo.ReadLoose(context.Background(), path, oid, io.Discard); !errors.Is(err, ErrDamaged) && n < len(text)-4 {
			t.Errorf("cut to %d bytes: %v", n, err)
		}
	}
	s.ok(os.WriteFile(path, append(slices.Clone(text), "more"...), 0o644))
	if c := s.check([]string{oid}, CheckOptions{AllowLoose: true}); !errors.Is(c.Unusable[oid], ErrDamaged) {
		t.Errorf("bytes after the end: %v", c.Unusable)
	}
	s.ok(os.WriteFile(path, text[:len(text)-5], 0o644))
	if c := s.check([]string{oid}, CheckOptions{AllowLoose: true}); !errors.Is(c.Unusable[oid], ErrDamaged) {
		t.Errorf("cut: %v", c.Unusable)
	}
	if _, same := s.unchanged(c.FoundObjects); same {
		t.Error("a truncated loose object was not detected")
	}
}

// TestCheckBorrowed checks that objects of a borrowed repository are found, and those that it
// borrows itself.
func TestCheckBorrowed(t *testing.T) {
	t.Parallel()
	far, near := newPackSandbox(t), newPackSandbox(t)
	oid := far.put("some text")
	s := newPackSandbox(t)
	for _, l := range [][2]packSandbox{{near, far}, {s, near}} {
		from, to := filepath.Join(l[0].Repo.Common, "objects"), filepath.Join(l[1].Repo.Common, "objects")
		s.ok(os.WriteFile(filepath.Join(from, "info", "alternates"), []byte("# lender\n\""+to+"\"\n"), 0o644))
	}
	c := s.check([]string{oid}, CheckOptions{})
	if len(c.Unusable) > 0 || len(c.Packs) != 1 || !filepath.IsAbs(c.Packs[0].Path) {
		t.Fatalf("%v, %+v", c.Unusable, c.Packs)
	}
	s.ok(os.RemoveAll(far.Repo.Root))
	if _, same := s.unchanged(c.FoundObjects); same {
		t.Error("the missing alternate repository was not detected")
	}
	if c := s.check([]string{oid}, CheckOptions{AllowLoose: true}); !c.IsLost(oid) {
		t.Errorf("%v", c.Unusable)
	}
}
