package belay_test

import (
	"go/ast"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// unwanted lists words that readers find hard to understand, and what to write instead.
var unwanted = []struct{ words, instead string }{
	{`mend(s|ed|ing)?`, "fix"},
	{`put(s|ting)? (\S+ ){0,4}back`, "restore, roll back"},
	{`(is|are|was|were|be|been|stays?) held|held as|holds? (the|its|a) (\w+ )?(state|present|tree)`, "snapshot, save, keep"},
	{`go(es|ing)? on|went on`, "continue"},
	{`in vain|all the same|no more than that`, "without effect, anyway"},
	{`as it (is|stands|was)`, "unchanged, as written"},
	{`whose|with many hands|what is (wanted|meant)`, "of which, in parallel, the task"},
	{`the state before|the present( state)?`, "the before snapshot, the current state"},
	{`(refuse[sd]?|refusing|refusal of) (the |this |its |that |a )?(work|attempts?|change)|(work|attempt|change)s? (\S+ )?(is|was|were|are) refused|refused (by|work)`, "reject"},
	{`(lies?|stands?) (in|at|on|there|below|beside|outside|before|between|inside)`, "is"},
	{`comes? to|(be|is|are|was) taken for|held against`, "becomes, treated as, counted against"},
	{`parks?|parked|parking`, "pause"},
	{`house|floors?|doors?|desk|rope`, "architecture, layer, integration, session"},
	{`words of (the|a|your|its) (request|task)`, "the text of the request"},
	{`looked (for|at|through) by`, "name who does it"},
	{`[a-z]+\((s|es|ies)\)`, "the right number: 1 file, 2 files"},
}

// unspoken are the unwanted words that comments must not use either.
var unspoken = regexp.MustCompile(`\b(mend(s|ed|ing)?|in vain)\b`)

// TestPlainWords checks that unwanted words do not occur in what people and agents read: text in
// the code, package comments and documents.
func TestPlainWords(t *testing.T) {
	t.Parallel()
	var all []string
	for _, u := range unwanted {
		all = append(all, u.words)
	}
	find := regexp.MustCompile(`(?i)(^|[^\w-])(` + strings.Join(all, "|") + `)($|[^\w-])`)
	look := func(at, text string) {
		for line := range strings.Lines(text) {
			if m := find.FindStringSubmatch(line); m != nil {
				t.Errorf("%s: %q in: %s", at, m[2], strings.TrimSpace(line))
			}
		}
	}
	docs, err := filepath.Glob("docs/*.md")
	if err != nil {
		t.Fatal(err)
	}
	docs = slices.DeleteFunc(docs, func(doc string) bool {
		return doc == "docs/sentences.md" || doc == "docs/checks.evidence.md" // they quote old sentences and other programs
	})
	for _, doc := range append(docs, "README.md", "CONTRIBUTING.md", "CHANGELOG.md") {
		text, err := os.ReadFile(doc)
		if os.IsNotExist(err) {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		if !notYet[doc] {
			look(doc, string(text))
		}
	}
	for _, f := range sources(t) {
		if f.test || notYet[f.pkg] {
			continue
		}
		look(f.path, f.file.Doc.Text())
		for _, c := range f.file.Comments {
			if m := unspoken.FindString(c.Text()); m != "" {
				t.Errorf("%s: %q in a comment", f.fset.Position(c.Pos()), m)
			}
		}
		if lexicons[f.path] {
			continue
		}
		ast.Inspect(f.file, func(n ast.Node) bool {
			lit, ok := n.(*ast.BasicLit)
			if !ok || lit.Kind != token.STRING {
				return true
			}
			if text, err := strconv.Unquote(lit.Value); err == nil && !kept[text] && len(strings.Fields(text)) > 3 { // shorter ones are often lists
				look(f.fset.Position(lit.Pos()).String(), text)
			}
			return true
		})
	}
}

// lexicons are files with words and phrases that belay recognizes in what people write.
var lexicons = map[string]bool{
	"internal/check/contract_words.go": true,
	"internal/count/words.go":          true,
	"internal/intent/doubt.go":         true,
	"internal/intent/doubts.go":        true,
	"internal/intent/nounish.go":       true,
	"internal/intent/settle.go":        true,
	"internal/intent/small.go":         true,
	"internal/intent/stays.go":         true,
	"internal/intent/subject.go":       true,
	"internal/intent/verbs.go":         true,
	"internal/plan/terms.go":           true,
}

// kept are texts that cannot be reworded, because an earlier version stored them or they belong to
// another project.
var kept = map[string]bool{
	"the present, for a diff":        true,
	"accepts %d arg(s), received %d": true,
	`"accepts 2 arg(s), received 3"`: true,
}

// notYet are folders and documents that the test does not check yet.
var notYet = map[string]bool{}
