// Package lint runs linters and makes findings of their remarks on changed lines; it also writes findings as
// SARIF, rdjson and workflow commands.
package lint
