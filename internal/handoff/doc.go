// Package handoff keeps a task's context, which its roles hand on to each other: blocks, entries, citations
// of written rules, and the names of what two states differ in.
package handoff
