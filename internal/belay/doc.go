// Package belay holds the types of the domain: ids, tasks, requests, scopes, policies, findings, verdicts,
// and errors with their exit codes; and how people write them: path patterns, command lines, sizes, times. It
// touches no file, process or clock.
package belay
