package check

import (
	"fmt"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/syntax"

	"github.com/belay-dev/belay/internal/lazyregexp"
	"github.com/belay-dev/belay/internal/secret"
)

// SecretRules are the settings of the config for secrets.
type SecretRules struct {
	Allow    []string // globs of paths, and fingerprints of findings
	Examples bool     // example keys in vendors' documentation are findings, too
}

// Fingerprint matches items of SecretRules.Allow that are not globs.
var Fingerprint = lazyregexp.New(`^[0-9a-f]{16}$`)

// Secrets returns the secrets that the changes add. A certain form of secret is an error; a guess,
// a secret that was only moved, one on a line that has secret.InlineMark, and a key or password for
// tests are warnings; an example of a vendor's documentation is a note.
func Secrets(files []*syntax.File, r SecretRules) []belay.Finding {
	allowed := map[string]bool{}
	var globs []string
	for _, a := range r.Allow {
		if Fingerprint.MatchString(a) {
			allowed[a] = true
		} else {
			globs = append(globs, a)
		}
	}
	parts := make([][]secret.Match, len(files))
	syntax.ForEach(files, func(i int, f *syntax.File) {
		if f.IsDeleted() || belay.Match(globs, f.Path) {
			return
		}
		if f = decodeUTF16File(f); syntax.IsBinary(f.After) {
			return
		}
		for _, m := range secret.Find(string(f.After)) {
			if !allowed[m.Fingerprint] && f.AddedLines().HasAny(m.Line, m.EndLine) {
				parts[i] = append(parts[i], m)
			}
		}
	})
	var out []belay.Finding
	var had map[string]bool
	for i, part := range parts {
		if len(part) > 0 && had == nil {
			had = fingerprintsBefore(files)
		}
		for _, m := range part {
			out = append(out, secretFinding(files[i].Path, m, had[m.Fingerprint], r))
		}
	}
	return out
}

// fingerprintsBefore returns the fingerprints of existing secrets.
func fingerprintsBefore(files []*syntax.File) map[string]bool {
	had := map[string]bool{}
	for _, f := range files {
		text := f.Before
		if wide, ok := decodeUTF16(text); ok {
			text = wide
		}
		if syntax.IsBinary(text) {
			continue
		}
		for _, m := range secret.Find(string(text)) {
			if m.Sure {
				had[m.Fingerprint] = true
			}
		}
	}
	return had
}

func secretFinding(path string, m secret.Match, moved bool, r SecretRules) belay.Finding {
	f := belay.Finding{
		Severity: belay.SeverityError, Category: belay.CategorySecret, File: path, Line: m.Line, EndLine: m.EndLine,
		Title: m.Title + " in the change",
		Recommendation: "remove it, read it from the environment or a secret store, and revoke the key if it was real; " +
			"if it is not a secret, a person adds " + m.Fingerprint + " to secrets.allow",
	}
	why := ""
	switch {
	case m.Example && !r.Examples:
		f.Severity, why = belay.SeverityNote, "an example from the vendor's documentation"
	case m.Marked:
		f.Severity, why = belay.SeverityWarning, "the change marks it with "+secret.InlineMark+": check that this is true"
	case moved:
		f.Severity, why = belay.SeverityWarning, "it was there before the change, in another place"
	case !m.Sure:
		f.Severity, why = belay.SeverityWarning, "a guess from its name and its characters"
	case isForTests(path) && isSelfMade(m.Rule):
		f.Severity, why = belay.SeverityWarning, "it may be made for tests or documentation"
	}
	f.Detail = fmt.Sprintf("column %d, rule %s, fingerprint %s", m.Column, m.Rule, m.Fingerprint)
	if why != "" {
		f.Detail += "; " + why
	}
	return f
}

// isForTests reports whether made-up keys are usual in a path.
func isForTests(path string) bool {
	for _, dir := range []string{"docs/", "doc/", "examples/", "example/"} {
		if strings.HasPrefix(path, dir) || strings.Contains(path, "/"+dir) {
			return true
		}
	}
	return syntax.IsForTests(path) || strings.HasSuffix(path, ".md") || strings.HasSuffix(path, ".rst")
}

// isSelfMade reports whether such a secret can be made without a service, as tests do, or gives no
// access, such as a test key of Stripe.
func isSelfMade(rule string) bool {
	switch rule {
	case "private-key", "private-key-putty", "jwt", "stripe-test-key", "address-password", "database-password", "age-key":
		return true
	}
	return false
}
