package agent

import (
	"bytes"
	"io"
	"os"
	"testing"
	"time"
)

// TestReadLate: all that the agent printed is kept, even if the shim reads nothing until the
// agent's tree has ended and another process has the output open.
func TestReadLate(t *testing.T) {
	t.Parallel()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	printed := bytes.Repeat([]byte("x"), pipeSize)
	if _, err := w.Write(printed); err != nil {
		t.Fatal(err)
	}
	var kept bytes.Buffer
	read := make(chan struct{})
	go func() {
		defer close(read)
		time.Sleep(2 * drainTime)
		_, _ = io.Copy(&kept, r)
	}()
	pipes{output: r}.close(read, &kept)
	if !bytes.Equal(kept.Bytes(), printed) {
		t.Errorf("%d bytes of %d were kept", kept.Len(), len(printed))
	}
}

// TestHush: silence is counted only while the shim runs.
func TestHush(t *testing.T) {
	t.Parallel()
	var h silenceMeter
	for _, c := range []struct {
		now, want time.Duration
		bytes     int64
	}{
		{0, 0, 0},
		{tick, tick, 0},
		{2 * tick, 2 * tick, 0},
		{3 * tick, 0, 10}, // output
		{4 * tick, tick, 10},
		{time.Hour, 6 * tick, 10}, // the shim was suspended
		{time.Hour + tick, 7 * tick, 10},
		{2 * time.Hour, 0, 11},
	} {
		if got := h.observe(c.now, c.bytes); got != c.want {
			t.Errorf("at %v: %v, want %v", c.now, got, c.want)
		}
	}
}
