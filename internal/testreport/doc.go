// Package testreport reads test reports into one model: JUnit XML, go test -json, TAP, the XML of
// .NET's runners, and what runners print for people. Read detects the format from the content,
// compressed or not. Reports may be truncated, interleaved, huge or forged: a report with missing
// information is Incomplete, and nothing is guessed. The package runs no test and opens no file.
//
// Each file reads one format: junit.go, gotest.go, tap.go, dotnet.go, and plain_*.go for output
// without a report, where the runner's own totals and the failures that it names must agree.
package testreport
