// Package intent parses a request: requirements, counts, what must stay, files, and ambiguities. It touches
// no file and calls no model.
package intent
