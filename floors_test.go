// Package belay_test holds the plan of the house as tests: which package may import
// which, and how large functions, files and packages may grow.
package belay_test

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"
	"testing"
)

var update = flag.Bool("update", false, "draw the plan in docs/house.md anew")

const module = "github.com/belay-dev/belay"

// floors names every package and its floor. A package imports only floors below its
// own; packages on floor 0 may import belay, the words, as well. A package that is
// not listed has no place in the house and fails the test.
var floors = map[string]int{
	"internal/belay":         0,
	"internal/merge":         0,
	"internal/loop":          0,
	"internal/gitindex":      0,
	"internal/gitignore":     0,
	"internal/gitpack":       0,
	"internal/gitrefs":       0,
	"internal/worktree":      0,
	"internal/gitfiles":      0,
	"internal/gitconfig":     0,
	"internal/dirt":          0,
	"internal/crew":          0,
	"internal/include":       1,
	"internal/instructions":  0,
	"internal/manifest":      0,
	"internal/procs":         0,
	"internal/check/foreign": 0,
	"internal/check/golden":  0,
	"internal/rights":        0,
	"internal/check/lang":    0,
	"internal/check/edit":    0,
	"internal/secret":        0,
	"internal/argv":          0,
	"internal/units":         0,
	"internal/strictyaml":    0,
	"internal/lazyregexp":    -1,
	"internal/wordset":       -1,
	"internal/fsroot":        -1,
	"internal/whole":         0,
	"internal/installed":     0,
	"internal/check/detect":  0,
	"internal/ask/prose":     0,
	"internal/ask/words":     0,

	"internal/agent/stream": 0,
	"internal/stall":        1,
	"internal/meter":        1,
	"internal/tend":         5,

	"internal/count/list":    0,
	"internal/count/topic":   1,
	"internal/count/lex":     0,
	"internal/count/literal": 1,
	"internal/count/code":    2,
	"internal/count/sql":     2,
	"internal/count/golang":  1,
	"internal/count/text":    1,
	"internal/count/markup":  1,
	"internal/count":         3,
	"internal/contract":      4,

	"internal/intake/page":      0,
	"internal/intake/mention":   0,
	"internal/intake/lane":      0,
	"internal/intake":           1,
	"internal/intake/checklist": 2,
	"internal/intake/sheet":     2,
	"internal/intake/issue":     3,
	"internal/intake/layout":    4,
	"internal/intake/tick":      5,
	"internal/marking":          6,


	"internal/glob":            0,
	"internal/drift":           1,
	"internal/ask/grammar":     1,
	"internal/excerpt":         1,
	"internal/check/hold":      2,
	"internal/check/answer":    1,
	"internal/check/gitstate":  2,
	"internal/gitfacts":        6,
	"internal/check/results":   1,
	"internal/check/remark":    1,
	"internal/check/hunk":      1,
	"internal/notation":        1,
	"internal/check/assertion": 1,
	"internal/check/style":     1,
	"internal/review/cycle":    1,
	"internal/review/comment":  1,
	"internal/review/opinion":  1,
	"internal/review/claim":    1,
	"internal/review/papers":   6,
	"internal/review/feature":  2,
	"internal/review/arbiter":  1,
	"internal/review/ready":    2,
	"internal/review/asked":    2,
	"internal/git":             1,
	"internal/statcache":       1,
	"internal/journal/entry":   1,
	"internal/brief":           2,
	"internal/brief/quote":     1,
	"internal/agent":           2,
	"internal/config":          2,
	"internal/config/value":    1,
	"internal/taskfile":        3,
	"internal/trust":           1,
	"internal/anchor":          1,
	"internal/agentfiles":      1,

	"internal/standards": 2,
	"internal/handoff":   3,

	"internal/check/results/junit":  2,
	"internal/check/results/dotnet": 2,
	"internal/check/results/gotest": 2,
	"internal/check/results/tap":    2,
	"internal/check/results/plain":  2,
	"internal/check/secrets":        2,
	"internal/check/coverage":       2,
	"internal/check/placeholder":    2,
	"internal/check/cases":          2,
	"internal/check/expect":         1,
	"internal/journal":              2,
	"internal/oracle":               3,
	"internal/review/ask":           4,
	"internal/scan":                 2,
	"internal/packs":                2,
	"internal/mend":                 3,
	"internal/now":                  1,
	"internal/treelock":             0,

	"internal/check/integrity":       3,
	"internal/check/results/reports": 3,
	"internal/check/suite":           4,
	"internal/check/lint":            4,
	"internal/check":                 5,

	"internal/ask/stay":        3,
	"internal/ask/stay/barred": 2,
	"internal/ask/told":        2,
	"internal/ask/number":      6,
	"internal/ask/fault":       2,
	"internal/ask/object":      2,
	"internal/ask/vague":       2,
	"internal/ask/clause":      4,
	"internal/ask/deed":        5,
	"internal/ask/named":       6,
	"internal/ask/concern":     6,
	"internal/ask/reading":     6,
	"internal/ask/fresh":       7,
	"internal/ask/weigh":       0,
	"internal/ask/cue":         6,
	"internal/ask/settle":      9,
	"internal/ask":             10,

	"internal/plan/lines":   0,
	"internal/plan/jsx":     1,
	"internal/plan/outline": 1,
	"internal/plan":         2,
	"internal/plan/terms":   4,
	"internal/plan/place":   5,
	"internal/plan/inspect": 5,
	"internal/plan/judge":   5,
	"internal/plan/marking": 6,

	"internal/capture": 3,
	"internal/ear":     3,
	"internal/putback": 3,
	"internal/refback": 1,

	"internal/snapshot": 5,
	"internal/tally":    4,
	"internal/deposit":  4,
	"internal/undo":     4,
	"internal/restore":  6,
	"internal/checkout": 7,
	"internal/watch":    6,
	"internal/texts":    6,

	"internal/drift/facts":   6,
	"internal/handoff/delta": 6,

	"internal/trees":        7,
	"internal/spans":        7,
	"internal/baseline":     8,
	"internal/guard":        7,
	"internal/commits":      7,
	"internal/review/panel": 8,

	"internal/desk":                  9,
	"internal/drive":                 10,
	"internal/override":              10,
	"internal/apart":                 11,
	"internal/flow":                  12,
	"internal/parallel":              13,
	"internal/terminal":              13,
	"internal/flow/reviews":          13,
	"internal/flow/reviews/features": 13,
	"internal/flow/edits":            13,
	"internal/health":                12,
	"internal/flow/imports":          13,
	"internal/reading/proposal":      1,
	"internal/reading":               11,

	"internal/flow/handoffs":          13,
	"internal/flow/handoffs/views":    14,
	"internal/flow/handoffs/evidence": 14,
	"internal/pipeline":               14,
	"internal/flow/plans":             13,
	"internal/cli":                    14,

	"internal/cli/work":     15,
	"internal/cli/task":     15,
	"internal/cli/intake":   15,
	"internal/cli/tree":     15,
	"internal/cli/house":    15,
	"internal/cli/report":   15,
	"internal/cli/review":   15,
	"internal/cli/counting": 15,
	"internal/cli/handing":  15,
	"internal/cli/planning": 15,

	"cmd/belay": 16,
}

