package review

import (
	"strings"
	"testing"

	"github.com/belay-dev/belay/internal/belay"
)

func TestClassify(t *testing.T) {
	t.Parallel()
	own := Owner{Task: "T1", Scope: belay.Scope{Files: []string{"src/**", "notes/run.jsonl"}, Expect: []string{"docs/a.md"}}, Touched: map[string]bool{"src/own.go": true, "odd/own.go": true}}
	others := []Owner{{Task: "T2", Scope: belay.Scope{Files: []string{"src/named.go", "src/**"}}, Touched: map[string]bool{"src/theirs.go": true, "src/own.go": true}}}
	free := Owner{Task: "T1"}
	for name, tt := range map[string]struct {
		own  Owner
		c    Change
		want string // blocking or benign, and why
	}{
		"its work":                     {own, Change{Path: "src/own.go"}, "blocking changed by the task"},
		"its work, outside its files":  {own, Change{Path: "odd/own.go"}, "blocking changed by the task"},
		"not touched yet, its files":   {own, Change{Path: "src/new.go"}, "blocking among the task's files"},
		"expected":                     {own, Change{Path: "docs/a.md"}, "blocking named for the task"},
		"a journal it names":           {own, Change{Path: "notes/run.jsonl"}, "blocking named for the task"},
		"another's work":               {own, Change{Path: "src/theirs.go"}, "benign of T2"},
		"named for another":            {own, Change{Path: "src/named.go"}, "benign of T2"},
		"elsewhere":                    {own, Change{Path: "web/x.ts"}, "benign not among the task's files"},
		"a review":                     {own, Change{Path: ".belay/reviews/_/T1/review-cycle-1.md"}, "benign belay's own"},
		"a journal":                    {free, Change{Path: "a/b/status.events.jsonl"}, "benign a journal"},
		"a spec tool's":                {free, Change{Path: "kitty-specs/x/tasks/WP01.md"}, "benign kept by a spec tool"},
		"a spec":                       {free, Change{Path: "specs/001-x/tasks.md"}, "benign kept by a spec tool"},
		"a source below specs":         {free, Change{Path: "specs/login_spec.rb"}, "blocking the task may change anything"},
		"anything, without files":      {free, Change{Path: "web/x.ts"}, "blocking the task may change anything"},
		"another's, without files":     {free, Change{Path: "src/theirs.go"}, "benign of T2"},
		"renamed away":                 {own, Change{Path: "web/own.go", From: "src/own.go", Status: "R"}, "blocking changed by the task"},
		"renamed to":                   {own, Change{Path: "src/new.go", From: "web/x.go", Status: "R"}, "blocking among the task's files"},
		"renamed elsewhere":            {own, Change{Path: "web/y.go", From: "web/x.go", Status: "R"}, "benign not among the task's files"},
		"a name with a quote and more": {own, Change{Path: "src/we\"ird\n\tö.go"}, "blocking among the task's files"},
	} {
		got := Classify([]Change{tt.c}, tt.own, others)[0]
		word := "benign "
		if got.Blocking {
			word = "blocking "
		}
		if word+got.Why != tt.want {
			t.Errorf("%s: %s", name, word+got.Why)
		}
	}
	all := Classify([]Change{{Path: "b.log"}, {Path: "z.go"}, {Path: "a.go"}}, free, nil)
	var order []string
	for _, v := range all {
		order = append(order, v.Path)
	}
	if strings.Join(order, " ") != "a.go z.go b.log" || len(Blocked(all)) != 2 || len(all) != 3 {
		t.Errorf("%v", order)
	}
}
