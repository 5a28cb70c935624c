//go:build linux && !portable && (amd64 || arm64)

package fence

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Landlock's rights. Only those in given are ever granted: devices cannot be created in a fence.
const (
	fileRights = unix.LANDLOCK_ACCESS_FS_WRITE_FILE | unix.LANDLOCK_ACCESS_FS_TRUNCATE
	given      = fileRights | unix.LANDLOCK_ACCESS_FS_REMOVE_DIR | unix.LANDLOCK_ACCESS_FS_REMOVE_FILE |
		unix.LANDLOCK_ACCESS_FS_MAKE_DIR | unix.LANDLOCK_ACCESS_FS_MAKE_REG | unix.LANDLOCK_ACCESS_FS_MAKE_SOCK |
		unix.LANDLOCK_ACCESS_FS_MAKE_FIFO | unix.LANDLOCK_ACCESS_FS_MAKE_SYM | unix.LANDLOCK_ACCESS_FS_REFER
	handled = given | unix.LANDLOCK_ACCESS_FS_MAKE_CHAR | unix.LANDLOCK_ACCESS_FS_MAKE_BLOCK
)

// Landlock versions (ABI). A fence requires leastABI.
const (
	leastABI   = 3 // Linux 6.2: truncation
	networkABI = 4 // Linux 6.7: TCP ports
	deviceABI  = 5 // Linux 6.10: ioctl on devices
	scopeABI   = 6 // Linux 6.12: signals and abstract sockets
)

// rulesetAttr is struct landlock_ruleset_attr.
type rulesetAttr struct{ fs, net, scoped uint64 }

// pathAttr is struct landlock_path_beneath_attr, portAttr is struct landlock_net_port_attr.
type (
	pathAttr struct {
		allowed uint64
		fd      int32
	}
	portAttr struct{ allowed, port uint64 }
)

const (
	rulePath = 1
	rulePort = 2
)

var abi = sync.OnceValues(func() (int, error) {
	v, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return 0, errno
	}
	return int(v), nil
})

// pin is a folder that Landlock opens, kept open so that its inode number is not reused.
type pin struct {
	file     *os.File
	dev, ino uint64
}

// wall is a policy as a Landlock ruleset that is not yet in force, with the folders that it opens.
type wall struct {
	ruleset *os.File
	pins    map[string]pin
}

func (w *wall) close() {
	w.ruleset.Close()
	for _, p := range w.pins {
		p.file.Close()
	}
}

// build makes the ruleset. Landlock cannot close a part of an open folder, so a folder with a
// closed path below it is opened entry by entry; the gatekeeper decides about the rest.
func build(p Policy, b book) (*wall, error) {
	version, err := abi()
	if err != nil {
		return nil, fmt.Errorf("landlock: %w", err)
	}
	attr := rulesetAttr{fs: handled}
	if version >= deviceABI {
		attr.fs |= unix.LANDLOCK_ACCESS_FS_IOCTL_DEV
	}
	if len(p.Hide) > 0 {
		attr.fs |= unix.LANDLOCK_ACCESS_FS_READ_FILE
	}
	if version >= networkABI && p.restrictsPorts() {
		attr.net = unix.LANDLOCK_ACCESS_NET_BIND_TCP | unix.LANDLOCK_ACCESS_NET_CONNECT_TCP
	}
	size := unsafe.Sizeof(attr)
	if version >= scopeABI {
		attr.scoped = unix.LANDLOCK_SCOPE_ABSTRACT_UNIX_SOCKET | unix.LANDLOCK_SCOPE_SIGNAL
	} else if size = 16; version < networkABI {
		size = 8
	}
	fd, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, uintptr(unsafe.Pointer(&attr)), size, 0)
	if errno != 0 {
		return nil, fmt.Errorf("landlock: create the ruleset: %w", errno)
	}
	w := &wall{ruleset: os.NewFile(fd, "landlock"), pins: map[string]pin{}}
	m := mason{wall: w, book: b, fs: attr.fs}
	for path, kind := range b.exact {
		switch kind {
		case Write:
			err = errors.Join(err, m.open(path))
		case Device:
			err = errors.Join(err, m.allow(path, fileRights|unix.LANDLOCK_ACCESS_FS_IOCTL_DEV, false))
		}
	}
	if len(p.Hide) > 0 {
		err = errors.Join(err, m.readable(p.Hide))
	}
	for _, port := range p.Ports {
		if attr.net != 0 {
			rule := portAttr{attr.net, uint64(port)}
			_, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, fd, rulePort, uintptr(unsafe.Pointer(&rule)), 0, 0, 0)
			if errno != 0 {
				err = errors.Join(err, fmt.Errorf("landlock: port %d: %w", port, errno))
			}
		}
	}
	if err != nil {
		w.close()
		return nil, err
	}
	return w, nil
}

// mason adds rules to a wall.
type mason struct {
	wall *wall
	book book
	fs   uint64 // the rights that the wall handles
}

// open opens a path for writing: completely, or entry by entry if something below it is closed.
func (m mason) open(path string) error {
	if !m.book.above[path] {
		return m.allow(path, given, true)
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil // missing, or not readable for this user: the gatekeeper decides about its entries
	}
	for _, e := range entries {
		inner := filepath.Join(path, e.Name())
		if _, own := m.book.exact[inner]; own || !e.IsDir() || m.book.kind(inner) != Write {
			continue // not files, because they may be replaced: the gatekeeper opens them
		}
		if err := m.open(inner); err != nil {
			return err
		}
	}
	return nil
}

