package fsroot

import (
	"io/fs"
	"math"

	"golang.org/x/sys/unix"
)

// Facts is the stat data that shows whether a file changed since it was read. Times are nanoseconds
// since 1970.
type Facts struct {
	Size, Mtime, Ctime int64
	Ino, Dev           uint64
	Mode               uint32
}

// FactsOf returns the facts of a stat.
func FactsOf(st *unix.Stat_t) Facts {
	return Facts{
		Size: st.Size, Mtime: Nanos(int64(st.Mtim.Sec), int64(st.Mtim.Nsec)), Ctime: Nanos(int64(st.Ctim.Sec), int64(st.Ctim.Nsec)),
		Ino: uint64(st.Ino), Dev: uint64(st.Dev), Mode: uint32(st.Mode),
	}
}

// Nanos returns nanoseconds since 1970. It saturates: a wrapped time of the year 2446 would look
// old and be trusted.
func Nanos(sec, nsec int64) int64 {
	const top = math.MaxInt64/1_000_000_000 - 1
	switch {
	case sec > top:
		return math.MaxInt64
	case sec < -top:
		return math.MinInt64
	}
	return sec*1_000_000_000 + nsec
}

// Kind returns the kind, by the mode.
func (f *Facts) Kind() PathKind {
	switch f.Mode & unix.S_IFMT {
	case unix.S_IFREG:
		if f.Mode&0o100 != 0 {
			return Exec
		}
		return File
	case unix.S_IFLNK:
		return SymbolicLink
	case unix.S_IFDIR:
		return Folder
	}
	return Other
}

// Perm returns the 07777 bits.
func (f *Facts) Perm() uint16 { return uint16(f.Mode & 0o7777) }

// SpecialName returns a name for the type of a path that is neither file, link nor folder.
func (f *Facts) SpecialName() string {
	switch f.Mode & unix.S_IFMT {
	case unix.S_IFIFO:
		return "fifo"
	case unix.S_IFSOCK:
		return "socket"
	case unix.S_IFCHR, unix.S_IFBLK:
		return "device"
	}
	return "not a file"
}

// IsExhausted reports whether err is caused by the machine, not the file. Such an error ends the
// scan and never becomes a gap.
func IsExhausted(err error) bool {
	return err == unix.EMFILE || err == unix.ENFILE || err == unix.ENOMEM
}

// WrapPathError adds the operation and the path; nil stays nil.
func WrapPathError(op, path string, err error) error {
	if err == nil {
		return nil
	}
	return &fs.PathError{Op: op, Path: path, Err: err}
}
