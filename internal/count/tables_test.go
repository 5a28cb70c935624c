package count

import (
	"fmt"
	"strings"
	"testing"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// shape formats each block of a text: its kind, position and lines.
func shape(tables util.PrioritizedValue, source string) string {
	p := parser.NewParser(parser.WithBlockParsers(parser.DefaultBlockParsers()...), parser.WithInlineParsers(parser.DefaultInlineParsers()...),
		parser.WithParagraphTransformers(append(parser.DefaultParagraphTransformers(), tables)...))
	var b strings.Builder
	_ = ast.Walk(p.Parse(text.NewReader([]byte(source))), func(n ast.Node, enter bool) (ast.WalkStatus, error) {
		if !enter || n.Type() == ast.TypeInline {
			return ast.WalkContinue, nil
		}
		fmt.Fprintf(&b, "%s %d %v", n.Kind(), n.Pos(), n.Attributes())
		for i := range n.Lines().Len() {
			line := n.Lines().At(i)
			fmt.Fprintf(&b, " %q", line.Value([]byte(source)))
		}
		b.WriteString("\n")
		return ast.WalkContinue, nil
	})
	return b.String()
}

var tableTexts = []string{
	"| a | b |\n|---|:-:|\n| 1 | 2 |\n| 3 |\n| 4 | 5 | 6 |\n",
	"text above\nand more\n| a | b |\n|---|---|\n| 1 | 2 |\ntext below\n\nafter\n",
	"a | b\n:-- | --:\n`x \\| y` | \\|\n",
	"- item\n\n  | a |\n  | - |\n  | b |\n",
	"> | a | b |\n> | - | - |\n> | c |\n",
	"a\n-\n", "a\n--\n", "|a|\n|-\n|b\n", "| a | b |\n|---|\n", "| a |\n| - | x\n", "||\n|-|\n", "| a\n  \t| -\n", "|\n|\n", "a|b\n-|-\n\n-|-\n",
	"| a |\n    | - |\n", "x\n|a|\n|:|\n", "  |\ta |\n|-|\n\t|b|\n", "a\r\n|-|\r\nb\r\n", "|a|\n-|-|\n",
}

func TestTables(t *testing.T) {
	if got := shape(Tables(), tableTexts[0]); strings.Count(got, "TableCell") != 8 || strings.Count(got, "TableRow") != 3 {
		t.Errorf("read as\n%s", got)
	}
	for _, source := range tableTexts {
		want := shape(util.Prioritized(extension.NewTableParagraphTransformer(), 200), source)
		if got := shape(Tables(), source); got != want {
			t.Errorf("%q is read as\n%sby goldmark as\n%s", source, got, want)
		}
	}
}

func FuzzTables(f *testing.F) {
	for _, source := range tableTexts {
		f.Add(source)
	}
	f.Fuzz(func(t *testing.T, source string) {
		want := shape(util.Prioritized(extension.NewTableParagraphTransformer(), 200), source)
		if got := shape(Tables(), source); got != want {
			t.Errorf("%q is read as\n%sby goldmark as\n%s", source, got, want)
		}
	})
}