// pure packages touch no file, process, clock or network.
var pure = []string{
	"internal/agent/stream",
	"internal/ask",
	"internal/ask/clause",
	"internal/ask/concern",
	"internal/ask/cue",
	"internal/ask/deed",
	"internal/ask/fault",
	"internal/ask/fresh",
	"internal/ask/grammar",
	"internal/ask/named",
	"internal/ask/object",
	"internal/ask/number",
	"internal/ask/prose",
	"internal/ask/reading",
	"internal/ask/settle",
	"internal/ask/stay",
	"internal/ask/stay/barred",
	"internal/ask/told",
	"internal/ask/vague",
	"internal/ask/weigh",
	"internal/ask/words",
	"internal/belay",
	"internal/brief/quote",
	"internal/check/assertion",
	"internal/check/cases",
	"internal/check/coverage",
	"internal/check/edit",
	"internal/check/expect",
	"internal/check/integrity",
	"internal/check/lang",
	"internal/check/placeholder",
	"internal/check/secrets",
	"internal/check/style",
	"internal/contract",
	"internal/count/code",
	"internal/count/golang",
	"internal/count/lex",
	"internal/count/list",
	"internal/count/literal",
	"internal/count/markup",
	"internal/count/sql",
	"internal/count/text",
	"internal/count/topic",
	"internal/drift",
	"internal/handoff",
	"internal/intake",
	"internal/intake/checklist",
	"internal/intake/issue",
	"internal/intake/lane",
	"internal/intake/layout",
	"internal/intake/mention",
	"internal/intake/page",
	"internal/intake/sheet",
	"internal/intake/tick",
	"internal/journal/entry",
	"internal/loop",
	"internal/meter",
	"internal/merge",
	"internal/plan",
	"internal/plan/inspect",
	"internal/plan/jsx",
	"internal/plan/judge",
	"internal/plan/lines",
	"internal/plan/marking",
	"internal/plan/outline",
	"internal/plan/place",
	"internal/plan/terms",
	"internal/secret",
	"internal/stall",
	"internal/standards",
}

