package plan

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/intent"
)

const vibrant = `<App name="VIBRANT ENERGY" description="Energy drink landing page">
  <Theme mood="industrial" seed={140} pattern="triadic">
    <Typography hero="4xl bold white tight" labels="xs uppercase tracking-widest" />
    <Rule no="hardcoded colors" />
  </Theme>

  <Screen name="landing" layout="full-bleed">
    <Content>
      <Section gumdrop="hero">
      </Section>

      <Section gumdrop="features" cols={5}>
        {/* 8 flavors of drinks */}
      </Section>

      <Section gumdrop="cta" />
    </Content>
  </Screen>

  <Screen name="store">
  </Screen>
</App>
`

func readMarked(t testing.TB, name, text string) *Plan {
	t.Helper()
	p, err := Read(name, []byte(text))
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return p
}

func workOf(id belay.TaskID, msg string, files ...string) Work {
	req, _ := intent.Parse(intent.Input{Text: msg, PlanExists: true, Files: files})
	return Work{Task: id, Request: req, Prose: msg}
}

func counted(n int) *int { return &n }

// marked formats the markers that an update adds as "section: marker".
func marked(u Update) []string {
	var out []string
	for _, l := range u.Added {
		out = append(out, l.Section+": "+l.Text)
	}
	return out
}

