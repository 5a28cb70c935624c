//go:build linux && !portable && (amd64 || arm64)

package fence

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// deed is one action of a fenced process. Its error is that of the action.
type deed struct {
	name        string
	do          func(w world) error
	inPlaceOnly bool
	harmless    bool // may succeed if nothing outside changes
}

func find(name string) (deed, bool) {
	all := slices.Concat(misdeeds, deeds, leaks)
	i := slices.IndexFunc(all, func(d deed) bool { return d.name == name })
	if i < 0 {
		return deed{}, false
	}
	return all[i], true
}

func write(path, text string) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o755)
	if err != nil {
		return err
	}
	_, err = f.WriteString(text)
	return errors.Join(err, f.Close())
}

func sh(dir, line string) error {
	cmd := exec.Command("sh", "-c", line)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w: %s", err, out)
	}
	return nil
}

func parent() int { n, _ := strconv.Atoi(os.Getenv("FENCE_PARENT")); return n }

func thread() int { n, _ := strconv.Atoi(os.Getenv("FENCE_THREAD")); return n }

func git(w world) string { return w.repo + "/.git" }

func dial(name string) error {
	c, err := net.DialTimeout("unix", name, time.Second)
	if err == nil {
		c.Close()
	}
	return err
}

func readText(path string) string { text, _ := os.ReadFile(path); return string(text) }

func errno(_, _ uintptr, e unix.Errno) error {
	if e == 0 {
		return nil
	}
	return e
}

