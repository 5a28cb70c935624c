// Package hook reads the events that coding agents send to their hooks, and encodes the answers;
// one row of a table describes each agent. In the shell text that an agent is about to run, it
// finds commands that destroy work: uncommitted changes, refs, ignored files, git's own folder. It
// opens no file, runs no program and makes no decision; what it needs to know about the working
// tree it asks through Surroundings.
package hook

import (
	"cmp"
	"io"
	"path"
	"slices"
	"strings"
)

// Kind is the kind of an event.
type Kind string

// Event kinds. Other is every event that belay ignores.
const (
	Start  Kind = "start"  // a session starts or is resumed
	Prompt Kind = "prompt" // the person sends a prompt
	Before Kind = "before" // a tool is about to be called
	After  Kind = "after"  // a tool has been called
	Stop   Kind = "stop"   // the agent has finished with a prompt
	End    Kind = "end"    // the session ends
	Other  Kind = ""
)

// Event is an agent's event in a form common to all agents.
type Event struct {
	Agent      string
	Kind       Kind
	Name       string // the agent's name for the event
	Session    string // the agent's ID of the session
	Dir        string // the agent's current folder
	Source     string // of Start: startup, resume, clear or compact
	Prompt     string // of Prompt; at most a few thousand bytes
	Tool       Tool   // of Before and After
	Thread     string // the sub-agent's ID; "" for the agent itself
	Incomplete bool   // not all was read: the input ended early, was too large, or is not JSON
	camelCase  bool   // the field names are in camel case, like sessionId
}

// ToolEffect is what a tool may do to files.
type ToolEffect string

// Effects of tools. An unknown tool counts as Writes.
const (
	Reads  ToolEffect = "reads"
	Writes ToolEffect = "writes"
	Runs   ToolEffect = "runs" // a shell command
)

// Tool is one call of a tool.
type Tool struct {
	Name       string
	Call       string // its ID; "" if the agent sends none
	Effect     ToolEffect
	Command    string   // the shell text that it runs
	TooLong    bool     // the shell text was not kept completely
	Dir        string   // where it runs; "" for the agent's folder
	Paths      []string // the files that it will write, as the agent names them
	Background bool     // it will run in the background

	// Of After, to distinguish calls: the start of each text, and a hash of the rest.
	Args   map[string]string
	Output string
	Failed bool
}

// Agents returns the names of all agents.
func Agents() []string {
	var names []string
	for _, a := range agentFormats() {
		names = append(names, a.name)
	}
	return names
}

// IsKnown reports whether an agent has this name.
func IsKnown(name string) bool { return slices.Contains(Agents(), name) }

// Read reads an event from an agent's JSON. It reads the input as a stream and skips texts that are
// too long. It never fails: the kind of an event that it does not understand is Other.
func Read(agent string, in io.Reader) Event {
	f := readFields(in)
	ev := Event{Agent: agent, Incomplete: f.incomplete}
	ev.camelCase = f.first("hook_event_name") == "" && f.first("sessionId", "toolName", "hookEventName") != ""
	a, ok := findAgent(agent)
	if !ok {
		return ev
	}
	ev.Name = f.first("hook_event_name", "hookEventName")
	if ev.Name == "" && a.guessEvent != nil {
		ev.Name = a.guessEvent(f)
	}
	ev.Kind = a.events[ev.Name]
	ev.Session = f.first("session_id", "sessionId", "conversation_id")
	ev.Dir = f.first("cwd", "workspace_roots")
	ev.Source = f.first("source", "reason")
	ev.Prompt = f.first("prompt")
	ev.Thread = f.first("agent_id")
	if ev.Kind == Before || ev.Kind == After {
		ev.Tool = f.readTool(ev.Name)
	}
	if ev.Kind == After {
		f.readResult(&ev)
	}
	return ev
}

// readResult reads the arguments and the result of a tool call.
func (f *fields) readResult(ev *Event) {
	t := &ev.Tool
	t.Args = map[string]string{}
	var outputs []string
	for p, list := range f.values {
		top, name, _ := strings.Cut(p, ".")
		switch top {
		case "tool_input", "toolInput", "toolArgs", "tool_args":
			t.Args[name] = strings.Join(list, "\x00")
		case "tool_response", "toolResult", "tool_result", "error":
			outputs = append(outputs, p)
		}
	}
	slices.Sort(outputs)
	for _, p := range outputs {
		t.Output += strings.Join(f.values[p], "\n") + "\n"
	}
	t.Failed = strings.HasSuffix(ev.Name, "Failure") || f.first("error", "tool_response.error") != ""
}

