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
		c    PathChange
		want string // blocking or not, and why
	}{
		"its work":                     {own, PathChange{Path: "src/own.go"}, "blocking changed by the task"},
		"its work, outside its files":  {own, PathChange{Path: "odd/own.go"}, "blocking changed by the task"},
		"not touched yet, its files":   {own, PathChange{Path: "src/new.go"}, "blocking among the task's files"},
		"expected":                     {own, PathChange{Path: "docs/a.md"}, "blocking named for the task"},
		"a journal it names":           {own, PathChange{Path: "notes/run.jsonl"}, "blocking named for the task"},
		"another's work":               {own, PathChange{Path: "src/theirs.go"}, "benign of T2"},
		"named for another":            {own, PathChange{Path: "src/named.go"}, "benign of T2"},
		"elsewhere":                    {own, PathChange{Path: "web/x.ts"}, "benign not among the task's files"},
		"a review":                     {own, PathChange{Path: ".belay/reviews/_/T1/review-cycle-1.md"}, "benign belay's own"},
		"a journal":                    {free, PathChange{Path: "a/b/status.events.jsonl"}, "benign a journal"},
		"a spec tool's":                {free, PathChange{Path: "kitty-specs/x/tasks/WP01.md"}, "benign kept by a spec tool"},
		"a spec":                       {free, PathChange{Path: "specs/001-x/tasks.md"}, "benign kept by a spec tool"},
		"a source below specs":         {free, PathChange{Path: "specs/login_spec.rb"}, "blocking the task may change anything"},
		"anything, without files":      {free, PathChange{Path: "web/x.ts"}, "blocking the task may change anything"},
		"another's, without files":     {free, PathChange{Path: "src/theirs.go"}, "benign of T2"},
		"renamed away":                 {own, PathChange{Path: "web/own.go", From: "src/own.go", Status: "R"}, "blocking changed by the task"},
		"renamed to":                   {own, PathChange{Path: "src/new.go", From: "web/x.go", Status: "R"}, "blocking among the task's files"},
		"renamed elsewhere":            {own, PathChange{Path: "web/y.go", From: "web/x.go", Status: "R"}, "benign not among the task's files"},
		"a name with a quote and more": {own, PathChange{Path: "src/we\"ird\n\tö.go"}, "blocking among the task's files"},
	} {
		got := Classify([]PathChange{tt.c}, tt.own, others)[0]
		word := "benign "
		if got.Blocking {
			word = "blocking "
		}
		if word+got.Reason != tt.want {
			t.Errorf("%s: %s", name, word+got.Reason)
		}
	}
	all := Classify([]PathChange{{Path: "b.log"}, {Path: "z.go"}, {Path: "a.go"}}, free, nil)
	var order []string
	for _, v := range all {
		order = append(order, v.Path)
	}
	if strings.Join(order, " ") != "a.go z.go b.log" || len(BlockingOnly(all)) != 2 || len(all) != 3 {
		t.Errorf("%v", order)
	}
}
