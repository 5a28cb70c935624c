// Package testdiff reports what a change does to tests: which are deleted, skipped or renamed, which assert
// less than before, and which expect other values. It runs nothing.
package testdiff