func TestUpdate(t *testing.T) {
	p := readMarked(t, "plan.tsx", vibrant)
	u, err := UpdatePlan(p, workOf("T3", "Refine the ad copy in the hero and the CTA. Add 2 nighttime drinks to the features section. Keep the store page as it is.", "src/HeroSection.tsx"))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{
		"landing/hero: TASK-3 [MODIFY]: Refine the ad copy in the hero and the CTA",
		"landing/features: TASK-3 [ADD]: (2) Add 2 nighttime drinks to the features section",
		"landing/features: PRESERVED for task-3: what is there already — do not remove or convert",
		"landing/cta: TASK-3 [MODIFY]: Refine the ad copy in the hero and the CTA",
		"store: NO CHANGES for task-3",
		"store: PRESERVED for task-3: the store page — do not remove or convert",
	}
	if got := marked(u); !slices.Equal(got, want) {
		t.Errorf("added\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for _, l := range []string{
		"      <Section gumdrop=\"hero\">\n        {/* TASK-3 [MODIFY]: Refine the ad copy in the hero and the CTA */}\n      </Section>\n",
		"      {/* TASK-3 [MODIFY]: Refine the ad copy in the hero and the CTA */}\n      <Section gumdrop=\"cta\" />\n",
		"  <Screen name=\"store\">\n    {/* NO CHANGES for task-3 */}\n",
	} {
		if !strings.Contains(string(u.Text), l) {
			t.Errorf("the text lacks\n%s\nin\n%s", l, u.Text)
		}
	}
}

// TestPlacing: which sections a requirement is about, and which requirements stay unplaced.
func TestPlacing(t *testing.T) {
	notes := "# Plan\n\n## Hero\n\nThe copy is loud.\n\n## Flavors\n\n- Ember\n- Arctic drinks\n\n## Store\n\n### Hero\n\nsmall\n\n### Checkout\n\nuses `src/pay.ts` and <PayForm/>\n"
	for _, c := range []struct {
		name, plan, msg string
		want            string
	}{
		{"by name", "plan.tsx", "Remove the call to action from the CTA", "1 landing/cta"},
		{"by content", "plan.tsx", "add 2 more drinks for nighttime", "1 landing/features"},
		{"a block", "plan.tsx", "the mood is not working", "1 theme"},
		{"a screen for what is new in it", "plan.tsx", "Add a testimonials section to the landing screen", "1 landing"},
		{"nothing fits", "plan.tsx", "Add a login with google", "1 -"},
		{"by file", "plan.tsx", "Fix src/HeroSection.tsx, it crashes", "1 landing/hero 2 landing/hero"},
		{"goes on", "plan.tsx", "Refine the hero! More contrast please.", "1 landing/hero 2 landing/hero"},
		{"two of one name", "plan.md", "Make the hero smaller", "1 ?plan/hero,plan/store/hero"},
		{"told apart by what it is in", "plan.md", "Make the hero of the store smaller", "1 plan/store/hero"},
		{"both", "plan.md", "Make both heroes smaller", "1 plan/hero plan/store/hero"},
		{"by symbol", "plan.md", "Fix the PayForm, it loses the amount", "1 plan/store/checkout"},
		{"by a file it names", "plan.md", "Fix the rounding in src/pay.ts", "1 plan/store/checkout"},
	} {
		t.Run(c.name, func(t *testing.T) {
			text := vibrant
			if c.plan == "plan.md" {
				text = notes
			}
			p := readMarked(t, c.plan, text)
			asked, _, err := Find(p, workOf("T1", c.msg, "src/HeroSection.tsx", "src/pay.ts"))
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, a := range asked {
				got = append(got, fmt.Sprint(a.Number))
				for _, m := range a.Matches {
					got = append(got, p.Sections[m.Section].Path)
				}
				if len(a.Matches) == 0 {
					got = append(got, map[bool]string{true: "-", false: "?" + strings.Join(a.Hints, ",")}[len(a.Hints) == 0])
				}
			}
			if g := strings.Join(got, " "); g != c.want {
				t.Errorf("%q is in %q, want %q (%+v)", c.msg, g, c.want, asked)
			}
		})
	}
}

// TestFiles: an affected file decides where no name does, and does not overrule a name.
func TestFiles(t *testing.T) {
	r := belay.Request{Requirements: []belay.Requirement{{Marker: "ADD", Text: "a testimonials part for the landing screen"}}, Affected: []string{"src/HeroSection.tsx"}}
	p := readMarked(t, "plan.tsx", vibrant)
	for text, want := range map[string]string{"a testimonials part for the landing screen": "landing", "a part for testimonials": "landing/hero"} {
		r.Requirements[0].Text = text
		placed, _, err := Find(p, Work{Task: "T1", Request: r, Prose: text})
		if err != nil || len(placed[0].Matches) != 1 || p.Sections[placed[0].Matches[0].Section].Path != want {
			t.Errorf("%q: %+v, %v, want %s", text, placed, err, want)
		}
	}
}

// TestEarlierTasks: markers of earlier tasks in a section count as its text.
func TestEarlierTasks(t *testing.T) {
	text := strings.Replace(vibrant, "        {/* 8 flavors of drinks */}\n", "        {/* TASK-3 [ADD]: 2 nighttime drink flavors */}\n", 1)
	u, err := UpdatePlan(readMarked(t, "plan.tsx", text), workOf("T4", "add 2 more drinks for nighttime"))
	if got := marked(u); err != nil || len(got) == 0 || !slices.Contains(got, "landing/features: TASK-4 [ADD]: (2) add 2 more drinks for nighttime") {
		t.Errorf("added %q, %v", got, err)
	}
}

// TestSaid: a person's pin decides the section, also of one with NO CHANGES.
func TestSaid(t *testing.T) {
	w := workOf("T3", "Add 2 drinks to the features. Add a login with google.")
	u, err := UpdatePlan(readMarked(t, "plan.tsx", vibrant), w)
	if err != nil {
		t.Fatal(err)
	}
	if un := u.Unplaced(); len(un) != 1 || un[0].Number != 2 {
		t.Fatalf("unplaced %+v", un)
	}
	w.Pins = map[int][]string{2: {"hero"}}
	u, err = UpdatePlan(readMarked(t, "plan.tsx", string(u.Text)), w)
	if err != nil {
		t.Fatal(err)
	}
	if len(u.Dropped) != 1 || u.Dropped[0].Section != "landing/hero" || u.Dropped[0].Marker != belay.MarkNoChanges {
		t.Errorf("dropped %+v", u.Dropped)
	}
	if got := marked(u); len(got) != 2 || got[0] != "landing/hero: TASK-3 [ADD]: Add a login with google" {
		t.Errorf("added %q", got)
	}
	w.Pins = map[int][]string{2: {"nowhere"}}
	if _, err = UpdatePlan(readMarked(t, "plan.tsx", vibrant), w); belay.CodeOf(err) != belay.CodeNotFound {
		t.Errorf("a section that is not there: %v", err)
	}
}

// TestNothingPlaced: if nothing can be marked, the plan is unchanged, byte for byte.
func TestNothingPlaced(t *testing.T) {
	u, err := UpdatePlan(readMarked(t, "plan.tsx", vibrant), workOf("T3", "Add a login with google"))
	if err != nil || string(u.Text) != vibrant || len(u.Added) > 0 || len(u.Unplaced()) != 1 {
		t.Errorf("%+v, %v", u, err)
	}
}

// piece draws a plan of either format with every irregularity that plans have: line ends, a byte
// order mark, a last line without an end, tabs, several tags on one line, code around them.
func piece(t *rapid.T) (name, text string) {
	eol := rapid.SampledFrom([]string{"\n", "\r\n", "\r"}).Draw(t, "eol")
	var b strings.Builder
	if rapid.Bool().Draw(t, "bom") {
		b.WriteString("\xef\xbb\xbf")
	}
	name = rapid.SampledFrom([]string{"plan.tsx", "plan.md"}).Draw(t, "name")
	if name == "plan.md" {
		drawMarkdown(t, &b)
	} else {
		drawTSX(t, &b)
	}
	text = strings.ReplaceAll(b.String(), "\n", eol)
	if rapid.Bool().Draw(t, "cut") {
		text = strings.TrimRight(text, "\r\n")
	}
	return name, text
}

var topics = []string{"hero", "features", "store page", "checkout", "FlavorGrid", "theme", "footer", "opening hours"}

func drawMarkdown(t *rapid.T, b *strings.Builder) {
	for range rapid.IntRange(1, 12).Draw(t, "parts") {
		topic := rapid.SampledFrom(topics).Draw(t, "topic")
		b.WriteString(rapid.SampledFrom([]string{
			"# " + topic + "\n", "## " + topic + " ##\n\n", "### " + topic + "\ntext\n", topic + "\n===\n", topic + "\n---\n", "\n", "text about " + topic + "\n\n",
			"- a\n- " + topic + "\n", "```\n# " + topic + "\n```\n", "<!-- about " + topic + " -->\n", "> # " + topic + "\n", "    # code\n", "\t\n", "| a | b |\n|---|---|\n| 1 | 2 |\n",
			"<!-- TASK-9 [ADD]: old -->\n", "a <!-- NO CHANGES for task-9 -->\n", "<div>\n# " + topic + "\n</div>\n\n", "- [ ] `<!-- TASK-3 [ADD]: code -->`\n", "## `x` **" + topic + "** {#" + Slug(topic) + "}\n",
		}).Draw(t, "part"))
	}
}

func drawTSX(t *rapid.T, b *strings.Builder) {
	b.WriteString(rapid.SampledFrom([]string{"", "import { App } from '@x/y'\n\n", "export default (\n", "// a plan\n", "const x: Array<Foo> = [1 < 2, /[<]/, `a${1}`];\nexport const p = ("}).Draw(t, "head"))
	open := strings.Contains(b.String(), "(\n") || strings.HasSuffix(b.String(), "(")
	unit := rapid.SampledFrom([]string{"  ", "\t", "    ", ""}).Draw(t, "unit")
	b.WriteString("<App>\n")
	for range rapid.IntRange(1, 5).Draw(t, "screens") {
		drawElement(t, b, "Screen", unit, 1)
	}
	b.WriteString("</App>")
	if open {
		b.WriteString("\n)")
	}
	b.WriteString("\n")
}

func drawElement(t *rapid.T, b *strings.Builder, tag, unit string, depth int) {
	in := strings.Repeat(unit, depth)
	attr := fmt.Sprintf(`%s=%q`, rapid.SampledFrom([]string{"name", "id", "gumdrop"}).Draw(t, "attr"), rapid.SampledFrom(topics).Draw(t, "topic"))
	if rapid.IntRange(0, 9).Draw(t, "nameless") == 0 {
		attr = ""
	}
	open := "<" + tag + " " + attr
	kids := func() {
		for range rapid.IntRange(0, 3).Draw(t, "kids") {
			if depth < 4 {
				drawElement(t, b, rapid.SampledFrom([]string{"Section", "Section", "Content", "Theme", "p"}).Draw(t, "tag"), unit, depth+1)
			}
		}
		b.WriteString(rapid.SampledFrom([]string{"", "", in + "some text about drinks\n", "\n", in + "{/* a note */}\n", in + "{list.map((x) => <Section name={x} />)}\n", in + "{ok && (\n" + in + "<Section gumdrop=\"cta\" />\n)}\n",
			in + "{/* TASK-9 [FIX]: old */}\n", in + "{[\n" + in + "  <Section id=\"one\" />,\n" + in + "  <Section id=\"two\"><b/></Section>,\n]}\n"}).Draw(t, "inner"))
	}
	switch rapid.IntRange(0, 7).Draw(t, "shape") {
	case 0:
		b.WriteString(in + open + " />\n")
	case 1:
		b.WriteString(in + open + "/>")
	case 2:
		b.WriteString(in + open + "\n" + in + unit + "cols={5}\n" + in + "/>\n")
	case 3:
		b.WriteString(in + open + "></" + tag + ">\n")
	case 4:
		b.WriteString(in + open + "><p>x</p>\n" + in + "</" + tag + ">\n")
	case 5:
		b.WriteString(in + open + ">text")
		kids()
		b.WriteString("</" + tag + ">\n")
	case 6:
		b.WriteString(in + open + " /* TASK-9 [ADD]: in the tag */ render={() => <Section name=\"inner\" />}>  \n")
		kids()
		b.WriteString("</" + tag + ">\n")
	default:
		b.WriteString(in + open + ">\n")
		kids()
		b.WriteString(in + "</" + tag + ">\n")
	}
}

// TestUpdateIsAddition: for any plan and any request, removing the new markers restores the plan
// byte for byte, a second update changes nothing, and the sections and the markers of other tasks
// stay unchanged.
func TestUpdateIsAddition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		name, text := piece(t)
		p, err := Read(name, []byte(text))
		if err != nil {
			t.Fatalf("%v in\n%s", err, text)
		}
		w := drawWork(t)
		u, err := UpdatePlan(p, w)
		if err != nil {
			t.Fatalf("%v for\n%s", err, text)
		}
		again, err := Read(name, u.Text)
		if err != nil {
			t.Fatalf("%v in\n%s", err, u.Text)
		}
		if back := again.StripMarkers(func(m Marker) bool { return m.Problem != "" || !m.NamesTask(w.Task) }); !bytes.Equal(back, p.Text()) {
			t.Fatalf("without its markers the plan is\n%q\nit was\n%q\nupdated\n%s", back, p.Text(), u.Text)
		}
		if len(again.Sections) != len(p.Sections) {
			t.Fatalf("%d sections, there were %d", len(again.Sections), len(p.Sections))
		}
		for i := range p.Sections {
			if p.Sections[i].Path != again.Sections[i].Path || p.Sections[i].Name != again.Sections[i].Name {
				t.Fatalf("section %s became %s", p.Sections[i].Path, again.Sections[i].Path)
			}
		}
		twice, err := UpdatePlan(again, w)
		if err != nil || !bytes.Equal(twice.Text, u.Text) || len(twice.Added)+len(twice.Dropped) > 0 {
			t.Fatalf("updated twice it is\n%s\nonce\n%s\n%v", twice.Text, u.Text, err)
		}
		if want := len(again.MarkersFor(w.Task)) - len(p.MarkersFor(w.Task)); want != len(u.Added) {
			t.Fatalf("%d added, %d listed", want, len(u.Added))
		}
	})
}

