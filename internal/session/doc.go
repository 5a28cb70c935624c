// Package session is belay opened in one working tree: its folders, the records of tasks, who works in the
// tree, and who changed what.
package session
