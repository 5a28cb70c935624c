//go:build linux && !portable && (amd64 || arm64)

package fence

import "golang.org/x/sys/unix"

// call is a system call that the gatekeeper is asked about, with the meaning of its arguments.
type call struct {
	nr   uint32
	what verb
	dir  int // index of the folder's descriptor, -1: the working folder
	path int // index of the path, -1: dir is the file itself
	more int // index of the first argument after it
}

type verb int

const (
	verbOpen     verb = iota // flags and mode after the path
	verbOpen2                // address of a struct with them
	verbCreat                // mode
	verbTruncate             // size
	verbMkdir                // mode
	verbMknod                // mode, device
	verbUnlink               // flags
	verbUnlinkFile
	verbRmdir
	verbRename // the other folder and path, then flags
	verbRenamePlain
	verbLink // the same
	verbLinkPlain
	verbSymlink   // the target is argument 0
	verbMeta      // permissions, owner, times, attributes; follows a link
	verbMetaLink  // does not follow a link
	verbMetaFlags // follows a link depending on flags; without a path it is the descriptor
	verbFd        // only the descriptor
	verbConnect
	verbListen
)

// words are the names of the calls in messages.
var words = map[verb]string{verbTruncate: "truncate", verbMkdir: "make a folder", verbMknod: "make", verbUnlink: "remove",
	verbUnlinkFile: "remove", verbRmdir: "remove", verbRename: "rename", verbRenamePlain: "rename", verbLink: "link",
	verbLinkPlain: "link", verbSymlink: "make a link", verbMeta: "change the attributes of", verbMetaLink: "change the attributes of",
	verbMetaFlags: "change the attributes of", verbFd: "change the attributes of", verbConnect: "connect to"}

func (v verb) String() string {
	if w, ok := words[v]; ok {
		return w
	}
	return "write"
}

// Calls that every architecture has. The filter checks the flags of the opening calls first.
var common = []call{
	{unix.SYS_OPENAT2, verbOpen2, 0, 1, 2},
	{unix.SYS_TRUNCATE, verbTruncate, -1, 0, 1},
	{unix.SYS_MKDIRAT, verbMkdir, 0, 1, 2},
	{unix.SYS_MKNODAT, verbMknod, 0, 1, 2},
	{unix.SYS_UNLINKAT, verbUnlink, 0, 1, 2},
	{unix.SYS_RENAMEAT2, verbRename, 0, 1, 2},
	{unix.SYS_RENAMEAT, verbRename, 0, 1, 2},
	{unix.SYS_LINKAT, verbLink, 0, 1, 2},
	{unix.SYS_SYMLINKAT, verbSymlink, 1, 2, 0},
	{unix.SYS_FCHMODAT, verbMeta, 0, 1, 2},
	{unix.SYS_FCHMODAT2, verbMetaFlags, 0, 1, 3},
	{unix.SYS_FCHOWNAT, verbMetaFlags, 0, 1, 4},
	{unix.SYS_UTIMENSAT, verbMetaFlags, 0, 1, 3},
	{unix.SYS_FCHMOD, verbFd, 0, -1, 1},
	{unix.SYS_FCHOWN, verbFd, 0, -1, 1},
	{unix.SYS_FSETXATTR, verbFd, 0, -1, 1},
	{unix.SYS_FREMOVEXATTR, verbFd, 0, -1, 1},
	{unix.SYS_SETXATTR, verbMeta, -1, 0, 1},
	{unix.SYS_LSETXATTR, verbMetaLink, -1, 0, 1},
	{unix.SYS_REMOVEXATTR, verbMeta, -1, 0, 1},
	{unix.SYS_LREMOVEXATTR, verbMetaLink, -1, 0, 1},
	{sysSetxattrat, verbMetaFlags, 0, 1, 2},
	{sysRemovexattrat, verbMetaFlags, 0, 1, 2},
	{sysFileSetattr, verbMetaFlags, 0, 1, 4},
	{unix.SYS_CONNECT, verbConnect, 0, -1, 1},
	{unix.SYS_LISTEN, verbListen, 0, -1, 1},
}

// callOf finds a call by its number.
func callOf(nr int32) (call, bool) {
	for _, list := range [][]call{opening, common, legacy} {
		for _, c := range list {
			if c.nr == uint32(nr) {
				return c, true
			}
		}
	}
	return call{}, false
}
