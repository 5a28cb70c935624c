package mcp

import (
	"fmt"
	"reflect"
	"slices"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/belay-dev/belay/internal/terminal"
)

// outputSchema describes what --json prints for a T. Lists are never null and unknown values are
// left out, so no type is a union with null. Additional keys are allowed, because later versions
// may add some.
func outputSchema[T any]() *jsonschema.Schema {
	s := inferSchema[T]()
	walkSchema(s, func(s *jsonschema.Schema) {
		s.AdditionalProperties = allowAdditional(s.AdditionalProperties)
		for i, key := range s.PropertyOrder {
			if to, ok := terminal.SecondsKey(key); ok {
				s.PropertyOrder[i] = to
				s.Properties[to] = &jsonschema.Schema{Type: "number", Description: "seconds"}
				delete(s.Properties, key)
				if at := slices.Index(s.Required, key); at >= 0 {
					s.Required[at] = to
				}
			}
		}
	})
	return s
}

// inputSchema describes a tool's arguments. An unknown key is an error.
func inputSchema[T any]() *jsonschema.Schema { return inferSchema[T]() }

func inferSchema[T any]() *jsonschema.Schema {
	s, err := jsonschema.ForType(reflect.TypeFor[T](), &jsonschema.ForOptions{})
	if err != nil {
		panic(fmt.Sprintf("schema of %s: %v", reflect.TypeFor[T](), err)) // T is a type from this package
	}
	walkSchema(s, func(s *jsonschema.Schema) {
		if types := slices.DeleteFunc(s.Types, func(t string) bool { return t == "null" }); len(types) == 1 {
			s.Type, s.Types = types[0], nil
		}
	})
	return s
}

// allowAdditional returns the schema of additional properties: for a map, that of its values; for
// an object, none, which allows all.
func allowAdditional(s *jsonschema.Schema) *jsonschema.Schema {
	if s != nil && s.Not != nil {
		return nil
	}
	return s
}

// walkSchema calls do for a schema and all schemas in it.
func walkSchema(s *jsonschema.Schema, do func(*jsonschema.Schema)) {
	if s == nil {
		return
	}
	do(s)
	for _, p := range s.Properties {
		walkSchema(p, do)
	}
	walkSchema(s.Items, do)
	walkSchema(s.AdditionalProperties, do)
}
