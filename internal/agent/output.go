package agent

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// Size says how long an output is and how much of it is not kept.
type Size struct {
	Bytes int64 `json:"bytes"`
	Cut   int64 `json:"cut,omitempty"`
}

// Output writes the start of the output, a line "… N bytes cut …" where something is
// missing, and its end, as raw as the agent wrote it: the caller makes it harmless.
// It may be called while the agent runs.
func (r *Run) Output(w io.Writer) (Size, error) {
	size, err := copyOutput(w, filepath.Join(r.dir, "out"), r.spec.Head, r.spec.Tail, segmentSize)
	if err != nil {
		return size, fmt.Errorf("reading the output of %s: %w", r.name(), err)
	}
	// Only the result knows of bytes that the disk did not take.
	var res Result
	if r.State() == Finished && readJSON(r.file("result.json"), &res) == nil && res.OutputBytes > size.Bytes {
		size.Cut += res.OutputBytes - size.Bytes
		size.Bytes = res.OutputBytes
	}
	return size, nil
}

func copyOutput(w io.Writer, dir string, head, tail, seg int64) (Size, error) {
	var files []piece
	var size Size
	for try := 0; ; try++ {
		numbers, total, err := extent(dir, seg)
		if err == nil {
			size = Size{Bytes: total, Cut: cut(total, head, tail)}
			files, err = openPieces(dir, numbers, size, head, tail, seg)
		}
		if err == nil {
			break
		}
		// A running agent may push a segment out between the listing and the
		// opening; it cannot do so for ever.
		if !errors.Is(err, fs.ErrNotExist) || try == 20 {
			return size, err
		}
	}
	defer closePieces(files)
	for _, p := range files {
		if p.note != "" {
			if _, err := io.WriteString(w, p.note); err != nil {
				return size, err
			}
			continue
		}
		if _, err := io.Copy(w, io.NewSectionReader(p.file, p.from, p.to-p.from)); err != nil {
			return size, err
		}
	}
	return size, nil
}

// piece is a stretch of one segment, or the note that stands for what is missing.
type piece struct {
	file     *os.File
	from, to int64 // within the segment
	note     string
}

func closePieces(files []piece) {
	for _, p := range files {
		if p.file != nil {
			p.file.Close()
		}
	}
}

// openPieces opens everything that is to be shown before the first byte is shown.
func openPieces(dir string, numbers []int64, size Size, head, tail, seg int64) (files []piece, err error) {
	defer func() {
		if err != nil {
			closePieces(files)
		}
	}()
	ranges := [][2]int64{{0, size.Bytes}}
	if size.Cut > 0 {
		ranges = [][2]int64{{0, head}, {size.Bytes - tail, size.Bytes}}
	}
	for i, r := range ranges {
		if i == 1 {
			files = append(files, piece{note: fmt.Sprintf("\n… %d bytes cut …\n", size.Cut)})
		}
		for at := r[0]; at < r[1]; {
			k := at / seg
			if !slices.Contains(numbers, k) {
				return files, fs.ErrNotExist
			}
			f, err := os.Open(segmentName(dir, k))
			if err != nil {
				return files, err
			}
			end := min(r[1], (k+1)*seg)
			files = append(files, piece{file: f, from: at - k*seg, to: end - k*seg})
			at = end
		}
	}
	return files, nil
}

// follower reads an output while it grows.
type follower struct {
	dir  string
	seg  int64
	at   int64    // the next byte to show
	file *os.File // the segment at lies in; open, it can be read to its end though deleted
	buf  []byte
}

func newFollower(dir string, seg int64) *follower {
	return &follower{dir: dir, seg: seg, buf: make([]byte, 64<<10)}
}

// copy shows what has come since the last call. What was deleted before it could be
// read is named and skipped.
func (f *follower) copy(w io.Writer) error {
	for {
		if err := f.open(w); err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
		n, err := f.file.ReadAt(f.buf[:min(int64(len(f.buf)), f.seg-f.at%f.seg)], f.at%f.seg)
		if n > 0 {
			f.at += int64(n)
			if f.at%f.seg == 0 {
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

// open gives io.EOF when there is nothing yet.
func (f *follower) open(w io.Writer) error {
	if f.file != nil {
		return nil
	}
	for {
		k := f.at / f.seg
		file, err := os.Open(segmentName(f.dir, k))
		if err == nil {
			f.file = file
			return nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		numbers, _, err := extent(f.dir, f.seg)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
		numbers = slices.DeleteFunc(numbers, func(n int64) bool { return n < k })
		if len(numbers) == 0 {
			return io.EOF
		}
		to := slices.Min(numbers) * f.seg
		if to <= f.at {
			continue // it came between the two looks
		}
		if _, err := fmt.Fprintf(w, "\n[%d bytes not shown]\n", to-f.at); err != nil {
			return err
		}
		f.at = to
	}
}

func (f *follower) close() {
	if f.file != nil {
		f.file.Close()
		f.file = nil
	}
}
