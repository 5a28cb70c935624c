// Package telemetry makes OpenTelemetry traces, metrics and logs of a task's record and sends them as OTLP/JSON
// over HTTP. What it makes is a function of the record alone, so that sending again gives the same ids. It never
// changes a record, and has no prompt, code, file name or command in what it makes unless asked.
package telemetry
