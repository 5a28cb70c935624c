package count

import (
	"strings"
	"testing"
	"testing/fstest"
)

// TestFollowUnmoved: in an unchanged file each list is followed to itself, even if others have its
// name and items.
func TestFollowUnmoved(t *testing.T) {
	t.Parallel()
	svg := "<svg><g><use/><use/></g><g><use/><use/><use/></g><g><use/></g></svg>"
	svg = strings.ReplaceAll(svg, "<use/>", `<use href="#a"/>`)
	before := fstest.MapFS{"a.svg": {Data: []byte(svg)}, "b.md": {Data: []byte("- a\n")}}
	after := fstest.MapFS{"a.svg": {Data: []byte(svg)}, "b.md": {Data: []byte("- a\n- b\n")}}
	p, err := Open(FS(before), FS(after))
	if err != nil {
		t.Fatal(err)
	}
	j := &judge{before: p.before, after: p.after}
	lists := p.before.scan("a.svg").lists
	if len(lists) < 4 {
		t.Fatalf("%d lists", len(lists))
	}
	for i, l := range lists {
		items, was := p.before.expand(l)
		if got, _, is := j.follow(l, items); got != p.after.scan("a.svg").lists[i] || is.N != was.N {
			t.Errorf("list %d, %s, %d items: became %+v with %d", i, l.FullName(), was.N, got, is.N)
		}
	}
}
