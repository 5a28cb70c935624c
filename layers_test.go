// Package belay_test tests the architecture: which package may import which, and the rules for all
// packages and functions.
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
	"strings"
	"sync"
	"testing"
	"unicode/utf8"
)

var update = flag.Bool("update", false, "write the table of layers in docs/architecture.md anew")

const module = "github.com/belay-dev/belay"

// layers gives each package below internal, cmd and fleet its layer. A package may import only
// packages of lower layers. A package that is not listed fails the test.
var layers = map[string]int{
	"internal/belay":          0,
	"internal/lazyregexp":     0,
	"internal/review/comment": 3,
	"internal/count":          2,
	"internal/fsroot":         1,
	"internal/hook":           0,
	"internal/intent":         1,
	"internal/loop":           1,
	"internal/phase":          1,
	"internal/secret":         1,
	"internal/testreport":     1,
	"internal/testutil":       1,
	"internal/fence":          2,
	"internal/forge":          1,
	"internal/journal":        2,
	"internal/notify":         2,
	"internal/plan":           3,
	"internal/syntax":         1,
	"internal/config":         3,
	"internal/git":            3,
	"internal/scan":           3,
	"internal/testdiff":       3,
	"internal/proc":           4,
	"internal/prompt":         4,
	"internal/snapshot":       4,
	"internal/agent":          5,
	"internal/handoff":        5,
	"internal/restore":        5,
	"internal/watch":          5,
	"internal/install":        6,
	"internal/tasklist":       6,
	"internal/worktree":       6,
	"internal/review":         7,
	"internal/testrun":        7,
	"internal/lint":           8,
	"internal/check":          9,
	"internal/session":        10,
	"internal/runner":         11,
	"internal/telemetry":      11,
	"internal/app":            12,
	"internal/terminal":       13,
	"internal/mcp":            14,
	"internal/web":            14,
	"internal/cli":            15,
	"cmd/belay":               16,

	// Modules of their own, which nothing above imports.
	"fleet/collector":       0,
	"fleet/devserver":       0,
	"fleet/task":            8,
	"fleet/metrics":         12,
	"fleet/remote":          13,
	"fleet/look":            15,
	"fleet/machine":         14,
	"fleet/cmd/belay-fleet": 16,
}

// pure packages use no files, processes, clock or network.
var pure = []string{
	"internal/belay",
	"internal/intent",
	"internal/loop",
	"internal/secret",
	"internal/testdiff",
}

// testHelpers is the package that only tests may import. Like them it is exempt from TestProportions.
const testHelpers = "internal/testutil"

var impure = []string{"os", "os/exec", "net", "net/http", "io/fs", "path/filepath", "syscall", "math/rand", "math/rand/v2", "crypto/rand"}

type source struct {
	pkg, path string
	test      bool
	file      *ast.File
	fset      *token.FileSet
	lines     int
}

// sources returns all Go files of the repository. They are read once for all tests.
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

func TestLayers(t *testing.T) {
	for _, s := range sources(t) {
		layer, placed := layers[s.pkg]
		if !placed {
			if s.pkg != "." && s.pkg != "release" && !strings.HasPrefix(s.pkg, "bench") && !strings.HasPrefix(s.pkg, "fleet/bench") {
				t.Errorf("%s: package %s has no layer", s.path, s.pkg)
			}
			continue
		}
		if s.test {
			continue // a test may import anything
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
			if below == testHelpers {
				t.Errorf("%s imports %s: only tests may", s.path, below)
			}
			if their, known := layers[below]; !known || their >= layer {
				t.Errorf("%s (layer %d) imports %s (layer %d): a package imports only lower layers", s.path, layer, below, their)
			}
		}
	}
}