// pathFields are the input fields of a tool that name a file it writes.
var pathFields = []string{"file_path", "filePath", "path", "notebook_path", "absolute_path", "target_file", "edits.file_path",
	"edits.filePath", "changes.path"}

// commandFields are the input fields that contain shell text.
var commandFields = []string{"command", "cmd", "script"}

func (f *fields) readTool(event string) Tool {
	t := Tool{Name: f.first("tool_name", "toolName"), Call: f.first("tool_use_id", "toolUseId", "tool_call_id", "call_id")}
	inputs := []string{"tool_input.", "toolInput.", "toolArgs.", "tool_args."}
	get := func(names ...string) (all []string) {
		for _, in := range inputs {
			for _, n := range names {
				all = append(all, f.get(in+n)...)
			}
		}
		return all
	}
	t.Effect = effectOf(t.Name)
	command := get(commandFields...)
	switch { // Cursor's own events for shell commands and edits have no tool
	case t.Name == "" && strings.HasSuffix(event, "ShellExecution"):
		t.Name, t.Effect, command = "Shell", Runs, f.get("command")
	case t.Name == "" && strings.HasSuffix(event, "FileEdit"):
		t.Name, t.Effect, t.Paths = "Edit", Writes, f.get("file_path")
	}
	t.Dir = cmp.Or(firstText(get("workdir", "cwd", "directory", "dir_path")), "")
	t.Background = firstText(get("run_in_background", "is_background", "background")) == "true"
	patch := slices.Concat(get("patch", "patchText", "input", "diff"), f.get("tool_input"), f.get("toolArgs"))
	if baseName(t.Name) == "apply_patch" || baseName(t.Name) == "applypatch" {
		t.Paths = patchedFiles(strings.Join(slices.Concat(command, patch), "\n"))
		return t
	}
	if t.Effect != Reads {
		t.Command = joinCommand(command)
		t.TooLong = f.tooLong && (t.Effect == Runs || t.Command != "")
	}
	if t.Effect == Writes && t.Command == "" {
		t.Paths = append(t.Paths, get(pathFields...)...)
	}
	return t
}

// joinCommand returns a command as shell text. Some agents send a list of arguments.
func joinCommand(args []string) string {
	if len(args) < 2 {
		return firstText(args)
	}
	if len(args) == 3 && strings.HasPrefix(args[1], "-") && strings.HasSuffix(args[1], "c") && strings.HasSuffix(args[0], "sh") {
		return args[2]
	}
	quoted := make([]string, len(args))
	for i, a := range args {
		quoted[i] = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
	}
	return strings.Join(quoted, " ")
}

// patchedFiles returns the files that a Codex patch changes.
func patchedFiles(text string) (paths []string) {
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		for _, mark := range []string{"*** Add File: ", "*** Update File: ", "*** Delete File: ", "*** Move to: "} {
			if p, ok := strings.CutPrefix(line, mark); ok {
				paths = append(paths, strings.TrimSpace(p))
			}
		}
	}
	return paths
}

// baseName returns a tool's name without prefixes, in lower case.
func baseName(name string) string {
	return strings.ToLower(path.Base(strings.ReplaceAll(name, ".", "/")))
}

// effectOf returns what a tool may do, by its name in the known agents.
func effectOf(name string) ToolEffect {
	switch baseName(name) {
	case "read", "read_file", "read_many_files", "readfile", "view", "view_image", "notebookread", "glob", "grep", "rg", "ls", "list",
		"list_directory", "list_dir", "search_file_content", "grep_search", "codebase_search", "file_search", "search", "find",
		"websearch", "web_search", "google_web_search", "webfetch", "web_fetch", "fetch", "todowrite", "todoread", "todo_write",
		"update_plan", "write_todos", "task", "agent", "bashoutput", "taskoutput", "killshell", "killbash", "taskstop", "exitplanmode",
		"exit_plan_mode", "enterplanmode", "askuserquestion", "ask_user", "question", "skill", "slashcommand", "toolsearch",
		"listmcpresources", "readmcpresource", "listmcpresourcestool", "readmcpresourcetool", "lsp", "save_memory", "think",
		"report_intent", "taskcreate", "taskget", "tasklist", "taskupdate", "invalid":
		return Reads
	case "bash", "shell", "local_shell", "exec_command", "shell_command", "run_shell_command", "run_terminal_cmd", "powershell",
		"execute", "terminal", "container_exec", "exec":
		return Runs
	}
	return Writes
}

func firstText(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return list[0]
}
