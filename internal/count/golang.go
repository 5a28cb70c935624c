package count

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"strings"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

// ScanGo returns the lists of a file and its imports.
func ScanGo(src []byte) (lists []*List, imports []string) {
	s := &goScanner{src: src, fset: token.NewFileSet(), definitions: map[string]*List{}, members: map[string]*List{}}
	file, _ := parser.ParseFile(s.fset, "", src, parser.SkipObjectResolution)
	if file == nil {
		return nil, nil
	}
	for _, i := range file.Imports {
		if path, err := strconv.Unquote(i.Path.Value); err == nil {
			imports = append(imports, path)
		}
	}
	for _, d := range file.Decls {
		s.readDecl(d)
	}
	return s.lists, imports
}

type goScanner struct {
	src         []byte
	fset        *token.FileSet
	lists       []*List
	definitions map[string]*List // by block and name, for append
	members     map[string]*List
	blocks      int
}

func (s *goScanner) text(n ast.Node) string {
	lo, hi := s.fset.Position(n.Pos()).Offset, s.fset.Position(n.End()).Offset
	if lo < 0 || hi > len(s.src) || lo > hi {
		return ""
	}
	return string(s.src[lo:hi])
}

func (s *goScanner) addList(kind ListKind, name string, path []string, at ast.Node, depth int) *List {
	p := s.fset.Position(at.Pos())
	l := &List{Name: name, Path: append([]string(nil), path...), Kind: kind, Line: p.Line, Col: p.Column, Depth: depth}
	if len(l.Path) > 8 {
		l.Path = l.Path[len(l.Path)-8:]
	}
	s.lists = append(s.lists, l)
	return l
}

func (s *goScanner) newItem(label string, at ast.Node) Item {
	p := s.fset.Position(at.Pos())
	return Item{Label: Shorten(label), Line: p.Line, Col: p.Column}
}

// unknownItem returns an item for an expression with an unknown number of items.
func (s *goScanner) unknownItem(at ast.Node) Item {
	return Item{Label: Shorten(s.text(at)), Unknown: true, Line: s.fset.Position(at.Pos()).Line}
}

func (s *goScanner) addMember(kind ListKind, name, label string, at ast.Node) {
	key := string(kind) + " " + name
	if s.members[key] == nil {
		s.members[key] = s.addList(kind, name, nil, at, 0)
	}
	s.members[key].Items = append(s.members[key].Items, s.newItem(label, at))
}

func (s *goScanner) readDecl(d ast.Decl) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		s.readFunction(d)
	case *ast.GenDecl:
		s.readGenDecl(d, nil, 0)
	}
}

func (s *goScanner) readFunction(d *ast.FuncDecl) {
	name := d.Name.Name
	var path []string
	if d.Recv != nil && len(d.Recv.List) > 0 {
		on := strings.TrimLeft(s.text(d.Recv.List[0].Type), "*")
		on, _, _ = strings.Cut(on, "[")
		s.addMember(Methods, on, name, d.Name)
		path = append(path, on)
	} else {
		s.addMember(Functions, "functions", name, d.Name)
		if strings.HasPrefix(name, "Test") {
			s.addMember(Tests, "tests", name, d.Name)
		}
	}
	if d.Body != nil {
		s.readBlock(d.Body.List, append(path, name))
	}
}

// readGenDecl reads const, var and type declarations.
func (s *goScanner) readGenDecl(d *ast.GenDecl, path []string, block int) {
	if d.Tok == token.CONST && len(d.Specs) > 1 {
		s.readConstants(d, path)
	}
	for _, spec := range d.Specs {
		switch spec := spec.(type) {
		case *ast.ValueSpec:
			for i, v := range spec.Values {
				if i < len(spec.Names) {
					s.define(spec.Names[i].Name, v, path, block)
				}
			}
		case *ast.TypeSpec:
			s.readTypeSpec(spec, path)
		}
	}
}

