// Package testrun finds a project's test command, runs it, parses its report, and caches the baseline: the
// results from before a task.
package testrun
