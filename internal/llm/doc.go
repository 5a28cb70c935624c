// Package llm sends a prompt to a program or a model, and asks once more if the answer cannot be parsed. It
// does not interpret the answer.
package llm
