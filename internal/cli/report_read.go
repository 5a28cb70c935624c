package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/fsroot"
	"github.com/belay-dev/belay/internal/terminal"
	"github.com/belay-dev/belay/internal/testreport"
)

// reportFile is one parsed report. No field is left out of the JSON.
type reportFile struct {
	Path string `json:"path"`
	testreport.Report
	Flaky      int             `json:"flaky"`
	Failures   []reportFailure `json:"failures"`
	Warnings   []string        `json:"warnings"`
	Incomplete bool            `json:"incomplete"`
}

type reportFailure struct {
	Test    string `json:"test"`
	File    string `json:"file"`
	Line    int    `json:"line"`
	Message string `json:"message"`
}

func (a reportFamily) readCommand() *cobra.Command {
	var format string
	c := &cobra.Command{
		Use: "read FILE...", Short: "Count the tests in reports and list the failures", Args: cobra.MinimumNArgs(1),
		Long: `Read prints how many tests each file has, how many passed, failed, had an error or were
skipped, and lists the failures. It detects the format; a file may be compressed with
gzip, and "-" is standard input. It needs no repository.

Formats: ` + strings.Join(testreport.Formats(), ", ") + `.
docs/reports.md explains how tests are counted. A report that has no tests, or that was
truncated, is never a pass: its warnings say so.

Exit codes: 0 read, whatever the tests did · 2 nothing could be read.`,
		Example: `  belay report read target/surefire-reports/TEST-*.xml
  go test -json ./... | belay report read - --json
  belay report read results.xml.gz --format junit`,
		RunE: func(c *cobra.Command, args []string) error {
			all := make([]reportFile, 0, len(args))
			var firstBad error
			read := 0
			for _, name := range args {
				one, err := a.readReport(name, format)
				if belay.CodeOf(err) == belay.CodeUsage {
					return err
				}
				if all = append(all, one); err == nil {
					read++
				} else if firstBad == nil {
					firstBad = err
				}
			}
			var err error
			if read == 0 {
				err = firstBad
			}
			return a.PrintResult(all, err, func(w io.Writer) { printReports(w, all) })
		},
	}
	c.Flags().StringVar(&format, "format", "", "read the files in this `FORMAT` (default: detected)")
	return c
}

// readReport reads one file. If that fails, the error is also in the warnings.
func (a reportFamily) readReport(name, format string) (reportFile, error) {
	report, err := a.parseReport(name, format)
	one := reportFile{Path: name, Report: report, Flaky: report.Flaky, Incomplete: report.Incomplete,
		Failures: []reportFailure{}, Warnings: []string{}}
	for _, f := range report.Failures {
		one.Failures = append(one.Failures, reportFailure{f.Test, f.File, f.Line, f.Message})
	}
	if err != nil {
		one.Incomplete = true
		one.Warnings = append(one.Warnings, err.Error())
		return one, err
	}
	one.Warnings = append(one.Warnings, report.Warnings...)
	return one, nil
}

func (a reportFamily) parseReport(name, format string) (testreport.Report, error) {
	if name == "-" {
		return testreport.Read(a.In, format)
	}
	// O_NONBLOCK, because opening a FIFO would wait for a writer.
	f, err := os.OpenFile(fsroot.From(a.Dir, name), os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return testreport.Report{}, openError(name, err)
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || info.IsDir() {
		return testreport.Report{}, belay.Refuse(belay.CodeCannot, "name the files in it", "%s is a folder", name)
	}
	return testreport.Read(f, format)
}

func openError(name string, err error) error {
	var path *os.PathError
	if errors.As(err, &path) {
		err = path.Err
	}
	return &belay.Error{Code: belay.CodeCannot, What: "cannot read " + name, Try: "check its path and permissions", Err: err}
}

// printReports prints the counts of every file, then failures and warnings.
func printReports(w io.Writer, all []reportFile) {
	rows := [][]string{{"", "format", "total", "passed", "failed", "errors", "skipped"}}
	for _, f := range all {
		row := []string{f.Path, f.Format}
		for _, n := range []int{f.Total, f.Passed, f.Failed, f.Errors, f.Skipped} {
			row = append(row, fmt.Sprint(n))
		}
		rows = append(rows, row)
	}
	terminal.PrintTable(w, rows)
	p := terminal.PaintFor(w)
	for _, f := range all {
		for _, one := range f.Failures {
			where := ""
			if one.File != "" {
				where = " (" + belay.VisibleLine(belay.At(one.File, one.Line)) + ")"
			}
			fmt.Fprintf(w, "%s %s%s\n", p.Bad("failed"), belay.VisibleLine(one.Test), where)
		}
		for _, said := range f.Warnings {
			fmt.Fprintf(w, "%s %s: %s\n", p.Warn("note"), belay.VisibleLine(f.Path), belay.VisibleLine(said))
		}
	}
}
