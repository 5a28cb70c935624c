//go:build !portable

package fence

import "golang.org/x/sys/unix"

const auditArch = unix.AUDIT_ARCH_X86_64

var opening = []call{{unix.SYS_OPENAT, verbOpen, 0, 1, 2}, {unix.SYS_OPEN, verbOpen, -1, 0, 1}}

// legacy are the calls that newer architectures lack.
var legacy = []call{
	{unix.SYS_CREAT, verbCreat, -1, 0, 1},
	{unix.SYS_MKDIR, verbMkdir, -1, 0, 1},
	{unix.SYS_MKNOD, verbMknod, -1, 0, 1},
	{unix.SYS_UNLINK, verbUnlinkFile, -1, 0, 1},
	{unix.SYS_RMDIR, verbRmdir, -1, 0, 1},
	{unix.SYS_RENAME, verbRenamePlain, -1, 0, 1},
	{unix.SYS_LINK, verbLinkPlain, -1, 0, 1},
	{unix.SYS_SYMLINK, verbSymlink, -1, 1, 0},
	{unix.SYS_CHMOD, verbMeta, -1, 0, 1},
	{unix.SYS_CHOWN, verbMeta, -1, 0, 1},
	{unix.SYS_LCHOWN, verbMetaLink, -1, 0, 1},
	{unix.SYS_UTIME, verbMeta, -1, 0, 1},
	{unix.SYS_UTIMES, verbMeta, -1, 0, 1},
	{unix.SYS_FUTIMESAT, verbMeta, 0, 1, 2},
}

var legacyChanges = map[uint32]change{
	unix.SYS_CHMOD: changeMode, unix.SYS_CHOWN: changeOwner, unix.SYS_LCHOWN: changeOwner,
	unix.SYS_UTIME: changeSeconds, unix.SYS_UTIMES: changeMicros, unix.SYS_FUTIMESAT: changeMicros,
}
