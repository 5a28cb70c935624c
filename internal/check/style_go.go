package check

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strings"
)

// goStyleProblems returns the exported declarations of a Go file without a doc comment. In a group
// of constants, variables or types, the group's comment is enough. A file that cannot be parsed has
// none.
func goStyleProblems(text []byte) []styleProblem {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil || file.Name.Name == "main" {
		return nil
	}
	var out []styleProblem
	add := func(id *ast.Ident, name string) {
		out = append(out, styleProblem{
			line: fset.Position(id.Pos()).Line, name: name, what: "has no doc comment",
			advice: "add one that starts with its name: what it does, what goes in and out, which errors it returns",
		})
	}
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if receiver, exported := exportedFunc(d); exported && !isDocumented(d.Doc) {
				add(d.Name, "func "+receiver+d.Name.Name)
			}
		case *ast.GenDecl:
			goGroup(d, add)
		}
	}
	return out
}

// exportedFunc reports whether others can call a function: it and its receiver's type are
// exported.
func exportedFunc(d *ast.FuncDecl) (receiver string, exported bool) {
	if !d.Name.IsExported() {
		return "", false
	}
	if d.Recv == nil || len(d.Recv.List) == 0 {
		return "", true
	}
	t := d.Recv.List[0].Type
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.IndexListExpr:
			t = x.X
		case *ast.ParenExpr:
			t = x.X
		case *ast.Ident:
			return x.Name + ".", x.IsExported() && !wellKnownMethods[d.Name.Name]
		default:
			return "", false
		}
	}
}

// wellKnownMethods are methods of well-known interfaces.
var wellKnownMethods = map[string]bool{
	"Error": true, "String": true, "Unwrap": true, "Len": true, "Less": true, "Swap": true, "Push": true, "Pop": true,
	"MarshalJSON": true, "UnmarshalJSON": true, "MarshalText": true, "UnmarshalText": true, "MarshalYAML": true, "UnmarshalYAML": true,
	"ServeHTTP": true, "Read": true, "Write": true, "Close": true, "GoString": true, "Format": true, "Scan": true, "Value": true,
}

func isDocumented(docs ...*ast.CommentGroup) bool {
	for _, d := range docs {
		if d != nil && strings.TrimSpace(d.Text()) != "" {
			return true
		}
	}
	return false
}

func goGroup(d *ast.GenDecl, add func(*ast.Ident, string)) {
	for _, spec := range d.Specs {
		switch s := spec.(type) {
		case *ast.TypeSpec:
			if s.Name.IsExported() && !isDocumented(d.Doc, s.Doc, s.Comment) {
				add(s.Name, "type "+s.Name.Name)
			}
		case *ast.ValueSpec:
			if isDocumented(d.Doc, s.Doc, s.Comment) {
				continue
			}
			for _, id := range s.Names {
				if id.IsExported() {
					add(id, d.Tok.String()+" "+id.Name)
					break
				}
			}
		}
	}
}
