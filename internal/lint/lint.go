package lint

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/belay-dev/belay/internal/belay"

	"github.com/belay-dev/belay/internal/proc"
	"github.com/belay-dev/belay/internal/testreport"
	"github.com/belay-dev/belay/internal/testrun"

	"github.com/belay-dev/belay/internal/config"
)

// Output is stored through Input.Logs; changes of the working tree by a linter are reverted through
// Input.Guard.

// Name is the name of the check.
const Name = "lint"

// ChangedVar is the environment variable with the path of a file that lists the remaining changed
// files, one on each line, for linters that need not read all files.
const ChangedVar = "BELAY_CHANGED"

const defaultGrace = time.Second

// Input configures a run of the linters.
type Input struct {
	Root    string   // the work tree in which they run
	Env     []string // KEY=value; nil is the environment of this process
	Linters []belay.Linter
	May     *config.Gate   // decides whether each of them may run
	Changes []belay.Change // what the task changed
	All     bool           // also counts remarks on unchanged lines
	// FindAdded returns a function that reports whether the change added a line of a file from
	// first to last; not used with All.
	FindAdded func() (func(path string, first, last int) bool, error)
	// Guard records the state of the tree; settle returns what changed in it since, and reverts
	// that if possible. nil guards nothing.
	Guard func(context.Context) (settle func(context.Context) (Edits, error), err error)
	// Logs stores an attachment and returns its sha256; nil stores nothing.
	Logs  func(name string, r io.Reader) (string, error)
	Grace time.Duration // between SIGTERM and SIGKILL; 0 is one second
}

// Edits are the changes of the tree while the linters ran.
type Edits struct {
	Paths    []string
	Reverted bool // they were reverted
}

// Run runs the linters one after the other until ctx ends. An error on a changed line rejects the
// work. The verdict is unknown if a linter could not run or finish, or its report could not be
// read, except for a linter that was only detected: it was not asked for, so it does not block the
// work.
func Run(ctx context.Context, in Input) belay.CheckResult {
	switch {
	case len(in.Linters) == 0:
		return belay.Skipped(Name, "no linter: set linters.NAME.command")
	case len(remainingFiles(in.Changes)) == 0:
		return belay.Skipped(Name, "no changed files to lint")
	}
	w := lintRun{in: in, tree: newTree(in.Root), statusByPath: map[string]string{}}
	for _, c := range in.Changes {
		w.statusByPath[c.Path] = c.Status
	}
	var settle func(context.Context) (Edits, error)
	var err error
	if in.Guard != nil {
		if settle, err = in.Guard(ctx); err != nil {
			return belay.Unknown(Name, "could not record the state of the working tree: "+err.Error())
		}
	}
	for _, l := range in.Linters {
		w.runLinter(ctx, l)
	}
	if settle != nil {
		w.settleEdits(ctx, settle)
	}
	return w.checkResult()
}

// remainingFiles returns the changed files that still exist.
func remainingFiles(changes []belay.Change) (paths []string) {
	for _, c := range changes {
		if c.Status != "D" && !strings.ContainsAny(c.Path, "\n") {
			paths = append(paths, c.Path)
		}
	}
	return paths
}

// lintRun is one run of all linters.
type lintRun struct {
	in             Input
	tree           fileTree
	statusByPath   map[string]string // status of each changed path
	wasAdded       func(path string, first, last int) bool
	remarks        []locatedRemark
	found          []belay.Finding
	failureReasons []string // failures of linters that were asked for
	skippedReasons []string // failures of detected linters
	logs           strings.Builder
	ran            int
	suppressed     int // remarks that the project has suppressed
	edits          int
}

// locatedRemark is a remark with its linter and effective severity.
type locatedRemark struct {
	remark   Remark
	linter   string
	severity belay.Severity
}

