// Package telemetry converts a task's record to OpenTelemetry traces, metrics and logs and sends
// them as OTLP/JSON over HTTP. They are a function of the record, so that sending again gives the
// same IDs. They contain no prompt, code, file name or command unless Options.Content is set. It
// never changes a record.
package telemetry
