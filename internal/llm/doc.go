// Package llm puts a prompt to a program or to a model, and once more when the answer cannot be read.
package llm
