package testreport

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/lazyregexp"
)

// headSize is the part of a file that is read to detect its format, in bytes.
const headSize = 256 << 10

const formatAdvice = "have the tests write JUnit XML, go test -json or TAP, or name the format with --format"

// Formats returns the names of the formats, in the order of the documentation.
func Formats() []string {
	formats := []string{JUnit, GoTest, TAP, TRX, NUnit, XUnit}
	for _, v := range runnerReaders {
		formats = append(formats, v.format)
	}
	return formats
}

// Read reads a report; format is one of Formats, or "" to detect it by the content. Gzip is
// decompressed, up to maxFile. A report without tests, one that is truncated, and one with
// inconsistent counts are Incomplete, and warnings say why.
//
// The error is a *belay.Error: CodeUsage for an unknown format; CodeCannot if nothing could be
// read, because it is empty, of an unknown format or of another format than named, or r failed
// before the first test.
func Read(r io.Reader, format string) (Report, error) {
	if format != "" && !slices.Contains(Formats(), format) {
		return Report{}, belay.Refuse(belay.CodeUsage, "use one of "+strings.Join(Formats(), ", "),
			"%q is not a test report format", format)
	}
	in, err := unpack(r)
	if err != nil {
		return Report{}, err
	}
	head, err := in.Peek(headSize)
	if len(bytes.Trim(head, " \t\r\n\x00\xef\xbb\xbf\xff\xfe")) == 0 {
		if err != nil && err != io.EOF {
			return Report{}, readError(err)
		}
		return Report{Format: format},
			belay.Refuse(belay.CodeCannot, "check how the tests ended", "the report is empty: it says nothing about any test")
	}
	if format == "" {
		if format, err = detect(head); err != nil {
			return Report{}, err
		}
	}
	limited := &io.LimitedReader{R: in, N: maxFile}
	report, err := readAs(limited, format)
	if limited.N <= 0 {
		report.WarnIncomplete("the report is over %d MiB; the rest was not read", maxFile>>20)
	}
	return checkReport(report, err)
}

// checkReport does the checks that are common to all formats.
func checkReport(r Report, err error) (Report, error) {
	var refused *belay.Error
	switch {
	case errors.As(err, &refused):
		return r, err
	case err != nil && r.Total == 0:
		return r, readError(err)
	case err != nil:
		r.WarnIncomplete("the report could not be read completely: %s", err)
	}
	if err := r.Sound(); err != nil {
		r.WarnIncomplete("the report is inconsistent: %s", err)
	}
	switch {
	case r.Total == 0 && r.Incomplete:
		return r, belay.Refuse(belay.CodeCannot, formatAdvice, "nothing could be read: %s", strings.Join(r.Warnings, "; "))
	case r.Total == 0:
		r.WarnIncomplete("the report has no tests, which does not count as a pass")
	}
	return r, nil
}

func readError(err error) error {
	return &belay.Error{Code: belay.CodeCannot, What: "the report cannot be read", Try: "write it again", Err: err}
}

// unpack returns the content, decompressed if it is gzip.
func unpack(r io.Reader) (*bufio.Reader, error) {
	in := bufio.NewReaderSize(r, headSize)
	head, _ := in.Peek(4)
	switch {
	case bytes.HasPrefix(head, []byte("\x1f\x8b")):
		z, err := gzip.NewReader(in)
		if err != nil {
			return nil, readError(err)
		}
		return bufio.NewReaderSize(z, headSize), nil
	case bytes.HasPrefix(head, []byte("PK\x03\x04")):
		return nil, belay.Refuse(belay.CodeCannot, "unpack it first", "the file is a ZIP archive")
	}
	return in, nil
}

func readAs(r io.Reader, format string) (Report, error) {
	switch format {
	case JUnit:
		return ReadJUnit(r)
	case TRX, NUnit, XUnit:
		report, err := ReadDotNet(r)
		if err == nil && report.Format != format {
			err = belay.Refuse(belay.CodeCannot, "use --format "+report.Format, "the file is not %s but %s", format, report.Format)
		}
		return report, err
	case GoTest:
		return ReadGoTest(r)
	case TAP:
		return readTAP(r)
	case anyPlain:
		report, ok, err := ReadAnyPlain(r)
		if !ok && err == nil {
			err = unknownFormat("")
		}
		return report, err
	}
	return readPlain(format, r)
}

// anyPlain is the detected format if only the complete output can decide.
const anyPlain = "plain"

func unknownFormat(more string) error {
	return belay.Refuse(belay.CodeCannot, formatAdvice, "the file is not a test report in a known format%s", more)
}

var (
	tapVersion  = lazyregexp.New(`(?m)^TAP version \d+\r?$`)
	tapPlan     = lazyregexp.New(`(?m)^1\.\.\d+(?:\s*#.*)?\r?$`)
	tapFirst    = lazyregexp.New(`^(?:not ok\b|ok \d+\b|ok - )`) // only at the very start: tests print such lines, too
	nodeSpec    = lazyregexp.New(`(?m)^ℹ tests \d+\r?$`)
	goTestEvent = lazyregexp.New(`(?m)^\s*\{[^\n]*"Action"\s*:\s*"(?:start|run|pause|cont|pass|bench|fail|output|skip|` +
		`attr|artifacts|build-output|build-fail)"`)
	junitElements = lazyregexp.New(`<(?:\w+:)?test(?:suites?|case|run)[\s/>]`)
)

// detect returns the format for the start of a report: anyPlain if it may be a runner's output. XML
// and JSON that is not a test report is an error (belay.CodeCannot).
func detect(head []byte) (string, error) {
	text := new(strings.Builder)
	io.Copy(text, NewUTF8Reader(bytes.NewReader(head))) // strings.Builder never fails
	s := strings.TrimLeft(text.String(), " \t\r\n\ufffd")
	switch {
	case strings.HasPrefix(s, "<"):
		return detectXML(s)
	case goTestEvent.MatchString(s):
		return GoTest, nil
	case nodeSpec.MatchString(s):
		return anyPlain, nil
	case tapVersion.MatchString(s), tapPlan.MatchString(s), tapFirst.MatchString(s):
		return TAP, nil
	case junitElements.MatchString(s):
		return JUnit, nil
	case strings.HasPrefix(s, "{") || strings.HasPrefix(s, "[{"):
		return "", unknownFormat(": it is other JSON")
	}
	return anyPlain, nil
}

// detectXML returns the format for the root element.
func detectXML(s string) (string, error) {
	name := ""
	_, err := NewXML(strings.NewReader(s)).Each(func(tok xml.Token) error {
		if root, ok := tok.(xml.StartElement); ok {
			name = root.Name.Local
			return io.EOF
		}
		return nil
	})
	var refused *belay.Error
	switch {
	case errors.As(err, &refused):
		return "", err
	case dotnetDialects[name].format != "":
		return dotnetDialects[name].format, nil
	case strings.HasPrefix(name, "test"), name == "" && junitElements.MatchString(s):
		return JUnit, nil
	case name == "":
		return "", unknownFormat(": its XML cannot be read")
	}
	return "", unknownFormat(fmt.Sprintf(": it begins with <%s>", Clip(PlainText(name), 60)))
}
