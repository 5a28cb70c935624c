package watch

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// mount is one line of a mount table.
type mount struct {
	id, device   string
	folder, path string // the folder of the file system, and where it is mounted
}

func readMounts(table string) (list []mount, err error) {
	text, err := os.ReadFile(table)
	for line := range strings.Lines(string(text)) {
		if f := strings.Fields(line); len(f) >= 5 {
			list = append(list, mount{f[0], f[2], unescape(f[3]), unescape(f[4])})
		}
	}
	return list, err
}

// Mounts returns the lines of the mount table that concern a tree: mounts below its root, at it or
// above it. inotify does not report mounts.
func Mounts(root string) (string, error) {
	list, err := readMounts("/proc/self/mountinfo")
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for _, m := range list {
		_, above := below(root, m.path)
		if _, inside := below(m.path, root); above || inside {
			fmt.Fprintf(&b, "%s %s %q %q\n", m.id, m.device, m.folder, m.path)
		}
	}
	return b.String(), nil
}

// below reports whether a path is at a folder or below it, and returns the rest.
func below(path, folder string) (rest string, ok bool) {
	folder = strings.TrimSuffix(folder, "/")
	rest, ok = strings.CutPrefix(path, folder)
	return strings.TrimPrefix(rest, "/"), ok && (rest == "" || rest[0] == '/')
}

// alias is a path at which a process sees a tree, or what is below a path of the tree.
type alias struct{ path, tree string }

// aliasesOf returns the aliases of the tree at root, of which the device and folder there are known,
// for processes with a mount table.
func aliasesOf(list []mount, device, folder string) (out []alias) {
	for _, m := range list {
		if m.device != device {
			continue
		}
		if rest, ok := below(folder, m.folder); ok {
			out = append(out, alias{filepath.Join(m.path, rest), ""})
		} else if rest, ok := below(m.folder, folder); ok {
			out = append(out, alias{m.path, rest})
		}
	}
	return out
}

