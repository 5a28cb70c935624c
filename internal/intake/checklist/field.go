package checklist

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/intake"
	"github.com/belay-dev/belay/internal/intake/mention"
	"github.com/belay-dev/belay/internal/intake/page"
	"github.com/belay-dev/belay/internal/lazyregexp"
)

var (
	// field is a line that says what kind of thing follows: "Files:", "**Dependencies**: T1".
	field = lazyregexp.New(`(?i)^[*_]*(files?(?:\(s\))?(?: to (?:create|modify|change|touch|edit)(?:/\w+)?)?|owned files|affected files|depends(?: on)?|dependencies|dependency|blocked by|acceptance(?: criteria)?|success criteria|definition of done|requirements?|validates|tests?|status)[*_]*\s*:[*_]*\s*(.*)$`)
	// toCheck are headings whose boxes are looked at, not worked off, in a file whose tasks
	// have ids.
	toCheck = lazyregexp.New(`(?i)checklist|criteria|definition of done|verification|validation|sign-?off|acceptance|\bgates?\b|review|success metrics|summary|before (?:you )?(?:commit|start|mark)`)
	// closed are the steps that say that the whole task is done.
	closed = lazyregexp.New(`(?i)^[*_]*(?:task\s+)?(?:completed?|done|finished|status)[*_]*(?:\s*[:.!]|\s*$)`)
	// aside are lines about the work rather than of it.
	aside = lazyregexp.New(`(?i)^[*_]*(?:estimate|stories|type|owner|priority|parallel\??|notes?|validates|purpose|agent|assignee|effort)[*_]*\s*:`)
	ended = lazyregexp.New(`(?i)^[*_\x60]*(?:✅|\[x\]\s*)?\s*(?:complete|completed|done|finished|implemented|closed|merged)\b|^✅`)
)

func kindOf(word string) string {
	low := strings.ToLower(word)
	switch {
	case strings.Contains(low, "file"):
		return "files"
	case strings.HasPrefix(low, "dep") || strings.HasPrefix(low, "block"):
		return "depends"
	case strings.HasPrefix(low, "accept") || strings.HasPrefix(low, "success") || strings.HasPrefix(low, "definition"):
		return "acceptance"
	case strings.HasPrefix(low, "requirement") || low == "validates":
		return "requirements"
	case strings.HasPrefix(low, "test"):
		return "tests"
	}
	return "status"
}

// read takes in a line of a task's body.
func (t *draft) read(l page.Line) {
	if l.Kind == page.Fence || l.Kind == page.Comment {
		return
	}
	words := l.Words
	kind := ""
	if m := field.FindStringSubmatch(words); m != nil {
		kind, words = kindOf(m[1]), strings.Trim(strings.TrimSpace(m[2]), "*_")
		if t.label = ""; words == "" {
			t.label = kind
		}
	} else if l.Kind == page.Item {
		if kind = t.label; closed.MatchString(words) {
			kind, t.label = "status", ""
		}
	} else if l.Kind == page.Text && strings.HasSuffix(strings.TrimRight(words, "*_ "), ":") {
		t.label = ""
	}
	if l.Box.State != page.NoBox && l.Kind == page.Item {
		t.Steps = append(t.Steps, intake.Step{Text: l.Words, Done: l.Box.State == page.Done, Line: l.N})
		if kind == "acceptance" {
			t.accept = append(t.accept, l.N)
		}
	}
	if kind == "" && !aside.MatchString(words) {
		t.ask = append(t.ask, "- "+words)
	}
	t.take(kind, words)
}

func (t *draft) take(kind, words string) {
	add := func(list *[]string, more ...string) {
		for _, s := range more {
			if s != "" && !slices.Contains(*list, s) {
				*list = append(*list, s)
			}
		}
	}
	switch kind {
	case "files":
		if found := mention.Files(words); len(found) > 0 {
			if !t.Declared {
				t.Declared, t.Files = true, nil
			}
			add(&t.Files, found...)
		}
	case "tests":
		add(&t.Tests, mention.Files(words)...)
	case "acceptance":
		add(&t.Acceptance, words)
	case "requirements":
		for one := range strings.SplitSeq(words, ",") {
			add(&t.Requirements, strings.TrimSpace(one))
		}
	case "status":
		t.status = words
	case "":
		if !t.Declared {
			add(&t.Files, mention.Files(words)...)
		}
	}
}