var impure = []string{"os", "os/exec", "net", "net/http", "io/fs", "path/filepath", "syscall", "math/rand", "math/rand/v2", "crypto/rand"}

type source struct {
	pkg, path string
	test      bool
	file      *ast.File
	fset      *token.FileSet
	lines     int
}

// sources gives every Go file of the house, read once for all tests.
func sources(t *testing.T) []source {
	t.Helper()
	all, err := parsed()
	if err != nil {
		t.Fatal(err)
	}
	return all
}

var parsed = sync.OnceValues(func() (all []source, err error) {
	err = filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && path != "." && (strings.HasPrefix(d.Name(), ".") || d.Name() == "testdata") {
			return filepath.SkipDir
		}
		if d.IsDir() || !strings.HasSuffix(path, ".go") {
			return nil
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, path, text, parser.ParseComments)
		if err != nil {
			return err
		}
		all = append(all, source{
			pkg: filepath.ToSlash(filepath.Dir(path)), path: path, fset: fset, file: file,
			test: strings.HasSuffix(path, "_test.go"), lines: strings.Count(string(text), "\n"),
		})
		return nil
	})
	return all, err
})

func TestFloors(t *testing.T) {
	for _, s := range sources(t) {
		floor, placed := floors[s.pkg]
		if !placed {
			if s.pkg != "." && !strings.HasPrefix(s.pkg, "bench") {
				t.Errorf("%s: package %s has no floor", s.path, s.pkg)
			}
			continue
		}
		if s.test {
			continue // a test may look into any room
		}
		for _, spec := range s.file.Imports {
			path := strings.Trim(spec.Path.Value, `"`)
			below, ours := strings.CutPrefix(path, module+"/")
			if !ours {
				if slices.Contains(pure, s.pkg) && slices.Contains(impure, path) {
					t.Errorf("%s imports %s: %s touches no file, process or network", s.path, path, s.pkg)
				}
				continue
			}
			their, known := floors[below]
			words := floor == 0 && below == "internal/belay"
			if !known || (their >= floor && !words) {
				t.Errorf("%s (floor %d) imports %s (floor %d): a package imports only floors below its own", s.path, floor, below, their)
			}
		}
	}
}

