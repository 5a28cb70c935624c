// Package check checks a change and reports findings. There is one check for each subject: scope,
// tests, contract, git's own state, secrets, placeholders, coverage, style. It never decides what
// follows from a finding and never writes to the working tree.
package check
