// Package belay is the domain: ids, tasks, requests, scopes, policies, findings, verdicts, errors with
// their exit codes, and the notations people write: path patterns, command lines, sizes, times. It touches
// no file, process or clock.
package belay
