// Package intent parses a request: requirements, counts, what must stay, files, and ambiguities. It
// opens no file and calls no model.
package intent
