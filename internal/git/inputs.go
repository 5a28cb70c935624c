package git

import (
	"os"
	"path/filepath"
	"strings"

	"github.com/belay-dev/belay/internal/fsroot"
)

// What the files that git reads may have at most, in bytes. git reads most of them whole, and
// a sparse file of any size is made in a moment.
const (
	mostName   = 1 << 20 // a file that holds one name
	mostConfig = 16 << 20
	mostLines  = fsroot.Usual
	// MostIndex is that of the index: more than ten million entries.
	MostIndex = 1 << 30
)

// maxInclude is how deep git follows includes of its config.
const maxInclude = 10

// CheckInputs looks at the files that every git process reads in this repository, and which
// an agent may have replaced: by a FIFO or a device, which git would wait for or read without
// end, or by something too large. The error is a *fsroot.TypeError or a *fsroot.SizeError.
// It starts nothing and takes less time than one process.
//
// What it does not know of, like each object, is left to the limit that every git process has.
func (r *Repo) CheckInputs() error {
	c := inputs{seen: map[string]bool{}}
	for _, dir := range []string{r.Dir, r.Common} {
		for _, in := range ownInputs {
			c.check(filepath.Join(dir, filepath.FromSlash(in.name)), in.most)
		}
	}
	c.branch(r.Dir, r.Common)
	c.alternates(filepath.Join(r.Common, "objects"), 0)
	for _, path := range configFiles(r.Dir, r.Common) {
		c.config(path, r.Common, 0)
	}
	for _, path := range append(c.named, ConfigHome("ignore"), ConfigHome("attributes")) {
		c.check(path, mostLines)
	}
	return c.bad
}

// ownInputs are read below the folder of the working tree and the one that all share.
var ownInputs = []struct {
	name string
	most int64
}{
	{"HEAD", mostName}, {"commondir", mostName}, {"gitdir", mostName}, {"index", MostIndex}, {"packed-refs", mostLines},
	{"shallow", mostLines}, {"info/exclude", mostLines}, {"info/attributes", mostLines}, {"info/grafts", mostLines},
	{"info/sparse-checkout", mostLines}, {"objects/info/commit-graph", fsroot.Huge},
}

type inputs struct {
	seen  map[string]bool
	named []string // files that the config names
	bad   error
}

func (c *inputs) check(path string, most int64) (ok bool) {
	if c.bad != nil || path == "" || c.seen[path] {
		return false
	}
	c.seen[path] = true
	c.bad = fsroot.Usable(path, most)
	return c.bad == nil
}

// branch looks at the file of the branch that HEAD names.
func (c *inputs) branch(dir, common string) {
	if c.bad != nil {
		return
	}
	text, err := fsroot.ReadUsers(filepath.Join(dir, "HEAD"), mostName)
	name, symbolic := strings.CutPrefix(strings.TrimSpace(string(text)), "ref:")
	if name = strings.TrimSpace(name); err == nil && symbolic && filepath.IsLocal(name) {
		c.check(filepath.Join(common, name), mostName)
	}
}

// alternates looks at the lists of other object folders, as deep as git follows them.
func (c *inputs) alternates(objects string, depth int) {
	list := filepath.Join(objects, "info", "alternates")
	if depth > 5 || !c.check(list, mostLines) {
		return
	}
	text, err := fsroot.ReadUsers(list, mostLines)
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
		c.alternates(line, depth+1)
	}
}

// configFiles returns the files of git's config, whether they are there or not.
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
		files = append(files, ConfigHome("config"), Home("~/.gitconfig"))
	}
	return append(files, filepath.Join(common, "config"), filepath.Join(dir, "config.worktree"))
}

// config looks at a file of git's config, and at the files that it names.
func (c *inputs) config(path, gitDir string, depth int) {
	if depth > maxInclude || !c.check(path, mostConfig) {
		return
	}
	text, err := fsroot.ReadUsers(path, mostConfig)
	if err != nil {
		return
	}
	eachSetting(string(text), func(section, key, value string) {
		if value == "" {
			return
		}
		value = Home(value)
		switch {
		case (section == "include" || section == "includeif") && key == "path":
			if !filepath.IsAbs(value) {
				value = filepath.Join(filepath.Dir(path), value)
			}
			c.config(value, gitDir, depth+1)
		case section == "core" && (key == "excludesfile" || key == "attributesfile"):
			if filepath.IsAbs(value) {
				c.named = append(c.named, value)
			}
		}
	})
}

// eachSetting calls found for each setting of a config file: the section and the key in lower
// case, without what the section's name has in quotes. It reads as git does
// (Documentation/config.txt, Syntax), and passes over what git would complain of.
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

// settingValue returns the value that text begins with, and what comes after its line.
func settingValue(text string) (value, rest string) {
	var b strings.Builder
	quoted, solid := false, 0 // solid: how much of b is not a space at its end
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

// sectionEnd returns where the "]" of a section's head is, which may have one in quotes.
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

// Home expands a leading "~/" as git does.
func Home(path string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		if dir, err := os.UserHomeDir(); err == nil {
			return filepath.Join(dir, rest)
		}
	}
	return path
}

// ConfigHome returns a file of the user's git config folder.
func ConfigHome(name string) string {
	if dir := os.Getenv("XDG_CONFIG_HOME"); dir != "" {
		return filepath.Join(dir, "git", name)
	}
	return Home("~/.config/git/" + name)
}
