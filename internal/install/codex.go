package install

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/belay-dev/belay/internal/belay"
	"github.com/belay-dev/belay/internal/fsroot"
)

// Codex runs a hook only if the user's config.toml contains the hook's hash, which shows that a
// person trusts it. belay asks Codex which hooks it sees, and with which hashes.

// codexHook is a hook as Codex lists it.
type codexHook struct {
	Key     string `json:"key"`
	Command string `json:"command"`
	Hash    string `json:"currentHash"`
	Trust   string `json:"trustStatus"`
}

// codexLimit is the time limit for Codex's answer.
const codexLimit = 20 * time.Second

// codexHooks asks Codex for those of belay's hooks that it sees in a folder.
func codexHooks(ctx context.Context, codex, dir string, env []string) (list []codexHook, err error) {
	ctx, cancel := context.WithTimeout(ctx, codexLimit)
	defer cancel()
	cmd := exec.CommandContext(ctx, codex, "app-server", "--disable", "plugins") // enabling plugins would download them
	cmd.Dir, cmd.Env, cmd.WaitDelay = dir, env, time.Second
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	defer func() { _ = cmd.Wait() }()
	defer cancel()
	cwds, _ := json.Marshal([]string{dir})
	fmt.Fprintf(in, `{"id":1,"method":"initialize","params":{"clientInfo":{"name":"belay","version":"1"}}}
{"method":"initialized"}
{"id":2,"method":"hooks/list","params":{"cwds":%s}}
`, cwds)
	lines := bufio.NewScanner(out)
	lines.Buffer(nil, maxFile)
	for lines.Scan() {
		if list, done, err := codexAnswer(lines.Bytes()); done {
			return list, err
		}
	}
	return nil, errors.Join(errors.New("codex app-server ended without an answer"), ctx.Err(), lines.Err())
}

// codexAnswer parses a line from the app server. done is false if it is not the answer to
// hooks/list.
func codexAnswer(line []byte) (list []codexHook, done bool, err error) {
	var a struct {
		ID     int
		Error  *struct{ Message string }
		Result struct {
			Data []struct{ Hooks []codexHook }
		}
	}
	if json.Unmarshal(line, &a) != nil || a.ID != 2 {
		return nil, false, nil
	}
	if a.Error != nil {
		return nil, true, errors.New(a.Error.Message)
	}
	for _, d := range a.Result.Data {
		for _, h := range d.Hooks {
			if _, ours := programOf("codex", h.Command, nil); ours {
				list = append(list, h)
			}
		}
	}
	return list, true, nil
}

// CodexState is what Codex reports about belay's hooks.
type CodexState struct {
	Found     int    `json:"seen"`
	Trusted   int    `json:"trusted"`
	Problem   string `json:"problem,omitempty"` // why Codex could not be asked
	untrusted []codexHook
}

// Codex asks Codex, if installed, which of the installed hooks it sees and trusts.
func (q Request) Codex(ctx context.Context) CodexState {
	codex, err := q.findProgram("codex")
	if err != nil {
		return CodexState{Problem: "was not found in PATH, so it was not asked whether it sees the hooks"}
	}
	path, err := q.codexFile()
	var list []codexHook
	if err == nil {
		list, err = codexHooks(ctx, codex, q.codexDir(), q.Env)
	}
	if err != nil {
		return CodexState{Problem: "could not be asked whether it sees the hooks: " + err.Error()}
	}
	var s CodexState
	for _, h := range list {
		if !strings.HasPrefix(h.Key, path+":") {
			continue
		}
		s.Found++
		if h.Trust == "trusted" || h.Trust == "managed" {
			s.Trusted++
		} else {
			s.untrusted = append(s.untrusted, h)
		}
	}
	return s
}

// codexDir returns the folder that Codex is asked about.
func (q Request) codexDir() string {
	if q.Project != "" {
		return q.Project
	}
	return string(filepath.Separator)
}

// codexFile returns the hooks' file in the form that Codex uses.
func (q Request) codexFile() (string, error) {
	in, err := integrationOf("codex")
	if err != nil {
		return "", err
	}
	path, err := q.file(in)
	if err != nil {
		return "", err
	}
	if real, err := filepath.EvalSymlinks(filepath.Dir(path)); err == nil {
		path = filepath.Join(real, filepath.Base(path))
	}
	return path, nil
}

// String returns the state as text for people.
func (s CodexState) String() string {
	switch {
	case s.Problem != "":
		return s.Problem
	case s.Found == 0:
		return "sees no hooks: start codex in the repository and trust the folder"
	case s.Trusted < s.Found:
		return fmt.Sprintf("sees %d hooks and does not run %d of them yet: start codex and trust them, or use --trust-codex-hooks",
			s.Found, s.Found-s.Trusted)
	}
	return fmt.Sprintf("sees %d hooks and trusts them", s.Found)
}

// Wants reports whether an agent's hooks are to be installed.
func (q Request) Wants(agent string) bool {
	return slices.Contains(q.Agents, agent) && !q.Remove && !q.DryRun
}

