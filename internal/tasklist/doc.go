// Package tasklist reads tasks from the files of other tools (spec-kit, Task Master, checklists,
// issues) and ticks off a task without changing another byte. It records nothing.
package tasklist
