package testrun

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
	"syscall"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/testreport"
)

// maxReports is the maximum number of report files that are read of one run.
const maxReports = 5000

// reportFile is a possible report, as it was when it was found.
type reportFile struct {
	dir, name string // name is a slash path below dir
	stamp     string // changes when the file is written again
}

type fileSet struct {
	files      []reportFile
	incomplete bool
}

// reportGlob returns the glob of report files: by default every XML file.
func reportGlob(glob string) string {
	if glob == "" {
		return "**/*.xml"
	}
	for _, prefix := range []string{"$" + ReportsVar + "/", "${" + ReportsVar + "}/"} {
		if rest, ok := strings.CutPrefix(glob, prefix); ok {
			return rest
		}
	}
	return strings.TrimPrefix(glob, "./")
}

// isReportsFolder reports whether the glob is only for the folder of the run. Other XML files in
// the working tree are not reports.
func isReportsFolder(glob string) bool { return glob == "" || strings.HasPrefix(glob, "$") }

func checkReportGlob(report string) error {
	if err := belay.Valid(reportGlob(report)); err != nil {
		return fmt.Errorf("checks.tests.report: %w", err)
	}
	return nil
}

// findReports returns the files that match glob below root and, if given, below the folder of the
// run.
func findReports(ctx context.Context, root, glob, reports string) fileSet {
	var set fileSet
	if !isReportsFolder(glob) {
		set.findFiles(ctx, root, reportGlob(glob))
	}
	if reports != "" {
		set.findFiles(ctx, reports, reportGlob(glob))
	}
	slices.SortFunc(set.files, func(a, b reportFile) int {
		return cmp.Or(cmp.Compare(a.dir, b.dir), cmp.Compare(a.name, b.name))
	})
	return set
}

var errEnough = errors.New("enough")

// findFiles never leaves dir: it does not follow links out of it, whatever the tests created.
func (s *fileSet) findFiles(ctx context.Context, dir, glob string) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		s.incomplete = true
		return
	}
	defer root.Close()
	err = doublestar.GlobWalk(timedFS{ctx, root.FS()}, glob, func(name string, _ fs.DirEntry) error {
		info, err := root.Lstat(name)
		if err != nil || !info.Mode().IsRegular() {
			return nil
		}
		if len(s.files) >= maxReports {
			return errEnough
		}
		inode := uint64(0)
		if st, ok := info.Sys().(*syscall.Stat_t); ok {
			inode = st.Ino
		}
		stamp := fmt.Sprint(info.Size(), info.ModTime().UnixNano(), inode)
		s.files = append(s.files, reportFile{dir: dir, name: name, stamp: stamp})
		return nil
	}, doublestar.WithNoFollow())
	if err != nil || ctx.Err() != nil {
		s.incomplete = true
	}
}

// changedSince returns the files that are not the same as before: a report of an earlier run proves
// nothing. Comparing stamps needs no clock.
func (s fileSet) changedSince(before fileSet) []reportFile {
	old := map[reportFile]bool{}
	for _, f := range before.files {
		old[f] = true
	}
	return slices.DeleteFunc(slices.Clone(s.files), func(f reportFile) bool { return old[f] })
}

// read parses one report file of a run. One of several may have no tests.
func (f reportFile) read(format string) (testreport.Report, error) {
	root, err := os.OpenRoot(f.dir)
	if err != nil {
		return testreport.Report{}, err
	}
	defer root.Close()
	// Nonblocking: it may have been replaced by a FIFO.
	file, err := root.OpenFile(f.name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return testreport.Report{}, err
	}
	defer file.Close()
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		return testreport.Report{}, errors.New("it is not a regular file")
	}
	if format == testreport.JUnit {
		return testreport.ReadJUnit(file)
	}
	return testreport.ReadDotNet(file)
}

// timedFS ends a walk when ctx ends.
type timedFS struct {
	ctx context.Context
	fs  fs.FS
}

func (t timedFS) Open(name string) (fs.File, error) {
	if err := t.ctx.Err(); err != nil {
		return nil, err
	}
	return t.fs.Open(name)
}

func (t timedFS) ReadDir(name string) ([]fs.DirEntry, error) {
	if err := t.ctx.Err(); err != nil {
		return nil, err
	}
	return fs.ReadDir(t.fs, name)
}

func (t timedFS) Stat(name string) (fs.FileInfo, error) {
	if err := t.ctx.Err(); err != nil {
		return nil, err
	}
	return fs.Stat(t.fs, name)
}
