// Package handoff is the context of a task that its roles pass on to each other: blocks, entries,
// citations of written standards, and the names of the differences between two states.
package handoff
