package git

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestParse tests the forms in git's documentation.
func TestParse(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"":                                    "",
		"[core]\n\tbare = false\n":            "core.bare=false;",
		"[CORE] BARE\n":                       "core.bare!;",
		"[a \"B.c \\\" d\"]x=1":               "a.B.c \" d.x=1;",
		"[a.B]x=1":                            "a.b.x=1;",
		"[a]\nx = one ; two\n# y=2\ny=\"; \"": "a.x=one;a.y=; ;",
		"[a]x = \"a\\tb\" c \\\n  d\r\n":      "a.x=a\tb c   d;",
		"[a]\nx=1\nx=2":                       "a.x=1;a.x=2;",
		"\xef\xbb\xbf[a]x=":                   "a.x=;",
	} {
		list, err := ParseConfig([]byte(text))
		if got := shown(list); got != want || err != nil {
			t.Errorf("%q: %q, %v; want %q", text, got, err, want)
		}
	}
	for _, text := range []string{"[core", "[a \"b]\nx=1", "[a]x=\"1", "[a]x=\\q", "[a]\n=1", "x=1", "[]x=1", "[a]x=1\x00\n", "[a b]x=1", "[a]x y=1", "[a \"b\" ]x=1", "[a]x=1\\"} {
		if list, err := ParseConfig([]byte(text)); err == nil {
			t.Errorf("%q is read as %q", text, shown(list))
		}
	}
}

func shown(list []ConfigEntry) string {
	var b strings.Builder
	for _, e := range list {
		if e.HasNoValue {
			fmt.Fprintf(&b, "%s!;", e.Key)
		} else {
			fmt.Fprintf(&b, "%s=%s;", e.Key, e.Value)
		}
	}
	return b.String()
}

// TestReadsAsGit generates files and compares with git: everything that belay reads, git reads in
// the same way. Belay may refuse more than git does.
func TestReadsAsGit(t *testing.T) {
	t.Parallel()
	pieces := []string{"[core]", "[a \"b\"]", "[A.B]", "[a", "]", "\"", "\\", "\\\n", "\n", "\r\n", "\r", " ", "\t", "=", "#", ";", "x", "Key", "k-1", "1", "fsmonitor", "hooksPath = /tmp", "= v", "\\n", "\\t", ".", "\xff", "é", "[include]\n", "path = x\n"}
	path := filepath.Join(t.TempDir(), "config")
	rng := rand.New(rand.NewPCG(1, 2))
	read, same := 0, 0
	for range 6000 {
		var b bytes.Buffer
		for n := rng.IntN(14); n >= 0; n-- {
			b.WriteString(pieces[rng.IntN(len(pieces))])
		}
		if rng.IntN(2) == 0 {
			b = *bytes.NewBufferString("[s]\n" + b.String())
		}
		list, err := ParseConfig(b.Bytes())
		if err != nil {
			continue
		}
		read++
		if err := os.WriteFile(path, b.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command("git", "config", "--null", "--list", "--no-includes", "--file", path).Output()
		if err != nil {
			t.Errorf("parsed %q as %q, but git rejects it: %v", b.String(), shown(list), err)
			continue
		}
		var theirs []ConfigEntry
		for f := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
			if f == "" {
				continue
			}
			key, value, has := strings.Cut(f, "\n")
			theirs = append(theirs, ConfigEntry{Key: key, Value: value, HasNoValue: !has})
		}
		blank := strings.NewReplacer("\t", " ", "\r", " ") // git before 2.45 writes inner white space as blanks
		if got, want := blank.Replace(shown(list)), blank.Replace(shown(theirs)); got != want {
			t.Errorf("%q: %q, git has %q", b.String(), got, want)
		} else if len(list) > 0 {
			same++
		}
	}
	if read < 600 || same < 150 {
		t.Errorf("only %d files could be read, %d of them with a key: the generator needs other pieces", read, same)
	}
}
