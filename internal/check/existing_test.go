package check_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestExistingItems: an addition must not change existing items: an item with the same name and
// another value is reported, like a removed one.
func TestExistingItems(t *testing.T) {
	const (
		ts    = `export const drinks = [ {name: "Tea", at: "day"}, {name: "Milk", at: "night"}, {name: "Mate", at: "day"} ];`
		added = `export const drinks = [
  {name: "Tea", at: "day"}, {name: "Milk", at: "night",}, // as before
  {name: "Mate", at: "day"}, {name: "Cocoa", at: "night"}, {name: "Rum", at: "night"} ];`
		turned = `export const drinks = [ {name: "Tea", at: "night"}, {name: "Milk", at: "night"}, {name: "Mate", at: "day"}, {name: "Cocoa", at: "night"}, {name: "Rum", at: "night"} ];`
		goList = "package menu\n\ntype drink struct{ Name, At string }\n\nvar drinks = []drink{\n\t{Name: \"Tea\", At: \"day\"},\n\t{Name: \"Milk\", At: \"night\"},\n}\n"
		goTwo  = "package menu\n\ntype drink struct{ Name, At string }\n\nvar drinks = []drink{\n\t{Name: \"Tea\",  At: \"night\"},\n\t{Name: \"Milk\", At: \"night\"},\n\t{Name: \"Cocoa\", At: \"night\"},\n\t{Name: \"Rum\", At: \"night\"},\n}\n"
	)
	for name, c := range map[string]struct {
		file, before, after, words string
		want                       []string
	}{
		"only laid out anew": {"src/menu.ts", ts, added, "add 2 drinks", nil},
		"one turned besides": {"src/menu.ts", ts, turned, "add 2 drinks", []string{"warning: 1 of the existing drinks changed or were removed: Tea: src/menu.ts:1"}},
		"in Go":              {"menu.go", goList, goTwo, "add 2 drinks", []string{"warning: 1 of the existing drinks changed or were removed: Tea: menu.go:5"}},
		"a change was wanted": {"src/menu.ts", ts, turned, "change tea to be served at night, and add 2 drinks",
			[]string{"warning: not shown: change tea to be served at night"}},
	} {
		t.Run(name, func(t *testing.T) {
			got := treeChange{map[string]string{c.file: c.before}, map[string]string{c.file: c.after}}.judged(c.words)
			if diff := cmp.Diff(c.want, findingLines(got)); diff != "" {
				t.Errorf("-want +got\n%s", diff)
			}
		})
	}
}
