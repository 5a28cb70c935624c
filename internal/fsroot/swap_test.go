package fsroot

import (
	"crypto/sha1"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSavedAtTheLastMoment saves a file at each step of its replacement or removal. It is not
// parallel: the hook is global.
func TestSavedAtTheLastMoment(t *testing.T) {
	probe, pr := newRoot(t)
	probe.put("a", "a", "b", "b")
	if ExchangeAt(pr.fd, "a", pr.fd, "b") != nil {
		t.Skip("two names cannot change places here")
	}
	replace := func(r *Root, b *bench, h Expected) error {
		return r.ReplaceFile("d/f", 0o600, b.tmp(), h, writes("new"))
	}
	link := func(r *Root, _ *bench, h Expected) error { return r.ReplaceLink("d/f", "target", h) }
	remove := func(r *Root, _ *bench, h Expected) error { return r.RemoveExpected("d/f", h) }
	for name, c := range map[string]struct {
		was   string
		do    func(*Root, *bench, Expected) error
		saves map[string]string // step → what is saved at that step; "-" removes
		now   string            // at the path, "" for nothing
		aside string            // beside it
		saved bool
	}{
		"nobody saves":             {"old", replace, nil, "new", "", false},
		"nobody saves, new":        {"", replace, nil, "new", "", false},
		"nobody saves, link":       {"old", link, nil, "-> target", "", false},
		"nobody saves, removed":    {"old", remove, nil, "", "", false},
		"saved":                    {"old", replace, map[string]string{"rename": "one"}, "one", "", true},
		"saved, new":               {"", replace, map[string]string{"rename": "one"}, "one", "", true},
		"saved, link":              {"old", link, map[string]string{"rename": "one"}, "one", "", true},
		"saved, removed":           {"old", remove, map[string]string{"unlink": "one"}, "one", "", true},
		"saved twice":              {"old", replace, map[string]string{"rename": "one", "displaced": "two"}, "two", "one", true},
		"saved twice, link":        {"old", link, map[string]string{"rename": "one", "displaced": "two"}, "two", "one", true},
		"saved after":              {"old", replace, map[string]string{"displaced": "two"}, "two", "", false},
		"removed":                  {"old", replace, map[string]string{"rename": "-"}, "new", "", false},
		"saved, then removed":      {"old", replace, map[string]string{"rename": "one", "displaced": "-"}, "", "one", true},
		"the same bytes as ours":   {"old", replace, map[string]string{"rename": "new"}, "new", "", true},
		"the same bytes as before": {"old", replace, map[string]string{"rename": "old"}, "new", "", false},
	} {
		t.Run(name, func(t *testing.T) {
			b, r := newRoot(t)
			b.must(os.MkdirAll(b.path("d"), 0o755))
			h := Expected{New: blobOID("new"), NewHash: sha1.New}
			if strings.HasSuffix(name, "link") {
				h.New = blobOID("target")
			}
			if c.was != "" {
				b.put("d/f", c.was)
				h.OID = blobOID(c.was)
			}
			Fault = func(op, _ string) error {
				text, now := c.saves[op]
				switch {
				case now && text == "-":
					b.must(os.Remove(b.path("d/f")))
				case now:
					b.put("d/saving", text)
					b.must(os.Rename(b.path("d/saving"), b.path("d/f")))
				}
				return nil
			}
			defer func() { Fault = nil }()
			err := c.do(r, b, h)
			var saved *SavedError
			if errors.As(err, &saved) != c.saved || err != nil && !c.saved {
				t.Fatalf("got %v", err)
			}
			if got := b.at("d/f"); got != c.now {
				t.Errorf("the path holds %q, want %q", got, c.now)
			}
			want := 0
			if c.now != "" {
				want++
			}
			if c.aside != "" {
				want++
				if got := b.at(saved.SetAsideAt); got != c.aside {
					t.Errorf("%q holds %q, want %q", saved.SetAsideAt, got, c.aside)
				}
			}
			if list, err := os.ReadDir(b.path("d")); err != nil || len(list) != want {
				t.Errorf("the folder holds %v, %v", list, err)
			}
			if list, err := os.ReadDir(b.tmp()); err != nil || len(list) != 0 {
				t.Errorf("left: %v, %v", list, err)
			}
		})
	}
}

// at returns what is at a path: a text, "-> target" for a link, "" for nothing.
func (b *bench) at(path string) string {
	if to, err := os.Readlink(b.path(path)); err == nil {
		return "-> " + to
	}
	text, err := os.ReadFile(b.path(path))
	if err != nil && !os.IsNotExist(err) {
		b.t.Fatal(err)
	}
	return string(text)
}

// A folder in the way is moved back.
func TestReplaceFolder(t *testing.T) {
	t.Parallel()
	b, r := newRoot(t)
	b.put("d/f/inside", "kept")
	h := Expected{OID: blobOID("old"), New: blobOID("new"), NewHash: sha1.New}
	if err := r.ReplaceFile("d/f", 0o600, b.tmp(), h, writes("new")); !errors.Is(err, ErrFolder) {
		t.Errorf("got %v", err)
	}
	if b.at("d/f/inside") != "kept" {
		t.Error("the folder is gone")
	}
	if list, _ := filepath.Glob(b.path("d/*")); len(list) != 1 {
		t.Errorf("left: %q", list)
	}
}
