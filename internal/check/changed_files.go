package check

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/belay-dev/belay/internal/belay"

	"github.com/belay-dev/belay/internal/syntax"
	"github.com/belay-dev/belay/internal/testdiff"

	"github.com/belay-dev/belay/internal/testreport"

	"github.com/belay-dev/belay/internal/testrun"
)

// Limits of what is read of a change. Files beyond them are reported.
const (
	maxText = 4 << 20   // bytes of one file
	maxRead = 192 << 20 // bytes of all of them, before and after
)

// Texts provides the content of changed files in the snapshots before and after.
type Texts interface {
	// Each calls take for each of the paths in order with the content of the file before and after,
	// nil if it does not exist or is not a regular file. If it has more than most bytes on one
	// side, larger is true and there is no content. It stops at take's error.
	Each(ctx context.Context, paths []string, most int64, take func(path string, before, after []byte, larger bool) error) error
	// Paths returns the paths of all files after the change.
	Paths(ctx context.Context) ([]string, error)
	// Beside returns a reader of all files after the change, including unchanged ones; it returns
	// false for a file that does not exist or has more than most bytes. done closes it.
	Beside(ctx context.Context) (read func(path string, most int64) ([]byte, bool), done func(), err error)
}

// fileReading is the changed files, read when the first check needs them.
type fileReading struct {
	once   sync.Once
	files  []*syntax.File
	unread []belay.Change // too large, or too many
	err    error

	tests atomic.Pointer[testreport.Report] // the test results, once they are known
}

// files returns the changed files, read once for all checks.
func (in Input) files(ctx context.Context) ([]*syntax.File, error) {
	r := in.read
	r.once.Do(func() {
		changes := map[string]belay.Change{}
		var paths []string
		for _, c := range withoutBelayFiles(in.Changes) {
			if isRegular(c.OldMode) || isRegular(c.NewMode) || c.OldMode == 0 && c.NewMode == 0 {
				paths = append(paths, c.Path)
				changes[c.Path] = c
			}
		}
		total := 0
		r.err = in.Texts.Each(ctx, paths, maxText, func(path string, before, after []byte, larger bool) error {
			if larger || total > maxRead {
				r.unread = append(r.unread, changes[path])
				return ctx.Err()
			}
			total += len(before) + len(after)
			r.files = append(r.files, &syntax.File{Path: path, Before: before, After: after})
			return ctx.Err()
		})
	})
	return r.files, r.err
}

// addedLines returns a function that reports whether the change added one of the lines first to
// last of a file. In a file that was not read, all lines may be new.
func (in Input) addedLines(ctx context.Context) (func(path string, first, last int) bool, error) {
	files, err := in.files(ctx)
	if err != nil {
		return nil, err
	}
	read := map[string]*syntax.File{}
	for _, f := range files {
		read[f.Path] = f
	}
	return func(path string, first, last int) bool {
		if f := read[path]; f != nil {
			return !syntax.IsBinary(f.After) && f.AddedLines().HasAny(first, last)
		}
		return slices.ContainsFunc(in.read.unread, func(c belay.Change) bool { return c.Path == path })
	}, nil
}

// isRegular reports whether a git mode is that of a file, and not of a link or a repository.
func isRegular(mode uint32) bool { return mode&0o170000 == 0o100000 }

// checkFiles runs a check of the changed files: look returns a summary and findings.
func (in Input) checkFiles(ctx context.Context, name string, look func([]*syntax.File) (string, []belay.Finding, error)) belay.CheckResult {
	files, err := in.files(ctx)
	if ctx.Err() != nil {
		return belay.Unknown(name, testrun.UnfinishedReason(ctx))
	}
	if err != nil {
		return belay.Unknown(name, "could not read the change: "+err.Error())
	}
	summary, found, err := look(files)
	if err != nil {
		return belay.Unknown(name, err.Error())
	}
	return belay.Of(name, summary, belay.Brief(found, "more findings of "+name))
}

