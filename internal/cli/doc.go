// Package cli contains the commands: their flags and help, one request to package app each, and
// their output.
package cli
