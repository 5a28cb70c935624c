package git

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/belay-dev/belay/internal/fsroot"
)

// Size limits in bytes of the files that git reads. git reads most of them completely, and a sparse
// file of any size takes a moment to create.
const (
	maxNameFile   = 1 << 20 // a file that contains one name
	maxConfigFile = 16 << 20
	maxLinesFile  = fsroot.MaxSmallFile
	// MaxIndexSize is the limit of the index: more than ten million entries.
	MaxIndexSize = 1 << 30
)

// maxInclude is the depth to which git follows includes of its config.
const maxInclude = 10

// CheckInputs checks the files that every git process reads in this repository. An agent may have
// replaced them by a FIFO or a device, for which git would wait or which it would read without end,
// or by a file that is too large. The error is a *fsroot.TypeError or a *fsroot.SizeError. It
// starts no process and takes less time than one.
//
// For other files, such as single objects, the time limit of every git process applies.
func (r *Repo) CheckInputs() error {
	c := inputChecker{seen: map[string]bool{}}
	for _, dir := range []string{r.Dir, r.Common} {
		for _, in := range checkedInputs {
			c.check(filepath.Join(dir, filepath.FromSlash(in.name)), in.most)
		}
	}
	c.checkBranch(r.Dir, r.Common)
	c.checkAlternates(filepath.Join(r.Common, "objects"), 0)
	for _, path := range configFiles(r.Dir, r.Common) {
		c.checkConfig(path, r.Common, 0)
	}
	for _, path := range append(c.includes, ConfigHome("ignore"), ConfigHome("attributes")) {
		c.check(path, maxLinesFile)
	}
	return c.err
}

// checkedInputs are in the git folder of the worktree or in the common one.
var checkedInputs = []struct {
	name string
	most int64
}{
	{"HEAD", maxNameFile}, {"commondir", maxNameFile}, {"gitdir", maxNameFile}, {"index", MaxIndexSize}, {"packed-refs", maxLinesFile},
	{"shallow", maxLinesFile}, {"info/exclude", maxLinesFile}, {"info/attributes", maxLinesFile}, {"info/grafts", maxLinesFile},
	{"info/sparse-checkout", maxLinesFile}, {"objects/info/commit-graph", fsroot.MaxLargeFile},
}

type inputChecker struct {
	seen     map[string]bool
	includes []string // files that the config names
	err      error
}

func (c *inputChecker) check(path string, most int64) (ok bool) {
	if c.err != nil || path == "" || c.seen[path] {
		return false
	}
	c.seen[path] = true
	c.err = fsroot.CheckReadable(path, most)
	return c.err == nil
}

// checkBranch checks the file of the branch that HEAD names.
func (c *inputChecker) checkBranch(dir, common string) {
	if c.err != nil {
		return
	}
	text, err := fsroot.ReadUserFile(filepath.Join(dir, "HEAD"), maxNameFile)
	name, symbolic := strings.CutPrefix(strings.TrimSpace(string(text)), "ref:")
	if name = strings.TrimSpace(name); err == nil && symbolic && filepath.IsLocal(name) {
		c.check(filepath.Join(common, name), maxNameFile)
	}
}

// checkAlternates checks the lists of other object folders, as deep as git follows them.
func (c *inputChecker) checkAlternates(objects string, depth int) {
	list := filepath.Join(objects, "info", "alternates")
	if depth > 5 || !c.check(list, maxLinesFile) {
		return
	}
	text, err := fsroot.ReadUserFile(list, maxLinesFile)
	if err != nil {
		return
	}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimRight(line, "\n")
		if line == "" || line[0] == '#' {
			continue
		}
		if !filepath.IsAbs(line) {
			line = filepath.Join(objects, line)
		}
		c.checkAlternates(line, depth+1)
	}
}

// configFiles returns the files of git's config, existing or not.
func configFiles(dir, common string) []string {
	var files []string
	if os.Getenv("GIT_CONFIG_NOSYSTEM") == "" {
		system := os.Getenv("GIT_CONFIG_SYSTEM")
		if system == "" {
			system = "/etc/gitconfig"
		}
		files = append(files, system)
	}
	if global := os.Getenv("GIT_CONFIG_GLOBAL"); global != "" {
		files = append(files, global)
	} else {
		files = append(files, ConfigHome("config"), ExpandHome("~/.gitconfig"))
	}
	return append(files, filepath.Join(common, "config"), filepath.Join(dir, "config.worktree"))
}

