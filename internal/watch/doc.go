// Package watch runs the helper process that hears from the kernel what changed in a working tree, so that
// takes in large trees are quick.
package watch
