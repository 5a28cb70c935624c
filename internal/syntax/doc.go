// Package syntax tokenizes source as far as the checks need it: words, strings and comments of nine
// languages, a file before and after with its new lines, and the lines that a patch adds. It reads no
// files.
package syntax