// checkConfig checks a file of git's config, and the files that it names.
func (c *inputChecker) checkConfig(path, gitDir string, depth int) {
	if depth > maxInclude || !c.check(path, maxConfigFile) {
		return
	}
	text, err := fsroot.ReadUserFile(path, maxConfigFile)
	if err != nil {
		return
	}
	eachSetting(string(text), func(section, key, value string) {
		if value == "" {
			return
		}
		value = ExpandHome(value)
		switch {
		case (section == "include" || section == "includeif") && key == "path":
			if !filepath.IsAbs(value) {
				value = filepath.Join(filepath.Dir(path), value)
			}
			c.checkConfig(value, gitDir, depth+1)
		case section == "core" && (key == "excludesfile" || key == "attributesfile"):
			if filepath.IsAbs(value) {
				c.includes = append(c.includes, value)
			}
		}
	})
}

// eachSetting calls found for each setting of a config file: the section and the key in lower
// case, without the quoted part of the section's name. It reads as git does
// (Documentation/config.txt, Syntax), and skips what git would report as an error.
func eachSetting(text string, found func(section, key, value string)) {
	section := ""
	for {
		text = strings.TrimLeft(text, " \t\r\n")
		if text == "" {
			return
		}
		line, rest, _ := strings.Cut(text, "\n")
		switch end := sectionEnd(line); {
		case line[0] == '#' || line[0] == ';':
			text = rest
		case line[0] == '[' && end < 0:
			text = rest
		case line[0] == '[':
			section = line[1:end]
			if i := strings.IndexAny(section, " .\""); i >= 0 {
				section = section[:i]
			}
			section, text = strings.ToLower(section), text[end+1:]
		default:
			key, _, set := strings.Cut(line, "=")
			value := ""
			if text = rest; set {
				value, text = settingValue(line[len(key)+1:] + "\n" + rest)
			}
			found(section, strings.ToLower(strings.TrimSpace(key)), value)
		}
	}
}

// settingValue returns the value at the beginning of text, and the text after its line.
func settingValue(text string) (value, rest string) {
	var b strings.Builder
	quoted, solid := false, 0 // solid: length of b without the white space at its end
	text = strings.TrimLeft(text, " \t")
	for i := 0; i < len(text); i++ {
		c := text[i]
		switch {
		case c == '\n':
			return b.String()[:solid], text[i+1:]
		case c == '"':
			quoted = !quoted
			solid = b.Len()
			continue
		case (c == '#' || c == ';') && !quoted:
			_, rest, _ = strings.Cut(text[i:], "\n")
			return b.String()[:solid], rest
		case c == '\\' && i+1 < len(text):
			i++
			switch text[i] {
			case '\n':
				continue
			case 'n':
				c = '\n'
			case 't':
				c = '\t'
			case 'b':
				c = '\b'
			default:
				c = text[i]
			}
			b.WriteByte(c)
			solid = b.Len()
			continue
		}
		b.WriteByte(c)
		if quoted || c != ' ' && c != '\t' && c != '\r' {
			solid = b.Len()
		}
	}
	return b.String()[:solid], ""
}

// sectionEnd returns the index of the "]" that ends a section's head, -1 for none. A quoted one
// does not count.
func sectionEnd(line string) int {
	quoted := false
	for i := 1; i < len(line); i++ {
		switch c := line[i]; {
		case c == '\\' && quoted:
			i++
		case c == '"':
			quoted = !quoted
		case c == ']' && !quoted:
			return i
		}
	}
	return -1
}

// ExpandHome expands a leading "~/" as git does.
func ExpandHome(path string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		if dir, err := os.UserHomeDir(); err == nil {
			return filepath.Join(dir, rest)
		}
	}
	return path
}

// ConfigHome returns the path of a file in the user's git config folder.
func ConfigHome(name string) string {
	if dir := os.Getenv("XDG_CONFIG_HOME"); dir != "" {
		return filepath.Join(dir, "git", name)
	}
	return ExpandHome("~/.config/git/" + name)
}
