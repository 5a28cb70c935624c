// Package lazyregexp makes regular expressions and sets of words when they are first used: of a whole program
// they would cost every command milliseconds before its first line runs.
package lazyregexp
