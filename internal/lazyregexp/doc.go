// Package lazyregexp compiles regular expressions and sets of words on first use. All of them at start-up would cost
// every command milliseconds.
package lazyregexp
