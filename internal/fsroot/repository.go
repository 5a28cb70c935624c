package fsroot

import "golang.org/x/sys/unix"

// DetectRepository reports whether the .git in the folder fd is a file that points to a repository,
// and whether it is a repository or points to one. Only the stat of .git/HEAD follows a link: git
// treats a link to a git folder as a repository too.
func DetectRepository(fd int, folder bool) (file, repo bool) {
	var st unix.Stat_t
	if StatAt(fd, ".git/HEAD", &st) == nil {
		return false, true
	}
	if folder || StatAt(fd, ".git", &st) != nil || st.Mode&unix.S_IFMT != unix.S_IFREG {
		return false, false
	}
	const start = "gitdir: "
	var text [len(start)]byte
	f, err := OpenFileAt(fd, ".git")
	if err != nil {
		return false, false
	}
	defer unix.Close(f)
	n, err := unix.Read(f, text[:])
	return true, err == nil && string(text[:max(n, 0)]) == start
}
