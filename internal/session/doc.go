// Package session is belay opened in one working tree: its folders, the records of tasks, the locks
// of the tree, and which changes the agent, the checks or a person made.
package session
