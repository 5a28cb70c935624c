package agent

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/fsroot"
)

// An agent's worktree gets copies of installed packages, never a link to the originals; a
// temporary checkout for tests gets links.

// Bounds of what is copied, and of the folders that are searched for workspaces.
const (
	maxCopyFiles = 200_000
	maxCopyBytes = 2 << 30
	maxFolders   = 2_000
)

// ErrTooMuch is wrapped by the error of a copy that would exceed the bounds.
var ErrTooMuch = errors.New("more than 200,000 files or 2 GiB")

// InstalledPackages returns the folders with installed packages of the tree at root, as slash
// paths: those at its top, and node_modules of its workspaces.
func InstalledPackages(root string) []string {
	var found []string
	if isFile(root, "vendor/autoload.php") && isFile(root, "composer.json") {
		found = append(found, "vendor")
	} else if isFolder(root, "vendor/bundle") && isFile(root, "Gemfile") {
		found = append(found, "vendor/bundle")
	}
	for _, env := range []string{".venv", "venv"} {
		if isFile(root, env+"/pyvenv.cfg") {
			found = append(found, env)
		}
	}
	return append(found, findWorkspaces(root)...)
}

// findWorkspaces finds folders with a package.json and installed packages.
func findWorkspaces(root string) (found []string) {
	seen := 0
	var look func(dir string, depth int)
	look = func(dir string, depth int) {
		if seen++; seen > maxFolders {
			return
		}
		if isFile(root, path.Join(dir, "package.json")) && isFolder(root, path.Join(dir, "node_modules")) {
			found = append(found, path.Join(dir, "node_modules"))
		}
		if depth == 0 {
			return
		}
		entries, err := os.ReadDir(filepath.Join(root, filepath.FromSlash(dir)))
		if err != nil {
			return
		}
		for _, e := range entries {
			if name := e.Name(); e.IsDir() && name != "node_modules" && name != "vendor" && name != "venv" &&
				!strings.HasPrefix(name, ".") {
				look(path.Join(dir, name), depth-1)
			}
		}
	}
	depth := 0
	if isFile(root, "package.json") {
		depth = 3
	}
	look("", depth)
	return found
}

func isFile(root, name string) bool {
	info, err := os.Stat(filepath.Join(root, filepath.FromSlash(name)))
	return err == nil && info.Mode().IsRegular()
}

func isFolder(root, name string) bool {
	info, err := os.Stat(filepath.Join(root, filepath.FromSlash(name)))
	return err == nil && info.IsDir()
}

// exists reports whether a tree has something of that name, including a dangling link.
func exists(root, name string) bool {
	_, err := os.Lstat(filepath.Join(root, filepath.FromSlash(name)))
	return err == nil
}

// ShareFolder links a folder of from into the temporary tree to, if to has nothing of that name:
// its folders are recreated down to the packages, which are links to the originals. Links within it
// stay unchanged, so that a workspace's own packages are those of to. In files of a virtual
// environment, the path of from is replaced by that of to.
func ShareFolder(from, to, name string) error {
	src, err := filepath.EvalSymlinks(filepath.Join(from, filepath.FromSlash(name)))
	if err != nil || exists(to, name) {
		return nil // nothing to share, or it exists
	}
	dst, err := openFolder(to, name)
	if err != nil {
		return err
	}
	defer dst.Close()
	s := folderSharer{pathRewriter: pathRewriter{from: from, to: to, virtualEnv: isVirtualEnv(name)}, dst: dst}
	if s.virtualEnv {
		return s.shareFolder(src, ".", 3) // lib/python3.12/site-packages
	}
	return s.shareFolder(src, ".", 0)
}

// isVirtualEnv reports whether name is the usual name of a Python virtual environment.
func isVirtualEnv(name string) bool { return name == ".venv" || name == "venv" }

type folderSharer struct {
	pathRewriter
	dst *os.Root
}

// cacheFolders are folders that tools write among packages; they are not shared between trees.
var cacheFolders = map[string]bool{".cache": true, ".vite": true, ".vite-temp": true, ".vitest": true}

func (s folderSharer) shareFolder(src, at string, levels int) error {
	entries, err := os.ReadDir(src)
	if err != nil {
		return fmt.Errorf("share %s: %w", src, err)
	}
	for _, e := range entries {
		if err := s.shareEntry(filepath.Join(src, e.Name()), path.Join(at, e.Name()), e, levels); err != nil {
			return err
		}
	}
	return nil
}

