// Package app holds the requests that a person or a program can make, one file each. It knows no flags and
// prints nothing.
package app
