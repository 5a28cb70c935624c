//go:build !portable

package proc

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"slices"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/belay-dev/belay/internal/fence"
)

// closedVar tells the holder which folders to close. The command does not get it.
const closedVar = "BELAY_CHECK_CLOSED"

// fenceVar tells the holder of the fence. The command does not get it either.
const fenceVar = "BELAY_CHECK_FENCE"

// fenceOf prepares the fence that the holder was told of, nil for none.
func fenceOf() (*fence.Fence, error) {
	text := os.Getenv(fenceVar)
	if text == "" {
		return nil, nil
	}
	os.Unsetenv(fenceVar)
	var p fence.Policy
	if err := json.Unmarshal([]byte(text), &p); err != nil {
		return nil, err
	}
	return fence.New(p)
}

// shut says which folders are closed, and which of those within them stay open.
type shut struct {
	Closed, Open fence.Paths
}

// launch starts the holder, in a mount namespace of its own when folders are to be
// closed. Not root, that takes a user namespace too. Where the kernel allows neither,
// the holder starts without.
func (p Program) launch(cmd *exec.Cmd) (*exec.Cmd, error) {
	if p.Fence != nil {
		text, err := json.Marshal(p.Fence)
		if err != nil {
			return nil, err
		}
		cmd.Env = append(slices.Clone(cmd.Env), fenceVar+"="+string(text))
	}
	if len(p.ReadOnly) == 0 {
		return cmd, cmd.Start()
	}
	text, err := json.Marshal(shut{p.ReadOnly, p.Open})
	if err != nil {
		return nil, err
	}
	closed := again(cmd)
	closed.Env = append(closed.Env, closedVar+"="+string(text))
	closed.SysProcAttr.Cloneflags = unix.CLONE_NEWNS
	if uid, gid := os.Getuid(), os.Getgid(); uid != 0 {
		closed.SysProcAttr.Cloneflags |= unix.CLONE_NEWUSER
		closed.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{ContainerID: uid, HostID: uid, Size: 1}}
		closed.SysProcAttr.AmbientCaps = []uintptr{unix.CAP_SYS_ADMIN} // a user keeps no other right over an exec
		closed.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{ContainerID: gid, HostID: gid, Size: 1}}
	}
	if closed.Start() == nil {
		return closed, nil
	}
	return cmd, cmd.Start()
}

// again copies a command that has not been started.
func again(c *exec.Cmd) *exec.Cmd {
	attr := *c.SysProcAttr
	return &exec.Cmd{
		Path: c.Path, Args: c.Args, Dir: c.Dir, Env: append([]string{}, c.Env...), Stdin: c.Stdin, Stdout: c.Stdout, Stderr: c.Stderr,
		ExtraFiles: c.ExtraFiles, SysProcAttr: &attr,
	}
}

// closeFolders makes the folders that the holder was told of read-only for itself and
// all it starts: each becomes a mount of its own that nothing may be written through.
func closeFolders() error {
	text := os.Getenv(closedVar)
	if text == "" {
		return nil
	}
	os.Unsetenv(closedVar)
	var folders shut
	if err := json.Unmarshal([]byte(text), &folders); err != nil {
		return err
	}
	dir, err := os.Getwd()
	if err == nil {
		err = unix.Mount("", "/", "", unix.MS_REC|unix.MS_PRIVATE, "")
	}
	bind := func(dir string) {
		if err == nil {
			err = unix.Mount(dir, dir, "", unix.MS_BIND|unix.MS_REC, "")
		}
	}
	for _, dir := range folders.Open { // mounts of their own, which the closed ones take along
		bind(dir)
	}
	for _, dir := range folders.Closed {
		if bind(dir); err == nil {
			err = setMount(dir, unix.MountAttr{Attr_set: unix.MOUNT_ATTR_RDONLY}, unix.MS_RDONLY)
		}
	}
	for _, dir := range folders.Open {
		if err == nil {
			err = setMount(dir, unix.MountAttr{Attr_clr: unix.MOUNT_ATTR_RDONLY}, 0)
		}
	}
	if err == nil { // else it is below the closed mount, where it may write
		err = os.Chdir(dir)
	}
	// The command gets no right that its user has not; this runs while the process is
	// still on its first thread, which starts the command.
	return errors.Join(err, unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0))
}

// setMount closes or opens what is mounted at dir. Older kernels take flags for that; in a
// user namespace those that the file system was mounted with are locked and must be given
// again.
func setMount(dir string, attr unix.MountAttr, readOnly uintptr) error {
	err := unix.MountSetattr(unix.AT_FDCWD, dir, unix.AT_RECURSIVE, &attr)
	if !errors.Is(err, unix.ENOSYS) {
		return err
	}
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return err
	}
	locked := uintptr(st.Flags) & (unix.MS_NOSUID | unix.MS_NODEV | unix.MS_NOEXEC | unix.MS_NOATIME | unix.MS_NODIRATIME)
	return unix.Mount("", dir, "", unix.MS_REMOUNT|unix.MS_BIND|readOnly|locked, "")
}
