package proc

import (
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"

	"github.com/belay-dev/belay/internal/fence"
)

// Launch starts argv in its own process group and returns its process ID, which is also the
// group's. It finds the program like LookPath, with attr.Env and attr.Dir; attr.Sys is ignored. On
// Linux the process is killed when this one dies. A Tree must wait for it. It fails with CodeCannot
// if the program cannot be started. With a fence, the process and its children run in it.
func Launch(argv []string, attr os.ProcAttr, f *fence.Fence) (int, error) {
	path, err := LookPath(argv[0], attr.Dir, attr.Env)
	if err != nil {
		f.Close()
		return 0, err
	}
	attr.Sys = launchAttr()
	var p *os.Process
	// Use a thread that lives as long as this process: for the kernel, the parent of a process is
	// the thread that started it, and idle threads end.
	err = f.Start(func() (err error) {
		p, err = os.StartProcess(path, argv, &attr)
		return err
	})
	if err != nil {
		f.Close()
		return 0, cannotExec(path, err)
	}
	pid := p.Pid
	_ = p.Release() // the Tree waits for it
	return pid, nil
}

// CloseInherited closes descriptors above keep that this process's parents left open. A process
// that outlives them for hours would keep their locks, and readers of their pipes would wait. Go's
// own descriptors are close-on-exec, inherited ones are not.
func CloseInherited(keep int) error {
	entries, err := os.ReadDir("/dev/fd")
	if err != nil {
		return fmt.Errorf("checking open files: %w", err)
	}
	for _, e := range entries {
		fd, err := strconv.Atoi(e.Name())
		if err != nil || fd <= keep {
			continue
		}
		if flags, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0); err == nil && flags&unix.FD_CLOEXEC == 0 {
			_ = unix.Close(fd)
		}
	}
	return nil
}
