package proc

import (
	"bytes"
	"fmt"
	"io"
	"sync"
)

// outputPart is how many bytes of a program's output are kept of its start, and of its end.
const outputPart = 1 << 20

// HeadTail is a writer that keeps the start and the end of the output in constant memory. It is
// safe for concurrent use.
type HeadTail struct {
	mu    sync.Mutex
	head  []byte
	ring  []byte
	at    int // position of the oldest byte in a full ring
	total int64
}

// Write never fails.
func (s *HeadTail) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	n := len(p)
	s.total += int64(n)
	if room := outputPart - len(s.head); room > 0 {
		k := min(room, len(p))
		s.head = append(s.head, p[:k]...)
		p = p[k:]
	}
	if len(p) > outputPart {
		p = p[len(p)-outputPart:]
	}
	if room := outputPart - len(s.ring); room > 0 {
		k := min(room, len(p))
		s.ring = append(s.ring, p[:k]...)
		p = p[k:]
	}
	for len(p) > 0 {
		k := copy(s.ring[s.at:], p)
		s.at = (s.at + k) % outputPart
		p = p[k:]
	}
	return n, nil
}

// parts returns the head and the end, which are complete when left is 0.
func (s *HeadTail) parts() (head, end []byte, left int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	head = bytes.Clone(s.head)
	end = append(bytes.Clone(s.ring[s.at:]), s.ring[:s.at]...)
	return head, end, s.total - int64(len(head)+len(end))
}

// Reader returns the kept output, with a line that states how many bytes are missing.
func (s *HeadTail) Reader() io.Reader {
	head, end, left := s.parts()
	if left == 0 {
		return io.MultiReader(bytes.NewReader(head), bytes.NewReader(end))
	}
	gap := fmt.Sprintf("\n[… %d bytes left out …]\n", left)
	return io.MultiReader(bytes.NewReader(head), bytes.NewReader([]byte(gap)), bytes.NewReader(end))
}

// Last returns the last bytes written, up to most.
func (s *HeadTail) Last(most int) string {
	head, end, left := s.parts()
	if left == 0 {
		end = append(head, end...)
	}
	return string(end[max(0, len(end)-most):])
}
