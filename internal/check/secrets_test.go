package check

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/secret"
	"github.com/belay-dev/belay/internal/syntax"
)

// fakeToken is built here, so that no scanner reports the test.
func fakeToken(n int) string {
	sum := fmt.Sprintf("%x", sha256.Sum256(fmt.Append(nil, n)))
	return "ghp" + "_" + sum[:40]
}

func key() string {
	var b strings.Builder
	b.WriteString("-----BEGIN EC PRIVATE " + "KEY-----\n")
	for i := range 3 {
		fmt.Fprintf(&b, "%x\n", sha256.Sum256(fmt.Append(nil, i)))
	}
	return b.String() + "-----END EC PRIVATE " + "KEY-----\n"
}

// wide returns text as UTF-16, after a byte order mark, with the low byte at an even (0) or odd
// position.
func wide(text, mark string, low int) []byte {
	out := []byte(mark)
	for _, r := range text {
		pair := [2]byte{}
		pair[low], pair[1-low] = byte(r), byte(r>>8)
		out = append(out, pair[:]...)
	}
	return out
}

func told(list []belay.Finding) string {
	var parts []string
	for _, f := range list {
		parts = append(parts, fmt.Sprintf("%s %s:%d %s", f.Severity, f.File, f.Line, f.Title))
	}
	return strings.Join(parts, "\n")
}

func TestSecrets(t *testing.T) {
	t.Parallel()
	one := "GitHub token in the change"
	print1 := secret.Find(fakeToken(1))[0].Fingerprint
	for name, c := range map[string]struct {
		files []*syntax.File
		rules SecretRules
		want  string
	}{
		"added":           {[]*syntax.File{{Path: "a.go", Before: []byte("x\n"), After: []byte("x\ny " + fakeToken(1) + "\n")}}, SecretRules{}, "error a.go:2 " + one},
		"was there":       {[]*syntax.File{{Path: "a.go", Before: []byte(fakeToken(1) + "\n"), After: []byte("x\n" + fakeToken(1) + "\n")}}, SecretRules{}, ""},
		"its line edited": {[]*syntax.File{{Path: "a.go", Before: []byte(fakeToken(1) + "\n"), After: []byte("x " + fakeToken(1) + "\n")}}, SecretRules{}, "warning a.go:1 " + one},
		"moved": {[]*syntax.File{{Path: "a.go", Before: []byte(fakeToken(1))}, {Path: "b.go", After: []byte(fakeToken(1))}}, SecretRules{},
			"warning b.go:1 " + one},
		"replaced":          {[]*syntax.File{{Path: "a.go", Before: []byte(fakeToken(1)), After: []byte(fakeToken(2))}}, SecretRules{}, "error a.go:1 " + one},
		"taken out":         {[]*syntax.File{{Path: "a.go", Before: []byte(fakeToken(1)), After: []byte("x")}}, SecretRules{}, ""},
		"in a test":         {[]*syntax.File{{Path: "a_test.go", After: []byte(fakeToken(1))}}, SecretRules{}, "error a_test.go:1 " + one},
		"allowed by path":   {[]*syntax.File{{Path: "x/a.go", After: []byte(fakeToken(1))}}, SecretRules{Allow: []string{"x/**"}}, ""},
		"allowed by print":  {[]*syntax.File{{Path: "a.go", After: []byte(fakeToken(1) + "\n" + fakeToken(2))}}, SecretRules{Allow: []string{print1}}, "error a.go:2 " + one},
		"marked":            {[]*syntax.File{{Path: "a.go", After: []byte(fakeToken(1) + " // " + secret.InlineMark)}}, SecretRules{}, "warning a.go:1 " + one},
		"a key for tests":   {[]*syntax.File{{Path: "testdata/k.pem", After: []byte(key())}}, SecretRules{}, "warning testdata/k.pem:1 private key in the change"},
		"a key that ships":  {[]*syntax.File{{Path: "deploy/k.pem", After: []byte(key())}}, SecretRules{}, "error deploy/k.pem:1 private key in the change"},
		"an example":        {[]*syntax.File{{Path: "a.go", After: []byte("AKIAIOSFODNN7" + "EXAMPLE")}}, SecretRules{}, "note a.go:1 AWS access key in the change"},
		"examples refused":  {[]*syntax.File{{Path: "a.go", After: []byte("AKIAIOSFODNN7" + "EXAMPLE")}}, SecretRules{Examples: true}, "error a.go:1 AWS access key in the change"},
		"binary":            {[]*syntax.File{{Path: "a.bin", After: []byte("\x00" + fakeToken(1))}}, SecretRules{}, ""},
		"UTF-16, marked":    {[]*syntax.File{{Path: "a.ps1", Before: wide("x\r\n", "\xff\xfe", 0), After: wide("x\r\n"+fakeToken(1)+"\r\n", "\xff\xfe", 0)}}, SecretRules{}, "error a.ps1:2 " + one},
		"UTF-16, big ends":  {[]*syntax.File{{Path: "a.ps1", After: wide("x\n"+fakeToken(1), "\xfe\xff", 1)}}, SecretRules{}, "error a.ps1:2 " + one},
		"UTF-16, unmarked":  {[]*syntax.File{{Path: "a.reg", After: wide("token\n"+fakeToken(1), "", 0)}}, SecretRules{}, "error a.reg:2 " + one},
		"UTF-16, was there": {[]*syntax.File{{Path: "a.reg", Before: wide(fakeToken(1), "", 0), After: wide("more\n"+fakeToken(1), "", 0)}}, SecretRules{}, ""},
		"UTF-16, moved":     {[]*syntax.File{{Path: "b.reg", Before: wide(fakeToken(1), "", 0)}, {Path: "a.reg", After: wide(fakeToken(1), "", 0)}}, SecretRules{}, "warning a.reg:1 " + one},
		"UTF-32":            {[]*syntax.File{{Path: "a.bin", After: append([]byte("\xff\xfe\x00\x00"), wide(fakeToken(1), "", 0)...)}}, SecretRules{}, ""},
		"a guess":           {[]*syntax.File{{Path: "a.py", After: []byte(`db_password = "kX9vQ2mB` + `7tLp"`)}}, SecretRules{}, "warning a.py:1 password in the change"},
		"nothing to see":    {[]*syntax.File{{Path: "a.py", After: []byte(`db_password = "changeme"`)}}, SecretRules{}, ""},
		"a deleted file":    {[]*syntax.File{{Path: "a.py", Before: []byte(fakeToken(1))}}, SecretRules{}, ""},
		"a key half edited": {[]*syntax.File{{Path: "k.pem", Before: []byte(strings.Replace(key(), "\n", "\nold\n", 1)), After: []byte(key())}}, SecretRules{}, ""},
	} {
		if got := told(Secrets(c.files, c.rules)); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, c.want)
		}
	}
}

