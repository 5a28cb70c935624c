// Package syntax tokenizes source as far as the checks and counting need it: words, strings and
// comments, a file before and after with its new lines, and the lines that a patch adds. It reads no
// files.
package syntax
