// Package testreport is the model of a test report and the helpers for parsing one: encodings, lines, XML,
// source positions. The packages below it each parse one format. It runs nothing.
package testreport