// TestLayersAreDrawn checks that docs/architecture.md shows the layers with their packages.
func TestLayersAreDrawn(t *testing.T) {
	t.Parallel()
	const path = "docs/architecture.md"
	text := read(t, path)
	before, rest, _ := strings.Cut(text, "```\n")
	old, after, closed := strings.Cut(rest, "```\n")
	if !closed {
		t.Fatalf("%s shows no layers", path)
	}
	drawn := drawing()
	if *update {
		if err := os.WriteFile(path, []byte(before+"```\n"+drawn+"```\n"+after), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if drawn != old {
		t.Errorf("%s does not show the layers (make docs does):\n%s", path, drawn)
	}
}

// drawing returns the layers from the top down, one per line.
func drawing() string {
	on := map[int][]string{}
	for _, pkg := range slices.Sorted(maps.Keys(layers)) {
		on[layers[pkg]] = append(on[layers[pkg]], strings.TrimPrefix(pkg, "internal/"))
	}
	var b strings.Builder
	for _, layer := range slices.Backward(slices.Sorted(maps.Keys(on))) {
		fmt.Fprintf(&b, "%2d  %s\n", layer, strings.Join(on[layer], ", "))
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
		if _, placed := layers[pkg]; placed && !introduced[pkg] {
			introduced[pkg] = true // report it only once
			t.Errorf("%s has no package comment", pkg)
		}
	}
}

func TestNamesSayWhatTheyHold(t *testing.T) {
	for _, s := range sources(t) {
		for _, bad := range []string{"util", "utils", "common", "helper", "helpers", "misc"} {
			base := strings.TrimSuffix(filepath.Base(s.path), ".go")
			if s.file.Name.Name == bad || base == bad {
				t.Errorf("%s: a file or package called %q needs a name that says what it contains", s.path, bad)
			}
		}
	}
}

// The limits of TestProportions.
const (
	mostBranches   = 30  // in any function
	p99Branches    = 25  // in 99 of 100 functions
	wideTerms      = 6   // a condition with this many terms is wide
	wideConditions = 5.0 // per 1,000 functions
	mostColumns    = 140
)

// TestProportions checks that functions are simple, conditions short and lines narrow, and logs
// sizes for information. Packages and files have no limit: they are split where the subject
// changes. Tests are not counted.
func TestProportions(t *testing.T) {
	var funcs, files, branches []int
	wide, conditions := map[string]int{}, map[string]int{}
	packages := map[string]int{}
	long := map[string]int{}
	for _, s := range sources(t) {
		if s.test || s.pkg == testHelpers {
			continue
		}
		files = append(files, s.lines)
		packages[s.pkg] += s.lines
		text, err := os.ReadFile(s.path)
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for line := range strings.Lines(string(text)) {
			n++
			if width := utf8.RuneCountInString(strings.ReplaceAll(strings.TrimSuffix(line, "\n"), "\t", "    ")); width > mostColumns {
				wide[fmt.Sprintf("%s:%d", s.path, n)] = width
			}
		}
		for _, d := range s.file.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || fn.Body == nil {
				continue
			}
			n := s.fset.Position(fn.End()).Line - s.fset.Position(fn.Pos()).Line + 1
			funcs = append(funcs, n)
			c := complexity(fn)
			branches = append(branches, c)
			if c > p99Branches {
				long[fmt.Sprintf("%s %s (complexity %d)", s.path, fn.Name.Name, c)] = n
			}
			for at, terms := range widest(fn) {
				if terms >= wideTerms {
					conditions[s.fset.Position(at).String()] = terms
				}
			}
			if n > 60 {
				long[s.path+" "+fn.Name.Name] = n
			}
		}
	}
	f90, l90 := p90(funcs), p90(files)
	sort.Ints(branches)
	p99, most := branches[len(branches)*99/100], branches[len(branches)-1]
	t.Logf("complexity p90 %d, p99 %d, most %d", p90(branches), p99, most)
	if p99 > p99Branches || most > mostBranches {
		t.Errorf("complexity p99 %d (at most %d), most %d (at most %d): name the steps of the functions below", p99, p99Branches, most, mostBranches)
	}
	per1000 := 1000 * float64(len(conditions)) / float64(len(funcs))
	t.Logf("conditions of %d terms and more: %d, %.1f per 1,000 functions", wideTerms, len(conditions), per1000)
	if per1000 > wideConditions {
		t.Errorf("%.1f wide conditions per 1,000 functions (at most %.0f): name what those below mean", per1000, wideConditions)
	}
	if len(wide) > 0 {
		t.Errorf("%d lines over %d columns: wrap those below", len(wide), mostColumns)
	}
	for _, at := range slices.Sorted(maps.Keys(conditions)) {
		t.Logf("terms     %-60s %d", at, conditions[at])
	}
	for _, at := range slices.Sorted(maps.Keys(wide)) {
		t.Logf("wide      %-60s %d columns", at, wide[at])
	}
	t.Logf("functions %d, p90 %d lines, longest %d", len(funcs), f90, slices.Max(funcs))
	t.Logf("files     %d, p90 %d lines, longest %d", len(files), l90, slices.Max(files))
	program, lines := 0, 0
	for name, n := range packages {
		if strings.HasPrefix(name, "internal/") || strings.HasPrefix(name, "cmd/") {
			program, lines = program+1, lines+n
		}
	}
	t.Logf("program   %d packages below cmd and internal, %d lines", program, lines)
	for _, name := range slices.Sorted(maps.Keys(packages)) {
		t.Logf("package   %-22s %5d lines", name, packages[name])
	}
	for _, name := range slices.Sorted(maps.Keys(long)) {
		t.Logf("long      %-60s %d lines", name, long[name])
	}
}

// complexity returns McCabe's measure: one, plus one for each branch, case, && and ||.
func complexity(fn *ast.FuncDecl) int {
	n := 1
	ast.Inspect(fn.Body, func(node ast.Node) bool {
		switch x := node.(type) {
		case *ast.IfStmt, *ast.ForStmt, *ast.RangeStmt:
			n++
		case *ast.CaseClause:
			if x.List != nil {
				n++
			}
		case *ast.CommClause:
			if x.Comm != nil {
				n++
			}
		case *ast.BinaryExpr:
			if x.Op == token.LAND || x.Op == token.LOR {
				n++
			}
		}
		return true
	})
	return n
}

// widest returns the conditions of a function with their number of terms.
func widest(fn *ast.FuncDecl) map[token.Pos]int {
	found := map[token.Pos]int{}
	var terms func(e ast.Expr) int
	terms = func(e ast.Expr) int {
		switch x := e.(type) {
		case *ast.ParenExpr:
			return terms(x.X)
		case *ast.UnaryExpr:
			if x.Op == token.NOT {
				return terms(x.X)
			}
		case *ast.BinaryExpr:
			if x.Op == token.LAND || x.Op == token.LOR {
				return terms(x.X) + terms(x.Y)
			}
		}
		return 1
	}
	ast.Inspect(fn.Body, func(node ast.Node) bool {
		if x, ok := node.(*ast.BinaryExpr); ok && (x.Op == token.LAND || x.Op == token.LOR) {
			found[x.Pos()] = max(found[x.Pos()], terms(x))
		}
		return true
	})
	return found
}

func p90(v []int) int {
	if len(v) == 0 {
		return 0
	}
	v = slices.Clone(v)
	sort.Ints(v)
	return v[(len(v)*9+9)/10-1]
}

// TestNothingIsMadeAtTheStart finds regular expressions that are compiled when the program starts.
// All of them together would delay each command by milliseconds; package lazyregexp compiles them
// on first use.
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
					t.Errorf("%s: a regular expression is compiled when the program starts", s.fset.Position(call.Pos()))
				}
				return true
			})
		}
	}
}

