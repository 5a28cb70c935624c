// Package plain parses the text that test runners print for people, where there is no
// better report: pytest, cargo test, node:test, Maven's Surefire, go test. It uses the
// runner's own totals and the failures it names, and guesses nothing: where the two do not
// agree, or the totals are missing, the report is Incomplete. It touches no file.
package plain

import (
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/belay-dev/belay/internal/testreport"
)

// voice listens to a stream for what one runner says.
type voice interface {
	line(string)
	// sum gives the report, and whether the runner spoke at all.
	sum() (testreport.Report, bool)
}

func voiceOf(format string) voice {
	switch format {
	case testreport.Pytest:
		return newPytest()
	case testreport.Cargo:
		return newCargo()
	case testreport.Node:
		return newNode()
	case testreport.Maven:
		return newMaven()
	case testreport.Go:
		return newGo()
	case testreport.Jest:
		return &jest{}
	case testreport.Vitest:
		return &vitest{}
	case testreport.Mocha:
		return &mocha{}
	case testreport.AVA:
		return &ava{}
	case testreport.Jasmine:
		return &jasmine{}
	case testreport.RSpec:
		return &rspec{}
	case testreport.Minitest:
		return &minitest{}
	case testreport.Unittest:
		return &unittest{}
	case testreport.PHPUnit:
		return &phpunit{}
	case testreport.Dotnet:
		return &dotnet{}
	}
	return nil
}

// Formats are the formats that Read knows.
func Formats() []string {
	return []string{testreport.Pytest, testreport.Cargo, testreport.Node, testreport.Maven, testreport.Go,
		testreport.Jest, testreport.Vitest, testreport.Mocha, testreport.AVA, testreport.Jasmine, testreport.RSpec,
		testreport.Minitest, testreport.Unittest, testreport.PHPUnit, testreport.Dotnet}
}

// Read reads a stream to its end as the output of the runner format names. The error is
// r's own; a runner that does not speak in it makes an Incomplete report.
func Read(format string, r io.Reader) (testreport.Report, error) {
	v := voiceOf(format)
	if v == nil {
		return testreport.Report{}, errors.New(format + " is not a plain output format")
	}
	err := listen(r, v)
	report, spoke := v.sum()
	if !spoke {
		report.Lack("the output has no summary of %s: it may have been cut short", format)
	}
	report.SayFlaky()
	return report, err
}

// Any reads the output of a program that may be one of the known runners. ok is false
// unless exactly one of them speaks in it: a runner's tests may well print what another
// runner prints.
func Any(r io.Reader) (report testreport.Report, ok bool, err error) {
	var voices []voice
	for _, f := range Formats() {
		voices = append(voices, voiceOf(f))
	}
	err = listen(r, voices...)
	for _, v := range voices {
		one, spoke := v.sum()
		if !spoke {
			continue
		}
		if ok {
			return testreport.Report{}, false, err
		}
		report, ok = one, true
	}
	report.SayFlaky()
	return report, ok, err
}

func listen(r io.Reader, voices ...voice) error {
	in := testreport.NewLines(testreport.NewText(r))
	for {
		line, err := in.Next()
		if errors.Is(err, testreport.ErrLong) {
			continue // no runner's summary is that long
		}
		for text := range strings.SplitSeq(strings.TrimRight(testreport.Plain(string(line)), "\n"), "\n") {
			if len(line) == 0 {
				break
			}
			for _, v := range voices {
				v.line(strings.TrimRight(testreport.Clip(text, maxLine), " \t"))
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

const (
	mostNames  = 50_000 // failures held
	mostPasses = 100_000
	maxLine    = 8 << 10 // bytes of a line that are looked at
	mostSaid   = 16 << 10
)

// tally holds failures by their names, each once, and what was said of them.
type tally struct {
	at   map[string]int
	list []*failure

	passes, skips []string // what is named of it
}

// pass notes the name of a test that passed, skip that of one which was skipped. They count
// where there are as many as the runner says.
func (t *tally) pass(name string) { note(&t.passes, name) }
func (t *tally) skip(name string) { note(&t.skips, name) }

func note(list *[]string, name string) {
	if len(*list) < mostPasses {
		*list = append(*list, testreport.Clip(name, 2000))
	}
}

type failure struct {
	testreport.Failure
	broke bool
	said  strings.Builder
}

// add returns the failure of that name, new or not; nil when there are too many.
func (t *tally) add(name string, broke bool) *failure {
	if t.at == nil {
		t.at = map[string]int{}
	}
	if strings.TrimSpace(name) == "" {
		name = "a test without a name"
	}
	i, known := t.at[name]
	if !known {
		if len(t.list) >= mostNames {
			return nil
		}
		i = len(t.list)
		t.at[name] = i
		t.list = append(t.list, &failure{Failure: testreport.Failure{Test: testreport.Clip(name, 2000)}, broke: broke})
	}
	return t.list[i]
}

func (t *tally) get(name string) *failure {
	if i, ok := t.at[name]; ok {
		return t.list[i]
	}
	return nil
}

func (f *failure) say(line string) {
	if f != nil && f.said.Len() < mostSaid {
		f.said.WriteString(line + "\n")
	}
}

// counts are a runner's own sums.
type counts struct{ passed, failed, errors, skipped, flaky int }

// report puts sums and names together. A failure that is counted and not named, or
// named and not counted, makes the report Incomplete; what is named counts.
func (t *tally) report(format string, c counts) testreport.Report {
	r := testreport.Report{Format: format}
	var failed, broke int
	for _, f := range t.list {
		if r.Room() && f.Message == "" {
			f.Message = testreport.Ends(f.said.String())
		}
		if f.File == "" {
			f.File, f.Line = testreport.FirstPlace(f.Message)
		}
		r.Fail(f.Failure, f.broke)
		if f.broke {
			broke++
		} else {
			failed++
		}
	}
	if failed != c.failed || broke != c.errors {
		r.Lack("the summary counts %s, and %d are named", failures(c.failed+c.errors), failed+broke)
	}
	r.Failed, r.Errors = max(failed, c.failed), max(broke, c.errors)
	r.Passed, r.Skipped, r.Flaky = c.passed, c.skipped, min(c.flaky, c.passed)
	r.Total = r.Passed + r.Failed + r.Errors + r.Skipped
	if len(t.passes) == r.Passed {
		for _, name := range t.passes {
			r.PassNamed(name)
		}
		if len(t.skips) == r.Skipped {
			for _, name := range t.skips {
				r.SkipNamed(name)
			}
		}
	}
	return r
}

func failures(n int) string {
	if n == 1 {
		return "1 failure"
	}
	return strconv.Itoa(n) + " failures"
}

// number reads a count; what is not a count of tests is 0.
func number(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 || n > 1<<30 {
		return 0
	}
	return n
}
