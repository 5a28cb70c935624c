package plan

import (
	"bytes"
	"errors"
	"testing"

	"github.com/belay-dev/belay/internal/belay"
)

// holds reads a text as a plan and updates it. Any text is either refused with a message, or
// updated such that removing the markers restores it.
func holds(t *testing.T, name string, text []byte) {
	p, err := Read(name, text)
	if err != nil {
		var e *belay.Error
		if !errors.As(err, &e) || e.What == "" || e.Try == "" {
			t.Fatalf("refused without a sentence: %v", err)
		}
		return
	}
	for i, s := range p.Sections {
		if s.Start < 0 || s.End > len(text) || s.Start >= s.End || s.Parent >= i || s.Path == "" || s.Line > s.EndLine {
			t.Fatalf("section %d is %+v of %d bytes", i, s, len(text))
		}
	}
	Validate(p, Context{Before: p, BeforeName: "itself"})
	w := Work{Task: "T3", Prose: "Add 2 heroes. Fix the store. Keep the footer.", Request: belay.Request{
		Requirements: []belay.Requirement{{Marker: "ADD", Text: "Add 2 heroes", Count: counted(2)}, {Marker: "FIX", Text: "Fix the store"}}, Preserve: []string{"the footer"},
	}}
	if len(p.Sections) > 0 {
		w.Pins = map[int][]string{1: {p.Sections[0].Path}, 2: {p.Sections[len(p.Sections)-1].Path}}
	}
	u, err := UpdatePlan(p, w)
	if err != nil {
		return
	}
	others := func(m Marker) bool { return m.Problem != "" || !m.NamesTask("T3") }
	again, err := Read(name, u.Text)
	if err != nil {
		t.Fatalf("the updated plan cannot be read: %v\n%s", err, u.Text)
	}
	if !bytes.Equal(again.StripMarkers(others), p.StripMarkers(others)) {
		t.Fatalf("the update changed more than markers:\n%q\n%q", u.Text, text)
	}
	if twice, err := UpdatePlan(again, w); err != nil || !bytes.Equal(twice.Text, u.Text) {
		t.Fatalf("updated twice: %v\n%q\nonce\n%q", err, twice.Text, u.Text)
	}
}

func FuzzTSX(f *testing.F) {
	for _, s := range []string{
		vibrant, "<Section/>", "<Section name='a'></Section>", "const a = <T,>(x: T) => x < 1 ? <Section name=\"b\"/> : `${<Section/>}`", "<></>", "{/* TASK-3 [ADD]: x */}\n<App/>",
		"<Screen>\r\n\t<Section id={`x`} /* NO CHANGES for task-3 */ />\r\n</Screen>", "export default [\n  // TASK-3 [FIX]: y\n  <Section name=\"store\" />,\n]", "<A b=<Section/> {...c} d={/}/}/>",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) { holds(t, "plan.tsx", text) })
}

func FuzzMarkdown(f *testing.F) {
	for _, s := range []string{
		"# Hero\n## Store\n- a\n  # no\n", "Hero\n===\n\nStore\n---", "---\na: b\n---\n# Hero", "```\n# x\n```\n~~~\n~~~", "# a\r\n<!-- TASK-3 [ADD]: x -->\r\n# b", "# a {#b}\n<!-- a\nb -->\n`<!-- x -->`",
		"<pre>\n# x\n</pre>\n# y", "> # q\n1. # z\n", "\xef\xbb\xbf# bom",
	} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, text []byte) { holds(t, "plan.md", text) })
}