// TestTableInAHeading: goldmark parses underlined lines as a table and keeps the first line as the
// heading. Markers go below the underline, which is below the table.
func TestTableInAHeading(t *testing.T) {
	const heading = "Pricing\n| a | b |\n|---|---|\n| 1 | 2 |\nhero\n===\n"
	u, err := UpdatePlan(readMarked(t, "plan.md", heading+"# other\n"), workOf("T3", "Change the text of the pricing section."))
	if err != nil || !strings.HasPrefix(string(u.Text), heading+"<!-- ") {
		t.Errorf("%v:\n%s", err, u.Text)
	}
}

func drawWork(t *rapid.T) Work {
	w := Work{Task: rapid.SampledFrom([]belay.TaskID{"T3", "fix-login", "a--b", "US1.2"}).Draw(t, "task"), Pins: map[int][]string{}}
	for range rapid.IntRange(0, 4).Draw(t, "requirements") {
		r := belay.Requirement{
			Marker: rapid.SampledFrom([]belay.Marker{"ADD", "MODIFY", "FIX", "REMOVE"}).Draw(t, "marker"),
			Text: rapid.SampledFrom([]string{"more ", "the ", "*/ --> ", "(2) ", "— ", "two drinks in ", "`x` ", "\x1b[31m\u2028 "}).Draw(t, "words") +
				rapid.SampledFrom(append(topics, "nothing of it", "text", "-->", "--")).Draw(t, "about"),
		}
		if rapid.Bool().Draw(t, "counted") {
			r.Count = counted(rapid.IntRange(0, 9).Draw(t, "count"))
		}
		w.Request.Requirements = append(w.Request.Requirements, r)
		w.Prose += r.Text + " and the " + rapid.SampledFrom(topics).Draw(t, "more") + ". "
	}
	for range rapid.IntRange(0, 2).Draw(t, "kept") {
		w.Request.Preserve = append(w.Request.Preserve, "the "+rapid.SampledFrom(topics).Draw(t, "stays"))
	}
	return w
}

