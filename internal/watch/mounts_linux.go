package watch

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// Mounts returns the lines of the mount table that concern a tree: what is mounted in
// it, on it or above it. No event tells of a mount.
func Mounts(root string) (string, error) {
	text, err := os.ReadFile("/proc/self/mountinfo")
	if err != nil {
		return "", err
	}
	var b strings.Builder
	for line := range strings.Lines(string(text)) {
		f := strings.Fields(line)
		if len(f) < 5 {
			continue
		}
		at := unescape(f[4])
		if at == "/" || at == root || strings.HasPrefix(at, root+"/") || strings.HasPrefix(root, at+"/") {
			fmt.Fprintf(&b, "%s %s %s %s\n", f[0], f[2], f[3], f[4])
		}
	}
	return b.String(), nil
}

// unescape turns \040 and the like back.
func unescape(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '\\' && i+3 < len(s) {
			if n, err := strconv.ParseUint(s[i+1:i+4], 8, 8); err == nil {
				b.WriteByte(byte(n))
				i += 3
				continue
			}
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// Written returns the files below root that a process holds open for writing or
// has mapped so, as paths from there. Bytes written through a mapping cause no event
// until it is gone and the file is closed. What belongs to other users cannot be seen.
func Written(root string) (map[string]bool, error) {
	procs, err := os.ReadDir("/proc")
	if err != nil {
		return nil, err
	}
	found := map[string]bool{}
	lead := root + "/"
	for _, p := range procs {
		if p.Name()[0] < '0' || p.Name()[0] > '9' {
			continue
		}
		dir := "/proc/" + p.Name()
		mapped(dir+"/maps", lead, found)
		opened(dir, lead, found)
	}
	return found, nil
}

// mapped adds shared, writable mappings.
func mapped(maps, lead string, found map[string]bool) {
	text, err := os.ReadFile(maps)
	if err != nil {
		return // gone, or somebody else's
	}
	for line := range strings.Lines(string(text)) {
		range_, rest, _ := strings.Cut(line, " ")
		if range_ == "" || len(rest) < 4 || rest[1] != 'w' || rest[3] != 's' {
			continue
		}
		if i := strings.IndexByte(rest, '/'); i >= 0 {
			path := strings.TrimSuffix(strings.TrimSuffix(rest[i:], "\n"), " (deleted)")
			if below, ok := strings.CutPrefix(unescape(path), lead); ok && !strings.HasPrefix(below, ".git/") {
				found[below] = true
			}
		}
	}
}

// opened adds descriptors that can write.
func opened(dir, lead string, found map[string]bool) {
	fds, err := os.Open(dir + "/fd")
	if err != nil {
		return
	}
	defer fds.Close()
	names, _ := fds.Readdirnames(-1)
	buf := make([]byte, 4096)
	for _, n := range names {
		size, err := unix.Readlinkat(int(fds.Fd()), n, buf)
		if err != nil || size <= len(lead) || string(buf[:len(lead)]) != lead {
			continue
		}
		below := strings.TrimSuffix(string(buf[len(lead):size]), " (deleted)")
		if !strings.HasPrefix(below, ".git/") && writes(filepath.Join(dir, "fdinfo", n)) {
			found[below] = true
		}
	}
}

func writes(info string) bool {
	text, err := os.ReadFile(info)
	if err != nil {
		return false
	}
	_, rest, _ := strings.Cut(string(text), "flags:")
	line, _, _ := strings.Cut(strings.TrimSpace(rest), "\n")
	flags, err := strconv.ParseUint(line, 8, 64)
	return err == nil && flags&unix.O_ACCMODE != unix.O_RDONLY && flags&unix.O_PATH == 0
}
