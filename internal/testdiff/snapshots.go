package testdiff

import (
	"bytes"
	"fmt"
	"path"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/syntax"
)

// isSnapshotFile reports by its path whether a file has expected results, which test runners write
// on request.
func isSnapshotFile(p string) bool {
	dir, base := path.Split(strings.ToLower(p))
	for _, mark := range []string{".snap", ".ambr", ".golden", ".approved", ".verified", ".expected"} {
		if strings.HasSuffix(base, mark) || strings.Contains(base, mark+".") {
			return true
		}
	}
	for part := range strings.SplitSeq(strings.Trim(dir, "/"), "/") {
		switch part {
		case "__snapshots__", "__image_snapshots__", "golden", "goldens", "golden_files":
			return syntax.LanguageOf(p) == syntax.None || part == "__snapshots__"
		}
	}
	return syntax.LanguageOf(p) == syntax.None && syntax.IsForTests(p) &&
		(strings.HasPrefix(base, "expected") || strings.HasPrefix(base, "want"))
}

// findRewrittenSnapshots returns a finding for each file of expected results with changed lines.
// New results, and results deleted with their tests, are ignored.
func findRewrittenSnapshots(files []*syntax.File, r Rules) []belay.Finding {
	if r.ChangesAsked {
		return nil
	}
	var out []belay.Finding
	for _, f := range files {
		if f.IsCreated() || f.IsDeleted() || !isSnapshotFile(f.Path) {
			continue
		}
		found := belay.Finding{Severity: r.expectedSeverity(), File: f.Path, Title: "expected result rewritten: " + clip(f.Path),
			Recommendation: "restore it and make the code return it, unless the task asks for the new result"}
		if syntax.IsBinary(f.Before) || syntax.IsBinary(f.After) {
			if !bytes.Equal(f.Before, f.After) {
				found.Detail = "a binary file; the code changed as well"
				out = append(out, found)
			}
			continue
		}
		line, old, now, n := firstReplacedLine(f)
		if n == 0 {
			continue
		}
		found.Line = line
		found.Detail = fmt.Sprintf("line %d was %q and is now %q; the code changed as well", line, clipValue(old), clipValue(now))
		if n > 1 {
			found.Detail += fmt.Sprintf("; %d more places changed too", n-1)
		}
		out = append(out, found)
	}
	if len(out) > 0 && !codeChanged(files) {
		return nil
	}
	return out
}

// firstReplacedLine returns the first changed line, its old and new text, and the number of changed
// places.
func firstReplacedLine(f *syntax.File) (line int, old, now string, n int) {
	added, gone := f.AddedLines(), syntax.AddedLines(f.After, f.Before)
	before, after := strings.Split(string(f.Before), "\n"), strings.Split(string(f.After), "\n")
	for i, k := 0, 0; i < len(before) || k < len(after); i, k = i+1, k+1 {
		from, to := i, k
		for i < len(before) && gone.Has(i+1) {
			i++
		}
		for k < len(after) && added.Has(k+1) {
			k++
		}
		if i > from && k > to {
			if n++; n == 1 {
				line, old, now = to+1, strings.TrimSpace(before[from]), strings.TrimSpace(after[to])
			}
		}
	}
	return line, old, now, n
}
