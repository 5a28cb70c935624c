package prompt

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	east "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"

	"github.com/belay-dev/belay/internal/belay"
)

// hostile are texts with a meaning for a forge, and names that break a table.
var hostile = []string{
	"a | b", `a \| b`, `a \\| b`, "a `code` b", "``` fence", "# heading", "- item", "1. item", "> quote", "===", "---", "+ plus",
	"[link](http://evil.example)", "![image](http://evil.example/x.png)", "http://evil.example", "https://evil.example/a_b_c",
	"www.evil.example", "WWW.evil.example", "ann@evil.example", "@ann", "closes #12", "owner/repo#12", "!34", "$56", "~label", "%milestone",
	"<b>bold</b>", "<!-- hidden -->", "<script>alert(1)</script>", "&lt;i&gt;", "*bold* _em_ ~~gone~~", "$x^2$", "a\nb\n\n# c", "\u202ereversed", "\x1b[31mred",
	"mailto:a@b.c", "xmpp:a@b.c", "\\", "a\\", "`", "|", "~~~", "	tab", "a  \nb", "[x]: http://evil.example", "[^1]", "- [ ] box", "&#124;", "&commat;ann",
}

// asForge parses a document as forges do.
func asForge(t *testing.T, doc string) (ast.Node, []byte) {
	t.Helper()
	source := []byte(doc)
	return goldmark.New(goldmark.WithExtensions(extension.GFM, extension.Footnote)).Parser().Parse(text.NewReader(source)), source
}

// TestInlineIsOnlyText: any text is shown unchanged, in a table's cell, a list and a quotation.
func TestInlineIsOnlyText(t *testing.T) {
	for _, s := range hostile {
		for name, doc := range map[string]string{
			"cell":  "| a | b |\n|---|---|\n| " + Inline(s) + " | " + Path(s) + " |\n",
			"item":  "- " + Inline(s) + "\n- " + Path(s) + "\n",
			"quote": "> " + Inline(s) + "\n",
		} {
			root, source := asForge(t, doc)
			cells := 0
			_ = ast.Walk(root, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
				if !entering {
					return ast.WalkContinue, nil
				}
				switch n := n.(type) {
				case *ast.Link, *ast.AutoLink, *ast.Image, *ast.Heading, *ast.Emphasis, *ast.HTMLBlock, *ast.FencedCodeBlock, *ast.CodeBlock, *ast.ThematicBreak:
					t.Errorf("%s of %q: %s in %q", name, s, n.Kind(), doc)
				case *ast.RawHTML:
					if raw := string(n.Segments.Value(source)); raw != separator && raw != "<code>" && raw != "</code>" {
						t.Errorf("%s of %q: %s in %q", name, s, raw, doc)
					}
				case *east.TableCell:
					cells++
				case *east.Strikethrough, *east.TaskCheckBox, *east.FootnoteLink:
					t.Errorf("%s of %q: %s in %q", name, s, n.Kind(), doc)
				}
				return ast.WalkContinue, nil
			})
			if name == "cell" && cells != 4 {
				t.Errorf("%q makes %d cells of 4: %q", s, cells, doc)
			}
			if name != "quote" {
				continue
			}
			var html bytes.Buffer
			if err := goldmark.New(goldmark.WithExtensions(extension.GFM)).Convert(source, &html); err != nil {
				t.Fatal(err)
			}
			shown := strings.NewReplacer("<!-- raw HTML omitted -->", "", "<blockquote>\n<p>", "", "</p>\n</blockquote>\n", "",
				"&lt;", "<", "&gt;", ">", "&quot;", `"`, "&amp;", "&").Replace(html.String())
			if want := belay.VisibleLine(strings.TrimSpace(s)); shown != want {
				t.Errorf("%q is shown as %q", want, shown)
			}
		}
	}
}

// TestMentionsAreKeptApart: no mention or reference is in the rendered text, where a forge looks
// for them.
func TestMentionsAreKeptApart(t *testing.T) {
	for _, s := range []string{"@ann", "x @ann", "#12", "repo#12", "!34", "ann@example.org"} {
		sign := strings.IndexAny(s, "@#!")
		if got := Inline(s); !strings.Contains(got, s[sign:sign+1]+separator) {
			t.Errorf("%q becomes %q", s, got)
		}
	}
	for _, s := range []string{"a & b", "50 %", "C# is", "one, two: three", "f(x) = 1", "src/a.go:12"} {
		if got := Inline(s); strings.Contains(got, separator) {
			t.Errorf("%q becomes %q", s, got)
		}
	}
}

