package restore_test

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
)

// violence is the worst an agent does in a few seconds: it edits, deletes, swaps and
// links files, commits, switches and deletes branches, empties the stash, ends whatever
// operation was in progress and plants programs in config, hooks and attributes.
func violence(s *sandbox) {
	s.t.Helper()
	for _, op := range []string{"merge", "rebase", "cherry-pick", "revert", "am"} {
		s.may(op, "--abort")
	}
	s.may("bisect", "reset")
	for i, f := range s.reachable() {
		maul(s, i, f)
	}
	s.swapFolder()
	s.write("agent/new file\n\xff", "made by the agent")
	s.write("agent/run", "#!/bin/sh\n")
	s.chmod("agent/run", 0o755)
	s.mkdir("agent/empty")
	s.link("../outside", "agent-link")
	s.may("add", "-A")
	s.may("-c", "core.hooksPath=/dev/null", "-c", "commit.gpgSign=false", "-c", "user.name=x", "-c", "user.email=x", "commit", "-q", "-m", "agent")
	s.may("-c", "core.hooksPath=/dev/null", "checkout", "-q", "-f", "-b", "agent/branch")
	s.write("agent/second", "2")
	s.may("add", "agent/second")
	s.may("-c", "core.hooksPath=/dev/null", "-c", "commit.gpgSign=false", "-c", "user.name=x", "-c", "user.email=x", "commit", "-q", "-m", "agent 2")
	s.may("tag", "agent-tag")
	s.may("stash", "clear")
	s.may("branch", "-D", "other")
	s.may("tag", "-d", "v1", "v2")
	s.write("agent/staged", "x")
	s.may("add", "agent/staged")
	s.may("rm", "-q", "--cached", "-r", "agent/run")
	plant(s)
	os.Remove(s.watched) // what the agent's own commands ran is its own affair
}

// plant leaves programs wherever git looks for one.
func plant(s *sandbox) {
	s.t.Helper()
	config := "\n[core]\n\tfsmonitor = \"" + s.recorder() + "\"\n\tpager = \"" + s.recorder() + "\"\n" +
		"[filter \"evil\"]\n\tclean = \"" + s.recorder() + "\"\n\tsmudge = \"" + s.recorder() + "\"\n\trequired = true\n" +
		"[diff \"evil\"]\n\ttextconv = \"" + s.recorder() + "\"\n\tcommand = \"" + s.recorder() + "\"\n[diff]\n\texternal = \"" + s.recorder() + "\"\n"
	f, err := os.OpenFile(filepath.Join(s.common(), "config"), os.O_APPEND|os.O_WRONLY, 0)
	s.ok(err)
	_, err = f.WriteString(config)
	s.ok(err)
	s.ok(f.Close())
	s.write(".gitattributes", "* filter=evil diff=evil text eol=crlf\n")
	for _, hook := range []string{"reference-transaction", "post-index-change", "post-checkout", "pre-auto-gc"} {
		s.hook(hook, "#!/bin/sh\n"+s.recorder()+"\nexit 1\n")
	}
	s.ok(os.WriteFile(filepath.Join(s.common(), "info", "attributes"), []byte("* filter=evil\n"), 0o644))
}

func (s *sandbox) hook(name, text string) {
	s.t.Helper()
	dir := filepath.Join(s.common(), "hooks")
	s.ok(os.MkdirAll(dir, 0o755))
	s.ok(os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755))
}

// reachable are files and links that an agent may spoil and a snapshot must hold.
func (s *sandbox) reachable() []string {
	s.t.Helper()
	var all []string
	err := walk(s.dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel := strings.TrimPrefix(p, s.dir+"/")
		if p == s.dir {
			return nil
		}
		if rel == ".git" || s.leftAlone(rel) {
			return skip(d)
		}
		if d.IsDir() {
			if _, err := os.Lstat(filepath.Join(p, ".git")); err == nil {
				return fs.SkipDir
			}
			return nil
		}
		if d.Type().IsRegular() || d.Type()&fs.ModeSymlink != 0 {
			all = append(all, rel)
		}
		return nil
	})
	s.ok(err)
	return all
}

func maul(s *sandbox, i int, f string) {
	s.t.Helper()
	p := s.path(f)
	var st syscall.Stat_t
	s.ok(syscall.Lstat(p, &st))
	if st.Mode&syscall.S_IFMT == syscall.S_IFLNK && i%2 == 0 {
		s.ok(os.Remove(p))
		s.write(f, "was a link")
		return
	}
	switch i % 6 {
	case 0, 5:
		text, err := os.ReadFile(p)
		s.ok(os.Remove(p))
		if err == nil {
			s.write(f, string(text)+"spoiled\n")
		}
	case 1:
		s.ok(os.Remove(p))
	case 2:
		s.ok(os.Remove(p))
		s.ok(os.Symlink(filepath.Join(s.up, "outside", "a.txt"), p))
	case 3:
		s.ok(os.Remove(p))
		s.write(f+"/a.txt", "a folder now")
	case 4:
		if st.Mode&syscall.S_IFMT == syscall.S_IFREG { // same size, same time
			s.ok(os.WriteFile(p, bytes.Repeat([]byte("A"), int(st.Size)), 0))
			s.ok(syscall.Chmod(p, uint32(st.Mode&0o7777^0o100)))
			s.ok(syscall.UtimesNano(p, []syscall.Timespec{syscall.NsecToTimespec(mtimeOf(&st)), syscall.NsecToTimespec(mtimeOf(&st))}))
		}
	}
}

// swapFolder puts a link to a folder outside in the place of one in the tree.
func (s *sandbox) swapFolder() {
	s.t.Helper()
	there, err := os.ReadDir(s.dir)
	s.ok(err)
next:
	for _, d := range there {
		if !d.IsDir() || d.Name() == ".git" || s.leftAlone(d.Name()) {
			continue
		}
		for _, l := range s.left {
			if strings.HasPrefix(l, d.Name()+"/") {
				continue next
			}
		}
		if has, _ := filepath.Glob(filepath.Join(s.path(d.Name()), "*", ".git")); len(has) > 0 {
			continue
		}
		if _, err := os.Lstat(s.path(d.Name() + "/.git")); err == nil {
			continue
		}
		s.remove(d.Name())
		s.link(filepath.Join(s.up, "outside"), d.Name())
		return
	}
}
