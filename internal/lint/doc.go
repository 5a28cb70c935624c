// Package lint runs linters and turns their remarks on changed lines into findings. It also writes findings
// as SARIF, rdjson and workflow commands. It never edits the working tree.
package lint
