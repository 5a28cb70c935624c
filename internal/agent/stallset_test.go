package agent_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/belay-dev/belay/internal/agent"
)

// script is a sequence of calls, in the events of one of the recorded agents, with the files of its
// working tree.
type script struct {
	as     string // the agent that has these events
	files  map[string]string
	events []scriptEvent
	calls  int
	since  int // the call at which the stall begins; 0 is never
}

type scriptEvent struct {
	line string
	tree string // the state of the tree when the line is read
}

// scripted is one script of a set.
type scripted struct {
	name  string
	stuck bool
	play  func(s *script)
}

// scriptAgents are the agents in the events of which a script is written.
var scriptAgents = []string{"claude", "codex", "gemini", "opencode", "pi", "qwen"}

// stuck marks the start of a stall.
func (s *script) stuck() { s.since = s.calls + 1 }

// set changes a file without a call.
func (s *script) set(path, content string) { s.files[path] = content }

func (s *script) emit(v map[string]any) {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	var tree strings.Builder
	for _, path := range slices.Sorted(maps.Keys(s.files)) {
		if strings.HasPrefix(path, "build/") { // ignored
			continue
		}
		fmt.Fprintf(&tree, "%s\x00%s\x00", path, s.files[path])
	}
	s.events = append(s.events, scriptEvent{string(text) + "\n", tree.String()})
}

// tool writes one call: the tool's name by agent, "" if the agent has none, and its arguments.
func (s *script) tool(names map[string]string, args map[string]any, output string, failed bool, change func()) {
	name := names[s.as]
	if name == "" {
		if change != nil {
			change()
		}
		return
	}
	s.calls++
	id := fmt.Sprintf("call_%03d", s.calls)
	begins, ends := s.forms(id, name, args, output, failed)
	for _, e := range begins {
		s.emit(e)
	}
	if change != nil {
		change()
	}
	for _, e := range ends {
		s.emit(e)
	}
}

type fields = map[string]any

// forms writes a call and its end in the agent's form.
func (s *script) forms(id, name string, args map[string]any, output string, failed bool) (begins, ends []fields) {
	switch s.as {
	case "claude", "qwen":
		result := fields{"type": "tool_result", "tool_use_id": id, "content": output, "is_error": failed}
		return []fields{{"type": "assistant", "parent_tool_use_id": nil, "message": fields{"role": "assistant",
				"content": []any{fields{"type": "tool_use", "id": id, "name": name, "input": args}}}}},
			[]fields{{"type": "user", "parent_tool_use_id": nil, "message": fields{"role": "user", "content": []any{result}}}}
	case "gemini":
		end := fields{"type": "tool_result", "tool_id": id, "status": "success", "output": output}
		if name == "read_file" && !failed {
			end["output"] = "" // opencode does not print what it read
		}
		if failed && name != "run_shell_command" {
			end["status"], end["error"] = "error", fields{"message": output}
		}
		return []fields{{"type": "tool_use", "tool_id": id, "tool_name": name, "parameters": args}}, []fields{end}
	case "opencode":
		state := fields{"status": "completed", "input": args, "output": output}
		if failed && name != "bash" {
			state = fields{"status": "error", "input": args, "error": output}
		}
		return nil, []fields{{"type": "tool_use", "part": fields{"type": "tool", "callID": id, "tool": name, "state": state}}}
	case "pi":
		return []fields{{"type": "tool_execution_start", "toolCallId": id, "toolName": name, "args": args}},
			[]fields{{"type": "tool_execution_end", "toolCallId": id, "toolName": name, "isError": failed,
				"result": fields{"content": []any{fields{"type": "text", "text": output}}}}}
	}
	item := fields{"id": id, "type": name}
	maps.Copy(item, args)
	begun := maps.Clone(item)
	begun["status"] = "in_progress"
	item["status"] = "completed"
	if name == "command_execution" {
		item["aggregated_output"], item["exit_code"] = output, map[bool]int{true: 1}[failed]
		if failed {
			item["status"] = "failed"
		}
	}
	return []fields{{"type": "item.started", "item": begun}}, []fields{{"type": "item.completed", "item": item}}
}

