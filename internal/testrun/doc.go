// Package testrun finds a project's test command, runs it, reads what it reports, and remembers what the
// tests said before a task.
package testrun