// runLinter runs one linter and reads its report.
func (w *lintRun) runLinter(ctx context.Context, l belay.Linter) {
	if ctx.Err() != nil {
		w.noteFailure(l, "no time left to run it")
		return
	}
	may, err := w.in.May.Tests(l.TestCommand)
	if err != nil {
		// also for a detected one: nothing was checked
		w.failureReasons = append(w.failureReasons, l.Name+": not run: "+err.Error())
		return
	}
	dir, err := os.MkdirTemp("", "belay-lint-")
	if err != nil {
		w.noteFailure(l, "could not create a folder for its report: "+err.Error())
		return
	}
	defer os.RemoveAll(dir)
	changed := filepath.Join(dir, "changed")
	if err := os.WriteFile(changed, []byte(strings.Join(remainingFiles(w.in.Changes), "\n")+"\n"), 0o600); err != nil {
		w.noteFailure(l, "could not write the list of changed files: "+err.Error())
		return
	}
	before := fileStamp(w.in.Root, l.Report)
	var all proc.HeadTail
	out, errs := newReportReader(l.Format), newReportReader(Text)
	defer out.finish()
	defer errs.finish()
	p := proc.Program{
		Command: may, Dir: w.in.Root, Env: proc.Environ(w.in.Env, w.in.Root, ChangedVar+"="+changed, testrun.ReportsVar+"="+dir),
		Stdout: io.MultiWriter(&all, out), Stderr: io.MultiWriter(&all, errs), Grace: w.in.grace(),
	}
	end := p.Run(ctx)
	fmt.Fprintf(&w.logs, "$ %s\n", l)
	io.Copy(&w.logs, all.Reader())
	fmt.Fprintf(&w.logs, "\n[%s]\n", end)
	if why := failureReason(ctx, end, &all); why != "" {
		w.noteFailure(l, why)
		return
	}
	report, err := w.readReport(l, dir, before, out, errs)
	w.addReport(l, report, err, end, all.Last(2<<10))
}

func (in Input) grace() time.Duration {
	if in.Grace > 0 {
		return in.Grace
	}
	return defaultGrace
}

// failureReason returns why the linter's exit gives no result, "" if it does.
func failureReason(ctx context.Context, end proc.Ending, all *proc.HeadTail) string {
	switch {
	case end.Cut:
		return "it " + unfinishedReason(ctx)
	case end.Failed != nil:
		return "could not run: " + end.Failed.Error()
	case end.Code == 126, end.Code == 127:
		return "could not run: " + lastLine(all.Last(2<<10), end)
	case end.Signal != 0:
		return "it " + end.String()
	}
	return ""
}

func unfinishedReason(ctx context.Context) string {
	switch cause := context.Cause(ctx); {
	case cause == nil, errors.Is(cause, context.DeadlineExceeded):
		return "did not finish in time"
	case errors.Is(cause, context.Canceled):
		return "was interrupted before it finished"
	default:
		return cause.Error() // names the limit
	}
}

func lastLine(text string, end proc.Ending) string {
	text = strings.TrimSpace(testreport.LastLines(text))
	if last := strings.TrimSpace(text[strings.LastIndexByte(text, '\n')+1:]); last != "" {
		return testreport.Clip(last, 300)
	}
	return "it " + end.String()
}

// noteFailure records that a linter gave no result.
func (w *lintRun) noteFailure(l belay.Linter, why string) {
	why = l.Name + ": " + why
	if l.From == "detected" {
		w.skippedReasons = append(w.skippedReasons, why)
		return
	}
	w.failureReasons = append(w.failureReasons, why)
}

// readReport reads the file that the linter wrote, or its stdout and, if that has no remarks, its
// stderr, where compilers print.
func (w *lintRun) readReport(l belay.Linter, dir, before string, out, errs *reportReader) (Report, error) {
	if l.Report == "" {
		report, err := out.finish()
		if err == nil && len(report.Remarks) == 0 && l.Format != SARIF {
			if more, err := errs.finish(); err == nil && len(more.Remarks) > 0 && (l.Format == "" || l.Format == Text) {
				return more, nil
			}
		}
		return report, err
	}
	name, base := strings.CutPrefix(l.Report, "$"+testrun.ReportsVar+"/")
	folder := w.in.Root
	if base {
		folder = dir
	} else if now := fileStamp(folder, name); now == before {
		return Report{}, fmt.Errorf("no report was written to %s", l.Report)
	}
	root, err := os.OpenRoot(folder)
	if err != nil {
		return Report{}, err
	}
	defer root.Close()
	// Without O_NONBLOCK a named pipe would wait for a writer forever.
	f, err := root.OpenFile(path.Clean(name), os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return Report{}, fmt.Errorf("no report was written to %s", l.Report)
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return Report{}, fmt.Errorf("%s is not a regular file", l.Report)
	}
	return Read(f, l.Format)
}

// fileStamp differs when a file was written again, without reading a clock.
func fileStamp(root, name string) string {
	if name == "" {
		return ""
	}
	info, err := os.Stat(filepath.Join(root, filepath.FromSlash(name)))
	if err != nil {
		return "none"
	}
	inode := uint64(0)
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		inode = st.Ino
	}
	return fmt.Sprint(info.Size(), info.ModTime().UnixNano(), inode)
}