var shellNames = map[string]string{"claude": "Bash", "codex": "command_execution", "gemini": "run_shell_command",
	"opencode": "bash", "pi": "bash", "qwen": "run_shell_command"}

// sh runs a command.
func (s *script) sh(command string, exit int, output string) { s.shell(command, exit, output, nil) }

func (s *script) shell(command string, exit int, output string, change func()) {
	args := fields{"command": command}
	switch s.as {
	case "codex":
		args["command"] = "/bin/bash -lc '" + command + "'"
		if strings.Contains(command, "'") {
			args["command"] = `/bin/bash -lc "` + strings.ReplaceAll(command, `"`, `\"`) + `"`
		}
	case "claude", "opencode", "gemini":
		args["description"] = fmt.Sprintf("Run it, step %d", s.calls)
	case "qwen":
		args["is_background"] = false
	}
	if s.as == "claude" && exit != 0 {
		output = fmt.Sprintf("Exit code %d\n%s", exit, output)
	}
	s.tool(shellNames, args, output, exit != 0, change)
}

// in returns a path in the agent's form.
func (s *script) in(path string) string {
	if s.as == "gemini" || s.as == "pi" {
		return path
	}
	return root + "/" + path
}

// pathKey returns the name of the argument for a path.
func (s *script) pathKey() string {
	return map[string]string{"opencode": "filePath", "pi": "path"}[s.as] + map[string]string{"claude": "file_path",
		"qwen": "file_path", "gemini": "file_path"}[s.as]
}

// read reads a file, optionally from a line on.
func (s *script) read(path string, from ...int) {
	text, there := s.files[path]
	if s.as == "codex" {
		command := "cat " + path
		if len(from) > 0 {
			command = fmt.Sprintf("sed -n %d,%dp %s", from[0], from[0]+199, path)
		}
		if !there {
			text = "cat: " + path + ": No such file or directory"
		}
		s.sh(command, map[bool]int{false: 1}[there], text)
		return
	}
	args := fields{s.pathKey(): s.in(path)}
	if len(from) > 0 {
		args["offset"], args["limit"] = from[0], 200
		text = fmt.Sprintf("[%d] %s", from[0], text)
	}
	if !there {
		text = "File does not exist: " + path
	}
	s.tool(map[string]string{"claude": "Read", "gemini": "read_file", "opencode": "read", "pi": "read", "qwen": "read_file"},
		args, text, !there, nil)
}

// edit replaces a text in a file; it fails if the file does not contain the text. Codex does not
// print edits that fail.
func (s *script) edit(path, old, text string) {
	fits := strings.Contains(s.files[path], old)
	change := func() {
		if fits {
			s.files[path] = strings.Replace(s.files[path], old, text, 1)
		}
	}
	if s.as == "codex" {
		if fits {
			s.tool(map[string]string{"codex": "file_change"},
				fields{"changes": []any{fields{"path": root + "/" + path, "kind": "update"}}}, "", false, change)
		}
		return
	}
	from, to := "old_string", "new_string"
	switch s.as {
	case "opencode":
		from, to = "oldString", "newString"
	case "pi":
		from, to = "oldText", "newText"
	}
	output := "The file " + s.in(path) + " has been updated."
	if !fits {
		output = "String to replace not found in file.\nString: " + old
	}
	s.tool(map[string]string{"claude": "Edit", "gemini": "replace", "opencode": "edit", "pi": "edit", "qwen": "edit"},
		fields{s.pathKey(): s.in(path), from: old, to: text}, output, !fits, change)
}

// write replaces the content of a file.
func (s *script) write(path, text string) {
	change := func() { s.files[path] = text }
	if s.as == "codex" {
		s.tool(map[string]string{"codex": "file_change"},
			fields{"changes": []any{fields{"path": root + "/" + path, "kind": "add"}}}, "", false, change)
		return
	}
	s.tool(map[string]string{"claude": "Write", "gemini": "write_file", "opencode": "write", "pi": "write", "qwen": "write_file"},
		fields{s.pathKey(): s.in(path), "content": text}, "Wrote "+s.in(path), false, change)
}