func sample(files, attempts int) Pull {
	yes, no := true, false
	task := PullTask{ID: "T7", Title: "Add a --since flag", Status: "passed (3 attempts, 1 rollback)", Accepted: true,
		Request: "Add a --since flag.\n\nKeep the order of the entries. Do not touch the parser.", Rollbacks: 1, Retries: 2, Used: "$0.40, 12k tokens",
		Requirements: []belay.Met{{Marker: "ADD", Text: "a --since flag", Verdict: belay.MetYes, Evidence: []string{"since, cmd/log.go:12"}}},
		Checks:       []PullCheck{{"scope", "pass", "2 files"}, {"tests", "pass", "299 passed"}},
		Tests:        &PullTests{"297 tests: 297 passed before the task", belay.TestCount{Total: 299, Passed: 299, Fixed: 1}},
		Reviews:      []PullReview{{3, "spec", 92, 80, "approve", []belay.Aligned{{Check: "file_scope", Passed: &yes}, {Check: "tests", Passed: &no}, {Check: "logic"}}}},
		Overrides:    []Override{{2, "ann", "cross_scope", "the failing test is T9's", time.Date(2026, 11, 24, 8, 0, 0, 0, time.UTC)}},
		Decisions:    []Decision{{1, "guide", "ann", "use the clock in ctx"}},
		Agents:       []PullAgent{{"agent", "claude", []string{"sonnet"}, "2.1"}},
		Provenance:   Provenance{strings.Repeat("a", 40), strings.Repeat("b", 40), strings.Repeat("c", 64), 29},
	}
	for i := range files {
		task.Changes = append(task.Changes, PullChange{belay.Change{Path: fmt.Sprintf("cmd/file%d.go", i), Status: "M", Added: i}, "ADD a --since flag"})
	}
	for i := range attempts {
		task.Attempts = append(task.Attempts, PullAttempt{N: i + 1, Start: "retry", Ended: "exit 0", Verdict: "fail", Then: "rollback", Guidance: "look at ctx.",
			Reasons: []string{"b.txt: outside the task's files (scope)"}})
	}
	return Pull{Title: task.Title, Tasks: []PullTask{task}, Belay: "1.0"}
}

