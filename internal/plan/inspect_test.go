package plan

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func read(t *testing.T, name, text string) *Plan {
	t.Helper()
	p, err := Read(name, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestValidate(t *testing.T) {
	tasks := func(label string) bool { return label == "3" || strings.EqualFold(label, "fix-login") }
	for _, c := range []struct{ name, plan, text, want string }{
		{"nothing", "plan.tsx", "<App/>", "error sections 1: it has no <Screen> and no <Section>"},
		{"no heading", "plan.md", "text", "error sections 1: it has no heading"},
		{"fine", "plan.tsx", "import { Card } from './c'\nconst Local = 1\n<App><Screen name=\"a\"><Section gumdrop=\"x\"><Card/><Local/><p/></Section></Screen><Screen name=\"b\"><Section gumdrop=\"x\"/></Screen></App>", ""},
		{"one id twice", "plan.tsx", "<Screen id=\"a\"/>\n<Screen id=\"a\"/>", `error id 2: the id "a" is also used in line 1`},
		{"one name twice", "plan.tsx", "<Screen name=\"a\">\n<Section name=\"b\"/>\n<Section name=\"b\"/>\n</Screen>", `error id 3: "b" has the same name as line 2; markers and belay use the path a/b-2`},
		{"one gumdrop twice", "plan.tsx", "<Screen name=\"a\">\n<Section gumdrop=\"b\"/>\n<Section gumdrop=\"b\"/>\n</Screen>", `warning id 3: "b" has the same name as line 2; markers and belay use the path a/b-2`},
		{"one heading twice", "plan.md", "# A\n## B\n## B\n", `warning id 3: "B" has the same name as line 2; markers and belay use the path a/b-2`},
		{"a slip", "plan.tsx", "<Screen name=\"a\"/>\n<Secton/>", "error tag 2: <Secton> is not a section; did you mean <Section>?"},
		{"a tag nobody knows", "plan.tsx", "<Screen name=\"a\">\n<Gadget/></Screen>", "warning tag 2: <Gadget> is neither a plan tag nor imported"},
		{"a screen in a section", "plan.tsx", "<Section name=\"a\">\n<Screen name=\"b\"/></Section>", "warning sections 2: the screen b is inside a"},
		{"not a marker", "plan.md", "# A\n<!-- TASK-3 [ADD] x -->", "error marker 2: the marker cannot be read: write TASK-N [ADD|MODIFY|FIX|REMOVE]: …, NO CHANGES for task-N, or PRESERVED for task-N: …"},
		{"nobody's marker", "plan.md", "<!-- TASK-3 [ADD]: x -->\n# A", "warning marker 1: ADD is in no section"},
		{"no such task", "plan.md", "# A\n<!-- TASK-4 [ADD]: x -->\n<!-- TASK-FIX-login [ADD]: x -->", "error task 2: no task for task-4"},
		{"nothing to add", "plan.md", "# A\n<!-- TASK-3 [ADD]: (0) x -->", "warning marker 2: ADD asks for 0 items"},
		{"changes and does not", "plan.md", "# A\n<!-- NO CHANGES for task-3 -->\n## B\n<!-- TASK-3 [ADD]: x -->", "error marker 4: ADD contradicts NO CHANGES of line 2"},
		{"of another task", "plan.md", "# A\n<!-- NO CHANGES for task-3 -->\n<!-- TASK-fix-login [ADD]: x -->", ""},
		{"no task", "plan.md", "# A\n<!-- NO CHANGES -->\n<!-- PRESERVED -->", "warning marker 2: NO CHANGES names no task"},
	} {
		var got []string
		for _, f := range Validate(read(t, c.plan, c.text), Context{Task: tasks}) {
			got = append(got, fmt.Sprintf("%s %s %d: %s", f.Severity, f.Rule, f.Line, f.Message))
		}
		if g := strings.Join(got, " | "); g != c.want {
			t.Errorf("%s:\n%s\nwant\n%s", c.name, g, c.want)
		}
	}
}

const before = "# Shop\n## Hero\nloud\n## Store\n### Cart\n## Old\n<!-- TASK-1 [REMOVE]: it -->\n### Older\n## Gone\n"

func TestCompare(t *testing.T) {
	after := "# Shop\n<!-- TASK-2 [REMOVE]: the gone section -->\n## Hero\nquiet\n<!-- TASK-2 [MODIFY]: x -->\n## New\n### Cart\n"
	var got []string
	for _, c := range Compare(read(t, "plan.md", before), read(t, "plan.md", after)) {
		s := fmt.Sprintf("%s %s", c.Path, c.Change)
		if c.Allowed {
			s += " allowed"
		}
		if c.From != "" {
			s += " from " + c.From
		}
		for _, l := range c.MarkersAdded {
			s += " +" + string(l.Marker)
		}
		got = append(got, s)
	}
	want := []string{"shop marked +REMOVE", "shop/hero changed +MODIFY", "shop/new added", "shop/new/cart moved from shop/store/cart",
		"shop/store removed", "shop/old removed allowed", "shop/old/older removed allowed", "shop/gone removed allowed"}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	found := Validate(read(t, "plan.md", after), Context{Before: read(t, "plan.md", before), BeforeName: "HEAD"})
	if len(found) != 1 || found[0].Message != "shop/store was removed since HEAD without a [REMOVE] marker" || Valid(found) {
		t.Errorf("found %+v", found)
	}
}