// unescape decodes octal escapes such as \040.
func unescape(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+3 < len(s) {
			if n, err := strconv.ParseUint(s[i+1:i+4], 8, 8); err == nil {
				b.WriteByte(byte(n))
				i += 3
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// Written returns the files below root that some process has open for writing or mapped shared and
// writable, as paths relative to root. A write through a mapping causes no event; the first comes
// when the mapping is gone and the file is closed. Processes of other users cannot be inspected.
// Every request looks at every process, so each may take only microseconds.
func Written(root string) (map[string]bool, error) {
	dir, err := os.Open("/proc")
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, err
	}
	names = slices.DeleteFunc(names, func(n string) bool { return n[0] < '0' || n[0] > '9' })
	list, err := readMounts("/proc/self/mountinfo")
	if err != nil {
		return nil, err
	}
	var device, folder, longest string
	for _, m := range list {
		if rest, ok := below(root, m.path); ok && len(m.path) >= len(longest) { // a later one covers an earlier one
			device, folder, longest = m.device, filepath.Join(m.folder, rest), m.path
		}
	}
	own, _ := os.Readlink("/proc/self/ns/mnt")
	here := append([]alias{{root, ""}}, aliasesOf(list, device, folder)...)
	workers := make([]writableFinder, min(runtime.GOMAXPROCS(0), 4))
	var wg sync.WaitGroup
	for i := range workers {
		w := &workers[i]
		w.root, w.device, w.folder, w.found = root, device, folder, map[string]bool{}
		w.namespaces = map[string][]alias{own: here}
		wg.Go(func() {
			for j := i; j < len(names); j += len(workers) {
				w.process("/proc/" + names[j])
			}
		})
	}
	wg.Wait()
	for _, w := range workers[1:] {
		maps.Copy(workers[0].found, w.found)
	}
	return workers[0].found, nil
}

// writableFinder finds files below a folder that some process has open for writing. It skips
// processes that have ended or that it may not inspect.
type writableFinder struct {
	root           string
	device, folder string             // of the root, in mount tables
	namespaces     map[string][]alias // by mount namespace
	aliases        []alias            // for the process
	found          map[string]bool
	names          []string
	buf            [unix.PathMax + 64]byte
}

func (s *writableFinder) process(dir string) {
	n, err := unix.Readlink(dir+"/ns/mnt", s.buf[:])
	aliases, known := []alias{{s.root, ""}}, err != nil // without namespaces
	if err == nil {
		aliases, known = s.namespaces[string(s.buf[:n])]
	}
	if !known { // a container
		id := string(s.buf[:n])
		list, _ := readMounts(dir + "/mountinfo")
		aliases = append([]alias{{s.root, ""}}, aliasesOf(list, s.device, s.folder)...)
		s.namespaces[id] = aliases
	}
	s.aliases = aliases
	if fd, err := unix.Open(dir+"/maps", unix.O_RDONLY|unix.O_CLOEXEC, 0); err == nil {
		if !s.asked(fd) {
			s.mapped(fd)
		}
		unix.Close(fd)
	}
	if fd, err := unix.Open(dir+"/fd", unix.O_RDONLY|unix.O_DIRECTORY|unix.O_CLOEXEC, 0); err == nil {
		s.opened(fd, dir)
		unix.Close(fd)
	}
}

// note adds a path, given as the kernel prints it, if it is below the folder.
func (s *writableFinder) note(path string) {
	path = strings.TrimSuffix(path, " (deleted)")
	for _, a := range s.aliases {
		rest, ok := below(path, a.path)
		if name := filepath.Join(a.tree, rest); ok && name != "" && !strings.HasPrefix(name, ".git/") {
			s.found[name] = true
		}
	}
}

// maybeBelow reports whether a path may be below the folder.
func (s *writableFinder) maybeBelow(path []byte) bool {
	for _, a := range s.aliases {
		if len(path) >= len(a.path) && string(path[:len(a.path)]) == a.path {
			return true
		}
	}
	return false
}

// mappingQuery is struct procmap_query of Linux 6.11 and later.
type mappingQuery struct {
	size, flags, addr                         uint64
	start, end, isFlags, pageSize, off, inode uint64
	major, minor, nameSize, buildSize         uint32
	name, build                               uint64
}

const (
	askMapping     = 0xc0686611                // PROCMAP_QUERY
	sharedWritable = 0x02 | 0x08 | 0x10 | 0x20 // writable, shared, at the address or the next one, of a file
)

// asked adds shared writable mappings with PROCMAP_QUERY. It returns false when the kernel does not
// support that.
func (s *writableFinder) asked(table int) bool {
	q := mappingQuery{flags: sharedWritable}
	for {
		q.size, q.name, q.nameSize = uint64(unsafe.Sizeof(q)), uint64(uintptr(unsafe.Pointer(&s.buf[0]))), uint32(len(s.buf))
		_, _, err := unix.Syscall(unix.SYS_IOCTL, uintptr(table), askMapping, uintptr(unsafe.Pointer(&q)))
		switch err {
		case 0:
		case unix.EINTR:
			continue
		case unix.ENOENT, unix.ESRCH:
			return true
		default:
			return false
		}
		if n := int(q.nameSize); n > 1 && n <= len(s.buf) {
			s.note(string(s.buf[:n-1]))
		}
		if q.end <= q.addr {
			return false
		}
		q.addr = q.end
	}
}

// mapped adds shared writable mappings by reading the text of /proc/PID/maps.
func (s *writableFinder) mapped(table int) {
	var text []byte
	for {
		text = slices.Grow(text, 64<<10)
		n, err := unix.Read(table, text[len(text):cap(text)])
		if err == unix.EINTR {
			continue
		}
		if err != nil || n == 0 {
			break
		}
		text = text[:len(text)+n]
	}
	for line := range strings.Lines(string(text)) {
		range_, rest, _ := strings.Cut(line, " ")
		if range_ == "" || len(rest) < 4 || rest[1] != 'w' || rest[3] != 's' {
			continue
		}
		if i := strings.IndexByte(rest, '/'); i >= 0 {
			s.note(unescape(strings.TrimSuffix(rest[i:], "\n")))
		}
	}
}

// opened adds the files of descriptors that are open for writing.
func (s *writableFinder) opened(fds int, dir string) {
	s.names = s.names[:0]
	for {
		n, err := unix.ReadDirent(fds, s.buf[:])
		if err == unix.EINTR {
			continue
		}
		if err != nil || n <= 0 {
			break
		}
		_, _, s.names = unix.ParseDirent(s.buf[:n], -1, s.names)
	}
	for _, n := range s.names {
		size, err := unix.Readlinkat(fds, n, s.buf[:])
		if err != nil || !s.maybeBelow(s.buf[:size]) {
			continue
		}
		if path := string(s.buf[:size]); writes(filepath.Join(dir, "fdinfo", n)) {
			s.note(path)
		}
	}
}

func writes(info string) bool {
	text, err := os.ReadFile(info)
	if err != nil {
		return false
	}
	_, rest, _ := strings.Cut(string(text), "flags:")
	line, _, _ := strings.Cut(strings.TrimSpace(rest), "\n")
	flags, err := strconv.ParseUint(line, 8, 64)
	return err == nil && flags&unix.O_ACCMODE != unix.O_RDONLY && flags&unix.O_PATH == 0
}