func (s folderSharer) shareEntry(src, at string, e fs.DirEntry, levels int) error {
	switch name := e.Name(); {
	case cacheFolders[name]:
		return nil
	case e.Type()&fs.ModeSymlink != 0:
		text, err := os.Readlink(src)
		if err != nil {
			return err
		}
		return s.dst.Symlink(s.rewrite(text), at)
	case e.IsDir() && (levels > 0 || strings.HasPrefix(name, "@")):
		if err := s.dst.Mkdir(at, 0o755); err != nil {
			return err
		}
		return s.shareFolder(src, at, max(0, levels-1))
	case e.Type().IsRegular() && s.virtualEnv && namesItsTree(at):
		info, err := e.Info()
		if err != nil {
			return err
		}
		return s.copyFile(s.dst, src, at, info)
	}
	return s.dst.Symlink(src, at)
}

// CopyFolder copies a folder of from to to, if to has nothing of that name, and reports whether it
// did. The copy is made beside its place and renamed when complete. Blocks are shared if the file
// system can; links into from become links into to. Errors include ErrTooMuch.
func CopyFolder(ctx context.Context, from, to, name string) (made bool, err error) {
	src, err := filepath.EvalSymlinks(filepath.Join(from, filepath.FromSlash(name)))
	if err != nil || exists(to, name) {
		return false, nil // nothing to copy, or it exists
	}
	beside := filepath.Join(filepath.Dir(to), "."+filepath.Base(to)+"-installed")
	if err := fsroot.RemoveAll(beside); err != nil { // from an interrupted copy
		return false, err
	}
	if err := fsroot.MkdirAll(beside, 0o755); err != nil {
		return false, err
	}
	defer func() { err = errors.Join(err, fsroot.RemoveAll(beside)) }()
	dst, err := os.OpenRoot(beside)
	if err != nil {
		return false, err
	}
	defer dst.Close()
	c := folderCopier{pathRewriter: pathRewriter{from: from, to: to, virtualEnv: isVirtualEnv(name)}, dst: dst, maxBytes: maxCopyBytes}
	if err := c.copyFolder(ctx, src, "copy"); err != nil {
		return false, fmt.Errorf("copy %s: %w", name, err)
	}
	target := filepath.Join(to, filepath.FromSlash(name))
	if err := fsroot.MkdirAll(filepath.Dir(target), 0o755); err != nil {
		return false, err
	}
	return true, fsroot.Rename(filepath.Join(beside, "copy"), target)
}

type folderCopier struct {
	pathRewriter
	dst      *os.Root
	files    int
	bytes    int64
	maxBytes int64
	missing  bool // leave what is there alone, and keep the times
	written  int  // number of entries
}

// maxNamed limits how many paths CopyMissing names.
const maxNamed = 20

// CopyMissing copies those files and folders of from that to lacks. It returns the first copied ones, and with a reason
// those that could not be copied; together the copies have at most maxBytes. Times are kept, because make takes a new file
// for the result of a build.
func CopyMissing(ctx context.Context, from, to string, names []string, maxBytes int64) (copied, left []string) {
	dst, err := os.OpenRoot(to)
	if err != nil {
		return nil, []string{err.Error()}
	}
	defer dst.Close()
	c := folderCopier{pathRewriter: pathRewriter{from: from, to: to}, dst: dst, maxBytes: maxBytes, missing: true}
	add := func(list []string, text string) []string {
		if len(list) == maxNamed {
			return list
		}
		return append(list, belay.VisibleLine(text))
	}
	for i, name := range names {
		if err := ctx.Err(); err != nil {
			return copied, left
		}
		if c.files > maxCopyFiles {
			return copied, add(left, fmt.Sprintf("%s (over %d files)", belay.CountOf(len(names)-i, "path"), maxCopyFiles))
		}
		before := c
		c.virtualEnv = isFile(from, path.Join(name, "pyvenv.cfg"))
		err := dst.MkdirAll(filepath.FromSlash(path.Dir(name)), 0o755)
		if err == nil {
			err = c.copyEntry(ctx, filepath.Join(from, filepath.FromSlash(name)), filepath.FromSlash(name))
		}
		if err == nil {
			if c.written > before.written {
				copied = add(copied, name)
			}
			continue
		}
		reason := err
		if at := (*fs.PathError)(nil); errors.As(err, &at) {
			reason = at.Err
		} else if errors.Is(err, ErrTooMuch) {
			reason = fmt.Errorf("over %d MiB", maxBytes>>20)
		}
		left = add(left, fmt.Sprintf("%s (%v)", name, reason))
	}
	return copied, left
}