// TrustCodex adds the hashes of hooks that Codex does not trust yet to Codex's config, as Codex's
// own dialogue does. It may be called only after a person has agreed. If Codex still does not trust
// the hooks, it restores the config.
func (q Request) TrustCodex(ctx context.Context, before CodexState) (CodexState, error) {
	config, ok := homeFile("CODEX_HOME", ".codex", "config.toml")(q.Env)
	if !ok {
		return before, noHome()
	}
	unlock, err := q.lock(ctx)
	if err != nil {
		return before, err
	}
	defer unlock()
	if _, err := q.perform(step{"codex", config, trustHooks(before.untrusted), true}); err != nil {
		return before, err
	}
	now := q.Codex(ctx)
	if now.Problem == "" && now.Trusted == now.Found && now.Found > 0 {
		return now, nil
	}
	if _, err := q.perform(step{"codex", config, untrustHooks, true}); err != nil {
		return before, err
	}
	return before, belay.Refuse(belay.CodeCannot, "start codex and choose to trust the hooks",
		"codex does not accept the hashes in %s; the file was restored", config)
}

// trustHooks appends a table for each hook.
func trustHooks(hooks []codexHook) func(f settingsFile, rec *installRecord) (editResult, error) {
	return func(f settingsFile, rec *installRecord) (editResult, error) {
		var keys []string
		for _, h := range hooks {
			keys = append(keys, h.Key)
		}
		base := cutTables(f.text, keys)
		nl := (&document{text: base}).lineEnd()
		var more []byte
		if len(base) > 0 && !bytes.HasSuffix(base, []byte("\n")) {
			more = append(more, nl...)
		}
		for _, h := range hooks {
			more = append(more, nl+tableHead(h.Key)+nl+`trusted_hash = "`+h.Hash+`"`+nl...)
		}
		created := !f.exists || rec != nil && rec.Created
		if rec != nil {
			keys = append(keys, rec.Keys...)
		}
		return editResult{text: slices.Concat(base, more), rec: &installRecord{Original: digest(base), Created: created, Keys: keys,
			AddedSpans: []span{{len(base), len(base) + len(more)}}}}, nil
	}
}

func tableHead(key string) string {
	name, _ := json.Marshal(key) // a JSON string is a valid TOML string for every path that can be typed
	return "[hooks.state." + string(name) + "]"
}

// cutTables removes the hooks' tables from a config, in the form that belay and Codex write them,
// with the empty line before each.
func cutTables(text []byte, keys []string) []byte {
	for _, key := range keys {
		head := []byte(tableHead(key))
		at := bytes.Index(text, head)
		if at < 0 || at > 0 && text[at-1] != '\n' {
			continue
		}
		end, n := at+len(head), 0
		for line := range bytes.Lines(text[end:]) {
			if n++; n > 2 || n == 2 && !bytes.HasPrefix(line, []byte("trusted_hash")) {
				break
			}
			end += len(line)
		}
		for _, empty := range []string{"\r\n", "\n"} {
			if bytes.HasSuffix(text[:at], []byte("\n"+empty)) || at == len(empty) && bytes.HasPrefix(text, []byte(empty)) {
				at -= len(empty)
				break
			}
		}
		text = slices.Concat(text[:at], text[end:])
	}
	return text
}

// untrustHooks removes what belay has added.
func untrustHooks(f settingsFile, rec *installRecord) (editResult, error) {
	if !f.exists || rec == nil {
		return editResult{text: f.text, rec: rec}, nil
	}
	text, ok := rec.originalText(f.text)
	if !ok {
		text = cutTables(f.text, rec.Keys)
	}
	if rec.Created && len(bytes.TrimSpace(text)) == 0 {
		text = nil
	}
	return editResult{text: text}, nil
}

// codexHash returns the hash that Codex computes for a hook, of its event and handler as JSON with
// sorted keys.
func codexHash(event, command string, seconds int) string {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	_ = e.Encode(map[string]any{"event_name": snakeCase(event), "hooks": []any{
		map[string]any{"async": false, "command": command, "timeout": seconds, "type": "command"}}}) // cannot fail
	return "sha256:" + digest(bytes.TrimSuffix(b.Bytes(), []byte("\n")))
}

// snakeCase turns PreToolUse into pre_tool_use.
func snakeCase(event string) string {
	var b strings.Builder
	for n, r := range event {
		if n > 0 && unicode.IsUpper(r) {
			b.WriteByte('_')
		}
		b.WriteRune(unicode.ToLower(r))
	}
	return b.String()
}

// codexTrusts reports whether the user's config contains the hash of each of belay's hooks in a
// file.
func codexTrusts(path string, found []hook, in integration, env []string) bool {
	config, ok := homeFile("CODEX_HOME", ".codex", "config.toml")(env)
	if !ok {
		return false
	}
	text, err := fsroot.ReadUserFile(config, maxFile)
	if err != nil {
		return false
	}
	for _, h := range found {
		at := slices.IndexFunc(in.events, func(e event) bool { return e.name == h.event })
		if at < 0 {
			return false
		}
		key := fmt.Sprintf("%s:%s:%d:0", path, snakeCase(h.event), h.group)
		want := tableHead(key) + "\ntrusted_hash = \"" + codexHash(h.event, shellCommand(h.program, "codex"), in.events[at].seconds) + `"`
		if !bytes.Contains(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")), []byte(want)) {
			return false
		}
	}
	return true
}
