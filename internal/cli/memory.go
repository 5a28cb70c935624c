package cli

import "runtime/debug"

// frugal is above what reading the largest report or review holds.
const frugal = 192 << 20

// Frugal keeps the process at some 200 MB. Belay collects garbage late, since most
// commands live for a moment; one that reads whatever it is given may live longer.
func Frugal() { debug.SetMemoryLimit(frugal) }