// mayEmbed lists the structs that may embed one of ours that has behavior, with the reason.
var mayEmbed = map[string]string{
	"internal/cli.App":              "a command reads, prints and asks: all of it is its terminal's",
	"fleet/cmd/belay-fleet.program": "as internal/cli.App",
	"internal/cli.*Family":          "the commands of one subject, over what all commands share",
	"internal/cli.*Flags":           "flags that several commands have",
	"internal/count.*":              "a language's reader is a reader of tokens that knows more",
	"internal/testreport.*":         "what a format's reader has in common with the others",
}

// TestNamedParts checks that no struct embeds one of our structs that has behavior, that is,
// methods with a pointer receiver. Methods should be called on the part that has them. Structs that
// are written as JSON are exempt, because embedding adds the fields to the outer object.
func TestNamedParts(t *testing.T) {
	acts := map[string]bool{}      // structs with a method that has a pointer receiver
	parts := map[string][]string{} // what each struct embeds
	at := map[string]string{}
	written := map[string]bool{} // as JSON
	for _, s := range sources(t) {
		if s.test {
			continue
		}
		for _, d := range s.file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv != nil {
				if star, ok := f.Recv.List[0].Type.(*ast.StarExpr); ok {
					acts[typeName(s, star.X)] = true
				}
			}
		}
		ast.Inspect(s.file, func(n ast.Node) bool {
			spec, ok := n.(*ast.TypeSpec)
			if !ok {
				return true
			}
			st, ok := spec.Type.(*ast.StructType)
			if !ok {
				return true
			}
			name := typeName(s, spec.Name)
			at[name] = s.fset.Position(spec.Pos()).String()
			for _, f := range st.Fields.List {
				if f.Tag != nil && strings.Contains(f.Tag.Value, "json:") {
					written[name] = true
				}
				if len(f.Names) == 0 {
					parts[name] = append(parts[name], typeName(s, f.Type))
				}
			}
			return true
		})
	}
	var doing func(name string) bool
	doing = func(name string) bool { return acts[name] || slices.ContainsFunc(parts[name], doing) }
	used := map[string]bool{}
	for name, list := range parts {
		for _, p := range list {
			if at[p] == "" || written[name] || !doing(p) {
				continue
			}
			excused := false
			for pattern := range mayEmbed {
				if ok, _ := filepath.Match(pattern, name); ok {
					excused, used[pattern] = true, true
				}
			}
			if !excused {
				t.Errorf("%s: %s embeds %s: give the field a name", at[name], name, p)
			}
		}
	}
	for key := range mayEmbed {
		if !used[key] {
			t.Errorf("mayEmbed lists %s, which embeds nothing that needs an exception", key)
		}
	}
	if len(acts) < 100 {
		t.Errorf("only %d structs with methods were found", len(acts))
	}
}

// typeName returns a type as package.Name. For our packages the package is the folder.
func typeName(s source, e ast.Expr) string {
	switch e := e.(type) {
	case *ast.StarExpr:
		return typeName(s, e.X)
	case *ast.IndexExpr:
		return typeName(s, e.X)
	case *ast.IndexListExpr:
		return typeName(s, e.X)
	case *ast.Ident:
		return s.pkg + "." + e.Name
	case *ast.SelectorExpr:
		from := fmt.Sprint(e.X)
		for _, i := range s.file.Imports {
			path := strings.Trim(i.Path.Value, `"`)
			if i.Name != nil && i.Name.Name == from || i.Name == nil && path[strings.LastIndex(path, "/")+1:] == from {
				return strings.TrimPrefix(path, module+"/") + "." + e.Sel.Name
			}
		}
	}
	return ""
}