// TestPlanIsDrawn: docs/house.md draws this plan, each floor with the packages on it. What
// a floor is for is said there alone.
func TestPlanIsDrawn(t *testing.T) {
	t.Parallel()
	const path = "docs/house.md"
	text := read(t, path)
	before, rest, _ := strings.Cut(text, "```\n")
	old, after, closed := strings.Cut(rest, "```\n")
	if !closed {
		t.Fatalf("%s has no drawing", path)
	}
	purposes := map[int]string{}
	for line := range strings.Lines(old) {
		number, purpose, _ := strings.Cut(strings.TrimSpace(line), "  ")
		if floor, err := strconv.Atoi(number); err == nil {
			purposes[floor] = purpose
		}
	}
	drawn := drawing(purposes)
	if *update {
		if err := os.WriteFile(path, []byte(before+"```\n"+drawn+"```\n"+after), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if drawn != old {
		t.Errorf("%s does not draw the plan (make docs does):\n%s", path, drawn)
	}
}

// drawing gives the floors from the top down, each with its purpose and its packages.
func drawing(purposes map[int]string) string {
	on := map[int][]string{}
	for _, pkg := range slices.Sorted(maps.Keys(floors)) {
		on[floors[pkg]] = append(on[floors[pkg]], strings.TrimPrefix(pkg, "internal/"))
	}
	var b strings.Builder
	for _, floor := range slices.Backward(slices.Sorted(maps.Keys(on))) {
		fmt.Fprintf(&b, "%2d  %s\n", floor, purposes[floor])
		line := "      "
		for _, room := range on[floor] {
			if len(line)+len(room) > 118 {
				b.WriteString(line + "\n")
				line = "      "
			}
			line += "  " + room
		}
		b.WriteString(line + "\n")
	}
	return b.String()
}

func TestEveryPackageIntroducesItself(t *testing.T) {
	introduced := map[string]bool{}
	for _, s := range sources(t) {
		if !s.test && s.file.Doc != nil {
			introduced[s.pkg] = true
		}
	}
	for _, s := range sources(t) {
		pkg := s.pkg
		if _, placed := floors[pkg]; placed && !introduced[pkg] {
			introduced[pkg] = true // once is enough
			t.Errorf("%s has no package comment", pkg)
		}
	}
}

func TestNamesSayWhatTheyHold(t *testing.T) {
	for _, s := range sources(t) {
		for _, bad := range []string{"util", "utils", "common", "helper", "helpers", "misc"} {
			base := strings.TrimSuffix(filepath.Base(s.path), ".go")
			if s.file.Name.Name == bad || base == bad {
				t.Errorf("%s: a file or package called %q says nothing", s.path, bad)
			}
		}
	}
}

// TestProportions reports sizes for people to look at. There is no limit on packages or
// files: they are cut where the subject changes. Tests are not counted.
func TestProportions(t *testing.T) {
	var funcs, files []int
	packages := map[string]int{}
	long := map[string]int{}
	for _, s := range sources(t) {
		if s.test {
			continue
		}
		files = append(files, s.lines)
		packages[s.pkg] += s.lines
		for _, d := range s.file.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Body == nil {
				continue
			}
			n := s.fset.Position(fn.End()).Line - s.fset.Position(fn.Pos()).Line + 1
			funcs = append(funcs, n)
			if n > 60 {
				long[s.path+" "+fn.Name.Name] = n
			}
		}
	}
	f90, l90 := p90(funcs), p90(files)
	t.Logf("functions %d, p90 %d lines, longest %d", len(funcs), f90, slices.Max(funcs))
	t.Logf("files     %d, p90 %d lines, longest %d", len(files), l90, slices.Max(files))
	for _, name := range slices.Sorted(maps.Keys(packages)) {
		t.Logf("package   %-22s %5d lines", name, packages[name])
	}
	for _, name := range slices.Sorted(maps.Keys(long)) {
		t.Logf("long      %-60s %d lines", name, long[name])
	}
}

func p90(v []int) int {
	if len(v) == 0 {
		return 0
	}
	v = slices.Clone(v)
	sort.Ints(v)
	return v[(len(v)*9+9)/10-1]
}

// Regular expressions of the whole program would cost each command milliseconds before
// its first line runs: package lazyregexp makes them when they are used.
func TestNothingIsMadeAtTheStart(t *testing.T) {
	for _, s := range sources(t) {
		if s.test {
			continue
		}
		for _, d := range s.file.Decls {
			vars, ok := d.(*ast.GenDecl)
			if !ok {
				continue
			}
			ast.Inspect(vars, func(n ast.Node) bool {
				if _, isFunc := n.(*ast.FuncLit); isFunc {
					return false
				}
				if call, ok := n.(*ast.SelectorExpr); ok && call.Sel.Name == "MustCompile" {
					t.Errorf("%s: a regular expression is made when the program starts", s.fset.Position(call.Pos()))
				}
				return true
			})
		}
	}
}
