package prompt

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
)

// RoleInput is what a role of a pipeline is told from. Export is its part of the task's
// context; Words are the config's for it.
type RoleInput struct {
	Task     belay.Task
	Role     string
	Before   string // the role that handed over to it; "" for the first
	After    string // the role that comes next; "" for the last
	Round    int    // from 1
	ReadOnly bool
	Told     string // why the work came back to it; "" when it did not
	Words    string
	Export   string
	Plan     Marked // the plan's markers of the task
	Now      Now    // the files for agents that are there
}

// Part quotes the export whole: cut, it would be no JSON.
func (in RoleInput) Part() string { return Within("json", in.Export, 1<<20, 4<<20) }

// Reason quotes why the work came back.
func (in RoleInput) Reason() string { return Block("text", in.Told) }

// Role is the text that the agent of a role starts with, in Markdown: who it is, what it
// may do, why the work came back to it, the person's words and what was read from them, its
// own words and part of the context, and how it reports what has to be fixed.
func Role(in RoleInput) string {
	if in.ReadOnly {
		in.Now.Summary = false // writing it would be a change
	}
	task := viewOf(PromptInput{Task: in.Task, Plan: in.Plan, Now: in.Now})
	parts := []string{
		sections(in, "role", "role_told", "role_words"),
		sections(task, "task", "contract", "plan"),
		sections(in, "role_context"),
		sections(task, "now"),
		sections(in, "role_finish"),
	}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), "\n")
}
