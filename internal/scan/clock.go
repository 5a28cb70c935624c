package scan

import (
	"errors"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"github.com/belay-dev/belay/internal/fsroot"
)

// Times are nanoseconds since 1970. A file with times later than the start of a scan minus this
// margin may change again without a change of its stat: the clock of a file system ticks only every
// 1 to 10 ms. If a device's clock is unknown, times may be off, or be whole or even seconds only.
const (
	ClockMargin        = int64(20 * time.Millisecond)
	unknownClockMargin = int64(3 * time.Second)
)

// Clock is the start time of a scan by the clock that sets file times.
type Clock struct {
	Start int64
	Dev   uint64 // the device with that clock; 0 for the kernel's clock
}

// IsSettled reports whether any later change of a file with these facts, read after the clock, must
// change its stat data.
func (c Clock) IsSettled(f *fsroot.Facts) bool {
	limit := c.Start - ClockMargin
	if f.Dev != c.Dev {
		limit = c.Start - unknownClockMargin
	}
	return f.Mtime < limit && f.Ctime < limit
}

// ReadClock returns the current time by the clock that sets the times of files in dir, or by the
// kernel's when dir is "" or no file can be created there.
func ReadClock(dir string) Clock {
	if dir != "" {
		if fd, err := openProbe(dir); err == nil {
			return readStamp(fd, true)
		}
		if fd, err := openNamedProbe(dir); err == nil {
			return readStamp(fd, true)
		}
	}
	if fd, err := openKernelProbe(); err == nil {
		return readStamp(fd, false)
	}
	return Clock{Start: time.Now().UnixNano()}
}

// openNamedProbe is openProbe for file systems without unnamed files.
func openNamedProbe(dir string) (int, error) {
	path := filepath.Join(dir, fsroot.TempName())
	if err := fsroot.Step("create", path); err != nil {
		return -1, err
	}
	f, err := fsroot.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_RDWR, 0o600)
	if err != nil {
		return -1, err
	}
	defer f.Close()
	fd, err := unix.FcntlInt(f.Fd(), unix.F_DUPFD_CLOEXEC, 0)
	return fd, errors.Join(err, fsroot.Remove(path))
}

// readStamp reads the clock. The first fstat makes newer kernels give the chmod a fine-grained time
// stamp, and every later change of any file a stamp that is not older.
func readStamp(fd int, known bool) Clock {
	defer unix.Close(fd)
	var st unix.Stat_t
	err := unix.Fstat(fd, &st)
	if err == nil {
		err = unix.Fchmod(fd, 0o600)
	}
	if err == nil {
		err = unix.Fstat(fd, &st)
	}
	if err != nil {
		return Clock{Start: time.Now().UnixNano()}
	}
	f := fsroot.FactsOf(&st)
	c := Clock{Start: f.Ctime}
	if known {
		c.Dev = f.Dev
	}
	return c
}
