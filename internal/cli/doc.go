// Package cli holds the commands: flags and help, one request to package app each, and what is printed of the
// answer.
package cli
