package main

import (
	"fmt"
	"maps"
)

// dialect converts a step in a folder to a call of the agent's tools.
type dialect func(root string, s Step) answer

// names are the tools and arguments of an agent with one tool for each kind of step. Such agents
// differ in nothing else.
type names struct {
	read, edit, run string
	path, old, new  string
	first           int            // the number of a file's first line
	running         map[string]any // more arguments of run
}

var (
	claudeNames   = names{read: "Read", edit: "Edit", run: "Bash", path: "file_path", old: "old_string", new: "new_string", first: 1}
	openCodeNames = names{read: "read", edit: "edit", run: "bash", path: "filePath", old: "oldString", new: "newString", first: 1}
	qwenNames     = names{read: "read_file", edit: "edit", run: "run_shell_command", path: "file_path",
		old: "old_string", new: "new_string",
		running: map[string]any{"is_background": false}}
)

func (n names) speak(root string, s Step) answer {
	switch {
	case s.Read != "":
		return answer{Tool: n.read, Args: page(s, n.first, map[string]any{n.path: root + "/" + s.Read})}
	case s.Edit != "":
		return answer{Tool: n.edit, Args: map[string]any{n.path: root + "/" + s.Edit, n.old: s.Old, n.new: s.New}}
	}
	args := map[string]any{"command": s.Run, "description": "Run a command"}
	maps.Copy(args, n.running)
	return answer{Tool: n.run, Args: args}
}

// speakCodex reads files with shell commands, because the agent has no tool for it.
func speakCodex(_ string, s Step) answer {
	command := s.Run
	switch {
	case s.Edit != "":
		return answer{Tool: "apply_patch",
			Free: fmt.Sprintf("*** Begin Patch\n*** Update File: %s\n@@\n-  %s\n+  %s\n*** End Patch\n", s.Edit, s.Old, s.New)}
	case s.Read != "" && s.To > 0:
		command = fmt.Sprintf("sed -n '%d,%dp' %s", s.From, s.To, s.Read)
	case s.Read != "":
		command = "cat " + s.Read
	}
	return answer{Tool: "exec_command", Args: map[string]any{"cmd": command, "yield_time_ms": 10000}}
}

func speakGemini(_ string, s Step) answer {
	switch {
	case s.Read != "":
		args := map[string]any{"file_path": s.Read}
		if s.To > 0 {
			args["start_line"], args["end_line"] = s.From, s.To
		}
		return answer{Tool: "read_file", Args: args}
	case s.Edit != "":
		return answer{Tool: "replace",
			Args: map[string]any{"file_path": s.Edit, "old_string": s.Old, "new_string": s.New, "instruction": "Fix the price"}}
	}
	return answer{Tool: "run_shell_command", Args: map[string]any{"command": s.Run, "description": "Run a command"}}
}

func speakCopilot(root string, s Step) answer {
	switch {
	case s.Read != "":
		args := map[string]any{"path": root + "/" + s.Read}
		if s.To > 0 {
			args["view_range"] = []int{s.From, s.To}
		}
		return answer{Tool: "view", Args: args}
	case s.Edit != "":
		return answer{Tool: "edit", Args: map[string]any{"path": root + "/" + s.Edit, "old_str": s.Old, "new_str": s.New}}
	}
	return answer{Tool: "bash", Args: map[string]any{"command": s.Run, "description": "Run a command"}}
}

func speakPi(_ string, s Step) answer {
	switch {
	case s.Read != "":
		return answer{Tool: "read", Args: page(s, 1, map[string]any{"path": s.Read})}
	case s.Edit != "":
		return answer{Tool: "edit", Args: map[string]any{"path": s.Edit,
			"edits": []any{map[string]any{"oldText": s.Old, "newText": s.New}}}}
	}
	return answer{Tool: "bash", Args: map[string]any{"command": s.Run}}
}

// page adds the lines to read, if the step limits them; first is the number of a file's first line.
func page(s Step, first int, args map[string]any) map[string]any {
	if s.To > 0 {
		args["offset"], args["limit"] = s.From-1+first, s.To-s.From+1
	}
	return args
}
