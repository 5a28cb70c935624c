// Package testreport is the model of what a test runner reported, with what reading such output needs:
// encodings, lines, XML, places. The packages below it read one kind each.
package testreport
