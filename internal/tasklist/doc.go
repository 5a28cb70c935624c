// Package tasklist reads tasks in the files of other tools (spec-kit, task master, checklists, issues) and
// ticks one off without changing another byte.
package tasklist
