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

// Mounts returns the lines of the mount table that concern a tree: mounts below its root, at it or
// above it. inotify does not report mounts.
func Mounts(root string) (string, error) {
	text, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for line := range strings.Lines(string(text)) {
		f := strings.Fields(line)
		if len(f) < 5 {
			continue
		}
		at := unescape(f[4])
		if at == "/" || at == root || strings.HasPrefix(at, root+"/") || strings.HasPrefix(root, at+"/") {
			fmt.Fprintf(&b, "%s %s %s %s\n", f[0], f[2], f[3], f[4])
		}
	}
	return b.String(), nil
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
	workers := make([]writableFinder, min(runtime.GOMAXPROCS(0), 4))
	var wg sync.WaitGroup
	for i := range workers {
		w := &workers[i]
		w.lead, w.found = root+"/", map[string]bool{}
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
	lead  string // the folder, with a slash at the end
	found map[string]bool
	names []string
	buf   [unix.PathMax + 64]byte
}

func (s *writableFinder) process(dir string) {
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
	if below, ok := strings.CutPrefix(path, s.lead); ok && !strings.HasPrefix(below, ".git/") {
		s.found[below] = true
	}
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
		if err != nil || size <= len(s.lead) || string(s.buf[:len(s.lead)]) != s.lead {
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
