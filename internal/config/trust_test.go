package config

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/belay-dev/belay/internal/belay"
)

func wantTrust(t *testing.T, list *TrustList, repo, hash string, want bool) {
	t.Helper()
	if got, err := list.Trusted(repo, hash); err != nil || got != want {
		t.Errorf("%s %s: %v %v, want %v", repo, hash, got, err, want)
	}
}

func TestTrust(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "a", "b", "trust.json")
	list := Open(path)
	wantTrust(t, list, "r1", "h1", false)
	wantTrust(t, list, "r1", "", true)
	if err := list.Forget("r1"); err != nil {
		t.Error(err)
	}
	for _, e := range [][2]string{{"r1", "h1"}, {"r1", "h2"}, {"r2", "h1"}, {"r1", "h1"}} {
		if err := list.Add(e[0], e[1]); err != nil {
			t.Fatal(err)
		}
	}
	list = Open(path)
	wantTrust(t, list, "r1", "h2", true)
	wantTrust(t, list, "r2", "h2", false)
	if err := list.Forget("r1"); err != nil {
		t.Error(err)
	}
	wantTrust(t, list, "r1", "h1", false)
	wantTrust(t, list, "r1", "h2", false)
	wantTrust(t, list, "r2", "h1", true)
	if err := list.Add("r1", ""); belay.CodeOf(err) != belay.CodeUsage {
		t.Error(err)
	}
	info, err := os.Stat(path)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Error(info, err)
	}
	if info, err = os.Stat(filepath.Dir(path)); err != nil || info.Mode().Perm() != 0o700 {
		t.Error(info, err)
	}
}

// TestTrustDamaged: a list that cannot be read trusts nothing, and is not overwritten.
func TestTrustDamaged(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "{", `{"v":2,"trusted":[]}`, `{"v":1,"trusted":[],"x":1}`, `{"v":1,"trusted":[{"repo":"r","hash":"h","note":""}]} {}`, `{"trusted":[{"repo":"r","hash":"h"}]}`, "\x00"} {
		path := filepath.Join(t.TempDir(), "trust.json")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		list := Open(path)
		ok, err := list.Trusted("r", "h")
		if ok || belay.CodeOf(err) != belay.CodeCannot || !strings.Contains(err.Error(), path) {
			t.Errorf("%q: %v %v", text, ok, err)
		}
		if err := errors.Join(list.Add("r", "h"), list.Forget("r")); err == nil {
			t.Errorf("%q was changed", text)
		}
		if now, _ := os.ReadFile(path); string(now) != text {
			t.Errorf("%q became %q", text, now)
		}
	}
}

func TestTrustAtOnce(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "trust.json")
	os.WriteFile(path+".new", []byte("left by a crash"), 0o600)
	var wg sync.WaitGroup
	for i := range 20 {
		wg.Go(func() {
			if err := Open(path).Add("r", fmt.Sprint(i)); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	for i := range 20 {
		wantTrust(t, Open(path), "r", fmt.Sprint(i), true)
	}
}

// TestTrustBehindLink: a list that is a symlink stays one.
func TestTrustBehindLink(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	real, link := filepath.Join(dir, "real.json"), filepath.Join(dir, "trust.json")
	if err := errors.Join(Open(real).Add("r", "a"), os.Symlink(real, link), Open(link).Add("r", "b")); err != nil {
		t.Fatal(err)
	}
	wantTrust(t, Open(real), "r", "b", true)
	if info, err := os.Lstat(link); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Error("the link is gone:", err)
	}
}

func TestTrustCannotBeWritten(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	err := Open(filepath.Join(file, "trust.json")).Add("r", "h")
	if belay.CodeOf(err) != belay.CodeCannot || !strings.Contains(err.Error(), file) {
		t.Error(err)
	}
}

func TestTrustPlace(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", "")
	t.Setenv("BELAY_CONFIG_HOME", "")
	dir, err := os.UserConfigDir()
	if err != nil {
		t.Fatal(err)
	}
	if list := Open(""); list.path != filepath.Join(dir, "belay", "trust.json") {
		t.Error(list.path)
	}
	t.Setenv("BELAY_CONFIG_HOME", "/x")
	if list := Open(""); list.path != "/x/trust.json" {
		t.Error(list.path)
	}
	t.Setenv("BELAY_CONFIG_HOME", "")
	t.Setenv("HOME", "")
	if _, err := Open("").Trusted("r", "h"); belay.CodeOf(err) != belay.CodeCannot {
		t.Error(err)
	}
	if err := Open("").Add("r", "h"); belay.CodeOf(err) != belay.CodeCannot {
		t.Error(err)
	}
}

// FuzzTrust: any list is parsed as written or rejected.
func FuzzTrust(f *testing.F) {
	f.Add([]byte(`{"v":1,"trusted":[{"repo":"r","hash":"h","note":"n"}]}`))
	f.Add([]byte(`{"v":1,"trusted":null}`))
	f.Add([]byte(`{"v":1}[]`))
	f.Fuzz(func(t *testing.T, data []byte) {
		list, err := parseTrust(data)
		if err != nil {
			return
		}
		text, err := json.Marshal(list)
		if err != nil {
			t.Fatal(err)
		}
		again, err := parseTrust(text)
		if err != nil || fmt.Sprint(again) != fmt.Sprint(list) {
			t.Fatalf("%v became %v: %v", list, again, err)
		}
	})
}