// readConstants makes a list of each sequence of constants with the same type. The blank name is
// not a member.
func (s *goScanner) readConstants(d *ast.GenDecl, path []string) {
	var l *List
	last := "\x00"
	for _, spec := range d.Specs {
		v, ok := spec.(*ast.ValueSpec)
		if !ok {
			continue
		}
		typ := last
		if v.Type != nil {
			typ = s.text(v.Type)
		} else if len(v.Values) > 0 {
			typ = ""
			if call, ok := v.Values[0].(*ast.CallExpr); ok {
				typ = s.text(call.Fun)
			}
		} else if l == nil {
			typ = ""
		}
		if l == nil || typ != last {
			name := typ
			if name == "" {
				name = "const"
			}
			l = s.addList(Enum, name, path, d, 0)
			if d.Doc != nil {
				l.Words = strings.Fields(Shorten(d.Doc.Text()))
			}
			last = typ
		}
		for _, n := range v.Names {
			if n.Name != "_" {
				l.Items = append(l.Items, s.newItem(n.Name, n))
			}
		}
	}
}

func (s *goScanner) readTypeSpec(spec *ast.TypeSpec, path []string) {
	var fields *ast.FieldList
	kind := Fields
	switch t := spec.Type.(type) {
	case *ast.StructType:
		fields = t.Fields
	case *ast.InterfaceType:
		fields, kind = t.Methods, Methods
	default:
		return
	}
	l := s.addList(kind, spec.Name.Name, path, spec, 0)
	for _, f := range fields.List {
		for _, n := range f.Names {
			l.Items = append(l.Items, s.newItem(n.Name, n))
		}
		if len(f.Names) == 0 {
			l.Items = append(l.Items, s.newItem(s.text(f.Type), f))
		}
	}
}

// define reads NAME = value.
func (s *goScanner) define(name string, v ast.Expr, path []string, block int) {
	items, kind, words, ok := s.readValue(v, append(path, name), 0)
	if !ok {
		s.readInside(v, append(path, name), 0)
		return
	}
	l := s.addList(kind, name, path, v, 0)
	l.Items, l.Words, l.Block = items, words, block
	s.definitions[strconv.Itoa(block)+" "+name] = l
}

// readValue returns the items of an expression if it is a list.
func (s *goScanner) readValue(e ast.Expr, path []string, depth int) ([]Item, ListKind, []string, bool) {
	switch e := e.(type) {
	case *ast.CompositeLit:
		items, kind := s.readLiteral(e, path, depth)
		var words []string
		if e.Type != nil {
			words = typeWords(s.text(e.Type))
		}
		if _, isMap := e.Type.(*ast.MapType); isMap {
			kind = Object
		}
		return items, kind, words, true
	case *ast.UnaryExpr:
		return s.readValue(e.X, path, depth)
	case *ast.ParenExpr:
		return s.readValue(e.X, path, depth)
	case *ast.SliceExpr:
		_, kind, words, ok := s.readValue(e.X, path, depth)
		return []Item{s.unknownItem(e)}, kind, words, ok
	case *ast.Ident:
		if e.Name == "nil" || e.Name == "true" || e.Name == "false" || e.Name == "iota" {
			return nil, "", nil, false
		}
		return []Item{{Label: e.Name, Ref: e.Name, Line: s.fset.Position(e.Pos()).Line}}, Array, nil, true
	case *ast.SelectorExpr:
		text := s.text(e)
		return []Item{{Label: text, Ref: text, Line: s.fset.Position(e.Pos()).Line}}, Array, nil, true
	case *ast.CallExpr:
		return s.readCall(e, path, depth)
	}
	return nil, "", nil, false
}

func typeWords(text string) []string {
	return strings.FieldsFunc(Shorten(text), func(r rune) bool { return strings.ContainsRune("[]{}*.,; ()", r) })
}

// goCopyFuncs are functions that return the items of their argument.
var goCopyFuncs = lazyregexp.Of("slices.Clone slices.Sorted maps.Clone slices.Clip maps.Keys")

