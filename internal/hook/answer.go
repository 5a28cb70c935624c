package hook

import (
	"encoding/json"
	"strings"
)

// Answer is belay's answer to an event. The zero Answer allows everything.
type Answer struct {
	Deny    string // of Before: why the tool call is denied
	Block   string // of Stop: what the agent must fix first
	Context string // of Start, Prompt and After: information for the agent
	Note    string // information for the person, if the agent can show it
}

// Output is what a hook prints, and its exit status.
type Output struct {
	Stdout, Stderr string
	Exit           int
}

// exitDeny is the exit status that agents take as a denial, whatever the JSON says.
const exitDeny = 2

// Encode encodes an answer in the format of the agent that sent the event, with no additional keys:
// agents ignore an answer with a key that they do not know.
func Encode(ev Event, a Answer) Output {
	row, ok := findAgent(ev.Agent)
	if !ok || ev.Kind == Other {
		return Output{}
	}
	switch {
	case ev.Kind == Before && a.Deny != "":
		out := Output{Stdout: encode(row.encodeDeny(ev, a.Deny))}
		if !row.textDecides {
			out.Stderr, out.Exit = a.Deny+"\n", exitDeny
		}
		return out
	case ev.Kind == Stop && a.Block != "" && row.encodeBlock != nil:
		out := Output{Stdout: encode(row.encodeBlock(ev, a.Block))}
		if row.blockExits {
			out.Stderr, out.Exit = a.Block+"\n", exitDeny
		}
		return out
	}
	if ev.Kind != Start && ev.Kind != Prompt && ev.Kind != After {
		a.Context = ""
	}
	if a.Context == "" && a.Note == "" || row.encodeContext == nil {
		return Output{}
	}
	return Output{Stdout: encode(row.encodeContext(ev, a))}
}

func encode(v any) string {
	if v == nil {
		return ""
	}
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return "" // cannot happen: texts and maps of texts can be encoded
	}
	return b.String()
}

// object is a JSON object in an agent's format.
type object map[string]any

// agentFormat describes one agent's hooks: the names of its events and the format of the answers.
type agentFormat struct {
	name        string
	events      map[string]Kind
	guessEvent  func(*fields) string // the event's name, if the agent does not send it
	encodeDeny  func(Event, string) any
	encodeBlock func(Event, string) any // nil: the agent cannot be prevented from stopping
	blockExits  bool
	// textDecides: the agent reads the JSON whatever the exit status is, and reports a failed hook
	// if that is not 0
	textDecides   bool
	encodeContext func(Event, Answer) any // nil: the agent accepts no information
}

func findAgent(name string) (agentFormat, bool) {
	for _, a := range agentFormats() {
		if a.name == name {
			return a, true
		}
	}
	return agentFormat{}, false
}

var claudeEvents = map[string]Kind{"SessionStart": Start, "UserPromptSubmit": Prompt, "PreToolUse": Before, "PostToolUse": After,
	"PostToolUseFailure": After, "Stop": Stop, "SessionEnd": End}

func agentFormats() []agentFormat {
	return []agentFormat{
		{name: "claude", events: claudeEvents, encodeDeny: claudeDeny, encodeBlock: decisionBlock, blockExits: true,
			encodeContext: claudeSay},
		{name: "codex", events: claudeEvents, encodeDeny: claudeDeny, encodeBlock: decisionBlock, blockExits: true,
			encodeContext: claudeSay},
		{name: "qwen", events: claudeEvents, encodeDeny: claudeDeny, encodeBlock: decisionBlock, blockExits: true,
			encodeContext: claudeSay},
		{name: "gemini", events: map[string]Kind{"SessionStart": Start, "BeforeAgent": Prompt, "BeforeTool": Before, "AfterTool": After,
			"AfterAgent": Stop, "SessionEnd": End}, encodeDeny: geminiDeny, encodeBlock: geminiDeny,
			textDecides: true, encodeContext: claudeSay},
		{name: "opencode", events: claudeEvents, encodeDeny: geminiDeny, encodeBlock: geminiDeny, blockExits: true,
			encodeContext: func(_ Event, a Answer) any { return contextOnly(a, "context") }},
		{name: "cursor", events: map[string]Kind{"sessionStart": Start, "beforeSubmitPrompt": Prompt, "preToolUse": Before,
			"beforeShellExecution": Before, "beforeMCPExecution": Before, "postToolUse": After, "postToolUseFailure": After,
			"afterShellExecution": After, "afterMCPExecution": After, "afterFileEdit": After, "stop": Stop, "sessionEnd": End},
			encodeDeny: func(_ Event, why string) any {
				return object{"permission": "deny", "user_message": why, "agent_message": why}
			},
			encodeBlock: func(_ Event, why string) any { return object{"followup_message": why} }},
		{name: "copilot", guessEvent: copilotEvent, events: copilotEvents, encodeDeny: copilotDeny,
			encodeBlock: decisionBlock, encodeContext: copilotSay},
	}
}

// copilotEvents has two spellings: Copilot's and Claude's.
var copilotEvents = map[string]Kind{"sessionStart": Start, "userPromptSubmitted": Prompt, "preToolUse": Before, "postToolUse": After,
	"agentStop": Stop, "sessionEnd": End, "SessionStart": Start, "UserPromptSubmit": Prompt, "PreToolUse": Before,
	"PostToolUse": After, "Stop": Stop, "SessionEnd": End}

// copilotEvent recognises an event without a name by its fields.
func copilotEvent(f *fields) string {
	switch {
	case f.first("toolName") != "" && f.first("toolResult.resultType", "toolResult.textResultForLlm") != "":
		return "postToolUse"
	case f.first("toolName") != "":
		return "preToolUse"
	case f.first("prompt") != "":
		return "userPromptSubmitted"
	case f.first("source") != "":
		return "sessionStart"
	case f.first("stopReason") != "":
		return "agentStop"
	case f.first("reason") != "":
		return "sessionEnd"
	}
	return ""
}

func claudeDeny(ev Event, why string) any {
	return object{"hookSpecificOutput": object{"hookEventName": ev.Name, "permissionDecision": "deny", "permissionDecisionReason": why}}
}

func copilotDeny(_ Event, why string) any {
	return object{"permissionDecision": "deny", "permissionDecisionReason": why}
}

func decisionBlock(_ Event, why string) any { return object{"decision": "block", "reason": why} }

func geminiDeny(_ Event, why string) any { return object{"decision": "deny", "reason": why} }

func claudeSay(ev Event, a Answer) any {
	o := object{}
	if a.Context != "" {
		o["hookSpecificOutput"] = object{"hookEventName": ev.Name, "additionalContext": a.Context}
	}
	if a.Note != "" {
		o["systemMessage"] = a.Note
	}
	return o
}

func copilotSay(ev Event, a Answer) any {
	if ev.camelCase {
		return contextOnly(a, "additionalContext")
	}
	a.Note = ""
	if a.Context == "" {
		return nil
	}
	return claudeSay(ev, a)
}

func contextOnly(a Answer, key string) any {
	if a.Context == "" {
		return nil
	}
	return object{key: a.Context}
}
