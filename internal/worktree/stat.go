package worktree

import (
	"io/fs"
	"math"
	"time"

	"golang.org/x/sys/unix"
)

// Times are nanoseconds since 1970. A file whose times are younger than the start
// of a scan, less this margin, may change again without its stat changing: the
// clock of a file system ticks only every 1 to 10 ms. On a device whose clock
// could not be asked, times may be off, or have whole or even seconds only.
const (
	margin        = int64(20 * time.Millisecond)
	foreignMargin = int64(3 * time.Second)
)

// facts is what decides whether a file is still the one that was read.
type facts struct {
	size, mtime, ctime int64
	ino, dev           uint64
	mode               uint32
}

func factsOf(st *unix.Stat_t) facts {
	return facts{
		size: st.Size, mtime: nanos(int64(st.Mtim.Sec), int64(st.Mtim.Nsec)), ctime: nanos(int64(st.Ctim.Sec), int64(st.Ctim.Nsec)),
		ino: uint64(st.Ino), dev: uint64(st.Dev), mode: uint32(st.Mode),
	}
}

// nanos saturates, because a wrapped year 2446 would look old and be trusted.
func nanos(sec, nsec int64) int64 {
	const top = math.MaxInt64/1_000_000_000 - 1
	switch {
	case sec > top:
		return math.MaxInt64
	case sec < -top:
		return math.MinInt64
	}
	return sec*1_000_000_000 + nsec
}

func (f *facts) kind() Kind {
	switch f.mode & unix.S_IFMT {
	case unix.S_IFREG:
		if f.mode&0o100 != 0 {
			return Exec
		}
		return File
	case unix.S_IFLNK:
		return Link
	case unix.S_IFDIR:
		return Folder
	}
	return Other
}

func (f *facts) perm() uint16 { return uint16(f.mode & 0o7777) }

// special names what is neither file, link nor folder.
func (f *facts) special() string {
	switch f.mode & unix.S_IFMT {
	case unix.S_IFIFO:
		return "fifo"
	case unix.S_IFSOCK:
		return "socket"
	case unix.S_IFCHR, unix.S_IFBLK:
		return "device"
	}
	return "not a file"
}

// matches compares with what git's index recorded, in the 32 bits that it keeps.
// A racy entry has size 0 in the index and so never matches, as git intends.
func (s *Stat) matches(st *unix.Stat_t) bool {
	sameType := s.Mode&unix.S_IFMT == uint32(st.Mode)&unix.S_IFMT
	return sameType && s.Size == uint32(st.Size) && s.Ino == uint32(st.Ino) && s.Dev == uint32(st.Dev) &&
		s.Uid == st.Uid && s.Gid == st.Gid &&
		uint32(s.MtimeSec) == uint32(st.Mtim.Sec) && s.MtimeNsec == uint32(st.Mtim.Nsec) &&
		uint32(s.CtimeSec) == uint32(st.Ctim.Sec) && s.CtimeNsec == uint32(st.Ctim.Nsec)
}

// clock is the time at which a scan started, by the clock that stamps files.
type clock struct {
	start int64
	dev   uint64 // the device whose clock it is; 0 when only the kernel was asked
}

// settled reports whether a file with these facts, read after the clock was asked,
// must show a new stat if it changes from now on.
func (c clock) settled(f *facts) bool {
	limit := c.start - margin
	if f.dev != c.dev {
		limit = c.start - foreignMargin
	}
	return f.mtime < limit && f.ctime < limit
}

// absent reports whether err says that nothing is there.
func absent(err error) bool { return err == unix.ENOENT }

// exhausted reports whether err says that the machine, not the file, is at fault:
// such an error ends the scan and never becomes a gap.
func exhausted(err error) bool {
	return err == unix.EMFILE || err == unix.ENFILE || err == unix.ENOMEM
}

func pathError(op, path string, err error) error {
	if err == nil {
		return nil
	}
	return &fs.PathError{Op: op, Path: path, Err: err}
}
