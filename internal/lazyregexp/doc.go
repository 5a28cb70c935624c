// Package lazyregexp compiles regular expressions and sets of words on first use. Compiling all of
// them at start-up would cost every command milliseconds.
package lazyregexp
