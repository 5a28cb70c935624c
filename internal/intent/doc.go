// Package intent reads what a person's words ask for: requirements, counts, what is to stay, which files are
// meant, and what can be read in more than one way. It touches no file and asks no model.
package intent
