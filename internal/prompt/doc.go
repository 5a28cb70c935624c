// Package prompt writes every text about a task that an agent or a person reads: prompts, tables,
// feedback, the file in which a task is edited.
package prompt
