//go:build linux && !portable && (amd64 || arm64)

package fence

import (
	"errors"
	"slices"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Offsets in struct seccomp_data. The low half of an argument comes first, because both
// architectures are little-endian.
const (
	dataNr   = 0
	dataArch = 4
	dataArgs = 16
)

// writes are the flags of an open that may change something.
const writes = unix.O_WRONLY | unix.O_RDWR | unix.O_CREAT | unix.O_TRUNC

// Calls for root that a fenced program does not need; none of them takes a path.
var refused = []uint32{
	unix.SYS_INIT_MODULE, unix.SYS_FINIT_MODULE, unix.SYS_DELETE_MODULE, unix.SYS_KEXEC_LOAD, unix.SYS_KEXEC_FILE_LOAD,
	unix.SYS_REBOOT, unix.SYS_SWAPON, unix.SYS_SWAPOFF, unix.SYS_ACCT, unix.SYS_SETTIMEOFDAY, unix.SYS_CLOCK_SETTIME,
	unix.SYS_SETHOSTNAME, unix.SYS_SETDOMAINNAME, unix.SYS_OPEN_BY_HANDLE_AT,
}

// Calls of newer kernels, by number: the same on every architecture.
const (
	sysSetxattrat    = 463
	sysRemovexattrat = 466
	sysFileSetattr   = 469
)

// signals are the calls with the ID of a process or a thread as their first argument.
var signals = []uint32{unix.SYS_KILL, unix.SYS_TKILL, unix.SYS_TGKILL, unix.SYS_RT_SIGQUEUEINFO, unix.SYS_RT_TGSIGQUEUEINFO,
	unix.SYS_PIDFD_OPEN, unix.SYS_PRLIMIT64}

// filter returns the seccomp program: which calls the gatekeeper is asked about, and which are
// refused. process and thread started the fenced program: the thread is itself in the fence, so
// Landlock would allow signals to it. If ports are restricted, what opens TCP connections without
// connect and bind, or with protocols that Landlock does not know, fails as where it is not built in.
func filter(process, thread int, ports bool) []unix.SockFilter {
	stmt := func(code int, k uint32) unix.SockFilter { return unix.SockFilter{Code: uint16(code), K: k} }
	load := func(at uint32) unix.SockFilter { return stmt(unix.BPF_LD|unix.BPF_W|unix.BPF_ABS, at) }
	arg := func(n uint32) unix.SockFilter { return load(dataArgs + 8*n) }
	jump := func(code int, k uint32, yes, no uint8) unix.SockFilter {
		return unix.SockFilter{Code: uint16(unix.BPF_JMP | code | unix.BPF_K), Jt: yes, Jf: no, K: k}
	}
	ret := func(action uint32) unix.SockFilter { return stmt(unix.BPF_RET|unix.BPF_K, action) }
	const ask, pass = uint32(unix.SECCOMP_RET_USER_NOTIF), uint32(unix.SECCOMP_RET_ALLOW)
	fails := func(errno unix.Errno) uint32 { return uint32(unix.SECCOMP_RET_ERRNO) | uint32(errno) }

	prog := []unix.SockFilter{
		load(dataArch), jump(unix.BPF_JEQ, auditArch, 1, 0), ret(fails(unix.ENOSYS)), // programs of another architecture (32 bits)
		load(dataNr), jump(unix.BPF_JGE, 0x40000000, 0, 1), ret(fails(unix.ENOSYS)), // x32
	}
	opens := func(nr, flags uint32) {
		prog = append(prog, jump(unix.BPF_JEQ, nr, 0, 4), arg(flags), jump(unix.BPF_JSET, writes, 0, 1), ret(ask), ret(pass))
	}
	for _, c := range opening {
		opens(c.nr, uint32(c.more))
	}
	for _, c := range slices.Concat(common, legacy) {
		prog = append(prog, jump(unix.BPF_JEQ, c.nr, 0, 1), ret(ask))
	}
	for _, nr := range refused {
		prog = append(prog, jump(unix.BPF_JEQ, nr, 0, 1), ret(fails(unix.EPERM)))
	}
	for _, nr := range signals {
		prog = append(prog, jump(unix.BPF_JEQ, nr, 0, 5), arg(0), jump(unix.BPF_JEQ, uint32(process), 1, 0),
			jump(unix.BPF_JEQ, uint32(thread), 0, 1), ret(fails(unix.EPERM)), ret(pass))
	}
	if ports {
		for _, c := range [][2]uint32{{unix.SYS_SENDTO, 3}, {unix.SYS_SENDMSG, 2}, {unix.SYS_SENDMMSG, 3}} {
			prog = append(prog, jump(unix.BPF_JEQ, c[0], 0, 4), arg(c[1]), jump(unix.BPF_JSET, unix.MSG_FASTOPEN, 0, 1),
				ret(fails(unix.EOPNOTSUPP)), ret(pass))
		}
		prog = append(prog, jump(unix.BPF_JEQ, unix.SYS_SOCKET, 0, 7), arg(0), jump(unix.BPF_JEQ, unix.AF_SMC, 3, 0),
			arg(2), jump(unix.BPF_JEQ, unix.IPPROTO_MPTCP, 1, 0), jump(unix.BPF_JEQ, unix.IPPROTO_SMC, 0, 1),
			ret(fails(unix.EPROTONOSUPPORT)), load(dataNr))
	}
	// Unix datagrams reach any socket without connect; their type ends where the flags of socket(2) begin.
	for _, nr := range []uint32{unix.SYS_SOCKET, unix.SYS_SOCKETPAIR} {
		refuse := []uint32{unix.SOCK_DGRAM, unix.SOCK_RAW}
		if nr == unix.SYS_SOCKET && !copies() { // the gatekeeper cannot connect
			refuse = append(refuse, unix.SOCK_STREAM, unix.SOCK_SEQPACKET)
		}
		n := uint8(len(refuse))
		prog = append(prog, jump(unix.BPF_JEQ, nr, 0, n+6), arg(0), jump(unix.BPF_JEQ, unix.AF_UNIX, 0, n+2),
			arg(1), stmt(unix.BPF_ALU|unix.BPF_AND|unix.BPF_K, 0xf))
		for i, kind := range refuse {
			prog = append(prog, jump(unix.BPF_JEQ, kind, n-uint8(i), 0))
		}
		prog = append(prog, ret(pass), ret(fails(unix.EACCES)))
	}
	return append(prog,
		jump(unix.BPF_JEQ, unix.SYS_IO_URING_SETUP, 0, 1), ret(fails(unix.ENOSYS)), // its operations bypass the filter
		jump(unix.BPF_JEQ, unix.SYS_IOCTL, 1, 0), ret(pass), // text pushed into a terminal's input is executed there
		arg(1), jump(unix.BPF_JEQ, unix.TIOCSTI, 2, 0), jump(unix.BPF_JEQ, unix.TIOCLINUX, 1, 0), ret(pass), ret(fails(unix.EPERM)),
	)
}

// install installs the filter on this thread and returns the descriptor on which the gatekeeper
// gets the calls.
func install(process, thread int, ports bool) (int, error) {
	prog := filter(process, thread, ports)
	fprog := unix.SockFprog{Len: uint16(len(prog)), Filter: &prog[0]}
	fd, _, errno := unix.Syscall(unix.SYS_SECCOMP, unix.SECCOMP_SET_MODE_FILTER,
		unix.SECCOMP_FILTER_FLAG_NEW_LISTENER|unix.SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV, uintptr(unsafe.Pointer(&fprog)))
	if errno == unix.EBUSY {
		return -1, errors.New("another seccomp supervisor is in the way")
	}
	if errno != 0 {
		return -1, errno
	}
	return int(fd), nil
}
