// Package syntax reads source as far as checks need it: words, strings and comments of eight languages, a
// file before and after with its new lines, and the lines that a patch adds.
package syntax
