// Package telemetry makes OpenTelemetry traces, metrics and logs of a task's record and sends them as OTLP/JSON
// over HTTP. They are a function of the record, so that sending again gives the same IDs. They contain no prompt,
// code, file name or command unless asked. It never changes a record.
package telemetry