var misdeeds = []deed{
	// Files of the user's.
	{name: "write ~/.bashrc", do: func(w world) error { return write(w.home+"/.bashrc", "evil") }},
	{name: "append to ~/.profile", do: func(w world) error { return sh(w.tree, "echo evil >> "+w.home+"/.profile") }},
	{name: "create ~/.bash_login", do: func(w world) error { return write(w.home+"/.bash_login", "evil") }},
	{name: "make a folder in HOME", do: func(w world) error { return os.Mkdir(w.home+"/evil", 0o755) }},
	{name: "remove a file of HOME", do: func(w world) error { return os.Remove(w.home + "/notes.txt") }},
	{name: "rm -rf HOME", do: func(w world) error { return sh(w.tree, "rm -rf "+w.home+"/notes.txt "+w.home+"/.ssh "+w.other) }},
	{name: "rename within HOME", do: func(w world) error { return os.Rename(w.home+"/notes.txt", w.home+"/n") }},
	{name: "rename out of HOME", do: func(w world) error { return os.Rename(w.home+"/notes.txt", w.tree+"/n") }},
	{name: "rename a new top file into HOME", do: func(w world) error {
		return errors.Join(write(w.tree+"/fresh", "evil"), os.Rename(w.tree+"/fresh", w.home+"/.bashrc"))
	}},
	{name: "rename from a folder over ~/.bashrc", do: func(w world) error {
		return errors.Join(write(w.tree+"/src/fresh", "evil"), os.Rename(w.tree+"/src/fresh", w.home+"/.bashrc"))
	}},
	{name: "exchange with ~/.bashrc", do: func(w world) error {
		return errors.Join(write(w.tree+"/src/x", "evil"),
			unix.Renameat2(unix.AT_FDCWD, w.tree+"/src/x", unix.AT_FDCWD, w.home+"/.bashrc", unix.RENAME_EXCHANGE))
	}},
	{name: "write another repository", do: func(w world) error { return write(w.other+"/main.go", "evil") }},
	{name: "git reset --hard elsewhere", do: func(w world) error { return sh(w.other, "echo > main.go; git reset -q --hard HEAD^{tree}") }},
	{name: "git commit elsewhere", do: func(w world) error { return sh(w.other, "git commit -q --allow-empty -m evil") }},
	{name: "write the trust list", do: func(w world) error { return write(w.home+"/.config/belay/trust.json", "evil") }},
	{name: "write its own settings", do: func(w world) error { return write(w.home+"/.claude/settings.json", "evil") }},
	{name: "rename its own state folder", do: func(w world) error { return os.Rename(w.home+"/.claude", w.home+"/.claude2") }},
	{name: "write what begins like its state file, in a folder", do: func(w world) error { return write(w.home+"/.ssh/.claude.json", "evil") }},
	{name: "write in /etc", do: func(world) error { return write("/etc/belay-fence-test", "evil") }},
	{name: "write in /usr/local/bin", do: func(world) error { return write("/usr/local/bin/belay-fence-test", "evil") }},
	// Links.
	{name: "write through a link to a file", do: func(w world) error { return write(w.tree+"/src/rclink", "evil") }},
	{name: "write through a link to a folder", do: func(w world) error { return write(w.tree+"/src/homelink/.bashrc", "evil") }},
	{name: "write through a new link at the top", do: func(w world) error {
		_ = os.Remove(w.tree + "/l1")
		return errors.Join(os.Symlink(w.home+"/.bashrc", w.tree+"/l1"), write(w.tree+"/l1", "evil"))
	}},
	{name: "write through a dangling link", do: func(w world) error {
		_ = os.Remove(w.tree + "/l2")
		return errors.Join(os.Symlink(w.home+"/.newrc", w.tree+"/l2"), write(w.tree+"/l2", "evil"))
	}},
	{name: "write through a chain of links", do: func(w world) error {
		_, _ = os.Remove(w.tree+"/c1"), os.Remove(w.tree+"/c2")
		return errors.Join(os.Symlink("c2", w.tree+"/c1"), os.Symlink("src/homelink/.bashrc", w.tree+"/c2"), write(w.tree+"/c1", "evil"))
	}},
	{name: "swap a folder for a link meanwhile", do: swap, harmless: true},
	{name: "swap a descriptor meanwhile", do: swapDescriptors, harmless: true},
	{name: "hard link a file of HOME into the tree", do: func(w world) error { return os.Link(w.home+"/.bashrc", w.tree+"/hard") }},
	{name: "hard link into a folder of the tree", do: func(w world) error { return os.Link(w.home+"/.bashrc", w.tree+"/src/hard") }},
	{name: "hard link into HOME", do: func(w world) error { return os.Link(w.tree+"/src/a.go", w.home+"/hard") }},
	{name: "link a hook out", do: func(w world) error { return os.Link(git(w)+"/hooks/pre-commit", w.tree+"/hook") }},
	{name: "link with an opened file", do: func(w world) error {
		fd, err := unix.Open(w.home+"/.bashrc", unix.O_PATH, 0)
		if err != nil {
			return err
		}
		return unix.Linkat(unix.AT_FDCWD, fmt.Sprintf("/proc/self/fd/%d", fd), unix.AT_FDCWD, w.tree+"/hard2", unix.AT_SYMLINK_FOLLOW)
	}},
	{name: "make a link in HOME", do: func(w world) error { return os.Symlink("/", w.home+"/l") }},
	// /proc.
	{name: "through /proc/self/root", do: func(w world) error { return write("/proc/self/root"+w.home+"/.bashrc", "evil") }},
	{name: "through /proc/self/cwd", do: func(w world) error { return errors.Join(os.Chdir(w.home), write("/proc/self/cwd/.bashrc", "evil")) }},
	{name: "through /proc/self/fd", do: func(w world) error {
		fd, err := unix.Open(w.home, unix.O_PATH|unix.O_DIRECTORY, 0)
		return errors.Join(err, write(fmt.Sprintf("/proc/self/fd/%d/.bashrc", fd), "evil"))
	}},
	{name: "reopen a read-only file for writing", do: func(w world) error {
		fd, err := unix.Open(w.home+"/.bashrc", unix.O_RDONLY, 0)
		return errors.Join(err, write(fmt.Sprintf("/proc/self/fd/%d", fd), "evil"))
	}},
	{name: "through the parent's root", do: func(w world) error { return write(fmt.Sprintf("/proc/%d/root%s/.bashrc", parent(), w.home), "evil") }},
	{name: "through the parent's working folder", do: func(world) error {
		return write(fmt.Sprintf("/proc/%d/cwd/belay-fence-test", parent()), "evil")
	}},
	{name: "through a descriptor of the parent", do: func(world) error { return write(fmt.Sprintf("/proc/%d/fd/%d", parent(), leftFD), "evil") }},
	{name: "read the parent's environment", do: func(world) error {
		_, err := os.ReadFile(fmt.Sprintf("/proc/%d/environ", parent()))
		return err
	}},
	{name: "write the parent's memory", do: func(world) error { return write(fmt.Sprintf("/proc/%d/mem", parent()), "evil") }},
	{name: "write its own oom_score_adj", do: func(world) error { return write("/proc/self/oom_score_adj", "500") }},
	{name: "set a kernel parameter", do: func(world) error { return write("/proc/sys/kernel/hostname", "evil") }},
	// Descriptors.
	{name: "write to an inherited descriptor", do: func(world) error { _, err := unix.Write(leftFD, []byte("evil")); return err }},
	{name: "take a descriptor of the parent", do: func(world) error {
		pidfd, err := unix.PidfdOpen(parent(), 0)
		if err != nil {
			return err
		}
		fd, err := unix.PidfdGetfd(pidfd, leftFD, 0)
		if err != nil {
			return err
		}
		_, err = unix.Write(fd, []byte("evil"))
		return err
	}},
	{name: "openat with an opened folder", do: func(w world) error {
		dir, err := unix.Open(w.home, unix.O_PATH|unix.O_DIRECTORY, 0)
		if err != nil {
			return err
		}
		_, err = unix.Openat(dir, ".bashrc", unix.O_WRONLY|unix.O_TRUNC, 0)
		return err
	}},
	{name: "openat2", do: func(w world) error {
		_, err := unix.Openat2(unix.AT_FDCWD, w.home+"/.bashrc", &unix.OpenHow{Flags: unix.O_WRONLY | unix.O_TRUNC})
		return err
	}},
	{name: "creat", do: func(w world) error { _, err := unix.Creat(w.home+"/.bashrc", 0o644); return err }},
	{name: "O_TMPFILE in HOME", do: func(w world) error { _, err := unix.Open(w.home, unix.O_TMPFILE|unix.O_RDWR, 0o644); return err }},
	{name: "open with truncation only", do: func(w world) error {
		_, err := unix.Open(w.home+"/.bashrc", unix.O_RDONLY|unix.O_TRUNC, 0)
		return err
	}},
	{name: "truncate by path", do: func(w world) error { return unix.Truncate(w.home+"/.bashrc", 0) }},
	{name: "open by handle", do: func(w world) error {
		h, _, err := unix.NameToHandleAt(unix.AT_FDCWD, w.home+"/.bashrc", 0)
		if err != nil {
			return err
		}
		root, err := unix.Open("/", unix.O_RDONLY, 0)
		if err != nil {
			return err
		}
		_, err = unix.OpenByHandleAt(root, h, unix.O_WRONLY|unix.O_TRUNC)
		return err
	}},
	{name: "io_uring", do: func(world) error {
		var params [120]byte
		return errno(unix.Syscall(unix.SYS_IO_URING_SETUP, 8, uintptr(unsafe.Pointer(&params[0])), 0))
	}},
	// Attributes.
	{name: "chmod", do: func(w world) error { return os.Chmod(w.home+"/.ssh", 0o777) }},
	{name: "chmod through a link", do: func(w world) error { return os.Chmod(w.tree+"/src/rclink", 0o777) }},
	{name: "chmod through /proc/self/root", do: func(w world) error { return os.Chmod("/proc/self/root"+w.home+"/.bashrc", 0o777) }},
	{name: "chmod through /proc/self/fd", do: func(w world) error {
		fd, err := unix.Open(w.home+"/.bashrc", unix.O_PATH, 0)
		return errors.Join(err, os.Chmod(fmt.Sprintf("/proc/self/fd/%d", fd), 0o777))
	}},
	{name: "chmod through another process's descriptor", do: func(w world) error {
		return sh(w.tree, `echo x > src/mine; sleep 60 9< "$HOME/notes.txt" & p=$!; exec 9< src/mine
while ! [ /proc/$p/fd/9 -ef "$HOME/notes.txt" ]; do :; done; chmod 600 /proc/$p/fd/9; was=$?; kill $p; exit $was`)
	}},
	{name: "chmod through a link to /proc/self/fd", do: func(w world) error {
		fd, err := unix.Open(w.home, unix.O_PATH, 0)
		_ = os.Remove(w.tree + "/src/p")
		return errors.Join(err, os.Symlink(fmt.Sprintf("/proc/self/fd/%d", fd), w.tree+"/src/p"), os.Chmod(w.tree+"/src/p/.bashrc", 0o777))
	}},
	{name: "fchmod a file opened for reading", do: func(w world) error {
		fd, err := unix.Open(w.home+"/.bashrc", unix.O_RDONLY, 0)
		return errors.Join(err, unix.Fchmod(fd, 0o777))
	}},
	{name: "fchmodat2", do: func(w world) error {
		name, _ := unix.BytePtrFromString(w.home + "/.bashrc")
		cwd := unix.AT_FDCWD
		return errno(unix.Syscall6(unix.SYS_FCHMODAT2, uintptr(cwd), uintptr(unsafe.Pointer(name)), 0o777, 0, 0, 0))
	}},
	{name: "chmod without a readable process", do: func(w world) error {
		return errors.Join(unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0), os.Chmod(w.home+"/.bashrc", 0o777))
	}, harmless: true},
	{name: "chown", do: func(w world) error { return os.Chown(w.home+"/.bashrc", os.Getuid(), os.Getgid()+0) }},
	{name: "lchown a link outside", do: func(w world) error { return os.Lchown(w.home+"/.profile", os.Getuid(), os.Getgid()) }},
	{name: "set an attribute", do: func(w world) error { return unix.Setxattr(w.home+"/.bashrc", "user.evil", []byte("1"), 0) }},
	{name: "set times", do: func(w world) error { return os.Chtimes(w.home+"/.bashrc", time.Unix(0, 0), time.Unix(0, 0)) }},
	{name: "set times of an opened file", do: func(w world) error {
		fd, err := unix.Open(w.home+"/.bashrc", unix.O_RDONLY, 0)
		now := [2]unix.Timespec{{Sec: 1}, {Sec: 1}}
		return errors.Join(err, errno(unix.Syscall6(unix.SYS_UTIMENSAT, uintptr(fd), 0, uintptr(unsafe.Pointer(&now)), 0, 0, 0)))
	}},
	// Git.
	{name: "write a hook", do: func(w world) error { return write(git(w)+"/hooks/pre-commit", "evil") }},
	{name: "new hook", do: func(w world) error { return write(git(w)+"/hooks/post-checkout", "evil") }},
	{name: "link as a hook", do: func(w world) error { return os.Symlink(w.tree+"/src/a.go", git(w)+"/hooks/post-merge") }},
	{name: "move a file in as a hook", do: func(w world) error {
		return errors.Join(write(w.tree+"/h", "evil"), os.Rename(w.tree+"/h", git(w)+"/hooks/pre-push"))
	}},
	{name: "replace the hooks folder", do: func(w world) error { return os.Rename(git(w)+"/hooks", git(w)+"/hooks2") }},
	{name: "move the git folder away", do: func(w world) error { return os.Rename(git(w), w.repo+"/git2") }},
	{name: "move the refs folder away", do: func(w world) error { return os.Rename(git(w)+"/refs", git(w)+"/refs2") }},
	{name: "git config", do: func(w world) error { return sh(w.tree, "git config core.hooksPath /tmp") }},
	{name: "write config", do: func(w world) error { return write(git(w)+"/config", "evil") }},
	{name: "move a file over config", do: func(w world) error {
		return errors.Join(write(w.tree+"/cfg", "evil"), os.Rename(w.tree+"/cfg", git(w)+"/config"))
	}},
	{name: "write config.worktree", do: func(w world) error { return write(git(w)+"/config.worktree", "evil") }},
	{name: "write info/attributes", do: func(w world) error { return write(git(w)+"/info/attributes", "* filter=evil") }},
	{name: "write commondir", do: func(w world) error { return write(gitDir(w)+"/commondir", "/tmp") }},
	{name: "core.hooksPath by -c", do: func(w world) error {
		return sh(w.tree, `mkdir -p hk && printf '#!/bin/sh\necho evil > "$HOME/.bashrc"' > hk/pre-commit && chmod +x hk/pre-commit && git -c core.hooksPath=hk commit -q --allow-empty -m x`)
	}},
	{name: "git worktree add", do: func(w world) error { return sh(w.tree, "git worktree add -q --detach "+w.dir+"/elsewhere") }},
	{name: "delete a snapshot's ref", do: func(w world) error { return os.Remove(git(w) + "/refs/belay/t1/s") }},
	{name: "git update-ref -d", do: func(w world) error { return sh(w.tree, "git update-ref -d refs/belay/t1/s") }},
	{name: "new ref of belay's", do: func(w world) error { return sh(w.tree, "git update-ref refs/belay/t9/s HEAD") }},
	{name: "write belay's record", do: func(w world) error { return write(git(w)+"/belay/record", "evil") }},
	{name: "write belay's folder of this tree", do: func(w world) error { return write(gitDir(w)+"/belay/record", "evil") }},
	{name: "write this tree's settings", do: func(w world) error { return write(gitDir(w)+"/config.worktree", "evil") }},
	{name: "rm -rf .git", do: func(w world) error { return sh(w.tree, "rm -rf "+git(w)+"/hooks "+git(w)+"/belay "+git(w)+"/objects") }},
	{name: "remove an object", do: func(w world) error {
		list, _ := filepath.Glob(git(w) + "/objects/??/*")
		return os.Remove(list[0])
	}},
	{name: "overwrite an object", do: func(w world) error {
		list, _ := filepath.Glob(git(w) + "/objects/??/*")
		return errors.Join(write(w.tree+"/o", "evil"), os.Rename(w.tree+"/o", list[0]))
	}},
	{name: "write objects/info/alternates", do: func(w world) error { return write(git(w)+"/objects/info/alternates", "/tmp") }},
	{name: "git clean", do: func(w world) error { return sh(w.other, "git clean -qxfd && rm main.go") }},
	// Processes.
	{name: "from a new session", do: func(w world) error { return sh(w.tree, "setsid sh -c 'echo evil > "+w.home+"/.bashrc'") }},
	{name: "from an orphan", do: func(w world) error {
		return sh(w.tree, "(setsid sh -c '(sleep 0.1; echo evil > "+w.home+"/.bashrc) &' &)")
	}, harmless: true},
	{name: "from a program in memory", do: func(w world) error {
		fd, err := unix.MemfdCreate("m", 0)
		if err != nil {
			return err
		}
		text, err := os.ReadFile("/bin/sh")
		if err != nil {
			return err
		}
		if _, err := unix.Write(fd, text); err != nil {
			return err
		}
		return exec.Command(fmt.Sprintf("/proc/self/fd/%d", fd), "-c", "echo evil > "+w.home+"/.bashrc").Run()
	}},
	{name: "ptrace the parent", do: func(world) error {
		return errno(unix.Syscall6(unix.SYS_PTRACE, unix.PTRACE_SEIZE, uintptr(parent()), 0, 0, 0, 0))
	}},
	{name: "write the parent's memory by ptrace rights", do: func(world) error {
		b := []byte{1}
		local := unix.Iovec{Base: &b[0]}
		local.SetLen(1)
		_, err := unix.ProcessVMWritev(parent(), []unix.Iovec{local}, []unix.RemoteIovec{{Base: 0x400000, Len: 1}}, 0)
		return err
	}},
	{name: "signal the parent", do: func(world) error {
		if Version() < scopeABI {
			return errors.New("not covered by this kernel")
		}
		return unix.Kill(parent(), unix.SIGUSR1)
	}},
	{name: "signal the thread that started it", do: func(world) error { return unix.Tgkill(parent(), thread(), unix.SIGUSR1) }},
	{name: "signal that thread alone", do: func(world) error {
		return errno(unix.Syscall(unix.SYS_TKILL, uintptr(thread()), uintptr(unix.SIGUSR1), 0))
	}},
	{name: "open that thread", do: func(world) error {
		const pidfdThread = unix.O_EXCL
		fd, err := unix.PidfdOpen(thread(), pidfdThread)
		return errors.Join(err, unix.PidfdSendSignal(fd, unix.SIGUSR1, nil, 0))
	}},
	{name: "ptrace that thread", do: func(world) error {
		return errno(unix.Syscall6(unix.SYS_PTRACE, unix.PTRACE_SEIZE, uintptr(thread()), 0, 0, 0, 0))
	}},
	{name: "write that thread's memory", do: func(world) error {
		return write(fmt.Sprintf("/proc/%d/task/%d/mem", parent(), thread()), "evil")
	}},
	{name: "read that thread's memory", do: func(world) error {
		f, err := os.Open(fmt.Sprintf("/proc/%d/task/%d/mem", parent(), thread()))
		if err == nil {
			_, err = f.ReadAt(make([]byte, 1), 0x400000)
		}
		return err
	}},
	{name: "write that thread's memory by its number", do: func(world) error {
		b := []byte{1}
		local := unix.Iovec{Base: &b[0]}
		local.SetLen(1)
		_, err := unix.ProcessVMWritev(thread(), []unix.Iovec{local}, []unix.RemoteIovec{{Base: 0x400000, Len: 1}}, 0)
		return err
	}},
	{name: "through a descriptor of that thread", do: func(world) error {
		return write(fmt.Sprintf("/proc/%d/task/%d/fd/%d", parent(), thread(), leftFD), "evil")
	}},
	{name: "limit the parent", do: func(world) error {
		return unix.Prlimit(parent(), unix.RLIMIT_CORE, &unix.Rlimit{}, nil)
	}},
	{name: "mount over HOME", do: func(w world) error { return unix.Mount(w.tmp, w.home, "", unix.MS_BIND, "") }},
	{name: "mount in namespaces of its own", do: func(w world) error {
		return sh(w.tree, "unshare -Urm sh -c 'mount --bind "+w.tmp+" "+w.home+" && echo evil > "+w.home+"/.bashrc'")
	}},
	{name: "chroot and write", do: func(w world) error {
		return sh(w.tree, "unshare -Ur chroot / sh -c 'echo evil > "+w.home+"/.bashrc'")
	}},
	{name: "make a device", do: func(w world) error { return unix.Mknod(w.tree+"/src/dev", unix.S_IFBLK|0o600, 0x800) }},
	{name: "make a device at the top", do: func(w world) error { return unix.Mknod(w.tree+"/dev", unix.S_IFCHR|0o600, 0x103) }},
	{name: "type into a terminal", do: func(world) error {
		c := byte('\n')
		return errno(unix.Syscall(unix.SYS_IOCTL, 0, unix.TIOCSTI, uintptr(unsafe.Pointer(&c))))
	}},
	// Sockets.
	{name: "connect to docker.sock", do: func(w world) error { return dial(w.home + "/docker.sock") }},
	{name: "connect to an older socket in /tmp", do: func(w world) error { return dial(w.tmp + "/old.sock") }},
	{name: "connect to the watch socket", do: func(w world) error { return dial(git(w) + "/belay/watch.sock") }},
	{name: "connect through a link", do: func(w world) error {
		_ = os.Remove(w.tmp + "/l.sock")
		return errors.Join(os.Symlink(w.home+"/docker.sock", w.tmp+"/l.sock"), dial(w.tmp+"/l.sock"))
	}},
	{name: "swap a socket while it connects", do: swapSockets, harmless: true},
	{name: "send a datagram to an older socket", do: func(w world) error { return sendDatagram(w, unix.SOCK_DGRAM) }},
	{name: "send a raw datagram to an older socket", do: func(w world) error { return sendDatagram(w, unix.SOCK_RAW) }},
	{name: "send a datagram from a pair", do: func(w world) error {
		pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
		return errors.Join(err, unix.Sendto(pair[0], []byte("evil"), 0, &unix.SockaddrUnix{Name: w.home + "/log.sock"}))
	}},
	{name: "connect to an abstract socket", do: func(world) error { return dial("@fence-test-" + strconv.Itoa(parent())) }},
}

