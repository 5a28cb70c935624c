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

// closedVar passes the folders to close to the holder, not to the command.
const closedVar = "BELAY_CHECK_CLOSED"

// fenceVar passes the fence to the holder, not to the command.
const fenceVar = "BELAY_CHECK_FENCE"

// fenceOf returns the fence that was passed to the holder, nil for none.
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

// shut lists the folders to close, and the folders within them that stay open.
type shut struct {
	Closed, Open fence.Paths
}

// launch starts the holder, in its own mount namespace if folders are to be closed. Unless root,
// that needs a user namespace, too. If the kernel allows neither, the holder starts without.
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
		closed.SysProcAttr.AmbientCaps = []uintptr{unix.CAP_SYS_ADMIN} // the only way for a user to keep it over an exec
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

// closeFolders makes the folders passed to the holder read-only for itself and its children: each
// becomes a separate mount without write access.
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
	for _, dir := range folders.Open { // separate mounts, which the recursive mounts of the closed folders include
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
	if err == nil { // else the working folder is below the closed mount and stays writable
		err = os.Chdir(dir)
	}
	// The command must not get more rights than its user. This runs while the process is still on
	// its first thread, which starts the command.
	return errors.Join(err, unix.Prctl(unix.PR_CAP_AMBIENT, unix.PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0))
}

// setMount closes or opens the mount at dir. Older kernels need remount flags for that; in a user
// namespace the flags of the file system are locked and must be repeated.
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
