package main

import "fmt"

// dialect makes of a step in a folder the call that an agent's tools know.
type dialect func(root string, s Step) answer

func speakClaude(root string, s Step) answer {
	switch {
	case s.Read != "":
		return answer{Tool: "Read", Args: page(s, map[string]any{"file_path": root + "/" + s.Read})}
	case s.Edit != "":
		return answer{Tool: "Edit", Args: map[string]any{"file_path": root + "/" + s.Edit, "old_string": s.Old, "new_string": s.New}}
	}
	return answer{Tool: "Bash", Args: map[string]any{"command": s.Run, "description": "Run a command"}}
}

// speakCodex reads with the shell, as the agent has no tool for it.
func speakCodex(_ string, s Step) answer {
	command := s.Run
	switch {
	case s.Edit != "":
		return answer{Tool: "apply_patch", Free: fmt.Sprintf("*** Begin Patch\n*** Update File: %s\n@@\n-  %s\n+  %s\n*** End Patch\n", s.Edit, s.Old, s.New)}
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
		return answer{Tool: "replace", Args: map[string]any{"file_path": s.Edit, "old_string": s.Old, "new_string": s.New, "instruction": "Mend the price"}}
	}
	return answer{Tool: "run_shell_command", Args: map[string]any{"command": s.Run, "description": "Run a command"}}
}

func speakOpenCode(root string, s Step) answer {
	switch {
	case s.Read != "":
		return answer{Tool: "read", Args: page(s, map[string]any{"filePath": root + "/" + s.Read})}
	case s.Edit != "":
		return answer{Tool: "edit", Args: map[string]any{"filePath": root + "/" + s.Edit, "oldString": s.Old, "newString": s.New}}
	}
	return answer{Tool: "bash", Args: map[string]any{"command": s.Run, "description": "Run a command"}}
}

func speakQwen(root string, s Step) answer {
	switch {
	case s.Read != "":
		args := map[string]any{"file_path": root + "/" + s.Read}
		if s.To > 0 {
			args["offset"], args["limit"] = s.From-1, s.To-s.From+1
		}
		return answer{Tool: "read_file", Args: args}
	case s.Edit != "":
		return answer{Tool: "edit", Args: map[string]any{"file_path": root + "/" + s.Edit, "old_string": s.Old, "new_string": s.New}}
	}
	return answer{Tool: "run_shell_command", Args: map[string]any{"command": s.Run, "is_background": false, "description": "Run a command"}}
}

func speakPi(_ string, s Step) answer {
	switch {
	case s.Read != "":
		return answer{Tool: "read", Args: page(s, map[string]any{"path": s.Read})}
	case s.Edit != "":
		return answer{Tool: "edit", Args: map[string]any{"path": s.Edit, "edits": []any{map[string]any{"oldText": s.Old, "newText": s.New}}}}
	}
	return answer{Tool: "bash", Args: map[string]any{"command": s.Run}}
}

// page adds which lines are read, where the step says so.
func page(s Step, args map[string]any) map[string]any {
	if s.To > 0 {
		args["offset"], args["limit"] = s.From, s.To-s.From+1
	}
	return args
}
