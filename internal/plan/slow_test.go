package plan

import (
	"strings"
	"testing"
)

// TestMany: the time of reading and updating a plan grows no faster than its size, for any shape of
// plan.
func TestMany(t *testing.T) {
	for name, text := range map[string]string{
		"headings.md":  strings.Repeat("#\n", 4000),
		"names.md":     strings.Repeat("# hero\n", 4000),
		"deep.md":      strings.Repeat("###### hero\n##### x\n", 1500),
		"marks.md":     "# hero\n" + strings.Repeat("<!-- TASK-9 [ADD]: x -->\n", 4000),
		"ticks.md":     strings.Repeat("`", 40000) + "\n" + strings.Repeat("` `` ", 4000),
		"sections.tsx": "<App>" + strings.Repeat("<Section/>\n", 4000) + "</App>",
		"names.tsx":    "<App>" + strings.Repeat("<Section name=\"hero\">\n</Section>\n", 4000) + "</App>",
		"deep.tsx":     strings.Repeat("<Section>", 300) + strings.Repeat("</Section>", 300),
		"generic.tsx":  strings.Repeat("const f = <T>(x: T) => x;\n", 4000),
		"comments.tsx": "<App>\n" + strings.Repeat("{/* NO CHANGES for task-9 */}\n", 4000) + "</App>",
		"braces.tsx":   strings.Repeat("{", 100000),
		"tags.tsx":     strings.Repeat("<a ", 100000),
	} {
		holds(t, name, []byte(text))
	}
}
