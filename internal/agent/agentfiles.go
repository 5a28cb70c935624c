package agent

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"

	"github.com/belay-dev/belay/internal/fsroot"
)

// AgentFile is one such file. Runs has a line for each setting, with its text quoted so that
// nothing in it is hidden; Hash is the SHA-256, in hex, of the settings.
type AgentFile struct {
	Path string   `json:"path"` // relative to the root, with slashes
	Hash string   `json:"sha256"`
	Runs []string `json:"runs"`
}

// Text returns what a person trusts: it changes whenever the settings in the file change.
func (f AgentFile) Text() string {
	return "agent file " + strconv.QuoteToASCII(f.Path) + ": sha256 " + f.Hash + "\n"
}

// settingsPlace is a file, or a glob in one folder, with the top-level keys that run nothing.
// Without such keys, the complete file counts.
type settingsPlace struct {
	path     string
	harmless []string
}

var (
	claudeHarmless = []string{"$schema", "model", "language", "outputStyle", "theme", "cleanupPeriodDays",
		"includeCoAuthoredBy", "attribution",
		"spinnerTipsEnabled", "alwaysThinkingEnabled", "companyAnnouncements", "respectGitignore", "plansDirectory", "prefersReducedMotion"}
	geminiHarmless    = []string{"$schema", "$version", "ui", "model", "theme", "output", "privacy"}
	opencodeHarmless  = []string{"$schema", "theme", "model", "small_model", "username", "keybinds", "share", "autoupdate"}
	containerHarmless = []string{"$schema", "name", "image", "remoteUser", "containerUser", "forwardPorts", "portsAttributes"}
)

// settingsPlaces is where agents and editors look for settings, by their documentation.
var settingsPlaces = []settingsPlace{
	{".claude/settings.json", claudeHarmless}, {".claude/settings.local.json", claudeHarmless},
	{".codex/hooks.json", nil}, {".codex/config.toml", nil},
	{".gemini/settings.json", geminiHarmless}, {".qwen/settings.json", geminiHarmless}, {".pi/settings.json", nil},
	{".pi/extensions/*", nil},
	{".mcp.json", nil}, {".cursor/hooks.json", nil}, {".cursor/mcp.json", nil},
	{".vscode/tasks.json", nil}, {".vscode/mcp.json", nil},
	{"opencode.json", opencodeHarmless}, {"opencode.jsonc", opencodeHarmless}, {".opencode/opencode.json", opencodeHarmless},
	{".opencode/opencode.jsonc", opencodeHarmless},
	{".opencode/plugins/*", nil}, {".opencode/plugin/*", nil}, {".opencode/tools/*", nil}, {".opencode/tool/*", nil},
	{".github/hooks/*", nil}, {".aider.conf.yml", nil},
	{".devcontainer/devcontainer.json", containerHarmless}, {".devcontainer.json", containerHarmless},
	{".devcontainer/*/devcontainer.json", containerHarmless},
}

const (
	maxFile  = 1 << 20
	maxFiles = 200 // per folder
	maxLines = 40  // shown per file
	maxShown = 160 // bytes per text
)

// FindAgentFiles returns the files of the tree at root with settings for agents, in a fixed order.
// It lists a file that it cannot read, because the agent may be able to read it.
func FindAgentFiles(root string) []AgentFile {
	var found []AgentFile
	for _, p := range settingsPlaces {
		for _, name := range matchingFiles(root, p.path) {
			if f, ok := readListed(root, name, p.harmless); ok {
				found = append(found, f)
			}
		}
	}
	return found
}

// matchingFiles returns the files that a pattern matches.
func matchingFiles(root, pattern string) []string {
	dir, rest, wild := strings.Cut(pattern, "/*")
	if !wild {
		return []string{pattern}
	}
	// Nonblocking and only a folder: a FIFO of that name would block the open.
	f, err := os.OpenFile(filepath.Join(root, filepath.FromSlash(dir)), os.O_RDONLY|syscall.O_NONBLOCK|syscall.O_DIRECTORY, 0)
	if err != nil {
		return nil
	}
	defer f.Close()
	list, _ := f.Readdirnames(maxFiles + 1)
	slices.Sort(list)
	var out []string
	for _, name := range list {
		out = append(out, path.Join(dir, name)+rest)
	}
	return out
}

