package proc

import (
	"fmt"
	"os"
	"strconv"

	"golang.org/x/sys/unix"

	"github.com/belay-dev/belay/internal/fence"
)

// Launch starts argv in a process group of its own whose number is the id it gives.
// Its program is found as LookPath does in attr.Env and attr.Dir; attr.Sys is not looked
// at. On Linux it is killed when this process dies. Waiting for it is up to a Tree. What
// cannot be started is refused with CodeCannot. With a fence, all that it starts is in that.
func Launch(argv []string, attr os.ProcAttr, f *fence.Fence) (int, error) {
	path, err := LookPath(argv[0], attr.Dir, attr.Env)
	if err != nil {
		f.Close()
		return 0, err
	}
	attr.Sys = launchAttr()
	var p *os.Process
	// On a thread that lives as long as this process: the kernel counts the death of
	// the thread that started a program as its parent's, and idle threads do end.
	err = f.Start(func() (err error) {
		p, err = os.StartProcess(path, argv, &attr)
		return err
	})
	if err != nil {
		f.Close()
		return 0, cannotExec(path, err)
	}
	pid := p.Pid
	_ = p.Release() // the tree does the waiting
	return pid, nil
}

// CloseInherited closes the descriptors above keep that this process's parents left
// open. A process that outlives them for hours would hold their locks, and readers of
// their pipes would wait. What Go opened itself is marked close-on-exec, what came
// through exec cannot be.
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
