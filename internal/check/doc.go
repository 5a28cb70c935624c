// Package check puts one question each to a change and answers with findings: scope, tests, contract, git's
// own state, secrets, placeholders, coverage, style.
package check
