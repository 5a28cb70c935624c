package agent

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"sync/atomic"

	"github.com/belay-dev/belay/internal/fsroot"
)

// segmentSize is the size of a file of output in bytes. Segment k contains the bytes from
// k*segmentSize on, so the number and the size of the last file give the length of the output, also
// after a crash.
const segmentSize = 1 << 20

// outputStore keeps the start and the end of an output of any length in bounded disk space. Write
// never fails and never waits for a reader: after a write error the rest is only counted, because
// the agent's work is worth more than its log.
type outputStore struct {
	dir          string
	head, tail   int64
	segmentBytes int64 // size of a segment
	file         *os.File
	total        atomic.Int64 // bytes written to the store; read concurrently
	kept         int64        // bytes of them written to segments, including deleted ones
	err          error        // why kept stopped growing
}

func newStore(dir string, head, tail, size int64) (*outputStore, error) {
	if err := fsroot.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	return &outputStore{dir: dir, head: head, tail: tail, segmentBytes: size}, nil
}

func segmentName(dir string, k int64) string {
	return filepath.Join(dir, fmt.Sprintf("%06d", k))
}

// Write accepts all of p.
func (s *outputStore) Write(p []byte) (int, error) {
	s.total.Add(int64(len(p)))
	for rest := p; len(rest) > 0 && s.err == nil; {
		room := s.segmentBytes - s.kept%s.segmentBytes
		n, err := s.write(rest[:min(int64(len(rest)), room)])
		s.kept += int64(n)
		rest = rest[n:]
		if err != nil {
			s.err = err
		}
	}
	return len(p), nil
}

func (s *outputStore) write(p []byte) (int, error) {
	k := s.kept / s.segmentBytes
	if s.file == nil || s.kept%s.segmentBytes == 0 {
		if err := s.rotate(k); err != nil {
			return 0, err
		}
	}
	return s.file.Write(p)
}

// rotate starts segment k and deletes the segment that is no longer part of the end.
func (s *outputStore) rotate(k int64) error {
	if s.file != nil {
		if err := s.file.Close(); err != nil {
			return err
		}
	}
	f, err := fsroot.OpenFile(segmentName(s.dir, k), os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	s.file = f
	if old := k - segmentCount(s.tail, s.segmentBytes) - 1; old >= segmentCount(s.head, s.segmentBytes) {
		err = fsroot.Remove(segmentName(s.dir, old))
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return err
}

// segmentCount returns the number of segments for n bytes.
func segmentCount(n, size int64) int64 { return (n + size - 1) / size }

// finish syncs the segments and returns the size of the output.
func (s *outputStore) finish() (Size, error) {
	total := s.total.Load()
	size := Size{Bytes: total, Cut: cutBytes(s.kept, s.head, s.tail) + total - s.kept}
	if s.file != nil {
		s.file.Close()
	}
	numbers, err := listSegments(s.dir)
	for _, k := range numbers {
		err = errors.Join(err, syncFile(segmentName(s.dir, k)))
	}
	return size, errors.Join(s.err, err, syncFile(s.dir))
}

func cutBytes(total, head, tail int64) int64 { return max(0, total-head-tail) }

// listSegments returns the numbers of the existing segments, none without a folder.
func listSegments(dir string) ([]int64, error) {
	entries, err := fsroot.ReadDir(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	var numbers []int64
	for _, e := range entries {
		k, err := strconv.ParseInt(e.Name(), 10, 64)
		if err == nil && k >= 0 && segmentName(dir, k) == filepath.Join(dir, e.Name()) {
			numbers = append(numbers, k)
		}
	}
	return numbers, nil
}

// outputSize returns the number of all bytes, up to the end of the last segment.
func outputSize(dir string, size int64) (int64, error) {
	numbers, err := listSegments(dir)
	if err != nil || len(numbers) == 0 {
		return 0, err
	}
	last := slices.Max(numbers)
	info, err := fsroot.Lstat(segmentName(dir, last))
	if err != nil {
		return 0, err
	}
	return last*size + info.Size(), nil
}
