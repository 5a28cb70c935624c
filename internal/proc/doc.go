// Package proc runs commands within a time and ends everything that they started.
package proc
