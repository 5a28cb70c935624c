package plan

import (
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/belay-dev/belay/internal/count"
)

// tree returns files, by path, as a tree.
func tree(files map[string]string) count.Tree {
	all := fstest.MapFS{}
	for p, text := range files {
		all[p] = &fstest.MapFile{Data: []byte(text)}
	}
	return count.FS(all)
}

const flavors = "export const FLAVORS = ['Ember', 'Arctic', 'Citrus'];\n"

func TestTask(t *testing.T) {
	base := map[string]string{"src/Flavors.ts": flavors, "src/Hero.tsx": "export const Hero = () => <ul><li>a</li><li>b</li></ul>;\n", "src/store/Cart.ts": "export const x = 1;\n"}
	for _, c := range []struct {
		name, marker string
		change       map[string]string // "" deletes the file
		want         string
	}{
		{"added", "flavors: TASK-1 [ADD]: (2) two flavors", map[string]string{"src/Flavors.ts": strings.Replace(flavors, "]", ", 'Moon', 'Rest']", 1)}, "pass 3 5"},
		{"converted", "flavors: TASK-1 [ADD]: (2) two flavors", map[string]string{"src/Flavors.ts": strings.Replace(flavors, "Arctic", "Moon", 1)}, "fail 3 3"},
		{"stated in the words", "flavors: TASK-1 [ADD]: 2 night flavors", map[string]string{"src/Flavors.ts": strings.Replace(flavors, "Arctic", "Moon", 1)}, "fail 3 3"},
		{"one too many", "flavors: TASK-1 [ADD]: (1) a flavor", map[string]string{"src/Flavors.ts": strings.Replace(flavors, "]", ", 'Moon', 'Rest']", 1)}, "warn 3 5"},
		{"nothing done", "flavors: TASK-1 [ADD]: (2) two flavors", nil, "fail 3 3"},
		{"nobody knows", "blog: TASK-1 [ADD]: (2) two posts", map[string]string{"src/Blog.go": "package blog\n"}, "unknown - -"},
		{"kept", "flavors: PRESERVED for task-1: the flavors", map[string]string{"src/Flavors.ts": strings.Replace(flavors, "]", ", 'Moon']", 1)}, "pass 3 4"},
		{"lost", "flavors: PRESERVED for task-1: the flavors", map[string]string{"src/Flavors.ts": strings.Replace(flavors, "'Ember', ", "", 1)}, "fail 3 2"},
		{"same", "store: NO CHANGES for task-1", map[string]string{"src/Hero.tsx": "x"}, "pass - -"},
		{"not the same", "store: NO CHANGES for task-1", map[string]string{"src/store/Cart.ts": "export const x = 2;\n"}, "warn - -"},
		{"no file of its own", "imprint: NO CHANGES for task-1", map[string]string{"src/Hero.tsx": "x"}, "unknown - -"},
		{"nothing changed at all", "imprint: NO CHANGES for task-1", nil, "pass - -"},
		{"other words", "hero: TASK-1 [MODIFY]: the copy", map[string]string{"src/Hero.tsx": "export const Hero = () => <ul><li>c</li><li>d</li></ul>;\n"}, "pass"},
		{"untouched", "hero: TASK-1 [MODIFY]: the copy", map[string]string{"src/Flavors.ts": flavors + "//"}, "warn"},
		{"lost on the way", "hero: TASK-1 [MODIFY]: the copy", map[string]string{"src/Hero.tsx": "export const Hero = () => <ul><li>c</li></ul>;\n"}, "unknown|warn"},
		{"mended, perhaps", "hero: TASK-1 [FIX]: it crashes", map[string]string{"src/Hero.tsx": "export const Hero = () => <ul><li>a</li><li>b</li></ul>\n"}, "unknown"},
		{"not mended", "hero: TASK-1 [FIX]: it crashes", map[string]string{"src/Flavors.ts": flavors + "//"}, "unknown"},
		{"gone", "hero: TASK-1 [REMOVE]: the hero", map[string]string{"src/Hero.tsx": ""}, "pass"},
		{"still there", "hero: TASK-1 [REMOVE]: the hero", map[string]string{"src/Flavors.ts": flavors + "//"}, "warn"},
	} {
		section, marker, _ := strings.Cut(c.marker, ": ")
		p, err := Read("plan.md", []byte("# "+section+"\n<!-- "+marker+" -->\n"))
		if err != nil {
			t.Fatal(err)
		}
		after := map[string]string{}
		for f, text := range base {
			after[f] = text
		}
		for f, text := range c.change {
			if after[f] = text; text == "" {
				delete(after, f)
			}
		}
		s, err := ReadImplementation(tree(base), tree(after), func(string) bool { return false })
		if err != nil {
			t.Fatal(err)
		}
		all, err := CheckTask(p, "T1", s)
		if err != nil || len(all) != 1 {
			t.Fatalf("%s: %d, %v", c.name, len(all), err)
		}
		number := func(n *int) string {
			if n == nil {
				return "-"
			}
			return fmt.Sprint(*n)
		}
		j := all[0]
		got, ok := fmt.Sprintf("%s %s %s", j.Verdict, number(j.Counts.Before), number(j.Counts.After)), false
		for _, want := range strings.Split(c.want, "|") {
			ok = ok || strings.HasPrefix(got, want)
		}
		if !ok {
			t.Errorf("%s: %s, want %s: %+v", c.name, got, c.want, j)
		}
		if j.Verdict != count.Pass && len(j.Findings) == 0 {
			t.Errorf("%s: %s without a reason", c.name, j.Verdict)
		}
		if OverallVerdict(all) != j.Verdict {
			t.Errorf("%s: the sum is %s", c.name, OverallVerdict(all))
		}
	}
}

func TestLists(t *testing.T) {
	p, err := Read("plan.tsx", []byte("<Screen name=\"a\">\n<Section name=\"b\" items={['x', 'y']}>\n<ul><li/><li/><li/></ul>\n</Section>\n<Section name=\"c\"/>\n</Screen>"))
	if err != nil {
		t.Fatal(err)
	}
	lists, err := ListsBySection(p)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for i, ls := range lists {
		for _, l := range ls {
			got = append(got, fmt.Sprintf("%s %s %d", p.Sections[i].Path, l.Name, *l.Count))
		}
	}
	if g := strings.Join(got, ", "); g != "a/b items 2, a/b li 3" {
		t.Errorf("lists %s", g)
	}
}
