// Package count finds the lists in source and text, tells which of them a requirement means, and what became
// of it between two states. It never guesses a number.
package count
