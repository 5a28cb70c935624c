package main

import (
	"encoding/json"
	"fmt"
	"net/http"
)

// chat answers a request for chat completions: /v1/chat/completions.
func (m *model) chat(w http.ResponseWriter, body []byte) {
	var in struct {
		Stream   bool
		Tools    []json.RawMessage
		Messages []json.RawMessage
	}
	if err := json.Unmarshal(body, &in); err != nil {
		bad(w, err)
		return
	}
	t := turn{tools: len(in.Tools) > 1, stream: in.Stream}
	t.follow(in.Messages, func(one json.RawMessage) int {
		var msg struct{ Role string }
		if json.Unmarshal(one, &msg) == nil && msg.Role == "tool" {
			return 1
		}
		return 0
	})
	a := m.next(t)
	said, why := map[string]any{"role": "assistant", "content": a.Text}, "stop"
	if a.Tool != "" {
		args, _ := json.Marshal(a.Args)
		call := map[string]any{"index": 0, "id": a.ID, "type": "function",
			"function": map[string]any{"name": a.Tool, "arguments": string(args)}}
		said, why = map[string]any{"role": "assistant", "content": nil, "tool_calls": []any{call}}, "tool_calls"
	}
	usage := map[string]any{"prompt_tokens": usedEach, "completion_tokens": usedEach, "total_tokens": 2 * usedEach}
	out := func(kind, key string, v any, why any) map[string]any {
		return map[string]any{
			"id": "chat_" + a.ID, "object": kind, "created": 1, "model": "scripted", "usage": usage,
			"choices": []any{map[string]any{"index": 0, key: v, "finish_reason": why}},
		}
	}
	if !t.stream {
		reply(w, out("chat.completion", "message", said, why))
		return
	}
	e := streaming(w)
	e.send("", out("chat.completion.chunk", "delta", said, nil))
	e.send("", out("chat.completion.chunk", "delta", map[string]any{}, why))
	fmt.Fprint(w, "data: [DONE]\n\n")
}

// responses answers a request for responses, always as a stream: /v1/responses.
func (m *model) responses(w http.ResponseWriter, body []byte) {
	var in struct {
		Tools []json.RawMessage
		Input []json.RawMessage
	}
	if err := json.Unmarshal(body, &in); err != nil {
		bad(w, err)
		return
	}
	t := turn{tools: len(in.Tools) > 1, stream: true}
	t.follow(in.Input, func(one json.RawMessage) int {
		var item struct{ Type string }
		if json.Unmarshal(one, &item) == nil && (item.Type == "function_call_output" || item.Type == "custom_tool_call_output") {
			return 1
		}
		return 0
	})
	a := m.next(t)
	var item map[string]any
	switch {
	case a.Free != "":
		item = map[string]any{"type": "custom_tool_call", "id": "item_" + a.ID, "call_id": a.ID, "name": a.Tool,
			"input": a.Free, "status": "completed"}
	case a.Tool != "":
		args, _ := json.Marshal(a.Args)
		item = map[string]any{"type": "function_call", "id": "item_" + a.ID, "call_id": a.ID, "name": a.Tool,
			"arguments": string(args), "status": "completed"}
	default:
		item = map[string]any{
			"type": "message", "id": "item_end", "role": "assistant", "status": "completed",
			"content": []any{map[string]any{"type": "output_text", "text": a.Text, "annotations": []any{}}},
		}
	}
	e := streaming(w)
	whole := map[string]any{"id": "resp_" + a.ID, "object": "response", "created_at": 1, "model": "scripted",
		"status": "in_progress", "output": []any{}}
	e.send("response.created", map[string]any{"type": "response.created", "response": whole})
	e.send("response.output_item.added", map[string]any{"type": "response.output_item.added", "output_index": 0, "item": item})
	e.send("response.output_item.done", map[string]any{"type": "response.output_item.done", "output_index": 0, "item": item})
	whole["status"], whole["output"] = "completed", []any{item}
	whole["usage"] = map[string]any{
		"input_tokens": usedEach, "output_tokens": usedEach, "total_tokens": 2 * usedEach,
		"input_tokens_details": map[string]any{"cached_tokens": 0}, "output_tokens_details": map[string]any{"reasoning_tokens": 0},
	}
	e.send("response.completed", map[string]any{"type": "response.completed", "response": whole})
}
