// Package tally says what a scanned tree comes to: the git tree of its files, what a
// manifest says of it, and what two trees of one scan do not share. The sum of a folder
// is kept with it, so that a change costs the folders above it and nothing else.
//
// It reads no file and asks git nothing.
package tally
