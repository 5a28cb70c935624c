//go:build linux && !portable && (amd64 || arm64)

package fence

import (
	"errors"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// notif is struct seccomp_notif, answer is struct seccomp_notif_resp, addFD is struct seccomp_notif_addfd.
type (
	notif struct {
		id    uint64
		pid   uint32 // of the thread
		flags uint32
		nr    int32
		arch  uint32
		ip    uint64
		args  [6]uint64
	}
	answer struct {
		id    uint64
		val   int64
		errno int32 // negative
		flags uint32
	}
	addFD struct {
		id       uint64
		flags    uint32
		src      uint32
		dest     uint32
		newFlags uint32
	}
)

const (
	ioctlIDValid = 0x40082102
	ioctlAddFD   = 0x40182103
)

// keeper is the gatekeeper of one fence: it answers the calls that the filter suspends. With
// errPass the kernel continues a call with the program's own rights, so Landlock applies; what
// Landlock cannot allow the keeper executes itself, on folders and names that it has opened, never
// on a path that the program could change meanwhile.
type keeper struct {
	fd      int
	book    book
	wall    *wall
	network Policy // its ports
	since   time.Time

	mu     sync.Mutex
	denied map[Denial]int
	order  []Denial
}

// errPass means that the kernel may continue the call.
var errPass = errors.New("pass")

// serve answers calls until all fenced programs have ended.
func (k *keeper) serve() {
	defer unix.Close(k.fd)
	defer k.wall.close()
	for {
		poll := []unix.PollFd{{Fd: int32(k.fd), Events: unix.POLLIN}}
		if _, err := unix.Poll(poll, -1); err != nil && !errors.Is(err, unix.EINTR) {
			return
		}
		if poll[0].Revents&unix.POLLIN == 0 {
			if poll[0].Revents != 0 {
				return
			}
			continue
		}
		n := new(notif)
		if ioctl(k.fd, unix.SECCOMP_IOCTL_NOTIF_RECV, unsafe.Pointer(n)) != nil {
			continue // the caller was killed or interrupted
		}
		go k.handle(n)
	}
}

func (k *keeper) handle(n *notif) {
	q := query{keeper: k, call: n}
	defer q.closeAll()
	val, err := q.decide()
	if errors.Is(err, errSent) {
		return
	}
	a := answer{id: n.id, val: val}
	var errno unix.Errno
	switch {
	case errors.Is(err, errPass):
		a.flags = unix.SECCOMP_USER_NOTIF_FLAG_CONTINUE
	case errors.As(err, &errno):
		a.errno = -int32(errno)
	case err != nil:
		a.errno = -int32(unix.EACCES)
	}
	_ = ioctl(k.fd, unix.SECCOMP_IOCTL_NOTIF_SEND, unsafe.Pointer(&a)) // the caller may have died
}

func ioctl(fd int, what uintptr, with unsafe.Pointer) error {
	if _, _, errno := unix.Syscall(unix.SYS_IOCTL, uintptr(fd), what, uintptr(with)); errno != 0 {
		return errno
	}
	return nil
}

// unbroken calls do with all signals blocked on its thread. The kernel counts a call as answered
// from the time when a descriptor is sent until the program has received it; if a signal (Go sends
// one for preemption) interrupts that, it takes back the descriptor but not the answer: the
// program's open returns 0, its standard input.
func unbroken(do func() error) error {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	var all, was unix.Sigset_t
	for i := range all.Val {
		all.Val[i]--
	}
	if err := unix.PthreadSigmask(unix.SIG_SETMASK, &all, &was); err != nil {
		return err
	}
	defer func() { _ = unix.PthreadSigmask(unix.SIG_SETMASK, &was, nil) }()
	return do()
}

// refuse records a refusal. Refusals in system folders are ignored, because they would also fail
// without the fence, except for files of people in /dev/shm.
func (k *keeper) refuse(what verb, path string, pid uint32) {
	for _, system := range []string{"/proc/", "/sys/", "/dev/"} {
		if strings.HasPrefix(path, system) && !Below(path, "/dev/shm") {
			return
		}
	}
	comm, _ := os.ReadFile("/proc/" + strconv.Itoa(int(pid)) + "/comm")
	d := Denial{What: what.String(), Path: path, Program: strings.TrimSpace(string(comm))}
	k.mu.Lock()
	defer k.mu.Unlock()
	if _, known := k.denied[d]; !known {
		if len(k.order) == mostDenials {
			return
		}
		k.order = append(k.order, d)
	}
	k.denied[d]++
}

// list returns the refusals in the order of their first occurrence.
func (k *keeper) list() []Denial {
	k.mu.Lock()
	defer k.mu.Unlock()
	var out []Denial
	for _, d := range k.order {
		times := k.denied[d]
		d.Times = times
		out = append(out, d)
	}
	return out
}

// query is one call that waits for an answer.
type query struct {
	keeper *keeper
	call   *notif
	open   []int // descriptors to close
}

func (q *query) closeAll() {
	for _, fd := range q.open {
		unix.Close(fd)
	}
}

// proc returns the path of one of the program's files in /proc.
func (q *query) proc(name string) string {
	return "/proc/" + strconv.Itoa(int(q.call.pid)) + "/" + name
}

// status returns a field of the program's status in /proc; "" if there is none. The program chooses
// its own name in the first line, but line ends in it are escaped.
func (q *query) status(field string) string {
	text, err := os.ReadFile(q.proc("status"))
	if err != nil {
		return ""
	}
	_, rest, _ := strings.Cut(string(text), "\n"+field+":\t")
	line, _, _ := strings.Cut(rest, "\n")
	return line
}

// valid reports whether the program still waits. If so, its process ID was not reused during
// earlier reads.
func (q *query) valid() bool {
	return ioctl(q.keeper.fd, ioctlIDValid, unsafe.Pointer(&q.call.id)) == nil
}

// memory reads up to size bytes of the program's memory.
func (q *query) memory(at uint64, size int) ([]byte, error) {
	buf := make([]byte, size)
	local := unix.Iovec{Base: &buf[0]}
	local.SetLen(size)
	n, err := unix.ProcessVMReadv(int(q.call.pid), []unix.Iovec{local}, []unix.RemoteIovec{{Base: uintptr(at), Len: size}}, 0)
	if err == nil && !q.valid() {
		err = unix.ESRCH
	}
	return buf[:max(n, 0)], err
}

// text reads a path from the program's memory, page by page, because the next page may not be
// mapped.
func (q *query) text(arg int) (string, error) { return q.textAt(q.call.args[arg]) }

func (q *query) textAt(at uint64) (string, error) {
	var all []byte
	for len(all) < unix.PathMax {
		part, err := q.memory(at, int(4096-at%4096))
		if err != nil {
			return "", err
		}
		if len(part) == 0 {
			return "", unix.EFAULT
		}
		for i, c := range part {
			if c == 0 {
				return string(append(all, part[:i]...)), nil
			}
		}
		all, at = append(all, part...), at+uint64(len(part))
	}
	return "", unix.ENAMETOOLONG
}

// place is a name in an opened folder. Without a name it is the folder itself.
type place struct {
	dir  int
	in   string // the folder's path, as the kernel reports it
	base string
}

func (p place) path() string {
	if p.base == "" {
		return p.in
	}
	return strings.TrimSuffix(p.in, "/") + "/" + p.base
}

func (p place) stat() (st unix.Stat_t, err error) {
	if p.base == "" {
		return st, unix.Fstat(p.dir, &st)
	}
	return st, unix.Fstatat(p.dir, p.base, &st, unix.AT_SYMLINK_NOFOLLOW)
}

func (p place) exists() bool { _, err := p.stat(); return err == nil }

// own reports whether it is in this process's folder in /proc. The program reached it through
// /proc/self or /dev/stdout, which mean the program's own folder.
func (p place) own() bool {
	return strings.HasPrefix(p.in+"/", "/proc/"+strconv.Itoa(os.Getpid())+"/")
}

// begin opens the folder at which a path of the program begins.
func (q *query) begin(dir int, path string) (int, error) {
	from := "cwd"
	switch {
	case strings.HasPrefix(path, "/"):
		from = "root"
	case dir >= 0 && int32(q.call.args[dir]) != unix.AT_FDCWD:
		from = "fd/" + strconv.Itoa(int(int32(q.call.args[dir])))
	}
	fd, err := unix.Open(q.proc(from), unix.O_PATH|unix.O_CLOEXEC, 0)
	if err == nil {
		q.open = append(q.open, fd)
	}
	return fd, err
}

// locate resolves a path like the program's call, up to its last name, and that as well if follow
// is set and it is a link. Links in /proc depend on the process, so they are not followed: the
// kernel continues those calls.
func (q *query) locate(dir, arg int, follow bool) (place, error) {
	path, err := q.text(arg)
	if err != nil {
		return place{}, err
	}
	if path == "" {
		return place{}, unix.ENOENT
	}
	at, err := q.begin(dir, path)
	if err != nil {
		return place{}, err
	}
	if !q.valid() {
		return place{}, unix.ESRCH
	}
	own := strings.HasPrefix(path, "/proc/") || strings.HasPrefix(path, "/dev/")
	for range 40 {
		p, err := q.step(at, path)
		if err != nil && own || err == nil && p.own() { // it means something else for the program
			return p, errPass
		}
		if err != nil || !follow || p.base == "" {
			return p, err
		}
		st, err := p.stat()
		if err != nil || st.Mode&unix.S_IFMT != unix.S_IFLNK {
			return p, nil
		}
		buf := make([]byte, unix.PathMax)
		n, err := unix.Readlinkat(p.dir, p.base, buf)
		if err != nil {
			return p, err
		}
		if at, path = p.dir, string(buf[:n]); strings.HasPrefix(path, "/") {
			if at, err = q.begin(-1, path); err != nil {
				return p, err
			}
		}
	}
	return place{}, unix.ELOOP
}

// step opens the folder of a path's last name.
func (q *query) step(at int, path string) (place, error) {
	path = strings.TrimRight(path, "/")
	dir, base := "", path
	if i := strings.LastIndexByte(path, '/'); i >= 0 {
		dir, base = path[:i], path[i+1:]
	}
	if base == "" || base == "." || base == ".." {
		dir, base = path, ""
	}
	if dir = strings.TrimLeft(dir, "/"); dir == "" {
		dir = "."
	}
	how := unix.OpenHow{Flags: unix.O_PATH | unix.O_DIRECTORY | unix.O_CLOEXEC, Resolve: unix.RESOLVE_NO_MAGICLINKS}
	fd, err := unix.Openat2(at, dir, &how)
	if err != nil {
		return place{}, err
	}
	q.open = append(q.open, fd)
	in, err := os.Readlink("/proc/self/fd/" + strconv.Itoa(fd))
	if err != nil {
		return place{}, err
	}
	return place{fd, in, base}, nil
}