// swap alternately replaces a folder by a link to HOME while it writes to it.
func swap(w world) error {
	dir, link := w.tree+"/race", w.tree+"/racelink"
	_ = os.Mkdir(dir, 0o755)
	_ = os.Symlink(w.home, link)
	end := time.Now().Add(300 * time.Millisecond)
	go func() {
		for time.Now().Before(end) {
			_ = unix.Renameat2(unix.AT_FDCWD, dir, unix.AT_FDCWD, link, unix.RENAME_EXCHANGE)
		}
	}()
	for time.Now().Before(end) {
		_ = write(dir+"/.bashrc", "evil")
		_ = os.Chmod(dir+"/notes.txt", 0o600)
		_ = unix.Setxattr(dir+"/notes.txt", "user.evil", []byte("1"), 0)
		_ = os.Chtimes(dir+"/notes.txt", time.Unix(1, 0), time.Unix(1, 0))
	}
	return nil
}

// swapDescriptors changes the mode of a descriptor that is alternately a file of the tree and one
// of HOME.
func swapDescriptors(w world) error {
	out, err := os.Open(w.home + "/notes.txt")
	if err != nil {
		return err
	}
	in, err := os.Create(w.tree + "/src/mine")
	if err != nil {
		return err
	}
	end := time.Now().Add(300 * time.Millisecond)
	go func() {
		for time.Now().Before(end) {
			_ = unix.Dup3(int(out.Fd()), namedFD, unix.O_CLOEXEC)
			_ = unix.Dup3(int(in.Fd()), namedFD, unix.O_CLOEXEC)
		}
	}()
	for time.Now().Before(end) {
		_ = unix.Fchmod(namedFD, 0o600)
		_ = os.Chmod("/proc/self/fd/"+strconv.Itoa(namedFD), 0o600)
		_ = unix.Futimes(namedFD, []unix.Timeval{{Sec: 1}, {Sec: 1}})
	}
	return nil
}

