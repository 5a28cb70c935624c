package testutil

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Violence does the worst that an agent can do in a few seconds: it edits, deletes, swaps and links
// files, commits, switches and deletes branches, clears the stash, aborts the operation in
// progress, and plants programs in config, hooks and attributes.
func Violence(s *Sandbox) {
	s.T.Helper()
	for _, op := range []string{"merge", "rebase", "cherry-pick", "revert", "am"} {
		s.May(op, "--abort")
	}
	s.May("bisect", "reset")
	for i, f := range s.Reachable() {
		Maul(s, i, f)
	}
	s.SwapFolder()
	s.Write("agent/new file\n\xff", "made by the agent")
	s.Write("agent/run", "#!/bin/sh\n")
	s.Chmod("agent/run", 0o755)
	s.Mkdir("agent/empty")
	s.Link("../outside", "agent-link")
	s.May("add", "-A")
	s.May("-c", "core.hooksPath=/dev/null", "-c", "commit.gpgSign=false", "-c", "user.name=x", "-c", "user.email=x", "commit",
		"-q", "-m", "agent")
	s.May("-c", "core.hooksPath=/dev/null", "checkout", "-q", "-f", "-b", "agent/branch")
	s.Write("agent/second", "2")
	s.May("add", "agent/second")
	s.May("-c", "core.hooksPath=/dev/null", "-c", "commit.gpgSign=false", "-c", "user.name=x", "-c", "user.email=x", "commit",
		"-q", "-m", "agent 2")
	s.May("tag", "agent-tag")
	s.May("stash", "clear")
	s.May("branch", "-D", "other")
	s.May("tag", "-d", "v1", "v2")
	s.Write("agent/staged", "x")
	s.May("add", "agent/staged")
	s.May("rm", "-q", "--cached", "-r", "agent/run")
	Plant(s)
	os.Remove(s.Watched) // the agent's own commands may have run one
}

// Plant configures programs wherever git looks for one.
func Plant(s *Sandbox) {
	s.T.Helper()
	config := "\n[core]\n\tfsmonitor = \"" + s.recorder() + "\"\n\tpager = \"" + s.recorder() + "\"\n" +
		"[filter \"evil\"]\n\tclean = \"" + s.recorder() + "\"\n\tsmudge = \"" + s.recorder() + "\"\n\trequired = true\n" +
		"[diff \"evil\"]\n\ttextconv = \"" + s.recorder() + "\"\n\tcommand = \"" + s.recorder() +
		"\"\n[diff]\n\texternal = \"" + s.recorder() + "\"\n"
	f, err := os.OpenFile(filepath.Join(s.Common(), "config"), os.O_APPEND|os.O_WRONLY, 0)
	s.Ok(err)
	_, err = f.WriteString(config)
	s.Ok(err)
	s.Ok(f.Close())
	s.Write(".gitattributes", "* filter=evil diff=evil text eol=crlf\n")
	for _, hook := range []string{"reference-transaction", "post-index-change", "post-checkout", "pre-auto-gc"} {
		s.hook(hook, "#!/bin/sh\n"+s.recorder()+"\nexit 1\n")
	}
	s.Ok(os.WriteFile(filepath.Join(s.Common(), "info", "attributes"), []byte("* filter=evil\n"), 0o644))
}

func (s *Sandbox) hook(name, text string) {
	s.T.Helper()
	dir := filepath.Join(s.Common(), "hooks")
	s.Ok(os.MkdirAll(dir, 0o755))
	s.Ok(os.WriteFile(filepath.Join(dir, name), []byte(text), 0o755))
}

// Reachable returns the files and links that an agent may damage and a snapshot must contain.
func (s *Sandbox) Reachable() []string {
	s.T.Helper()
	var all []string
	err := WalkShallow(s.Dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel := strings.TrimPrefix(p, s.Dir+"/")
		if p == s.Dir {
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
	s.Ok(err)
	return all
}

// Maul damages a file, in a way that depends on i.
func Maul(s *Sandbox, i int, f string) {
	s.T.Helper()
	p := s.Path(f)
	info, err := os.Lstat(p)
	s.Ok(err)
	if info.Mode()&fs.ModeSymlink != 0 && i%2 == 0 {
		s.Ok(os.Remove(p))
		s.Write(f, "was a link")
		return
	}
	switch i % 6 {
	case 0, 5:
		text, err := os.ReadFile(p)
		s.Ok(os.Remove(p))
		if err == nil {
			s.Write(f, string(text)+"spoiled\n")
		}
	case 1:
		s.Ok(os.Remove(p))
	case 2:
		s.Ok(os.Remove(p))
		s.Ok(os.Symlink(filepath.Join(s.Up, "outside", "a.txt"), p))
	case 3:
		s.Ok(os.Remove(p))
		s.Write(f+"/a.txt", "a folder now")
	case 4:
		if info.Mode().IsRegular() { // keep size and time
			s.Ok(os.WriteFile(p, bytes.Repeat([]byte("A"), int(info.Size())), 0))
			s.Ok(os.Chmod(p, info.Mode()^0o100))
			s.Ok(os.Chtimes(p, info.ModTime(), info.ModTime()))
		}
	}
}

// SwapFolder replaces a folder of the worktree with a link to one outside.
func (s *Sandbox) SwapFolder() {
	s.T.Helper()
	there, err := os.ReadDir(s.Dir)
	s.Ok(err)
next:
	for _, d := range there {
		if !d.IsDir() || d.Name() == ".git" || s.leftAlone(d.Name()) {
			continue
		}
		for _, l := range s.Left {
			if strings.HasPrefix(l, d.Name()+"/") {
				continue next
			}
		}
		if has, _ := filepath.Glob(filepath.Join(s.Path(d.Name()), "*", ".git")); len(has) > 0 {
			continue
		}
		if _, err := os.Lstat(s.Path(d.Name() + "/.git")); err == nil {
			continue
		}
		s.Remove(d.Name())
		s.Link(filepath.Join(s.Up, "outside"), d.Name())
		return
	}
}
