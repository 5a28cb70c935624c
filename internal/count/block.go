package count

import (
	"go/ast"
	"go/token"
	"slices"
	"strconv"
)

// block reads the statements of a function: definitions, appends, cases, calls.
func (s *goScanner) block(body []ast.Stmt, path []string) {
	if len(path) > 60 {
		return
	}
	s.blocks++
	id := s.blocks
	calls := map[string]*List{}
	for _, stmt := range body {
		switch st := stmt.(type) {
		case *ast.AssignStmt:
			s.assign(st, path, id)
		case *ast.DeclStmt:
			if d, ok := st.Decl.(*ast.GenDecl); ok {
				s.general(d, path, id)
			}
		case *ast.ExprStmt:
			if c, ok := st.X.(*ast.CallExpr); ok {
				s.called(c, path, calls)
			}
			s.inside(st.X, path, 1)
		case *ast.ReturnStmt:
			for _, r := range st.Results {
				if lit, ok := r.(*ast.CompositeLit); ok && len(path) > 0 {
					items, kind, words, _ := s.value(lit, path, 0)
					l := s.list(kind, path[len(path)-1], path[:len(path)-1], lit, 0)
					l.Items, l.Words = items, words
				} else {
					s.inside(r, path, 1)
				}
			}
		default:
			s.inside(stmt, path, 1)
		}
	}
}

// appendsTo reports whether v is append(name, …).
func (s *goScanner) appendsTo(name string, v ast.Expr) bool {
	call, ok := v.(*ast.CallExpr)
	return ok && s.text(call.Fun) == "append" && len(call.Args) > 0 && s.text(call.Args[0]) == name
}

// assign reads x := value and x = append(x, …).
func (s *goScanner) assign(st *ast.AssignStmt, path []string, id int) {
	for i, v := range st.Rhs {
		if i >= len(st.Lhs) {
			break
		}
		name := s.text(st.Lhs[i])
		known := s.named[strconv.Itoa(id)+" "+name]
		if st.Tok == token.ASSIGN && known != nil && s.appendsTo(name, v) {
			items, _, _, _ := s.value(v, append(slices.Clone(path), name), 0)
			if len(items) > 0 {
				known.Items = append(known.Items, items[1:]...)
			}
			continue
		}
		s.define(name, v, slices.Clone(path), id)
	}
}

// called notes a call among those to the same function in its block.
func (s *goScanner) called(c *ast.CallExpr, path []string, calls map[string]*List) {
	name := s.text(c.Fun)
	l := calls[name]
	if l == nil {
		l = s.list(Calls, name, path, c, 0)
		if name == "t.Run" {
			l.Kind = Tests
		}
		calls[name] = l
	}
	label := s.text(c)
	if len(c.Args) > 0 {
		label = s.label(c.Args[0]).Label
	}
	l.Items = append(l.Items, s.item(label, c))
}

// inside finds the literals, functions and switches in a node.
func (s *goScanner) inside(n ast.Node, path []string, depth int) {
	if n == nil || depth > 40 {
		return
	}
	ast.Inspect(n, func(x ast.Node) bool {
		switch x := x.(type) {
		case *ast.FuncLit:
			s.block(x.Body.List, path)
			return false
		case *ast.BlockStmt:
			s.block(x.List, path)
			return false
		case *ast.SwitchStmt:
			s.cases(x.Body, x.Tag, path)
			return false
		case *ast.TypeSwitchStmt:
			s.cases(x.Body, nil, path)
			return false
		case *ast.CommClause:
			s.block(x.Body, path)
			return false
		case *ast.CompositeLit:
			name, up := "literal", path
			if len(path) > 0 {
				name, up = path[len(path)-1], path[:len(path)-1]
			}
			l := s.list(Array, name, up, x, depth)
			l.Items, l.Kind, l.Words, _ = s.value(x, path, depth)
			return false
		}
		return true
	})
}

func (s *goScanner) cases(body *ast.BlockStmt, tag ast.Expr, path []string) {
	name := "switch"
	if len(path) > 0 {
		name = path[len(path)-1]
	}
	l := s.list(Cases, name, path, body, 0)
	if tag != nil {
		l.Words = typeWords(s.text(tag))
	}
	for _, stmt := range body.List {
		if c, ok := stmt.(*ast.CaseClause); ok {
			if len(c.List) > 0 {
				l.Items = append(l.Items, s.item(s.text(c.List[0]), c))
			}
			s.block(c.Body, path)
		}
	}
}
