// Package scan reads every path of a working tree side by side, and remembers in a stat cache what need not
// be read again. It changes nothing.
package scan
