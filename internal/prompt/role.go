package prompt

import (
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
)

// RoleInput is the data of a pipeline role's prompt. Export is the role's part of the task's
// context; Instructions are from the config.
type RoleInput struct {
	Task         belay.Task
	Role         string
	Before       string // the previous role; "" for the first
	After        string // the next role; "" for the last
	Round        int    // from 1
	ReadOnly     bool
	ReturnReason string // why the work was sent back to it; "" if it was not
	Instructions string
	Export       string
	Plan         PlanMarkers // the plan's markers of the task
	Now          NowFiles    // the files for agents that exist
}

// ExportBlock quotes the export uncut: truncated, it would not be valid JSON.
func (in RoleInput) ExportBlock() string { return BlockWithin("json", in.Export, 1<<20, 4<<20) }

// ReasonBlock quotes why the work was sent back.
func (in RoleInput) ReasonBlock() string { return Block("text", in.ReturnReason) }

// Role returns the prompt for the agent of a role, in Markdown: its role, what it may change, why
// the work was sent back to it, the person's text and the requirements read from it, the role's
// instructions and part of the context, and how to report findings.
func Role(in RoleInput) string {
	if in.ReadOnly {
		in.Now.Summary = false // writing it would be a change
	}
	task := newView(PromptInput{Task: in.Task, Plan: in.Plan, Now: in.Now})
	parts := []string{
		renderSections(in, "role", "role_told", "role_words"),
		renderSections(task, "task", "contract", "plan"),
		renderSections(in, "role_context"),
		renderSections(task, "now"),
		renderSections(in, "role_finish"),
	}
	return strings.Join(slices.DeleteFunc(parts, func(s string) bool { return s == "" }), "\n")
}