// checkSecrets checks whether the change adds secrets.
func checkSecrets(ctx context.Context, in Input) belay.CheckResult {
	return in.checkFiles(ctx, nameSecrets, func(files []*syntax.File) (string, []belay.Finding, error) {
		files, err := in.withoutIgnored(ctx, files)
		if err != nil {
			return "", nil, err
		}
		found := Secrets(files, SecretRules{Allow: in.Checks.SecretsAllow, Examples: in.Checks.SecretExamples})
		summary := "no secrets in " + belay.Count(len(files), "changed file", "changed files")
		if len(found) > 0 {
			summary = belay.Count(len(found), "possible secret", "possible secrets") + " in the change"
		}
		for _, c := range in.read.unread {
			found = append(found, belay.Finding{
				Severity: belay.SeverityWarning, Category: belay.CategorySecret, File: c.Path, Title: "too large to scan",
				Detail: fmt.Sprintf("files of up to %d MiB are read", maxText>>20), Recommendation: "check it yourself",
			})
		}
		return summary, found, nil
	})
}

// withoutIgnored leaves out files that git ignores: secrets belong in an ignored .env.
func (in Input) withoutIgnored(ctx context.Context, files []*syntax.File) ([]*syntax.File, error) {
	if in.Ignored == nil || len(files) == 0 {
		return files, nil
	}
	var paths []string
	for _, f := range files {
		paths = append(paths, f.Path)
	}
	ignored, err := in.Ignored(ctx, paths)
	return slices.DeleteFunc(slices.Clone(files), func(f *syntax.File) bool { return ignored[f.Path] }), err
}

// checkIntegrity checks whether the change removes or weakens tests.
func checkIntegrity(ctx context.Context, in Input) belay.CheckResult {
	return in.checkFiles(ctx, nameIntegrity, func(files []*syntax.File) (string, []belay.Finding, error) {
		found := testdiff.Check(files, in.integrityRules())
		summary := "no test is weaker than before"
		if len(found) > 0 {
			summary = belay.Count(len(found), "sign", "signs") + " of weaker tests"
		}
		return summary, found, nil
	})
}

func (in Input) integrityRules() testdiff.Rules {
	return testdiff.Rules{Allow: in.Checks.IntegrityAllow, Expected: in.Checks.IntegrityExpected,
		ChangesAsked: testdiff.AsksForTests(in.Request), Deletions: testdiff.ReadDeletionRequest(in.Request, in.Words)}
}

// checkPlaceholder checks whether comments replaced code, or function bodies are still to be
// written.
func checkPlaceholder(ctx context.Context, in Input) belay.CheckResult {
	return in.checkFiles(ctx, namePlaceholder, func(files []*syntax.File) (string, []belay.Finding, error) {
		found := Placeholders(files)
		summary := "no placeholders"
		if len(found) > 0 {
			summary = belay.Count(len(found), "placeholder", "placeholders") + " in the change"
		}
		return summary, found, nil
	})
}

// checkCoverage checks whether each changed source file has a test file.
func checkCoverage(ctx context.Context, in Input) belay.CheckResult {
	return in.checkFiles(ctx, nameCoverage, func(files []*syntax.File) (string, []belay.Finding, error) {
		paths, err := in.Texts.Paths(ctx)
		if err != nil {
			return "", nil, err
		}
		found, n, err := Coverage(files, paths, CoverageRules{Rules: in.Checks.CoverageRules, Error: in.Checks.CoverageError})
		summary := fmt.Sprintf("%d of %s with a test file", n-len(found), belay.Count(n, "changed source file", "changed source files"))
		if n == 0 {
			summary = "no changed source file needs a test file"
		}
		return summary, found, err
	})
}

// checkStyle checks whether new declarations are documented and typed.
func checkStyle(ctx context.Context, in Input) belay.CheckResult {
	return in.checkFiles(ctx, nameStyle, func(files []*syntax.File) (string, []belay.Finding, error) {
		found := Style(files)
		return StyleSummary(found), found, nil
	})
}

// ValidateRules returns the first error in the settings of these checks: globs, and rules of
// coverage. The error is a *belay.Error with CodeUsage.
func ValidateRules(c belay.Checks) error {
	for _, g := range c.IntegrityAllow {
		if err := belay.Valid(g); err != nil {
			return err
		}
	}
	for _, a := range c.SecretsAllow {
		if err := belay.Valid(a); err != nil && !Fingerprint.MatchString(a) {
			return err
		}
	}
	for _, r := range c.CoverageRules {
		if err := ParseCoverageRule(r); err != nil {
			return err
		}
	}
	return nil
}
