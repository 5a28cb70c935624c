package agent

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"sync/atomic"
	"time"
)

// segmentSize is how much output one file holds. Segment k holds the bytes from
// k*segmentSize on, so the number and the size of the last file count all bytes, also
// after a crash.
const segmentSize = 1 << 20

// store keeps the start and the end of an output of any length on a bounded disk.
// Write never fails and never waits for a reader: when the disk does not take more,
// the rest is only counted, because the agent's work is worth more than its log.
type store struct {
	dir        string
	head, tail int64
	size       int64 // of a segment
	file       *os.File
	total      int64 // bytes written to the store
	kept       int64 // of them, those that reached segments, later deleted ones included
	err        error // why kept stopped growing
	last       atomic.Int64
	epoch      time.Time
}

func newStore(dir string, head, tail, size int64) (*store, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	return &store{dir: dir, head: head, tail: tail, size: size, epoch: time.Now()}, nil
}

func segmentName(dir string, k int64) string {
	return filepath.Join(dir, fmt.Sprintf("%06d", k))
}

// Write takes all of p.
func (s *store) Write(p []byte) (int, error) {
	s.touch()
	s.total += int64(len(p))
	for rest := p; len(rest) > 0 && s.err == nil; {
		room := s.size - s.kept%s.size
		n, err := s.put(rest[:min(int64(len(rest)), room)])
		s.kept += int64(n)
		rest = rest[n:]
		if err != nil {
			s.err = err
		}
	}
	return len(p), nil
}

func (s *store) put(p []byte) (int, error) {
	k := s.kept / s.size
	if s.file == nil || s.kept%s.size == 0 {
		if err := s.rotate(k); err != nil {
			return 0, err
		}
	}
	return s.file.Write(p)
}

// rotate starts segment k and deletes the one that now belongs to the middle.
func (s *store) rotate(k int64) error {
	if s.file != nil {
		if err := s.file.Close(); err != nil {
			return err
		}
	}
	f, err := os.OpenFile(segmentName(s.dir, k), os.O_CREATE|os.O_WRONLY|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	s.file = f
	if old := k - segments(s.tail, s.size) - 1; old >= segments(s.head, s.size) {
		err = os.Remove(segmentName(s.dir, old))
	}
	if errors.Is(err, fs.ErrNotExist) {
		err = nil
	}
	return err
}

// segments is how many segments it takes to hold n bytes.
func segments(n, size int64) int64 { return (n + size - 1) / size }

// touch notes that there was output; silence says how long ago that is.
func (s *store) touch()                 { s.last.Store(int64(time.Since(s.epoch))) }
func (s *store) silence() time.Duration { return time.Since(s.epoch) - time.Duration(s.last.Load()) }

// finish syncs what is kept and gives the size of the whole.
func (s *store) finish() (Size, error) {
	size := Size{Bytes: s.total, Cut: cut(s.kept, s.head, s.tail) + s.total - s.kept}
	if s.file != nil {
		s.file.Close()
	}
	numbers, _, err := extent(s.dir, s.size)
	for _, k := range numbers {
		err = errors.Join(err, syncFile(segmentName(s.dir, k)))
	}
	return size, errors.Join(s.err, err, syncFile(s.dir))
}

func cut(total, head, tail int64) int64 { return max(0, total-head-tail) }

// extent gives the numbers of the segments that are there, in order, and the count of
// all bytes up to the end of the last one.
func extent(dir string, size int64) (numbers []int64, total int64, err error) {
	entries, err := os.ReadDir(dir) // sorted by name; names past 999999 are longer
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, err
	}
	var top int64 = -1
	for _, e := range entries {
		k, err := strconv.ParseInt(e.Name(), 10, 64)
		if err != nil || k < 0 || segmentName(dir, k) != filepath.Join(dir, e.Name()) {
			continue
		}
		numbers = append(numbers, k)
		top = max(top, k)
	}
	if top < 0 {
		return nil, 0, nil
	}
	info, err := os.Stat(segmentName(dir, top))
	if err != nil {
		return nil, 0, err
	}
	return numbers, top*size + info.Size(), nil
}