// swapSockets connects a descriptor that is alternately a TCP socket and a Unix socket.
func swapSockets(w world) error {
	tcp, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	local, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	end := time.Now().Add(500 * time.Millisecond)
	go func() {
		for time.Now().Before(end) {
			_ = unix.Dup3(tcp, namedFD, unix.O_CLOEXEC)
			_ = unix.Dup3(local, namedFD, unix.O_CLOEXEC)
			_ = unix.Close(namedFD)
		}
	}()
	for time.Now().Before(end) {
		_ = unix.Connect(namedFD, &unix.SockaddrUnix{Name: w.home + "/docker.sock"})
	}
	return nil
}

func sendDatagram(w world, kind int) error {
	fd, err := unix.Socket(unix.AF_UNIX, kind|unix.SOCK_CLOEXEC|unix.SOCK_NONBLOCK, 0)
	if err != nil {
		return err
	}
	return unix.Sendto(fd, []byte("evil"), 0, &unix.SockaddrUnix{Name: w.home + "/log.sock"})
}

func gitDir(w world) string {
	if w.tree == w.repo {
		return git(w)
	}
	return git(w) + "/worktrees/t1"
}

// deeds are actions that an agent must be able to do.
var deeds = []deed{
	{name: "change a file", do: func(w world) error { return write(w.tree+"/src/a.go", "package a\n") }},
	{name: "change a file at the top", do: func(w world) error { return write(w.tree+"/top.txt", "changed\n") }},
	{name: "new file at the top", do: func(w world) error {
		err := errors.Join(write(w.tree+"/NEW.md", "new\n"), sh(w.tree, "echo more >> NEW.md"))
		text, rerr := os.ReadFile(w.tree + "/NEW.md")
		if string(text) != "new\nmore\n" {
			return fmt.Errorf("%q", text)
		}
		return errors.Join(err, rerr)
	}},
	{name: "permissions of a new file", do: func(w world) error {
		old := unix.Umask(0o027)
		defer unix.Umask(old)
		f, err := os.OpenFile(w.tree+"/modes", os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o777)
		if err != nil {
			return err
		}
		info, err := f.Stat()
		if err == nil && info.Mode().Perm() != 0o750 {
			err = fmt.Errorf("%v", info.Mode())
		}
		return errors.Join(err, f.Close(), os.Remove(w.tree+"/modes"))
	}},
	{name: "new folder at the top", do: func(w world) error {
		return sh(w.tree, "mkdir -p pkg/deep && echo a > pkg/deep/a && mv pkg/deep/a pkg/b && ln -s b pkg/l && ln pkg/b pkg/c && chmod +x pkg/b && rm -r pkg/deep && mv pkg lib && touch -d 2020-01-01 lib/b")
	}},
	{name: "atomic replacement at the top", do: func(w world) error {
		return errors.Join(write(w.tree+"/top.txt.tmp", "whole\n"), os.Rename(w.tree+"/top.txt.tmp", w.tree+"/top.txt"))
	}},
	{name: "remove and remake a folder", do: func(w world) error {
		return sh(w.tree, "mkdir -p again && echo 1 > again/f && rm -rf again && mkdir again && echo 2 > again/f && grep -q 2 again/f")
	}},
	{name: "remove and remake a folder that was there", do: func(w world) error {
		return sh(w.tree, "cp -r src src3 && rm -rf src && mkdir src && cp -r src3/. src && echo x > src/new && rm -r src3 src/new")
	}},
	{name: "move between folders", do: func(w world) error {
		return sh(w.tree, "echo m > src/m && mv src/m m && mv m src/m && rm src/m")
	}},
	{name: "write through a link within", do: func(w world) error {
		return sh(w.tree, "echo 1 > t1 && ln -s t1 t2 && echo 2 > t2 && grep -q 2 t1 && rm t1 t2")
	}},
	{name: "truncate and copy", do: func(w world) error {
		return sh(w.tree, "echo abc > t3 && truncate -s 1 t3 && test $(wc -c < t3) = 1 && rm t3")
	}},
	{name: "many descriptors", do: func(w world) error {
		for i := range 300 {
			name := fmt.Sprintf("%s/objects/tmp_obj_%d", git(w), i)
			fd, err := unix.Open(name, unix.O_RDWR|unix.O_CREAT|unix.O_EXCL, 0o600)
			if err != nil {
				return err
			}
			if _, err := unix.Write(fd, []byte("x")); err != nil || fd < 3 {
				return fmt.Errorf("open gave descriptor %d: %w", fd, err)
			}
			if err := errors.Join(unix.Close(fd), unix.Unlink(name)); err != nil {
				return err
			}
		}
		return nil
	}},
	{name: "temporary file", do: func(w world) error { return sh(w.tree, `f=$(mktemp) && echo x > "$f" && rm "$f"`) }},
	{name: "commit", do: func(w world) error {
		return sh(w.tree, "echo c > committed && git add -A && git commit -qm work && git status --porcelain && git log --oneline | grep -q work")
	}},
	{name: "branch, merge, rebase, stash", do: func(w world) error {
		line := "git checkout -q -b topic && echo t > topic.txt && git add topic.txt && git commit -qm topic && git checkout -q --detach HEAD^ && git merge -q --no-edit topic && git reset -q --hard HEAD && git tag made"
		if w.tree == w.repo {
			line += " && git checkout -q main && git checkout -q -b b2 && git commit -q --allow-empty -m e && git rebase -q main && echo s >> top.txt && git stash -q && git stash pop -q && git checkout -q main && git branch -D b2"
		}
		return sh(w.tree, line)
	}},
	{name: "many objects", do: func(w world) error {
		return sh(w.tree, "mkdir many && for i in $(seq 300); do echo $i > many/$i; done && git add many && git commit -qm many && git fsck --connectivity-only 2>&1 && git rm -rqf many && git commit -qm less")
	}},
	{name: "state folders", do: func(w world) error {
		return errors.Join(os.MkdirAll(w.home+"/.claude/projects/x", 0o755), write(w.home+"/.claude/projects/x/log", "1"),
			write(w.home+"/.claude.json.tmp.1", "{}"), os.Rename(w.home+"/.claude.json.tmp.1", w.home+"/.claude.json"),
			write(w.home+"/.claude.json", "{}\n"))
	}},
	{name: "cache that is not there yet", do: func(w world) error {
		return errors.Join(sh(w.tree, "mkdir -p "+w.home+"/.local/share/pnpm/store/v3"), os.RemoveAll(w.home+"/.local/share/pnpm/store/v3"),
			os.MkdirAll(w.home+"/.cache/go-build/00", 0o755), write(w.home+"/.cache/go-build/00/x", "1"))
	}},
	{name: "make the same folders at once", do: func(w world) error {
		var wait sync.WaitGroup
		errs := make([]error, 8)
		for round := range 20 {
			for i := range errs {
				wait.Go(func() {
					errs[i] = errors.Join(errs[i], os.MkdirAll(fmt.Sprintf("%s/.gradle/%d/a/b/c", w.home, round), 0o755))
				})
			}
			wait.Wait()
		}
		return errors.Join(errs...)
	}},
	{name: "signals among its own", do: func(w world) error { return sh(w.tree, "sleep 9 & kill $! && ! wait $!") }},
	{name: "socket of its own", do: func(w world) error {
		l, err := net.Listen("unix", w.tmp+"/own.sock")
		if err != nil {
			return err
		}
		defer l.Close()
		return dial(w.tmp + "/own.sock")
	}},
	{name: "socket of its own with a full queue", do: func(w world) error {
		l, err := unix.Socket(unix.AF_UNIX, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
		own := &unix.SockaddrUnix{Name: w.tmp + "/full.sock"}
		if err = errors.Join(err, unix.Bind(l, own), unix.Listen(l, 0)); err != nil {
			return err
		}
		time.AfterFunc(100*time.Millisecond, func() { _, _, _ = unix.Accept(l) })
		return errors.Join(connectBlocking(own), connectBlocking(own))
	}},
	{name: "connections that block", do: func(world) error {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return err
		}
		to := &unix.SockaddrInet4{Port: l.Addr().(*net.TCPAddr).Port, Addr: [4]byte{127, 0, 0, 1}}
		err = errors.Join(connectBlocking(to), l.Close())
		if refused := connectBlocking(to); refused != unix.ECONNREFUSED {
			err = errors.Join(err, fmt.Errorf("no listener: %w", refused))
		}
		if none := unix.Connect(99, to); none != unix.EBADF {
			err = errors.Join(err, fmt.Errorf("no descriptor: %w", none))
		}
		if file := unix.Connect(1, to); file != unix.ENOTSOCK {
			err = errors.Join(err, fmt.Errorf("not a socket: %w", file))
		}
		return err
	}},
	{name: "connection without a main thread", do: func(world) error {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return err
		}
		to := &unix.SockaddrInet4{Port: l.Addr().(*net.TCPAddr).Port, Addr: [4]byte{127, 0, 0, 1}}
		done := make(chan error)
		go func() {
			for !strings.Contains(readText("/proc/self/stat"), ") Z ") {
				time.Sleep(time.Millisecond)
			}
			if err := connectBlocking(to); err != nil {
				fmt.Println("refused:", err)
				os.Exit(1)
			}
			os.Exit(0)
		}()
		if unix.Gettid() == unix.Getpid() {
			_, _, _ = unix.Syscall(unix.SYS_EXIT, 0, 0, 0)
		}
		return <-done
	}},
	{name: "network", do: func(world) error {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			return err
		}
		defer l.Close()
		c, err := net.Dial("tcp", l.Addr().String())
		if err == nil {
			c.Close()
		}
		return err
	}},
	{name: "pipes and devices", do: func(w world) error {
		return sh(w.tree, "echo x > /dev/null && echo y | cat > /dev/stdout && chmod u+w /dev/stdout && mkfifo src/p && (cat src/p > /dev/null & echo z > src/p) && rm src/p")
	}},
	{name: "calls without a path", do: func(w world) error {
		for _, c := range slices.Concat(common, legacy) {
			if c.path < 0 || c.what < verbMeta || c.what == verbConnect {
				continue
			}
			var args [6]uintptr
			if c.dir >= 0 {
				args[c.dir] = ^uintptr(99) // AT_FDCWD
			}
			if _, _, errno := unix.Syscall6(uintptr(c.nr), args[0], args[1], args[2], args[3], args[4], args[5]); errno == 0 {
				return fmt.Errorf("call %d without a path is done", c.nr)
			}
		}
		return write(w.tree+"/src/after.go", "package a\n")
	}},
	{name: "open a descriptor by its name", do: func(w world) error {
		f, err := os.Create(w.tree + "/src/byname")
		if err != nil {
			return err
		}
		defer f.Close()
		if err := unix.Dup3(int(f.Fd()), namedFD, unix.O_CLOEXEC); err != nil {
			return err
		}
		defer unix.Close(namedFD)
		for _, name := range []string{"/proc/self/fd/", "/proc/thread-self/fd/", "/dev/fd/"} {
			if err := write(name+strconv.Itoa(namedFD), name); err != nil {
				return err
			}
			if text, err := os.ReadFile(w.tree + "/src/byname"); err != nil || string(text) != name {
				return fmt.Errorf("%s is another file: %q, %w", name, text, err)
			}
		}
		return nil
	}},
	{name: "read a key", do: func(w world) error { _, err := os.ReadFile(w.home + "/.ssh/id"); return err }},
	{name: "read notes", do: func(w world) error { _, err := os.ReadFile(w.home + "/notes.txt"); return err }},
}