// grep searches.
func (s *script) grep(pattern, output string) {
	if s.as == "codex" {
		s.sh("rg -n "+pattern+" src", map[bool]int{true: 1}[output == ""], output)
		return
	}
	s.tool(map[string]string{"claude": "Grep", "gemini": "search_file_content", "opencode": "grep", "pi": "grep", "qwen": "grep_search"},
		fields{"pattern": pattern, "path": s.in("src")}, output, false, nil)
}

// todo writes the agent's to-do list, if it has one.
func (s *script) todo(text string) {
	s.tool(map[string]string{"claude": "TodoWrite", "gemini": "write_todos", "opencode": "todowrite", "qwen": "todo_write"},
		fields{"todos": []any{fields{"content": text, "status": "in_progress"}}}, "Todos have been modified", false, nil)
}

// poll asks for the output of a background job; agents without a tool for that sleep and read it.
func (s *script) poll(job, output string) {
	if s.as != "claude" {
		s.sh("sleep 20; tail -n 3 "+job+".log", 0, output)
		return
	}
	s.tool(map[string]string{"claude": "BashOutput"}, fields{"bash_id": job}, output, false, nil)
}

// played plays a script in the events of an agent and returns the stall, nil for none.
func (one scripted) played(as string) (s *script, found *agent.Stall) {
	s = &script{as: as, files: map[string]string{"src/price.js": "return net + TAX;\n", "package.json": "{}\n"}}
	one.play(s)
	w := agent.NewStallWatch(root, agent.Repeats)
	tree := ""
	w.Tree = func() string { return tree }
	for _, e := range s.events {
		tree = e.tree
		_, _ = w.Write([]byte(e.line))
	}
	w.Close()
	return s, w.Found()
}

// figures are the results of a set of scripts with one agent. calls counts the calls from the
// beginning of a stall until it is found.
type figures struct{ work, alarms, stalls, found, calls int }

func figuresOf(t *testing.T, scripts []scripted, as string) (f figures) {
	t.Helper()
	for _, one := range scripts {
		s, found := one.played(as)
		switch {
		case one.stuck != (s.since > 0):
			t.Errorf("%s: it does not say where it gets stuck", one.name)
		case !one.stuck || found != nil && found.At < s.since:
			f.work++
			if found != nil {
				f.alarms++
				t.Logf("false alarm: %s, %s: %s (call %d of %d)", as, one.name, found, found.At, s.calls)
			}
			if one.stuck {
				f.work--
				f.stalls++
			}
		case found == nil:
			f.stalls++
			t.Logf("missed: %s, %s: %d calls", as, one.name, s.calls-s.since+1)
		default:
			f.stalls++
			f.found++
			f.calls += found.At - s.since + 1
		}
	}
	return f
}

// TestScripts plays sets of scripts in the events of six agents. For each agent, at most one of
// thirty may be a false alarm, and at least twenty-seven of thirty must be found.
func TestScripts(t *testing.T) {
	t.Parallel()
	for _, set := range []struct {
		name    string
		scripts []scripted
	}{{"development", developmentScripts}, {"second", secondScripts}, {"third", thirdScripts}, {"fourth", fourthScripts}} {
		for _, as := range scriptAgents {
			f := figuresOf(t, set.scripts, as)
			if f.alarms*30 > f.work || f.found*30 < f.stalls*27 {
				t.Errorf("%s, %s: %+v", set.name, as, f)
			}
			if os.Getenv("BELAY_EVAL") != "" {
				t.Logf("eval: %s scripts, %s: work %d  false alarms %d  stalls %d  found %d, after %d calls on average",
					set.name, as, f.work, f.alarms, f.stalls, f.found, f.calls/max(1, f.found))
			}
		}
	}
}
