package count

import (
	"go/ast"
	"go/token"
	"slices"
	"strconv"
)

// readBlock reads the statements of a function: definitions, appends, cases, calls.
func (s *goScanner) readBlock(body []ast.Stmt, path []string) {
	if len(path) > 60 {
		return
	}
	s.blocks++
	id := s.blocks
	calls := map[string]*List{}
	for _, stmt := range body {
		switch st := stmt.(type) {
		case *ast.AssignStmt:
			s.readAssign(st, path, id)
		case *ast.DeclStmt:
			if d, ok := st.Decl.(*ast.GenDecl); ok {
				s.readGenDecl(d, path, id)
			}
		case *ast.ExprStmt:
			if c, ok := st.X.(*ast.CallExpr); ok {
				s.addCall(c, path, calls)
			}
			s.readInside(st.X, path, 1)
		case *ast.ReturnStmt:
			for _, r := range st.Results {
				if lit, ok := r.(*ast.CompositeLit); ok && len(path) > 0 {
					items, kind, words, _ := s.readValue(lit, path, 0)
					l := s.addList(kind, path[len(path)-1], path[:len(path)-1], lit, 0)
					l.Items, l.Words = items, words
				} else {
					s.readInside(r, path, 1)
				}
			}
		default:
			s.readInside(stmt, path, 1)
		}
	}
}

// appendsTo reports whether v is append(name, …).
func (s *goScanner) appendsTo(name string, v ast.Expr) bool {
	call, ok := v.(*ast.CallExpr)
	return ok && s.text(call.Fun) == "append" && len(call.Args) > 0 && s.text(call.Args[0]) == name
}

// readAssign reads x := value and x = append(x, …).
func (s *goScanner) readAssign(st *ast.AssignStmt, path []string, id int) {
	for i, v := range st.Rhs {
		if i >= len(st.Lhs) {
			break
		}
		name := s.text(st.Lhs[i])
		known := s.definitions[strconv.Itoa(id)+" "+name]
		if st.Tok == token.ASSIGN && known != nil && s.appendsTo(name, v) {
			items, _, _, _ := s.readValue(v, append(slices.Clone(path), name), 0)
			if len(items) > 0 {
				known.Items = append(known.Items, items[1:]...)
			}
			continue
		}
		s.define(name, v, slices.Clone(path), id)
	}
}

// addCall adds a call to those of the same function in its block.
func (s *goScanner) addCall(c *ast.CallExpr, path []string, calls map[string]*List) {
	name := s.text(c.Fun)
	l := calls[name]
	if l == nil {
		l = s.addList(Calls, name, path, c, 0)
		if name == "t.Run" {
			l.Kind = Tests
		}
		calls[name] = l
	}
	label := s.text(c)
	if len(c.Args) > 0 {
		label = s.labelItem(c.Args[0]).Label
	}
	l.Items = append(l.Items, s.newItem(label, c))
}

// readInside finds the literals, functions and switches in a node.
func (s *goScanner) readInside(n ast.Node, path []string, depth int) {
	if n == nil || depth > 40 {
		return
	}
	ast.Inspect(n, func(x ast.Node) bool {
		switch x := x.(type) {
		case *ast.FuncLit:
			s.readBlock(x.Body.List, path)
			return false
		case *ast.BlockStmt:
			s.readBlock(x.List, path)
			return false
		case *ast.SwitchStmt:
			s.readCases(x.Body, x.Tag, path)
			return false
		case *ast.TypeSwitchStmt:
			s.readCases(x.Body, nil, path)
			return false
		case *ast.CommClause:
			s.readBlock(x.Body, path)
			return false
		case *ast.CompositeLit:
			name, up := "literal", path
			if len(path) > 0 {
				name, up = path[len(path)-1], path[:len(path)-1]
			}
			l := s.addList(Array, name, up, x, depth)
			l.Items, l.Kind, l.Words, _ = s.readValue(x, path, depth)
			return false
		}
		return true
	})
}

func (s *goScanner) readCases(body *ast.BlockStmt, tag ast.Expr, path []string) {
	name := "switch"
	if len(path) > 0 {
		name = path[len(path)-1]
	}
	l := s.addList(Cases, name, path, body, 0)
	if tag != nil {
		l.Words = typeWords(s.text(tag))
	}
	for _, stmt := range body.List {
		if c, ok := stmt.(*ast.CaseClause); ok {
			if len(c.List) > 0 {
				l.Items = append(l.Items, s.newItem(s.text(c.List[0]), c))
			}
			s.readBlock(c.Body, path)
		}
	}
}