// TestFindingsKeepSecrets: no finding contains the secret.
func TestFindingsKeepSecrets(t *testing.T) {
	t.Parallel()
	for _, f := range Secrets([]*syntax.File{{Path: "a.go", After: []byte(fakeToken(1) + "\n" + key())}}, SecretRules{}) {
		text := fmt.Sprintf("%+v", f.Sign())
		if strings.Contains(text, fakeToken(1)[4:20]) || strings.Contains(text, fmt.Sprintf("%x", sha256.Sum256([]byte("0")))[:20]) {
			t.Error(text)
		}
	}
}

// BenchmarkSecrets checks a change that rewrites 2,000 files.
func BenchmarkSecrets(b *testing.B) {
	body := strings.Repeat("func f(token string) error {\n\tpassword := c.password // the password\n\treturn nil\n}\n", 60)
	var files []*syntax.File
	for i := range 2000 {
		files = append(files, &syntax.File{Path: fmt.Sprintf("d%d/f%d.go", i%40, i), Before: []byte("package x\n"), After: []byte("package x\n" + body)})
	}
	for b.Loop() {
		Secrets(files, SecretRules{})
	}
}

// FuzzWide: any bytes can be searched, and a text in both encodings is found in both.
func FuzzWide(f *testing.F) {
	for _, s := range []string{"", "\xff\xfe", "a\x00b\x00", "\xfe\xff\xd8\x00", strings.Repeat("a\x00", 100)} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		Secrets([]*syntax.File{{Path: "a", Before: text, After: append(text[:len(text):len(text)], text...)}}, SecretRules{})
		ascii := strings.Map(func(r rune) rune {
			if r < ' ' && r != '\n' || r > '~' {
				return '.'
			}
			return r
		}, string(text)) + strings.Repeat("\nwords", 4)
		narrow, ok := decodeUTF16(wide(ascii, "", 0))
		if !ok || string(narrow) != ascii {
			t.Fatalf("%q became %q", ascii, narrow)
		}
	})
}

func TestInWords(t *testing.T) {
	t.Parallel()
	words := "use the token\n" + fakeToken(1) + " please"
	_, err := SecretsInText("the task", words, nil, false)
	if belay.CodeOf(err) != belay.CodeUsage || !strings.Contains(err.Error(), "line 2: GitHub token (") || strings.Contains(err.Error(), fakeToken(1)[4:20]) {
		t.Errorf("%v", err)
	}
	prints, err := SecretsInText("the task", words, nil, true)
	if err != nil || len(prints) != 1 {
		t.Errorf("%v %v", prints, err)
	}
	if again, err := SecretsInText("the task", words, prints, false); err != nil || len(again) != 0 {
		t.Errorf("%v %v", again, err)
	}
	if _, err := SecretsInText("the task", "AKIAIOSFODNN7"+"EXAMPLE is an example, changeme a placeholder", nil, false); err != nil {
		t.Error(err)
	}
	masked, n := MaskSecrets(words, nil)
	if n != 1 || strings.Contains(masked, fakeToken(1)) || !strings.Contains(masked, "[masked ") {
		t.Errorf("%d %q", n, masked)
	}
	if kept, n := MaskSecrets(words, prints); n != 0 || kept != words {
		t.Errorf("%d %q", n, kept)
	}
}