// TestDeeds does everything that an agent must be able to do.
func TestDeeds(t *testing.T) {
	needFence(t)
	for _, linked := range []bool{true, false} {
		t.Run(map[bool]string{true: "worktree", false: "in place"}[linked], func(t *testing.T) {
			w := makeWorld(t, linked)
			namesSomethingElse(t, w)
			for _, d := range deeds {
				t.Run(d.name, func(t *testing.T) {
					r := w.fenced(t, w.policy(), d.name)
					if r.code != 0 {
						t.Errorf("%d: %s%v", r.code, r.said, r.denied)
					}
					for _, d := range r.denied {
						if filepath.Base(d.Path) == "config" && d.Program == "git" {
							continue // git branch -D rewrites the settings, and works without that
						}
						t.Errorf("refused on the way: %+v", d)
					}
				})
			}
			if out := w.git(t, w.tree, "fsck"); strings.Contains(out, "missing") || strings.Contains(out, "corrupt") {
				t.Error(out)
			}
		})
	}
}

// connectBlocking connects a new socket and checks that it is still one that blocks.
func connectBlocking(to unix.Sockaddr) error {
	domain := unix.AF_INET
	if _, local := to.(*unix.SockaddrUnix); local {
		domain = unix.AF_UNIX
	}
	fd, err := unix.Socket(domain, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return err
	}
	if err := unix.Connect(fd, to); err != nil {
		return err
	}
	flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFL, 0)
	if err == nil && flags&unix.O_NONBLOCK != 0 {
		err = errors.New("the socket no longer blocks")
	}
	return err
}

