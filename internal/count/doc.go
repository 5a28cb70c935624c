// Package count finds the lists in source and text, decides which list a requirement refers to, and
// compares it before and after a change. It reports unknown rather than guess a number.
package count
