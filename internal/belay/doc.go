// Package belay is the domain: IDs, tasks, requests, scopes, policies, findings, verdicts, errors
// with their exit codes, and the notations people write: path patterns, command lines, sizes,
// times. It accesses no file, process or clock.
package belay