func readListed(root, name string, harmless []string) (f AgentFile, ok bool) {
	f.Path = name
	data, err := fsroot.ReadUserFile(filepath.Join(root, filepath.FromSlash(name)), maxFile)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		return f, false
	case err != nil:
		if info, serr := os.Stat(filepath.Join(root, filepath.FromSlash(name))); serr == nil && info.IsDir() {
			return f, false
		}
		f.Runs = []string{"cannot be read: " + strconv.QuoteToASCII(short(err.Error()))}
		f.Hash = digest([]byte("cannot be read"))
		return f, true
	}
	switch ext := path.Ext(name); ext {
	case ".json", ".jsonc":
		return f, f.settings(data, harmless)
	case ".toml", ".yml", ".yaml":
		f.Runs = lines(string(data))
	default:
		f.Runs = []string{fmt.Sprintf("code that an agent loads, %d bytes", len(data))}
	}
	f.Hash = digest(data)
	return f, len(f.Runs) > 0
}

// settings reads JSON with comments and trailing commas, as agents do. Any other content counts in
// full: an agent may parse it in another way.
func (f *AgentFile) settings(data []byte, harmless []string) bool {
	var all map[string]any
	if err := json.Unmarshal(stripJSONComments(data), &all); err != nil {
		f.Runs, f.Hash = []string{"is not JSON: check it"}, digest(data)
		return true
	}
	for _, key := range harmless {
		delete(all, key)
	}
	flatten("", all, func(key, text string) {
		if len(f.Runs) < maxLines {
			f.Runs = append(f.Runs, key+": "+text)
		} else if len(f.Runs) == maxLines {
			f.Runs = append(f.Runs, "and more")
		}
	})
	text, _ := json.Marshal(all) // cannot fail: it was decoded from JSON
	f.Hash = digest(text)
	return len(f.Runs) > 0
}

// flatten calls say for every value with its dotted key. A list of strings is one value, because it
// is usually a command.
func flatten(key string, v any, say func(key, text string)) {
	switch v := v.(type) {
	case map[string]any:
		keys := make([]string, 0, len(v))
		for k := range v {
			keys = append(keys, k)
		}
		slices.Sort(keys)
		for _, k := range keys {
			name := visible(k)
			if key != "" {
				name = key + "." + name
			}
			flatten(name, v[k], say)
		}
	case []any:
		var words []string
		for _, e := range v {
			s, is := e.(string)
			if !is {
				for _, e := range v {
					flatten(key, e, say)
				}
				return
			}
			words = append(words, strconv.QuoteToASCII(short(s)))
		}
		if len(words) > 0 {
			say(key, strings.Join(words, " "))
		}
	case string:
		say(key, strconv.QuoteToASCII(short(v)))
	case nil:
	default:
		say(key, fmt.Sprint(v))
	}
}

func lines(text string) (out []string) {
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if len(out) == maxLines {
			return append(out, "and more")
		}
		out = append(out, visible(line))
	}
	return out
}

// visible escapes everything invisible in a text, without adding quotes.
func visible(s string) string {
	q := strconv.QuoteToASCII(short(s))
	return strings.ReplaceAll(q[1:len(q)-1], `\"`, `"`)
}

func short(s string) string {
	if len(s) > maxShown {
		return s[:maxShown] + "…"
	}
	return s
}

func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// stripJSONComments removes comments and trailing commas from JSON, outside its strings.
func stripJSONComments(data []byte) []byte {
	data = []byte(strings.TrimPrefix(string(data), "\ufeff"))
	var out []byte
	for i := 0; i < len(data); {
		rest := string(data[i:min(len(data), i+2)])
		switch {
		case data[i] == '"':
			end := i + 1
			for end < len(data) && data[end] != '"' {
				if data[end] == '\\' {
					end++
				}
				end++
			}
			end = min(len(data), end+1)
			out = append(out, data[i:end]...)
			i = end
		case rest == "//":
			for i < len(data) && data[i] != '\n' {
				i++
			}
		case rest == "/*":
			end := strings.Index(string(data[i+2:]), "*/")
			if end < 0 {
				return data // not JSON: returned unchanged
			}
			i += end + 4
		case data[i] == '}' || data[i] == ']':
			for n := len(out); n > 0; n-- {
				if c := out[n-1]; c == ',' {
					out = out[:n-1]
				} else if c == ' ' || c == '\t' || c == '\r' || c == '\n' {
					continue
				}
				break
			}
			out = append(out, data[i])
			i++
		default:
			out = append(out, data[i])
			i++
		}
	}
	return out
}