// namedFD is a descriptor that is one file for the gatekeeper and another for the program.
const namedFD = 78

func namesSomethingElse(t *testing.T, w world) {
	t.Helper()
	f, err := os.OpenFile(w.home+"/notes.txt", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if err := unix.Dup3(int(f.Fd()), namedFD, unix.O_CLOEXEC); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { unix.Close(namedFD) })
}

// TestDenied: a refusal is recorded with the program that tried, unless the action would have
// failed anyway.
func TestDenied(t *testing.T) {
	needFence(t)
	w := makeWorld(t, false)
	r := w.fenced(t, w.policy(), "", "sh", "-c", `echo evil >> "$HOME/.bashrc"; echo evil >> "$HOME/.bashrc"; rm "$HOME/notes.txt"
chmod 777 "$HOME/.ssh"; echo x > .git/hooks/pre-push; echo x > "$HOME/none/x"; mkdir "$HOME/.ssh"; mkdir "$HOME/new"; ls "$HOME" > /dev/null; echo fine > fine`)
	var got []string
	for _, d := range r.denied {
		got = append(got, fmt.Sprintf("%s %s %s %d", d.Program, d.What, strings.TrimPrefix(d.Path, w.dir), d.Times))
	}
	want := []string{"sh write /home/.bashrc 2", "rm remove /home/notes.txt 1", "chmod change the attributes of /home/.ssh 1",
		"sh write /repo/.git/hooks/pre-push 1", "mkdir make a folder /home/new 1"}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

// TestHide: hidden files cannot be read under any name, all others can.
func TestHide(t *testing.T) {
	needFence(t)
	w := makeWorld(t, false)
	p := w.policy()
	p.Hide = []string{w.home + "/.ssh", w.home + "/none"}
	if r := w.fenced(t, p, "read a key"); r.code != 1 {
		t.Errorf("the key was read: %s", r.said)
	}
	for _, name := range []string{"read notes", "commit", "new file at the top", "new folder at the top", "temporary file", "pipes and devices"} {
		if r := w.fenced(t, p, name); r.code != 0 {
			t.Errorf("%s: %s", name, r.said)
		}
	}
}

// worldWithPort returns a world and a TCP port outside the fence on which somebody listens.
func worldWithPort(t *testing.T) (world, int) {
	t.Helper()
	needFence(t)
	if Version() < networkABI {
		t.Skip("this kernel has no rules for ports")
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	return makeWorld(t, false), l.Addr().(*net.TCPAddr).Port
}

// TestPorts: only the listed ports can be reached.
func TestPorts(t *testing.T) {
	w, port := worldWithPort(t)
	line := fmt.Sprintf("exec 3<>/dev/tcp/127.0.0.1/%d", port)
	p := w.policy()
	for _, c := range []struct {
		ports []uint16
		alone bool
		code  int
	}{{nil, false, 0}, {[]uint16{uint16(port)}, false, 0}, {[]uint16{443}, false, 1}, {nil, true, 1}} {
		p.Ports, p.Alone = c.ports, c.alone
		if r := w.fenced(t, p, "", "bash", "-c", line); r.code != c.code {
			t.Errorf("%v, %v: ended with %d: %s", c.ports, c.alone, r.code, r.said)
		}
	}
}

// leaks reach another port than the listed ones, or listen on one: each opens a TCP connection.
var leaks = []deed{
	{name: "connect", do: func(w world) error { return leak(w, 0, unix.Connect) }},
	{name: "connect with fast open", do: func(w world) error {
		return leak(w, 0, func(fd int, to unix.Sockaddr) error {
			err := unix.SetsockoptInt(fd, unix.IPPROTO_TCP, unix.TCP_FASTOPEN_CONNECT, 1)
			err = errors.Join(err, unix.Connect(fd, to))
			_, sent := unix.Write(fd, []byte("x"))
			return errors.Join(err, sent)
		})
	}},
	{name: "sendto with fast open", do: func(w world) error {
		return leak(w, 0, func(fd int, to unix.Sockaddr) error { return unix.Sendto(fd, []byte("x"), unix.MSG_FASTOPEN, to) })
	}},
	{name: "sendmsg with fast open", do: func(w world) error {
		return leak(w, 0, func(fd int, to unix.Sockaddr) error { return unix.Sendmsg(fd, []byte("x"), nil, to, unix.MSG_FASTOPEN) })
	}},
	{name: "sendmmsg with fast open", do: func(w world) error {
		return leak(w, 0, func(fd int, to unix.Sockaddr) error {
			port := uint16(to.(*unix.SockaddrInet4).Port)
			addr := unix.RawSockaddrInet4{Family: unix.AF_INET, Port: port<<8 | port>>8, Addr: [4]byte{127, 0, 0, 1}}
			text := []byte("x")
			part := unix.Iovec{Base: &text[0], Len: 1}
			msg := struct {
				unix.Msghdr
				sent uint64
			}{Msghdr: unix.Msghdr{Name: (*byte)(unsafe.Pointer(&addr)), Namelen: unix.SizeofSockaddrInet4, Iov: &part, Iovlen: 1}}
			return errno(unix.Syscall6(unix.SYS_SENDMMSG, uintptr(fd), uintptr(unsafe.Pointer(&msg)), 1, unix.MSG_FASTOPEN, 0, 0))
		})
	}},
	{name: "connect over several paths", do: func(w world) error { return leak(w, unix.IPPROTO_MPTCP, unix.Connect) }},
	{name: "listen over several paths", do: func(w world) error {
		return leak(w, unix.IPPROTO_MPTCP, func(fd int, _ unix.Sockaddr) error {
			return errors.Join(unix.Bind(fd, &unix.SockaddrInet4{Addr: [4]byte{127, 0, 0, 1}}), unix.Listen(fd, 1))
		})
	}},
	{name: "listen without a port", do: func(w world) error {
		return leak(w, 0, func(fd int, _ unix.Sockaddr) error { return unix.Listen(fd, 1) })
	}},
}

// leak does something with a new socket and the address of the test's listener.
func leak(w world, protocol int, do func(int, unix.Sockaddr) error) error {
	text, err := os.ReadFile(w.tmp + "/port")
	if err != nil {
		return err
	}
	port, err := strconv.Atoi(string(text))
	if err != nil {
		return err
	}
	fd, err := unix.Socket(unix.AF_INET, unix.SOCK_STREAM|unix.SOCK_CLOEXEC, protocol)
	if err != nil {
		return err
	}
	return do(fd, &unix.SockaddrInet4{Port: port, Addr: [4]byte{127, 0, 0, 1}})
}

// TestLeaks: no way of sending reaches a port that is not listed. Without a list all of them do.
func TestLeaks(t *testing.T) {
	w, port := worldWithPort(t)
	if err := write(w.tmp+"/port", strconv.Itoa(port)); err != nil {
		t.Fatal(err)
	}
	own := w.policy()
	own.Ports = []uint16{443}
	if r := w.fenced(t, own, "socket of its own"); r.code != 0 {
		t.Errorf("socket of its own: %s", r.said)
	}
	for _, d := range leaks {
		for ports, code := range map[uint16]int{0: 0, 443: 1} {
			p := w.policy()
			if ports != 0 {
				p.Ports = []uint16{ports}
			}
			if r := w.fenced(t, p, d.name); r.code != code {
				t.Errorf("%s, allowed %d: ended with %d: %s", d.name, ports, r.code, r.said)
			}
		}
	}
}

// TestWithoutCopies: where descriptors cannot be copied, the network works and no Unix socket can be
// made.
func TestWithoutCopies(t *testing.T) {
	needFence(t)
	was := copies
	t.Cleanup(func() { copies = was })
	copies = func() bool { return false }
	w := makeWorld(t, false)
	for name, code := range map[string]int{"network": 0, "connections that block": 0, "socket of its own": 1} {
		if r := w.fenced(t, w.policy(), name); r.code != code {
			t.Errorf("%s ended with %d: %s", name, r.code, r.said)
		}
	}
}

// BenchmarkStart measures how much a fence slows the start of a program.
func BenchmarkStart(b *testing.B) {
	needFence(b)
	w := makeWorld(b, false)
	policy := w.policy()
	for _, fenced := range []bool{false, true} {
		b.Run(map[bool]string{false: "without", true: "with"}[fenced], func(b *testing.B) {
			for b.Loop() {
				var f *Fence
				if fenced {
					var err error
					if f, err = New(policy); err != nil {
						b.Fatal(err)
					}
				}
				var p *os.Process
				err := f.Start(func() (err error) {
					p, err = os.StartProcess("/bin/true", []string{"true"}, &os.ProcAttr{})
					return err
				})
				if err != nil {
					b.Fatal(err)
				}
				if _, err := p.Wait(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
