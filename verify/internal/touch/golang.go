package touch

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"strings"

	"crossswe/schemas"
)

// goFile notes the test functions of a file that the patch touches. A test is
// touched when its own lines are, or those of a variable or constant of the
// file that it names: its table of cases.
func (x *Index) goFile(f File) {
	head := goDecls(f.Head)
	base := goDecls(f.Base)
	dir := path.Dir(f.Touched.Path)
	if x.golang[dir] == nil {
		x.golang[dir] = map[string]schemas.Touch{}
	}
	tables := map[string]bool{}
	for _, d := range head {
		if d.fn == nil && f.Touched.Has(d.first, d.last) {
			tables[d.name] = true
		}
	}
	for _, d := range head {
		if d.fn == nil || !isTest(d.name) {
			continue
		}
		x.golang[dir][d.name] = d.touch(f, base, tables)
	}
}

// touch says what became of a function.
func (d decl) touch(f File, base []decl, tables map[string]bool) schemas.Touch {
	switch {
	case f.Touched.New:
		return schemas.TouchNew
	case f.Touched.Has(d.first, d.last) && !named(base, d.name):
		return schemas.TouchNew
	case f.Touched.Has(d.first, d.last), d.names(tables):
		return schemas.TouchChanged
	}
	return schemas.TouchUnchanged
}

// decl is a function, or a variable or constant, at the top of a file. A
// method's name begins with a dot.
type decl struct {
	name        string
	first, last int
	fn          *ast.FuncDecl
}

func goDecls(src []byte) []decl {
	if src == nil {
		return nil
	}
	fset := token.NewFileSet()
	file, _ := parser.ParseFile(fset, "", src, parser.SkipObjectResolution)
	if file == nil {
		return nil
	}
	line := func(p token.Pos) int { return fset.Position(p).Line }
	var all []decl
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			name := d.Name.Name
			if d.Recv != nil {
				name = "." + name
			}
			all = append(all, decl{name, line(d.Pos()), line(d.End()), d})
		case *ast.GenDecl:
			for _, s := range d.Specs {
				if v, ok := s.(*ast.ValueSpec); ok {
					for _, n := range v.Names {
						all = append(all, decl{n.Name, line(v.Pos()), line(v.End()), nil})
					}
				}
			}
		}
	}
	return all
}

// isTest reports whether go test runs a function of this name, or a suite a
// method of it.
func isTest(name string) bool {
	name = strings.TrimPrefix(name, ".")
	for _, prefix := range []string{"Test", "Example", "Fuzz"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

func named(decls []decl, name string) bool {
	for _, d := range decls {
		if d.name == name {
			return true
		}
	}
	return false
}

// names reports whether the function's body names one of the variables.
func (d decl) names(tables map[string]bool) bool {
	found := false
	if d.fn.Body != nil && len(tables) > 0 {
		ast.Inspect(d.fn.Body, func(n ast.Node) bool {
			if id, ok := n.(*ast.Ident); ok && tables[id.Name] {
				found = true
			}
			return !found
		})
	}
	return found
}
