package worktree

import (
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"
)

// ask gives the present time by the clock that stamps files in dir, or by the
// kernel's when dir is "" or takes no file.
func ask(dir string) clock {
	if dir != "" {
		if fd, err := probe(dir); err == nil {
			return stamp(fd, true)
		}
		if fd, err := probeNamed(dir); err == nil {
			return stamp(fd, true)
		}
	}
	if fd, err := probeKernel(); err == nil {
		return stamp(fd, false)
	}
	return clock{start: time.Now().UnixNano()}
}

// probeNamed is for file systems without nameless files.
func probeNamed(dir string) (int, error) {
	path := filepath.Join(dir, tempName())
	if err := fault("create", path); err != nil {
		return -1, err
	}
	fd, err := unix.Open(path, unix.O_CREAT|unix.O_EXCL|unix.O_RDWR|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return -1, err
	}
	return fd, os.Remove(path)
}

// stamp reads the clock. The first fstat makes newer kernels give the chmod a fine
// stamp, and every later change of any file one that is not older.
func stamp(fd int, known bool) clock {
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
		return clock{start: time.Now().UnixNano()}
	}
	f := factsOf(&st)
	c := clock{start: f.ctime}
	if known {
		c.dev = f.dev
	}
	return c
}
