package secrets

import (
	"crypto/sha256"
	"fmt"
	"strings"
	"testing"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/check/edit"
	"github.com/belay-dev/belay/internal/secret"
)

// token is made here, so that no scanner takes the test for a leak.
func token(n int) string {
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

func told(list []belay.Finding) string {
	var parts []string
	for _, f := range list {
		parts = append(parts, fmt.Sprintf("%s %s:%d %s", f.Severity, f.File, f.Line, f.Title))
	}
	return strings.Join(parts, "\n")
}

func TestLook(t *testing.T) {
	t.Parallel()
	one := "GitHub token in the change"
	print1 := secret.Find(token(1))[0].Fingerprint
	for name, c := range map[string]struct {
		files []*edit.File
		rules Rules
		want  string
	}{
		"added":           {[]*edit.File{{Path: "a.go", Before: []byte("x\n"), After: []byte("x\ny " + token(1) + "\n")}}, Rules{}, "error a.go:2 " + one},
		"was there":       {[]*edit.File{{Path: "a.go", Before: []byte(token(1) + "\n"), After: []byte("x\n" + token(1) + "\n")}}, Rules{}, ""},
		"its line edited": {[]*edit.File{{Path: "a.go", Before: []byte(token(1) + "\n"), After: []byte("x " + token(1) + "\n")}}, Rules{}, "warning a.go:1 " + one},
		"moved": {[]*edit.File{{Path: "a.go", Before: []byte(token(1))}, {Path: "b.go", After: []byte(token(1))}}, Rules{},
			"warning b.go:1 " + one},
		"replaced":          {[]*edit.File{{Path: "a.go", Before: []byte(token(1)), After: []byte(token(2))}}, Rules{}, "error a.go:1 " + one},
		"taken out":         {[]*edit.File{{Path: "a.go", Before: []byte(token(1)), After: []byte("x")}}, Rules{}, ""},
		"in a test":         {[]*edit.File{{Path: "a_test.go", After: []byte(token(1))}}, Rules{}, "error a_test.go:1 " + one},
		"allowed by path":   {[]*edit.File{{Path: "x/a.go", After: []byte(token(1))}}, Rules{Allow: []string{"x/**"}}, ""},
		"allowed by print":  {[]*edit.File{{Path: "a.go", After: []byte(token(1) + "\n" + token(2))}}, Rules{Allow: []string{print1}}, "error a.go:2 " + one},
		"marked":            {[]*edit.File{{Path: "a.go", After: []byte(token(1) + " // " + secret.InlineMark)}}, Rules{}, "warning a.go:1 " + one},
		"a key for tests":   {[]*edit.File{{Path: "testdata/k.pem", After: []byte(key())}}, Rules{}, "warning testdata/k.pem:1 private key in the change"},
		"a key that ships":  {[]*edit.File{{Path: "deploy/k.pem", After: []byte(key())}}, Rules{}, "error deploy/k.pem:1 private key in the change"},
		"an example":        {[]*edit.File{{Path: "a.go", After: []byte("AKIAIOSFODNN7" + "EXAMPLE")}}, Rules{}, "note a.go:1 AWS access key in the change"},
		"examples refused":  {[]*edit.File{{Path: "a.go", After: []byte("AKIAIOSFODNN7" + "EXAMPLE")}}, Rules{Examples: true}, "error a.go:1 AWS access key in the change"},
		"binary":            {[]*edit.File{{Path: "a.bin", After: []byte("\x00" + token(1))}}, Rules{}, ""},
		"a guess":           {[]*edit.File{{Path: "a.py", After: []byte(`db_password = "kX9vQ2mB` + `7tLp"`)}}, Rules{}, "warning a.py:1 password in the change"},
		"nothing to see":    {[]*edit.File{{Path: "a.py", After: []byte(`db_password = "changeme"`)}}, Rules{}, ""},
		"a deleted file":    {[]*edit.File{{Path: "a.py", Before: []byte(token(1))}}, Rules{}, ""},
		"a key half edited": {[]*edit.File{{Path: "k.pem", Before: []byte(strings.Replace(key(), "\n", "\nold\n", 1)), After: []byte(key())}}, Rules{}, ""},
	} {
		if got := told(Look(c.files, c.rules)); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, c.want)
		}
	}
}

// What a finding says never holds the secret.
func TestFindingsKeepSecrets(t *testing.T) {
	t.Parallel()
	for _, f := range Look([]*edit.File{{Path: "a.go", After: []byte(token(1) + "\n" + key())}}, Rules{}) {
		text := fmt.Sprintf("%+v", f.Sign())
		if strings.Contains(text, token(1)[4:20]) || strings.Contains(text, fmt.Sprintf("%x", sha256.Sum256([]byte("0")))[:20]) {
			t.Error(text)
		}
	}
}

// BenchmarkLook looks at a change that rewrites 2,000 files.
func BenchmarkLook(b *testing.B) {
	body := strings.Repeat("func f(token string) error {\n\tpassword := c.password // the password\n\treturn nil\n}\n", 60)
	var files []*edit.File
	for i := range 2000 {
		files = append(files, &edit.File{Path: fmt.Sprintf("d%d/f%d.go", i%40, i), Before: []byte("package x\n"), After: []byte("package x\n" + body)})
	}
	for b.Loop() {
		Look(files, Rules{})
	}
}
