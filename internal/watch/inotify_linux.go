package watch

import (
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"strings"

	"golang.org/x/sys/unix"
)

// queue is one inotify instance. A single one watches everything, cookies included: the kernel
// keeps the events of one instance in order, and queues each before the call that caused it
// returns.
type queue struct {
	file *os.File
	fd   int
	buf  []byte
}

const interest = unix.IN_MODIFY | unix.IN_ATTRIB | unix.IN_CLOSE_WRITE | unix.IN_CREATE | unix.IN_DELETE |
	unix.IN_MOVED_FROM | unix.IN_MOVED_TO | unix.IN_DELETE_SELF | unix.IN_MOVE_SELF | unix.IN_ONLYDIR

func newQueue() (source, error) {
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	if err != nil {
		return nil, fmt.Errorf("start inotify: %w", err)
	}
	return &queue{file: os.NewFile(uintptr(fd), "inotify"), fd: fd, buf: make([]byte, 256<<10)}, nil
}

// add watches an open folder. It uses the descriptor because the path may lead elsewhere by now. A
// folder that is already watched keeps its number.
func (q *queue) add(fd int) (int32, error) {
	wd, err := unix.InotifyAddWatch(q.fd, fmt.Sprintf("/proc/self/fd/%d", fd), interest)
	if errors.Is(err, unix.ENOSPC) {
		return 0, ErrLimit
	}
	return int32(wd), err
}

func (q *queue) remove(wd int32) { _, _ = unix.InotifyRmWatch(q.fd, uint32(wd)) }

func (q *queue) close() { _ = q.file.Close() }

// read blocks until there are events.
func (q *queue) read() ([]event, error) {
	n, err := q.file.Read(q.buf)
	if err != nil {
		return nil, err
	}
	var all []event
	for b := q.buf[:n]; len(b) >= unix.SizeofInotifyEvent; {
		size := int(binary.NativeEndian.Uint32(b[12:]))
		if len(b) < unix.SizeofInotifyEvent+size {
			return nil, errors.New("the kernel sent an incomplete event")
		}
		name, _, _ := strings.Cut(string(b[unix.SizeofInotifyEvent:unix.SizeofInotifyEvent+size]), "\x00")
		all = append(all, event{wd: int32(binary.NativeEndian.Uint32(b)), name: name, what: meaning(binary.NativeEndian.Uint32(b[4:]))})
		b = b[unix.SizeofInotifyEvent+size:]
	}
	return all, nil
}

func meaning(mask uint32) (w what) {
	for _, m := range []struct {
		bits uint32
		is   what
	}{
		{unix.IN_MODIFY | unix.IN_CLOSE_WRITE, written}, {unix.IN_ATTRIB, attributes},
		{unix.IN_CREATE | unix.IN_DELETE | unix.IN_MOVED_FROM | unix.IN_MOVED_TO, cameOrWent},
		{unix.IN_DELETE_SELF | unix.IN_MOVE_SELF, movedItself}, {unix.IN_ISDIR, ofFolder},
		{unix.IN_IGNORED, ended}, {unix.IN_Q_OVERFLOW, overflow}, {unix.IN_UNMOUNT, unmounted},
	} {
		if mask&m.bits != 0 {
			w |= m.is
		}
	}
	return w
}

// localFileSystems lists the file systems of which inotify reports every change, because all
// changes go through this kernel.
var localFileSystems = map[uint32]bool{
	0xEF53: true, 0x58465342: true, 0x9123683E: true, 0x01021994: true, // ext4, xfs, btrfs, tmpfs
	0xF2F52010: true, 0x794C7630: true, 0xCA451A4E: true, 0x2FC12FC1: true, // f2fs, overlay, bcachefs, zfs
}

// trusted returns ErrSilent for a folder on a file system that other machines may change without an
// event.
func trusted(fd int) error {
	var st unix.Statfs_t
	if err := unix.Fstatfs(fd, &st); err != nil {
		return err
	}
	if !localFileSystems[uint32(st.Type)] {
		return fmt.Errorf("%w (type %x)", ErrSilent, uint32(st.Type))
	}
	return nil
}

func deviceOf(fd int) (uint64, error) {
	var st unix.Stat_t
	err := unix.Fstat(fd, &st)
	return uint64(st.Dev), err
}