func (c *folderCopier) copyFolder(ctx context.Context, src, at string) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	err := c.dst.Mkdir(at, 0o755)
	if err == nil {
		c.written++
	} else if info, there := c.dst.Lstat(at); !c.missing || there != nil {
		return err
	} else if !info.IsDir() {
		return nil
	}
	entries, err := os.ReadDir(src)
	if err != nil {
		return err
	}
	for _, e := range entries {
		if cacheFolders[e.Name()] && at == "copy" {
			continue
		}
		if err := c.copyEntry(ctx, filepath.Join(src, e.Name()), path.Join(at, e.Name())); err != nil {
			return err
		}
	}
	return nil
}

func (c *folderCopier) copyEntry(ctx context.Context, src, at string) error {
	info, err := os.Lstat(src)
	if err != nil {
		return err
	}
	c.files++
	c.bytes += info.Size()
	if c.missing && !info.IsDir() {
		if _, err := c.dst.Lstat(at); err == nil {
			return nil
		}
	}
	switch {
	case c.files > maxCopyFiles || c.bytes > c.maxBytes:
		c.bytes -= info.Size()
		return ErrTooMuch
	case path.Base(at) == ".git" && !info.IsDir(): // git in the copy would change the original's repository
		return nil
	case info.IsDir():
		return c.copyFolder(ctx, src, at)
	case info.Mode()&fs.ModeSymlink != 0:
		text, err := os.Readlink(src)
		if err != nil {
			return err
		}
		c.written++
		return c.dst.Symlink(c.rewrite(text), at)
	case info.Mode().IsRegular():
		c.written++
		err := c.copyFile(c.dst, src, at, info)
		if err == nil && c.missing {
			err = c.dst.Chtimes(at, info.ModTime(), info.ModTime())
		}
		return err
	}
	return nil // a socket belongs to no package
}

// pathRewriter rewrites paths into one tree when its folders are copied to another.
type pathRewriter struct {
	from, to   string
	virtualEnv bool // a virtual environment: its files contain the path of their tree
}

func (m pathRewriter) rewrite(text string) string {
	if rest, ok := strings.CutPrefix(text, m.from+string(filepath.Separator)); ok {
		return filepath.Join(m.to, rest)
	}
	return text
}

// maxRewrittenFile is the size up to which a file is searched for the path of its tree.
const maxRewrittenFile = 1 << 20

// copyFile copies a regular file. In scripts and .pth files of a virtual environment it replaces
// the path of the tree with that of the new one.
func (m pathRewriter) copyFile(dst *os.Root, src, at string, info fs.FileInfo) error {
	in, err := fsroot.OpenUserFile(src)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := dst.OpenFile(at, os.O_WRONLY|os.O_CREATE|os.O_EXCL, info.Mode().Perm()|0o200)
	if err != nil {
		return err
	}
	if m.virtualEnv && namesItsTree(at) && info.Size() <= maxRewrittenFile {
		var text []byte
		if text, err = fsroot.ReadAll(in, maxRewrittenFile); err == nil {
			if bytes.IndexByte(text, 0) < 0 { // not in a binary
				text = bytes.ReplaceAll(text, []byte(m.from+"/"), []byte(m.to+"/"))
			}
			_, err = out.Write(text)
		}
	} else {
		_, err = io.Copy(out, in) // the kernel shares the blocks if it can
	}
	return errors.Join(err, out.Close())
}

// namesItsTree reports whether a file of a virtual environment contains the path of its tree.
func namesItsTree(at string) bool {
	base := path.Base(at)
	return path.Base(path.Dir(at)) == "bin" || strings.HasSuffix(base, ".pth") ||
		strings.HasSuffix(base, ".egg-link") || strings.HasPrefix(base, "__editable__") || base == "pyvenv.cfg"
}

// openFolder creates a folder below a tree and opens it.
func openFolder(tree, name string) (*os.Root, error) {
	root, err := os.OpenRoot(tree)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	if err := root.MkdirAll(filepath.FromSlash(name), 0o755); err != nil {
		return nil, err
	}
	return root.OpenRoot(filepath.FromSlash(name))
}