// TestPullSaysAll: each section, and its required content.
func TestPullSaysAll(t *testing.T) {
	got, cut := sample(2, 3).Markdown(65536)
	if cut {
		t.Error("a short text was cut")
	}
	for _, want := range []string{"`T7` Add a --since flag", "> Keep the order of the entries.", "| `cmd/file1.go` | +1 | -0 | ADD a --since flag |",
		"| ADD: a --since flag | shown: since, cmd/log.go:12 |", "| 2 | retry | exit 0 |", "outside the task's files", "| scope | pass | 2 files |",
		"297 tests: 297 passed before the task; now 299 passed, 0 failed", "- 1 failed before the task, and pass now", "92/100 (at least 80)", "file\\_scope pass<br>tests fail<br>logic not answered",
		"Attempt 2 was accepted despite its rejection by ann", "**cross\\_scope**: the failing test is T9's", "Gate 1: **guide** by ann: use the clock in ctx",
		"rolled back and tried again", "$0.40, 12k tokens", "`claude` 2.1, model sonnet", strings.Repeat("b", 40), "entry 29, SHA-256 `" + strings.Repeat("c", 64) + "`"} {
		if !strings.Contains(got, want) && !strings.Contains(strings.NewReplacer(`\`, "", separator, "").Replace(got), want) {
			t.Errorf("no %q in:\n%s", want, got)
		}
	}
	short := sample(2, 3).CommitMessage()
	want := "\n\nBelay-Task: T7\nBelay-Before: " + strings.Repeat("a", 40) + "\nBelay-After: " + strings.Repeat("b", 40) + "\nBelay-Record: " + strings.Repeat("c", 64) + " 29\n"
	if !strings.HasPrefix(short, "Add a --since flag\n\n") || !strings.HasSuffix(short, want) {
		t.Errorf("%s", short)
	}
	for line := range strings.Lines(short) {
		if len(line) > 73 && !strings.HasPrefix(line, "Belay-") {
			t.Errorf("a long line: %s", line)
		}
	}
}

// TestTemplateHasTheSections: the template has the sections of a pull request, in the same order.
func TestTemplateHasTheSections(t *testing.T) {
	sections := func(text string) (list []string) {
		for line := range strings.Lines(text) {
			if strings.HasPrefix(line, "### ") {
				list = append(list, line)
			}
		}
		return list
	}
	whole, _ := sample(2, 3).Markdown(0)
	if is, want := sections(PullTemplate()), sections(whole); !slices.Equal(is, want) || len(is) != 12 {
		t.Errorf("%q, and a pull request has %q", is, want)
	}
}

// TestPullFits: for any size, the text is within the limit, has only complete lines, and says where
// the rest is.
func TestPullFits(t *testing.T) {
	for _, size := range []struct{ files, attempts, asked int }{{5000, 3, 1}, {10, 900, 1}, {3000, 900, 2000}, {10, 2, 9000}} {
		p := sample(size.files, size.attempts)
		p.Tasks[0].Request = strings.Repeat("Do this one thing 😀. ", size.asked)
		whole, _ := p.Markdown(0)
		lines := map[string]bool{}
		for line := range strings.Lines(whole) {
			lines[strings.TrimSpace(line)] = true
		}
		for _, limit := range []int{65536, 20000, 8000} {
			got, cut := p.Markdown(limit)
			if utf16Length(got) > limit || cut != (utf16Length(whole) > limit) {
				t.Errorf("%+v: %d characters of %d, cut %v", size, utf16Length(got), limit, cut)
			}
			for line := range strings.Lines(got) {
				if line = strings.TrimSpace(line); !lines[line] && !strings.Contains(line, "more line") && !strings.Contains(line, "Shortened") {
					t.Errorf("%+v, %d: not a line of the complete text: %q", size, limit, line)
				}
			}
			if cut && !strings.Contains(got, "`belay ") || !strings.Contains(got, "SHA-256") {
				t.Errorf("%+v, %d: no pointer, or no provenance", size, limit)
			}
		}
	}
	small := sample(3, 2)
	for limit := 400; limit < 2200; limit += 11 {
		if got, _ := small.Markdown(limit); utf16Length(got) > limit {
			t.Errorf("%d characters of %d", utf16Length(got), limit)
		}
	}
	many := Pull{Title: "login", Feature: "login"}
	for range 400 {
		many.Tasks = append(many.Tasks, sample(3, 1).Tasks...)
	}
	if got, cut := many.Markdown(65536); utf16Length(got) > 65536 || !cut || !strings.Contains(got, "belay pr login --limit 0") {
		t.Errorf("a feature: %d characters", utf16Length(got))
	}
}

// TestRequestWithoutSentences: a long line is cut after a word, and the text says so.
func TestRequestWithoutSentences(t *testing.T) {
	t.Parallel()
	for _, words := range []int{600, 2000} {
		got := strings.Join(quoteLines(strings.Repeat("word ", words)), "\n")
		if n := strings.Count(got, "word"); n < 450 || !strings.Contains(got, "shortened") {
			t.Errorf("%d of %d words:\n%s", n, words, got)
		}
	}
	if got := quoteLines(strings.Repeat("word ", 100)); len(got) != 1 {
		t.Errorf("%q", got)
	}
}

// TestPullHasNoSecrets: in no field and no form.
func TestPullHasNoSecrets(t *testing.T) {
	const token = "ghp_" + "Zq81LmTx0VbNw3RkYs7EuJd52PfHgCa4Xo9i"
	p := sample(1, 1)
	task := &p.Tasks[0]
	p.Title, task.Title, task.Request, task.Status = token, token, "use "+token+" for it", "failed: "+token
	task.Attempts[0].Reasons, task.Attempts[0].Guidance, task.Attempts[0].Note = []string{"found " + token}, token, token
	task.Overrides[0].Note, task.Decisions[0].Note, task.Changes[0].Path, task.Changes[0].Purpose = token, token, token+".txt", token
	task.Checks[0].Summary, task.Agents[0].Models = token, []string{token}
	markdown, _ := p.Markdown(65536)
	for _, text := range []string{markdown, p.CommitMessage()} {
		if plain := strings.NewReplacer(`\`, "", separator, "").Replace(text); strings.Contains(plain, token) || !strings.Contains(plain, "masked") {
			t.Errorf("a secret is in:\n%s", text)
		}
	}
}

// FuzzInline: any text gives one line and does not break a table's row.
func FuzzInline(f *testing.F) {
	for _, s := range hostile {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, got := range []string{Inline(s), Path(s)} {
			if strings.ContainsAny(got, "\n|") {
				t.Errorf("%q becomes %q", s, got)
			}
		}
	})
}
