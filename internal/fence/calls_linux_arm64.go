//go:build !portable

package fence

import "golang.org/x/sys/unix"

const auditArch = unix.AUDIT_ARCH_AARCH64

var opening = []call{{unix.SYS_OPENAT, verbOpen, 0, 1, 2}}

// legacy is empty: this architecture never had the older calls.
var legacy []call

var legacyChanges map[uint32]change