// readCall reads append(a, b, c...) and the functions that join or copy slices.
func (s *goScanner) readCall(e *ast.CallExpr, path []string, depth int) ([]Item, ListKind, []string, bool) {
	name := s.text(e.Fun)
	joins := name == "slices.Concat"
	switch {
	case name == "append" || joins:
		return s.readAppend(e, path, depth, joins)
	case goCopyFuncs.Has(name) && len(e.Args) == 1:
		return s.readValue(e.Args[0], path, depth)
	case len(e.Args) == 1: // a conversion, or a function of a literal
		if _, lit := e.Args[0].(*ast.CompositeLit); lit {
			return s.readValue(e.Args[0], path, depth)
		}
	}
	return nil, "", nil, false
}

func (s *goScanner) readAppend(e *ast.CallExpr, path []string, depth int, joins bool) ([]Item, ListKind, []string, bool) {
	var all []Item
	var words []string
	for i, a := range e.Args {
		if i > 0 && !joins && !(e.Ellipsis.IsValid() && i == len(e.Args)-1) {
			all = append(all, s.labelItem(a))
			s.readInside(a, path, depth+1)
			continue
		}
		if call, ok := a.(*ast.CallExpr); ok && i == 0 && strings.HasPrefix(s.text(call.Fun), "[]") {
			continue // append([]T(nil), …)
		}
		items, _, w, ok := s.readValue(a, path, depth)
		if !ok && s.text(a) != "nil" {
			items = []Item{s.unknownItem(a)}
		}
		all = append(all, items...)
		words = append(words, w...)
	}
	return all, Array, words, len(e.Args) > 0
}

func (s *goScanner) readLiteral(e *ast.CompositeLit, path []string, depth int) ([]Item, ListKind) {
	kind := Array
	if _, isStruct := e.Type.(*ast.Ident); isStruct {
		kind = Object
	}
	var items []Item
	for i, x := range e.Elts {
		name := "[" + strconv.Itoa(i) + "]"
		if kv, ok := x.(*ast.KeyValueExpr); ok {
			name = strings.Trim(s.text(kv.Key), "\"`")
			it := s.newItem(name, kv)
			if _, isArray := e.Type.(*ast.ArrayType); !isArray {
				it.IsKey = true
				if _, isMap := e.Type.(*ast.MapType); !isMap {
					kind = Object
				}
			}
			items = append(items, it)
			x = kv.Value
		} else {
			items = append(items, s.labelItem(x))
		}
		if depth < 30 {
			s.readNested(name, x, path, depth+1)
		}
	}
	return items, kind
}

// readNested adds the lists in an item.
func (s *goScanner) readNested(name string, x ast.Expr, path []string, depth int) {
	inner := append(append([]string(nil), path...), name)
	switch lit := x.(type) {
	case *ast.CompositeLit:
		l := s.addList(Object, name, path, lit, depth)
		l.Items, l.Kind, l.Words, _ = s.readValue(lit, inner, depth)
	case *ast.BasicLit, *ast.Ident:
	default:
		s.readInside(x, inner, depth)
	}
}

func (s *goScanner) labelItem(x ast.Expr) Item {
	best, named := "", ""
	ast.Inspect(x, func(n ast.Node) bool {
		if kv, ok := n.(*ast.KeyValueExpr); ok && named == "" {
			if k := strings.ToLower(s.text(kv.Key)); k == "name" || k == "id" || k == "title" || k == "slug" || k == "label" {
				named = strings.Trim(s.text(kv.Value), "\"`")
			}
		}
		if lit, ok := n.(*ast.BasicLit); ok && best == "" && lit.Kind == token.STRING {
			best = strings.Trim(lit.Value, "\"`")
		}
		return named == ""
	})
	switch {
	case named != "":
		best = named
	case best == "":
		best = s.text(x)
	}
	it := s.newItem(best, x)
	it.Sum = Sum(strings.FieldsSeq(strings.ReplaceAll(s.text(x), ",", " ")))
	return it
}
