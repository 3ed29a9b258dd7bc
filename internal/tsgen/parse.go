package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"strconv"
	"strings"
)

// object is one Go struct that becomes an interface.
type object struct {
	name   string
	doc    string
	kind   string // the row kind, "" when it is only a part of a row
	fields []field
}

// field is one JSON field of an object.
type field struct {
	name     string
	doc      string
	typ      string // TypeScript's type
	spec     string // the same for the run-time check: see specOf
	optional bool
}

// source is one Go file.
type source struct {
	name string
	code []byte
}

// parseRows reads the exported structs of the files, in order. A row's kind may
// stand in another file than its struct.
func parseRows(sources []source) (objects []object, err error) {
	kinds := map[string]string{}
	files := make([]*ast.File, len(sources))
	for i, s := range sources {
		if files[i], err = parser.ParseFile(token.NewFileSet(), s.name, s.code, parser.ParseComments); err != nil {
			return nil, fmt.Errorf("parsing the row types: %w", err)
		}
		rowKinds(files[i], kinds)
	}
	for _, file := range files {
		found, err := rowObjects(file, kinds)
		if err != nil {
			return nil, err
		}
		objects = append(objects, found...)
	}
	return objects, nil
}

// rowObjects are the structs of one file that travel as JSON.
func rowObjects(file *ast.File, kinds map[string]string) (objects []object, err error) {
	for _, decl := range file.Decls {
		gen, ok := decl.(*ast.GenDecl)
		if !ok || gen.Tok != token.TYPE {
			continue
		}
		for _, s := range gen.Specs {
			spec, _ := s.(*ast.TypeSpec)
			st, ok := spec.Type.(*ast.StructType)
			if !ok || !hasJSON(st) {
				continue
			}
			o := object{name: spec.Name.Name, doc: gen.Doc.Text()}
			if o.fields, err = fieldsOf(st); err != nil {
				return nil, fmt.Errorf("type %s: %w", o.name, err)
			}
			if len(o.fields) > 0 && o.fields[0].name == "row" {
				if o.kind = kinds["Row"+o.name]; o.kind == "" {
					return nil, fmt.Errorf("type %s: no constant Row%s of type RowKind", o.name, o.name)
				}
			}
			objects = append(objects, o)
		}
	}
	return objects, nil
}

// rowKinds adds the names of the file's RowKind constants and their values to kinds.
func rowKinds(file *ast.File, kinds map[string]string) {
	ast.Inspect(file, func(n ast.Node) bool {
		v, ok := n.(*ast.ValueSpec)
		if !ok || len(v.Values) != 1 {
			return true
		}
		if id, ok := v.Type.(*ast.Ident); !ok || id.Name != "RowKind" {
			return true
		}
		if lit, ok := v.Values[0].(*ast.BasicLit); ok {
			kinds[v.Names[0].Name], _ = strconv.Unquote(lit.Value)
		}
		return true
	})
}

func hasJSON(st *ast.StructType) bool {
	return len(st.Fields.List) > 0 && st.Fields.List[0].Tag != nil
}

func fieldsOf(st *ast.StructType) (fields []field, err error) {
	for _, f := range st.Fields.List {
		if f.Tag == nil || len(f.Names) != 1 {
			return nil, fmt.Errorf("a field without a json tag: rows are written as JSON, so tag it")
		}
		tag, _ := strconv.Unquote(f.Tag.Value)
		name, rest, _ := strings.Cut(reflect.StructTag(tag).Get("json"), ",")
		typ, spec, err := typeOf(f.Type)
		if err != nil {
			return nil, fmt.Errorf("field %s: %w", f.Names[0].Name, err)
		}
		fields = append(fields, field{
			name: name, doc: f.Doc.Text(), typ: typ, spec: spec,
			optional: strings.Contains(rest, "omitempty"),
		})
	}
	return fields, nil
}

// typeOf is the TypeScript type of a Go type, and its word in the run-time
// table: string, number, boolean, an object's name; [] and {} after it make a
// list and a map of it.
func typeOf(e ast.Expr) (typ, spec string, err error) {
	switch t := e.(type) {
	case *ast.Ident:
		return identType(t.Name)
	case *ast.StarExpr:
		return typeOf(t.X)
	case *ast.ArrayType:
		typ, spec, err = typeOf(t.Elt)
		return "readonly " + typ + "[]", spec + "[]", err
	case *ast.MapType:
		typ, spec, err = typeOf(t.Value)
		return "Readonly<Record<string, " + typ + ">>", spec + "{}", err
	}
	return "", "", fmt.Errorf("type %T has no TypeScript counterpart: teach typeOf", e)
}

func identType(name string) (typ, spec string, err error) {
	switch name {
	case "string":
		return "string", "string", nil
	case "int", "int64", "uint64", "float64":
		return "number", "number", nil
	case "bool":
		return "boolean", "boolean", nil
	case "RowKind":
		return "RowKind", "string", nil
	}
	if ast.IsExported(name) {
		return name, name, nil
	}
	return "", "", fmt.Errorf("type %s has no TypeScript counterpart: teach identType", name)
}
