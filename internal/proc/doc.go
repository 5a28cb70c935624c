// Package proc runs commands with a time limit and ends every process that they started. It does not know
// what the commands are for.
package proc