// allow adds a rule for a path, unless it does not exist.
func (m mason) allow(path string, rights uint64, keep bool) error {
	fd, err := unix.Open(path, unix.O_PATH|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ENOTDIR) || errors.Is(err, unix.EACCES) || errors.Is(err, unix.ENXIO) {
		return nil
	}
	if err != nil {
		return fmt.Errorf("open %s for a fence: %w", path, err)
	}
	f := os.NewFile(uintptr(fd), path)
	var st unix.Stat_t
	if err := unix.Fstat(fd, &st); err != nil {
		f.Close()
		return err
	}
	isDir := st.Mode&unix.S_IFMT == unix.S_IFDIR
	if st.Mode&unix.S_IFMT == unix.S_IFLNK {
		return f.Close()
	}
	if !isDir {
		rights &= fileRights | unix.LANDLOCK_ACCESS_FS_IOCTL_DEV | unix.LANDLOCK_ACCESS_FS_READ_FILE
	}
	rule := pathAttr{rights & m.fs, int32(fd)}
	if rule.allowed != 0 {
		_, _, errno := unix.Syscall6(unix.SYS_LANDLOCK_ADD_RULE, m.wall.ruleset.Fd(), rulePath, uintptr(unsafe.Pointer(&rule)), 0, 0, 0)
		if errno != 0 {
			f.Close()
			return fmt.Errorf("landlock: %s: %w", path, errno)
		}
	}
	if !keep || !isDir {
		return f.Close()
	}
	m.wall.pins[path] = pin{f, st.Dev, st.Ino}
	return nil
}

// readable opens everything except hidden paths for reading: in each folder above a hidden path,
// all entries that do not lead to one.
func (m mason) readable(hide []string) error {
	hidden, above := map[string]bool{}, map[string]bool{"/": true}
	for _, path := range hide {
		path = Real(path)
		hidden[path] = true
		for dir := filepath.Dir(path); dir != "/"; dir = filepath.Dir(dir) {
			above[dir] = true
		}
	}
	for dir := range above {
		if inside(dir, hidden) {
			continue
		}
		entries, err := os.ReadDir(dir)
		if err != nil {
			continue // not readable for this user anyway
		}
		for _, e := range entries {
			path := filepath.Join(dir, e.Name())
			if !hidden[path] && !above[path] {
				if err := m.allow(path, unix.LANDLOCK_ACCESS_FS_READ_FILE, false); err != nil {
					return err
				}
			}
		}
	}
	for path, kind := range m.book.exact { // writable paths may be read, including new files
		if kind != Closed && !hidden[path] && !inside(path, hidden) && !above[path] {
			if err := m.allow(path, unix.LANDLOCK_ACCESS_FS_READ_FILE, false); err != nil {
				return err
			}
		}
	}
	return nil
}

func inside(path string, of map[string]bool) bool {
	for ; path != "/" && path != "."; path = filepath.Dir(path) {
		if of[path] {
			return true
		}
	}
	return false
}

// covers reports whether Landlock itself allows everything for entries of the folder dir: it is in
// a folder that was opened and has not been replaced.
func (w *wall) covers(dir string) bool {
	for ; ; dir = filepath.Dir(dir) {
		if p, ok := w.pins[dir]; ok {
			var st unix.Stat_t
			return unix.Lstat(dir, &st) == nil && st.Dev == p.dev && st.Ino == p.ino
		}
		if dir == "/" {
			return false
		}
	}
}

// Probe returns why this kernel cannot fence programs; nil if it can.
func Probe() error {
	version, err := abi()
	switch {
	case errors.Is(err, unix.ENOSYS):
		return errors.New("this kernel has no Landlock")
	case errors.Is(err, unix.EOPNOTSUPP):
		return errors.New("Landlock is not enabled on this kernel (lsm= on its command line)")
	case err != nil:
		return fmt.Errorf("landlock: %w", err)
	case version < leastABI:
		return fmt.Errorf("this kernel has Landlock ABI %d; %d (Linux 6.2) is needed", version, leastABI)
	}
	notify := uint32(unix.SECCOMP_RET_USER_NOTIF)
	if _, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_GET_ACTION_AVAIL, 0, uintptr(unsafe.Pointer(&notify))); errno != 0 {
		return fmt.Errorf("no seccomp notifications here: %w", errno)
	}
	if text, err := os.ReadFile("/proc/sys/kernel/yama/ptrace_scope"); err == nil && os.Geteuid() != 0 &&
		slices.Contains([]string{"2", "3"}, strings.TrimSpace(string(text))) {
		return errors.New("kernel.yama.ptrace_scope forbids what the gatekeeper needs")
	}
	return nil
}

// Gaps lists what a fence does not cover on this kernel.
func Gaps() []string {
	version, _ := abi()
	var gaps []string
	if version < networkABI {
		gaps = append(gaps, "network ports (Linux 6.7)")
	}
	if version < deviceABI {
		gaps = append(gaps, "control of devices (Linux 6.10)")
	}
	if version < scopeABI {
		gaps = append(gaps, "signals to programs outside (Linux 6.12)")
	}
	return gaps
}

// Version is the kernel's Landlock ABI, 0 for none.
func Version() int { v, _ := abi(); return v }
