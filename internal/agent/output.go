package agent

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/belay-dev/belay/internal/fsroot"
)

// Size is the length of an output and how much of it was not kept.
type Size struct {
	Bytes int64 `json:"bytes"`
	Cut   int64 `json:"cut,omitempty"`
}

// Output writes the start of the output, a line "… N bytes cut …" if something is missing, and
// its end, unescaped: the caller must make it safe to print. It may be called while the agent runs.
func (r *Run) Output(w io.Writer) (Size, error) {
	size, err := copyOutput(w, filepath.Join(r.dir, "out"), r.spec.Head, r.spec.Tail, segmentSize)
	if err != nil {
		return size, fmt.Errorf("reading the output of %s: %w", r.label(), err)
	}
	// Only the result counts bytes that could not be written to the disk.
	var res Result
	if r.State() == Finished && readJSON(r.file("result.json"), &res) == nil && res.OutputBytes > size.Bytes {
		size.Cut += res.OutputBytes - size.Bytes
		size.Bytes = res.OutputBytes
	}
	return size, nil
}

// copyOutput keeps at most tail bytes in memory.
func copyOutput(w io.Writer, dir string, head, tail, seg int64) (Size, error) {
	var size Size
	var end []byte
	for try := 0; ; try++ {
		total, err := outputSize(dir, seg)
		if err == nil {
			size = Size{Bytes: total, Cut: cutBytes(total, head, tail)}
			// Read the end before writing anything: a running agent may just now cause a segment to
			// be deleted. It cannot do so forever.
			end, err = readRange(dir, min(total, head)+size.Cut, total, seg)
		}
		if err == nil {
			break
		}
		if !errors.Is(err, fs.ErrNotExist) || try == 20 {
			return size, err
		}
	}
	for at := int64(0); at < min(size.Bytes, head); at += seg { // segments of the start are never deleted
		p, err := readRange(dir, at, min(at+seg, head, size.Bytes), seg)
		if err != nil {
			return size, err
		}
		if _, err := w.Write(p); err != nil {
			return size, err
		}
	}
	if size.Cut > 0 {
		if _, err := fmt.Fprintf(w, "\n… %d bytes cut …\n", size.Cut); err != nil {
			return size, err
		}
	}
	_, err := w.Write(end)
	return size, err
}

// readRange returns the bytes from..to of an output, fs.ErrNotExist when a segment is missing.
func readRange(dir string, from, to, seg int64) ([]byte, error) {
	var all []byte
	for from < to {
		k := from / seg
		f, err := fsroot.Open(segmentName(dir, k))
		if err != nil {
			return nil, err
		}
		p := make([]byte, min(to, (k+1)*seg)-from)
		_, err = f.ReadAt(p, from-k*seg)
		f.Close()
		if err != nil {
			return nil, err
		}
		all = append(all, p...)
		from += int64(len(p))
	}
	return all, nil
}

// LossWriter is a writer that gets the number of bytes of the output that were deleted before they
// could be read. Other writers get a line of text instead.
type LossWriter interface {
	BytesMissed(bytes int64) error
}

// follower reads an output while it grows.
type follower struct {
	dir    string
	seg    int64
	offset int64    // the next byte to show
	file   *os.File // the segment of offset; it can be read to its end even when deleted
	buf    []byte
}

func newFollower(dir string, seg int64) *follower {
	return &follower{dir: dir, seg: seg, buf: make([]byte, 64<<10)}
}

// copyNew writes the output since the last call. Bytes that were deleted before they could be read
// are reported and skipped.
func (f *follower) copyNew(w io.Writer) error {
	for {
		if err := f.openSegment(w); err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
		n, err := f.file.ReadAt(f.buf[:min(int64(len(f.buf)), f.seg-f.offset%f.seg)], f.offset%f.seg)
		if n > 0 {
			f.offset += int64(n)
			if f.offset%f.seg == 0 {
				f.close()
			}
			if _, err := w.Write(f.buf[:n]); err != nil {
				return err
			}
			continue
		}
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// openSegment returns io.EOF when there is no new output.
func (f *follower) openSegment(w io.Writer) error {
	if f.file != nil {
		return nil
	}
	for {
		k := f.offset / f.seg
		file, err := fsroot.Open(segmentName(f.dir, k))
		if err == nil {
			f.file = file
			return nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		numbers, err := listSegments(f.dir)
		if err != nil {
			return err
		}
		numbers = slices.DeleteFunc(numbers, func(n int64) bool { return n < k })
		if len(numbers) == 0 {
			return io.EOF
		}
		to := slices.Min(numbers) * f.seg
		if to <= f.offset {
			continue // created between the two calls
		}
		if m, ok := w.(LossWriter); ok {
			err = m.BytesMissed(to - f.offset)
		} else {
			_, err = io.WriteString(w, NotShown(to-f.offset))
		}
		if err != nil {
			return err
		}
		f.offset = to
	}
}

// NotShown returns the line that replaces bytes deleted before they could be read.
func NotShown(bytes int64) string { return fmt.Sprintf("\n[%d bytes not shown]\n", bytes) }

func (f *follower) close() {
	if f.file != nil {
		f.file.Close()
		f.file = nil
	}
}
