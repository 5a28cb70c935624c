//go:build linux && !portable && (amd64 || arm64)

package fence

import (
	"encoding/binary"
	"errors"
	"os"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"

	"github.com/belay-dev/belay/internal/lazyregexp"
)

// change is which attribute of a file a call changes, and the meaning of the arguments after the
// file.
type change int

const (
	changeMode     change = iota + 1 // the mode
	changeOwner                      // user, group
	changeTimes                      // address of two timespecs, or 0
	changeMicros                     // address of two timevals, or 0
	changeSeconds                    // address of two times in seconds, or 0
	changeAttr                       // name, value, size, flags
	changeDropAttr                   // name
)

// changes maps the calls that every architecture has. Calls that are missing here and in
// legacyChanges are too new for any program to require: they fail with ENOSYS, as on an older
// kernel.
var changes = map[uint32]change{
	unix.SYS_FCHMODAT: changeMode, unix.SYS_FCHMODAT2: changeMode, unix.SYS_FCHMOD: changeMode,
	unix.SYS_FCHOWNAT: changeOwner, unix.SYS_FCHOWN: changeOwner, unix.SYS_UTIMENSAT: changeTimes,
	unix.SYS_SETXATTR: changeAttr, unix.SYS_LSETXATTR: changeAttr, unix.SYS_FSETXATTR: changeAttr,
	unix.SYS_REMOVEXATTR: changeDropAttr, unix.SYS_LREMOVEXATTR: changeDropAttr, unix.SYS_FREMOVEXATTR: changeDropAttr,
}

// ownFD matches paths in /proc and /dev of a program's own descriptors. A path with the ID of
// another process is another file and is resolved normally.
var ownFD = lazyregexp.New(`^/(?:(?:proc/(?:self|thread-self)|dev)/fd/([0-9]+)|dev/std(in|out|err))$`)

// meta answers a change of permissions, owner, times or attributes by path. Landlock does not
// restrict these: what is closed is refused here, and what is open is changed here, on the file
// that was checked. The kernel must never continue the call, because the program could exchange the
// file, the path or the descriptor meanwhile.
func (q *query) meta(c call) error {
	flags := 0
	if c.what == verbMetaFlags {
		flags = int(q.call.args[c.more])
	}
	at := -1
	if c.dir >= 0 && int32(q.call.args[c.dir]) != unix.AT_FDCWD {
		at = int(int32(q.call.args[c.dir]))
	}
	if q.call.args[c.path] == 0 {
		if at < 0 || changes[c.nr] != changeTimes {
			return unix.EFAULT
		}
		return q.descriptor(c, at)
	}
	text, err := q.text(c.path)
	if err != nil {
		return plain(err, unix.EFAULT, unix.ENAMETOOLONG)
	}
	if text == "" && flags&unix.AT_EMPTY_PATH != 0 && at >= 0 {
		return q.descriptor(c, at)
	}
	if own := ownFD.FindStringSubmatch(text); own != nil && c.what != verbMetaLink {
		fd, err := strconv.Atoi(own[1])
		if err != nil {
			fd = slices.Index([]string{"in", "out", "err"}, own[2])
		}
		return q.descriptor(c, fd)
	}
	p, err := q.locate(c.dir, c.path, c.what != verbMetaLink && flags&unix.AT_SYMLINK_NOFOLLOW == 0)
	if err != nil {
		return plain(err, unix.ENOENT, unix.ENOTDIR, unix.ENAMETOOLONG, unix.ELOOP)
	}
	file, err := unix.Openat(p.dir, orDot(p.base), unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return plain(err, unix.ENOENT, unix.ENOTDIR, unix.ENAMETOOLONG)
	}
	q.open = append(q.open, file)
	return q.attributes(c, file)
}

// plain returns err if it is known, so would also occur without a fence, else EACCES.
func plain(err error, known ...unix.Errno) error {
	for _, k := range known {
		if errors.Is(err, k) {
			return k
		}
	}
	return unix.EACCES
}

// descriptor answers a change of the file that is open as fd in the program.
func (q *query) descriptor(c call, fd int) error {
	file, err := unix.Open(q.proc("fd/"+strconv.Itoa(fd)), unix.O_PATH|unix.O_CLOEXEC, 0)
	if errors.Is(err, unix.ENOENT) && q.valid() {
		return unix.EBADF
	}
	if err != nil {
		return unix.EACCES
	}
	q.open = append(q.open, file)
	return q.attributes(c, file)
}

