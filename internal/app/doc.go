// Package app contains the use cases of belay, one file each, for the command line, the web page and MCP. It parses no
// flags and prints nothing.
package app