// TestLongPlan: an update of a plan of 500 lines changes only marker lines.
func TestLongPlan(t *testing.T) {
	text := long(500)
	u, err := UpdatePlan(readMarked(t, "plan.tsx", text), workOf("T7", "Add 3 cards to section 42. Change the text of section 17. Leave section 3 alone."))
	if err != nil || len(u.Added) < 100 {
		t.Fatalf("%d lines, %v", len(u.Added), err)
	}
	old := strings.Split(text, "\n")
	for _, l := range strings.Split(string(u.Text), "\n") {
		if len(old) > 0 && l == old[0] {
			old = old[1:]
			continue
		}
		m, ok := ParseMarker(strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(l), "{/*"), "*/}"))
		if !ok || m.Problem != "" || !m.NamesTask("T7") {
			t.Fatalf("%q is neither an old line nor a marker", l)
		}
	}
	if len(old) > 0 {
		t.Fatalf("%d old lines are missing, the first %q", len(old), old[0])
	}
}

// long returns a plan.tsx of about n lines.
func long(n int) string {
	var b strings.Builder
	b.WriteString("<App name=\"long\">\n")
	for i := 1; i <= n/4; i++ {
		fmt.Fprintf(&b, "  <Section name=\"s%c%d\" title=\"section %d\" cols={%d}>\n    words of it <Card title=\"a\" />\n  </Section>\n\n", 'a'+i%26, i, i, i)
	}
	b.WriteString("</App>\n")
	return b.String()
}

// BenchmarkRead and BenchmarkUpdate read and mark a plan of 500 lines.
func BenchmarkRead(b *testing.B) {
	for name, text := range longs() {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				readMarked(b, name, text)
			}
		})
	}
}

func BenchmarkUpdate(b *testing.B) {
	w := workOf("T7", "Add 3 cards to section 42. Change the text of section 17. Leave section 3 alone.")
	for name, text := range longs() {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				if _, err := UpdatePlan(readMarked(b, name, text), w); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func longs() map[string]string {
	var b strings.Builder
	for i := 1; i <= 125; i++ {
		fmt.Fprintf(&b, "## Section %d\n\n- words of it, and a card\n- another one\n", i)
	}
	return map[string]string{"plan.tsx": long(500), "plan.md": b.String()}
}
