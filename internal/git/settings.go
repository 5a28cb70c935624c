package git

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"

	"github.com/belay-dev/belay/internal/fsroot"
)

// A snapshot needs two answers from git that depend only on a few small files: its config, and
// whether it accepts the repository. Each costs a process. If the files are plain belay reads them
// itself; in any doubt it asks git.

// Settings returns the settings of all files of git's config, in git's order. A key without a value
// has an empty one.
func (r *Repo) Settings(ctx context.Context) ([]ConfigEntry, error) {
	if list, _, ok := r.trustedConfig(); ok {
		return list, nil
	}
	out, err := r.Run(ctx, nil, "config", "--list", "-z", "--includes", "--show-scope")
	if err != nil {
		return nil, err
	}
	var list []ConfigEntry
	fields := strings.Split(string(out), "\x00")
	for i := 0; i+1 < len(fields); i += 2 {
		key, value, valued := strings.Cut(fields[i+1], "\n")
		if fields[i] != "command" { // that is how belay runs git, without hooks
			list = append(list, ConfigEntry{Key: key, Value: value, HasNoValue: !valued})
		}
	}
	return list, nil
}

// plainSettings reads the files of git's config. ok is false if git may read more or otherwise: an
// include, which may depend on anything, or a file in another place or format.
func (r *Repo) plainSettings() (list []ConfigEntry, ok bool) {
	if !r.systemKnown() {
		return nil, false
	}
	files := configFiles(r.Dir, r.Common)
	own := len(files) - 1 // only of this worktree, read if the repository enables it
	for i, path := range files {
		if i == own {
			if on := lastValue(list, "extensions.worktreeconfig"); on == "false" || on == "" {
				break
			} else if on != "true" {
				return nil, false
			}
		}
		if !filepath.IsAbs(path) {
			return nil, false
		}
		text, err := fsroot.ReadUserFile(path, maxConfigFile)
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR) {
			continue
		}
		if err != nil {
			return nil, false
		}
		more, err := ParseConfig(text)
		if err != nil {
			return nil, false
		}
		list = append(list, more...)
	}
	for _, e := range list {
		if section, _, _ := SplitKey(e.Key); section == "include" || section == "includeif" {
			return nil, false
		}
	}
	return list, true
}

// systemKnown reports whether configFiles certainly lists the right files: the path of the system's
// config is set when git is built.
func (r *Repo) systemKnown() bool {
	if global, set := os.LookupEnv("GIT_CONFIG_GLOBAL"); set && global == "" {
		return false
	}
	none, set := os.LookupEnv("GIT_CONFIG_NOSYSTEM")
	switch {
	case set && none != "":
		return none == "1" || none == "true"
	case set:
		return false
	case os.Getenv("GIT_CONFIG_SYSTEM") != "":
		return true
	}
	_, other := os.LookupEnv("GIT_CONFIG_SYSTEM")
	info, err := os.Lstat(r.git)
	return !other && runtime.GOOS == "linux" && r.git == "/usr/bin/git" && err == nil && info.Mode().IsRegular()
}

// lastValue returns the effective value of a key; "true" for one without a value.
func lastValue(list []ConfigEntry, key string) (value string) {
	for _, e := range list {
		if e.Key == key {
			value = e.Value
			if e.HasNoValue {
				value = "true"
			}
		}
	}
	return value
}

// trustedConfig returns the config, and the object format, of a repository that git certainly
// accepts: everything belongs to the current user, and its config contains nothing unusual.
func (r *Repo) trustedConfig() (list []ConfigEntry, format string, ok bool) {
	for _, path := range []string{r.Root, filepath.Join(r.Root, ".git"), r.Dir, r.Common} {
		info, err := os.Lstat(path)
		if err != nil || fsroot.OwnerID(info) != os.Geteuid() || info.Mode()&fs.ModeSymlink != 0 {
			return nil, "", false
		}
	}
	head, err := fsroot.ReadFile(filepath.Join(r.Dir, "HEAD"), maxNameFile)
	line := strings.TrimSuffix(string(head), "\n")
	if err != nil || !strings.HasPrefix(line, "ref: refs/") && !IsOID(line) {
		return nil, "", false
	}
	if list, ok = r.plainSettings(); !ok {
		return nil, "", false
	}
	local, err := fsroot.ReadFile(filepath.Join(r.Common, "config"), maxConfigFile)
	if err != nil {
		return nil, "", false
	}
	said, err := ParseConfig(local)
	if err != nil {
		return nil, "", false
	}
	format, ok = objectFormat(said)
	for _, e := range list {
		if e.Key == "core.bare" && (e.HasNoValue || e.Value != "false") || e.Key == "core.worktree" {
			ok = false
		}
	}
	return list, format, ok
}

// objectFormat returns the object format in a repository's own config; ok is false when the config
// has a format or extension that belay does not know.
func objectFormat(said []ConfigEntry) (format string, ok bool) {
	versions, formats := ConfigValues(said)["core.repositoryformatversion"], ConfigValues(said)["extensions.objectformat"]
	if len(versions) != 1 || len(formats) > 1 || versions[0] != "0" && versions[0] != "1" {
		return "", false
	}
	for _, e := range said {
		section, _, _ := SplitKey(e.Key)
		if section == "extensions" && e.Key != "extensions.worktreeconfig" && e.Key != "extensions.objectformat" {
			return "", false
		}
	}
	if len(formats) == 0 {
		return "sha1", true
	}
	known := formats[0] == "sha1" || formats[0] == "sha256"
	return formats[0], known && versions[0] == "1"
}
