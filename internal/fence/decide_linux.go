//go:build linux && !portable && (amd64 || arm64)

package fence

import (
	"encoding/binary"
	"errors"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// errSent means that the answer has been sent.
var errSent = errors.New("sent")

// decide answers a call: with errPass, with an error number, or by executing it.
func (q *query) decide() (int64, error) {
	c, ok := callOf(q.call.nr)
	if !ok {
		return 0, errPass
	}
	switch c.what {
	case verbConnect:
		return 0, q.connect()
	case verbListen:
		return 0, q.listen()
	case verbFd:
		return 0, q.descriptor(c, int(int32(q.call.args[c.dir])))
	case verbMeta, verbMetaLink, verbMetaFlags:
		return 0, q.meta(c)
	case verbRename, verbRenamePlain, verbLink, verbLinkPlain:
		return 0, q.pair(c)
	case verbOpen, verbOpen2, verbCreat:
		return q.opens(c)
	}
	p, err := q.locate(c.dir, c.path, c.what == verbTruncate)
	if err != nil || p.base == "" {
		return 0, missing(err)
	}
	switch q.may(p, c.what) {
	case byKernel:
		return 0, errPass
	case no:
		q.note(c.what, p)
		return 0, errPass
	}
	return 0, q.perform(c, p)
}

// missing answers a call with a path that could not be resolved. A missing file gives that error:
// if the kernel continued the call and the file existed by then, Landlock would refuse what is
// allowed. For other errors the kernel continues and reports them.
func missing(err error) error {
	if errors.Is(err, unix.ENOENT) || errors.Is(err, unix.ENOTDIR) {
		return err
	}
	return errPass
}

// verdict is which process may execute a call.
type verdict int

const (
	no       verdict = iota // none: Landlock refuses it, or the caller does
	byKernel                // the program itself: Landlock allows it
	byKeeper                // the gatekeeper, because Landlock cannot allow it
)

// may decides about writing, creating or removing a place.
func (q *query) may(p place, what verb) verdict {
	path := p.path()
	switch kind := q.keeper.book.kind(path); kind {
	case Device:
		return byKernel
	case Append:
		if unfinished(p.base) || !p.exists() && !what.removes() || what == verbRename && !p.exists() {
			return byKeeper
		}
		return no
	case Write:
		if what.removes() && !q.keeper.book.removable(path) {
			return no
		}
		if q.keeper.wall.covers(p.in) {
			return byKernel
		}
		return byKeeper
	}
	if what == verbMkdir && q.keeper.book.leads[path] && !p.exists() {
		return byKeeper
	}
	return no
}

func (v verb) removes() bool {
	switch v {
	case verbUnlink, verbUnlinkFile, verbRmdir, verbRename, verbRenamePlain:
		return true
	}
	return false
}

// unfinished reports whether git uses names like this for files that it is still writing, or only
// while it works.
func unfinished(name string) bool {
	return strings.HasPrefix(name, "tmp_") || strings.HasPrefix(name, ".tmp-") || strings.HasSuffix(name, ".keep") ||
		strings.HasSuffix(name, ".lock")
}

// note records a refusal of a call that would have succeeded without a fence.
func (q *query) note(what verb, p place) {
	there := p.exists()
	switch {
	case what == verbMkdir || what == verbMknod || what == verbSymlink:
		if there {
			return // the kernel reports EEXIST
		}
	case what.removes() && !there, (what == verbRmdir || what == verbUnlink) && p.full():
		return // the call would have failed anyway
	}
	name := p.base
	if what != verbOpen && what != verbTruncate && what < verbMeta || !there {
		name = "" // the permissions of its folder decide
	}
	if what >= verbMeta || unix.Faccessat(p.dir, orDot(name), unix.W_OK, unix.AT_EACCESS) == nil {
		q.keeper.refuse(what, p.path(), q.call.pid)
	}
}

// full reports whether it is a folder that is not empty.
func (p place) full() bool {
	fd, err := unix.Openat(p.dir, p.base, unix.O_RDONLY|unix.O_DIRECTORY|unix.O_NOFOLLOW|unix.O_CLOEXEC, 0)
	if err != nil {
		return false
	}
	f := os.NewFile(uintptr(fd), p.base)
	defer f.Close()
	names, _ := f.Readdirnames(1)
	return len(names) > 0
}

func orDot(name string) string {
	if name == "" {
		return "."
	}
	return name
}

// perform executes a call with one path.
func (q *query) perform(c call, p place) error {
	switch c.what {
	case verbTruncate:
		fd, err := unix.Openat(p.dir, p.base, unix.O_WRONLY|unix.O_NOFOLLOW|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
		if err != nil {
			return err
		}
		defer unix.Close(fd)
		return unix.Ftruncate(fd, int64(q.call.args[c.more]))
	case verbMkdir:
		return q.made(p, uint32(q.call.args[c.more]), func(mode uint32) error { return unix.Mkdirat(p.dir, p.base, mode) })
	case verbMknod:
		mode := uint32(q.call.args[c.more])
		switch mode & unix.S_IFMT {
		case 0, unix.S_IFREG, unix.S_IFIFO, unix.S_IFSOCK:
			return q.made(p, mode, func(mode uint32) error { return unix.Mknodat(p.dir, p.base, mode, 0) })
		}
		return unix.EPERM
	case verbUnlink:
		return unix.Unlinkat(p.dir, p.base, int(q.call.args[c.more]))
	case verbUnlinkFile:
		return unix.Unlinkat(p.dir, p.base, 0)
	case verbRmdir:
		return unix.Unlinkat(p.dir, p.base, unix.AT_REMOVEDIR)
	case verbSymlink:
		text, err := q.text(0)
		if err != nil {
			return err
		}
		return unix.Symlinkat(text, p.dir, p.base)
	}
	return errPass
}

// made creates something with the permissions that the program's umask allows.
func (q *query) made(p place, mode uint32, do func(uint32) error) error {
	mode &^= q.umask()
	if err := do(mode); err != nil {
		return err
	}
	var st unix.Stat_t
	if unix.Fstatat(p.dir, p.base, &st, unix.AT_SYMLINK_NOFOLLOW) == nil && st.Mode&0o777 != mode&0o777 {
		_ = unix.Fchmodat(p.dir, p.base, mode&0o7777, 0)
	}
	return nil
}

func (q *query) umask() uint32 {
	n, err := strconv.ParseUint(q.status("Umask"), 8, 32)
	if err != nil {
		return 0o022
	}
	return uint32(n)
}

// pair executes a rename or a link: both places must be open to the program.
func (q *query) pair(c call) error {
	oldDir, oldPath, newDir, newPath, flags := -1, 0, -1, 1, 0
	if c.what == verbRename || c.what == verbLink {
		oldDir, oldPath, newDir, newPath, flags = 0, 1, 2, 3, int(q.call.args[4])
	}
	if q.call.nr == unix.SYS_RENAMEAT {
		flags = 0
	}
	what := verbRename
	if c.what == verbLink || c.what == verbLinkPlain {
		what = verbLink
	}
	if what == verbLink && flags&unix.AT_EMPTY_PATH != 0 {
		return errPass
	}
	from, err := q.locate(oldDir, oldPath, what == verbLink && flags&unix.AT_SYMLINK_FOLLOW != 0)
	if err != nil || from.base == "" {
		return missing(err)
	}
	to, err := q.locate(newDir, newPath, false)
	if err != nil || to.base == "" {
		return missing(err)
	}
	fromMay := q.may(from, what)
	if what == verbLink { // a new name for an existing file: writing to it changes that file
		fromMay = q.may(from, verbTruncate)
	}
	toMay := q.may(to, what)
	switch {
	case fromMay == no:
		q.note(c.what, from)
		return errPass
	case toMay == no:
		q.note(verbOpen, to)
		return errPass
	case fromMay == byKernel && toMay == byKernel:
		return errPass
	case what == verbLink:
		return unix.Linkat(from.dir, from.base, to.dir, to.base, 0)
	}
	return unix.Renameat2(from.dir, from.base, to.dir, to.base, uint(flags))
}

// opens answers an open that may write.
func (q *query) opens(c call) (int64, error) {
	how, err := q.how(c)
	if err != nil {
		return 0, errPass
	}
	if how.Flags&writes == 0 || how.Flags&unix.O_PATH != 0 {
		return 0, errPass
	}
	follow := how.Flags&unix.O_NOFOLLOW == 0 && how.Flags&(unix.O_CREAT|unix.O_EXCL) != unix.O_CREAT|unix.O_EXCL
	p, err := q.locate(c.dir, c.path, follow)
	if err != nil {
		return 0, missing(err)
	}
	if how.Flags&unix.O_TMPFILE == unix.O_TMPFILE {
		if q.keeper.book.kind(p.path()) == Write && !q.keeper.wall.covers(p.path()) {
			return 0, unix.EOPNOTSUPP // programs then create a named file
		}
		return 0, errPass
	}
	if p.base == "" {
		return 0, errPass
	}
	switch q.may(p, verbOpen) {
	case byKernel:
		return 0, errPass
	case no:
		q.note(verbOpen, p)
		return 0, errPass
	}
	return q.openFor(p, how)
}

// how returns the flags and mode of an open.
func (q *query) how(c call) (how unix.OpenHow, err error) {
	switch c.what {
	case verbCreat:
		return unix.OpenHow{Flags: unix.O_CREAT | unix.O_WRONLY | unix.O_TRUNC, Mode: q.call.args[c.more]}, nil
	case verbOpen:
		return unix.OpenHow{Flags: q.call.args[c.more] & 0xffffffff, Mode: q.call.args[c.more+1] & 0o7777}, nil
	}
	if q.call.args[c.more+1] < 24 {
		return how, unix.EINVAL
	}
	data, err := q.memory(q.call.args[c.more], 24)
	if err != nil || len(data) < 24 {
		return how, unix.EFAULT
	}
	how.Flags, how.Mode = binary.NativeEndian.Uint64(data), binary.NativeEndian.Uint64(data[8:])
	return how, nil
}

// openFor opens a file and adds it to the program's descriptors.
func (q *query) openFor(p place, how unix.OpenHow) (int64, error) {
	if st, err := p.stat(); err == nil && st.Mode&unix.S_IFMT != unix.S_IFREG {
		return 0, errPass // a folder, or something on which open may block
	}
	flags := int(how.Flags)&^(unix.O_CREAT|unix.O_EXCL) | unix.O_NOFOLLOW | unix.O_CLOEXEC | unix.O_NONBLOCK | unix.O_NOCTTY
	fd, err := -1, error(unix.ENOENT)
	if how.Flags&unix.O_CREAT != 0 {
		err = q.made(p, uint32(how.Mode), func(mode uint32) error {
			fd, err = unix.Openat(p.dir, p.base, flags|unix.O_CREAT|unix.O_EXCL, mode)
			return err
		})
	}
	if how.Flags&unix.O_CREAT == 0 || errors.Is(err, unix.EEXIST) && how.Flags&unix.O_EXCL == 0 {
		fd, err = unix.Openat(p.dir, p.base, flags, 0)
	}
	if err != nil {
		return 0, err
	}
	defer unix.Close(fd)
	if how.Flags&unix.O_NONBLOCK == 0 {
		if now, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0); err == nil {
			_, _ = unix.FcntlInt(uintptr(fd), unix.F_SETFL, now&^unix.O_NONBLOCK)
		}
	}
	add := addFD{id: q.call.id, flags: unix.SECCOMP_ADDFD_FLAG_SEND, src: uint32(fd), newFlags: uint32(how.Flags) & unix.O_CLOEXEC}
	if err := unbroken(func() error { return ioctl(q.keeper.fd, ioctlAddFD, unsafe.Pointer(&add)) }); err != nil {
		return 0, err
	}
	return 0, errSent
}

// connect answers a connection. A Unix socket must have been created by the program or its
// children, or be allowed by the policy. The gatekeeper connects a copy of the descriptor itself,
// because the address, and the socket behind the descriptor, may change meanwhile.
func (q *query) connect() error {
	size := int(int32(q.call.args[2]))
	if size <= 2 || !copies() {
		return errPass // no address, or no Unix sockets: the filter refuses them
	}
	sock, err := q.descriptorOf(int(int32(q.call.args[0])))
	if err != nil {
		return plain(err, unix.EBADF)
	}
	domain, err := unix.GetsockoptInt(sock, unix.SOL_SOCKET, unix.SO_DOMAIN)
	if err != nil {
		return err
	}
	kind, err := unix.GetsockoptInt(sock, unix.SOL_SOCKET, unix.SO_TYPE)
	if err != nil {
		return err
	}
	if size > 128 || domain == unix.AF_UNIX && size > unix.SizeofSockaddrUnix {
		return unix.EINVAL
	}
	addr, err := q.memory(q.call.args[1], size)
	switch {
	case err != nil || len(addr) < size:
		return unix.EFAULT
	case domain == unix.AF_UNIX:
		if addr, err = q.openSocket(string(addr[2:])); err != nil {
			return err
		}
	case kind == unix.SOCK_STREAM && !q.reachable(domain, addr):
		return unix.EACCES
	}
	return q.dial(sock, addr, kind == unix.SOCK_STREAM || kind == unix.SOCK_SEQPACKET, domain == unix.AF_UNIX)
}

// reachable reports whether the policy allows a TCP connection. Landlock would decide about the
// gatekeeper, which is outside the fence.
func (q *query) reachable(domain int, addr []byte) bool {
	p := q.keeper.network
	if !p.restrictsPorts() || domain != unix.AF_INET && domain != unix.AF_INET6 ||
		binary.NativeEndian.Uint16(addr) == unix.AF_UNSPEC { // which disconnects
		return true
	}
	return len(addr) >= 4 && slices.Contains(p.Ports, binary.BigEndian.Uint16(addr[2:]))
}

// listen answers a listen, which gives a TCP socket without a port any port, unseen by Landlock. As
// with a connection, the gatekeeper acts on a copy of the descriptor.
func (q *query) listen() error {
	if !q.keeper.network.restrictsPorts() || !copies() {
		return errPass
	}
	sock, err := q.descriptorOf(int(int32(q.call.args[0])))
	if err != nil {
		return plain(err, unix.EBADF)
	}
	address, err := unix.Getsockname(sock)
	if err != nil {
		return err
	}
	allowed := true
	switch at := address.(type) {
	case *unix.SockaddrInet4:
		allowed = slices.Contains(q.keeper.network.Ports, uint16(at.Port))
	case *unix.SockaddrInet6:
		allowed = slices.Contains(q.keeper.network.Ports, uint16(at.Port))
	}
	if !allowed {
		return unix.EACCES
	}
	return unix.Listen(sock, int(int32(q.call.args[1])))
}

// openSocket opens the Unix socket with a name in the program, and returns an address for it that
// cannot change.
func (q *query) openSocket(name string) ([]byte, error) {
	name, _, _ = strings.Cut(name, "\x00")
	if name == "" {
		return nil, unix.EACCES // abstract: without a path its owner is unknown
	}
	at, err := q.begin(-1, name)
	if err != nil {
		return nil, err
	}
	p, err := q.step(at, name)
	if err != nil {
		return nil, err
	}
	fd, err := unix.Openat(p.dir, orDot(p.base), unix.O_PATH|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	q.open = append(q.open, fd)
	link := "/proc/self/fd/" + strconv.Itoa(fd)
	path, err := os.Readlink(link)
	if err != nil {
		return nil, err
	}
	if !q.usable(path, fd) {
		q.keeper.refuse(verbConnect, path, q.call.pid)
		return nil, unix.EACCES
	}
	return append(binary.NativeEndian.AppendUint16(nil, unix.AF_UNIX), link+"\x00"...), nil
}

// dial connects a copied socket. If that may block (stream), it waits without a thread, for as long
// as the program does; the socket does not block for the moment of each attempt.
func (q *query) dial(sock int, addr []byte, stream, local bool) error {
	flags, err := unix.FcntlInt(uintptr(sock), unix.F_GETFL, 0)
	if err != nil {
		return err
	}
	blocks := stream && flags&unix.O_NONBLOCK == 0
	var limit time.Time
	if patience, err := unix.GetsockoptTimeval(sock, unix.SOL_SOCKET, unix.SO_SNDTIMEO); err == nil && patience.Nano() > 0 {
		limit = time.Now().Add(time.Duration(patience.Nano()))
	}
	for wait := time.Duration(0); ; wait = min(2*wait+100*time.Microsecond, 20*time.Millisecond) {
		if blocks {
			if _, err := unix.FcntlInt(uintptr(sock), unix.F_SETFL, flags|unix.O_NONBLOCK); err != nil {
				return err
			}
		}
		_, _, errno := unix.Syscall(unix.SYS_CONNECT, uintptr(sock), uintptr(unsafe.Pointer(&addr[0])), uintptr(len(addr)))
		if blocks {
			_, _ = unix.FcntlInt(uintptr(sock), unix.F_SETFL, flags)
		}
		switch {
		case errno == 0 || errno == unix.EISCONN && wait > 0 && !local: // VSOCK and SCTP report so that the attempt before succeeded
			return nil
		case !blocks:
			return errno
		case errno == unix.EALREADY:
			errno = unix.EINPROGRESS
		}
		under := errno == unix.EINPROGRESS || errno == unix.EAGAIN && local // EAGAIN: the listener's queue is full
		if !under || !limit.IsZero() && time.Now().After(limit) || !q.valid() {
			return errno
		}
		time.Sleep(wait)
	}
}

// usable reports whether the program may connect to a socket.
func (q *query) usable(path string, fd int) bool {
	switch q.keeper.book.kind(path) {
	case Socket:
		return true
	case Write:
		var st unix.Statx_t
		if unix.Statx(fd, "", unix.AT_EMPTY_PATH, unix.STATX_BTIME|unix.STATX_CTIME, &st) != nil {
			return false
		}
		born := st.Ctime
		if st.Mask&unix.STATX_BTIME != 0 {
			born = st.Btime
		}
		return !time.Unix(born.Sec, int64(born.Nsec)).Before(q.keeper.since)
	}
	return false
}

// copies reports whether descriptors of other processes can be copied here: containers may forbid
// it.
var copies = sync.OnceValue(func() bool {
	process, err := unix.PidfdOpen(os.Getpid(), 0)
	if err != nil {
		return false
	}
	defer unix.Close(process)
	got, err := unix.PidfdGetfd(process, process, 0)
	if err == nil {
		unix.Close(got)
	}
	return err == nil
})

// descriptorOf copies a descriptor of the program. A thread can have its own descriptors, and
// the process's first thread may have ended; before Linux 6.9 only that one's can be copied.
func (q *query) descriptorOf(fd int) (int, error) {
	const pidfdThread = unix.O_EXCL
	process, err := unix.PidfdOpen(int(q.call.pid), pidfdThread)
	if errors.Is(err, unix.EINVAL) {
		leader, _ := strconv.Atoi(q.status("Tgid"))
		process, err = unix.PidfdOpen(leader, 0)
	}
	if err != nil {
		return -1, err
	}
	defer unix.Close(process)
	got, err := unix.PidfdGetfd(process, fd, 0)
	if err == nil {
		q.open = append(q.open, got)
	}
	return got, err
}