// attributes checks and makes a change of an opened file. A file without a name, or with none left,
// belongs to the program.
func (q *query) attributes(c call, file int) error {
	link := "/proc/self/fd/" + strconv.Itoa(file)
	path, err := os.Readlink(link)
	var st unix.Stat_t
	if err != nil || !q.valid() || unix.Fstat(file, &st) != nil {
		return unix.EACCES
	}
	if strings.HasPrefix(path, "/") && st.Nlink > 0 {
		switch q.keeper.book.kind(path) {
		case Write, Device, Append:
		default:
			q.keeper.refuse(c.what, path, q.call.pid)
			return unix.EACCES
		}
	}
	value := c.path + 1
	if c.path < 0 {
		value = c.dir + 1
	}
	kind := changes[c.nr]
	if kind == 0 {
		kind = legacyChanges[c.nr]
	}
	// A program that dropped the gatekeeper's rights may change attributes of its own files only.
	if user := q.user(); user != os.Geteuid() && (user != int(st.Uid) || kind == changeOwner) {
		return unix.EPERM
	}
	return q.change(kind, link, q.call.args[value:])
}

// user returns the program's user ID for file access; -1 is unknown.
func (q *query) user() int {
	ids := strings.Fields(q.status("Uid"))
	if len(ids) != 4 {
		return -1
	}
	n, err := strconv.Atoi(ids[3])
	if err != nil {
		return -1
	}
	return n
}

// change changes the file behind a link in /proc, even if that file is a symlink.
func (q *query) change(kind change, link string, args []uint64) error {
	switch kind {
	case changeMode:
		return unix.Fchmodat(unix.AT_FDCWD, link, uint32(args[0])&0o7777, 0)
	case changeOwner:
		return unix.Fchownat(unix.AT_FDCWD, link, int(int32(args[0])), int(int32(args[1])), 0)
	case changeTimes, changeMicros, changeSeconds:
		times, err := q.times(kind, args[0])
		if err != nil {
			return err
		}
		return unix.UtimesNanoAt(unix.AT_FDCWD, link, times, 0)
	case changeAttr, changeDropAttr:
		return q.changeAttr(kind, link, args)
	}
	return unix.ENOSYS
}

// times reads the times of last access and change from the program's memory; address 0 means now.
func (q *query) times(kind change, at uint64) ([]unix.Timespec, error) {
	out := []unix.Timespec{{Nsec: unix.UTIME_NOW}, {Nsec: unix.UTIME_NOW}}
	if at == 0 {
		return out, nil
	}
	size := map[change]int{changeTimes: 32, changeMicros: 32, changeSeconds: 16}[kind]
	data, err := q.memory(at, size)
	if err != nil || len(data) < size {
		return nil, unix.EFAULT
	}
	word := func(i int) int64 { return int64(binary.NativeEndian.Uint64(data[8*i:])) }
	for i := range out {
		switch kind {
		case changeTimes:
			out[i] = unix.Timespec{Sec: word(2 * i), Nsec: word(2*i + 1)}
		case changeMicros:
			if micros := word(2*i + 1); micros < 0 || micros >= 1e6 {
				return nil, unix.EINVAL
			}
			out[i] = unix.Timespec{Sec: word(2 * i), Nsec: 1000 * word(2*i+1)}
		default:
			out[i] = unix.Timespec{Sec: word(i)}
		}
	}
	return out, nil
}

// mostAttr is the maximum size in bytes of the value of an extended attribute.
const mostAttr = 64 << 10

func (q *query) changeAttr(kind change, link string, args []uint64) error {
	name, err := q.textAt(args[0])
	if err != nil {
		return plain(err, unix.EFAULT)
	}
	if kind == changeDropAttr {
		return unix.Removexattr(link, name)
	}
	size := args[2]
	if size > mostAttr {
		return unix.E2BIG
	}
	var value []byte
	if size > 0 {
		if value, err = q.memory(args[1], int(size)); err != nil || len(value) < int(size) {
			return unix.EFAULT
		}
	}
	return unix.Setxattr(link, name, value, int(args[3]))
}
